/* Finds the blocks of glibc's malloc in the memory of another process, so that a pointer into a block
 * makes only that block reachable. Private to parent/.
 *
 * A heap is a row of chunks, whose sizes lead from one to the next (glibc: malloc/malloc.c, struct
 * malloc_chunk). If the row does not end exactly at the end of the heap, the memory does not count as
 * blocks. Free blocks count as blocks. */
#ifndef RECORD_PARENT_BLOCKS_H
#define RECORD_PARENT_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tprof-record/parent/live/memory.h"

struct rec_area {
	uint64_t start, limit; /* multiples of 16 */
	uint64_t *begins;      /* one bit for 16 bytes: a chunk begins */
	uint64_t *marks;       /* … and was reached */
	uint32_t *first;       /* by page: the chunk at its beginning, in 16 bytes from start */
};

struct rec_blocks {
	struct rec_area *area; /* sorted */
	size_t n, room;
};

/* Adds a region; regions come in ascending order. Returns whether it is a heap. *code becomes TP_ENOMEM if
 * memory has run out. */
bool rec_blocks_add(struct rec_blocks *b, struct rec_memory *m, const struct rec_region *r,
		    int *code);
void rec_blocks_release(struct rec_blocks *b);

struct rec_block {
	struct rec_area *area;
	uint64_t start, limit; /* what the program may use of it */
};

/* Finds the block that holds an address. Returns false if no block does. Sets its limit only if
 * `limit`. */
bool rec_blocks_find(const struct rec_blocks *b, uint64_t address, struct rec_block *block,
		     bool limit);
/* Marks it; returns whether it was not marked before. */
bool rec_block_mark(const struct rec_block *block);
bool rec_block_marked(const struct rec_block *block);

#endif
