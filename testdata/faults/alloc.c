/* The allocator's functions. What does not fail goes to glibc's, or to a sanitizer's where the
 * command is built with one. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "fault.h"

#define LIBC(name)	__libc_##name
#define SANITIZER(name) __interceptor_##name

#define DECLARE(result, name, ...)                                                                 \
	extern result LIBC(name)(__VA_ARGS__);                                                     \
	extern result SANITIZER(name)(__VA_ARGS__) __attribute__((weak))

DECLARE(void *, malloc, size_t);
DECLARE(void *, calloc, size_t, size_t);
DECLARE(void *, realloc, void *, size_t);
DECLARE(void *, memalign, size_t, size_t);

#define CALL(name, ...) (SANITIZER(name) ? SANITIZER(name)(__VA_ARGS__) : LIBC(name)(__VA_ARGS__))

static bool fails(void)
{
	int error;

	if (!fault_now(FAULT_ALLOC, &error))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : CALL(malloc, size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : CALL(calloc, n, size);
}

void *realloc(void *p, size_t size)
{
	return fails() ? NULL : CALL(realloc, p, size);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

void *memalign(size_t align, size_t size)
{
	return fails() ? NULL : CALL(memalign, align, size);
}

void *aligned_alloc(size_t align, size_t size)
{
	return memalign(align, size);
}

int posix_memalign(void **out, size_t align, size_t size)
{
	void *p = memalign(align, size);

	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}
