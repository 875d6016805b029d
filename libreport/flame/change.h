/* Rates the differences between two profiles, for the colours of differential flame graphs. */
#ifndef REP_FLAME_CHANGE_H
#define REP_FLAME_CHANGE_H

#include <stdint.h>

#include "flame/tree.h"

#define REP_FLAME_STEPS 5   /* shades of red, and of blue */

/* Returns the change in relation to the larger of both values, as a step from -REP_FLAME_STEPS (all
 * gone) to REP_FLAME_STEPS (all new). A change of up to `noise` standard errors is 0; `variance` is
 * that of the change. */
int rep_flame_change_step(const int64_t value[REP_FLAME_SIDES], double variance, double noise);

#endif
