/* profile.proto and OpenTelemetry's messages as fields: numbers that are indices stay near what there is, lists are packed or
 * not, messages are changed inside. Gzipped input is unpacked first, and packed again or not. */
#include <string.h>
#include <zlib.h>

#include "mutate.h"

enum {
	NUMBER,
	TEXT,
	LIST,
	PROFILE,
	TYPE,
	SAMPLE,
	LABEL,
	MAPPING,
	LOCATION,
	LINE,
	FUNCTION,
	/* OpenTelemetry's */
	DATA,
	DICTIONARY,
	PRODUCER,
	RESOURCE,
	SCOPES,
	SCOPE,
	PART,
	ITEM,
	LINK,
	REGION,
	PLACE,
	STACK,
	ATTRIBUTE,
	PAIR,
	VALUE,
	VALUES,
	PAIRS,
	KINDS
};

/* What the fields of messages hold, by number. */
static const uint8_t schema[KINDS][17] = {
    [PROFILE] = {NUMBER, TYPE, SAMPLE, MAPPING, LOCATION, FUNCTION, TEXT, NUMBER, NUMBER, NUMBER,
		 NUMBER, TYPE, NUMBER, LIST, NUMBER, NUMBER},
    [TYPE] = {NUMBER, NUMBER, NUMBER},
    [SAMPLE] = {NUMBER, LIST, LIST, LABEL},
    [LOCATION] = {NUMBER, NUMBER, NUMBER, NUMBER, LINE, NUMBER},
    [DATA] = {NUMBER, PRODUCER, DICTIONARY},
    [DICTIONARY] = {NUMBER, REGION, PLACE, FUNCTION, LINK, TEXT, ATTRIBUTE, STACK},
    [PRODUCER] = {NUMBER, RESOURCE, SCOPES, TEXT},
    [RESOURCE] = {NUMBER, PAIR, NUMBER},
    [SCOPES] = {NUMBER, SCOPE, PART, TEXT},
    [SCOPE] = {NUMBER, TEXT, TEXT, PAIR, NUMBER},
    [PART] = {NUMBER, TYPE, ITEM, NUMBER, NUMBER, TYPE, NUMBER, TEXT, NUMBER, TEXT, TEXT, LIST},
    [ITEM] = {NUMBER, NUMBER, LIST, NUMBER, LIST, TEXT},
    [LINK] = {NUMBER, TEXT, TEXT},
    [REGION] = {NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, LIST},
    [PLACE] = {NUMBER, NUMBER, NUMBER, LINE, LIST},
    [STACK] = {NUMBER, LIST},
    [ATTRIBUTE] = {NUMBER, NUMBER, VALUE, NUMBER},
    [PAIR] = {NUMBER, TEXT, VALUE, NUMBER},
    [VALUE] = {NUMBER, TEXT, NUMBER, NUMBER, NUMBER, VALUES, PAIRS, TEXT, NUMBER},
    [VALUES] = {NUMBER, VALUE},
    [PAIRS] = {NUMBER, PAIR},
};
static const uint8_t nfields[KINDS] = {
    [PROFILE] = 15,  [TYPE] = 2,     [SAMPLE] = 3,   [LABEL] = 4,  [MAPPING] = 10,
    [LOCATION] = 5,  [LINE] = 3,     [FUNCTION] = 5, [DATA] = 2,   [DICTIONARY] = 7,
    [PRODUCER] = 3,  [RESOURCE] = 2, [SCOPES] = 3,   [SCOPE] = 4,  [PART] = 11,
    [ITEM] = 5,	     [LINK] = 2,     [REGION] = 5,   [PLACE] = 4,  [STACK] = 1,
    [ATTRIBUTE] = 3, [PAIR] = 3,     [VALUE] = 8,    [VALUES] = 1, [PAIRS] = 1};

struct field {
	uint32_t number;
	uint8_t wire;
	uint64_t value;
	const uint8_t *data;
	size_t size;
};

#define FIELDS 4096
#define ROOM   (1 << 17)

/* Of messages inside each other: seven at most. */
static struct message {
	struct field field[FIELDS];
	size_t n;
	uint8_t room[2][ROOM]; /* of fields made anew, and of what is written */
	size_t used;
} levels[8];

static uint8_t kind_of(uint8_t message, uint32_t number)
{
	return number <= nfields[message] ? schema[message][number] : NUMBER;
}

