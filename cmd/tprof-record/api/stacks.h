/* Private to the library: the stacks of all goroutines, taken from inside. */
#ifndef RECORD_API_STACKS_H
#define RECORD_API_STACKS_H

#include "base/buf.h"
#include "tprof-record/api/lib.h"

enum { API_MAX_DEPTH = 128 };

enum api_state { API_RUNNING, API_RUNNABLE, API_WAITING, API_IN_SYSCALL };

struct api_stack {
	uint32_t g;
	uint32_t tid; /* that it runs on, 0 on none */
	enum api_state state;
	enum rec_reason reason;
	uint64_t since; /* it waits; 0 it does not */
	uint32_t labels, creator, create_stack;
	uint64_t entry;
	uint32_t npcs;
	bool exact; /* the innermost PC is no return address: it was interrupted there */
	uint64_t pcs[API_MAX_DEPTH]; /* innermost first */
};

/* Appends struct api_stack of every goroutine that is alive, the calling one first: `own` (its
 * stack as the caller took it) is what that gets. Those that run are asked. Without `all` that one
 * only. ENOMEM. One caller at a time; others wait. */
int api_stacks(const struct rec_host *h, const uint64_t *own, size_t nown, bool all,
	       struct tp_buf *out);
/* How many api_stacks would find. */
size_t api_count_goroutines(const struct rec_host *h);

#endif
