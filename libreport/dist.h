/* Distributions: takes durations by owner (an index), and returns percentiles.
 *
 * A duration is given as itself or as a count in a bucket of the histogram (base/hist.h). The
 * percentiles of an owner are exact (nearest rank) if all of its durations were given as
 * themselves, and within 1 % otherwise. Zero-initialised is valid and empty. */
#ifndef REP_DIST_H
#define REP_DIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hist.h"
#include "base/table.h"

/* Equal durations are one item, so that a long run needs no more memory than it has different
 * durations: clocks of traces have a grid. */
struct rep_dist_item {
	uint32_t owner;
	uint32_t bucket; /* TP_HIST_BUCKETS: of `value` itself */
	int64_t value;	 /* 0 for a bucket */
	int64_t count;
};

/* Returns the bucket that an item belongs to. */
static inline uint32_t rep_dist_bucket(const struct rep_dist_item *item)
{
	return item->bucket != TP_HIST_BUCKETS ? item->bucket
					       : (uint32_t)tp_hist_bucket_of(item->value);
}

struct rep_dist {
	struct rep_dist_item *item;
	size_t n, room;
	size_t puts; /* durations and buckets given */
	struct tp_table table;
	uint64_t seed;
};

/* A note for tables in which some percentiles are not exact. */
#define REP_DIST_WITHIN "percentiles: from histograms, within 1 %"

enum { REP_P50, REP_P90, REP_P99, REP_NPERCENTILES };

struct rep_percentiles {
	int64_t ns[REP_NPERCENTILES];
	bool known; /* the owner has a duration */
	bool exact;
};

/* Moves the value of rank k (from 0) among v[from … to) to v[k], with smaller ones before and
 * larger ones after it. */
void rep_select_rank(int64_t *v, size_t from, size_t to, size_t k);

/* Computes the exact percentiles of n > 0 durations, which are reordered. */
void rep_percentiles_of(int64_t *ns, size_t n, struct rep_percentiles *p);

/* Adds a duration, or a number of durations in a bucket (nothing, if there is no such bucket or
 * number). Return 0, TP_ENOMEM or TP_ELIMIT. */
int rep_dist_put(struct rep_dist *d, uint32_t owner, int64_t ns);
int rep_dist_put_bucket(struct rep_dist *d, uint32_t owner, int bucket, int64_t count);
/* Adds an item of another distribution to an owner. Returns as rep_dist_put. */
int rep_dist_put_item(struct rep_dist *d, uint32_t owner, const struct rep_dist_item *item);
/* Sorts the items by group, after which none can be added: those of group i are first[i] … first[i + 1] - 1.
 * of[owner] is the group of an owner; NULL: the owner itself. Items of groups from n on come last. `first` has
 * n + 1 entries. Returns 0 or TP_ENOMEM. */
int rep_dist_group(struct rep_dist *d, const uint32_t *of, size_t *first, size_t n);

/* The items of n groups, which are not copied. */
struct rep_dist_list {
	const struct rep_dist_item *item;
	const size_t *first;  /* by group, as rep_dist_group sets it */
	const uint32_t *part; /* the groups, n of them */
	size_t n;
};
/* Computes quantiles (ascending, nearest rank; at most REP_DIST_QUANTILES) of items that are all durations.
 * Returns 0 or TP_ENOMEM. */
#define REP_DIST_QUANTILES 8
int rep_dist_quantiles(const struct rep_dist_list *l, const double *quantiles, size_t nquantiles,
		       int64_t *ns);
/* Computes the percentiles of owners 0 … n-1; ignores items of other owners. Sorts the items, after which
 * none can be added. */
int rep_dist_solve(struct rep_dist *d, struct rep_percentiles *p, size_t n);
void rep_dist_release(struct rep_dist *d);

#endif