static bool parse(struct message *m, const uint8_t *p, size_t size)
{
	const uint8_t *end = p + size;
	uint64_t key;

	m->n = m->used = 0;
	while (p < end && m->n < FIELDS) {
		struct field *f = &m->field[m->n];

		if (!take_varint(&p, end, &key))
			return false;
		*f = (struct field){.number = (uint32_t)(key >> 3), .wire = key & 7};
		if (f->wire == 0) {
			if (!take_varint(&p, end, &f->value))
				return false;
		} else if (f->wire == 2) {
			if (!take_varint(&p, end, &f->value) || f->value > (uint64_t)(end - p))
				return false;
			f->data = p;
			f->size = (size_t)f->value;
			p += f->size;
		} else if (f->wire == 1 || f->wire == 5) {
			f->size = f->wire == 1 ? 8 : 4;
			if (f->size > (size_t)(end - p))
				return false;
			f->data = p;
			p += f->size;
		} else {
			return false;
		}
		m->n++;
	}
	return true;
}

static size_t put_message(const struct message *m, uint8_t *out, size_t max, struct dice *d)
{
	struct writer w = {out, out + max};

	for (size_t i = 0; i < m->n; i++) {
		const struct field *f = &m->field[i];
		struct writer before = w;

		put_varint(&w, (uint64_t)f->number << 3 | f->wire);
		if (f->wire == 0)
			put_varint(&w, f->value);
		if (f->wire == 2)
			put_varint(&w, one_in(d, 2000) ? like(d, f->size) : f->size);
		if (f->size > (size_t)(w.end - w.at)) {
			w = before; /* does not fit */
			continue;
		}
		put_bytes(&w, f->data, f->size);
	}
	return (size_t)(w.at - out);
}

/* A list of numbers: one of them another one, one more, one less. */
static void change_list(struct message *m, struct field *f, struct dice *d)
{
	uint64_t v[512];
	size_t n = 0, at;
	struct writer w = {m->room[0] + m->used, m->room[0] + ROOM};
	uint8_t *start = w.at;
	const uint8_t *p = f->data ? f->data : start, *end = p + f->size;

	while (n < 511 && p < end && take_varint(&p, end, &v[n]))
		n++;
	at = roll(d, (uint32_t)n);
	switch (roll(d, 4)) {
	case 0:
		v[n] = n ? like(d, v[at]) : roll(d, 8);
		n++;
		break;
	case 1:
		n -= n > 0;
		break;
	case 2:
		if (n)
			v[at] = v[roll(d, (uint32_t)n)];
		break;
	default:
		if (n)
			v[at] = like(d, v[at]);
		break;
	}
	for (size_t i = 0; i < n; i++)
		put_varint(&w, v[i]);
	f->data = start;
	f->size = (size_t)(w.at - start);
	m->used += f->size;
}

/* The numbers of a packed list as fields of their own, or such fields as a packed list. */
static void repack(struct message *m, size_t at, struct dice *d)
{
	struct field f = m->field[at];
	struct writer w = {m->room[0] + m->used, m->room[0] + ROOM};
	uint8_t *start = w.at;
	const uint8_t *p = f.data ? f.data : start, *end = p + f.size;
	uint64_t v;

	(void)d;
	if (f.wire == 0) {
		size_t n = at;

		for (; n < m->n && m->field[n].number == f.number && m->field[n].wire == 0; n++)
			put_varint(&w, m->field[n].value);
		memmove(&m->field[at + 1], &m->field[n], (m->n - n) * sizeof(f));
		m->n -= n - at - 1;
		m->field[at] = (struct field){
		    .number = f.number, .wire = 2, .data = start, .size = (size_t)(w.at - start)};
		m->used += (size_t)(w.at - start);
		return;
	}
	memmove(&m->field[at], &m->field[at + 1], (m->n - at - 1) * sizeof(f));
	m->n--;
	while (p < end && m->n < FIELDS && take_varint(&p, end, &v))
		m->field[m->n++] = (struct field){.number = f.number, .value = v};
}

static size_t change(unsigned level, uint8_t kind, const uint8_t *data, size_t size, uint8_t *out,
		     size_t max, struct dice *d);

static void change_field(unsigned level, uint8_t message, struct field *f, struct dice *d)
{
	struct message *m = &levels[level];
	uint8_t kind = kind_of(message, f->number);
	uint8_t *to = m->room[0] + m->used;
	size_t room = ROOM - m->used;

	if (f->wire == 0) {
		f->value = like(d, f->value);
		return;
	}
	if (f->wire == 2 && kind >= TYPE && level < 7) {
		f->size = change(level + 1, kind, f->data, f->size, to, room, d);
	} else if (f->wire == 2 && kind == LIST) {
		change_list(m, f, d);
		return;
	} else {
		size_t n = f->size < room ? f->size : room;

		if (n < 16 && room < 16)
			return;
		if (n)
			memcpy(to, f->data, n);
		n = LLVMFuzzerMutate(to, n, f->wire == 2 ? (n < 16 ? 16 : n) : n);
		f->size = f->wire == 2 ? n : f->size;
	}
	f->data = to;
	m->used += f->size;
}

