/* Exports of a trace: tables, listings, Perfetto, and a cut, which Go's reader must take, whatever
 * the trace was. */
#include <string.h>

#include "clock/clock.h"
#include "export/anonymise.h"
#include "export/cut/cut.h"
#include "export/footprint.h"
#include "export/parsed.h"
#include "export/perfetto/perfetto.h"
#include "export/tables.h"
#include "fuzz.h"
#include "order/read.h"
#include "store/tables.h"

static int write_buf(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)err;
	MUST(!tp_buf_put(ctx, data, size));
	return 0;
}

static int no_events(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	uint64_t *events = ctx;

	(void)ev;
	(void)err;
	*events += n;
	return 0;
}

/* What was cut out is a sound trace. */
static void read_cut(const struct tp_buf *cut)
{
	const struct tp_trace_options opt = {.strict = true};
	uint64_t events = 0;
	const struct tp_sink sink = {.events = no_events, .ctx = &events};
	struct tp_trace trace;
	struct tp_input *in;
	struct tp_err err = {0};

	MUST(!tp_input_from_memory(&in, cut->data, cut->size, &err));
	if (tp_trace_read(in, &opt, &trace, &sink, &err)) {
		fprintf(stderr, "a cut is no trace: %s\n", err.msg);
		abort();
	}
	tp_trace_release(&trace);
	tp_input_close(in);
}

static void cut(struct fuzz_store *f, uint64_t *pick)
{
	struct rep_anonymise a = {.all = fuzz_pick(pick, 2)};
	struct rep_cut_options opt = REP_CUT_OPTIONS_INIT;
	size_t n = (size_t)f->run->row.goroutines;
	uint8_t *wanted = NULL;
	struct rep_cut_result result;
	struct rep_clock clock = {0};
	struct tp_buf bytes = {0};
	const struct tp_out out = {write_buf, &bytes};
	struct tp_err err = {0};
	int code;

	if (fuzz_pick(pick, 2))
		opt.from_ns = f->run->row.duration_ns / 3;
	if (fuzz_pick(pick, 2))
		opt.to_ns = f->run->row.duration_ns / 3 * 2;
	if (n && n < 100000 && !fuzz_pick(pick, 3)) {
		wanted = calloc(n, 1);
		MUST(wanted);
		for (size_t i = 0; i < n; i++)
			wanted[i] = (uint8_t)fuzz_pick(pick, 2);
		opt.wanted = wanted;
		opt.ngoroutines = n;
		opt.wakers = fuzz_pick(pick, 2);
	}
	rep_anonymise_key(&a, "key", 3);
	if (fuzz_pick(pick, 2))
		opt.anonymise = &a;
	code = rep_clock_load(f->s, f->run, &clock, &err);
	opt.clock = &clock;
	MUST_WORK(f, code, err);
	if (!code && rep_cut(f->s, f->run, &opt, &out, &result, &err))
		MUST_SAY(err);
	else if (!code && !f->hostile)
		read_cut(&bytes);
	rep_clock_release(&clock);
	tp_buf_release(&bytes);
	free(wanted);
}

static void perfetto(struct fuzz_store *f, uint64_t *pick)
{
	const struct rep_perfetto_clock clock = {.unix_time = fuzz_pick(pick, 2)};
	struct rep_perfetto_run run = {.name = "run", .from_ns = INT64_MIN, .to_ns = INT64_MAX};
	struct rep_perfetto *p;
	struct tp_buf bytes = {0};
	const struct tp_out out = {write_buf, &bytes};
	struct tp_err err = {0};

	if (fuzz_pick(pick, 2))
		run.from_ns = f->run->row.duration_ns / 4;
	if (fuzz_pick(pick, 2))
		run.to_ns = f->run->row.duration_ns / 2;
	MUST(!rep_perfetto_begin(&p, &out, &clock, &err));
	if (rep_perfetto_run(p, f->s, f->run, &run, &err) || rep_perfetto_end(p, &err))
		MUST_SAY(err);
	rep_perfetto_free(p);
	fuzz_printable(&bytes);
	tp_buf_release(&bytes);
}

