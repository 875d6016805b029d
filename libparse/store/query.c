#include "store/query.h"

#include <sqlite3.h>

#include "store/kept.h"
#include "store/sqlerr.h"
#include "store/tables.h"

static int bind_one(sqlite3_stmt *stmt, int at, char type, va_list *args)
{
	const char *text;
	int64_t number;

	switch (type) {
	case 's':
		return sqlite3_bind_text(stmt, at, va_arg(*args, const char *), -1, SQLITE_STATIC);
	case 't':
		text = va_arg(*args, const char *);
		return sqlite3_bind_text(stmt, at, text, (int)va_arg(*args, size_t), SQLITE_STATIC);
	case 'b':
		text = va_arg(*args, const void *);
		return sqlite3_bind_blob64(stmt, at, text, va_arg(*args, size_t), SQLITE_STATIC);
	default:
		number = va_arg(*args, int64_t);
		return type == 'n' && number == TP_NULL ? sqlite3_bind_null(stmt, at)
							: sqlite3_bind_int64(stmt, at, number);
	}
}

int tp_query_vbind(struct sqlite3_stmt *stmt, int at, const char *types, va_list args)
{
	va_list copy;
	int rc = SQLITE_OK;

	va_copy(copy, args);
	for (; *types && !rc; types++)
		rc = bind_one(stmt, at++, *types, &copy);
	va_end(copy);
	return rc;
}

int tp_query_bind(struct sqlite3_stmt *stmt, const char *types, ...)
{
	va_list args;
	int rc;

	va_start(args, types);
	rc = tp_query_vbind(stmt, 1, types, args);
	va_end(args);
	return rc;
}

struct tp_query tp_query(struct tp_kept *kept, struct sqlite3 *db, const char *sql,
			 const char *types, ...)
{
	struct tp_query q = {.db = db, .kept = kept, .sql = sql, .rc = SQLITE_NOMEM};
	va_list args;

	if (sql)
		q.rc = tp_kept_take(kept, db, sql, &q.stmt);
	va_start(args, types);
	if (!q.rc)
		q.rc = tp_query_vbind(q.stmt, 1, types, args);
	va_end(args);
	return q;
}

bool tp_query_row(struct tp_query *q)
{
	if (q->rc == SQLITE_OK || q->rc == SQLITE_ROW)
		q->rc = sqlite3_step(q->stmt);
	return q->rc == SQLITE_ROW;
}

int64_t tp_query_number(struct tp_query *q)
{
	return tp_query_row(q) ? sqlite3_column_int64(q->stmt, 0) : 0;
}

int tp_query_done(struct tp_query *q)
{
	tp_kept_give(q->kept, q->sql, q->stmt);
	q->stmt = NULL;
	return q->rc == SQLITE_ROW || q->rc == SQLITE_DONE ? SQLITE_OK : q->rc;
}

int tp_query_end(struct tp_query *q, int code, const char *path, struct tp_err *err)
{
	return tp_query_done(q) && !code ? tp_sql_err(err, q->db, path, "cannot read") : code;
}
