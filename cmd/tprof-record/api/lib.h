/* Private to the library: the core that it calls, the state of a thread, and how functions begin.
 *
 * Every public function begins with api_enter (or api_begin, if it switches something on), which
 * returns the table of core functions, or NULL if there is nothing to record. Public functions take
 * stacks themselves, so that `skip` 1 leaves out exactly their own frame. */
#ifndef RECORD_API_LIB_H
#define RECORD_API_LIB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tprof-record/api/tprof-record.h"
#include "tprof-record/core/host.h"

struct api {
	const struct rec_host *_Atomic host; /* the core that is used */
	bool guest;			     /* it is that of the preloaded library */
	unsigned profiler, depth;
	/* The text trace of allocations is on (text.c). */
	_Atomic bool text;
};
extern struct api api;

/* The library's state of a thread. In a forked child `pid` differs; the state then counts as zeros. */
struct api_self {
	uint32_t pid;
	uint32_t g;		   /* the program's own goroutine that runs here, 0: none */
	struct rec_g *thread_slot; /* the thread's own place, while g runs */
	uint16_t waiting;	   /* kind of the `wait` that has begun, 0: none */
	bool over;		   /* the thread has ended; it is not given a number again */
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

/* The slow part of api_enter: gives the thread a number. False: it has ended, or is inside the
 * recorder. */
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

/* Makes the arena if there is none yet. Returns 0 or an errno value. */
int api_begin(const struct rec_host **host);

/* Called in the child of a fork: each part forgets the parent's state. */
void api_forget_goroutines(void);
void api_forget_trace(void);
void api_forget_records(void);
void api_forget_stacks(void);
void api_forget_text(void);

/* Between these two, what the calling thread does does not count as the program's (libparse
 * allocates), and it cannot be cancelled, as it holds locks. They preserve errno. */
struct api_inside {
	int saved, cancel;
};
struct api_inside api_inside(const struct rec_host *h);
void api_outside(const struct rec_host *h, struct api_inside was);

/* An interned text, cut to 1024 bytes. */
uint32_t api_string(const struct rec_host *h, const char *text);

enum rec_reason api_reason(enum tprof_reason reason);

/* Follows a last call that takes the stack, so that the compiler does not make it a jump: then the
 * caller of the public function would be taken for that function. */
#define API_STAY() __asm__ volatile("" ::: "memory")

#endif
