/* Facts: glibc's malloc/malloc.c and malloc/arena.c, 64 bits.
 *
 *	chunk           OFFSET SIZE MEANING
 *	                     0    8 (the last 8 bytes of the block before it, when that is in use)
 *	                     8    8 size, a multiple of 16 and at least 32; bit 0: the one before is
 *	                            in use, 1: mapped by itself, 2: of an arena other than the first
 *	                    16      what the program has, up to 8 bytes into the next chunk
 *	heap of an arena     0    8 its arena
 *	(at a multiple       8    8 the heap before it, 0 none
 *	of 64 MiB)          16    8 size of it, a multiple of the page size
 *	                            then, in an arena's first heap, the arena itself, then chunks
 *	mapped by itself     0    8 0
 *	                     8    8 size, a multiple of the page size, with bit 1
 *
 * Machines have pages of REC_PAGE bytes or of several of these. */
#include "tprof-record/parent/live/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "tprof-record/core/arena.h"

#define UNIT	  16
#define SMALLEST  32
#define HEAP_MAX  ((uint64_t)64 << 20)
#define HEADERS	  REC_PAGE /* an arena and what is before it are smaller */
#define FENCE	  64	   /* chunks that only close a heap take less than that */
#define TRIES	  3	   /* the program goes on meanwhile */
#define BIT(a, i) ((a)[(i) / 64] >> (i) % 64 & 1)

/* ---- reading headers in a row ---- */

struct walk {
	struct rec_memory *m;
	uint64_t at; /* address of what is in `byte` */
	size_t n;
	uint8_t byte[REC_WINDOW];
};

static bool size_at(struct walk *w, uint64_t chunk, uint64_t limit, uint64_t *size)
{
	uint64_t at = chunk + 8;

	if (at < w->at || at + 8 > w->at + w->n) {
		size_t want =
		    limit - chunk < sizeof(w->byte) ? (size_t)(limit - chunk) : sizeof(w->byte);

		w->at = chunk;
		w->n = rec_memory_read(w->m, chunk, w->byte, want);
		w->m->left -= w->m->left < w->n ? w->m->left : w->n;
		if (w->n < 16)
			return false;
	}
	memcpy(size, w->byte + (at - w->at), 8);
	return true;
}

static void begin_at(struct rec_area *a, uint64_t chunk)
{
	uint64_t i = (chunk - a->start) / UNIT;

	a->begins[i / 64] |= (uint64_t)1 << i % 64;
}

/* Returns whether the chunks that begin at `from` lead exactly to the end. Notes where they begin. */
static bool walk_chunks(struct rec_area *a, struct walk *w, uint64_t from, bool mapped)
{
	uint64_t size, chunk = from;

	memset(a->begins, 0, (size_t)((a->limit - a->start) / UNIT / 64 + 1) * 8);
	while (chunk < a->limit) {
		begin_at(a, chunk);
		if (!size_at(w, chunk, a->limit, &size))
			return false;
		if (!(size & 2) != !mapped)
			return false;
		size &= ~(uint64_t)7;
		if (size < SMALLEST && a->limit - chunk <= FENCE)
			return true;
		if (size < SMALLEST || size % UNIT || size > a->limit - chunk ||
		    (mapped && size % REC_PAGE))
			return false;
		chunk += size;
	}
	return chunk == a->limit;
}

/* ---- which memory is a heap ---- */

static bool is_arena_heap(struct rec_memory *m, const struct rec_region *r, uint64_t *limit)
{
	uint64_t head[3], arena;

	if (r->start % HEAP_MAX || rec_memory_read(m, r->start, head, sizeof(head)) != sizeof(head))
		return false;
	arena = head[0];
	*limit = r->start + head[2];
	return head[2] % REC_PAGE == 0 && head[2] >= REC_PAGE && head[2] <= r->limit - r->start &&
	       arena % UNIT == 0 && arena % HEAP_MAX < HEADERS && head[1] % HEAP_MAX == 0;
}

static bool try_area(struct rec_area *a, struct rec_memory *m, const struct rec_region *r)
{
	struct walk *w = malloc(sizeof(*w));
	bool found = false;
	uint64_t head[2];

	if (!w)
		return false;
	w->m = m;
	for (int i = 0; i < TRIES && !found; i++) {
		w->n = 0;
		w->at = 0;
		if (r->heap) {
			found = walk_chunks(a, w, a->start, false);
		} else if (is_arena_heap(m, r, &a->limit)) {
			/* The arena's own size differs between versions. */
			for (uint64_t at = UNIT * 2; at < HEADERS && !found; at += UNIT)
				found = walk_chunks(a, w, a->start + at, false);
		} else if (rec_memory_read(m, r->start, head, 16) == 16 && !head[0] &&
			   (head[1] & 7) == 2) {
			found = walk_chunks(a, w, a->start, true);
		} else {
			break;
		}
	}
	free(w);
	return found;
}

