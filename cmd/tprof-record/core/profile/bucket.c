/* Buckets as in runtime/mprof.go. Stacks are interned, so comparing two stacks is comparing two numbers. */
#include "tprof-record/core/stack/stackcache.h"
#include "tprof-record/core/table.h"

static struct rec_table table(void)
{
	const struct rec_arena *a = &rec_core->arena;

	return (struct rec_table){
	    .place = a->keys, .levels = &rec_state()->keys, .most = REC_KEY_LEVELS(a->scale)};
}

/* `entry` is the index + 1. */
static inline bool is_bucket(uint32_t entry, const void *key)
{
	const struct rec_arena *a = &rec_core->arena;
	const struct rec_bucket *bucket = key,
				*there = &a->buckets[(entry - 1) & (REC_NBUCKETS(a->scale) - 1)];

	_Static_assert(REC_NBUCKETS(REC_NSCALES - 1) < 1u << REC_ENTRY_BITS, "a place names it");
	/* The program may have changed the place. */
	return entry <= REC_NBUCKETS(a->scale) && there->stack == bucket->stack &&
	       there->size == bucket->size && there->kind == bucket->kind;
}

/* Expects the lock. */
static uint32_t append(const struct rec_bucket *bucket)
{
	struct rec_arena *a = &rec_core->arena;
	uint32_t used = atomic_load_explicit(&a->header->buckets.used, memory_order_relaxed);
	_Atomic uint32_t *newest = &a->header->newest[bucket->kind];
	struct rec_bucket *b = &a->buckets[used];

	if (used >= REC_NBUCKETS(a->scale) || !rec_reserve(REC_PART_buckets, used + 1))
		return 0;
	b->kind = bucket->kind;
	b->stack = bucket->stack;
	b->size = bucket->size;
	b->allnext = atomic_load_explicit(newest, memory_order_relaxed);
	atomic_store_explicit(&a->header->buckets.used, used + 1, memory_order_release);
	atomic_store_explicit(newest, used + 1, memory_order_release);
	return used + 1;
}

static uint32_t look_up(enum rec_bucket_kind kind, uint32_t stack, uint64_t size)
{
	struct rec_bucket bucket = {.kind = kind, .stack = stack, .size = size};
	uint64_t hash =
	    (stack ^ (uint64_t)kind << 32 ^ size * 0x100000001b3u) * 0xff51afd7ed558ccdu;
	struct rec_header *h = rec_core->arena.header;
	struct rec_table t = table();
	_Atomic uint32_t *place;
	uint32_t at = rec_table_find(&t, hash, is_bucket, &bucket, &place);

	if (at)
		return at;
	rec_lock(&h->insert_lock);
	rec_table_grow(&t, atomic_load_explicit(&h->buckets.used, memory_order_relaxed));
	at = rec_table_find(&t, hash, is_bucket, &bucket, &place);
	if (!at && place && (at = append(&bucket)))
		rec_table_put(place, hash, at);
	rec_unlock(&h->insert_lock);
	if (!at)
		rec_lose(REC_LOST_BUCKETS, 1);
	return at;
}

uint32_t rec_bucket_of(enum rec_bucket_kind kind, uint32_t stack, uint64_t size)
{
	struct rec_bucket_cache *c = NULL;
	uint32_t at;

	if (rec_self.cache) {
		uint64_t h = (stack + size * 0x100000001b3u + kind) * 0x9e3779b97f4a7c15u;

		c = &rec_self.cache->bucket[h >> 59];
		_Static_assert(REC_NBUCKET_CACHE == 32, "the hash has as many bits");
		if (c->bucket && c->stack == stack && c->size == size && c->kind == kind)
			return c->bucket;
	}
	at = look_up(kind, stack, size);
	if (c && at)
		*c = (struct rec_bucket_cache){
		    .size = size, .stack = stack, .kind = kind, .bucket = at};
	return at;
}
