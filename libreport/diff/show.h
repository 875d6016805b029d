/* A diff and the answers of its gates as tables, and as JUnit's XML. */
#ifndef REP_DIFF_SHOW_H
#define REP_DIFF_SHOW_H

#include "diff/diff.h"
#include "diff/gate.h"
#include "output/output.h"

struct rep_diff_show {
	const char *old, *new; /* what the sides are called, in headings */
	/* of profiles */
	const char *unit; /* values in tables in this unit, NULL: each in its own */
	double divide_by; /* 0, 1: nothing */
	size_t rows;	  /* a table shows at most, 0: all */
	/* of traces */
	bool overview; /* what changed most, then section by section */
	bool one;      /* a single table for people, too, as programs get it */
};

/* What is compared and how, as notes in front of the table. */
int rep_diff_heading(const struct rep_diff *d, const struct rep_diff_show *show,
		     struct rep_output *out, struct tp_err *err);
/* Of profiles the total and the rows, one table; the total's `status` is "total" in csv, json, tsv.
 * Of traces a table for each section for people, one for programs. */
int rep_diff_rows(const struct rep_diff *d, const struct rep_diff_show *show,
		  struct rep_output *out, struct tp_err *err);
/* One row per gate. */
int rep_gate_rows(const struct rep_gate *gate, const struct rep_gate_result *result, size_t n,
		  struct rep_output *out, struct tp_err *err);
/* JUnit: a test case per gate; exceeded ones are failures, undecided ones skipped (failures where
 * the gate says so). `name` is the suite's. Written whole. */
int rep_gate_junit(const struct rep_gate *gate, const struct rep_gate_result *result, size_t n,
		   const char *name, const struct rep_sink *sink, struct tp_err *err);

/* Why the sets are too small to say anything, or to say it of one row among all, "" when they are
 * not. Into text, which is returned. */
#define REP_DIFF_ADVICE_SIZE REP_STATS_ADVICE
char *rep_diff_advice(const struct rep_diff *d, char text[REP_DIFF_ADVICE_SIZE]);

#endif
