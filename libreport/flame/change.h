/* Rates the differences between two profiles, for the colours of differential flame graphs. */
#ifndef REP_FLAME_CHANGE_H
#define REP_FLAME_CHANGE_H

#include <stdint.h>

#include "flame/tree.h"

#define REP_FLAME_STEPS 5   /* shades of red, and of blue */
#define REP_FLAME_NOISE 2.0 /* standard errors, by default */

/* Returns the standard error of new minus old. A value from n samples is as uncertain as their
 * number, whose variance is about n: its error is value/sqrt(n). */
double rep_flame_change_error(const int64_t value[REP_FLAME_SIDES],
			      const double events[REP_FLAME_SIDES]);

/* Returns the change in relation to the larger of both values, as a step from -REP_FLAME_STEPS (all
 * gone) to REP_FLAME_STEPS (all new). A change of up to `noise` standard errors is 0. */
int rep_flame_change_step(const int64_t value[REP_FLAME_SIDES],
			  const double events[REP_FLAME_SIDES], double noise);

#endif
