/* Queries: prepares statements, binds their arguments and steps through their rows. */
#ifndef TP_STORE_QUERY_H
#define TP_STORE_QUERY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct sqlite3;
struct sqlite3_stmt;
struct tp_kept;

struct tp_query {
	struct sqlite3_stmt *stmt; /* at the current row */
	struct sqlite3 *db;
	struct tp_kept *kept;
	const char *sql;
	int rc; /* SQLite's code */
};

/* Bind arguments to the parameters of a statement (the second: from number `at` on), one for each letter of `types`:
 * i is an int64_t, n an int64_t that may be TP_NULL, s a text, t a text and its size, b bytes and their size (size_t).
 * Texts and bytes must remain as they are until the statement is reset. They return an SQLite code. */
int tp_query_bind(struct sqlite3_stmt *stmt, const char *types, ...);
int tp_query_vbind(struct sqlite3_stmt *stmt, int at, const char *types, va_list args);

/* Begins a query with such arguments. Its statement is taken from a cache (store/kept.h), for which `sql` must be a
 * constant; or, if kept is NULL, prepared anew. A failure ends the rows, and its code is that of the end. */
struct tp_query tp_query(struct tp_kept *kept, struct sqlite3 *db, const char *sql,
			 const char *types, ...);
/* Steps to the next row. Returns whether there is one. */
bool tp_query_row(struct tp_query *q);
/* Returns the first number of the next row; 0 if there is none, or it is NULL. */
int64_t tp_query_number(struct tp_query *q);
/* Ends the query, also before its last row. Returns SQLITE_OK unless a step failed. */
int tp_query_done(struct tp_query *q);
/* The same for a query of the file `path`: returns `code` if it is not 0, or fills in err if a step failed. */
int tp_query_end(struct tp_query *q, int code, const char *path, struct tp_err *err);

#endif
