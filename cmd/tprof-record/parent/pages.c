#include "tprof-record/parent/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Gives [from, to) its pages. */
static void populate(uintptr_t from, uintptr_t to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	from &= -page;
	(void)!madvise((void *)from, to - from, MADV_POPULATE_WRITE); /* NOLINT */
}

/* Several blocks, as one of 128 KiB would be a mapping of its own. The last one stays, or malloc would give the others
 * back to the system. */
void rec_pages_heap(void)
{
	enum { N = 3, SIZE = 120 << 10 };
	static void *last;
	void *block[N];

	for (int i = 0; i < N; i++)
		block[i] = malloc(SIZE);
	last = malloc(1);
	for (int i = 0; i < N; i++)
		if (block[i])
			populate((uintptr_t)block[i], (uintptr_t)block[i] + SIZE);
	populate((uintptr_t)last, (uintptr_t)last + 1);
	for (int i = 0; i < N; i++)
		free(block[i]);
}

/* The kernel makes the stack of a new process larger than 64 KiB, and those of threads are. */
void rec_pages_stack(size_t size)
{
	uintptr_t to = (uintptr_t)__builtin_frame_address(0);

	populate(to - size, to);
}
