/* Memory that lives as long as one stage of work (a generation, a profile) and is freed at once.
 * Zero-initialised is valid and empty. Allocations are aligned to 16 bytes and zeroed. */
#ifndef TP_BASE_ARENA_H
#define TP_BASE_ARENA_H

#include <stddef.h>

struct tp_arena_chunk;

struct tp_arena {
	struct tp_arena_chunk *chunks;
	size_t used;  /* in the newest chunk */
	size_t total; /* bytes allocated from the system */
};

/* Returns zeroed memory, NULL when memory is out. */
void *tp_arena_alloc(struct tp_arena *a, size_t size);
/* Returns a copy with a terminating NUL, NULL when memory is out. */
char *tp_arena_strndup(struct tp_arena *a, const void *data, size_t n);
/* Frees everything; the arena can be used again. */
void tp_arena_clear(struct tp_arena *a);

#endif
