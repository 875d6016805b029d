/* Changes to lists of records, whatever their format. */
#include <string.h>

#include "mutate.h"

uint64_t like(struct dice *d, uint64_t v)
{
	static const uint64_t corners[] = {
	    0,		1,	    2,		127,	    128,	255,	    256,
	    1024,	65535,	    65536,	INT32_MAX,  UINT32_MAX, 1ull << 32, INT64_MAX,
	    1ull << 63, UINT64_MAX, 1ull << 31, 1ull << 53, 1000000000, 16384};

	switch (roll(d, 8)) {
	case 0:
	case 1:
		return v + 1;
	case 2:
		return v - 1;
	case 3:
		return v + roll(d, 16) - 8;
	case 4:
		return corners[roll(d, sizeof(corners) / sizeof(corners[0]))];
	case 5:
		return v ^ 1ull << roll(d, 64);
	case 6:
		return roll(d, 16);
	default:
		return v * 2 + roll(d, 2);
	}
}

bool take_varint(const uint8_t **at, const uint8_t *end, uint64_t *v)
{
	const uint8_t *p = *at;

	*v = 0;
	for (unsigned shift = 0; p < end && shift < 70; shift += 7) {
		uint8_t b = *p++;

		*v |= shift < 64 ? (uint64_t)(b & 0x7f) << shift : 0;
		if (b < 0x80) {
			*at = p;
			return true;
		}
	}
	return false;
}

void put_bytes(struct writer *w, const void *data, size_t size)
{
	if (size > (size_t)(w->end - w->at))
		size = (size_t)(w->end - w->at);
	if (size)
		memcpy(w->at, data, size);
	w->at += size;
}

