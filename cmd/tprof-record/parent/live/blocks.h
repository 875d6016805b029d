/* Where the blocks of glibc's malloc lie in the memory of another process, so that a pointer into
 * one makes that reachable and not its neighbours. Private to parent/.
 *
 * A heap is a row of chunks, whose sizes lead from one to the next (glibc: malloc/malloc.c, struct
 * malloc_chunk). A row that does not lead to the end of its heap exactly is not believed: that
 * memory is none of blocks. Free blocks count as blocks. */
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

/* Looks at regions in ascending order: true where it is a heap; *code becomes TP_ENOMEM otherwise
 * if memory was short. */
bool rec_blocks_add(struct rec_blocks *b, struct rec_memory *m, const struct rec_region *r,
		    int *code);
void rec_blocks_release(struct rec_blocks *b);

struct rec_block {
	struct rec_area *area;
	uint64_t start, limit; /* what the program may use of it */
};

/* The block that an address is in, anywhere; false where there is none. Its limit only if asked. */
bool rec_blocks_find(const struct rec_blocks *b, uint64_t address, struct rec_block *block,
		     bool limit);
/* Marks it; true where it was not marked before. */
bool rec_block_mark(const struct rec_block *block);
bool rec_block_marked(const struct rec_block *block);

#endif
