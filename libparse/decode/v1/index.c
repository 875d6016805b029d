#include "decode/v1/index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "decode/v1/tables.h"

/* Limits of Go's own readers. */
#define MAX_STRING 1000000
#define MAX_SIZED  2048 /* bytes of one event's arguments, from go 1.11 on */
/* More Ps than any machine has; each costs memory for its cursor. */
#define MAX_CHAINS 65536
/* A batch is 64 KiB in real traces; hostile ones must not make an index larger than themselves. */
#define BATCHES_FREE	100000
#define BYTES_PER_BATCH 64
/* What lies this close before a fault is not trusted. */
#define SUSPECT_BYTES 48
/* A batch found by searching must start with this many sound events, or run to the end. */
#define SOUND_EVENTS 48
#define SHORT_TRACE  ((int64_t)1 << 36) /* ticks */
#define GIVE_BACK    (4u << 20)
#define PROGRESS     (8u << 20)

/* No event of an inline type is longer: type and four varints of ten bytes. */
#define FAST_ROOM     48
#define SAMPLE_VALUES 5 /* of a CPU sample: unused time, time, P, goroutine, stack */

/* Between two looks up lie at most GIVE_BACK bytes, so neither half overflows. */
#define TALLY_ONE ((uint64_t)1 << 32)

struct walk {
	struct tp_v1_index *ix;
	struct tp_input *in;
	const struct tp_trace_options *opt;
	struct tp_trace *trace;
	struct tp_err *err;
	struct tp_v1_tables tables;
	const uint8_t *end;
	const uint8_t *given_back, *next_progress;
	struct tp_v1_batch *batch; /* the current one; NULL before the first */
	bool gap;		   /* the next batch of any lane follows a loss */
	int code;		   /* an error that no salvage helps */
	char why[128];		   /* what is wrong here */
	uint64_t tally[256];	   /* by type byte: events × TALLY_ONE + bytes, see walk_plain() */
};

/* The slow, exact way to step over one varint. */
static const uint8_t *skip_uvarint(const uint8_t *p, const uint8_t *end)
{
	for (unsigned i = 0; i < 10 && p < end; i++, p++)
		if (*p < 0x80)
			return i == 9 && *p > 1 ? NULL : p + 1;
	return NULL;
}

/* Up to `room` varints of [p, end) to v; how many there are, or -1. */
static int read_values(const uint8_t *p, const uint8_t *end, uint64_t *v, int room)
{
	struct tp_cursor c = tp_cursor(p, (size_t)(end - p));
	int n = 0;

	while (c.at < c.end) {
		uint64_t x = tp_cursor_uvarint(&c);

		if (c.failed)
			return -1;
		if (n < room)
			v[n] = x;
		n++;
	}
	return n;
}

static const uint8_t *fault(struct walk *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static const uint8_t *fault(struct walk *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->why, sizeof(w->why), fmt, ap);
	va_end(ap);
	return NULL;
}

static const uint8_t *broken(struct walk *w, int code)
{
	w->code = code;
	return fault(w, "%s", code == TP_ENOMEM ? "out of memory" : "too many entries");
}

static struct tp_v1_chain *chain_for(struct walk *w, int32_t pid, uint32_t *number)
{
	struct tp_v1_index *ix = w->ix;
	uint64_t id = (uint64_t)((int64_t)pid + 1);

	*number = tp_v1_idmap_find(&ix->chain_of, id);
	if (*number != TP_V1_NO_ID)
		return &ix->chains[*number];
	if (ix->nchains == MAX_CHAINS) {
		broken(w, TP_ELIMIT);
		return NULL;
	}
	if (ix->nchains == ix->chains_room) {
		uint32_t room = ix->chains_room ? ix->chains_room * 2 : 16;
		void *p = realloc(ix->chains, room * sizeof(*ix->chains));

		if (!p) {
			broken(w, TP_ENOMEM);
			return NULL;
		}
		ix->chains = p;
		ix->chains_room = room;
	}
	if (tp_v1_idmap_put(&ix->chain_of, id, ix->nchains)) {
		broken(w, TP_ENOMEM);
		return NULL;
	}
	*number = ix->nchains++;
	ix->chains[*number] =
	    (struct tp_v1_chain){.pid = pid, .first = TP_V1_NO_BATCH, .last = TP_V1_NO_BATCH};
	return &ix->chains[*number];
}

