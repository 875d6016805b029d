#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Size of the first chunk, small because thousands of small profiles may exist at once; each chunk
 * is twice as large as the one before. */
#define LEAST_BYTES ((size_t)4 << 10)
#define CHUNK_BYTES ((size_t)256 << 10)
#define ALIGN	    ((size_t)16)

struct tp_arena_chunk {
	struct tp_arena_chunk *next;
	size_t room;
	_Alignas(16) uint8_t data[];
};

void *tp_arena_alloc(struct tp_arena *a, size_t size)
{
	struct tp_arena_chunk *c = a->chunks;
	void *p;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + ALIGN - 1) & ~(ALIGN - 1);
	if (!c || c->room - a->used < size) {
		size_t room = c ? c->room * 2 : LEAST_BYTES;

		if (room > CHUNK_BYTES)
			room = CHUNK_BYTES;
		if (room < size)
			room = size;
		c = calloc(1, sizeof(*c) + room);
		if (!c)
			return NULL;
		c->room = room;
		c->next = a->chunks;
		a->chunks = c;
		a->used = 0;
		a->total += room;
	}
	p = c->data + a->used;
	a->used += size;
	return p;
}

char *tp_arena_strndup(struct tp_arena *a, const void *data, size_t n)
{
	char *s = n < SIZE_MAX / 2 ? tp_arena_alloc(a, n + 1) : NULL;

	if (s && n)
		memcpy(s, data, n);
	return s;
}

void tp_arena_clear(struct tp_arena *a)
{
	while (a->chunks) {
		struct tp_arena_chunk *next = a->chunks->next;

		free(a->chunks);
		a->chunks = next;
	}
	a->used = 0;
	a->total = 0;
}
