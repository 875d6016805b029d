/* The virtual table `string`: the texts of a run's dictionary. idxStr as in event.c. */
#include "sql/sql.h"

#include <stdlib.h>
#include <string.h>

#include "store/describe.h"

struct string_cursor {
	sqlite3_vtab_cursor base;
	struct tp_sql *sql;
	int64_t run_from, run_to, id_from, id_to;
	size_t run_pos;
	int64_t run_id;
	struct tp_sql_run *run;
	const struct tp_dict *dict;
	int64_t id, end; /* ids id … end-1 are to come */
	bool eof;
};

static int string_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	struct tp_sql *sql = ((struct tp_sql_vtab *)vtab)->sql;
	double rows;
	bool one_run = false, one_id = false;
	int rc = tp_sql_stream_rows(vtab, "string", &rows);

	if (!rc)
		rc = tp_sql_plan_begin(info);
	if (rc)
		return rc;
	for (int i = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn;
		char op = tp_sql_op_char(info->aConstraint[i].op);

		if (!info->aConstraint[i].usable || !op ||
		    (column != TP_SQL_STRING_run && column != TP_SQL_STRING_id))
			continue;
		one_run |= column == TP_SQL_STRING_run && op == '=';
		one_id |= column == TP_SQL_STRING_id && op == '=';
		tp_sql_plan_add(info, i, op, true);
	}
	if (one_run && tp_sql_nruns(sql) > 1)
		rows /= (double)tp_sql_nruns(sql);
	if (one_id)
		rows = 1;
	if (one_run && one_id)
		info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
	tp_sql_estimate(info, rows);
	info->estimatedCost = 10 + rows;
	return SQLITE_OK;
}

static int string_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	struct string_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	c->sql = ((struct tp_sql_vtab *)vtab)->sql;
	tp_sql_cursor_opened(c->sql);
	*out = &c->base;
	return SQLITE_OK;
}

static int string_close(sqlite3_vtab_cursor *base)
{
	struct string_cursor *c = (struct string_cursor *)base;

	tp_sql_run_put(c->run);
	tp_sql_cursor_closed(c->sql);
	free(c);
	return SQLITE_OK;
}

/* When the ids of a run are used up, moves to the next run that has some. */
static int settle(struct string_cursor *c, struct tp_err *err)
{
	for (; c->id >= c->end; c->run_pos++) {
		int code;

		tp_sql_run_put(c->run);
		c->run = NULL;
		c->eof = c->run_pos >= tp_sql_nruns(c->sql);
		if (c->eof)
			return 0;
		c->run_id = tp_sql_run_id(c->sql, c->run_pos);
		if (c->run_id < c->run_from || c->run_id > c->run_to)
			continue;
		code = tp_sql_run_get(c->sql, c->run_id, &c->run, err);
		if (!code)
			code = tp_sql_dict(c->run, &c->dict, err);
		if (code)
			return code;
		c->id = c->id_from;
		c->end = tp_dict_strings(c->dict);
		if (c->id_to < c->end)
			c->end = c->id_to + 1;
	}
	return 0;
}

static int string_filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
			 sqlite3_value **argv)
{
	struct string_cursor *c = (struct string_cursor *)base;
	struct tp_err err = {0};
	bool some = true;

	(void)number;
	tp_sql_run_put(c->run);
	c->run = NULL;
	c->run_from = INT64_MIN;
	c->run_to = c->id_to = INT64_MAX;
	c->id_from = c->id = c->end = 0;
	c->run_pos = 0;
	c->eof = false;
	for (int i = 0; i < argc && some; i++) {
		bool run = plan[2 * i] - 'a' == TP_SQL_STRING_run;

		some =
		    tp_sql_narrow(tp_sql_op_of_char(plan[2 * i + 1]), argv[i],
				  run ? &c->run_from : &c->id_from, run ? &c->run_to : &c->id_to);
	}
	if (!some) {
		c->eof = true;
		return SQLITE_OK;
	}
	if (tp_sql_refresh(c->sql, &err) || settle(c, &err))
		return tp_sql_fail(base->pVtab, &err);
	return SQLITE_OK;
}

static int string_next(sqlite3_vtab_cursor *base)
{
	struct string_cursor *c = (struct string_cursor *)base;
	struct tp_err err;

	c->id++;
	return settle(c, &err) ? tp_sql_fail(base->pVtab, &err) : SQLITE_OK;
}

static int string_eof(sqlite3_vtab_cursor *base)
{
	return ((struct string_cursor *)base)->eof;
}

static int string_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
	struct string_cursor *c = (struct string_cursor *)base;

	if (column == TP_SQL_STRING_run)
		sqlite3_result_int64(ctx, c->run_id);
	else if (column == TP_SQL_STRING_id)
		sqlite3_result_int64(ctx, c->id);
	else
		tp_sql_result_text(ctx, c->dict, c->id);
	return SQLITE_OK;
}

static int string_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	const struct string_cursor *c = (const struct string_cursor *)base;

	*rowid = tp_sql_rowid(c->run_id, c->id);
	return SQLITE_OK;
}

const sqlite3_module tp_sql_string_module = {
    .iVersion = 1,
    .xConnect = tp_sql_connect,
    .xBestIndex = string_best_index,
    .xDisconnect = tp_sql_disconnect,
    .xOpen = string_open,
    .xClose = string_close,
    .xFilter = string_filter,
    .xNext = string_next,
    .xEof = string_eof,
    .xColumn = string_column,
    .xRowid = string_rowid,
};
