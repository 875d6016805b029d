/* Private to the library: the core that it calls, the state of a thread, and how functions begin.
 *
 * Every public function begins with api_enter (or api_begin, if it switches something on), which
 * returns the table of core functions, or NULL if there is nothing to record. Public functions take
 * stacks themselves, so that `skip` 1 omits exactly their own frame. */
#ifndef RECORD_API_LIB_H
#define RECORD_API_LIB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tprof-record/api/tprof-record.h"
#include "tprof-record/convert/process.h"
#include "tprof-record/convert/profile/profile_rows.h"
#include "tprof-record/core/host.h"
#include "tprof-record/parent/spool.h"

struct api {
	const struct rec_host *_Atomic host; /* the core that is used */
	bool guest;			     /* `host` is the core of the preloaded library */
	unsigned profiler, depth;	     /* 0: that of the profiler */
	_Atomic uint64_t heap_rate;	     /* what was last set */
	/* The text trace of allocations is on (text.c). */
	_Atomic bool text;
};
extern struct api api;

/* The library's state of a thread. In a forked child `pid` differs; the state then counts as zeros. */
struct api_self {
	uint32_t pid;
	uint32_t g;		   /* the program's own goroutine that runs here, or 0 */
	struct rec_g *thread_slot; /* the thread's own place, while g runs */
	uint16_t waiting;	   /* kind of the `wait` that has begun, or 0 */
	bool over;		   /* the thread has ended; it gets no new number */
	struct rec_event wait;
};
extern __thread struct api_self api_self __attribute__((tls_model("initial-exec")));

static inline const struct rec_arena *api_arena(const struct rec_host *h)
{
	return &(*h->core)->arena;
}

static inline struct rec_header *api_header(const struct rec_host *h)
{
	return (*h->core)->arena.header;
}

static inline bool api_alive(const struct rec_host *h)
{
	return *h->core && atomic_load_explicit(&(*h->core)->live, memory_order_acquire);
}

static inline bool api_tracing(const struct rec_host *h)
{
	return atomic_load_explicit(&api_header(h)->options.trace, memory_order_relaxed);
}

/* The slow part of api_enter: gives the thread a number. Returns false if the thread has ended, or
 * is inside the recorder. */
bool api_meet(const struct rec_host *h);

static inline const struct rec_host *api_enter(void)
{
	const struct rec_host *h = atomic_load_explicit(&api.host, memory_order_acquire);
	struct rec_self *self;

	if (!h || !api_alive(h))
		return NULL;
	self = h->self();
	if (__builtin_expect(self->depth || !self->g || api_self.pid != api_header(h)->pid, 0) &&
	    !api_meet(h))
		return NULL;
	return h;
}

/* Creates the arena if it does not exist yet. Returns 0 or an errno value. */
int api_begin(const struct rec_host **host);

/* Called in the child of a fork: each part forgets the parent's state. */
void api_forget_goroutines(void);
void api_forget_trace(void);
void api_forget_records(void);
void api_forget_stacks(void);
void api_forget_text(void);

/* Enclose work of the library. In between, the thread's actions, such as libparse's allocations,
 * are not recorded, and the thread cannot be cancelled, as it holds locks. They preserve errno. */
struct api_inside {
	int saved, cancel;
};
struct api_inside api_inside(const struct rec_host *h);
void api_outside(const struct rec_host *h, struct api_inside was);

/* Interns a text, cut to 1024 bytes. Returns its number. */
uint32_t api_string(const struct rec_host *h, const char *text);

enum rec_reason api_reason(enum tprof_reason reason);

/* Writes all of the data. Returns 0 or an errno value. */
int api_write(int fd, const void *data, size_t size);
/* Returns the errno value for a code of libparse. */
int api_errno(int code);
/* Copies the present arena, without records, and checks it as conversions do. The caller calls
 * rec_process_free. Returns 0 or an error code such as TP_ENOMEM; *p is then empty. */
int api_process_copy(const struct rec_host *h, struct rec_process *p, struct tp_err *err);

