/* The same against the same: how often do gates, and rows, find a change where there is none? The
 * runs of one side are dealt into two halves, again and again, and compared. What runs of one build
 * have in common with each other, the order they were recorded in and the machine's moods, is in
 * it: a gate that is exceeded here more often than its alpha says is no gate for this measurement.
 */
#ifndef REP_DIFF_SELFCHECK_H
#define REP_DIFF_SELFCHECK_H

#include "diff/gate.h"
#include "output/output.h"

#define REP_SELF_CHECK_ROUNDS 200
#define REP_SELF_CHECK_LEAST  4 /* runs that can be dealt into halves */

/* One row for the diff itself (was any row called changed?), one for each gate: in how many of the
 * rounds it was exceeded, and in how many undecided. The deals are the same every time. TP_EFORMAT
 * with fewer runs than the least; the errors of rep_diff_new and rep_gate_judge. */
int rep_self_check(const struct rep_diff_side *runs, const struct rep_diff_options *opt,
		   const struct rep_gate *gate, size_t ngates, struct rep_output *out,
		   struct tp_err *err);

/* Puts n items (one at least) of `size` bytes, up to REP_DEAL_MOST, in an order that `seed`
 * decides. */
#define REP_DEAL_MOST 64
void rep_deal(void *items, size_t n, size_t size, uint64_t *seed);

#endif
