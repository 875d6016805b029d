/* Sorts by time exactly as Go's slices.SortFunc does: that sort decides the order of events of
 * equal time in a trace, and from 13 entries on it is not stable. */
#ifndef TP_DECODE_V2_SORT_H
#define TP_DECODE_V2_SORT_H

#include <stddef.h>
#include <stdint.h>

struct tp_v2_entry {
	int64_t ts;
	void *of;
};

void tp_v2_sort(struct tp_v2_entry *e, size_t n);

#endif
