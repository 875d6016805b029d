/* What the files of core/ share and nobody else needs: system calls without libc, locks, and the
 * private state behind rec_core.
 *
 * Functions of core.h that are not reentrant begin with rec_enter and end with rec_leave: a signal
 * handler that comes in between finds rec_self.depth raised, and what it would have recorded is
 * dropped.
 * What is declared here expects to be called in between. */
#ifndef RECORD_CORE_INSIDE_H
#define RECORD_CORE_INSIDE_H

#include <sys/syscall.h>
#include <unistd.h>

#include "tprof-record/core/core.h"

/* ---- system calls: not by way of libc, whose `syscall` is interposed and sets errno ---- */

/* The result as the kernel gives it: -errno for errors. */
#ifdef TP_ANALYZER /* it may write wherever an argument points to */
long rec_call(long number, long a, long b, long c, long d, long e, long f);
#else
static inline long rec_call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#else
#error "system calls of this processor are not known"
#endif
}
#endif

/* Private anonymous memory, zero, that a fork leaves empty; NULL when there is none. */
void *rec_map(size_t size);
void rec_unmap(void *memory, size_t size);

/* ---- locks ---- */

/* A futex: 0 free, 1 held, 2 held and waited for. Whoever waits for half a second takes it: the
 * owner was cancelled, say, and will not come back. What they protect is whole after every store,
 * so that costs a place in a table at worst; a program that hangs would be worse. Time that was
 * spent waiting goes to rec_self.contention. */
void rec_lock(_Atomic uint32_t *lock);
void rec_unlock(_Atomic uint32_t *lock);

enum rec_part {
#define REC_X(name, type, n) REC_PART_##name,
	REC_GROWING(REC_X)
#undef REC_X
	    REC_NPARTS
};

/* ---- the private state ---- */

enum {
	REC_NRULES = 1 << 14,	/* unwinding rules, by PC; a power of 2 */
	REC_NNAMES = 1 << 15,	/* interned strings */
	REC_NLABELS = 1 << 13,	/* … and label sets */
	REC_NPAGES = 256,	/* of unwinding tables that are known to be there */
	REC_NPENDING = 1 << 10, /* threads that were created and have not begun */
	REC_NCACHES = 256,
	REC_NCOMMON = 32,
	REC_NSHARDS = 32, /* of the table of sampled blocks */
};

struct rec_rule {
	_Atomic uint64_t check, rule; /* check: key ^ rule, so that torn pairs match nothing */
};

struct rec_pending {
	_Atomic uint32_t g;
	uint32_t stack, creator;
};

struct rec_sample {
	uint64_t block; /* 0: this place is free */
	uint32_t bucket, unused;
};

/* Sampled blocks whose hash begins with the shard's number: open addressing, at most 3/4 full. */
struct rec_shard {
	_Atomic uint32_t lock;
	uint32_t bits; /* 1 << bits places, 0 none yet */
	uint64_t count;
	struct rec_sample *place;
	uint64_t unused[5]; /* a cache line of its own */
};

/* Those who wait for a lock (blame.c). */
struct rec_blame {
	_Atomic uint32_t lock, n;
	uint64_t sum;	 /* of their baselines */
	uint64_t posted; /* when it was released last, by whom */
	uint32_t poster, unused;
};

struct rec_state {
	struct rec_core core;	/* first: rec_core points here */
	bool shared;		/* the arena is a file that others may have to themselves */
	uint64_t device, inode; /* of that file, should the program reuse its descriptor */
	_Atomic uint32_t taken; /* chunks that stripes have taken */
	_Atomic uint32_t epoch; /* raised when code may have come or gone */
	_Atomic uint32_t string_lock, cache_lock, tree_lock;
	_Atomic uint32_t reading_modules;
	_Atomic uint32_t levels;	   /* of the table of edges */
	_Atomic uint32_t chains;	   /* bits: parts of the table of chains that have memory */
	_Atomic uint32_t wary[REC_NPARTS]; /* reservations to refuse unasked after one failed */
	_Atomic uint64_t free_gs;	   /* places of goroutines, as header.free_chunks */
	uint32_t ncaches;
	/* Of those, the first REC_NCOMMON are for threads that got none, by their number. */
	struct rec_stack_cache *caches, *free_cache;
	_Atomic uint32_t common_lock[REC_NCOMMON];
	struct rec_pending pending[REC_NPENDING];
	struct rec_shard shard[REC_NSHARDS];
	struct rec_blame blame[REC_NWAITS];   /* beside each of the arena's waits */
	_Atomic uint32_t names[REC_NNAMES];   /* offsets of strings, 0 free */
	_Atomic uint32_t labels[REC_NLABELS]; /* offsets of sets */
	struct rec_rule rules[REC_NRULES];
	_Atomic uint64_t pages[REC_NPAGES];
};

static inline struct rec_state *rec_state(void)
{
	return (struct rec_state *)(void *)rec_core;
}

