/* Moves a span cursor: selects the segments of a run to read, restores the spans open at their
 * start, and returns those still open at their end. */
#include "base/many.h"
#include "sql/span.h"
#include "store/query.h"

#include <stdlib.h>
#include <string.h>

#define FEED 1024 /* events per call of the machine */

struct segment {
	int64_t first_block, blocks, from_ns;
};

void tp_span_leave_run(struct tp_span_cursor *c)
{
	tp_stream_close(c->stream);
	c->stream = NULL;
	tp_spans_free(c->spans);
	c->spans = NULL;
	tp_sql_run_put(c->run_ref);
	c->run_ref = NULL;
	c->crossings = NULL;
	c->at = c->n = 0;
}

static bool within(const struct tp_bounds *b, int64_t v)
{
	return v >= b->from && v <= b->to;
}

/* Adds a completed span to out[] if it matches the query. The span's times are on the trace's clock. */
static int take_span(void *ctx, const struct tp_span *span, struct tp_err *err)
{
	struct tp_span_cursor *c = ctx;
	int64_t start = tp_time_minus(span->start, c->run_start),
		end = tp_time_minus(span->end, c->run_start);
	struct tp_span *out;

	if (!(c->states >> span->state & 1) || !within(&c->start, start) || !within(&c->end, end) ||
	    !within(&c->dur, tp_time_minus(end, start)) ||
	    (c->want_g && span->goroutine != c->g_index) ||
	    (c->want_open && span->open != c->want_open_value))
		return 0;
	if (tp_grow_raw(&c->out, &c->room, c->n, sizeof(*c->out)))
		return tp_nomem(err);
	out = &c->out[c->n++];
	*out = *span;
	out->start = start;
	out->end = end;
	return 0;
}

static uint32_t index_of(int64_t value)
{
	return value >= 0 && value < TP_NONE ? (uint32_t)value : TP_NONE;
}

/* Sets *span to a row of span_crossing, with times on the trace's clock. Returns false if the row
 * is invalid. */
static bool crossing_span(const struct tp_span_cursor *c, size_t row, struct tp_span *span)
{
	int64_t *const *col = c->crossings->col;
#define CROSSING(column) col[TP_COL(SPAN_CROSSING, column)][row]
	int64_t g = CROSSING(goroutine), state = CROSSING(state);

	*span = (struct tp_span){
	    .start = tp_time_plus(CROSSING(start_ns), c->run_start),
	    .end = tp_time_plus(CROSSING(end_ns), c->run_start),
	    .goroutine = index_of(g),
	    .reason = (uint32_t)CROSSING(reason),
	    .stack = (uint32_t)CROSSING(stack),
	    .m = index_of(CROSSING(m)),
	    .p = index_of(CROSSING(p)),
	    .waker = index_of(CROSSING(waker)),
	    .waker_stack = (uint32_t)CROSSING(waker_stack),
	    .state = (uint8_t)(state > 0 && state < TP_NSTATES ? state : 0),
	    .open = CROSSING(open) == 1,
	    .inferred = CROSSING(inferred) == 1,
	};
	return span->state && span->goroutine < c->ng && (span->p == TP_NONE || span->p < c->np);
#undef CROSSING
}

/* Loads the segments of the run. *n is 0 if they are damaged; the whole run is then read. */
static int load_segments(struct tp_span_cursor *c, struct segment **out, size_t *n,
			 struct tp_err *err)
{
	struct tp_query q = tp_query(NULL, tp_store_db(tp_sql_store(c->sql)),
				     "SELECT id, first_block, blocks, from_ns FROM main.segment "
				     "WHERE run = ?1 ORDER BY id",
				     "i", c->run_id);
	struct segment *list = NULL;
	size_t room = 0;
	bool sound = true;

	*n = 0;
	while (tp_query_row(&q)) {
		struct segment s = {sqlite3_column_int64(q.stmt, 1),
				    sqlite3_column_int64(q.stmt, 2),
				    sqlite3_column_int64(q.stmt, 3)};

		if (tp_grow(&list, &room, *n, sizeof(*list))) {
			tp_query_done(&q);
			free(list);
			return tp_nomem(err);
		}
		sound = sound && sqlite3_column_int64(q.stmt, 0) == (int64_t)*n && s.blocks > 0 &&
			s.blocks < INT32_MAX && s.first_block >= 0 && s.first_block < INT32_MAX &&
			(!*n || (s.from_ns >= list[*n - 1].from_ns &&
				 s.first_block == list[*n - 1].first_block + list[*n - 1].blocks));
		list[(*n)++] = s;
	}
	if (tp_query_done(&q) || !sound)
		*n = 0;
	*out = list;
	return 0;
}

/* Selects the segments with the events of matching spans: from the first one that ends late enough
 * to the one in which the last span can begin. */
