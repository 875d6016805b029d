/* Sums of the spans of one segment: by goroutine, state, reason and stack (a cell, which becomes a
 * row of goroutine_time), and by entry function, state, reason and stack (a site, with its
 * histogram).
 *
 * This is the hot path of the import: nearly every span finds its cell in a small table without
 * searching (`near`), the others by their goroutine. The sums of a site are added up from its cells
 * when the segment ends; only its histogram is filled span by span. */
#include <stdlib.h>
#include <string.h>

#include "timeline/parts.h"

#define SHORT_RING 8

static bool cell_is(const struct tp_cell *c, uint64_t doer, uint64_t cause)
{
	return c->cause == cause && c->doer == doer;
}

/* `near` uses the highest bits of the hash, the index of long rings the lowest good ones. */
static uint32_t index_hash(uint64_t doer, uint64_t cause)
{
	return (uint32_t)(tp_cell_hash(doer, cause) >> 32);
}

/* Puts a cell into the index of cells in long rings. Returns 0 or TP_ENOMEM. */
static int index_cell(struct tp_aggregate *a, uint32_t id)
{
	struct tp_cell *c = &a->cells[id];

	if (tp_table_add(&a->in_long_rings, index_hash(c->doer, c->cause), id))
		return TP_ENOMEM;
	c->indexed = true;
	return 0;
}

int tp_aggregate_init(struct tp_aggregate *a)
{
	if (tp_grow_lines((void **)&a->cells, &a->room_cells) || tp_sites_init(&a->sites))
		return TP_ENOMEM;
	/* Cell 0 belongs to no goroutine. */
	a->cells[0] = (struct tp_cell){.doer = UINT64_MAX};
	a->ncells = 1;
	return 0;
}

/* Adds a cell to the ring of `after` (0: to a new ring). Returns its number, 0 when memory is out.
 */
static uint32_t add_cell(struct tp_aggregate *a, const struct tp_gsum *sum, uint32_t after,
			 uint64_t doer, uint64_t bits)
{
	const struct tp_cause cause = tp_cause_of_bits(bits);
	struct tp_site site = {
	    .entry = sum->known & TP_SUM_NAMED && sum->name_stack
			 ? sum->name_stack
			 : (uint32_t)(doer >> 8) | TP_SITE_OF_G,
	    .state = (uint8_t)doer,
	    .reason = cause.reason,
	    .stack = cause.stack,
	};
	struct tp_cell cell = {
	    .doer = doer,
	    .cause = bits,
	    .site = tp_sites_at(&a->sites, &site),
	    .min = INT64_MAX,
	};

	if (cell.site == TP_NONE)
		return 0;
	if (a->ncells == a->room_cells && tp_grow_lines((void **)&a->cells, &a->room_cells))
		return 0;
	cell.octaves = tp_sites_octaves(cell.site);
	cell.next = a->ncells;
	if (after) {
		cell.next = a->cells[after].next;
		a->cells[after].next = a->ncells;
	}
	a->cells[a->ncells] = cell;
	return a->ncells++;
}

/* Finds a cell: walks a short ring, uses the index for a long one. */
static uint32_t find_cell(struct tp_aggregate *a, const struct tp_gsum *sum, uint32_t ring,
			  uint64_t doer, uint64_t cause)
{
	uint32_t id = ring, at, n = 0;

	if (!ring)
		return add_cell(a, sum, 0, doer, cause);
	if (!a->cells[ring].indexed) {
		do {
			if (cell_is(&a->cells[id], doer, cause))
				return id;
			id = a->cells[id].next;
			n++;
		} while (id != ring);
		id = add_cell(a, sum, ring, doer, cause);
		if (!id || n < SHORT_RING)
			return id;
		for (at = id; !a->cells[at].indexed; at = a->cells[at].next)
			if (index_cell(a, at))
				return 0;
		return id;
	}
	for (struct tp_probe p = {0};
	     tp_table_next(&a->in_long_rings, index_hash(doer, cause), &p);)
		if (cell_is(&a->cells[p.row], doer, cause))
			return p.row;
	id = add_cell(a, sum, ring, doer, cause);
	return !id || index_cell(a, id) ? 0 : id;
}

