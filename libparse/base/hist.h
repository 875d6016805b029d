/* The logarithmic histogram of durations: the one way in which percentiles are kept and merged.
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

/* A bucket and how many values are in it: a histogram is an array of these. */
struct tp_hist_count {
	uint32_t bucket;
	uint64_t count;
};

/* One with room for every bucket (30 KB): where many values or histograms are added up.
 * Zero-initialised is valid and empty. */
struct tp_hist {
	uint64_t n; /* values in all */
	uint64_t count[TP_HIST_BUCKETS];
};

static inline int tp_hist_bucket(uint64_t ns)
{
	/* Both lines at once: of the second one, the highest bit is the 64 that is missing. */
	int shift = 57 - __builtin_clzll(ns | 64);

	return 64 * shift + (int)(ns >> shift);
}

/* The smallest and the largest value of a bucket, and the one halfway; a number that is no bucket
 * counts as the nearest one. */
uint64_t tp_hist_lower(int bucket);
uint64_t tp_hist_upper(int bucket);
uint64_t tp_hist_mid(int bucket);

/* The value below or at which the share q (0 … 1) of all values lies, by nearest rank, as the
 * middle of its bucket; 0 for an empty histogram. The array is sorted by bucket. */
uint64_t tp_hist_percentile(const struct tp_hist_count *c, size_t n, double q);

/* The same for the wide form. */
void tp_hist_add(struct tp_hist *h, int bucket, uint64_t count);
uint64_t tp_hist_quantile(const struct tp_hist *h, double q);

#endif
