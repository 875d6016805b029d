#include "conformance/strict.h"

#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "decode/v2/wire.h"
#include "open/input.h"
#include "order/read.h"

#define HEADER 16

/* Go 1.22 and later as a flat sequence of events, batches not looked at (Go: internal/trace/raw):
 * only a number above a version's last event breaks it, one that is no event in between stands for
 * itself. */
static int64_t walk_v2(const void *data, size_t size, int version)
{
	const unsigned last = version >= 26   ? TP_V2_NWIRES - 1
			      : version >= 25 ? TP_V2_ClockSnapshot
			      : version >= 23 ? TP_V2_ExperimentalBatch
					      : TP_V2_UserLog;
	struct tp_cursor c = tp_cursor(data, size);
	int64_t timed = 0;

	tp_cursor_bytes(&c, HEADER);
	while (tp_cursor_left(&c)) {
		uint8_t type = tp_cursor_u8(&c);
		uint64_t arg = 0;

		if (!type || type > last)
			break;
		for (int i = 0; i < tp_v2_wires[type].nargs; i++)
			arg = tp_cursor_uvarint(&c);
		/* Counts are signed there: a negative one is none. */
		if (type == TP_V2_Stack)
			for (int64_t i = 0; i < (int64_t)arg && !c.failed; i++)
				for (int k = 0; k < 4; k++)
					tp_cursor_uvarint(&c);
		if (type == TP_V2_String || type == TP_V2_ExperimentalBatch) {
			arg = tp_cursor_uvarint(&c);
			tp_cursor_bytes(&c, (int64_t)arg > 0 ? arg : 0);
		}
		if (c.failed)
			break;
		timed += tp_v2_wires[type].timed;
	}
	return timed;
}

/* Go 1.5 to 1.21 (Go 1.19: internal/trace/parser.go, readTrace): every entry but strings counts. */
static int64_t walk_v1(const void *data, size_t size, int version)
{
	enum { STRING = 37, USER_LOG = 48, NTYPES = 50 };
	/* The first version of types above 36. */
	static const uint8_t since[NTYPES] = {[STRING] = 7, 7,	7,  7,	8, 8, 9, 9,
					      11,	    11, 11, 11, 19};
	struct tp_cursor c = tp_cursor(data, size);
	int64_t entries = 0;

	tp_cursor_bytes(&c, HEADER);
	while (tp_cursor_left(&c)) {
		uint8_t byte = tp_cursor_u8(&c), type = byte & 63;
		unsigned n = (unsigned)(byte >> 6) + 1, sized = 4;

		if (!type || type >= NTYPES || since[type] > version)
			break;
		if (type == STRING) {
			tp_cursor_uvarint(&c);
			tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
			if (c.failed)
				break;
			continue;
		}
		if (version < 7) {
			n++;
			sized++;
		}
		if (n == sized) {
			struct tp_slice s = tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
			struct tp_cursor args;

			if (!s.data)
				break;
			args = tp_cursor(s.data, s.size);
			while (tp_cursor_left(&args))
				tp_cursor_uvarint(&args);
			if (args.failed)
				break;
		} else {
			while (n--)
				tp_cursor_uvarint(&c);
		}
		if (type == USER_LOG)
			tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
		if (c.failed)
			break;
		entries++;
	}
	return entries;
}

static int count(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	int64_t *events = ctx;

	(void)ev;
	(void)err;
	*events += (int64_t)n;
	return 0;
}

int strict_read(const char *path, struct strict *out, struct tp_err *err)
{
	const struct tp_trace_options opt = {.strict = true};
	struct tp_sink sink = {.events = count, .ctx = &out->events};
	struct tp_err fault = {0};
	struct tp_trace trace;
	struct tp_input *in;
	int code;

	memset(out, 0, sizeof(*out));
	code = tp_input_open(&in, path, NULL, NULL, err);
	if (code)
		return code;
	out->fault = tp_trace_read(in, &opt, &trace, &sink, &fault);
	out->version = trace.version;
	out->stacks = trace.stacks;
	out->last_ts = trace.last_ts;
	out->ns_per_tick = trace.ns_per_tick;
	if (out->fault)
		snprintf(out->why, sizeof(out->why), "%s", fault.msg);
	out->decodable =
	    (trace.version >= 22 ? walk_v2 : walk_v1)(in->data, in->size, trace.version);
	tp_trace_release(&trace);
	tp_input_close(in);
	return 0;
}
