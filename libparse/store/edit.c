#include "store/edit.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "store/lock.h"
#include "store/pool/pool.h"
#include "store/schema.h"
#include "store/sqlerr.h"
#include "store/store.h"

/* What happens inside the transaction: an SQLite result code. */
typedef int change_fn(struct sqlite3 *db, void *ctx);

static int change(const char *path, int wait_ms, change_fn *fn, void *ctx, const char *doing,
		  struct tp_err *err)
{
	struct tp_store *s = NULL;
	sqlite3 *db;
	int lock, rc, code = tp_lock_take(path, wait_ms, &lock, err);

	if (code)
		return code;
	code = tp_store_open_rw(&s, path, err);
	if (code)
		goto done;
	db = tp_store_db(s);
	/* What is deleted is overwritten: dumps may hold what others should not see. */
	rc = sqlite3_exec(db,
			  "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; BEGIN IMMEDIATE",
			  NULL, NULL, NULL);
	if (!rc)
		rc = fn(db, ctx);
	if (!rc || rc == SQLITE_DONE)
		rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	if (rc) {
		code = tp_sql_err(err, db, path, doing);
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	}
done:
	tp_store_close(s);
	tp_lock_release(path, lock);
	return code;
}

/* Runs one statement with a number and a text bound to ?1 and ?2. */
static int step(struct sqlite3 *db, const char *sql, int64_t number, const char *text)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (!rc)
		rc = sqlite3_bind_int64(stmt, 1, number);
	if (!rc && text)
		rc = sqlite3_bind_text(stmt, 2, text, -1, SQLITE_STATIC);
	if (!rc)
		rc = sqlite3_step(stmt);
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE || rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/* ---- names and labels ---- */

struct naming {
	int64_t run;
	const char *name;
};

static int rename_run(struct sqlite3 *db, void *ctx)
{
	struct naming *n = ctx;

	return step(db, "UPDATE run SET name = ?2 WHERE id = ?1", n->run, n->name);
}

int tp_store_rename(const char *path, int wait_ms, int64_t run, const char *name,
		    struct tp_err *err)
{
	struct naming n = {run, name};

	return change(path, wait_ms, rename_run, &n, "cannot rename a run of", err);
}

struct unlabelling {
	int64_t run;
	const char *const *keys;
	size_t n, gone;
};

static int unlabel_run(struct sqlite3 *db, void *ctx)
{
	struct unlabelling *u = ctx;
	int rc = SQLITE_OK;

	for (size_t i = 0; i < u->n && !rc; i++) {
		rc = step(db, "DELETE FROM label WHERE run = ?1 AND key = ?2", u->run, u->keys[i]);
		u->gone += (size_t)sqlite3_changes(db);
	}
	return rc;
}

int tp_store_unlabel(const char *path, int wait_ms, int64_t run, const char *const *keys, size_t n,
		     size_t *gone, struct tp_err *err)
{
	struct unlabelling u = {run, keys, n, 0};
	int code = change(path, wait_ms, unlabel_run, &u, "cannot remove labels of", err);

	*gone = u.gone;
	return code;
}

/* ---- runs ---- */

struct deletion {
	const int64_t *runs;
	size_t n;
};

/* Rows of the virtual tables that were written out (store/materialize.h) lie in NAME_rows. */
static int delete_rows(struct sqlite3 *db, const char *table, int64_t run)
{
	char *sql = sqlite3_mprintf("DELETE FROM main.\"%w\" WHERE run = ?1", table);
	int rc = sql ? step(db, sql, run, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return rc;
}

static int delete_written_out(struct sqlite3 *db, int64_t run)
{
	static const char tables[] =
	    "SELECT m.name FROM main.sqlite_schema AS m WHERE m.type = 'table' AND m.rootpage > 0 "
	    "AND m.name GLOB '*_rows' "
	    "AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) AS c WHERE c.name = 'run')";
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, tables, -1, &stmt, NULL), failed = SQLITE_OK;

	while (!rc && !failed && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		failed = delete_rows(db, (const char *)sqlite3_column_text(stmt, 0), run);
		rc = SQLITE_OK;
	}
	sqlite3_finalize(stmt);
	return failed ? failed : rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int delete_runs(struct sqlite3 *db, void *ctx)
{
	struct deletion *d = ctx;
	int rc = SQLITE_OK;

	for (size_t i = 0; i < d->n && !rc; i++) {
		for (const struct tp_schema_table *t = tp_schema_tables; t->name && !rc; t++)
			rc = delete_rows(db, t->name, d->runs[i]);
		if (!rc)
			rc = delete_written_out(db, d->runs[i]);
		if (!rc)
			rc = step(db, "DELETE FROM main.run WHERE id = ?1", d->runs[i], NULL);
	}
	return rc;
}

int tp_store_delete(const char *path, int wait_ms, const int64_t *runs, size_t n,
		    struct tp_err *err)
{
	struct deletion d = {runs, n};

	return change(path, wait_ms, delete_runs, &d, "cannot delete runs of", err);
}

/* ---- the whole store ---- */

static int file_size(const char *path, int64_t *size, struct tp_err *err)
{
	struct stat st;

	if (stat(path, &st))
		return tp_sys_err(err, errno, path, "cannot open");
	*size = st.st_size;
	return 0;
}

/* Dictionaries that runs shared which are no longer there. */
static int drop_pools(struct sqlite3 *db, void *ctx)
{
	(void)ctx;
	return sqlite3_exec(db,
			    "DELETE FROM main.block WHERE run < 0 AND -run NOT IN (SELECT part "
			    "FROM main.block WHERE stream = '" TP_POOL_STREAM "')",
			    NULL, NULL, NULL);
}

int tp_store_compact(const char *path, int wait_ms, int64_t *before, int64_t *after,
		     struct tp_err *err)
{
	struct tp_store *s = NULL;
	int lock, code = change(path, wait_ms, drop_pools, NULL, "cannot compact", err);

	if (!code)
		code = tp_lock_take(path, wait_ms, &lock, err);
	if (code)
		return code;
	code = file_size(path, before, err);
	if (!code)
		code = tp_store_open_rw(&s, path, err);
	if (!code &&
	    sqlite3_exec(tp_store_db(s), "PRAGMA synchronous = FULL; VACUUM", NULL, NULL, NULL))
		code = tp_sql_err(err, tp_store_db(s), path, "cannot compact");
	tp_store_close(s);
	if (!code)
		code = file_size(path, after, err);
	tp_lock_release(path, lock);
	return code;
}

struct upgrade {
	const char *path;
	int from, code;
	struct tp_err *err;
};

static int upgrade_store(struct sqlite3 *db, void *ctx)
{
	struct upgrade *u = ctx;

	u->code = tp_schema_check(db, u->path, &u->from, u->err);
	if (!u->code)
		u->code = tp_schema_migrate(db, u->path, u->from, u->err);
	return u->code ? SQLITE_ABORT : SQLITE_OK;
}

int tp_store_upgrade(const char *path, int wait_ms, int *from, struct tp_err *err)
{
	struct tp_err why = {0}, said;
	struct upgrade u = {.path = path, .err = &why};
	int code = change(path, wait_ms, upgrade_store, &u, "cannot upgrade", &said);

	*from = u.from;
	if (err && code)
		*err = u.code ? why : said;
	return u.code ? u.code : code;
}
