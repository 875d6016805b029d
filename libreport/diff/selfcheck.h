/* The same against the same: how often do gates, and rows, find a change where there is none?
 *
 * The runs of one side are dealt into two halves, again and again, and compared. What runs of one
 * build have in common with each other, the order they were recorded in and the machine's moods, is
 * in it: a gate that is exceeded here more often than its alpha says is no gate for this
 * measurement. Of traces two runs are drawn as well, one against one, which says what a single
 * trace of each build is worth; and of one trace its windows are dealt, and each half is taken for
 * a run: what is then found is the variation within that run, not between runs. */
#ifndef REP_DIFF_SELFCHECK_H
#define REP_DIFF_SELFCHECK_H

#include "diff/gate.h"
#include "output/output.h"

#define REP_SELF_CHECK_ROUNDS 200
#define REP_SELF_CHECK_LEAST  4 /* runs that can be dealt into halves */

/* In how many of the rounds something was so. */
struct rep_check {
	size_t runs; /* a side; 0: half of one run's windows */
	size_t rounds;
	size_t changed, few;	      /* some row was said to have changed; none could be */
	size_t *exceeded, *undecided; /* by gate */
};

/* Plays the rounds: of n runs n/2 a side where `single` is not set, else one a side. The deals are
 * the same every time. TP_EFORMAT with a sentence where there are too few runs or windows; the
 * errors of rep_diff_new and rep_gate_judge. To be released in every case. */
int rep_check(const struct rep_diff_side *runs, bool single, const struct rep_diff_options *opt,
	      const struct rep_gate *gate, size_t ngates, struct rep_check *check,
	      struct tp_err *err);
void rep_check_release(struct rep_check *check);

/* As a table: a row for the diff itself (was any row called changed?), one for each gate; of
 * several traces for both ways. */
int rep_self_check(const struct rep_diff_side *runs, const struct rep_diff_options *opt,
		   const struct rep_gate *gate, size_t ngates, struct rep_output *out,
		   struct tp_err *err);

#endif
