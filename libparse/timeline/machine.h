/* The span machine proper, inlined into its two users: span.c (the public interface) and
 * timeline.c, whose hot loop cannot afford a call back per span. Private to timeline/. */
#ifndef TP_TIMELINE_MACHINE_H
#define TP_TIMELINE_MACHINE_H

#include "decode/dict.h"
#include "timeline/span.h"

#define TP_CHUNK_BITS 8
#define TP_CHUNK      (1u << TP_CHUNK_BITS) /* goroutines that live in one allocation */
#define TP_STEP_SPANS 4			    /* the most one event completes */

enum {
	TP_G_PRESUMED = 1, /* opened by its first status, or restored: a status goes on with it */
	TP_G_INFERRED = 2, /* salvage put the beginning in */
	TP_G_RESTORED = 4, /* waker and waker_stack hold the known end of a system call */
};

/* The open span of a goroutine; zero is "none". */
struct tp_gstate {
	int64_t start;
	uint32_t reason, stack;
	uint32_t m, p; /* of a system call: as it was entered */
	uint32_t waker, waker_stack;
	uint32_t mark;
	uint8_t state; /* enum tp_state; TP_ST_NONE: no open span */
	uint8_t flags;
};

/* Goroutines are numbered as they appear, so they mostly die by the chunk: one without a live
 * goroutine is freed, and memory follows the living. */
struct tp_gchunk {
	uint32_t live;
	struct tp_gstate g[TP_CHUNK];
};

struct tp_spans {
	struct tp_gchunk **chunk;
	uint32_t nchunks;     /* room; entries may be NULL */
	uint32_t newest;      /* chunk with the highest number seen */
	uint32_t *syscalling; /* P → goroutine whose system call it serves, TP_NONE */
	uint32_t np;
	int64_t *m_last; /* M → time of its latest event */
	uint32_t nm;
	int64_t sync_ts; /* as Go's syncTs: 0 is unset */
	uint32_t sync_mark, mark;
};

int tp_spans_grow_g(struct tp_spans *s, uint32_t g);
int tp_spans_grow_p(struct tp_spans *s, uint32_t p);
int tp_spans_grow_m(struct tp_spans *s, uint32_t m);
void tp_spans_drop(struct tp_spans *s, uint32_t chunk);

/* What is known of g, NULL for nothing. */
static inline struct tp_gstate *tp_gstate_find(const struct tp_spans *s, uint32_t g)
{
	uint32_t c = g >> TP_CHUNK_BITS;

	return c < s->nchunks && s->chunk[c] ? &s->chunk[c]->g[g & (TP_CHUNK - 1)] : NULL;
}

/* The open span, completed at `end`. */
static inline struct tp_span tp_gstate_span(const struct tp_gstate *st, uint32_t g, int64_t end)
{
	struct tp_span sp = {
	    .start = st->start,
	    .end = end,
	    .goroutine = g,
	    .reason = st->reason,
	    .stack = st->stack,
	    .m = st->m,
	    .p = st->p,
	    .waker = st->waker,
	    .waker_stack = st->waker_stack,
	    .mark = st->mark,
	    .state = st->state,
	    .inferred = (st->flags & TP_G_INFERRED) != 0,
	};

	if (st->flags & TP_G_RESTORED) {
		sp.waker = TP_NONE;
		sp.waker_stack = 0;
	}
	return sp;
}

/* Fills in the state a goroutine enters at ev. */
static inline void tp_gstate_enter(struct tp_gstate *st, const struct tp_event *ev)
{
	st->reason = ev->str;
	st->m = TP_NONE;
	st->p = TP_NONE;
	st->waker = TP_NONE;
	st->waker_stack = 0;
	st->stack = ev->stack;
	st->state = ev->to;
	switch (ev->to) {
	case TP_ST_RUNNING:
		st->m = ev->m;
		st->p = ev->p;
		st->stack = 0;
		st->reason = 0;
		break;
	case TP_ST_RUNNABLE:
		if (ev->g != ev->subject)
			st->waker = ev->g;
		st->waker_stack = ev->stack;
		break;
	case TP_ST_SYSCALL:
		st->m = ev->m;
		st->p = ev->p;
		st->reason = 0;
		break;
	default:
		break;
	}
}

