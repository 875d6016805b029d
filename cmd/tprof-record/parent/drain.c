#include "tprof-record/parent/drain.h"

#include <stdlib.h>
#include <string.h>

#include "tprof-record/core/core.h"

int rec_drain_begin(struct rec_drain *d)
{
	memset(d, 0, sizeof(*d));
	/* Memory is used only for as many records as a round has. */
	d->round = malloc(sizeof(*d->round) * REC_NCHUNKS * REC_CHUNK_EVENTS);
	return d->round ? 0 : TP_ENOMEM;
}

void rec_drain_end(struct rec_drain *d)
{
	free(d->round);
	d->round = NULL;
}

/* A chunk to read in this round. */
struct turn {
	uint32_t turn, chunk;
};

static int by_turn(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

/* Lists the chunks that may have records, in the order in which they were begun. */
static size_t plan(struct rec_drain *d, const struct rec_arena *a, bool last,
		   struct turn turns[REC_NCHUNKS])
{
	uint32_t used = atomic_load_explicit(&a->header->chunks.used, memory_order_acquire);
	size_t n = 0;

	if (used > REC_NCHUNKS)
		used = REC_NCHUNKS;
	for (uint32_t i = 0; i < used; i++) {
		struct rec_drain_chunk *of = &d->chunk[i];
		uint32_t turn = atomic_load_explicit(&a->chunks[i].turn, memory_order_acquire);

		/* On the free list: a record of a late writer in there can wait. */
		if (of->given_back && turn == of->turn && !last)
			continue;
		if (of->given_back)
			*of = (struct rec_drain_chunk){0};
		of->turn = turn;
		turns[n++] = (struct turn){.turn = turn, .chunk = i};
	}
	qsort(turns, n, sizeof(*turns), by_turn);
	return n;
}

enum sight { LATER, NOW, NEVER };

static enum sight look(struct rec_drain *d, const struct rec_event *event, uint64_t until)
{
	uint16_t kind = atomic_load_explicit(&event->kind, memory_order_acquire);

	if (kind == REC_NOTHING)
		return LATER;
	if (kind >= REC_NKINDS) {
		d->nonsense++;
		return NEVER;
	}
	return event->end <= until ? NOW : LATER;
}

/* Adds the records of a chunk that can be taken to the round, which has n places so far. */
static size_t look_at_chunk(struct rec_drain *d, const struct rec_arena *a, uint32_t chunk,
			    uint64_t until, size_t n)
{
	struct rec_drain_chunk *of = &d->chunk[chunk];
	const struct rec_chunk *c = &a->chunks[chunk];
	uint32_t limit = atomic_load_explicit(&c->reserved, memory_order_acquire);
	uint32_t before = of->looked, i;

	if (limit > REC_CHUNK_EVENTS)
		limit = REC_CHUNK_EVENTS;
	if (limit > before)
		of->looked = (uint16_t)limit;
	for (i = of->nleft ? 0 : before; i < of->looked; i++) {
		uint64_t bit = 1ull << (i % 64);
		bool was_left = of->left[i / 64] & bit;
		enum sight seen;

		if (i < before && !was_left)
			continue;
		seen = look(d, &c->event[i], until);
		if (seen == NOW)
			d->round[n] = (struct rec_drain_place){.end = c->event[i].end,
							       .chunk = (uint16_t)chunk,
							       .event = (uint16_t)i,
							       .order = (uint32_t)n};
		n += seen == NOW;
		if ((seen == LATER) == was_left)
			continue;
		of->left[i / 64] ^= bit;
		of->nleft = (uint16_t)(was_left ? of->nleft - 1 : of->nleft + 1);
	}
	return n;
}

/* Equal ends keep the order of chunks and of places in them. */
static int by_end(const void *a, const void *b)
{
	const struct rec_drain_place *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void sort_round(struct rec_drain_place *round, size_t n)
{
	size_t i = 1;

	while (i < n && round[i - 1].end <= round[i].end)
		i++;
	if (i < n)
		qsort(round, n, sizeof(*round), by_end);
}

static void settle(struct rec_drain *d, const struct rec_arena *a, uint32_t chunk, uint64_t now,
		   bool last)
{
	struct rec_drain_chunk *of = &d->chunk[chunk];

	if (last) {
		d->given_up += of->nleft;
		of->nleft = 0;
		return;
	}
	if (of->looked < REC_CHUNK_EVENTS ||
	    !atomic_load_explicit(&a->chunks[chunk].full, memory_order_acquire))
		return;
	if (of->nleft) {
		if (!of->waiting_since)
			of->waiting_since = now;
		if (now - of->waiting_since < REC_DRAIN_PATIENCE)
			return;
		d->given_up += of->nleft;
	}
	of->given_back = true;
	rec_chunk_give(a, chunk);
}

size_t rec_drain(struct rec_drain *d, const struct rec_arena *a, struct rec_spool *s, uint64_t now,
		 bool last)
{
	struct turn turns[REC_NCHUNKS];
	size_t nturns = plan(d, a, last, turns), n = 0;

	for (size_t i = 0; i < nturns; i++)
		n = look_at_chunk(d, a, turns[i].chunk, last ? UINT64_MAX : now, n);
	sort_round(d->round, n);
	for (size_t i = 0; i < n; i++) {
		const struct rec_event *e = &a->chunks[d->round[i].chunk].event[d->round[i].event];
		uint16_t kind = atomic_load_explicit(&e->kind, memory_order_relaxed);

		/* A hostile program may have changed it. */
		if (kind > REC_NOTHING && kind < REC_NKINDS)
			rec_spool_put(s, e, kind);
		if (kind == REC_PROCESS_EXEC) {
			d->exec_ns = e->end;
			d->exec_path = e->arg;
		}
		/* The last exec failed. */
		if (kind == REC_PROCESS_EXIT)
			d->exec_ns = 0;
		if (kind == REC_PROCESS_FORK)
			d->forked[d->nforks++ % REC_DRAIN_FORKS] = (uint32_t)e->object;
	}
	for (size_t i = 0; i < nturns; i++)
		settle(d, a, turns[i].chunk, now, last);
	return n;
}
