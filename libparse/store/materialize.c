#include "store/materialize.h"

#include <sqlite3.h>
#include <stdio.h>

#include "store/query.h"
#include "store/schema.h"
#include "store/sqlerr.h"
#include "store/store.h"
#include "store/tables.h"
#include "store/vfs.h"

static int copy_table(struct sqlite3 *db, const char *path, const char *name, int64_t run,
		      struct tp_err *err)
{
	char sql[256];

	/* Names are quoted, as some ("range", "column") are SQL keywords. */
	snprintf(sql, sizeof(sql),
		 "CREATE TABLE IF NOT EXISTS main.\"%s_rows\" AS SELECT * FROM \"%s\" WHERE 0;"
		 "INSERT INTO main.\"%s_rows\" SELECT * FROM \"%s\" WHERE run = %lld",
		 name, name, name, name, (long long)run);
	return sqlite3_exec(db, sql, NULL, NULL, NULL)
		   ? tp_sql_err(err, db, path, "cannot write rows to")
		   : 0;
}

int tp_materialize(struct sqlite3 *db, const char *path, int64_t run, struct tp_err *err)
{
	static const char *const others[] = {"event", "span", "string"};
	int code = 0;

	if (tp_store_register(db))
		return tp_sql_err(err, db, path, "cannot write rows to");
	for (size_t i = 0; !code && i < sizeof(others) / sizeof(others[0]); i++)
		code = copy_table(db, path, others[i], run, err);
	for (int t = 0; !code && t < TP_NTABLES; t++)
		code = copy_table(db, path, tp_tables[t].name, run, err);
	return code;
}

/* Runs of a new store have the numbers 1, 2, … */
static int materialize_all(struct sqlite3 *db, const char *path, struct tp_err *err)
{
	struct tp_query q = tp_query(NULL, db, "SELECT max(id) FROM run", "");
	int64_t runs = tp_query_number(&q);
	int code = tp_query_end(&q, 0, path, err);

	for (int64_t i = 1; i <= runs && !code; i++)
		code = tp_materialize(db, path, i, err);
	return code;
}

int tp_materialize_file(const char *path, struct tp_err *err)
{
	struct sqlite3 *db = NULL;
	int code = 0, version;

	/* If this fails the file is removed, so a journal is not needed. The process that wrote it
	 * may have been taken over by what it decoded, so the schema is checked. */
	if (tp_sql_open(path, &db, SQLITE_OPEN_READWRITE) ||
	    sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL, NULL,
			 NULL) ||
	    tp_schema_harden(db) || sqlite3_exec(db, "BEGIN", NULL, NULL, NULL))
		code = tp_sql_err(err, db, path, "cannot write");
	if (!code)
		code = tp_schema_check(db, path, &version, err);
	if (!code)
		code = materialize_all(db, path, err);
	if (!code && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL))
		code = tp_sql_err(err, db, path, "cannot write");
	sqlite3_close(db);
	return code;
}
