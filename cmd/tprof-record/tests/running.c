/* What runs, and what does not although no function of libc waits. Prints by the kernel's own accounts what a
 * trace has to say of main, from its beginning to its end:
 *
 *	running spin		8 threads that compute, on fewer processors
 *	running inlined		a system call that does not pass through libc
 *	running moved		the same, in a function that moves its stack pointer
 *	running faults FILE	page faults from the disk
 *	running uring		io_uring: waits in a system call without a hook
 *	running openmp		if built with OpenMP: threads wait at a barrier, and for a critical section
 *
 * See accounts.h for the line. */
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "accounts.h"

enum { THREADS = 8, SPIN_MS = 60, NAP_MS = 120, NOT_POSSIBLE = 77 };

static void *compute(void *arg)
{
	volatile unsigned long x = 0;

	while (now(CLOCK_THREAD_CPUTIME_ID) < SPIN_MS * 1000000u)
		for (int i = 0; i < 20000; i++)
			x += (unsigned long)i;
	add_own_delay();
	return x ? arg : NULL;
}

static int spin(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, compute, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}

static const struct timespec nap = {.tv_nsec = NAP_MS * 1000000};

#if defined(__x86_64__)
#define SLEEP(result)                                                                              \
	__asm__ volatile("syscall"                                                                 \
			 : "=a"(result)                                                            \
			 : "a"(SYS_nanosleep), "D"(&nap), "S"(0)                                   \
			 : "rcx", "r11", "memory")
#else
#define SLEEP(result) ((result) = NOT_POSSIBLE)
#endif

static int inlined(void)
{
	long result;

	SLEEP(result);
	return (int)result;
}

static __attribute__((noinline)) int moved(size_t size)
{
	volatile char *room = alloca(size);
	long result;

	room[size - 1] = 0;
	SLEEP(result);
	return (int)result + room[size - 1];
}

static int faults(const char *path)
{
	int fd = open(path, O_RDONLY);
	off_t size = lseek(fd, 0, SEEK_END);
	volatile const char *p;
	long sum = 0;

	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	p = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || p == MAP_FAILED)
		return 1;
	madvise((void *)(uintptr_t)p, (size_t)size, MADV_RANDOM);
	for (off_t i = 0; i < size; i += 65536)
		sum += p[i];
	return sum == 1;
}

/* Waits for a time limit in io_uring_enter, which is inlined as liburing does it. */
static int uring(void)
{
	struct io_uring_params p = {0};
	struct __kernel_timespec limit = {.tv_nsec = NAP_MS * 1000000};
	int fd = (int)syscall(SYS_io_uring_setup, 4, &p);
	struct io_uring_sqe *sqes;
	char *ring;
	long result = -1;

	if (fd < 0) {
		fprintf(stderr, "io_uring_setup: %s\n", strerror(errno));
		return NOT_POSSIBLE;
	}
	ring = mmap(NULL, p.sq_off.array + p.sq_entries * sizeof(unsigned), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQ_RING);
	sqes = mmap(NULL, p.sq_entries * sizeof(*sqes), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQES);
	if (ring == MAP_FAILED || sqes == MAP_FAILED)
		return NOT_POSSIBLE;
	sqes[0] = (struct io_uring_sqe){
	    .opcode = IORING_OP_TIMEOUT, .fd = -1, .addr = (uintptr_t)&limit, .len = 1};
	*(unsigned *)(void *)(ring + p.sq_off.array) = 0;
	__atomic_store_n((unsigned *)(void *)(ring + p.sq_off.tail), 1, __ATOMIC_RELEASE);
#if defined(__x86_64__)
	register long r10 __asm__("r10") = IORING_ENTER_GETEVENTS;
	register long r8 __asm__("r8") = 0;
	register long r9 __asm__("r9") = 0;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_io_uring_enter), "D"(fd), "S"(1), "d"(1), "r"(r10), "r"(r8),
			   "r"(r9)
			 : "rcx", "r11", "memory");
#endif
	return result == 1 ? 0 : NOT_POSSIBLE;
}

static int openmp(void)
{
#ifdef _OPENMP
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 0)
			usleep(NAP_MS * 1000);
#pragma omp barrier
#pragma omp critical
		usleep(NAP_MS * 100);
	}
	return 0;
#else
	return NOT_POSSIBLE;
#endif
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int status;

	begin_accounts();
	status = !strcmp(what, "spin")		       ? spin()
		 : !strcmp(what, "inlined")	       ? inlined()
		 : !strcmp(what, "moved")	       ? moved((size_t)argc * 1000)
		 : !strcmp(what, "faults") && argc > 2 ? faults(argv[2])
		 : !strcmp(what, "uring")	       ? uring()
		 : !strcmp(what, "openmp")	       ? openmp()
						       : 2;

	end_accounts();
	return status;
}
