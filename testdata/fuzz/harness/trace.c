/* The whole way of a trace: decoding and ordering alone, with what must hold of their result; then
 * an import into a store, what is read back from it, and reports. */
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "fuzz.h"
#include "order/raw.h"
#include "order/read.h"
#include "store/tables.h"

struct seen {
	const struct tp_trace *trace;
	int64_t first, last;
	uint64_t events, hash;
};

/* Times count from the first event, as they do in a store. */
static void add(struct seen *seen, struct tp_event e)
{
	e.ts = (int64_t)((uint64_t)e.ts - (uint64_t)seen->first);
	seen->hash = XXH3_64bits_withSeed(&e, sizeof(e), seen->hash);
	seen->events++;
}

static int check_events(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct seen *seen = ctx;

	(void)err;
	for (size_t i = 0; i < n; i++) {
		const struct tp_event *e = &ev[i];

		MUST(!seen->events || e->ts >= seen->last);
		MUST(e->type < TP_NEVENT_TYPES && tp_event_descs[e->type].wire);
		MUST(e->from < TP_NSTATES && e->to < TP_NSTATES);
		MUST(e->g == TP_NONE || e->g < seen->trace->ng);
		MUST(e->m == TP_NONE || e->m < seen->trace->nm);
		MUST(e->p == TP_NONE || e->p < seen->trace->np);
		if (!seen->events)
			seen->first = e->ts;
		seen->last = e->ts;
		add(seen, *e);
	}
	return 0;
}

/* Decoding and ordering alone; false for an error. */
static bool order(const uint8_t *data, size_t size, enum tp_format format, bool strict,
		  struct seen *seen)
{
	struct tp_trace_options opt = {.strict = strict};
	struct tp_trace trace;
	struct tp_sink sink = {.events = check_events, .ctx = seen};
	struct tp_input *in;
	struct tp_err err = {0};
	int code;

	*seen = (struct seen){.trace = &trace};
	MUST(!tp_input_from_memory(&in, data, size, &err));
	code = tp_trace_read(in, &opt, &trace, &sink, &err);
	if (code) {
		MUST(code == err.code);
		MUST_SAY(err);
	} else {
		MUST(trace.events == seen->events);
		MUST(!seen->events || trace.last_ts >= seen->last);
		/* Where a thread runs when its processor's first event comes is inferred from that. */
		MUST(!strict || !trace.inferred || format == TP_FORMAT_TRACE_SCHED);
	}
	tp_trace_release(&trace);
	tp_input_close(in);
	return !code;
}

/* What the file says, event by event. */
static void list_raw(const uint8_t *data, size_t size)
{
	struct tp_buf text = {0};
	struct tp_raw_event ev;
	struct tp_raw *raw;
	struct tp_err err = {0};
	uint64_t end = 0;
	int more;

	if (tp_raw_open(&raw, data, size, &err)) {
		MUST_SAY(err);
		return;
	}
	while ((more = tp_raw_next(raw, &ev, &err)) > 0) {
		MUST(ev.offset >= end && ev.size <= size - ev.offset);
		end = ev.offset;
		MUST(tp_raw_name(raw, ev.type));
		if (text.size < 100000)
			MUST(!tp_raw_line(&ev, &text));
	}
	if (more < 0)
		MUST_SAY(err);
	tp_raw_close(raw);
	tp_buf_release(&text);
}

static void read_back(struct fuzz_store *f, const struct seen *seen)
{
	struct tp_event_range all = {INT64_MIN, INT64_MAX, 0, INT64_MAX};
	struct seen kept = {0};
	struct tp_event_reader *reader;
	struct tp_dict *dict;
	struct tp_err err;
	const struct tp_event *ev;
	size_t n;
	int more;

	MUST(!tp_dict_load(f->s, f->result.run, &dict, &err));
	for (int t = 0; t < TP_NTABLES; t++) {
		struct tp_rows rows;

		MUST(!tp_rows_load(f->s, f->result.run, (enum tp_table_id)t, 0, &rows, &err));
		tp_rows_release(&rows);
	}
	MUST(!tp_events_open(&reader, f->s, f->result.run, &all, &err));
	while ((more = tp_events_next(reader, &ev, &n, &err)) > 0) {
		for (size_t i = 0; i < n; i++) {
			MUST(ev[i].stack < tp_dict_stacks(dict));
			MUST(ev[i].str < tp_dict_strings(dict));
			add(&kept, ev[i]);
		}
	}
	MUST(more == 0 && (int64_t)kept.events == f->result.events);
	MUST(kept.events == seen->events && kept.hash == seen->hash);
	tp_events_close(reader);
	tp_dict_free(dict);
}

void fuzz_trace(const uint8_t *data, size_t size, enum tp_format format)
{
	uint64_t pick = fuzz_hash(data, size);
	bool on = fuzz_goes_on(pick);
	struct tp_import_options opt = {.threads = 1};
	struct tp_recognition what;
	struct seen strict, seen;
	struct fuzz_store f;
	struct tp_err err;
	bool sound;

	if (tp_recognise(data, size, &what, &err) || what.format != format)
		return;
	sound = order(data, size, format, true, &strict);
	if (order(data, size, format, false, &seen)) {
		/* What Go's reader would take is not mended. */
		MUST(!sound || (seen.events == strict.events && seen.hash == strict.hash));
	} else {
		MUST(!sound);
	}
	if (!fuzz_pick(&pick, 8))
		list_raw(data, size);
	opt.threads = fuzz_pick(&pick, 32) ? 1 : 2;
	opt.store.compress = !fuzz_pick(&pick, 4);
	opt.store.materialize = !fuzz_pick(&pick, 32);
	if (!on || !fuzz_import(data, size, &opt, &f))
		return;
	MUST(!f.result.profile);
	read_back(&f, &seen);
	if (!(size % 4))
		fuzz_library(&f, data, size);
	fuzz_trace_reports(&f, pick);
	fuzz_close(&f);
}
