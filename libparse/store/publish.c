/* The moment collected runs become part of the store. Writers take turns here; whatever happens
 * before the rename or the end of the transaction leaves the store as it was. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/lock.h"
#include "store/materialize.h"
#include "store/schema.h"
#include "store/sqlerr.h"
#include "store/uri.h"
#include "store/vfs.h"
#include "store/writer.h"

/* How long a publishing writer waits for readers to let go of the pages it replaces. */
#define READERS_WAIT_MS 60000

/* Makes a rename in this folder survive a power failure. */
static int sync_folder(const char *path, struct tp_err *err)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int code = 0;

	/* Some file systems have no such thing as a folder's sync: EINVAL. And in some folders one
	 * may write but not look: EACCES. The store is in place by now. */
	if (!folder || (fd < 0 ? errno != EACCES : fsync(fd) && errno != EINVAL))
		code = tp_sys_err(err, folder ? errno : ENOMEM, path, "cannot write");
	if (fd >= 0)
		close(fd);
	free(folder);
	return code;
}

/* What a writer that was killed left beside a store that somebody has removed since. SQLite would
 * take it for the journal of the store that comes in its place, and roll that back. */
static int remove_stale(const char *path, const char *suffix, struct tp_err *err)
{
	char *name = sqlite3_mprintf("%s%s", path, suffix);
	int code = 0;

	if (!name)
		return tp_sys_err(err, ENOMEM, path, "cannot create");
	if (unlink(name) && errno != ENOENT)
		code = tp_sys_err(err, errno, name, "cannot remove");
	sqlite3_free(name);
	return code;
}

/* Beside a store that is there, the same is part of it. */
static int refuse_unfinished(const char *path, const char *suffix, struct tp_err *err)
{
	char *name = sqlite3_mprintf("%s%s", path, suffix);
	int fd, code = 0;
	char first = 0;

	if (!name)
		return tp_sys_err(err, ENOMEM, path, "cannot create");
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 ? errno != ENOENT : read(fd, &first, 1) < 0)
		code = tp_sys_err(err, errno, name, "cannot read");
	else if (first) /* a journal that is kept, and done with, begins with zeros */
		code = tp_err_set(err, TP_EBUSY, TP_OFFSET_NONE,
				  "%s is being written to by another program; try again", path);
	if (fd >= 0)
		close(fd);
	sqlite3_free(name);
	return code;
}

int tp_publish_file(struct tp_store_run *run, struct tp_err *err)
{
	static const char *const beside[] = {"-journal", "-wal"};
	struct stat st;
	bool there = !stat(run->path, &st);

	if (!there && errno != ENOENT)
		return tp_sys_err(err, errno, run->path, "cannot open");
	there = there && st.st_size;
	if (fsync(run->temp_fd))
		return tp_sys_err(err, errno, run->path, "cannot write");
	for (int i = 0; i < 2; i++) {
		int code = (there ? refuse_unfinished : remove_stale)(run->path, beside[i], err);

		if (code)
			return code;
	}
	if (rename(run->temp, run->path))
		return tp_sys_err(err, errno, run->path, "cannot create");
	free(run->temp);
	run->temp = NULL;
	return sync_folder(run->path, err);
}

/* The run may have been collected by a process that was fooled by what it read: rows are all that
 * is taken from its file. */
static int check_rows(struct sqlite3 *db, const char *schema, const char *path, struct tp_err *err)
{
	char odd[TP_SCHEMA_NAME];
	bool whole;

	if (tp_schema_whole(db, schema, &whole, odd))
		return tp_sql_err(err, db, path, "cannot write");
	return whole ? 0
		     : tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
				  "cannot write %s: what was collected for it is no run", path);
}

static int publish_new(struct tp_store_run *run, struct tp_run *r, struct tp_err *err)
{
	struct sqlite3 *db = NULL;
	int code = 0;

	r->id = 1;
	if (run->materialize && !run->materialized) {
		code = tp_materialize_file(run->temp, err);
	} else {
		if (tp_sql_open(run->temp, &db, SQLITE_OPEN_READONLY) || tp_schema_harden(db))
			code = tp_sql_err(err, db, run->path, "cannot write");
		if (!code)
			code = check_rows(db, "main", run->path, err);
		sqlite3_close(db);
	}
	return code ? code : tp_publish_file(run, err);
}

static int exec(struct sqlite3 *db, const char *path, const char *sql, struct tp_err *err)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) ? tp_sql_err(err, db, path, "cannot write")
						       : 0;
}

/* The number of the run with this hash, 0 when there is none. */
static int find_run(struct sqlite3 *db, const char *path, const char *hash, int64_t *id,
		    struct tp_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = 0, rc = SQLITE_ERROR;

	*id = 0;
	if (!sqlite3_prepare_v2(db, "SELECT id FROM main.run WHERE hash = ?", -1, &stmt, NULL) &&
	    !sqlite3_bind_text(stmt, 1, hash, -1, SQLITE_STATIC))
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		*id = sqlite3_column_int64(stmt, 0);
	else if (rc != SQLITE_DONE)
		code = tp_sql_err(err, db, path, "cannot read");
	sqlite3_finalize(stmt);
	return code;
}

static int count(struct sqlite3 *db, const char *path, const char *sql, int64_t *n,
		 struct tp_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = 0;

	*n = 0;
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) || sqlite3_step(stmt) != SQLITE_ROW)
		code = tp_sql_err(err, db, path, "cannot write");
	else
		*n = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return code;
}

