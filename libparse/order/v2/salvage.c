#include "order/v2/salvage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/many.h"
#include "base/units.h"
#include "decode/v2/tables.h"

/* Cost limits, per byte of events, of searching for awaited events and for the M that holds something. */
#define WORK_PER_BYTE	     16
#define REPAIR_WORK_PER_BYTE (4 * WORK_PER_BYTE)
/* A generation may spend as much as if it had FREE_BYTES more. All generations of a trace together may spend
 * MOST_FREE times that, because a generation can be as small as a dozen bytes. */
#define FREE_BYTES 65536
#define MOST_FREE  32

/* How often a trace is searched for a frequency. */
#define MOST_SOUGHT 4

static int nomem(struct tp_v2_order *o)
{
	return tp_nomem(o->err);
}

static int lose(struct tp_v2_order *o, uint64_t offset, uint64_t events, const char *reason)
{
	struct tp_loss loss = {
	    .offset = offset, .from_ns = o->last_ts, .to_ns = INT64_MIN, .events = events};

	snprintf(loss.reason, sizeof(loss.reason), "%s", reason);
	return tp_trace_add_loss(o->trace, &loss) ? nomem(o) : 0;
}

/* ---- one event ---- */

static bool fatal(const struct tp_v2_order *o)
{
	return o->err->code == TP_ENOMEM || o->err->code == TP_ELIMIT;
}

/* Marks the first event of an M after a loss, and the first of the goroutine that was on it. */
static void mark_lost(struct tp_v2_order *o, struct tp_v2_m *m, size_t first)
{
	for (size_t i = first; i < o->n; i++) {
		struct tp_event *ev = &o->out[i];
		struct tp_v2_g *g = NULL;

		if (ev->flags & TP_EVF_INFERRED)
			continue;
		if (tp_event_descs[ev->type].subject == 'G' && ev->subject < o->trace->ng)
			g = tp_idmap_get(&o->s.gs, o->trace->g_id[ev->subject]);
		if (g && g->index != ev->subject) /* another life has the id by now */
			g = NULL;
		if (m->lost || (g && g->lost))
			ev->flags |= TP_EVF_LOST;
		m->lost = false;
		if (g)
			g->lost = false;
	}
}

/* Returns whether something was cut from the batches from `from` (index + 1) up to `to`. */
static bool lost_between(const struct tp_v2_generation *g, uint32_t from, uint32_t to)
{
	for (; from && from != to; from = g->pieces[from - 1].next)
		if (g->pieces[from - 1].lost)
			return true;
	return false;
}

/* Moves the cursor of entry i to its next event. If something was cut before that event, the M's goroutine is
 * no longer known. */
static int step(struct tp_v2_order *o, size_t i)
{
	struct tp_v2_cursor *c = o->f.heap[i].of;
	uint32_t piece = c->piece;
	int more = tp_v2_cursor_next(&o->f, c, o->err);

	if (more < 0) { /* impossible after the audit, but the rest of the batch cannot be read */
		if (lose(o, (uint64_t)(c->from - o->g.data), 0, o->err->msg))
			return TP_ENOMEM;
		more = 0;
	}
	if (c->piece != piece && lost_between(&o->g, piece, c->piece)) {
		c->m->lost = true;
		c->m->g->lost = true;
		if (more) { /* already from now on, not only from its next event */
			struct tp_v2_cursor now = *c;

			now.ts = o->last_ts;
			tp_v2_infer_g_gone(o, &now, c->m);
		}
	}
	if (more) {
		o->f.heap[i].ts = c->ts;
		tp_v2_frontier_update(&o->f, i);
	} else {
		tp_v2_frontier_remove(&o->f, i);
	}
	return 1;
}

static int drop(struct tp_v2_order *o, size_t i)
{
	struct tp_v2_cursor *c = o->f.heap[i].of;

	for (unsigned k = 1; k < tp_v2_arity[c->type]; k++)
		tp_v2_varint(&c->at);
	c->m->lost = true;
	o->dropped++;
	return step(o, i);
}

static bool spend(struct tp_v2_order *o)
{
	uint64_t cost = o->s.nms + o->s.ps.mask + 1;

	if (o->repair_work < cost)
		return false;
	o->repair_work -= cost;
	return true;
}

/* Repairs the state for the event of entry i and takes the event, or drops it. */
static int force(struct tp_v2_order *o, size_t i)
{
	struct tp_v2_cursor *c = o->f.heap[i].of;
	size_t first = o->n;

	if (!spend(o) || !tp_v2_repair(o, c) || tp_v2_advance(o, c) != TP_V2_ADVANCED)
		return fatal(o) ? o->err->code : drop(o, i);
	mark_lost(o, c->m, first);
	return step(o, i);
}

