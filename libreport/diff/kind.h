/* What the two kinds of diffs have of their own; private to libreport/diff. diff.c, gate.c and
 * selfcheck.c do with these what is the same for both. */
#ifndef REP_DIFF_KIND_H
#define REP_DIFF_KIND_H

#include "diff/gate.h"
#include "diff/show.h"

struct rep_diff_texts;

/* What a gate is judged by. */
struct rep_gate_rows {
	struct rep_diff *d; /* its rows, in the order in which they are named; p of each */
	bool plain;	    /* there is no test: the numbers decide */
	double least_p;	    /* that a test can have; 0: any */
	double *value;	    /* for a limit of several runs: by row, of each new run; NaN: none */
	char untested[200]; /* why a row may have no p though there is a test */
};

struct rep_diff_kind {
	double alpha_of_sets, alpha_of_pairs; /* unless given */
	double min_share;
	bool tests_pairs; /* two runs alone have a test, too */
	/* Fills in the rows with values, change and p, and all else but verdicts and q. d->opt,
	 * nold, nnew, sets and few are there. */
	int (*fill)(struct rep_diff *d, const struct rep_diff_side *old,
		    const struct rep_diff_side *new, struct tp_err *err);
	/* What rows are sorted by, the greatest first, where they are by change; called once for a
	 * row that has its verdict. */
	double (*rank)(const struct rep_diff *d, struct rep_diff_row *row);
	/* Of rows that what is sorted by does not tell apart. */
	int (*order)(const struct rep_diff *d, const struct rep_diff_row *a,
		     const struct rep_diff_row *b);
	bool (*shrank)(const struct rep_diff *d, const struct rep_diff_row *row);
	int (*name)(const struct rep_diff *d, const struct rep_diff_row *row, struct tp_buf *name,
		    size_t *names);
	char *(*value)(const struct rep_diff *d, const struct rep_diff_row *row, double value,
		       char text[REP_DIFF_VALUE]);
	/* Old and new value as programs get them. */
	void (*numbers)(const struct rep_diff *d, const struct rep_diff_row *row,
			struct rep_value *old, struct rep_value *new);

	/* ---- tables: see show.h ---- */
	const char *advice_rows, *advice; /* as rep_stats_advice has it */
	int (*heading)(const struct rep_diff *d, const struct rep_diff_show *show,
		       struct rep_output *out, struct tp_err *err);
	/* Values are whole numbers, and every run has one: a row without a test is the same in all
	 * runs, and shown with p 1. */
	bool whole;
	/* The texts of a row but q, and the cells that are not the same for both: table.h. */
	void (*texts)(const struct rep_diff *d, const struct rep_diff_show *show,
		      const struct rep_diff_row *row, struct rep_diff_texts *t);
	void (*cells)(const struct rep_diff *d, const struct rep_diff_row *row,
		      struct rep_value *v);
	int (*table)(const struct rep_diff *d, const struct rep_diff_show *show,
		     struct rep_output *out, struct tp_err *err);

	/* ---- gates ---- */
	const char *example; /* a gate that works */
	const char *rows;    /* what there may be too many of: "functions" */
	bool limits;	     /* > and < without a sign are limits of the value */
	bool shares;	     /* there is the option share= */
	/* `metric` is what stands before the operator, and may be changed. */
	int (*parse_metric)(struct rep_gate *g, char *metric, struct tp_err *err);
	/* The rows that a gate is about; none where there is nothing to judge. d and value are to
	 * be freed in every case. */
	int (*gate_rows)(const struct rep_gate *g, const struct rep_diff_side *old,
			 const struct rep_diff_side *new, const struct rep_diff_options *opt,
			 struct rep_gate_rows *rows, struct tp_err *err);
	/* The unit of a gate's amounts, NULL where they have none, and in words: "sched.p99 is a
	 * time". */
	const char *(*gate_unit)(const struct rep_gate *g, const struct rep_diff *d,
				 char words[160]);
	/* Says that there are no rows; returns whether that is an answer, which passes, into *fine. */
	int (*gate_none)(const struct rep_gate *g, const struct rep_diff_side *new,
			 struct tp_buf *why, bool *fine);
};

/* A diff without rows, and what is checked before there are any. */
int rep_diff_begin(struct rep_diff **d, const struct rep_diff_side *old,
		   const struct rep_diff_side *new, const struct rep_diff_options *opt,
		   struct tp_err *err);
/* The next row, zeroed but for what has no test; NULL: out of memory. */
struct rep_diff_row *rep_diff_add(struct rep_diff *d, size_t *room);

/* The values of a row as whole numbers that are `scale` times as great, which are sorted: n of the
 * old side in front, m of the new one behind them. Sets medians, intervals, p and u of the row, and
 * nothing else. `stats` is for n and m. 0 or TP_ENOMEM. */
int rep_diff_test(struct rep_stats *stats, int64_t *value, size_t n, size_t m, double scale,
		  struct rep_diff_row *row, double *u);

/* ---- for gates ---- */

/* TP_EFORMAT: "the gate 'TEXT' …", and an example. */
int rep_gate_wrong(const struct rep_gate *g, struct tp_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Appends to a text of a result, at most 511 bytes. 0, TP_ENOMEM. */
int rep_gate_say(struct tp_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* That there is none of what it is about is an answer: to a limit from above, and to growth. Of a
 * name it is not: one that was changed must not switch its gate off. */
bool rep_gate_none_is_fine(const struct rep_gate *g);

#endif
