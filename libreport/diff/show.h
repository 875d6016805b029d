/* Writes a diff and the results of its gates as tables, and as JUnit's XML. */
#ifndef REP_DIFF_SHOW_H
#define REP_DIFF_SHOW_H

#include "diff/diff.h"
#include "diff/gate.h"
#include "output/output.h"

struct rep_diff_show {
	const char *old, *new; /* names of the sides, for headings */
	const char *changed;   /* names the key of opt.changed in a note; NULL: --changed */
	/* of profiles */
	const char *unit; /* values in tables in this unit, NULL: each in its own */
	double divide_by; /* 0, 1: nothing */
	size_t rows;	  /* most rows of a table, 0: all */
	/* of traces */
	bool overview; /* what changed most, then section by section */
	bool one;      /* a single table for people, too, as programs get it */
};

/* Writes notes before the table: what is compared and how. */
int rep_diff_heading(const struct rep_diff *d, const struct rep_diff_show *show,
		     struct rep_output *out, struct tp_err *err);
/* Writes the rows. For profiles: one table with the total, whose `status` is "total" in csv, json,
 * tsv. For traces: a table per section for people, a single one for programs. */
int rep_diff_rows(const struct rep_diff *d, const struct rep_diff_show *show,
		  struct rep_output *out, struct tp_err *err);
/* Writes a row per gate. */
int rep_gate_rows(const struct rep_gate *gate, const struct rep_gate_result *result, size_t n,
		  struct rep_output *out, struct tp_err *err);
/* Writes JUnit's XML: a test case per gate; exceeded ones are failures, undecided ones errors (with
 * undecided=fail failures, with undecided=pass skipped). `name` is the suite's. */
int rep_gate_junit(const struct rep_gate *gate, const struct rep_gate_result *result, size_t n,
		   const char *name, const struct rep_sink *sink, struct tp_err *err);

/* Writes why the sets are too small for any verdict, or for that of a single row among all; "" if
 * they are not. Returns text. */
#define REP_DIFF_ADVICE_SIZE REP_STATS_ADVICE
char *rep_diff_advice(const struct rep_diff *d, char text[REP_DIFF_ADVICE_SIZE]);

#endif
