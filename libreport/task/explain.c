#include "task/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "keys.h"
#include "spans/segment.h"

#define MOST_PIECES (1u << 23) /* 400 MB; the items of a report need far fewer */

/* A stretch of a worker's time in one state. */
struct piece {
	int64_t from, to;
	uint32_t item, worker;
	uint32_t reason, stack;
	uint8_t state;
};

struct explain {
	struct rep_view *v;
	const struct rep_item *item;
	uint32_t nitems;
	const struct rep_worker *worker;
	uint32_t nworkers;
	/* Workers sorted by goroutine and beginning. Those of a goroutine that begin before the end
	 * of the current span are moved to its list. */
	uint32_t *order;
	uint32_t *slot; /* by goroutine: 1 + index of its `line` */
	struct line {
		uint32_t next, end; /* in `order`: those not yet in the list */
		uint32_t active;    /* 1 + first worker in the list */
	} * line;
	uint32_t *after; /* by worker: next in its list */
	struct piece *piece;
	size_t n, room;
	uint32_t *first; /* by item: its first piece in `sorted` */
	uint32_t *sorted;
	uint32_t *heap;
	size_t nheap;
};

/* ---- the pieces of each worker ---- */

static int by_place(const void *a, const void *b, void *ctx)
{
	const struct rep_worker *w = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (w[i].goroutine != w[k].goroutine)
		return w[i].goroutine < w[k].goroutine ? -1 : 1;
	if (w[i].from != w[k].from)
		return w[i].from < w[k].from ? -1 : 1;
	return i < k ? -1 : i > k;
}

static int queue_workers(struct explain *e)
{
	size_t goroutines = e->v->nrows[TP_TABLE_GOROUTINE];
	uint32_t n = 0, lines = 0;

	e->order = calloc(e->nworkers + (size_t)1, sizeof(*e->order));
	e->after = calloc(e->nworkers + (size_t)1, sizeof(*e->after));
	e->line = calloc(e->nworkers + (size_t)1, sizeof(*e->line));
	e->slot = calloc(goroutines + 1, sizeof(*e->slot));
	if (!e->order || !e->after || !e->line || !e->slot)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < e->nworkers; i++) {
		if (e->worker[i].goroutine < goroutines && e->worker[i].item < e->nitems &&
		    e->worker[i].from < e->worker[i].to)
			e->order[n++] = i;
	}
	qsort_r(e->order, n, sizeof(*e->order), by_place, (void *)(uintptr_t)e->worker);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t g = e->worker[e->order[i]].goroutine;

		if (!e->slot[g]) {
			e->slot[g] = ++lines;
			e->line[lines - 1].next = i;
		}
		e->line[lines - 1].end = i + 1;
	}
	return 0;
}

static int put_piece(struct explain *e, uint32_t worker, const struct tp_span *span,
		     struct tp_err *err)
{
	const struct rep_worker *w = &e->worker[worker];
	struct piece *p;

	if (e->n >= MOST_PIECES)
		return tp_err_set(
		    err, TP_ELIMIT, TP_OFFSET_NONE,
		    "these tasks and regions do too much for one report; pick fewer with --task, "
		    "--region, --min or --from and --to");
	if (tp_grow_raw(&e->piece, &e->room, e->n, sizeof(*e->piece)))
		return tp_nomem(err);
	p = &e->piece[e->n++];
	p->from = span->start > w->from ? span->start : w->from;
	p->to = span->end < w->to ? span->end : w->to;
	p->item = w->item;
	p->worker = worker;
	p->reason = span->reason;
	p->stack = span->stack;
	p->state = span->state == TP_ST_SYSCALL_BLOCKED ? TP_ST_SYSCALL : span->state;
	return 0;
}

/* Cuts a span into pieces, one for each worker that it overlaps. Spans of a goroutine come in
 * order. */
static int on_span(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	struct explain *e = ctx;
	struct line *line;
	uint32_t *link;

	(void)crosses;
	(void)end_stack;
	if (span->goroutine >= e->v->nrows[TP_TABLE_GOROUTINE] || !e->slot[span->goroutine])
		return 0;
	line = &e->line[e->slot[span->goroutine] - 1];
	while (line->next < line->end && e->worker[e->order[line->next]].from < span->end) {
		uint32_t w = e->order[line->next++];

		e->after[w] = line->active;
		line->active = w + 1;
	}
	for (link = &line->active; *link;) {
		uint32_t w = *link - 1;

		if (e->worker[w].to <= span->start) {
			*link = e->after[w];
			continue;
		}
		if (span->start < span->end) {
			int code = put_piece(e, w, span, err);

			if (code)
				return code;
		}
		link = &e->after[w];
	}
	return 0;
}

static int read_pieces(struct explain *e, struct tp_err *err)
{
	struct rep_stay *stay = calloc(e->nworkers + (size_t)1, sizeof(*stay));
	size_t n = 0;
	int code;

	if (!stay)
		return tp_nomem(err);
	for (uint32_t i = 0; i < e->nworkers; i++) {
		const struct rep_worker *w = &e->worker[i];

		if (w->from < w->to && w->goroutine < e->v->nrows[TP_TABLE_GOROUTINE])
			stay[n++] = (struct rep_stay){w->goroutine, w->known, w->to};
	}
	code = rep_stays_each(e->v, stay, n, on_span, e, err);
	free(stay);
	return code;
}

