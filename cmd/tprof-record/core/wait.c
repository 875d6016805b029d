#include "tprof-record/core/inside.h"

#include <string.h>

static inline uint16_t kind_of(const struct rec_event *wait)
{
	return atomic_load_explicit(&wait->kind, memory_order_relaxed);
}

static inline struct rec_wait *waits_for(const struct rec_event *wait)
{
	return kind_of(wait) == REC_BLOCK && wait->object
		   ? rec_waits_of((const void *)(uintptr_t)wait->object)
		   : NULL;
}

/* ---- waits that have begun ---- */

enum { NOPEN = sizeof(rec_self.open) / sizeof(rec_self.open[0]) };

static bool is_blamed(const struct rec_event *wait)
{
	return kind_of(wait) == REC_BLOCK && rec_is_lock(wait->arg) && wait->object &&
	       atomic_load_explicit(&rec_core->arena.header->options.mutex_fraction,
				    memory_order_relaxed);
}

/* Removes the innermost wait. Returns the time. */
static uint64_t pop(bool waited)
{
	uint32_t n = --rec_self.nopen;
	uint64_t object = rec_self.open[n].object, now;

	if (rec_self.open[n].blamed)
		now = rec_blame_leave(object, rec_self.open[n].blamed, waited);
	else
		now = waited ? rec_now() : 0;
	if (object)
		atomic_fetch_sub_explicit(&rec_waits_of((const void *)(uintptr_t)object)->waiters,
					  1, memory_order_relaxed);
	return now;
}

/* Shows what the thread waits for now: the wait that a signal handler's wait interrupted, or nothing. */
static void show(void)
{
	if (!rec_self.slot)
		return;
	if (rec_self.nopen)
		rec_wait_store(rec_self.slot, rec_self.open[rec_self.nopen - 1].wait);
	else
		rec_wait_clear(rec_self.slot);
}

static bool reads_cpu(const struct rec_options *o)
{
	return atomic_load_explicit(&o->cpu_time, memory_order_relaxed);
}

static void account(struct rec_event *wait)
{
	const struct rec_options *o = &rec_core->arena.header->options;
	uint64_t ns = wait->end - wait->start;

	if (kind_of(wait) != REC_SYSCALL) {
		rec_write_inside(wait);
	} else if (ns >= o->syscall_ns) {
		if (reads_cpu(o))
			wait->cpu = rec_cpu_stamp(0);
		rec_write_inside(wait);
	}
	if (kind_of(wait) == REC_BLOCK && rec_is_profiled(wait->arg) &&
	    atomic_load_explicit(&o->block_rate, memory_order_relaxed))
		rec_due(REC_BLOCK_BUCKET, ns, wait->stack, 1);
}

/* The frame that held an abandoned wait is gone, but the arena has a copy of the innermost one. The waits
 * that it interrupted have no copy, so they are not recorded. */
void rec_wait_abandon(const struct rec_event *wait)
{
	bool any = false;

	while (rec_self.nopen &&
	       (!wait || (uintptr_t)rec_self.open[rec_self.nopen - 1].wait <= (uintptr_t)wait)) {
		bool known = !any && rec_self.slot && kind_of(&rec_self.slot->wait);
		struct rec_event copy;

		if (known)
			memcpy(&copy, &rec_self.slot->wait, sizeof(copy));
		copy.end = pop(true);
		if (known)
			account(&copy);
		any = true;
	}
	if (any)
		show();
}

__attribute__((noinline)) void rec_wait_begin(struct rec_event *wait, unsigned skip)
{
	struct rec_frame caller = REC_CALLER();
	struct rec_wait *place;
	uint32_t n;

	if (!rec_enter())
		return;
	rec_known();
	rec_self.announced = 0;
	if (rec_self.nopen)
		rec_wait_abandon(wait);
	if (rec_self.ndue)
		rec_settle_inside();
	rec_settle_contention();
	n = rec_self.nopen;
	if (n == NOPEN) {
		rec_leave();
		return;
	}
	/* From now on posts are logged, although the wait has not begun yet. */
	place = waits_for(wait);
	if (place)
		atomic_fetch_add_explicit(&place->waiters, 1, memory_order_relaxed);
	wait->g = rec_self.g;
	wait->m = rec_self.m;
	wait->end = 0;
	wait->stack = rec_stack_from(caller, skip);
	if (kind_of(wait) == REC_BLOCK && reads_cpu(&rec_core->arena.header->options))
		wait->cpu = rec_cpu_stamp(0);
	rec_self.open[n].wait = wait;
	rec_self.open[n].object = place ? wait->object : 0;
	if (is_blamed(wait)) {
		wait->start = rec_blame_join(wait->object);
		rec_self.open[n].blamed = wait->start;
	} else {
		wait->start = rec_now();
		rec_self.open[n].blamed = 0;
	}
	rec_self.nopen = n + 1;
	if (rec_self.slot)
		rec_wait_store(rec_self.slot, wait);
	rec_leave();
}

void rec_wait_end(struct rec_event *wait, unsigned flags)
{
	bool waited = !(flags & REC_DID_NOT_WAIT);

	/* A wait that never began (no arena, no room) is not the innermost one. */
	if (!rec_self.nopen || rec_self.open[rec_self.nopen - 1].wait != wait || !rec_enter())
		return;
	if (rec_self.nopen) {
		wait->end = pop(waited);
		wait->flags = (uint16_t)flags;
		if (waited)
			account(wait);
		show();
	}
	rec_leave();
}

static void post_inside(const void *object, uint32_t wakes, struct rec_frame caller, unsigned skip)
{
	struct rec_event post = {.kind = REC_POST, .object = (uint64_t)(uintptr_t)object};
	bool blamed;

	rec_known();
	blamed = rec_blame_due(post.object);
	if (blamed || rec_tracing()) {
		post.arg = wakes;
		post.stack = rec_stack_from(caller, skip);
		post.start = post.end =
		    blamed ? rec_blame_post(post.object, post.stack) : rec_now();
		rec_write_inside(&post);
	}
}

__attribute__((noinline)) void rec_post(const void *object, uint32_t wakes, unsigned skip)
{
	struct rec_frame caller = REC_CALLER();

	if (!rec_enter())
		return;
	if (rec_self.announced && rec_self.announced == (uint64_t)(uintptr_t)object)
		rec_self.announced = 0;
	else
		post_inside(object, wakes, caller, skip);
	rec_leave();
}

__attribute__((noinline)) void rec_announce(const void *object, uint32_t wakes, unsigned skip)
{
	struct rec_frame caller = REC_CALLER();

	if (!rec_enter())
		return;
	post_inside(object, wakes, caller, skip);
	rec_self.announced = (uint64_t)(uintptr_t)object;
	rec_leave();
}
