#include "lanes/row_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"

#define MOST_BYTES ((size_t)32 << 20)
#define MOST_ROWS  2048

struct rep_cached_row {
	enum rep_lane_kind kind;
	uint32_t index;
	int64_t from, to;
	int cols;
	uint64_t used;
	struct rep_cell *cell;
};

const struct rep_cell *rep_row_cache_find(struct rep_lanes *l, const struct rep_picture *picture,
					  const struct rep_lane *row)
{
	for (size_t i = 0; i < l->ncached; i++) {
		struct rep_cached_row *k = &l->cached_row[i];

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
	l->cached_bytes -= (size_t)l->cached_row[i].cols * sizeof(*l->cached_row[i].cell);
	/* The analyzer loses sight of what the copy below brings here. */
	free(l->cached_row[i].cell); /* NOLINT(clang-analyzer-unix.Malloc) */
	l->cached_row[i] = l->cached_row[--l->ncached];
}

/* Drops the rows that were used longest ago, but none of the picture that is being drawn. Returns
 * whether there is room. */
static bool make_room(struct rep_lanes *l, size_t bytes)
{
	while (l->ncached && (l->ncached == MOST_ROWS || l->cached_bytes + bytes > MOST_BYTES)) {
		size_t old = 0;

		for (size_t i = 1; i < l->ncached; i++) {
			if (l->cached_row[i].used < l->cached_row[old].used)
				old = i;
		}
		if (l->cached_row[old].used == l->segments.now)
			return false;
		drop(l, old);
	}
	return bytes <= MOST_BYTES;
}

void rep_row_cache_put(struct rep_lanes *l, const struct rep_picture *picture,
		       const struct rep_lane *row, const struct rep_cell *cell)
{
	size_t bytes = (size_t)picture->cols * sizeof(*cell);
	struct rep_cell *copy;

	if (!make_room(l, bytes) ||
	    tp_grow(&l->cached_row, &l->cached_room, l->ncached, sizeof(*l->cached_row)))
		return;
	copy = malloc(bytes);
	if (!copy)
		return;
	memcpy(copy, cell, bytes);
	l->cached_row[l->ncached++] = (struct rep_cached_row){
	    .kind = row->kind,
	    .index = row->index,
	    .from = picture->from,
	    .to = picture->to,
	    .cols = picture->cols,
	    .used = l->segments.now,
	    .cell = copy,
	};
	l->cached_bytes += bytes;
}

void rep_row_cache_release(struct rep_lanes *l)
{
	while (l->ncached)
		drop(l, l->ncached - 1);
	free(l->cached_row);
	l->cached_row = NULL;
}
