#include "decode/v2/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/cursor.h"
#include "decode/v2/sort.h"
#include "decode/v2/wire.h"

#define MAX_SAMPLES (16u << 20)

struct loader {
	struct tp_v2_generation *g;
	struct tp_trace *trace;
	bool lenient;
	struct tp_err *err;
	uint64_t batch;	      /* offset of the batch being read */
	struct tp_cursor c;   /* its data */
	struct tp_ids frames; /* PC → dictionary id of its frame */
};

typedef int read_entry(struct loader *l);

static int nomem(struct loader *l)
{
	return tp_nomem(l->err);
}

static uint64_t offset_of(const struct loader *l)
{
	return (uint64_t)(l->c.at - l->g->data);
}

/* Sets the error for a fault in the entry being read, unless the cursor has one. */
static int faulty(struct loader *l, const char *what)
{
	if (l->c.failed)
		what = tp_cursor_fault_text(l->c.failed);
	return tp_err_set(l->err, TP_EFORMAT, offset_of(l), "table batch at 0x%llx: %s",
			  (unsigned long long)l->batch, what);
}

static int insert(struct loader *l, struct tp_ids *ids, uint64_t id, uint32_t value,
		  uint64_t *count)
{
	if (tp_ids_get(ids, id) != TP_NO_ID)
		return l->lenient ? 0 : faulty(l, "two entries have the same id");
	if (tp_ids_put(ids, id, value))
		return nomem(l);
	++*count;
	return 0;
}

/* ---- one entry of each table ---- */

static int read_string(struct loader *l)
{
	uint64_t id = tp_cursor_uvarint(&l->c), size = tp_cursor_uvarint(&l->c);
	struct tp_slice s;
	uint32_t text;
	int code;

	if (!l->c.failed && size > TP_V2_MAX_STRING)
		return faulty(l, "a string is too long");
	s = tp_cursor_bytes(&l->c, size);
	if (l->c.failed)
		return faulty(l, "");
	code = tp_dict_string(l->trace->dict, s.data, s.size, &text);
	if (code)
		return tp_err_set(l->err, code, offset_of(l), "strings: the dictionary is full");
	return insert(l, &l->g->strings, id, text, &l->g->nstrings);
}

/* Interns a frame. As in Go's reader, the first frame of a PC in the generation counts. */
static int frame_of(struct loader *l, const uint64_t f[4], uint32_t *id)
{
	struct tp_dict *d = l->trace->dict;
	struct tp_function function = {0};
	struct tp_location location = {.address = f[0]};
	struct tp_frame frame = {.line = (int64_t)f[3]};
	int code;

	*id = tp_ids_get(&l->frames, f[0]);
	if (*id != TP_NO_ID)
		return 0;
	function.name = tp_ids_get(&l->g->strings, f[1]);
	function.file = tp_ids_get(&l->g->strings, f[2]);
	if (function.name == TP_NO_ID || function.file == TP_NO_ID) {
		if (!l->lenient)
			return faulty(l, "a frame names a string that is not in the string table");
		function.name = function.name == TP_NO_ID ? 0 : function.name;
		function.file = function.file == TP_NO_ID ? 0 : function.file;
	}
	code = tp_dict_function(d, &function, &frame.function);
	if (!code)
		code = tp_dict_location(d, &location, &frame.location);
	if (!code)
		code = tp_dict_frame(d, &frame, id);
	if (!code)
		code = tp_ids_put(&l->frames, f[0], *id);
	return code ? tp_err_set(l->err, code, offset_of(l), "stacks: the dictionary is full") : 0;
}

