/* Compares runs of one build with each other: how often do gates and rows report a change that does
 * not exist, and how large must one be that is found? The runs are dealt at random to two sides,
 * repeatedly, and these are compared. This includes effects of the order of recording and of the
 * machine's state: a gate that is exceeded here more often than its alpha is unsuitable for this
 * measurement. Single runs are compared, too, which shows how much one run of each build is worth.
 * With only one trace, its windows are dealt, and each half counts as a run: that shows the
 * variation within the run, not between runs. */
#ifndef REP_DIFF_SELFCHECK_H
#define REP_DIFF_SELFCHECK_H

#include "diff/gate.h"
#include "output/output.h"

#define REP_SELF_CHECK_ROUNDS 200
#define REP_SELF_CHECK_MOST   100000 /* rounds */
#define REP_SELF_CHECK_LEAST  4	     /* runs that are dealt to two sides of several */

struct rep_check_options {
	size_t rounds; /* 0: REP_SELF_CHECK_ROUNDS */
	/* Runs of the new side; at most half of them, 0: half. The old side gets the others. */
	size_t new_runs;
	uint64_t seed; /* other seeds deal differently; the same one always in the same way */
};

/* What a gate, or the rows of the diff, did. */
struct rep_check_row {
	size_t exceeded, undecided; /* rounds; of rows: one was called changed; none could be */
	/* Of a gate: the smallest change of the new values (0.1: 10 % more) with which it is
	 * exceeded in 90 of 100 rounds; NaN if it is anyway, or none from 1/164 to 164 times is. A gate on names is
	 * tried with a change of the greatest row only. */
	double finds;
	struct tp_buf names; /* of the rows that were it most often: "main.f 3, main.g 1"; ends
				with a NUL */
};

struct rep_check {
	size_t old, new; /* runs a side; 0: half of one run's windows */
	size_t rounds;
	struct rep_check_row *row; /* the rows of the diff, then by gate */
	size_t n;
};

/* Does the rounds, with one run on each side if `single` is set. Returns 0, TP_EFORMAT with a
 * sentence if there are too few runs or windows, or an error of rep_diff_new() or rep_gate_judge().
 * Must be released in every case. */
int rep_check(const struct rep_diff_side *runs, bool single, const struct rep_check_options *how,
	      const struct rep_diff_options *opt, const struct rep_gate *gate, size_t ngates,
	      struct rep_check *check, struct tp_err *err);
void rep_check_release(struct rep_check *check);

/* Writes a table: a row for the diff itself (was any row reported as changed?) and one per gate;
 * for several runs, for both sides and for single runs. */
int rep_self_check(const struct rep_diff_side *runs, const struct rep_check_options *how,
		   const struct rep_diff_options *opt, const struct rep_gate *gate, size_t ngates,
		   struct rep_output *out, struct tp_err *err);

#endif
