/* Copies one dump to the result: its row and blocks from the store whose content is taken, labels
 * from all stores that have it. Its dictionary goes into a pool. */
#include <string.h>

#include "store/merge/inside.h"
#include "store/pool.h"
#include "store/pool_read.h"
#include "store/query.h"
#include "store/schema.h"

/* Inserts `id` and the current row of `rows`. */
static int put_row(struct merge *m, struct tp_store *store, int64_t run, int64_t id,
		   sqlite3_stmt *rows, sqlite3_stmt *put, struct tp_err *err)
{
	int code = 0, rc = sqlite3_bind_int64(put, 1, id);

	for (int i = 0; !rc && i < sqlite3_column_count(rows); i++)
		rc = sqlite3_bind_value(put, i + 2, sqlite3_column_value(rows, i));
	if (rc || sqlite3_step(put) != SQLITE_DONE) {
		/* Every store obeys this constraint, so the source is damaged. */
		if ((sqlite3_errcode(m->out.db) & 0xff) == SQLITE_CONSTRAINT)
			code = tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
					  "%s: run %lld is damaged: %s", tp_store_path(store),
					  (long long)run, sqlite3_errmsg(m->out.db));
		else
			code = merge_cannot_write(m, err);
	}
	sqlite3_reset(put);
	sqlite3_clear_bindings(put);
	return code;
}

/* Copies rows: ?1 of `get` is the run; ?1 of `put` (or of `put_sql`, which is prepared if there is a
 * row) is its number in the result, and the columns of `get` follow. Adds the number of rows to *n,
 * which may be NULL. */
static int copy_rows(struct merge *m, struct tp_store *store, int64_t run, int64_t id,
		     const char *get, sqlite3_stmt *put, const char *put_sql, size_t *n,
		     struct tp_err *err)
{
	struct tp_query q = tp_query(tp_store_kept(store), tp_store_db(store), get, "i", run);
	sqlite3_stmt *own = NULL;
	int code = 0;

	while (!code && tp_query_row(&q)) {
		if (!put && tp_kept_take(&m->kept, m->out.db, put_sql, &own))
			code = merge_cannot_write(m, err);
		put = put ? put : own;
		if (!code)
			code = put_row(m, store, run, id, q.stmt, put, err);
		if (n)
			++*n;
	}
	code = tp_query_end(&q, code, tp_store_path(store), err);
	tp_kept_give(&m->kept, put_sql, own);
	return code;
}

/* The same with a statement that is not prepared yet. */
static int copy_by(struct merge *m, struct tp_store *store, int64_t run, int64_t id,
		   const char *get, const char *put, struct tp_err *err)
{
	return copy_rows(m, store, run, id, get, NULL, put, NULL, err);
}

const struct merge_table merge_tables[MERGE_TABLES] = {
    {"SELECT offset, bytes, from_ns, to_ns, events, reason FROM main.loss WHERE run = ? "
     "ORDER BY rowid",
     "INSERT INTO main.loss VALUES(?, ?, ?, ?, ?, ?, ?)"},
    {"SELECT severity, offset, text FROM main.notice WHERE run = ? ORDER BY rowid",
     "INSERT INTO main.notice VALUES(?, ?, ?, ?)"},
    {"SELECT name, events, with_stack, bytes FROM main.wire WHERE run = ? ORDER BY name",
     "INSERT INTO main.wire VALUES(?, ?, ?, ?, ?)"},
    {"SELECT ts_ns, mono_ns, wall_sec, wall_nsec FROM main.clock WHERE run = ? ORDER BY rowid",
     "INSERT INTO main.clock VALUES(?, ?, ?, ?, ?)"},
    {"SELECT id, first_block, blocks, from_ns, to_ns, events FROM main.segment WHERE run = ? "
     "ORDER BY id",
     "INSERT INTO main.segment VALUES(?, ?, ?, ?, ?, ?, ?)"},
};

/* ---- the row ---- */

static int copy_run(struct merge *m, struct tp_store *store, const struct pick *p, int64_t id,
		    struct tp_err *err)
{
	return copy_by(m, store, p->run, id,
		       "SELECT kind, hash, format, start_ns, duration_ns, ticks, wall_ns, events, "
		       "inferred, generations, goroutines, lost_bytes, lost_events FROM main.run "
		       "WHERE id = ?",
		       "INSERT INTO main.run SELECT ?1, ?2, name, source, ?3, ?4, ?5, ?6, ?7, ?8, "
		       "?9, ?10, ?11, ?12, size, ?13, ?14, imported FROM temp.pick WHERE hash = ?3",
		       err);
}

/* ---- labels ---- */

/* Reports keys that have several values. */
static int tell_conflicts(struct merge *m, const struct pick *p, struct tp_err *err)
{
	struct tp_query q = tp_query(NULL, m->out.db,
				     "SELECT key, min(value), max(value), (SELECT name FROM "
				     "temp.pick WHERE hash = ?1) FROM temp.labels GROUP BY key "
				     "HAVING count(*) > 1 ORDER BY key",
				     "s", p->hash);

	while (tp_query_row(&q)) {
		const char *text[4];

		for (int i = 0; i < 4; i++) {
			text[i] = (const char *)sqlite3_column_text(q.stmt, i);
			text[i] = text[i] ? text[i] : "";
		}
		m->result->conflicts++;
		if (m->opt->conflict)
			m->opt->conflict(m->opt->conflict_ctx, text[3], text[0], text[1], text[2]);
	}
	return tp_query_done(&q) ? merge_cannot_write(m, err) : 0;
}

