#include "sql/sql.h"

#include <stdlib.h>

#include "store/describe.h"
#include "store/store.h"

static void free_module(void *p)
{
	struct tp_sql_module *module = p;

	tp_sql_unref(module->sql);
	free(module);
}

int tp_sql_modules_register(sqlite3 *db, struct tp_sql *sql)
{
	for (unsigned table = 0; table < TP_SQL_NTABLES; table++) {
		const sqlite3_module *methods = table == TP_SQL_EVENT  ? &tp_sql_event_module
						: table == TP_SQL_SPAN ? &tp_sql_span_module
								       : &tp_sql_packed_module;
		struct tp_sql_module *module = malloc(sizeof(*module));
		int rc;

		if (!module)
			return SQLITE_NOMEM;
		tp_sql_ref(sql);
		module->sql = sql;
		module->table = table;
		/* SQLite calls free_module even if this fails. */
		rc = sqlite3_create_module_v2(db, tp_sql_table_name(table), methods, module,
					      free_module);
		if (rc)
			return rc;
	}
	return SQLITE_OK;
}

int tp_store_register(struct sqlite3 *db)
{
	struct tp_sql *sql = tp_sql_new(db);
	int rc;

	if (!sql)
		return SQLITE_NOMEM;
	rc = tp_sql_modules_register(db, sql);
	if (!rc)
		rc = tp_sql_functions_register(db, sql);
	if (!rc)
		rc = tp_sql_percentile_register(db);
	tp_sql_unref(sql); /* the modules and functions have their own references */
	return rc;
}
