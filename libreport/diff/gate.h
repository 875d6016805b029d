/* Gates: limits that a build must not exceed, as expressions.
 *
 *	gate    = metric change { "," option }
 *	change  = ">" amount | ">+" amount | "<-" amount | "+-" amount | "<" amount
 *	amount  = number "%" | number [ unit ]
 *	option  = "min=" number [ unit ] | "share=" number "%" | "alpha=" number
 *		| ( "undecided=" | "missing=" | "damaged=" ) ( "pass" | "fail" )
 * The metric depends on the kind of diff:
 *
 *	profiles  type | [ type ":" ] ( "flat" | "cum" ) "(" regex ")"
 *	traces	  family [ "[" name "]" | "(" regex ")" ] [ "." stat ]	  (trace/metrics.h)
 *
 *	inuse_space>+5%,min=1MiB	the total grew by more than 5 % and by 1 MiB or more
 *	cpu+-10%			it grew or shrank by more than 10 %
 *	flat(^main\.)>+20%,min=10ms	any function of main grew by so much
 *	sched.p99>+10%			the percentile grew by more than 10 %
 *	task[checkout].p95>+5ms		it grew by more than 5 ms
 *	stw.max>2ms			the new value is more than 2 ms
 *	task.rate<100			it is less than 100 a second
 *	block(^chan).total+-20%		any reason or group that matches, by more than 20 %
 * A type alone is the total of that sample type. A regular expression selects every row whose name
 * in the diff matches, and each is judged separately. A change from 0 exceeds any percentage. For
 * metrics of traces, > and < without a sign limit the value itself, but > with a percentage still
 * means growth, unless the metric is a share. For profiles the sign after > may be omitted.
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
 * undecided whatever they hold: an error, unless `undecided` lets it pass, or fail like a gate that
 * is exceeded. So it is where a row's medians differ by that much, with a p up
 * to alpha, but so many are tested that no single one could be significant; where none does, a note
 * says it.
 * A gate without data to judge is undecided, too, and fails as "blind": if no row has that name
 * (renaming must not switch a gate off), if one side lacks the number or neither has a sample
 * (missing=pass lets that pass), or if a run is damaged, because the lost part may be what grew
 * (damaged=pass judges the rest). The absence of events passes an upper limit (stw.max>2ms). A gate
 * never passes if a sum of any run overflows 64 bits.
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
	bool alpha_given, undecided_passes, undecided_fails, missing_passes, damaged_passes;

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
	bool fails;	     /* exceeded, or undecided without undecided=pass */
	bool unjudged;	     /* fails as it could not be judged: blind, or undecided */
	bool blind;	     /* fails because it has no data to judge: bad input */
	bool wrapped;	     /* blind, because sums overflow 64 bits */
	size_t tested;	     /* rows judged */
	size_t exceeded;     /* of them */
	struct tp_buf why;   /* one sentence, ends with a NUL; may hold bytes of names */
	struct tp_buf note;  /* a remark, "" for none; likewise */
	struct tp_buf names; /* of rows that exceed it, a line each; ends with a NUL */
	struct tp_buf each;  /* the same with their values: "NAME: 1s, then 2s (+100%)" */
	bool inexact; /* exact metrics (rep_metrics_options.exact) could change the outcome */
	/* The row that decided it: the total, or the one that changed most. */
	struct rep_value old, new;
	double change; /* as that of the row */
	double p;      /* NaN: no test */
};

/* Judges a gate. `opt` is that of the diff. Returns 0; TP_EFORMAT if the gate does not fit the runs
 * (an amount in another unit); TP_ENOENT for an unknown sample type; or an error of rep_diff_new().
 * The result must be released in every case. */
int rep_gate_judge(const struct rep_gate *g, const struct rep_diff_side *old,
		   const struct rep_diff_side *new, const struct rep_diff_options *opt,
		   struct rep_gate_result *result, struct tp_err *err);
/* Appends the name of the row that is greatest in these runs, of those that a gate on names is about,
 * as rep_diff_options.factor_row, with a NUL; nothing if there is none. Errors as above. */
int rep_gate_greatest(const struct rep_gate *g, const struct rep_diff_side *runs,
		      const struct rep_diff_options *opt, struct tp_buf *name, struct tp_err *err);
void rep_gate_result_release(struct rep_gate_result *r);

#endif
