#include "dist.h"

#include <stdlib.h>
#include <string.h>

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

/* A distribution of fewer items is sorted; of others, only the buckets that have a percentile are. */
#define FEW 256

#define EACH_ITEM(l, p, item)                                                                      \
	for (size_t p = 0; p < (l)->n; p++)                                                        \
		for (const struct rep_dist_item *item = (l)->item + (l)->first[(l)->part[p]];      \
		     item < (l)->item + (l)->first[(l)->part[p] + 1]; item++)

/* Adds up the items in a histogram, which the caller frees. Returns NULL when memory is out. */
static struct tp_hist *add_up(const struct rep_dist_list *l)
{
	struct tp_hist *hist = calloc(1, sizeof(*hist));

	if (hist)
		EACH_ITEM(l, p, item)
	tp_hist_add(hist, (int)rep_dist_bucket(item), (uint64_t)item->count);
	return hist;
}

struct value {
	int64_t ns;
	uint64_t count;
};

static int by_ns(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Finds the buckets of ascending ranks. Sets the count of each other bucket to 0, and makes the ranks those
 * among what is left. */
static void keep_buckets(struct tp_hist *hist, uint64_t *rank, size_t n)
{
	uint64_t before = 0, dropped = 0;
	size_t k = 0;

	for (int b = 0; b < TP_HIST_BUCKETS; b++) {
		uint64_t count = hist->count[b];
		size_t first = k;

		for (; k < n && rank[k] < before + count; k++)
			rank[k] -= dropped;
		before += count;
		if (k > first)
			continue;
		dropped += count;
		hist->count[b] = 0;
	}
}

/* Gathers values by ascending ns: all of them, or those whose buckets have a count. */
static int gather(const struct rep_dist_list *l, const struct tp_hist *hist, struct value **value,
		  size_t *n)
{
	size_t room = 0;

	EACH_ITEM(l, p, item)
	{
		if (hist && !hist->count[rep_dist_bucket(item)])
			continue;
		if (tp_grow_raw(value, &room, *n, sizeof(**value)))
			return TP_ENOMEM;
		(*value)[(*n)++] = (struct value){item->value, (uint64_t)item->count};
	}
	if (*n)
		qsort(*value, *n, sizeof(**value), by_ns);
	return 0;
}

int rep_dist_quantiles(const struct rep_dist_list *l, const double *quantiles, size_t nquantiles,
		       int64_t *ns)
{
	uint64_t count = 0, before = 0, rank[REP_DIST_QUANTILES];
	size_t items = 0, n = 0, at = 0;
	struct tp_hist *hist = NULL;
	struct value *value = NULL;
	int code;

	EACH_ITEM(l, p, item)
	{
		count += (uint64_t)item->count;
		items++;
	}
	for (size_t i = 0; i < nquantiles; i++)
		rank[i] = rank_of(quantiles[i], count);
	if (items > FEW) {
		hist = add_up(l);
		if (!hist)
			return TP_ENOMEM;
		keep_buckets(hist, rank, nquantiles);
	}
	code = gather(l, hist, &value, &n);
	for (size_t i = 0; !code && i < nquantiles; i++) {
		while (at + 1 < n && before + value[at].count <= rank[i])
			before += value[at++].count;
		ns[i] = n ? value[at].ns : 0;
	}
	free(value);
	free(hist);
	return code;
}

static int by_bucket(const void *a, const void *b)
{
	const struct tp_hist_count *x = a, *y = b;

	return x->bucket < y->bucket ? -1 : x->bucket > y->bucket;
}

static void solve_few(const struct rep_dist_list *l, struct rep_percentiles *p)
{
	struct tp_hist_count count[FEW] = {0};
	size_t n = 0;

	EACH_ITEM(l, k, item)
	count[n++] = (struct tp_hist_count){rep_dist_bucket(item), (uint64_t)item->count};
	qsort(count, n, sizeof(*count), by_bucket);
	for (int i = 0; i < REP_NPERCENTILES; i++)
		p->ns[i] = (int64_t)tp_hist_percentile(count, n, quantile[i]);
}

static int solve_many(const struct rep_dist_list *l, struct rep_percentiles *p)
{
	struct tp_hist *hist = add_up(l);

	for (int i = 0; hist && i < REP_NPERCENTILES; i++)
		p->ns[i] = (int64_t)tp_hist_quantile(hist, quantile[i]);
	free(hist);
	return hist ? 0 : TP_ENOMEM;
}

static size_t group_of(const struct rep_dist_item *item, const uint32_t *of, size_t n)
{
	size_t group = of ? of[item->owner] : item->owner;

	return group < n ? group : n;
}

/* A counting sort in place, as a copy of a long run's durations would take as much memory again: items are
 * swapped to where their groups end. */
int rep_dist_group(struct rep_dist *d, const uint32_t *of, size_t *first, size_t n)
{
	size_t *end = calloc(n + 1, sizeof(*end)), at = 0;

	if (!end)
		return TP_ENOMEM;
	tp_table_release(&d->table);
	for (size_t i = 0; i < d->n; i++)
		end[group_of(&d->item[i], of, n)]++;
	for (size_t g = 0; g <= n; g++) {
		size_t count = end[g];

		first[g] = end[g] = at;
		at += count;
	}
	for (size_t g = 0; g < n; g++) {
		while (end[g] < first[g + 1]) {
			struct rep_dist_item item = d->item[end[g]];
			size_t to = group_of(&item, of, n);

			d->item[end[g]] = d->item[end[to]];
			d->item[end[to]++] = item;
		}
	}
	free(end);
	return 0;
}

int rep_dist_solve(struct rep_dist *d, struct rep_percentiles *p, size_t n)
{
	size_t *first = calloc(n + 1, sizeof(*first));
	int code = first ? rep_dist_group(d, NULL, first, n) : TP_ENOMEM;

	memset(p, 0, n * sizeof(*p));
	for (uint32_t i = 0; !code && i < n; i++) {
		const struct rep_dist_list list = {d->item, first, &i, 1};

		p[i].known = first[i] < first[i + 1];
		p[i].exact = p[i].known;
		EACH_ITEM(&list, k, item)
		p[i].exact = p[i].exact && item->bucket == TP_HIST_BUCKETS;
		if (p[i].exact)
			code = rep_dist_quantiles(&list, quantile, REP_NPERCENTILES, p[i].ns);
		else if (first[i + 1] - first[i] > FEW)
			code = solve_many(&list, &p[i]);
		else if (p[i].known)
			solve_few(&list, &p[i]);
	}
	free(first);
	return code;
}

void rep_dist_release(struct rep_dist *d)
{
	free(d->item);
	tp_table_release(&d->table);
	memset(d, 0, sizeof(*d));
}
