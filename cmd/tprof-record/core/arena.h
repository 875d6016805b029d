/* The memory that a recorded process and the recorder share. Everything that has to survive the process is in
 * it, so a signal, a crash or a kill loses nothing.
 *
 * It is a sparse memfd that the process makes, maps and sends to the recorder. Its parts lie one behind the other
 * (REC_PARTS). Each grows from its beginning. Memory is reserved (fallocate) before it is touched, so a lack
 * of memory is a counted error and never a SIGBUS.
 *
 * The process writes everything; the recorder only clears and frees chunks, publishes heap counts, and
 * switches options off. The recorder trusts nothing in it, as the program may have overwritten it.
 * convert/process.h checks every index and count once.
 *
 * Stacks, strings, modules and buckets are appended and never move: `used` is raised (release) when an entry
 * is complete. Integers have the machine's byte order. */
#ifndef RECORD_CORE_ARENA_H
#define RECORD_CORE_ARENA_H

#include <stdatomic.h>
#include <stdint.h>

#include "tprof-record/core/event.h"

#define REC_MAGIC   0x3130306472707274u /* "trprd001" */
#define REC_VERSION 5

enum {
	REC_NGS = 16384,   /* goroutines alive at a time whose present wait is known */
	REC_NWAITS = 8192, /* counters of waiters, by hash of the object */
	REC_NMODULES = 1024,
	REC_STRING_BYTES = 1 << 19,
	REC_NSETS = 4096, /* label sets */
	REC_NSTRIPES = 16,
	REC_CHUNK_EVENTS = 340, /* just under 16 KiB */
	REC_NCHUNKS = 192,
	REC_MAX_HZ = 10000,   /* of CPU samples */
	REC_MAX_DEPTH = 1024, /* most frames of a stack; options.depth of them are taken */
	/* Shorter system calls are not written to the trace, ns: the time for which Go's scheduler lets a
	 * call keep its P (runtime/proc.go, retake). */
	REC_SYSCALL_NS = 20000,
};

/* The tables of stacks and of buckets have two sizes. The large one (scale 1) is for recordings of every block
 * or nearly so; the small one does not use up the address space of a program that limits it (ulimit -v). */
#define REC_NNODES(scale)      (1u << (18 + 5 * (scale))) /* of the tree of stacks */
#define REC_NBUCKETS(scale)    (1u << (15 + 6 * (scale)))
#define REC_EDGE_LEVELS(scale) (4 + 2 * (scale)) /* of the tables that find them (table.h) */
#define REC_KEY_LEVELS(scale)  (3 + 2 * (scale))
enum { REC_NSCALES = 2, REC_LARGE_BELOW = 65536 }; /* the heap rate with which tables are large */

/* The first `level` levels of such a table have this many places together. */
#define REC_LEVELS_SIZE(level) (((1u << (2 * (level))) - 1) / 3 << 14)

/* What is recorded. The program may change the rates while it runs (api/). */
struct rec_options {
	_Atomic uint64_t heap_rate; /* mean bytes between samples; 0: off, 1: all */
	_Atomic uint64_t
	    block_rate; /* ns of waiting per sample, 0 off, 1 all (Go: SetBlockProfileRate) */
	_Atomic uint64_t
	    mutex_fraction;	/* one of so many events, 0 off (Go: SetMutexProfileFraction) */
	_Atomic uint32_t trace; /* events of the trace are written */
	uint32_t depth;		/* frames per stack; 0: as many as the profiler has, 128 or 32 */
	/* Which of Go's profilers counts: 105, 108, 118, 126. 105 has no mutex profile; before 118
	 * block samples are not corrected for their bias; before 126 mutex samples are scaled by
	 * the reader of the profile. */
	uint32_t profiler;
	uint32_t threadcreate;
	/* CPU times are written at waits: the recorder sets it if the kernel does not tell switches. */
	_Atomic uint32_t cpu_time;
	uint64_t syscall_ns;	 /* shorter system calls are not written to the trace */
	uint64_t seed;		 /* of the random numbers; 0: from the clock */
	_Atomic uint32_t cpu_hz; /* samples per second of CPU time; 0: off */
	uint32_t cpu_signal;	 /* by which a thread's timer asks for one; 0: it cannot */
	uint32_t mmap; /* memory that the program maps itself counts (profile/mapping.c) */
};

