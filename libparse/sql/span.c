/* The virtual table `span`. The events of a run go through the span machine (timeline/span.h), and
 * its completed spans are the rows.
 *
 * A range of time does not need the whole run. Reading starts at the last segment that begins
 * before the range, with the spans open there taken from span_crossing. It stops with the segment
 * in which the last matching span can begin; spans that end later come from span_crossing, too.
 *
 * GROUP BY (or ORDER BY) run, state and reason needs no sorting by SQLite, see span_group.c.
 *
 * idxStr holds the constraints as in event.c; idxNum the columns that are used, as bits, and above
 * them what rows are ordered by, see take_order(). */
#include "sql/span.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "store/describe.h"

#define ALL_STATES  ((1u << TP_NSTATES) - 1)
#define ALL_COLUMNS ((1u << TP_SQL_SPAN_NCOLUMNS) - 1)
#define KEY_BITS    4 /* of a key in idxNum: its column + 1, and whether the order is descending */

_Static_assert(TP_SQL_SPAN_NCOLUMNS + TP_SPAN_KEYS * KEY_BITS < 31 &&
		   TP_SQL_SPAN_reason + 1 < 1 << (KEY_BITS - 1),
	       "columns and keys fit the bits of idxNum");

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

/* Accepts the requested order if rows come in it anyway, or if it is one of groups. Returns the
 * keys as bits of idxNum. */
static int take_order(sqlite3_index_info *info)
{
	unsigned bits = 0;

	if (!info->nOrderBy || info->nOrderBy > TP_SPAN_KEYS)
		return 0;
	for (int i = info->nOrderBy; i-- > 0;) {
		int column = info->aOrderBy[i].iColumn;

		if (column != TP_SQL_SPAN_run && column != TP_SQL_SPAN_state &&
		    column != TP_SQL_SPAN_reason)
			return 0;
		bits =
		    bits << KEY_BITS | (unsigned)(column + 1) << 1 | (info->aOrderBy[i].desc != 0);
	}
	info->orderByConsumed = 1;
	if (bits == (TP_SQL_SPAN_run + 1) << 1)
		return 0;
	return (int)(bits << TP_SQL_SPAN_NCOLUMNS);
}

static int span_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	const struct tp_sql *sql = ((struct tp_sql_vtab *)vtab)->sql;
	double events, rows = 1;
	int rc = tp_sql_stream_rows(vtab, "event", &events);

	if (!rc)
		rc = tp_sql_plan_begin(info);
	if (rc)
		return rc;
	for (int i = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn;
		char op = info->aConstraint[i].usable ? constraint_op(info, i) : 0;

		if (!op)
			continue;
		tp_sql_plan_add(info, i, op, true);
		if (column == TP_SQL_SPAN_run && op == '=' && tp_sql_nruns(sql) > 1)
			events /= (double)tp_sql_nruns(sql);
		else if (column == TP_SQL_SPAN_start_ns || column == TP_SQL_SPAN_end_ns)
			events /= 4;
		else if (column == TP_SQL_SPAN_goroutine)
			rows /= 1000;
		else if (column != TP_SQL_SPAN_run)
			rows /= 4;
	}
	info->idxNum = take_order(info) | (int)(info->colUsed & ALL_COLUMNS);
	rows *= events * 0.7;
	tp_sql_estimate(info, rows);
	info->estimatedCost = 1000 + events / 8 + rows;
	return SQLITE_OK;
}

/* ---- the cursor ---- */

static int span_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	struct tp_span_cursor *c = calloc(1, sizeof(*c));

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

static int span_close(sqlite3_vtab_cursor *base)
{
	struct tp_span_cursor *c = (struct tp_span_cursor *)base;

	tp_span_leave_run(c);
	tp_span_groups_free(c->groups);
	tp_sql_cursor_closed(c->sql);
	tp_block_decoder_free(c->block);
	free(c->events);
	free(c->out);
	free(c);
	return SQLITE_OK;
}

/* ---- filtering ---- */

static void keep_named(const struct tp_span_cursor *c, uint32_t *named, sqlite3_value *value)
{
	const char *want = sqlite3_value_type(value) == SQLITE_TEXT
			       ? (const char *)sqlite3_value_text(value)
			       : NULL;

	for (unsigned s = 1; want && s < TP_NSTATES; s++)
		if (c->states >> s & 1 && !strcmp(tp_state_names[s], want))
			*named |= 1u << s;
}

static bool apply(struct tp_span_cursor *c, const char *plan, sqlite3_value *value)
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

static int next_rows(struct tp_span_cursor *c, struct tp_err *err)
{
	return c->nkeys ? tp_span_next_grouped(c, err) : tp_span_next_rows(c, err);
}

