/* The bytes of a cut. All numbers are varints, signed ones zigzag, times and ids mostly as
 * differences from the one before:
 *
 *   VERSION
 *   first last of dump[16] broken occupancy file_time ns_per_tick[8]     what tp_cut_peek reads
 *   gc_begun gc_by_user gc_forgotten gc_seq n { heard M }
 *   seam seam                                                            before, after
 *   go_version ns_per_tick[8] started first_ts last_ts events inferred generations
 *   n { G id } n { M id } n { P id }                                     by index
 *   n { ts mono sec nsec } n { loss } n { notice } n { wire }
 *
 *   seam    last_ts gc gc_seq n { id index status flags } n { id g p index flags }
 *           n { id index status flags } n { g name }
 *   loss    offset bytes from to events text
 *   notice  severity offset text
 *   wire    text events with_stack bytes
 *   text    size bytes */
#include "order/cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/many.h"
#include "order/trace.h"

#define VERSION 1

void tp_seam_release(struct tp_seam *s)
{
	free(s->g);
	free(s->m);
	free(s->p);
	free(s->stw);
	*s = (struct tp_seam){0};
}

void tp_cut_free(struct tp_cut *cut)
{
	if (!cut)
		return;
	tp_seam_release(&cut->before);
	tp_seam_release(&cut->after);
	free(cut->heard);
	free(cut);
}

int tp_cut_heard(struct tp_cut *cut, uint64_t m)
{
	if (cut->nheard == cut->heard_room) {
		size_t room = cut->heard_room ? cut->heard_room * 2 : 16;
		uint64_t *more = tp_more(cut->heard, room, sizeof(*more));

		if (!more)
			return TP_ENOMEM;
		cut->heard = more;
		cut->heard_room = room;
	}
	cut->heard[cut->nheard++] = m;
	return 0;
}

/* ---- writing ---- */

struct out {
	struct tp_buf *buf;
	int code;
};

static void put(struct out *o, uint64_t v)
{
	if (!o->code)
		o->code = tp_buf_put_uvarint(o->buf, v);
}

static void put_signed(struct out *o, int64_t v)
{
	put(o, tp_zigzag(v));
}

static void put_bytes(struct out *o, const void *data, size_t size)
{
	if (!o->code)
		o->code = tp_buf_put(o->buf, data, size);
}

/* A double as its bits, lowest first, whatever the machine. */
static void put_double(struct out *o, double v)
{
	uint8_t bytes[8];
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(bits >> 8 * i);
	put_bytes(o, bytes, 8);
}

static void put_text(struct out *o, const char *text, size_t room)
{
	size_t size = strnlen(text, room);

	put(o, size);
	put_bytes(o, text, size);
}

/* The difference to the one before, of numbers that count up for the most part. */
static void put_next(struct out *o, uint64_t *last, uint64_t v)
{
	put_signed(o, (int64_t)(v - *last));
	*last = v;
}

static void put_ids(struct out *o, const uint64_t *id, size_t n)
{
	uint64_t last = 0;

	put(o, n);
	for (size_t i = 0; i < n; i++)
		put_next(o, &last, id[i]);
}

static void put_seam(struct out *o, const struct tp_seam *s)
{
	uint64_t last = 0, index = 0;

	put_signed(o, s->last_ts);
	put(o, s->gc);
	put(o, s->gc_seq);
	put(o, s->ng);
	for (size_t i = 0; i < s->ng; i++) {
		put_next(o, &last, s->g[i].id);
		put_next(o, &index, s->g[i].index);
		put(o, (uint64_t)s->g[i].status << 4 | s->g[i].flags);
	}
	put(o, s->nm);
	last = 0;
	for (size_t i = 0; i < s->nm; i++) {
		put_next(o, &last, s->m[i].id);
		put(o, s->m[i].g + 1);
		put(o, s->m[i].p + 1);
		put(o, s->m[i].index);
		put(o, s->m[i].flags);
	}
	put(o, s->np);
	last = 0;
	for (size_t i = 0; i < s->np; i++) {
		put_next(o, &last, s->p[i].id);
		put(o, s->p[i].index);
		put(o, (uint64_t)s->p[i].status << 4 | s->p[i].flags);
	}
	put(o, s->nstw);
	for (size_t i = 0; i < s->nstw; i++) {
		put(o, s->stw[i].g);
		put(o, s->stw[i].name);
	}
}

