/* Lists the dumps, and chooses for each the store whose content is taken. Both are in temporary
 * tables of the result's connection, which SQLite keeps in a file if they are large. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/merge/inside.h"
#include "store/query.h"
#include "store/sqlerr.h"

/* A row of `found` is a run of a store, one of `pick` a dump of the result. */
static const char make_tables[] =
    "CREATE TEMP TABLE found(hash TEXT, input INT, run INT, wall INT, imported INT, name TEXT, "
    "source TEXT, size INT, written_out INT);"
    "CREATE TEMP TABLE pick(hash TEXT PRIMARY KEY, input INT, run INT, wall INT, imported INT, "
    "name TEXT, source TEXT, size INT, written_out INT) WITHOUT ROWID;";

int merge_cannot_write(struct merge *m, struct tp_err *err)
{
	return tp_sql_err(err, m->out.db, m->out.path, "cannot write");
}

/* ---- listing ---- */

/* Sets *is if the store has written-out rows, which are in tables, never in views. */
static int is_written_out(sqlite3 *db, const char *path, bool *is, struct tp_err *err)
{
	struct tp_query q =
	    tp_query(NULL, db,
		     "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' "
		     "AND rootpage > 0 AND name = 'string_rows' AND EXISTS (SELECT 1 "
		     "FROM pragma_table_info('string_rows') WHERE name = 'run')",
		     "");

	*is = tp_query_row(&q);
	return tp_query_end(&q, 0, path, err);
}

/* It must be a text, as a blob of the same bytes would not be found later. */
static bool has_hash(sqlite3_stmt *run)
{
	return sqlite3_column_type(run, 0) == SQLITE_TEXT && sqlite3_column_bytes(run, 0) == 32 &&
	       !memchr(sqlite3_column_blob(run, 0), '\0', 32);
}

static int list_source(struct merge *m, size_t input, struct tp_err *err)
{
	const char *path = m->sources.at[input].path;
	sqlite3_stmt *put = NULL;
	struct tp_query get;
	struct tp_store *store;
	bool written_out;
	sqlite3 *db;
	char sql[480];
	int code = sources_open(&m->sources, input, &store, err);

	if (code)
		return code;
	db = tp_store_db(store);
	code = is_written_out(db, path, &written_out, err);
	if (code)
		return code;
	snprintf(sql, sizeof(sql),
		 "SELECT hash, ?1, id, wall_ns, imported_ns, name, source, size_in, %s "
		 "FROM main.run AS r",
		 written_out ? "EXISTS (SELECT 1 FROM main.string_rows AS s WHERE s.run = r.id)"
			     : "0");
	get = tp_query(NULL, db, sql, "i", (int64_t)input);
	if (sqlite3_prepare_v2(m->out.db,
			       "INSERT INTO temp.found VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
			       "?9)",
			       -1, &put, NULL))
		code = merge_cannot_write(m, err);
	while (!code && tp_query_row(&get)) {
		int rc = SQLITE_OK;

		for (int i = 0; i < 9 && !rc; i++)
			rc = sqlite3_bind_value(put, i + 1, sqlite3_column_value(get.stmt, i));
		if (!has_hash(get.stmt))
			code = tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
					  "%s: run %lld has no hash of its dump", path,
					  (long long)sqlite3_column_int64(get.stmt, 2));
		else if (rc || sqlite3_step(put) != SQLITE_DONE)
			code = merge_cannot_write(m, err);
		sqlite3_reset(put);
	}
	sqlite3_finalize(put);
	return tp_query_end(&get, code, path, err);
}

int merge_list(struct merge *m, struct tp_err *err)
{
	int code = 0;

	if (sqlite3_exec(m->out.db, make_tables, NULL, NULL, NULL))
		return merge_cannot_write(m, err);
	for (size_t i = 0; i < m->sources.n && !code; i++) {
		if (m->opt->progress &&
		    m->opt->progress(m->opt->progress_ctx, "list", i, m->sources.n))
			return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
		code = list_source(m, i, err);
	}
	if (!code && sqlite3_exec(m->out.db, "CREATE INDEX temp.found_hash ON found(hash)", NULL,
				  NULL, NULL))
		code = merge_cannot_write(m, err);
	return code;
}

/* ---- choosing ---- */

static int reverse(int64_t a, int64_t b)
{
	return a > b ? -1 : a < b;
}

static int compare_ranks(const struct content *a, const struct content *b)
{
	if (a->damaged != b->damaged)
		return a->damaged ? 1 : -1;
	if (a->facts.salvaged != b->facts.salvaged)
		return a->facts.salvaged ? 1 : -1;
	if (a->lives != b->lives)
		return a->lives ? -1 : 1;
	if (a->kinds != b->kinds)
		return reverse(a->kinds, b->kinds);
	if (a->rows != b->rows)
		return reverse(a->rows, b->rows);
	return reverse(a->codec, b->codec);
}

/* A run of a store that has the dump. */
struct place {
	size_t input;
	int64_t run;
};

typedef int look_fn(struct tp_store *store, int64_t run, struct content *c, struct tp_err *err);

static int look(struct merge *m, const char *hash, const struct place *at, look_fn *fn,
		struct content *c, struct tp_err *err)
{
	struct tp_store *store;
	bool begun;
	int code = sources_open(&m->sources, at->input, &store, err);

	if (!code)
		code = source_begin(store, hash, at->run, &begun, err);
	if (code)
		return code;
	code = fn(store, at->run, c, err);
	source_end(store, begun);
	return code;
}

/* Sets *better if b is to be taken rather than a. Content is hashed only if nothing else tells them
 * apart. */
