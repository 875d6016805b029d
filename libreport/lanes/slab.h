/* What is drawn of a segment: the spans that begin and end in it, by goroutine, made small; private
 * to libreport/lanes.
 *
 * Of a span its start and class are kept: the next one's start is its end. Where that is not so (a
 * damaged trace), ends are kept, too, and `odd` says that spans of a goroutine may overlap. */
#ifndef REP_LANES_SLAB_H
#define REP_LANES_SLAB_H

#include "lanes/inside.h"

#define REP_SLAB_BLOCK 128    /* spans of a list whose sums are kept */
#define REP_SLAB_LAST  0x8000 /* the span is the last of its list */

struct rep_slab_list {
	uint32_t owner; /* goroutine, P or M */
	uint32_t first; /* of its spans, in place or order */
	int64_t end;	/* of the last one */
	uint32_t sums;	/* of its first block, in `sum` or `block`; TP_NONE for none */
	bool odd;	/* of a P or M: spans overlap, or are not in order */
};

/* A block of a P's or M's spans: what those before it sum up to, by state, and its longest. */
struct rep_slab_block {
	int64_t running, syscall, blocked;
	uint32_t longest; /* a span's place */
};

/* Spans on Ps, or on Ms. */
struct rep_slab_on {
	uint32_t *order; /* their places, by P or M, then by start */
	struct rep_slab_list *list;
	uint32_t nlists;
	struct rep_slab_block *block;
};

struct rep_slab {
	struct rep_cached cached;
	bool odd;

	int64_t base;
	uint32_t n;
	uint32_t *start32; /* from base on; or, in a long segment, */
	int64_t *start64;  /* the time itself */
	int64_t *end;	   /* NULL unless odd */
	uint16_t *class;   /* and REP_SLAB_LAST */

	struct rep_slab_list *list; /* by goroutine: nlists, and one more that is the end */
	uint32_t nlists;
	/* For lists of several blocks: what the spans before each block sum up to, by class. */
	int64_t *sum;
	uint32_t nclasses;

	struct rep_slab_on on_p, on_m;
};

/* Prepares l->slabs, which keeps them. 0 or TP_ENOMEM. */
int rep_slabs_init(struct rep_lanes *l);
/* Returns the slab of a segment, read if need be; it stays until the next call. TP_ECANCEL where
 * *stop. */
int rep_slab_get(struct rep_lanes *l, size_t segment, const atomic_bool *stop,
		 struct rep_slab **slab, struct tp_err *err);

/* The place of an owner's list among n, or n. */
uint32_t rep_slab_find(const struct rep_slab_list *list, uint32_t n, uint32_t owner);

static inline int64_t rep_slab_start(const struct rep_slab *s, uint32_t i)
{
	return s->start32 ? s->base + s->start32[i] : s->start64[i];
}

static inline uint16_t rep_slab_class(const struct rep_slab *s, uint32_t i)
{
	return s->class[i] & (REP_SLAB_LAST - 1);
}

/* The list of the goroutine that has span i. */
const struct rep_slab_list *rep_slab_owner(const struct rep_slab *s, uint32_t i);

static inline int64_t rep_slab_end(const struct rep_slab *s, uint32_t i)
{
	if (s->end)
		return s->end[i];
	return s->class[i] & REP_SLAB_LAST ? rep_slab_owner(s, i)->end : rep_slab_start(s, i + 1);
}

#endif
