/* Sums of times, and what is between two of them. Over many goroutines of a damaged trace, whose
 * clock may say anything, a sum may be more than 64 bits hold: then it stays at the most (or least)
 * that they do. */
#ifndef TP_BASE_SUM_H
#define TP_BASE_SUM_H

#include <stdint.h>

static inline void tp_sum(int64_t *sum, int64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = more < 0 ? INT64_MIN : INT64_MAX;
}

/* Moments of a damaged clock, and of a damaged store, wrap around: what is between two of them, and
 * a moment so much later. */
static inline int64_t tp_minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline int64_t tp_plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* The whole of a number, which may be too large or none at all: then it is the most, the least, 0.
 */
static inline int64_t tp_whole(double d)
{
	if (!(d < 9223372036854775808.0))
		return d > 0 ? INT64_MAX : 0;
	return d >= -9223372036854775808.0 ? (int64_t)d : INT64_MIN;
}

#endif
