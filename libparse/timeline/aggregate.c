/* Spans of one segment, summed: by goroutine, state, reason and stack (a cell, a row of
 * goroutine_time), and those by entry function (a site, with its histogram).
 *
 * This is the hot end of the import: a goroutine remembers the cell of its latest span of each
 * state, so that most spans find theirs without a hash. The sums of a site are folded from its
 * cells when the segment ends; only its histogram is filled span by span. */
#include <stdlib.h>
#include <string.h>

#include "timeline/parts.h"

static bool cell_is(const struct tp_cell *c, const struct tp_span *sp)
{
	return c->g == sp->goroutine && c->stack == sp->stack && c->reason == sp->reason &&
	       c->state == sp->state;
}

const uint8_t tp_kind_of_state[TP_NSTATES] = {
    [TP_ST_RUNNING] = 0, [TP_ST_RUNNABLE] = 1,	      [TP_ST_WAITING] = 2,
    [TP_ST_SYSCALL] = 3, [TP_ST_SYSCALL_BLOCKED] = 3, [TP_ST_LOST] = 3,
};

#define SHORT_RING 8

static uint32_t cell_hash(const struct tp_cell *c)
{
	return tp_hash4(c->g, c->stack, c->reason, c->state);
}

/* Puts a cell into the index of cells in long rings; 0 or TP_ENOMEM. */
static int index_cell(struct tp_aggregate *a, uint32_t id)
{
	uint32_t *slots, at;

	if (!a->cell_slots || a->nindexed >= (a->cell_mask + 1) / 2) {
		if (tp_grow_slots(&a->cell_slots, &a->cell_mask, &slots))
			return TP_ENOMEM;
		for (uint32_t i = 0; i < a->ncells; i++) {
			if (!a->cells[i].indexed)
				continue;
			at = cell_hash(&a->cells[i]) & a->cell_mask;
			while (slots[at])
				at = (at + 1) & a->cell_mask;
			slots[at] = i + 1;
		}
	}
	at = cell_hash(&a->cells[id]) & a->cell_mask;
	while (a->cell_slots[at])
		at = (at + 1) & a->cell_mask;
	a->cell_slots[at] = id + 1;
	a->cells[id].indexed = true;
	a->nindexed++;
	return 0;
}

/* A new cell in the ring behind `after` (TP_NONE: of its own), or TP_NONE when memory is out. */
static uint32_t add_cell(struct tp_aggregate *a, const struct tp_gsum *sum, uint32_t after,
			 const struct tp_span *sp)
{
	struct tp_site site = {
	    .entry = sum->name_stack ? sum->name_stack : sp->goroutine | TP_SITE_OF_G,
	    .state = sp->state,
	    .reason = sp->reason,
	    .stack = sp->stack,
	};
	struct tp_cell cell = {
	    .g = sp->goroutine,
	    .stack = sp->stack,
	    .reason = sp->reason,
	    .state = sp->state,
	    .site = tp_sites_at(&a->sites, &site),
	    .next = a->ncells,
	    .min = INT64_MAX,
	};

	if (cell.site == TP_NONE)
		return TP_NONE;
	if (a->ncells == a->room_cells &&
	    tp_grow_items((void **)&a->cells, &a->room_cells, sizeof(*a->cells)))
		return TP_NONE;
	if (after != TP_NONE) {
		cell.next = a->cells[after].next;
		a->cells[after].next = a->ncells;
	}
	a->cells[a->ncells] = cell;
	return a->ncells++;
}

/* The cell of a span that is not the latest of its kind, or TP_NONE when memory is out. A short
 * ring is walked; the cells of a long one are in the index. */
static uint32_t find_cell(struct tp_aggregate *a, const struct tp_gsum *sum, uint32_t recent,
			  const struct tp_span *sp)
{
	const struct tp_cell *c = recent < a->ncells ? &a->cells[recent] : NULL;
	uint32_t id, at, n;

	/* `recent` may be left from an earlier segment: the cell tells whose it is. */
	if (!c || c->g != sp->goroutine ||
	    tp_kind_of_state[c->state] != tp_kind_of_state[sp->state])
		return add_cell(a, sum, TP_NONE, sp);
	if (!c->indexed) {
		for (id = c->next, n = 1; id != recent; id = a->cells[id].next, n++)
			if (cell_is(&a->cells[id], sp))
				return id;
		id = add_cell(a, sum, recent, sp);
		if (id == TP_NONE || n < SHORT_RING)
			return id;
		for (at = id; !a->cells[at].indexed; at = a->cells[at].next)
			if (index_cell(a, at))
				return TP_NONE;
		return id;
	}
	at = tp_hash4(sp->goroutine, sp->stack, sp->reason, sp->state) & a->cell_mask;
	for (; a->cell_slots[at]; at = (at + 1) & a->cell_mask)
		if (cell_is(&a->cells[a->cell_slots[at] - 1], sp))
			return a->cell_slots[at] - 1;
	id = add_cell(a, sum, recent, sp);
	return id == TP_NONE || index_cell(a, id) ? TP_NONE : id;
}