/* Counts of a heap bucket: blocks of its size, or pages (REC_PAGE) of mapped memory. */
struct rec_heap_counts {
	_Atomic uint64_t allocs, frees;
};

enum rec_bucket_kind {
	REC_HEAP_BUCKET = 1,
	REC_BLOCK_BUCKET,
	REC_MUTEX_BUCKET,
	REC_CREATE_BUCKET, /* of threads */
	REC_CPU_BUCKET,
	REC_MMAP_BUCKET, /* memory that the program has mapped, not sampled */
	REC_NBUCKET_KINDS
};

/* Keyed by kind, stack and size, as in runtime/mprof.go. */
struct rec_bucket {
	uint32_t allnext; /* of its kind, newest first: index + 1 */
	uint32_t kind;	  /* enum rec_bucket_kind */
	uint32_t stack;
	uint32_t unused;
	/* Of heap: bytes of each block. Of mmap: bytes of each mapping. Of cpu: the thread's name (string) in
	 * the high half, its label set in the low one. */
	uint64_t size;
	union {
		struct {
			struct rec_heap_counts now, published; /* rec_heap_publish */
			_Atomic uint64_t temporary; /* freed by the next call of their thread */
			/* In use at the moment of the highest use with that number. If another moment was
			 * the highest since, nothing has changed here between the two: see
			 * rec_heap_at_peak. */
			_Atomic uint32_t peak, peak_number;
		} heap; /* and mmap */
		struct {
			_Atomic uint64_t count; /* bits of a double */
			_Atomic int64_t cycles; /* ns; of cpu: periods */
		} block;
	} u;
};

/* The PC of the innermost frame of a thread that was in a system call. */
#define REC_KERNEL_PC 0xffffffff80000001u

/* The PC of the outermost frame of memory that the program has mapped; only profiles have it. */
#define REC_MMAP_PC 0xffffffff80000002u

/* A node of the tree of stacks; `parent` is the next one towards the root (0: none). Node 0 is no stack.
 */
struct rec_node {
	uint64_t pc; /* a return address; of the innermost frame of an interrupted thread, its PC */
	uint32_t parent;
	uint32_t depth; /* 1 at the root */
};

/* A goroutine that is alive, and what it is waiting for. */
struct rec_g {
	_Atomic uint32_t id; /* 0: this place is free */
	/* The kernel's thread id; 0 for one of the program's own, and until the rest is filled in. */
	_Atomic uint32_t tid;
	_Atomic uint32_t m; /* it runs on; 0: on none (only one of the program's own) */
	_Atomic uint32_t labels;
	_Atomic uint32_t create_stack;
	_Atomic uint32_t creator;
	_Atomic uint64_t entry; /* PC of its start routine */
	_Atomic uint64_t start;
	char name[16];
	/* Odd while `wait` is being written; its kind is REC_NOTHING if the goroutine does not wait. */
	_Atomic uint32_t seq;
	_Atomic uint32_t next_free; /* in the list of free places: index + 1 */
	struct rec_event wait;	    /* BLOCK, SYSCALL or G_STOP with `end` 0 */
};

/* The waiters of all objects with one hash. */
struct rec_wait {
	_Atomic uint32_t waiters;
};

struct rec_module {
	uint64_t start, limit, offset; /* of an executable mapping, as in /proc/PID/maps */
	uint32_t file;		       /* string */
	uint32_t build_id;	       /* string, in hex */
	_Atomic uint32_t gone;	       /* unloaded; another file may be mapped there now */
	uint32_t unused;
};

