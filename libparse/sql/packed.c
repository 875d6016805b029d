/* One module for every packed table (store/tables.h), which consists of chunks of int64 columns,
 * and for `string`, the texts of a run's dictionary, where the row number is the id.
 *
 * A scan decodes chunk by chunk, and of each only the columns the query uses. A look-up of a row
 * (`row = …`) or of a number in any column (`id = …`, as joins do) uses the whole table, which is
 * decoded and sorted once and kept with the run (cache.c).
 *
 * idxNum holds the columns that are used, as bits; idxStr the constraints as in event.c. */
#include "sql/sql.h"

#include <stdlib.h>
#include <string.h>

#include "store/describe.h"
#include "store/pool_read.h"
#include "store/stream.h"

#define LEADING 2 /* columns before those of the descriptor: run, row */

_Static_assert(TP_MAX_COLUMNS + LEADING < 31, "columns fit the bits of idxNum");

static const struct tp_column_desc text_column = {"text", TP_COL_STR, NULL};
static const struct tp_table_desc string_desc = {"string", NULL, &text_column, 1};

_Static_assert((int)TP_SQL_STRING_id == LEADING - 1 && (int)TP_SQL_STRING_text == LEADING,
	       "the id of a string is its row");

static const struct tp_table_desc *desc_of(unsigned table)
{
	return table == TP_SQL_STRING ? &string_desc : &tp_tables[table];
}

struct packed_cursor {
	sqlite3_vtab_cursor base;
	struct tp_sql *sql;
	const struct tp_table_desc *desc;
	unsigned table; /* enum tp_table_id, or TP_SQL_STRING */

	/* the query */
	uint32_t columns; /* of the descriptor */
	int64_t run_from, run_to, row_from, row_to;
	int key; /* column of the descriptor that must be key_value, or -1 */
	int64_t key_value;

	/* the position */
	size_t run_pos;
	int64_t run_id;
	struct tp_sql_run *run;
	struct tp_stream *stream; /* scan */
	int64_t first_row;	  /* of the decoded chunk */
	const uint32_t *order;	  /* look-up: rows order[at … n) of the cached table */
	size_t at, n;
	const int64_t *col[TP_MAX_COLUMNS];
	bool eof;

	/* the chunk of a scan */
	struct tp_rows_decoder decoder;
	int64_t *chunk[TP_MAX_COLUMNS];
};

/* ---- planning ---- */

/* Returns whether rows can be looked up by this column's number. */
static bool is_key(enum tp_column_kind kind)
{
	return kind != TP_COL_STR && kind != TP_COL_STATE;
}

/* Estimates how many rows share a value of this column. */
static double rows_per_key(const struct tp_table_desc *desc, unsigned column, double rows)
{
	if (column == 0 && !strcmp(desc->columns[0].name, "id"))
		return 1;
	switch (desc->columns[column].kind) {
	case TP_COL_G:
	case TP_COL_STACK:
		return 1 + rows / 1000;
	case TP_COL_BOOL:
		return rows;
	default:
		return 1 + rows / 100;
	}
}

static int packed_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	const struct tp_sql_vtab *t = (const struct tp_sql_vtab *)vtab;
	const struct tp_table_desc *desc = desc_of(t->table);
	double all, rows, best;
	bool one_run = false, one_row = false;
	int key = -1, rc = tp_sql_stream_rows(vtab, desc->name, &all);

	if (!rc)
		rc = tp_sql_plan_begin(info);
	if (rc)
		return rc;
	rows = best = all;
	for (int i = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn;
		char op = tp_sql_op_char(info->aConstraint[i].op);

		if (!info->aConstraint[i].usable || !op)
			continue;
		if (column == 0 || column == 1) {
			one_run |= column == 0 && op == '=';
			one_row |= column == 1 && op == '=';
			tp_sql_plan_add(info, i, op, true);
		} else if (column >= LEADING && op == '=' &&
			   is_key(desc->columns[column - LEADING].kind)) {
			double found = rows_per_key(desc, (unsigned)column - LEADING, all);

			if (found < best) {
				best = found;
				key = i;
			}
		}
	}
	if (one_run && tp_sql_nruns(t->sql) > 1)
		rows /= (double)tp_sql_nruns(t->sql);
	if (one_row) {
		rows = 1;
		info->estimatedCost = 10;
		if (one_run)
			info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
	} else if (key >= 0) {
		tp_sql_plan_add(info, key, '=', false);
		rows = best;
		info->estimatedCost = 20 + rows;
	} else {
		info->estimatedCost = 100 + rows * 1.1;
	}
	tp_sql_estimate(info, rows);
	info->idxNum = (int)(info->colUsed >> LEADING & 0x7fffffff);
	/* Rows come in order of run and row, even from look-ups. */
	if (info->nOrderBy && !info->aOrderBy[0].desc) {
		int first = info->aOrderBy[0].iColumn;

		info->orderByConsumed =
		    (info->nOrderBy == 1 && (first == 0 || (first == 1 && one_run))) ||
		    (info->nOrderBy == 2 && first == 0 && info->aOrderBy[1].iColumn == 1 &&
		     !info->aOrderBy[1].desc);
	}
	return SQLITE_OK;
}

