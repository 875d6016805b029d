/* The tables there are: of traces the reports of tprof-top and its profiles of them, tprof-path and
 * tprof-leaks; of profiles what tprof-top makes of these. */
#ifndef TUI_VIEW_TOP_LIST_H
#define TUI_VIEW_TOP_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "output/output.h"
#include "tprof-tui/tui.h"

enum top_kind {
	TOP_REPORT,	/* which: of rep_reports[] */
	TOP_FUNCTIONS,	/* which: enum rep_trace_view */
	TOP_GO,		/* which: enum rep_trace_go */
	TOP_LONGEST,	/* which: an index of top_longest[] */
	TOP_PATH,	/* which: enum rep_path_report */
	TOP_LEAKS,	/* of a trace or a profile */
	TOP_PROFILE,	/* the functions of a profile */
	TOP_LABELS,	/* and its labels */
	TOP_GOROUTINES, /* of goroutine profiles and dumps */
};

struct top_entry {
	char name[40];
	const char *doc;
	enum top_kind kind;
	int which;
};

#define TOP_MOST_ENTRIES 64

/* Single spans, the longest first. */
extern const struct top_longest {
	const char *name, *doc;
	uint32_t states; /* a bit per enum tp_state */
} top_longest[];	 /* ends with a NULL */

/* Those of traces, or of profiles, into `list`: how many they are. */
size_t top_list(bool profiles, struct top_entry list[TOP_MOST_ENTRIES]);
/* The place of this name, or -1. */
int top_list_find(const struct top_entry *list, size_t n, const char *name);

/* Can it have one row for each goroutine, task or region (--each)? */
bool top_has_each(const struct top_entry *e);

/* The filters that a table heeds: REP_BY_…. */
unsigned top_heeds(const struct top_entry *e);

/* The list as a table: name, doc, what is not heeded. */
struct top_listing {
	const struct top_entry *list;
	size_t n;
	const struct tui_select *select;
};
int top_list_fill(void *ctx, struct rep_output *out, struct tp_err *err);

#endif
