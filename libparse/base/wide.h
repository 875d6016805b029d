/* Products of 64 bits with 64 bits, divided by 64 bits: what is between may have 128. Exact on
 * every machine; where the compiler has such integers they are used. */
#ifndef TP_BASE_WIDE_H
#define TP_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

/* The same without integers of 128 bits: schoolbook, halves of 32 bits and one bit at a time. For
 * machines that have none, and for tests. `of` is not 0. */
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
	/* high is what is left to divide, always less than `of`; its 65th bit is `over`. */
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

/* value × by / of, rounded towards zero, of != 0; false (and nothing is set) if that is more than
 * 64 bits hold. */
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

/* later - earlier, of any two with later >= earlier. */
static inline uint64_t tp_apart(int64_t later, int64_t earlier)
{
	return (uint64_t)later - (uint64_t)earlier;
}

/* at + by and at - by; false if that is not a number of 64 bits, or the least of them, which stands
 * for NULL. */
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
