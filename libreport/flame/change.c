#include "flame/change.h"

#include <math.h>

double rep_flame_change_error(const int64_t value[REP_FLAME_SIDES],
			      const double events[REP_FLAME_SIDES])
{
	double variance = 0;

	for (int side = 0; side < REP_FLAME_SIDES; side++) {
		double v = (double)value[side];

		if (events[side] > 0)
			variance += v * v / events[side];
	}
	return sqrt(variance);
}

int rep_flame_change_step(const int64_t value[REP_FLAME_SIDES],
			  const double events[REP_FLAME_SIDES], double noise)
{
	double now = (double)value[REP_FLAME_NEW], old = (double)value[REP_FLAME_OLD];
	double delta = now - old, larger = fmax(fabs(now), fabs(old));
	int step;

	if (fabs(delta) <= noise * rep_flame_change_error(value, events) || larger <= 0)
		return 0;
	step = (int)ceil(fabs(delta) / larger * REP_FLAME_STEPS);
	if (step > REP_FLAME_STEPS)
		step = REP_FLAME_STEPS; /* the signs differ */
	return delta < 0 ? -step : step;
}