/* A stripe takes a chunk from the free list and sets its `turn`, from the header's `turns`: the recorder
 * reads chunks in that order, which keeps the records of a thread in order. The stripe leaves `reserved`
 * as it is, as a late thread may already have a record there. When the stripe has moved on to another
 * chunk, it sets `full`. When all records of a full chunk are published and copied, the recorder clears
 * their kinds, then `full`, then `reserved` (release), and puts the chunk on the free list. */
struct rec_chunk {
	_Atomic uint32_t next;	   /* in the free list: index + 1 */
	_Atomic uint32_t reserved; /* records that have an owner; may run past REC_CHUNK_EVENTS */
	_Atomic uint32_t full;	   /* no more records are reserved in it */
	_Atomic uint32_t turn;	   /* the order in which chunks were begun */
	uint32_t unused[4];
	struct rec_event event[REC_CHUNK_EVENTS];
};

/* The size of a part that grows: entries [0, used) are complete, and [0, reserved) have memory. */
struct rec_growth {
	_Atomic uint32_t used, reserved;
};

/* The parts that grow: name in the header and in the arena, type, places at a `scale`. A part refers only to
 * those that come after it. */
#define REC_GROWING(X)                                                                             \
	X(gs, struct rec_g, REC_NGS)                                                               \
	X(buckets, struct rec_bucket, REC_NBUCKETS(scale))                                         \
	X(modules, struct rec_module, REC_NMODULES)                                                \
	X(nodes, struct rec_node, REC_NNODES(scale))                                               \
	X(sets, uint32_t, REC_NSETS * 16)                                                          \
	X(strings, char, REC_STRING_BYTES)                                                         \
	X(chunks, struct rec_chunk, REC_NCHUNKS)

/* How often something was lost, by what ran out. */
/* clang-format off */
#define REC_LOSSES(X) \
	/*  what (one)                  why */ \
	X(EVENTS,     "event",          "the recorder could not keep up") \
	X(STACKS,     "stack",          "the table of stacks was full; see Losses in tprof-record(1)") \
	X(BUCKETS,    "profile sample", "the table of profiles was full; see Losses in tprof-record(1)") \
	X(STRINGS,    "string",         "the table of names was full") \
	X(WAITS,      "wait",           "the table of threads was full") \
	X(MODULES,    "mapped file",    "the table of mapped files was full") \
	X(BLOCKS,     "heap block",     "there was not enough memory to track them") \
	X(TIMERS,     "timer",          "the CPU time of a thread without one is not sampled") \
	X(CONTENTION, "ns",             "the recorder's own threads waited for each other") \
	X(MEMORY,     "reservation",    "the system did not give memory") /* fallocate */
/* clang-format on */

enum rec_loss {
#define REC_X(name, text, why) REC_LOST_##name,
	REC_LOSSES(REC_X)
#undef REC_X
	    REC_NLOSSES
};

struct rec_header {
	uint64_t magic;
	uint32_t version, size_of_event;
	uint32_t pid, unused;
	uint64_t start_ns;		/* CLOCK_MONOTONIC … */
	uint64_t start_sec, start_nsec; /* … and CLOCK_REALTIME, read together */
	struct rec_options options;
	_Atomic uint32_t next_g; /* number of the next goroutine */
	_Atomic uint64_t lost[REC_NLOSSES];
#define REC_X(name, type, n) struct rec_growth name;
	REC_GROWING(REC_X)
#undef REC_X
	/* Newest bucket of each kind: index + 1. */
	_Atomic uint32_t newest[REC_NBUCKET_KINDS];
	_Atomic uint32_t insert_lock; /* futex: 0 free, 1 held, 2 waited for */
	/* Bytes that are in use, as samples stand for them, the most there were, and how often that rose. Threads
	 * change them often, so they have a cache line. */
	_Alignas(64) _Atomic int64_t in_use;
	_Atomic int64_t peak;
	_Atomic uint32_t peaks;
	/* Free chunks: index + 1 in the low half, a count of changes in the high one (ABA). */
	_Alignas(64) _Atomic uint64_t free_chunks;
	_Atomic uint32_t stripe[REC_NSTRIPES]; /* the chunk that each is filling: index + 1 */
	_Atomic uint32_t turns;		       /* chunks that were begun */
	_Atomic uint32_t doorbell; /* futex: raised when chunks run short, or draining shall end */
	_Atomic uint32_t ended;	   /* PROCESS_EXIT or PROCESS_EXEC was written */
	uint32_t exe, args;	   /* strings: the program, and its command line */
	/* Children without a record: those of vfork, which use the parent's memory until they execute a
	 * program, and those that libc starts itself. */
	_Atomic uint32_t untold;
	_Atomic uint32_t helpers; /* processes of the recorder's own */
	/* Recording has ended before the process: when, and why (string). */
	_Atomic uint32_t stopped;
	_Atomic uint64_t stopped_ns;
};

