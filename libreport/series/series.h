/* Numbers that runs have in common, followed over many runs: what grows, how fast, and whether it
 * ever falls.
 *
 *	code = rep_series_new(&s, err);
 *	for each run:
 *		code = rep_series_point(s, "a.heap", time_ns, err);
 *		code = rep_series_put(s, &number, err);   for each number
 *	code = rep_series_finish(s, REP_SERIES_BY_GROWTH, err);
 *	… rep_series_rows(s, &n), rep_series_values(s, &row[0], y) …
 *	rep_series_free(s);
 *
 * Runs are in the order of their times where all have one and no two the same, else in that in
 *which they were given. */
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
	REP_SERIES_ZERO, /* a run without the number has 0 of it: samples of a function */
	REP_SERIES_GAP,	 /* it says nothing of it: a percentile of what did not happen */
};

enum rep_trend {
	REP_TREND_NONE,
	/* It never falls (rises) from one run to the next, and ends higher (lower) than it was in
	 * the middle; three runs at least. */
	REP_TREND_RISES,
	REP_TREND_FALLS,
	/* It does, but the order of the runs explains what is left: Kendall's rank correlation with
	 * it is not chance (p <= 0.01, two-sided; eight runs at least). */
	REP_TREND_MOSTLY_RISES,
	REP_TREND_MOSTLY_FALLS,
	REP_NTRENDS
};
extern const char *const rep_trend_names[REP_NTRENDS]; /* "", "rises" … */

struct rep_series_row {
	const char *name; /* bytes of a dump; size of them */
	size_t size;
	enum rep_kind kind;
	enum rep_series_absent absent;
	double first, last, least, most; /* of the runs that have it */
	double growth;			 /* last - first */
	double slope; /* of the line of least squares, per run or per second, minute …; NaN: one run
			 only */
	enum rep_trend trend;
	size_t runs; /* that have it */
	size_t id;   /* private */
};

enum rep_series_sort {
	REP_SERIES_BY_GROWTH,
	REP_SERIES_BY_SLOPE,
	REP_SERIES_BY_LAST,
	REP_SERIES_BY_NAME,
	REP_NSERIES_SORTS
};
extern const char *const rep_series_sorts[REP_NSERIES_SORTS]; /* as --sort spells them */

struct rep_series;

/* Errors of all of these: TP_ENOMEM, TP_ELIMIT (more than 2^30 numbers). */
int rep_series_new(struct rep_series **s, struct tp_err *err);
void rep_series_free(struct rep_series *s);
/* Begins a run; time_ns: Unix time, 0 unknown. */
int rep_series_point(struct rep_series *s, const char *name, int64_t time_ns, struct tp_err *err);
struct rep_series_number {
	const char *name; /* size bytes; they and the rest count when the name is first met */
	size_t size;
	enum rep_kind kind;
	enum rep_series_absent absent;
	double value;
};
/* Adds to a number of the run that was begun last; NaN is passed over. */
int rep_series_put(struct rep_series *s, const struct rep_series_number *number,
		   struct tp_err *err);
/* What it is that is followed, for headings: "inuse_space", its unit, and whether its rows are
 * functions; the first that is said counts. Of long ones it keeps the beginning, and
 * takes those that begin alike for the same. */
#define REP_SERIES_WHAT 96 /* bytes, with the 0 */
#define REP_SERIES_UNIT 40
void rep_series_say(struct rep_series *s, const char *what, const char *unit, bool functions);
bool rep_series_said(const struct rep_series *s);
const char *rep_series_what(const struct rep_series *s);
const char *rep_series_what_unit(const struct rep_series *s);
bool rep_series_functions(const struct rep_series *s);
/* Sorts the runs and the rows, by what is greatest first; nothing is put afterwards. */
int rep_series_finish(struct rep_series *s, enum rep_series_sort sort, struct tp_err *err);

const struct rep_series_row *rep_series_rows(const struct rep_series *s, size_t *n);
size_t rep_series_points(const struct rep_series *s);
const char *rep_series_point_name(const struct rep_series *s, size_t i);
/* Are runs placed by their times? Then x is since the first, in the unit that suits them, and
 * slopes are per that unit; else x is the number of the run, from 0 on. */
struct rep_series_unit {
	const char *name; /* "second", "minute", "hour", "day"; "run" */
	int64_t ns;	  /* of it; 0: runs */
};
const struct rep_series_unit *rep_series_unit(const struct rep_series *s);
double rep_series_x(const struct rep_series *s, size_t i);
/* A row's numbers by run (rep_series_points of them); NaN where there is none. */
void rep_series_values(const struct rep_series *s, const struct rep_series_row *row, double *y);

/* ---- what is put into it ---- */

/* The nodes of a profile (functions, lines … as opt says), flat or cum, all of them: as many as
 * tprof-top would show without a limit. `p` is changed by the filters. TP_EFORMAT, TP_ENOENT with a
 * sentence for options that make no sense. */
int rep_series_put_profile(struct rep_series *s, struct tp_profile *p,
			   const struct rep_profile_options *opt, struct tp_err *err);
/* The numbers of the whole program that came with it ("HeapAlloc" of runtime.MemStats), but lists.
 */
int rep_series_put_counters(struct rep_series *s, const struct tp_profile *p, struct tp_err *err);

/* Of a trace: the headline metrics (diff/trace/metrics.h) of all its events, and of tasks and
 * regions by type. TP_EFORMAT with a sentence where one has no clock, and those before it do, or
 * the other way round. */
int rep_series_put_metrics(struct rep_series *s, const struct rep_metrics *metrics,
			   struct tp_err *err);

/* ---- how it is shown ---- */

struct rep_series_show {
	size_t rows; /* the most, 0: all */
	bool ascii;  /* the terminal has no "▁▂▅█" */
};
/* A table: one row per number, with a small picture of it; one column per run as well where the
 * format is no table. */
int rep_series_print(const struct rep_series *s, struct rep_output *out,
		     const struct rep_series_show *show, struct tp_err *err);

#define REP_SERIES_LINES 10 /* that a picture has at most: the first rows */
/* An SVG of the first rows. */
int rep_series_svg(const struct rep_series *s, const char *title, struct rep_sink sink,
		   struct tp_err *err);

#endif
