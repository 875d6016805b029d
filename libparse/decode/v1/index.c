#include "decode/v1/index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/cursor.h"
#include "decode/v1/walk.h"

/* Lowest plausible frequency; real clocks tick millions of times per second (Go: tickspersecond() /
 * traceTickDiv). In a damaged file a lower one is probably part of a cut event. */
#define LEAST_FREQUENCY 100000

/* Limits of Go's own readers. */
#define MAX_STRING 1000000
#define MAX_SIZED  2048 /* bytes of one event's arguments, from go 1.11 on */
/* Real batches have 64 KiB; many tiny ones must not make the index larger than the trace. */
#define BATCHES_FREE	100000
#define BYTES_PER_BATCH 64
#define SHORT_TRACE	((int64_t)1 << 36) /* ticks */
#define GIVE_BACK	(4u << 20)

/* The tally is emptied every GIVE_BACK bytes at least, so neither half overflows. */
#define TALLY_ONE ((uint64_t)1 << 32)

/* Steps over one varint, slowly but exactly. */
static const uint8_t *skip_uvarint(const uint8_t *p, const uint8_t *end)
{
	for (unsigned i = 0; i < 10 && p < end; i++, p++)
		if (*p < 0x80)
			return i == 9 && *p > 1 ? NULL : p + 1;
	return NULL;
}

static const uint8_t *fault(struct tp_v1_walk *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static const uint8_t *fault(struct tp_v1_walk *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->why, sizeof(w->why), fmt, ap);
	va_end(ap);
	return NULL;
}

static const uint8_t *broken(struct tp_v1_walk *w, int code)
{
	w->code = code;
	return fault(w, "%s", code == TP_ENOMEM ? "out of memory" : "too many entries");
}

static struct tp_v1_chain *chain_for(struct tp_v1_walk *w, int32_t pid, uint32_t *number)
{
	struct tp_v1_index *ix = w->ix;
	uint64_t id = (uint64_t)((int64_t)pid + 1);

	*number = tp_ids_get(&ix->chain_of, id);
	if (*number != TP_NO_ID)
		return &ix->chains[*number];
	if (ix->nchains == TP_V1_MAX_CHAINS) {
		broken(w, TP_ELIMIT);
		return NULL;
	}
	if (tp_grow(&ix->chains, &ix->chains_room, ix->nchains, sizeof(*ix->chains))) {
		broken(w, TP_ENOMEM);
		return NULL;
	}
	if (tp_ids_put(&ix->chain_of, id, ix->nchains)) {
		broken(w, TP_ENOMEM);
		return NULL;
	}
	*number = ix->nchains++;
	ix->chains[*number] =
	    (struct tp_v1_chain){.pid = pid, .first = TP_V1_NO_BATCH, .last = TP_V1_NO_BATCH};
	return &ix->chains[*number];
}

void tp_v1_end_batch(struct tp_v1_walk *w, const uint8_t *at)
{
	struct tp_v1_index *ix = w->ix;
	struct tp_v1_batch *b = w->batch;

	if (!b)
		return;
	b->end = (uint64_t)(at - ix->data);
	w->batch = NULL;
}

static const uint8_t *begin_batch(struct tp_v1_walk *w, const uint8_t *start, const uint8_t *p)
{
	struct tp_v1_index *ix = w->ix;
	struct tp_v1_chain *chain;
	struct tp_v1_batch *b;
	uint64_t v[3];
	uint32_t lane;

	tp_v1_end_batch(w, start);
	p = tp_v1_read_head(&ix->wire, p, w->end, v);
	if (!p)
		return fault(w, "the header of a batch is damaged");
	if (ix->nbatches >= BATCHES_FREE + ix->size / BYTES_PER_BATCH)
		return broken(w, TP_ELIMIT);
	if (tp_grow_raw(&ix->batches, &ix->batches_room, ix->nbatches, sizeof(*ix->batches)))
		return broken(w, TP_ENOMEM);
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
				  .before = chain->last,
				  .gap = w->gap};
	if (chain->first == TP_V1_NO_BATCH)
		chain->first = ix->nbatches;
	else
		ix->batches[chain->last].next = ix->nbatches;
	chain->last = ix->nbatches++;
	w->batch = b;
	return p;
}

static void note_special(struct tp_v1_walk *w, const uint8_t *at, enum tp_v1_kind kind,
			 uint64_t key)
{
	struct tp_v1_batch *b = w->batch;
	uint64_t from_start = b ? (uint64_t)(at - w->ix->data) - b->offset : 0;

	if (!b)
		return;
	/* INT64_MAX means that the batch has no special. */
	int64_t k = (int64_t)key < INT64_MAX ? (int64_t)key : INT64_MAX - 1;

	if (k < b->need[kind])
		b->need[kind] = k;
	if (!b->nspecials++)
		b->first_special = from_start < UINT32_MAX ? (uint32_t)from_start : 0;
}

