#include "dist.h"

#include <stdlib.h>
#include <string.h>

#include "base/big.h"
#include "base/hist.h"
#include "base/many.h"
#include "base/random.h"
#include "base/seed.h"
#include "base/sum.h"

static const double quantile[REP_NPERCENTILES] = {
    [REP_P50] = 0.50, [REP_P90] = 0.90, [REP_P99] = 0.99};

static int put(struct rep_dist *d, uint32_t owner, uint32_t bucket, int64_t value, int64_t count)
{
	uint64_t hash;
	int code;

	if (!d->n)
		d->seed = tp_seed();
	hash = tp_mix64(d->seed + ((uint64_t)owner << 12 | bucket) * 0x9e3779b97f4a7c15u,
			(uint64_t)value);
	d->puts++;
	for (struct tp_probe p = {0}; tp_table_next(&d->table, hash, &p);) {
		struct rep_dist_item *item = &d->item[p.row];

		if (item->value == value && item->owner == owner && item->bucket == bucket) {
			tp_sum(&item->count, count);
			return 0;
		}
	}
	code = tp_grow_raw(&d->item, &d->room, d->n, sizeof(*d->item));
	if (!code)
		code = tp_table_add(&d->table, hash, d->n);
	if (!code)
		d->item[d->n++] = (struct rep_dist_item){owner, bucket, value, count};
	return code;
}

int rep_dist_put(struct rep_dist *d, uint32_t owner, int64_t ns)
{
	return put(d, owner, TP_HIST_BUCKETS, ns, 1);
}

int rep_dist_put_bucket(struct rep_dist *d, uint32_t owner, int bucket, int64_t count)
{
	if (bucket < 0 || bucket >= TP_HIST_BUCKETS || count <= 0)
		return 0;
	return put(d, owner, (uint32_t)bucket, 0, count);
}

int rep_dist_put_item(struct rep_dist *d, uint32_t owner, const struct rep_dist_item *item)
{
	return put(d, owner, item->bucket, item->value, item->count);
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

/* Nearest rank of a percentile, as in base/hist.h. */
static size_t rank_of(double q, size_t n)
{
	double at = q * (double)n;
	size_t r = (size_t)at;

	if (at - (double)r > 1e-9 * at)
		r++;
	return r ? r - 1 : 0;
}

void rep_percentiles_of(int64_t *ns, size_t n, struct rep_percentiles *p)
{
	size_t from = 0;

	for (int i = 0; i < REP_NPERCENTILES; i++) {
		size_t r = rank_of(quantile[i], n);

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

static int solve_mixed(const struct rep_dist_item *item, size_t n, struct rep_percentiles *p)
{
	struct tp_hist_count *c = tp_many(n, sizeof(*c));

	if (!c)
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		c[i].bucket = item[i].bucket;
		c[i].count = (uint64_t)item[i].count;
		if (item[i].bucket == TP_HIST_BUCKETS)
			c[i].bucket = (uint32_t)tp_hist_bucket((uint64_t)item[i].value);
	}
	qsort(c, n, sizeof(*c), by_bucket);
	for (int i = 0; i < REP_NPERCENTILES; i++)
		p->ns[i] = (int64_t)tp_hist_percentile(c, n, quantile[i]);
	free(c);
	return 0;
}

static int by_item_value(const void *a, const void *b)
{
	const struct rep_dist_item *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

void rep_dist_quantiles(struct rep_dist_item *item, size_t n, const double *quantiles,
			size_t nquantiles, int64_t *ns)
{
	size_t count = 0, before = 0, at = 0;

	qsort(item, n, sizeof(*item), by_item_value);
	for (size_t i = 0; i < n; i++)
		count += (size_t)item[i].count;
	for (size_t i = 0; i < nquantiles; i++) {
		size_t r = rank_of(quantiles[i], count);

		while (at + 1 < n && before + (size_t)item[at].count <= r)
			before += (size_t)item[at++].count;
		ns[i] = item[at].value;
	}
}

/* Items by owner: those of owner i are start[i] … start[i + 1] - 1. */
struct groups {
	size_t *start;
	struct rep_dist_item *item;
	bool *mixed; /* by owner */
};

/* A counting sort. */
static int group(const struct rep_dist *d, struct groups *g, size_t n)
{
	size_t at = 0;

	g->start = calloc(n + 1, sizeof(*g->start));
	g->mixed = calloc(n + 1, sizeof(*g->mixed));
	g->item = tp_big_many(d->n, sizeof(*g->item));
	if (!g->start || !g->mixed || !g->item)
		return TP_ENOMEM;
	for (size_t i = 0; i < d->n; i++) {
		const struct rep_dist_item *item = &d->item[i];

		if (item->owner >= n)
			continue;
		g->start[item->owner]++;
		if (item->bucket != TP_HIST_BUCKETS)
			g->mixed[item->owner] = true;
	}
	for (size_t i = 0; i < n; i++) {
		size_t count = g->start[i];

		g->start[i] = at;
		at += count;
	}
	for (size_t i = 0; i < d->n; i++)
		if (d->item[i].owner < n)
			g->item[g->start[d->item[i].owner]++] = d->item[i];
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
			code = solve_mixed(g.item + at, count, &p[i]);
		else if (count)
			rep_dist_quantiles(g.item + at, count, quantile, REP_NPERCENTILES, p[i].ns);
		p[i].known = count > 0;
		p[i].exact = count && !g.mixed[i];
	}
	free(g.start);
	free(g.mixed);
	free(g.item);
	return code;
}

void rep_dist_release(struct rep_dist *d)
{
	free(d->item);
	tp_table_release(&d->table);
	memset(d, 0, sizeof(*d));
}
