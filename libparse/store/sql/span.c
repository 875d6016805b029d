/* The virtual table `span`: the events of a run go through the span machine (timeline/span.h) and
 * what it completes are the rows.
 *
 * A range of time does not cost the whole run: reading starts at the last segment that begins
 * before it, with the spans that were open there taken from span_crossing, and stops with the
 * segment in which the last wanted span can begin; those that end later are in span_crossing, too.
 *
 * idxStr holds the constraints as in event.c, idxNum the PLAN_ bits. GROUP BY or ORDER BY state is
 * one pass per state, so that SQLite need not sort. */
#include "store/sql/sql.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "store/block.h"
#include "store/sql/describe.h"
#include "store/stream.h"
#include "timeline/span.h"

#define FEED 1024 /* events per call of the machine */

enum {
	PLAN_STACKS = 1 << 0, /* stack or waker_stack is used */
	PLAN_BY_STATE = 1 << 1,
	PLAN_DESC = 1 << 2,
};

#define ALL_STATES ((1u << TP_NSTATES) - 1)

struct segment {
	int64_t first_block, blocks, from_ns;
};

/* An inclusive range of int64. */
struct bounds {
	int64_t from, to;
};

struct span_cursor {
	sqlite3_vtab_cursor base;
	struct tp_sql *sql;
	struct tp_block_decoder *block;
	struct tp_event *events; /* of the decoded block */

	/* what is asked for */
	uint32_t columns; /* of the block */
	struct bounds run, start, end, dur;
	bool want_g, want_open;
	int64_t want_g_id, want_open_value;
	uint32_t states; /* set of enum tp_state */

	/* passes over the runs: sets of states, by name; one pass without grouping */
	uint32_t passes[TP_NSTATES];
	size_t npasses, pass;
	uint32_t seen; /* states met by the first pass */

	/* where it is: run, then its events, then what is open after them */
	size_t run_pos;
	int64_t run_id, run_start;
	struct tp_sql_run *run_ref;
	uint32_t g_index;
	struct tp_spans *spans;
	struct tp_stream *stream;
	uint32_t fed;		     /* of the block's events */
	size_t crossing, ncrossings; /* rows of span_crossing still to come */
	int64_t last_segment;	     /* that was read; -1: all, so open spans end with the run */
	const struct tp_sql_rows *crossings;
	struct tp_sql_ids ids[3]; /* of goroutines, Ms, Ps */
	const struct tp_dict *dict;

	struct tp_span *out; /* rows out[at … n) */
	size_t at, n, room;
	bool eof;
};

/* ---- planning ---- */

static char constraint_op(sqlite3_index_info *info, int i)
{
	char op = tp_sql_op_char(info->aConstraint[i].op);

	switch (info->aConstraint[i].iColumn) {
	case TP_SQL_SPAN_run:
	case TP_SQL_SPAN_start_ns:
	case TP_SQL_SPAN_end_ns:
	case TP_SQL_SPAN_dur_ns:
		return op;
	case TP_SQL_SPAN_goroutine:
	case TP_SQL_SPAN_open:
		return op == '=' ? op : 0;
	case TP_SQL_SPAN_state:
		if (op != '=' || strcmp(sqlite3_vtab_collation(info, i), "BINARY"))
			return 0;
		return tp_sql_take_in(info, i) ? 'i' : op;
	default:
		return 0;
	}
}

static int span_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	struct tp_sql *sql = ((struct tp_sql_vtab *)vtab)->sql;
	double events = (double)tp_sql_stream_rows(sql, "event") + 1, rows = 1;
	char *plan = sqlite3_malloc(2 * info->nConstraint + 1);
	int n = 0;

	if (!plan)
		return SQLITE_NOMEM;
	for (int i = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn;
		char op = info->aConstraint[i].usable ? constraint_op(info, i) : 0;

		if (!op)
			continue;
		plan[2 * n] = (char)('a' + column);
		plan[2 * n + 1] = op;
		info->aConstraintUsage[i].argvIndex = ++n;
		info->aConstraintUsage[i].omit = 1;
		if (column == TP_SQL_SPAN_run && op == '=' && tp_sql_nruns(sql) > 1)
			events /= (double)tp_sql_nruns(sql);
		else if (column == TP_SQL_SPAN_start_ns || column == TP_SQL_SPAN_end_ns)
			events /= 4;
		else if (column == TP_SQL_SPAN_goroutine)
			rows /= 1000;
		else if (column != TP_SQL_SPAN_run)
			rows /= 4;
	}
	plan[2 * n] = 0;
	info->idxStr = plan;
	info->needToFreeIdxStr = 1;
	if (info->colUsed &
	    (UINT64_C(1) << TP_SQL_SPAN_stack | UINT64_C(1) << TP_SQL_SPAN_waker_stack))
		info->idxNum |= PLAN_STACKS;
	if (info->nOrderBy == 1 && info->aOrderBy[0].iColumn == TP_SQL_SPAN_state) {
		info->idxNum |= PLAN_BY_STATE | (info->aOrderBy[0].desc ? PLAN_DESC : 0);
		info->orderByConsumed = 1;
	}
	rows *= events * 0.7;
	info->estimatedRows = (sqlite3_int64)rows + 1;
	info->estimatedCost = 1000 + events / 8 + rows;
	return SQLITE_OK;
}

