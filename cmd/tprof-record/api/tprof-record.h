/* libtprof-record: instruments a program by hand for tprof and Go's own tools: execution traces with tasks,
 * regions, logs and the program's own threads; heap, block, mutex, threadcreate and goroutine profiles.
 *
 * The functions follow those of Go's packages runtime, runtime/trace and runtime/pprof, whose
 * documentation explains the numbers. All of them may be called from any thread, but not from a signal
 * handler. A "goroutine" is a kernel thread, or one of the program's own threads. A kernel thread gets its
 * number when it first calls a function of the library. The library records nothing and takes no memory until
 * the program switches something on, creates a goroutine, or gives a name or labels.
 *
 * Under tprof-record(1) the functions add to its recording, and the trace goes to its files. A forked child
 * inherits no trace, goroutines or rates; it may begin again.
 *
 *	tprof_trace_to_file("trace.out", TPROF_GO_1_26);
 *	uint64_t task = tprof_task_begin(0, "checkout");
 *	tprof_region_begin(task, "payment");
 *	tprof_log(task, "amount", "12.50");
 *	tprof_region_end(task, "payment");
 *	tprof_task_end(task);
 *	tprof_trace_stop();
 *
 * The functions need 8 KiB of the caller's stack. Those that look up names of code (tprof_trace_read,
 * tprof_trace_to_file, tprof_write_profile, tprof_stack, and calls that write to the text trace of allocations) need
 * 256 KiB, which is more than many coroutines have.
 *
 * Functions that can fail return 0 or an errno value. Link with -ltprof-record. */
#ifndef TPROF_RECORD_H
#define TPROF_RECORD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TPROF_API __attribute__((visibility("default")))
#else
#define TPROF_API
#endif

/* ---- execution traces ---- */

enum tprof_format { TPROF_GO_1_26, TPROF_GO_1_5 };

/* Starts a trace. Goroutines that exist already are in it, running or waiting. Returns EALREADY if tracing is
 * on or the last trace was not read to its end, ENOMEM, EINVAL, or the error of creating the temporary
 * file. */
TPROF_API int tprof_trace_start(enum tprof_format format);
/* Stops the trace. Returns when the reader has read everything, so the reader has to be another thread
 * (tprof_trace_to_file has one). Returns at once if tracing is off. The errno value says why the trace is not
 * complete; ENOBUFS: events came faster than they could be taken out. */
TPROF_API int tprof_trace_stop(void);
/* Returns the next piece of the trace, valid until the next call; waits until it is available.
 * Returns NULL at the end, if no trace was started, and for a second reader at the same time.
 *
 * The trace is written as it goes: each piece has what was recorded since the one before, at first of some 20 ms,
 * later of a second, and the trace can be read up to its end. The caller converts the records; those that
 * are not converted yet are in an unlinked temporary file (48 bytes per event).
 *
 * Under tprof-record(1) it returns NULL at once. */
TPROF_API const void *tprof_trace_read(size_t *size);
/* Returns the symbols of a go 1.5 trace, to be written beside FILE as FILE.symbols; the caller
 * frees *data. Call it after tprof_trace_stop and before the next start. ENOENT: the last trace had
 * another format. */
TPROF_API int tprof_trace_symbols(void **data, size_t *size);
/* Starts a trace that a thread of the library writes to a file, piece by piece (and FILE.symbols, for go 1.5, which
 * has no names, tasks, regions, logs and labels). If the program dies, the file ends with the last piece.
 * tprof_trace_stop returns when the file is closed; exit stops the trace, too. */
TPROF_API int tprof_trace_to_file(const char *path, enum tprof_format format);
/* Returns how many events, stacks, samples and waits were lost for lack of room since the process began; 0: traces and
 * profiles are complete. Each profile has the counts as comments. */
TPROF_API uint64_t tprof_lost(void);

/* ---- tasks, regions, logs and labels ---- */

/* Begins a task and returns its number. Parent 0 means that the task has no parent. Texts are cut
 * to 1024 bytes. If tracing is off, it only returns a number. */
TPROF_API uint64_t tprof_task_begin(uint64_t parent, const char *type);
TPROF_API void tprof_task_end(uint64_t task);
/* Regions belong to a goroutine and nest; the one that ends must be the innermost. */
TPROF_API void tprof_region_begin(uint64_t task, const char *type);
TPROF_API void tprof_region_end(uint64_t task, const char *type);
TPROF_API void tprof_log(uint64_t task, const char *category, const char *message);

/* Sets the labels of the calling goroutine: npairs pairs of key and value, at most 16; 0 pairs clear
 * them. Goroutines that it creates inherit them. Of two pairs with the same key the later counts.
 * EINVAL, ENOMEM. */
