/* A segment as pictures need it: the spans that begin and end in it, by goroutine, in a few bytes
 * each; private to libreport/lanes.
 *
 * Of a span its start and class are kept: the next one's start is its end. Where that is not so (a
 * damaged trace), ends are kept, too, and `odd` says that spans of a goroutine may overlap. */
#ifndef REP_LANES_SEGMENT_H
#define REP_LANES_SEGMENT_H

#include "lanes/inside.h"

#define REP_SEGMENT_BLOCK 128	 /* spans of a list whose sums are kept */
#define REP_SEGMENT_LAST  0x8000 /* the span is the last of its list */

struct rep_lane_list {
	uint32_t owner; /* goroutine, P or M */
	uint32_t first; /* of its spans, a place or, with `order`, in that */
	int64_t end;	/* of the last one */
	uint32_t sums;	/* of its first block, in `sum` and `longest`; TP_NONE for none */
	bool odd;	/* of a P or M: spans overlap, or are not in order */
};

/* Lists of spans: by goroutine, or of the spans on Ps or on Ms. */
struct rep_lane_lists {
	uint32_t
	    *order; /* of Ps and Ms: places, by owner, then by start; NULL: places as they are */
	struct rep_lane_list *list; /* nlists, and one more that is the end */
	uint32_t nlists;
	/* For lists of several blocks: what the spans before each block sum up to, by class, and
	 * the place of its longest span. */
	int64_t *sum;
	uint32_t nclasses;
	uint32_t *longest;
};

struct rep_lane_segment {
	struct rep_cached cached;
	bool odd;

	int64_t base;
	uint32_t n;
	uint32_t *start32; /* from base on; or, in a long segment, */
	int64_t *start64;  /* the time itself */
	int64_t *end;	   /* NULL unless odd */
	uint16_t *class;   /* and REP_SEGMENT_LAST */

	struct rep_lane_lists by_g, on_p, on_m;
};

/* Prepares l->segments, which keeps them. Returns 0 or TP_ENOMEM. */
int rep_lane_segments_init(struct rep_lanes *l);
/* Returns a segment, read if need be; it stays until the next call. TP_ECANCEL where *stop. */
int rep_lane_segment_get(struct rep_lanes *l, size_t segment, const atomic_bool *stop,
			 struct rep_lane_segment **drawn, struct tp_err *err);

/* The place of an owner's list among n, or n. */
uint32_t rep_lane_segment_find(const struct rep_lane_list *list, uint32_t n, uint32_t owner);

static inline int64_t rep_lane_segment_start(const struct rep_lane_segment *s, uint32_t i)
{
	return s->start32 ? s->base + s->start32[i] : s->start64[i];
}

static inline uint16_t rep_lane_segment_class(const struct rep_lane_segment *s, uint32_t i)
{
	return s->class[i] & (REP_SEGMENT_LAST - 1);
}

/* The list of the goroutine that has span i. */
const struct rep_lane_list *rep_lane_segment_owner(const struct rep_lane_segment *s, uint32_t i);

static inline int64_t rep_lane_segment_end(const struct rep_lane_segment *s, uint32_t i)
{
	if (s->end)
		return s->end[i];
	return s->class[i] & REP_SEGMENT_LAST ? rep_lane_segment_owner(s, i)->end
					      : rep_lane_segment_start(s, i + 1);
}

#endif
