#include "order/generations.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "decode/v2/tables.h"
#include "decode/v2/wire.h"

/* Real traces have one a second: what comes behind so many counts as one. */
#define MOST ((size_t)1 << 20)

static int add(struct tp_generations *list, uint64_t from, struct tp_err *err)
{
	if (list->n == list->room) {
		size_t room = list->room ? list->room * 2 : 64;
		uint64_t *more = tp_more(list->from, room, sizeof(*more));

		if (!more)
			return tp_nomem(err);
		list->from = more;
		list->room = room;
	}
	list->from[list->n++] = from;
	return 0;
}

/* What ordering takes for a generation (order/v2/read.c), and where it looks for the next one. */
static int find(struct tp_generations *list, struct tp_v2_generation *g, const struct tp_input *in,
		int version, struct tp_err *err)
{
	struct tp_input pages = *in;
	uint64_t offset = TP_V2_HEADER_SIZE;
	bool marked = version >= 26;

	pages.hashing = NULL; /* who only looks at headers does not hash what lies between */

	for (;;) {
		uint64_t from = offset;
		enum tp_v2_end end;
		struct tp_err why;
		int code;

		tp_v2_generation_begin(g, in, version);
		code = tp_v2_generation_scan(g, &offset, &end, &why);
		if (code == TP_ENOMEM)
			return tp_nomem(err);
		if (!code && end == TP_V2_END_FILE && marked && !g->nstreams) {
			list->end = from;
			return 0;
		}
		if (!list->n && !code)
			list->ns_per_tick = tp_v2_frequency(g);
		list->end = in->size;
		tp_input_done_with(&pages, (size_t)from, (size_t)offset);
		if (add(list, from, err))
			return TP_ENOMEM;
		if (code || !g->number || list->n == MOST ||
		    (end != TP_V2_END_MARK && end != TP_V2_END_NEXT))
			return 0;
		if (end == TP_V2_END_MARK)
			list->end = offset;
	}
}

int tp_generations_find(struct tp_generations *list, const struct tp_input *in, struct tp_err *err)
{
	struct tp_v2_generation g = {0};
	struct tp_recognition seen;
	int code;

	*list = (struct tp_generations){0};
	code = tp_recognise(in->data, in->size, &seen, err);
	if (code)
		return code;
	if (seen.format == TP_FORMAT_TRACE_V1)
		return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				  "this is a %s: only traces of go 1.22 and later have generations",
				  seen.name);
	if (seen.format != TP_FORMAT_TRACE_V2)
		return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				  "this is a %s: only execution traces have generations",
				  seen.name);
	code = find(list, &g, in, seen.version, err);
	tp_v2_generation_release(&g);
	if (!code && !list->n)
		code = tp_err_set(err, TP_ETRUNC, TP_OFFSET_NONE, "the trace has no generation");
	return code;
}

void tp_generations_release(struct tp_generations *list)
{
	free(list->from);
	*list = (struct tp_generations){0};
}