static void end_batch(struct walk *w, const uint8_t *at)
{
	struct tp_v1_index *ix = w->ix;
	struct tp_v1_batch *b = w->batch;

	if (!b)
		return;
	b->end = (uint64_t)(at - ix->data);
	w->batch = NULL;
}

/* The values of a batch header at p (behind the type byte); NULL when they are none. */
static const uint8_t *read_head(const struct tp_v1_wire *wire, const uint8_t *p, const uint8_t *end,
				uint64_t v[3])
{
	struct tp_cursor c = tp_cursor(p, (size_t)(end - p));

	v[0] = tp_cursor_uvarint(&c);
	v[1] = wire->version < 7 ? tp_cursor_uvarint(&c) : 0;
	v[2] = tp_cursor_uvarint(&c);
	if (c.failed || (v[0] != UINT64_MAX && v[0] > INT32_MAX))
		return NULL;
	return c.at;
}

static const uint8_t *begin_batch(struct walk *w, const uint8_t *start, const uint8_t *p)
{
	struct tp_v1_index *ix = w->ix;
	struct tp_v1_chain *chain;
	struct tp_v1_batch *b;
	uint64_t v[3];
	uint32_t lane;

	end_batch(w, start);
	p = read_head(&ix->wire, p, w->end, v);
	if (!p)
		return fault(w, "the header of a batch is damaged");
	if (ix->nbatches >= BATCHES_FREE + ix->size / BYTES_PER_BATCH)
		return broken(w, TP_ELIMIT);
	if (ix->nbatches == ix->batches_room) {
		uint32_t room = ix->batches_room ? ix->batches_room * 2 : 64;
		void *grown = realloc(ix->batches, room * sizeof(*ix->batches));

		if (!grown)
			return broken(w, TP_ENOMEM);
		ix->batches = grown;
		ix->batches_room = room;
	}
	chain = chain_for(w, v[0] == UINT64_MAX ? -1 : (int32_t)v[0], &lane);
	if (!chain)
		return NULL;
	b = &ix->batches[ix->nbatches];
	*b = (struct tp_v1_batch){.offset = (uint64_t)(p - ix->data),
				  .ticks = (int64_t)v[2],
				  .seq = v[1],
				  .need = {INT64_MAX, INT64_MAX},
				  .lane = lane,
				  .next = TP_V1_NO_BATCH,
				  .gap = w->gap};
	if (chain->first == TP_V1_NO_BATCH)
		chain->first = ix->nbatches;
	else
		ix->batches[chain->last].next = ix->nbatches;
	chain->last = ix->nbatches++;
	w->batch = b;
	return p;
}

static void note_special(struct walk *w, const uint8_t *at, enum tp_v1_kind kind, uint64_t key)
{
	struct tp_v1_batch *b = w->batch;
	uint64_t from_start = (uint64_t)(at - w->ix->data) - b->offset;

	/* No key is as late as that which means none. */
	int64_t k = (int64_t)key < INT64_MAX ? (int64_t)key : INT64_MAX - 1;

	if (k < b->need[kind])
		b->need[kind] = k;
	if (!b->nspecials++)
		b->first_special = from_start < UINT32_MAX ? (uint32_t)from_start : 0;
}

