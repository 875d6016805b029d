/* Private to core/: system calls without libc, locks, and the state behind rec_core.
 *
 * Functions of core.h that are not reentrant begin with rec_enter and end with rec_leave. A signal
 * handler in between finds rec_self.depth raised, and records nothing. The functions declared here
 * expect to be called in between. */
#ifndef RECORD_CORE_INSIDE_H
#define RECORD_CORE_INSIDE_H

#include <sys/syscall.h>
#include <unistd.h>

#include "tprof-record/core/core.h"

/* ---- system calls; libc's `syscall` has a hook, and sets errno ---- */

/* Returns what the kernel returns: -errno for errors. */
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

/* Maps private zeroed memory, which is zero again in a forked child. Returns NULL if memory has run out. */
void *rec_map(size_t size);
void rec_unmap(void *memory, size_t size);

/* The size of the machine's pages, a multiple of REC_PAGE and a power of 2. */
extern uint64_t rec_page;
static inline uint64_t rec_pages(uint64_t size)
{
	return (size + rec_page - 1) & -rec_page;
}

/* ---- locks ---- */

/* A futex: 0 free, 1 held, 2 held and waited for. A thread that has waited for half a second takes the lock,
 * as its owner may have been cancelled and will never release it. The protected data is consistent after
 * every store, so that costs one table entry at worst; a program that hangs would be worse. Time spent
 * waiting is added to rec_self.contention. */
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
	REC_NPAGES = 256,	/* of unwinding tables that are known to be readable */
	REC_NPENDING = 1 << 10, /* threads that were created and have not begun */
	REC_NCACHES = 256,
	REC_NCOMMON = 32,
	REC_NSHARDS = 32, /* of the table of sampled blocks */
};

struct rec_rule {
	_Atomic uint64_t check, rule; /* check: key ^ rule, so torn pairs match nothing */
};

struct rec_pending {
	_Atomic uint32_t g;
	uint32_t stack, creator;
};

struct rec_sample {
	uint64_t block; /* 0: this place is free */
	uint32_t bucket;
	uint32_t excess; /* by how many bytes it stands for more than its size */
};

/* Sampled blocks whose hash begins with the shard's number: open addressing, at most 3/4 full. */
struct rec_shard {
	_Atomic uint32_t lock;
	uint32_t bits; /* 1 << bits places; 0: none allocated yet */
	uint64_t count;
	struct rec_sample *place;
	uint64_t unused[5]; /* pads the struct to a cache line */
};

/* Memory that the program has mapped (profile/mapping.c), by address. */
struct rec_range {
	uint64_t start, end;
	uint32_t bucket; /* index + 1; 0: reserved, not in use */
};

enum { REC_LEAF = 170 };
struct rec_leaf {
	struct rec_leaf *next; /* of the spare ones */
	uint32_t n, unused;
	struct rec_range at[REC_LEAF];
};

struct rec_ranges {
	_Atomic uint32_t lock;
	uint32_t n; /* leaves; only a single one may be empty */
	struct rec_leaf **leaf, *spare;
	uint32_t nspares, unused;
};

struct rec_levels {
	_Atomic uint32_t n; /* that have memory */
	_Atomic uint32_t wary;
};

/* The waiters for a lock (profile/blame.c). */
struct rec_blame {
	_Atomic uint32_t lock, n;
	uint64_t sum;	 /* of their baselines */
	uint64_t posted; /* when the lock was last released, and by which stack */
	uint32_t poster, unused;
};