/* Handles types whose arguments the first pass needs; v has n values of the event at p. */
static const uint8_t *note(struct tp_v1_walk *w, unsigned type, const uint8_t *p, const uint64_t *v,
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
		if ((int64_t)v[0] <= 0) {
			if (w->opt->strict)
				return fault(w, "the clock's frequency is not positive");
			w->doubtful = true;
			break;
		}
		if ((int64_t)v[0] >= LEAST_FREQUENCY && !w->likely_frequency)
			w->likely_frequency = (int64_t)v[0];
		ix->ticks_per_sec = (int64_t)v[0];
		break;
	case TP_V1_TIMER_GOROUTINE:
		if (tp_ids_put(&ix->timers, v[0], 0))
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

static const uint8_t *string_entry(struct tp_v1_walk *w, const uint8_t *p)
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
	if (tp_ids_get(&w->ix->strings, id) != TP_NO_ID && !w->opt->strict)
		return c.at;
	if (tp_ids_get(&w->ix->strings, id) != TP_NO_ID)
		return fault(w, "the string %llu is defined twice", (unsigned long long)id);
	w->code = tp_dict_string(w->trace->dict, text.data, text.size, &known);
	if (!w->code)
		w->code = tp_ids_put(&w->ix->strings, id, known);
	return w->code ? broken(w, w->code) : c.at;
}

/* Steps over one event and records what the first pass needs. Returns NULL at a fault. */
static const uint8_t *step(struct tp_v1_walk *w, const uint8_t *start)
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
	/* After a loss, entries of tables need no batch. */
	if (form != TP_V1_BAD && !w->batch && (wire->shape[type].timed || !ix->damaged))
		return fault(w, "an event comes before the first batch");
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
		n = tp_v1_read_values(args, p, v, 8);
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
			n = tp_v1_read_values(args, p, v, 8);
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
	ix->due[kind] = tp_many(n, sizeof(*ix->due[kind]));
	if (!ix->due[kind])
		return TP_ENOMEM;
	for (uint32_t i = 0; i < ix->nbatches; i++)
		if (ix->batches[i].need[kind] != INT64_MAX)
			ix->due[kind][ix->ndue[kind]++] = i;
	qsort_r(ix->due[kind], n, sizeof(*ix->due[kind]), by_need, &sorting);
	return 0;
}

/* Estimates the latest time of an event: the last batch lasts no longer than the trace before it;
 * for a short trace, some minutes. */
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

static int look_up(struct tp_v1_walk *w, const uint8_t *p)
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

/* Steps over events of form TP_V1_INLINE from p on that start before `stop`; TP_V1_FAST_ROOM bytes
 * must be readable from the start of each. */
static const uint8_t *walk_plain(struct tp_v1_walk *w, const uint8_t *p, const uint8_t *stop)
{
	const struct tp_v1_wire *wire = &w->ix->wire;

	while (p < stop) {
		const uint8_t *next;

		if (wire->form[*p] == TP_V1_SIZED && p[1] <= TP_V1_FAST_ROOM - 8)
			next = p + 2 + p[1];
		else
			next = tp_v1_skip_inline(wire, p);
		if (!next)
			break;
		w->tally[*p] += TALLY_ONE + (uint64_t)(next - p);
		p = next;
	}
	return p;
}

/* Moves the counts of walk_plain() into the index, before they can overflow. */
static void add_tally(struct tp_v1_walk *w)
{
	for (unsigned b = 0; b < 256; b++) {
		w->ix->counts[b & 63] += w->tally[b] / TALLY_ONE;
		w->ix->bytes[b & 63] += w->tally[b] % TALLY_ONE;
		w->tally[b] = 0;
	}
}

static int walk(struct tp_v1_walk *w, const uint8_t *p)
{
	struct tp_v1_index *ix = w->ix;
	const uint8_t *safe = w->end - p > TP_V1_FAST_ROOM ? w->end - TP_V1_FAST_ROOM : p;

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
			p = tp_v1_recover(w, p);
			if (w->code)
				return tp_nomem(w->err);
			continue;
		}
		ix->counts[type]++;
		ix->bytes[type] += (uint64_t)(next - p);
		p = next;
	}
	add_tally(w);
	tp_v1_end_batch(w, w->end);
	return look_up(w, w->end);
}

/* Records that the file was cut: its end, the frequency of the clock, is missing. (In strict mode
 * this becomes an error only after the order has been checked, as in Go.) */
static int note_missing_tables(struct tp_v1_walk *w)
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
	struct tp_v1_walk w = {.ix = ix, .in = in, .opt = opt, .trace = trace, .err = err};
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
	/* Go takes the last frequency, plausible or not; a damaged file is not trusted that far. */
	if (ix->damaged || w.doubtful)
		ix->ticks_per_sec = w.likely_frequency;
	if (!code && !ix->ticks_per_sec)
		code = note_missing_tables(&w);
	if (!code)
		code = tp_v1_tables_finish(&w.tables, ix, opt, trace, err);
	tp_v1_tables_release(&w.tables);
	set_horizon(ix);
	if (!code && (list_due(ix, TP_V1_EXITS) || list_due(ix, TP_V1_SAMPLES)))
		code = tp_nomem(err);
	return code;
}

void tp_v1_index_release(struct tp_v1_index *ix)
{
	free(ix->batches);
	free(ix->chains);
	free(ix->due[TP_V1_EXITS]);
	free(ix->due[TP_V1_SAMPLES]);
	tp_ids_release(&ix->chain_of);
	tp_ids_release(&ix->strings);
	tp_ids_release(&ix->stacks);
	tp_ids_release(&ix->timers);
	memset(ix, 0, sizeof(*ix));
}
