/* Scales samples of allocations. At a rate of one sample per R bytes, an allocation of S bytes is
 * sampled with the probability 1 - e^(-S/R), so each sample stands for 1 / (1 - e^(-S/R))
 * allocations (pprof: scaleHeapSample). */
#include <math.h>
#include <string.h>

#include "decode/profile/legacy.h"

/* Returns e^x for x <= 0, exact only as far as 1 - e^x differs from 1. Results are truncated to
 * integers, so they equal pprof's only if e^x is the same to the last bit. Hence this is the
 * algorithm of Go's math.Exp on x86-64 (math/exp_amd64.s; N. Shibata, "Efficient evaluation methods
 * of elementary functions suitable for SIMD computation", 2010), with its fused operations. */
static double exponential(double x)
{
	static const double taylor[] = {
	    1.9841269841269841270e-4,
	    1.3888888888888888889e-3,
	    8.3333333333333333333e-3,
	    4.1666666666666666667e-2,
	    1.6666666666666666667e-1,
	    0.5,
	    1.0,
	};
	double n, y = 2.4801587301587301587e-5;

	if (isnan(x) || x > 7.09782712893384e+02)
		return isnan(x) ? x : HUGE_VAL;
	if (x < -700)
		return 0;
	n = nearbyint(x * 1.4426950408889634073599246810018920);
	x = fma(-n, 0.69314718055966295651160180568695068359375, x);
	x = fma(-n, 0.28235290563031577122588448175013436025525412068e-12, x);
	x *= 0.0625;
	for (size_t i = 0; i < sizeof(taylor) / sizeof(taylor[0]); i++)
		y = fma(y, x, taylor[i]);
	x *= y; /* e^x - 1, squared four times */
	for (int i = 0; i < 3; i++)
		x *= x + 2;
	return ldexp(fma(x, x + 2, 1), (int)n);
}

/* Converts like x86-64, also values that do not fit. */
static int64_t to_int(double v)
{
	return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

void tp_legacy_unsample(int64_t *count, int64_t *bytes, int64_t rate)
{
	double scale;

	if (!*count || !*bytes) {
		*count = *bytes = 0;
		return;
	}
	if (rate <= 1)
		return;
	scale = 1 / (1 - exponential(-((double)*bytes / (double)*count) / (double)rate));
	*count = to_int((double)*count * scale);
	*bytes = to_int((double)*bytes * scale);
}