/* Go: the P with which the call was entered serves none from now on, whose call ever it serves by
 * now (see the head of span.h). */
static inline void tp_spans_leave_syscall(struct tp_spans *s, const struct tp_gstate *st)
{
	if ((st->state == TP_ST_SYSCALL || st->state == TP_ST_SYSCALL_BLOCKED) && st->p < s->np)
		s->syscalling[st->p] = TP_NONE;
}

/* The span that a gap or a presumption leaves: nothing is known of it but its state. */
static inline struct tp_gstate tp_gstate_bare(int64_t start, uint32_t mark, uint8_t state)
{
	return (struct tp_gstate){.start = start,
				  .m = TP_NONE,
				  .p = TP_NONE,
				  .waker = TP_NONE,
				  .mark = mark,
				  .state = state};
}

/* Time of g up to ev is lost: completes what was known and the gap. */
static inline unsigned tp_spans_lose(const struct tp_spans *s, const struct tp_gstate *st,
				     uint32_t g, const struct tp_event *ev, struct tp_span *out)
{
	struct tp_gstate gap = tp_gstate_bare(st->start, st->mark, TP_ST_LOST);
	unsigned n = 0;

	if ((st->state == TP_ST_RUNNING || st->state == TP_ST_SYSCALL) && st->m < s->nm &&
	    s->m_last[st->m] > st->start) {
		gap.start = s->m_last[st->m];
		gap.mark = s->mark;
		out[n++] = tp_gstate_span(st, g, gap.start);
	}
	if (ev->ts > gap.start)
		out[n++] = tp_gstate_span(&gap, g, ev->ts);
	return n;
}

/* The state a goroutine has been in since the last Sync, when ev is the first that tells of it. */
static inline uint8_t tp_gstate_presume(const struct tp_event *ev)
{
	uint8_t state = ev->from == TP_ST_UNDETERMINED ? ev->to : ev->from;

	if (ev->flags & TP_EVF_LOST)
		return TP_ST_LOST;
	/* Go: a goroutine that has a P had it all the time. */
	return state == TP_ST_SYSCALL && ev->p == TP_NONE ? TP_ST_SYSCALL_BLOCKED : state;
}

/* A transition of a goroutine. The machine goes by the state in which it has the goroutine, so that
 * a `from` that does not fit (in a damaged trace) leaves no gap. */
static inline int tp_spans_step_g(struct tp_spans *s, const struct tp_event *ev,
				  struct tp_span *out)
{
	uint32_t g = ev->subject, c = g >> TP_CHUNK_BITS;
	struct tp_gstate *st = tp_gstate_find(s, g);
	unsigned n = 0;
	int code;

	if (__builtin_expect(!st, 0)) {
		code = tp_spans_grow_g(s, g);
		if (code)
			return code;
		st = tp_gstate_find(s, g);
	}
	if (!st->state) {
		s->chunk[c]->live++;
		if (ev->from != TP_ST_NOT_EXIST) {
			*st = tp_gstate_bare(s->sync_ts, s->sync_mark, tp_gstate_presume(ev));
			st->flags = TP_G_PRESUMED;
		}
	} else if (ev->from == TP_ST_UNDETERMINED && st->flags & TP_G_PRESUMED) {
		/* Restored, or Go's summary of it starts over. */
		st->state = tp_gstate_presume(ev);
	}
	if (ev->from != TP_ST_UNDETERMINED || !(st->flags & TP_G_PRESUMED) || st->state != ev->to) {
		if (st->state) {
			if (ev->flags & TP_EVF_LOST) {
				n = tp_spans_lose(s, st, g, ev, out);
			} else {
				struct tp_span *done = &out[n++];

				*done = tp_gstate_span(st, g, ev->ts);
				done->inferred |= (ev->flags & TP_EVF_INFERRED) != 0;
				if (st->state == TP_ST_WAITING) {
					done->waker = ev->g;
					done->waker_stack = ev->stack;
				}
			}
			tp_spans_leave_syscall(s, st);
		}
		st->start = ev->ts;
		st->mark = s->mark;
		st->flags = 0;
	}
	if (ev->flags & TP_EVF_INFERRED)
		st->flags |= TP_G_INFERRED;
	if (ev->to == TP_ST_NOT_EXIST || (ev->to == TP_ST_WAITING && ev->str == TP_STR_FOREVER)) {
		st->state = TP_ST_NONE;
		st->flags = 0;
		if (!--s->chunk[c]->live && c != s->newest)
			tp_spans_drop(s, c);
		return (int)n;
	}
	tp_gstate_enter(st, ev);
	if (ev->to == TP_ST_SYSCALL && ev->p != TP_NONE) {
		if (ev->p >= s->np && (code = tp_spans_grow_p(s, ev->p)))
			return code;
		s->syscalling[ev->p] = g;
	}
	return (int)n;
}

