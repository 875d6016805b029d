/* A diff of traces as tables. */
#ifndef REP_DIFF_TRACE_SHOW_H
#define REP_DIFF_TRACE_SHOW_H

#include "diff/trace/compare.h"
#include "output/output.h"

struct rep_trace_show {
	const char *old, *new; /* what the sides are called */
	size_t rows;	       /* a table shows at most, 0: all */
	bool overview;	       /* what changed most, then section by section */
	bool one;	       /* a single table for people, too, as programs get it */
};

/* What is compared and how, as notes in front of the tables. */
int rep_trace_heading(const struct rep_trace_diff *d, const struct rep_trace_show *show,
		      struct rep_output *out, struct tp_err *err);
/* For people a table for each section, of an overview one in front of them; for programs one. */
int rep_trace_rows(const struct rep_trace_diff *d, const struct rep_trace_show *show,
		   struct rep_output *out, struct tp_err *err);

/* "task[order].p95" appended, the name as it is in the dump. */
int rep_trace_metric_name(const struct rep_trace_row *row, struct tp_buf *text);

/* "7.55ms", "2.4ms/s", "1,395/s", "12.5%": a value of this row. Returns text. */
#define REP_TRACE_VALUE 160
char *rep_trace_value(char text[REP_TRACE_VALUE], const struct rep_trace_row *row, double value,
		      const struct rep_per_options *per, bool ticks);

/* Why nothing, or not one metric among all, can be told apart from noise; "" when it can. */
#define REP_TRACE_ADVICE REP_STATS_ADVICE
char *rep_trace_advice(const struct rep_trace_diff *d, char text[REP_TRACE_ADVICE]);

/* How a verdict is called of two runs and of sets. */
const char *rep_trace_verdict(const struct rep_trace_diff *d, enum rep_verdict verdict);

#endif
