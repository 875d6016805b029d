/* Decides what ended a wait: the goroutine that made the waiting one runnable, or something else. */
#ifndef REP_PATH_ENDER_H
#define REP_PATH_ENDER_H

#include "path/path.h"
#include "timeline/span.h"

/* Returns the cause that ended a wait (a span in the state Waiting): REP_PATH_RUNNING for the goroutine
 * wait->waker; REP_PATH_NETWORK, _TIMER, _COLLECTOR or _OUTSIDE if it was not a goroutine;
 * REP_PATH_UNFINISHED if the wait was still open when the run ended.
 *
 * The trace names the goroutine that was on the processor when the waiting one became runnable. For
 * the network that is often a bystander: the runtime polls whenever it starts the world again, and
 * in idle workers of the collector (startTheWorldWithSema and pollWork in Go's runtime), and the
 * goroutine running there is recorded as the waker. So waits for the network and sleeps have no
 * waker, unless the leaf of the waker's stack is a close, deadline, reset or stop, which end such
 * waits. A wait that runtime.timerproc (up to go 1.13) ended was ended by a timer.
 *
 * entry, waker_entry: the entry functions (strings) of the waiting goroutine and of the waker. */
enum rep_path_kind rep_path_ender(const struct tp_dict *dict, const struct tp_span *wait,
				  uint32_t entry, uint32_t waker_entry);

/* Returns the same for a view in which the column goroutine.name is loaded. */
static inline enum rep_path_kind rep_path_ender_in(const struct rep_view *v,
						   const struct tp_span *wait)
{
	return rep_path_ender(v->dict, wait, rep_view_entry(v, wait->goroutine),
			      rep_view_entry(v, wait->waker));
}

/* Returns the goroutine to name as the waker of a span; TP_NONE if it only happened to be running
 * when a wait ended. The wait is the span itself or `before`, the goroutine's previous span (may be
 * NULL). */
static inline uint32_t rep_path_waker(const struct rep_view *v, const struct tp_span *span,
				      const struct tp_span *before)
{
	const struct tp_span *wait = span->state == TP_ST_WAITING ? span : before;

	if (wait && wait->state == TP_ST_WAITING && (wait == span || wait->end == span->start) &&
	    rep_path_ender_in(v, wait) != REP_PATH_RUNNING)
		return TP_NONE;
	return span->waker;
}

#endif