/* ---- the cursor ---- */

static int span_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	struct span_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	c->sql = ((struct tp_sql_vtab *)vtab)->sql;
	c->block = tp_block_decoder_new();
	c->events = malloc(TP_BLOCK_EVENTS * sizeof(*c->events));
	if (!c->block || !c->events) {
		tp_block_decoder_free(c->block);
		free(c->events);
		free(c);
		return SQLITE_NOMEM;
	}
	tp_sql_cursor_opened(c->sql);
	*out = &c->base;
	return SQLITE_OK;
}

static void leave_run(struct span_cursor *c)
{
	tp_stream_close(c->stream);
	c->stream = NULL;
	tp_spans_free(c->spans);
	c->spans = NULL;
	tp_sql_run_put(c->run_ref);
	c->run_ref = NULL;
	c->dict = NULL;
	c->crossings = NULL;
	c->at = c->n = 0;
}

static int span_close(sqlite3_vtab_cursor *base)
{
	struct span_cursor *c = (struct span_cursor *)base;

	leave_run(c);
	tp_sql_cursor_closed(c->sql);
	tp_block_decoder_free(c->block);
	free(c->events);
	free(c->out);
	free(c);
	return SQLITE_OK;
}

/* Times of a damaged store may be anything: they wrap. */
static int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static bool within(const struct bounds *b, int64_t v)
{
	return v >= b->from && v <= b->to;
}

