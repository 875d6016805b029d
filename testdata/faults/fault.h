/* What the parts of the fault library share. The library is preloaded (LD_PRELOAD) into a command:
 * `server.c` stops it in front of main and runs main once for every line it is sent, each time in a
 * fork of its own; `alloc.c` and `trap.c` see its calls; `count.c` counts them, and fails, cuts
 * short or kills the process at the one that was asked for; `order.c` keeps an eye on files that
 * are renamed before they are complete and safe. The counts live in a mapping that every fork
 * shares, so a command may go on in children. x86-64, Linux, glibc. */
#ifndef FAULT_H
#define FAULT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of calls, as bits of `mask`; the driver (faults.py) has the same list. */
enum fault_kind {
	FAULT_ALLOC,  /* malloc, calloc, realloc, posix_memalign and their like */
	FAULT_READ,   /* read, pread, readv, preadv */
	FAULT_WRITE,  /* write, pwrite, writev, pwritev; not to standard error */
	FAULT_SYNC,   /* fsync, fdatasync */
	FAULT_SIZE,   /* ftruncate, fallocate */
	FAULT_NAME,   /* rename, link, mkdir */
	FAULT_UNLINK, /* unlink, rmdir */
	FAULT_OPEN,   /* open, memfd_create, pipe, socketpair, dup: what takes a descriptor */
	FAULT_STAT,   /* stat, access, readlink */
	FAULT_MAP,    /* mmap and mremap, of files and of memory */
	FAULT_THREAD, /* pthread_create, fork */
	FAULT_LOCK,   /* fcntl, flock */
	FAULT_CLOSE,  /* close: it closes, and says that it could not write */
	FAULT_OTHER,  /* getdents, lseek, chmod, utimensat */
	FAULT_KINDS
};

enum {
	FAULT_SHORT = 1,   /* reads and writes of half the size in place of an error */
	FAULT_KILL = 2,	   /* SIGKILL to the whole process group in place of the call */
	FAULT_SITES = 4,   /* notes from where each call comes */
	FAULT_EXPLAIN = 8, /* writes the stack of the call that failed to the file "where" */
};

#define FAULT_MAX_SITES (1 << 22)
#define FAULT_MAX_FILES 128
#define FAULT_NOTE_SIZE 512

/* A file that was written to; nodes are never reused within a run. */
struct fault_file {
	uint64_t dev, ino;
	bool dirty;   /* since the last fsync */
	bool renamed; /* it has the name it was made for */
};

struct fault_shared {
	/* What was asked for. */
	uint32_t mask;
	uint64_t first, last; /* of the counted calls, from 1 on; first is 0: none */
	int error, flags;
	int watch_fds;
	/* What came of it. */
	atomic_bool armed;
	atomic_uint_fast64_t counted; /* calls whose kind is in mask */
	atomic_uint_fast64_t kinds[FAULT_KINDS];
	atomic_uint_fast64_t hits;
	atomic_int leaked; /* descriptors that are open at exit and were not at the start */
	char note[FAULT_NOTE_SIZE]; /* what order.c or the end has to object to */
	struct fault_file files[FAULT_MAX_FILES];
	atomic_uint nfiles;
	atomic_uint nsites;
	uint64_t sites[FAULT_MAX_SITES];
};

extern struct fault_shared *fault_shared; /* NULL outside of runs */

/* Counts a call. True: it is to fail with *error, or, where that is 0, to be cut short. */
bool fault_now(enum fault_kind kind, int *error);

/* Starts sending system calls of libc to the handler; in each run's process, once. */
void fault_trap_start(void);

long fault_syscall(long nr, long a, long b, long c, long d, long e, long f);

/* What system calls mean to files: before a call, and after it with its result. */
void fault_order_before(long nr, const long *args);
void fault_order_after(long nr, const long *args, long result);

void fault_objection(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