void put_varint(struct writer *w, uint64_t v)
{
	uint8_t b[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		b[n++] = (uint8_t)(v | 0x80);
	b[n++] = (uint8_t)v;
	put_bytes(w, b, n);
}

struct record *add_record(struct records *r, unsigned type, size_t nargs)
{
	struct record *rec = &r->rec[r->n];

	if (r->n == RECORDS || nargs > ARGS - r->nargs)
		return NULL;
	*rec = (struct record){
	    .type = (uint8_t)type, .arg = (uint32_t)r->nargs, .nargs = (uint32_t)nargs};
	memset(r->args + r->nargs, 0, nargs * sizeof(*r->args));
	r->nargs += nargs;
	r->n++;
	return rec;
}

/* A value that another record has in the same role. */
static bool borrow(const struct dialect *x, const struct records *r, struct dice *d, unsigned role,
		   uint64_t *v)
{
	if (!role || !r->n)
		return false;
	for (int tries = 0; tries < 60; tries++) {
		const struct record *rec = &r->rec[roll(d, (uint32_t)r->n)];
		unsigned arg = roll(d, rec->nargs);

		if (rec->nargs && x->role(r, rec->type, arg) == role) {
			*v = r->args[rec->arg + arg];
			return true;
		}
	}
	return false;
}

static void fill(const struct dialect *x, struct records *r, struct dice *d, struct record *rec)
{
	for (unsigned i = 0; i < rec->nargs; i++) {
		uint64_t v = roll(d, 4);

		borrow(x, r, d, x->role(r, rec->type, i), &v);
		r->args[rec->arg + i] = one_in(d, 6) ? like(d, v) : v;
	}
}

static void change_arg(const struct dialect *x, struct records *r, struct dice *d,
		       struct record *rec)
{
	unsigned arg = roll(d, rec->nargs);
	uint64_t *v;

	if (!rec->nargs)
		return;
	v = &r->args[rec->arg + arg];
	if (one_in(d, 2) || !borrow(x, r, d, x->role(r, rec->type, arg), v))
		*v = like(d, *v);
}

/* Moves the last record to a place. */
static void settle(struct records *r, size_t at)
{
	struct record last = r->rec[r->n - 1];

	memmove(&r->rec[at + 1], &r->rec[at], (r->n - 1 - at) * sizeof(*r->rec));
	r->rec[at] = last;
}

static void insert(const struct dialect *x, struct records *r, struct dice *d)
{
	unsigned nargs, type = x->pick(r, d, &nargs);
	struct record *rec = add_record(r, type, nargs);

	if (!rec)
		return;
	fill(x, r, d, rec);
	settle(r, roll(d, (uint32_t)r->n));
}

/* A copy of some records that follow each other, somewhere else. */
static void copy(struct records *r, struct dice *d, size_t from, size_t n, size_t to)
{
	for (size_t i = 0; i < n; i++) {
		/* What is copied may have moved by one for each copy before it. */
		struct record old = r->rec[from >= to ? from + 2 * i : from + i];
		struct record *rec = add_record(r, old.type, old.nargs);

		if (!rec)
			return;
		rec->head = old.head;
		rec->data = old.data;
		rec->size = old.size;
		memcpy(r->args + rec->arg, r->args + old.arg, old.nargs * sizeof(*r->args));
		settle(r, to + i);
	}
	(void)d;
}

static void drop(struct records *r, size_t at, size_t n)
{
	n = n < r->n - at ? n : r->n - at;
	memmove(&r->rec[at], &r->rec[at + n], (r->n - at - n) * sizeof(*r->rec));
	r->n -= n;
}

static void change_bytes(struct records *r, struct dice *d, struct record *rec)
{
	uint8_t *to = r->scratch + r->nscratch;
	size_t room = sizeof(r->scratch) - r->nscratch, n = rec->size < room ? rec->size : room;

	(void)d;
	if (!room)
		return;
	if (n)
		memcpy(to, rec->data, n);
	rec->size = (uint32_t)LLVMFuzzerMutate(to, n, room < 64 ? room : n > 64 ? n : 64);
	rec->data = to;
	r->nscratch += rec->size;
}

static void change(const struct dialect *x, struct records *r, struct dice *d)
{
	size_t at = roll(d, (uint32_t)r->n), other = roll(d, (uint32_t)r->n);
	struct record *rec = &r->rec[at], t;
	unsigned nargs;

	if (!r->n) {
		insert(x, r, d);
		return;
	}
	switch (roll(d, 16)) {
	case 0:
	case 1:
	case 2:
	case 3:
	case 4:
		change_arg(x, r, d, rec);
		break;
	case 5:
	case 6:
	case 7:
		insert(x, r, d);
		break;
	case 8:
		drop(r, at, 1);
		break;
	case 9:
		drop(r, at, 1 + roll(d, 8));
		break;
	case 10:
		copy(r, d, at, 1, other);
		break;
	case 11:
		nargs = 1 + roll(d, 16);
		copy(r, d, at, nargs < r->n - at ? nargs : r->n - at, other);
		break;
	case 12:
		t = *rec;
		*rec = r->rec[other];
		r->rec[other] = t;
		break;
	case 13: /* another event with what it has of arguments */
		rec->type = (uint8_t)x->pick(r, d, &nargs);
		rec->head = 0;
		if (nargs <= rec->nargs) {
			rec->nargs = nargs;
		} else if (add_record(r, rec->type, nargs)) {
			*rec = r->rec[--r->n];
			fill(x, r, d, rec);
		}
		break;
	case 14:
		if (rec->size)
			change_bytes(r, d, rec);
		else
			change_arg(x, r, d, rec);
		break;
	default:
		memcpy(r->header, x->headers[roll(d, (uint32_t)x->nheaders)], 16);
		break;
	}
}

static struct records list; /* large, and used by one thread */

size_t mutate_records(const struct dialect *x, uint8_t *data, size_t size, size_t max,
		      unsigned seed)
{
	struct dice d = {seed};
	uint8_t *out;
	static uint8_t room[1 << 20];

	if (size < 16 || one_in(&d, 12))
		return LLVMFuzzerMutate(data, size, max);
	/* Records point into the input, which is written over. */
	out = room;
	max = max < sizeof(room) ? max : sizeof(room);
	list.n = list.nargs = list.nscratch = 0;
	memcpy(list.header, data, 16);
	x->parse(&list, data + 16, size - 16);
	for (unsigned n = 1 + roll(&d, 5); n; n--)
		change(x, &list, &d);
	size = x->write(&list, out, max, &d);
	memcpy(data, out, size);
	return size;
}

/* The beginning of one, then the end of the other: at any record, or where batches meet. */
size_t cross_records(const struct dialect *x, const uint8_t *a, size_t asize, const uint8_t *b,
		     size_t bsize, uint8_t *out, size_t max, unsigned seed)
{
	struct dice d = {seed};
	size_t keep, from;

	if (asize < 16 || bsize < 16) {
		size_t n = asize < max ? asize : max;

		memcpy(out, a, n);
		return n;
	}
	list.n = list.nargs = list.nscratch = 0;
	memcpy(list.header, a, 16);
	x->parse(&list, a + 16, asize - 16);
	keep = roll(&d, (uint32_t)list.n + 1);
	list.n = keep;
	x->parse(&list, b + 16, bsize - 16);
	from = keep + roll(&d, (uint32_t)(list.n - keep) + 1);
	drop(&list, keep, from - keep);
	return x->write(&list, out, max, &d);
}
