/* Sampling rates, and reports of the program's own allocators and locks. */
#include <limits.h>

#include "tprof-record/api/lib.h"

void tprof_set_heap_rate(uint64_t bytes)
{
	const struct rec_host *h = api_enter();

	/* Its tables are large if this is what the library begins with. */
	atomic_store(&api.heap_rate, bytes);
	if (!h && (!bytes || api_begin(&h)))
		return;
	h->set_heap_rate(bytes);
}

void tprof_set_block_rate(uint64_t ns)
{
	const struct rec_host *h = api_enter();

	if ((!h && !ns) || (!h && api_begin(&h)))
		return;
	atomic_store(&api_header(h)->options.block_rate, ns);
}

int tprof_set_mutex_fraction(int fraction)
{
	const struct rec_host *h = api_enter();
	uint64_t was;

	if (!h && (fraction <= 0 || api_begin(&h)))
		return 0;
	was = fraction < 0
		  ? atomic_load(&api_header(h)->options.mutex_fraction)
		  : atomic_exchange(&api_header(h)->options.mutex_fraction, (uint64_t)fraction);
	return was < INT_MAX ? (int)was : INT_MAX;
}

/* Writes an entry of the text trace. `skip` omits this frame and that of the public function. */
static __attribute__((noinline)) void text(const struct rec_host *h, const void *block, size_t size,
					   const char *type, bool freed)
{
	uint64_t pcs[API_MAX_DEPTH];
	size_t n = h->backtrace(pcs, API_MAX_DEPTH, 2);

	api_text_block(h, block, size, type, freed, pcs, n);
	API_STAY();
}

static inline __attribute__((always_inline)) void alloc(void *block, size_t size, const char *type)
{
	const struct rec_host *h = api_enter();
	struct rec_self *self;

	if (!h || !block)
		return;
	if (__builtin_expect(atomic_load_explicit(&api.text, memory_order_relaxed), 0))
		text(h, block, size, type, false);
	self = h->self();
	if (__builtin_sub_overflow(self->until_sample, (int64_t)size, &self->until_sample) ||
	    self->until_sample < 0)
		h->malloc(block, size, 1);
	API_STAY();
}

void tprof_alloc(void *block, size_t size)
{
	alloc(block, size, NULL);
}

void tprof_alloc_typed(void *block, size_t size, const char *type)
{
	alloc(block, size, type);
}

void tprof_free(void *block)
{
	const struct rec_host *h = api_enter();
	uint64_t hash = (uint64_t)(uintptr_t)block * 0x9e3779b97f4a7c15u;

	if (!h || !block)
		return;
	if (__builtin_expect(atomic_load_explicit(&api.text, memory_order_relaxed), 0))
		text(h, block, 0, NULL, true);
	/* The same test as rec_maybe_sampled. */
	if (__builtin_expect(h->sampled[hash >> 48] != 0, 0))
		h->free(block);
}

void tprof_block_event(uint64_t ns)
{
	const struct rec_host *h = api_enter();

	if (h && atomic_load_explicit(&api_header(h)->options.block_rate, memory_order_relaxed))
		h->block_event(ns, h->stack(1));
}

void tprof_unlock_event(uint64_t ns)
{
	const struct rec_host *h = api_enter();

	if (h && atomic_load_explicit(&api_header(h)->options.mutex_fraction, memory_order_relaxed))
		h->mutex_event(ns, h->stack(1));
}
