#include "order/v2/frontier.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/cursor.h"

#define CHUNK 64

/* Returns whether one of the aligned words of four bytes has continuation bytes only. The loop has a fixed
 * length, so compilers use vector registers. */
static inline bool has_long_word(const uint8_t *p)
{
	uint32_t any = 0, w[CHUNK / 4];

	memcpy(w, p, sizeof(w));
	for (unsigned k = 0; k < CHUNK / 4; k++)
		any |= (w[k] & 0x80808080u) == 0x80808080u;
	return any != 0;
}

#define LONG_RUN 9

/* Returns where the first run of nine continuation bytes begins, or n. Such a run covers an aligned word of
 * four of them. Such words are rare, so they are searched for first. */
static size_t find_long_varint(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i += CHUNK) {
		size_t run = 0, k = i < LONG_RUN ? 0 : i - LONG_RUN;

		if (n - i >= CHUNK && !has_long_word(p + i))
			continue;
		for (; k < n && k < i + CHUNK + LONG_RUN; k++) {
			run = p[k] & 0x80 ? run + 1 : 0;
			if (run == LONG_RUN)
				return k + 1 - LONG_RUN;
		}
	}
	return n;
}

/* Finds out which of the events from c->at on need no checks. */
static void look_ahead(struct tp_v2_cursor *c)
{
	size_t left = (size_t)(c->end - c->at), sound = find_long_varint(c->at, left);

	c->slow = sound < TP_V2_MAX_EVENT ? c->at : c->at + sound - (TP_V2_MAX_EVENT - 1);
	c->again = sound == left ? c->end : c->at + sound + LONG_RUN;
}

/* Moves to the next batch that has data. Returns false if no such batch is left. */
static bool next_piece(struct tp_v2_frontier *f, struct tp_v2_cursor *c, uint32_t piece)
{
	const struct tp_v2_generation *g = f->g;
	const struct tp_v2_piece *p;

	while (piece && !g->pieces[piece - 1].size) /* salvage may have cut all of it */
		piece = g->pieces[piece - 1].next;
	c->piece = piece;
	if (!piece) {
		c->from = c->at = c->slow = c->again = c->end;
		return false;
	}
	p = &g->pieces[piece - 1];
	c->at = g->data + p->offset;
	c->end = c->at + p->size;
	c->ts = tp_v2_ns(g->ns_per_tick, p->time);
	look_ahead(c);
	f->consumed += p->size;
	return true;
}

int tp_v2_cursor_next_slow(struct tp_v2_frontier *f, struct tp_v2_cursor *c, struct tp_err *err)
{
	struct tp_cursor in;
	const uint8_t *args;
	uint64_t offset, dt;
	unsigned arity;

	if (c->at == c->end && !next_piece(f, c, c->piece ? f->g->pieces[c->piece - 1].next : 0))
		return 0;
	if (c->at >= c->again)
		look_ahead(c);
	c->from = c->at;
	offset = (uint64_t)(c->at - f->g->data);
	c->type = *c->at;
	arity = tp_v2_arity[c->type];
	if (!arity)
		return tp_err_set(err, TP_EFORMAT, offset,
				  "a batch of M %lld has the event type %u", (long long)c->m->id,
				  c->type);
	in = tp_cursor(c->at, (size_t)(c->end - c->at));
	tp_cursor_u8(&in);
	dt = tp_cursor_uvarint(&in);
	args = in.at;
	for (unsigned i = 1; i < arity; i++)
		tp_cursor_uvarint(&in);
	if (in.failed)
		return tp_err_set(err, TP_EFORMAT, offset, "event %s: %s",
				  tp_v2_wires[c->type].name, tp_cursor_fault_text(in.failed));
	c->ts = (int64_t)((uint64_t)c->ts + (uint64_t)tp_v2_ns(f->g->ns_per_tick, dt));
	c->at = args;
	return 1;
}

static size_t sift_up(struct tp_v2_entry *h, size_t i)
{
	while (i > 0 && h[(i - 1) / 2].ts > h[i].ts) {
		struct tp_v2_entry t = h[i];

		h[i] = h[(i - 1) / 2];
		h[(i - 1) / 2] = t;
		i = (i - 1) / 2;
	}
	return i;
}

void tp_v2_frontier_update(struct tp_v2_frontier *f, size_t i)
{
	if (!i || sift_up(f->heap, i) == i)
		tp_v2_frontier_sift_down(f->heap, f->n, i);
}

/* Does what Go does: moves the entry up to the root, regardless of the times; then the last entry takes its
 * place there and moves down. */
