#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "base/many.h"
#include "store/trace_row.h"
#include "timeline/timeline.h"

/* The numbers of both headers are the same. */
#define TP_X(name, ...) _Static_assert((int)TPROF_EV_##name == (int)TP_EV_##name, #name);
TP_EVENT_TYPES(TP_X)
#undef TP_X
#define TP_X(name, text) _Static_assert((int)TPROF_ST_##name == (int)TP_ST_##name, #name);
TP_STATES(TP_X)
#undef TP_X

/* ---- ids ---- */

/* In a damaged store an index may have no row; its id is then TPROF_NONE. */
static int64_t g_id(const struct tprof *t, int64_t index)
{
	return index >= 0 && (uint64_t)index < t->ids.ng ? (int64_t)t->ids.g[index] : TPROF_NONE;
}

static int64_t m_id(const struct tprof *t, uint32_t index)
{
	return index < t->ids.nm ? (int64_t)t->ids.m[index] : TPROF_NONE;
}

static int64_t p_id(const struct tprof *t, uint32_t index)
{
	return index < t->ids.np ? t->ids.p[index] : TPROF_NONE;
}

static int load_column(struct tprof *t, enum tp_table_id table, unsigned column,
		       struct tp_rows *rows)
{
	return tp_rows_load(t->store, t->info.run, table, UINT32_C(1) << column, rows, &t->err);
}

/* ---- batches ---- */

static int begin_stored(struct tprof *t)
{
	unsigned goid = TP_COL(GOROUTINE, goid), mid = TP_COL(THREAD, id), pid = TP_COL(PROC, id);
	int code = 0;

	if (!t->stored_dict)
		code = tp_dict_load(t->store, t->info.run, &t->stored_dict, &t->err);
	t->dict = t->stored_dict;
	if (!code && t->reading == API_GOROUTINES)
		code =
		    tp_rows_load(t->store, t->info.run, TP_TABLE_GOROUTINE, 0, &t->g_rows, &t->err);
	else if (!code)
		code = load_column(t, TP_TABLE_GOROUTINE, goid, &t->g_rows);
	if (!code)
		code = load_column(t, TP_TABLE_THREAD, mid, &t->m_rows);
	if (!code)
		code = load_column(t, TP_TABLE_PROC, pid, &t->p_rows);
	if (code)
		return code;
	t->ids = (struct api_ids){
	    .g = (const uint64_t *)t->g_rows.col[goid],
	    .m = (const uint64_t *)t->m_rows.col[mid],
	    .p = t->p_rows.col[pid],
	    .ng = t->g_rows.nrows,
	    .nm = t->m_rows.nrows,
	    .np = t->p_rows.nrows,
	};
	if (t->reading == API_GOROUTINES)
		return 0;
	t->stored = tp_many(TP_BLOCK_EVENTS, sizeof(*t->stored));
	return t->stored ? tp_events_open(&t->reader, t->store, t->info.run, NULL, &t->err)
			 : tp_nomem(&t->err);
}

static int begin_dump(struct tprof *t)
{
	struct tp_trace_options how = {
	    .strict = t->opt.strict,
	    .progress = t->opt.progress,
	    .progress_ctx = t->opt.ctx,
	};
	int code = tp_dump_begin_trace(&t->dump, t->path, &how, &t->err);

	return code ? code : tp_pull_new(&t->pull, t->dump.in, &how, &t->trace, &t->err);
}

/* Copies the pointers to a dump's ids and dictionary again, as both may move with every batch. */
static void look_again(struct tprof *t)
{
	const struct tp_trace *trace = &t->trace;

	t->dict = trace->dict;
	t->start_ns = trace->first_ts;
	t->ids = (struct api_ids){trace->g_id, trace->m_id, trace->p_id,
				  trace->ng,   trace->nm,   trace->np};
}

static int end_dump(struct tprof *t)
{
	char unnamed[TP_SYMBOL_REMARK] = "";
	struct tp_run row;
	int code = tp_dump_end_trace(&t->dump, &t->trace, unnamed, &t->err);

	look_again(t);
	tp_trace_row(&row, &t->trace);
	t->info.wall_ns = row.wall_ns;
	t->info.duration_ns = row.duration_ns;
	t->info.events = row.events;
	t->info.ticks = row.ticks;
	return code;
}

/* Reads the next block of a store. Times there count from the start of the run; they are converted back to
 * the trace's clock, whose 0 has a meaning for spans (timeline/span.h). */
static int next_stored(struct tprof *t)
{
	int more = tp_events_read(t->reader, t->stored, &t->n, &t->err);

	for (size_t i = 0; more == 1 && i < t->n; i++)
		t->stored[i].ts = (int64_t)((uint64_t)t->stored[i].ts + (uint64_t)t->start_ns);
	t->batch = t->stored;
	return more;
}

