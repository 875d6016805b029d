#include "base/hist.h"

static int clamp(int bucket)
{
	if (bucket < 0)
		return 0;
	return bucket < TP_HIST_BUCKETS ? bucket : TP_HIST_BUCKETS - 1;
}

static uint64_t width(int bucket)
{
	return bucket < 128 ? 1 : (uint64_t)1 << (bucket / 64 - 1);
}

uint64_t tp_hist_lower(int bucket)
{
	bucket = clamp(bucket);
	if (bucket < 64)
		return (uint64_t)bucket;
	return (uint64_t)(64 + bucket % 64) << (bucket / 64 - 1);
}

uint64_t tp_hist_upper(int bucket)
{
	bucket = clamp(bucket);
	return tp_hist_lower(bucket) + (width(bucket) - 1);
}

uint64_t tp_hist_mid(int bucket)
{
	bucket = clamp(bucket);
	return tp_hist_lower(bucket) + width(bucket) / 2;
}

/* Returns the rank, from 1 on, of the percentile among n values. */
static uint64_t rank(uint64_t n, double q)
{
	double at;
	uint64_t r;

	if (!(q > 0))
		return 1;
	if (q >= 1)
		return n;
	/* 0.99 * 100 must give rank 99 although the product is rounded. */
	at = q * (double)n;
	r = (uint64_t)at;
	if (at - (double)r > 1e-9 * at)
		r++;
	return r ? r < n ? r : n : 1;
}

uint64_t tp_hist_percentile(const struct tp_hist_count *c, size_t n, double q)
{
	uint64_t total = 0, at;

	for (size_t i = 0; i < n; i++)
		total += c[i].count;
	if (!total)
		return 0;
	at = rank(total, q);
	for (size_t i = 0; i < n; i++) {
		if (c[i].count >= at)
			return tp_hist_mid((int)c[i].bucket);
		at -= c[i].count;
	}
	return 0;
}

void tp_hist_add(struct tp_hist *h, int bucket, uint64_t count)
{
	h->count[clamp(bucket)] += count;
	h->n += count;
}

uint64_t tp_hist_quantile(const struct tp_hist *h, double q)
{
	uint64_t at;

	if (!h->n)
		return 0;
	at = rank(h->n, q);
	for (int i = 0; i < TP_HIST_BUCKETS; i++) {
		if (h->count[i] >= at)
			return tp_hist_mid(i);
		at -= h->count[i];
	}
	return 0;
}