/* The types whose arguments matter now; v holds n values, p is where the event starts. */
static const uint8_t *note(struct walk *w, unsigned type, const uint8_t *p, const uint64_t *v,
			   int n, const uint8_t *next)
{
	struct tp_v1_index *ix = w->ix;
	const struct tp_v1_shape *shape = &ix->wire.shape[type];
	int code;

	if (shape->values && n != shape->values)
		return fault(w, "%s has %d arguments instead of %d", tp_v1_names[type], n,
			     shape->values);
	switch (type) {
	case TP_V1_FREQUENCY:
		if ((int64_t)v[0] <= 0 && !w->opt->strict)
			break;
		if ((int64_t)v[0] <= 0)
			return fault(w, "the clock's frequency is not positive");
		ix->ticks_per_sec = (int64_t)v[0];
		break;
	case TP_V1_TIMER_GOROUTINE:
		if (tp_v1_idmap_put(&ix->timers, v[0], 0))
			return broken(w, TP_ENOMEM);
		break;
	case TP_V1_STACK:
		code = tp_v1_tables_note_stack(&w->tables, (uint64_t)(p - ix->data));
		if (code)
			return broken(w, code);
		break;
	case TP_V1_CPU_SAMPLE:
		note_special(w, p, TP_V1_SAMPLES, v[1]);
		break;
	case TP_V1_GO_SYSEXIT:
		/* go 1.5: seq, ts, g, real seq, real ts; later: ts, g, seq, real ts. */
		if (ix->wire.version < 7 || v[3])
			note_special(w, p, TP_V1_EXITS, v[3]);
		break;
	case TP_V1_GO_SYSEXIT_LOCAL:
		if (v[2])
			note_special(w, p, TP_V1_EXITS, v[2]);
		break;
	default:
		break;
	}
	return next;
}

static const uint8_t *string_entry(struct walk *w, const uint8_t *p)
{
	struct tp_cursor c = tp_cursor(p, (size_t)(w->end - p));
	uint64_t id = tp_cursor_uvarint(&c), size = tp_cursor_uvarint(&c);
	struct tp_slice text = tp_cursor_bytes(&c, size);
	uint32_t known;

	if (c.failed)
		return fault(w, "a string %s", tp_cursor_fault_text(c.failed));
	if (!id || !size || size > MAX_STRING)
		return fault(w, "a string has the id %llu and %llu bytes", (unsigned long long)id,
			     (unsigned long long)size);
	if (tp_v1_idmap_find(&w->ix->strings, id) != TP_V1_NO_ID && !w->opt->strict)
		return c.at;
	if (tp_v1_idmap_find(&w->ix->strings, id) != TP_V1_NO_ID)
		return fault(w, "the string %llu is there twice", (unsigned long long)id);
	w->code = tp_dict_string(w->trace->dict, text.data, text.size, &known);
	if (!w->code)
		w->code = tp_v1_idmap_put(&w->ix->strings, id, known);
	return w->code ? broken(w, w->code) : c.at;
}

/* Steps over an event of a plain inline type, which is most of them, where FAST_ROOM bytes follow;
 * NULL for others and for varints that need a closer look. */
static inline const uint8_t *skip_inline(const struct tp_v1_wire *wire, const uint8_t *p)
{
	unsigned n = wire->shape[*p & 63].values;

	if (wire->form[*p] != TP_V1_INLINE)
		return NULL;
	p++;
	do {
		const uint8_t *last = p + 9;

		while (*p >= 0x80)
			if (++p == last)
				return NULL;
		p++;
	} while (--n);
	return p;
}

