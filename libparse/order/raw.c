#include "order/raw.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/cursor.h"
#include "decode/v1/wire.h"
#include "decode/v2/wire.h"
#include "open/input.h"
#include "order/listing.h"

#define FRAME_FIELDS 4 /* pc, func, file, line; in go 1.5 the pc alone */

struct tp_raw {
	struct tp_cursor c;
	bool v2;
	int version;
	struct tp_v1_wire v1;
	uint64_t *arg; /* of the current event */
	size_t room;
	const char *names[TP_V1_NTYPES][TP_RAW_NAMES]; /* v1 */
	char texts[1024];			       /* the names point into it */
};

/* ---- the names of arguments, v1 ---- */

static const char *const v1_args[TP_V1_NTYPES] = {
#define TP_X(name, number, wire, since, stack, nargs, args) [number] = args,
    TP_V1_TYPES(TP_X)
#undef TP_X
};

static const char *copy_text(struct tp_raw *r, size_t *used, const char *text, size_t size)
{
	char *at = r->texts + *used;

	if (*used + size + 1 > sizeof(r->texts))
		return "arg";
	memcpy(at, text, size);
	at[size] = '\0';
	*used += size + 1;
	return at;
}

/* [seq] dt, those of the table, stack. */
static void name_v1(struct tp_raw *r)
{
	size_t used = 0;

	for (unsigned t = 1; t < TP_V1_NTYPES; t++) {
		const struct tp_v1_shape *s = &r->v1.shape[t];
		const char *text = v1_args[t] ? v1_args[t] : "";
		size_t n = 0;

		if (s->timed && r->v1.lead > 1)
			r->names[t][n++] = "seq";
		if (s->timed)
			r->names[t][n++] = "dt";
		while (*text && n < TP_RAW_NAMES) {
			size_t size = strcspn(text, ",");

			/* The header of a batch of go 1.5 has one more in the middle. */
			if (t == TP_V1_BATCH && n == 1 && r->version < 7)
				r->names[t][n++] = "seq";
			if (n < s->args + (s->timed ? r->v1.lead : 0u) || !s->values)
				r->names[t][n++] = copy_text(r, &used, text, size);
			text += size + (text[size] == ',');
		}
		if (s->stack && n < TP_RAW_NAMES)
			r->names[t][n++] = "stack";
		while (n < TP_RAW_NAMES)
			r->names[t][n++] = "unused";
	}
}

/* ---- reading ---- */

int tp_raw_open(struct tp_raw **out, const void *data, size_t size, struct tp_err *err)
{
	struct tp_recognition seen;
	struct tp_raw *r;
	int code = tp_recognise(data, size, &seen, err);

	*out = NULL;
	if (code)
		return code;
	if (seen.format != TP_FORMAT_TRACE_V1 && seen.format != TP_FORMAT_TRACE_V2)
		return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE, "is not an execution trace");
	r = calloc(1, sizeof(*r));
	if (!r)
		return tp_nomem(err);
	r->v2 = seen.format == TP_FORMAT_TRACE_V2;
	r->version = seen.version;
	r->c = tp_cursor(data, size);
	tp_cursor_bytes(&r->c, r->v2 ? TP_V2_HEADER_SIZE : TP_V1_HEADER_SIZE);
	if (!r->v2) {
		tp_v1_wire_init(&r->v1, r->version);
		name_v1(r);
	}
	*out = r;
	return 0;
}

void tp_raw_close(struct tp_raw *r)
{
	if (!r)
		return;
	free(r->arg);
	free(r);
}

static bool has_type(const struct tp_raw *r, uint8_t type)
{
	if (!r->v2)
		return type < TP_V1_NTYPES && tp_v1_names[type];
	return type < TP_V2_NWIRES && tp_v2_wires[type].name &&
	       tp_v2_wires[type].since <= r->version;
}

const char *tp_raw_name(const struct tp_raw *r, uint8_t type)
{
	if (!has_type(r, type))
		return NULL;
	return r->v2 ? tp_v2_wires[type].name : tp_v1_names[type];
}

static int reserve(struct tp_raw *r, size_t n)
{
	return n ? tp_grow_raw(&r->arg, &r->room, n - 1, sizeof(*r->arg)) : 0;
}

static int read_args(struct tp_raw *r, struct tp_raw_event *ev, size_t n)
{
	/* Each takes at least a byte. */
	if (n > tp_cursor_left(&r->c)) {
		r->c.failed = r->c.failed ? r->c.failed : TP_CURSOR_END;
		return 0;
	}
	if (reserve(r, ev->nargs + n))
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++)
		r->arg[ev->nargs++] = tp_cursor_uvarint(&r->c);
	return 0;
}

static void read_data(struct tp_raw *r, struct tp_raw_event *ev, uint64_t size)
{
	struct tp_slice s = tp_cursor_bytes(&r->c, size);

	ev->data = s.data;
	ev->data_size = s.size;
}

static int next_v2(struct tp_raw *r, struct tp_raw_event *ev)
{
	const struct tp_v2_wire_event *w = &tp_v2_wires[ev->type];
	int code;

	ev->arg_name = w->args;
	ev->nnamed = w->nargs;
	code = read_args(r, ev, w->nargs);
	if (!code && ev->type == TP_V2_Stack && !r->c.failed) {
		uint64_t frames = r->arg[1];

		ev->fields = FRAME_FIELDS;
		if (frames > tp_cursor_left(&r->c) / FRAME_FIELDS)
			r->c.failed = TP_CURSOR_END;
		else
			code = read_args(r, ev, (size_t)frames * FRAME_FIELDS);
	}
	if (ev->type == TP_V2_String || ev->type == TP_V2_ExperimentalBatch)
		read_data(r, ev, tp_cursor_uvarint(&r->c));
	return code;
}

