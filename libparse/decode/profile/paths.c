#include "decode/profile/paths.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/big.h"
#include "base/seed.h"

#define MAX_ENTRIES ((size_t)1 << 30) /* of a dictionary */
#define AHEAD	    8		      /* paths to prefetch */

int tp_paths_room(struct tp_paths *p, size_t n)
{
	size_t room = p->frame_room ? p->frame_room : 1024;
	uint32_t *frame;

	if (n <= p->frame_room - p->nframes)
		return 0;
	if (n > SIZE_MAX / 16 - p->nframes)
		return TP_ENOMEM;
	while (room - p->nframes < n)
		room *= 2;
	frame = tp_big_many(room, sizeof(*frame));
	if (!frame)
		return TP_ENOMEM;
	if (p->nframes)
		memcpy(frame, p->frame, p->nframes * sizeof(*frame));
	free(p->frame);
	p->frame = frame;
	p->frame_room = room;
	return 0;
}

int tp_paths_end(struct tp_paths *p)
{
	if (p->nframes - (p->n ? p->end[p->n - 1] : 0) > MAX_ENTRIES || p->n >= MAX_ENTRIES)
		return TP_ELIMIT;
	if (tp_grow_raw(&p->end, &p->room, p->n, sizeof(*p->end)))
		return TP_ENOMEM;
	p->end[p->n++] = p->nframes;
	return 0;
}

void tp_paths_release(struct tp_paths *p)
{
	free(p->frame);
	free(p->end);
}

static size_t begin(const struct tp_paths *p, uint32_t path)
{
	return path ? p->end[path - 1] : 0;
}

/* ---- sorting: a multikey quicksort over words of as many frames as fit 64 bits (Bentley and
 * Sedgewick, "Fast algorithms for sorting and searching strings") ---- */

struct item {
	uint64_t word;	       /* the frames at the depth being compared; 0 after the end */
	uint32_t path, shared; /* frames it has in common with the item before */
};

/* Items with equal frames down to `depth`. */
struct range {
	size_t from, to, depth;
};

struct sorter {
	const struct tp_paths *p;
	struct item *item;
	unsigned bits; /* of a frame */
	size_t step;   /* frames in a word */
	uint64_t seed;
	struct range *todo;
	size_t ntodo;
};

static uint64_t word_at(const struct sorter *s, uint32_t path, size_t depth)
{
	size_t from = begin(s->p, path), n = s->p->end[path] - from;
	uint64_t word = 0;

	for (size_t i = depth; i < depth + s->step; i++)
		word = word << s->bits | (i < n ? s->p->frame[from + i] : 0);
	return word;
}

/* Adds a range to sort. Ranges are disjoint and have at least two items, so there is room for half
 * as many ranges as items. */
static void plan(struct sorter *s, size_t from, size_t to, size_t depth)
{
	if (to - from > 1)
		s->todo[s->ntodo++] = (struct range){from, to, depth};
}

static void sort_few(const struct sorter *s, struct range r)
{
	struct item *item = s->item + r.from;
	size_t n = r.to - r.from;

	/* Prefetch for plan_deeper(). */
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(s->p->frame + begin(s->p, item[i].path) + r.depth + s->step);
	for (size_t i = 1; i < n; i++) {
		struct item moved = item[i];
		size_t at = i;

		for (; at && item[at - 1].word > moved.word; at--)
			item[at] = item[at - 1];
		item[at] = moved;
	}
}

/* Adds the ranges whose words are equal and not at the end of their paths. */
static void plan_deeper(struct sorter *s, size_t from, size_t to, size_t depth)
{
	uint64_t last = ((uint64_t)1 << s->bits) - 1;

	if (to - from < 2 || !(s->item[from].word & last))
		return;
	for (size_t i = from; i < to; i++)
		s->item[i].word = word_at(s, s->item[i].path, depth + s->step);
	plan(s, from, to, depth + s->step);
}

