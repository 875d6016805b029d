/* Where a row of a diff leads to. */
#ifndef TUI_VIEW_DIFF_LEAD_H
#define TUI_VIEW_DIFF_LEAD_H

#include "tprof-tui/tui.h"
#include "tprof-tui/widget/table.h"

/* A function to the flame graph of the difference, a metric to the report on what it measures. */
struct diff_lead_from {
	const struct tui_table *table;
	bool metrics;
	bool whole;	  /* no row: the flame graph of all of it */
	const char *kind; /* the view of traces, or the sample type */
};
void diff_lead(struct tui *t, const struct diff_lead_from *from);

#endif
