/* Finds where events start again after damage. Only a batch can be understood without what precedes
 * it. Its only mark is its type byte, so the events after a candidate decide whether it is one.
 */
#include "decode/v1/walk.h"

#include <stdio.h>

#include "base/cursor.h"

/* Events so close before a fault are not trusted. */
#define SUSPECT_BYTES 48
/* A batch found by searching must start with so many intact events, or end the file. */
#define SOUND_EVENTS 48
/* Limit on bytes checked for candidates, per byte of the input; beyond it the rest is lost. */
#define SEARCH_PER_BYTE 64

/* Returns whether a batch may have this time: near that of one of the last of n batches (the very
 * last may be damaged), within half the age of the clock, or some minutes if that is young. */
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

/* Returns whether a batch seems to start at p: its header is near the last intact one in time, and
 * events follow. If `tables` is set, returns whether entries of tables start here, which need no
 * header. */
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
		/* An event cut by the end of the file counts as intact. */
		if (c.failed == TP_CURSOR_END && n)
			return true;
		if (c.failed)
			return false;
		w->searched += 16;
		p = c.at;
	}
	return true;
}

/* Returns the last event boundary of the current batch well before a fault. */
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

/* Drops the current batch, which has no trusted events; its header may be damaged, too. */
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

const uint8_t *tp_v1_recover(struct tp_v1_walk *w, const uint8_t *at)
{
	struct tp_v1_index *ix = w->ix;
	struct tp_loss loss = {.from_ns = INT64_MIN, .to_ns = INT64_MIN};
	const uint8_t *p = at + 1, *from = at;

	/* After a fault, an implausible header counts as damaged, too. */
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
		/* A file that just ends has no loss before its end. */
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
