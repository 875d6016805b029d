/* Sorting by time exactly as Go's slices.SortFunc does: which of two entries of equal time comes
 * first is part of the order of a trace, and that sort is not stable from 13 entries on. */
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
