/* Behind damage: where do events start again? A batch is the only thing that can be understood
 * without what precedes it, and has no mark but its type byte, so the search goes by what follows.
 */
#include "decode/v1/walk.h"

#include <stdio.h>

#include "base/cursor.h"

/* What lies this close before a fault is not trusted. */
#define SUSPECT_BYTES 48
/* A batch found by searching must start with this many sound events, or run to the end. */
#define SOUND_EVENTS 48
/* What looking at candidates may cost per byte of the input: then the rest counts as lost. */
#define SEARCH_PER_BYTE 64

/* Whether a batch may have this time: near one of the last of n (of which the very last may be
 * damaged), by half the age of the clock, or some minutes where the clock is young. */
static bool is_near(const struct tp_v1_index *ix, uint32_t n, uint64_t ticks)
{
	for (uint32_t i = n > 3 ? n - 3 : 0; i < n; i++) {
		uint64_t known = (uint64_t)ix->batches[i].ticks;
		uint64_t far = ticks > known ? ticks - known : known - ticks;

		if (far <= known / 2 || far <= 1u << 30)
			return true;
	}
	return !n;
}

/* Whether a batch that starts at p looks like one: its header is near the last sound one in time,
 * and what follows are events. Or, when `tables`, whether entries of tables start here: those need
 * no header to be understood. */
static bool looks_sound(struct tp_v1_walk *w, const uint8_t *p, bool tables)
{
	const struct tp_v1_index *ix = w->ix;
	const struct tp_v1_wire *wire = &ix->wire;
	uint64_t v[3];

	for (unsigned n = 0; n < SOUND_EVENTS && p < w->end; n++) {
		unsigned form = wire->form[*p], type = *p & 63;
		struct tp_cursor c = tp_cursor(p + 1, (size_t)(w->end - p - 1));

		if ((tables && wire->shape[type].timed) ||
		    w->searched / SEARCH_PER_BYTE > ix->size + 16384)
			return false;
		switch (form) {
		case TP_V1_HEAD: {
			const uint8_t *next = tp_v1_read_head(wire, p + 1, w->end, v);

			if (!next || (v[0] != UINT64_MAX && v[0] >= TP_V1_MAX_CHAINS) ||
			    !is_near(ix, ix->nbatches, v[2]))
				return false;
			w->searched += (uint64_t)(next - p);
			p = next;
			tables = false;
			continue;
		}
		case TP_V1_INLINE:
		case TP_V1_INLINE_NOTED:
			for (unsigned i = 0; i < wire->shape[type].values; i++)
				tp_cursor_uvarint(&c);
			break;
		case TP_V1_SIZED:
		case TP_V1_SIZED_NOTED: {
			struct tp_slice s = tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
			int values;

			w->searched += s.size;
			values = c.failed ? -1 : tp_v1_read_values(s.data, s.data + s.size, v, 0);
			if (values < 0 ||
			    (wire->shape[type].values && values != wire->shape[type].values))
				return false;
			break;
		}
		case TP_V1_LOGGED:
			tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
			tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
			break;
		case TP_V1_TEXT:
			tp_cursor_uvarint(&c);
			tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
			break;
		default:
			return false;
		}
		/* An event that the file's end cuts is as sound as the rest. */
		if (c.failed == TP_CURSOR_END && n)
			return true;
		if (c.failed)
			return false;
		w->searched += 16;
		p = c.at;
	}
	return true;
}

/* The last event boundary of the current batch that lies well before a fault. */
static const uint8_t *trusted_end(struct tp_v1_walk *w, const uint8_t *at)
{
	const uint8_t *p = w->ix->data + w->batch->offset, *kept = p;
	struct tp_v1_batch *batch = w->batch;
	const struct tp_v1_wire *wire = &w->ix->wire;

	while (p < at && at - p > SUSPECT_BYTES) {
		unsigned form = wire->form[*p], type = *p & 63;
		struct tp_cursor c = tp_cursor(p + 1, (size_t)(at - p - 1));

		kept = p;
		if (form == TP_V1_INLINE || form == TP_V1_INLINE_NOTED) {
			for (unsigned i = 0; i < wire->shape[type].values; i++)
				tp_cursor_uvarint(&c);
		} else {
			if (form == TP_V1_TEXT)
				tp_cursor_uvarint(&c);
			tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
			if (form == TP_V1_LOGGED)
				tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
		}
		if (c.failed)
			break;
		p = c.at;
		if (at - p > SUSPECT_BYTES)
			kept = p;
	}
	w->batch = batch;
	return kept;
}

/* The current batch, of which nothing is left: its header may well be part of the damage. */
static void drop_batch(struct tp_v1_walk *w)
{
	struct tp_v1_index *ix = w->ix;
	struct tp_v1_chain *chain = &ix->chains[w->batch->lane];

	w->batch = NULL;
	chain->last = ix->batches[--ix->nbatches].before;
	if (chain->last == TP_V1_NO_BATCH)
		chain->first = TP_V1_NO_BATCH;
	else
		ix->batches[chain->last].next = TP_V1_NO_BATCH;
}

static bool starts_table(uint8_t head)
{
	return head == TP_V1_STRING || head == (TP_V1_STACK | 3 << 6) || head == TP_V1_FREQUENCY;
}

/* Leaves out what is damaged around `at` and returns where to go on. */
const uint8_t *tp_v1_recover(struct tp_v1_walk *w, const uint8_t *at)
{
	struct tp_v1_index *ix = w->ix;
	struct tp_loss loss = {.from_ns = INT64_MIN, .to_ns = INT64_MIN};
	const uint8_t *p = at + 1, *from = at;

	/* A fault makes a header that is out of place part of the damage. */
	if (w->batch && !is_near(ix, ix->nbatches - 1, (uint64_t)w->batch->ticks)) {
		from = ix->data + w->batch->offset;
		drop_batch(w);
	}
	while (p < w->end) {
		if (ix->wire.form[*p] == TP_V1_HEAD ? looks_sound(w, p, false)
						    : starts_table(*p) && looks_sound(w, p, true))
			break;
		p++;
	}
	if (w->batch) {
		/* A file that just ends lost nothing of what it has. */
		if (p < w->end || w->end - at >= SUSPECT_BYTES)
			from = trusted_end(w, at);
		if (from == ix->data + w->batch->offset)
			drop_batch(w);
		else
			tp_v1_end_batch(w, from);
	}
	ix->damaged = true;
	if (p == w->end)
		ix->truncated = true;
	w->gap = true;
	loss.offset = (uint64_t)(from - ix->data);
	loss.bytes = (uint64_t)(p - from);
	snprintf(loss.reason, sizeof(loss.reason), "%s%s", w->why,
		 p == w->end ? "; the rest of the file is lost" : "");
	if (tp_trace_add_loss(w->trace, &loss))
		w->code = TP_ENOMEM;
	return p;
}
