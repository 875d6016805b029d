#include "decode/v1/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/cursor.h"
#include "decode/v1/index.h"

#define MAX_FRAMES 1000 /* limit of Go's readers */

int tp_v1_tables_note_stack(struct tp_v1_tables *t, uint64_t offset)
{
	if (tp_grow_raw(&t->offsets, &t->room, t->n, sizeof(*t->offsets)))
		return TP_ENOMEM;
	t->offsets[t->n++] = offset;
	return 0;
}

void tp_v1_tables_release(struct tp_v1_tables *t)
{
	free(t->offsets);
	memset(t, 0, sizeof(*t));
}

static uint32_t text_of(const struct tp_v1_index *ix, uint64_t id)
{
	uint32_t known = id ? tp_ids_get(&ix->strings, id) : TP_NO_ID;

	return known == TP_NO_ID ? 0 : known;
}

static int intern_frame(struct tp_v1_index *ix, struct tp_dict *dict, const uint64_t *v,
			struct tp_ids *by_pc, uint32_t *id)
{
	struct tp_location location = {.address = v[0]};
	struct tp_function function = {0};
	struct tp_frame frame = {0};
	int code;

	/* From go 1.11 on a PC has one frame, the first (Go 1.27: tracev1's parser keeps a map). */
	if (ix->wire.version >= 11) {
		*id = tp_ids_get(by_pc, v[0]);
		if (*id != TP_NO_ID)
			return 0;
	}
	code = tp_dict_location(dict, &location, &frame.location);
	function.name = text_of(ix, v[1]);
	function.file = text_of(ix, v[2]);
	frame.line = (int64_t)v[3];
	if (!code && (function.name || function.file))
		code = tp_dict_function(dict, &function, &frame.function);
	if (!code)
		code = tp_dict_frame(dict, &frame, id);
	if (!code && ix->wire.version >= 11)
		code = tp_ids_put(by_pc, v[0], *id);
	return code;
}

/* Interns a stack, whose frames are leaf first. Returns 0, an error code, or 1 if it is malformed.
 */
static int intern_stack(struct tp_v1_index *ix, const struct tp_trace_options *opt,
			struct tp_dict *dict, const uint64_t *v, size_t n, struct tp_ids *by_pc,
			uint64_t *stacks)
{
	size_t per_frame = ix->wire.version < 7 ? 1 : 4;
	uint32_t node = 0, frame = 0;
	uint64_t id;
	int code;

	if (n < 2 || v[1] > MAX_FRAMES || n != 2 + per_frame * v[1])
		return 1;
	id = ix->wire.version >= 11 ? (uint32_t)v[0] : v[0];
	if (!id || !v[1])
		return 0;
	for (size_t i = (size_t)v[1]; i--;) {
		const uint64_t *at = v + 2 + per_frame * i;

		if (ix->wire.version < 7) {
			code = tp_trace_push_address(opt, dict, *at, &node);
		} else {
			code = intern_frame(ix, dict, at, by_pc, &frame);
			if (!code)
				code = tp_dict_stack(dict, node, frame, &node);
		}
		if (code)
			return code;
	}
	*stacks += tp_ids_get(&ix->stacks, id) == TP_NO_ID;
	return tp_ids_put(&ix->stacks, id, node);
}

int tp_v1_tables_finish(struct tp_v1_tables *t, struct tp_v1_index *ix,
			const struct tp_trace_options *opt, struct tp_trace *trace,
			struct tp_err *err)
{
	uint64_t *v = tp_many(2 + 4 * MAX_FRAMES, sizeof(*v));
	struct tp_ids by_pc = {0};
	int code = v ? 0 : tp_nomem(err);

	for (size_t i = 0; i < t->n && !code; i++) {
		struct tp_cursor c =
		    tp_cursor(ix->data + t->offsets[i] + 1, ix->size - (size_t)t->offsets[i] - 1);
		uint64_t size = tp_cursor_uvarint(&c);
		struct tp_slice s = tp_cursor_bytes(&c, size);
		size_t n = 0;

		c = tp_cursor(s.data, s.size);
		while (c.at < c.end && n < 2 + 4 * MAX_FRAMES && !c.failed)
			v[n++] = tp_cursor_uvarint(&c);
		code = c.failed || c.at < c.end
			   ? 1
			   : intern_stack(ix, opt, trace->dict, v, n, &by_pc, &trace->stacks);
		if (code == 1 && !opt->strict) {
			struct tp_loss loss = {.offset = t->offsets[i],
					       .bytes = 1 + size,
					       .from_ns = INT64_MIN,
					       .to_ns = INT64_MIN,
					       .reason = "a stack is damaged"};

			code = tp_trace_add_loss(trace, &loss);
		} else if (code == 1) {
			code = tp_err_set(err, TP_EFORMAT, t->offsets[i],
					  "at 0x%llx: a stack has a wrong number of values",
					  (unsigned long long)t->offsets[i]);
			break;
		}
		if (code)
			tp_nomem(err);
	}
	tp_ids_release(&by_pc);
	free(v);
	return code;
}