static int put_crossing(struct tp_timeline *t, const struct tp_span *sp, struct tp_err *err)
{
	int64_t v[TP_MAX_COLUMNS];

	v[TP_COL(SPAN_CROSSING, goroutine)] = sp->goroutine;
	v[TP_COL(SPAN_CROSSING, state)] = sp->state;
	v[TP_COL(SPAN_CROSSING, start_ns)] = tp_time_value(t, sp->start);
	v[TP_COL(SPAN_CROSSING, end_ns)] = tp_time_value(t, sp->end);
	v[TP_COL(SPAN_CROSSING, reason)] = sp->reason;
	v[TP_COL(SPAN_CROSSING, stack)] = sp->stack;
	v[TP_COL(SPAN_CROSSING, m)] = tp_index_value(sp->m);
	v[TP_COL(SPAN_CROSSING, p)] = tp_index_value(sp->p);
	v[TP_COL(SPAN_CROSSING, waker)] = tp_index_value(sp->waker);
	v[TP_COL(SPAN_CROSSING, waker_stack)] = sp->waker_stack;
	v[TP_COL(SPAN_CROSSING, first_segment)] = sp->mark;
	v[TP_COL(SPAN_CROSSING, last_segment)] = t->segment;
	v[TP_COL(SPAN_CROSSING, open)] = sp->open;
	v[TP_COL(SPAN_CROSSING, inferred)] = sp->inferred;
	return tp_timeline_put(t, TP_TABLE_SPAN_CROSSING, v, err);
}

int tp_aggregate_span(struct tp_timeline *t, struct tp_gsum *sum, const struct tp_span *sp,
		      struct tp_err *err)
{
	struct tp_aggregate *a = &t->aggregate;
	uint32_t *recent = &sum->recent[tp_kind_of_state[sp->state]], id = *recent;
	int64_t dur = tp_since(sp->start, sp->end);

	if (t->occupancy &&
	    tp_occupancy_add(t->occupancy, sp->goroutine, tp_time_value(t, sp->start),
			     tp_time_value(t, sp->end), sp->state))
		return tp_timeline_nomem(err);
	if (sp->mark != t->segment) {
		if (sp->state == TP_ST_WAITING) {
			int code = tp_summary_block(t, sum, sp->reason, 1, dur, err);

			if (code)
				return code;
		}
		return put_crossing(t, sp, err);
	}
	if (id >= a->ncells || !cell_is(&a->cells[id], sp)) {
		id = find_cell(a, sum, id, sp);
		if (id == TP_NONE)
			return tp_timeline_nomem(err);
		*recent = id;
	}
	return tp_cell_count(a, &a->cells[id], dur) ? tp_timeline_nomem(err) : 0;
}

static int put_cell(struct tp_timeline *t, const struct tp_cell *c, struct tp_err *err)
{
	int64_t v[TP_MAX_COLUMNS];

	v[TP_COL(GOROUTINE_TIME, segment)] = t->segment;
	v[TP_COL(GOROUTINE_TIME, goroutine)] = c->g;
	v[TP_COL(GOROUTINE_TIME, state)] = c->state;
	v[TP_COL(GOROUTINE_TIME, reason)] = c->reason;
	v[TP_COL(GOROUTINE_TIME, stack)] = c->stack;
	v[TP_COL(GOROUTINE_TIME, count)] = c->count;
	v[TP_COL(GOROUTINE_TIME, total_ns)] = c->total;
	v[TP_COL(GOROUTINE_TIME, max_ns)] = c->max;
	return tp_timeline_put(t, TP_TABLE_GOROUTINE_TIME, v, err);
}

int tp_aggregate_flush(struct tp_timeline *t, struct tp_err *err)
{
	struct tp_aggregate *a = &t->aggregate;
	int code = 0;

	for (uint32_t i = 0; !code && i < a->ncells; i++) {
		const struct tp_cell *c = &a->cells[i];

		tp_site_add(&a->sites.site[c->site], c->count, c->total, c->min, c->max);
		if (c->state == TP_ST_WAITING) {
			struct tp_gsum *sum = tp_summary_at(t, c->g);

			code = sum ? tp_summary_block(t, sum, c->reason, c->count, c->total, err)
				   : tp_timeline_nomem(err);
		}
		if (!code)
			code = put_cell(t, c, err);
	}
	if (!code)
		code = tp_site_hold(t, err);
	if (a->cell_slots)
		memset(a->cell_slots, 0, ((size_t)a->cell_mask + 1) * sizeof(*a->cell_slots));
	a->ncells = a->nindexed = 0;
	tp_sites_clear(&a->sites);
	return code;
}

void tp_aggregate_release(struct tp_aggregate *a)
{
	free(a->cells);
	free(a->cell_slots);
	tp_sites_release(&a->sites);
	tp_buf_release(&a->held);
}