/* Goes after a last call that takes the stack. Otherwise the compiler may turn that call into a
 * jump, and the stack would lack the frame that `skip` omits. */
#define API_STAY() __asm__ volatile("" ::: "memory")

/* ---- the program's own goroutines (goroutine.c) ---- */

/* State of one of the program's own goroutines, in addition to its place in the arena's `gs`. */
struct api_g {
	_Atomic uint32_t g;	 /* its number; if the place has another, that is a thread's */
	_Atomic uint64_t since;	 /* when it got into its present state */
	_Atomic uint64_t ready;	 /* when it was unblocked, 0: not yet */
	_Atomic uint64_t blamed; /* of a wait for a lock: result of blame_begin */
};

struct api_g *api_g_of(const struct rec_host *h, const struct rec_g *slot);
/* Returns whether g, which has that place, is one of the program's own. (`tid` does not say so: a
 * thread gets it later than its number.) */
bool api_is_own(const struct rec_host *h, const struct rec_g *slot, uint32_t g);

/* ---- the stacks of all goroutines, taken from inside (stacks.c) ---- */

enum { API_MAX_DEPTH = 128 };

/* Zero-initialised is valid and empty. */
struct api_stacks {
	struct rec_process process; /* a copy of the arena */
	struct rec_live live;	    /* stacks of running goroutines */
	/* Goroutines that are alive, except the caller and kernel threads that run one of the
	 * program's own. They point into the two above. */
	struct rec_rows others;
};

/* Takes the stacks; `own` is the caller's stack, as the caller took it. Asks running threads,
 * unless more than `most` other goroutines exist. Serves one caller at a time; others wait. Returns
 * 0 or an errno value; the caller calls api_stacks_release, after an error too. */
int api_stacks_take(const struct rec_host *h, const uint64_t *own, size_t nown, size_t most,
		    struct api_stacks *s);
void api_stacks_release(struct api_stacks *s);

/* Adds the threads that no other can wake any more (leaks.c). Returns 0 or an errno value. */
int api_leaks(const struct rec_host *h, struct rec_live *live);

/* ---- stacks as text (text.c) ---- */

/* Prints the stack of the caller (`pcs`, as the caller took it), and with `all` those of the others. Returns
 * 0 or an errno value. */
int api_text_stacks(const struct rec_host *h, const uint64_t *pcs, size_t n, bool all,
		    struct tp_buf *text);

/* Write entries of the text trace of allocations. */
void api_text_block(const struct rec_host *h, const void *block, size_t size, const char *type,
		    bool freed, const uint64_t *pcs, size_t n);
void api_text_gc(const struct rec_host *h, const uint64_t *pcs, size_t n);

/* ---- traces: the state that they begin with, and their parts ---- */

/* Writes the state of all goroutines when the trace begins, as records of that time (state.c). */
void api_write_state(const struct rec_host *h, uint64_t now);
/* Writes records of the CPU time that each thread has used so far: of the library's own core, by a
 * thread that is inside (api_inside). */
void api_write_clocks(const struct rec_host *h);

/* A trace that is being written (stream.c). Zero-initialised is valid and empty. */
struct api_stream {
	struct tp_buf part;    /* written by the last call */
	struct tp_buf symbols; /* of go 1.5: of the trace so far */

	/* Private to stream.c. */
	struct rec_tracer *tracer;
	struct rec_images *images;
	uint64_t begin_ns, until;
	size_t done; /* records that are not needed any more */
	struct tp_err err;
};

/* Returns a folder in which unnamed files can be created. */
const char *api_folder(void);
/* Begins a trace; its first part is the header. The following two return 0 or an errno value. */
int api_stream_begin(struct api_stream *s, enum tprof_format format, uint64_t begin_ns);
/* Adds the next part of the records, which `take` brings up to date and counts. `last`: of all of them; else more
 * parts follow. After an error there is no part, and there can be no other. */
int api_stream_part(const struct rec_host *h, struct api_stream *s, struct rec_spool *records,
		    size_t (*take)(const struct rec_host *), bool last);
void api_stream_end(struct api_stream *s);

#endif
