/* An index of rows by hash. The rows are in an array of the caller; the table has their numbers in
 * open addressing, with 32 bits of each row's hash. So the table grows without computing hashes
 * again, and rows are compared only if these bits agree. Zero-initialised is valid and empty.
 * Hash numbers by tp_mix64 (base/random.h) and bytes by tp_hash_bytes. If the keys come from a dump
 * or a store, start the hash from tp_seed() (base/seed.h): otherwise a file could make all its keys
 * collide. Keys that the program chooses (such as ids of a dictionary) need no seed.
 *
 *	uint64_t hash = tp_hash_bytes(seed, name, size);
 *
 *	for (struct tp_probe p = {0}; tp_table_next(&t, hash, &p);)
 *		if (is_called(&item[p.row], name, size))
 *			return p.row;
 *	if (tp_grow(&item, &room, n, sizeof(*item)) || tp_table_add(&t, hash, n))
 *		return …;
 *	item[n++] = …; */
#ifndef TP_BASE_TABLE_H
#define TP_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define TP_TABLE_ROWS ((uint32_t)1 << 30) /* limit; half of 2^31 slots */

struct tp_table_slot {
	uint32_t hash, row; /* row + 1; 0: free */
};

struct tp_table {
	struct tp_table_slot *slot; /* mask + 1 of them, at most half taken; NULL: empty */
	uint32_t mask, n;
};

/* The state of a search; begins as {0}. */
struct tp_probe {
	uint32_t step;
	uint32_t row; /* the row that was found last */
};

/* Finds the next row with this hash (its low 32 bits); the caller compares the key. Returns false
 * when no row is left. Rows of one hash are found in the order in which they were added. */
static inline bool tp_table_next(const struct tp_table *t, uint64_t hash, struct tp_probe *p)
{
	if (!t->slot)
		return false;
	for (;;) {
		struct tp_table_slot s = t->slot[((uint32_t)hash + p->step++) & t->mask];

		if (!s.row)
			return false;
		if (s.hash == (uint32_t)hash) {
			p->row = s.row - 1;
			return true;
		}
	}
}

/* Makes room for `more` further rows, so that adding them cannot fail. Returns 0, TP_ENOMEM, or
 * TP_ELIMIT if the table would have more than TP_TABLE_ROWS. */
int tp_table_reserve(struct tp_table *t, size_t more);

/* Adds a row without searching for an equal one. Returns 0, TP_ENOMEM, or TP_ELIMIT if `row` is
 * TP_TABLE_ROWS or more; after an error the table is unchanged. */
static inline int tp_table_add(struct tp_table *t, uint64_t hash, size_t row)
{
	uint32_t at = (uint32_t)hash;

	if (row >= TP_TABLE_ROWS)
		return TP_ELIMIT;
	if (t->n >= (t->mask + 1) / 2) {
		int code = tp_table_reserve(t, 1);

		if (code)
			return code;
	}
	while (t->slot[at & t->mask].row)
		at++;
	t->slot[at & t->mask] = (struct tp_table_slot){(uint32_t)hash, (uint32_t)row + 1};
	t->n++;
	return 0;
}

/* Removes all rows but keeps the memory. */
void tp_table_clear(struct tp_table *t);
/* Frees the memory; the table is empty then and can be used again. */
void tp_table_release(struct tp_table *t);

uint64_t tp_hash_bytes(uint64_t seed, const void *data, size_t size);

#endif
