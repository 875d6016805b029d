#include "decode/v1/index.h"

#include "base/cursor.h"

#define SAMPLE_VALUES 5 /* values of a CPU sample: unused time, time, P, goroutine, stack */

/* Reads an event's values and returns its end, in a batch that the first pass found intact. */
static const uint8_t *read_event(const struct tp_v1_wire *wire, const uint8_t *p,
				 const uint8_t *end, uint64_t v[8])
{
	unsigned form = wire->form[*p], type = *p & 63;
	struct tp_cursor c = tp_cursor(p + 1, (size_t)(end - p - 1));
	struct tp_slice s = {0};

	if (form == TP_V1_INLINE || form == TP_V1_INLINE_NOTED) {
		for (unsigned i = 0; i < wire->shape[type].values; i++)
			v[i] = tp_cursor_uvarint(&c);
		return c.failed ? NULL : c.at;
	}
	if (form == TP_V1_TEXT)
		tp_cursor_uvarint(&c);
	s = tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
	if (form == TP_V1_LOGGED)
		tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
	if (c.failed ||
	    (wire->shape[type].timed && tp_v1_read_values(s.data, s.data + s.size, v, 8) < 0))
		return NULL;
	return c.at;
}

/* Makes a special of an event's values. Returns false if the event is not one. */
static bool special_of(const struct tp_v1_wire *wire, unsigned type, const uint64_t *v,
		       int64_t ticks, struct tp_v1_special *s)
{
	*s = (struct tp_v1_special){.kind = TP_V1_EXITS};
	switch (type) {
	case TP_V1_GO_SYSEXIT:
		if (wire->version < 7) {
			s->g = v[2];
			s->key = (int64_t)v[3];
			s->ticks = v[4] ? (int64_t)v[4] : ticks;
			return true;
		}
		s->g = v[1];
		s->key = s->ticks = (int64_t)v[3];
		return v[3];
	case TP_V1_GO_SYSEXIT_LOCAL:
		s->g = v[1];
		s->key = s->ticks = (int64_t)v[2];
		return v[2];
	case TP_V1_CPU_SAMPLE:
		s->kind = TP_V1_SAMPLES;
		s->key = s->ticks = (int64_t)v[1];
		s->pid = (int32_t)v[2];
		s->g = v[3];
		s->stack = (uint32_t)v[SAMPLE_VALUES - 1];
		return true;
	default:
		return false;
	}
}

int tp_v1_batch_specials(const struct tp_v1_index *ix, const struct tp_v1_batch *b,
			 tp_v1_special_fn fn, void *ctx)
{
	const struct tp_v1_wire *wire = &ix->wire;
	/* Only in go 1.5 may a special's time be that of its event, which depends on all events
	 * before it. */
	bool timed = wire->version < 7;
	const uint8_t *p = ix->data + b->offset + (timed ? 0 : b->first_special);
	const uint8_t *end = ix->data + b->end;
	int64_t ticks = b->ticks;
	uint32_t left = b->nspecials;

	while (p && p < end && left) {
		unsigned type = *p & 63;
		struct tp_v1_special s;
		uint64_t v[8] = {0};
		const uint8_t *next = NULL;
		int code;

		if (!timed && end - p > TP_V1_FAST_ROOM)
			next = tp_v1_skip_inline(wire, p);
		if (next) {
			p = next;
			continue;
		}
		p = read_event(wire, p, end, v);
		if (timed && wire->shape[type].timed)
			ticks = (int64_t)((uint64_t)ticks + v[1]);
		if (!p || !special_of(wire, type, v, ticks, &s))
			continue;
		left--;
		code = fn(ctx, &s);
		if (code)
			return code;
	}
	return 0;
}
