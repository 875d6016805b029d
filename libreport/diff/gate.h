/* Gates: what a build must not exceed, in one expression.
 *
 *	gate    = metric change { "," option }
 *	metric  = type | [ type ":" ] ( "flat" | "cum" ) "(" regex ")"
 *	change  = ">" amount | "<-" amount | "+-" amount
 *	amount  = number "%" | number [ unit ]			the sign of > may be written: >+5%
 *	option  = "min=" number [ unit ] | "share=" number "%" | "alpha=" number
 *		| ( "undecided=" | "missing=" | "damaged=" ) ( "pass" | "fail" )
 *
 *	inuse_space>+5%,min=1MiB	the total grew by more than 5 % and by 1 MiB or more
 *	cpu+-10%			it grew or shrank by more than 10 %
 *	flat(^main\.)>+20%,min=10ms	any function of main grew by so much
 *
 * A type alone is the total of that sample type. flat and cum look at every function whose name
 * matches, each by itself; names are those of the diff. A change from 0 is more than any
 * percentage.
 *
 * Of two runs the numbers decide, unless alpha is given: they are too few for it. Of two sets the
 * medians must differ by that much and the difference must be significant: p <= alpha (0.05 unless
 * given), for functions after Benjamini and Hochberg over all that match. With `share`, functions
 * that are less than that of their runs, on average over both sides, are not looked at. Where the
 * sets are too small for any p to reach alpha, the gate is undecided whatever they hold, which
 * `undecided` lets pass (so it is unless given; whoever shows it has to say so aloud) or fail. So
 * it is where a function's medians differ by that much, with a p up to alpha, but so many are
 * tested that no single one could be significant; where none does, a note says it.
 *
 * A gate that cannot see what it is about is undecided, too, and fails as "blind": when no function
 * matches (a renamed one must not switch its gate off) and when a total is of no samples on either
 * side, which missing=pass lets pass, and when a profile is damaged (what was lost may be what
 * grew), which damaged=pass judges by what is left. Nothing lets one pass whose sums, in any run,
 * need more than 64 bits.
 */
#ifndef REP_DIFF_GATE_H
#define REP_DIFF_GATE_H

#include "diff/amount.h"
#include "diff/diff.h"
#include "base/regex.h"

enum rep_gate_metric { REP_GATE_TOTAL, REP_GATE_FLAT, REP_GATE_CUM };
enum rep_gate_change { REP_GATE_ABOVE, REP_GATE_BELOW, REP_GATE_EITHER };

struct rep_gate_amount {
	double number; /* without its sign */
	bool percent;
	char unit[REP_AMOUNT_UNIT];
};

struct rep_gate {
	const char *text; /* as typed, borrowed */
	enum rep_gate_metric metric;
	char type[96]; /* "" : that of the diff */
	struct tp_regex regex;
	enum rep_gate_change change;
	struct rep_gate_amount limit, min;
	double share; /* of 1 */
	double alpha;
	bool alpha_given, undecided_fails, missing_passes, damaged_passes;
};

/* TP_EFORMAT with a sentence that says what is wrong; TP_ENOMEM. Released in every case. */
int rep_gate_parse(struct rep_gate *g, const char *text, struct tp_err *err);
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
	struct tp_buf names; /* of functions that exceed it, a line each; ends with a NUL */
	struct tp_buf each;  /* the same with their values: "NAME: 1s, then 2s (+100%)" */
	/* The row that decided it: the total, or the function that changed most. */
	struct rep_diff_pair value;
	double p; /* NaN: no test */
	/* Gates on traces (diff/trace/gate.h) have these instead: NaN where there is none. */
	bool real;
	double old, new, change;
};

/* Judges a gate. `opt` is that of the diff. TP_EFORMAT for what does not fit the profiles (no such
 * sample type, an amount in another unit); the errors of rep_diff_new. The result is to be released
 * in every case. */
int rep_gate_judge(const struct rep_gate *g, const struct rep_diff_side *old,
		   const struct rep_diff_side *new, const struct rep_diff_options *opt,
		   struct rep_gate_result *result, struct tp_err *err);
void rep_gate_result_release(struct rep_gate_result *r);

/* Adds to a text of a result, at most 511 bytes; for those who judge. 0, TP_ENOMEM. */
int rep_gate_say(struct tp_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
