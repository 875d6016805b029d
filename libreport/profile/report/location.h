/* The locations of a profile as pprof numbers them: 1, 2, 3 … in the order in which the samples
 * first name them, each stack read from its leaf.
 *
 * In the dictionary a location is a chain of frames (decode/profile.h). Equal chains are one
 * location here, whatever stacks they are on. */
#ifndef REP_PROFILE_REPORT_LOCATION_H
#define REP_PROFILE_REPORT_LOCATION_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/profile.h"

struct rep_locations {
	uint32_t *number; /* by stack node: that of the location it is the innermost frame of; 0
			     where it is none of a sample's */
	uint32_t *node;	  /* by number - 1: a stack node where such a location begins */
	uint32_t n;
};

/* TP_ENOMEM. To be released in every case. */
int rep_locations_make(struct rep_locations *l, const struct tp_profile *p);
void rep_locations_release(struct rep_locations *l);

/* The stack node of the next location towards the root (its innermost frame), 0 at the end. */
uint32_t rep_location_caller(const struct tp_profile *p, uint32_t node);

#endif