/* Takes a completed span that is wanted; times on the trace clock. */
static int take_span(void *ctx, const struct tp_span *span, struct tp_err *err)
{
	struct span_cursor *c = ctx;
	int64_t start = minus(span->start, c->run_start), end = minus(span->end, c->run_start);
	struct tp_span *out;

	c->seen |= 1u << span->state;
	if (!(c->passes[c->pass] >> span->state & 1) || !within(&c->start, start) ||
	    !within(&c->end, end) || !within(&c->dur, minus(end, start)) ||
	    (c->want_g && span->goroutine != c->g_index) ||
	    (c->want_open && span->open != c->want_open_value))
		return 0;
	if (c->n == c->room) {
		size_t room = c->room ? c->room * 2 : 4 * FEED;

		out = realloc(c->out, room * sizeof(*out));
		if (!out)
			return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
		c->out = out;
		c->room = room;
	}
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

/* A row of span_crossing as a span on the trace clock; false for one that cannot be. */
static bool crossing_span(const struct span_cursor *c, size_t row, struct tp_span *span)
{
	int64_t *const *col = c->crossings->col;
#define CROSSING(column) col[TP_COL(SPAN_CROSSING, column)][row]
	int64_t g = CROSSING(goroutine), state = CROSSING(state);

	*span = (struct tp_span){
	    .start = plus(CROSSING(start_ns), c->run_start),
	    .end = plus(CROSSING(end_ns), c->run_start),
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
	return span->state && span->goroutine < c->ids[0].n &&
	       (span->p == TP_NONE || span->p < c->ids[2].n);
#undef CROSSING
}

/* The segments of the run; *n is 0 where they are not as they should be (all is read then). */
static int load_segments(struct span_cursor *c, struct segment **out, size_t *n, struct tp_err *err)
{
	sqlite3_stmt *stmt = NULL;
	struct segment *list = NULL;
	size_t room = 0;
	bool sound = true;
	int rc = sqlite3_prepare_v2(tp_sql_db(c->sql),
				    "SELECT id, first_block, blocks, from_ns FROM main.segment "
				    "WHERE run = ?1 ORDER BY id",
				    -1, &stmt, NULL);

	*n = 0;
	sqlite3_bind_int64(stmt, 1, c->run_id);
	while (!rc && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct segment s = {sqlite3_column_int64(stmt, 1), sqlite3_column_int64(stmt, 2),
				    sqlite3_column_int64(stmt, 3)};

		if (*n == room) {
			struct segment *p;

			room = room ? room * 2 : 64;
			p = realloc(list, room * sizeof(*p));
			if (!p) {
				sqlite3_finalize(stmt);
				free(list);
				return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
			}
			list = p;
		}
		sound = sound && sqlite3_column_int64(stmt, 0) == (int64_t)*n && s.blocks > 0 &&
			s.blocks < INT32_MAX && s.first_block >= 0 && s.first_block < INT32_MAX &&
			(!*n || (s.from_ns >= list[*n - 1].from_ns &&
				 s.first_block == list[*n - 1].first_block + list[*n - 1].blocks));
		list[(*n)++] = s;
		rc = 0;
	}
	sqlite3_finalize(stmt);
	if (!sound || rc != SQLITE_DONE)
		*n = 0;
	*out = list;
	return 0;
}

/* Which segments hold the events of the spans that are wanted: those from the first one that ends
 * late enough to the one in which the last one begins. */
static void pick_segments(const struct span_cursor *c, const struct segment *list, size_t n,
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

static int load_crossings(struct span_cursor *c, struct tp_err *err)
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

/* Brings the machine to where it was when the segment began, spans in order of their start. */
static int restore(struct span_cursor *c, int64_t segment, struct tp_err *err)
{
	const int64_t *first = c->crossings->col[TP_COL(SPAN_CROSSING, first_segment)];
	const int64_t *last = c->crossings->col[TP_COL(SPAN_CROSSING, last_segment)];
	struct restored *list = malloc((c->ncrossings + 1) * sizeof(*list));
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
				 "cannot take up the spans of segment %lld", (long long)segment)
		    : 0;
}

/* Sets up reading of the current run: machine, stream, and what comes after it. */
static int start_run(struct span_cursor *c, struct tp_err *err)
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
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
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
		code =
		    tp_stream_open(&c->stream, tp_sql_db(c->sql), c->run_id, "event", &range, err);
	return code;
}

static int enter_run(struct span_cursor *c, struct tp_err *err)
{
	static const enum tp_column_kind kinds[3] = {TP_COL_G, TP_COL_M, TP_COL_P};
	int code;

	c->run_id = tp_sql_run_id(c->sql, c->run_pos);
	c->run_start = tp_sql_run_start(c->sql, c->run_pos);
	if (!within(&c->run, c->run_id))
		return 0;
	code = tp_sql_run_get(c->sql, c->run_id, &c->run_ref, err);
	for (int i = 0; i < 3 && !code; i++)
		code = tp_sql_ids(c->run_ref, kinds[i], &c->ids[i], err);
	if (!code && c->want_g) {
		const uint32_t *order;
		size_t from, to;

		code = tp_sql_rows_find(c->run_ref, TP_TABLE_GOROUTINE, 0, c->want_g_id, &order,
					&from, &to, err);
		if (!code && from == to) {
			leave_run(c);
			return 0;
		}
		if (!code)
			c->g_index = order[from];
	}
	return code ? code : start_run(c, err);
}

/* Indices beyond the tables of the run would make the machine grow without bound. */
static bool sound_event(const struct span_cursor *c, const struct tp_event *e)
{
	char subject = e->type < TP_NEVENT_TYPES ? tp_event_descs[e->type].subject : 0;

	return e->type < TP_NEVENT_TYPES && e->from < TP_NSTATES && e->to < TP_NSTATES &&
	       (e->g == TP_NONE || e->g < c->ids[0].n) && (e->m == TP_NONE || e->m < c->ids[1].n) &&
	       (e->p == TP_NONE || e->p < c->ids[2].n) &&
	       (e->subject == TP_NONE || !subject ||
		e->subject < (subject == 'G' ? c->ids[0].n : c->ids[2].n));
}

static int decode_block(struct span_cursor *c, const struct tp_part *part, struct tp_err *err)
{
	const struct tp_block_decoder *b = c->block;
	int code = tp_block_decode(c->block, part->data, part->size, part->rows, c->columns, err);
	bool stacks = c->columns & TP_BC_STACK;

	for (uint32_t i = 0; !code && i < b->n; i++) {
		struct tp_event *e = &c->events[i];

		e->ts = plus(b->ts[i], c->run_start);
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
			code = tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
					  "event %u names what the run does not have", (unsigned)i);
	}
	if (code) {
		c->block->n = 0;
		tp_err_prefix(err, "run %lld: block %lld of events", (long long)c->run_id,
			      (long long)part->part);
	}
	c->fed = 0;
	return code;
}

