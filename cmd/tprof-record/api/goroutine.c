/* The program's own goroutines. Each has a place in the arena (struct rec_g), as threads have. While one
 * runs, its thread's `rec_self` names it, so that core records everything under its number.
 *
 * As in Go, a wait counts in the block profile from when the goroutine parked until it was made ready
 * (runtime/chan.go, sema.go: releasetime), and only for the reasons that Go counts. An unblock of a
 * goroutine that waits for a lock is charged as an unlock that threads wait for (core/profile/blame.c).
 */
#include "tprof-record/api/lib.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Slots for finding a goroutine by number: four for each that may be alive. */
	NPLACES = REC_NGS * 4,
	/* Slots to try for a goroutine. The first is mostly free, as numbers are given in order. */
	NTRIES = 16,
};

static struct api_g own[REC_NGS];

/* number << 32 | place in `gs` + 1, 0: free */
static _Atomic uint64_t places[NPLACES];

void api_forget_goroutines(void)
{
	memset(own, 0, sizeof(own));
	memset(places, 0, sizeof(places));
}

struct api_g *api_g_of(const struct rec_host *h, const struct rec_g *slot)
{
	return &own[slot - api_arena(h)->gs];
}

bool api_is_own(const struct rec_host *h, const struct rec_g *slot, uint32_t g)
{
	return g && atomic_load_explicit(&api_g_of(h, slot)->g, memory_order_acquire) == g;
}

static _Atomic uint64_t *place_of(uint32_t g, unsigned try)
{
	return &places[(g + try * 0x2545f491u) % NPLACES];
}

static void remember(const struct rec_host *h, uint32_t g, const struct rec_g *slot)
{
	uint64_t entry = (uint64_t)g << 32 | (uint64_t)(slot - api_arena(h)->gs + 1);

	for (unsigned i = 0; i < NTRIES; i++) {
		uint64_t none = 0;

		if (atomic_compare_exchange_strong(place_of(g, i), &none, entry))
			return;
	}
}

/* Returns the place of a goroutine, or NULL if it has none. */
static struct rec_g *find(const struct rec_host *h, uint32_t g)
{
	for (unsigned i = 0; i < NTRIES; i++) {
		uint64_t entry = atomic_load_explicit(place_of(g, i), memory_order_acquire);

		if (entry >> 32 == g && (uint32_t)entry)
			return &api_arena(h)->gs[(uint32_t)entry - 1];
	}
	return NULL;
}

static void forget(uint32_t g)
{
	for (unsigned i = 0; i < NTRIES; i++)
		if (atomic_load_explicit(place_of(g, i), memory_order_relaxed) >> 32 == g)
			atomic_store_explicit(place_of(g, i), 0, memory_order_release);
}

uint64_t tprof_g_create(void (*entry)(void *), const char *name)
{
	const struct rec_host *h;
	struct rec_event e = {.kind = REC_G_NEW, .object = (uint64_t)(uintptr_t)entry};
	struct rec_self *self;
	struct rec_g *slot;
	uint32_t labels = 0;

	if (api_begin(&h))
		return 0;
	self = h->self();
	e.arg = atomic_fetch_add(&api_header(h)->next_g, 1);
	e.stack = h->stack(1);
	e.start = e.end = h->now();
	if (self->slot)
		labels = atomic_load_explicit(&self->slot->labels, memory_order_relaxed);
	slot = h->g_take(e.arg);
	if (slot) {
		struct api_g *mine = api_g_of(h, slot);

		slot->entry = e.object;
		slot->start = e.end;
		slot->creator = self->g;
		atomic_store_explicit(&slot->m, 0, memory_order_relaxed);
		atomic_store_explicit(&slot->labels, labels, memory_order_relaxed);
		atomic_store_explicit(&slot->create_stack, e.stack, memory_order_relaxed);
		memset(slot->name, 0, sizeof(slot->name));
		if (name)
			memcpy(slot->name, name, strnlen(name, sizeof(slot->name) - 1));
		atomic_store_explicit(&mine->ready, 0, memory_order_relaxed);
		atomic_store_explicit(&mine->since, e.end, memory_order_relaxed);
		atomic_store_explicit(&mine->g, e.arg, memory_order_release);
		remember(h, e.arg, slot);
	}
	if (api_tracing(h)) {
		struct rec_event more = {.g = e.arg};

		h->write(&e);
		if (name) {
			more.kind = REC_THREAD_NAME;
			more.arg = api_string(h, name);
			more.start = more.end = h->now();
			h->write(&more);
		}
		if (labels) {
			more.kind = REC_LABELS;
			more.arg = labels;
			more.start = more.end = h->now();
			h->write(&more);
		}
	}
	return e.arg;
}

/* ---- running ---- */

