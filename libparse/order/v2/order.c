#include "order/v2/order.h"

#include <string.h>

#define REPORT_EVERY (4u << 20) /* bytes between calls of opt->progress */

void tp_v2_order_room(struct tp_v2_order *o)
{
	o->out = o->sink->room ? o->sink->room(o->sink->ctx) : o->own;
}

void tp_v2_order_count(struct tp_v2_order *o)
{
	for (unsigned i = 0; i < 256; i++) {
		struct tp_v2_wire_stat *w = &o->wire[i];
		uint64_t t = o->tally[i];

		w->events += t % TP_V2_TALLY_STACK;
		w->with_stack += t % TP_V2_TALLY_BYTE / TP_V2_TALLY_STACK;
		w->bytes += t / TP_V2_TALLY_BYTE;
		o->tally[i] = 0;
	}
	o->flushes = 0;
}

/* Hands the first n events of o->out to the sink; the others begin the next batch. */
static int hand_on(struct tp_v2_order *o, size_t n)
{
	struct tp_event rest[TP_V2_MOST_EVENTS];
	struct tp_trace *t = o->trace;
	size_t nrest = o->n - n;
	int code = 0;

	if (o->unnamed && tp_trace_mark_unnamed(t, o->out, o->n))
		code = tp_nomem(o->err);
	o->unnamed = false;
	if (!t->started) {
		t->started = true;
		t->first_ts = o->out[0].ts;
	}
	t->last_ts = o->out[n - 1].ts;
	t->events += n;
	memcpy(rest, o->out + n, nrest * sizeof(*rest));
	if (!code)
		code = o->sink->events(o->sink->ctx, o->out, n, o->err);
	o->sink_failed = code != 0;
	tp_v2_order_room(o);
	memcpy(o->out, rest, nrest * sizeof(*rest));
	o->n = nrest;
	if (++o->flushes == TP_V2_TALLY_FLUSHES)
		tp_v2_order_count(o);
	return code;
}

