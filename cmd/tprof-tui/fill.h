/* Functions that several views use to fill tables on the worker's thread. They return 0 or an error code. */
#ifndef TUI_FILL_H
#define TUI_FILL_H

#include "profile/filter.h"
#include "top/top.h"
#include "top/worst.h"
#include "tprof-tui/view/rows.h"

/* Writes a report of tprof-top, with those filters of the selection that `by` (REP_BY_…) names. `rows` is
 * the limit on rows, 0: all. */
int tui_fill_report(struct tui_fill *f, const struct rep_report *report, unsigned by, int64_t rows,
		    struct tp_store *store, struct rep_output *out, struct tp_err *err);
/* Writes the longest spans as a table of this name. */
int tui_fill_worst(struct tui_fill *f, const struct rep_worst_options *opt, unsigned by,
		   const char *name, struct tp_store *store, struct rep_output *out,
		   struct tp_err *err);
/* Writes the result of a statement about the run, with columns as rep_cells_dress() makes them. */
int tui_fill_query(struct tui_fill *f, const char *sql, const char *name, struct tp_store *store,
		   struct rep_output *out, struct tp_err *err);

/* Loads a profile, demangles its names, and keeps the samples of the selected request. *p belongs to the caller
 * in every case. */
int tui_fill_load(struct tp_store *store, const struct rep_run *run, const char *task,
		  struct tp_profile **p, struct tp_err *err);
/* Writes the notes of a profile's filters: "focus matched no samples". */
int tui_fill_notes(const struct rep_filter_notes *notes, struct rep_output *out,
		   struct tp_err *err);

#endif
