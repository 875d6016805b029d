/* Assigns dense indices to keys of up to four numbers, in order of first appearance; reports add up
 * by them. Zero-initialised is valid and empty. */
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

/* Sets *index to the index of a key, new or known. Returns 0, TP_ENOMEM or TP_ELIMIT. */
int rep_keys_add(struct rep_keys *k, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
		 uint32_t *index);
/* Finds the index of a known key. Returns false if the key is unknown. */
bool rep_keys_find(const struct rep_keys *k, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
		   uint32_t *index);
void rep_keys_release(struct rep_keys *k);

#endif
