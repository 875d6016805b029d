#include "tprof-record/core/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Memory is reserved in steps. Each doubles the part, within these limits: short programs need little memory,
 * and long ones few system calls. */
#define FIRST_STEP 8192u
#define LAST_STEP  65536u

#ifndef PR_SET_VMA
#define PR_SET_VMA	     0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

/* Names the mapping, so that tools that look at the program's memory can tell it from the program's own. */
static void set_name(long at, size_t size)
{
	if (rec_may(REC_NEED_NAMES))
		rec_call(SYS_prctl, PR_SET_VMA, PR_SET_VMA_ANON_NAME, at, (long)size,
			 (long)"tprof-record", 0);
}

void *rec_map(size_t size)
{
	long at = rec_call(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at < 0 && at > -4096)
		return NULL;
	rec_call(SYS_madvise, at, (long)size, MADV_WIPEONFORK, 0, 0, 0);
	set_name(at, size);
	return (void *)at;
}

void rec_unmap(void *memory, size_t size)
{
	if (memory)
		rec_call(SYS_munmap, (long)memory, (long)size, 0, 0, 0, 0);
}

static long allocate(int fd, uint64_t from, uint64_t to)
{
	long result;

	do {
		result = rec_call(SYS_fallocate, fd, 0, (long)from, (long)(to - from), 0, 0);
	} while (result == -EINTR);
	return result;
}

/* Sizes the file despite the program's file size limit, which is not meant for it; exceeding that limit would
 * be a SIGXFSZ. */
static long make_size(int fd, uint64_t size)
{
	struct rlimit was, wide;
	bool narrow;
	long result;

	if (rec_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&was, 0, 0) != 0)
		was.rlim_cur = was.rlim_max = RLIM_INFINITY;
	narrow = was.rlim_cur < size;
	if (narrow) {
		if (was.rlim_max < size)
			return -EFBIG;
		wide = was;
		wide.rlim_cur = wide.rlim_max;
		rec_call(SYS_prlimit64, 0, RLIMIT_FSIZE, (long)&wide, 0, 0, 0);
	}
	result = rec_call(SYS_ftruncate, fd, (long)size, 0, 0, 0, 0);
	if (narrow)
		rec_call(SYS_prlimit64, 0, RLIMIT_FSIZE, (long)&was, 0, 0, 0);
	return result;
}

/* The file is sealed, so that it cannot be shortened while others have it mapped. */
static long make_file(unsigned scale)
{
	char *const base = (char *)(uintptr_t)REC_PAGE;
	long fd = rec_call(SYS_memfd_create, (long)"tprof-record", MFD_CLOEXEC | MFD_ALLOW_SEALING,
			   0, 0, 0, 0);
	long result;

	if (fd < 0)
		return fd;
	result = make_size((int)fd, rec_arena_size(scale));
	/* Waits are found by hash, anywhere in their part, so the part gets all its memory now. */
	if (!result)
		result = allocate((int)fd, 0,
				  (uint64_t)((char *)rec_arena_at(base, scale).modules - base));
	if (!result) {
		rec_call(SYS_fcntl, fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL, 0,
			 0, 0);
		return fd;
	}
	rec_call(SYS_close, fd, 0, 0, 0, 0, 0);
	return result;
}

/* Gives bytes [from, to) of the arena memory. Returns 0 or -errno. Where the kernel supports it (5.14) this
 * does not use the descriptor: a program that closes all unknown descriptors may have reused its number for a
 * file. */
static long populate(uint64_t from, uint64_t to)
{
	struct rec_state *s = rec_state();
	struct stat st;
	long result;

	if (!s->shared)
		return 0;
	from &= -rec_page;
	do {
		result = rec_call(SYS_madvise, (long)((char *)rec_core->arena.header + from),
				  (long)(to - from), MADV_POPULATE_WRITE, 0, 0, 0);
	} while (result == -EINTR);
	if (result != -EINVAL)
		return result;
	if (rec_core->fd < 0 || rec_call(SYS_fstat, rec_core->fd, (long)&st, 0, 0, 0, 0) != 0 ||
	    st.st_dev != s->device || st.st_ino != s->inode)
		return -EBADF;
	return allocate(rec_core->fd, from, to);
}

