/* Keys of up to four numbers, given dense indices in order of first appearance; what reports add up
 * by. Zero-initialised is valid and empty. */
#ifndef REP_KEYS_H
#define REP_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

struct rep_key {
	uint32_t part[4];
};

struct rep_keys {
	struct rep_key *key; /* n of them */
	size_t n, room;
	struct tp_table table;
};

/* The index of a key, new or known, into *index; 0 or TP_ENOMEM, TP_ELIMIT. */
int rep_keys_add(struct rep_keys *k, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
		 uint32_t *index);
/* The index of a known key, or false. */
bool rep_keys_find(const struct rep_keys *k, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
		   uint32_t *index);
void rep_keys_release(struct rep_keys *k);

#endif