/* Reads the next batch of events. */
static int next_batch(struct tprof *t)
{
	int more = t->pull ? tp_pull_next(t->pull, &t->batch, &t->n, &t->err) : next_stored(t);

	t->at = 0;
	if (more == 1 && t->pull)
		look_again(t);
	if (more == 1 && t->n)
		t->last_ts = t->batch[t->n - 1].ts;
	if (!more && t->pull)
		more = end_dump(t);
	return more;
}

/* ---- the goroutines of a dump ---- */

static int keep_goroutine(void *ctx, enum tp_table_id table, const int64_t *values,
			  struct tp_err *err)
{
	struct tprof *t = ctx;
	struct tp_rows *rows = &t->g_rows;
	size_t room = 0;

	if (table != TP_TABLE_GOROUTINE)
		return 0;
	for (unsigned c = 0; c < tp_tables[table].ncolumns; c++) {
		room = t->g_room;
		if (tp_grow_raw(&rows->col[c], &room, rows->nrows, sizeof(int64_t)))
			return tp_nomem(err);
		rows->col[c][rows->nrows] = values[c];
	}
	t->g_room = room;
	rows->nrows++;
	return 0;
}

static int keep_no_segment(void *ctx, const struct tp_segment *s, struct tp_err *err)
{
	(void)ctx, (void)s, (void)err;
	return 0;
}

/* Reads a dump to its end and computes its rows of goroutines as an import does. */
static int sum_up(struct tprof *t)
{
	struct tp_timeline_sink sink = {keep_goroutine, keep_no_segment, t};
	struct tp_timeline *timeline = tp_timeline_new_to(&sink);
	int more = 1, code = 0;

	if (!timeline)
		return tp_nomem(&t->err);
	while (!code && more == 1) {
		more = next_batch(t);
		if (more == 1)
			code = tp_timeline_feed(timeline, t->batch, t->n, &t->err);
	}
	if (!code)
		code = more ? more : tp_timeline_finish(timeline, &t->trace, &t->err);
	tp_timeline_free(timeline);
	return code;
}

/* ---- beginning and end ---- */

/* Begins to read the trace as `reading` unless reading has begun. Returns t->more. */
static int begin(struct tprof *t, enum api_reading reading)
{
	int code;

	if (t->reading)
		return t->more;
	t->reading = reading;
	code = t->store ? begin_stored(t) : begin_dump(t);
	if (!code && reading == API_GOROUTINES && !t->store)
		code = sum_up(t);
	return t->more = code ? code : 1;
}

void api_trace_end(struct tprof *t)
{
	tp_pull_free(t->pull);
	t->pull = NULL;
	tp_events_close(t->reader);
	t->reader = NULL;
	free(t->stored);
	t->stored = NULL;
	t->at = t->n = 0;
	tp_spans_free(t->machine);
	t->machine = NULL;
	free(t->spans);
	t->spans = NULL;
	t->span_at = t->nspans = t->span_room = 0;
	tp_rows_release(&t->g_rows);
	tp_rows_release(&t->m_rows);
	tp_rows_release(&t->p_rows);
	t->g_at = t->g_room = 0;
	t->ids = (struct api_ids){0};
	if (!t->store) {
		tp_trace_release(&t->trace);
		memset(&t->trace, 0, sizeof(t->trace));
		t->start_ns = 0;
		if (!t->profile)
			t->dict = NULL;
	}
}

/* ---- events ---- */

static const char *text_of(const struct tprof *t, uint32_t string, size_t *size)
{
	struct tp_text text = {"", 0};

	if (string)
		text = tp_dict_text(t->dict, string);
	*size = text.size;
	return text.text;
}

static void show_event(struct tprof *t, const struct tp_event *ev)
{
	const struct tp_event_desc *desc = &tp_event_descs[ev->type];
	struct tprof_event *e = &t->event;

	e->ts_ns = api_time(t, ev->ts);
	e->goroutine = g_id(t, ev->g);
	e->m = m_id(t, ev->m);
	e->p = p_id(t, ev->p);
	e->type = ev->type;
	e->name = desc->wire;
	e->subject = desc->subject == 'G'   ? g_id(t, ev->subject)
		     : desc->subject == 'P' ? p_id(t, ev->subject)
					    : TPROF_NONE;
	e->from = ev->from;
	e->to = ev->to;
	e->stack = ev->stack;
	e->subject_stack = tp_event_own_stack(ev);
	e->text = text_of(t, ev->str, &e->text_size);
	e->message = text_of(t, ev->type == TP_EV_LOG ? ev->str2 : 0, &e->message_size);
	memcpy(e->arg, ev->arg, sizeof(e->arg));
	e->inferred = ev->flags & TP_EVF_INFERRED;
	e->lost = ev->flags & TP_EVF_LOST;
}

