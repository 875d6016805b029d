/* The same against the same, of traces (diff/selfcheck.h is that of profiles): how often would a
 * diff, and each gate, find a change where there is none?
 *
 * Of several runs they are dealt into halves again and again, each half a set; and two of them are
 * drawn, one against one, which says what a single trace of each build is worth. Of one run its
 * windows are dealt, and each half is taken for a run: what is then found where nothing changed is
 * the unrest within that run, not between runs. */
#ifndef REP_DIFF_TRACE_SELFCHECK_H
#define REP_DIFF_TRACE_SELFCHECK_H

#include "diff/trace/gate.h"
#include "output/output.h"

#define REP_TRACE_CHECK_ROUNDS 200

struct rep_trace_check {
	size_t runs;		      /* a side; 0: half of one run's windows */
	size_t rounds;		      /* so many of which the following were so */
	size_t changed, few;	      /* some metric was said to have changed; none could be */
	size_t *exceeded, *undecided; /* by gate */
};

/* Plays the rounds: of n runs n/2 a side where `single` is not set, else one a side. The deals are
 * the same every time. TP_EFORMAT with a sentence where there are too few runs or windows. To be
 * released in every case. */
int rep_trace_check(const struct rep_trace_side *runs, bool single,
		    const struct rep_trace_options *opt, const struct rep_trace_gate *gate,
		    size_t ngates, const struct rep_trace_gate_options *judge,
		    struct rep_trace_check *check, struct tp_err *err);
void rep_trace_check_release(struct rep_trace_check *check);

/* A row for the diff and one for each gate; of several runs for both ways. */
int rep_trace_self_check(const struct rep_trace_side *runs, const struct rep_trace_options *opt,
			 const struct rep_trace_gate *gate, size_t ngates,
			 const struct rep_trace_gate_options *judge, struct rep_output *out,
			 struct tp_err *err);

#endif
