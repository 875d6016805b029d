#include "lanes/kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"

#define MOST_BYTES ((size_t)32 << 20)
#define MOST_ROWS  2048

struct rep_kept {
	enum rep_lane_kind kind;
	uint32_t index;
	int64_t from, to;
	int cols;
	uint64_t used;
	struct rep_cell *cell;
};

const struct rep_cell *rep_kept_find(struct rep_lanes *l, const struct rep_picture *picture,
				     const struct rep_lane *row)
{
	for (size_t i = 0; i < l->nkept; i++) {
		struct rep_kept *k = &l->kept[i];

		if (k->index != row->index || k->kind != row->kind || k->from != picture->from ||
		    k->to != picture->to || k->cols != picture->cols)
			continue;
		k->used = l->segments.now;
		return k->cell;
	}
	return NULL;
}

static void drop(struct rep_lanes *l, size_t i)
{
	l->kept_bytes -= (size_t)l->kept[i].cols * sizeof(*l->kept[i].cell);
	/* The analyzer loses sight of what the copy below brings here. */
	free(l->kept[i].cell); /* NOLINT(clang-analyzer-unix.Malloc) */
	l->kept[i] = l->kept[--l->nkept];
}

/* What was wanted longest ago goes, but nothing of the picture that is drawn. */
static bool make_room(struct rep_lanes *l, size_t bytes)
{
	while (l->nkept && (l->nkept == MOST_ROWS || l->kept_bytes + bytes > MOST_BYTES)) {
		size_t old = 0;

		for (size_t i = 1; i < l->nkept; i++) {
			if (l->kept[i].used < l->kept[old].used)
				old = i;
		}
		if (l->kept[old].used == l->segments.now)
			return false;
		drop(l, old);
	}
	return bytes <= MOST_BYTES;
}

void rep_kept_put(struct rep_lanes *l, const struct rep_picture *picture,
		  const struct rep_lane *row, const struct rep_cell *cell)
{
	size_t bytes = (size_t)picture->cols * sizeof(*cell);
	struct rep_cell *copy;

	if (!make_room(l, bytes) || tp_grow(&l->kept, &l->kept_room, l->nkept, sizeof(*l->kept)))
		return;
	copy = malloc(bytes);
	if (!copy)
		return;
	memcpy(copy, cell, bytes);
	l->kept[l->nkept++] = (struct rep_kept){
	    .kind = row->kind,
	    .index = row->index,
	    .from = picture->from,
	    .to = picture->to,
	    .cols = picture->cols,
	    .used = l->segments.now,
	    .cell = copy,
	};
	l->kept_bytes += bytes;
}

void rep_kept_release(struct rep_lanes *l)
{
	while (l->nkept)
		drop(l, l->nkept - 1);
	free(l->kept);
	l->kept = NULL;
}