/* After the events of the run: spans that they did not complete. */
static int take_rest(struct span_cursor *c, struct tp_err *err)
{
	int64_t duration = tp_sql_run_duration(c->sql, c->run_pos);
	int64_t end = plus(c->run_start, duration);
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

/* Reads on in the current run until there are rows or the run is over (then spans is NULL). */
static int read_run(struct span_cursor *c, struct tp_err *err)
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
		/* No span that ends in time is still to come? */
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

static int next_rows(struct span_cursor *c, struct tp_err *err)
{
	c->at = c->n = 0;
	for (;;) {
		int code = 0;

		if (c->run_ref) {
			code = read_run(c, err);
			if (code || c->n)
				return code;
			leave_run(c);
			c->run_pos++;
		}
		while (!c->run_ref && c->run_pos < tp_sql_nruns(c->sql)) {
			code = enter_run(c, err);
			if (code)
				return code;
			if (!c->run_ref)
				c->run_pos++;
		}
		if (c->run_ref)
			continue;
		do
			c->pass++;
		while (c->pass < c->npasses && !(c->passes[c->pass] & c->seen));
		c->run_pos = 0;
		if (c->pass == c->npasses) {
			c->eof = true;
			return 0;
		}
	}
}

/* ---- filtering ---- */

static void keep_named(const struct span_cursor *c, uint32_t *named, sqlite3_value *value)
{
	const char *want = sqlite3_value_type(value) == SQLITE_TEXT
			       ? (const char *)sqlite3_value_text(value)
			       : NULL;

	for (unsigned s = 1; want && s < TP_NSTATES; s++)
		if (c->states >> s & 1 && !strcmp(tp_state_names[s], want))
			*named |= 1u << s;
}

static bool apply(struct span_cursor *c, const char *plan, sqlite3_value *value)
{
	int op = tp_sql_op_of_char(plan[1]);
	uint32_t named = 0;
	int64_t n;

	switch (plan[0] - 'a') {
	case TP_SQL_SPAN_run:
		return tp_sql_narrow(op, value, &c->run.from, &c->run.to);
	case TP_SQL_SPAN_start_ns:
		return tp_sql_narrow(op, value, &c->start.from, &c->start.to);
	case TP_SQL_SPAN_end_ns:
		return tp_sql_narrow(op, value, &c->end.from, &c->end.to);
	case TP_SQL_SPAN_dur_ns:
		return tp_sql_narrow(op, value, &c->dur.from, &c->dur.to);
	case TP_SQL_SPAN_goroutine:
		if (!tp_sql_want_int(value, &n) || (c->want_g && c->want_g_id != n))
			return false;
		c->want_g = true;
		c->want_g_id = n;
		return true;
	case TP_SQL_SPAN_open:
		if (!tp_sql_want_int(value, &n) || (c->want_open && c->want_open_value != n))
			return false;
		c->want_open = true;
		c->want_open_value = n;
		return true;
	default: /* state */
		if (plan[1] == 'i') {
			sqlite3_value *item = NULL;

			for (int rc = sqlite3_vtab_in_first(value, &item); rc == SQLITE_OK && item;
			     rc = sqlite3_vtab_in_next(value, &item))
				keep_named(c, &named, item);
		} else {
			keep_named(c, &named, value);
		}
		c->states = named;
		return named != 0;
	}
}

static void plan_passes(struct span_cursor *c, int plan)
{
	c->npasses = 0;
	for (unsigned s = 1; plan & PLAN_BY_STATE && s < TP_NSTATES; s++) {
		size_t i = 0;

		if (!(c->states >> s & 1))
			continue;
		for (; i < c->npasses; i++) {
			unsigned other = (unsigned)__builtin_ctz(c->passes[i]);
			int order = strcmp(tp_state_names[other], tp_state_names[s]);

			if (plan & PLAN_DESC ? order < 0 : order > 0)
				break;
		}
		memmove(&c->passes[i + 1], &c->passes[i], (c->npasses - i) * sizeof(c->passes[0]));
		c->passes[i] = 1u << s;
		c->npasses++;
	}
	if (!c->npasses) {
		c->passes[0] = c->states;
		c->npasses = 1;
	}
}

static int span_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
		       sqlite3_value **argv)
{
	static const struct bounds all = {INT64_MIN, INT64_MAX};
	struct span_cursor *c = (struct span_cursor *)base;
	struct tp_err err = {0};
	bool some = true;

	leave_run(c);
	c->columns = TP_BC_TS | TP_BC_TYPE | TP_BC_M | TP_BC_P | TP_BC_G | TP_BC_SUBJECT |
		     TP_BC_STR | TP_BC_FROM | TP_BC_TO | TP_BC_FLAGS |
		     (plan & PLAN_STACKS ? TP_BC_STACK : 0);
	c->run = c->start = c->end = c->dur = all;
	c->want_g = c->want_open = false;
	c->states = ALL_STATES;
	c->pass = c->run_pos = 0;
	c->seen = 0;
	c->eof = false;
	for (int i = 0; i < argc && some; i++)
		some = apply(c, text + 2 * i, argv[i]);
	if (!some) {
		c->eof = true;
		return SQLITE_OK;
	}
	plan_passes(c, plan);
	if (tp_sql_refresh(c->sql, &err) || next_rows(c, &err))
		return tp_sql_fail(base->pVtab, &err);
	return SQLITE_OK;
}

