#include "base/table.h"

#include <stdlib.h>
#include <string.h>
/* So that the recorder does not load the library for a few hashes. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/many.h"

#define FIRST_SLOTS 64

/* Moves the rows into `to`, which has room. Rows of one hash must keep their order. The walk begins
 * after a free slot, because a run of taken slots may wrap around to the front of the table. */
static void move_rows(const struct tp_table *from, struct tp_table *to)
{
	uint32_t at = 0;

	while (from->slot[at].row)
		at++;
	for (uint32_t i = 0; i < from->mask; i++) {
		struct tp_table_slot s = from->slot[++at & from->mask];
		uint32_t into = s.hash;

		if (!s.row)
			continue;
		while (to->slot[into & to->mask].row)
			into++;
		to->slot[into & to->mask] = s;
	}
	to->n = from->n;
}

int tp_table_reserve(struct tp_table *t, size_t more)
{
	struct tp_table bigger = {0};
	uint32_t n = t->slot ? t->mask + 1 : FIRST_SLOTS;

	if (more > TP_TABLE_ROWS - t->n)
		return TP_ELIMIT;
	while (n / 2 < t->n + more)
		n *= 2;
	if (t->slot && n == t->mask + 1)
		return 0;
	bigger.slot = tp_many_fit(n, sizeof(*bigger.slot)) ? calloc(n, sizeof(*bigger.slot)) : NULL;
	if (!bigger.slot)
		return TP_ENOMEM;
	bigger.mask = n - 1;
	if (t->slot)
		move_rows(t, &bigger);
	free(t->slot);
	*t = bigger;
	return 0;
}

void tp_table_clear(struct tp_table *t)
{
	if (t->n)
		memset(t->slot, 0, ((size_t)t->mask + 1) * sizeof(*t->slot));
	t->n = 0;
}

void tp_table_release(struct tp_table *t)
{
	free(t->slot);
	*t = (struct tp_table){0};
}

uint64_t tp_hash_bytes(uint64_t seed, const void *data, size_t size)
{
	return XXH3_64bits_withSeed(data, size, seed);
}
