/* Private to libreport/life. */
#ifndef REP_LIFE_INSIDE_H
#define REP_LIFE_INSIDE_H

#include "life/life.h"
#include "spans/filter.h"
#include "spans/view.h"

#define LIFE_KEPT 4 /* segments */

struct life_segment {
	int64_t segment; /* -1: none */
	uint64_t used;	 /* when it was used last */
	struct tp_span *span;
	size_t n, room;
};

struct rep_life {
	struct rep_filter filter; /* of nothing */
	struct rep_view view;
	uint32_t goroutine; /* index */
	int64_t *first; /* number of the first span that begins in a segment; one more at the end */
	struct life_segment kept[LIFE_KEPT];
	uint64_t uses;
};

#endif
