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

#endif
