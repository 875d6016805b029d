/* Gates on traces: what a build must not exceed, in one expression.
 *
 *	gate    = metric change { "," option }
 *	metric  = family [ "[" name "]" | "(" regex ")" ] [ "." stat ]
 *	change  = ">" limit | ">+" amount | "<-" amount | "+-" amount | "<" limit
 *	limit   = number unit | number | number "%"
 *	amount  = number "%" | number [ unit ]
 *	option  = "min=" number [ unit ] | "alpha=" number |
 *		  ( "undecided=" | "missing=" | "damaged=" ) ( "pass" | "fail" )
 *
 *	sched.p99>+10%		 grew by more than 10 %
 *	task[checkout].p95>+5ms	 grew by more than 5 ms
 *	stw.max>2ms		 is more than 2 ms, whatever it was
 *	task.rate<100		 is less than 100 a second
 *	block(^chan).total+-20%	 of any reason or group that matches, by more than 20 %
 *
 * Families and statistics are those of metrics.h; count and total are divided as the options say. A
 * percentage without a sign is of growth too: >10% is >+10% (but of a share, whose limit may be in
 * percent: it is more than that share).
 *
 * Of two sets the medians must be beyond the limit, and p at most alpha: of the rank test for
 * growth; for a limit, of the sign test that most runs of such a build are beyond it. Of two runs
 * growth must be beyond the limit and more than the windows of the runs explain, p at most alpha
 * (interval.h); where there is no such interval (a maximum, few events) the gate is undecided. A
 * limit is decided by the number. Of several names that match, p is corrected for their number.
 *
 * Undecided, missing and damaged are what they are of gates on profiles (diff/gate.h). A percentile
 * that is closer to the limit than its histogram is exact asks for exact durations: `inexact`. */
#ifndef REP_DIFF_TRACE_GATE_H
#define REP_DIFF_TRACE_GATE_H

#include "diff/gate.h"
#include "diff/trace/compare.h"

enum rep_trace_gate_limit { REP_LIMIT_NONE, REP_LIMIT_ABOVE, REP_LIMIT_BELOW };

struct rep_trace_gate {
	/* text, alpha, min, undecided …, change and limit; metric and type are not used */
	struct rep_gate gate;
	struct rep_metric_spec metric;
	bool regex;			     /* gate.regex picks names */
	enum rep_trace_gate_limit threshold; /* gate.limit is a value, not a change */
};

/* TP_EFORMAT with a sentence that says what is wrong; TP_ENOMEM. Released in every case. */
int rep_trace_gate_parse(struct rep_trace_gate *g, const char *text, struct tp_err *err);
void rep_trace_gate_release(struct rep_trace_gate *g);
/* TP_EFORMAT: "the gate 'TEXT' …" and an example. */
int rep_trace_gate_wrong(const char *text, struct tp_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

struct rep_trace_gate_options {
	struct rep_per_options per;
	const char *damaged; /* name of a run that lost something, NULL: none did */
	bool ticks;	     /* times are ticks */
};

/* Judges a gate. *inexact is set where exact metrics (rep_metrics_options.exact) could say
 * otherwise. TP_EFORMAT for an amount in another unit; TP_ENOMEM. The result is to be released in
 * every case.
 */
int rep_trace_gate_judge(const struct rep_trace_gate *g, const struct rep_trace_side *old,
			 const struct rep_trace_side *new, const struct rep_trace_gate_options *opt,
			 struct rep_gate_result *result, bool *inexact, struct tp_err *err);

#endif
