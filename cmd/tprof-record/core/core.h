/* The part of the recorder that runs inside a recorded program: it takes samples and stacks, counts them in
 * buckets, and writes records. Its callers are the hooks of libc functions (preload/) and the library for
 * instrumenting by hand (api/).
 *
 * It has to work inside malloc, in signal handlers, between fork and exec, and in programs that are about to
 * die. So it allocates only by mmap, calls no libc function that has a hook or takes a lock, and has no
 * static constructors. Its own locks are futexes, held for a few dozen instructions. Its results go to the
 * arena. The process keeps privately only what other processes do not need: sampled blocks, caches of stacks,
 * a few words per thread.
 *
 * Without an arena, or after rec_core_end, all functions do nothing (rec_alive). */
#ifndef RECORD_CORE_CORE_H
#define RECORD_CORE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tprof-record/core/arena.h"

/* Private to the process. A fork wipes it (MADV_WIPEONFORK), so a child does not write to its parent's
 * arena, and has none until it calls rec_core_begin. */
struct rec_core {
	struct rec_arena arena;
	int fd;		     /* of the arena; -1: it is private memory */
	uint32_t generation; /* of the arena; threads drop their state of an older one */
	/* Cleared when recording ends. The arena stays mapped, as threads in the middle of a record
	 * still use it. */
	_Atomic uint32_t live;
};
extern struct rec_core *rec_core;

/* System calls that the process may not make any more, by what needs them (preload/filter.c). */
enum rec_need {
	REC_NEED_ALL = 1,
	REC_NEED_START = 2,	/* a new process */
	REC_NEED_TIMERS = 4,	/* timers and clocks of CPU time */
	REC_NEED_FILES = 8,	/* reading /proc */
	REC_NEED_NAMES = 16,	/* of threads and mappings */
	REC_NEED_KINDS = 32,	/* of descriptors */
	REC_NEED_YIELD = 64,	/* yielding the processor */
	REC_NEED_HANDLER = 128, /* of the signal for CPU samples: changing it, … */
	REC_NEED_RETURN = 256,	/* … and returning from it */
	REC_NEED_DROP = 512,	/* giving memory back */
	REC_NEED_CLOCK = 1024,	/* the time, where asking for it is a system call */
};
extern _Atomic uint32_t rec_lacks; /* forked children inherit it */

static inline bool rec_may(uint32_t need)
{
	return !(atomic_load_explicit(&rec_lacks, memory_order_relaxed) & need);
}

static inline bool rec_alive(void)
{
	return rec_core && atomic_load_explicit(&rec_core->live, memory_order_acquire);
}

/* ---- threads ---- */

/* Added to the depth of a thread that forks a process of the recorder's own, which is not recorded. */
enum { REC_OWN_FORK = 1 << 16 };

/* The state of a thread (initial-exec TLS; it begins as zeros). */
struct rec_self {
	int64_t until_sample; /* bytes to allocate until the next sample */
	uint32_t g;	      /* the goroutine that runs here; 0: not known yet */
	uint32_t m;
	struct rec_g *slot; /* of g; NULL: none was free */
	/* Above 0 while the thread is inside the recorder, whose own calls are not the program's: the
	 * functions below raise it, and do nothing if it is raised already. */
	uint32_t depth;
	uint32_t stripe;
	uint64_t random;
	uint64_t heap_rate; /* for which until_sample was drawn */
	struct {
		int64_t until_sample; /* after the last sample; another: more was allocated */
		uint32_t bucket;      /* of that block; 0: another was freed since */
		bool was_temporary;   /* what rec_free freed last, … */
		uint32_t excess;      /* … and that of its sample */
	} last;
	struct rec_stack_cache *cache;
	uint64_t contention; /* ns spent waiting for the recorder's own locks, not charged yet */
	uint64_t announced;  /* object of the last rec_announce, if its release is to come */
	/* Waits that have begun: at most one, unless signal handlers wait as well. */
	struct {
		const struct rec_event *wait;
		uint64_t object, blamed; /* of rec_blame_join; 0: no site is charged */
	} open[4];
	uint32_t nopen;
	uint32_t generation; /* of the arena that this state belongs to */
	/* Events that are not in the block and mutex profiles yet (rec_settle). */
	struct {
		uint64_t ns;
		uint32_t stack;
		uint16_t kind, n;
	} due[4];
	uint32_t ndue;
	struct {
		uint32_t timer; /* the kernel's number + 1; 0: none */
		uint32_t owed;	/* periods whose sample came while depth was raised */
		uint64_t due;	/* CPU time of the thread when its first period was over */
		uint64_t taken; /* periods since then */
		uint32_t stack; /* of the last sample */
	} cpu;
};
extern __thread struct rec_self rec_self __attribute__((tls_model("initial-exec")));