uint32_t tp_cell_find(struct tp_aggregate *a, struct tp_gsum *sum, uint64_t doer, uint64_t cause)
{
	uint32_t *ring = &sum->cell[tp_slot_of_state[(uint8_t)doer]];
	uint32_t id = find_cell(a, sum, *ring, doer, cause);

	*ring = id ? id : *ring;
	a->near[tp_cell_hash(doer, cause) >> (64 - TP_NEAR_BITS)] =
	    (uint16_t)(id <= UINT16_MAX ? id : 0);
	return id;
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
	const struct tp_cause cause = {.stack = sp->stack, .reason = sp->reason};
	struct tp_aggregate *a = &t->aggregate;
	int64_t dur = tp_since(sp->start, sp->end);
	struct tp_cell *c;
	uint64_t doer;
	uint32_t id;

	if (sp->mark != t->segment) {
		sum->spans++;
		if (sp->state == TP_ST_WAITING) {
			int code = tp_summary_block(t, sum, sp->reason, 1, dur, err);

			if (code)
				return code;
		}
		return put_crossing(t, sp, err);
	}
	/* The first span of its kind, which is frequent here, does not have a cell; do not search
	 * for it, because that would miss the cache. */
	doer = (uint64_t)sp->goroutine << 8 | sp->state;
	if (!sum->cell[tp_slot_of_state[sp->state]]) {
		id = tp_cell_find(a, sum, doer, tp_cause_bits(&cause));
		c = id ? &a->cells[id] : NULL;
	} else {
		c = tp_cell_at(a, sum, sp->goroutine, sp->state, tp_cause_bits(&cause));
	}
	return c && !tp_cell_count(a, c, dur) ? 0 : tp_nomem(err);
}

static int put_cell(struct tp_timeline *t, const struct tp_cell *c, struct tp_err *err)
{
	const struct tp_cause cause = tp_cause_of_bits(c->cause);
	int64_t v[TP_MAX_COLUMNS];

	v[TP_COL(GOROUTINE_TIME, segment)] = t->segment;
	v[TP_COL(GOROUTINE_TIME, goroutine)] = (int64_t)(c->doer >> 8);
	v[TP_COL(GOROUTINE_TIME, state)] = (uint8_t)c->doer;
	v[TP_COL(GOROUTINE_TIME, reason)] = cause.reason;
	v[TP_COL(GOROUTINE_TIME, stack)] = cause.stack;
	v[TP_COL(GOROUTINE_TIME, count)] = c->count;
	v[TP_COL(GOROUTINE_TIME, total_ns)] = c->total;
	v[TP_COL(GOROUTINE_TIME, max_ns)] = c->max;
	return tp_timeline_put(t, TP_TABLE_GOROUTINE_TIME, v, err);
}

int tp_aggregate_flush(struct tp_timeline *t, struct tp_err *err)
{
	struct tp_aggregate *a = &t->aggregate;
	int code = 0;

	for (uint32_t i = 1; !code && i < a->ncells; i++) {
		const struct tp_cell *c = &a->cells[i];
		struct tp_gsum *sum = tp_summary_at(t, (uint32_t)(c->doer >> 8));
		uint8_t state = (uint8_t)c->doer;

		if (!sum)
			return tp_nomem(err);
		tp_site_add(&a->sites.site[c->site], c->count, c->total, c->min, c->max);
		sum->spans += c->count;
		sum->cell[tp_slot_of_state[state]] = 0;
		if (state == TP_ST_WAITING)
			code = tp_summary_block(t, sum, tp_cause_of_bits(c->cause).reason, c->count,
						c->total, err);
		if (!code)
			code = put_cell(t, c, err);
	}
	if (!code)
		code = tp_site_hold(t, err);
	tp_table_clear(&a->in_long_rings);
	memset(a->near, 0, sizeof(a->near));
	a->ncells = 1;
	tp_sites_clear(&a->sites);
	return code;
}

void tp_aggregate_release(struct tp_aggregate *a)
{
	free(a->cells);
	tp_table_release(&a->in_long_rings);
	tp_sites_release(&a->sites);
	tp_buf_release(&a->held);
}
