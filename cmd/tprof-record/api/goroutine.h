/* Private to the library: goroutines of the program's own, and what is kept of each. */
#ifndef RECORD_API_GOROUTINE_H
#define RECORD_API_GOROUTINE_H

#include "tprof-record/api/lib.h"

/* By place in the arena's `gs`; only of the program's own. */
struct api_g {
	_Atomic uint32_t g;	/* its number; 0, or another than the place has: it is a thread */
	_Atomic uint64_t since; /* it is as it is now */
	_Atomic uint64_t ready; /* it was unblocked, 0: not yet */
};

struct api_g *api_g_of(const struct rec_host *h, const struct rec_g *slot);
/* Is g, which has that place, one of the program's own? (A thread's place has no `tid` yet when it
 * gets its number.) */
bool api_is_own(const struct rec_host *h, const struct rec_g *slot, uint32_t g);

#endif
