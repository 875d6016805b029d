#include "timeline/span.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "timeline/machine.h"

struct tp_spans *tp_spans_new(void)
{
	return calloc(1, sizeof(struct tp_spans));
}

void tp_spans_free(struct tp_spans *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->nchunks; i++)
		free(s->chunk[i]);
	free(s->chunk);
	free(s->syscalling);
	free(s->m_last);
	free(s);
}

int tp_spans_grow_g(struct tp_spans *s, uint32_t g)
{
	uint32_t c = g >> TP_CHUNK_BITS;

	if (g >= TP_SPANS_LIMIT)
		return TP_ELIMIT;
	if (tp_grow(&s->chunk, &s->nchunks, c, sizeof(*s->chunk)))
		return TP_ENOMEM;
	if (!s->chunk[c]) {
		s->chunk[c] = aligned_alloc(64, sizeof(*s->chunk[c]));
		if (!s->chunk[c])
			return TP_ENOMEM;
		memset(s->chunk[c], 0, sizeof(*s->chunk[c]));
		/* The chunk was freed because all its goroutines had ended. */
		for (uint32_t i = 0; c < s->newest && i < TP_CHUNK; i++) {
			s->chunk[c]->g[i].start = s->dropped_ts;
			s->chunk[c]->g[i].mark = s->dropped_mark;
			s->chunk[c]->g[i].flags = TP_G_DROPPED;
		}
	}
	if (c > s->newest) {
		if (s->chunk[s->newest] && !s->chunk[s->newest]->live)
			tp_spans_drop(s, s->newest);
		s->newest = c;
	}
	return 0;
}

void tp_spans_drop(struct tp_spans *s, uint32_t chunk)
{
	free(s->chunk[chunk]);
	s->chunk[chunk] = NULL;
}

int tp_spans_grow_p(struct tp_spans *s, uint32_t p)
{
	size_t had = s->np;

	if (p >= TP_SPANS_LIMIT_MP)
		return TP_ELIMIT;
	if (tp_grow_raw(&s->syscalling, &s->np, p, sizeof(*s->syscalling)))
		return TP_ENOMEM;
	while (had < s->np)
		s->syscalling[had++] = TP_NONE;
	return 0;
}

int tp_spans_grow_m(struct tp_spans *s, uint32_t m)
{
	if (m >= TP_SPANS_LIMIT_MP)
		return TP_ELIMIT;
	return tp_grow(&s->m_last, &s->nm, m, sizeof(*s->m_last));
}

/* Returns a span of which only start and state are known: a gap or a presumed state. */
static struct tp_gstate bare(int64_t start, uint32_t mark, uint8_t state)
{
	return (struct tp_gstate){.start = start,
				  .at = {TP_NONE, TP_NONE},
				  .waker = TP_NONE,
				  .mark = mark,
				  .state = state};
}

/* Completes the known span of g, and the gap up to ev, which counts as lost. */
static unsigned lose(const struct tp_spans *s, const struct tp_gstate *st, uint32_t g,
		     const struct tp_event *ev, struct tp_span *out)
{
	struct tp_gstate gap = bare(st->start, st->mark, TP_ST_LOST);
	unsigned n = 0;

	if ((st->state == TP_ST_RUNNING || st->state == TP_ST_SYSCALL) && st->at.m < s->nm &&
	    s->m_last[st->at.m] > st->start) {
		gap.start = s->m_last[st->at.m];
		gap.mark = s->mark;
		out[n++] = tp_gstate_span(st, g, gap.start);
	}
	if (ev->ts > gap.start)
		out[n++] = tp_gstate_span(&gap, g, ev->ts);
	return n;
}

/* Returns the state of a goroutine since the last Sync if ev is its first event. */
static uint8_t presume(const struct tp_event *ev)
{
	uint8_t state = ev->from == TP_ST_UNDETERMINED ? ev->to : ev->from;

	if (ev->flags & TP_EVF_LOST)
		return TP_ST_LOST;
	/* As in Go, a goroutine that has a P has had it since the Sync. */
	return state == TP_ST_SYSCALL && ev->p == TP_NONE ? TP_ST_SYSCALL_BLOCKED : state;
}

/* Opens the span that is presumed before ev, the goroutine's first event since the last Sync. In a
 * damaged trace it may have ended since then (order/v2/state.h: tp_v2_g_born); no time is counted
 * twice. */
static void open_presumed(const struct tp_spans *s, struct tp_gstate *st, const struct tp_event *ev)
{
	bool ended =
	    st->flags & TP_G_ENDED || (st->flags & TP_G_DROPPED && ev->flags & TP_EVF_LOST);

	*st = ended && st->start > s->sync_ts ? bare(st->start, st->mark, presume(ev))
					      : bare(s->sync_ts, s->sync_mark, presume(ev));
	st->flags = TP_G_PRESUMED;
}

/* Handles a transition of a goroutine. Its recorded state counts, so a contradicting `from` (in a
 * damaged trace) leaves no gap. */
