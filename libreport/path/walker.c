#include "path/walker.h"

#include <stdlib.h>

#include "base/many.h"
#include "path/ender.h"
#include "path/tally.h"

/* ---- hops ---- */

static bool continues(const struct rep_path_hop *hop, const struct rep_path_hop *last)
{
	return hop->wakes == TP_NONE && last->goroutine == hop->goroutine &&
	       last->kind == hop->kind && last->reason == hop->reason &&
	       last->stack == hop->stack && last->chain == hop->chain && last->from == hop->to;
}

static int put(struct rep_walk *k, struct rep_walker *w, struct rep_path_hop hop)
{
	bool again;

	if (hop.from < w->low)
		hop.from = w->low;
	if (hop.to > k->v->to) {
		hop.to = k->v->to;
		hop.wakes = TP_NONE;
	}
	if (hop.from > hop.to || (hop.from == hop.to && hop.wakes == TP_NONE))
		return 0;
	again = continues(&hop, &w->last);
	w->last = hop;
	k->left--;
	return rep_path_put(k->path, &hop, rep_view_entry(k->v, hop.goroutine),
			    w->request->band ? w->request->part : TP_NONE, k->keep, again);
}

/* Adds a hop from `from` to the walker's time, and moves the walker back to `from`. */
static int hop_to(struct rep_walk *k, struct rep_walker *w, int64_t from, enum rep_path_kind kind,
		  uint32_t reason, uint32_t stack, uint32_t holder)
{
	struct rep_path_hop hop = {
	    .from = from < w->t ? from : w->t,
	    .to = w->t,
	    .goroutine = w->goroutine,
	    .reason = reason,
	    .stack = stack,
	    .chain = w->chain,
	    .wakes = w->linked ? w->wakes : TP_NONE,
	    .wakes_reason = w->linked ? w->wakes_reason : 0,
	    .wakes_stack = w->linked ? w->wakes_stack : 0,
	    .wake_stack = w->linked ? w->wake_stack : 0,
	    .kind = (uint8_t)kind,
	    .creates = w->linked && w->creates,
	    .holder = holder,
	};

	w->t = hop.from;
	w->linked = false;
	return put(k, w, hop);
}

/* Adds the pending hop, whose stack is now known, or will remain unknown (0). */
static int flush(struct rep_walk *k, struct rep_walker *w, uint32_t stack)
{
	if (!w->pending)
		return 0;
	w->pending = false;
	w->hop.stack = stack;
	return put(k, w, w->hop);
}

/* ---- places ---- */

static void finish(struct rep_walker *w)
{
	w->done = true;
	free(w->frame);
	w->frame = NULL;
	w->nframes = w->room = 0;
}

void rep_walker_park(struct rep_walk *k, struct rep_walker *w, size_t segment,
		     enum rep_standing standing)
{
	w->standing = standing;
	w->next = k->parked[segment];
	k->parked[segment] = (uint32_t)(w - k->walker);
}

static struct rep_walk_frame *top(const struct rep_walker *w)
{
	return w->nframes ? &w->frame[w->nframes - 1] : NULL;
}

/* Returns to the goroutine that waited, at the beginning of its wait, which is in this segment. */
static int pop(struct rep_walk *k, struct rep_walker *w)
{
	const struct rep_walk_frame *f = &w->frame[--w->nframes];
	int code = flush(k, w, 0);

	w->goroutine = f->goroutine;
	w->chain = f->chain;
	w->place = f->place;
	w->moment = f->moment;
	w->linked = false;
	if (f->from < w->t)
		w->t = f->from;
	w->standing = REP_AT_START;
	return code;
}

/* Gives up the time back to the beginning of the wait that is being explained, and goes on from there;
 * without such a wait, the path ends. Returns true if the walker has left this segment. */
static bool skip(struct rep_walk *k, struct rep_walker *w, int *code)
{
	const struct rep_walk_frame *f = top(w);

	if (!f) {
		if (!*code)
			*code = flush(k, w, 0);
		finish(w);
		return true;
	}
	if (f->from < w->t)
		w->t = f->from;
	if (f->segment < k->index.cached.segment) {
		rep_walker_park(k, w, f->segment, REP_TO_FRAME);
		return true;
	}
	if (!*code)
		*code = pop(k, w);
	return false;
}