/* Steps over one event and notes what is to be noted; NULL at a fault. */
static const uint8_t *step(struct walk *w, const uint8_t *start)
{
	struct tp_v1_index *ix = w->ix;
	const struct tp_v1_wire *wire = &ix->wire;
	const uint8_t *p = start + 1, *args;
	unsigned type = *start & 63, form = wire->form[*start];
	uint64_t v[8], size;
	struct tp_cursor c;
	int n;

	if (form == TP_V1_HEAD)
		return begin_batch(w, start, p);
	/* Behind a loss, entries of tables need no batch. */
	if (form != TP_V1_BAD && !w->batch && (wire->shape[type].timed || !ix->damaged))
		return fault(w, "an event stands before the first batch");
	switch (form) {
	case TP_V1_INLINE:
	case TP_V1_INLINE_NOTED:
		args = p;
		for (unsigned i = 0; i < wire->shape[type].values; i++) {
			p = skip_uvarint(p, w->end);
			if (!p)
				return fault(w, "%s ends in the middle of a value or is damaged",
					     tp_v1_names[type]);
		}
		if (form == TP_V1_INLINE)
			return p;
		n = read_values(args, p, v, 8);
		return note(w, type, start, v, n, p);
	case TP_V1_SIZED:
	case TP_V1_SIZED_NOTED:
	case TP_V1_LOGGED:
		c = tp_cursor(p, (size_t)(w->end - p));
		size = tp_cursor_uvarint(&c);
		if (wire->version >= 11 && size > MAX_SIZED && !c.failed)
			return fault(w, "%s claims %llu bytes", tp_v1_names[type],
				     (unsigned long long)size);
		args = c.at;
		tp_cursor_bytes(&c, size);
		if (c.failed)
			return fault(w, "%s %s", tp_v1_names[type], tp_cursor_fault_text(c.failed));
		p = c.at;
		if (form == TP_V1_SIZED_NOTED) {
			n = read_values(args, p, v, 8);
			if (n < 0)
				return fault(w, "%s is damaged", tp_v1_names[type]);
			return note(w, type, start, v, n, p);
		}
		if (form == TP_V1_LOGGED) {
			size = tp_cursor_uvarint(&c);
			if (size > MAX_STRING && !c.failed)
				return fault(w, "a message claims %llu bytes",
					     (unsigned long long)size);
			tp_cursor_bytes(&c, size);
			if (c.failed)
				return fault(w, "a message %s", tp_cursor_fault_text(c.failed));
			p = c.at;
		}
		return p;
	case TP_V1_TEXT:
		return string_entry(w, p);
	default:
		if (wire->shape[type].values || type == TP_V1_STACK || type == TP_V1_STRING)
			return fault(w, "%s has a wrong number of arguments", tp_v1_names[type]);
		return fault(w, "unknown event type %u", type);
	}
}

/* Whether a batch may have this time: near one of the last of n (of which the very last may be
 * damaged), by half the age of the clock, or some minutes where the clock is young. */
static bool is_near(const struct tp_v1_index *ix, uint32_t n, uint64_t ticks)
{
	for (uint32_t i = n > 3 ? n - 3 : 0; i < n; i++) {
		uint64_t known = (uint64_t)ix->batches[i].ticks;
		uint64_t far = ticks > known ? ticks - known : known - ticks;

		if (far <= known / 2 || far <= 1u << 30)
			return true;
	}
	return !n;
}

/* Whether a batch that starts at p looks like one: its header is near the last sound one in time,
 * and what follows are events. Or, when `tables`, whether entries of tables start here: those need
 * no header to be understood. */
static bool looks_sound(const struct walk *w, const uint8_t *p, bool tables)
{
	const struct tp_v1_index *ix = w->ix;
	const struct tp_v1_wire *wire = &ix->wire;
	uint64_t v[3];

	for (unsigned n = 0; n < SOUND_EVENTS && p < w->end; n++) {
		unsigned form = wire->form[*p], type = *p & 63;
		struct tp_cursor c = tp_cursor(p + 1, (size_t)(w->end - p - 1));

		if (tables && wire->shape[type].timed)
			return false;
		switch (form) {
		case TP_V1_HEAD: {
			const uint8_t *next = read_head(wire, p + 1, w->end, v);

			if (!next || (v[0] != UINT64_MAX && v[0] >= MAX_CHAINS) ||
			    !is_near(ix, ix->nbatches, v[2]))
				return false;
			p = next;
			tables = false;
			continue;
		}
		case TP_V1_INLINE:
		case TP_V1_INLINE_NOTED:
			for (unsigned i = 0; i < wire->shape[type].values; i++)
				tp_cursor_uvarint(&c);
			break;
		case TP_V1_SIZED:
		case TP_V1_SIZED_NOTED: {
			struct tp_slice s = tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
			int values = c.failed ? -1 : read_values(s.data, s.data + s.size, v, 0);

			if (values < 0 ||
			    (wire->shape[type].values && values != wire->shape[type].values))
				return false;
			break;
		}
		case TP_V1_LOGGED:
			tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
			tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
			break;
		case TP_V1_TEXT:
			tp_cursor_uvarint(&c);
			tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
			break;
		default:
			return false;
		}
		/* An event that the file's end cuts is as sound as the rest. */
		if (c.failed == TP_CURSOR_END && n)
			return true;
		if (c.failed)
			return false;
		p = c.at;
	}
	return true;
}

