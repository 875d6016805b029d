/* Copies rows of ordinary tables from the engine into a store that already has the runs and their
 * profiles. This includes table `block`, which holds the rest of a trace; its rows are not checked
 * here, because readers check the blocks of every store. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "engine/fetching.h"
#include "store/sqlerr.h"

struct filling {
	const struct rep_fetching *f;
	rep_fetch_choice *of; /* the requested runs */
	enum rep_engine_table_id table;
	struct rep_engine_column column[REP_ENGINE_COLUMNS];
	unsigned n;
	sqlite3 *db;
	sqlite3_stmt *put;
};

static int bind(const struct filling *l, int at, unsigned column, struct tp_cursor *c)
{
	const char *type = l->column[column].type;
	struct tp_slice s;
	int64_t v;

	if (!strcmp(type, REP_ENGINE_INT)) {
		v = rep_row_get_int(c);
		return v == TP_NULL ? sqlite3_bind_null(l->put, at)
				    : sqlite3_bind_int64(l->put, at, v);
	}
	/* SQLITE_STATIC: the row is inserted before its bytes are freed. */
	if (strcmp(type, REP_ENGINE_TEXT) != 0) {
		s = rep_row_get_text(c);
		return sqlite3_bind_blob64(l->put, at, s.data, s.size, SQLITE_STATIC);
	}
	s = rep_row_get_text_or_null(c);
	return s.data ? sqlite3_bind_text64(l->put, at, (const char *)s.data, s.size, SQLITE_STATIC,
					    SQLITE_UTF8)
		      : sqlite3_bind_null(l->put, at);
}

static int on_row(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct filling *l = ctx;
	uint64_t number = rep_row_get(c, 4);
	int rc = sqlite3_bind_int64(l->put, 1, (int64_t)number + 1);

	for (unsigned i = 3; i < l->n && !rc; i++)
		rc = bind(l, (int)i - 1, i, c);
	if (c->failed)
		return 0;
	if (number >= l->f->runs->n || !l->of(l->f, (size_t)number))
		return rep_fetch_odd(err, "a row of no run that was asked for");
	if (!rc)
		rc = sqlite3_step(l->put);
	sqlite3_reset(l->put);
	/* A value that violates a column's constraint is the engine's fault. */
	if ((rc & 0xff) == SQLITE_CONSTRAINT)
		return rep_fetch_odd(err, "a row that no store could have");
	return rc == SQLITE_DONE ? 0 : tp_sql_cause(err, l->db, "cannot write");
}

static int fill(struct filling *l, rep_fetch_choice *of, struct tp_err *err)
{
	struct tp_buf s = {0};
	char sql[256];
	int at = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?", rep_engine_name(l->table));
	int code;

	l->of = of;
	l->n = rep_engine_columns(l->table, l->column);
	for (unsigned i = 3; i < l->n; i++)
		at += snprintf(sql + at, sizeof(sql) - (size_t)at, ", ?");
	snprintf(sql + at, sizeof(sql) - (size_t)at, ")");
	if (sqlite3_prepare_v2(l->db, sql, -1, &l->put, NULL))
		return tp_sql_cause(err, l->db, "cannot write");
	rep_fetch_put_rows(&s, l->f, of, l->table);
	code = rep_engine_ask(l->f->link, &s, on_row, l, err);
	sqlite3_finalize(l->put);
	return code;
}

int rep_fetch_ordinary(const struct rep_fetching *f, struct tp_err *err)
{
	struct filling l = {.f = f};
	struct tp_store *store = NULL;
	bool any = false, traces = false;
	int code;

	for (size_t i = 0; i < f->runs->n; i++) {
		any |= rep_fetch_is_picked(f, i);
		traces |= rep_fetch_is_trace(f, i);
	}
	if (!any)
		return 0;
	code = tp_store_open_rw(&store, f->path, err);
	if (code)
		return code;
	l.db = tp_store_db(store);
	if (sqlite3_exec(l.db, "PRAGMA synchronous = OFF; BEGIN", NULL, NULL, NULL))
		code = tp_sql_cause(err, l.db, "cannot write");
	for (int t = REP_ENGINE_LOSS; t <= REP_ENGINE_SEGMENT && !code; t++) {
		l.table = (enum rep_engine_table_id)t;
		code = fill(&l, rep_fetch_is_picked, err);
	}
	l.table = REP_ENGINE_BLOCK;
	if (!code && traces)
		code = fill(&l, rep_fetch_is_trace, err);
	if (!code && sqlite3_exec(l.db, "COMMIT", NULL, NULL, NULL))
		code = tp_sql_cause(err, l.db, "cannot write");
	tp_store_close(store);
	return code;
}
