#include <string.h>

#include "order/v2/salvage.h"

#define MAX_GENERATION_GAP 64 /* generations that may be missing between two batches */

static bool plausible_number(const struct tp_v2_generation *g, uint64_t number)
{
	if (!number)
		return false;
	return !g->number || (number >= g->number && number - g->number <= MAX_GENERATION_GAP);
}

/* A batch of this or a later generation whose data begin with a type that a batch can begin with.
 */
static bool plausible(const struct tp_v2_generation *g, const struct tp_v2_batch *b)
{
	uint8_t type;

	if (b->kind == TP_V2_BATCH_END)
		return g->version >= 26;
	if (!plausible_number(g, b->generation) || !b->size || b->offset >= g->size)
		return false;
	if (b->kind == TP_V2_BATCH_EXPERIMENTAL)
		return g->version >= 23 && b->experiment < 16;
	type = g->data[b->offset];
	return b->kind != TP_V2_BATCH_EVENTS || tp_v2_arity[type];
}

/* Looks for a batch from `offset` on that is followed by another one, or by the end of the input.
 */
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
	return tp_trace_add_loss(o->trace, &loss)
		   ? tp_err_set(o->err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory")
		   : 0;
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
		if (got > 0 && b.kind != TP_V2_BATCH_END && plausible_number(g, b.generation)) {
			if (g->number && b.generation != g->number) {
				*offset = b.start;
				if (g->version >= 26) {
					*whole = false;
					return lose(o, b.start, b.start,
						    "a generation without its end");
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
			/* The last batch is cut: what there is of it counts. */
			b.size = (uint32_t)(g->size - b.offset);
			g->number = b.generation;
			code = tp_v2_generation_add(g, &b, o->err);
			*offset = g->to = g->size;
			return code ? code : lose(o, g->size, g->size, what.msg);
		}
		*offset = tp_v2_salvage_find(g, b.start + 1);
		code = lose(o, b.start, *offset,
			    what.msg[0] ? what.msg : "a batch of a generation that is not next");
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
