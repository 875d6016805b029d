#include "export/tables.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "query/rows.h"
#include "store/describe.h"
#include "store/sqlerr.h"

/* The ordinary tables with a column `run`; `block` is left out, as it holds the bulk data
 * itself. */
static const char *const ordinary[] = {"run",  "label", "loss",	  "notice",
				       "wire", "clock", "segment"};
#define NORDINARY (sizeof(ordinary) / sizeof(ordinary[0]))

const char *rep_export_table_name(unsigned i)
{
	if (i < NORDINARY)
		return ordinary[i];
	i -= (unsigned)NORDINARY;
	return i < TP_SQL_NTABLES ? tp_sql_table_name(i) : NULL;
}

static bool known(const char *table)
{
	const char *name;

	for (unsigned i = 0; (name = rep_export_table_name(i)); i++)
		if (!strcmp(name, table))
			return true;
	return false;
}

static int fail(sqlite3 *db, const char *table, struct tp_err *err)
{
	char doing[128];

	snprintf(doing, sizeof(doing), "cannot read the table %s", table);
	return tp_sql_cause(err, db, doing);
}

static int prepare(sqlite3 *db, int64_t run, const char *table, const char *limit,
		   sqlite3_stmt **st, struct tp_err *err)
{
	const char *key = strcmp(table, "run") != 0 ? "run" : "id";
	char *sql;
	int rc;

	*st = NULL;
	if (!known(table))
		return tp_err_set(
		    err, TP_ENOENT, TP_OFFSET_NONE,
		    "the store has no table '%s'; tprof-query FILE .tables lists them", table);
	sql = sqlite3_mprintf("SELECT * FROM \"%w\" WHERE %s = ?1%s", table, key, limit);
	if (!sql)
		return tp_nomem(err);
	rc = sqlite3_prepare_v2(db, sql, -1, st, NULL);
	sqlite3_free(sql);
	if (rc || sqlite3_bind_int64(*st, 1, run))
		return fail(db, table, err);
	return 0;
}

int rep_export_table_any(struct tp_store *store, int64_t run, const char *table, struct tp_err *err)
{
	sqlite3 *db = tp_store_db(store);
	sqlite3_stmt *st;
	int code = prepare(db, run, table, " LIMIT 1", &st, err), rc;

	if (!code) {
		rc = sqlite3_step(st);
		code = rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : fail(db, table, err);
	}
	sqlite3_finalize(st);
	return code;
}

int rep_export_table(struct tp_store *store, int64_t run, const char *table, struct rep_output *out,
		     uint64_t *rows, struct tp_err *err)
{
	sqlite3 *db = tp_store_db(store);
	sqlite3_stmt *st;
	int code = prepare(db, run, table, "", &st, err);

	*rows = 0;
	if (!code)
		code = rep_statement_write(st, table, out, rows, err);
	if (sqlite3_finalize(st) && code >= 0)
		code = fail(db, table, err);
	return code < 0 ? code : 0;
}
