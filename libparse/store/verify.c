#include "store/verify.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "store/kept.h"
#include "store/pool.h"
#include "store/query.h"
#include "store/schema.h"
#include "store/sqlerr.h"
#include "store/store.h"

#define MOST_OF_A_KIND 20 /* findings of SQLite's that are shown */

struct check {
	struct tp_store *store;
	const struct tp_verify *v;
	const char *path;
	int64_t run;
	size_t wrong;
	/* the current run */
	bool trace;
	int64_t events;
	bool dictionary; /* it could be loaded, so references to it can be checked */
	uint32_t strings, frames, functions, locations, stacks;
	int64_t goroutines, procs, threads;
	bool has[TP_NTABLES];
};

__attribute__((format(printf, 2, 3))) static void found(struct check *c, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	c->wrong++;
	c->v->found(c->v->ctx, c->run, text);
}

/* Turns errors about content into findings; other errors end the check. */
static int finding(struct check *c, int code, const struct tp_err *err)
{
	if (code != TP_ESTORE && code != TP_EFORMAT && code != TP_ETRUNC && code != TP_ELIMIT)
		return code;
	found(c, "%s", err->msg);
	return 0;
}

/* Reports a damaged page as a finding; a page that cannot be read is an error. */
static int damaged(struct check *c, struct tp_err *err)
{
	sqlite3 *db = tp_store_db(c->store);
	struct tp_err why;

	if (tp_sql_err(&why, db, c->path, "cannot read") == TP_ESTORE &&
	    (sqlite3_errcode(db) & 0xff) == SQLITE_CORRUPT) {
		found(c, "SQLite: %s", sqlite3_errmsg(db));
		return 0;
	}
	*err = why;
	return why.code;
}

/* ---- the file ---- */

/* Returns whether SQLite reports pages as damaged because it has no memory to read them. Its
 * findings in the trees are one text under this heading, with the number of the error for a page that
 * it could not get (btree.c: checkTreePage). */
static bool lacks_memory(const char *finding)
{
	static const char heading[] = "*** in database main ***\n", unread[] = "error code=";

	if (strncmp(finding, heading, sizeof(heading) - 1) != 0)
		return false;
	for (const char *code = strstr(finding, unread); code; code = strstr(code + 1, unread))
		if (strtol(code + sizeof(unread) - 1, NULL, 10) == SQLITE_NOMEM)
			return true;
	return false;
}

static int check_file(struct check *c, struct tp_err *err)
{
	sqlite3 *db = tp_store_db(c->store);
	struct tp_query q;
	char sql[64];
	int code = 0;

	snprintf(sql, sizeof(sql), "PRAGMA main.integrity_check(%d)", MOST_OF_A_KIND);
	q = tp_query(NULL, db, sql, "");
	while (!code && tp_query_row(&q)) {
		const char *text = (const char *)sqlite3_column_text(q.stmt, 0);

		/* SQLite reports pages that cannot be read as damaged. */
		if (tp_sql_unread(db))
			code = tp_sys_err(err, tp_sql_unread(db), c->path, "cannot read");
		else if (text && lacks_memory(text))
			code = tp_nomem(err);
		else if (text && strcmp(text, "ok") != 0)
			found(c, "SQLite: %.400s", text);
	}
	return tp_query_done(&q) && !code ? damaged(c, err) : code;
}

/* Finds rows whose run does not exist. */
static int check_orphans(struct check *c, struct tp_err *err)
{
	int code = 0;

	for (const struct tp_schema_table *t = tp_schema_tables; t->name && !code; t++) {
		struct tp_query q;
		char sql[160];
		int64_t rows;

		/* Pools do not belong to a run. */
		snprintf(
		    sql, sizeof(sql),
		    "SELECT count(*) FROM main.%s WHERE run NOT IN (SELECT id FROM main.run)%s",
		    t->name, strcmp(t->name, "block") != 0 ? "" : " AND run >= 0");
		q = tp_query(NULL, tp_store_db(c->store), sql, "");
		rows = tp_query_number(&q);
		if (rows)
			found(c, "%lld rows of %s belong to a run that does not exist",
			      (long long)rows, t->name);
		code = tp_query_end(&q, 0, c->path, err);
	}
	return code;
}

/* ---- the dictionary ---- */

static int check_dictionary(struct check *c, struct tp_err *err)
{
	struct tp_dict *dict = NULL;
	int code = tp_dict_load(c->store, c->run, &dict, err);

	c->dictionary = !code;
	if (code)
		return finding(c, code, err);
	c->strings = tp_dict_strings(dict);
	c->functions = tp_dict_functions(dict);
	c->locations = tp_dict_locations(dict);
	c->frames = tp_dict_frames(dict);
	c->stacks = tp_dict_stacks(dict);
	for (uint32_t i = 1; i < c->stacks; i++) {
		struct tp_stack_node n = tp_dict_stack_at(dict, i);

		if (n.parent >= i || n.frame >= c->frames ||
		    n.depth != tp_dict_stack_at(dict, n.parent).depth + 1) {
			found(c, "stack %" PRIu32 " does not follow from the stack of its callers", i);
			break;
		}
	}
	tp_dict_free(dict);
	return 0;
}

