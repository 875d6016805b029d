/* libtprof-record: instrument a program by hand, so that tprof (and Go's own tools) can look at it:
 * execution traces with tasks, regions, logs and threads of the program's own; heap, block, mutex,
 * thread-create and goroutine profiles.
 *
 * The functions follow those of Go's packages runtime, runtime/trace and runtime/pprof; what their
 * documentation says of the numbers holds here. All of them may be called from any thread. Where a
 * program runs under tprof-record(1) they add to what that records, and the trace goes to its
 * files.
 *
 * Functions that can fail return 0 or an errno value. Link with -ltprof-record. */
#ifndef TPROF_RECORD_H
#define TPROF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- execution traces ---- */

enum tprof_format { TPROF_GO_1_26, TPROF_GO_1_5 };

/* EALREADY: tracing is on already. ENOMEM. */
int tprof_trace_start(enum tprof_format format);
/* Returns when the reader has had everything; nothing happens where tracing is off. */
void tprof_trace_stop(void);
/* The next piece of the trace, for one reader at a time: blocks until there is one, NULL at the
 * end. Valid until the next call. Under tprof-record(1) it is NULL at once. */
const void *tprof_trace_read(size_t *size);
/* For symbols of a go 1.5 trace: write this beside FILE as FILE.symbols. After tprof_trace_stop;
 * to be freed by the caller. */
int tprof_trace_symbols(void **data, size_t *size);
/* Both of the above done by a thread of the library, into a file. */
int tprof_trace_to_file(const char *path, enum tprof_format format);

/* ---- what the program is doing ---- */

/* 0 is no task. Strings are kept to 1024 bytes. */
uint64_t tprof_task_begin(uint64_t parent, const char *type);
void tprof_task_end(uint64_t task);
void tprof_region_begin(uint64_t task, const char *type);
void tprof_region_end(uint64_t task, const char *type);
void tprof_log(uint64_t task, const char *category, const char *message);

/* Labels of the calling goroutine, from now on; pairs of key and value, npairs of them, none clear
 * them. Goroutines that it creates inherit them. */
int tprof_set_labels(const char *const (*pairs)[2], size_t npairs);
void tprof_set_name(const char *name);

/* ---- threads of the program's own (fibres, coroutines, tasks of a pool) ---- */

enum tprof_reason {
	TPROF_OTHER,
	TPROF_CHAN_SEND,
	TPROF_CHAN_RECEIVE,
	TPROF_SELECT,
	TPROF_MUTEX,
	TPROF_COND,
	TPROF_NETWORK,
	TPROF_SLEEP,
	TPROF_YIELD
};

/* Numbers are given in order of creation. `entry` is the function that it will run. */
uint64_t tprof_g_create(void (*entry)(void *), const char *name);
/* g runs on the calling kernel thread from now on: what that thread does (waits, samples, logs) is
 * g's until it blocks, yields or ends. */
void tprof_g_start(uint64_t g);
/* The running one leaves the thread: waits for somebody (block), or for its turn (yield). */
void tprof_g_block(enum tprof_reason reason, const void *object);
void tprof_g_yield(void);
void tprof_g_unblock(uint64_t g);
void tprof_g_end(void);
uint64_t tprof_g_current(void);

/* A call that may wait in the kernel. */
void tprof_syscall_begin(void);
void tprof_syscall_end(void);

/* ---- profiles ---- */

/* Mean bytes between samples of the heap; 0 off, 1 everything (runtime.MemProfileRate). */
void tprof_set_heap_rate(uint64_t bytes);
/* ns of waiting per sample; 0 off, 1 everything (runtime.SetBlockProfileRate). */
void tprof_set_block_rate(uint64_t ns);
/* One of `fraction` contended unlocks; 0 off. Negative only asks. Returns the previous one. */
int tprof_set_mutex_fraction(int fraction);

/* For allocators and locks of the program's own. Under tprof-record(1) those of libc are seen
 * anyway. tprof_free comes before the block is given back. */
void tprof_alloc(void *block, size_t size);
void tprof_free(void *block);
/* The calling goroutine had waited ns for something; blame the caller of tprof_unlock_event for
 * what others waited. */
void tprof_block_event(uint64_t ns);
void tprof_unlock_event(uint64_t ns);

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
 * p is as it was and *ok false: ask again with more room, as the number may have grown. */
size_t tprof_mem_profile(struct tprof_mem_record *p, size_t room, bool inuse_zero, bool *ok);
size_t tprof_block_profile(struct tprof_block_record *p, size_t room, bool *ok);
size_t tprof_mutex_profile(struct tprof_block_record *p, size_t room, bool *ok);
size_t tprof_threadcreate_profile(struct tprof_stack_record *p, size_t room, bool *ok);
size_t tprof_goroutine_profile(struct tprof_stack_record *p, size_t room, bool *ok);

/* Publishes what was allocated and freed up to now: heap profiles show it from here on. */
void tprof_heap_snapshot(void);

/* A profile as a file: "heap", "block", "mutex", "threadcreate", "goroutine"; debug 0 is
 * profile.proto (gzip), 1 is text, 2 (goroutine) prints every stack. */
int tprof_write_profile(const char *name, int fd, int debug);
/* The stack of the calling goroutine, or of all, as Go prints them; bytes written, never more than
 * size. */
size_t tprof_stack(char *buf, size_t size, bool all);

/* ---- text tracing of allocations ---- */

/* Each allocation and free as lines of text with its stack; fd -1 ends it. */
int tprof_alloc_trace(int fd);

#ifdef __cplusplus
}
#endif

#endif
