#include "dist.h"

#include <stdlib.h>
#include <string.h>

#include "base/big.h"
#include "base/hist.h"
#include "base/many.h"

static const double quantile[REP_NPERCENTILES] = {
    [REP_P50] = 0.50, [REP_P90] = 0.90, [REP_P99] = 0.99};

int rep_dist_put_bucket(struct rep_dist *d, uint32_t owner, int bucket, int64_t count)
{
	if (bucket < 0 || bucket >= TP_HIST_BUCKETS || count <= 0)
		return 0;
	return rep_dist_put_item(d, owner, (uint32_t)bucket, count);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static int64_t median_of_three(int64_t a, int64_t b, int64_t c)
{
	int64_t low = a < b ? a : b, high = a < b ? b : a;

	return c < low ? low : c > high ? high : c;
}

/* Quickselect. If pivots are bad too often, the rest is sorted, so the worst case is n log n. */
void rep_select_rank(int64_t *v, size_t from, size_t to, size_t k)
{
	unsigned budget = 64;

	while (to - from > 1) {
		size_t low = from, at = from, high = to;
		int64_t pivot;

		if (!budget--) {
			qsort(v + from, to - from, sizeof(*v), by_value);
			return;
		}
		pivot = median_of_three(v[from], v[from + (to - from) / 2], v[to - 1]);
		while (at < high) {
			int64_t x = v[at];

			if (x < pivot) {
				v[at++] = v[low];
				v[low++] = x;
			} else if (x > pivot) {
				v[at] = v[--high];
				v[high] = x;
			} else {
				at++;
			}
		}
		if (k < low)
			to = low;
		else if (k >= high)
			from = high;
		else
			return;
	}
}

/* Nearest rank, as in base/hist.h. */
void rep_percentiles_of(int64_t *ns, size_t n, struct rep_percentiles *p)
{
	size_t from = 0;

	for (int i = 0; i < REP_NPERCENTILES; i++) {
		double at = quantile[i] * (double)n;
		size_t r = (size_t)at;

		if (at - (double)r > 1e-9 * at)
			r++;
		r = r ? r - 1 : 0;
		rep_select_rank(ns, from, n, r);
		p->ns[i] = ns[r];
		from = r;
	}
	p->known = p->exact = true;
}

static int by_bucket(const void *a, const void *b)
{
	const struct tp_hist_count *x = a, *y = b;

	return x->bucket < y->bucket ? -1 : x->bucket > y->bucket;
}

static int solve_mixed(const int64_t *value, const uint32_t *bucket, size_t n,
		       struct rep_percentiles *p)
{
	struct tp_hist_count *c = tp_many(n, sizeof(*c));

	if (!c)
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		c[i].bucket = bucket[i];
		c[i].count = (uint64_t)value[i];
		if (bucket[i] == TP_HIST_BUCKETS) {
			c[i].bucket = (uint32_t)tp_hist_bucket((uint64_t)value[i]);
			c[i].count = 1;
		}
	}
	qsort(c, n, sizeof(*c), by_bucket);
	for (int i = 0; i < REP_NPERCENTILES; i++)
		p->ns[i] = (int64_t)tp_hist_percentile(c, n, quantile[i]);
	p->known = true;
	p->exact = false;
	free(c);
	return 0;
}

/* Items by owner: those of owner i are start[i] … start[i + 1] - 1. */
struct groups {
	size_t *start;
	int64_t *value;
	uint32_t *bucket; /* NULL if every value is a duration */
	bool *mixed;	  /* by owner */
};

/* A counting sort. */
static int group(const struct rep_dist *d, struct groups *g, size_t n)
{
	bool any = false;
	size_t at = 0;

	g->start = calloc(n + 1, sizeof(*g->start));
	g->mixed = calloc(n + 1, sizeof(*g->mixed));
	g->value = tp_big_many(d->n, sizeof(*g->value));
	if (!g->start || !g->mixed || !g->value)
		return TP_ENOMEM;
	for (size_t i = 0; i < d->n; i++) {
		const struct rep_dist_item *item = &d->item[i];

		if (item->owner >= n)
			continue;
		g->start[item->owner]++;
		if (item->bucket != TP_HIST_BUCKETS)
			any = g->mixed[item->owner] = true;
	}
	if (any && !(g->bucket = tp_many(d->n, sizeof(*g->bucket))))
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t count = g->start[i];

		g->start[i] = at;
		at += count;
	}
	for (size_t i = 0; i < d->n; i++) {
		const struct rep_dist_item *item = &d->item[i];

		if (item->owner >= n)
			continue;
		at = g->start[item->owner]++;
		g->value[at] = item->value;
		if (any)
			g->bucket[at] = item->bucket;
	}
	/* Each start is now the end of its group, which is the start of the next one. */
	memmove(g->start + 1, g->start, n * sizeof(*g->start));
	g->start[0] = 0;
	return 0;
}

int rep_dist_solve(const struct rep_dist *d, struct rep_percentiles *p, size_t n)
{
	struct groups g = {0};
	int code = group(d, &g, n);

	memset(p, 0, n * sizeof(*p));
	for (size_t i = 0; !code && i < n; i++) {
		size_t at = g.start[i], count = g.start[i + 1] - at;

		if (count && g.mixed[i])
			code = solve_mixed(g.value + at, g.bucket + at, count, &p[i]);
		else if (count)
			rep_percentiles_of(g.value + at, count, &p[i]);
	}
	free(g.start);
	free(g.mixed);
	free(g.value);
	free(g.bucket);
	return code;
}

void rep_dist_release(struct rep_dist *d)
{
	free(d->item);
	memset(d, 0, sizeof(*d));
}
