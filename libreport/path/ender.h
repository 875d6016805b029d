/* Who ended a wait: the goroutine that made the waiting one runnable, or something that is none. */
#ifndef REP_PATH_ENDER_H
#define REP_PATH_ENDER_H

#include "path/path.h"
#include "timeline/span.h"

/* What ended a wait (a span in the state Waiting): REP_PATH_RUNNING for the goroutine wait->waker;
 * REP_PATH_NETWORK, _TIMER, _COLLECTOR or _OUTSIDE where no goroutine did; REP_PATH_UNFINISHED for
 * a wait that was still open when the run ended.
 *
 * The trace names whoever was on the processor when the goroutine became runnable. For the network
 * that is often a bystander: the runtime polls whenever the world is started again and in idle
 * workers of the collector (startTheWorldWithSema and pollWork in Go's runtime), with the goroutine
 * that is there as the waker. So waits for the network and sleeps have no waker, unless the leaf of
 * its stack is a close, deadline, reset or stop, which end them; and what runtime.timerproc (up to
 * go 1.13) ended, a timer did.
 *
 * entry, waker_entry: the entry functions (strings) of who waited and of the waker. */
enum rep_path_kind rep_path_ender(const struct tp_dict *dict, const struct tp_span *wait,
				  uint32_t entry, uint32_t waker_entry);

/* The same of a view whose column goroutine.name is loaded. */
static inline enum rep_path_kind rep_path_ender_in(const struct rep_view *v,
						   const struct tp_span *wait)
{
	return rep_path_ender(v->dict, wait, rep_view_entry(v, wait->goroutine),
			      rep_view_entry(v, wait->waker));
}

/* The goroutine that is to be named as the waker of a span: TP_NONE where it only happened to be
 * there when a wait ended, the span itself or (before, may be NULL) the one of that goroutine
 * before it. */
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
