/* Computes value × by / of with an intermediate product of 128 bits, exactly on every machine; uses
 * the compiler's 128-bit integers if it has them. */
#ifndef TP_BASE_WIDE_H
#define TP_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

/* Does tp_scale() without 128-bit integers: multiplies halves of 32 bits, then divides bit by bit.
 * For machines that lack them, and for tests. `of` must not be 0. */
static inline bool tp_scale_slow(uint64_t value, uint64_t by, uint64_t of, uint64_t *result)
{
	uint64_t low = (value & UINT32_MAX) * (by & UINT32_MAX);
	uint64_t a = (value >> 32) * (by & UINT32_MAX), b = (value & UINT32_MAX) * (by >> 32);
	uint64_t carry = (low >> 32) + (a & UINT32_MAX) + (b & UINT32_MAX);
	uint64_t high = (value >> 32) * (by >> 32) + (a >> 32) + (b >> 32) + (carry >> 32);
	uint64_t quotient = 0;

	low = (low & UINT32_MAX) | carry << 32;
	if (high >= of)
		return false;
	/* `high` is the remainder, always less than `of`; `over` is its 65th bit. */
	for (int bit = 63; bit >= 0; bit--) {
		bool over = high >> 63;

		high = high << 1 | (low >> bit & 1);
		if (over || high >= of) {
			high -= of;
			quotient |= (uint64_t)1 << bit;
		}
	}
	*result = quotient;
	return true;
}

/* Sets *result to value × by / of, rounded towards zero; `of` must not be 0. Returns false, and
 * sets nothing, if that does not fit 64 bits. */
static inline bool tp_scale(uint64_t value, uint64_t by, uint64_t of, uint64_t *result)
{
#ifdef __SIZEOF_INT128__
	__extension__ typedef unsigned __int128 wide;
	wide quotient = (wide)value * by / of;

	if (quotient > UINT64_MAX)
		return false;
	*result = (uint64_t)quotient;
	return true;
#else
	return tp_scale_slow(value, by, of, result);
#endif
}

/* Returns later - earlier; later must be >= earlier. */
static inline uint64_t tp_apart(int64_t later, int64_t earlier)
{
	return (uint64_t)later - (uint64_t)earlier;
}

/* Set *sum to at + by and at - by. Return false if that does not fit 64 bits or is INT64_MIN, which
 * means NULL. */
static inline bool tp_after(int64_t at, uint64_t by, int64_t *sum)
{
	if (by > tp_apart(INT64_MAX, at))
		return false;
	*sum = (int64_t)((uint64_t)at + by);
	return *sum != INT64_MIN;
}

static inline bool tp_before(int64_t at, uint64_t by, int64_t *sum)
{
	if (at == INT64_MIN || by > tp_apart(at, INT64_MIN + 1))
		return false;
	*sum = (int64_t)((uint64_t)at - by);
	return true;
}

#endif