static int push(struct rep_walker *w, const struct rep_walk_frame *frame)
{
	int code = tp_grow(&w->frame, &w->room, w->nframes, sizeof(*w->frame));

	if (!code && w->frame)
		w->frame[w->nframes++] = *frame;
	return code;
}

/* Places frames of waits that began in this segment, when it is read. These waits cross the segment's end, so
 * they are the last spans of their goroutines in it. */
static void place_frames(struct rep_walk *k, struct rep_walker *w)
{
	const struct rep_index *x = &k->index;

	for (size_t i = w->nframes; i-- > 0 && w->frame[i].segment == x->cached.segment;) {
		struct rep_walk_frame *f = &w->frame[i];

		if (f->goroutine >= x->ngoroutines ||
		    x->first[f->goroutine] == x->first[f->goroutine + 1]) {
			f->place = REP_INDEX_NONE;
			f->moment = 0;
			continue;
		}
		f->place = x->first[f->goroutine + 1] - 1;
		f->moment = rep_index_moment(x, f->place);
	}
}

/* Returns whether a span begins before the wait that is being explained. */
static bool reaches_below(const struct rep_walk *k, const struct rep_walker *w, uint32_t place)
{
	const struct rep_index *x = &k->index;
	const struct tp_span *span = rep_index_at(x, place);
	const struct rep_walk_frame *f = top(w);
	int64_t segment = (int64_t)x->cached.segment;

	if (!f)
		return false;
	if (span->mark)
		segment = x->from_segment[span->goroutine];
	if (segment != (int64_t)f->segment)
		return segment < (int64_t)f->segment;
	if (!span->mark)
		return rep_index_moment(x, place) < f->moment;
	return span->start < f->from;
}
/* ---- steps ---- */

/* Moves to the goroutine that ended the wait `span`. Returns false if it was not ended by one. */
static bool jump(struct rep_walk *k, struct rep_walker *w, const struct tp_span *span, int *code)
{
	const struct rep_index *x = &k->index;
	struct rep_walk_frame frame = {
	    .goroutine = w->goroutine,
	    .chain = w->chain,
	    .from = span->start,
	    .segment = x->cached.segment,
	    .place = w->place,
	};
	struct rep_path_chain wait = {
	    .reason = span->reason,
	    .stack = span->stack,
	    .wake_stack = span->waker_stack,
	    .waiter = span->goroutine,
	    .waker = span->waker,
	    .waiter_entry = rep_view_entry(k->v, span->goroutine),
	    .waker_entry = rep_view_entry(k->v, span->waker),
	};
	uint32_t place;

	if (rep_path_ender_in(k->v, span) != REP_PATH_RUNNING)
		return false;
	place = rep_index_actor(x, span->waker, x->waker_nth[x->order[w->place]], w->moment);
	if (place == REP_INDEX_NONE)
		return false;
	if (span->mark && x->from_segment[span->goroutine] < 0)
		return false;
	if (span->mark)
		frame.segment = (size_t)x->from_segment[span->goroutine];
	else
		frame.moment = rep_index_moment(x, w->place);
	if (!reaches_below(k, w, w->place))
		*code = push(w, &frame);
	if (!*code)
		*code = rep_path_deepen(k->path, w->chain, &wait, &w->chain);
	w->linked = true;
	w->creates = false;
	w->wakes = w->goroutine;
	w->wakes_reason = span->reason;
	w->wakes_stack = span->stack;
	w->wake_stack = span->waker_stack;
	w->goroutine = span->waker;
	w->place = place;
	return true;
}

#define HOLDER_LOOK 4096 /* most spans searched by holder() */

/* Returns the goroutine that ran on the P before the runnable one got it; TP_NONE: unknown. */
static uint32_t holder(const struct rep_walk *k, const struct rep_walker *w)
{
	const struct rep_index *x = &k->index;
	const struct tp_span *span = rep_index_at(x, w->place), *then;
	uint32_t last = x->order[w->place], n = 0;

	if (!k->keep || !rep_index_ends(x, w->place) || w->place + 1 == x->first[w->goroutine + 1])
		return TP_NONE;
	then = rep_index_at(x, w->place + 1);
	if (then->state != TP_ST_RUNNING || then->p == TP_NONE)
		return TP_NONE;
	while (last-- > 0 && n++ < HOLDER_LOOK && x->span[last].end > span->start)
		if (x->span[last].state == TP_ST_RUNNING && x->span[last].p == then->p)
			return x->span[last].goroutine;
	return TP_NONE;
}