/* What the thread knew was about another arena. */
void rec_forget_self(void);

static inline bool rec_enter(void)
{
	if (!rec_alive() || rec_self.depth)
		return false;
	rec_self.depth = 1;
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(rec_self.generation != rec_core->generation, 0))
		rec_forget_self();
	return true;
}

static inline void rec_leave(void)
{
	atomic_signal_fence(memory_order_seq_cst);
	rec_self.depth = 0;
}

static inline void rec_lose(enum rec_loss what, uint64_t n)
{
	atomic_fetch_add_explicit(&rec_core->arena.header->lost[what], n, memory_order_relaxed);
}

/* ---- the arena ---- */

/* Makes and maps one, with memory for its header and waits. 0 or an errno value. */
int rec_arena_make(bool shared, void **base, int *fd);
/* Entries [0, upto) of the part have memory; false when there is none (counted). */
bool rec_reserve(enum rec_part part, uint32_t upto);
/* So much of the arena from there on has memory. */
bool rec_reserve_at(uint64_t from, uint64_t size);
/* Raises `used`, as entries below `upto` are complete. */
void rec_raise(_Atomic uint32_t *used, uint32_t upto);

/* ---- threads ---- */

/* The calling thread has its number, its place and its random numbers afterwards. */
void rec_know_self(void);
void rec_thread_begin_inside(uint32_t g, uint64_t entry);

static inline void rec_known(void)
{
	if (__builtin_expect(!rec_self.g, 0))
		rec_know_self();
}

/* ---- random numbers ---- */

static inline uint64_t rec_random(void)
{
	uint64_t x = rec_self.random += 0x9e3779b97f4a7c15u; /* splitmix64 */

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}
void rec_random_seed(void);

/* ---- stacks ---- */

/* Where a function stands after a call: `pc` is the return address (of one that was interrupted:
 * its PC + 1), sp and fp what they will be after the return. */
struct rec_frame {
	uint64_t pc, sp, fp;
};

/* The caller of the function this is used in. That function must not be inlined. */
#if defined(__x86_64__) || defined(__aarch64__)
#define REC_CALLER()                                                                               \
	(struct rec_frame)                                                                         \
	{                                                                                          \
		.pc = (uint64_t)(uintptr_t)__builtin_return_address(0),                            \
		.sp = (uint64_t)(uintptr_t)__builtin_frame_address(0) + 16,                        \
		.fp = *(uint64_t *)__builtin_frame_address(0)                                      \
	}
#endif

uint32_t rec_stack_from(struct rec_frame frame, unsigned skip);
/* Back to where threads take theirs from. */
void rec_cache_give(struct rec_stack_cache *cache);
void rec_write_inside(const struct rec_event *event);

/* The node below `parent` with that PC; 0 when there is none and no room. */
uint32_t rec_tree_child(uint32_t parent, uint64_t pc, uint32_t depth);
/* n PCs, innermost first; 0 when there is no room (counted). */
uint32_t rec_tree_add(const uint64_t *pcs, size_t n);

/* ---- sampled blocks that are alive (profile/sample.c) ---- */

/* The block belongs to that bucket (index + 1). false when there is no room (counted). *was: the
 * bucket that it belonged to until now, 0 none: such a block has gone without our knowledge. */
bool rec_sample_add(const void *block, uint32_t bucket, uint32_t *was);
/* Its bucket, 0 when it is not in the table. */
uint32_t rec_sample_remove(const void *block);

/* ---- who is to blame that threads waited for a lock (profile/blame.c) ---- */

/* Someone waits for the object from now on; the time that is now. */
uint64_t rec_blame_join(uint64_t object);
/* … and no longer; `start` is what join said. The time that is now. */
uint64_t rec_blame_leave(uint64_t object, uint64_t start, bool waited);
/* The object is about to be released by whoever has that stack; the time that is now. */
uint64_t rec_blame_post(uint64_t object, uint32_t stack);
/* Does anybody wait for such a lock? */
bool rec_blame_due(uint64_t object);

/* ---- buckets ---- */

/* Index + 1; 0 when there is none and no room (counted). */
uint32_t rec_bucket_of(enum rec_bucket_kind kind, uint32_t stack, uint64_t size);
uint32_t rec_string_inside(const char *text, size_t size);
void rec_create_event_inside(uint32_t stack);
/* To be added to a profile when the thread has nothing better to do. */
void rec_due(enum rec_bucket_kind kind, uint64_t ns, uint32_t stack, uint32_t n);
void rec_settle_inside(void);
/* Ends waits that nobody will end: those whose frames a new wait has taken; NULL: all. */
void rec_wait_abandon(const struct rec_event *wait);
void rec_block_event_inside(uint64_t ns, uint32_t stack);
void rec_mutex_event_inside(uint64_t ns, uint32_t stack, uint32_t n);
/* Where contention of the recorder's own locks goes once the thread holds none of them. */
void rec_settle_contention(void);

#endif
