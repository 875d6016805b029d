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

/* `utils` must live as long. TP_ENOMEM. */
int rep_mmu_new(struct rep_mmu **m, const struct rep_utils *utils, struct tp_err *err);
void rep_mmu_free(struct rep_mmu *m);

struct rep_mmu_window {
	double util;	/* mean over the window; 1 where there is no function */
	int64_t at;	/* when it begins; TP_NULL where there is none */
	int64_t length; /* less than asked for where the function is shorter */
	size_t series;	/* of utils */
};

/* The length of the longest function. */
int64_t rep_mmu_length(const struct rep_mmu *m);

/* The lowest window (the first of several) of this length, which is at least 1. */
struct rep_mmu_window rep_mmu_minimum(struct rep_mmu *m, int64_t window_ns);

/* The n lowest windows that do not overlap, the lowest first: each is the lowest of those that do
 * not overlap the ones before. Returns how many there are. */
size_t rep_mmu_worst(struct rep_mmu *m, int64_t window_ns, struct rep_mmu_window *out, size_t n);

/* What part of all windows of this length is at most as low: util[i] is such that a share[i] (0 to
 * 1, ascending) of them has a lower or equal mean. One window or less makes all of them the
 * minimum. TP_ENOMEM. */
int rep_mmu_quantiles(struct rep_mmu *m, int64_t window_ns, const double *share, double *util,
		      size_t n, struct tp_err *err);

/* Mean utilisation of a function over [from, to), within where it is defined; 1 for nothing. */
double rep_mmu_mean(const struct rep_mmu *m, size_t series, int64_t from, int64_t to);

/* 1 µs, 10 µs, 100 µs, then 1, 2, 5, 10 … of these, up to the length; how many there are (at most
 * REP_MMU_WINDOWS). */
#define REP_MMU_WINDOWS 64
size_t rep_mmu_windows(int64_t length_ns, int64_t out[REP_MMU_WINDOWS]);
/* "1ms,10ms": *n of them. TP_EFORMAT with a sentence. */
int rep_mmu_windows_parse(const char *text, int64_t out[REP_MMU_WINDOWS], size_t *n,
			  struct tp_err *err);

#endif