static void index_pages(struct rec_area *a)
{
	uint64_t units = (a->limit - a->start) / UNIT;
	uint32_t last = 0;

	for (uint64_t i = 0; i < units; i++) {
		if (i % 64 == 0 && !a->begins[i / 64] && i % (REC_PAGE / UNIT)) {
			i += 63;
			continue;
		}
		if (BIT(a->begins, i))
			last = (uint32_t)i;
		if (i % (REC_PAGE / UNIT) == 0)
			a->first[i / (REC_PAGE / UNIT)] = last;
	}
}

bool rec_blocks_add(struct rec_blocks *b, struct rec_memory *m, const struct rec_region *r,
		    int *code)
{
	size_t words = (size_t)((r->limit - r->start) / UNIT / 64 + 1);
	struct rec_area a = {.start = r->start, .limit = r->limit};
	bool found = false;

	if (!r->anonymous || !r->writable || r->shared || r->start % REC_PAGE ||
	    r->limit % REC_PAGE || (r->limit - r->start) / UNIT > UINT32_MAX)
		return false;
	if (tp_grow(&b->area, &b->room, b->n, sizeof(*b->area))) {
		*code = TP_ENOMEM;
		return false;
	}
	a.begins = calloc(words, 8);
	if (a.begins)
		found = try_area(&a, m, r);
	if (found) {
		a.marks = calloc(words, 8);
		a.first = calloc((size_t)((r->limit - r->start) / REC_PAGE + 1), sizeof(*a.first));
	}
	if (!a.begins || (found && (!a.marks || !a.first)))
		*code = TP_ENOMEM;
	if (found && a.marks && a.first) {
		index_pages(&a);
		b->area[b->n++] = a;
		return true;
	}
	free(a.begins);
	free(a.marks);
	free(a.first);
	return false;
}

void rec_blocks_release(struct rec_blocks *b)
{
	for (size_t i = 0; i < b->n; i++) {
		free(b->area[i].begins);
		free(b->area[i].marks);
		free(b->area[i].first);
	}
	free(b->area);
	*b = (struct rec_blocks){0};
}

/* ---- looking up ---- */

static struct rec_area *area_of(const struct rec_blocks *b, uint64_t address)
{
	size_t low = 0, high = b->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (b->area[mid].limit <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < b->n && b->area[low].start <= address ? &b->area[low] : NULL;
}

/* Returns the last chunk that begins at or before unit i; UINT64_MAX: none. */
static uint64_t chunk_before(const struct rec_area *a, uint64_t i)
{
	uint64_t page = i / (REC_PAGE / UNIT), first = page * (REC_PAGE / UNIT) / 64;
	uint64_t bits = a->begins[i / 64] & (~(uint64_t)0 >> (63 - i % 64));

	for (uint64_t word = i / 64;; bits = a->begins[--word]) {
		if (bits)
			return word * 64 + 63 - (uint64_t)__builtin_clzll(bits);
		if (word == first)
			break;
	}
	return BIT(a->begins, a->first[page]) ? a->first[page] : UINT64_MAX;
}

static uint64_t chunk_after(const struct rec_area *a, uint64_t i)
{
	uint64_t units = (a->limit - a->start) / UNIT, word = ++i / 64;
	uint64_t bits = i < units ? a->begins[word] & (~(uint64_t)0 << i % 64) : 0;

	while (!bits && ++word <= units / 64)
		bits = a->begins[word];
	return bits ? word * 64 + (uint64_t)__builtin_ctzll(bits) : units;
}

bool rec_blocks_find(const struct rec_blocks *b, uint64_t address, struct rec_block *block,
		     bool limit)
{
	struct rec_area *a = area_of(b, address - 8);
	uint64_t chunk, end;

	if (!a)
		return false;
	chunk = chunk_before(a, (address - 8 - a->start) / UNIT);
	if (chunk == UINT64_MAX)
		return false;
	block->area = a;
	block->start = a->start + chunk * UNIT + 16;
	if (limit) {
		end = a->start + chunk_after(a, chunk) * UNIT + 8;
		block->limit = end < a->limit ? end : a->limit;
	}
	return true;
}

bool rec_block_marked(const struct rec_block *block)
{
	uint64_t i = (block->start - 16 - block->area->start) / UNIT;

	return BIT(block->area->marks, i);
}

bool rec_block_mark(const struct rec_block *block)
{
	uint64_t i = (block->start - 16 - block->area->start) / UNIT;

	if (BIT(block->area->marks, i))
		return false;
	block->area->marks[i / 64] |= (uint64_t)1 << i % 64;
	return true;
}
