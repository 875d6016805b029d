/* Buckets as in runtime/mprof.go (stkbucket of Go 1.26): 179999 chains. They are searched without a lock; a
 * missing bucket is inserted under a lock, after a second search. Stacks are interned, so comparing two
 * stacks is comparing two numbers. The hash is still Go's, over the PCs. */
#include "tprof-record/core/inside.h"

#include "tprof-record/core/stack/stackcache.h"

/* Chains whose memory is reserved together: 64 KiB. */
enum { PIECE = 16384 };

static uint64_t hash_of(uint32_t stack, uint64_t size)
{
	const struct rec_node *nodes = rec_core->arena.nodes;
	uint64_t h = 0;
	uint32_t n = 0;

	for (; stack && stack < REC_NNODES && n < REC_MAX_DEPTH; n++) {
		h += nodes[stack].pc;
		h += h << 10;
		h ^= h >> 6;
		stack = nodes[stack].parent;
	}
	h += size;
	h += h << 10;
	h ^= h >> 6;
	h += h << 3;
	h ^= h >> 11;
	return h;
}

static uint32_t find(uint32_t at, uint32_t kind, uint32_t stack, uint64_t size, uint64_t hash)
{
	const struct rec_bucket *buckets = rec_core->arena.buckets;

	while (at && at <= REC_NBUCKETS) {
		const struct rec_bucket *b = &buckets[at - 1];

		if (b->kind == kind && b->hash == hash && b->size == size && b->stack == stack)
			return at;
		at = b->next;
	}
	return 0;
}

/* Expects the lock. */
static uint32_t insert(_Atomic uint32_t *chain, uint32_t kind, uint32_t stack, uint64_t size,
		       uint64_t hash)
{
	struct rec_arena *a = &rec_core->arena;
	uint32_t used = atomic_load_explicit(&a->header->buckets.used, memory_order_relaxed);
	_Atomic uint32_t *newest = &a->header->newest[kind];
	struct rec_bucket *b = &a->buckets[used];

	if (used >= REC_NBUCKETS || !rec_reserve(REC_PART_buckets, used + 1)) {
		rec_lose(REC_LOST_BUCKETS, 1);
		return 0;
	}
	b->kind = kind;
	b->stack = stack;
	b->size = size;
	b->hash = hash;
	b->next = atomic_load_explicit(chain, memory_order_relaxed);
	b->allnext = atomic_load_explicit(newest, memory_order_relaxed);
	atomic_store_explicit(&a->header->buckets.used, used + 1, memory_order_release);
	atomic_store_explicit(chain, used + 1, memory_order_release);
	atomic_store_explicit(newest, used + 1, memory_order_release);
	return used + 1;
}

/* Reserves memory for the table of chains piece by piece, when a piece is first used. */
static bool has_memory(uint32_t chain)
{
	_Atomic uint32_t *bits = &rec_state()->chains;
	uint32_t piece = chain / PIECE, n = PIECE;

	_Static_assert(REC_NHASH / PIECE < 32, "one bit for each");
	if (atomic_load_explicit(bits, memory_order_acquire) >> piece & 1)
		return true;
	if (n > REC_NHASH - piece * PIECE)
		n = REC_NHASH - piece * PIECE;
	if (!rec_reserve_at(REC_AT_chains + 4 * (uint64_t)piece * PIECE, 4 * (uint64_t)n))
		return false;
	atomic_fetch_or_explicit(bits, 1u << piece, memory_order_release);
	return true;
}

static uint32_t look_up(enum rec_bucket_kind kind, uint32_t stack, uint64_t size)
{
	struct rec_header *h = rec_core->arena.header;
	uint64_t hash = hash_of(stack, size);
	_Atomic uint32_t *chain = &rec_core->arena.chains[hash % REC_NHASH];
	uint32_t at;

	if (!has_memory((uint32_t)(hash % REC_NHASH))) {
		rec_lose(REC_LOST_BUCKETS, 1);
		return 0;
	}
	at = find(atomic_load_explicit(chain, memory_order_acquire), kind, stack, size, hash);
	if (at)
		return at;
	rec_lock(&h->insert_lock);
	at = find(atomic_load_explicit(chain, memory_order_relaxed), kind, stack, size, hash);
	if (!at)
		at = insert(chain, kind, stack, size, hash);
	rec_unlock(&h->insert_lock);
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
