/* Gates: what a build must not exceed, in one expression.
 *
 *	gate    = metric change { "," option }
 *	change  = ">" amount | ">+" amount | "<-" amount | "+-" amount | "<" amount
 *	amount  = number "%" | number [ unit ]
 *	option  = "min=" number [ unit ] | "share=" number "%" | "alpha=" number
 *		| ( "undecided=" | "missing=" | "damaged=" ) ( "pass" | "fail" )
 *
 * The metric is what the kind of diff has:
 *
 *	profiles  type | [ type ":" ] ( "flat" | "cum" ) "(" regex ")"
 *	traces	  family [ "[" name "]" | "(" regex ")" ] [ "." stat ]	  (trace/metrics.h)
 *
 *	inuse_space>+5%,min=1MiB	the total grew by more than 5 % and by 1 MiB or more
 *	cpu+-10%			it grew or shrank by more than 10 %
 *	flat(^main\.)>+20%,min=10ms	any function of main grew by so much
 *	sched.p99>+10%			the percentile grew by more than 10 %
 *	task[checkout].p95>+5ms		it grew by more than 5 ms
 *	stw.max>2ms			it is more than 2 ms, whatever it was
 *	task.rate<100			it is less than 100 a second
 *	block(^chan).total+-20%		any reason or group that matches, by more than 20 %
 *
 * A type alone is the total of that sample type. A regular expression looks at every row whose name
 * matches, each by itself; names are those of the diff. A change from 0 is more than any
 * percentage. Of a metric of a trace, > and < without a sign are a limit of the value itself; with
 * a percentage > is of growth all the same, unless the metric is a share. Of profiles the sign of >
 * may be left out.
 *
 * What decides:
 *
 *	two profiles		the numbers, unless alpha is given: they are too few for a test
 *	two traces		a change is beyond the limit, and more than the windows of the runs
 *				explain: p <= alpha; where there is no such p (a maximum, few
 *				events) the gate is undecided
 *	sets			the medians differ by that much, and significantly: p <= alpha
 *	limit of one new run	the number
 *	limit of several	the median is beyond it, and the sign test says that most runs of
 *				such a build are
 *
 * alpha is 0.05 unless given; of several rows p is corrected for their number (Benjamini and
 * Hochberg). With `share`, functions that are less than that of their runs, on average over both
 * sides, are not looked at. Where the sets are too small for any p to reach alpha, the gate is
 * undecided whatever they hold, which `undecided` lets pass (so it is unless given; whoever shows
 * it has to say so aloud) or fail. So it is where a row's medians differ by that much, with a p up
 * to alpha, but so many are tested that no single one could be significant; where none does, a note
 * says it.
 *
 * A gate that cannot see what it is about is undecided, too, and fails as "blind": when no row has
 * that name (a renamed one must not switch its gate off), when one side has no such number or
 * neither has a sample, which missing=pass lets pass, and when a run is damaged (what was lost may
 * be what grew), which damaged=pass judges by what is left. That there is none of something passes
 * a limit from above (stw.max>2ms). Nothing lets a gate pass whose sums, in any run, need more than
 * 64 bits.
 *
 *	code = rep_gate_parse(&gate, "inuse_space>+5%", &rep_diff_of_profiles, err);
 *	if (!code)
 *		code = rep_gate_judge(&gate, &old, &new, &opt, &result, err);
 *	… result.outcome, result.why …
 *	rep_gate_result_release(&result);
 *	rep_gate_release(&gate);
 */
#ifndef REP_DIFF_GATE_H
#define REP_DIFF_GATE_H

#include "base/regex.h"
#include "diff/amount.h"
#include "diff/diff.h"
#include "output/output.h"

enum rep_gate_change { REP_GATE_ABOVE, REP_GATE_BELOW, REP_GATE_EITHER };
/* `limit` is a value, not a change. */
enum rep_gate_limit { REP_LIMIT_NONE, REP_LIMIT_ABOVE, REP_LIMIT_BELOW };

struct rep_gate_amount {
	double number; /* without its sign */
	bool percent;
	char unit[REP_AMOUNT_UNIT];
};

struct rep_gate {
	const char *text; /* as typed, borrowed */
	const struct rep_diff_kind *kind;
	bool several; /* each row whose name matches the expression */
	struct tp_regex regex;
	enum rep_gate_change change;
	enum rep_gate_limit threshold;
	struct rep_gate_amount limit, min;
	double share; /* of 1 */
	double alpha;
	bool alpha_given, undecided_fails, missing_passes, damaged_passes;

	/* of profiles */
	bool cum;      /* of several */
	char type[96]; /* "" : that of the diff */
	/* of traces */
	struct rep_metric_spec metric;
};

/* Parses a gate. Returns 0, TP_EFORMAT with a sentence that says what is wrong, or TP_ENOMEM. Release
 * it in every case. */
int rep_gate_parse(struct rep_gate *g, const char *text, const struct rep_diff_kind *kind,
		   struct tp_err *err);
void rep_gate_release(struct rep_gate *g);

enum rep_outcome { REP_OUTCOME_PASSED, REP_OUTCOME_UNDECIDED, REP_OUTCOME_EXCEEDED };
extern const char *const rep_outcomes[];

struct rep_gate_result {
	enum rep_outcome outcome;
	bool fails;	     /* exceeded, blind, or undecided where the gate says so */
	bool blind;	     /* fails for want of something to judge: bad input */
	bool wrapped;	     /* blind, as sums need more than 64 bits */
	size_t tested;	     /* rows looked at */
	size_t exceeded;     /* of them */
	struct tp_buf why;   /* one sentence, ends with a NUL; may hold bytes of names */
	struct tp_buf note;  /* what one should know all the same, "" for nothing; likewise */
	struct tp_buf names; /* of rows that exceed it, a line each; ends with a NUL */
	struct tp_buf each;  /* the same with their values: "NAME: 1s, then 2s (+100%)" */
	bool inexact;	     /* exact metrics (rep_metrics_options.exact) could say otherwise */
	/* The row that decided it: the total, or the one that changed most. */
	struct rep_value old, new;
	double change; /* as that of the row */
	double p;      /* NaN: no test */
};

/* Judges a gate. `opt` is that of the diff. TP_EFORMAT for what does not fit the runs (an amount in
 * another unit), TP_ENOENT for a sample type that there is not; the errors of rep_diff_new. The
 * result is to be released in every case. */
int rep_gate_judge(const struct rep_gate *g, const struct rep_diff_side *old,
		   const struct rep_diff_side *new, const struct rep_diff_options *opt,
		   struct rep_gate_result *result, struct tp_err *err);
void rep_gate_result_release(struct rep_gate_result *r);

#endif
