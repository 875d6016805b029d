/* Profiles as records in memory, as runtime/mprof.go has them (MemProfile …): the buckets of a kind,
 * newest first. Buckets are only added at the beginning of their list, so from the first one seen on
 * the list does not change. */
#include <string.h>

#include "tprof-record/api/stacks.h"
#include "tprof-record/api/text.h"
#include "tprof-record/convert/profile/profile_rows.h"

/* Counts move while a snapshot is taken. */
static pthread_mutex_t snapshot_lock = PTHREAD_MUTEX_INITIALIZER;

void api_forget_records(void)
{
	snapshot_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
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

static size_t heap_records(const struct rec_host *h, struct tprof_mem_record *p, size_t room,
			   bool inuse_zero)
{
	const struct rec_arena *a = api_arena(h);
	bool all = rec_heap_is_clear(a);
	size_t n = 0;

	for (struct rec_bucket *b = newest(a, REC_HEAP_BUCKET); b; b = next(a, b)) {
		uint64_t allocs, frees;

		rec_heap_counts(a, b, all, &allocs, &frees);
		if (!inuse_zero && allocs == frees)
			continue;
		if (n < room) {
			p[n].alloc_objects = (int64_t)allocs;
			p[n].free_objects = (int64_t)frees;
			p[n].alloc_bytes = (int64_t)(allocs * b->size);
			p[n].free_bytes = (int64_t)(frees * b->size);
			put_stack(h, &p[n].stack, b->stack);
		}
		n++;
	}
	return n;
}

size_t tprof_mem_profile(struct tprof_mem_record *p, size_t room, bool inuse_zero, bool *ok)
{
	const struct rec_host *h = api_enter();
	size_t n;

	if (ok)
		*ok = true;
	if (!h)
		return 0;
	pthread_mutex_lock(&snapshot_lock);
	n = heap_records(h, NULL, 0, inuse_zero);
	if (n > room) {
		if (ok)
			*ok = false;
	} else {
		size_t now = heap_records(h, p, n, inuse_zero);

		/* There may be more by now. */
		n = now < n ? now : n;
	}
	pthread_mutex_unlock(&snapshot_lock);
	return n;
}

void tprof_heap_snapshot(void)
{
	const struct rec_host *h = api_enter();
	const struct rec_arena *a;
	uint64_t pcs[API_MAX_DEPTH];

	if (!h)
		return;
	a = api_arena(h);
	pthread_mutex_lock(&snapshot_lock);
	h->next_cycle(a);
	h->flush(a);
	h->post_sweep(a);
	pthread_mutex_unlock(&snapshot_lock);
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
		/* So that readers do not divide by zero (golang.org/cl/299991). */
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

/* Places come into use between the two passes; the second counts. */
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
