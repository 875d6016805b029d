/* A cache of pointers by two numbers; private to libparse/symbol. Zero-initialised is valid and
 * empty. The caller owns the objects of the pointers. */
#ifndef TP_SYMBOL_MEMO_H
#define TP_SYMBOL_MEMO_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

struct tp_memo_entry {
	uint64_t a, b;
	void *kept;
};

struct tp_memo {
	struct tp_memo_entry *entry;
	size_t n, room;
	struct tp_table table;
};

/* Returns NULL if nothing is stored under the two numbers. */
void *tp_memo_get(const struct tp_memo *m, uint64_t a, uint64_t b);
/* Stores a pointer that is not NULL, under numbers that are not used yet. Returns 0 or
 * TP_ENOMEM. */
int tp_memo_put(struct tp_memo *m, uint64_t a, uint64_t b, void *kept);
void tp_memo_release(struct tp_memo *m);

#endif
