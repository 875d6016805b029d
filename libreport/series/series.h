/* Numbers that runs have in common, followed over many runs: which ones grow, how fast, and whether
 * they ever fall.
 *
 * 	code = rep_series_new(&s, err);
 * 	for each run:
 * 		code = rep_series_point(s, "a.heap", time_ns, err);
 * 		code = rep_series_put(s, &number, err);   for each number
 * 	code = rep_series_finish(s, REP_SERIES_BY_GROWTH, err);
 * 	… s->row, s->nrows, rep_series_values(s, &s->row[0], y) …
 * 	rep_series_free(s);
 *
 * Runs are ordered by their times if all have one and no two are equal; otherwise they keep the
 * order in which they were given. */
#ifndef REP_SERIES_SERIES_H
#define REP_SERIES_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/profile.h"
#include "diff/trace/metrics.h"
#include "output/output.h"
#include "profile/options.h"

enum rep_series_absent {
	REP_SERIES_ZERO, /* a run without the number counts as 0: samples of a function */
	REP_SERIES_GAP,	 /* its value is unknown: a percentile of something that did not happen */
};

enum rep_trend {
	REP_TREND_NONE,
	/* The number never falls (rises) from one run to the next, and ends higher (lower) than it
	 * was in the middle; takes at least three runs. */
	REP_TREND_RISES,
	REP_TREND_FALLS,
	/* It falls (rises) in places, but follows the order of the runs: Kendall's rank correlation
	 * with it is significant (p <= 0.01, two-sided; takes at least eight runs). */
	REP_TREND_MOSTLY_RISES,
	REP_TREND_MOSTLY_FALLS,
	REP_NTRENDS
};
extern const char *const rep_trend_names[REP_NTRENDS]; /* "", "rises" … */

struct rep_series_row {
	const char *name; /* `size` bytes, as the dump has them */
	size_t size;
	enum rep_kind kind;
	enum rep_series_absent absent;
	double first, last, least, most, sum; /* of the runs that have the number */
	double growth;			      /* last - first */
	double slope; /* of the least-squares line, per unit of x; NaN if there is only one run */
	enum rep_trend trend;
	size_t runs; /* runs that have the number */
	size_t id;   /* private */
};

enum rep_series_sort {
	REP_SERIES_BY_GROWTH,
	REP_SERIES_BY_SLOPE,
	REP_SERIES_BY_LAST,
	REP_SERIES_BY_NAME,
	REP_SERIES_BY_SUM, /* of all runs */
	REP_NSERIES_SORTS
};
extern const char *const rep_series_sorts[REP_NSERIES_SORTS]; /* as --sort spells them */

/* The unit of x: "second", "minute", "hour" or "day" since the first run if runs are placed by
 * their times, else "run", which counts the runs from 0. Slopes are per unit. */
struct rep_series_unit {
	const char *name;
	int64_t ns;		    /* 0: runs */
	const char *column, *title; /* of the column of slopes in a table */
};

#define REP_SERIES_WHAT 96 /* bytes, including the NUL */
#define REP_SERIES_UNIT 40

struct rep_series {
	/* Set by rep_series_say, for headings: the sample type ("inuse_space"), its unit, and
	 * whether rows are functions. */
	bool said;
	char what[REP_SERIES_WHAT], what_unit[REP_SERIES_UNIT];
	bool functions;
	bool parts; /* set by the caller: runs are parts of one profile's time, not runs */
	struct rep_series_run {
		char *name;
		int64_t time_ns;
		size_t place; /* place in the order of the runs */
	} * point;
	size_t npoints;
	/* Set by rep_series_finish: */
	struct rep_series_row *row; /* sorted */
	size_t nrows;
	double *x; /* by run */
	const struct rep_series_unit *unit;

	/* private */
	struct tp_dict *names; /* of rows */
	size_t row_room, latest_room;
	uint32_t *row_of; /* by string of `names`: 1 + the row's id */
	size_t nrow_of;
	uint32_t *latest; /* by id of a row: 1 + its entry in the latest run */
	struct rep_series_entry *entry;
	size_t nentries, entry_room;
	size_t *begin; /* by id, after finish: its first entry; entries are by id, then run */
};

/* All of these return 0, TP_ENOMEM, or TP_ELIMIT if there are more than 2^30 numbers. */
int rep_series_new(struct rep_series **s, struct tp_err *err);
void rep_series_free(struct rep_series *s);
/* Begins a run. `time_ns` is its Unix time; 0 if that is unknown. */
int rep_series_point(struct rep_series *s, const char *name, int64_t time_ns, struct tp_err *err);
struct rep_series_number {
	const char *name; /* `size` bytes; kind and absent are taken from the first use of a name */
	size_t size;
	enum rep_kind kind;
	enum rep_series_absent absent;
	double value;
};
/* Adds a value to a number of the run that was begun last; ignores NaN. */
int rep_series_put(struct rep_series *s, const struct rep_series_number *number,
		   struct tp_err *err);
/* Sets the sample type, unit and row kind for headings, unless they are set already. Long texts are
 * cut. */
void rep_series_say(struct rep_series *s, const char *what, const char *unit, bool functions);
/* Sorts the runs, and the rows with the greatest first. Nothing can be added afterwards. */
int rep_series_finish(struct rep_series *s, enum rep_series_sort sort, struct tp_err *err);

/* Writes the values of a row to y[], one per run; NaN for runs that do not have the number. */
void rep_series_values(const struct rep_series *s, const struct rep_series_row *row, double *y);

/* ---- sources ---- */

/* Puts the flat or cumulative values of all nodes of a profile (functions, lines or other nodes
 * that `opt` chooses), as tprof-top shows them without a limit. The filters change `p`. Returns
 * TP_EFORMAT or TP_ENOENT with a sentence for options that do not fit the profile. */
int rep_series_put_profile(struct rep_series *s, struct tp_profile *p,
			   const struct rep_profile_options *opt, struct tp_err *err);
/* Puts the single numbers of the whole program that a profile carries, like HeapAlloc of
 * runtime.MemStats. */
int rep_series_put_counters(struct rep_series *s, const struct tp_profile *p, struct tp_err *err);

/* Puts the headline metrics of a trace (diff/trace/metrics.h): those of all events, and those of
 * tasks and regions by type. Returns TP_EFORMAT with a sentence if this trace has a clock and
 * earlier ones have not, or the reverse. */
int rep_series_put_metrics(struct rep_series *s, const struct rep_metrics *metrics,
			   struct tp_err *err);

/* ---- output ---- */

/* Writes a table with a row and a small picture for each number, at most `rows` of them (0: all).
 * Formats for programs also have a column for each run. */
int rep_series_print(const struct rep_series *s, struct rep_output *out, size_t rows,
		     struct tp_err *err);

#define REP_SERIES_LINES 10
/* Writes a chart of the first REP_SERIES_LINES rows as SVG. */
int rep_series_svg(const struct rep_series *s, const char *title, struct rep_sink sink,
		   struct tp_err *err);

#endif