/* Makes the arena, with the caller as its first thread. Returns 0, or an errno value if nothing is
 * recorded. `shared`: the arena is a memfd, to be sent to the recorder; otherwise private memory. */
int rec_core_begin(const struct rec_options *options, bool shared);
/* Ends recording in this process. Other threads may be in the middle of a record. */
void rec_core_end(void);
/* Goes on after rec_core_end. */
void rec_core_resume(void);

/* Makes the calling thread a goroutine: the one that rec_thread_new has announced (`g`), or a new one (0).
 * Returns at once if the thread has a goroutine already. */
void rec_thread_begin(uint32_t g, uint64_t entry);
/* Ends the goroutine of the calling thread. Nothing that the thread does is recorded from then on, although
 * its other destructors may follow. */
void rec_thread_end(void);
/* Writes what all threads have used, as the process ends before them. */
void rec_threads_usage(void);
/* Announces a thread that the caller is about to create: returns its number and writes THREAD_NEW. */
uint32_t rec_thread_new(uint64_t entry);
void rec_thread_name(const char *name);
/* Takes a place for a goroutine, cleared except for `id`. Returns NULL, and counts the loss, if all are
 * taken. rec_g_leave gives it back. */
struct rec_g *rec_g_take(uint32_t id);
void rec_g_leave(struct rec_g *g);
/* Set and clear what g waits for. Only one thread at a time may write. */
void rec_wait_store(struct rec_g *g, const struct rec_event *wait);
void rec_wait_clear(struct rec_g *g);

/* ---- time, stacks, strings ---- */

uint64_t rec_now(void); /* CLOCK_MONOTONIC, ns */

/* Returns the CPU time of a thread of the process (0: the calling one) for a record, which wraps after 18
 * minutes; 0 if it is not known. A system call. */
uint32_t rec_cpu_stamp(uint32_t tid);

/* Takes the stack of the caller. Returns its node in the arena, or 0 if it could not be taken or kept
 * (counted). It has at most options.depth frames and leaves out `skip` functions of the recorder; with skip
 * 0, the function that calls rec_stack is the innermost. */
uint32_t rec_stack(unsigned skip);
/* Fills in the same stack as PCs, innermost first; returns their number. */
size_t rec_backtrace(uint64_t *pcs, size_t room, unsigned skip);

/* Interns a text, up to its first NUL. Returns 0 if it is empty or there is no room. */
uint32_t rec_string(const char *text, size_t size);
/* Interns n pairs of strings (key, value), sorted by key. Returns 0 if n is 0 or there is no room. */
uint32_t rec_label_set(const uint32_t *pairs, size_t n);
/* Appends a module. Returns its index + 1, or 0 if there is no room (counted). */
uint32_t rec_module_add(const struct rec_module *module);
/* Appends the new modules, and marks those that were unloaded. Asks the dynamic linker (dl_iterate_phdr), so
 * it must not be called while the linker holds its locks. */
void rec_modules_read(void);
/* Returns how many files were loaded and unloaded since the process began. */
uint64_t rec_modules_changes(void);
/* To be called after code was loaded or unloaded: drops the unwinding rules and pages that were cached. */
void rec_code_changed(void);

