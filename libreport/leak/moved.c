/* Sites whose lines differ between versions of a program: the functions are the same, and no source
 * has goroutines at two of them. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "leak/parts.h"

struct place {
	uint64_t hash; /* of the functions of stack and creator */
	uint32_t site;
};

static uint32_t name_at(const struct rep_leaks *l, uint32_t stack, uint32_t *parent)
{
	struct tp_stack_node node = tp_dict_stack_at(l->dict, stack);

	*parent = node.parent < stack ? node.parent : 0;
	return tp_dict_frame_name(l->dict, node.frame);
}

static uint64_t hash_of(const struct rep_leaks *l, const struct rep_leak_site *s)
{
	uint64_t hash = tp_mix64((uint64_t)s->label << 32 | s->reason,
				 s->creator ? tp_dict_frame_name(l->dict, s->creator) : 0);

	for (uint32_t at = s->stack; at;)
		hash = tp_mix64(hash, name_at(l, at, &at));
	return hash;
}

static bool same_functions(const struct rep_leaks *l, const struct rep_leak_site *a,
			   const struct rep_leak_site *b)
{
	uint32_t x = a->stack, y = b->stack;

	if (a->reason != b->reason || (a->waits && b->waits && a->waits != b->waits) ||
	    a->label != b->label || !a->creator != !b->creator ||
	    (a->creator &&
	     tp_dict_frame_name(l->dict, a->creator) != tp_dict_frame_name(l->dict, b->creator)))
		return false;
	while (x && y)
		if (name_at(l, x, &x) != name_at(l, y, &y))
			return false;
	return x == y;
}

/* Returns whether no source has goroutines at both. */
static bool are_apart(const struct rep_leaks *l, const struct rep_leak_site *a,
		      const struct rep_leak_site *b)
{
	for (size_t i = 0; i < l->nsources; i++)
		if (a->count[i].goroutines && b->count[i].goroutines)
			return false;
	return true;
}

/* Returns whether a source has no goroutines at the site: what all have has not moved. */
static bool is_missing(const struct rep_leaks *l, const struct rep_leak_site *s)
{
	for (size_t i = 0; i < l->nsources; i++)
		if (!s->count[i].goroutines)
			return true;
	return false;
}

static int by_hash(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1)
				  : (x->site > y->site) - (x->site < y->site);
}

/* Returns the last source in which the site has goroutines. */
static size_t last_of(const struct rep_leaks *l, const struct rep_leak_site *s)
{
	size_t i = l->nsources;

	while (i > 1 && !s->count[i - 1].goroutines)
		i--;
	return i;
}

/* Joins n sites of one hash if all are apart, at the one that is there last. */
static void join_place(struct rep_leaks *l, const struct place *place, size_t n, bool *gone)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (!same_functions(l, &l->site[place[i].site], &l->site[place[k].site]) ||
			    !are_apart(l, &l->site[place[i].site], &l->site[place[k].site]))
				return;
	for (size_t i = 1; i < n; i++)
		if (last_of(l, &l->site[place[i].site]) > last_of(l, &l->site[place[to].site]))
			to = i;
	for (size_t i = 0; i < n; i++)
		if (i != to) {
			rep_leaks_merge(l, &l->site[place[to].site], &l->site[place[i].site]);
			gone[place[i].site] = true;
		}
	l->moved++;
}

int rep_leaks_join_moved(struct rep_leaks *l)
{
	struct place *place = tp_many(l->nsites + 1, sizeof(*place));
	bool *gone = calloc(l->nsites + 1, sizeof(*gone));
	size_t n = 0, kept = 0;

	if (!place || !gone) {
		free(place);
		free(gone);
		return TP_ENOMEM;
	}
	for (size_t i = 0; i < l->nsites && l->nsources > 1; i++)
		if (l->site[i].stack && is_missing(l, &l->site[i]))
			place[n++] = (struct place){hash_of(l, &l->site[i]), (uint32_t)i};
	if (n)
		qsort(place, n, sizeof(*place), by_hash);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && place[end].hash == place[i].hash;)
			end++;
		/* More than one a source are not apart. */
		if (end - i > 1 && end - i <= l->nsources)
			join_place(l, &place[i], end - i, gone);
	}
	for (size_t i = 0; i < l->nsites; i++)
		if (!gone[i])
			l->site[kept++] = l->site[i];
	l->nsites = kept;
	free(place);
	free(gone);
	return 0;
}
