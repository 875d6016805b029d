/* The list of tables. For a trace: the reports and profiles of tprof-top, tprof-path and
 * tprof-leaks; for a profile: those of tprof-top and tprof-leaks. */
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

/* Tables of individual spans, the longest first. */
extern const struct top_longest {
	const char *name, *doc;
	uint32_t states; /* a bit per enum tp_state */
} top_longest[];	 /* ends with a NULL */

/* Writes the tables of traces or of profiles to `list`, and returns their number. */
size_t top_list(bool profiles, struct top_entry list[TOP_MOST_ENTRIES]);
/* Returns the index of the table of this name, or -1. */
int top_list_find(const struct top_entry *list, size_t n, const char *name);

/* Returns whether it can have a row for each goroutine, task or region (--each). */
bool top_has_each(const struct top_entry *e);

/* Returns the filters that a table obeys (REP_BY_…). */
unsigned top_filters(const struct top_entry *e);

/* Writes the list as a table: name, doc, and the filters that each table ignores. */
struct top_listing {
	const struct top_entry *list;
	size_t n;
	const struct tui_select *select;
};
int top_list_fill(void *ctx, struct rep_output *out, struct tp_err *err);

#endif