/* Adds a hop of being runnable. Its stack is that of the goroutine's previous span, where it was stopped or
 * blocked. If that is in an earlier segment, the hop is pending until then. */
static int hop_runnable(struct rep_walk *k, struct rep_walker *w, const struct tp_span *span,
			int64_t from, bool clipped)
{
	const struct rep_index *x = &k->index;
	uint32_t stack = 0;

	if (span->mark && !clipped) {
		w->hop = (struct rep_path_hop){
		    .from = from < w->t ? from : w->t,
		    .to = w->t,
		    .goroutine = w->goroutine,
		    .reason = span->reason,
		    .chain = w->chain,
		    .wakes = TP_NONE,
		    .kind = REP_PATH_RUNNABLE,
		    .holder = holder(k, w),
		};
		w->pending = true;
		w->linked = false;
		w->t = w->hop.from;
		return 0;
	}
	if (w->place > x->first[w->goroutine])
		stack = rep_index_at(x, w->place - 1)->stack;
	return hop_to(k, w, from, REP_PATH_RUNNABLE, span->reason, stack, holder(k, w));
}

/* Returns the kind of a wait whose waker, if it has one, the path does not go to. */
static enum rep_path_kind wait_kind(const struct rep_walk *k, const struct tp_span *span)
{
	enum rep_path_kind kind = rep_path_ender_in(k->v, span);
	struct tp_span wait = *span;

	/* If the trace names a waker that did nothing at that time, it contradicts itself. Ignore the
	 * waker. */
	wait.waker = TP_NONE;
	return kind == REP_PATH_RUNNING ? rep_path_ender_in(k->v, &wait) : kind;
}

static int hop_span(struct rep_walk *k, struct rep_walker *w, const struct tp_span *span,
		    int64_t from, bool clipped)
{
	bool ended =
	    rep_index_ends(&k->index, w->place) && w->moment == 2 * k->index.order[w->place] + 2;
	uint32_t stack = w->linked ? w->wake_stack : ended ? span->stack : w->request->stack;

	switch (span->state) {
	case TP_ST_RUNNING:
		return hop_to(k, w, from, REP_PATH_RUNNING, 0, stack, TP_NONE);
	case TP_ST_RUNNABLE:
		return hop_runnable(k, w, span, from, clipped);
	case TP_ST_SYSCALL:
	case TP_ST_SYSCALL_BLOCKED:
		return hop_to(k, w, from, REP_PATH_SYSCALL, 0, span->stack, TP_NONE);
	case TP_ST_WAITING:
		return hop_to(k, w, from, ended ? wait_kind(k, span) : REP_PATH_UNFINISHED,
			      span->reason, span->stack, TP_NONE);
	default:
		return hop_to(k, w, from, REP_PATH_LOST, 0, 0, TP_NONE);
	}
}

/* Moves back over the walker's span. Returns true if the walker has left this segment. */
static bool step(struct rep_walk *k, struct rep_walker *w, int *code)
{
	const struct rep_index *x = &k->index;
	const struct tp_span *span = rep_index_at(x, w->place);
	bool below = reaches_below(k, w, w->place);

	*code = flush(k, w, span->stack);
	if (!*code && span->state == TP_ST_WAITING && !span->open && rep_index_ends(x, w->place) &&
	    w->moment == 2 * x->order[w->place] + 2 && jump(k, w, span, code))
		return false;
	if (!*code)
		*code = hop_span(k, w, span, below ? top(w)->from : span->start, below);
	if (below)
		return skip(k, w, code);
	w->moment = rep_index_moment(x, w->place);
	w->standing = REP_AT_START;
	return false;
}

