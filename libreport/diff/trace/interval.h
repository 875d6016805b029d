/* How far a number of a single run can be trusted: what the windows of the run say.
 *
 * A run is cut into windows of time (metrics.h); each is an observation, whatever events in it have
 * to do with each other. So what is compared is the run's own unrest: a number that jumps from
 * window to window could have been another one had the run been stopped a little earlier. What runs
 * have not in common with each other (another machine, a colder cache) is in no window: only
 * several runs tell that.
 *
 *   rate, total, mean, share   ratio estimators over windows (Cochran, Sampling Techniques, 6.3)
 *   percentiles                Woodruff's interval: the percentiles at q ± t·SE, SE that of the
 *                              share of events below the percentile, by windows; at least the
 *                              binomial one (Woodruff 1952, Confidence intervals for medians)
 *   difference of two runs     on the logarithm, from the sides of both intervals that face each
 *                              other (Zou and Donner 2008, method of variance estimates recovery),
 *                              by Student's t with Welch's degrees of freedom
 *
 * There is none of a maximum, nor where events are in fewer than REP_LEAST_WINDOWS windows (or are
 * spread so unevenly that they are worth fewer), nor where the interval of a percentile would leave
 * the durations there are. */
#ifndef REP_DIFF_TRACE_INTERVAL_H
#define REP_DIFF_TRACE_INTERVAL_H

#include "diff/trace/metrics.h"

#define REP_LEAST_WINDOWS 6

enum rep_per { REP_PER_SECOND, REP_PER_TASK, REP_PER_RUN, REP_NPER };
extern const char *const rep_pers[REP_NPER]; /* "second", "task", "run" */

/* What totals and counts are divided by. */
struct rep_per_options {
	enum rep_per per;
	const char *task; /* tasks of this type only; NULL: all */
};

/* The divisor of a run, 0 where there is none (no such task). */
double rep_per_divisor(const struct rep_metrics *m, const struct rep_per_options *per);

/* Statistics of a measure as they are compared: count and total divided. */
struct rep_estimate {
	double value;  /* NaN: nothing to tell */
	bool interval; /* is there one? of 95 %, on both sides of the value; low may be 0 */
	double low, high;
	double se_low, se_high; /* of the logarithm, on either side; se_low may be infinite */
	double df;		/* degrees of freedom */
	size_t windows, filled; /* of ratios: that there are, and in which there is something */
};

/* Statistics of `stats` (bit per enum rep_stat) of a measure; without intervals where `intervals`
 * is not set. Returns 0 or TP_ENOMEM. */
int rep_estimate(const struct rep_metrics *m, const struct rep_measure *x, uint32_t stats,
		 const struct rep_per_options *per, bool intervals,
		 struct rep_estimate out[REP_NSTATS]);

/* The change from one run to another, as a factor: its interval, and p that it is none. False where
 * one of them has no interval. */
struct rep_change {
	double low, high; /* of new / old, at `level` */
	double p;
};
bool rep_estimate_change(const struct rep_estimate *old, const struct rep_estimate *new,
			 double level, struct rep_change *change);

/* Student's t: the two-sided p of |t|, and the t that has it. */
double rep_student_p(double t, double df);
double rep_student_t(double p, double df);

#endif