static int span_next(sqlite3_vtab_cursor *base)
{
	struct span_cursor *c = (struct span_cursor *)base;
	struct tp_err err;

	if (++c->at < c->n)
		return SQLITE_OK;
	return next_rows(c, &err) ? tp_sql_fail(base->pVtab, &err) : SQLITE_OK;
}

static int span_eof(sqlite3_vtab_cursor *base)
{
	return ((struct span_cursor *)base)->eof;
}

/* ---- results ---- */

static int span_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
	struct span_cursor *c = (struct span_cursor *)base;
	const struct tp_span *s = &c->out[c->at];
	struct tp_err err;

	switch (column) {
	case TP_SQL_SPAN_run:
		sqlite3_result_int64(ctx, c->run_id);
		break;
	case TP_SQL_SPAN_goroutine:
		tp_sql_result_id(ctx, &c->ids[0], s->goroutine);
		break;
	case TP_SQL_SPAN_state:
		tp_sql_result_state(ctx, s->state);
		break;
	case TP_SQL_SPAN_start_ns:
		sqlite3_result_int64(ctx, s->start);
		break;
	case TP_SQL_SPAN_end_ns:
		sqlite3_result_int64(ctx, s->end);
		break;
	case TP_SQL_SPAN_dur_ns:
		sqlite3_result_int64(ctx, minus(s->end, s->start));
		break;
	case TP_SQL_SPAN_reason:
		if (!c->dict && tp_sql_dict(c->run_ref, &c->dict, &err))
			return tp_sql_fail(base->pVtab, &err);
		tp_sql_result_text(ctx, c->dict, s->reason);
		break;
	case TP_SQL_SPAN_stack:
		sqlite3_result_int64(ctx, s->stack);
		break;
	case TP_SQL_SPAN_m:
		tp_sql_result_id(ctx, &c->ids[1], s->m);
		break;
	case TP_SQL_SPAN_p:
		tp_sql_result_id(ctx, &c->ids[2], s->p);
		break;
	case TP_SQL_SPAN_waker:
		tp_sql_result_id(ctx, &c->ids[0], s->waker);
		break;
	case TP_SQL_SPAN_waker_stack:
		sqlite3_result_int64(ctx, s->waker_stack);
		break;
	case TP_SQL_SPAN_inferred:
		sqlite3_result_int(ctx, s->inferred);
		break;
	case TP_SQL_SPAN_open:
		sqlite3_result_int(ctx, s->open);
		break;
	default:
		break;
	}
	return SQLITE_OK;
}

/* The same for the same span whatever the query: SQLite tells rows apart by it where terms joined
 * by OR are looked up one by one. */
static int span_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	const struct span_cursor *c = (const struct span_cursor *)base;
	const struct tp_span *s = &c->out[c->at];
	const int64_t key[] = {c->run_id, s->goroutine, s->start, s->end, s->state};

	*rowid = (sqlite3_int64)(XXH3_64bits(key, sizeof(key)) >> 1);
	return SQLITE_OK;
}

const sqlite3_module tp_sql_span_module = {
    .iVersion = 1,
    .xConnect = tp_sql_connect,
    .xBestIndex = span_best_index,
    .xDisconnect = tp_sql_disconnect,
    .xOpen = span_open,
    .xClose = span_close,
    .xFilter = span_filter,
    .xNext = span_next,
    .xEof = span_eof,
    .xColumn = span_column,
    .xRowid = span_rowid,
};