static void tables(struct fuzz_store *f, uint64_t *pick)
{
	const char *name;

	for (unsigned i = fuzz_pick(pick, 3); (name = rep_export_table_name(i)); i += 3) {
		struct tp_buf text = {0};
		struct rep_output *out = fuzz_paper(&text, pick, false);
		struct tp_err err = {0};
		uint64_t rows;

		if (rep_export_table_any(f->s, f->run->row.id, name, &err) < 0)
			MUST_WORK(f, err.code, err);
		fuzz_paper_end(out, &text,
			       rep_export_table(f->s, f->run->row.id, name, out, &rows, &err),
			       &err);
	}
}

static void footprint(struct fuzz_store *f, uint64_t *pick)
{
	struct rep_footprint fp;
	struct tp_err err = {0};

	if (rep_footprint_of_run(&fp, f->s, &f->run->row, &err)) {
		MUST_SAY(err);
	} else {
		struct tp_buf text = {0};
		struct rep_output *out = fuzz_paper(&text, pick, false);

		fuzz_paper_end(out, &text, rep_footprint_print(&fp, out, &err), &err);
	}
	rep_footprint_release(&fp);
}

#define EVENTS 2000 /* so that one input does not take for ever */

static int load_ids(struct fuzz_store *f, struct tp_rows *g, struct tp_rows *m, struct tp_rows *p,
		    struct tp_dict **dict, struct tp_err *err)
{
	int64_t run = f->run->row.id;
	int code =
	    tp_rows_load(f->s, run, TP_TABLE_GOROUTINE, 1u << TP_COL(GOROUTINE, goid), g, err);

	if (!code)
		code = tp_rows_load(f->s, run, TP_TABLE_THREAD, 1u << TP_COL(THREAD, id), m, err);
	if (!code)
		code = tp_rows_load(f->s, run, TP_TABLE_PROC, 1u << TP_COL(PROC, id), p, err);
	return code ? code : tp_dict_load(f->s, run, dict, err);
}

static void listing(struct fuzz_store *f, uint64_t *pick)
{
	const struct tp_event_range all = {INT64_MIN, INT64_MAX, 0, INT64_MAX};
	bool parsed = fuzz_pick(pick, 2);
	struct rep_parsed p = {0};
	struct tp_rows g = {0}, m = {0}, procs = {0};
	struct tp_event_reader *reader;
	struct tp_dict *dict = NULL;
	struct tp_listing l;
	struct tp_buf text = {0};
	const struct tp_event *ev;
	struct tp_err err = {0};
	size_t n, events = 0;
	int code, more = 0;

	code = load_ids(f, &g, &m, &procs, &dict, &err);
	MUST_WORK(f, code, err);
	if (code)
		goto done;
	l = (struct tp_listing){.dict = dict,
				.g_id = (const uint64_t *)g.col[TP_COL(GOROUTINE, goid)],
				.m_id = (const uint64_t *)m.col[TP_COL(THREAD, id)],
				.p_id = procs.col[TP_COL(PROC, id)],
				.ng = (uint32_t)g.nrows,
				.nm = (uint32_t)m.nrows,
				.np = (uint32_t)procs.nrows,
				.start_ns = f->run->row.start_ns};
	if (parsed)
		code = rep_parsed_init(&p, f->s, &f->run->row, &l, &err);
	if (!code)
		code = tp_events_open(&reader, f->s, f->run->row.id, &all, &err);
	MUST_WORK(f, code, err);
	if (code)
		goto done;
	while (!code && events < EVENTS && (more = tp_events_next(reader, &ev, &n, &err)) > 0) {
		for (size_t i = 0; i < n && events < EVENTS && !code; i++, events++) {
			text.size = text.size > 100000 ? 0 : text.size;
			code = parsed ? rep_parsed_event(&p, &ev[i], &text)
				      : tp_listing_line(&l, &ev[i], &text);
			MUST(!code || f->hostile);
		}
	}
	if (!code && more < 0)
		MUST_WORK(f, more, err);
	tp_events_close(reader);
done:
	rep_parsed_release(&p);
	tp_buf_release(&text);
	tp_dict_free(dict);
	tp_rows_release(&g);
	tp_rows_release(&m);
	tp_rows_release(&procs);
}

void fuzz_export(struct fuzz_store *f, uint64_t pick)
{
	switch (fuzz_pick(&pick, 8)) {
	case 0:
	case 1:
	case 2:
		cut(f, &pick);
		break;
	case 3:
	case 4:
		perfetto(f, &pick);
		break;
	case 5:
		tables(f, &pick);
		break;
	case 6:
		footprint(f, &pick);
		break;
	default:
		listing(f, &pick);
		break;
	}
}