/* After a refusal, the next ones come without asking the system. */
static bool try_populate(_Atomic uint32_t *wary, uint64_t from, uint64_t to)
{
	uint32_t left = atomic_load_explicit(wary, memory_order_relaxed);

	if (left) {
		atomic_store_explicit(wary, left - 1, memory_order_relaxed);
		return false;
	}
	if (populate(from, to) == 0)
		return true;
	rec_lose(REC_LOST_MEMORY, 1);
	atomic_store_explicit(wary, 255, memory_order_relaxed);
	return false;
}

bool rec_reserve_at(_Atomic uint32_t *wary, const void *piece, uint64_t size)
{
	uint64_t from = (uint64_t)((const char *)piece - (const char *)rec_core->arena.header);

	return try_populate(wary, from, from + size);
}

int rec_arena_make(bool shared, unsigned scale, struct rec_arena *arena, int *fd)
{
	uint64_t size = rec_arena_size(scale);
	long file = -1, at;

	if (shared) {
		file = make_file(scale);
		if (file < 0)
			return (int)-file;
	}
	at = rec_call(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
		      shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, file, 0);
	if (at < 0 && at > -4096) {
		if (file >= 0)
			rec_call(SYS_close, file, 0, 0, 0, 0, 0);
		return (int)-at;
	}
	if (!shared)
		set_name(at, size);
	/* A core file would need memory for all of it. */
	rec_call(SYS_madvise, at, (long)size, MADV_DONTDUMP, 0, 0, 0);
	*arena = rec_arena_at((void *)at, scale);
	*fd = (int)file;
	return 0;
}

struct part {
	uint64_t at;
	uint32_t size, n;
	struct rec_growth *growth;
};

static struct part part_of(enum rec_part part)
{
	const struct rec_arena *a = &rec_core->arena;
	const unsigned scale = a->scale;

	switch (part) {
#define REC_X(name, type, n)                                                                       \
	case REC_PART_##name:                                                                      \
		return (struct part){(uint64_t)((char *)a->name - (char *)a->header),              \
				     sizeof(type), n, &a->header->name};
		REC_GROWING(REC_X)
#undef REC_X
	case REC_NPARTS:
		break;
	}
	return (struct part){0};
}

void rec_raise(_Atomic uint32_t *used, uint32_t upto)
{
	uint32_t was = atomic_load_explicit(used, memory_order_relaxed);

	while (was < upto && !atomic_compare_exchange_weak_explicit(
				 used, &was, upto, memory_order_release, memory_order_relaxed))
		;
}

/* Two threads may reserve the same memory at once; the second call then changes nothing. */
bool rec_reserve(enum rec_part part, uint32_t upto)
{
	struct part p = part_of(part);
	uint32_t reserved = atomic_load_explicit(&p.growth->reserved, memory_order_acquire);
	uint64_t from, to, step;

	if (__builtin_expect(upto <= reserved, 1))
		return true;
	if (upto > p.n)
		return false;
	from = (uint64_t)reserved * p.size / REC_PAGE * REC_PAGE;
	step = from < FIRST_STEP ? FIRST_STEP : from > LAST_STEP ? LAST_STEP : from;
	to = ((uint64_t)upto * p.size + step - 1) / step * step;
	if (to > REC_PAGES((uint64_t)p.n * p.size))
		to = REC_PAGES((uint64_t)p.n * p.size);
	if (!try_populate(&rec_state()->wary[part], p.at + from, p.at + to))
		return false;
	rec_raise(&p.growth->reserved, to / p.size > p.n ? p.n : (uint32_t)(to / p.size));
	return true;
}
