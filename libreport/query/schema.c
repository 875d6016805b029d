/* Lists what can be queried: ordinary tables from sqlite_schema, with the comments on their
 * columns, and virtual tables from their descriptions. A store's schema is untrusted input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "query/inside.h"
#include "store/describe.h"
#include "store/sqlerr.h"

static const char list_sql[] =
    "SELECT name, type, coalesce(sql, '') FROM ("
    "SELECT name, type, sql FROM main.sqlite_schema UNION ALL "
    "SELECT name, type, sql FROM temp.sqlite_schema) "
    "WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";

static int failed(struct rep_query *q, struct tp_err *err)
{
	return tp_sql_cause(err, q->db, "cannot read the schema");
}

/* Returns whether an ordinary table or view of this name exists; it hides the virtual one. */
static bool is_stored(struct rep_query *q, const char *name)
{
	sqlite3_stmt *stmt = NULL;
	bool found = false;

	if (!sqlite3_prepare_v2(
		q->db,
		"SELECT 1 FROM main.sqlite_schema WHERE lower(name) = lower(?1) AND "
		"type IN ('table', 'view')",
		-1, &stmt, NULL)) {
		sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
		found = sqlite3_step(stmt) == SQLITE_ROW;
	}
	sqlite3_finalize(stmt);
	return found;
}

/* Returns the comment at the end of the first line of a definition, or NULL. */
static struct rep_value comment_of(const char *sql)
{
	const char *end = strchr(sql, '\n'), *comment = strstr(sql, "-- ");

	if (!end || !comment || comment > end)
		return rep_null();
	return rep_text(comment + 3, (size_t)(end - comment - 3));
}

static struct rep_value count_rows(struct rep_query *q, const char *name)
{
	char *sql = sqlite3_mprintf("SELECT count(*) FROM \"%w\"", name);
	struct rep_value value = rep_null();
	sqlite3_stmt *stmt = NULL;

	if (sql && !sqlite3_prepare_v2(q->db, sql, -1, &stmt, NULL) &&
	    sqlite3_step(stmt) == SQLITE_ROW)
		value = rep_int(sqlite3_column_int64(stmt, 0));
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
	return value;
}

/* Returns the number of rows of a virtual table, added up from its blocks; NULL for span, which has
 * no blocks. */
static struct rep_value count_packed(struct rep_query *q, const char *name)
{
	struct rep_value value = rep_null();
	sqlite3_stmt *stmt = NULL;

	if (!sqlite3_prepare_v2(q->db, "SELECT sum(rows) FROM main.block WHERE stream = ?1", -1,
				&stmt, NULL)) {
		sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
		if (sqlite3_step(stmt) == SQLITE_ROW &&
		    sqlite3_column_type(stmt, 0) == SQLITE_INTEGER)
			value = rep_int(sqlite3_column_int64(stmt, 0));
		else if (strcmp(name, "span") != 0)
			value = rep_int(0);
	}
	sqlite3_finalize(stmt);
	return value;
}

int rep_query_tables(struct rep_query *q, struct rep_output *out, struct tp_err *err)
{
	static const struct rep_column columns[] = {
	    {.name = "name", .doc = "of the table or view", .kind = REP_TEXT},
	    {.name = "type", .doc = "table, view or virtual table", .kind = REP_TEXT},
	    {.name = "rows", .doc = "rows; null where counting would take long", .kind = REP_COUNT},
	    {.name = "what",
	     .doc = "what it holds",
	     .kind = REP_TEXT,
	     .shorten = REP_SHORTEN_RIGHT},
	};
	sqlite3_stmt *stmt = NULL;
	int rc, code = rep_output_begin(out, "tables", columns, 4, err);

	if (!code && sqlite3_prepare_v2(q->db, list_sql, -1, &stmt, NULL))
		code = failed(q, err);
	while (!code && (rc = sqlite3_step(stmt)) != SQLITE_DONE) {
		struct rep_value row[4];

		if (rc != SQLITE_ROW) {
			code = failed(q, err);
			break;
		}
		row[0] = rep_str((const char *)sqlite3_column_text(stmt, 0));
		row[1] = rep_str((const char *)sqlite3_column_text(stmt, 1));
		row[2] = rep_null();
		if (row[1].text.data[0] == 't')
			row[2] = count_rows(q, row[0].text.data);
		row[3] = comment_of((const char *)sqlite3_column_text(stmt, 2));
		code = rep_output_row(out, row, err);
	}
	sqlite3_finalize(stmt);
	for (unsigned t = 0; t < TP_SQL_NTABLES && !code; t++) {
		const char *name = tp_sql_table_name(t);
		struct rep_value row[4] = {rep_str(name), rep_str("virtual"), rep_null(),
					   rep_str(tp_sql_table_doc(t))};

		if (is_stored(q, name))
			continue;
		row[2] = count_packed(q, name);
		code = rep_output_row(out, row, err);
	}
	return code ? code : rep_output_end(out, err);
}

/* ---- definitions ---- */

static void put_virtual(unsigned table, struct tp_buf *text)
{
	unsigned n = tp_sql_table_columns(table);

	tp_buf_printf(text, "CREATE VIRTUAL TABLE %s( -- %s\n", tp_sql_table_name(table),
		      tp_sql_table_doc(table));
	for (unsigned i = 0; i < n; i++) {
		struct tp_sql_column c = tp_sql_column_at(table, i);

		tp_buf_printf(text, "  %s %s%s -- %s\n", c.name, c.type, i + 1 < n ? "," : "",
			      c.doc);
	}
	tp_buf_text(text, ");\n");
}