/* The parts, in their order; each begins on a page. */
#define REC_PARTS(X)                                                                               \
	X(header, struct rec_header, 1)                                                            \
	X(waits, struct rec_wait, REC_NWAITS)                                                      \
	X(modules, struct rec_module, REC_NMODULES)                                                \
	X(strings, char, REC_STRING_BYTES) /* each NUL-terminated; named by its offset, 0 is "" */ \
	X(sets, uint32_t, REC_NSETS * 16)  /* label sets: n, then n pairs of strings; by offset */ \
	X(gs, struct rec_g, REC_NGS)                                                               \
	X(chunks, struct rec_chunk, REC_NCHUNKS)                                                   \
	X(nodes, struct rec_node, REC_NNODES(scale))                                               \
	X(edges, _Atomic uint32_t, REC_LEVELS_SIZE(REC_EDGE_LEVELS(scale))) /* find nodes … */   \
	X(keys, _Atomic uint32_t, REC_LEVELS_SIZE(REC_KEY_LEVELS(scale)))   /* … and buckets */  \
	X(buckets, struct rec_bucket, REC_NBUCKETS(scale))

/* The smallest pages that machines have; some have larger ones (rec_page). */
#define REC_PAGE	4096u
#define REC_PAGES(size) (((uint64_t)(size) + REC_PAGE - 1) / REC_PAGE * REC_PAGE)

/* An arena that is mapped: pointers to its parts. */
struct rec_arena {
#define REC_X(name, type, n) type *name;
	REC_PARTS(REC_X)
#undef REC_X
	unsigned scale;
};

/* Returns what a heap or mmap bucket has in use. */
static inline uint64_t rec_heap_in_use(const struct rec_heap_counts *counts)
{
	uint64_t frees = atomic_load_explicit(&counts->frees, memory_order_acquire),
		 allocs = atomic_load_explicit(&counts->allocs, memory_order_relaxed);

	return allocs > frees ? allocs - frees : 0;
}

/* Returns what it had in use when most was in use. */
static inline uint64_t rec_heap_at_peak(const struct rec_header *h, const struct rec_bucket *b)
{
	return b->u.heap.peak_number == h->peaks ? b->u.heap.peak : rec_heap_in_use(&b->u.heap.now);
}

static inline struct rec_arena rec_arena_at(void *base, unsigned scale)
{
	struct rec_arena a = {.scale = scale};
	char *at = base;

#define REC_X(name, type, n)                                                                       \
	a.name = (type *)(void *)at;                                                               \
	at += REC_PAGES(sizeof(type) * (uint64_t)(n));
	REC_PARTS(REC_X)
#undef REC_X
	return a;
}

static inline uint64_t rec_arena_size(unsigned scale)
{
#define REC_X(name, type, n) +REC_PAGES(sizeof(type) * (uint64_t)(n))
	return 0 REC_PARTS(REC_X);
#undef REC_X
}

#endif
