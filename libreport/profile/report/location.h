/* Numbers the locations of a profile as pprof does: 1, 2, 3 … in the order in which samples first
 * refer to them, each stack read from its leaf.
 *
 * In the dictionary a location is a chain of frames (decode/profile.h). Equal chains are one
 * location here, whatever stacks they are on. */
#ifndef REP_PROFILE_REPORT_LOCATION_H
#define REP_PROFILE_REPORT_LOCATION_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/profile.h"

struct rep_locations {
	uint32_t *number; /* by stack node: the number of the location whose innermost frame it is;
			     0 for other nodes, and for locations without samples */
	uint32_t *node;	  /* by number - 1: such a stack node */
	uint32_t n;
};

/* Numbers the locations of the samples. Returns 0 or TP_ENOMEM. Release them in every case. */
int rep_locations_make(struct rep_locations *l, const struct tp_profile *p);
void rep_locations_release(struct rep_locations *l);

/* Returns the innermost stack node of the next location towards the root, 0 at the end. */
uint32_t rep_location_caller(const struct tp_profile *p, uint32_t node);

#endif