/* Pools are verified like the dictionaries of runs. */
static int check_pools(struct check *c, struct tp_err *err)
{
	struct tp_query q =
	    tp_query(NULL, tp_store_db(c->store),
		     "SELECT DISTINCT run FROM main.block WHERE run < 0 ORDER BY run DESC", "");
	int code = 0;

	while (!code && tp_query_row(&q)) {
		int64_t pool = sqlite3_column_int64(q.stmt, 0);
		struct tp_dict *dict = NULL;

		code = tp_dict_load(c->store, pool, &dict, err);
		if (code) {
			tp_err_prefix(err, "the shared dictionary %lld",
				      (long long)tp_minus(0, pool));
			code = finding(c, code, err);
		}
		tp_dict_free(dict);
	}
	return tp_query_done(&q) && !code ? damaged(c, err) : code;
}

/* ---- packed tables ---- */

/* Returns the number of things that a column of this kind can refer to; -1 if it is not a reference. */
static int64_t named(const struct check *c, enum tp_column_kind kind)
{
	switch (kind) {
	case TP_COL_G:
		return c->goroutines;
	case TP_COL_P:
		return c->procs;
	case TP_COL_M:
		return c->threads;
	default:
		break;
	}
	if (!c->dictionary)
		return -1;
	switch (kind) {
	case TP_COL_STR:
		return c->strings;
	case TP_COL_STACK:
		return c->stacks;
	case TP_COL_FRAME:
		return c->frames;
	case TP_COL_FUNC:
		return c->functions;
	case TP_COL_LOC:
		return c->locations;
	default:
		return -1;
	}
}

struct table_check {
	struct check *c;
	const struct tp_table_desc *table;
	int64_t rows;
	bool told;
};

static int check_rows(void *ctx, const struct tp_rows *rows, size_t first, struct tp_err *err)
{
	struct table_check *t = ctx;

	(void)err;
	t->rows = (int64_t)(first + rows->nrows);
	for (unsigned col = 0; col < t->table->ncolumns && !t->told; col++) {
		int64_t limit = named(t->c, t->table->columns[col].kind);

		for (size_t i = 0; limit >= 0 && i < rows->nrows; i++) {
			int64_t v = rows->col[col][i];

			if (v == TP_NULL || (v >= 0 && v < limit))
				continue;
			found(t->c, "row %zu of %s: %s is %" PRId64 ", but there are only %" PRId64,
			      first + i, t->table->name, t->table->columns[col].name, v, limit);
			t->told = true;
			break;
		}
	}
	return 0;
}

static int check_table(struct check *c, enum tp_table_id id, int64_t *rows, struct tp_err *err)
{
	struct table_check t = {.c = c, .table = &tp_tables[id]};
	struct tp_rows_visitor visitor = {.rows = check_rows, .ctx = &t};
	int code = c->has[id] ? tp_rows_visit(c->store, c->run, id, 0, &visitor, err) : 0;

	*rows = t.rows;
	return code ? finding(c, code, err) : 0;
}

/* Finds the tables that the run has rows of. TP_POOL_STREAM stands for those in its pool. */
static int find_tables(struct check *c, struct tp_err *err)
{
	static const char sql[] = "SELECT DISTINCT stream FROM main.block WHERE run = ?";
	struct tp_query q =
	    tp_query(tp_store_kept(c->store), tp_store_db(c->store), sql, "i", c->run);
	int code = 0;

	memset(c->has, 0, sizeof(c->has));
	while (!code && tp_query_row(&q)) {
		const char *name = (const char *)sqlite3_column_text(q.stmt, 0);

		for (int id = 0; name && id < TP_NTABLES; id++)
			c->has[id] |=
			    !strcmp(name, TP_POOL_STREAM) || !strcmp(name, tp_tables[id].name);
		code = name ? 0 : tp_nomem(err);
	}
	return tp_query_done(&q) && !code ? damaged(c, err) : code;
}

