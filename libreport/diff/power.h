/* Simulates how often a change is found: the manual's table of power, which `tprof-diff --power`
 * prints.
 *
 * Model: a run's value is the true one times exp(sd N), N normal: multiplicative noise of the given
 * coefficient of variation, as times and sampled counts of real programs have it. Both sets have n
 * runs; the new one's true value is larger by the change. Found: p <= 0.05 in the direction of the
 * change. The generator is seeded, so the table is the same everywhere. */
#ifndef REP_DIFF_POWER_H
#define REP_DIFF_POWER_H

#include "base/err.h"
#include "output/output.h"

/* Deterministic random numbers: splitmix64, and the standard normal by Box and Muller's method. */
double rep_power_normal(uint64_t *seed);

/* Writes the whole table. */
int rep_power_table(struct rep_output *out, struct tp_err *err);

#endif