static int step_g(struct tp_spans *s, const struct tp_event *ev, struct tp_span *out)
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
		if (!st)
			return TP_ENOMEM;
	}
	if (!st->state) {
		s->chunk[c]->live++;
		if (ev->from != TP_ST_NOT_EXIST)
			open_presumed(s, st, ev);
	} else if (ev->from == TP_ST_UNDETERMINED && st->flags & TP_G_PRESUMED) {
		/* Restored, or Go's summary of it starts over: all but the state stays as it is. */
		struct tp_span was = tp_gstate_span(st, g, ev->ts);

		st->at = (struct tp_place){was.m, was.p};
		st->waker = was.waker;
		st->state = presume(ev);
	}
	if (ev->from != TP_ST_UNDETERMINED || !(st->flags & TP_G_PRESUMED) || st->state != ev->to) {
		if (st->state) {
			if (ev->flags & TP_EVF_LOST) {
				n = lose(s, st, g, ev, out);
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
	if (tp_event_ends(ev)) {
		st->state = TP_ST_NONE;
		st->flags = TP_G_ENDED;
		s->dropped_ts = ev->ts;
		s->dropped_mark = s->mark;
		if (!--s->chunk[c]->live && c != s->newest)
			tp_spans_drop(s, c);
		return (int)n;
	}
	st->flags &= (uint8_t)~TP_G_RESTORED; /* its P is known from here on */
	code = tp_spans_enter(s, st, ev, ev->to);
	return code ? code : (int)n;
}

/* Handles an event that is not a transition and whose goroutine's time before it is lost. */
static unsigned step_lost(struct tp_spans *s, const struct tp_event *ev, struct tp_span *out)
{
	struct tp_gstate *st = ev->g == TP_NONE ? NULL : tp_gstate_find(s, ev->g);
	unsigned n;

	if (!st || !st->state)
		return 0;
	n = lose(s, st, ev->g, ev, out);
	st->sum = NULL;
	st->start = ev->ts;
	st->mark = s->mark;
	st->flags = 0;
	return n;
}

/* Handles a P that goes idle: the system call it served, if any, has lost its P. */
static unsigned step_idle(struct tp_spans *s, const struct tp_event *ev, struct tp_span *out)
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
	st->sum = NULL;
	st->state = TP_ST_SYSCALL_BLOCKED;
	st->start = ev->ts;
	st->mark = s->mark;
	st->waker = TP_NONE;
	st->waker_stack = 0;
	st->flags = ev->flags & TP_EVF_INFERRED ? TP_G_INFERRED : 0;
	return 1;
}

int tp_spans_step(struct tp_spans *s, const struct tp_event *ev, struct tp_span out[TP_STEP_SPANS])
{
	bool of_g = tp_event_descs[ev->type].subject == 'G' && ev->subject != TP_NONE;
	int n = 0;

	if (ev->from != ev->to && of_g)
		return step_g(s, ev, out);
	if (ev->flags & TP_EVF_LOST)
		n = (int)step_lost(s, ev, out);
	if (ev->from != ev->to && ev->to == TP_ST_IDLE)
		n += (int)step_idle(s, ev, out + n);
	return n;
}

static int fail(int code, struct tp_err *err)
{
	return tp_err_full(err, code,
			   "the trace has more goroutines, threads or Ps than are possible");
}

int tp_spans_feed(struct tp_spans *s, const struct tp_event *ev, size_t n, tp_span_fn fn, void *ctx,
		  struct tp_err *err)
{
	struct tp_span out[TP_STEP_SPANS];

	for (size_t i = 0; i < n; i++) {
		int done, code = 0;

		tp_spans_sync(s, &ev[i]);
		done = tp_spans_step(s, &ev[i], out);
		if (done >= 0)
			code = tp_spans_seen(s, &ev[i]);
		if (done < 0 || code)
			return fail(done < 0 ? done : code, err);
		for (int k = 0; k < done; k++) {
			code = fn(ctx, &out[k], err);
			if (code)
				return code;
		}
	}
	return 0;
}

int tp_spans_finish(struct tp_spans *s, int64_t end, tp_span_fn fn, void *ctx, struct tp_err *err)
{
	for (uint32_t c = 0; c < s->nchunks; c++) {
		for (uint32_t i = 0; s->chunk[c] && i < TP_CHUNK; i++) {
			struct tp_gstate *st = &s->chunk[c]->g[i];
			struct tp_span sp;
			int code;

			if (!st->state)
				continue;
			sp = tp_gstate_span(st, c << TP_CHUNK_BITS | i, end);
			sp.open = 1;
			st->state = TP_ST_NONE;
			code = fn(ctx, &sp, err);
			if (code)
				return code;
		}
		if (s->chunk[c])
			tp_spans_drop(s, c);
	}
	return 0;
}

void tp_spans_mark(struct tp_spans *s, uint32_t mark)
{
	s->mark = mark;
}

int tp_spans_restore(struct tp_spans *s, const struct tp_span *span)
{
	struct tp_gstate *st;
	int code = tp_spans_grow_g(s, span->goroutine);

	if (code)
		return code;
	st = tp_gstate_find(s, span->goroutine);
	if (!st)
		return TP_ENOMEM;
	if (!st->state)
		s->chunk[span->goroutine >> TP_CHUNK_BITS]->live++;
	*st = (struct tp_gstate){
	    .start = span->start,
	    .cause = {.stack = span->stack, .reason = span->reason},
	    .at = {span->m, span->p},
	    .waker = TP_NONE,
	    .mark = span->mark,
	    .state = span->state,
	    .flags = TP_G_PRESUMED | (span->inferred ? TP_G_INFERRED : 0),
	};
	if (span->state == TP_ST_RUNNABLE)
		st->waker = span->waker;
	if (span->state == TP_ST_SYSCALL) {
		st->flags |= TP_G_RESTORED;
		st->waker = (uint32_t)(uint64_t)span->end;
		st->waker_stack = (uint32_t)((uint64_t)span->end >> 32);
		if (span->p != TP_NONE) {
			if (span->p >= s->np && (code = tp_spans_grow_p(s, span->p)))
				return code;
			s->syscalling[span->p] = span->goroutine;
		}
	}
	return 0;
}
