/* Reads a trace of go 1.22 and later as Go's reader does (internal/trace/reader.go): one generation
 * after the other, with a Sync event before each and after the last. Where Go's reader gives up,
 * salvage takes over, unless the caller is strict. */
#include <stdlib.h>
#include <string.h>

#include "decode/v2/tables.h"
#include "order/v2/salvage.h"

/* Records the clock and the counts of a loaded generation. */
int tp_v2_note_generation(struct tp_v2_order *o)
{
	const struct tp_v2_generation *g = &o->g;
	struct tp_trace *t = o->trace;
	struct tp_v2_wire_stat *w = o->wire;

	t->generations++;
	if (t->ns_per_tick == 0)
		t->ns_per_tick = g->ns_per_tick;
	w[TP_V2_String].events += g->nstrings;
	w[TP_V2_String].bytes += g->wire_bytes[TP_V2_BATCH_STRINGS];
	w[TP_V2_Stack].events += g->nstacks;
	w[TP_V2_Stack].with_stack += g->nstacks;
	w[TP_V2_Stack].bytes += g->wire_bytes[TP_V2_BATCH_STACKS];
	w[TP_V2_CPUSample].bytes += g->wire_bytes[TP_V2_BATCH_SAMPLES];
	w[TP_V2_Sync].events++;
	w[TP_V2_Sync].bytes += g->wire_bytes[TP_V2_BATCH_SYNC];
	w[TP_V2_ExperimentalBatch].bytes += g->wire_bytes[TP_V2_BATCH_EXPERIMENTAL];
	w[TP_V2_EventBatch].bytes += g->wire_bytes[TP_V2_BATCH_EVENTS] - g->events_bytes;
	if (g->has_clock) {
		struct tp_clock clock = {.ts = tp_v2_ns(g->ns_per_tick, g->clock_ticks),
					 .mono_ns = (int64_t)g->clock_mono,
					 .wall_sec = (int64_t)g->clock_sec,
					 .wall_nsec = (int32_t)g->clock_nsec};

		if (tp_trace_add_clock(t, &clock))
			return tp_nomem(o->err);
	}
	return 0;
}

/* Ends a generation and releases its pages, which are not needed again. */
void tp_v2_end_generation(struct tp_v2_order *o)
{
	tp_v2_state_next_generation(&o->s);
	tp_input_done_with(o->in, (size_t)o->g.from, (size_t)o->g.to);
	o->consumed = o->g.to;
	o->g.last_number = o->g.number;
	o->g.last_min_time = o->g.min_time;
	o->f.consumed = 0;
}

/* Go's reader delivers a Sync before it reports that a generation cannot be read. */
static int sync_then(struct tp_v2_order *o, int code)
{
	int sync = tp_v2_order_sync(o, o->last_ts, 0);

	return sync ? sync : code;
}

/* Reads generations until the end (returns 0) or a fault. After a fault, *offset is the beginning of
 * the generation that cannot be read or, if the fault occurred while ordering it (o->ran), of the next
 * one; *at is the cursor at fault, if there is one. `more`: generations were read before. */
static int read_strictly(struct tp_v2_order *o, uint64_t *offset, bool more,
			 struct tp_v2_cursor **at)
{
	bool strict = o->opt->strict, late = o->trace->version < 26;
	enum tp_v2_end end = TP_V2_END_NEXT;
	struct tp_err late_err;
	int late_code = 0;

