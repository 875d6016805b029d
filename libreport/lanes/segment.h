/* A segment as pictures need it: the spans that begin and end in it, by goroutine, in a few bytes
 * each. Private to libreport/lanes.
 *
 * A span is stored as its start and class, since it ends where the next one starts. In a damaged
 * trace that may not be so: then `odd` is set, ends are stored as well, and spans of a goroutine
 * may overlap. */
#ifndef REP_LANES_SEGMENT_H
#define REP_LANES_SEGMENT_H

#include "lanes/inside.h"

#define REP_SEGMENT_BLOCK 128	 /* spans of a list that have a common sum */
#define REP_SEGMENT_LAST  0x8000 /* the span is the last of its list */

struct rep_lane_list {
	uint32_t owner; /* goroutine, P or M */
	uint32_t first; /* its first span, or the first in `order` if there is one */
	int64_t end;	/* of its last span */
	uint32_t sums;	/* its first block in `sum` and `longest`; TP_NONE if it has no sums */
	bool odd;	/* for Ps and Ms: spans overlap or are out of order */
};

/* The spans by goroutine, by P or by M. */
struct rep_lane_lists {
	uint32_t *order;	    /* for Ps and Ms: spans by owner, then by start; else NULL */
	struct rep_lane_list *list; /* nlists, and one more whose `first` is the end */
	uint32_t nlists;
	/* For lists of several blocks: the sums by class of the spans before each block, and each
	 * block's longest span. */
	int64_t *sum;
	uint32_t nclasses;
	uint32_t *longest;
};

struct rep_lane_segment {
	struct rep_cached cached;
	bool odd;

	int64_t base;
	uint32_t n;
	uint32_t *start32; /* ns since `base`; NULL in a segment that is too long for that */
	int64_t *start64;  /* the times themselves instead */
	int64_t *end;	   /* NULL unless odd */
	uint16_t *class;   /* with REP_SEGMENT_LAST */

	struct rep_lane_lists by_g, on_p, on_m;
};

/* Prepares l->segments, their cache. Returns 0 or TP_ENOMEM. */
int rep_lane_segments_init(struct rep_lanes *l);
/* Finds a segment in the cache, or reads it; it is valid until the next call. Returns TP_ECANCEL
 * once *stop is true. */
int rep_lane_segment_get(struct rep_lanes *l, size_t segment, const atomic_bool *stop,
			 struct rep_lane_segment **drawn, struct tp_err *err);

/* Returns the index of an owner's list among n, or n if it has none. */
uint32_t rep_lane_segment_find(const struct rep_lane_list *list, uint32_t n, uint32_t owner);

static inline int64_t rep_lane_segment_start(const struct rep_lane_segment *s, uint32_t i)
{
	return s->start32 ? s->base + s->start32[i] : s->start64[i];
}

static inline uint16_t rep_lane_segment_class(const struct rep_lane_segment *s, uint32_t i)
{
	return s->class[i] & (REP_SEGMENT_LAST - 1);
}

/* Returns the list of the goroutine to which span i belongs. */
const struct rep_lane_list *rep_lane_segment_owner(const struct rep_lane_segment *s, uint32_t i);

static inline int64_t rep_lane_segment_end(const struct rep_lane_segment *s, uint32_t i)
{
	if (s->end)
		return s->end[i];
	return s->class[i] & REP_SEGMENT_LAST ? rep_lane_segment_owner(s, i)->end
					      : rep_lane_segment_start(s, i + 1);
}

#endif
