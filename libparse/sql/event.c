/* The virtual table `event`: the blocks of events as rows.
 *
 * xBestIndex puts each constraint it takes into two characters of idxStr, in the order of xFilter's
 * arguments: 'a' + column, then the comparison ('=', '<', 'L' <=, '>', 'G' >=, 'i' IN). idxNum
 * holds the columns of the block that the query needs (enum tp_block_column) and the PLAN_ bits.
 *
 * A block is filtered before it is decoded in full: time and position select blocks; then the compared
 * columns are decoded and give the matching positions; if any match, the other columns are decoded.
 *
 * GROUP BY (or ORDER BY) type or kind needs no sorting by SQLite: rows come type by type in order of their
 * names, in one pass over the blocks for each type that occurs. If the query uses no other columns, rows of
 * one type are indistinguishable, so the first pass just counts them. */
#include "sql/event.h"

#include <stdlib.h>
#include <string.h>

#include "store/describe.h"

/* ---- planning ---- */

/* Returns the columns of the block that a column of the table needs. */
static uint32_t block_columns(int column)
{
	static const uint32_t behind[TP_SQL_EVENT_NCOLUMNS] = {
	    [TP_SQL_EVENT_ts_ns] = TP_BC_TS,
	    [TP_SQL_EVENT_type] = TP_BC_TYPE,
	    [TP_SQL_EVENT_kind] = TP_BC_TYPE,
	    [TP_SQL_EVENT_goroutine] = TP_BC_G,
	    [TP_SQL_EVENT_m] = TP_BC_M,
	    [TP_SQL_EVENT_p] = TP_BC_P,
	    [TP_SQL_EVENT_subject_kind] = TP_BC_TYPE | TP_BC_SUBJECT,
	    [TP_SQL_EVENT_subject] = TP_BC_TYPE | TP_BC_SUBJECT,
	    [TP_SQL_EVENT_from_state] = TP_BC_FROM,
	    [TP_SQL_EVENT_to_state] = TP_BC_TO,
	    [TP_SQL_EVENT_text] = TP_BC_TYPE | TP_BC_STR,
	    [TP_SQL_EVENT_text2] = TP_BC_TYPE | TP_BC_STR2,
	    [TP_SQL_EVENT_stack] = TP_BC_STACK,
	    [TP_SQL_EVENT_stack2] = TP_BC_TYPE | TP_BC_STR2,
	    [TP_SQL_EVENT_arg0] = TP_BC_TYPE | TP_BC_ARG0,
	    [TP_SQL_EVENT_arg1] = TP_BC_TYPE | TP_BC_ARG1,
	    [TP_SQL_EVENT_arg2] = TP_BC_TYPE | TP_BC_ARG2,
	    [TP_SQL_EVENT_inferred] = TP_BC_FLAGS,
	    [TP_SQL_EVENT_lost] = TP_BC_FLAGS,
	};

	return column >= 0 && column < TP_SQL_EVENT_NCOLUMNS ? behind[column] : 0;
}

/* Returns the character for this constraint in idxStr; 0 if it is left to SQLite. */
static char constraint_op(sqlite3_index_info *info, int i)
{
	char op = tp_sql_op_char(info->aConstraint[i].op);

	switch (info->aConstraint[i].iColumn) {
	case TP_SQL_EVENT_run:
	case TP_SQL_EVENT_seq:
	case TP_SQL_EVENT_ts_ns:
		return op;
	case TP_SQL_EVENT_type:
	case TP_SQL_EVENT_kind:
		if (op != '=' || strcmp(sqlite3_vtab_collation(info, i), "BINARY"))
			return 0;
		return tp_sql_take_in(info, i) ? 'i' : op;
	case TP_SQL_EVENT_goroutine:
	case TP_SQL_EVENT_m:
	case TP_SQL_EVENT_p:
		return op == '=' ? op : 0;
	default:
		return 0;
	}
}

/* Estimates rows and cost: a scan looks at every event of the blocks that it reads, but only events
 * that match go to SQLite. */
