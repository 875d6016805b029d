#include "export/tables.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "store/describe.h"
#include "store/sqlerr.h"

/* Of the ordinary tables those that have a run; `block` is the bulk itself. */
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
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "there is no table '%s'; tprof-query FILE .tables lists them",
				  table);
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

static struct rep_value value_of(sqlite3_stmt *st, int i)
{
	sqlite3_value *v = sqlite3_column_value(st, i);
	const void *data;

	switch (sqlite3_value_type(v)) {
	case SQLITE_INTEGER:
		return rep_int(sqlite3_value_int64(v));
	case SQLITE_FLOAT:
		return rep_float(sqlite3_value_double(v));
	case SQLITE_TEXT:
		data = sqlite3_value_text(v);
		return data ? rep_text(data, (size_t)sqlite3_value_bytes(v)) : rep_null();
	case SQLITE_BLOB:
		data = sqlite3_value_blob(v);
		return rep_blob(data ? data : "", (size_t)sqlite3_value_bytes(v));
	default:
		return rep_null();
	}
}

static int write_rows(sqlite3 *db, sqlite3_stmt *st, const char *table, struct rep_output *out,
		      uint64_t *rows, struct tp_err *err)
{
	int n = sqlite3_column_count(st), rc = SQLITE_DONE, code;
	struct rep_column *columns = calloc((size_t)n + 1, sizeof(*columns));
	struct rep_value *values = calloc((size_t)n + 1, sizeof(*values));

	code = columns && values ? 0 : tp_nomem(err);
	for (int i = 0; !code && i < n; i++)
		columns[i] =
		    (struct rep_column){.name = sqlite3_column_name(st, i), .kind = REP_ANY};
	if (!code)
		code = rep_output_begin(out, table, columns, (size_t)n, err);
	while (!code && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		for (int i = 0; i < n; i++)
			values[i] = value_of(st, i);
		code = rep_output_row(out, values, err);
		++*rows;
	}
	if (!code && rc != SQLITE_DONE)
		code = fail(db, table, err);
	if (!code)
		code = rep_output_end(out, err);
	free(columns);
	free(values);
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
		code = write_rows(db, st, table, out, rows, err);
	sqlite3_finalize(st);
	return code;
}
