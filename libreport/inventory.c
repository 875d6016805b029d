#include "inventory.h"
#include "store/sqlerr.h"

#include <sqlite3.h>

static int store_error(sqlite3 *db, struct tp_err *err)
{
	return tp_sql_cause(err, db, "cannot read what a run takes up");
}

static int visit_streams(struct tp_store *store, int64_t run, const char *sql,
			 int (*visit)(void *ctx, const struct rep_stream *s, struct tp_err *err),
			 void *ctx, struct tp_err *err)
{
	sqlite3 *db = tp_store_db(store);
	sqlite3_stmt *st = NULL;
	int code = 0, rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);

	if (!rc)
		rc = sqlite3_bind_int64(st, 1, run);
	while (!rc && !code && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(st, 0);
		struct rep_stream s = {name ? name : "", sqlite3_column_int64(st, 1),
				       sqlite3_column_int64(st, 2), sqlite3_column_int64(st, 3),
				       sqlite3_column_int64(st, 4)};

		code = visit(ctx, &s, err);
		rc = SQLITE_OK;
	}
	if (!code && rc != SQLITE_DONE)
		code = store_error(db, err);
	sqlite3_finalize(st);
	return code;
}

int rep_run_streams(struct tp_store *store, int64_t run,
		    int (*visit)(void *ctx, const struct rep_stream *s, struct tp_err *err),
		    void *ctx, struct tp_err *err)
{
	return visit_streams(store, run,
			     "SELECT stream, sum(rows), count(*), sum(length(data)), sum(raw_size) "
			     "FROM block WHERE run = ? GROUP BY stream ORDER BY 4 DESC, 1",
			     visit, ctx, err);
}

static int keep_bytes(void *ctx, const struct rep_stream *s, struct tp_err *err)
{
	(void)err;
	*(int64_t *)ctx = s->bytes;
	return 0;
}

int rep_run_bytes(struct tp_store *store, int64_t run, int64_t *bytes, struct tp_err *err)
{
	*bytes = 0;
	return visit_streams(
	    store, run,
	    "SELECT '', 0, 0, coalesce(sum(length(data)), 0), 0 FROM block WHERE run = ?",
	    keep_bytes, bytes, err);
}