static int read_stack(struct loader *l)
{
	uint64_t id = tp_cursor_uvarint(&l->c), n = tp_cursor_uvarint(&l->c);
	uint64_t frame[TP_V2_MAX_FRAMES][4];
	uint32_t ids[TP_V2_MAX_FRAMES];
	uint32_t stack = 0;

	if (!l->c.failed && n > TP_V2_MAX_FRAMES)
		return faulty(l, "a stack has too many frames");
	for (uint64_t i = 0; i < n && !l->c.failed; i++)
		for (int k = 0; k < 4; k++)
			frame[i][k] = tp_cursor_uvarint(&l->c);
	if (l->c.failed)
		return faulty(l, "");
	for (uint64_t i = 0; i < n; i++) {
		int code = frame_of(l, frame[i], &ids[i]);

		if (code)
			return code;
	}
	for (uint64_t i = n; i-- > 0;) { /* the leaf comes first on the wire */
		int code = tp_dict_stack(l->trace->dict, stack, ids[i], &stack);

		if (code)
			return tp_err_set(l->err, code, offset_of(l),
					  "stacks: the dictionary is full");
	}
	if (n && !tp_dict_frame_name(l->trace->dict, ids[n - 1]))
		stack |= TP_V2_UNNAMED;
	return insert(l, &l->g->stacks, id, stack, &l->g->nstacks);
}

static int read_sample(struct loader *l)
{
	struct tp_v2_generation *g = l->g;
	struct tp_v2_sample s = {0};

	s.ts = tp_v2_ns(g->ns_per_tick, tp_cursor_uvarint(&l->c));
	s.m = tp_cursor_uvarint(&l->c);
	s.p = tp_cursor_uvarint(&l->c);
	s.g = tp_cursor_uvarint(&l->c);
	s.stack = tp_cursor_uvarint(&l->c);
	if (l->c.failed)
		return faulty(l, "");
	if (g->nsamples >= MAX_SAMPLES)
		return tp_err_set(l->err, TP_ELIMIT, offset_of(l),
				  "there are more than %u CPU samples", MAX_SAMPLES);
	if (tp_grow_raw(&g->samples, &g->samples_room, g->nsamples, sizeof(*g->samples)))
		return nomem(l);
	g->samples[g->nsamples++] = s;
	return 0;
}

static int read_frequency(struct loader *l)
{
	struct tp_v2_generation *g = l->g;
	uint64_t per_second = tp_cursor_uvarint(&l->c);

	if (l->c.failed)
		return faulty(l, "");
	if (g->ns_per_tick != 0)
		return faulty(l, "the frequency is given twice");
	if (l->lenient && !per_second)
		return faulty(l, "the frequency is 0");
	g->ns_per_tick = 1.0 / ((double)per_second / 1e9);
	return 0;
}

static int read_clock(struct loader *l, uint64_t batch_time)
{
	struct tp_v2_generation *g = l->g;

	if (g->has_clock)
		return faulty(l, "the clock snapshot is given twice");
	g->clock_ticks = batch_time + tp_cursor_uvarint(&l->c);
	g->clock_mono = tp_cursor_uvarint(&l->c);
	g->clock_sec = tp_cursor_uvarint(&l->c);
	g->clock_nsec = tp_cursor_uvarint(&l->c);
	if (l->c.failed)
		return faulty(l, "");
	g->has_clock = true;
	return 0;
}

/* ---- batches ---- */

static void open_piece(struct loader *l, const struct tp_v2_piece *p)
{
	l->batch = p->offset;
	l->c = tp_cursor(l->g->data + p->offset, p->size);
}

/* Handles a fault in a table: an error or, with `lenient`, a loss of the rest of the batch. */
static int give_up(struct loader *l, uint64_t at, int code)
{
	struct tp_loss loss = {.from_ns = INT64_MIN, .to_ns = INT64_MIN};

	if (!l->lenient || code != TP_EFORMAT)
		return code;
	loss.offset = at;
	loss.bytes = (uint64_t)(l->c.end - l->g->data) - at;
	memcpy(loss.reason, l->err->msg, sizeof(loss.reason) - 1);
	return tp_trace_add_loss(l->trace, &loss) ? nomem(l) : 0;
}