static void sort_range(struct sorter *s, struct range r)
{
	struct item *item = s->item;
	size_t less = r.from, more = r.to, same;
	uint64_t pivot;

	if (r.to - r.from <= 12) {
		sort_few(s, r);
		for (size_t i = r.from, end; i < r.to; i = end) {
			for (end = i + 1; end < r.to && item[end].word == item[i].word;)
				end++;
			plan_deeper(s, i, end, r.depth);
		}
		return;
	}
	/* A random pivot, because paths may have been chosen to make this slow. */
	s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
	pivot = item[r.from + (size_t)(s->seed >> 33) % (r.to - r.from)].word;
	for (same = r.from; same < more;) {
		struct item it = item[same];

		if (it.word < pivot) {
			item[same++] = item[less];
			item[less++] = it;
		} else if (it.word > pivot) {
			item[same] = item[--more];
			item[more] = it;
		} else {
			same++;
		}
	}
	plan(s, r.from, less, r.depth);
	plan(s, more, r.to, r.depth);
	plan_deeper(s, less, more, r.depth);
}

static int sort(struct sorter *s)
{
	size_t n = s->p->n;

	s->todo = tp_many(n / 2 + 1, sizeof(*s->todo));
	if (!s->todo)
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++)
		s->item[i] = (struct item){.word = word_at(s, (uint32_t)i, 0), (uint32_t)i, 0};
	plan(s, 0, n, 0);
	while (s->ntodo)
		sort_range(s, s->todo[--s->ntodo]);
	free(s->todo);
	return 0;
}

/* ---- putting ---- */

/* Counts the frames that each path shares with the one before, and those that it adds. */
static void compare(const struct tp_paths *p, struct item *item, size_t *deepest, size_t *nodes)
{
	const uint32_t *last = p->frame;
	size_t nlast = 0;

	for (size_t i = 0; i < p->n; i++) {
		const uint32_t *frame = p->frame + begin(p, item[i].path);
		size_t ahead = i + AHEAD < p->n ? begin(p, item[i + AHEAD].path) : 0;
		size_t n = (size_t)(p->frame + p->end[item[i].path] - frame), same = 0;

		__builtin_prefetch(p->frame + ahead);
		__builtin_prefetch(p->frame + ahead + 16);
		while (same < n && same < nlast && frame[same] == last[same])
			same++;
		item[i].shared = (uint32_t)same;
		*nodes += n - same;
		if (n > *deepest)
			*deepest = n;
		last = frame;
		nlast = n;
	}
}

static int put_sorted(const struct tp_paths *p, struct item *item, struct tp_dict *d,
		      uint32_t *stack)
{
	size_t deepest = 0, nodes = 1;
	uint32_t *node;
	int code;

	compare(p, item, &deepest, &nodes);
	node = tp_many(deepest + 1, sizeof(*node));
	code = node ? tp_dict_reserve(d, &(struct tp_dict_sizes){.stacks = nodes}) : TP_ENOMEM;
	for (size_t i = 0; i < p->n && !code; i++) {
		uint32_t path = item[i].path, shared = item[i].shared;
		size_t from = begin(p, path), n = p->end[path] - from;

		if (i + AHEAD < p->n)
			__builtin_prefetch(p->frame + begin(p, item[i + AHEAD].path) +
					   item[i + AHEAD].shared);
		node[0] = 0;
		code = tp_dict_append_path(d, node[shared], p->frame + from + shared, n - shared,
					   node + 1 + shared);
		stack[path] = code ? 0 : node[n];
	}
	free(node);
	return code;
}

int tp_paths_put(const struct tp_paths *p, struct tp_dict *d, uint32_t *stack)
{
	struct sorter s = {.p = p, .bits = 1, .seed = tp_seed()};
	int code;

	while (tp_dict_frames(d) >> s.bits)
		s.bits++;
	s.step = 64 / s.bits;
	s.item = tp_big_many(p->n + 1, sizeof(*s.item));
	if (!s.item)
		return TP_ENOMEM;
	code = sort(&s);
	if (!code)
		code = put_sorted(p, s.item, d, stack);
	free(s.item);
	return code;
}