struct rec_state {
	struct rec_core core;	/* first: rec_core points here */
	bool shared;		/* the arena is a file that the recorder has mapped as well */
	uint64_t device, inode; /* of that file; the program may reuse its descriptor */
	_Atomic uint32_t taken; /* chunks that stripes have taken */
	_Atomic uint32_t epoch; /* raised when code may have been loaded or unloaded */
	_Atomic uint32_t string_lock, cache_lock, tree_lock;
	_Atomic uint32_t reading_modules;
	struct rec_levels edges, keys; /* of these tables (table.h) */
	_Atomic uint32_t wary[REC_NPARTS];
	_Atomic int64_t heap_told,
	    heap_most; /* bytes in use: in the last HEAP record, the most told */
	_Atomic uint64_t heap_told_ns;
	_Atomic uint64_t free_gs; /* places of goroutines, as header.free_chunks */
	uint32_t ncaches;
	/* The first REC_NCOMMON are shared by the threads that have no cache of their own. */
	struct rec_stack_cache *caches, *free_cache;
	_Atomic uint32_t common_lock[REC_NCOMMON];
	struct rec_pending pending[REC_NPENDING];
	struct rec_shard shard[REC_NSHARDS];
	struct rec_ranges ranges;
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

/* Clears the state of the thread, which belongs to another arena. */
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

/* The two parts of rec_leave: lower the depth, and take the CPU samples that came while it was raised. */
static inline void rec_go_out(void)
{
	atomic_signal_fence(memory_order_seq_cst);
	rec_self.depth = 0;
	atomic_signal_fence(memory_order_seq_cst);
}
void rec_cpu_settle(void);

static inline void rec_leave(void)
{
	rec_go_out();
	if (__builtin_expect(rec_self.cpu.owed, 0))
		rec_cpu_settle();
}

static inline void rec_lose(enum rec_loss what, uint64_t n)
{
	atomic_fetch_add_explicit(&rec_core->arena.header->lost[what], n, memory_order_relaxed);
}

/* ---- the arena ---- */

/* Makes and maps an arena, with memory for its header and waits. Returns 0 or an errno value. */
int rec_arena_make(bool shared, unsigned scale, struct rec_arena *arena, int *fd);
/* Reserves memory for entries [0, upto) of a part. Returns false if there is none; each refusal by the system
 * is counted. */
bool rec_reserve(enum rec_part part, uint32_t upto);
/* Reserves memory for a piece of the arena. `wary`: reservations to refuse at once after one failed. */
bool rec_reserve_at(_Atomic uint32_t *wary, const void *from, uint64_t size);
/* Raises `used` to `upto`, unless it is higher already. */
void rec_raise(_Atomic uint32_t *used, uint32_t upto);

/* ---- threads ---- */

void rec_thread_begin_inside(uint32_t g, uint64_t entry);

/* Gives the calling thread its number, its place and a random seed, unless it has them already. */
static inline void rec_known(void)
{
	if (__builtin_expect(!rec_self.g, 0))
		rec_thread_begin_inside(0, 0);
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

/* A frame: `pc` is the address that its callee returns to (in interrupted code, the PC + 1); sp and fp are
 * the registers after that return. */
struct rec_frame {
	uint64_t pc, sp, fp;
#if defined(__aarch64__)
	uint64_t link; /* x30 in interrupted code, which may hold the return address; else 0 */
	bool loose;    /* sp was not found: it is at least this */
#endif
};

/* The frame of the caller of the function that uses this macro. That function must not be inlined. */
#if defined(__aarch64__)
/* Where a frame ends, its frame pointer does not tell. */
struct rec_frame rec_caller_of(struct rec_frame own);
static inline __attribute__((always_inline)) struct rec_frame rec_caller(void)
{
	struct rec_frame own = {0};

	__asm__ volatile("adr %0, . + 1\n\tmov %1, sp\n\tmov %2, x29\n\tmov %3, x30"
			 : "=&r"(own.pc), "=&r"(own.sp), "=&r"(own.fp), "=&r"(own.link));
	return rec_caller_of(own);
}
#define REC_CALLER() rec_caller()
#else
#define REC_CALLER()                                                                               \
	(struct rec_frame)                                                                         \
	{                                                                                          \
		.pc = (uint64_t)(uintptr_t)__builtin_return_address(0),                            \
		.sp = (uint64_t)(uintptr_t)__builtin_frame_address(0) + 16,                        \
		.fp = *(uint64_t *)__builtin_frame_address(0)                                      \
	}
#endif

/* Does the same as rec_stack, starting from the given frame. */
uint32_t rec_stack_from(struct rec_frame frame, unsigned skip);
/* Returns a cache for other threads to use. */
void rec_cache_give(struct rec_stack_cache *cache);

/* Returns the node below `parent` with this PC, and adds it if it is missing. Returns 0 if there is no
 * room. */
uint32_t rec_tree_child(uint32_t parent, uint64_t pc, uint32_t depth);
/* Returns the node of n PCs, innermost first. Returns 0, and counts the loss, if there is no room. */
uint32_t rec_tree_add(const uint64_t *pcs, size_t n);

/* ---- sampled blocks that are alive (profile/sample.c) ---- */

/* Adds a block. Returns false, and counts the loss, if there is no room. Sets *was to the sample that was there before,
 * as its free was not seen; its bucket is 0 if there was none. */
bool rec_sample_add(struct rec_sample sample, struct rec_sample *was);
/* Removes a block. Returns its sample; the bucket is 0 if it is not in the table. */
struct rec_sample rec_sample_remove(const void *block);

/* ---- which release is charged with waits for a lock (profile/blame.c) ---- */

/* Begins a wait for the object. Returns the time. */
uint64_t rec_blame_join(uint64_t object);
/* Ends a wait; `start` is what rec_blame_join returned. Returns the time. */
uint64_t rec_blame_leave(uint64_t object, uint64_t start, bool waited);
/* Charges a release of the object, which is about to happen, to a stack. Returns the time. */
uint64_t rec_blame_post(uint64_t object, uint32_t stack);
/* Returns whether any thread waits for a lock with this hash. */
bool rec_blame_due(uint64_t object);

/* ---- CPU samples (profile/cpu.c) ---- */

/* Starts the timer of the calling thread. */
void rec_cpu_begin(uint32_t tid);
void rec_cpu_end_inside(struct rec_frame caller);

/* ---- buckets, records ---- */

void rec_write_inside(const struct rec_event *event);
/* Counts in a heap or mmap bucket. `bytes`: by how much memory in use grows. */
void rec_heap_count(uint32_t bucket, uint64_t allocs, uint64_t frees, int64_t bytes);
/* Returns the index + 1 of a bucket, and adds it if it is missing. Returns 0, and counts the loss, if there
 * is no room. */
uint32_t rec_bucket_of(enum rec_bucket_kind kind, uint32_t stack, uint64_t size);
uint32_t rec_string_inside(const char *text, size_t size);
void rec_create_event_inside(uint32_t stack);
/* Keeps an event for rec_settle_inside, which adds it to its profile. */
void rec_due(enum rec_bucket_kind kind, uint64_t ns, uint32_t stack, uint32_t n);
void rec_settle_inside(void);
/* Ends waits that were abandoned: those whose stack frames a new wait reuses, or all of them (NULL). */
void rec_wait_abandon(const struct rec_event *wait);
void rec_block_event_inside(uint64_t ns, uint32_t stack);
void rec_mutex_event_inside(uint64_t ns, uint32_t stack, uint32_t n);
/* Charges the contention of the recorder's own locks. The thread must hold none of them. */
void rec_settle_contention(void);

#endif
