/* Traces of go 1.5 to 1.21 as records: events, batches and entries of tables alike. */
#include <string.h>

#include "decode/v1/wire.h"
#include "mutate.h"

static const char *const headers[] = {
    "go 1.5 trace\0\0\0", "go 1.7 trace\0\0\0", "go 1.8 trace\0\0\0", "go 1.9 trace\0\0\0",
    "go 1.10 trace\0\0",  "go 1.11 trace\0\0",	"go 1.19 trace\0\0",  "go 1.21 trace\0\0"};

/* In go 1.5 there is a sequence number in front of each time. */
static unsigned lead(const struct records *r)
{
	return r->header[5] == '5' ? 2 : 1;
}

static bool parse_one(struct records *r, const uint8_t **at, const uint8_t *end)
{
	const uint8_t *p = *at, *stop = end;
	uint8_t head = *p++;
	unsigned type = head & 63, n = head >> 6;
	struct record *rec;
	uint64_t v[3];

	if (type == TP_V1_STRING) {
		if (!take_varint(&p, end, &v[0]) || !take_varint(&p, end, &v[1]) ||
		    v[1] > (uint64_t)(end - p) || !(rec = add_record(r, type, 1)))
			return false;
		r->args[rec->arg] = v[0];
		rec->head = head;
		rec->data = p;
		rec->size = (uint32_t)v[1];
		*at = p + v[1];
		return true;
	}
	if (n == 3) {
		if (!take_varint(&p, end, &v[0]) || v[0] > (uint64_t)(end - p))
			return false;
		stop = p + v[0];
	}
	rec = add_record(r, type, 0);
	if (!rec)
		return false;
	rec->head = head;
	while ((n == 3 ? p < stop : rec->nargs < n + lead(r)) && r->nargs < ARGS) {
		if (!take_varint(&p, stop, &r->args[r->nargs]))
			break;
		r->nargs++;
		rec->nargs++;
	}
	if (n == 3 ? p != stop : rec->nargs < n + lead(r)) {
		r->n--;
		return false;
	}
	if (type == TP_V1_LOG) {
		if (!take_varint(&p, end, &v[0]) || v[0] > (uint64_t)(end - p)) {
			r->n--;
			return false;
		}
		rec->data = p;
		rec->size = (uint32_t)v[0];
		p += v[0];
	}
	*at = p;
	return true;
}

static void parse(struct records *r, const uint8_t *data, size_t size)
{
	const uint8_t *p = data, *end = data + size;
	struct record *rec;

	while (p < end && parse_one(r, &p, end))
		;
	if (p < end && (rec = add_record(r, REC_RAW, 0))) {
		rec->data = p;
		rec->size = (uint32_t)(end - p);
	}
}

static void write_one(struct records *r, const struct record *rec, struct writer *w, struct dice *d)
{
	const uint64_t *v = r->args + rec->arg;
	unsigned n = rec->nargs > lead(r) ? rec->nargs - lead(r) : 0;
	uint8_t body[10 * 600];
	struct writer b = {body, body + sizeof(body)};

	if (rec->type == REC_RAW) {
		put_bytes(w, rec->data, rec->size);
		return;
	}
	if (rec->type == TP_V1_STRING) {
		put_bytes(w, &rec->type, 1);
		put_varint(w, rec->nargs ? v[0] : 0);
		put_varint(w, rec->size);
		put_bytes(w, rec->data, rec->size);
		return;
	}
	for (size_t i = 0; i < rec->nargs && i < 600; i++)
		put_varint(&b, v[i]);
	/* As it was, where it still fits: tables have their arguments counted, however few. */
	if (rec->head >> 6 == 3 || n > 2 || rec->type == TP_V1_STACK) {
		size_t size = (size_t)(b.at - body);

		put_bytes(w, (uint8_t[]){(uint8_t)(rec->type | 0xc0)}, 1);
		put_varint(w, one_in(d, 200) ? like(d, size) : size);
	} else {
		put_bytes(w, (uint8_t[]){(uint8_t)(rec->type | n << 6)}, 1);
	}
	put_bytes(w, body, (size_t)(b.at - body));
	if (rec->type == TP_V1_LOG) {
		put_varint(w, rec->size);
		put_bytes(w, rec->data, rec->size);
	}
}

static size_t put_records(struct records *r, uint8_t *out, size_t max, struct dice *d)
{
	struct writer w = {out, out + max};

	put_bytes(&w, r->header, 16);
	for (size_t i = 0; i < r->n; i++)
		write_one(r, &r->rec[i], &w, d);
	return (size_t)(w.at - out);
}

/* The names of arguments, after what leads, then a stack. */
static const struct {
	const char *args;
	uint8_t nargs, stack;
} types[64] = {
#define TP_X(name, number, wire, since, stack, nargs, args) [number] = {args, nargs, stack},
    TP_V1_TYPES(TP_X)
#undef TP_X
};

static unsigned role(const struct records *r, unsigned type, unsigned arg)
{
	static const char *const names[] = {
	    "g",     "seq",   "p",	"id",	   "taskid", "pid",    "ts",	 "ticks",
	    "stack", "keyid", "typeid", "labelid", "mode",   "thread", "kindid", "mem"};
	static const unsigned roles[] = {1, 2, 3, 4, 5, 5, 6, 6, 7, 8, 8, 8, 9, 10, 11, 12};
	const char *at, *comma;

	if (type >= 64 || !types[type].args)
		return 0;
	if (type == TP_V1_STRING)
		return 8;
	if (type == TP_V1_STACK)
		return arg == 0 ? 7 : arg == 1 ? 0 : 20 + (arg - 2) % 4;
	if (type != TP_V1_BATCH && type != TP_V1_FREQUENCY && type != TP_V1_TIMER_GOROUTINE) {
		if (arg < lead(r))
			return 30 + arg;
		arg -= lead(r);
	}
	if (arg == types[type].nargs && types[type].stack)
		return 7;
	for (at = types[type].args; arg; arg--) {
		comma = strchr(at, ',');
		if (!comma)
			return 0;
		at = comma + 1;
	}
	comma = strchr(at, ',');
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == (comma ? (size_t)(comma - at) : strlen(at)) &&
		    !strncmp(names[i], at, strlen(names[i])))
			return roles[i];
	return 0;
}

static unsigned pick(const struct records *r, struct dice *d, unsigned *nargs)
{
	unsigned type;

	do
		type = 1 + roll(d, TP_V1_CPU_SAMPLE);
	while (!types[type].args);
	if (type == TP_V1_STRING)
		*nargs = 1;
	else if (type == TP_V1_STACK)
		*nargs = 2 + 4 * roll(d, 4);
	else if (type == TP_V1_BATCH)
		*nargs = lead(r) + 1;
	else
		*nargs = lead(r) + types[type].nargs + types[type].stack;
	return type;
}

const struct dialect dialect_v1 = {parse, put_records, role,
				   pick,  headers,     sizeof(headers) / sizeof(headers[0])};