/* Which of the collected runs are new, and the store's next free numbers for them. */
static int number_runs(struct sqlite3 *db, const char *path, int64_t *first, int64_t *n,
		       struct tp_err *err)
{
	int code =
	    exec(db, path,
		 "INSERT INTO temp.number SELECT p.id, row_number() OVER (ORDER BY p.id) + "
		 "(SELECT coalesce(max(id), 0) FROM main.run) FROM part.run p WHERE NOT EXISTS "
		 "(SELECT 1 FROM main.run m WHERE m.hash = p.hash)",
		 err);

	if (!code)
		code = count(db, path, "SELECT coalesce(min(becomes), 0) FROM temp.number", first,
			     err);
	return code ? code : count(db, path, "SELECT count(*) FROM temp.number", n, err);
}

/* Copies the rows of these runs to the store's, in the order in which they were written: the tables
 * are read from end to end. */
static int copy_runs(struct sqlite3 *db, const char *path, struct tp_err *err)
{
	int code = exec(db, path,
			"INSERT INTO main.run SELECT n.becomes, "
			"kind, name, source, hash, format, start_ns, duration_ns, ticks, wall_ns, "
			"events, inferred, generations, goroutines, size_in, lost_bytes, "
			"lost_events, imported_ns FROM part.run p CROSS JOIN temp.number n "
			"WHERE n.was = p.id",
			err);

	for (const struct tp_schema_table *t = tp_schema_tables; t->name && !code; t++) {
		char *sql = sqlite3_mprintf("INSERT INTO main.%s(run, %s) SELECT n.becomes, %s "
					    "FROM part.%s p CROSS JOIN temp.number n "
					    "WHERE n.was = p.run",
					    t->name, t->columns, t->columns, t->name);

		if (!sql)
			return tp_nomem(err);
		code = exec(db, path, sql, err);
		sqlite3_free(sql);
	}
	return code;
}

static int attach(struct sqlite3 *db, const struct tp_store_run *run, struct tp_err *err)
{
	/* Nobody changes the collected run any more. Said so, SQLite leaves it out of the
	 * transaction: no locks, and no journal over two files. */
	char *uri = tp_uri(run->temp, "mode=ro&immutable=1");
	sqlite3_stmt *stmt = NULL;
	int code = 0;

	if (!uri || sqlite3_prepare_v2(db, "ATTACH ? AS part", -1, &stmt, NULL) ||
	    sqlite3_bind_text(stmt, 1, uri, -1, SQLITE_STATIC) || sqlite3_step(stmt) != SQLITE_DONE)
		code = tp_sql_err(err, uri ? db : NULL, run->path, "cannot write");
	sqlite3_finalize(stmt);
	free(uri);
	return code;
}

static int publish_into(struct tp_store_run *run, struct sqlite3 *db, struct tp_run *r,
			size_t *added, struct tp_err *err)
{
	int64_t known = 0, n = 0;
	int version = 0;
	/* As long as the cache holds what is new, readers are shut out only while it is written. */
	int code = exec(db, run->path,
			"PRAGMA synchronous = FULL; PRAGMA cache_size = -49152; "
			"PRAGMA temp_store = MEMORY; "
			"CREATE TEMP TABLE number(was INTEGER PRIMARY KEY, becomes INTEGER)",
			err);

	if (!code)
		code = attach(db, run, err);
	if (!code)
		code = check_rows(db, "part", run->path, err);
	if (!code)
		code = exec(db, run->path, "BEGIN IMMEDIATE", err);
	if (!code)
		code = tp_schema_check(db, run->path, &version, err);
	if (!code)
		code = tp_schema_migrate(db, run->path, version, err);
	if (!code && r->hash)
		code = find_run(db, run->path, r->hash, &known, err);
	if (code)
		return code;
	if (known) {
		r->id = known;
		r->known = true;
		return 0;
	}
	code = number_runs(db, run->path, &r->id, &n, err);
	if (!code)
		code = copy_runs(db, run->path, err);
	for (int64_t i = 0; i < n && run->materialize && !code; i++)
		code = tp_materialize(db, run->path, r->id + i, err);
	*added = (size_t)n;
	return code ? code : exec(db, run->path, "COMMIT", err);
}

/* Closing the connection rolls back what was not committed. */
static int publish_existing(struct tp_store_run *run, struct tp_run *r, size_t *added,
			    struct tp_err *err)
{
	struct sqlite3 *db = NULL;
	int code;

	if (tp_sql_open(run->path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI) ||
	    tp_schema_harden(db)) {
		code = tp_sql_err(err, db, run->path, "cannot write");
	} else {
		sqlite3_busy_timeout(db, READERS_WAIT_MS);
		code = publish_into(run, db, r, added, err);
	}
	sqlite3_close(db);
	return code;
}

int tp_publish(struct tp_store_run *run, struct tp_run *r, size_t *added, struct tp_err *err)
{
	char *begun = run->path;
	struct tp_lock lock;
	struct stat st;
	int code = tp_lock_take(&lock, run->path, run->wait_ms, err);

	if (code)
		return code;
	/* Where it was may be a link by now: what that leads to is what is locked. */
	run->path = lock.place;
	r->known = false;
	*added = (size_t)run->number;
	/* Only what is known not to be there may be replaced. */
	if (stat(run->path, &st)) {
		if (errno == ENOENT)
			code = publish_new(run, r, err);
		else
			code = tp_sys_err(err, errno, run->path, "cannot open");
	} else {
		code = st.st_size ? publish_existing(run, r, added, err) : publish_new(run, r, err);
	}
	run->path = begun;
	tp_lock_release(&lock);
	return code;
}