static void put_ledger(struct out *o, const struct tp_trace *t)
{
	put(o, t->nclocks);
	for (size_t i = 0; i < t->nclocks; i++) {
		put_signed(o, t->clocks[i].ts);
		put_signed(o, t->clocks[i].mono_ns);
		put_signed(o, t->clocks[i].wall_sec);
		put_signed(o, t->clocks[i].wall_nsec);
	}
	put(o, t->nlosses);
	for (size_t i = 0; i < t->nlosses; i++) {
		const struct tp_loss *l = &t->losses[i];

		put(o, l->offset);
		put(o, l->bytes);
		put_signed(o, l->from_ns);
		put_signed(o, l->to_ns);
		put(o, l->events);
		put_text(o, l->reason, sizeof(l->reason));
	}
	put(o, t->nnotices);
	for (size_t i = 0; i < t->nnotices; i++) {
		put(o, t->notices[i].severity);
		put(o, t->notices[i].offset);
		put_text(o, t->notices[i].text, sizeof(t->notices[i].text));
	}
	put(o, t->nwires);
	for (size_t i = 0; i < t->nwires; i++) {
		put_text(o, t->wires[i].name, sizeof(t->wires[i].name));
		put(o, t->wires[i].events);
		put(o, t->wires[i].with_stack);
		put(o, t->wires[i].bytes);
	}
}

int tp_cut_put(const struct tp_trace *t, struct tp_buf *out)
{
	const struct tp_cut *c = t->cut;
	struct out o = {out, 0};
	uint64_t last = 0;

	put(&o, VERSION);
	put(&o, c->first);
	put(&o, c->last);
	put(&o, c->of);
	put_bytes(&o, c->dump, sizeof(c->dump));
	put(&o, c->broken);
	put(&o, c->occupancy);
	put_signed(&o, c->file_time_ns);
	put_double(&o, c->ns_per_tick);
	put(&o, c->gc_begun);
	put(&o, c->gc_by_user);
	put(&o, c->gc_forgotten);
	put(&o, c->gc_seq);
	put_ids(&o, c->heard, c->nheard);
	put_seam(&o, &c->before);
	put_seam(&o, &c->after);
	put(&o, (uint64_t)t->version);
	put_double(&o, t->ns_per_tick);
	put(&o, t->started);
	put_signed(&o, t->first_ts);
	put_signed(&o, t->last_ts);
	put(&o, t->events);
	put(&o, t->inferred);
	put(&o, t->generations);
	put_ids(&o, t->g_id, t->ng);
	put_ids(&o, t->m_id, t->nm);
	put(&o, t->np);
	for (uint32_t i = 0; i < t->np; i++)
		put_next(&o, &last, (uint64_t)t->p_id[i]);
	put_ledger(&o, t);
	return o.code;
}

/* ---- reading ---- */

struct in {
	struct tp_cursor c;
	bool no_memory;
};

static uint64_t get(struct in *in)
{
	return tp_cursor_uvarint(&in->c);
}

static int64_t get_signed(struct in *in)
{
	return tp_unzigzag(get(in));
}

static bool get_bool(struct in *in)
{
	return get(in) != 0;
}

static void refuse(struct in *in)
{
	if (!in->c.failed)
		in->c.failed = TP_CURSOR_MALFORMED;
}

static uint64_t get_below(struct in *in, uint64_t limit)
{
	uint64_t v = get(in);

	if (v >= limit)
		refuse(in);
	return v < limit ? v : 0;
}

