#include "store/change.h"

#include <sqlite3.h>

#include "store/lock.h"
#include "store/query.h"
#include "store/sqlerr.h"
#include "store/store.h"

static int failed(int rc, struct sqlite3 *db, const char *path, const char *doing,
		  struct tp_err *err)
{
	switch (rc) {
	case TP_CHANGE_REFUSED:
		return err->code;
	case TP_CHANGE_GONE:
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "%s %s: it is gone, as it was deleted meanwhile",
				  doing, path);
	default:
		return tp_sql_err(err, db, path, doing);
	}
}

int tp_change(const char *path, int wait_ms, tp_change_fn *fn, void *ctx, const char *doing,
	      struct tp_err *err)
{
	struct tp_store *s = NULL;
	struct tp_err why = {0};
	struct tp_lock lock;
	sqlite3 *db;
	int rc, code = tp_lock_take(&lock, path, wait_ms, err);

	if (code)
		return code;
	code = tp_store_open_rw(&s, lock.place, err);
	if (code)
		goto done;
	db = tp_store_db(s);
	/* Deleted data is overwritten, as dumps may contain secrets. */
	rc = sqlite3_exec(db,
			  "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; BEGIN IMMEDIATE",
			  NULL, NULL, NULL);
	if (!rc)
		rc = fn(db, ctx, &why);
	if (!rc || rc == SQLITE_DONE)
		rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	if (rc) {
		code = failed(rc, db, path, doing, &why);
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
		if (err)
			*err = why;
	}
done:
	tp_store_close(s);
	tp_lock_release(&lock);
	return code;
}

int tp_find_run(struct sqlite3 *db, const char *hash, int64_t *run)
{
	struct tp_query q = tp_query(NULL, db, "SELECT id FROM main.run WHERE hash = ?", "s", hash);

	*run = tp_query_number(&q);
	return tp_query_done(&q);
}

int tp_change_step(struct sqlite3 *db, const char *sql, int64_t number, const char *text)
{
	struct tp_query q = tp_query(NULL, db, sql, text ? "is" : "i", number, text);

	tp_query_row(&q);
	return tp_query_done(&q);
}
