/* Memory that does not come from malloc: mmap, mremap, mprotect, brk and their ends, some by system calls, in whole and in part, each from
 * its own function (site_…).
 *
 * Prints, per site: its name, objects and bytes ever taken, objects and bytes in use at the end, and both at the
 * peak. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MIB	   ((size_t)1 << 20)
#define PRIVATE	   (MAP_PRIVATE | MAP_ANONYMOUS)
#define READ_WRITE (PROT_READ | PROT_WRITE)
#define SITE	   __attribute__((noinline)) static void *
#define KEEP(p)	   __asm__ volatile("" : "+r"(p))
/* The name keeps the compiler from making one function of those that are alike. */
#define MAP(name, params, at, size, prot, flags, fd)                                               \
	SITE site_##name params                                                                    \
	{                                                                                          \
		void *p = mmap(at, size, prot, flags, fd, 0);                                      \
                                                                                                   \
		__asm__ volatile("/* " #name " */" : "+r"(p));                                     \
		return p;                                                                          \
	}

MAP(mmap, (size_t n), NULL, n, READ_WRITE, PRIVATE, -1)
MAP(gone, (size_t n), NULL, n, READ_WRITE, PRIVATE, -1)
MAP(moved, (size_t n), NULL, n, READ_WRITE, PRIVATE, -1)
MAP(reserved, (size_t n), NULL, n, PROT_NONE, PRIVATE | MAP_NORESERVE, -1)
MAP(fixed, (void *at, size_t n), at, n, READ_WRITE, PRIVATE | MAP_FIXED, -1)
MAP(shared, (size_t n), NULL, n, READ_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1)
MAP(file, (int fd, size_t n), NULL, n, READ_WRITE, MAP_PRIVATE, fd)
MAP(read, (int fd, size_t n), NULL, n, PROT_READ, MAP_PRIVATE, fd)
MAP(shared_file, (int fd, size_t n), NULL, n, READ_WRITE, MAP_SHARED, fd)

SITE site_call(size_t n)
{
	long p = syscall(SYS_mmap, 0, n, READ_WRITE, PRIVATE, -1, 0);

	KEEP(p);
	return (void *)p;
}

SITE site_mremap(void *at, size_t from, size_t to)
{
	void *p = mremap(at, from, to, MREMAP_MAYMOVE);

	KEEP(p);
	return p;
}

SITE site_mprotect(char *at, size_t n)
{
	int failed = mprotect(at, n, READ_WRITE);

	KEEP(failed);
	return failed ? NULL : at;
}

SITE site_sbrk(size_t n)
{
	void *p = sbrk((intptr_t)n);

	KEEP(p);
	return p;
}

/* Gives back what it takes, as libc does not know of it. */
SITE site_brk(size_t n)
{
	long from = syscall(SYS_brk, 0), to = syscall(SYS_brk, from + (long)n);

	KEEP(to);
	return (void *)syscall(SYS_brk, from);
}

SITE site_raced(size_t n)
{
	long p = syscall(SYS_mmap, 0, n, READ_WRITE, PRIVATE, -1, 0);

	__asm__ volatile("/* raced */" : "+r"(p));
	return (void *)p;
}

/* The kernel gives what one thread unmaps to the other at once. One in ten stays. */
static void *race(void *unused)
{
	for (int i = 0; i < 5000; i++) {
		void *p = site_raced(MIB / 16);

		if (i % 10)
			syscall(SYS_munmap, p, MIB / 16);
	}
	return unused;
}

int main(void)
{
	pthread_t other;
	int fd = memfd_create("maps", 0);
	char *p, *from;

	if (fd < 0 || ftruncate(fd, (off_t)(9 * MIB)))
		return 1;
	p = site_mmap(16 * MIB);
	munmap(p + 4 * MIB, 4 * MIB);
	munmap(p + 1, MIB); /* fails */
	site_mremap(site_moved(8 * MIB), 8 * MIB, 32 * MIB);
	/* One stretch of 3 MiB and one of 2, of which 1 is given up, and 7 that replace what is reserved. */
	p = site_reserved((size_t)1 << 36);
	site_mprotect(p + MIB, 3 * MIB);
	site_mprotect(p + 8 * MIB, 2 * MIB);
	mprotect(p + 2 * MIB, MIB, PROT_NONE);
	site_fixed(p + 100 * MIB, 7 * MIB);
	site_shared(5 * MIB);
	site_call(6 * MIB);
	site_file(fd, 9 * MIB);
	site_read(fd, 9 * MIB);
	site_shared_file(fd, 9 * MIB);
	from = site_sbrk(0);
	site_sbrk((size_t)(-(intptr_t)from & (sysconf(_SC_PAGESIZE) - 1)));
	site_sbrk(3 * MIB);
	sbrk(-(intptr_t)MIB);
	site_brk(2 * MIB);
	if (!pthread_create(&other, NULL, race, NULL)) {
		race(NULL);
		pthread_join(other, NULL);
	}
	p = site_gone(512 * MIB);
	munmap(p, 512 * MIB);
	puts("site_mmap 1 16777216 1 12582912 1 12582912");
	puts("site_moved 1 8388608 0 0 0 0");
	puts("site_mremap 1 33554432 1 33554432 1 33554432");
	puts("site_reserved 0 0 0 0 0 0");
	puts("site_mprotect 2 5242880 2 4194304 2 4194304");
	puts("site_fixed 1 7340032 1 7340032 1 7340032");
	puts("site_shared 1 5242880 1 5242880 1 5242880");
	puts("site_call 1 6291456 1 6291456 1 6291456");
	puts("site_raced 10000 655360000 1000 65536000 1000 65536000");
	puts("site_file 1 9437184 1 9437184 1 9437184");
	puts("site_read 0 0 0 0 0 0");
	puts("site_shared_file 0 0 0 0 0 0");
	puts("site_sbrk 1 3145728 1 2097152 1 2097152");
	puts("site_brk 1 2097152 0 0 0 0");
	puts("site_gone 1 536870912 0 0 1 536870912");
	puts("[mmap] 10012 1289748480 1009 146276352 1010 683147264");
	return 0;
}