int tp_v2_order_flush(struct tp_v2_order *o)
{
	uint64_t done = o->consumed + o->f.consumed;
	int code = 0;

	if (o->n)
		code = hand_on(o, o->n < TP_V2_BATCH ? o->n : TP_V2_BATCH);
	if (!code && done >= o->report_at && o->opt->progress) {
		o->report_at = done + REPORT_EVERY;
		if (o->opt->progress(o->opt->progress_ctx, done < o->in->size ? done : o->in->size,
				     o->in->size))
			code = tp_err_set(o->err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
	}
	return code;
}

int tp_v2_order_end(struct tp_v2_order *o)
{
	int code = 0;

	while (o->n && !code)
		code = tp_v2_order_flush(o);
	return code;
}

static inline int make_room(struct tp_v2_order *o)
{
	return o->n > TP_V2_BATCH ? tp_v2_order_flush(o) : 0;
}

int tp_v2_order_sync(struct tp_v2_order *o, int64_t ts, uint64_t generation)
{
	int code = make_room(o);

	if (code)
		return code;
	o->out[o->n++] = (struct tp_event){.ts = tp_v2_order_time(o, ts),
					   .g = TP_NONE,
					   .m = TP_NONE,
					   .p = TP_NONE,
					   .subject = TP_NONE,
					   .type = TP_EV_SYNC,
					   .arg = {generation}};
	return 0;
}

/* A sample has its own context, whatever the state is. Goroutine 0 means no goroutine. */
int tp_v2_order_sample(struct tp_v2_order *o)
{
	const struct tp_v2_sample *s = &o->g.samples[o->next_sample++];
	struct tp_v2_g *g = s->g ? tp_v2_g_get(&o->s, s->g) : &o->s.nobody;
	struct tp_v2_m *m = tp_v2_m_get(&o->s, s->m);
	struct tp_v2_p *p = tp_v2_p_get(&o->s, s->p);
	uint32_t stack = tp_ids_get(&o->g.stacks, s->stack);
	int code = make_room(o);

	if (code)
		return code;
	if (!g || !m || !p) {
		code = tp_v2_state_refusal(&o->s);
		return tp_err_full(o->err, code, "too many goroutines, Ms or Ps");
	}
	if (stack == TP_NO_ID) {
		if (!o->lenient)
			return tp_err_set(
			    o->err, TP_EFORMAT, TP_OFFSET_NONE,
			    "generation %llu: a CPU sample with a stack that is not in "
			    "the stack table",
			    (unsigned long long)o->g.number);
		o->unknown_ids++;
		stack = 0;
	}
	o->out[o->n++] = (struct tp_event){.ts = tp_v2_order_time(o, s->ts),
					   .g = g->index,
					   .m = m->index,
					   .p = p->index,
					   .subject = TP_NONE,
					   .stack = stack & ~TP_V2_UNNAMED,
					   .type = TP_EV_CPU_SAMPLE};
	o->wire[TP_V2_CPUSample].events++;
	o->wire[TP_V2_CPUSample].with_stack += stack != 0;
	return 0;
}

int tp_v2_order_begin(struct tp_v2_order *o)
{
	int code = tp_v2_frontier_begin(&o->f, &o->s, &o->g, o->err);

	o->next_sample = 0;
	o->waiting = NULL;
	if (o->tries > o->own_tries) /* of the generation before */
		o->more_tries += o->tries - o->own_tries;
	o->tries = 0;
	o->own_tries = TP_V2_TRIES_PER_BYTE * o->g.events_bytes;
	o->most_tries = o->own_tries;
	if (o->more_tries < TP_V2_FREE_TRIES)
		o->most_tries += TP_V2_FREE_TRIES - o->more_tries;
	o->work = o->g.events_bytes / 4;
	if (!code && o->f.n && !o->s.initial_gen)
		o->s.initial_gen = o->g.number;
	return code;
}

int tp_v2_order_unread(struct tp_v2_order *o, size_t n, int64_t last_ts, int code)
{
	if (o->opt->strict) {
		o->n = n;
		o->last_ts = last_ts;
	}
	return code;
}

/* Takes the event of entry i if it can come next. Returns 1, 0 if it waits, or an error code. */
static int try_entry(struct tp_v2_order *o, size_t i, struct tp_v2_cursor **at)
{
	struct tp_v2_cursor *c = o->f.heap[i].of;
	int64_t last_ts = o->last_ts;
	size_t n = o->n;
	int more;

	*at = c;
	switch (tp_v2_advance(o, c)) {
	case TP_V2_WAITS:
		return 0;
	case TP_V2_FAULTY:
		o->n = n;
		o->last_ts = last_ts;
		return o->err->code;
	case TP_V2_ADVANCED:
		break;
	}
	more = tp_v2_cursor_next(&o->f, c, o->err);
	if (more < 0)
		return tp_v2_order_unread(o, n, last_ts, more);
	if (more) {
		o->f.heap[i].ts = c->ts;
		tp_v2_frontier_update(&o->f, i);
	} else {
		tp_v2_frontier_remove(&o->f, i);
	}
	return 1;
}

/* Called when the earliest event waits: takes the first of the others, by time, that does not
 * wait. */
static int try_others(struct tp_v2_order *o, struct tp_v2_cursor **at)
{
	o->tries += o->f.n;
	if (o->tries > o->most_tries)
		return tp_err_set(o->err, TP_EFORMAT, o->g.from,
				  "generation %llu: events of %zu Ms wait for each other more "
				  "often than %llu times",
				  (unsigned long long)o->g.number, o->f.n,
				  (unsigned long long)o->most_tries);
	tp_v2_frontier_sort(&o->f);
	for (size_t i = 1; i < o->f.n; i++) {
		int code;

		if (!o->opt->strict && tp_v2_in_vain(o, i, o->f.heap[i].ts) < i)
			break;
		code = try_entry(o, i, at);
		if (code)
			return code < 0 ? code : 0;
	}
	*at = NULL;
	return tp_err_set(o->err, TP_EFORMAT, o->g.from,
			  "generation %llu: none of the next events of %zu Ms can come next",
			  (unsigned long long)o->g.number, o->f.n);
}

int tp_v2_order_run(struct tp_v2_order *o, struct tp_v2_cursor **at)
{
	struct tp_v2_frontier *f = &o->f;

	*at = NULL;
	while (f->n || o->next_sample < o->g.nsamples) {
		int code;

		if (tp_v2_sample_is_next(o)) {
			code = tp_v2_order_sample(o);
			if (code)
				return code;
			continue;
		}
		code = tp_v2_advance_all(o);
		if (code < 0) {
			*at = f->heap[0].of;
			return code;
		}
		if (code == TP_V2_RUN_ENDS)
			tp_v2_frontier_remove(f, 0);
		if (code != TP_V2_RUN_WAITS)
			continue;
		code = try_others(o, at);
		if (code)
			return code;
	}
	return 0;
}
