/* Private to the library: goroutines of the program's own. */
#ifndef RECORD_API_GOROUTINE_H
#define RECORD_API_GOROUTINE_H

#include "tprof-record/api/lib.h"

/* State of a goroutine of the program's own, beside its place in the arena's `gs`. */
struct api_g {
	_Atomic uint32_t g;	/* its number; if not the one in the place, that is a thread's */
	_Atomic uint64_t since; /* when it got into its present state */
	_Atomic uint64_t ready; /* when it was unblocked, 0: not yet */
};

struct api_g *api_g_of(const struct rec_host *h, const struct rec_g *slot);
/* Returns whether g, which has that place, is one of the program's own. (`tid` does not say so: a
 * thread gets it later than its number.) */
bool api_is_own(const struct rec_host *h, const struct rec_g *slot, uint32_t g);

#endif