/* ---- records of the trace ---- */

static inline bool rec_tracing(void)
{
	return rec_alive() &&
	       atomic_load_explicit(&rec_core->arena.header->options.trace, memory_order_relaxed);
}

/* Writes a copy of a record to the stripe of the calling thread; g and m are filled in if they are 0.
 * While the trace is off, only TRACE_STOP and PROCESS_* are written. */
void rec_write(const struct rec_event *event);
/* For the recorder: gives back a chunk whose records are all written and have been read. */
void rec_chunk_give(const struct rec_arena *a, uint32_t index);

/* Record a wait. rec_wait_begin shows it in the thread's place and counts it among the waiters of the
 * object. rec_wait_end writes the BLOCK record and adds the wait to the block profile and, for locks, to
 * the mutex profile (by the stack that posted last).
 *
 *	struct rec_event wait = {.kind = REC_BLOCK, .object = …, .arg = REC_ON_MUTEX};
 *	rec_wait_begin(&wait, 1);	takes the stack and the time
 *	… real call …
 *	rec_wait_end(&wait, flags);
 *
 * How to keep the cost from other threads that wait for the same lock:
 *
 *	- Call trylock before the real lock, and rec_wait_begin only if that fails. It takes the
 *	  stack while the thread has to wait anyway, and adds the thread's previous wait to the
 *	  profiles.
 *	- Then call trylock once more, as the lock may have become free meanwhile. If it has, the
 *	  thread only waited for the recorder: rec_wait_end(&wait, REC_DID_NOT_WAIT) forgets the
 *	  wait.
 *	- rec_wait_end runs while the thread holds the lock, so it only takes the time and copies
 *	  the record. The profiles are brought up to date by the thread's next wait, its end or that
 *	  of the process, or by rec_settle after the real unlock (one load if there is nothing to do).
 *	- Call rec_post before the real unlock only if that will wake a thread. The first word of
 *	  an ordinary glibc mutex is above 1 if a thread sleeps in the kernel. While a woken thread
 *	  is on its way, the word is 1 although rec_waited_for is still true, and a post at each
 *	  unlock would be noise.
 *
 * A wait of kind REC_SYSCALL has no waiters and no profile, and is written only if it took
 * options.syscall_ns. An object of 0 has no waiters. The event is on the caller's stack until its end.
 * A wait without an end (longjmp, a cancelled thread) ends when the thread waits again, or ends. */
enum { REC_DID_NOT_WAIT = 0x8000 }; /* a flag that only rec_wait_end uses */
void rec_wait_begin(struct rec_event *wait, unsigned skip);
void rec_wait_end(struct rec_event *wait, unsigned flags);
void rec_settle_now(void);
static inline void rec_settle(void)
{
	if (__builtin_expect(rec_self.ndue, 0))
		rec_settle_now();
}

/* Returns the waiters of the objects with this hash. Expects rec_alive. */
static inline struct rec_wait *rec_waits_of(const void *object)
{
	uint64_t h = (uint64_t)(uintptr_t)object * 0x9e3779b97f4a7c15u;

	return &rec_core->arena.waits[h >> 51];
}
/* Returns whether any thread waits for an object with this hash. Costs one load. */
static inline bool rec_waited_for(const void *object)
{
	return rec_alive() &&
	       atomic_load_explicit(&rec_waits_of(object)->waiters, memory_order_relaxed);
}
/* To be called before an object is released or signalled, so that the post is not later than the
 * wake-up: writes POST, and makes the caller's stack the one that the mutex profile blames. `wakes` is 1,
 * or UINT32_MAX for all. */
void rec_post(const void *object, uint32_t wakes, unsigned skip);
/* The same for a program that says so itself: a hook may see the release, too, and post it once more. The thread's
 * next post of that object is then the same release, and is left out, unless the thread waits before it. */