static void pick_segments(const struct tp_span_cursor *c, const struct segment *list, size_t n,
			  size_t *first, size_t *last)
{
	int64_t end_from = c->end.from > c->start.from ? c->end.from : c->start.from;
	int64_t start_to = c->start.to < c->end.to ? c->start.to : c->end.to;

	*first = 0;
	*last = n - 1;
	while (*first + 1 < n && list[*first + 1].from_ns < end_from)
		(*first)++;
	while (*last > *first && list[*last].from_ns > start_to)
		(*last)--;
}

static int load_crossings(struct tp_span_cursor *c, struct tp_err *err)
{
	int code =
	    tp_sql_rows(c->run_ref, TP_TABLE_SPAN_CROSSING,
			(1u << tp_tables[TP_TABLE_SPAN_CROSSING].ncolumns) - 1, &c->crossings, err);

	c->crossing = 0;
	c->ncrossings = code ? 0 : c->crossings->nrows;
	return code;
}

struct restored {
	int64_t start;
	size_t row;
};

static int compare_restored(const void *a, const void *b)
{
	const struct restored *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Restores the machine's state at the beginning of the segment, adding spans in order of their start. */
static int restore(struct tp_span_cursor *c, int64_t segment, struct tp_err *err)
{
	const int64_t *first = c->crossings->col[TP_COL(SPAN_CROSSING, first_segment)];
	const int64_t *last = c->crossings->col[TP_COL(SPAN_CROSSING, last_segment)];
	struct restored *list = tp_many(c->ncrossings + 1, sizeof(*list));
	size_t n = 0;
	int code = list ? 0 : TP_ENOMEM;

	for (size_t i = 0; list && i < c->ncrossings; i++)
		if (first[i] < segment && last[i] >= segment)
			list[n++] = (struct restored){
			    c->crossings->col[TP_COL(SPAN_CROSSING, start_ns)][i], i};
	if (list)
		qsort(list, n, sizeof(*list), compare_restored);
	for (size_t i = 0; i < n && !code; i++) {
		struct tp_span span;

		if (crossing_span(c, list[i].row, &span))
			code = tp_spans_restore(c->spans, &span);
	}
	free(list);
	return code ? tp_err_set(err, code, TP_OFFSET_NONE,
				 "cannot restore the spans that are open when segment %lld begins",
				 (long long)segment)
		    : 0;
}

/* Prepares reading of the current run: the machine, the stream, and the spans that follow it. */
static int start_run(struct tp_span_cursor *c, struct tp_err *err)
{
	struct tp_stream_range range = {0, INT64_MAX, INT64_MIN, INT64_MAX};
	struct segment *list = NULL;
	size_t n, first = 0, last = 0;
	int code = load_segments(c, &list, &n, err);

	if (code)
		return code;
	c->fed = c->block->n = 0;
	c->last_segment = -1;
	c->ncrossings = c->crossing = 0;
	c->spans = tp_spans_new();
	if (!c->spans) {
		free(list);
		return tp_nomem(err);
	}
	if (n)
		pick_segments(c, list, n, &first, &last);
	if (n && (first > 0 || last < n - 1)) {
		code = load_crossings(c, err);
		if (!code && first > 0)
			code = restore(c, (int64_t)first, err);
		range.first_part = list[first].first_block;
		if (last < n - 1) {
			range.parts = list[last].first_block + list[last].blocks - range.first_part;
			c->last_segment = (int64_t)last;
		}
	}
	free(list);
	if (!code)
		code = tp_stream_open(&c->stream, tp_sql_store(c->sql), c->run_id, "event", &range,
				      err);
	return code;
}

static int enter_run(struct tp_span_cursor *c, struct tp_err *err)
{
	const struct tp_sql_rows *g, *m, *p;
	int code;

	c->run_id = tp_sql_run_id(c->sql, c->run_pos);
	c->run_start = tp_sql_run_start(c->sql, c->run_pos);
	if (!within(&c->run, c->run_id))
		return 0;
	code = tp_sql_run_get(c->sql, c->run_id, &c->run_ref, err);
	if (!code)
		code = tp_sql_ids(c->run_ref, TP_COL_G, &g, err);
	if (!code)
		code = tp_sql_ids(c->run_ref, TP_COL_M, &m, err);
	if (!code)
		code = tp_sql_ids(c->run_ref, TP_COL_P, &p, err);
	if (!code && c->want_g)
		code = tp_sql_index(c->run_ref, TP_COL_G, c->want_g_id, &c->g_index, err);
	if (code)
		return code;
	c->ng = g->nrows;
	c->nm = m->nrows;
	c->np = p->nrows;
	if (c->want_g && c->g_index == TP_NONE) {
		tp_span_leave_run(c);
		return 0;
	}
	return start_run(c, err);
}

/* Indices beyond the tables of the run would make the machine grow without bound. */
static bool sound_event(const struct tp_span_cursor *c, const struct tp_event *e)
{
	char subject = e->type < TP_NEVENT_TYPES ? tp_event_descs[e->type].subject : 0;

	return e->type < TP_NEVENT_TYPES && e->from < TP_NSTATES && e->to < TP_NSTATES &&
	       (e->g == TP_NONE || e->g < c->ng) && (e->m == TP_NONE || e->m < c->nm) &&
	       (e->p == TP_NONE || e->p < c->np) &&
	       (e->subject == TP_NONE || !subject || e->subject < (subject == 'G' ? c->ng : c->np));
}

static int decode_block(struct tp_span_cursor *c, const struct tp_part *part, struct tp_err *err)
{
	const struct tp_block_decoder *b = c->block;
	int code = tp_block_decode(c->block, part->data, part->size, part->rows, c->columns, err);
	bool stacks = c->columns & TP_BC_STACK;

	for (uint32_t i = 0; !code && i < b->n; i++) {
		struct tp_event *e = &c->events[i];

		e->ts = tp_time_plus(b->ts[i], c->run_start);
		e->type = b->type[i];
		e->g = b->g[i];
		e->m = b->m[i];
		e->p = b->p[i];
		e->subject = b->subject[i];
		e->str = b->str[i];
		e->stack = stacks ? b->stack[i] : 0;
		e->from = b->from[i];
		e->to = b->to[i];
		e->flags = b->flags[i];
		if (!sound_event(c, e))
			code = tp_err_set(
			    err, TP_ESTORE, TP_OFFSET_NONE,
			    "event %u refers to a goroutine, M or P that the run does not have",
			    (unsigned)i);
	}
	if (code) {
		c->block->n = 0;
		tp_err_prefix(err, "run %lld: block %lld of events", (long long)c->run_id,
			      (long long)part->part);
	}
	c->fed = 0;
	return code;
}

/* Takes the spans that the events read did not complete. */
static int take_rest(struct tp_span_cursor *c, struct tp_err *err)
{
	int64_t duration = tp_sql_run_duration(c->sql, c->run_pos);
	int64_t end = tp_time_plus(c->run_start, duration);
	const int64_t *first, *last;
	int code;

	if (c->last_segment < 0) {
		code = c->end.to < duration ? 0 : tp_spans_finish(c->spans, end, take_span, c, err);
		tp_spans_free(c->spans);
		c->spans = NULL;
		return code;
	}
	first = c->crossings->col[TP_COL(SPAN_CROSSING, first_segment)];
	last = c->crossings->col[TP_COL(SPAN_CROSSING, last_segment)];
	while (c->crossing < c->ncrossings && c->n < FEED) {
		size_t row = c->crossing++;
		struct tp_span span;

		if (first[row] <= c->last_segment && last[row] > c->last_segment &&
		    crossing_span(c, row, &span)) {
			code = take_span(c, &span, err);
			if (code)
				return code;
		}
	}
	if (c->crossing == c->ncrossings) {
		tp_spans_free(c->spans);
		c->spans = NULL;
	}
	return 0;
}

/* Reads on in the current run until out[] has rows or the run is over (then c->spans is NULL). */
static int read_run(struct tp_span_cursor *c, struct tp_err *err)
{
	while (!c->n && c->spans) {
		struct tp_part part;
		uint32_t n = c->block->n - c->fed;
		int code;

		if (n > 0) {
			n = n < FEED ? n : FEED;
			code = tp_spans_feed(c->spans, c->events + c->fed, n, take_span, c, err);
			c->fed += n;
			if (code)
				return code;
			continue;
		}
		if (!c->stream) {
			code = take_rest(c, err);
			if (code)
				return code;
			continue;
		}
		code = tp_stream_next(c->stream, &part, err);
		if (code < 0)
			return code;
		/* All spans still to come end after the range? */
		if (code == 1 && part.first_ts != TP_NULL && part.first_ts > c->end.to)
			code = 0;
		if (code == 0) {
			tp_stream_close(c->stream);
			c->stream = NULL;
			c->block->n = c->fed = 0;
			continue;
		}
		code = decode_block(c, &part, err);
		if (code)
			return code;
	}
	return 0;
}

int tp_span_next_rows(struct tp_span_cursor *c, struct tp_err *err)
{
	c->at = c->n = 0;
	for (;;) {
		int code = 0;

		if (c->run_ref) {
			code = read_run(c, err);
			if (code || c->n)
				return code;
			tp_span_leave_run(c);
			c->run_pos++;
		}
		while (!c->run_ref && c->run_pos < tp_sql_nruns(c->sql)) {
			code = enter_run(c, err);
			if (code)
				return code;
			if (!c->run_ref)
				c->run_pos++;
		}
		if (!c->run_ref) {
			c->eof = true;
			return 0;
		}
	}
}
