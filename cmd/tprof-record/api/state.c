/* A trace that is switched on while the program runs begins with its state: all threads and the program's own
 * goroutines, the thread on which each runs, and the ones that wait (Go 1.5's StartTrace: GoCreate for all,
 * and GoWaiting).
 *
 *   TRACE_START
 *   THREAD_START THREAD_NAME LABELS            a thread
 *   G_NEW THREAD_NAME LABELS                   one of the program's own, runnable
 *   G_NEW … G_START                            … running
 *   G_NEW … G_STOP                             … waiting
 *
 * Threads go on meanwhile. If the state of a goroutine changed after `now`, the thread's own records show it.
 */
#include <string.h>

#include "tprof-record/api/lib.h"
#include "tprof-record/core/inside.h"

static void write_names(const struct rec_host *h, const struct rec_g *slot, uint32_t g,
			uint64_t now)
{
	struct rec_event e = {.g = g, .start = now, .end = now};
	char name[sizeof(slot->name)];

	memcpy(name, slot->name, sizeof(name));
	name[sizeof(name) - 1] = 0;
	if (name[0]) {
		e.kind = REC_THREAD_NAME;
		e.arg = h->string(name, strlen(name));
		h->write(&e);
	}
	e.arg = atomic_load_explicit(&slot->labels, memory_order_relaxed);
	if (e.arg) {
		e.kind = REC_LABELS;
		h->write(&e);
	}
}

static void write_thread(const struct rec_host *h, const struct rec_g *slot, uint32_t g,
			 uint64_t now)
{
	struct rec_event e = {.kind = REC_THREAD_START,
			      .start = now,
			      .end = now,
			      .object = slot->tid,
			      .g = g,
			      .m = g};

	if (slot->start > now)
		return;
	if (!api.guest)
		e.cpu = rec_cpu_stamp(slot->tid);
	h->write(&e);
	write_names(h, slot, g, now);
}

/* Writes what a thread has used, unless it is in a wait, as a record in the middle would divide it. */
static void write_clock(const struct rec_host *h, const struct rec_g *slot, uint32_t g)
{
	struct rec_event e = {.kind = REC_CLOCK, .g = g, .m = g};
	uint32_t seq = atomic_load(&slot->seq);

	e.cpu = rec_cpu_stamp(slot->tid);
	e.start = e.end = h->now();
	if (e.cpu && !(seq & 1) && slot->wait.kind == REC_NOTHING &&
	    seq == atomic_load(&slot->seq) && g == atomic_load(&slot->id))
		rec_write_inside(&e);
}

void api_write_clocks(const struct rec_host *h)
{
	const struct rec_arena *a = api_arena(h);
	uint32_t n = atomic_load_explicit(&a->header->gs.used, memory_order_acquire);

	for (uint32_t i = 0; i < n && i < REC_NGS; i++) {
		const struct rec_g *slot = &a->gs[i];
		uint32_t g = atomic_load_explicit(&slot->id, memory_order_acquire);

		if (g && !api_is_own(h, slot, g) &&
		    atomic_load_explicit(&slot->tid, memory_order_acquire))
			write_clock(h, slot, g);
	}
}

static void write_own(const struct rec_host *h, const struct rec_g *slot, uint32_t g, uint64_t now)
{
	struct rec_event e = {.kind = REC_G_NEW,
			      .start = now,
			      .end = now,
			      .object = slot->entry,
			      .arg = g,
			      .stack = atomic_load(&slot->create_stack)};
	uint32_t m = atomic_load_explicit(&slot->m, memory_order_acquire);

	if (slot->start > now)
		return;
	h->write(&e);
	write_names(h, slot, g, now);
	if (atomic_load_explicit(&api_g_of(h, slot)->since, memory_order_relaxed) > now)
		return;
	e = (struct rec_event){.g = g, .m = m, .start = now, .end = now};
	if (m) {
		e.kind = REC_G_START;
	} else if (slot->wait.kind == REC_G_STOP &&
		   !atomic_load_explicit(&api_g_of(h, slot)->ready, memory_order_relaxed) &&
		   slot->wait.arg != REC_ON_YIELD) {
		e.kind = REC_G_STOP;
		e.object = slot->wait.object;
		e.arg = slot->wait.arg;
		e.stack = slot->wait.stack;
	} else {
		return;
	}
	h->write(&e);
}

void api_write_state(const struct rec_host *h, uint64_t now)
{
	const struct rec_arena *a = api_arena(h);
	struct rec_event e = {.kind = REC_TRACE_START, .start = now, .end = now};
	uint32_t n = atomic_load_explicit(&a->header->gs.used, memory_order_acquire);

	h->write(&e);
	/* Threads first: the goroutines run on them. */
	for (int own = 0; own <= 1; own++)
		for (uint32_t i = 0; i < n && i < REC_NGS; i++) {
			const struct rec_g *slot = &a->gs[i];
			uint32_t g = atomic_load_explicit(&slot->id, memory_order_acquire);

			if (!g || api_is_own(h, slot, g) != own)
				continue;
			if (own)
				write_own(h, slot, g, now);
			/* A thread without a tid yet is about to write its own record. */
			else if (atomic_load_explicit(&slot->tid, memory_order_acquire))
				write_thread(h, slot, g, now);
		}
}