static int estimate(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	const struct tp_sql *sql = ((struct tp_sql_vtab *)vtab)->sql;
	const char *plan = info->idxStr;
	double rows, scanned;
	int rc = tp_sql_stream_rows(vtab, "event", &rows);

	for (const char *p = plan; *p; p += 2)
		if (p[0] - 'a' == TP_SQL_EVENT_run && p[1] == '=' && tp_sql_nruns(sql) > 1)
			rows /= (double)tp_sql_nruns(sql);
		else if (p[0] - 'a' == TP_SQL_EVENT_seq && p[1] == '=')
			rows = 1;
		else if (p[0] - 'a' == TP_SQL_EVENT_seq || p[0] - 'a' == TP_SQL_EVENT_ts_ns)
			rows /= 4;
	scanned = rows < TP_BLOCK_EVENTS ? TP_BLOCK_EVENTS : rows;
	for (const char *p = plan; *p; p += 2)
		if (p[0] - 'a' == TP_SQL_EVENT_type || p[0] - 'a' == TP_SQL_EVENT_kind)
			rows /= 8;
		else if (p[0] - 'a' == TP_SQL_EVENT_goroutine)
			rows /= 1000;
		else if (p[0] - 'a' == TP_SQL_EVENT_m || p[0] - 'a' == TP_SQL_EVENT_p)
			rows /= 4;
	tp_sql_estimate(info, rows);
	info->estimatedCost = 100 + scanned / 16 + rows;
	return rc;
}

/* Accepts the requested order if rows come in that order anyway, or if passes can produce it.
 * Returns the PLAN_ bits. */
static int take_order(sqlite3_index_info *info, bool one_run)
{
	uint64_t others = ~(UINT64_C(1) << TP_SQL_EVENT_run | UINT64_C(1) << TP_SQL_EVENT_type |
			    UINT64_C(1) << TP_SQL_EVENT_kind);
	int n = info->nOrderBy, first = info->aOrderBy[0].iColumn;
	bool desc = info->aOrderBy[0].desc, by_run = first == TP_SQL_EVENT_run && !desc;

	if (n == 1 && (first == TP_SQL_EVENT_type || first == TP_SQL_EVENT_kind)) {
		info->orderByConsumed = 1;
		return (first == TP_SQL_EVENT_type ? PLAN_BY_TYPE : PLAN_BY_KIND) |
		       (desc ? PLAN_DESC : 0) | (info->colUsed & others ? 0 : PLAN_COUNT);
	}
	if (by_run || one_run) {
		int time = by_run ? 1 : 0; /* `run, seq` or just `seq` */
		int column = n > time ? info->aOrderBy[time].iColumn : TP_SQL_EVENT_seq;

		info->orderByConsumed =
		    n <= time + 1 && (n == time || !info->aOrderBy[time].desc) &&
		    (column == TP_SQL_EVENT_seq || column == TP_SQL_EVENT_ts_ns || n == time);
	}
	return 0;
}

static int event_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	bool one_run = false;

	if (tp_sql_plan_begin(info))
		return SQLITE_NOMEM;
	for (int i = 0; i < info->nConstraint; i++) {
		char op;

		if (!info->aConstraint[i].usable)
			continue;
		op = constraint_op(info, i);
		if (!op)
			continue;
		one_run |= info->aConstraint[i].iColumn == TP_SQL_EVENT_run && op == '=';
		tp_sql_plan_add(info, i, op, true);
	}
	for (int c = 0; c < TP_SQL_EVENT_NCOLUMNS; c++)
		if (info->colUsed >> c & 1)
			info->idxNum |= (int)block_columns(c);
	if (info->nOrderBy)
		info->idxNum |= take_order(info, one_run);
	return estimate(vtab, info);
}

/* ---- the cursor ---- */

static int event_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	struct tp_event_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	c->sql = ((struct tp_sql_vtab *)vtab)->sql;
	c->block = tp_block_decoder_new();
	c->sel = malloc(TP_BLOCK_EVENTS * sizeof(*c->sel));
	if (!c->block || !c->sel) {
		tp_block_decoder_free(c->block);
		free(c->sel);
		free(c);
		return SQLITE_NOMEM;
	}
	tp_sql_cursor_opened(c->sql);
	*out = &c->base;
	return SQLITE_OK;
}

