/* Profiles as records in memory, as runtime/mprof.go gives them (MemProfile and its kin): the
 * buckets of a kind, newest first. Buckets are only ever added at the beginning of their list, so
 * what hangs on the first one seen is all there was then. */
#include <string.h>

#include "tprof-record/api/records.h"
#include "tprof-record/api/stacks.h"
#include "tprof-record/api/text.h"

static pthread_mutex_t publish_lock = PTHREAD_MUTEX_INITIALIZER;

void api_forget_records(void)
{
	publish_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static struct rec_bucket *newest(const struct rec_arena *a, enum rec_bucket_kind kind)
{
	uint32_t i = atomic_load_explicit(&a->header->newest[kind], memory_order_acquire);

	return i ? &a->buckets[i - 1] : NULL;
}

static struct rec_bucket *next(const struct rec_arena *a, const struct rec_bucket *b)
{
	return b->allnext ? &a->buckets[b->allnext - 1] : NULL;
}

static void put_stack(const struct rec_host *h, struct tprof_stack_record *r, uint32_t stack)
{
	uint64_t pcs[TPROF_MAX_STACK];
	size_t n = h->stack_pcs(stack, pcs, TPROF_MAX_STACK);

	for (size_t i = 0; i < TPROF_MAX_STACK; i++)
		r->stack[i] = i < n ? (uintptr_t)pcs[i] : 0;
}

/* ---- heap ---- */

static uint64_t load(const _Atomic uint64_t *p)
{
	return atomic_load_explicit(p, memory_order_relaxed);
}

static bool shown(const struct rec_bucket *b, bool inuse_zero)
{
	return inuse_zero || load(&b->u.heap.active.allocs) != load(&b->u.heap.active.frees);
}

/* Adds a cycle that is not over to what is published, as Go's memProfileInternal does. */
static void publish_cycle(struct rec_bucket *b, unsigned c)
{
	atomic_fetch_add(&b->u.heap.active.allocs, atomic_exchange(&b->u.heap.future[c].allocs, 0));
	atomic_fetch_add(&b->u.heap.active.frees, atomic_exchange(&b->u.heap.future[c].frees, 0));
}

static void publish(const struct rec_host *h)
{
	const struct rec_arena *a = api_arena(h);
	bool clear = true;

	/* Between NextCycle and Flush, perhaps. */
	h->flush(a);
	for (struct rec_bucket *b = newest(a, REC_HEAP_BUCKET); b && clear; b = next(a, b))
		clear = !load(&b->u.heap.active.allocs) && !load(&b->u.heap.active.frees);
	if (!clear)
		return;
	/* No snapshot was ever taken: what there is counts. */
	for (struct rec_bucket *b = newest(a, REC_HEAP_BUCKET); b; b = next(a, b))
		for (unsigned c = 0; c < 3; c++)
			publish_cycle(b, c);
}

void api_publish_heap(const struct rec_host *h)
{
	pthread_mutex_lock(&publish_lock);
	publish(h);
	pthread_mutex_unlock(&publish_lock);
}

size_t tprof_mem_profile(struct tprof_mem_record *p, size_t room, bool inuse_zero, bool *ok)
{
	const struct rec_host *h = api_enter();
	const struct rec_arena *a;
	struct rec_bucket *head;
	size_t n = 0, i = 0;

	if (ok)
		*ok = true;
	if (!h)
		return 0;
	a = api_arena(h);
	pthread_mutex_lock(&publish_lock);
	publish(h);
	head = newest(a, REC_HEAP_BUCKET);
	for (struct rec_bucket *b = head; b; b = next(a, b))
		n += shown(b, inuse_zero);
	if (n > room) {
		if (ok)
			*ok = false;
		pthread_mutex_unlock(&publish_lock);
		return n;
	}
	for (struct rec_bucket *b = head; b && i < n; b = next(a, b)) {
		int64_t allocs = (int64_t)load(&b->u.heap.active.allocs);
		int64_t frees = (int64_t)load(&b->u.heap.active.frees);

		if (!inuse_zero && allocs == frees)
			continue;
		p[i].alloc_objects = allocs;
		p[i].free_objects = frees;
		p[i].alloc_bytes = allocs * (int64_t)b->size;
		p[i].free_bytes = frees * (int64_t)b->size;
		put_stack(h, &p[i++].stack, b->stack);
	}
	pthread_mutex_unlock(&publish_lock);
	return i;
}

void tprof_heap_snapshot(void)
{
	const struct rec_host *h = api_enter();
	const struct rec_arena *a;
	uint64_t pcs[API_MAX_DEPTH];

	if (!h)
		return;
	a = api_arena(h);
	pthread_mutex_lock(&publish_lock);
	h->next_cycle(a);
	h->flush(a);
	h->post_sweep(a);
	pthread_mutex_unlock(&publish_lock);
	if (atomic_load(&api.text))
		api_text_gc(h, pcs, h->backtrace(pcs, API_MAX_DEPTH, 1));
	API_STAY();
}

/* ---- block and mutex ---- */

static size_t block_records(const struct rec_host *h, enum rec_bucket_kind kind,
			    struct tprof_block_record *p, size_t room, bool *ok)
{
	const struct rec_arena *a = api_arena(h);
	struct rec_bucket *head = newest(a, kind);
	size_t n = 0;

	for (struct rec_bucket *b = head; b; b = next(a, b))
		n++;
	if (n > room) {
		if (ok)
			*ok = false;
		return n;
	}
	for (struct rec_bucket *b = head; b; b = next(a, b), p++) {
		uint64_t bits = load(&b->u.block.count);
		double count;

		memcpy(&count, &bits, sizeof(count));
		p->count = (int64_t)count;
		/* So that nobody divides by zero (golang.org/cl/299991). */
		if (kind == REC_BLOCK_BUCKET && !p->count)
			p->count = 1;
		p->cycles = atomic_load_explicit(&b->u.block.cycles, memory_order_relaxed);
		put_stack(h, &p->stack, b->stack);
	}
	return n;
}

size_t tprof_block_profile(struct tprof_block_record *p, size_t room, bool *ok)
{
	const struct rec_host *h = api_enter();

	if (ok)
		*ok = true;
	return h ? block_records(h, REC_BLOCK_BUCKET, p, room, ok) : 0;
}

size_t tprof_mutex_profile(struct tprof_block_record *p, size_t room, bool *ok)
{
	const struct rec_host *h = api_enter();

	if (ok)
		*ok = true;
	return h ? block_records(h, REC_MUTEX_BUCKET, p, room, ok) : 0;
}

/* ---- threads ---- */

/* Which places are in use may change from one look to the next: two passes, and the second counts.
 */
size_t tprof_threadcreate_profile(struct tprof_stack_record *p, size_t room, bool *ok)
{
	const struct rec_host *h = api_enter();
	const struct rec_arena *a;
	uint32_t used;
	size_t n = 0, i = 0;

	if (ok)
		*ok = true;
	if (!h)
		return 0;
	a = api_arena(h);
	used = atomic_load_explicit(&a->header->gs.used, memory_order_acquire);
	for (uint32_t k = 0; k < used && k < REC_NGS; k++)
		n += atomic_load(&a->gs[k].id) && a->gs[k].tid;
	if (n > room) {
		if (ok)
			*ok = false;
		return n;
	}
	for (uint32_t k = 0; k < used && k < REC_NGS && i < n; k++)
		if (atomic_load(&a->gs[k].id) && a->gs[k].tid)
			put_stack(h, &p[i++], atomic_load(&a->gs[k].create_stack));
	return i;
}
