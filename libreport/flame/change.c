#include "flame/change.h"

#include <math.h>

#include "profile/noise.h"

int rep_flame_change_step(const int64_t value[REP_FLAME_SIDES], double variance, double noise)
{
	double now = (double)value[REP_FLAME_NEW], old = (double)value[REP_FLAME_OLD];
	double delta = now - old, larger = fmax(fabs(now), fabs(old));
	int step;

	if (!rep_noise_beyond(delta, variance, noise) || larger <= 0)
		return 0;
	step = (int)ceil(fabs(delta) / larger * REP_FLAME_STEPS);
	if (step > REP_FLAME_STEPS)
		step = REP_FLAME_STEPS; /* the signs differ */
	return delta < 0 ? -step : step;
}
