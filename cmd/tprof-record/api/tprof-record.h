/* libtprof-record: instrument a program by hand, so that tprof (and Go's own tools) can look at it:
 * execution traces with tasks, regions, logs and threads of the program's own; heap, block, mutex,
 * thread-create and goroutine profiles.
 *
 * The functions follow those of Go's packages runtime, runtime/trace and runtime/pprof; what their
 * documentation says of the numbers holds here. All of them may be called from any thread, none
 * from a signal handler. A "goroutine" is a thread of the kernel, or one of the program's own; the
 * library meets a thread of the kernel when it first calls something of the library's, and gives it
 * a number then. Nothing is recorded, and no memory taken, before something was switched on, a
 * goroutine created, or a name or labels given.
 *
 * Where a program runs under tprof-record(1) they add to what that records, and the trace goes to
 * its files. A forked child has nothing of its parent's: no trace, no goroutines, no rates; it may
 * begin anew.
 *
 *	tprof_trace_to_file("trace.out", TPROF_GO_1_26);
 *	uint64_t task = tprof_task_begin(0, "checkout");
 *	tprof_region_begin(task, "payment");
 *	tprof_log(task, "amount", "12.50");
 *	tprof_region_end(task, "payment");
 *	tprof_task_end(task);
 *	tprof_trace_stop();
 *
 * They need 8 KiB of the stack that they are called on; those that look for the names of code
 * (tprof_trace_stop, tprof_write_profile, tprof_stack, and calls that write to the text trace of
 * allocations) 256 KiB: more than many coroutines have.
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

/* EALREADY: tracing is on, or its last trace was not read to its end. ENOMEM, EINVAL, or what kept
 * the temporary file from being made. Goroutines that are there already are in the trace, running
 * or waiting as they are. */
TPROF_API int tprof_trace_start(enum tprof_format format);
/* Returns when a reader has had everything (so that reader is another thread, or follows a
 * tprof_trace_to_file, which has one); at once where tracing is off. An errno value tells why the
 * trace is not whole; ENOBUFS: there were more events than could be taken away in time. */
TPROF_API int tprof_trace_stop(void);
/* The next piece of the trace, for one reader at a time (the second gets NULL): blocks until there
 * is one, NULL at the end, and where no trace was started. Valid until the next call.
 *
 * The header comes at once. The rest comes when the trace was stopped: stacks and names of a trace,
 * and who woke whom, are known only then. Until then a thread of the library keeps the records in
 * an unlinked temporary file (48 bytes per event), so that memory does not grow.
 *
 * Under tprof-record(1) it is NULL at once. */
TPROF_API const void *tprof_trace_read(size_t *size);
/* For symbols of a go 1.5 trace: write this beside FILE as FILE.symbols. After tprof_trace_stop and
 * until the next start; to be freed by the caller. ENOENT: the last trace was of another format. */
TPROF_API int tprof_trace_symbols(void **data, size_t *size);
/* tprof_trace_start, with a thread of the library that reads it into a file (and FILE.symbols, for
 * go 1.5). tprof_trace_stop returns when that is closed; a program that ends by exit stops it. */
TPROF_API int tprof_trace_to_file(const char *path, enum tprof_format format);
/* Events that could not be kept since the process began, as there was no room for them. */
TPROF_API uint64_t tprof_lost(void);

/* ---- what the program is doing ---- */

/* 0 is no task. Texts are kept to 1024 bytes. Where tracing is off a number is given, but no more
 * done. */
TPROF_API uint64_t tprof_task_begin(uint64_t parent, const char *type);
TPROF_API void tprof_task_end(uint64_t task);
/* Regions belong to a goroutine and nest; the end names the innermost. */
TPROF_API void tprof_region_begin(uint64_t task, const char *type);
TPROF_API void tprof_region_end(uint64_t task, const char *type);
TPROF_API void tprof_log(uint64_t task, const char *category, const char *message);

/* Labels of the calling goroutine, from now on; pairs of key and value, npairs of them (at most
 * 16), none clear them. Goroutines that it creates inherit them. Of two pairs with one key the
 * later counts. EINVAL, ENOMEM. */
TPROF_API int tprof_set_labels(const char *const (*pairs)[2], size_t npairs);
TPROF_API void tprof_set_name(const char *name);

/* ---- threads of the kernel ---- */

/* pthread_create, with the new thread known from its first moment on, and who made it. Under
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

/* Around whatever makes the calling thread wait (of threads of the program's own:
 * tprof_g_block). What it waits for is any address, or NULL; tprof_post, by whoever is about to
 * release or signal that, says who ended the wait, and is blamed in the mutex profile where it was
 * for a lock. timed_out: nobody did. Between the two nothing else of the thread is recorded.
 */
TPROF_API void tprof_wait_begin(enum tprof_reason reason, const void *object);
TPROF_API void tprof_wait_end(bool timed_out);
TPROF_API void tprof_post(const void *object, bool all);

/* A call that may wait in the kernel, on a file descriptor or -1. Does not nest. */
TPROF_API void tprof_syscall_begin(int fd);
TPROF_API void tprof_syscall_end(void);

/* ---- threads of the program's own (fibres, coroutines, tasks of a pool) ---- */

/* Numbers are given in order of creation, together with those of threads. `entry` is the function
 * that it will run; name may be NULL. It is runnable, and runs when somebody starts it. 0: nothing
 * could be recorded (no memory); the others take that, and do nothing. 16384 goroutines may be
 * alive: of those beyond, profiles know nothing. */
TPROF_API uint64_t tprof_g_create(void (*entry)(void *), const char *name);
/* g runs on the calling kernel thread from now on: what that thread does (waits, samples, logs) is
 * g's until it blocks, yields or ends. */
