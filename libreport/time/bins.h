/* Time added up in bins: how long something lasted, or how many of it existed, over time. */
#ifndef REP_TIME_BINS_H
#define REP_TIME_BINS_H

#include <stddef.h>
#include <stdint.h>

/* n bins: bin i is [edge[i], edge[i + 1]), in ns since the run began. */
struct rep_bins {
	size_t n;
	int64_t *edge; /* n + 1, not descending */
};

/* Sums of time by bin. */
struct rep_binned {
	double *ns;   /* by bin */
	double *full; /* private: change in the number of times that cover the whole bin */
};

/* Divides [from, to) into n equal bins, or into fewer (at least one) if it is shorter than n ns.
 * Returns 0 or TP_ENOMEM. */
int rep_bins_even(struct rep_bins *b, int64_t from, int64_t to, size_t n);
/* Allocates n bins; the caller sets all n + 1 edges. Returns 0 or TP_ENOMEM. */
int rep_bins_room(struct rep_bins *b, size_t n);
void rep_bins_release(struct rep_bins *b);

/* Sets all sums to 0. Returns 0 or TP_ENOMEM. *s must be released in every case. */
int rep_binned_init(struct rep_binned *s, const struct rep_bins *b);
void rep_binned_release(struct rep_binned *s);
/* Adds the time [start, end) to all bins that it overlaps. The sums are valid after
 * rep_binned_finish. */
void rep_binned_add(const struct rep_bins *b, struct rep_binned *s, int64_t start, int64_t end);
/* Completes the sums. Call it once, after the last rep_binned_add. */
void rep_binned_finish(const struct rep_bins *b, struct rep_binned *s);
/* Return the mean number at a time: of one series in a bin, or of n series together over the bins
 * [from, to). NaN if these bins have no length. */
double rep_binned_mean(const struct rep_bins *b, const struct rep_binned *s, size_t bin);
double rep_binned_means(const struct rep_bins *b, const struct rep_binned *s, size_t n, size_t from,
			size_t to);

/* Returns the last bin that begins at or before a moment; the first bin if all begin later. */
size_t rep_bin_of(const struct rep_bins *b, int64_t ns);

#endif
