/* Kinds of file descriptors, and how calls on them are recorded.
 *
 * The hooks ask the kernel once per descriptor whether a call on it may have to wait; after dup, close and
 * fcntl they ask again. The answer can be out of date (descriptions are shared, libc closes without a hook).
 * At worst a wait then gets a wrong reason or is not recorded.
 *
 *	descriptor                              calls on it
 *	regular file                            SYSCALL if it took options.syscall_ns
 *	socket, pipe, terminal …, blocking      BLOCK if it took that; shown while it lasts
 *	…, O_NONBLOCK                           never wait; nothing is recorded
 *
 * Calling poll first, to see whether a call will wait, would cost more than preparing for the wait. */
#ifndef RECORD_PRELOAD_FD_H
#define RECORD_PRELOAD_FD_H

#include "tprof-record/preload/real.h"

enum fd_kind {
	FD_UNKNOWN, /* not asked yet, or not open */
	FD_FILE,
	FD_NONBLOCKING,
	FD_SOCKET,
	FD_PIPE,
	FD_OTHER, /* terminals, eventfd, timerfd, inotify, … */
};

enum { FD_KNOWN = 16384 }; /* descriptors below this are remembered */
extern _Atomic uint8_t fd_kinds[FD_KNOWN];

enum fd_kind fd_ask(int fd);

static inline enum fd_kind fd_kind(int fd)
{
	uint8_t kind = FD_UNKNOWN;

	if (likely((unsigned)fd < FD_KNOWN))
		kind = atomic_load_explicit(&fd_kinds[fd], memory_order_relaxed);
	return kind != FD_UNKNOWN ? kind : fd_ask(fd);
}

static inline void fd_forget(int fd)
{
	if (likely((unsigned)fd < FD_KNOWN))
		atomic_store_explicit(&fd_kinds[fd], FD_UNKNOWN, memory_order_relaxed);
}

/* enum rec_reason of a wait for such a descriptor. */
static inline uint32_t fd_reason(enum fd_kind kind)
{
	return kind == FD_SOCKET ? REC_ON_NETWORK : kind == FD_PIPE ? REC_ON_PIPE : REC_ON_POLL;
}

/* How a wait on a descriptor ended. */
static inline unsigned fd_outcome(ssize_t result)
{
	/* A time limit of the socket (SO_RCVTIMEO) says EAGAIN. */
	return result < 0 && errno == EAGAIN ? REC_TIMED_OUT : 0;
}

/* ---- short calls ---- */

/* Returns the time in ticks of the processor. Takes a fifth of the time of clock_gettime. */
static inline uint64_t fd_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return rec_now();
#endif
}

/* A number of ticks that is certainly less than options.syscall_ns. */
extern _Atomic uint64_t fd_short_ticks;

static inline bool fd_was_short(uint64_t began)
{
	return likely(fd_ticks() - began <
		      atomic_load_explicit(&fd_short_ticks, memory_order_relaxed));
}

/* Returns the same by the clock, for calls that seem to have been long. */
bool fd_was_short_after_all(const struct rec_event *wait);

/* Writes the record of a call that began at `began` and is over now, unless the clock says that it was
 * short. */
void fd_record(uint64_t began, enum rec_call call, int fd, unsigned skip);

/* The end of a hook for a call that takes time but does not wait. */
#define FD_TIMED(type, call, fd, real_call)                                                        \
	uint64_t began = fd_ticks();                                                               \
	type result = real_call;                                                                   \
                                                                                                   \
	if (!fd_was_short(began))                                                                  \
		fd_record(began, call, fd, 2);                                                     \
	return result

/* The end of a hook for a call that may have to wait, unless `never` is true. `flags` is an expression of
 * `result` and errno. */
#define FD_WAITS(type, why, fd, never, flags, real_call)                                           \
	if ((never) || !watching())                                                                \
		return real_call;                                                                  \
	struct rec_event wait = {.kind = REC_BLOCK, .object = (uint64_t)(fd), .arg = why};         \
	uint64_t began;                                                                            \
	type result;                                                                               \
                                                                                                   \
	rec_wait_begin(&wait, 1);                                                                  \
	began = fd_ticks();                                                                        \
	result = real_call;                                                                        \
	rec_wait_end(&wait, fd_was_short(began) || fd_was_short_after_all(&wait)                   \
				? REC_DID_NOT_WAIT                                                 \
				: (flags));                                                        \
	return result

/* The end of a hook that reads or writes; `kind` is the descriptor's. */
#define FD_TRANSFER(type, call, fd, kind, flags, real_call)                                        \
	if ((kind) == FD_FILE) {                                                                   \
		FD_TIMED(type, call, fd, real_call);                                               \
	}                                                                                          \
	FD_WAITS(type, fd_reason(kind), fd, (kind) <= FD_NONBLOCKING, flags, real_call)

/* Begins to measure how long a tick is. */
void fd_begin(void);

#endif
