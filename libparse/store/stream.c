#include "store/stream.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "store/kept.h"
#include "store/query.h"
#include "store/sqlerr.h"
#include "store/store.h"
#include "store/tables.h"

struct tp_stream {
	struct tp_query q;
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
	(*s)->q = tp_query(tp_store_kept(store), tp_store_db(store), get_parts, "isiiii", run,
			   stream, range->first_part, range->parts, range->from_ns, range->to_ns);
	if ((*s)->q.rc) {
		int code = tp_query_end(&(*s)->q, 0, STORE, err);

		free(*s);
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
	sqlite3_stmt *stmt = s->q.stmt;

	if (!tp_query_row(&s->q))
		return s->q.rc == SQLITE_DONE ? 0 : tp_sql_err(err, s->q.db, STORE, "cannot read");
	part->part = sqlite3_column_int64(stmt, 0);
	part->rows = sqlite3_column_int64(stmt, 1);
	part->first_ts = int_or_null(stmt, 2);
	part->last_ts = int_or_null(stmt, 3);
	part->data = sqlite3_column_blob(stmt, 4);
	part->size = part->data ? (size_t)sqlite3_column_bytes(stmt, 4) : 0;
	if (!part->data && sqlite3_errcode(s->q.db) == SQLITE_NOMEM)
		return tp_sql_err(err, s->q.db, STORE, "cannot read");
	return 1;
}

void tp_stream_close(struct tp_stream *s)
{
	if (!s)
		return;
	tp_query_done(&s->q);
	free(s);
}

int tp_stream_count(struct tp_store *store, int64_t run, const char *stream, int64_t *rows,
		    int64_t *parts, struct tp_err *err)
{
	static const char sql[] = "SELECT count(*), coalesce(sum(rows), 0) FROM main.block WHERE "
				  "run = ?1 AND stream = ?2";
	struct tp_query q =
	    tp_query(tp_store_kept(store), tp_store_db(store), sql, "is", run, stream);

	*parts = tp_query_number(&q);
	*rows = q.rc == SQLITE_ROW ? sqlite3_column_int64(q.stmt, 1) : 0;
	return tp_query_end(&q, 0, STORE, err);
}
