/* Two runs, or two sets of runs, compared row by row.
 *
 * A diff is a matrix: a row is a number with a name that means the same in every run, a column is a
 * run. Two kinds of runs fill it, and each diff has runs of one kind:
 *
 *	profiles  (of_profiles.c)  a function, line, file, stack or label with its flat and cum values
 *	traces    (of_traces.c)    a metric: family, name and statistic (trace/metrics.h)
 *
 * What a row is tested by, and what it is called afterwards, is the same for both. Rows of sets have
 * medians, intervals and a rank test, chosen because runs are few, of no known distribution, with
 * outliers (stats.h gives the sources). Two traces are tested by how much the windows of each run
 * differ (trace/interval.h). Two profiles have two numbers for a row, which tell nothing about
 * noise: their rows have no verdict. The rows of sets are tested together (rep_stats_joint), those
 * of two traces corrected together by Benjamini and Hochberg's procedure; a row whose value is the
 * same in all runs is no test. Verdicts:
 *
 *	verdict     of sets    of traces  meaning
 *	CHANGED     changed    differs    q is at most alpha
 *	SAME        no change  alike      the test could have found a change, and did not
 *	FEW         too few    too few    no outcome could have been significant; or all new runs lie
 *	                                  beyond all old ones, which so few do by chance
 *
 * "differs" is said of these two runs. Runs of one build differ, too, which only sets allow for.
 *
 * Values of profiles keep their sign. The 100 % of their shares is the weight (the sum without
 * signs) of the old side before filters, as with pprof's -diff_base; where that is 0, of both
 * sides. Counts and totals of traces are divided as struct rep_per_options says, so that runs of
 * different length and load compare.
 *
 *	struct rep_diff_run run[2] = {{.profile = old}, {.profile = new}};
 *	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
 *
 *	code = rep_diff_new(&d, &(struct rep_diff_side){&run[0], 1},
 *			    &(struct rep_diff_side){&run[1], 1}, &opt, err);
 *	for (size_t i = 0; !code && i < d->n; i++)
 *		… rep_diff_name(d, &d->row[i], &name, &names), d->row[i].old, d->row[i].new …
 *	rep_diff_free(d);
 *
 * A diff owns its rows; the profiles or metrics of the runs are borrowed, and must outlive it. */
#ifndef REP_DIFF_DIFF_H
#define REP_DIFF_DIFF_H

#include "diff/keys.h"
#include "diff/stats.h"
#include "diff/tally.h"
#include "diff/trace/interval.h"
#include "profile/view.h"

/* One run of a side: a profile, filtered already (prepare.h), or the metrics of a trace. */
struct rep_diff_run {
	struct tp_profile *profile;
	struct rep_metrics *metrics; /* NULL: it is a profile */

	/* of profiles */
	const char *name; /* for messages; NULL: it has none */
	/* Before filters, by sample type: sums, then weights; NULL where the profile is whole. */
	int64_t *total;
	bool wrapped; /* one of these needs more than 64 bits */
	/* It is the sum of so many runs, and their average is what is compared. 0: 1. */
	size_t times;
};

struct rep_diff_side {
	struct rep_diff_run *run;
	size_t n;
};
/* Frees the runs of a side that owns them, with their metrics and sums; profiles are borrowed. */
void rep_diff_side_release(struct rep_diff_side *side);

enum rep_diff_sort {
	REP_SORT_DELTA, /* the greatest change, whatever its sign */
	REP_SORT_PERCENT,
	REP_SORT_OLD,
	REP_SORT_NEW,
	REP_SORT_P,
	REP_SORT_NAME,
	REP_NDIFF_SORTS
};
extern const struct rep_diff_sort_desc {
	const char *name, *doc;
} rep_diff_sorts[REP_NDIFF_SORTS];

struct rep_diff_options {
	bool changed;	  /* only rows that changed: differ, or rep_diff_stands_out */
	double min_share; /* without rows that are less of both sides; below 0: the kind's */
	double alpha;	  /* 0: 0.05 */
	enum rep_diff_sort sort;
	const char *damaged;	     /* gates: name of a run that lost something, NULL: none did */
	const struct rep_gate *gate; /* private: only the rows that it is about */

	/* of profiles */
	struct rep_diff_keys_options keys;
	const char *sample_index; /* as in profile/options.h */
	bool mean;
	/* Scales the new run to the old one's total, type by type; of sets every run to the median
	 * of the old totals. */
	bool normalize;
	bool relative;	    /* shares are of what the filters left */
	bool cum;	    /* cum is what is sorted by and tested; else flat */
	bool drop_negative; /* without rows that shrank */
	int64_t base;	    /* what shares are of, 0: as above */
	/* One run against one is tested as sets are, which are too few; else the numbers decide. */
	bool test_one;

	/* of traces */
	struct rep_per_options per;
	uint32_t sections; /* bit per section, 0: all */
	bool every_stat;   /* all statistics, not only those a family has as its headline */
};
#define REP_DIFF_OPTIONS_INIT                                                                      \
	{                                                                                          \
		.min_share = -1                                                                    \
	}

enum rep_verdict { REP_VERDICT_NONE, REP_VERDICT_CHANGED, REP_VERDICT_SAME, REP_VERDICT_FEW };

