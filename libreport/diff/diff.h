/* Compares two runs, or two sets of runs, row by row.
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
 * differ (trace/interval.h). Two profiles are judged by the samples behind the values of a row
 * (profile/noise.h); how much runs of one build differ they do not tell. The rows of sets are tested
 * together (rep_stats_joint); those of more than 50 runs, and of two traces, are corrected together
 * by Benjamini and Hochberg's procedure; a row whose value is the same in all runs is no test.
 * Verdicts:
 *
 *	verdict     of sets    of traces  meaning
 *	CHANGED     changed    differs    q is at most alpha; of profiles: the change is beyond noise
 *	SAME        no change  alike      the test could have found a change, and did not; of
 *					  profiles, "noise": the change is within it
 *	FEW         too few    too few    no outcome could have been significant; or all new runs lie
 *	                                  beyond all old ones, which so few do by chance
 *
 * "differs" only applies to these two runs. Runs of one build differ, too, which only sets show.
 *
 * Values of profiles keep their sign. Their shares are relative to the weight (the sum of absolute
 * values) of the old side before filters, as with pprof's -diff_base; if that is 0, of both sides.
 * Counts and totals of traces are divided as struct rep_per_options says, so that runs of different
 * length and load can be compared.
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
	const char *name; /* for messages; may be NULL */
	/* By sample type, before filters: sums, then weights; NULL if nothing was filtered. */
	int64_t *total;
	bool wrapped; /* one of these overflows 64 bits */
	/* Number of runs that the profile is the sum of; their average is compared. 0: 1. */
	size_t times;
};

struct rep_diff_side {
	struct rep_diff_run *run;
	size_t n;
};
/* Frees the runs of a side that owns them, with their metrics and sums; profiles are borrowed. */
void rep_diff_side_release(struct rep_diff_side *side);

enum rep_diff_sort {
	REP_SORT_DELTA, /* the greatest absolute change */
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
	bool changed;	  /* only rows that stand out, or, without verdicts, that differ */
	double min_share; /* omits rows with less of both sides; below 0: the kind's default */
	double alpha;	  /* 0: 0.05 */
	enum rep_diff_sort sort;
	const char *damaged;	     /* for gates: name of a damaged run, NULL: none */
	const struct rep_gate *gate; /* private: only the rows that the gate is about */
	/* private: new values are multiplied by this, as if the build had changed; 0: they are not.
	 * Of a gate on names, only those of the row that rep_gate_greatest() named. */
	double factor;
	const char *factor_row;

	/* of profiles */
	struct rep_diff_keys_options keys;
	const char *sample_index; /* as in profile/options.h */
	bool mean;
	/* Scales the new run to the old one's total, by type; in sets, every run to the median of
	 * the old totals. */
	bool normalize;
	bool relative;	    /* shares are relative to the filtered weight */
	bool cum;	    /* sorts by and tests cum values; else flat */
	bool drop_negative; /* omits rows that shrank */
	int64_t base;	    /* 100 % of shares, 0: as above */
	/* Tests one run against one like sets (with too few runs); else the numbers decide. */
	bool test_one;

	/* of traces */
	struct rep_per_options per;
	uint32_t sections; /* bit per section, 0: all */
	bool every_stat;   /* all statistics, not only the main ones of a family */
};
#define REP_DIFF_OPTIONS_INIT                                                                      \
	{                                                                                          \
		.min_share = -1                                                                    \
	}

enum rep_verdict {
	REP_VERDICT_NONE,
	REP_VERDICT_CHANGED, /* of two single runs: by more than their windows do */
	/* Of sets: all new runs lie beyond all old ones, and by more than the windows of all runs
	 * do; too few runs to call it changed. */
	REP_VERDICT_DIFFERS,
	REP_VERDICT_SAME,
	REP_VERDICT_FEW
};

enum rep_status { REP_STATUS_SAME, REP_STATUS_CHANGED, REP_STATUS_ADDED, REP_STATUS_GONE };
extern const char *const rep_statuses[];

