/* One page about a run, a profile, or the change between two. As HTML it is self-contained and
 * loads nothing; as Markdown it has the same sections without pictures, for a pull request. Everything can be read without scripts, and on paper; with scripts, tables can be
 * sorted and filtered, and pictures show values under the pointer.
 *
 * The page is made of sections (section/, one file each), each with a limit on its size; if it
 * leaves anything out, it names a command that shows all. The same runs and options give the same
 * bytes.
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
	const char *title; /* NULL: made from the names of the runs or profiles */
	/* Arguments of the commands on the page, quoted for a shell: */
	const char *target;  /* options such as --run, and files; of the new side in a comparison */
	const char *diff;    /* both sides, for tprof-diff; NULL: target */
	const char *flame;   /* the same for tprof-flame */
	const char *command; /* the command that made the page, quoted likewise; NULL: unknown */
	const char *version; /* version of tprof */
	const char *sample_index; /* of profiles: show only this sample type; NULL: the first
				     PAGE_TYPES */
	const char *own;	  /* of a trace: as rep_filter_text.own */
	int64_t rows;  /* limit on rows of a table; 0: REP_PAGE_ROWS, or REP_MARKDOWN_ROWS */
	bool markdown; /* GitHub Flavored Markdown in place of HTML */
};

#define REP_PAGE_ROWS	  100
#define REP_MARKDOWN_ROWS 10

/* Returns the limit on rows of a table. */
static inline int64_t rep_page_rows(const struct rep_page_options *opt)
{
	return opt->rows ? opt->rows : opt->markdown ? REP_MARKDOWN_ROWS : REP_PAGE_ROWS;
}

/* Writes the page of a trace. Errors: TP_ESTORE, TP_ENOMEM, those of the sink. */
int rep_page_trace(struct tp_store *store, const struct rep_run *run,
		   const struct rep_page_options *opt, const struct rep_sink *sink,
		   struct tp_err *err);

/* A profile, or a sum of profiles. The page drops the frames that the profile itself wants dropped.
 */
struct rep_page_profile {
	struct tp_profile *profile;
	const char *name;
};
/* Writes the page of a profile. TP_ENOENT or TP_EFORMAT with a sentence for a sample type that does
 * not exist; TP_ENOMEM, TP_ELIMIT. */
int rep_page_profile(const struct rep_page_profile *profile, const struct rep_page_options *opt,
		     const struct rep_sink *sink, struct tp_err *err);

/* Two sets of profiles to compare, each of one or more. */
struct rep_page_sides {
	struct tp_profile *const *old, *const *new; /* nold, nnew of them */
	size_t nold, nnew;
	const char *old_name, *new_name;
};
/* Writes the page that compares profiles. opt->diff and opt->flame must not be NULL. TP_ENOENT for
 * a sample type that the first new profile does not have; TP_EUNKNOWN with a sentence, before
 * anything is written, if the sides have no type in common; TP_ENOMEM, TP_ELIMIT. */
int rep_page_profiles(const struct rep_page_sides *sides, const struct rep_page_options *opt,
		      const struct rep_sink *sink, struct tp_err *err);

/* Two sets of traces to compare, each of one or more. */
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
