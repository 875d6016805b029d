#include "timeline/span.h"

#include <stdlib.h>
#include <string.h>

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

/* Room for entry `need` in a zeroed array; 0 or an error code. */
static int grow(void **array, uint32_t *room, size_t size, uint32_t need)
{
	uint32_t more = *room ? *room : 16;
	void *p;

	if (need >= TP_SPANS_LIMIT_MP)
		return TP_ELIMIT;
	while (more <= need)
		more *= 2;
	p = realloc(*array, more * size);
	if (!p)
		return TP_ENOMEM;
	memset((char *)p + *room * size, 0, (more - *room) * size);
	*array = p;
	*room = more;
	return 0;
}

int tp_spans_grow_g(struct tp_spans *s, uint32_t g)
{
	uint32_t c = g >> TP_CHUNK_BITS;
	int code;

	if (g >= TP_SPANS_LIMIT)
		return TP_ELIMIT;
	if (c >= s->nchunks) {
		code = grow((void **)&s->chunk, &s->nchunks, sizeof(*s->chunk), c);
		if (code)
			return code;
	}
	if (!s->chunk[c])
		s->chunk[c] = calloc(1, sizeof(*s->chunk[c]));
	if (!s->chunk[c])
		return TP_ENOMEM;
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
	uint32_t had = s->np;
	int code = grow((void **)&s->syscalling, &s->np, sizeof(*s->syscalling), p);

	while (!code && had < s->np)
		s->syscalling[had++] = TP_NONE;
	return code;
}

int tp_spans_grow_m(struct tp_spans *s, uint32_t m)
{
	return grow((void **)&s->m_last, &s->nm, sizeof(*s->m_last), m);
}

static int fail(int code, struct tp_err *err)
{
	return tp_err_set(err, code, TP_OFFSET_NONE, "%s",
			  code == TP_ENOMEM
			      ? "out of memory"
			      : "more goroutines, threads or procs than are possible");
}

int tp_spans_feed(struct tp_spans *s, const struct tp_event *ev, size_t n, tp_span_fn fn, void *ctx,
		  struct tp_err *err)
{
	struct tp_span out[TP_STEP_SPANS];

	for (size_t i = 0; i < n; i++) {
		int done;

		tp_spans_sync(s, &ev[i]);
		done = tp_spans_step(s, &ev[i], out);
		if (done < 0)
			return fail(done, err);
		for (int k = 0; k < done; k++) {
			int code = fn(ctx, &out[k], err);

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

bool tp_spans_open(const struct tp_spans *s, uint32_t goroutine, struct tp_span *span)
{
	const struct tp_gstate *st = tp_gstate_find(s, goroutine);

	if (!st || !st->state)
		return false;
	*span = tp_gstate_span(st, goroutine, st->start);
	return true;
}

int tp_spans_restore(struct tp_spans *s, const struct tp_span *span)
{
	struct tp_gstate *st;
	int code = tp_spans_grow_g(s, span->goroutine);

	if (code)
		return code;
	st = tp_gstate_find(s, span->goroutine);
	if (!st->state)
		s->chunk[span->goroutine >> TP_CHUNK_BITS]->live++;
	*st = (struct tp_gstate){
	    .start = span->start,
	    .reason = span->reason,
	    .stack = span->stack,
	    .m = span->m,
	    .p = span->p,
	    .waker = TP_NONE,
	    .mark = span->mark,
	    .state = span->state,
	    .flags = TP_G_PRESUMED | (span->inferred ? TP_G_INFERRED : 0),
	};
	if (span->state == TP_ST_RUNNABLE) {
		st->waker = span->waker;
		st->waker_stack = span->waker_stack;
	}
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
