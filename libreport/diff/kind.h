/* The differences between the two kinds of diffs; private to libreport/diff. diff.c, table.c,
 * gate.c and selfcheck.c have what is common to both. */
#ifndef REP_DIFF_KIND_H
#define REP_DIFF_KIND_H

#include "base/many.h"
#include "diff/gate.h"
#include "diff/show.h"

struct rep_diff_table;

struct rep_diff_show_kind {
	int (*heading)(const struct rep_diff *d, const struct rep_diff_show *show,
		       struct rep_output *out, struct tp_err *err);
	/* Writes a row cell by cell: table.h. */
	void (*row)(struct rep_diff_table *t, const struct rep_diff_row *row);
	/* Writes all tables. */
	int (*tables)(struct rep_diff_table *t, struct tp_err *err);
};

struct rep_gate_kind {
	const char *example; /* a gate that works */
	const char *rows;    /* what there may be too many of: "functions" */
	bool limits;	     /* > and < without a sign are limits of the value */
	bool shares;	     /* there is the option share= */
	/* `metric` is what stands before the operator, and may be changed. */
	int (*parse_metric)(struct rep_gate *g, char *metric, struct tp_err *err);
	/* Options of the diff whose rows the gate is about. */
	void (*options)(const struct rep_gate *g, struct rep_diff_options *opt);
	/* The unit of a gate's amounts, NULL where they have none, and in words: "sched.p99 is a
	 * time". */
	const char *(*unit)(const struct rep_gate *g, const struct rep_diff *d, char words[160]);
	/* Says that there are no rows; *fine: that is an answer, which passes. */
	void (*none)(const struct rep_gate *g, const struct rep_diff_side *new, struct tp_buf *why,
		     bool *fine);
};

struct rep_diff_kind {
	double min_share;
	bool tests_pairs; /* two runs alone have a test, too */
	/* Values are whole numbers, and every run has one: a row without a test is the same in all
	 * runs, and shown with p 1. */
	bool whole;
	/* Fills in the rows with values, change and p, and all else but verdicts and q; with
	 * opt.gate only those that the gate is about. d->opt, nold, nnew, sets and few are there. */
	int (*fill)(struct rep_diff *d, const struct rep_diff_side *old,
		    const struct rep_diff_side *new, struct tp_err *err);
	/* What rows are sorted by, the greatest first, where they are by change. */
	double (*rank)(const struct rep_diff *d, const struct rep_diff_row *row);
	/* Of rows that what is sorted by does not tell apart. */
	int (*order)(const struct rep_diff *d, const struct rep_diff_row *a,
		     const struct rep_diff_row *b);
	int (*name)(const struct rep_diff *d, const struct rep_diff_row *row, struct tp_buf *name,
		    size_t *names);
	char *(*value)(const struct rep_diff *d, const struct rep_diff_row *row, double value,
		       char text[REP_DIFF_VALUE]);
	const char *rows; /* as rep_stats_advice has it */
	const struct rep_diff_show_kind *show;
	const struct rep_gate_kind *gates;
};

extern const struct rep_diff_show_kind rep_profiles_show, rep_traces_show;
extern const struct rep_gate_kind rep_profiles_gates, rep_traces_gates;

/* The next row, zeroed but for what has no test; NULL: out of memory. */
struct rep_diff_row *rep_diff_add(struct rep_diff *d, size_t *room);

/* Tests the values of a row, n of the old side in front, m of the new one behind them, which are
 * sorted: sets medians, intervals, p and u of the row, and nothing else. `stats` is for n and m. */
void rep_diff_test(struct rep_stats *stats, double *value, size_t n, size_t m,
		   struct rep_diff_row *row);

/* Keeps the values of the row last added, old runs in front, if all rows are tested together.
 * Returns 0 or TP_ENOMEM. */
int rep_diff_keep(struct rep_diff *d, const double *value);

/* NULL for NaN. */
static inline struct rep_value rep_diff_number(double v)
{
	return isnan(v) ? rep_null() : rep_float(v);
}

/* ---- for gates ---- */

/* TP_EFORMAT: "the gate 'TEXT' …", and an example. */
int rep_gate_wrong(const struct rep_gate *g, struct tp_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* That there is none of what it is about is an answer: to a limit from above, and to growth. Of a
 * name it is not: one that was changed must not switch its gate off. */
bool rep_gate_none_is_fine(const struct rep_gate *g);

#endif