static int read_table(struct loader *l, enum tp_v2_batch_kind kind, uint8_t entry, read_entry *read)
{
	const struct tp_v2_generation *g = l->g;

	for (uint32_t at = g->tables[kind].first; at; at = g->pieces[at - 1].next) {
		open_piece(l, &g->pieces[at - 1]);
		tp_cursor_u8(&l->c); /* the type that made it a table */
		while (tp_cursor_left(&l->c)) {
			uint64_t start = offset_of(l);
			int code;

			if (tp_cursor_u8(&l->c) != entry)
				code = faulty(l, "an entry has another type");
			else
				code = read(l);
			if (code) {
				code = give_up(l, start, code);
				if (code)
					return code;
				break;
			}
		}
	}
	return 0;
}

/* Reads a single Frequency (before 1.25) or Sync { Frequency | ClockSnapshot } (later). */
static int read_sync(struct loader *l)
{
	const struct tp_v2_generation *g = l->g;

	for (uint32_t at = g->tables[TP_V2_BATCH_SYNC].first; at; at = g->pieces[at - 1].next) {
		uint64_t time = g->pieces[at - 1].time;

		open_piece(l, &g->pieces[at - 1]);
		if (g->version >= 25)
			tp_cursor_u8(&l->c);
		while (tp_cursor_left(&l->c)) {
			uint64_t start = offset_of(l);
			uint8_t type = tp_cursor_u8(&l->c);
			int code;

			if (type == TP_V2_Frequency) {
				code = read_frequency(l);
			} else if (type == TP_V2_ClockSnapshot && g->version >= 25) {
				code = read_clock(l, time);
				time = g->clock_ticks;
			} else {
				code = faulty(
				    l, "an entry is neither a frequency nor a clock snapshot");
			}
			if (code) {
				code = give_up(l, start, code);
				if (code)
					return code;
				break;
			}
		}
	}
	if (l->lenient) {
		if (g->ns_per_tick == 0)
			l->g->ns_per_tick = g->ns_fallback;
		return 0;
	}
	if (g->ns_per_tick == 0)
		return tp_err_set(l->err, TP_EFORMAT, g->from, "generation %llu has no frequency",
				  (unsigned long long)g->number);
	if (g->version >= 25 && !g->has_clock)
		return tp_err_set(l->err, TP_EFORMAT, g->from,
				  "generation %llu has no clock snapshot",
				  (unsigned long long)g->number);
	return 0;
}

static int sort_samples(struct loader *l)
{
	struct tp_v2_generation *g = l->g;
	size_t n = g->nsamples;
	struct tp_v2_entry *order;
	struct tp_v2_sample *sorted;

	if (!n)
		return 0;
	order = tp_many(n, sizeof(*order));
	sorted = tp_many(n, sizeof(*sorted));
	if (!order || !sorted) {
		free(order);
		free(sorted);
		return nomem(l);
	}
	for (size_t i = 0; i < n; i++)
		order[i] = (struct tp_v2_entry){.ts = g->samples[i].ts, .of = &g->samples[i]};
	tp_v2_sort(order, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = *(const struct tp_v2_sample *)order[i].of;
	free(order);
	free(g->samples);
	g->samples = sorted;
	g->samples_room = n;
	return 0;
}

int tp_v2_tables_load(struct tp_v2_generation *g, struct tp_trace *trace, bool lenient,
		      struct tp_err *err)
{
	struct tp_err own = {0};
	struct loader l = {.g = g, .trace = trace, .lenient = lenient, .err = err ? err : &own};
	int code;

	/* Id 0 stands for the empty string or stack. */
	if (tp_ids_put(&g->strings, 0, 0) || tp_ids_put(&g->stacks, 0, 0))
		return nomem(&l);
	code = read_sync(&l);
	if (!code)
		code = read_table(&l, TP_V2_BATCH_STRINGS, TP_V2_String, read_string);
	if (!code)
		code = read_table(&l, TP_V2_BATCH_STACKS, TP_V2_Stack, read_stack);
	if (!code)
		code = read_table(&l, TP_V2_BATCH_SAMPLES, TP_V2_CPUSample, read_sample);
	if (!code)
		code = sort_samples(&l);
	tp_ids_release(&l.frames);
	return code;
}
