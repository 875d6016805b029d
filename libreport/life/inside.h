/* Private to libreport/life. */
#ifndef REP_LIFE_INSIDE_H
#define REP_LIFE_INSIDE_H

#include "life/life.h"
#include "spans/index.h"

struct rep_life {
	struct rep_filter filter; /* empty */
	struct rep_view view;
	uint32_t goroutine; /* index */
	int64_t *first; /* number of the first span that begins in a segment; one more at the end */
	uint8_t *others;	/* by goroutine: 1 for all but this one */
	struct rep_cache cache; /* of indexes that have its spans only */
};

#endif
