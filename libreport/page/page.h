/* One HTML page about a run, a profile, or what changed between two: everything it needs is in it,
 * nothing is loaded from anywhere. Without scripts, and on paper, all of it can be read; with them
 * tables sort and filter, pictures answer.
 *
 * The page is made of sections (section/, one file each), each with a bound on its size; what does
 * not fit is named with the command that shows it. The same runs and options give the same bytes.
 *
 *	struct rep_page_options opt = {.target = "checkout.trace", .command = "tprof-report …"};
 *
 *	code = rep_page_trace(store, &runs.run[0], &opt, &sink, &err);
 */
#ifndef REP_PAGE_H
#define REP_PAGE_H

#include "base/err.h"
#include "decode/profile.h"
#include "output/output.h"
#include "profile/view.h"
#include "run.h"
#include "store/store.h"

struct rep_page_options {
	const char *title; /* NULL: made of what is shown */
	/* What commands on the page are given, as a shell reads it: */
	const char *target;  /* files, of the new side where two are compared; --run before them */
	const char *diff;    /* both sides, for tprof-diff; NULL: target */
	const char *flame;   /* the same for tprof-flame */
	const char *command; /* that made the page, likewise; NULL: unknown */
	const char *version; /* of what made it */
	const char *sample_index; /* of profiles: only this type; NULL: the first PAGE_TYPES */
	const char *own;	  /* of a trace: as rep_filter_text.own */
	int64_t rows;		  /* the most of a table; 0: REP_PAGE_ROWS */
};

#define REP_PAGE_ROWS 100

/* A trace. Errors: TP_ESTORE, TP_ENOMEM, what the sink returns. */
int rep_page_trace(struct tp_store *store, const struct rep_run *run,
		   const struct rep_page_options *opt, const struct rep_sink *sink,
		   struct tp_err *err);

/* A profile, or a sum of some; changed by what it says is to be dropped. */
struct rep_page_profile {
	struct tp_profile *profile;
	const char *name;
};
/* TP_ENOENT, TP_EFORMAT (a sentence) for a sample type that is none; TP_ENOMEM, TP_ELIMIT. */
int rep_page_profile(const struct rep_page_profile *profile, const struct rep_page_options *opt,
		     const struct rep_sink *sink, struct tp_err *err);

/* Profiles against profiles: sets of runs, of one each or more. opt->diff and opt->flame are not
 * NULL. */
struct rep_page_sides {
	struct tp_profile *const *old, *const *new; /* nold, nnew of them */
	size_t nold, nnew;
	const char *old_name, *new_name;
};
/* TP_ENOENT for a sample type that the first new profile has not; TP_EUNKNOWN with a sentence where
 * the two sides have none in common, before anything is written; TP_ENOMEM, TP_ELIMIT. */
int rep_page_profiles(const struct rep_page_sides *sides, const struct rep_page_options *opt,
		      const struct rep_sink *sink, struct tp_err *err);

/* Traces against traces: sets of runs, of one each or more. */
struct rep_page_run {
	struct tp_store *store;
	const struct rep_run *run;
};
struct rep_page_runs {
	const struct rep_page_run *old, *new; /* nold, nnew of them */
	size_t nold, nnew;
};
int rep_page_traces(const struct rep_page_runs *runs, const struct rep_page_options *opt,
		    const struct rep_sink *sink, struct tp_err *err);

#endif
