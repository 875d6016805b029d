/* Sums and differences of times. The times of a damaged trace may be anything, so sums saturate at
 * the limits of 64 bits, and differences wrap around. */
#ifndef TP_BASE_SUM_H
#define TP_BASE_SUM_H

#include <stdint.h>

static inline void tp_sum(int64_t *sum, int64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = more < 0 ? INT64_MIN : INT64_MAX;
}

/* Return a - b and a + b, which wrap around. */
static inline int64_t tp_minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline int64_t tp_plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Returns the integer part of a number, saturated at the limits of 64 bits; 0 for NaN. */
static inline int64_t tp_whole(double d)
{
	if (!(d < 9223372036854775808.0))
		return d > 0 ? INT64_MAX : 0;
	return d >= -9223372036854775808.0 ? (int64_t)d : INT64_MIN;
}

#endif
