/* Pseudo-random numbers, equal for a seed on every machine (splitmix64). For unpredictable ones see
 * base/seed.h. */
#ifndef TP_BASE_RANDOM_H
#define TP_BASE_RANDOM_H

#include <stdint.h>

static inline uint64_t tp_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Mixes v into the hash h of several numbers, which begins as a seed. Different v give different
 * results, and small ones are spread over all 64 bits. */
static inline uint64_t tp_mix64(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0xbf58476d1ce4e5b9u;
	h ^= h >> 29;
	h *= 0x94d049bb133111ebu;
	return h ^ h >> 32;
}

#endif
