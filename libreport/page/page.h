/* One HTML page about a run, a profile, or what changed between two: everything it needs is in it,
 * nothing is loaded from anywhere. Without scripts, and on paper, all of it can be read; with them
 * tables sort and filter, pictures answer.
 *
 * The page is made of sections (section/, one file each), each with a bound on its size; what does
 * not fit is named with the command that shows it. The same runs and options give the same bytes.
 *
 *	struct rep_page_options opt = {.file = "checkout.trace", .command = "tprof-report …"};
 *
 *	code = rep_page_trace(store, &runs.run[0], &opt, &sink, &err);
 */
#ifndef REP_PAGE_H
#define REP_PAGE_H

#include "base/err.h"
#include "decode/profile.h"
#include "output.h"
#include "profile/view.h"
#include "run.h"
#include "store/store.h"

struct rep_page_options {
	const char *title; /* NULL: made of what is shown */
	const char *file;  /* as the commands on the page name what is shown (not quoted yet) … */
	const char *run;   /* … and its run, where a store has several; NULL: none is named */
	const char *base;  /* the old side's file, where two are compared */
	const char *command; /* that made the page, quoted; NULL: unknown */
	const char *version; /* of what made it */
	int64_t rows;	     /* the most of a table; 0: REP_PAGE_ROWS */
};

#define REP_PAGE_ROWS 100

/* A trace. Errors: TP_ESTORE, TP_ENOMEM, what the sink returns. */
int rep_page_trace(struct tp_store *store, const struct rep_run *run,
		   const struct rep_page_options *opt, const struct rep_sink *sink,
		   struct tp_err *err);

#endif
