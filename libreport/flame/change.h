/* What a difference between two profiles is worth: colours of differential flame graphs. */
#ifndef REP_FLAME_CHANGE_H
#define REP_FLAME_CHANGE_H

#include <stdint.h>

#include "flame/tree.h"

#define REP_FLAME_STEPS 5   /* shades of red, and of blue */
#define REP_FLAME_NOISE 2.0 /* standard errors, unless told otherwise */

/* The standard error of new minus old. A value that n samples made is as uncertain as their number,
 * whose variance is about n: its error is value/sqrt(n). */
double rep_flame_change_error(const int64_t value[REP_FLAME_SIDES],
			      const double events[REP_FLAME_SIDES]);

/* -REP_FLAME_STEPS (all gone) … 0 … REP_FLAME_STEPS (at least doubled from next to nothing): the
 * change in relation to the larger of both. 0 where it is not larger than `noise` standard errors:
 * nothing can be said about it then. */
int rep_flame_change_step(const int64_t value[REP_FLAME_SIDES],
			  const double events[REP_FLAME_SIDES], double noise);

#endif
