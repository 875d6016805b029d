/* Spans of a trace: what the store's own table `span` says, in its order. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "engine/binary.h"
#include "engine/inside.h"
#include "store/sqlerr.h"

#define SPILL_EVERY 4096 /* rows */

static int put_cell(struct tp_buf *b, sqlite3_stmt *st, int c, bool text)
{
	if (text)
		return rep_row_put_text_or_null(b, sqlite3_column_text(st, c),
						(size_t)sqlite3_column_bytes(st, c));
	return rep_row_put_int(
	    b, sqlite3_column_type(st, c) == SQLITE_NULL ? TP_NULL : sqlite3_column_int64(st, c));
}

static int put_stack(struct rep_loading *l, int64_t node, struct tp_err *err)
{
	return node > 0 && node < tp_dict_stacks(l->dict) ? rep_load_stack(l, (uint32_t)node, err)
							  : 0;
}

static int put_span(struct rep_loading *l, const struct rep_engine_column *column, unsigned n,
		    sqlite3_stmt *st, struct tp_err *err)
{
	int failed = rep_load_begin_row(l, REP_ENGINE_SPAN), code;

	for (unsigned c = 3; c < n && !failed; c++)
		failed = put_cell(&l->table[REP_ENGINE_SPAN], st, (int)c - 3,
				  strstr(column[c].type, "String") != NULL);
	code = failed ? rep_engine_no_memory(err) : rep_load_end_row(l, REP_ENGINE_SPAN, err);
	for (unsigned c = 3; c < n && !code; c++)
		if (!strcmp(column[c].name, "stack") || !strcmp(column[c].name, "waker_stack"))
			code = put_stack(l, sqlite3_column_int64(st, (int)c - 3), err);
	return code;
}

int rep_load_spans(struct rep_loading *l, struct tp_err *err)
{
	struct rep_engine_column column[REP_ENGINE_COLUMNS];
	unsigned n = rep_engine_columns(REP_ENGINE_SPAN, column);
	sqlite3 *db = tp_store_db(l->store);
	sqlite3_stmt *st = NULL;
	char sql[512];
	int at, rc, code = 0;

	at = snprintf(sql, sizeof(sql), "SELECT ");
	for (unsigned c = 3; c < n; c++)
		at += snprintf(sql + at, sizeof(sql) - (size_t)at, "%s%s", c > 3 ? ", " : "",
			       column[c].name);
	snprintf(sql + at, sizeof(sql) - (size_t)at, " FROM span WHERE run = ?1");
	rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);
	if (!rc)
		rc = sqlite3_bind_int64(st, 1, l->run->row.id);
	while (!rc && !code && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		code = put_span(l, column, n, st, err);
		if (!code && l->rows[REP_ENGINE_SPAN] % SPILL_EVERY == 0)
			code = l->spill(l->spill_ctx, err);
		rc = 0;
	}
	if (!code && rc != SQLITE_DONE)
		code = tp_sql_cause(err, db, "cannot read the spans of the store");
	sqlite3_finalize(st);
	return code;
}