TPROF_API int tprof_set_labels(const char *const (*pairs)[2], size_t npairs);
TPROF_API void tprof_set_name(const char *name);

/* ---- kernel threads ---- */

/* Does what pthread_create does, and records the new thread and its creator from the beginning. Under
 * tprof-record(1) plain pthread_create does the same. */
TPROF_API int tprof_thread_create(pthread_t *thread, const pthread_attr_t *attr,
				  void *(*start)(void *), void *arg);

enum tprof_reason {
	TPROF_OTHER,
	TPROF_CHAN_SEND,
	TPROF_CHAN_RECEIVE,
	TPROF_SELECT,
	TPROF_MUTEX,
	TPROF_COND,
	TPROF_NETWORK,
	TPROF_SLEEP,
	TPROF_YIELD,
	TPROF_RWLOCK_READ,
	TPROF_RWLOCK_WRITE,
	TPROF_SEMAPHORE,
	TPROF_BARRIER,
	TPROF_JOIN
};

/* Enclose a wait of the calling thread (for the program's own goroutines use tprof_g_block). `object` is the
 * address of the awaited object, or NULL. A thread that is about to release or signal the object calls
 * tprof_post. It becomes the waker, and is blamed in the mutex profile if the wait was for a lock. timed_out:
 * the wait ended without a waker. Nothing else of the thread is recorded during the wait. */
TPROF_API void tprof_wait_begin(enum tprof_reason reason, const void *object);
TPROF_API void tprof_wait_end(bool timed_out);
TPROF_API void tprof_post(const void *object, bool all);

/* Enclose a call that may wait in the kernel, on a file descriptor or -1. It counts as blocked if it takes 20 us. They
 * do not nest. */
TPROF_API void tprof_syscall_begin(int fd);
TPROF_API void tprof_syscall_end(void);

/* ---- the program's own threads (fibres, coroutines, tasks of a pool) ---- */

/* Creates a goroutine and returns its number; numbers are given in order of creation, together with
 * those of threads. `entry` is the function that it will run; name may be NULL. It is runnable until
 * tprof_g_start. Returns 0 when memory is out; the other functions do nothing with 0. Profiles have at most
 * 16384 live goroutines. */
TPROF_API uint64_t tprof_g_create(void (*entry)(void *), const char *name);
/* Makes g run on the calling kernel thread. The thread's waits, samples and logs count as g's until
 * g blocks, yields or ends. */
TPROF_API void tprof_g_start(uint64_t g);
/* Take the running goroutine off the thread: it waits (block), or is runnable (yield). Call them on the
 * goroutine's own stack, which is recorded, and before others can see that it waits, so that its unblocking
 * comes later. */
TPROF_API void tprof_g_block(enum tprof_reason reason, const void *object);
TPROF_API void tprof_g_yield(void);
/* Makes g runnable again; a goroutine or a scheduler calls it. If g waited for a lock, the caller is
 * blamed in the mutex profile. */
TPROF_API void tprof_g_unblock(uint64_t g);
TPROF_API void tprof_g_end(void);
/* Returns the number of the calling goroutine: the program's own if one runs here, otherwise the
 * kernel thread's; 0 if unknown. */
TPROF_API uint64_t tprof_g_current(void);

/* ---- profiles ---- */

/* Chooses the release of Go whose profiler is followed: 105, 108, 118 or 126 (the default). 105 has no
 * mutex profile; before 118 the bias of block samples is not corrected; before 126 counts of mutex
 * samples are not scaled by the fraction. EBUSY: something was switched on already. EINVAL. */
TPROF_API int tprof_set_profiler(unsigned release);
/* Sets how many frames of a stack are kept, 1 to 1024 (GODEBUG=profstackdepth); the default is 128, and 32 with
 * profilers before 126. 0 is EINVAL: samples without a stack belong to nothing. EBUSY, EINVAL, as above. */
TPROF_API int tprof_set_stack_depth(unsigned frames);

/* Sets the mean number of bytes between heap samples; 0: off (the default), 1: everything
 * (runtime.MemProfileRate). With a rate below 65536, call it before anything else: then there is room for 8
 * million frames of different stacks and 2 million pairs of stack and size, instead of 262,144 and 32,768. */
TPROF_API void tprof_set_heap_rate(uint64_t bytes);
/* Sets the ns of waiting per sample; 0: off, 1: everything (runtime.SetBlockProfileRate). */
TPROF_API void tprof_set_block_rate(uint64_t ns);
/* Samples one of `fraction` contended unlocks on average; 0: off. Returns the previous fraction; a
 * negative one changes nothing (runtime.SetMutexProfileFraction). */
