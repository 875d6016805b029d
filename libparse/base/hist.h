/* The logarithmic histogram of durations, from which all percentiles are computed.
 *
 * Bucket numbers are part of the store's format (site_hist.bucket). Every power of two is divided
 * into 64 buckets of equal width:
 *
 *   VALUES                  BUCKET                               WIDTH
 *   0 … 127                 the value itself: exact              1
 *   2^e … 2^(e+1)-1, e ≥ 6  64·(e-5) + (the 6 bits below the     2^(e-6)
 *                           highest one)
 *
 * (both lines agree from 64 to 127). A bucket's middle is at most 1/128 of any value in it away
 * from that value, so every percentile read from it has a relative error below 0.8 % (the promise
 * is 1 %); merging adds counts and therefore no error. */
#ifndef TP_BASE_HIST_H
#define TP_BASE_HIST_H

#include <stddef.h>
#include <stdint.h>

#define TP_HIST_BUCKETS 3776 /* 64·(63-5) + 64 */

/* A bucket and the number of its values; a histogram is an array of these. */
struct tp_hist_count {
	uint32_t bucket;
	uint64_t count;
};

/* A histogram with all buckets (30 KB), to add up many values or histograms. Zero-initialised is
 * valid and empty. */
struct tp_hist {
	uint64_t n; /* values in all */
	uint64_t count[TP_HIST_BUCKETS];
};

static inline int tp_hist_bucket(uint64_t ns)
{
	/* Computes both lines of the table: the highest bit adds the 64 by which they differ. */
	int shift = 57 - __builtin_clzll(ns | 64);

	return 64 * shift + (int)(ns >> shift);
}

/* Returns the bucket of a duration. A damaged store may have negative ones, which count as 0. */
static inline int tp_hist_bucket_of(int64_t ns)
{
	return tp_hist_bucket(ns > 0 ? (uint64_t)ns : 0);
}

/* Return the smallest and the largest value of a bucket, and the one halfway; a number out of range
 * counts as the nearest bucket. */
uint64_t tp_hist_lower(int bucket);
uint64_t tp_hist_upper(int bucket);
uint64_t tp_hist_mid(int bucket);

/* Returns the percentile of the share q (0 … 1), by nearest rank, as the middle of its bucket; 0
 * for an empty histogram. The array must be sorted by bucket. */
uint64_t tp_hist_percentile(const struct tp_hist_count *c, size_t n, double q);

/* The same for struct tp_hist. */
void tp_hist_add(struct tp_hist *h, int bucket, uint64_t count);
uint64_t tp_hist_quantile(const struct tp_hist *h, double q);

#endif
