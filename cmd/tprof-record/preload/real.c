#include "tprof-record/preload/real.h"

#include <dlfcn.h>
#include <stdatomic.h>

struct real real;

/* ---- memory before malloc is found ---- */

static _Alignas(64) char boot[16384];
static _Atomic size_t boot_used;

void *real_boot_alloc(size_t size, size_t align)
{
	size_t at, from = atomic_load(&boot_used);

	if (align < 16)
		align = 16;
	do {
		at = (from + align - 1) & ~(align - 1);
		if (size > sizeof(boot) || at > sizeof(boot) - size)
			return NULL;
	} while (!atomic_compare_exchange_weak(&boot_used, &from, at + size));
	real_boot_mark();
	return boot + at;
}

int real_boot_has(const void *block)
{
	return (uintptr_t)block - (uintptr_t)boot < sizeof(boot);
}

/* Uses rec_maybe_sampled's hash; a counter of 255 stays there. */
void real_boot_mark(void)
{
	size_t used = atomic_load(&boot_used);

	for (size_t at = 0; at < used && at < sizeof(boot); at += 16) {
		uint64_t h = (uint64_t)(uintptr_t)(boot + at) * 0x9e3779b97f4a7c15u;

		rec_sampled[h >> 48] = 255;
	}
}

size_t real_boot_left(const void *block)
{
	return sizeof(boot) - ((uintptr_t)block - (uintptr_t)boot);
}

/* ---- finding ---- */

/* The result of a function that libc lacks. A program linked to it would not start, but one that asks dlsym
 * for it finds our hook. */
static long missing(void)
{
	errno = ENOSYS;
	return -1;
}

static void *find(const char *name, const char *version)
{
	void *f = version ? dlvsym(RTLD_NEXT, name, version) : NULL;

	if (!f)
		f = dlsym(RTLD_NEXT, name);
	return f ? f : (void *)(uintptr_t)missing;
}

/* Assigned one by one, as other threads may call through the table meanwhile. The memory functions come
 * first, as dlsym allocates when it does not find a symbol. */
void real_find(void)
{
	int saved = errno;

#define REAL_X(name)                                                                               \
	if (!real.name)                                                                            \
		real.name = (__typeof__(real.name))(uintptr_t)find(#name, NULL);
#define REAL_NEW(name)                                                                             \
	if (!real.name)                                                                            \
		real.name = (__typeof__(real.name))(uintptr_t)find(#name, "GLIBC_2.3.2");
	REAL_MEMORY(REAL_X)
	REAL_MAPPINGS(REAL_X)
	REAL_VERSIONED(REAL_NEW)
	REAL_LOCKS(REAL_X)
	REAL_THREADS(REAL_X)
	REAL_FILES(REAL_X)
	REAL_STDIO(REAL_X)
	REAL_SIGNALS(REAL_X)
	REAL_PROCESS(REAL_X)
#undef REAL_X
#undef REAL_NEW
	errno = saved;
}