/* ---- the cursor ---- */

static int packed_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	const struct tp_sql_vtab *t = (const struct tp_sql_vtab *)vtab;
	struct packed_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	c->sql = t->sql;
	c->table = t->table;
	c->desc = desc_of(t->table);
	tp_sql_cursor_opened(c->sql);
	*out = &c->base;
	return SQLITE_OK;
}

static void leave_run(struct packed_cursor *c)
{
	tp_stream_close(c->stream);
	c->stream = NULL;
	tp_sql_run_put(c->run);
	c->run = NULL;
	c->order = NULL;
	c->at = c->n = 0;
}

static int packed_close(sqlite3_vtab_cursor *base)
{
	struct packed_cursor *c = (struct packed_cursor *)base;

	leave_run(c);
	tp_sql_cursor_closed(c->sql);
	tp_rows_decoder_release(&c->decoder);
	for (size_t i = 0; i < TP_MAX_COLUMNS; i++)
		free(c->chunk[i]);
	free(c);
	return SQLITE_OK;
}

/* Looks up the rows of this run whose column `key` is key_value; n stays 0 if no row has it. */
static int look_up_key(struct packed_cursor *c, struct tp_err *err)
{
	enum tp_column_kind kind = c->desc->columns[c->key].kind;
	int64_t value = c->key_value;
	int code;

	/* SQL shows ids where the table has indices. */
	if (kind == TP_COL_G || kind == TP_COL_M || kind == TP_COL_P) {
		uint32_t index;

		code = tp_sql_index(c->run, kind, c->key_value, &index, err);
		if (code || index == TP_NONE)
			return code;
		value = index;
	}
	return tp_sql_rows_find(c->run, c->table, (unsigned)c->key, value, &c->order, &c->at, &c->n,
				err);
}

/* Looks up rows of this run in the whole table. */
static int look_up(struct packed_cursor *c, struct tp_err *err)
{
	uint32_t columns = c->columns | (c->key < 0 ? 1u : 1u << c->key);
	const struct tp_sql_rows *rows;
	const struct tp_dict *dict;
	size_t n = 0;
	int code;

	c->first_row = 0;
	if (c->table == TP_SQL_STRING) {
		code = tp_sql_dict(c->run, &dict, err);
		n = code ? 0 : tp_dict_strings(dict);
	} else {
		code = tp_sql_rows(c->run, c->table, columns, &rows, err);
		n = code ? 0 : rows->nrows;
		for (size_t i = 0; i < TP_MAX_COLUMNS && !code; i++)
			c->col[i] = rows->col[i];
	}
	if (!code && c->key >= 0)
		return look_up_key(c, err);
	c->at = c->row_from > 0 ? (size_t)c->row_from : 0;
	c->n = c->row_to < (int64_t)n ? (size_t)c->row_to + 1 : n;
	return code;
}

/* Decodes the next chunk of a scan; n is 0 at the end of the run. */
static int next_chunk(struct packed_cursor *c, struct tp_err *err)
{
	struct tp_part part;
	int code;

	c->first_row += (int64_t)c->n;
	c->at = c->n = 0;
	code = tp_stream_next(c->stream, &part, err);
	if (code <= 0)
		return code;
	code = 0;
	if (part.rows < 1 || part.rows > TP_CHUNK_ROWS)
		code = tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "damaged");
	for (unsigned i = 0; i < c->desc->ncolumns && !code; i++) {
		if (!(c->columns & 1u << i))
			continue;
		if (!c->chunk[i])
			c->chunk[i] = malloc(TP_CHUNK_ROWS * sizeof(int64_t));
		if (!c->chunk[i])
			return tp_nomem(err);
		c->col[i] = c->chunk[i];
	}
	if (!code && c->columns)
		code = tp_rows_decode_table(&c->decoder, part.data, part.size, (size_t)part.rows,
					    c->table, c->chunk, err);
	if (code)
		tp_err_prefix(err, "run %lld, table %s, chunk %lld", (long long)c->run_id,
			      c->desc->name, (long long)part.part);
	else
		c->n = (size_t)part.rows;
	return code;
}

static int enter_run(struct packed_cursor *c, struct tp_err *err)
{
	int64_t pool = 0;
	int code;

	c->run_id = tp_sql_run_id(c->sql, c->run_pos);
	if (c->run_id < c->run_from || c->run_id > c->run_to)
		return 0;
	code = tp_sql_run_get(c->sql, c->run_id, &c->run, err);
	/* Tables in a pool have no chunks in the run. */
	if (!code && c->table != TP_SQL_STRING && tp_pool_has_table(c->table))
		code = tp_pool_of(tp_sql_store(c->sql), c->run_id, &pool, err);
	if (code)
		return code;
	if (c->key >= 0 || c->row_from == c->row_to || c->table == TP_SQL_STRING || pool)
		return look_up(c, err);
	memset(c->col, 0, sizeof(c->col));
	c->first_row = 0;
	return tp_stream_open(&c->stream, tp_sql_store(c->sql), c->run_id, c->desc->name, NULL,
			      err);
}

