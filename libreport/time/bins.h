/* Time added up in bins: how long something lasted, or how many there were of it, over time. */
#ifndef REP_TIME_BINS_H
#define REP_TIME_BINS_H

#include <stddef.h>
#include <stdint.h>

/* n bins: bin i is [edge[i], edge[i + 1]), in ns since the run began. */
struct rep_bins {
	size_t n;
	int64_t *edge; /* n + 1, not descending */
};

/* What lasted in each of them. */
struct rep_binned {
	double *ns;   /* by bin */
	double *full; /* private: changes of how many cover a whole bin */
};

/* At most n equal ones of [from, to), fewer where it is shorter than n ns; at least one. 0 or
 * TP_ENOMEM. */
int rep_bins_even(struct rep_bins *b, int64_t from, int64_t to, size_t n);
/* n without edges but the last, which are the caller's to set. Likewise. */
int rep_bins_room(struct rep_bins *b, size_t n);
void rep_bins_release(struct rep_bins *b);

/* Zeros. 0 or TP_ENOMEM; released in every case. */
int rep_binned_init(struct rep_binned *s, const struct rep_bins *b);
void rep_binned_release(struct rep_binned *s);
/* Adds a time to all bins it overlaps, as far as they reach … */
void rep_binned_add(const struct rep_bins *b, struct rep_binned *s, int64_t start, int64_t end);
/* … and after the last one, once: */
void rep_binned_finish(const struct rep_bins *b, struct rep_binned *s);
/* The mean number of those counted, in a bin, or in n series together over the bins [from, to); NaN
 * where they have no length. */
double rep_binned_mean(const struct rep_bins *b, const struct rep_binned *s, size_t bin);
double rep_binned_means(const struct rep_bins *b, const struct rep_binned *s, size_t n, size_t from,
			size_t to);

/* The last bin that begins at or before a moment; the first one for what lies before all. */
size_t rep_bin_of(const struct rep_bins *b, int64_t ns);

#endif