TPROF_API void tprof_g_start(uint64_t g);
/* The running one leaves the thread: waits for somebody (block), or for its turn (yield). To be
 * called on its own stack, which is kept, and before others can see that it waits: its unblocking
 * has to come after. */
TPROF_API void tprof_g_block(enum tprof_reason reason, const void *object);
TPROF_API void tprof_g_yield(void);
/* g is runnable again. From a goroutine or from a scheduler. Where g waited for a lock, the
 * caller is blamed in the mutex profile. */
TPROF_API void tprof_g_unblock(uint64_t g);
TPROF_API void tprof_g_end(void);
/* The one that calls: of the program's own where one runs, else that of the thread; 0 unknown. */
TPROF_API uint64_t tprof_g_current(void);

/* ---- profiles ---- */

/* Which release of Go's profiler is followed: 105, 108, 118 or 126 (which it is anyway). 105 has no
 * mutex profile; before 118 block samples are as they were met, without correction of their bias;
 * before 126 counts of mutex samples are not scaled up by the fraction. Before anything was
 * switched on: EBUSY; EINVAL. */
TPROF_API int tprof_set_profiler(unsigned release);
/* Frames that are kept of a stack, 1 to 1024 (GODEBUG=profstackdepth); 128 unless set. As above. */
TPROF_API int tprof_set_stack_depth(unsigned frames);

/* Mean bytes between samples of the heap; 0 off (as it is at first), 1 everything
 * (runtime.MemProfileRate). */
TPROF_API void tprof_set_heap_rate(uint64_t bytes);
/* ns of waiting per sample; 0 off, 1 everything (runtime.SetBlockProfileRate). */
TPROF_API void tprof_set_block_rate(uint64_t ns);
/* On average one of `fraction` contended unlocks; 0 off. Negative only asks. Returns the previous
 * one (runtime.SetMutexProfileFraction). */
TPROF_API int tprof_set_mutex_fraction(int fraction);

/* For allocators and locks of the program's own. Under tprof-record(1) those of libc are seen
 * anyway. tprof_free comes before the block is given back. `type`, of the text trace, may be NULL.
 */
TPROF_API void tprof_alloc(void *block, size_t size);
TPROF_API void tprof_alloc_typed(void *block, size_t size, const char *type);
TPROF_API void tprof_free(void *block);
/* The calling goroutine had waited ns for something; blame the caller of tprof_unlock_event for
 * what others waited. (The waits above count by themselves.) */
TPROF_API void tprof_block_event(uint64_t ns);
TPROF_API void tprof_unlock_event(uint64_t ns);

enum { TPROF_MAX_STACK = 32 };

struct tprof_stack_record {
	uintptr_t stack[TPROF_MAX_STACK]; /* PCs, innermost first, 0 ends */
};
struct tprof_mem_record {
	int64_t alloc_bytes, free_bytes, alloc_objects, free_objects;
	struct tprof_stack_record stack;
};
struct tprof_block_record {
	int64_t count, cycles; /* cycles are ns */
	struct tprof_stack_record stack;
};

/* Each returns how many records there are (n). Where room >= n, they are in p and *ok is true; else
 * p is as it was and *ok false: ask again with more room, as the number may have grown. p may be
 * NULL where room is 0; ok may be NULL.
 *
 * Heap: what was published (tprof_heap_snapshot; everything, if nothing ever was). With inuse_zero
 * also where all that was allocated is free again. Numbers are of samples, not scaled up. */
TPROF_API size_t tprof_mem_profile(struct tprof_mem_record *p, size_t room, bool inuse_zero,
				   bool *ok);
TPROF_API size_t tprof_block_profile(struct tprof_block_record *p, size_t room, bool *ok);
TPROF_API size_t tprof_mutex_profile(struct tprof_block_record *p, size_t room, bool *ok);
/* Threads of the kernel that are alive, by who created them; empty where that is not known. */
TPROF_API size_t tprof_threadcreate_profile(struct tprof_stack_record *p, size_t room, bool *ok);
/* Goroutines that are alive, the caller first. Those that wait as the library knows: where they do.
 * Running threads are asked by a signal (the last of the real-time signals that nobody handles) and
 * given 20 ms to answer, else, as those whose turn has not come yet, their stack is the function
 * they began with. A thread that waits without the library's knowledge may see EINTR. */
TPROF_API size_t tprof_goroutine_profile(struct tprof_stack_record *p, size_t room, bool *ok);

/* Publishes what was allocated and freed up to now: heap profiles show it from here on. (Go does so
 * when the garbage was collected.) */
TPROF_API void tprof_heap_snapshot(void);

/* A profile as a file: "heap", "block", "mutex", "threadcreate", "goroutine"; debug 0 is
 * profile.proto (gzip), 1 is text, 2 (goroutine) prints every stack. EINVAL, ENOMEM, or what write
 * said. */
TPROF_API int tprof_write_profile(const char *name, int fd, int debug);
/* The stack of the calling goroutine, or then of all others, as Go prints them; bytes written,
 * never more than size, and no NUL. */
TPROF_API size_t tprof_stack(char *buf, size_t size, bool all);

/* ---- text tracing of allocations ---- */

/* Each tprof_alloc and tprof_free as text with its stack, whatever the heap rate; fd -1 ends it. A
 * tprof_heap_snapshot writes the stacks of all goroutines (tracegc). Returns when no thread writes
 * to the old fd any more. */
TPROF_API int tprof_alloc_trace(int fd);

#ifdef __cplusplus
}
#endif

#endif
