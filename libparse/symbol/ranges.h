/* Sorted ranges of addresses, each with a number; private to libparse/symbol. Zero-initialised is
 * valid and empty. */
#ifndef TP_SYMBOL_RANGES_H
#define TP_SYMBOL_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tp_range {
	uint64_t low, high; /* [low, high) */
	uint64_t value;
};

struct tp_ranges {
	struct tp_range *range;
	uint64_t *reach; /* by range: the highest end of it and those before */
	size_t n, room;
};

/* Adds a range, unless it is empty. Returns 0, TP_ENOMEM or TP_ELIMIT. */
int tp_ranges_add(struct tp_ranges *r, uint64_t low, uint64_t high, uint64_t value);
/* Sorts the ranges, after the last has been added. Returns 0 or TP_ENOMEM. */
int tp_ranges_sort(struct tp_ranges *r);
/* Returns the innermost range that contains the address (the one that begins last), or NULL. */
const struct tp_range *tp_ranges_find(const struct tp_ranges *r, uint64_t address);
void tp_ranges_release(struct tp_ranges *r);

#endif
