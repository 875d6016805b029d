/* Writes a part of a trace as a trace of its own, as Go 1.26 would have written it: a time range,
 * some of the goroutines, or both. The source may be of any trace version.
 *
 * Events keep the order, times, stacks and strings that they have in the run. States that hold when
 * the range begins are written first, in the last nanoseconds before it, as a tracer does when it
 * starts, even if the run records them only after the range: the state of every goroutine and P, GC
 * and ranges under way, and tasks that have begun (by a goroutine that runs then or, as a running
 * goroutine is required, by the first one to run). A region that began before the range has no
 * beginning. If the range ends before the run does, one more status marks the time.
 *
 * If only some goroutines are wanted, the cut has their events, events that others cause in them
 * (creation, waking), their CPU samples, metrics, and the events of Ps. Events of other goroutines
 * are left out, so a P seems to run nothing then. This includes phases of the GC, which any
 * goroutine may record.
 *
 * Go's reader accepts the result, whatever the store holds. Where the events break the reader's
 * rules (salvaged damage; traces up to go 1.21, which record less), missing events are added, or
 * events are left out, and both are counted. */
#ifndef REP_EXPORT_CUT_H
#define REP_EXPORT_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/out.h"
#include "run.h"

struct rep_clock;
struct rep_anonymise;

struct rep_cut_options {
	int64_t from_ns, to_ns; /* [from, to) since the run began; INT64_MIN, INT64_MAX: open */
	/* By index, ngoroutines of them: nonzero if the goroutine is wanted. NULL: all are. */
	const uint8_t *wanted;
	size_t ngoroutines;
	bool wakers; /* also keeps goroutines that wake the wanted ones within the range */
	const struct rep_anonymise *anonymise; /* NULL keeps names */
	/* For the wall-clock time, which Go's reader wants; NULL: the store does not know it. */
	const struct rep_clock *clock;
	/* Called once before the first byte; returns 0 or an error code. May be NULL. */
	int (*begin)(void *ctx, struct tp_err *err);
	void *begin_ctx;
};

#define REP_CUT_OPTIONS_INIT                                                                       \
	{                                                                                          \
		.from_ns = INT64_MIN, .to_ns = INT64_MAX                                           \
	}

struct rep_cut_result {
	uint64_t events;   /* events written, including those at the beginning */
	uint64_t before;   /* of these, states from before the range */
	uint64_t late;	   /* earlier states that were delayed until a goroutine could record
			      them */
	uint64_t mended;   /* events added because Go's reader needs them */
	uint64_t left_out; /* events of the range and of wanted goroutines that were left out */
	uint64_t goroutines, generations;
	int64_t shift_ns; /* times are later by this; not 0 only if the clock began near 0 */
};

/* Writes the cut. Returns 0 or an error code; TP_ENOENT if the range contains nothing. */
int rep_cut(struct tp_store *s, const struct rep_run *run, const struct rep_cut_options *opt,
	    const struct tp_out *out, struct rep_cut_result *result, struct tp_err *err);

#endif