/* Takes the running goroutine off the thread, which becomes its scheduler again. */
static void leave(const struct rec_host *h, struct rec_event *e)
{
	struct rec_self *self = h->self();
	struct rec_g *slot = self->slot;
	struct rec_event wait;

	e->g = api_self.g;
	e->m = self->m;
	e->start = e->end = h->now();
	if (slot && e->kind == REC_G_STOP) {
		struct api_g *mine = api_g_of(h, slot);

		atomic_store_explicit(&mine->ready, 0, memory_order_relaxed);
		atomic_store_explicit(&mine->since, e->end, memory_order_relaxed);
		if (rec_is_lock(e->arg))
			mine->blamed = h->blame_begin(e->object);
		wait = *e;
		wait.end = 0;
		h->wait_store(slot, &wait);
		atomic_store_explicit(&slot->m, 0, memory_order_release);
	}
	/* Write the record before another thread can run the goroutine. */
	if (api_tracing(h))
		h->write(e);
	self->g = self->m;
	self->slot = api_self.thread_slot;
	api_self.g = 0;
}

void tprof_g_start(uint64_t g)
{
	const struct rec_host *h = api_enter();
	struct rec_event e = {.kind = REC_G_START, .g = (uint32_t)g};
	struct rec_self *self;
	struct rec_g *slot;

	if (!g || g > UINT32_MAX || !h || g == api_self.g)
		return;
	self = h->self();
	if (api_self.g) {
		struct rec_event yield = {.kind = REC_G_STOP, .arg = REC_ON_YIELD};

		yield.stack = h->stack(1);
		leave(h, &yield);
	}
	slot = find(h, e.g);
	e.m = self->m;
	e.start = e.end = h->now();
	api_self.thread_slot = self->slot;
	api_self.g = e.g;
	if (slot) {
		struct api_g *mine = api_g_of(h, slot);
		uint64_t ready = atomic_load_explicit(&mine->ready, memory_order_relaxed);

		if (slot->wait.kind == REC_G_STOP && rec_is_profiled(slot->wait.arg)) {
			uint64_t until = ready ? ready : e.end;

			h->block_event(until > slot->wait.start ? until - slot->wait.start : 0,
				       slot->wait.stack);
			if (!ready && rec_is_lock(slot->wait.arg))
				h->blame_end(slot->wait.object, mine->blamed, false, 0);
		}
		if (slot->wait.kind != REC_NOTHING)
			h->wait_clear(slot);
		atomic_store_explicit(&slot->m, self->m, memory_order_relaxed);
		atomic_store_explicit(&mine->since, e.end, memory_order_relaxed);
	}
	self->g = e.g;
	self->slot = slot;
	if (api_tracing(h))
		h->write(&e);
}

void tprof_g_block(enum tprof_reason reason, const void *object)
{
	const struct rec_host *h = api_enter();
	struct rec_event e = {.kind = REC_G_STOP, .object = (uint64_t)(uintptr_t)object};

	if (!h || !api_self.g)
		return;
	e.arg = api_reason(reason);
	e.stack = h->stack(1);
	leave(h, &e);
}

void tprof_g_yield(void)
{
	const struct rec_host *h = api_enter();
	struct rec_event e = {.kind = REC_G_STOP, .arg = REC_ON_YIELD};

	if (!h || !api_self.g)
		return;
	e.stack = h->stack(1);
	leave(h, &e);
}

void tprof_g_unblock(uint64_t g)
{
	const struct rec_host *h = api_enter();
	struct rec_event e = {.kind = REC_G_READY, .arg = (uint32_t)g};
	struct rec_g *slot;

	if (!g || g > UINT32_MAX || !h)
		return;
	slot = find(h, e.arg);
	e.stack = h->stack(1);
	e.start = e.end = h->now();
	if (slot && slot->wait.kind == REC_G_STOP &&
	    !atomic_exchange_explicit(&api_g_of(h, slot)->ready, e.end, memory_order_relaxed) &&
	    rec_is_lock(slot->wait.arg))
		h->blame_end(slot->wait.object, api_g_of(h, slot)->blamed, true, e.stack);
	if (api_tracing(h))
		h->write(&e);
}

void tprof_g_end(void)
{
	const struct rec_host *h = api_enter();
	struct rec_event e = {.kind = REC_G_END};
	struct rec_g *slot;

	if (!h || !api_self.g)
		return;
	slot = h->self()->slot;
	if (slot) {
		forget(api_self.g);
		atomic_store_explicit(&api_g_of(h, slot)->g, 0, memory_order_relaxed);
		h->g_leave(slot);
	}
	leave(h, &e);
}

uint64_t tprof_g_current(void)
{
	const struct rec_host *h = api_enter();

	return h ? h->self()->g : 0;
}
