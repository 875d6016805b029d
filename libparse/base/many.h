/* Memory for arrays. If a count times the size of an item overflows a size_t (of 32 bits),
 * allocation fails. */
#ifndef TP_BASE_MANY_H
#define TP_BASE_MANY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define TP_COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* Returns whether the size of an array of n items of `size` bytes fits a size_t. */
static inline int tp_many_fit(uint64_t n, size_t size)
{
	return n <= PTRDIFF_MAX / size;
}

/* Returns n items of `size` bytes (not 0), not zeroed, for free(); NULL when memory is out. */
static inline void *tp_many(uint64_t n, size_t size)
{
	return tp_many_fit(n, size) ? malloc((size_t)n * size) : NULL;
}

/* Resizes an array, which may be NULL, to n items. Returns NULL when memory is out; the array then
 * stays valid. */
static inline void *tp_more(void *items, uint64_t n, size_t size)
{
	return tp_many_fit(n, size) ? realloc(items, (size_t)n * size) : NULL;
}

/* Private: called when an array has no room left. */
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
