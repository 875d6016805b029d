/* Lives: the goroutines of a run that share an id.
 *
 * Go's runtime uses an id once, except for goroutines that stand for C threads while these call Go:
 * they return to a list after the call and are reused with the same id. Ordering gives each life
 * its own index (order/v2/state.h), so only `goroutine.id`, which is unique in a run, has to
 * differ: the last life keeps the id, the others get negative numbers. */
#include <stdlib.h>

#include "base/many.h"
#include "timeline/parts.h"

/* If the ids of a run span fewer values than this per goroutine, a bitmap finds duplicates. */
#define BITS_PER_ID 64

/* Returns true if a quick check shows that all ids differ, as in almost every run. */
static bool all_different(const uint64_t *id, uint32_t n)
{
	uint64_t low = UINT64_MAX, high = 0, *seen;
	bool twice = false;

	for (uint32_t i = 0; i < n; i++) {
		low = id[i] < low ? id[i] : low;
		high = id[i] > high ? id[i] : high;
	}
	if (n < 2 || high - low >= (uint64_t)n * BITS_PER_ID)
		return n < 2;
	seen = calloc((size_t)((high - low) / 64 + 1), sizeof(*seen));
	if (!seen)
		return false;
	for (uint32_t i = 0; i < n && !twice; i++) {
		uint64_t *word = &seen[(id[i] - low) / 64],
			 bit = (uint64_t)1 << ((id[i] - low) % 64);

		twice = *word & bit;
		*word |= bit;
	}
	free(seen);
	return !twice;
}

struct entry {
	uint64_t id;
	uint32_t g;
};

static int by_id(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->g < y->g ? -1 : x->g > y->g;
}

static int by_g(const void *a, const void *b)
{
	const struct tp_life *x = a, *y = b;

	return x->g < y->g ? -1 : x->g > y->g;
}

static bool is_known(const uint8_t *known, uint32_t g)
{
	return known[g / 8] >> g % 8 & 1;
}

/* Numbers the lives of one id, which has n entries. The last life keeps the id; a life without
 * events (a sample referred to it long after its end) is the last only if all lack events. */
static void number(const struct entry *e, uint32_t n, const uint8_t *known, struct tp_life *life)
{
	uint32_t last = n - 1;

	while (last && !is_known(known, e[last].g))
		last--;
	if (!is_known(known, e[last].g))
		last = n - 1;
	for (uint32_t i = 0; i < n; i++)
		life[i] = (struct tp_life){.g = e[i].g, .life = i + 1, .last = i == last};
}

/* Returns the next number below `last` that is not an id; in a damaged trace, ids can be any 64-bit
 * numbers. */
static int64_t next_free(const struct entry *e, uint32_t n, int64_t last)
{
	for (;;) {
		uint64_t id = (uint64_t)--last;
		uint32_t low = 0, high = n;

		while (low < high) {
			uint32_t middle = low + (high - low) / 2;

			if (e[middle].id < id)
				low = middle + 1;
			else
				high = middle;
		}
		if (low == n || e[low].id != id)
			return last;
	}
}

int tp_lives_find(struct tp_lives *lives, const uint64_t *id, uint32_t n,
		  uint8_t *(*known_of)(struct tp_timeline *t, uint32_t n), struct tp_timeline *t,
		  struct tp_err *err)
{
	struct entry *e;
	uint8_t *known;
	int64_t other = 0;
	uint32_t same;

	*lives = (struct tp_lives){0};
	if (all_different(id, n))
		return 0;
	e = tp_many(n, sizeof(*e));
	lives->of = tp_many(n, sizeof(*lives->of));
	known = e && lives->of ? known_of(t, n) : NULL;
	if (!known) {
		free(e);
		return tp_nomem(err);
	}
	for (uint32_t i = 0; i < n; i++)
		e[i] = (struct entry){id[i], i};
	qsort(e, n, sizeof(*e), by_id);
	for (uint32_t i = 0; i < n; i += same) {
		for (same = 1; i + same < n && e[i + same].id == e[i].id;)
			same++;
		if (same < 2)
			continue;
		number(&e[i], same, known, &lives->of[lives->n]);
		lives->n += same;
	}
	if (lives->n)
		qsort(lives->of, lives->n, sizeof(*lives->of), by_g);
	for (uint32_t i = 0; i < lives->n; i++) {
		struct tp_life *life = &lives->of[i];

		life->id = life->last ? (int64_t)id[life->g] : (other = next_free(e, n, other));
	}
	free(known);
	free(e);
	return 0;
}

void tp_lives_release(struct tp_lives *lives)
{
	free(lives->of);
	*lives = (struct tp_lives){0};
}
