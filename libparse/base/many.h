/* Memory for arrays. Where a size has 32 bits, a count that some input asks for, times the size of an
 * item, may be more than it holds: then there is no memory, instead of a little. */
#ifndef TP_BASE_MANY_H
#define TP_BASE_MANY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The number of items of an array. */
#define TP_COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* Does an array of n items of `size` bytes fit the addresses there are? */
static inline int tp_many_fit(uint64_t n, size_t size)
{
	return n <= PTRDIFF_MAX / size;
}

/* n items of `size` bytes (not 0), not zeroed; NULL when memory is out. To be freed by free(). */
static inline void *tp_many(uint64_t n, size_t size)
{
	return tp_many_fit(n, size) ? malloc((size_t)n * size) : NULL;
}

/* The same for an array that is there already, or NULL; after an error it still is. */
static inline void *tp_more(void *items, uint64_t n, size_t size)
{
	return tp_many_fit(n, size) ? realloc(items, (size_t)n * size) : NULL;
}

/* What tp_grow and tp_grow_raw call where there is no room. */
int tp_grow_slow(void *array, size_t *room, size_t n, size_t size);
int tp_grow_raw_slow(void *array, size_t *room, size_t n, size_t size);

/* Grows an array so that item n exists. `array` is the address of the pointer to it, which is NULL
 * as long as *room, the number of items it has room for, is 0. The room at least doubles, so adding
 * items one at a time costs constant time each; new items are zeroed. Returns 0 or TP_ENOMEM; after
 * an error array and room are what they were. The caller frees the array by free().
 *
 *	struct item *item = NULL;
 *	size_t n = 0, room = 0;
 *
 *	if (tp_grow(&item, &room, n, sizeof(*item)))
 *		return tp_nomem(err);
 *	item[n++] = …; */
static inline int tp_grow(void *array, size_t *room, size_t n, size_t size)
{
	return n < *room ? 0 : tp_grow_slow(array, room, n, size);
}

/* Does the same but does not zero new items: for arrays that may be large and whose items are
 * written when they are added. Zeroing them costs time, and pages that may never be used. */
static inline int tp_grow_raw(void *array, size_t *room, size_t n, size_t size)
{
	return n < *room ? 0 : tp_grow_raw_slow(array, room, n, size);
}

#endif
