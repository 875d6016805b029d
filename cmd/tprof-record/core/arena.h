/* The memory that a recorded process and the recorder share. Everything that has to survive the process is in
 * it, so a signal, a crash or a kill loses nothing.
 *
 * It is a sparse memfd that the process makes, maps and sends to the recorder. Its parts lie at fixed offsets
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
#define REC_VERSION 3

enum {
	REC_NGS = 16384,      /* goroutines alive at a time whose present wait is known */
	REC_NWAITS = 8192,    /* counters of waiters, by hash of the object */
	REC_NNODES = 1 << 18, /* of the tree of stacks */
	REC_NEDGES = 1 << 19, /* of the table that finds a node by parent and PC; a power of 2 */
	REC_NBUCKETS = 1 << 15,
	REC_NHASH = 179999, /* chains of buckets: buckHashSize of Go's runtime/mprof.go */
	REC_NMODULES = 1024,
	REC_STRING_BYTES = 1 << 19,
	REC_NSETS = 4096, /* label sets */
	REC_NSTRIPES = 16,
	REC_CHUNK_EVENTS = 340, /* just under 16 KiB */
	REC_NCHUNKS = 192,
	REC_MAX_HZ = 10000,   /* of CPU samples */
	REC_MAX_DEPTH = 1024, /* most frames of a stack; options.depth of them are taken */
};

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
};

/* Counts of a heap bucket. Sizes follow, as a bucket has one size. */
struct rec_heap_counts {
	_Atomic uint64_t allocs, frees;
};

enum rec_bucket_kind {
	REC_HEAP_BUCKET = 1,
	REC_BLOCK_BUCKET,
	REC_MUTEX_BUCKET,
	REC_CREATE_BUCKET, /* of threads */
	REC_CPU_BUCKET,
	REC_NBUCKET_KINDS
};

/* Keyed by kind, stack and size, as in runtime/mprof.go. */
struct rec_bucket {
	uint32_t next;	  /* in its chain: index + 1, 0 ends */
	uint32_t allnext; /* of its kind, newest first: index + 1 */
	uint32_t kind;	  /* enum rec_bucket_kind */
	uint32_t stack;
	/* Of heap: bytes of each block. Of cpu: the thread's name (string) in the high half, its label set
	 * in the low one. */
	uint64_t size;
	uint64_t hash;
	union {
		struct {
			struct rec_heap_counts published, pending; /* rec_heap_publish */
		} heap;
		struct {
			_Atomic uint64_t count; /* bits of a double */
			_Atomic int64_t cycles; /* ns; of cpu: periods */
		} block;
	} u;
};

/* The PC of the innermost frame of a thread that was in a system call. */
#define REC_KERNEL_PC 0xffffffff80000001u

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

/* The parts that grow: name in the header and in the arena, type, places. A part refers only to those
 * that come after it. */
#define REC_GROWING(X)                                                                             \
	X(gs, struct rec_g, REC_NGS)                                                               \
	X(buckets, struct rec_bucket, REC_NBUCKETS)                                                \
	X(modules, struct rec_module, REC_NMODULES)                                                \
	X(nodes, struct rec_node, REC_NNODES)                                                      \
	X(sets, uint32_t, REC_NSETS * 16)                                                          \
	X(strings, char, REC_STRING_BYTES)                                                         \
	X(chunks, struct rec_chunk, REC_NCHUNKS)

/* How often something was lost, by what ran out. */
/* clang-format off */
#define REC_LOSSES(X) \
	/*  what                            why */ \
	X(EVENTS,     "events",             "they came faster than the recorder could read them") \
	X(STACKS,     "stacks",             "the table of stacks was full") \
	X(BUCKETS,    "profile samples",    "the table of profiles was full") \
	X(STRINGS,    "strings",            "the table of names was full") \
	X(WAITS,      "waits",              "the table of threads was full") \
	X(MODULES,    "mapped files",       "the table of mapped files was full") \
	X(BLOCKS,     "heap blocks",        "there was not enough memory to track them") \
	X(TIMERS,     "timers of threads",  "the CPU time of these threads is not sampled") \
	X(CONTENTION, "ns of the recorder's own contention", "its threads waited for each other") \
	X(MEMORY,     "reservations",       "the system did not give memory") /* fallocate */
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
	/* Free chunks: index + 1 in the low half, a count of changes in the high one (ABA). */
	_Atomic uint64_t free_chunks;
	_Atomic uint32_t stripe[REC_NSTRIPES]; /* the chunk that each is filling: index + 1 */
	_Atomic uint32_t turns;		       /* chunks that were begun */
	_Atomic uint32_t doorbell; /* futex: raised when chunks run short, or draining shall end */
	_Atomic uint32_t ended;	   /* PROCESS_EXIT or PROCESS_EXEC was written */
	uint32_t exe, args;	   /* strings: the program, and its command line */
	/* Children without a record: those of vfork, which use the parent's memory until they execute a
	 * program, and those that libc starts itself. */
	_Atomic uint32_t untold;
};

/* The parts, in their order; each begins on a page. */
#define REC_PARTS(X)                                                                               \
	X(header, struct rec_header, 1)                                                            \
	X(waits, struct rec_wait, REC_NWAITS)                                                      \
	X(modules, struct rec_module, REC_NMODULES)                                                \
	X(strings, char, REC_STRING_BYTES) /* each NUL-terminated; named by its offset, 0 is "" */ \
	X(sets, uint32_t, REC_NSETS * 16)  /* label sets: n, then n pairs of strings; by offset */ \
	X(gs, struct rec_g, REC_NGS)                                                               \
	X(nodes, struct rec_node, REC_NNODES)                                                      \
	X(edges, _Atomic uint32_t, REC_NEDGES) /* open addressing: a node, 0 free */               \
	X(chains, _Atomic uint32_t, REC_NHASH) /* index + 1 of a bucket */                         \
	X(buckets, struct rec_bucket, REC_NBUCKETS)                                                \
	X(chunks, struct rec_chunk, REC_NCHUNKS)

#define REC_PAGE	4096u
#define REC_PAGES(size) (((uint64_t)(size) + REC_PAGE - 1) / REC_PAGE * REC_PAGE)

/* The offsets of the parts, REC_AT_header, REC_AT_waits …, and REC_ARENA_SIZE. */
enum rec_places {
#define REC_X(name, type, n)                                                                       \
	REC_AT_##name, REC_LAST_##name = REC_AT_##name + (int)REC_PAGES(sizeof(type) * (n)) - 1,
	REC_PARTS(REC_X)
#undef REC_X
	    REC_ARENA_SIZE
};

/* An arena that is mapped at `base`: pointers to its parts. */
struct rec_arena {
#define REC_X(name, type, n) type *name;
	REC_PARTS(REC_X)
#undef REC_X
};

static inline struct rec_arena rec_arena_at(void *base)
{
	return (struct rec_arena){
#define REC_X(name, type, n) .name = (type *)(void *)((char *)base + REC_AT_##name),
	    REC_PARTS(REC_X)
#undef REC_X
	};
}

#endif
