/* mmap and its like: memory that the program takes from the system without malloc. The C library's own calls do not
 * come here. Those of another allocator do, but what it maps is counted by its malloc. */
#include "tprof-record/core/inside.h"
#include "tprof-record/preload/real.h"

static long result_of(long result)
{
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

/* The real function. While it has not been found, it is the system call, as finding it may call an allocator that
 * is in the middle of this call. */
#define CALL(name, type, a, b, c, d, e, f, ...)                                                    \
	(likely(real.name != NULL)                                                                 \
	     ? real.name(__VA_ARGS__)                                                              \
	     : (type)result_of(rec_call(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d),    \
					(long)(e), (long)(f))))

/* Returns whether an address is in the code that has the real malloc. */
static bool is_allocator(const void *address)
{
	static _Atomic uint64_t start, limit;
	uint64_t at = (uintptr_t)real.malloc, caller = (uintptr_t)address;

	if (!limit) {
		const struct rec_arena *a = &rec_core->arena;
		uint32_t n = atomic_load_explicit(&a->header->modules.used, memory_order_acquire);

		for (uint32_t i = 0; i < n && i < REC_NMODULES; i++) {
			const struct rec_module *m = &a->modules[i];

			if (at >= m->start && at < m->limit) {
				start = m->start;
				limit = m->limit;
			}
		}
	}
	return caller >= start && caller < limit;
}

static inline bool counts(const void *caller)
{
	return rec_maps() && !is_allocator(caller) && watching();
}
#define COUNTS() counts(__builtin_return_address(0))

static enum rec_use use_of(int prot, int flags)
{
	if ((flags & MAP_TYPE) != MAP_PRIVATE && !(flags & MAP_ANONYMOUS))
		return REC_UNUSED;
	return prot & PROT_WRITE ? REC_IN_USE : REC_RESERVED;
}

static inline __attribute__((always_inline)) void *map(const void *caller, void *at, size_t size,
						       int prot, int flags, int fd, off_t offset)
{
	void *p = CALL(mmap, void *, at, size, prot, flags, fd, offset, at, size, prot, flags, fd,
		       offset);

	if (p != MAP_FAILED && counts(caller) && rec_mapping_begin()) {
		rec_mapping_set(p, size, use_of(prot, flags), 1);
		rec_mapping_end();
	}
	return p;
}

HOOK void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	return map(__builtin_return_address(0), at, size, prot, flags, fd, offset);
}

HOOK void *mmap64(void *at, size_t size, int prot, int flags, int fd, off64_t offset)
{
	return map(__builtin_return_address(0), at, size, prot, flags, fd, offset);
}

/* Counted before the call, as the addresses may be another thread's after it. */
HOOK int munmap(void *at, size_t size)
{
	if (COUNTS() && rec_mapping_begin()) {
		rec_mapping_set(at, size, REC_UNUSED, 1);
		rec_mapping_end();
	}
	return CALL(munmap, int, at, size, 0, 0, 0, 0, at, size);
}

static inline __attribute__((always_inline)) void moved_to(const void *from, size_t size, int flags,
							   const void *to, size_t to_size)
{
	enum rec_use use = rec_mapping_use(from);

	if (!(flags & MREMAP_DONTUNMAP))
		rec_mapping_set(from, size, REC_UNUSED, 1);
	rec_mapping_set(to, to_size, use, 1);
}

HOOK void *mremap(void *at, size_t size, size_t to_size, int flags, ...)
{
	va_list list;
	void *to, *p;

	va_start(list, flags);
	to = va_arg(list, void *);
	va_end(list);
	if (!COUNTS() || !rec_mapping_begin())
		return CALL(mremap, void *, at, size, to_size, flags, to, 0, at, size, to_size,
			    flags, to);
	p = CALL(mremap, void *, at, size, to_size, flags, to, 0, at, size, to_size, flags, to);
	if (p != MAP_FAILED)
		moved_to(at, size, flags, p, to_size);
	rec_mapping_end();
	return p;
}

static inline __attribute__((always_inline)) void allow(const void *caller, void *at, size_t size,
							int prot)
{
	if ((prot & PROT_WRITE || prot == PROT_NONE) && counts(caller) && rec_mapping_begin()) {
		rec_mapping_allow(at, size, prot & PROT_WRITE, 1);
		rec_mapping_end();
	}
}

HOOK int mprotect(void *at, size_t size, int prot)
{
	int result = CALL(mprotect, int, at, size, prot, 0, 0, 0, at, size, prot);

	if (!result)
		allow(__builtin_return_address(0), at, size, prot);
	return result;
}

HOOK int pkey_mprotect(void *at, size_t size, int prot, int key)
{
	int result = REAL(pkey_mprotect)(at, size, prot, key);

	if (!result)
		allow(__builtin_return_address(0), at, size, prot);
	return result;
}

bool mapping_begins(long number, const long a[6], const void *caller)
{
	if ((number != SYS_munmap && number != SYS_mremap) || !counts(caller) ||
	    !rec_mapping_begin())
		return false;
	if (number == SYS_mremap)
		return true;
	rec_mapping_set((void *)a[0], (size_t)a[1], REC_UNUSED, 1);
	rec_mapping_end();
	return false;
}

void mapping_called(long number, const long a[6], long result, bool begun, const void *caller)
{
	void *at = (void *)a[0];
	size_t size = (size_t)a[1];
	bool counted = number == SYS_mmap ||
		       (number == SYS_mprotect && (a[2] & PROT_WRITE || a[2] == PROT_NONE));

	if (!begun && (result == -1 || !counted || !counts(caller) || !rec_mapping_begin()))
		return;
	if (begun && result != -1)
		moved_to(at, size, (int)a[3], (void *)result, (size_t)a[2]);
	else if (number == SYS_mmap)
		rec_mapping_set((void *)result, size, use_of((int)a[2], (int)a[3]), 1);
	else if (!begun)
		rec_mapping_allow(at, size, a[2] & PROT_WRITE, 1);
	rec_mapping_end();
}

/* ---- the end of the data segment: whole pages ---- */

static void *next_page(void *at)
{
	return (void *)rec_pages((uintptr_t)at);
}

static inline __attribute__((always_inline)) void moved(const void *caller, void *from, void *to)
{
	char *low = next_page(from < to ? from : to), *high = next_page(from < to ? to : from);

	if (low != high && counts(caller) && rec_mapping_begin()) {
		rec_mapping_set(low, (size_t)(high - low), from < to ? REC_IN_USE : REC_UNUSED, 1);
		rec_mapping_end();
	}
}

long mapping_brk(long to, const void *caller)
{
	void *from = (void *)rec_call(SYS_brk, 0, 0, 0, 0, 0, 0);
	long now = rec_call(SYS_brk, to, 0, 0, 0, 0, 0); /* the end as it is then, moved or not */

	moved(caller, from, (void *)now);
	return now;
}

/* libc's sbrk by its other name, which needs not be found. */
void *__sbrk(intptr_t size);

HOOK int brk(void *to)
{
	char *from = __sbrk(0);
	int result = real.brk ? real.brk(to) : __sbrk((char *)to - from) == (void *)-1 ? -1 : 0;

	if (!result)
		moved(__builtin_return_address(0), from, to);
	return result;
}

HOOK void *sbrk(intptr_t size)
{
	void *from = __sbrk(size);

	if (size && from != (void *)-1)
		moved(__builtin_return_address(0), from, (char *)from + size);
	return from;
}