/* An event that tells that its goroutine's time up to it is lost, but of no transition. */
static inline unsigned tp_spans_step_lost(struct tp_spans *s, const struct tp_event *ev,
					  struct tp_span *out)
{
	struct tp_gstate *st = ev->g == TP_NONE ? NULL : tp_gstate_find(s, ev->g);
	unsigned n;

	if (!st || !st->state)
		return 0;
	n = tp_spans_lose(s, st, ev->g, ev, out);
	st->start = ev->ts;
	st->mark = s->mark;
	st->flags = 0;
	return n;
}

/* A P goes idle: the system call it served, if any, is without a P from now on. */
static inline unsigned tp_spans_step_idle(struct tp_spans *s, const struct tp_event *ev,
					  struct tp_span *out)
{
	uint32_t g = ev->subject < s->np ? s->syscalling[ev->subject] : TP_NONE;
	struct tp_gstate *st;

	if (g == TP_NONE)
		return 0;
	s->syscalling[ev->subject] = TP_NONE;
	st = tp_gstate_find(s, g);
	if (!st || st->state != TP_ST_SYSCALL)
		return 0;
	if (st->flags & TP_G_RESTORED) {
		uint64_t until = st->waker | (uint64_t)st->waker_stack << 32;

		if ((uint64_t)ev->ts != until)
			return 0;
	}
	*out = tp_gstate_span(st, g, ev->ts);
	out->inferred |= (ev->flags & TP_EVF_INFERRED) != 0;
	st->state = TP_ST_SYSCALL_BLOCKED;
	st->start = ev->ts;
	st->mark = s->mark;
	st->waker = TP_NONE;
	st->waker_stack = 0;
	st->flags = ev->flags & TP_EVF_INFERRED ? TP_G_INFERRED : 0;
	return 1;
}

/* Before tp_spans_step: states that were there before are counted from the last Sync on. */
static inline void tp_spans_sync(struct tp_spans *s, const struct tp_event *ev)
{
	if (!s->sync_ts || ev->type == TP_EV_SYNC) {
		s->sync_ts = ev->ts;
		s->sync_mark = s->mark;
	}
}

/* Advances by one event. Returns how many spans it completed, in out[], or an error code. */
static inline int tp_spans_step(struct tp_spans *s, const struct tp_event *ev,
				struct tp_span out[TP_STEP_SPANS])
{
	bool of_g = tp_event_descs[ev->type].subject == 'G';
	int n = 0, code;

	if (ev->flags & TP_EVF_LOST && (ev->from == ev->to || !of_g))
		n = (int)tp_spans_step_lost(s, ev, out);
	if (ev->from != ev->to) {
		if (of_g) {
			n = tp_spans_step_g(s, ev, out);
			if (n < 0)
				return n;
		} else if (ev->to == TP_ST_IDLE) {
			n += (int)tp_spans_step_idle(s, ev, out + n);
		}
	}
	if (ev->m != TP_NONE) {
		if (ev->m >= s->nm && (code = tp_spans_grow_m(s, ev->m)))
			return code;
		s->m_last[ev->m] = ev->ts;
	}
	return n;
}

#endif