static bool is_status(uint8_t type)
{
	return type == TP_V2_GoStatus || type == TP_V2_GoStatusStack || type == TP_V2_ProcStatus;
}

/* Returns whether a type is one of the frequent ones that an M without a P cannot have. */
static bool needs_p(uint8_t type)
{
	return type == TP_V2_GoStart || type == TP_V2_GoSyscallBegin || type == TP_V2_ProcStop;
}

/* Takes the event of entry i. Returns 1, 0 if it waits, or an error code. */
static int take(struct tp_v2_order *o, size_t i)
{
	struct tp_v2_cursor *c = o->f.heap[i].of;
	size_t first = o->n;
	int code;

	if (o->n > TP_V2_BATCH) {
		code = tp_v2_order_flush(o);
		if (code)
			return code;
		first = o->n;
	}
	o->err->code = 0;
	if (c->m->p->index == TP_NONE && c->m->index != TP_NONE && needs_p(c->type) && spend(o))
		tp_v2_infer_p(o, c);
	if (is_status(c->type)) /* it overrides the known state */
		return force(o, i);
	switch (tp_v2_advance(o, c)) {
	case TP_V2_WAITS:
		return 0;
	case TP_V2_FAULTY:
		return fatal(o) ? o->err->code : force(o, i);
	case TP_V2_ADVANCED:
		break;
	}
	mark_lost(o, c->m, first);
	return step(o, i);
}

/* ---- a generation ---- */

static int run(struct tp_v2_order *o)
{
	struct tp_v2_frontier *f = &o->f;

	while (f->n || o->next_sample < o->g.nsamples) {
		int code;

		if (tp_v2_sample_is_next(o)) {
			code = tp_v2_order_sample(o);
			if (code)
				return code;
			continue;
		}
		code = take(o, 0);
		if (!code && o->work < f->n) {
			code = force(o, 0);
		} else if (!code) {
			size_t stuck = 0;

			o->work -= f->n;
			tp_v2_frontier_sort(f);
			for (size_t i = 1; i < f->n && !code; i++) {
				stuck = tp_v2_in_vain(o, i, f->heap[i].ts);
				if (stuck < i)
					break;
				stuck = 0;
				code = take(o, i);
			}
			if (!code)
				code = force(o, stuck);
		}
		if (code < 0)
			return code;
	}
	return 0;
}

/* Forgets ranges in progress, which are unreliable after damage; the generation reports them again. */
static void forget_ranges(struct tp_v2_state *s)
{
	tp_v2_state_forget_ranges(s);
	s->gc = TP_V2_GC_UNKNOWN;
}

