/* A segment that has been read: the spans that begin and end in it, by goroutine; private to
 * libreport/lanes.
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

struct rep_slab {
	size_t segment;
	uint64_t used;
	size_t bytes;
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

	/* Spans on a P, and on an M, by that, then by start: their places; and whose they are. */
	uint32_t *on_p, *on_m;
	struct rep_slab_list *p_list, *m_list;
	uint32_t np_lists, nm_lists;
	struct rep_slab_block *p_block, *m_block;
};

/* The slab of a segment, read if need be; it stays until the next call. TP_ECANCEL where *stop. */
int rep_slab_get(struct rep_lanes *l, size_t segment, const atomic_bool *stop,
		 struct rep_slab **slab, struct tp_err *err);
/* The same where it is there already, else NULL. */
struct rep_slab *rep_slab_peek(struct rep_lanes *l, size_t segment);
/* Reads a segment; the slab is the caller's. */
int rep_slab_read(struct rep_lanes *l, size_t segment, const atomic_bool *stop,
		  struct rep_slab **slab, struct tp_err *err);
void rep_slab_free(struct rep_slab *s);
void rep_slabs_release(struct rep_lanes *l);

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
