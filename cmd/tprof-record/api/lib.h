/* Private to the library: the core that it calls, what a thread keeps, and the way in.
 *
 * Every public function begins with api_enter (or api_begin, where it switches something on), which
 * gives the table of core to call, or NULL: then there is nothing to record. Stacks are taken by
 * the public functions themselves, so that `skip` 1 leaves out exactly those. */
#ifndef RECORD_API_LIB_H
#define RECORD_API_LIB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tprof-record/api/tprof-record.h"
#include "tprof-record/core/host.h"

struct api {
	const struct rec_host *_Atomic host; /* whose core is used */
	bool guest;			     /* that of the preloaded library */
	unsigned profiler, depth;
	/* Text of allocations is written (text.c). */
	_Atomic bool text;
};
extern struct api api;

/* What a thread keeps of the library's. Stale, and to be taken as zeros, where it is of another
 * process (a fork). */
struct api_self {
	uint32_t pid;
	uint32_t g;		   /* of the program's own that runs here, 0 none */
	struct rec_g *thread_slot; /* of the thread, while g runs */
	uint16_t waiting;	   /* kind of `wait` that was begun, 0 none */
	bool over;		   /* the thread is: nobody is met any more */
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

/* The slow part of entering: meets the thread. False: it is over, or inside the recorder. */
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

/* Makes the arena if there is none yet. 0 or an errno value. */
int api_begin(const struct rec_host **host);

/* What a fork leaves to the child of each part: nothing. */
void api_forget_goroutines(void);
void api_forget_trace(void);
void api_forget_records(void);
void api_forget_stacks(void);
void api_forget_text(void);

/* Between these what the calling thread does is not the program's (libparse allocates), and it is
 * not cancelled: locks are held. errno is kept. */
struct api_inside {
	int saved, cancel;
};
struct api_inside api_inside(const struct rec_host *h);
void api_outside(const struct rec_host *h, struct api_inside was);

/* An interned text, cut to 1024 bytes. */
uint32_t api_string(const struct rec_host *h, const char *text);

enum rec_reason api_reason(enum tprof_reason reason);

/* Behind a last call that takes the stack: were it a jump, the caller of the public function would
 * be taken for that function. */
#define API_STAY() __asm__ volatile("" ::: "memory")

#endif