static int is_better(struct merge *m, const char *hash, const struct place *at_a, struct content *a,
		     const struct place *at_b, struct content *b, bool *better, struct tp_err *err)
{
	int code = 0, order = compare_ranks(a, b);

	*better = order > 0;
	if (order)
		return 0;
	if (!a->hash[0] && !a->hash[1])
		code = look(m, hash, at_a, content_hash, a, err);
	if (!code)
		code = look(m, hash, at_b, content_hash, b, err);
	*better = b->hash[0] != a->hash[0] ? b->hash[0] < a->hash[0] : b->hash[1] < a->hash[1];
	return code;
}

/* Facts about a dump: those of its first undamaged run that was not salvaged, or else of its first
 * undamaged run. */
struct known {
	bool any;
	struct place place;
	struct facts facts;
};

/* If stores contradict each other about a dump, one of them is wrong, and it cannot be known which:
 * a forged run could replace an imported one. Damaged runs do not count. */
static int check_facts(struct merge *m, const struct place *at, const struct content *c,
		       struct known *known, struct tp_err *err)
{
	const struct facts *f = &c->facts, *k = &known->facts;

	if (c->damaged)
		return 0;
	if (known->any &&
	    (f->kind != k->kind || (!f->salvaged && !k->salvaged &&
				    (f->events != k->events || f->duration_ns != k->duration_ns ||
				     (f->goroutines != k->goroutines && f->lives == k->lives)))))
		return tp_err_set(
		    err, TP_ESTORE, TP_OFFSET_NONE,
		    "%s (run %" PRId64 ") and %s (run %" PRId64 ") have different "
		    "content for the same dump: one of them was changed; leave out the "
		    "one you trust less",
		    m->sources.at[known->place.input].path, known->place.run,
		    m->sources.at[at->input].path, at->run);
	if (!known->any || (k->salvaged && !f->salvaged))
		*known = (struct known){true, *at, *f};
	return 0;
}

/* Finds the run whose content is taken, of all stores that have the dump. */
static int find_best(struct merge *m, const char *hash, struct place *best, struct tp_err *err)
{
	static const char sql[] = "SELECT input, run FROM temp.found WHERE hash = ? ORDER BY input";
	struct known known = {0};
	struct content content = {0}, other;
	struct tp_query q = tp_query(&m->kept, m->out.db, sql, "s", hash);
	bool first = true;
	int code = 0;

	*best = (struct place){0};
	while (!code && tp_query_row(&q)) {
		const struct place at = {(size_t)sqlite3_column_int64(q.stmt, 0),
					 sqlite3_column_int64(q.stmt, 1)};
		bool better = first;

		code = look(m, hash, &at, content_rank, &other, err);
		if (!code)
			code = check_facts(m, &at, &other, &known, err);
		if (!code && !first)
			code = is_better(m, hash, best, &content, &at, &other, &better, err);
		if (!code && better) {
			content = other;
			*best = at;
		}
		first = false;
	}
	return tp_query_done(&q) && !code ? merge_cannot_write(m, err) : code;
}

/* Sets that run in the table `pick`. */
static int choose(struct merge *m, const char *hash, struct tp_err *err)
{
	static const char sql[] =
	    "UPDATE temp.pick SET input = ?2, run = ?3, wall = (SELECT wall FROM "
	    "temp.found WHERE hash = ?1 AND input = ?2) "
	    "WHERE hash = ?1";
	struct tp_query q;
	struct place best;
	int code = find_best(m, hash, &best, err);

	if (code)
		return code;
	q = tp_query(&m->kept, m->out.db, sql, "sii", hash, (int64_t)best.input, best.run);
	tp_query_row(&q);
	return tp_query_done(&q) ? merge_cannot_write(m, err) : 0;
}

int merge_choose(struct merge *m, struct tp_err *err)
{
	/* With min(), SQLite takes the other columns from the row of the minimum. */
	static const char pick_first[] =
	    "INSERT INTO temp.pick SELECT hash, input, run, wall, imported, name, source, size, "
	    "(SELECT max(written_out) FROM temp.found AS f WHERE f.hash = g.hash) FROM (SELECT *, "
	    "row_number() OVER (PARTITION BY hash ORDER BY imported, name, source, size) AS place "
	    "FROM temp.found) AS g WHERE place = 1";
	static const char several[] =
	    "SELECT hash FROM temp.found GROUP BY hash HAVING count(*) > 1";
	struct tp_query q;
	int code = 0;

	if (sqlite3_exec(m->out.db, pick_first, NULL, NULL, NULL))
		return merge_cannot_write(m, err);
	q = tp_query(NULL, m->out.db, several, "");
	while (!code && tp_query_row(&q)) {
		char hash[33];

		snprintf(hash, sizeof(hash), "%s", (const char *)sqlite3_column_text(q.stmt, 0));
		m->result->repeated++;
		code = choose(m, hash, err);
	}
	return tp_query_done(&q) && !code ? merge_cannot_write(m, err) : code;
}

int merge_each(struct merge *m,
	       int (*visit)(struct merge *m, const struct pick *p, int64_t id, struct tp_err *err),
	       struct tp_err *err)
{
	struct tp_query q = tp_query(NULL, m->out.db,
				     "SELECT hash, input, run, written_out FROM temp.pick "
				     "ORDER BY wall IS NULL, wall, name, hash",
				     "");
	int64_t id = 0;
	int code = 0;

	while (!code && tp_query_row(&q)) {
		struct pick p = {.input = sqlite3_column_int64(q.stmt, 1),
				 .run = sqlite3_column_int64(q.stmt, 2),
				 .written_out = sqlite3_column_int(q.stmt, 3)};

		snprintf(p.hash, sizeof(p.hash), "%s",
			 (const char *)sqlite3_column_text(q.stmt, 0));
		code = visit(m, &p, ++id, err);
	}
	return tp_query_done(&q) && !code ? merge_cannot_write(m, err) : code;
}
