/* Labels of a run that is in the store already. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "store/lock.h"
#include "store/sqlerr.h"
#include "store/store.h"

/* Appends "key=value" to a list that may be cut. */
static void list(char *text, size_t size, int key_size, const char *key, const char *value)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s%.*s=%s", n ? ", " : "", key_size, key, value);
}

static int set_one(sqlite3 *db, int64_t run, const char *label, struct tp_relabelled *r)
{
	const char *eq = strchr(label, '=');
	int n = eq ? (int)(eq - label) : 0, rc;
	sqlite3_stmt *old = NULL, *put = NULL;
	bool same = false;

	if (!n)
		return SQLITE_MISUSE;
	rc = sqlite3_prepare_v2(db, "SELECT value FROM label WHERE run = ? AND key = ?", -1, &old,
				NULL);
	if (!rc)
		rc = sqlite3_bind_int64(old, 1, run);
	if (!rc)
		rc = sqlite3_bind_text(old, 2, label, n, SQLITE_STATIC);
	if (!rc)
		rc = sqlite3_step(old);
	if (rc == SQLITE_ROW) {
		const char *was = (const char *)sqlite3_column_text(old, 0);

		same = was && !strcmp(was, eq + 1);
		if (!same)
			list(r->before, sizeof(r->before), n, label, was ? was : "");
	}
	sqlite3_finalize(old);
	if (same || (rc != SQLITE_ROW && rc != SQLITE_DONE))
		return same ? SQLITE_OK : rc;
	rc = sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO label VALUES(?, ?, ?)", -1, &put, NULL);
	if (!rc)
		rc = sqlite3_bind_int64(put, 1, run);
	if (!rc)
		rc = sqlite3_bind_text(put, 2, label, n, SQLITE_STATIC);
	if (!rc)
		rc = sqlite3_bind_text(put, 3, eq + 1, -1, SQLITE_STATIC);
	if (!rc && sqlite3_step(put) != SQLITE_DONE)
		rc = SQLITE_ERROR;
	sqlite3_finalize(put);
	if (!rc)
		list(r->now, sizeof(r->now), n, label, eq + 1);
	return rc;
}

static int set_all(struct tp_store *s, const char *path, int64_t run, const char *const *labels,
		   size_t n, struct tp_relabelled *r, struct tp_err *err)
{
	sqlite3 *db = tp_store_db(s);
	int rc = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), code;

	for (size_t i = 0; !rc && i < n; i++)
		rc = set_one(db, run, labels[i], r);
	if (!rc)
		rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	if (!rc)
		return 0;
	code = tp_sql_err(err, db, path, "cannot write labels of");
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return code;
}

/* ---- many runs ---- */

/* 0 where there is none; an SQLite code. */
static int find(sqlite3_stmt *stmt, const char *hash, int64_t *run)
{
	int rc = sqlite3_bind_text(stmt, 1, hash, -1, SQLITE_STATIC);

	*run = 0;
	if (!rc)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		*run = sqlite3_column_int64(stmt, 0);
	sqlite3_reset(stmt);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int set_each(sqlite3 *db, const struct tp_labelled *runs, size_t nruns, size_t *changed)
{
	sqlite3_stmt *stmt = NULL;
	int64_t run;
	int rc = sqlite3_prepare_v2(db, "SELECT id FROM run WHERE hash = ?", -1, &stmt, NULL);

	for (size_t i = 0; !rc && i < nruns; i++) {
		struct tp_relabelled r = {{0}, {0}};

		rc = find(stmt, runs[i].hash, &run);
		for (size_t k = 0; !rc && run && k < runs[i].n; k++)
			rc = set_one(db, run, runs[i].labels[k], &r);
		*changed += r.now[0] != 0;
	}
	sqlite3_finalize(stmt);
	return rc;
}

static int set_many(struct tp_store *s, const char *path, const struct tp_labelled *runs,
		    size_t nruns, size_t *changed, struct tp_err *err)
{
	sqlite3 *db = tp_store_db(s);
	int rc = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), code;

	if (!rc)
		rc = set_each(db, runs, nruns, changed);
	if (!rc)
		rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	if (!rc)
		return 0;
	code = tp_sql_err(err, db, path, "cannot write labels of");
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return code;
}

int tp_store_relabel_all(const char *path, int wait_ms, const struct tp_labelled *runs,
			 size_t nruns, size_t *changed, struct tp_err *err)
{
	struct tp_store *s;
	int lock, code;

	*changed = 0;
	code = tp_lock_take(path, wait_ms, &lock, err);
	if (code)
		return code;
	code = tp_store_open_rw(&s, path, err);
	if (!code) {
		code = set_many(s, path, runs, nruns, changed, err);
		tp_store_close(s);
	}
	tp_lock_release(path, lock);
	return code;
}

/* ---- one ---- */

int tp_store_relabel(const char *path, int wait_ms, int64_t run, const char *const *labels,
		     size_t n, struct tp_relabelled *r, struct tp_err *err)
{
	struct tp_store *s;
	int lock, code;

	memset(r, 0, sizeof(*r));
	code = tp_lock_take(path, wait_ms, &lock, err);
	if (code)
		return code;
	code = tp_store_open_rw(&s, path, err);
	if (!code) {
		code = set_all(s, path, run, labels, n, r, err);
		tp_store_close(s);
	}
	tp_lock_release(path, lock);
	return code;
}
