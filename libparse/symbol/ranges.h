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

/* 0 or TP_ENOMEM, TP_ELIMIT; empty ranges are dropped. */
int tp_ranges_add(struct tp_ranges *r, uint64_t low, uint64_t high, uint64_t value);
/* After the last; 0 or TP_ENOMEM. */
int tp_ranges_sort(struct tp_ranges *r);
/* The innermost range that holds the address: of those, the one that begins last. NULL: none. */
const struct tp_range *tp_ranges_find(const struct tp_ranges *r, uint64_t address);
void tp_ranges_release(struct tp_ranges *r);

#endif
