/* The log of a test program: the waits of each of its threads, by the program's own clock. It is a
 * shared mapping of a file, so it survives however the program ends.
 *
 * `compare` compares it with the spans of the recording. Threads are numbered from 1 (main) in the
 * order in which main creates them, as the recorder numbers them. */
#ifndef RECORD_TESTS_LOG_H
#define RECORD_TESTS_LOG_H

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum log_kind {
	LOG_SLEEP = 1,
	LOG_MUTEX,
	LOG_RDLOCK,
	LOG_WRLOCK,
	LOG_COND,
	LOG_SEM,
	LOG_BARRIER,
	LOG_PIPE,
	LOG_SOCKET,
	LOG_ACCEPT,
	LOG_POLL,
	LOG_JOIN,
	LOG_FUTEX,
	LOG_CALL, /* a call that does not wait, except for a processor */
	LOG_NKINDS
};

#define LOG_ENTRIES 65536

struct log_entry {
	_Atomic uint32_t kind; /* enum log_kind, set last */
	uint32_t thread;
	uint64_t start, end; /* CLOCK_MONOTONIC, ns; end 0: it never ended */
	uint32_t waker;	     /* thread, 0 if unknown */
	uint32_t late;	     /* the thread lost its processor between start and end */
};

struct log {
	_Atomic uint32_t used;
	_Atomic uint32_t spins,
	    jolts; /* how often a thread only read the clock, and lost too much time by it */
	uint32_t unused;
	uint64_t begin;
	struct log_entry entry[LOG_ENTRIES];
};

static inline uint64_t log_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static inline struct log *log_map(const char *path, int write)
{
	int fd = open(path, write ? O_RDWR | O_CREAT | O_TRUNC : O_RDONLY, 0666);
	void *at;

	if (fd < 0 || (write && ftruncate(fd, sizeof(struct log))))
		return NULL;
	at = mmap(NULL, sizeof(struct log), write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
		  fd, 0);
	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

static inline struct log_entry *log_begin(struct log *log, uint32_t thread)
{
	struct log_entry *e = &log->entry[atomic_fetch_add(&log->used, 1) % LOG_ENTRIES];

	e->thread = thread;
	e->end = 0;
	e->waker = 0;
	e->late = 0;
	e->start = log_now();
	return e;
}

#endif
