/* Searches the process twice; reports only what both searches find. */
#include "tprof-record/parent/live/leak.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tprof-record/core/core.h"
#include "tprof-record/parent/live/search.h"
#include "tprof-record/parent/live/threads.h"
#include "tprof-record/parent/live/tracee.h"

#define MOST_BYTES ((uint64_t)4 << 30) /* per look … */
#define MOST_NS	   3000000000u	       /* … and time for it */

/* ---- candidates, by the arena ---- */

static bool can_leak(const struct rec_g *g)
{
	if (!g->id || !g->tid || g->tid > INT32_MAX || g->wait.kind != REC_BLOCK || !g->wait.object)
		return false;
	switch (g->wait.arg) {
	case REC_ON_MUTEX:
	case REC_ON_RWLOCK_R:
	case REC_ON_RWLOCK_W:
	case REC_ON_COND:
	case REC_ON_SEMAPHORE:
	case REC_ON_BARRIER:
	case REC_ON_FUTEX:
	case REC_ON_JOIN:
		return true;
	default:
		return false;
	}
}

static bool pick_candidates(struct rec_search *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n; i++) {
		struct rec_waiter *t = &s->thread[i];
		const struct rec_region *r = rec_memory_find(&s->memory, t->sp);

		if (!t->tid || !t->limit || !r || r->main_stack || !t->g || !can_leak(t->g) ||
		    !t->futex)
			continue;
		t->object = t->g->wait.object & REC_ADDRESS;
		t->candidate =
		    rec_search_is_private(s, t->object) && rec_search_is_private(s, t->futex);
		any |= t->candidate;
	}
	return any;
}

/* Returns whether it still waits. A thread that was stopped needs a moment to be back in the kernel. */
static bool waits_still(const struct rec_search *s, const struct rec_waiter *t)
{
	struct timespec moment = {.tv_nsec = 1000000};
	struct rec_tracee_call call = {.running = true};

	for (int i = 0; call.running && i < 50; i++) {
		if (i)
			nanosleep(&moment, NULL);
		if (!rec_tracee_call(s->pid, t->tid, &call))
			return false;
	}
	return rec_tracee_waits(&call) && call.sp == t->sp &&
	       (call.arg[0] & REC_ADDRESS) == t->futex;
}

/* ---- one look, and two ---- */

/* The arena knows all waits, and wakes nobody. */
static void set_arena_aside(struct rec_search *s, uint64_t at)
{
	uint64_t limit = at + rec_arena_size(s->p->arena.scale);

	if (rec_memory_split(&s->memory, at) || rec_memory_split(&s->memory, limit))
		rec_search_fail(s, TP_ENOMEM, "out of memory");
	for (size_t i = 0; i < s->memory.n; i++)
		if (s->memory.region[i].start >= at && s->memory.region[i].limit <= limit)
			s->memory.region[i].own = true;
}

static void begin(struct rec_search *s, uint64_t now)
{
	struct tp_err err = {0};
	int code = rec_memory_open(&s->memory, s->pid, &err);

	s->memory.left = MOST_BYTES;
	s->memory.end_ns = now + MOST_NS;
	/* A process that has gone has no leaks. */
	if (code && code != TP_ENOENT)
		rec_search_fail(s, code, err.msg);
	else if (!code && s->p->at)
		set_arena_aside(s, s->p->at);
}

static void release(struct rec_search *s)
{
	rec_memory_close(&s->memory);
	rec_blocks_release(&s->blocks);
	tp_buf_release(&s->words);
	tp_buf_release(&s->queue);
	free(s->thread);
}

struct leaked {
	uint32_t g;
	pid_t tid;
	uint64_t futex;
};

/* Appends to `found` (struct leaked). */
static int look(pid_t pid, const struct rec_process *p, struct tp_buf *found, struct tp_err *err)
{
	struct rec_search s = {.pid = pid, .p = p, .err = err};

	begin(&s, rec_now());
	if (!s.code)
		rec_search_threads(&s);
	if (!s.code)
		rec_search_regions(&s);
	if (!s.code && pick_candidates(&s)) {
		rec_search_follow(&s);
		for (size_t i = 0; i < s.n && !s.code; i++) {
			const struct rec_waiter *t = &s.thread[i];
			struct leaked leaked = {t->g ? t->g->id : 0, t->tid, t->futex};

			if (t->candidate && waits_still(&s, t) &&
			    tp_buf_put(found, &leaked, sizeof(leaked)))
				rec_search_fail(&s, TP_ENOMEM, "out of memory");
		}
	}
	release(&s);
	return s.code;
}

static bool is_in(const struct tp_buf *found, const struct leaked *one)
{
	const struct leaked *l = (const struct leaked *)(const void *)found->data;

	for (size_t i = 0; i < found->size / sizeof(*l); i++) {
		if (l[i].g == one->g && l[i].tid == one->tid && l[i].futex == one->futex)
			return true;
	}
	return false;
}

static int add_to(struct rec_live *live, const struct tp_buf *first, const struct tp_buf *second)
{
	const struct leaked *l = (const struct leaked *)(const void *)second->data;
	int code = 0;

	for (size_t i = 0; i < second->size / sizeof(*l) && !code; i++)
		if (is_in(first, &l[i]))
			code = rec_live_add(live, (struct rec_live_stack){.g = l[i].g,
									  .tid = (uint32_t)l[i].tid,
									  .leaked = true});
	return code;
}

int rec_live_leaks(pid_t pid, const struct rec_process *p, struct rec_live *live,
		   struct tp_err *err)
{
	struct tp_buf first = {0}, second = {0};
	bool any = false;
	int code = 0;

	for (uint32_t i = 0; i < p->arena.header->gs.used && !any; i++)
		any = can_leak(&p->arena.gs[i]);
	if (!any)
		return 0;
	code = look(pid, p, &first, err);
	if (!code && first.size)
		code = look(pid, p, &second, err);
	if (!code && second.size && add_to(live, &first, &second))
		code = tp_nomem(err);
	tp_buf_release(&first);
	tp_buf_release(&second);
	return code;
}