/* Adds a hop for the time before, about which the trace has nothing. Returns as skip(). */
static bool unseen(struct rep_walk *k, struct rep_walker *w, int *code)
{
	int64_t from = top(w) && top(w)->from > w->low ? top(w)->from : w->low;

	*code = flush(k, w, 0);
	if (!*code)
		*code = hop_to(k, w, from, REP_PATH_UNSEEN, 0, 0, TP_NONE);
	return skip(k, w, code);
}

/* Moves from the beginning of a span to the goroutine's previous span, or to its creator. Returns true if the
 * walker has left this segment. */
static bool before(struct rep_walk *k, struct rep_walker *w, int *code)
{
	const struct rep_index *x = &k->index;
	const struct tp_span *span;
	const struct rep_index_birth *birth;
	uint32_t place;

	if (w->place == REP_INDEX_NONE)
		return unseen(k, w, code);
	span = rep_index_at(x, w->place);
	w->standing = REP_ON_SPAN;
	if (span->mark) {
		int64_t segment = x->from_segment[w->goroutine];

		if (segment < 0 || segment >= (int64_t)x->cached.segment)
			return unseen(k, w, code);
		rep_walker_park(k, w, (size_t)segment, REP_TO_START);
		return true;
	}
	if (w->place > x->first[w->goroutine]) {
		int64_t end = rep_index_at(x, --w->place)->end;

		w->moment = 2 * x->order[w->place] + 2;
		if (end < w->t)
			*code = hop_to(k, w, end, REP_PATH_UNSEEN, 0, 0, TP_NONE);
		return false;
	}
	birth = &x->birth[w->goroutine];
	place = birth->creator == TP_NONE
		    ? REP_INDEX_NONE
		    : rep_index_actor(x, birth->creator, birth->nth, birth->moment);
	if (place == REP_INDEX_NONE)
		return unseen(k, w, code);
	*code = flush(k, w, 0);
	w->linked = w->creates = true;
	w->wakes = w->goroutine;
	w->wakes_reason = w->wakes_stack = 0;
	w->wake_stack = birth->stack;
	w->goroutine = birth->creator;
	w->place = place;
	w->moment = birth->moment;
	return false;
}

/* Ends a walk at the limit of hops: the rest becomes one hop. */
static int give_up(struct rep_walk *k, struct rep_walker *w)
{
	int code = flush(k, w, 0);

	w->chain = 0;
	w->linked = false;
	if (!code)
		code = hop_to(k, w, w->low, REP_PATH_LIMIT, 0, 0, TP_NONE);
	k->path->limited++;
	finish(w);
	return code;
}

int rep_walker_go(struct rep_walk *k, struct rep_walker *w)
{
	bool left = false;
	int code = 0;

	while (!left && !code) {
		const struct rep_walk_frame *f = top(w);

		if (w->t <= w->low) {
			code = flush(k, w, 0);
			finish(w);
			return code;
		}
		if (k->left <= 0 || --k->steps <= 0)
			return give_up(k, w);
		if (f && f->segment == k->index.cached.segment && w->moment <= f->moment)
			code = pop(k, w);
		else if (w->standing == REP_AT_START)
			left = before(k, w, &code);
		else
			left = step(k, w, &code);
	}
	return code;
}

int rep_walker_resume(struct rep_walk *k, struct rep_walker *w)
{
	const struct rep_index *x = &k->index;

	place_frames(k, w);
	if (w->standing == REP_TO_FRAME)
		return pop(k, w);
	w->standing = REP_AT_START;
	w->place = REP_INDEX_NONE;
	w->moment = 0;
	if (x->first[w->goroutine] < x->first[w->goroutine + 1]) {
		w->place = x->first[w->goroutine + 1] - 1;
		w->moment = rep_index_moment(x, w->place);
	}
	return 0;
}

int rep_walker_unseen(struct rep_walk *k, struct rep_walker *w)
{
	int code = 0;

	w->goroutine = w->request->goroutine;
	w->t = w->request->to;
	/* A time range without activity has no path. A task or region took its time, on an unknown
	 * goroutine. */
	if (w->goroutine < k->index.ngoroutines || w->request->subject != REP_PATH_RANGE)
		code = hop_to(k, w, w->low, REP_PATH_UNSEEN, 0, 0, TP_NONE);
	finish(w);
	return code;
}
