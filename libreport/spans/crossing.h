/* The spans that cross the start of a segment. The table span_crossing has them unclipped, so the
 * state at the start of a segment is known without reading earlier ones.
 *
 * 	code = rep_crossings_load(v, &err);
 * 	for (size_t i = 0; !code && rep_crossing_next(v, &i, &c);)
 * 		… c.span, c.first, c.last … */
#ifndef REP_SPANS_CROSSING_H
#define REP_SPANS_CROSSING_H

#include "spans/view.h"
#include "timeline/span.h"

struct rep_crossing {
	struct tp_span span; /* times in ns since the run began, not clipped */
	int64_t first, last; /* segments in which it began and ended */
};

/* Loads the table. Returns 0, TP_ENOMEM, TP_ESTORE or TP_ELIMIT. */
static inline int rep_crossings_load(struct rep_view *v, struct tp_err *err)
{
	return rep_view_load(v, TP_TABLE_SPAN_CROSSING,
			     (1u << tp_tables[TP_TABLE_SPAN_CROSSING].ncolumns) - 1, err);
}

static inline size_t rep_crossings(const struct rep_view *v)
{
	return v->nrows[TP_TABLE_SPAN_CROSSING];
}

/* Returns a column's value as an index of the span machine; TP_NONE if it is no index. */
static inline uint32_t rep_index(int64_t value)
{
	return value < 0 || value >= TP_NONE ? TP_NONE : (uint32_t)value;
}

/* Reads row i. Returns false if it is damaged: it lacks a valid state or a goroutine. The caller
 * must check that the run has that goroutine, M, P, string or stack. */
static inline bool rep_crossing_at(const struct rep_view *v, size_t i, struct rep_crossing *c)
{
	int64_t state = REP_COL(v, SPAN_CROSSING, state)[i];

	*c = (struct rep_crossing){
	    .span =
		{
		    .start = REP_COL(v, SPAN_CROSSING, start_ns)[i],
		    .end = REP_COL(v, SPAN_CROSSING, end_ns)[i],
		    .goroutine = rep_index(REP_COL(v, SPAN_CROSSING, goroutine)[i]),
		    .reason = (uint32_t)REP_COL(v, SPAN_CROSSING, reason)[i],
		    .stack = (uint32_t)REP_COL(v, SPAN_CROSSING, stack)[i],
		    .m = rep_index(REP_COL(v, SPAN_CROSSING, m)[i]),
		    .p = rep_index(REP_COL(v, SPAN_CROSSING, p)[i]),
		    .waker = rep_index(REP_COL(v, SPAN_CROSSING, waker)[i]),
		    .waker_stack = (uint32_t)REP_COL(v, SPAN_CROSSING, waker_stack)[i],
		    .state = (uint8_t)state,
		    .inferred = REP_COL(v, SPAN_CROSSING, inferred)[i] == 1,
		    .open = REP_COL(v, SPAN_CROSSING, open)[i] == 1,
		},
	    .first = REP_COL(v, SPAN_CROSSING, first_segment)[i],
	    .last = REP_COL(v, SPAN_CROSSING, last_segment)[i],
	};
	return state >= 0 && state < TP_NSTATES && c->span.goroutine != TP_NONE;
}

/* Reads the next undamaged row from *i on and moves *i past it. Returns false at the end. */
static inline bool rep_crossing_next(const struct rep_view *v, size_t *i, struct rep_crossing *c)
{
	while (*i < rep_crossings(v))
		if (rep_crossing_at(v, (*i)++, c))
			return true;
	return false;
}

#endif