static double get_double(struct in *in)
{
	struct tp_slice s = tp_cursor_bytes(&in->c, 8);
	uint64_t bits = 0;
	double v;

	for (unsigned i = 0; i < s.size; i++)
		bits |= (uint64_t)s.data[i] << 8 * i;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

static void get_text(struct in *in, char *text, size_t room)
{
	uint64_t size = get_below(in, room);
	struct tp_slice s = tp_cursor_bytes(&in->c, size);

	if (s.size)
		memcpy(text, s.data, s.size);
	text[s.size] = '\0';
}

static uint64_t get_next(struct in *in, uint64_t *last)
{
	return *last += (uint64_t)get_signed(in);
}

/* A list whose entries take `least` bytes or more each, which bounds their number. */
static void *get_list(struct in *in, size_t *n, size_t entry, size_t least)
{
	uint64_t count = get(in);
	void *list;

	*n = 0;
	if (count > tp_cursor_left(&in->c) / least || count > UINT32_MAX / 2) {
		refuse(in);
		return NULL;
	}
	if (!count || in->c.failed)
		return NULL;
	list = tp_many(count, entry);
	if (!list) {
		in->no_memory = true;
		refuse(in);
		return NULL;
	}
	memset(list, 0, (size_t)count * entry);
	*n = (size_t)count;
	return list;
}

static uint64_t *get_ids(struct in *in, size_t *n)
{
	uint64_t *id = get_list(in, n, sizeof(*id), 1), last = 0;

	for (size_t i = 0; i < *n; i++)
		id[i] = get_next(in, &last);
	return id;
}

static uint32_t get_index(struct in *in)
{
	return (uint32_t)get_below(in, UINT32_MAX);
}

/* Ids have to be in order, as those who compare two lists rely on. */
static uint64_t get_ordered(struct in *in, uint64_t *last, bool first)
{
	uint64_t before = *last, id = get_next(in, last);

	if (!first && id <= before)
		refuse(in);
	return id;
}

static void get_seam(struct in *in, struct tp_seam *s)
{
	uint64_t last = 0, index = 0, v;

	s->last_ts = get_signed(in);
	s->gc = (uint8_t)get_below(in, 3);
	s->gc_seq = get(in);
	s->g = get_list(in, &s->ng, sizeof(*s->g), 3);
	for (size_t i = 0; i < s->ng; i++) {
		s->g[i].id = get_ordered(in, &last, !i);
		v = get_next(in, &index);
		if (v >= UINT32_MAX)
			refuse(in);
		s->g[i].index = (uint32_t)v;
		v = get_below(in, 256);
		s->g[i].status = (uint8_t)(v >> 4);
		s->g[i].flags = v & 15;
	}
	s->m = get_list(in, &s->nm, sizeof(*s->m), 5);
	last = 0;
	for (size_t i = 0; i < s->nm; i++) {
		s->m[i].id = get_ordered(in, &last, !i);
		s->m[i].g = get(in) - 1;
		s->m[i].p = get(in) - 1;
		s->m[i].index = get_index(in);
		s->m[i].flags = (uint8_t)get_below(in, 16);
	}
	s->p = get_list(in, &s->np, sizeof(*s->p), 3);
	last = 0;
	for (size_t i = 0; i < s->np; i++) {
		s->p[i].id = get_ordered(in, &last, !i);
		s->p[i].index = get_index(in);
		v = get_below(in, 256);
		s->p[i].status = (uint8_t)(v >> 4);
		s->p[i].flags = v & 15;
	}
	s->stw = get_list(in, &s->nstw, sizeof(*s->stw), 2);
	for (size_t i = 0; i < s->nstw; i++) {
		s->stw[i].g = get(in);
		s->stw[i].name = get_index(in);
	}
}

static void get_ledger(struct in *in, struct tp_trace *t)
{
	t->clocks = get_list(in, &t->nclocks, sizeof(*t->clocks), 4);
	for (size_t i = 0; i < t->nclocks; i++) {
		struct tp_clock *c = &t->clocks[i];

		c->ts = get_signed(in);
		c->mono_ns = get_signed(in);
		c->wall_sec = get_signed(in);
		c->wall_nsec = (int32_t)get_signed(in);
	}
	t->losses = get_list(in, &t->nlosses, sizeof(*t->losses), 6);
	for (size_t i = 0; i < t->nlosses; i++) {
		struct tp_loss *l = &t->losses[i];

		l->offset = get(in);
		l->bytes = get(in);
		l->from_ns = get_signed(in);
		l->to_ns = get_signed(in);
		l->events = get(in);
		get_text(in, l->reason, sizeof(l->reason));
	}
	t->notices = get_list(in, &t->nnotices, sizeof(*t->notices), 3);
	for (size_t i = 0; i < t->nnotices; i++) {
		t->notices[i].severity = (enum tp_severity)get_below(in, TP_DAMAGE + 1);
		t->notices[i].offset = get(in);
		get_text(in, t->notices[i].text, sizeof(t->notices[i].text));
	}
	t->wires = get_list(in, &t->nwires, sizeof(*t->wires), 4);
	for (size_t i = 0; i < t->nwires; i++) {
		get_text(in, t->wires[i].name, sizeof(t->wires[i].name));
		t->wires[i].events = get(in);
		t->wires[i].with_stack = get(in);
		t->wires[i].bytes = get(in);
	}
}

static void get_head(struct in *in, struct tp_cut *c)
{
	struct tp_slice dump;

	if (get(in) != VERSION)
		refuse(in);
	c->first = get_index(in);
	c->last = get_index(in);
	c->of = get_index(in);
	if (!c->first || c->first > c->last || c->last > c->of)
		refuse(in);
	dump = tp_cursor_bytes(&in->c, sizeof(c->dump));
	if (dump.size)
		memcpy(c->dump, dump.data, sizeof(c->dump));
	c->broken = get_bool(in);
	c->occupancy = get_bool(in);
	c->file_time_ns = get_signed(in);
	c->ns_per_tick = get_double(in);
}

static int judge(const struct in *in, bool whole, struct tp_err *err)
{
	if (in->no_memory)
		return tp_nomem(err);
	if (in->c.failed || (whole && tp_cursor_left(&in->c)))
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
				  "what it says of its generations is damaged");
	return 0;
}

