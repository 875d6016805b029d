#include "store/edit.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "store/change.h"
#include "store/lock.h"
#include "store/pool.h"
#include "store/query.h"
#include "store/schema.h"
#include "store/sqlerr.h"
#include "store/store.h"

/* ---- names ---- */

struct naming {
	const char *hash, *name;
};

static int rename_run(struct sqlite3 *db, void *ctx, struct tp_err *err)
{
	struct naming *n = ctx;
	int64_t run;
	int rc = tp_find_run(db, n->hash, &run);

	(void)err;
	if (!rc && !run)
		return TP_CHANGE_GONE;
	return rc ? rc
		  : tp_change_step(db, "UPDATE main.run SET name = ?2 WHERE id = ?1", run, n->name);
}

int tp_store_rename(const char *path, int wait_ms, const char *hash, const char *name,
		    struct tp_err *err)
{
	struct naming n = {hash, name};

	return tp_change(path, wait_ms, rename_run, &n, "cannot rename a run of", err);
}

/* ---- runs ---- */

struct deletion {
	const char *const *hashes;
	size_t n, deleted;
};

/* Written-out rows of a virtual table NAME (store/materialize.h) are in the table NAME_rows. */
static int delete_rows(struct sqlite3 *db, const char *table, int64_t run)
{
	char *sql = sqlite3_mprintf("DELETE FROM main.\"%w\" WHERE run = ?1", table);
	int rc = sql ? tp_change_step(db, sql, run, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return rc;
}

static int delete_written_out(struct sqlite3 *db, int64_t run)
{
	static const char tables[] =
	    "SELECT m.name FROM main.sqlite_schema AS m WHERE m.type = 'table' AND m.rootpage > 0 "
	    "AND m.name GLOB '*_rows' "
	    "AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) AS c WHERE c.name = 'run')";
	struct tp_query q = tp_query(NULL, db, tables, "");
	int failed = SQLITE_OK, rc;

	while (!failed && tp_query_row(&q))
		failed = delete_rows(db, (const char *)sqlite3_column_text(q.stmt, 0), run);
	rc = tp_query_done(&q);
	return failed ? failed : rc;
}

static int delete_run(struct sqlite3 *db, int64_t run)
{
	int rc = SQLITE_OK;

	for (const struct tp_schema_table *t = tp_schema_tables; t->name && !rc; t++)
		rc = delete_rows(db, t->name, run);
	if (!rc)
		rc = delete_written_out(db, run);
	return rc ? rc : tp_change_step(db, "DELETE FROM main.run WHERE id = ?1", run, NULL);
}

static int delete_runs(struct sqlite3 *db, void *ctx, struct tp_err *err)
{
	struct deletion *d = ctx;
	int64_t run;
	int rc = SQLITE_OK;

	(void)err;
	for (size_t i = 0; i < d->n && !rc; i++) {
		rc = tp_find_run(db, d->hashes[i], &run);
		if (!rc && run) {
			rc = delete_run(db, run);
			d->deleted++;
		}
	}
	return rc;
}

int tp_store_delete(const char *path, int wait_ms, const char *const *hashes, size_t n,
		    size_t *deleted, struct tp_err *err)
{
	struct deletion d = {hashes, n, 0};
	int code = tp_change(path, wait_ms, delete_runs, &d, "cannot delete runs of", err);

	*deleted = code ? 0 : d.deleted;
	return code;
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

/* Removes pools that no run uses any more. */
static int drop_pools(struct sqlite3 *db, void *ctx, struct tp_err *err)
{
	(void)ctx;
	(void)err;
	return sqlite3_exec(db,
			    "DELETE FROM main.block WHERE run < 0 AND -run NOT IN (SELECT part "
			    "FROM main.block WHERE stream = '" TP_POOL_STREAM "')",
			    NULL, NULL, NULL);
}

int tp_store_compact(const char *path, int wait_ms, int64_t *before, int64_t *after,
		     struct tp_err *err)
{
	struct tp_store *s = NULL;
	struct tp_lock lock;
	int code = tp_change(path, wait_ms, drop_pools, NULL, "cannot compact", err);

	if (!code)
		code = tp_lock_take(&lock, path, wait_ms, err);
	if (code)
		return code;
	code = file_size(lock.place, before, err);
	if (!code)
		code = tp_store_open_rw(&s, lock.place, err);
	if (!code &&
	    sqlite3_exec(tp_store_db(s), "PRAGMA synchronous = FULL; VACUUM", NULL, NULL, NULL))
		code = tp_sql_err(err, tp_store_db(s), path, "cannot compact");
	tp_store_close(s);
	if (!code)
		code = file_size(lock.place, after, err);
	tp_lock_release(&lock);
	return code;
}

struct upgrade {
	const char *path;
	int from;
};

static int upgrade_store(struct sqlite3 *db, void *ctx, struct tp_err *err)
{
	struct upgrade *u = ctx;
	int code = tp_schema_check(db, u->path, &u->from, err);

	if (!code)
		code = tp_schema_migrate(db, u->path, u->from, err);
	return code ? TP_CHANGE_REFUSED : SQLITE_OK;
}

int tp_store_upgrade(const char *path, int wait_ms, int *from, struct tp_err *err)
{
	struct upgrade u = {.path = path};
	int code = tp_change(path, wait_ms, upgrade_store, &u, "cannot upgrade", err);

	*from = u.from;
	return code;
}
