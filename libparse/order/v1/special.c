/* Events due at another time than their place in the file suggests.
 * A goroutine's return from a system call (GoSysExit) is written when it has a P again, but carries
 * the time at which the call ended. Go orders by the time of writing, then moves the event. Here it
 * takes effect where it was written, and is delivered at its real time; exit_told of the goroutine
 * says that this has already happened. Go 1.5 gives it its real sequence number, so there it takes
 * effect and is delivered at the same time.
 * A batch is searched for such events when its earliest one is due, so only events between their
 * real time and their batch's turn are held. */
#include "base/many.h"
#include "order/v1/state.h"

#include <stdlib.h>

static void set_earliest(struct tp_v1_order *o, struct tp_v1_queue *q)
{
	const struct tp_v1_index *ix = o->ix;

	q->earliest = q->n ? q->heap[0].key : INT64_MAX;
	if (q->due < ix->ndue[q->kind]) {
		int64_t need = ix->batches[ix->due[q->kind][q->due]].need[q->kind];

		if (need < q->earliest)
			q->earliest = need;
	}
}

void tp_v1_specials_reset(struct tp_v1_order *o)
{
	for (unsigned k = 0; k < TP_V1_NKINDS; k++) {
		struct tp_v1_queue *q = &o->queues[k];

		q->kind = k;
		q->dawn = o->ix->damaged ? o->ix->dawn : INT64_MIN;
		q->horizon = o->ix->damaged ? o->ix->horizon : INT64_MAX;
		q->n = 0;
		q->due = 0;
		set_earliest(o, q);
	}
}

static void sift_up(struct tp_v1_special *h, size_t i)
{
	struct tp_v1_special s = h[i];

	for (; i && s.key < h[(i - 1) / 2].key; i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = s;
}

static struct tp_v1_special pop(struct tp_v1_queue *q)
{
	struct tp_v1_special *h = q->heap, top = h[0], s = h[--q->n];
	size_t n = q->n, i = 0;

	for (size_t c; (c = 2 * i + 1) < n; i = c) {
		if (c + 1 < n && h[c + 1].key < h[c].key)
			c++;
		if (s.key <= h[c].key)
			break;
		h[i] = h[c];
	}
	h[i] = s;
	return top;
}

static int hold(void *ctx, const struct tp_v1_special *s)
{
	struct tp_v1_queue *q = ctx;

	if (s->kind != q->kind || s->ticks < q->dawn || s->ticks > q->horizon)
		return 0;
	if (tp_grow_raw(&q->heap, &q->room, q->n, sizeof(*q->heap)))
		return TP_ENOMEM;
	q->heap[q->n] = *s;
	if (s->key == INT64_MAX)
		q->heap[q->n].key--; /* as in the index: INT64_MAX marks an empty queue */
	sift_up(q->heap, q->n++);
	return 0;
}

/* Searches every batch that holds such an event due at or before `key`. Returns 0 or o->code. */
static int fetch(struct tp_v1_order *o, struct tp_v1_queue *q, int64_t key)
{
	struct tp_v1_index *ix = o->ix;

	while (q->due < ix->ndue[q->kind]) {
		const struct tp_v1_batch *b = &ix->batches[ix->due[q->kind][q->due]];

		if (b->need[q->kind] > key)
			break;
		q->due++;
		if (tp_v1_batch_specials(ix, b, hold, q))
			return o->code = tp_nomem(o->err);
	}
	return 0;
}

static int deliver(struct tp_v1_order *o, const struct tp_v1_special *s)
{
	struct tp_v1_g *g = tp_v1_g_get(o, s->g);
	const char *why;
	int code;

	if (!g)
		return o->code;
	if (o->version >= 7) {
		if (g->exit_owed) {
			g->exit_owed = false;
			tp_v1_put_exit(o, g, s->ticks);
			return o->code;
		}
		if (g->exit_skips) {
			g->exit_skips--; /* already delivered at the place of the event */
			return 0;
		}
		if (g->status != V1_WAITING) {
			g->exit_held = true; /* impossible: deliver it at the place of the event */
			return 0;
		}
		g->exit_told = true;
	}
	code = tp_v1_advance_exit(o, g, s->ticks, &why);
	if (code != NOT_READY)
		return code;
	if (o->opt->strict)
		return o->code = tp_err_set(o->err, TP_EFORMAT, TP_OFFSET_NONE,
					    "goroutine %llu: %s", (unsigned long long)g->id, why);
	g->in_syscall = true;
	tp_v1_infer(o, g, V1_WAITING, NULL, s->ticks);
	code = tp_v1_advance_exit(o, g, s->ticks, &why);
	if (code == NOT_READY) {
		o->dropped++;
		code = 0;
	}
	return code;
}

int tp_v1_exits_until(struct tp_v1_order *o, int64_t key, bool all)
{
	struct tp_v1_queue *q = &o->queues[TP_V1_EXITS];

	while (!o->code && q->earliest != INT64_MAX && (all || q->earliest < key)) {
		struct tp_v1_special s;

		if (fetch(o, q, q->earliest))
			break;
		if (!q->n) { /* missing: its batch was cut short */
			set_earliest(o, q);
			continue;
		}
		s = pop(q);
		set_earliest(o, q);
		if (!o->begun)
			tp_v1_begin(o, s.ticks);
		deliver(o, &s);
	}
	return o->code;
}

bool tp_v1_sample_take(struct tp_v1_order *o, struct tp_v1_special *s)
{
	struct tp_v1_queue *q = &o->queues[TP_V1_SAMPLES];

	while (q->earliest != INT64_MAX) {
		if (fetch(o, q, q->earliest))
			return false;
		if (q->n) {
			*s = pop(q);
			set_earliest(o, q);
			return true;
		}
		set_earliest(o, q);
	}
	return false;
}

bool tp_v1_sample_between(struct tp_v1_order *o, const struct tp_v1_g *g, int64_t from, int64_t to)
{
	struct tp_v1_queue *q = &o->queues[TP_V1_SAMPLES];

	if (o->ix->ndue[TP_V1_SAMPLES] == 0 || fetch(o, q, to))
		return false;
	for (size_t i = 0; i < q->n; i++)
		if (q->heap[i].g == g->id && q->heap[i].key > from && q->heap[i].key < to)
			return true;
	return false;
}
