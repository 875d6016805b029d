/* Minimum mutator utilisation (Cheng and Blelloch 2001): of all windows of a length in a run, the
 * one that leaves the program least; which windows those are; and how utilisation is distributed
 * over all windows. Numbers are those of Go's internal/trace/gc.go for the same functions.
 *
 *	struct rep_mmu *m;
 *	code = rep_mmu_new(&m, &utils, err);
 *	struct rep_mmu_window w = rep_mmu_minimum(m, 10000000);
 *	rep_mmu_free(m);
 */
#ifndef REP_MMU_CURVE_H
#define REP_MMU_CURVE_H

#include "mmu/utilisation.h"

struct rep_mmu;

/* Prepares utilisation functions, which must outlive *m. Returns 0 or TP_ENOMEM. */
int rep_mmu_new(struct rep_mmu **m, const struct rep_utils *utils, struct tp_err *err);
void rep_mmu_free(struct rep_mmu *m);

struct rep_mmu_window {
	double util;	/* mean over the window; 1 if there is no function */
	int64_t at;	/* when it begins; TP_NULL if there is none */
	int64_t length; /* less than requested if the function is shorter */
	size_t series;	/* index in utils */
};

/* Returns the length of the longest function. */
int64_t rep_mmu_length(const struct rep_mmu *m);

/* Returns the window of this length (at least 1) with the lowest mean; the first of several. */
struct rep_mmu_window rep_mmu_minimum(struct rep_mmu *m, int64_t window_ns);

/* Finds the n lowest windows: each is the lowest of those that do not overlap the ones before.
 * Returns how many there are. */
size_t rep_mmu_worst(struct rep_mmu *m, int64_t window_ns, struct rep_mmu_window *out, size_t n);

/* Finds quantiles over all windows of this length: a share[i] (0 to 1, ascending) of them has a
 * mean of at most util[i]. With one window or none, all are the minimum. Returns 0 or TP_ENOMEM. */
int rep_mmu_quantiles(struct rep_mmu *m, int64_t window_ns, const double *share, double *util,
		      size_t n, struct tp_err *err);

/* Returns the mean of a function over the part of [from, to) where it is defined; 1 if that is
 * empty. */
double rep_mmu_mean(const struct rep_mmu *m, size_t series, int64_t from, int64_t to);

/* Writes a series of lengths, 1 µs, 10 µs, 100 µs, then steps of 1, 2, 5, 10 …, up to a length.
 * Returns their number. */
#define REP_MMU_WINDOWS 64
size_t rep_mmu_windows(int64_t length_ns, int64_t out[REP_MMU_WINDOWS]);
/* Parses lengths such as "1ms,10ms". Returns 0, or TP_EFORMAT with a sentence. */
int rep_mmu_windows_parse(const char *text, int64_t out[REP_MMU_WINDOWS], size_t *n,
			  struct tp_err *err);

#endif
