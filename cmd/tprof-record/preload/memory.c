/* The malloc family. Samples go to the core. All other calls cost one comparison: the bytes until the next
 * sample are counted down before the jump to the real function. */
#include "tprof-record/preload/real.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* Bytes until the next check, while nothing is recorded yet or the caller is the recorder. */
#define UNWATCHED_BYTES (1 << 20)

/* The comparison is unsigned: an absurd size takes the slow path and never raises the count. */
static inline int passes(size_t size)
{
	if (likely((uint64_t)rec_self.until_sample >= size && real.malloc != NULL)) {
		rec_self.until_sample -= (int64_t)size;
		return 1;
	}
	return 0;
}

/* ---- while the real functions are being found ---- */

static _Atomic int finding;

/* Returns 1 if the functions are found, 0 while they are being found (possibly by an outer call). */
static int found(void)
{
	if (likely(real.pvalloc != NULL)) /* the last of the family */
		return 1;
	if (atomic_exchange(&finding, 1))
		return real.pvalloc != NULL;
	real_find();
	atomic_store(&finding, 0);
	return 1;
}

static void *boot_alloc(size_t size, size_t align)
{
	void *p = real_boot_alloc(size, align);

	if (!p)
		errno = ENOMEM;
	return p;
}

/* ---- the slow paths ---- */

static int sampling(void)
{
	if (watching())
		return 1;
	if (!rec_alive())
		rec_self.until_sample = UNWATCHED_BYTES;
	return 0;
}

LAST static void *malloc_slowly(size_t size)
{
	void *p;

	if (!found())
		return boot_alloc(size, 16);
	p = real.malloc(size);
	if (p && sampling())
		rec_malloc(p, size, 1);
	return p;
}

LAST static void *calloc_slowly(size_t n, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes))
		bytes = 0;
	if (!found())
		return bytes || !n || !size ? boot_alloc(bytes, 16) : NULL;
	p = real.calloc(n, size);
	if (p && sampling())
		rec_malloc(p, bytes, 1);
	return p;
}

/* A thread that is over (rec_thread_end) records nothing more, but libc still frees its memory. */
static void take_off(void *block)
{
	if (watching()) {
		rec_free(block);
	} else if (rec_self.depth == 1 && !rec_self.g) {
		rec_self.depth = 0;
		rec_free(block);
		rec_self.depth = 1;
	}
}

LAST static void free_slowly(void *block)
{
	int saved = errno;

	if (real_boot_has(block))
		return;
	take_off(block);
	errno = saved;
	REAL(free)(block);
}

/* Moves a block of the boot memory out of it. */
static void *boot_realloc(void *block, size_t size)
{
	size_t left = real_boot_left(block);
	void *p = found() ? real.malloc(size) : boot_alloc(size, 16);

	return p ? memcpy(p, block, size < left ? size : left) : NULL;
}

LAST static void *realloc_slowly(void *block, size_t size)
{
	uint32_t bucket = 0;
	void *p;

	if (real_boot_has(block))
		return boot_realloc(block, size);
	if (!found())
		return block ? NULL : boot_alloc(size, 16);
	if (block && rec_maybe_sampled(block) && watching())
		bucket = rec_free(block);
	p = real.realloc(block, size);
	if (p && !passes(size) && sampling())
		rec_malloc(p, size, 1);
	else if (!p && size && bucket) /* it failed: the block is unchanged */
		rec_unfree(block, bucket);
	return p;
}

/* ---- the hooks ---- */

HOOK void *malloc(size_t size)
{
	return passes(size) ? real.malloc(size) : malloc_slowly(size);
}

HOOK void *calloc(size_t n, size_t size)
{
	size_t bytes;

	/* real.calloc is found soon after real.malloc, but not at the same time. */
	if (likely(!__builtin_mul_overflow(n, size, &bytes) && real.calloc != NULL &&
		   passes(bytes)))
		return real.calloc(n, size);
	return calloc_slowly(n, size);
}

HOOK void free(void *block)
{
	if (rec_maybe_sampled(block) || unlikely(!real.free)) {
		free_slowly(block);
		return;
	}
	real.free(block);
}

HOOK void *realloc(void *block, size_t size)
{
	if (!rec_maybe_sampled(block) && likely(real.realloc != NULL) && passes(size))
		return real.realloc(block, size);
	return realloc_slowly(block, size);
}

/* libc's reallocarray calls realloc and so would enter our hook a second time. */
HOOK void *reallocarray(void *block, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc_slowly(block, bytes);
}

/* Aligned allocations are rare enough to share one path. */
#define ALIGNED(name, args, call, size)                                                            \
	HOOK void *name args                                                                       \
	{                                                                                          \
		void *p = found() ? real.name call : NULL;                                         \
                                                                                                   \
		if (p && !passes(size) && sampling())                                              \
			rec_malloc(p, size, 1);                                                    \
		return p;                                                                          \
	}

ALIGNED(aligned_alloc, (size_t align, size_t size), (align, size), size)
ALIGNED(memalign, (size_t align, size_t size), (align, size), size)
ALIGNED(valloc, (size_t size), (size), size)
ALIGNED(pvalloc, (size_t size), (size), size)

HOOK int posix_memalign(void **block, size_t align, size_t size)
{
	int result = found() ? real.posix_memalign(block, align, size) : ENOMEM;

	if (!result && *block && !passes(size) && sampling())
		rec_malloc(*block, size, 1);
	return result;
}
