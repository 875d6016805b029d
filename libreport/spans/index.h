/* The spans of one segment by goroutine: those that end in it and, on request, those that cross its
 * end, together with the causes of wake-ups, creations and ends of tasks.
 *
 * 	struct rep_index x = {0};
 * 	const struct rep_index_options o = {.crossing = true};
 *
 * 	code = rep_index_read(&x, v, segment, &o, &err);
 * 	for (uint32_t place = x.first[g]; !code && place < x.first[g + 1]; place++)
 * 		… rep_index_at(&x, place)->start …
 * 	rep_index_release(&x);
 *
 * A span has a number, which counts spans in the order of their ends, and a place, which counts
 * them by goroutine, then in that order.
 *
 * Moments are ordinals, not times, so that events at equal times stay ordered: span n of the
 * segment ends at the moment 2n+2, events between two ends have an odd moment, and 0 is before the
 * segment. */
#ifndef REP_SPANS_INDEX_H
#define REP_SPANS_INDEX_H

#include <stdatomic.h>

#include "spans/cache.h"
#include "spans/view.h"
#include "timeline/span.h"

#define REP_INDEX_NONE UINT32_MAX

/* The creation of a goroutine. */
struct rep_index_birth {
	uint32_t creator; /* TP_NONE: it was not created in this segment */
	uint32_t nth;	  /* the creator's n-th span, in which it happened */
	uint32_t moment;
	uint32_t stack; /* of the go statement */
};

/* The end of a user task. */
struct rep_index_task {
	uint64_t task;
	int64_t ts;
	uint32_t goroutine, nth, moment, stack; /* as in struct rep_index_birth */
};

struct rep_index {
	struct rep_cached cached; /* segment and size, for a cache of indexes (rep_index_cache) */
	/* n spans by number. The first `ended` of them end in this segment, the others in a later
	 * one. Times are in ns since the run began, not clipped. `mark` is 1 for a span that began
	 * in an earlier segment. */
	struct tp_span *span;
	uint32_t n, ended;
	uint32_t *order; /* by place: the span's number */
	uint32_t *first; /* by goroutine: the place of its first span; has one more entry, the
			    end */
	uint32_t ngoroutines;

	/* With `causes`: */
	uint32_t *waker_nth; /* by number: the waker's n-th span, in which it ended the wait */
	struct rep_index_birth *birth; /* by goroutine */
	int64_t *from_segment; /* by goroutine: the segment's crossing span began here; -1: none
				  crosses its start */
	struct rep_index_task *task; /* with `tasks`: ntasks, in the order of events */
	size_t ntasks;

	/* private */
	uint32_t *touched; /* goroutines whose birth or from_segment was set */
	size_t ntouched, touched_room;
	uint32_t room, order_room;
	size_t task_room;
};

struct rep_index_options {
	const uint8_t *hidden; /* by goroutine: nonzero leaves its spans out; NULL leaves none
				  out */
	/* Includes spans that cross the start or the end of the segment. */
	bool crossing;
	/* Includes wakers and creators. The stack of a Running span is then the one where it ended.
	 * Needs `crossing`, and no hidden goroutines. */
	bool causes;
	bool tasks;		 /* includes the ends of tasks; needs `causes` */
	const atomic_bool *stop; /* ends the read with TP_ECANCEL; may be NULL */
};

/* Reads a segment (below v->nsegments) and reuses the memory of the index. A zeroed index is empty.
 * Returns 0, TP_ENOMEM, TP_ESTORE, TP_ELIMIT or TP_ECANCEL; *x must be released in every case. */
int rep_index_read(struct rep_index *x, struct rep_view *v, size_t segment,
		   const struct rep_index_options *o, struct tp_err *err);
void rep_index_release(struct rep_index *x);

/* Prepares a cache of indexes. Returns 0 or TP_ENOMEM. */
int rep_index_cache(struct rep_cache *c, const struct rep_view *v, size_t most_bytes);
/* Returns the index of a segment from a cache, reading it if necessary; all indexes of a cache must
 * have the same options. *x is valid until the next call. Errors are those of rep_index_read. */
int rep_index_get(struct rep_cache *c, struct rep_view *v, size_t segment,
		  const struct rep_index_options *o, struct rep_index **x, struct tp_err *err);

static inline const struct tp_span *rep_index_at(const struct rep_index *x, uint32_t place)
{
	return &x->span[x->order[place]];
}

/* Returns whether the span at a place ends in this segment. */
static inline bool rep_index_ends(const struct rep_index *x, uint32_t place)
{
	return x->order[place] < x->ended;
}

/* Returns the place of a goroutine's first span from `number` on, or the end of its places. */
uint32_t rep_index_from(const struct rep_index *x, uint32_t goroutine, uint32_t number);
/* Returns the place of a goroutine's last span that begins before `t`; REP_INDEX_NONE if there is
 * no such span. */
uint32_t rep_index_before(const struct rep_index *x, uint32_t goroutine, int64_t t);
/* Returns the moment at which a span began, 0 if it began before the segment. Needs `causes`. */
uint32_t rep_index_moment(const struct rep_index *x, uint32_t place);
/* Returns the place of a goroutine's n-th span, during which it acted at a moment; REP_INDEX_NONE
 * if the trace contradicts itself. Needs `causes`. */
uint32_t rep_index_actor(const struct rep_index *x, uint32_t goroutine, uint32_t nth,
			 uint32_t moment);

static inline bool rep_index_active(unsigned state)
{
	return state == TP_ST_RUNNING || state == TP_ST_SYSCALL || state == TP_ST_SYSCALL_BLOCKED;
}

#endif