/* The last event boundary of the current batch that lies well before a fault. */
static const uint8_t *trusted_end(struct walk *w, const uint8_t *at)
{
	const uint8_t *p = w->ix->data + w->batch->offset, *kept = p;
	struct tp_v1_batch *batch = w->batch;
	const struct tp_v1_wire *wire = &w->ix->wire;

	while (p < at && at - p > SUSPECT_BYTES) {
		unsigned form = wire->form[*p], type = *p & 63;
		struct tp_cursor c = tp_cursor(p + 1, (size_t)(at - p - 1));

		kept = p;
		if (form == TP_V1_INLINE || form == TP_V1_INLINE_NOTED) {
			for (unsigned i = 0; i < wire->shape[type].values; i++)
				tp_cursor_uvarint(&c);
		} else {
			if (form == TP_V1_TEXT)
				tp_cursor_uvarint(&c);
			tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
			if (form == TP_V1_LOGGED)
				tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
		}
		if (c.failed)
			break;
		p = c.at;
		if (at - p > SUSPECT_BYTES)
			kept = p;
	}
	w->batch = batch;
	return kept;
}

/* The current batch, of which nothing is left: its header may well be part of the damage. */
static void drop_batch(struct walk *w)
{
	struct tp_v1_index *ix = w->ix;
	struct tp_v1_chain *chain = &ix->chains[w->batch->lane];
	uint32_t last = --ix->nbatches, i = chain->first;

	w->batch = NULL;
	if (i == last) {
		chain->first = chain->last = TP_V1_NO_BATCH;
		return;
	}
	while (ix->batches[i].next != last)
		i = ix->batches[i].next;
	ix->batches[i].next = TP_V1_NO_BATCH;
	chain->last = i;
}

static bool starts_table(uint8_t head)
{
	return head == TP_V1_STRING || head == (TP_V1_STACK | 3 << 6) || head == TP_V1_FREQUENCY;
}

/* Leaves out what is damaged around `at` and returns where to go on. */
static const uint8_t *recover(struct walk *w, const uint8_t *at)
{
	struct tp_v1_index *ix = w->ix;
	struct tp_loss loss = {.from_ns = INT64_MIN, .to_ns = INT64_MIN};
	const uint8_t *p = at + 1, *from = at;

	/* A fault makes a header that is out of place part of the damage. */
	if (w->batch && !is_near(ix, ix->nbatches - 1, (uint64_t)w->batch->ticks)) {
		from = ix->data + w->batch->offset;
		drop_batch(w);
	}
	while (p < w->end) {
		if (ix->wire.form[*p] == TP_V1_HEAD ? looks_sound(w, p, false)
						    : starts_table(*p) && looks_sound(w, p, true))
			break;
		p++;
	}
	if (w->batch) {
		/* A file that just ends lost nothing of what it has. */
		if (p < w->end || w->end - at >= SUSPECT_BYTES)
			from = trusted_end(w, at);
		if (from == ix->data + w->batch->offset)
			drop_batch(w);
		else
			end_batch(w, from);
	}
	ix->damaged = true;
	if (p == w->end)
		ix->truncated = true;
	w->gap = true;
	loss.offset = (uint64_t)(from - ix->data);
	loss.bytes = (uint64_t)(p - from);
	snprintf(loss.reason, sizeof(loss.reason), "%s%s", w->why,
		 p == w->end ? "; the rest of the file is lost" : "");
	if (tp_trace_add_loss(w->trace, &loss))
		w->code = TP_ENOMEM;
	return p;
}