int tp_cut_peek(const void *data, size_t size, struct tp_cut *cut, struct tp_err *err)
{
	struct in in = {.c = tp_cursor(data, size)};

	*cut = (struct tp_cut){0};
	get_head(&in, cut);
	return judge(&in, false, err);
}

int tp_cut_get(const void *data, size_t size, struct tp_trace *t, struct tp_err *err)
{
	struct in in = {.c = tp_cursor(data, size)};
	struct tp_cut *c = t->cut = calloc(1, sizeof(*c));
	uint64_t last = 0, *p;
	size_t n;

	if (!c)
		return tp_nomem(err);
	get_head(&in, c);
	c->gc_begun = get_bool(&in);
	c->gc_by_user = get_bool(&in);
	c->gc_forgotten = get_bool(&in);
	c->gc_seq = get(&in);
	c->heard = get_ids(&in, &c->nheard);
	get_seam(&in, &c->before);
	get_seam(&in, &c->after);
	t->version = (int)get_below(&in, 1000);
	t->ns_per_tick = get_double(&in);
	t->started = get_bool(&in);
	t->first_ts = get_signed(&in);
	t->last_ts = get_signed(&in);
	t->events = get(&in);
	t->inferred = get(&in);
	t->generations = get(&in);
	t->g_id = get_ids(&in, &n);
	t->ng = t->g_room = (uint32_t)n;
	t->m_id = get_ids(&in, &n);
	t->nm = t->m_room = (uint32_t)n;
	p = get_list(&in, &n, sizeof(*p), 1);
	for (size_t i = 0; i < n; i++)
		p[i] = get_next(&in, &last);
	t->p_id = (int64_t *)p;
	t->np = t->p_room = (uint32_t)n;
	get_ledger(&in, t);
	return judge(&in, true, err);
}