static int span_filter(sqlite3_vtab_cursor *base, int columns, const char *plan, int argc,
		       sqlite3_value **argv)
{
	static const struct tp_bounds all = {INT64_MIN, INT64_MAX};
	struct tp_span_cursor *c = (struct tp_span_cursor *)base;
	struct tp_err err = {0};
	bool some = true;

	tp_span_leave_run(c);
	tp_span_groups_free(c->groups);
	c->groups = NULL;
	c->used = (uint32_t)columns & ALL_COLUMNS;
	c->nkeys = 0;
	for (int key = columns >> TP_SQL_SPAN_NCOLUMNS; key; key >>= KEY_BITS)
		c->key[c->nkeys++] = (struct tp_span_key){
		    .column = (key >> 1 & ((1 << (KEY_BITS - 1)) - 1)) - 1,
		    .desc = key & 1,
		};
	c->columns = TP_BC_TS | TP_BC_TYPE | TP_BC_M | TP_BC_P | TP_BC_G | TP_BC_SUBJECT |
		     TP_BC_STR | TP_BC_FROM | TP_BC_TO | TP_BC_FLAGS;
	if (c->used & (1u << TP_SQL_SPAN_stack | 1u << TP_SQL_SPAN_waker_stack))
		c->columns |= TP_BC_STACK;
	c->run = c->start = c->end = c->dur = all;
	c->want_g = c->want_open = false;
	c->states = ALL_STATES;
	c->run_pos = 0;
	c->eof = false;
	for (int i = 0; i < argc && some; i++)
		some = apply(c, plan + 2 * i, argv[i]);
	if (!some) {
		c->eof = true;
		return SQLITE_OK;
	}
	if (tp_sql_refresh(c->sql, &err) || next_rows(c, &err))
		return tp_sql_fail(base->pVtab, &err);
	return SQLITE_OK;
}

static int refill(struct tp_span_cursor *c)
{
	struct tp_err err;

	return next_rows(c, &err) ? tp_sql_fail(c->base.pVtab, &err) : SQLITE_OK;
}

static int span_next(sqlite3_vtab_cursor *base)
{
	struct tp_span_cursor *c = (struct tp_span_cursor *)base;

	return ++c->at < c->n ? SQLITE_OK : refill(c);
}

static int span_eof(sqlite3_vtab_cursor *base)
{
	return ((struct tp_span_cursor *)base)->eof;
}

/* ---- results ---- */

/* Sets the result for columns whose values are in other tables. */
static int result_from_tables(struct tp_span_cursor *c, sqlite3_context *ctx, int column)
{
	const struct tp_span *s = &c->out[c->at];
	struct tp_err err;
	int code = 0;

	switch (column) {
	case TP_SQL_SPAN_goroutine:
		code = tp_sql_result_id(ctx, c->run_ref, TP_COL_G, s->goroutine, &err);
		break;
	case TP_SQL_SPAN_reason:
		code = tp_sql_result_text(ctx, c->run_ref, s->reason, &err);
		break;
	case TP_SQL_SPAN_m:
		code = tp_sql_result_id(ctx, c->run_ref, TP_COL_M, s->m, &err);
		break;
	case TP_SQL_SPAN_p:
		code = tp_sql_result_id(ctx, c->run_ref, TP_COL_P, s->p, &err);
		break;
	case TP_SQL_SPAN_waker:
		code = tp_sql_result_id(ctx, c->run_ref, TP_COL_G, s->waker, &err);
		break;
	default:
		break;
	}
	return code ? tp_sql_fail(c->base.pVtab, &err) : SQLITE_OK;
}

static int span_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
	struct tp_span_cursor *c = (struct tp_span_cursor *)base;
	const struct tp_span *s = &c->out[c->at];

	/* Without a struct tp_err here, which costs a check of the stack in each call. */
	switch (column) {
	case TP_SQL_SPAN_run:
		sqlite3_result_int64(ctx, c->run_id);
		return SQLITE_OK;
	case TP_SQL_SPAN_state:
		tp_sql_result_state(ctx, s->state);
		return SQLITE_OK;
	case TP_SQL_SPAN_start_ns:
		sqlite3_result_int64(ctx, s->start);
		return SQLITE_OK;
	case TP_SQL_SPAN_end_ns:
		sqlite3_result_int64(ctx, s->end);
		return SQLITE_OK;
	case TP_SQL_SPAN_dur_ns:
		sqlite3_result_int64(ctx, tp_time_minus(s->end, s->start));
		return SQLITE_OK;
	case TP_SQL_SPAN_stack:
		sqlite3_result_int64(ctx, s->stack);
		return SQLITE_OK;
	case TP_SQL_SPAN_waker_stack:
		sqlite3_result_int64(ctx, s->waker_stack);
		return SQLITE_OK;
	case TP_SQL_SPAN_inferred:
		sqlite3_result_int(ctx, s->inferred);
		return SQLITE_OK;
	case TP_SQL_SPAN_open:
		sqlite3_result_int(ctx, s->open);
		return SQLITE_OK;
	default:
		return result_from_tables(c, ctx, column);
	}
}

/* Gives a span the same id in every query: SQLite distinguishes rows by it when it looks up terms
 * joined by OR one by one. */
static int span_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	struct tp_span_cursor *c = (struct tp_span_cursor *)base;
	const struct tp_span *s;
	struct tp_err err;

	if (c->nkeys && tp_span_keep_key(c, &err))
		return tp_sql_fail(base->pVtab, &err);
	s = &c->out[c->at];

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