struct rep_diff_pair {
	int64_t old, new; /* medians if there are several runs */
};

struct rep_diff_row {
	enum rep_status status;
	enum rep_verdict verdict;
	double old, new; /* medians of sets; NaN if a side lacks the number */
	double change;	 /* of the old value: 0.1 is 10 % more; NaN from nothing */
	struct rep_range of_old, of_new, of_delta; /* of 95 % */
	double p, q;				   /* NaN: no test */
	double p_windows; /* of sets of traces: by the windows of all runs; NaN: no test */
	double noise;	  /* largest change that samples explain; set with the diff's `noise` */
	double u;	  /* of the test: pairs in which new is greater, ties as halves */
	bool exact;	  /* not from histograms, which are within 0.8 % */
	bool wrapped;	  /* the sum of some run overflowed 64 bits: the value is meaningless */
	bool is_total;	  /* of a profile: it has no name of its own */
	double order;	  /* private */
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
	size_t differing;  /* rows that are DIFFERS */
	size_t apart;	   /* rows that are FEW although all new runs lie beyond all old ones */
	bool noise;   /* of two profiles: rows have verdicts by the noise of their samples … */
	bool events;  /* … or, in views of traces, of the number of events */
	bool joint;   /* the rows are tested together: rep_stats_joint */
	double *cell; /* private: by row, the value of each run, old ones in front */
	size_t cells_room; /* private */

	/* of profiles */
	struct rep_diff_keys *keys;
	const struct tp_profile **profile; /* private: of all runs, new ones in front; borrowed */
	struct rep_diff_row total;	   /* tested alone: q is p */
	bool wrapped;			   /* values of an input had overflowed: all may be wrong */
	char type[96], unit[64];
	char zero
	    [REP_ZERO_SIZE]; /* if all values of the type are 0: types that have values; else "" */
	int64_t base;	     /* 100 % of shares */
	bool base_both;	     /* it is that of both sides, as the old one is 0 */
	double load; /* the new total is so many times the old one, and so are most rows; 1 */

	/* of traces; medians: length in ns, tasks per second (NaN: none) */
	double old_length, new_length, old_tasks, new_tasks;
	bool ticks;
	size_t measures;
	double *value;	       /* of a gate with a limit: by measure, of each new run */
	struct tp_dict *names; /* private */
};

/* private but for gates: the kind that they are parsed for */
extern const struct rep_diff_kind rep_diff_of_profiles, rep_diff_of_traces;

/* Makes a diff. Returns 0; TP_EFORMAT with a sentence if the runs cannot be compared: no common
 * sample type of that name, incompatible units, nothing to divide by (--per=task without tasks), or
 * only one run with a clock; TP_ENOENT for an unknown sample index; TP_ENOMEM or TP_ELIMIT. */
int rep_diff_new(struct rep_diff **d, const struct rep_diff_side *old,
		 const struct rep_diff_side *new, const struct rep_diff_options *opt,
		 struct tp_err *err);
void rep_diff_free(struct rep_diff *d);

/* Appends the name of a row, unescaped: "main.f", "(total)", "task[order].p95". Sets *names to the
 * number of names it stands for. Returns 0 or TP_ENOMEM, which the buffer keeps. */
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

/* Returns the pair that rows are sorted by: cum or flat. */
static inline struct rep_diff_pair rep_diff_main(const struct rep_diff *d,
						 const struct rep_diff_row *row)
{
	return d->opt.cum ? row->cum : row->flat;
}
/* Returns new - old, which may wrap around. */
static inline int64_t rep_diff_delta(struct rep_diff_pair p)
{
	return (int64_t)((uint64_t)p.new - (uint64_t)p.old);
}
/* Returns the change in percent of the old value; NaN if that is 0. */
double rep_diff_percent(struct rep_diff_pair p);

/* ---- of traces ---- */

/* Sections of metrics; the names of --by. */
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
/* Returns the number of a section, -1 for an unknown name. */
int rep_trace_section_find(const char *name);

#endif
