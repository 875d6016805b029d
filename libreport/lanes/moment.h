/* A segment read with all that is known of its spans; private to libreport/lanes. The latest two
 * are kept. */
#ifndef REP_LANES_MOMENT_H
#define REP_LANES_MOMENT_H

#include "lanes/inside.h"

struct rep_detail {
	size_t segment;
	uint64_t used;
	struct tp_span *span; /* all that lie in it or cross it; n of them */
	uint32_t n, room;
	uint32_t *order; /* by goroutine, then time */
	uint32_t *first; /* by goroutine: of its spans in `order`; ng + 1 of them */
};

void rep_details_release(struct rep_lanes *l);

#endif
