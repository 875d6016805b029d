/* What runs inside a recorded program: samples, buckets, stacks, records. The interposed functions
 * of libc (preload/) and the library for instrumenting by hand (api/) are its callers.
 *
 * It has to work inside malloc, in signal handlers, between fork and exec, and in programs that are
 * about to die. So: no allocation but mmap, no libc function that the preload interposes, nothing
 * that takes a lock of libc, no static constructors; its own locks are futexes held for a few dozen
 * instructions. Everything it learns goes to the arena; the process keeps privately only what
 * nobody else needs (sampled blocks, caches of stacks, a few words per thread).
 *
 * All of it is silent when there is no arena, or none any more (rec_alive). */
#ifndef RECORD_CORE_CORE_H
#define RECORD_CORE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tprof-record/core/arena.h"

/* Private to the process. A fork wipes it (MADV_WIPEONFORK): a child does not write to its parent's
 * arena, and has none until rec_core_begin gives it one. */
struct rec_core {
	struct rec_arena arena;
	int fd;		     /* of the arena, -1 when it is private memory */
	uint32_t generation; /* of the arena: what threads know of another is forgotten */
	/* Cleared where recording ends; the arena stays where it is, as threads in the middle of a
	 * record go on using it. */
	_Atomic uint32_t live;
};
extern struct rec_core *rec_core;

static inline bool rec_alive(void)
{
	return rec_core && atomic_load_explicit(&rec_core->live, memory_order_acquire);
}

/* ---- threads ---- */

/* What a thread keeps for itself (initial-exec TLS; zero is its valid beginning). */
struct rec_self {
	int64_t until_sample; /* bytes to allocate until the next sample */
	uint32_t g;	      /* the goroutine that runs here, 0: not known yet */
	uint32_t m;
	struct rec_g *slot; /* of g, NULL when there was none */
	uint32_t depth;	    /* > 0: in here already, so what is called now is not the program's:
			     * the functions below raise it, and do nothing where it is raised */
	uint32_t stripe;
	uint64_t random;
	uint64_t heap_rate; /* that until_sample was drawn for */
	struct rec_stack_cache *cache;
	uint64_t contention; /* ns of the recorder's own, not accounted yet */
	/* Waits that have begun: one, unless signal handlers wait, too. */
	struct {
		const struct rec_event *wait;
		uint64_t object, blamed; /* when it began to be somebody's fault, 0: it is not */
	} open[4];
	uint32_t nopen;
	uint32_t generation; /* of the arena that all this is about */
	/* Still to be added to the block and mutex profiles (rec_settle). */
	struct {
		uint64_t ns;
		uint32_t stack;
		uint16_t kind, n;
	} due[4];
	uint32_t ndue;
};
extern __thread struct rec_self rec_self __attribute__((tls_model("initial-exec")));

/* Makes the arena and its first thread (the caller). 0, or an errno value, and then nothing
 * is recorded. `shared` asks for a memfd (to be sent to the recorder), else private memory. */
int rec_core_begin(const struct rec_options *options, bool shared);
/* Takes the arena away from the process; other threads may be in the middle of a record. */
void rec_core_end(void);

/* The calling thread as a goroutine of its own: known before (`g` from rec_thread_new, and who
 * created it), or met for the first time (0). Cheap when it is known. */
void rec_thread_begin(uint32_t g, uint64_t entry);
/* The thread is silent from then on: others of its destructors may follow. */
void rec_thread_end(void);
/* Creator's side: gives the coming thread its number and writes THREAD_NEW. */
uint32_t rec_thread_new(uint64_t entry);
void rec_thread_name(const char *name);
/* A place for a goroutine of the program's own, cleared but for `id`; NULL when all are taken
 * (counted). And back. */
struct rec_g *rec_g_take(uint32_t id);
void rec_g_leave(struct rec_g *g);
/* What g is waiting for from now on, and no longer. For one writer at a time. */
void rec_wait_store(struct rec_g *g, const struct rec_event *wait);
void rec_wait_clear(struct rec_g *g);

/* ---- time, stacks, strings ---- */

uint64_t rec_now(void); /* CLOCK_MONOTONIC, ns */

/* The stack of the caller as a node of the arena, without `skip` functions of the recorder (0: the
 * function that calls rec_stack is the innermost) and no deeper than options.depth. 0 where it
 * could not be taken or kept; that is counted. */
uint32_t rec_stack(unsigned skip);
/* The same as PCs, innermost first; how many. */
size_t rec_backtrace(uint64_t *pcs, size_t room, unsigned skip);

uint32_t rec_string(const char *text, size_t size); /* interned; 0 when there is no room */
/* n pairs of strings (key, value), sorted by key; 0 for none, or no room. */
uint32_t rec_label_set(const uint32_t *pairs, size_t n);
/* Appends it to the modules: index + 1, 0 when there is no room (counted). */
uint32_t rec_module_add(const struct rec_module *module);
/* Writes to the arena which files' code is mapped now and was not, and which has gone. Asks the dynamic
 * linker (dl_iterate_phdr): not to be called inside its own locks. */
void rec_modules_read(void);
/* Returns how many files were loaded and unloaded since the process began. */
uint64_t rec_modules_changes(void);
/* Code was loaded or unloaded (dlopen, dlclose): forgets how to unwind what was there. */
void rec_code_changed(void);

/* ---- records of the trace ---- */