int tprof_next(struct tprof *t, const struct tprof_event **ev, struct tprof_err *err)
{
	int more = api_refuse(t, API_EVENTS, err);

	*ev = NULL;
	if (more)
		return more;
	more = begin(t, API_EVENTS);
	while (more == 1 && t->at == t->n)
		more = t->more = next_batch(t);
	if (more != 1)
		return api_give(t, more, err);
	show_event(t, &t->batch[t->at++]);
	*ev = &t->event;
	return 1;
}

/* ---- spans ---- */

static int keep_span(void *ctx, const struct tp_span *span, struct tp_err *err)
{
	struct tprof *t = ctx;

	if (tp_grow_raw(&t->spans, &t->span_room, t->nspans, sizeof(*t->spans)))
		return tp_nomem(err);
	t->spans[t->nspans++] = *span;
	return 0;
}

static void show_span(struct tprof *t, const struct tp_span *span)
{
	t->span = (struct tprof_span){
	    .start_ns = api_time(t, span->start),
	    .end_ns = api_time(t, span->end),
	    .goroutine = g_id(t, span->goroutine),
	    .state = span->state,
	    .reason = api_text(t, span->reason),
	    .stack = span->stack,
	    .m = m_id(t, span->m),
	    .p = p_id(t, span->p),
	    .waker = g_id(t, span->waker),
	    .waker_stack = span->waker_stack,
	    .open = span->open,
	    .inferred = span->inferred,
	};
}

/* Reads the next batch and completes spans from it, possibly zero. */
static int next_spans(struct tprof *t)
{
	int more, code;

	t->span_at = t->nspans = 0;
	if (!t->machine)
		t->machine = tp_spans_new();
	if (!t->machine)
		return tp_nomem(&t->err);
	more = next_batch(t);
	if (more < 0)
		return more;
	if (more)
		code = tp_spans_feed(t->machine, t->batch, t->n, keep_span, t, &t->err);
	else
		code = tp_spans_finish(t->machine, t->last_ts, keep_span, t, &t->err);
	return code ? code : more;
}

int tprof_next_span(struct tprof *t, const struct tprof_span **span, struct tprof_err *err)
{
	int more = api_refuse(t, API_SPANS, err);

	*span = NULL;
	if (more)
		return more;
	more = begin(t, API_SPANS);
	/* The end completes the last spans. */
	while (more == 1 && t->span_at == t->nspans)
		more = t->more = next_spans(t);
	if (more < 0 || t->span_at == t->nspans)
		return api_give(t, more, err);
	show_span(t, &t->spans[t->span_at++]);
	*span = &t->span;
	return 1;
}

/* ---- goroutines ---- */

#define VALUE(column) (t->g_rows.col[TP_COL(GOROUTINE, column)][row])

static void show_goroutine(struct tprof *t, size_t row)
{
	t->goroutine = (struct tprof_goroutine){
	    .id = g_id(t, (int64_t)row),
	    .life = VALUE(life) == TP_NULL ? 1 : (int)VALUE(life),
	    .name = api_text(t, (uint32_t)VALUE(name)),
	    .parent = g_id(t, VALUE(parent)),
	    .create_stack = (uint32_t)VALUE(create_stack),
	    .created_ns = VALUE(created_ns),
	    .started_ns = VALUE(started_ns),
	    .ended_ns = VALUE(ended_ns),
	    .total_ns = VALUE(total_ns),
	    .running_ns = VALUE(running_ns),
	    .runnable_ns = VALUE(runnable_ns),
	    .blocked_ns = VALUE(blocked_ns),
	    .syscall_ns = VALUE(syscall_ns),
	    .syscall_blocked_ns = VALUE(syscall_blocked_ns),
	    .lost_ns = VALUE(lost_ns),
	    .last_state = (int)VALUE(last_state),
	};
}

int tprof_next_goroutine(struct tprof *t, const struct tprof_goroutine **g, struct tprof_err *err)
{
	int more = api_refuse(t, API_GOROUTINES, err);

	*g = NULL;
	if (more)
		return more;
	more = begin(t, API_GOROUTINES);
	if (more == 1 && t->g_at == t->g_rows.nrows)
		more = t->more = 0;
	if (more != 1)
		return api_give(t, more, err);
	show_goroutine(t, t->g_at++);
	*g = &t->goroutine;
	return 1;
}

const char *tprof_state_name(int state)
{
	return state >= 0 && state < TP_NSTATES ? tp_state_names[state] : "";
}
