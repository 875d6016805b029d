/* Two runs of a trace, or two sets of runs, compared metric by metric.
 *
 * Of two sets a row has medians, intervals and the rank test of diff/stats.h; each run is one
 * observation. Of two runs it has what the windows of each say (interval.h): the change with an
 * interval, and p that the runs differ no more than their own windows do. Tests of all rows are
 * corrected together (Benjamini and Hochberg). Verdicts:
 *
 *		 of two runs	of sets
 *   changed     differs	changed		q <= alpha
 *   no change   alike		no change	the test could have said otherwise, and did not
 *   too few     too few	too few		no outcome whatever could have been found
 *
 * "differs" is said of these two runs. What any two runs of one build differ by is for sets to say.
 *
 * Counts and totals are divided by the run's length, its tasks, or nothing (struct
 * rep_per_options), so that runs of another length and load are not mistaken for another program.
 * What is less than `min_share` of its family on both sides is left out. */
#ifndef REP_DIFF_TRACE_COMPARE_H
#define REP_DIFF_TRACE_COMPARE_H

#include "diff/diff.h"
#include "diff/trace/interval.h"

struct rep_trace_side {
	struct rep_metrics *const *run;
	size_t n;
};

/* What is looked at together; the names of --by. */
struct rep_trace_section {
	const char *name, *doc;
	struct {
		enum rep_family family;
		uint32_t by; /* bit per enum rep_measure_by */
	} part[3];
	size_t nparts;
};
#define REP_NTRACE_SECTIONS 8
extern const struct rep_trace_section rep_trace_sections[REP_NTRACE_SECTIONS];
/* Its number, -1 for a name that is none. */
int rep_trace_section_find(const char *name);

struct rep_trace_options {
	struct rep_per_options per;
	uint32_t sections;	 /* bit per section, 0: all */
	bool every_stat;	 /* all statistics, not only those a family has as its headline */
	bool changed;		 /* only rows that changed: differ, or have that verdict */
	double min_share, alpha; /* alpha 0: one of the following */
	enum rep_diff_sort sort;
};
/* A trace has a hundred metrics and more, and what they have in common makes the correction for
 * their number no more than about right: with this, real runs of one build are taken for changed in
 * well under 5 of 100 comparisons (testdata/check/trace-diff.sh). */
#define REP_TRACE_ALPHA_SETS 0.03
#define REP_TRACE_ALPHA_TWO  0.05 /* of two runs: their own windows agree with each other */
#define REP_TRACE_OPTIONS_INIT                                                                     \
	{                                                                                          \
		.min_share = 0.01, .alpha = 0                                                      \
	}

struct rep_trace_row {
	unsigned section;
	enum rep_family family;
	enum rep_measure_by by;
	enum rep_stat stat;
	const char *name; /* bytes of the dump; owned by the diff or its runs */
	const char *unit;
	bool exact;
	enum rep_status status;
	double old, new;	      /* medians of sets; NaN where there is nothing to tell */
	int64_t old_count, new_count; /* events, medians of sets */
	struct {
		bool known;
		double low, high;
	} of_old, of_new, of_delta; /* intervals */
	double p, q;		    /* NaN: no test */
	enum rep_verdict verdict;
	double weight; /* of its family, the mean of the side that has more */
	double order;  /* private */
	double rank; /* what changed is ordered by: the least change the interval leaves possible */
};

struct rep_trace_diff {
	struct rep_trace_options opt;
	struct rep_trace_row *row;
	size_t n;
	size_t nold, nnew, tests;
	bool sets, few;
	/* Medians: length in ns, tasks a second (NaN: none). */
	double old_length, new_length, old_tasks, new_tasks;
	bool ticks;
	struct tp_dict *names; /* private */
};

/* The metrics must outlive the diff. TP_EFORMAT: nothing to divide by (--per=task without tasks), a
 * run without clock and one with it; TP_ENOMEM, TP_ELIMIT. */
int rep_trace_diff_new(struct rep_trace_diff **d, const struct rep_trace_side *old,
		       const struct rep_trace_side *new, const struct rep_trace_options *opt,
		       struct tp_err *err);
void rep_trace_diff_free(struct rep_trace_diff *d);

/* new / old - 1; NaN from nothing. */
double rep_trace_change(const struct rep_trace_row *row);

/* ---- one row; for gates ---- */

/* Statistics of measures, one per run, NULL where the run has none: row[stat] for those in `stats`.
 * Section, by, name, weight, q, verdict and rank are the caller's. 0, TP_ENOMEM. */
struct rep_trace_pick {
	const struct rep_measure *const *old, *const *new;
	enum rep_family family;
	uint32_t stats; /* bit per enum rep_stat */
};
int rep_trace_compare(const struct rep_trace_side *old, const struct rep_trace_side *new,
		      const struct rep_trace_pick *pick, const struct rep_per_options *per,
		      struct rep_trace_row row[REP_NSTATS]);

#endif