static void insert(struct message *m, uint8_t message, size_t at, struct dice *d)
{
	struct field f = {.number = 1 + roll(d, nfields[message] + 1u)};
	uint8_t kind = kind_of(message, f.number);

	if (m->n == FIELDS)
		return;
	f.wire = kind == NUMBER ? 0 : kind == LIST ? 2 * (uint8_t)roll(d, 2) : 2;
	f.value = like(d, roll(d, 8));
	if (f.wire == 2) {
		f.data = m->room[0] + m->used;
		f.size = m->used + 4 < ROOM ? roll(d, 4) : 0;
		for (size_t i = 0; i < f.size; i++)
			m->room[0][m->used++] =
			    (uint8_t)(kind == TEXT ? 'a' + roll(d, 26) : roll(d, 9));
	}
	memmove(&m->field[at + 1], &m->field[at], (m->n - at) * sizeof(f));
	m->field[at] = f;
	m->n++;
}

/* Changes a message once; its bytes to out. */
static size_t change(unsigned level, uint8_t kind, const uint8_t *data, size_t size, uint8_t *out,
		     size_t max, struct dice *d)
{
	struct message *m = &levels[level];
	size_t at, other;
	struct field f;

	if (!parse(m, data, size)) {
		size = size < max ? size : max;
		if (size)
			memcpy(out, data, size);
		return LLVMFuzzerMutate(out, size, max < size + 32 ? max : size + 32);
	}
	at = roll(d, (uint32_t)m->n);
	other = roll(d, (uint32_t)m->n);
	if (!m->n || one_in(d, 8)) {
		insert(m, kind, at, d);
		return put_message(m, out, max, d);
	}
	switch (roll(d, 12)) {
	case 0:
		memmove(&m->field[at], &m->field[at + 1], (m->n - at - 1) * sizeof(f));
		m->n--;
		break;
	case 1:
		if (m->n < FIELDS)
			m->field[m->n++] = m->field[at];
		break;
	case 2:
		f = m->field[at];
		m->field[at] = m->field[other];
		m->field[other] = f;
		break;
	case 3:
		if (kind_of(kind, m->field[at].number) == LIST)
			repack(m, at, d);
		else
			m->field[at].number = 1 + roll(d, nfields[kind] + 2u);
		break;
	case 4: /* what another field of the kind has */
		if (m->field[at].wire == m->field[other].wire) {
			uint32_t number = m->field[at].number;

			m->field[at] = m->field[other];
			m->field[at].number = number;
		}
		break;
	default:
		change_field(level, kind, &m->field[at], d);
		break;
	}
	return put_message(m, out, max, d);
}

/* ---- gzip ---- */

static size_t unpack(const uint8_t *data, size_t size, uint8_t *out, size_t max)
{
	z_stream z = {.next_in = (uint8_t *)(uintptr_t)data,
		      .avail_in = (unsigned)size,
		      .next_out = out,
		      .avail_out = (unsigned)max};

	if (inflateInit2(&z, 15 + 16))
		return 0;
	inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return max - z.avail_out;
}

static size_t pack(const uint8_t *data, size_t size, uint8_t *out, size_t max)
{
	z_stream z = {.next_in = (uint8_t *)(uintptr_t)data,
		      .avail_in = (unsigned)size,
		      .next_out = out,
		      .avail_out = (unsigned)max};

	if (deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY))
		return 0;
	size = deflate(&z, Z_FINISH) == Z_STREAM_END ? max - z.avail_out : 0;
	deflateEnd(&z);
	return size;
}

/* Returns the kind of a message: profile.proto's has fields of more than two numbers. */
static uint8_t message_of(const uint8_t *data, size_t size)
{
	struct message *m = &levels[0];

	if (!parse(m, data, size))
		return PROFILE;
	for (size_t i = 0; i < m->n; i++)
		if (m->field[i].number > 2)
			return PROFILE;
	return DATA;
}

size_t mutate_proto(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static uint8_t plain[ROOM], out[ROOM];
	struct dice d = {seed};
	bool packed = size > 2 && data[0] == 0x1f && data[1] == 0x8b;
	uint8_t kind;
	size_t n;

	if (!size || one_in(&d, 12))
		return LLVMFuzzerMutate(data, size, max);
	max = max < ROOM ? max : ROOM;
	n = packed ? unpack(data, size, plain, ROOM) : size < ROOM ? size : ROOM;
	if (!packed)
		memcpy(plain, data, n);
	if (!n)
		return LLVMFuzzerMutate(data, size, max);
	kind = message_of(plain, n);
	for (unsigned times = 1 + roll(&d, 4); times; times--) {
		n = change(0, kind, plain, n, out, ROOM, &d);
		memcpy(plain, out, n);
	}
	if (packed && one_in(&d, 4)) {
		size = pack(plain, n, data, max);
		if (size)
			return size;
	}
	n = n < max ? n : max;
	memcpy(data, plain, n);
	return n ? n : LLVMFuzzerMutate(data, size, max);
}