static int event_close(sqlite3_vtab_cursor *base)
{
	struct tp_event_cursor *c = (struct tp_event_cursor *)base;

	tp_event_leave_run(c);
	tp_sql_cursor_closed(c->sql);
	tp_block_decoder_free(c->block);
	free(c->passes);
	free(c->counts);
	free(c->seen);
	free(c->sel);
	free(c);
	return SQLITE_OK;
}

/* Plans one pass over everything, or one per name of type or kind, in the order of names. */
static int plan_passes(struct tp_event_cursor *c, int plan, const struct tp_type_set *types)
{
	const char *names[256];
	struct tp_type_set *passes = calloc(256, sizeof(*passes));
	size_t n = 0;

	if (!passes)
		return TP_ENOMEM;
	c->passes = passes;
	c->npasses = 1;
	passes[0] = *types;
	if (!(plan & (PLAN_BY_TYPE | PLAN_BY_KIND)))
		return 0;
	memset(&passes[0], 0, sizeof(passes[0]));
	for (unsigned t = 0; t < 256; t++) {
		const char *name = plan & PLAN_BY_TYPE ? tp_event_type_name((uint8_t)t)
						       : tp_event_kind_name((uint8_t)t);
		size_t i = 0;

		if (!tp_has_type(types, (uint8_t)t))
			continue;
		name = name ? name : ""; /* NULLs come first */
		while (i < n &&
		       (plan & PLAN_DESC ? strcmp(names[i], name) > 0 : strcmp(names[i], name) < 0))
			i++;
		if (i == n || strcmp(names[i], name)) {
			memmove(&names[i + 1], &names[i], (n - i) * sizeof(names[0]));
			memmove(&passes[i + 1], &passes[i], (n - i) * sizeof(passes[0]));
			names[i] = name;
			memset(&passes[i], 0, sizeof(passes[i]));
			n++;
		}
		tp_add_type(&passes[i], (uint8_t)t);
	}
	c->npasses = n ? n : 1;
	return 0;
}

/* Adds to `named` the members of `types` whose type or kind has this name. */
static void keep_named(struct tp_type_set *types, struct tp_type_set *named, bool kind,
		       sqlite3_value *value)
{
	const char *want = sqlite3_value_type(value) == SQLITE_TEXT
			       ? (const char *)sqlite3_value_text(value)
			       : NULL;

	for (unsigned t = 0; want && t < 256; t++) {
		const char *name =
		    kind ? tp_event_kind_name((uint8_t)t) : tp_event_type_name((uint8_t)t);

		if (name && tp_has_type(types, (uint8_t)t) && !strcmp(name, want))
			tp_add_type(named, (uint8_t)t);
	}
}

/* Applies one constraint of the plan; returns false if no row can match. */
static bool apply(struct tp_event_cursor *c, const char *plan, sqlite3_value *value)
{
	int column = plan[0] - 'a', op = tp_sql_op_of_char(plan[1]);
	struct tp_type_set named = {{0}};
	bool kind = column == TP_SQL_EVENT_kind;
	int which = column == TP_SQL_EVENT_goroutine ? 0 : column == TP_SQL_EVENT_m ? 1 : 2;

	switch (column) {
	case TP_SQL_EVENT_run:
		return tp_sql_narrow(op, value, &c->run_from, &c->run_to);
	case TP_SQL_EVENT_seq:
		return tp_sql_narrow(op, value, &c->seq_from, &c->seq_to);
	case TP_SQL_EVENT_ts_ns:
		c->filter |= TP_BC_TS;
		return tp_sql_narrow(op, value, &c->ts_from, &c->ts_to);
	case TP_SQL_EVENT_type:
	case TP_SQL_EVENT_kind:
		if (plan[1] == 'i') {
			sqlite3_value *item = NULL;

			for (int rc = sqlite3_vtab_in_first(value, &item); rc == SQLITE_OK && item;
			     rc = sqlite3_vtab_in_next(value, &item))
				keep_named(&c->types, &named, kind, item);
		} else {
			keep_named(&c->types, &named, kind, value);
		}
		c->filter |= TP_BC_TYPE;
		c->types = named;
		return true;
	default: { /* goroutine, m, p */
		int64_t id;

		if (!tp_sql_want_int(value, &id) || (c->want[which] && c->want_id[which] != id))
			return false;
		c->want[which] = true;
		c->want_id[which] = id;
		c->filter |= which == 0 ? TP_BC_G : which == 1 ? TP_BC_M : TP_BC_P;
		return true;
	}
	}
}