struct sorting {
	const struct tp_v1_batch *batches;
	unsigned kind;
};

static int by_need(const void *a, const void *b, void *ctx)
{
	const struct sorting *s = ctx;
	const struct tp_v1_batch *x = &s->batches[*(const uint32_t *)a];
	const struct tp_v1_batch *y = &s->batches[*(const uint32_t *)b];

	if (x->need[s->kind] != y->need[s->kind])
		return x->need[s->kind] < y->need[s->kind] ? -1 : 1;
	return x->offset < y->offset ? -1 : 1;
}

static int list_due(struct tp_v1_index *ix, unsigned kind)
{
	struct sorting sorting = {.batches = ix->batches, .kind = kind};
	uint32_t n = 0;

	for (uint32_t i = 0; i < ix->nbatches; i++)
		n += ix->batches[i].need[kind] != INT64_MAX;
	if (!n)
		return 0;
	ix->due[kind] = malloc(n * sizeof(*ix->due[kind]));
	if (!ix->due[kind])
		return TP_ENOMEM;
	for (uint32_t i = 0; i < ix->nbatches; i++)
		if (ix->batches[i].need[kind] != INT64_MAX)
			ix->due[kind][ix->ndue[kind]++] = i;
	qsort_r(ix->due[kind], n, sizeof(*ix->due[kind]), by_need, &sorting);
	return 0;
}

/* Batches end about when others begin, so the trace ends within its own length after the last
 * begins; a short one is given some minutes. */
static void set_horizon(struct tp_v1_index *ix)
{
	int64_t last = INT64_MIN, length;

	ix->dawn = INT64_MIN;
	ix->horizon = INT64_MAX;
	if (!ix->nbatches)
		return;
	ix->dawn = INT64_MAX;
	for (uint32_t i = 0; i < ix->nbatches; i++) {
		if (ix->batches[i].ticks < ix->dawn)
			ix->dawn = ix->batches[i].ticks;
		if (ix->batches[i].ticks > last)
			last = ix->batches[i].ticks;
	}
	if (ix->dawn < 0 || last > INT64_MAX / 4)
		return;
	length = last - ix->dawn;
	ix->horizon = last + (length > SHORT_TRACE ? length : SHORT_TRACE);
}

static int look_up(struct walk *w, const uint8_t *p)
{
	size_t done = (size_t)(p - w->ix->data);

	if ((size_t)(p - w->given_back) >= GIVE_BACK || p == w->end) {
		tp_input_done_with(w->in, (size_t)(w->given_back - w->ix->data), done);
		w->given_back = p;
	}
	w->next_progress =
	    p + (w->end - p < (ptrdiff_t)GIVE_BACK ? w->end - p : (ptrdiff_t)GIVE_BACK);
	/* This pass is about an eighth of the work. */
	if (w->opt->progress && w->opt->progress(w->opt->progress_ctx, done / 8, w->ix->size))
		return tp_err_set(w->err, TP_ECANCEL, TP_OFFSET_NONE, "cancelled");
	return 0;
}

/* Steps over the plain events from p on as long as they start before `stop` and are of forms that
 * need no closer look; FAST_ROOM bytes follow wherever one starts. */