static inline bool rec_tracing(void)
{
	return rec_alive() &&
	       atomic_load_explicit(&rec_core->arena.header->options.trace, memory_order_relaxed);
}

/* Copies it into the stripe of the calling thread; g and m are filled in where they are 0. Nothing
 * is written while the trace is off, but for TRACE_STOP and PROCESS_*. */
void rec_write(const struct rec_event *event);
/* The recorder's side: gives back a chunk whose records are all written and have been read. */
void rec_chunk_give(const struct rec_arena *a, uint32_t index);

/* A wait that begins and ends: fills the thread's `wait`, counts it among the waiters of the
 * object, and at its end writes the BLOCK record, the block profile and, for locks, the mutex
 * profile (by the stack that posted last).
 *
 *	struct rec_event wait = {.kind = REC_BLOCK, .object = …, .arg = REC_ON_MUTEX};
 *	rec_wait_begin(&wait, 1);      takes stack and time
 *	… real call …
 *	rec_wait_end(&wait, flags);
 *
 * What it costs, and how to keep that from those who wait for the same lock:
 *
 *	- Before the real lock: trylock; only if that fails, rec_wait_begin. It takes the stack
 *	  while the thread has to wait anyway, and adds the wait before this one to the
 *	  profiles.
 *	- Then trylock once more: the lock may have become free meanwhile, and what was waited
 *	  for was the recorder. rec_wait_end(&wait, REC_DID_NOT_WAIT) then: nothing
 *	  happened.
 *	- rec_wait_end runs with the lock held: it takes the time and copies the record, no
 *	  more. The profiles are brought up to date by the thread's next wait or by
 *	  rec_settle, best called after the real unlock (one load if there is nothing to do).
 *	- rec_post before the real unlock only where that will wake somebody. Of an ordinary
 *	  mutex of glibc its first word says so (> 1: somebody sleeps in the kernel). While the
 *	  thread that was woken is on its way it is 1, and rec_waited_for is still true: posts
 *	  then are noise, as many as there are unlocks.
 *
 * Also for REC_SYSCALL, which has no waiters and no profile and is written only when it took
 * options.syscall_ns. An object of 0 has no waiters. The event is on the stack of the caller until
 * its end. Waits that are left without one (by longjmp, or a thread that is cancelled) end when the
 * thread waits the next time, or ends. */
enum { REC_DID_NOT_WAIT = 0x8000 }; /* a flag of rec_wait_end alone */
void rec_wait_begin(struct rec_event *wait, unsigned skip);
void rec_wait_end(struct rec_event *wait, unsigned flags);
void rec_settle_now(void);
static inline void rec_settle(void)
{
	if (__builtin_expect(rec_self.ndue, 0))
		rec_settle_now();
}

/* Does anybody wait for an object with that hash? One load. rec_waits_of expects rec_alive. */
static inline struct rec_wait *rec_waits_of(const void *object)
{
	uint64_t h = (uint64_t)(uintptr_t)object * 0x9e3779b97f4a7c15u;

	return &rec_core->arena.waits[h >> 51];
}
static inline bool rec_waited_for(const void *object)
{
	return rec_alive() &&
	       atomic_load_explicit(&rec_waits_of(object)->waiters, memory_order_relaxed);
}
/* The caller is about to release or signal it (so that the post is not after the wake-up): POST,
 * and the stack that the mutex profile will blame. wakes: 1, or UINT32_MAX for all. */
void rec_post(const void *object, uint32_t wakes, unsigned skip);

/* ---- profiles ---- */

/* Heap. The fast path is the caller's: rec_self.until_sample -= size, and rec_malloc when it fell
 * below 0. That sets it anew; with the heap profile off once in a MiB, to see whether it is on
 * again. */
void rec_malloc(void *block, size_t size, unsigned skip);
/* 64 KiB of counters: 0 says that the block was surely not sampled. */
extern uint8_t rec_sampled[65536];
static inline bool rec_maybe_sampled(const void *block)
{
	uint64_t h = (uint64_t)(uintptr_t)block * 0x9e3779b97f4a7c15u;

	return __builtin_expect(__atomic_load_n(&rec_sampled[h >> 48], __ATOMIC_RELAXED) != 0, 0);
}
/* Before the real free or realloc: takes the sample off. Returns its bucket (index + 1), 0 if it
 * was none, so that a realloc that fails can put it back. */
uint32_t rec_free(void *block);
void rec_unfree(void *block, uint32_t bucket);
/* Sampling begins anew with this rate (as after Go's MemProfileRate is set). */
void rec_set_heap_rate(uint64_t rate);

/* Go's blockevent and mutexevent, by the rates in options. */
void rec_block_event(uint64_t ns, uint32_t stack);
void rec_mutex_event(uint64_t ns, uint32_t stack);

/* A goroutine of the program's own waits for a lock, and no longer: `start` is what blame_begin
 * returned, `posted` whether a release with that stack has ended the wait, which is charged with what
 * it took. Others may run on the thread in between. */
uint64_t rec_blame_begin(uint64_t object);
void rec_blame_end(uint64_t object, uint64_t start, bool posted, uint32_t stack);

/* Publishes what was allocated and freed until now: profiles show that. (Go's runtime/mprof.go does it
 * in three steps, mProf_NextCycle, mProf_Flush and mProf_PostSweep, because frees are found later than
 * they happen, by a garbage collection.) It needs only an arena: the recorder calls it from outside. */
void rec_heap_publish(const struct rec_arena *a);

#endif