static int event_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
			sqlite3_value **argv)
{
	struct tp_event_cursor *c = (struct tp_event_cursor *)base;
	struct tp_err err = {0};
	bool some = true;
	int code;

	tp_event_leave_run(c);
	free(c->passes);
	free(c->counts);
	c->passes = NULL;
	c->counts = NULL;
	c->columns = (uint32_t)plan & PLAN_COLUMNS;
	c->filter = 0;
	c->run_from = c->ts_from = INT64_MIN;
	c->seq_from = 0;
	c->run_to = c->seq_to = c->ts_to = INT64_MAX;
	memset(&c->types, 0xff, sizeof(c->types));
	memset(c->want, 0, sizeof(c->want));
	c->nseen = c->nth = 0;
	c->run_pos = c->pass = 0;
	c->left = 0;
	c->counted_type = 0;
	c->eof = false;
	c->count = (plan & PLAN_COUNT) != 0;
	for (int i = 0; i < argc && some; i++)
		some = apply(c, text + 2 * i, argv[i]);
	if (!some) {
		c->eof = true;
		return SQLITE_OK;
	}
	code = tp_sql_refresh(c->sql, &err);
	if (!code && plan_passes(c, plan, &c->types))
		return SQLITE_NOMEM;
	if (plan & (PLAN_BY_TYPE | PLAN_BY_KIND))
		c->filter |= TP_BC_TYPE;
	if (!code && c->count) {
		struct tp_type_set *passes = c->passes;
		size_t npasses = c->npasses;

		c->passes = &c->types; /* count all types in one pass */
		c->npasses = 1;
		code = tp_event_count_types(c, &err);
		c->passes = passes;
		c->npasses = npasses;
		c->pass = c->run_pos = 0;
		c->eof = false;
		if (!code)
			tp_event_next_count(c);
	} else if (!code) {
		code = tp_event_next_rows(c, &err);
	}
	return code ? tp_sql_fail(base->pVtab, &err) : SQLITE_OK;
}

static int refill(struct tp_event_cursor *c)
{
	struct tp_err err;

	return tp_event_next_rows(c, &err) ? tp_sql_fail(c->base.pVtab, &err) : SQLITE_OK;
}

static int event_next(sqlite3_vtab_cursor *base)
{
	struct tp_event_cursor *c = (struct tp_event_cursor *)base;

	if (c->count) {
		if (!--c->left)
			tp_event_next_count(c);
		return SQLITE_OK;
	}
	return ++c->at < c->n ? SQLITE_OK : refill(c);
}

static int event_eof(sqlite3_vtab_cursor *base)
{
	return ((struct tp_event_cursor *)base)->eof;
}

static int event_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	struct tp_event_cursor *c = (struct tp_event_cursor *)base;

	if (c->count) { /* xBestIndex cannot know that SQLite will ask for it */
		const struct tp_err err = {
		    .code = TP_ESTORE,
		    .msg = "event has no rowid in a query grouped by type: use max(seq)"};

		return tp_sql_fail(base->pVtab, &err);
	}
	*rowid = tp_sql_rowid(c->run_id, c->part * TP_BLOCK_EVENTS + c->sel[c->at]);
	return SQLITE_OK;
}

const sqlite3_module tp_sql_event_module = {
    .iVersion = 1,
    .xConnect = tp_sql_connect,
    .xBestIndex = event_best_index,
    .xDisconnect = tp_sql_disconnect,
    .xOpen = event_open,
    .xClose = event_close,
    .xFilter = event_filter,
    .xNext = event_next,
    .xEof = event_eof,
    .xColumn = tp_event_column,
    .xRowid = event_rowid,
};