static int copy_labels_of(struct merge *m, size_t input, int64_t run, const char *hash, int64_t id,
			  size_t *n, struct tp_err *err)
{
	struct tp_store *store;
	bool begun;
	int code = sources_open(&m->sources, input, &store, err);

	if (!code)
		code = source_begin(store, hash, run, &begun, err);
	if (code)
		return code;
	code = copy_rows(m, store, run, id,
			 "SELECT CAST(key AS TEXT), CAST(value AS TEXT) FROM main.label "
			 "WHERE run = ?",
			 NULL, "INSERT OR IGNORE INTO temp.labels SELECT ?2, ?3 WHERE ?1", n, err);
	source_end(store, begun);
	return code;
}

static int copy_labels(struct merge *m, const struct pick *p, int64_t id, struct tp_err *err)
{
	static const char get[] = "SELECT input, run FROM temp.found WHERE hash = ? ORDER BY input";
	struct tp_query q = tp_query(&m->kept, m->out.db, get, "s", p->hash);
	size_t n = 0;
	char *sql;
	int code = 0;

	while (!code && tp_query_row(&q))
		code = copy_labels_of(m, (size_t)sqlite3_column_int64(q.stmt, 0),
				      sqlite3_column_int64(q.stmt, 1), p->hash, id, &n, err);
	if (tp_query_done(&q) && !code)
		code = merge_cannot_write(m, err);
	if (code || !n)
		return code;
	code = tell_conflicts(m, p, err);
	if (code)
		return code;
	sql = sqlite3_mprintf("INSERT INTO main.label SELECT %lld, key, min(value) FROM "
			      "temp.labels GROUP BY key ORDER BY key; "
			      "DELETE FROM temp.labels",
			      (long long)id);
	if (!sql || sqlite3_exec(m->out.db, sql, NULL, NULL, NULL))
		code = sql ? merge_cannot_write(m, err) : tp_nomem(err);
	sqlite3_free(sql);
	return code;
}

/* ---- blocks ---- */

#define BLOCKS                                                                                     \
	"SELECT stream, part, rows, first_ts, last_ts, codec, raw_size, data FROM main.block "     \
	"WHERE run = ? "
/* Blocks without those of the dictionary. */
#define OTHERS "AND stream NOT IN ('string', 'function', 'location', 'frame', 'stack', 'dict') "

static int copy_blocks(struct merge *m, struct tp_store *store, const struct pick *p, int64_t id,
		       bool dictionary, struct tp_err *err)
{
	return copy_rows(m, store, p->run, id,
			 dictionary ? BLOCKS "ORDER BY stream, part"
				    : BLOCKS OTHERS "ORDER BY stream, part",
			 m->out.put_block, NULL, NULL, err);
}

static void tell_damage(struct merge *m, struct tp_store *store, const struct pick *p,
			const struct tp_err *why)
{
	m->result->damaged++;
	if (m->opt->damaged)
		m->opt->damaged(m->opt->damaged_ctx, tp_store_path(store), p->run, why->msg);
}

/* Adds the dictionary to a pool if it can be loaded from there exactly as it is; otherwise sets
 * *as_it_is, as its blocks must be copied. told: its damage was reported already. */
static int put_dict(struct merge *m, struct tp_store *store, const struct pick *p, int64_t id,
		    bool told, bool *as_it_is, struct tp_err *err)
{
	struct tp_dict *dict = NULL;
	bool exact = true;
	int64_t pool;
	int code = tp_pool_of(store, p->run, &pool, err);

	*as_it_is = false;
	if (code)
		return code;
	code = tp_dict_load(store, p->run, &dict, err);
	/* A damaged dictionary is copied, so that tprof-store verify can report it, unless it is in
	 * a pool. */
	if (code && code != TP_ENOMEM && code != TP_EIO && code != TP_EBUSY && !pool) {
		if (!told)
			tell_damage(m, store, p, err);
		*as_it_is = true;
		return 0;
	}
	if (!code && !pool)
		code = dict_is_exact(store, p->run, dict, &exact, err);
	if (!code)
		code = exact ? tp_pool_writer_add(m->pools, id, dict, err) : 0;
	else
		tp_err_prefix(err, "%s: run %lld", tp_store_path(store), (long long)p->run);
	if (!code) {
		*as_it_is = !pool;
		code = pool ? tp_pool_writer_own(m->pools, id, dict, err) : 0;
	}
	tp_dict_free(dict);
	return code < 0 ? code : 0;
}

static int copy_all(struct merge *m, struct tp_store *store, const struct pick *p, int64_t id,
		    struct tp_err *err)
{
	struct tp_err why = {0};
	bool as_it_is, damaged = false;
	int code = blocks_check(store, p->run, &damaged, &why, err);

	if (!code && damaged)
		tell_damage(m, store, p, &why);
	if (!code)
		code = copy_run(m, store, p, id, err);
	for (size_t i = 0; i < MERGE_TABLES && !code; i++)
		code = copy_by(m, store, p->run, id, merge_tables[i].get, merge_tables[i].put, err);
	if (!code)
		code = put_dict(m, store, p, id, damaged, &as_it_is, err);
	return code ? code : copy_blocks(m, store, p, id, as_it_is, err);
}

int merge_copy(struct merge *m, const struct pick *p, int64_t id, struct tp_err *err)
{
	struct tp_store *store;
	int code = copy_labels(m, p, id, err);
	bool begun;

	if (!code)
		code = sources_open(&m->sources, (size_t)p->input, &store, err);
	if (!code)
		code = source_begin(store, p->hash, p->run, &begun, err);
	if (code)
		return code;
	code = copy_all(m, store, p, id, err);
	source_end(store, begun);
	return code;
}