enum rep_status { REP_STATUS_SAME, REP_STATUS_CHANGED, REP_STATUS_ADDED, REP_STATUS_GONE };
extern const char *const rep_statuses[];

struct rep_diff_pair {
	int64_t old, new; /* medians where there are several runs */
};

struct rep_diff_row {
	enum rep_status status;
	enum rep_verdict verdict;
	double old, new; /* medians of sets; NaN where a side has no such number */
	double change;	 /* of the old value: 0.1 is 10 % more; NaN from nothing */
	struct rep_range of_old, of_new, of_delta; /* of 95 % */
	double p, q;				   /* NaN: no test */
	double u;      /* of the test: pairs in which new is greater, ties as halves */
	bool exact;    /* not from histograms, which are within 0.8 % */
	bool wrapped;  /* in some run the sum needs more than 64 bits: the value says nothing */
	bool is_total; /* of a profile: it has no name of its own */
	double order;  /* private */
	union {
		struct { /* of profiles; old and new are those of flat or cum, as the options say */
			uint32_t key; /* 0: the total */
			struct rep_diff_pair flat, cum;
		};
		struct { /* of traces */
			unsigned section;
			uint32_t measure; /* its number in the diff */
			enum rep_family family;
			enum rep_measure_by by;
			enum rep_stat stat;
			const char *name; /* bytes of the dump; owned by the diff or its runs */
			int64_t old_count, new_count; /* events, medians of sets */
			double weight; /* of its family, the mean of the side that has more */
		};
	};
};

struct rep_diff {
	const struct rep_diff_kind *kind; /* private: kind.h */
	struct rep_diff_options opt;
	struct rep_diff_row *row;
	size_t n, all;	   /* that are shown; that there are */
	size_t nold, nnew; /* runs */
	size_t tests;	   /* rows that were tested together */
	bool sets;	   /* a side has several runs, or `test_one` */
	bool few;	   /* sets so small that no p can reach alpha */
	size_t apart;	   /* rows that are FEW although all new runs lie beyond all old ones */
	double *cell;	   /* private: by row, the value of each run, old ones in front */
	size_t cells_room; /* private */

	/* of profiles */
	struct rep_diff_keys *keys;
	struct rep_diff_row total; /* tested alone: q is p */
	bool wrapped;		   /* values had wrapped before they came here: all may be wrong */
	char type[96], unit[64];
	char zero[REP_ZERO_SIZE]; /* where no profile has values of it: what does; else "" */
	int64_t base;		  /* what shares are of */
	bool base_both;		  /* which is both totals, as the old one is 0 */

	/* of traces; medians: length in ns, tasks a second (NaN: none) */
	double old_length, new_length, old_tasks, new_tasks;
	bool ticks;
	size_t measures;
	double *value;	       /* of a gate with a limit: by measure, of each new run */
	struct tp_dict *names; /* private */
};

/* private but for gates: the kind that they are parsed for */
extern const struct rep_diff_kind rep_diff_of_profiles, rep_diff_of_traces;

/* TP_EFORMAT with a sentence where runs cannot be compared: no common sample type of that name,
 * units of different kinds, nothing to divide by (--per=task without tasks), a run without clock
 * and one with it; TP_ENOENT for a sample index that is none; TP_ENOMEM, TP_ELIMIT. */
int rep_diff_new(struct rep_diff **d, const struct rep_diff_side *old,
		 const struct rep_diff_side *new, const struct rep_diff_options *opt,
		 struct tp_err *err);
void rep_diff_free(struct rep_diff *d);

/* Appends the name of a row, as it is in the dump: "main.f", "(total)", "task[order].p95". *names
 * is how many names it stands for. Returns 0 or TP_ENOMEM, which sticks to the buffer. */
int rep_diff_name(const struct rep_diff *d, const struct rep_diff_row *row, struct tp_buf *name,
		  size_t *names);
/* Writes a value of a row with its unit: "1.25MiB", "7.55ms", "2.4ms/s", "12.5%"; "" for NaN.
 * Returns text. */
#define REP_DIFF_VALUE 160
char *rep_diff_value(const struct rep_diff *d, const struct rep_diff_row *row, double value,
		     char text[REP_DIFF_VALUE]);
/* Returns whether a row is what `changed` keeps: it has that verdict, or all its new runs lie beyond
 * all old ones. */
bool rep_diff_stands_out(const struct rep_diff *d, const struct rep_diff_row *row);
/* What a verdict is called: "changed", "alike" … */
const char *rep_diff_verdict(const struct rep_diff *d, enum rep_verdict verdict);

/* ---- of profiles ---- */

/* Of what the options sort by. */
static inline struct rep_diff_pair rep_diff_main(const struct rep_diff *d,
						 const struct rep_diff_row *row)
{
	return d->opt.cum ? row->cum : row->flat;
}
/* new - old; wraps like all sums. */
static inline int64_t rep_diff_delta(struct rep_diff_pair p)
{
	return (int64_t)((uint64_t)p.new - (uint64_t)p.old);
}
/* Of the old value; NaN where that is 0. */
double rep_diff_percent(struct rep_diff_pair p);

/* ---- of traces ---- */

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

#endif