static int put_stored(struct rep_query *q, const char *table, bool *found, struct tp_buf *text,
		      struct tp_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = 0, rc;

	if (sqlite3_prepare_v2(q->db, list_sql, -1, &stmt, NULL))
		return failed(q, err);
	while (!code && (rc = sqlite3_step(stmt)) != SQLITE_DONE) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);
		const char *sql = (const char *)sqlite3_column_text(stmt, 2);

		if (rc != SQLITE_ROW || !name || !sql)
			code = failed(q, err);
		else if (!table || !sqlite3_stricmp(name, table)) {
			*found = true;
			tp_buf_printf(text, "%s;\n", sql);
		}
	}
	sqlite3_finalize(stmt);
	return code;
}

int rep_query_schema(struct rep_query *q, const char *table, struct tp_buf *text,
		     struct tp_err *err)
{
	bool found = false;
	char similar[65];
	int code = put_stored(q, table, &found, text, err);

	for (unsigned t = 0; t < TP_SQL_NTABLES && !code; t++) {
		const char *name = tp_sql_table_name(t);

		if ((table && (found || sqlite3_stricmp(name, table) != 0)) || is_stored(q, name))
			continue;
		found = true;
		put_virtual(t, text);
	}
	if (!code && tp_buf_text(text, ""))
		code = tp_nomem(err);
	if (code || found || !table)
		return code;
	rep_query_similar(q, REP_WORDS_TABLES, table, similar, sizeof(similar));
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  "the store has no table '%.60s'; %s%s%s.tables lists them", table,
			  *similar ? "did you mean " : "", similar, *similar ? "? " : "");
}

/* ---- names and their meanings ---- */

struct meaning {
	int (*add)(void *ctx, const char *word, const char *doc);
	void *ctx;
};

/* Finds the comment on the column's own line: " id integer primary key, -- what it is". Writes ""
 * if the line has no comment. */
static void column_doc(const char *sql, const char *column, char doc[160])
{
	size_t n = strlen(column);

	doc[0] = '\0';
	for (const char *line = sql; line && !*doc; line = strchr(line, '\n')) {
		const char *comment, *end;

		line += strspn(line, "\n \t");
		end = strchr(line, '\n');
		comment = strstr(line, "-- ");
		if (strncmp(line, column, n) != 0 || line[n] != ' ' || !comment ||
		    (end && comment > end))
			continue;
		snprintf(doc, 160, "%.*s", end ? (int)(end - comment - 3) : 159, comment + 3);
	}
}

static int stored_meanings(struct rep_query *q, const char *sql, const char *table,
			   const struct meaning *m, struct tp_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = 0;

	if (sqlite3_prepare_v2(q->db, sql, -1, &stmt, NULL))
		return failed(q, err);
	if (table)
		sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
	while (!code && sqlite3_step(stmt) == SQLITE_ROW) {
		const char *word = (const char *)sqlite3_column_text(stmt, 0);
		const char *text = (const char *)sqlite3_column_text(stmt, 1);
		char doc[160] = "";

		if (!word || !text)
			continue;
		if (sqlite3_column_count(stmt) > 2) {
			column_doc(text, word, doc);
		} else {
			struct rep_value comment = comment_of(text);

			if (comment.type == REP_TYPE_TEXT)
				snprintf(doc, sizeof(doc), "%.*s", (int)comment.text.size,
					 comment.text.data);
		}
		code = m->add(m->ctx, word, doc);
	}
	sqlite3_finalize(stmt);
	return code;
}

int rep_query_words(struct rep_query *q, unsigned kinds, const char *table,
		    int (*add)(void *ctx, const char *word, const char *doc), void *ctx,
		    struct tp_err *err)
{
	const struct meaning m = {add, ctx};
	int code = 0;

	if (kinds & REP_WORDS_COLUMNS)
		code = stored_meanings(q,
				       "SELECT c.name, coalesce(s.sql, ''), 1 FROM "
				       "main.sqlite_schema AS s, pragma_table_info(s.name) AS c "
				       "WHERE s.type IN ('table', 'view') AND "
				       "(?1 IS NULL OR lower(s.name) = lower(?1))",
				       table, &m, err);
	for (unsigned t = 0; t < TP_SQL_NTABLES && !code && kinds & REP_WORDS_COLUMNS; t++) {
		if (table &&
		    (sqlite3_stricmp(table, tp_sql_table_name(t)) != 0 || is_stored(q, table)))
			continue;
		for (unsigned i = 0; i < tp_sql_table_columns(t) && !code; i++)
			code = add(ctx, tp_sql_column_at(t, i).name, tp_sql_column_at(t, i).doc);
	}
	if (!code && kinds & REP_WORDS_TABLES)
		code = stored_meanings(q,
				       "SELECT name, coalesce(sql, '') FROM main.sqlite_schema "
				       "WHERE type IN ('table', 'view') AND name NOT LIKE "
				       "'sqlite\\_%' ESCAPE '\\' ORDER BY name",
				       NULL, &m, err);
	for (unsigned t = 0; t < TP_SQL_NTABLES && !code && kinds & REP_WORDS_TABLES; t++)
		if (!is_stored(q, tp_sql_table_name(t)))
			code = add(ctx, tp_sql_table_name(t), tp_sql_table_doc(t));
	for (const struct tp_sql_function *f = tp_sql_functions;
	     kinds & REP_WORDS_FUNCTIONS && f->call && !code; f++)
		code = add(ctx, f->call, f->doc);
	return code;
}

const char *rep_query_next_call(const char **calls, size_t *size, size_t *name)
{
	const char *call = *calls + strspn(*calls, ", ");

	*name = strcspn(call, "(");
	*size = *name + strcspn(call + *name, ")");
	*size += call[*size] == ')';
	*calls = call + *size;
	return *call ? call : NULL;
}
