#include "base/big.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

void *tp_big_alloc(size_t size)
{
#ifdef MADV_HUGEPAGE
	if (size >= HUGE_PAGE && size <= SIZE_MAX - HUGE_PAGE) {
		size_t rounded = (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
		void *p = aligned_alloc(HUGE_PAGE, rounded);

		if (p)
			madvise(p, rounded, MADV_HUGEPAGE); /* a hint: it may fail */
		return p;
	}
#endif
	return malloc(size ? size : 1);
}

void *tp_big_many(size_t n, size_t size)
{
	return !size || n <= PTRDIFF_MAX / size ? tp_big_alloc(n * size) : NULL;
}

void *tp_big_zeroed(size_t n, size_t size)
{
	void *p;

	if (n < HUGE_PAGE / (size ? size : 1) || n > SIZE_MAX / (size ? size : 1))
		return calloc(n, size);
	p = tp_big_many(n, size);
	return p ? memset(p, 0, n * size) : NULL;
}