static const uint8_t *walk_plain(struct walk *w, const uint8_t *p, const uint8_t *stop)
{
	const struct tp_v1_wire *wire = &w->ix->wire;

	while (p < stop) {
		const uint8_t *next;

		if (wire->form[*p] == TP_V1_SIZED && p[1] <= FAST_ROOM - 8)
			next = p + 2 + p[1];
		else
			next = skip_inline(wire, p);
		if (!next)
			break;
		w->tally[*p] += TALLY_ONE + (uint64_t)(next - p);
		p = next;
	}
	return p;
}

/* Adds what walk_plain() has counted, before it could overflow. */
static void add_tally(struct walk *w)
{
	for (unsigned b = 0; b < 256; b++) {
		w->ix->counts[b & 63] += w->tally[b] / TALLY_ONE;
		w->ix->bytes[b & 63] += w->tally[b] % TALLY_ONE;
		w->tally[b] = 0;
	}
}

static int walk(struct walk *w, const uint8_t *p)
{
	struct tp_v1_index *ix = w->ix;
	const uint8_t *safe = w->end - p > FAST_ROOM ? w->end - FAST_ROOM : p;

	while (p < w->end) {
		const uint8_t *next;
		unsigned type;

		if (p >= w->next_progress) {
			int code = look_up(w, p);

			add_tally(w);
			if (code)
				return code;
		}
		if (w->batch)
			p = walk_plain(w, p, safe < w->next_progress ? safe : w->next_progress);
		if (p >= w->next_progress && p < w->end)
			continue;
		type = *p & 63;
		next = step(w, p);
		if (!next) {
			if (w->code)
				return tp_err_set(w->err, w->code, (uint64_t)(p - ix->data), "%s",
						  w->why);
			if (w->opt->strict)
				return tp_err_set(w->err, TP_EFORMAT, (uint64_t)(p - ix->data),
						  "at 0x%zx: %s", (size_t)(p - ix->data), w->why);
			p = recover(w, p);
			if (w->code)
				return tp_err_set(w->err, w->code, TP_OFFSET_NONE, "out of memory");
			continue;
		}
		ix->counts[type]++;
		ix->bytes[type] += (uint64_t)(next - p);
		p = next;
	}
	add_tally(w);
	end_batch(w, w->end);
	return look_up(w, w->end);
}

/* The frequency of the clock is the last thing to be written, so the file was cut, if only between
 * two events. (Where that is an error, it is one when the order has been found sound, as with Go.)
 */
static int note_missing_tables(struct walk *w)
{
	struct tp_loss loss = {.offset = w->ix->size,
			       .from_ns = INT64_MIN,
			       .to_ns = INT64_MIN,
			       .reason = "the file ends before its tables: names, stacks and the "
					 "frequency of the clock are lost"};

	if (w->opt->strict || w->ix->truncated)
		return 0;
	w->ix->damaged = w->ix->truncated = true;
	return tp_trace_add_loss(w->trace, &loss);
}

int tp_v1_index_build(struct tp_v1_index *ix, struct tp_input *in,
		      const struct tp_trace_options *opt, struct tp_trace *trace,
		      struct tp_err *err)
{
	struct walk w = {.ix = ix, .in = in, .opt = opt, .trace = trace, .err = err};
	int code;

	memset(ix, 0, sizeof(*ix));
	tp_v1_wire_init(&ix->wire, trace->version);
	ix->data = in->data;
	ix->size = in->size;
	if (in->size < TP_V1_HEADER_SIZE)
		return tp_err_set(err, TP_ETRUNC, 0, "the header is cut");
	w.end = in->data + in->size;
	w.given_back = in->data;
	w.next_progress = in->data + TP_V1_HEADER_SIZE;
	code = walk(&w, in->data + TP_V1_HEADER_SIZE);
	if (!code && !ix->ticks_per_sec)
		code = note_missing_tables(&w);
	if (!code)
		code = tp_v1_tables_finish(&w.tables, ix, opt, trace, err);
	tp_v1_tables_release(&w.tables);
	set_horizon(ix);
	if (!code && (list_due(ix, TP_V1_EXITS) || list_due(ix, TP_V1_SAMPLES)))
		code = tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	return code;
}

