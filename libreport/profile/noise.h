/* The noise of a profile: how far a value may be from what another profile of the same program
 * would show, by the number of samples behind it. Tables of diffs and flame graphs judge by it.
 *
 * The number n of samples has the variance n, as any count of events; so the value v of a stack has
 * the variance v * v / n. Variances of stacks add up, as do those of both sides of a difference; a
 * value multiplied by f has f * f times the variance. The number of samples:
 *
 *	heap		objects of size s are sampled with the chance 1 - exp(-s / rate), by which Go and
 *			pprof have divided their number already; rate is the period of the profile
 *	contention	their number, divided by the period of the profile where that is a number
 *	others		the value in the unit count: the samples of a CPU profile, the events of a view
 *
 * Nothing is sampled in counts of goroutines and threads, and in a heap profile whose rate is 1 or
 * unknown: their variance is 0. */
#ifndef REP_PROFILE_NOISE_H
#define REP_PROFILE_NOISE_H

#include "decode/profile.h"

/* The words for a change within noise. */
#define REP_NOISE_SAMPLES "within the noise of the samples"
#define REP_NOISE_EVENTS  "within what so few events vary by chance"

/* A change of more standard errors than this is beyond noise. */
#define REP_NOISE 3.0

struct rep_noise {
	size_t type, count, bytes; /* sample types; bytes: SIZE_MAX if not a heap profile */
	double rate;		   /* sampling rate of the heap profile, or events per sample */
	bool none;		   /* nothing is sampled */
	bool exact;		   /* a view of a trace: values are exact, events come by chance */
};

/* Describes the samples of a type of a profile. */
struct rep_noise rep_noise_of(const struct tp_profile *p, size_t type);
/* Returns the variance of a sample's value of that type; `value` are those of all its types. */
double rep_noise_variance(const struct rep_noise *n, const int64_t *value);
/* Returns whether a change is beyond this many standard errors. */
bool rep_noise_beyond(double change, double variance, double errors);

#endif
