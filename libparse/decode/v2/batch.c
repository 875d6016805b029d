#include "decode/v2/batch.h"

#include "base/cursor.h"
#include "decode/v2/wire.h"

static enum tp_v2_batch_kind kind_of(const struct tp_v2_batch *b, const uint8_t *data, int version)
{
	if (b->experiment)
		return TP_V2_BATCH_EXPERIMENTAL;
	if (!b->size)
		return TP_V2_BATCH_EVENTS;
	switch (data[b->offset]) {
	case TP_V2_Strings:
		return TP_V2_BATCH_STRINGS;
	case TP_V2_Stacks:
		return TP_V2_BATCH_STACKS;
	case TP_V2_CPUSamples:
		return TP_V2_BATCH_SAMPLES;
	case TP_V2_Frequency:
		return version < 25 ? TP_V2_BATCH_SYNC : TP_V2_BATCH_EVENTS;
	case TP_V2_Sync:
		return version >= 25 ? TP_V2_BATCH_SYNC : TP_V2_BATCH_EVENTS;
	case TP_V2_EndOfGeneration:
		return TP_V2_BATCH_END;
	default:
		return TP_V2_BATCH_EVENTS;
	}
}

int tp_v2_batch_read(struct tp_v2_batch *b, const uint8_t *data, size_t size, uint64_t *offset,
		     int version, struct tp_err *err)
{
	struct tp_cursor c = tp_cursor(data, size);
	uint64_t length;
	uint8_t type;

	*b = (struct tp_v2_batch){.start = *offset};
	if (*offset >= size)
		return 0;
	c.at += *offset;
	type = tp_cursor_u8(&c);
	if (type == TP_V2_EndOfGeneration) {
		b->kind = TP_V2_BATCH_END;
		*offset = b->offset = tp_cursor_offset(&c);
		return 1;
	}
	if (type != TP_V2_EventBatch && type != TP_V2_ExperimentalBatch)
		return tp_err_set(err, TP_EFORMAT, b->start, "expected a batch, got event type %u",
				  type);
	if (type == TP_V2_ExperimentalBatch) {
		if (!tp_cursor_left(&c))
			return 0;
		b->experiment = tp_cursor_u8(&c);
	}
	b->generation = tp_cursor_uvarint(&c);
	b->m = tp_cursor_uvarint(&c);
	b->time = tp_cursor_uvarint(&c);
	length = tp_cursor_uvarint(&c);
	if (c.failed)
		return tp_err_set(err, c.failed == TP_CURSOR_END ? TP_ETRUNC : TP_EFORMAT, b->start,
				  "batch header: %s", tp_cursor_fault_text(c.failed));
	if (length > TP_V2_MAX_BATCH)
		return tp_err_set(err, TP_EFORMAT, b->start,
				  "a batch has %llu bytes, more than the limit of %u",
				  (unsigned long long)length, TP_V2_MAX_BATCH);
	b->offset = tp_cursor_offset(&c);
	b->size = (uint32_t)length;
	if (!length || tp_cursor_left(&c))
		b->kind = kind_of(b, data, version);
	if (length > tp_cursor_left(&c))
		return tp_err_set(err, TP_ETRUNC, b->start,
				  "the input ends within a batch: %zu of %u bytes",
				  tp_cursor_left(&c), b->size);
	*offset = b->offset + length;
	return 1;
}
