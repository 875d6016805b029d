/* Tables that several views fill in the same way, on the worker's thread. */
#ifndef TUI_FILL_H
#define TUI_FILL_H

#include "profile/filter.h"
#include "top/top.h"
#include "top/worst.h"
#include "tprof-tui/view/rows.h"

/* A report of tprof-top, of which the selection narrows what `by` (REP_BY_…) says. `rows` 0:
 * all. */
int tui_fill_report(struct tui_fill *f, const struct rep_report *report, unsigned by, int64_t rows,
		    struct tp_store *store, struct rep_output *out, struct tp_err *err);
/* The longest spans, as a table of this name. */
int tui_fill_worst(struct tui_fill *f, const struct rep_worst_options *opt, unsigned by,
		   const char *name, struct tp_store *store, struct rep_output *out,
		   struct tp_err *err);
/* The answer to a statement about the run, dressed as rep_cells_dress() does. */
int tui_fill_query(struct tui_fill *f, const char *sql, const char *name, struct tp_store *store,
		   struct rep_output *out, struct tp_err *err);

/* Loads a profile, with the names as they are shown. */
int tui_fill_load(struct tp_store *store, const struct rep_run *run, struct tp_profile **p,
		  struct tp_err *err);
/* Writes the notes of a profile's filters: "focus matched no samples". */
int tui_fill_notes(const struct rep_filter_notes *notes, struct rep_output *out,
		   struct tp_err *err);

#endif