/* Moves to the next row in the range, beginning with the one at `at`, or to the end. */
static int settle(struct packed_cursor *c, struct tp_err *err)
{
	for (;;) {
		int code = 0;

		for (; c->at < c->n; c->at++) {
			int64_t row = c->order ? c->order[c->at] : c->first_row + (int64_t)c->at;

			if (row >= c->row_from && row <= c->row_to)
				return 0;
		}
		if (c->stream) {
			code = next_chunk(c, err);
			if (code)
				return code;
			if (c->n)
				continue;
		}
		if (c->run) {
			leave_run(c);
			c->run_pos++;
		}
		while (!c->run && c->run_pos < tp_sql_nruns(c->sql)) {
			code = enter_run(c, err);
			if (code)
				return code;
			if (!c->run)
				c->run_pos++;
		}
		if (!c->run) {
			c->eof = true;
			return 0;
		}
	}
}

static int packed_filter(sqlite3_vtab_cursor *base, int columns, const char *plan, int argc,
			 sqlite3_value **argv)
{
	struct packed_cursor *c = (struct packed_cursor *)base;
	struct tp_err err = {0};
	bool some = true;

	leave_run(c);
	c->columns = (uint32_t)columns;
	c->run_from = INT64_MIN;
	c->row_from = 0;
	c->run_to = c->row_to = INT64_MAX;
	c->key = -1;
	c->run_pos = 0;
	c->eof = false;
	for (int i = 0; i < argc && some; i++) {
		int column = plan[2 * i] - 'a', op = tp_sql_op_of_char(plan[2 * i + 1]);

		if (column == 0) {
			some = tp_sql_narrow(op, argv[i], &c->run_from, &c->run_to);
		} else if (column == 1) {
			some = tp_sql_narrow(op, argv[i], &c->row_from, &c->row_to);
		} else {
			c->key = column - LEADING;
			some = tp_sql_want_int(argv[i], &c->key_value);
		}
	}
	if (!some) {
		c->eof = true;
		return SQLITE_OK;
	}
	if (tp_sql_refresh(c->sql, &err))
		return tp_sql_fail(base->pVtab, &err);
	if (c->run_from == c->run_to)
		c->run_pos = tp_sql_run_find(c->sql, c->run_from);
	return settle(c, &err) ? tp_sql_fail(base->pVtab, &err) : SQLITE_OK;
}

static int packed_next(sqlite3_vtab_cursor *base)
{
	struct packed_cursor *c = (struct packed_cursor *)base;
	struct tp_err err;

	c->at++;
	return settle(c, &err) ? tp_sql_fail(base->pVtab, &err) : SQLITE_OK;
}

static int packed_eof(sqlite3_vtab_cursor *base)
{
	return ((struct packed_cursor *)base)->eof;
}

static int64_t current_row(const struct packed_cursor *c)
{
	return c->order ? c->order[c->at] : c->first_row + (int64_t)c->at;
}

static int64_t current_value(const struct packed_cursor *c, int column)
{
	if (c->table == TP_SQL_STRING)
		return current_row(c);
	return c->col[column] ? c->col[column][c->order ? c->order[c->at] : c->at] : TP_NULL;
}

static int packed_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
	struct packed_cursor *c = (struct packed_cursor *)base;
	enum tp_column_kind kind;
	struct tp_err err;
	int64_t value;
	int code = 0;

	if (column < LEADING) {
		sqlite3_result_int64(ctx, column ? current_row(c) : c->run_id);
		return SQLITE_OK;
	}
	value = current_value(c, column - LEADING);
	if (value == TP_NULL)
		return SQLITE_OK;
	kind = c->desc->columns[column - LEADING].kind;
	switch (kind) {
	case TP_COL_STR:
		code = tp_sql_result_text(ctx, c->run, value, &err);
		break;
	case TP_COL_STATE:
		tp_sql_result_state(ctx, value);
		break;
	case TP_COL_G:
	case TP_COL_M:
	case TP_COL_P:
		code = tp_sql_result_id(ctx, c->run, kind, value, &err);
		break;
	default:
		sqlite3_result_int64(ctx, value);
	}
	return code ? tp_sql_fail(base->pVtab, &err) : SQLITE_OK;
}

static int packed_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	const struct packed_cursor *c = (const struct packed_cursor *)base;

	*rowid = tp_sql_rowid(c->run_id, current_row(c));
	return SQLITE_OK;
}

const sqlite3_module tp_sql_packed_module = {
    .iVersion = 1,
    .xConnect = tp_sql_connect,
    .xBestIndex = packed_best_index,
    .xDisconnect = tp_sql_disconnect,
    .xOpen = packed_open,
    .xClose = packed_close,
    .xFilter = packed_filter,
    .xNext = packed_next,
    .xEof = packed_eof,
    .xColumn = packed_column,
    .xRowid = packed_rowid,
};