void tp_v2_frontier_remove(struct tp_v2_frontier *f, size_t i)
{
	for (; i > 0; i = (i - 1) / 2)
		f->heap[i] = f->heap[(i - 1) / 2];
	f->heap[0] = f->heap[--f->n];
	tp_v2_frontier_sift_down(f->heap, f->n, 0);
}

#define MISPLACED 64 /* with more entries out of order, sorting all is cheaper */

/* Sorts an almost sorted heap in linear time. A heap that was sorted and then changed or lost one entry has
 * only as many entries out of order as it has levels. This makes thousands of threads that wait for one
 * another cheaper. Returns false and changes nothing if too many entries are out of order, or if two have the
 * same time, because their order depends on Go's sort. */
static bool merge_misplaced(struct tp_v2_frontier *f)
{
	struct tp_v2_entry *to = f->heap, *sorted = f->spare, misplaced[MISPLACED + 1];
	size_t nsorted = 0, nmisplaced = 0, n = f->n, at;

	for (size_t i = 0; i < n; i++) {
		const struct tp_v2_entry e = to[i];

		if (nsorted > 1 && sorted[nsorted - 1].ts >= e.ts && sorted[nsorted - 2].ts < e.ts)
			misplaced[nmisplaced++] = sorted[--nsorted]; /* it came too early */
		if (nsorted && sorted[nsorted - 1].ts >= e.ts)
			misplaced[nmisplaced++] = e;
		else
			sorted[nsorted++] = e;
		if (nmisplaced >= MISPLACED)
			return false;
	}
	for (size_t i = 1; i < nmisplaced; i++) {
		const struct tp_v2_entry e = misplaced[i];

		for (at = i; at > 0 && misplaced[at - 1].ts > e.ts; at--)
			misplaced[at] = misplaced[at - 1];
		misplaced[at] = e;
	}
	at = 0;
	for (size_t i = 0; i < nmisplaced; i++) {
		while (at < nsorted && sorted[at].ts < misplaced[i].ts)
			at++;
		if ((at < nsorted && sorted[at].ts == misplaced[i].ts) ||
		    (i > 0 && misplaced[i - 1].ts == misplaced[i].ts))
			return false;
	}
	while (n-- > 0) {
		bool is_misplaced = nmisplaced && (!nsorted || misplaced[nmisplaced - 1].ts >
								   sorted[nsorted - 1].ts);

		to[n] = is_misplaced ? misplaced[--nmisplaced] : sorted[--nsorted];
	}
	return true;
}

void tp_v2_frontier_sort(struct tp_v2_frontier *f)
{
	if (f->n <= MISPLACED || !merge_misplaced(f))
		tp_v2_sort(f->heap, f->n);
}

int tp_v2_frontier_begin(struct tp_v2_frontier *f, struct tp_v2_state *s,
			 const struct tp_v2_generation *g, struct tp_err *err)
{
	f->g = g;
	f->n = 0;
	f->consumed = 0;
	for (unsigned i = 0; i < 128; i++)
		f->dt_ns[i] = tp_v2_ns(g->ns_per_tick, i);
	if (f->room < g->nstreams) {
		free(f->heap);
		free(f->spare);
		free(f->cursors);
		f->room = 0;
		f->heap = tp_many(g->nstreams, sizeof(*f->heap));
		f->spare = tp_many(g->nstreams, sizeof(*f->spare));
		f->cursors = tp_many(g->nstreams, sizeof(*f->cursors));
		if (!f->heap || !f->spare || !f->cursors)
			return tp_nomem(err);
		f->room = g->nstreams;
	}
	for (size_t i = 0; i < g->nstreams; i++) {
		struct tp_v2_cursor *c = &f->cursors[i];
		int more;

		memset(c, 0, sizeof(*c));
		c->m = tp_v2_m_get(s, g->streams[i].m);
		if (!c->m) {
			int code = tp_v2_state_refusal(s);

			return tp_err_full(err, code, "too many threads");
		}
		tp_v2_m_used(s, c->m);
		c->from = c->at = c->slow = c->again = c->end = g->data;
		if (!next_piece(f, c, g->streams[i].first))
			continue;
		more = tp_v2_cursor_next_slow(f, c, err);
		if (more < 0)
			return more;
		f->heap[f->n] = (struct tp_v2_entry){.ts = c->ts, .of = c};
		sift_up(f->heap, f->n++);
	}
	return 0;
}

void tp_v2_frontier_release(struct tp_v2_frontier *f)
{
	free(f->heap);
	free(f->spare);
	free(f->cursors);
	memset(f, 0, sizeof(*f));
}