/* Reads as many varints as fit into the given number of bytes. */
static int read_sized(struct tp_raw *r, struct tp_raw_event *ev)
{
	struct tp_slice s = tp_cursor_bytes(&r->c, tp_cursor_uvarint(&r->c));
	struct tp_cursor c = tp_cursor(s.data, s.size);

	while (tp_cursor_left(&c)) {
		if (reserve(r, ev->nargs + 1))
			return TP_ENOMEM;
		r->arg[ev->nargs++] = tp_cursor_uvarint(&c);
	}
	if (c.failed)
		r->c.failed = TP_CURSOR_MALFORMED;
	return 0;
}

static int next_v1(struct tp_raw *r, struct tp_raw_event *ev, uint8_t head)
{
	const struct tp_v1_shape *s = &r->v1.shape[ev->type];
	int code = 0;

	ev->arg_name = r->names[ev->type];
	ev->fields = ev->type == TP_V1_STACK ? r->version < 7 ? 1 : FRAME_FIELDS : 0;
	switch ((enum tp_v1_form)r->v1.form[head]) {
	case TP_V1_INLINE:
	case TP_V1_INLINE_NOTED:
	case TP_V1_HEAD:
		code = read_args(r, ev, s->values);
		break;
	case TP_V1_SIZED:
	case TP_V1_SIZED_NOTED:
	case TP_V1_LOGGED:
		code = read_sized(r, ev);
		break;
	case TP_V1_TEXT:
		code = read_args(r, ev, 2);
		if (!code && !r->c.failed)
			read_data(r, ev, r->arg[1]);
		break;
	default:
		r->c.failed = TP_CURSOR_MALFORMED;
		break;
	}
	if (!code && r->v1.form[head] == TP_V1_LOGGED)
		read_data(r, ev, tp_cursor_uvarint(&r->c));
	ev->nnamed = ev->fields && ev->nargs > 2 ? 2 : ev->nargs;
	if (ev->nnamed > TP_RAW_NAMES)
		ev->nnamed = TP_RAW_NAMES;
	return code;
}

static uint64_t varint_size(uint64_t v)
{
	uint64_t n = 1;

	for (; v >= 0x80; v >>= 7)
		n++;
	return n;
}

/* Returns the least encoded size of an event. Data counts with its length, which String of v1 has
 * as an argument. */
static uint64_t least_size(const struct tp_raw *r, const struct tp_raw_event *ev)
{
	uint64_t n = 1;

	for (size_t i = 0; i < ev->nargs; i++)
		n += varint_size(ev->arg[i]);
	if (r->v2 && (ev->type == TP_V2_String || ev->type == TP_V2_ExperimentalBatch))
		n += varint_size(ev->data_size);
	return n + ev->data_size;
}

int tp_raw_next(struct tp_raw *r, struct tp_raw_event *ev, struct tp_err *err)
{
	uint8_t head;
	int code;

	if (!tp_cursor_left(&r->c))
		return 0;
	*ev = (struct tp_raw_event){.offset = tp_cursor_offset(&r->c)};
	head = tp_cursor_u8(&r->c);
	ev->type = r->v2 ? head : head & 63;
	ev->name = tp_raw_name(r, ev->type);
	if (!ev->name)
		return tp_err_set(
		    err, TP_EFORMAT, ev->offset,
		    "the format of go 1.%d has no event type %u, but it is at 0x%" PRIx64,
		    r->version, ev->type, ev->offset);
	code = r->v2 ? next_v2(r, ev) : next_v1(r, ev, head);
	if (code)
		return tp_nomem(err);
	if (r->c.failed)
		return tp_err_set(err, r->c.failed == TP_CURSOR_END ? TP_ETRUNC : TP_EFORMAT,
				  ev->offset, "%s at 0x%" PRIx64 ": %s", ev->name, ev->offset,
				  tp_cursor_fault_text(r->c.failed));
	ev->arg = r->arg;
	ev->size = tp_cursor_offset(&r->c) - ev->offset;
	ev->least = least_size(r, ev);
	return 1;
}

/* ---- as text ---- */

static char *put_number(char *p, uint64_t v)
{
	char digits[20];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		*p++ = digits[--n];
	return p;
}

static int put_arg(struct tp_buf *out, char before, const char *name, uint64_t v)
{
	char text[96], *p = text;
	size_t n = strlen(name);

	*p++ = before;
	memcpy(p, name, n);
	p += n;
	*p++ = '=';
	p = put_number(p, v);
	return tp_buf_put(out, text, (size_t)(p - text));
}

int tp_raw_line(const struct tp_raw_event *ev, struct tp_buf *out)
{
	static const char *const fields[FRAME_FIELDS] = {"pc", "func", "file", "line"};
	int code = tp_buf_put(out, ev->name, strlen(ev->name));

	for (size_t i = 0; !code && i < ev->nnamed; i++)
		code = put_arg(out, ' ', ev->arg_name[i], ev->arg[i]);
	for (size_t i = ev->nnamed; !code && i < ev->nargs; i++) {
		size_t field = ev->fields ? (i - ev->nnamed) % ev->fields : 0;

		if (ev->fields && !field)
			code = tp_buf_put(out, "\n", 1);
		if (!code)
			code = put_arg(out, ev->fields && !field ? '\t' : ' ',
				       ev->fields ? fields[field] : "unused", ev->arg[i]);
	}
	if (!code && ev->data_size) {
		code = tp_buf_put(out, "\n\tdata=", 7);
		if (!code)
			code = tp_quote(out, ev->data, ev->data_size);
	}
	return code ? code : tp_buf_put(out, "\n", 1);
}