void rec_announce(const void *object, uint32_t wakes, unsigned skip);

/* ---- CPU samples ---- */

/* To be called by the handler of options.cpu_signal for a signal of a timer with this value: takes a sample of
 * the interrupted code, for 1 + `missed` periods. A thread inside the recorder takes it when it leaves. */
extern char rec_cpu_mark;
void rec_cpu_sample(const void *context, uint32_t missed);
/* Ends sampling of the calling thread, and charges what it has used since its last sample. */
void rec_cpu_end(void);
/* The same before the thread's end: what it will use is lost. */
void rec_cpu_give_up(void);

/* ---- profiles ---- */

/* To be called for the allocation that takes rec_self.until_sample, from which callers subtract all
 * sizes, below 0. Samples the block and sets until_sample anew: to a MiB while the heap profile is off,
 * to see whether it is on again. */
void rec_malloc(void *block, size_t size, unsigned skip);
/* Counters of sampled blocks by hash; 0: the block was not sampled. */
extern uint8_t rec_sampled[65536];
static inline bool rec_maybe_sampled(const void *block)
{
	uint64_t h = (uint64_t)(uintptr_t)block * 0x9e3779b97f4a7c15u;

	return __builtin_expect(__atomic_load_n(&rec_sampled[h >> 48], __ATOMIC_RELAXED) != 0, 0);
}
/* To be called before the real free or realloc: removes the block's sample. Returns its bucket (index + 1),
 * or 0 if the block was not sampled. rec_unfree puts it back after a failed realloc. */
uint32_t rec_free(void *block);
void rec_unfree(void *block, uint32_t bucket);
/* Begins sampling anew with this rate, as Go does after MemProfileRate is set. */
void rec_set_heap_rate(uint64_t rate);

/* Returns whether memory that the program maps counts in the heap profile. */
static inline bool rec_maps(void)
{
	const struct rec_options *o;

	if (!rec_alive())
		return false;
	o = &rec_core->arena.header->options;
	return o->mmap && atomic_load_explicit(&o->heap_rate, memory_order_relaxed);
}
/* Record what the program does with its address space. All are called between rec_mapping_begin, if it returns
 * true, and rec_mapping_end, during which other threads wait at rec_mapping_begin.
 *
 * rec_mapping_set: the range is used like that from now on; if it is in use, by the caller's stack.
 * rec_mapping_allow: the program may write to the range, or may not access it, if it is known.
 * rec_mapping_use: what is known of an address. */
enum rec_use {
	REC_UNUSED,   /* not mapped, or shared with files and others */
	REC_RESERVED, /* not accessible or only for reading; counts as soon as it may be written */
	REC_IN_USE,
};
bool rec_mapping_begin(void);
void rec_mapping_end(void);
void rec_mapping_set(const void *start, size_t size, enum rec_use use, unsigned skip);
void rec_mapping_allow(const void *start, size_t size, bool use, unsigned skip);
enum rec_use rec_mapping_use(const void *address);

/* Count a wait and a contended unlock, by the rates in options (Go: blockevent, mutexevent). */
void rec_block_event(uint64_t ns, uint32_t stack);
void rec_mutex_event(uint64_t ns, uint32_t stack);

/* Begin and end a wait for a lock by one of the program's own goroutines, which another thread may end.
 * `start` is what rec_blame_begin returned. `posted`: the caller's release, with that stack, ended the
 * wait and is charged for it. */
uint64_t rec_blame_begin(uint64_t object);
void rec_blame_end(uint64_t object, uint64_t start, bool posted, uint32_t stack);

/* Publishes the allocations and frees counted so far; profiles show published counts only. (Go's
 * runtime/mprof.go needs three steps, mProf_NextCycle, mProf_Flush and mProf_PostSweep, as its garbage
 * collector finds frees later than they happen.) Needs only an arena, so the recorder can call it from
 * outside. */
void rec_heap_publish(const struct rec_arena *a);

#endif
