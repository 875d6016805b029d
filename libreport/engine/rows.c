/* Turns a run's rows in a store, as SQL shows them, into rows of the engine. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "engine/binary.h"
#include "engine/inside.h"
#include "store/pool.h"
#include "store/sqlerr.h"

void rep_load_begin_row(struct rep_loading *l, enum rep_engine_table_id table)
{
	struct tp_buf *b = &l->table[table];

	l->row_at = b->size;
	rep_row_put(b, l->day, 2);
	rep_row_put(b, l->load, 8);
	rep_row_put(b, l->rows[table]++, 4);
}

int rep_load_end_row(struct rep_loading *l, enum rep_engine_table_id table, struct tp_err *err)
{
	struct tp_buf *b = &l->table[table];
	size_t size = b->size - l->row_at;

	if (tp_buf_text(b, ""))
		return tp_nomem(err);
	if (size <= REP_ANSWER_ROW_MOST)
		return 0;
	l->refused = true;
	b->size = l->row_at;
	return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
			  "run %lld is not loaded: a row of its table %s would have %zu MiB, and "
			  "reports read rows of up to %zu MiB; keep this run in a store",
			  (long long)l->run->row.id, rep_engine_name(table), size >> 20,
			  REP_ANSWER_ROW_MOST >> 20);
}

/* Returns the node of the stack in column c, 0 if it has none. */
static uint32_t node_in(const struct rep_loading *l, sqlite3_stmt *st, int c)
{
	int64_t node = sqlite3_column_int64(st, c);

	return node > 0 && node < tp_dict_stacks(l->dict) ? (uint32_t)node : 0;
}

static void put_cell(const struct rep_loading *l, struct tp_buf *b, sqlite3_stmt *st, int c,
		     const char *type)
{
	bool null = sqlite3_column_type(st, c) == SQLITE_NULL;

	if (!strcmp(type, REP_ENGINE_INT))
		rep_row_put_int(b, null ? TP_NULL : sqlite3_column_int64(st, c));
	else if (!strcmp(type, REP_ENGINE_HASH))
		tp_buf_put(b, l->hashes.of[node_in(l, st, c)], REP_STACK_HASH);
	else if (!strcmp(type, REP_ENGINE_TEXT))
		rep_row_put_text_or_null(b, sqlite3_column_text(st, c),
					 (size_t)sqlite3_column_bytes(st, c));
	else
		rep_row_put_text(b, sqlite3_column_blob(st, c),
				 (size_t)sqlite3_column_bytes(st, c));
}

/* Writes the current row of st, and the stacks that it names. */
static int put_row(struct rep_loading *l, enum rep_engine_table_id table,
		   const struct rep_engine_column *column, int n, sqlite3_stmt *st,
		   struct tp_err *err)
{
	int code;

	rep_load_begin_row(l, table);
	for (int c = 0; c < n; c++)
		put_cell(l, &l->table[table], st, c, column[c].type);
	code = rep_load_end_row(l, table, err);
	for (int c = 0; c < n && !code; c++)
		if (!strcmp(column[c].type, REP_ENGINE_HASH) && node_in(l, st, c))
			code = rep_load_stack(l, node_in(l, st, c), err);
	return code;
}

int rep_load_rows(struct rep_loading *l, enum rep_engine_table_id table, struct tp_err *err)
{
	struct rep_engine_column column[REP_ENGINE_COLUMNS];
	unsigned n = rep_engine_columns(table, column);
	const char *order = rep_engine_order_in_store(table);
	sqlite3 *db = tp_store_db(l->store);
	sqlite3_stmt *st = NULL;
	char sql[512];
	int at, rc, code = 0;

	at = snprintf(sql, sizeof(sql), "SELECT ");
	for (unsigned c = 3; c < n; c++)
		at += snprintf(sql + at, sizeof(sql) - (size_t)at, "%s%s", c > 3 ? ", " : "",
			       column[c].name);
	snprintf(sql + at, sizeof(sql) - (size_t)at, " FROM %s WHERE run = ?1%s%s%s",
		 rep_engine_name(table),
		 table == REP_ENGINE_BLOCK ? " AND stream != '" TP_POOL_STREAM "'" : "",
		 order ? " ORDER BY " : "", order ? order : "");
	rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);
	if (!rc)
		rc = sqlite3_bind_int64(st, 1, l->run->row.id);
	while (!rc && !code && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		code = put_row(l, table, column + 3, (int)n - 3, st, err);
		if (!code)
			code = l->spill(l->spill_ctx, err);
		rc = 0;
	}
	if (!code && rc != SQLITE_DONE)
		code = tp_sql_cause(err, db, "cannot read the store");
	sqlite3_finalize(st);
	return code;
}
