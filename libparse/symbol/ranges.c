#include "symbol/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/err.h"

#define MOST ((size_t)1 << 24)
/* Limit on the ranges examined for one address, of those that begin before it; real nesting is far
 * less deep. */
#define MOST_STEPS ((size_t)1 << 14)

int tp_ranges_add(struct tp_ranges *r, uint64_t low, uint64_t high, uint64_t value)
{
	if (low >= high)
		return 0;
	if (r->n == MOST)
		return TP_ELIMIT;
	if (tp_grow_raw(&r->range, &r->room, r->n, sizeof(*r->range)))
		return TP_ENOMEM;
	r->range[r->n++] = (struct tp_range){low, high, value};
	return 0;
}

/* Of ranges with the same beginning, the shorter one comes last, because it is inside the other.
 * Equal ranges are in order of their numbers, the lowest last. */
static int compare(const void *a, const void *b)
{
	const struct tp_range *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->high != y->high)
		return x->high > y->high ? -1 : 1;
	return x->value > y->value ? -1 : x->value < y->value;
}

int tp_ranges_sort(struct tp_ranges *r)
{
	struct tp_range *fit = r->n ? tp_more(r->range, r->n, sizeof(*fit)) : NULL;

	/* With many small tables, unused room would take most of the memory. */
	if (fit) {
		r->range = fit;
		r->room = r->n;
	}
	free(r->reach);
	r->reach = tp_many(r->n + 1, sizeof(*r->reach));
	if (!r->reach)
		return TP_ENOMEM;
	if (r->n)
		qsort(r->range, r->n, sizeof(*r->range), compare);
	for (size_t i = 0; i < r->n; i++) {
		uint64_t before = i ? r->reach[i - 1] : 0;

		r->reach[i] = r->range[i].high > before ? r->range[i].high : before;
	}
	return 0;
}

const struct tp_range *tp_ranges_find(const struct tp_ranges *r, uint64_t address)
{
	size_t low = 0, high = r->reach ? r->n : 0;

	while (low < high) { /* finds the first that begins after the address */
		size_t mid = low + (high - low) / 2;

		if (r->range[mid].low <= address)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t n = 0; low-- && r->reach[low] > address && n < MOST_STEPS; n++) {
		if (r->range[low].high > address)
			return &r->range[low];
	}
	return NULL;
}

void tp_ranges_release(struct tp_ranges *r)
{
	free(r->range);
	free(r->reach);
	memset(r, 0, sizeof(*r));
}
