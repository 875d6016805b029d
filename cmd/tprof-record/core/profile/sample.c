/* A hash table in shards. Each shard is an open-addressed table with linear probing that doubles when it is
 * 3/4 full. Removal moves entries back, so there are no tombstones. A place takes 16 bytes, so a block takes
 * 21 to 43.
 *
 * Beside it, rec_sampled counts blocks by the top 16 bits of their hash, so that freeing a block that was not
 * sampled costs one load. The top 5 bits of the same hash select the shard, whose lock protects those
 * counters. A counter that has reached 255 stays there: the true count is lost, so it can only say
 * "perhaps". */
#include "tprof-record/core/inside.h"

#include <sys/mman.h>

__attribute__((aligned(4096))) uint8_t rec_sampled[65536];

enum { FIRST_BITS = 8, STUCK = 255 };

static inline uint64_t hash_of(const void *block)
{
	return (uint64_t)(uintptr_t)block * 0x9e3779b97f4a7c15u;
}

static struct rec_shard *shard_of(uint64_t hash)
{
	_Static_assert(REC_NSHARDS == 32, "the top 5 bits");
	return &rec_state()->shard[hash >> 59];
}

static inline uint64_t place_of(const struct rec_shard *s, uint64_t hash)
{
	return hash << 5 >> (64 - s->bits);
}

static void count_up(uint64_t hash)
{
	uint8_t *counter = &rec_sampled[hash >> 48], n = *counter;

	if (n < STUCK)
		__atomic_store_n(counter, (uint8_t)(n + 1), __ATOMIC_RELAXED);
}

static void count_down(uint64_t hash)
{
	uint8_t *counter = &rec_sampled[hash >> 48], n = *counter;

	if (n && n < STUCK)
		__atomic_store_n(counter, (uint8_t)(n - 1), __ATOMIC_RELAXED);
}

/* Returns the place of the block, or the free place where it would go. */
static uint64_t find(const struct rec_shard *s, uint64_t block, uint64_t hash)
{
	uint64_t mask = ((uint64_t)1 << s->bits) - 1, i = place_of(s, hash);

	while (s->place[i].block && s->place[i].block != block)
		i = (i + 1) & mask;
	return i;
}

static bool grow(struct rec_shard *s)
{
	struct rec_shard bigger = {.bits = s->bits ? s->bits + 1 : FIRST_BITS};
	uint64_t n = (uint64_t)1 << s->bits, i;

	bigger.place = rec_map(sizeof(*bigger.place) << bigger.bits);
	if (!bigger.place)
		return false;
	for (i = 0; s->place && i < n; i++) {
		uint64_t block = s->place[i].block;

		if (block)
			bigger.place[find(&bigger, block, hash_of((void *)(uintptr_t)block))] =
			    s->place[i];
	}
	/* Frees the memory but keeps the addresses: a thread that lost the lock to another (rec_lock) may
	 * still be reading there. All old tables together are as large as the new one. */
	if (s->place && rec_may(REC_NEED_DROP))
		rec_call(SYS_madvise, (long)s->place, (long)(sizeof(*s->place) << s->bits),
			 MADV_DONTNEED, 0, 0, 0);
	s->place = bigger.place;
	s->bits = bigger.bits;
	return true;
}

static bool has_room(struct rec_shard *s)
{
	uint64_t n = (uint64_t)1 << s->bits;

	if (s->place && (s->count + 1) * 4 <= n * 3)
		return true;
	/* If memory has run out, the table may fill up further; one place stays free, so that searches
	 * end. */
	return grow(s) || (s->place && s->count + 1 < n);
}

bool rec_sample_add(struct rec_sample sample, struct rec_sample *was)
{
	uint64_t hash = hash_of((void *)(uintptr_t)sample.block), i;
	struct rec_shard *s = shard_of(hash);
	bool added = false;

	*was = (struct rec_sample){0};
	rec_lock(&s->lock);
	if (has_room(s)) {
		i = find(s, sample.block, hash);
		if (s->place[i].block) {
			*was = s->place[i];
		} else {
			s->count++;
			count_up(hash);
		}
		s->place[i] = sample;
		added = true;
	}
	rec_unlock(&s->lock);
	if (!added)
		rec_lose(REC_LOST_BLOCKS, 1);
	return added;
}

/* Closes the gap that a removed entry left: moves later entries, up to the next free place, back where that
 * brings them nearer to their hash's place. */
static void close_gap(struct rec_shard *s, uint64_t gap)
{
	uint64_t mask = ((uint64_t)1 << s->bits) - 1, i = gap;

	for (;;) {
		uint64_t home;

		s->place[gap] = (struct rec_sample){0};
		do {
			i = (i + 1) & mask;
			if (!s->place[i].block)
				return;
			home = place_of(s, hash_of((void *)(uintptr_t)s->place[i].block));
		} while (((i - home) & mask) < ((i - gap) & mask));
		s->place[gap] = s->place[i];
		gap = i;
	}
}

struct rec_sample rec_sample_remove(const void *block)
{
	uint64_t hash = hash_of(block), i;
	struct rec_shard *s = shard_of(hash);
	struct rec_sample was = {0};

	rec_lock(&s->lock);
	if (s->place) {
		i = find(s, (uint64_t)(uintptr_t)block, hash);
		if (s->place[i].block) {
			was = s->place[i];
			close_gap(s, i);
			s->count--;
			count_down(hash);
		}
	}
	rec_unlock(&s->lock);
	return was;
}
