#include "base/seed.h"

#include <sys/random.h>
#include <time.h>

uint64_t tp_seed(void)
{
	struct timespec now = {0};
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == (ssize_t)sizeof(seed))
		return seed;
	/* The kernel has no random bytes early at boot; use the time and the stack's address. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec) * 0x9e3779b97f4a7c15u ^
	       (uint64_t)(uintptr_t)&now;
}
