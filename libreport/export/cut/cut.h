/* A part of a trace as a trace of its own, as Go 1.26 would have written it: a range of time, some
 * of the goroutines, or both; of traces of any version.
 *
 * Events come in the order, at the times, with the stacks and strings that they have in the run.
 * What is so when the range begins is told first, in the last nanoseconds before it, as a tracer
 * does when it starts, also where the run tells it only after the range: the state of every
 * goroutine and P, GC and ranges under way, and the tasks that have begun (by a goroutine that runs
 * then, or by the first one to run: nobody else can). A region that began before has no beginning.
 * Where the range ends before the run does, one more status tells when.
 *
 * Of some goroutines: their events, those that others do to them (creation, waking), their CPU
 * samples, metrics, and what happens to Ps. What other goroutines do is left out, so that a P seems
 * to run nothing then, and so are the GC's phases, which are told by whichever goroutine is there.
 *
 * Go's reader takes the result, whatever the store holds: what its rules do not allow (damage that
 * was salvaged, traces up to go 1.21, which leave more open) is mended by telling what is missing,
 * or left out, and counted. */
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
	/* By index: is the goroutine wanted? ngoroutines of them; NULL: all are. */
	const uint8_t *wanted;
	size_t ngoroutines;
	bool wakers; /* and the goroutines that make those ready within the range */
	const struct rep_anonymise *anonymise; /* NULL: names stay */
	/* Go's reader wants to know what time it was; NULL: the store does not know. */
	const struct rep_clock *clock;
	/* Called once before the first byte; 0 or an error code. May be NULL. */
	int (*begin)(void *ctx, struct tp_err *err);
	void *begin_ctx;
};

#define REP_CUT_OPTIONS_INIT                                                                       \
	{                                                                                          \
		.from_ns = INT64_MIN, .to_ns = INT64_MAX                                           \
	}

struct rep_cut_result {
	uint64_t events;   /* told, those at the beginning included */
	uint64_t before;   /* of them, what was so already when the range began */
	uint64_t late;	   /* what was so already, but had to wait for somebody to tell it */
	uint64_t mended;   /* put in because Go's reader needs them */
	uint64_t left_out; /* of the range and of goroutines that are wanted, not told */
	uint64_t goroutines, generations;
	int64_t shift_ns; /* times are later by this; not 0 only where the clock began near 0 */
};

/* Writes the cut. 0 or an error code; TP_ENOENT where the range holds nothing. */
int rep_cut(struct tp_store *s, const struct rep_run *run, const struct rep_cut_options *opt,
	    const struct tp_out *out, struct rep_cut_result *result, struct tp_err *err);

#endif
