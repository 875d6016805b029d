#include <errno.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/kept.h"
#include "store/lock.h"
#include "store/pool_read.h"
#include "store/schema.h"
#include "store/sqlerr.h"
#include "store/store.h"
#include "store/uri.h"
#include "store/vfs.h"

struct tp_store {
	struct sqlite3 *db;
	bool borrowed;
	_Atomic(struct tp_pool_cache *) pools; /* NULL until a run with a pool is read */
	struct tp_kept kept;
};

/* Opens the file and reads its schema, as only that shows whether it can be read. */
static int open_as(struct sqlite3 **db, const char *path, const char *parameters, int flags)
{
	char *uri = tp_uri(path, parameters);
	int rc = SQLITE_NOMEM;

	*db = NULL;
	if (uri)
		rc = tp_sql_open(uri, db, flags | SQLITE_OPEN_URI);
	free(uri);
	if (rc)
		return rc;
	sqlite3_extended_result_codes(*db, 1);
	tp_lock_wait(*db);
	return sqlite3_exec(*db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
}

static int open_for_reading(struct sqlite3 **db, const char *path)
{
	int rc = open_as(db, path, "mode=ro", SQLITE_OPEN_READONLY);

	/* A writer was killed while it published: with permission to write, opening the store rolls
	 * that back. */
	if (rc == SQLITE_READONLY_ROLLBACK || rc == SQLITE_READONLY_RECOVERY ||
	    rc == SQLITE_READONLY_CANTLOCK) {
		sqlite3_close(*db);
		rc = open_as(db, path, "mode=rw", SQLITE_OPEN_READWRITE);
		if (!rc) {
			sqlite3_close(*db);
			rc = open_as(db, path, "mode=ro", SQLITE_OPEN_READONLY);
		}
	}
	/* Locks are impossible on read-only media, and not needed, as nobody can write there. */
	if (rc && (rc & 0xff) != SQLITE_NOTADB && (rc & 0xff) != SQLITE_BUSY &&
	    access(path, R_OK) == 0 && access(path, W_OK) != 0 && errno == EROFS) {
		sqlite3_close(*db);
		rc = open_as(db, path, "mode=ro&immutable=1", SQLITE_OPEN_READONLY);
	}
	return rc;
}

static int open_store(struct tp_store **out, const char *path, bool rw, struct tp_err *err)
{
	const char *doing = rw ? "cannot open" : "cannot read";
	struct tp_store *s;
	int rc, version, code = 0;

	*out = NULL;
	if (access(path, F_OK))
		return tp_sys_err(err, errno, path, "cannot open");
	s = calloc(1, sizeof(*s));
	if (!s)
		return tp_sys_err(err, ENOMEM, path, doing);
	tp_kept_init(&s->kept);
	rc = rw ? open_as(&s->db, path, "mode=rw", SQLITE_OPEN_READWRITE)
		: open_for_reading(&s->db, path);
	if (rc || tp_schema_harden(s->db))
		code = tp_sql_err(err, s->db, path, doing);
	if (!code)
		code = tp_schema_check(s->db, path, &version, err);
	if (!code && tp_store_register(s->db))
		code = tp_sql_err(err, s->db, path, doing);
	if (code) {
		tp_store_close(s);
		return code;
	}
	*out = s;
	return 0;
}

int tp_store_open(struct tp_store **s, const char *path, struct tp_err *err)
{
	return open_store(s, path, false, err);
}

int tp_store_open_rw(struct tp_store **s, const char *path, struct tp_err *err)
{
	return open_store(s, path, true, err);
}

void tp_store_close(struct tp_store *s)
{
	if (!s)
		return;
	tp_kept_release(&s->kept);
	if (!s->borrowed)
		sqlite3_close_v2(s->db);
	tp_pool_cache_free(s->pools);
	free(s);
}

struct tp_pool_cache *tp_store_pool_cache(struct tp_store *s)
{
	struct tp_pool_cache *none = NULL, *c = s->pools;

	if (c)
		return c;
	c = tp_pool_cache_new();
	if (c && !atomic_compare_exchange_strong(&s->pools, &none, c)) {
		tp_pool_cache_free(c);
		c = none;
	}
	return c;
}

struct tp_store *tp_store_borrow(struct sqlite3 *db)
{
	struct tp_store *s = calloc(1, sizeof(*s));

	if (s) {
		tp_kept_init(&s->kept);
		s->db = db;
		s->borrowed = true;
	}
	return s;
}

struct sqlite3 *tp_store_db(struct tp_store *s)
{
	return s->db;
}

struct tp_kept *tp_store_kept(struct tp_store *s)
{
	return s->borrowed ? NULL : &s->kept;
}

const char *tp_store_path(struct tp_store *s)
{
	return sqlite3_db_filename(s->db, "main");
}

void tp_store_interrupt(struct tp_store *s)
{
	sqlite3_interrupt(s->db);
}
