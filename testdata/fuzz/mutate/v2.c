/* Traces of go 1.22 and later as records: heads of batches and what is in them. */
#include <string.h>

#include "decode/v2/wire.h"
#include "mutate.h"

static const char *const headers[] = {"go 1.22 trace\0\0", "go 1.23 trace\0\0", "go 1.25 trace\0\0",
				      "go 1.26 trace\0\0"};

static void raw(struct records *r, const uint8_t *from, const uint8_t *to)
{
	struct record *rec = from < to ? add_record(r, REC_RAW, 0) : NULL;

	if (rec) {
		rec->data = from;
		rec->size = (uint32_t)(to - from);
	}
}

/* One record of a batch's content; false where there is none. */
static bool parse_one(struct records *r, const uint8_t **at, const uint8_t *end)
{
	const uint8_t *p = *at;
	unsigned type = *p++;
	struct record *rec;
	uint64_t v[6], n;
	size_t nargs = 0;

	if (type >= TP_V2_NWIRES || !tp_v2_wires[type].name)
		return false;
	nargs = tp_v2_wires[type].nargs;
	for (size_t i = 0; i < nargs; i++)
		if (!take_varint(&p, end, &v[i]))
			return false;
	if (type == TP_V2_Stack) {
		if (v[1] > TP_V2_MAX_FRAMES)
			return false;
		rec = add_record(r, type, 1 + 4 * (size_t)v[1]);
		if (!rec)
			return false;
		r->args[rec->arg] = v[0];
		for (size_t i = 1; i < rec->nargs; i++) {
			if (!take_varint(&p, end, &r->args[rec->arg + i])) {
				r->n--;
				return false;
			}
		}
		*at = p;
		return true;
	}
	rec = add_record(r, type, nargs);
	if (!rec)
		return false;
	memcpy(r->args + rec->arg, v, nargs * sizeof(*v));
	if (type == TP_V2_String) {
		if (!take_varint(&p, end, &n) || n > (uint64_t)(end - p)) {
			r->n--;
			return false;
		}
		rec->data = p;
		rec->size = (uint32_t)n;
		p += n;
	}
	*at = p;
	return true;
}

static void parse(struct records *r, const uint8_t *data, size_t size)
{
	const uint8_t *p = data, *end = data + size;

	while (p < end) {
		const uint8_t *start = p;
		uint64_t v[4], experiment = 0;
		struct record *rec;
		unsigned type = *p++;
		bool good = type == TP_V2_EventBatch || type == TP_V2_ExperimentalBatch;

		if (type == TP_V2_EndOfGeneration) {
			if (!add_record(r, type, 0))
				return;
			continue;
		}
		if (type == TP_V2_ExperimentalBatch)
			experiment = p < end ? 1u + *p++ : 1;
		for (int i = 0; i < 4; i++)
			good = good && take_varint(&p, end, &v[i]);
		if (!good) {
			raw(r, start, end);
			return;
		}
		rec = add_record(r, REC_BATCH, 4);
		if (!rec)
			return;
		memcpy(r->args + rec->arg, v, 3 * sizeof(*v));
		r->args[rec->arg + 3] = experiment;
		start = v[3] < (uint64_t)(end - p) ? p + v[3] : end;
		if (!experiment)
			while (p < start && parse_one(r, &p, start))
				;
		raw(r, p, start);
		p = start;
	}
}

static void write_one(struct records *r, const struct record *rec, struct writer *w)
{
	const uint64_t *v = r->args + rec->arg;

	if (rec->type != REC_RAW)
		put_bytes(w, &rec->type, 1);
	if (rec->type == TP_V2_Stack && rec->nargs) {
		put_varint(w, v[0]);
		put_varint(w, (rec->nargs - 1) / 4);
		for (size_t i = 1; i < 1 + (rec->nargs - 1) / 4 * 4; i++)
			put_varint(w, v[i]);
		return;
	}
	for (size_t i = 0; i < rec->nargs; i++)
		put_varint(w, v[i]);
	if (rec->type == TP_V2_String)
		put_varint(w, rec->size);
	put_bytes(w, rec->data, rec->size);
}

static size_t put_records(struct records *r, uint8_t *out, size_t max, struct dice *d)
{
	static uint8_t body[TP_V2_MAX_BATCH * 2];
	struct writer w = {out, out + max};

	put_bytes(&w, r->header, 16);
	for (size_t i = 0; i < r->n;) {
		const struct record *head = &r->rec[i];
		const uint64_t *v = r->args + head->arg;
		struct writer b = {body, body + sizeof(body)};
		size_t size;

		i++;
		if (head->type != REC_BATCH) {
			write_one(r, head, &w);
			continue;
		}
		while (i < r->n && r->rec[i].type != REC_BATCH &&
		       r->rec[i].type != TP_V2_EndOfGeneration)
			write_one(r, &r->rec[i++], &b);
		size = (size_t)(b.at - body);
		if (head->nargs < 4)
			continue;
		/* A batch that does not fit is left out. */
		if (size + 45 > (size_t)(w.end - w.at))
			continue;
		put_bytes(&w, v[3] ? "\x31" : "\1", 1);
		if (v[3])
			put_bytes(&w, (uint8_t[]){(uint8_t)(v[3] - 1)}, 1);
		for (int k = 0; k < 3; k++)
			put_varint(&w, v[k]);
		put_varint(&w, one_in(d, 200) ? like(d, size) : size);
		put_bytes(&w, body, size);
	}
	return (size_t)(w.at - out);
}

/* By the ends of the names in the wire table. */
static unsigned role(const struct records *r, unsigned type, unsigned arg)
{
	static const struct {
		const char *end;
		unsigned role;
	} ends[] = {{"string", 1}, {"stack", 2}, {"seq", 3},   {"task", 4}, {"status", 5},
		    {"value", 6},  {"g", 7},	 {"new_g", 7}, {"m", 8},    {"p", 9},
		    {"dt", 10},	   {"id", 11},	 {"time", 12}};
	const char *name;

	(void)r;
	if (type == REC_BATCH)
		return arg == 0 ? 13 : arg == 1 ? 8 : arg == 2 ? 12 : 14;
	if (type == TP_V2_String)
		return 1;
	if (type == TP_V2_Stack)
		return arg == 0 ? 2 : arg % 4 == 1 ? 15 : arg % 4 == 0 ? 16 : 1;
	if (type >= TP_V2_NWIRES || arg >= tp_v2_wires[type].nargs)
		return 0;
	name = tp_v2_wires[type].args[arg];
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t n = strlen(name), m = strlen(ends[i].end);

		if (n >= m && !strcmp(name + n - m, ends[i].end) && (m > 2 || n == m))
			return ends[i].role;
	}
	return 0;
}

static unsigned pick(const struct records *r, struct dice *d, unsigned *nargs)
{
	unsigned type;

	(void)r;
	if (one_in(d, 12)) {
		*nargs = 4;
		return REC_BATCH;
	}
	do
		type = one_in(d, 10) ? 128 + roll(d, 9) : roll(d, TP_V2_EndOfGeneration + 1);
	while (!tp_v2_wires[type].name || type == TP_V2_EventBatch ||
	       type == TP_V2_ExperimentalBatch);
	*nargs = type == TP_V2_Stack ? 1 + 4 * roll(d, 4) : tp_v2_wires[type].nargs;
	return type;
}

const struct dialect dialect_v2 = {parse, put_records, role,
				   pick,  headers,     sizeof(headers) / sizeof(headers[0])};