static int infer_end(struct tp_v2_order *o, struct tp_v2_g *g, uint8_t type, uint8_t to)
{
	int code = o->n > TP_V2_BATCH ? tp_v2_order_flush(o) : 0;

	if (code)
		return code;
	o->trace->inferred++;
	o->out[o->n++] = (struct tp_event){.ts = o->last_ts,
					   .g = g->index,
					   .m = TP_NONE,
					   .p = TP_NONE,
					   .subject = g->index,
					   .type = type,
					   .from = tp_v2_gstate[g->status],
					   .to = to,
					   .flags = TP_EVF_INFERRED | TP_EVF_LOST};
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct tp_v2_g *const *x = a, *const *y = b;

	return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

/* Ends the goroutines that a whole generation does not mention, because it mentions every live one. They end
 * in order of id, because the order of the map is random. */
static int end_unmentioned(struct tp_v2_order *o)
{
	struct tp_v2_state *s = &o->s;
	struct tp_v2_g **gone;
	size_t n = 0;
	int code = 0;

	if (tp_v2_all_mentioned(s, o->g.number)) {
		tp_v2_state_unbind_dead(s);
		return 0;
	}
	gone = tp_many(s->nliving, sizeof(*gone));
	if (!gone)
		return nomem(o);
	for (size_t i = 0; s->gs.slots && i <= s->gs.mask; i++) {
		struct tp_v2_g *g = s->gs.slots[i].value;

		if (g && g->alive && g->seq_gen != o->g.number)
			gone[n++] = g;
	}
	if (n)
		qsort(gone, n, sizeof(*gone), by_id);
	for (size_t i = 0; i < n && !code; i++) {
		code = infer_end(o, gone[i], TP_EV_GO_DESTROY, TP_ST_NOT_EXIST);
		tp_v2_g_died(s, gone[i], TP_V2_MISSED);
	}
	free(gone);
	tp_v2_state_unbind_dead(s);
	return code;
}

static int by_thread(const void *a, const void *b)
{
	const struct tp_v2_m *const *x = a, *const *y = b;

	return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

/* At the end of the input, marks as lost the goroutines on Ms whose last events are missing (on all Ms, if
 * the last generation has no end: `all`). Goes by the Ms' ids. */
static int end_of_input(struct tp_v2_order *o, bool all)
{
	struct tp_v2_m **ms = o->s.nms ? tp_many(o->s.nms, sizeof(*ms)) : NULL;
	size_t n = 0;
	int code = 0;

	if (o->s.nms && !ms)
		return nomem(o);
	for (size_t i = 0; i < o->s.nms; i++) {
		struct tp_v2_m *m = o->s.all_ms[i];

		if (m->g->alive && (all || m->g->lost || m->lost))
			ms[n++] = m;
	}
	if (n)
		qsort(ms, n, sizeof(*ms), by_thread);
	for (size_t i = 0; i < n && !code; i++)
		code = infer_end(o, ms[i]->g, TP_EV_GO_STATUS, tp_v2_gstate[ms[i]->g->status]);
	free(ms);
	return code;
}

/* Returns the budget of the generation: its share by size, and its part of what all share. */
static uint64_t allow(const struct tp_v2_order *o, uint64_t per_byte, uint64_t more)
{
	uint64_t left = MOST_FREE * FREE_BYTES * per_byte - more;
	uint64_t least = FREE_BYTES * per_byte;

	return o->g.events_bytes * per_byte + (left < least ? left : least);
}

/* Returns how much of its budget it spent beyond its share by size. */
static uint64_t beyond(const struct tp_v2_order *o, uint64_t per_byte, uint64_t allowed,
		       uint64_t left)
{
	uint64_t own = o->g.events_bytes * per_byte, spent = allowed - left;

	return spent > own ? spent - own : 0;
}

/* Orders the events of the frontier, and records those that were dropped. */
static int run_and_account(struct tp_v2_order *o)
{
	uint64_t work = allow(o, WORK_PER_BYTE, o->more_work);
	uint64_t repair_work = allow(o, REPAIR_WORK_PER_BYTE, o->more_repair_work);
	uint64_t unknown = o->unknown_ids;
	char lost[TP_COUNT_SIZE];
	int code;

	o->work = work;
	o->repair_work = repair_work;
	o->waiting = NULL;
	o->dropped = 0;
	code = run(o);
	o->more_work += beyond(o, WORK_PER_BYTE, work, o->work);
	o->more_repair_work += beyond(o, REPAIR_WORK_PER_BYTE, repair_work, o->repair_work);
	if (!code && o->dropped)
		code = lose(o, o->g.from, o->dropped,
			    "events whose goroutine is not known because of the damage");
	unknown = o->unknown_ids - unknown;
	if (!code && unknown &&
	    tp_trace_add_notice(o->trace, TP_DAMAGE, o->g.from,
				"generation %llu: names or stacks, used %s time%s, are lost "
				"with their tables",
				(unsigned long long)o->g.number,
				tp_fmt_count(lost, (int64_t)unknown), unknown == 1 ? "" : "s"))
		code = nomem(o);
	return code;
}

/* Returns the frequency of any generation from `offset` on, as ns per tick; 0 if none has one. */
static double find_frequency(struct tp_v2_order *o, uint64_t offset)
{
	const struct tp_v2_generation *g = &o->g;

	/* If one search finds nothing, a later one hardly will. But after damage it may find other batches,
	 * so a few are allowed. */
	if (o->sought / MOST_SOUGHT >= g->size)
		return 0;
	o->sought += g->size - offset;
	while (offset < g->size) {
		struct tp_v2_batch b;
		struct tp_cursor c;

		if (tp_v2_batch_read(&b, g->data, g->size, &offset, g->version, NULL) <= 0) {
			offset = tp_v2_salvage_find(g, b.start + 1);
			continue;
		}
		if (b.kind != TP_V2_BATCH_SYNC)
			continue;
		c = tp_cursor(g->data + b.offset, b.size);
		if (g->version >= 25)
			tp_cursor_u8(&c);
		while (tp_cursor_left(&c)) {
			uint8_t type = tp_cursor_u8(&c);
			uint64_t v = tp_cursor_uvarint(&c);

			if (type == TP_V2_Frequency && v && !c.failed)
				return 1.0 / ((double)v / 1e9);
			for (int i = 0; type == TP_V2_ClockSnapshot && i < 3; i++)
				tp_cursor_uvarint(&c);
			if (type != TP_V2_ClockSnapshot)
				break;
		}
	}
	return 0;
}

/* Chooses a frequency for a generation without one: that of another generation. */
static int choose_clock(struct tp_v2_order *o)
{
	o->g.ns_fallback = o->trace->ns_per_tick;
	if (o->g.ns_fallback == 0 && !o->g.tables[TP_V2_BATCH_SYNC].first)
		o->g.ns_fallback = find_frequency(o, o->g.from);
	if (o->g.ns_fallback != 0)
		return 0;
	o->g.ns_fallback = 1;
	return 0;
}

/* Marks the Ms whose first batches were cut completely: some of their events are missing. */
static void mark_starts(struct tp_v2_order *o)
{
	for (size_t i = 0; i < o->g.nstreams; i++)
		if (lost_between(&o->g, o->g.streams[i].first, o->f.cursors[i].piece))
			o->f.cursors[i].m->lost = true;
}

/* Loads the tables. `whole`: no batch of the generation is missing. */
static int load(struct tp_v2_order *o, bool whole)
{
	size_t losses;
	struct tp_err why = {0};
	double known = o->trace->ns_per_tick;
	int code = choose_clock(o);

	if (code)
		return code;
	losses = o->trace->nlosses;
	code = tp_v2_tables_load(&o->g, o->trace, true, &why);
	if (code) {
		*o->err = why;
		return code;
	}
	/* Only if the tables are complete does an unknown id mean that its event is damaged. */
	o->lenient = !o->g.tables[TP_V2_BATCH_STRINGS].first ||
		     !o->g.tables[TP_V2_BATCH_STACKS].first || !whole || o->trace->nlosses > losses;
	code = tp_v2_note_generation(o);
	if (code || known != 0 || o->trace->ns_per_tick != 1 || o->g.ns_fallback != 1)
		return code;
	o->trace->ns_per_tick = 0;
	return tp_trace_add_notice(o->trace, TP_WARNING, o->g.from,
				   "no frequency was found: times are ticks, not nanoseconds")
		   ? nomem(o)
		   : 0;
}

/* Reads one generation at *offset. Sets *sound if nothing in it was missing or wrong. */
static int salvage_generation(struct tp_v2_order *o, uint64_t *offset, bool *sound)
{
	size_t losses = o->trace->nlosses, ncut;
	bool whole, cut_off;
	int code;

	*sound = false;
	tp_v2_generation_begin(&o->g, o->in, o->trace->version);
	o->g.number = 0;
	code = tp_v2_salvage_scan(o, offset, &whole);
	if (code || !o->g.number)
		return code;
	cut_off = !whole;
	code = load(o, whole);
	if (code)
		return code;
	o->s.initial_gen = o->g.number;
	forget_ranges(&o->s);
	code = tp_v2_salvage_audit(o, false, &ncut);
	if (!code)
		code = tp_v2_order_begin(o);
	if (code)
		return code;
	mark_starts(o);
	code = tp_v2_order_sync(o, tp_v2_ns(o->g.ns_per_tick, o->g.min_time), o->g.number);
	if (!code)
		code = run_and_account(o);
	whole = whole && o->trace->nlosses == losses;
	if (!code && whole)
		code = end_unmentioned(o);
	if (!code && *offset >= o->g.size)
		code = end_of_input(o, cut_off);
	tp_v2_end_generation(o);
	*sound = whole;
	return code;
}

/* Reads the rest of a generation after a fault that occurred while ordering it. */
static int salvage_rest(struct tp_v2_order *o, struct tp_v2_cursor *at, bool last)
{
	struct tp_err fault = *o->err;
	size_t ncut;
	int code;

	code = tp_v2_salvage_audit(o, true, &ncut);
	if (!code && !ncut)
		code = lose(o, at ? (uint64_t)(at->from - o->g.data) : o->g.from, 0, fault.msg);
	if (code)
		return code;
	for (size_t i = 0; i < o->f.n;) { /* some are at an event that is cut or unreadable */
		struct tp_v2_cursor *c = o->f.heap[i].of;
		const struct tp_v2_piece *p = &o->g.pieces[c->piece - 1];

		c->end = o->g.data + p->offset + p->size;
		c->slow = o->g.data; /* the rest of the piece is checked */
		c->again = c->end;
		if (c->from < c->end) {
			i++;
			continue;
		}
		c->from = c->at = c->end;
		code = step(o, i);
		if (code < 0)
			return code;
		i = 0;
	}
	tp_v2_frontier_sort(&o->f);
	code = run_and_account(o);
	if (!code && last)
		code = end_of_input(o, false);
	tp_v2_end_generation(o);
	return code;
}

int tp_v2_salvage(struct tp_v2_order *o, uint64_t *offset, struct tp_v2_cursor *at)
{
	bool sound = false;
	int code = 0;

	o->salvage = true;
	o->lenient = false;
	if (o->ran)
		code = salvage_rest(o, at, *offset >= o->in->size);
	while (!code && !sound && *offset < o->in->size)
		code = salvage_generation(o, offset, &sound);
	o->salvage = o->lenient = false;
	if (code)
		return code;
	if (sound && *offset < o->in->size)
		return 1;
	return tp_v2_order_sync(o, o->last_ts, 0);
}