TPROF_API int tprof_set_mutex_fraction(int fraction);

/* For the program's own allocators; tprof-record(1) records libc's allocators by itself. tprof_free
 * is called before the block is freed. `type` is for the text trace and may be NULL. */
TPROF_API void tprof_alloc(void *block, size_t size);
TPROF_API void tprof_alloc_typed(void *block, size_t size, const char *type);
TPROF_API void tprof_free(void *block);
/* For the program's own locks: the calling goroutine has waited for ns (tprof_block_event); others
 * have waited for ns because of the calling goroutine (tprof_unlock_event). Waits recorded by the
 * functions above are counted without these calls. */
TPROF_API void tprof_block_event(uint64_t ns);
TPROF_API void tprof_unlock_event(uint64_t ns);

enum { TPROF_MAX_STACK = 32, TPROF_MAX_LABELS = 16 };

struct tprof_stack_record {
	uintptr_t stack[TPROF_MAX_STACK]; /* PCs, innermost first, 0 ends */
};
struct tprof_labels {
	size_t n;
	const char *pair[TPROF_MAX_LABELS][2]; /* key, value; valid as long as the process */
};
struct tprof_mem_record {
	int64_t alloc_bytes, free_bytes, alloc_objects, free_objects;
	struct tprof_stack_record stack;
};
struct tprof_block_record {
	int64_t count, cycles; /* cycles are ns */
	struct tprof_stack_record stack;
};

/* Each returns the number n of records. If room >= n, they are in p and *ok is true; otherwise p is
 * unchanged and *ok false: ask again with more room, as the number may have grown. p may be NULL if
 * room is 0; ok may be NULL.
 *
 * The heap profile has the allocations up to the last snapshot (tprof_heap_snapshot), or all
 * without a snapshot. With inuse_zero it also has stacks whose memory is all free again. Counts are
 * those of samples, not scaled. */
TPROF_API size_t tprof_mem_profile(struct tprof_mem_record *p, size_t room, bool inuse_zero,
				   bool *ok);
TPROF_API size_t tprof_block_profile(struct tprof_block_record *p, size_t room, bool *ok);
TPROF_API size_t tprof_mutex_profile(struct tprof_block_record *p, size_t room, bool *ok);
/* Kernel threads that were created so far, by tprof_thread_create or under tprof-record(1), with the stacks that
 * created them: as many as the profile "threadcreate" counts. */
TPROF_API size_t tprof_threadcreate_profile(struct tprof_stack_record *p, size_t room, bool *ok);
/* Live goroutines, the caller first. A wait that the library knows of has its stack. Running threads are
 * asked by a signal (the last real-time signal without a handler) and get 20 ms to answer. Without an answer,
 * and for goroutines that have not run yet, the stack is the function they began with. A thread that waits
 * without the library's knowledge may see EINTR. */
TPROF_API size_t tprof_goroutine_profile(struct tprof_stack_record *p, size_t room, bool *ok);
/* The same with the labels of each (tprof_set_labels), sorted by key; labels has as much room as p. */
TPROF_API size_t tprof_goroutine_profile_with_labels(struct tprof_stack_record *p,
						     struct tprof_labels *labels, size_t room,
						     bool *ok);

/* Publishes the allocations and frees so far; heap profiles show only published ones. (Go does this
 * after each garbage collection.) */
TPROF_API void tprof_heap_snapshot(void);

/* Writes a profile: "heap", "block", "mutex", "threadcreate", "goroutine" or "goroutineleak"; debug 0 is profile.proto
 * (gzip), 1 is text, 2 (goroutine) prints every stack. EINVAL, ENOMEM, or the error of write; ENOBUFS: it is written,
 * but samples were lost for lack of room (tprof_lost). For "goroutineleak" a child process looks at this one: EPERM if
 * it may not. */
TPROF_API int tprof_write_profile(const char *name, int fd, int debug);
/* Prints the stack of the calling goroutine, and with `all` those of the others, as Go does.
 * Returns the number of bytes written, at most size; adds no NUL. */
TPROF_API size_t tprof_stack(char *buf, size_t size, bool all);

/* ---- text tracing of allocations ---- */

/* Writes each tprof_alloc and tprof_free as text with its stack, whatever the heap rate is; fd -1 ends the
 * trace. tprof_heap_snapshot writes the stacks of all goroutines (tracegc). Returns when no thread writes to
 * the old fd any longer. */
TPROF_API int tprof_alloc_trace(int fd);

#ifdef __cplusplus
}
#endif

#endif
