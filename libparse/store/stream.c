#include "store/stream.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "store/kept.h"
#include "store/sqlerr.h"
#include "store/store.h"
#include "store/tables.h"

struct tp_stream {
	struct tp_store *store;
	sqlite3_stmt *stmt;
};

/* The path is not known here; callers put it in front. */
#define STORE "the store"

static const char get_parts[] =
    "SELECT part, rows, first_ts, last_ts, data FROM main.block "
    "WHERE run = ?1 AND stream = ?2 AND part >= ?3 AND part - ?3 < ?4 "
    "AND coalesce(first_ts < ?6, 1) AND coalesce(last_ts >= ?5, 1) ORDER BY part";

int tp_stream_open(struct tp_stream **s, struct tp_store *store, int64_t run, const char *stream,
		   const struct tp_stream_range *range, struct tp_err *err)
{
	const struct tp_stream_range all = {0, INT64_MAX, INT64_MIN, INT64_MAX};

	if (!range)
		range = &all;
	*s = calloc(1, sizeof(**s));
	if (!*s)
		return tp_nomem(err);
	(*s)->store = store;
	if (tp_store_take(store, get_parts, &(*s)->stmt) ||
	    sqlite3_bind_int64((*s)->stmt, 1, run) ||
	    sqlite3_bind_text((*s)->stmt, 2, stream, -1, SQLITE_STATIC) ||
	    sqlite3_bind_int64((*s)->stmt, 3, range->first_part) ||
	    sqlite3_bind_int64((*s)->stmt, 4, range->parts) ||
	    sqlite3_bind_int64((*s)->stmt, 5, range->from_ns) ||
	    sqlite3_bind_int64((*s)->stmt, 6, range->to_ns)) {
		int code = tp_sql_err(err, tp_store_db(store), STORE, "cannot read");

		tp_stream_close(*s);
		*s = NULL;
		return code;
	}
	return 0;
}

static int64_t int_or_null(sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL
		   ? TP_NULL
		   : sqlite3_column_int64(stmt, column);
}

int tp_stream_next(struct tp_stream *s, struct tp_part *part, struct tp_err *err)
{
	sqlite3 *db = tp_store_db(s->store);
	int rc = sqlite3_step(s->stmt);

	if (rc == SQLITE_DONE)
		return 0;
	if (rc != SQLITE_ROW)
		return tp_sql_err(err, db, STORE, "cannot read");
	part->part = sqlite3_column_int64(s->stmt, 0);
	part->rows = sqlite3_column_int64(s->stmt, 1);
	part->first_ts = int_or_null(s->stmt, 2);
	part->last_ts = int_or_null(s->stmt, 3);
	part->data = sqlite3_column_blob(s->stmt, 4);
	part->size = part->data ? (size_t)sqlite3_column_bytes(s->stmt, 4) : 0;
	if (!part->data && sqlite3_errcode(db) == SQLITE_NOMEM)
		return tp_sql_err(err, db, STORE, "cannot read");
	return 1;
}

void tp_stream_close(struct tp_stream *s)
{
	if (!s)
		return;
	tp_store_give(s->store, get_parts, s->stmt);
	free(s);
}

int tp_stream_count(struct tp_store *store, int64_t run, const char *stream, int64_t *rows,
		    int64_t *parts, struct tp_err *err)
{
	static const char sql[] = "SELECT count(*), coalesce(sum(rows), 0) FROM main.block WHERE "
				  "run = ?1 AND stream = ?2";
	sqlite3_stmt *stmt = NULL;
	int code = 0;

	*rows = *parts = 0;
	if (tp_store_take(store, sql, &stmt) || sqlite3_bind_int64(stmt, 1, run) ||
	    sqlite3_bind_text(stmt, 2, stream, -1, SQLITE_STATIC) ||
	    sqlite3_step(stmt) != SQLITE_ROW) {
		code = tp_sql_err(err, tp_store_db(store), STORE, "cannot read");
	} else {
		*parts = sqlite3_column_int64(stmt, 0);
		*rows = sqlite3_column_int64(stmt, 1);
	}
	tp_store_give(store, sql, stmt);
	return code;
}