/* ---- the worker of each moment ---- */

static int by_from(const void *a, const void *b, void *ctx)
{
	const struct piece *p = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (p[i].from != p[k].from)
		return p[i].from < p[k].from ? -1 : 1;
	return i < k ? -1 : i > k;
}

static int sort_pieces(struct explain *e)
{
	size_t most = 0;

	e->first = calloc(e->nitems + (size_t)2, sizeof(*e->first));
	e->sorted = calloc(e->n + 1, sizeof(*e->sorted));
	if (!e->first || !e->sorted)
		return TP_ENOMEM;
	for (size_t i = 0; i < e->n; i++)
		e->first[e->piece[i].item + 1]++;
	for (uint32_t i = 0; i < e->nitems; i++) {
		most = e->first[i + 1] > most ? e->first[i + 1] : most;
		e->first[i + 1] += e->first[i];
	}
	for (size_t i = 0; i < e->n; i++)
		e->sorted[e->first[e->piece[i].item]++] = (uint32_t)i;
	memmove(e->first + 1, e->first, e->nitems * sizeof(*e->first));
	e->first[0] = 0;
	for (uint32_t i = 0; i < e->nitems; i++)
		qsort_r(e->sorted + e->first[i], e->first[i + 1] - e->first[i], sizeof(*e->sorted),
			by_from, e->piece);
	e->heap = calloc(most + 1, sizeof(*e->heap));
	return e->heap ? 0 : TP_ENOMEM;
}

static int weight(uint8_t state)
{
	switch (state) {
	case TP_ST_RUNNING:
		return 4;
	case TP_ST_SYSCALL:
		return 3;
	case TP_ST_RUNNABLE:
		return 2;
	case TP_ST_WAITING:
		return 1;
	default:
		return 0;
	}
}

/* Returns whether a moment goes to piece i rather than to k. */
static bool before(const struct explain *e, uint32_t i, uint32_t k)
{
	const struct piece *p = &e->piece[i], *q = &e->piece[k];
	const struct rep_worker *x = &e->worker[p->worker], *y = &e->worker[q->worker];

	if (x->rank != y->rank)
		return x->rank > y->rank;
	if (weight(p->state) != weight(q->state))
		return weight(p->state) > weight(q->state);
	if (x->from != y->from)
		return x->from > y->from;
	return p->worker > q->worker;
}

static void heap_push(struct explain *e, uint32_t piece)
{
	size_t at = e->nheap++;

	while (at && before(e, piece, e->heap[(at - 1) / 2])) {
		e->heap[at] = e->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	e->heap[at] = piece;
}

static void heap_pop(struct explain *e)
{
	uint32_t last = e->heap[--e->nheap];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= e->nheap)
			break;
		if (child + 1 < e->nheap && before(e, e->heap[child + 1], e->heap[child]))
			child++;
		if (!before(e, e->heap[child], last))
			break;
		e->heap[at] = e->heap[child];
		at = child;
	}
	e->heap[at] = last;
}

static int give(struct explain *e, uint32_t item, rep_stretch_fn fn, void *ctx, struct tp_err *err)
{
	int64_t at = e->item[item].from, end = e->item[item].to;
	uint32_t next = e->first[item], last = e->first[item + 1];
	int code = 0;

	e->nheap = 0;
	while (!code && at < end) {
		struct rep_stretch s = {.item = item, .worker = TP_NONE, .from = at, .to = end};

		while (next < last && e->piece[e->sorted[next]].from <= at)
			heap_push(e, e->sorted[next++]);
		while (e->nheap && e->piece[e->heap[0]].to <= at)
			heap_pop(e);
		if (e->nheap) {
			const struct piece *p = &e->piece[e->heap[0]];

			s.worker = p->worker;
			s.state = p->state;
			s.reason = p->reason;
			s.stack = p->stack;
			s.to = p->to < end ? p->to : end;
		}
		if (next < last && e->piece[e->sorted[next]].from < s.to)
			s.to = e->piece[e->sorted[next]].from;
		code = fn(ctx, &s, err);
		at = s.to;
	}
	return code;
}

int rep_explain(struct rep_view *v, const struct rep_item *item, uint32_t nitems,
		const struct rep_worker *worker, uint32_t nworkers, rep_stretch_fn fn, void *ctx,
		struct tp_err *err)
{
	struct explain e = {
	    .v = v, .item = item, .nitems = nitems, .worker = worker, .nworkers = nworkers};
	int code = rep_view_load(v, TP_TABLE_GOROUTINE, REP_BIT(GOROUTINE, name), err);

	if (!code && queue_workers(&e))
		code = tp_nomem(err);
	if (!code)
		code = read_pieces(&e, err);
	if (!code && sort_pieces(&e))
		code = tp_nomem(err);
	for (uint32_t i = 0; !code && i < nitems; i++)
		code = give(&e, i, fn, ctx, err);
	free(e.order);
	free(e.slot);
	free(e.line);
	free(e.after);
	free(e.piece);
	free(e.first);
	free(e.sorted);
	free(e.heap);
	return code;
}
