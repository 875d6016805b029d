#include <string.h>

#include "base/cursor.h"

#include "order/v2/salvage.h"

#define MAX_GENERATION_GAP 64 /* generations that may be missing between two batches */
#define LOOK		   8  /* events at the start of a batch that must make sense */
#define TIME_AHEAD	   ((uint64_t)1 << 40) /* ticks, about the most a trace lasts */

static bool plausible_number(const struct tp_v2_generation *g, uint64_t number)
{
	uint64_t least = g->number ? g->number : g->last_number + 1;

	return number >= least && (least == 1 || number - least <= MAX_GENERATION_GAP);
}

/* Clocks count from the start of the machine, so random bytes are unlikely to give a near time. */
static bool plausible_time(const struct tp_v2_generation *g, uint64_t time)
{
	uint64_t last = g->min_time ? g->min_time : g->last_min_time;

	return !last || (time >= last / 2 && (time <= last || time - last <= TIME_AHEAD));
}

static bool plausible_events(struct tp_cursor c)
{
	for (int i = 0; i < LOOK && tp_cursor_left(&c); i++) {
		uint8_t type = tp_cursor_u8(&c);

		if (!tp_v2_arity[type])
			return false;
		for (unsigned k = 0; k < tp_v2_arity[type]; k++)
			tp_cursor_uvarint(&c);
		if (c.failed)
			return c.failed == TP_CURSOR_END && i > 0; /* the input may be cut */
	}
	return true;
}

static bool plausible_header(const struct tp_v2_generation *g, const struct tp_v2_batch *b)
{
	if (b->kind == TP_V2_BATCH_END)
		return g->version >= 26;
	return plausible_number(g, b->generation) && plausible_time(g, b->time) &&
	       (b->m <= UINT32_MAX || b->m == UINT64_MAX);
}

/* Returns whether a batch belongs to this or a later generation, has a time near it, and begins as
 * its kind must. */
static bool plausible(const struct tp_v2_generation *g, const struct tp_v2_batch *b)
{
	static const uint8_t entry[TP_V2_BATCH_END] = {[TP_V2_BATCH_STRINGS] = TP_V2_String,
						       [TP_V2_BATCH_STACKS] = TP_V2_Stack,
						       [TP_V2_BATCH_SAMPLES] = TP_V2_CPUSample};
	uint64_t left;

	if (!plausible_header(g, b))
		return false;
	if (b->kind == TP_V2_BATCH_END)
		return true;
	left = b->offset < g->size ? g->size - b->offset : 0;
	if (b->kind == TP_V2_BATCH_EXPERIMENTAL)
		return g->version >= 23 && b->experiment < 16;
	if (b->kind == TP_V2_BATCH_EVENTS)
		return plausible_events(
		    tp_cursor(g->data + b->offset, (size_t)(b->size < left ? b->size : left)));
	return b->size < 2 || left < 2 || !entry[b->kind] ||
	       g->data[b->offset + 1] == entry[b->kind];
}

/* Finds the first batch at or after `offset` that is followed by another one or by the end of the
 * input. */
uint64_t tp_v2_salvage_find(const struct tp_v2_generation *g, uint64_t offset)
{
	for (; offset < g->size; offset++) {
		uint8_t type = g->data[offset];
		struct tp_v2_batch b, next;
		uint64_t behind = offset;

		if (type != TP_V2_EventBatch && type != TP_V2_ExperimentalBatch &&
		    type != TP_V2_EndOfGeneration)
			continue;
		if (tp_v2_batch_read(&b, g->data, g->size, &behind, g->version, NULL) <= 0 ||
		    !plausible(g, &b))
			continue;
		if (behind == g->size)
			return offset;
		if (tp_v2_batch_read(&next, g->data, g->size, &behind, g->version, NULL) > 0
			? plausible(g, &next)
			: next.offset && plausible(g, &next))
			return offset;
	}
	return g->size;
}

static int lose(struct tp_v2_order *o, uint64_t from, uint64_t to, const char *reason)
{
	struct tp_loss loss = {.offset = from,
			       .bytes = to - from,
			       .from_ns = o->trace->started || o->n ? o->last_ts : INT64_MIN,
			       .to_ns = INT64_MIN};

	strncpy(loss.reason, reason, sizeof(loss.reason) - 1);
	return tp_trace_add_loss(o->trace, &loss) ? tp_nomem(o->err) : 0;
}

int tp_v2_salvage_scan(struct tp_v2_order *o, uint64_t *offset, bool *whole)
{
	struct tp_v2_generation *g = &o->g;
	int code = 0;

	*whole = true;
	g->from = g->to = *offset;
	while (*offset < g->size) {
		struct tp_err what = {0};
		struct tp_v2_batch b;
		int got = tp_v2_batch_read(&b, g->data, g->size, offset, g->version, &what);

		if (!got)
			*offset = g->size;
		if (got > 0 && b.kind == TP_V2_BATCH_END && g->version >= 26) {
			g->to = *offset;
			return 0;
		}
		if (got > 0 && b.kind != TP_V2_BATCH_END && plausible_header(g, &b)) {
			if (g->number && b.generation != g->number) {
				*offset = b.start;
				if (g->version >= 26) {
					*whole = false;
					return lose(o, b.start, b.start, "a generation has no end");
				}
				return 0;
			}
			g->number = b.generation;
			code = tp_v2_generation_add(g, &b, o->err);
			if (code)
				return code;
			g->to = *offset;
			continue;
		}
		*whole = false;
		if (what.code == TP_ETRUNC && b.offset && plausible(g, &b) &&
		    (!g->number || b.generation == g->number)) {
			/* The last batch is cut off; its beginning is used. */
			b.size = (uint32_t)(g->size - b.offset);
			g->number = b.generation;
			code = tp_v2_generation_add(g, &b, o->err);
			*offset = g->to = g->size;
			return code ? code : lose(o, g->size, g->size, what.msg);
		}
		*offset = tp_v2_salvage_find(g, b.start + 1);
		code = lose(o, b.start, *offset,
			    what.msg[0] ? what.msg
					: "a batch belongs to a generation that is not next");
		if (code)
			return code;
		g->to = *offset;
	}
	if (g->version >= 26 && g->number) {
		*whole = false;
		return lose(o, g->size, g->size, "the trace ends within a generation");
	}
	return 0;
}
