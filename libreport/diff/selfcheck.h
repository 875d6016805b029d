/* Compares runs of one build with each other: how often do gates and rows report a change that does
 * not exist? The runs of one side are divided at random into two halves, repeatedly, and compared.
 * This includes effects of the order of recording and of the machine's state: a gate that is
 * exceeded here more often than its alpha is unsuitable for this measurement. For traces, single
 * runs are compared, too, which shows how much one trace of each build is worth. With only one
 * trace, its windows are divided, and each half counts as a run: that shows the variation within
 * the run, not between runs. */
#ifndef REP_DIFF_SELFCHECK_H
#define REP_DIFF_SELFCHECK_H

#include "diff/gate.h"
#include "output/output.h"

#define REP_SELF_CHECK_ROUNDS 200
#define REP_SELF_CHECK_LEAST  4 /* runs that can be dealt into halves */

/* Numbers of rounds with an outcome. */
struct rep_check {
	size_t runs; /* a side; 0: half of one run's windows */
	size_t rounds;
	size_t changed, few;	      /* some row was reported as changed; none could be */
	size_t *exceeded, *undecided; /* by gate */
};

/* Does the rounds, with half of the runs on each side, or one if `single` is set. The divisions are
 * the same every time. Returns 0, TP_EFORMAT with a sentence if there are too few runs or windows,
 * or an error of rep_diff_new() or rep_gate_judge(). Must be released in every case. */
int rep_check(const struct rep_diff_side *runs, bool single, const struct rep_diff_options *opt,
	      const struct rep_gate *gate, size_t ngates, struct rep_check *check,
	      struct tp_err *err);
void rep_check_release(struct rep_check *check);

/* Writes a table: a row for the diff itself (was any row reported as changed?) and one per gate;
 * for several traces, for halves and for single runs. */
int rep_self_check(const struct rep_diff_side *runs, const struct rep_diff_options *opt,
		   const struct rep_gate *gate, size_t ngates, struct rep_output *out,
		   struct tp_err *err);

#endif