void tp_v1_index_release(struct tp_v1_index *ix)
{
	free(ix->batches);
	free(ix->chains);
	free(ix->due[TP_V1_EXITS]);
	free(ix->due[TP_V1_SAMPLES]);
	tp_v1_idmap_release(&ix->chain_of);
	tp_v1_idmap_release(&ix->strings);
	tp_v1_idmap_release(&ix->stacks);
	tp_v1_idmap_release(&ix->timers);
	memset(ix, 0, sizeof(*ix));
}

/* An event's values and what is behind it, in a batch that the walk has found sound so far. */
static const uint8_t *read_event(const struct tp_v1_wire *wire, const uint8_t *p,
				 const uint8_t *end, uint64_t v[8])
{
	unsigned form = wire->form[*p], type = *p & 63;
	struct tp_cursor c = tp_cursor(p + 1, (size_t)(end - p - 1));
	struct tp_slice s = {0};

	if (form == TP_V1_INLINE || form == TP_V1_INLINE_NOTED) {
		for (unsigned i = 0; i < wire->shape[type].values; i++)
			v[i] = tp_cursor_uvarint(&c);
		return c.failed ? NULL : c.at;
	}
	if (form == TP_V1_TEXT)
		tp_cursor_uvarint(&c);
	s = tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
	if (form == TP_V1_LOGGED)
		tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
	if (c.failed || (wire->shape[type].timed && read_values(s.data, s.data + s.size, v, 8) < 0))
		return NULL;
	return c.at;
}

/* Makes a special of an event's values; false when it is none. */
static bool special_of(const struct tp_v1_wire *wire, unsigned type, const uint64_t *v,
		       int64_t ticks, struct tp_v1_special *s)
{
	*s = (struct tp_v1_special){.kind = TP_V1_EXITS};
	switch (type) {
	case TP_V1_GO_SYSEXIT:
		if (wire->version < 7) {
			s->g = v[2];
			s->key = (int64_t)v[3];
			s->ticks = v[4] ? (int64_t)v[4] : ticks;
			return true;
		}
		s->g = v[1];
		s->key = s->ticks = (int64_t)v[3];
		return v[3];
	case TP_V1_GO_SYSEXIT_LOCAL:
		s->g = v[1];
		s->key = s->ticks = (int64_t)v[2];
		return v[2];
	case TP_V1_CPU_SAMPLE:
		s->kind = TP_V1_SAMPLES;
		s->key = s->ticks = (int64_t)v[1];
		s->pid = (int32_t)v[2];
		s->g = v[3];
		s->stack = (uint32_t)v[SAMPLE_VALUES - 1];
		return true;
	default:
		return false;
	}
}

int tp_v1_batch_specials(const struct tp_v1_index *ix, const struct tp_v1_batch *b,
			 tp_v1_special_fn fn, void *ctx)
{
	const struct tp_v1_wire *wire = &ix->wire;
	/* Only in go 1.5 may a special have the time of its event, which needs all that precede it.
	 */
	bool timed = wire->version < 7;
	const uint8_t *p = ix->data + b->offset + (timed ? 0 : b->first_special);
	const uint8_t *end = ix->data + b->end;
	int64_t ticks = b->ticks;
	uint32_t left = b->nspecials;

	while (p && p < end && left) {
		unsigned type = *p & 63;
		struct tp_v1_special s;
		uint64_t v[8] = {0};
		const uint8_t *next = NULL;
		int code;

		if (!timed && end - p > FAST_ROOM)
			next = skip_inline(wire, p);
		if (next) {
			p = next;
			continue;
		}
		p = read_event(wire, p, end, v);
		if (timed && wire->shape[type].timed)
			ticks = (int64_t)((uint64_t)ticks + v[1]);
		if (!p || !special_of(wire, type, v, ticks, &s))
			continue;
		left--;
		code = fn(ctx, &s);
		if (code)
			return code;
	}
	return 0;
}