	for (;; more = true) {
		uint64_t start = *offset;
		int code;

		o->ran = false;
		if (late_code) { /* a bad batch is reported after its generation */
			*o->err = late_err;
			return sync_then(o, late_code);
		}
		if (late && more && (end != TP_V2_END_NEXT || start >= o->in->size))
			return tp_v2_order_sync(o, o->last_ts, 0);
		tp_v2_generation_begin(&o->g, o->in, o->trace->version);
		code = tp_v2_generation_scan(&o->g, offset, &end, o->err);
		if (code)
			return code;
		if (!late && end == TP_V2_END_FILE) {
			if (!o->g.nstreams)
				return tp_v2_order_sync(o, o->last_ts, 0);
			code = tp_err_set(o->err, TP_ETRUNC, o->g.from,
					  "generation %llu has no end: the trace is cut off",
					  (unsigned long long)o->g.number);
		} else if (end == TP_V2_END_FAULT || end == TP_V2_END_MIXED) {
			code = o->err->code;
			if (strict && late && end == TP_V2_END_FAULT && o->g.number) {
				late_err = *o->err;
				late_code = code;
				code = 0;
			}
		}
		if (!code)
			code = tp_v2_tables_load(&o->g, o->trace, false, o->err);
		if (code) {
			*offset = start;
			return strict ? sync_then(o, code) : code;
		}
		code = tp_v2_order_begin(o);
		if (code) {
			*offset = start;
			return code;
		}
		code = tp_v2_note_generation(o);
		if (!code)
			code = tp_v2_order_sync(o, tp_v2_ns(o->g.ns_per_tick, o->g.min_time),
						o->g.number);
		if (code)
			return code;
		o->ran = true;
		code = tp_v2_order_run(o, at);
		if (code)
			return code;
		tp_v2_end_generation(o);
	}
}

/* Reads strictly up to a fault, then by salvage until a generation is sound, then strictly again. */
static int read_all(struct tp_v2_order *o)
{
	uint64_t offset = TP_V2_HEADER_SIZE;
	struct tp_err first = {0};

	for (bool more = false;; more = true) {
		struct tp_v2_cursor *at = NULL;
		int code = read_strictly(o, &offset, more, &at);

		if (!code || o->opt->strict || o->sink_failed ||
		    (code != TP_EFORMAT && code != TP_ETRUNC))
			return code;
		if (!first.code)
			first = *o->err;
		code = tp_v2_salvage(o, &offset, at);
		if (code < 0)
			return code;
		if (!code)
			break;
	}
	tp_v2_order_count(o);
	for (unsigned i = 0; i < TP_V2_NWIRES; i++)
		if ((tp_v2_wires[i].timed || i == TP_V2_CPUSample) && o->wire[i].events)
			return 0;
	*o->err = first; /* nothing could be read */
	return first.code;
}

static int count_wires(struct tp_v2_order *o)
{
	tp_v2_order_count(o);
	for (unsigned i = 0; i < TP_V2_NWIRES; i++) {
		const struct tp_v2_wire_stat *w = &o->wire[i];

		if ((w->events || w->bytes) &&
		    tp_trace_count_wire(o->trace, tp_v2_wires[i].name, w->events, w->with_stack,
					w->bytes))
			return tp_nomem(o->err);
	}
	return 0;
}

/* Adds a notice if a recording has only a header; Go's reader accepts it as complete. */
static int note_bare(struct tp_v2_order *o)
{
	if (o->in->size > TP_V2_HEADER_SIZE)
		return 0;
	if (tp_trace_add_notice(
		o->trace, TP_WARNING, TP_OFFSET_NONE,
		"the trace is only a header: the program did not stop its recording "
		"(trace.Stop), or was killed at once"))
		return tp_nomem(o->err);
	return 0;
}

int tp_v2_read(struct tp_input *in, const struct tp_trace_options *opt, struct tp_trace *trace,
	       const struct tp_sink *sink, struct tp_err *err)
{
	struct tp_v2_order *o = aligned_alloc(_Alignof(struct tp_v2_order), sizeof(*o));
	struct tp_err own = {0};
	int code, flushed;

	if (!o)
		return tp_nomem(err);
	memset(o, 0, sizeof(*o));
	o->in = in;
	o->opt = opt;
	o->trace = trace;
	o->sink = sink;
	o->err = &own;
	tp_v2_order_room(o);
	tp_v2_state_init(&o->s, trace);
	code = read_all(o);
	/* Events ordered before a fault are still delivered; the fault stays the reported error. */
	if (code != TP_ENOMEM && code != TP_ECANCEL) {
		struct tp_err first = own;

		flushed = tp_v2_order_end(o);
		if (code)
			own = first;
		else
			code = flushed;
	}
	if (!code)
		code = count_wires(o);
	if (!code)
		code = note_bare(o);
	if (code && err)
		*err = own;
	tp_v2_state_release(&o->s);
	tp_v2_frontier_release(&o->f);
	tp_v2_generation_release(&o->g);
	free(o);
	return code;
}
