#include "query/rows.h"

#include <stdlib.h>

static struct rep_value value_of(sqlite3_stmt *st, int i)
{
	const void *data;

	switch (sqlite3_column_type(st, i)) {
	case SQLITE_INTEGER:
		return rep_int(sqlite3_column_int64(st, i));
	case SQLITE_FLOAT:
		return rep_float(sqlite3_column_double(st, i));
	case SQLITE_TEXT:
		data = sqlite3_column_text(st, i);
		return data ? rep_text(data, (size_t)sqlite3_column_bytes(st, i)) : rep_null();
	case SQLITE_BLOB:
		data = sqlite3_column_blob(st, i);
		return rep_blob(data ? data : "", (size_t)sqlite3_column_bytes(st, i));
	default:
		return rep_null();
	}
}

int rep_statement_write(sqlite3_stmt *st, const char *name, struct rep_output *out, uint64_t *rows,
			struct tp_err *err)
{
	int n = sqlite3_column_count(st), rc = sqlite3_step(st), code;
	struct rep_column *columns;
	struct rep_value *values;

	if (n == 0 || (rc != SQLITE_ROW && rc != SQLITE_DONE))
		return 0;
	columns = calloc((size_t)n, sizeof(*columns));
	values = calloc((size_t)n, sizeof(*values));
	code = columns && values ? 0 : tp_nomem(err);
	for (int i = 0; i < n && !code; i++)
		columns[i] = (struct rep_column){.name = sqlite3_column_name(st, i),
						 .kind = REP_ANY,
						 .shorten = REP_SHORTEN_MIDDLE};
	if (!code)
		code = rep_output_begin(out, name, columns, (size_t)n, err);
	for (; rc == SQLITE_ROW && !code; rc = sqlite3_step(st)) {
		for (int i = 0; i < n; i++)
			values[i] = value_of(st, i);
		code = rep_output_row(out, values, err);
		++*rows;
	}
	/* A failed statement ends the table, too, so the rows before the failure are shown. */
	if (!code)
		code = rep_output_end(out, err);
	free(columns);
	free(values);
	return code ? code : 1;
}