static int check_tables(struct check *c, struct tp_err *err)
{
	/* Tables that others refer to come first. */
	static const enum tp_table_id first[] = {TP_TABLE_GOROUTINE, TP_TABLE_PROC,
						 TP_TABLE_THREAD};
	int64_t *const counts[] = {&c->goroutines, &c->procs, &c->threads};
	int64_t rows;
	int code = find_tables(c, err);

	c->goroutines = c->procs = c->threads = INT64_MAX;
	for (int i = 0; i < 3 && !code; i++)
		code = check_table(c, first[i], counts[i], err);
	for (int id = 0; id < TP_NTABLES && !code; id++)
		code = check_table(c, (enum tp_table_id)id, &rows, err);
	return code;
}

/* ---- events ---- */

static int check_events(struct check *c, struct tp_err *err)
{
	struct tp_event_range all = {INT64_MIN, INT64_MAX, 0, INT64_MAX};
	struct tp_event_reader *reader = NULL;
	const struct tp_event *ev;
	uint64_t last = 0;
	int64_t events = 0;
	bool back = false;
	size_t n;
	int code = tp_events_open(&reader, c->store, c->run, &all, err);

	while (!code && (code = tp_events_next(reader, &ev, &n, err)) == 1) {
		for (size_t i = 0; i < n && !back; i++) {
			back = (int64_t)ev[i].ts < (int64_t)last && events + (int64_t)i;
			last = (uint64_t)ev[i].ts;
		}
		events += (int64_t)n;
		code = 0;
	}
	tp_events_close(reader);
	if (code)
		return finding(c, code, err);
	if (back)
		found(c, "the times of events go backwards");
	if (events != c->events)
		found(c, "the run has %" PRId64 " events, but its row says %" PRId64, events,
		      c->events);
	return 0;
}

static int check_profile(struct check *c, struct tp_err *err)
{
	struct tp_profile *p = NULL;
	int code = tp_profile_load(c->store, c->run, &p, err);

	tp_profile_free(p);
	return code ? finding(c, code, err) : 0;
}

/* Segments must follow each other without gaps and have all events. */
static int check_segments(struct check *c, struct tp_err *err)
{
	struct tp_query q = tp_query(NULL, tp_store_db(c->store),
				     "SELECT id, first_block, blocks, events FROM main.segment "
				     "WHERE run = ? ORDER BY id",
				     "i", c->run);
	int64_t events = 0, block = 0, n = 0;
	int code;

	for (; tp_query_row(&q); n++) {
		int64_t first = sqlite3_column_int64(q.stmt, 1);

		if (sqlite3_column_int64(q.stmt, 0) != n || first != block)
			found(c, "segment %" PRId64 " does not follow the one before it", n);
		block = tp_plus(first, sqlite3_column_int64(q.stmt, 2));
		tp_sum(&events, sqlite3_column_int64(q.stmt, 3));
	}
	code = tp_query_end(&q, 0, c->path, err);
	if (code)
		return code;
	if (n && events != c->events)
		found(c, "the segments have %" PRId64 " events, but the row of the run says %" PRId64, events,
		      c->events);
	return 0;
}

/* ---- runs ---- */

static int check_run(struct check *c, struct tp_err *err)
{
	int code = check_dictionary(c, err);

	if (!code)
		code = check_tables(c, err);
	if (!code && c->trace)
		code = check_events(c, err);
	if (!code && c->trace)
		code = check_segments(c, err);
	if (!code && !c->trace)
		code = check_profile(c, err);
	return code;
}

static int check_runs(struct check *c, struct tp_err *err)
{
	struct tp_query q = tp_query(NULL, tp_store_db(c->store),
				     "SELECT id, kind, events, (SELECT count(*) FROM main.run) "
				     "FROM main.run ORDER BY id",
				     "");
	uint64_t done = 0;
	int code = 0;

	while (!code && tp_query_row(&q)) {
		const char *kind = (const char *)sqlite3_column_text(q.stmt, 1);

		c->run = sqlite3_column_int64(q.stmt, 0);
		c->trace = kind && !strcmp(kind, "trace");
		c->events = sqlite3_column_int64(q.stmt, 2);
		if (c->v->progress &&
		    c->v->progress(c->v->ctx, done++, (uint64_t)sqlite3_column_int64(q.stmt, 3)))
			code = tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
		else
			code = check_run(c, err);
	}
	c->run = 0;
	return tp_query_done(&q) && !code ? damaged(c, err) : code;
}

int tp_store_verify(const char *path, const struct tp_verify *v, size_t *wrong, struct tp_err *err)
{
	struct check c = {.v = v, .path = path};
	int code = tp_store_open(&c.store, path, err);

	if (code)
		return code;
	code = check_file(&c, err);
	if (!code && !c.wrong)
		code = check_orphans(&c, err);
	if (!code && !c.wrong)
		code = check_pools(&c, err);
	/* Rows are not checked if SQLite has found the file damaged. */
	if (!code && !c.wrong)
		code = check_runs(&c, err);
	tp_store_close(c.store);
	*wrong = c.wrong;
	return code;
}
