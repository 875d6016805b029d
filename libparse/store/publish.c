/* Makes collected runs part of the store. Writers take turns here; whatever fails before the rename or the end
 * of the transaction leaves the store as it was. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/lock.h"
#include "store/materialize.h"
#include "store/query.h"
#include "store/schema.h"
#include "store/sqlerr.h"
#include "store/uri.h"
#include "store/vfs.h"
#include "store/writer.h"

/* Syncs the folder, so that a rename in it survives a power failure. */
static int sync_folder(const char *path, struct tp_err *err)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int code = 0;

	/* Some file systems cannot sync folders (EINVAL), and some folders can be written but not
	 * read (EACCES). The store is in place in any case. */
	if (!folder || (fd < 0 ? errno != EACCES : fsync(fd) && errno != EINVAL))
		code = tp_sys_err(err, folder ? errno : ENOMEM, path, "cannot write");
	if (fd >= 0)
		close(fd);
	free(folder);
	return code;
}

/* Removes the journal that a killed writer left beside a store that was removed since. SQLite would
 * take it for the journal of the new store, and roll that back. */
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

/* Beside an existing store, a journal belongs to it: another program is writing. */
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
	else if (first) /* a finished journal that is kept begins with zeros */
		code = tp_err_set(err, TP_EBUSY, TP_OFFSET_NONE,
				  "%s is being written to by another program; try again", path);
	if (fd >= 0)
		close(fd);
	sqlite3_free(name);
	return code;
}

int tp_publish_file(struct tp_temp_store *t, struct tp_err *err)
{
	static const char *const beside[] = {"-journal", "-wal"};
	struct stat st;
	bool there = !stat(t->path, &st);

	if (!there && errno != ENOENT)
		return tp_sys_err(err, errno, t->path, "cannot open");
	there = there && st.st_size;
	if (fsync(t->fd))
		return tp_sys_err(err, errno, t->path, "cannot write");
	for (int i = 0; i < 2; i++) {
		int code = (there ? refuse_unfinished : remove_stale)(t->path, beside[i], err);

		if (code)
			return code;
	}
	if (rename(t->file, t->path))
		return tp_sys_err(err, errno, t->path, "cannot create");
	free(t->file);
	t->file = NULL;
	return sync_folder(t->path, err);
}

/* The process that collected the runs may have been taken over by what it decoded, so its file may
 * only hold rows. */
static int check_rows(struct sqlite3 *db, const char *schema, const char *path, struct tp_err *err)
{
	char odd[TP_SCHEMA_NAME];
	bool whole;

	if (tp_schema_whole(db, schema, &whole, odd))
		return tp_sql_err(err, db, path, "cannot write");
	return whole ? 0
		     : tp_err_set(
			   err, TP_ESTORE, TP_OFFSET_NONE,
			   "cannot write %s: the temporary store of the new runs was tampered with",
			   path);
}

static int publish_new(struct tp_temp_store *t, bool materialize, int64_t *first,
		       struct tp_err *err)
{
	struct sqlite3 *db = NULL;
	int code = 0;

	*first = 1;
	if (materialize && !t->materialized) {
		code = tp_materialize_file(t->file, err);
	} else {
		if (tp_sql_open(t->file, &db, SQLITE_OPEN_READONLY) || tp_schema_harden(db))
			code = tp_sql_err(err, db, t->path, "cannot write");
		if (!code)
			code = check_rows(db, "main", t->path, err);
		sqlite3_close(db);
	}
	return code ? code : tp_publish_file(t, err);
}

static int exec(struct sqlite3 *db, const char *path, const char *sql, struct tp_err *err)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) ? tp_sql_err(err, db, path, "cannot write")
						       : 0;
}

/* Reads the number that a query returns; a row that is missing or NULL is 0. */
static int read_number(struct sqlite3 *db, const char *path, const char *sql, int64_t *n,
		       struct tp_err *err)
{
	struct tp_query q = tp_query(NULL, db, sql, "");

	*n = tp_query_number(&q);
	return tp_query_done(&q) ? tp_sql_err(err, db, path, "cannot write") : 0;
}

/* Finds the collected runs that the store does not hold, gives them its next numbers, and counts them. */
static int number_runs(struct sqlite3 *db, const char *path, int64_t *n, struct tp_err *err)
{
	int code =
	    exec(db, path,
		 "INSERT INTO temp.number SELECT p.id, row_number() OVER (ORDER BY p.id) + "
		 "(SELECT coalesce(max(id), 0) FROM main.run) FROM part.run p WHERE NOT EXISTS "
		 "(SELECT 1 FROM main.run m WHERE m.hash = p.hash)",
		 err);

	return code ? code : read_number(db, path, "SELECT count(*) FROM temp.number", n, err);
}

/* Copies the rows of these runs in the order in which they were written, so that tables are read
 * sequentially. */
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

static int attach(struct sqlite3 *db, const struct tp_temp_store *t, struct tp_err *err)
{
	/* The collected file does not change any more. As it is immutable, SQLite leaves it out of
	 * the transaction: no locks, and no journal that spans two files. */
	char *uri = tp_uri(t->file, "mode=ro&immutable=1");
	struct tp_query q = tp_query(NULL, db, uri ? "ATTACH ? AS part" : NULL, "s", uri);
	int rc;

	tp_query_row(&q);
	rc = tp_query_done(&q);
	free(uri);
	return rc ? tp_sql_err(err, uri ? db : NULL, t->path, "cannot write") : 0;
}

/* Copies what the store does not hold. *first becomes the store's number of the first run collected. */
static int publish_into(const struct tp_temp_store *t, struct sqlite3 *db, bool materialize,
			int64_t *first, size_t *added, struct tp_err *err)
{
	int64_t n = 0, id = 0;
	int version = 0;
	/* Readers are locked out only while the cache is written, if it is large enough for all new
	 * pages. */
	int code = exec(db, t->path,
			"PRAGMA synchronous = FULL; PRAGMA cache_size = -49152; "
			"PRAGMA temp_store = MEMORY; "
			"CREATE TEMP TABLE number(was INTEGER PRIMARY KEY, becomes INTEGER)",
			err);

	if (!code)
		code = attach(db, t, err);
	if (!code)
		code = check_rows(db, "part", t->path, err);
	if (!code)
		code = exec(db, t->path, "BEGIN IMMEDIATE", err);
	if (!code)
		code = tp_schema_check(db, t->path, &version, err);
	if (!code)
		code = tp_schema_migrate(db, t->path, version, err);
	if (!code)
		code = number_runs(db, t->path, &n, err);
	if (!code && n)
		code = copy_runs(db, t->path, err);
	if (!code)
		code = read_number(db, t->path,
				   "SELECT m.id FROM part.run p JOIN main.run m ON m.hash = p.hash "
				   "ORDER BY p.id LIMIT 1",
				   first, err);
	if (!code && n)
		code = read_number(db, t->path, "SELECT min(becomes) FROM temp.number", &id, err);
	for (int64_t i = 0; i < n && materialize && !code; i++)
		code = tp_materialize(db, t->path, id + i, err);
	*added = (size_t)n;
	return code || !n ? code : exec(db, t->path, "COMMIT", err);
}

/* Closing the connection rolls back what was not committed. */
static int publish_existing(const struct tp_temp_store *t, bool materialize, int64_t *first,
			    size_t *added, struct tp_err *err)
{
	struct sqlite3 *db = NULL;
	int code;

	if (tp_sql_open(t->path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI) ||
	    tp_schema_harden(db)) {
		code = tp_sql_err(err, db, t->path, "cannot write");
	} else {
		tp_lock_wait(db);
		code = publish_into(t, db, materialize, first, added, err);
	}
	sqlite3_close(db);
	return code;
}

int tp_temp_store_publish(struct tp_temp_store *t, const struct tp_store_options *opt,
			  int64_t *first, size_t *added, struct tp_err *err)
{
	char *begun = t->path;
	struct tp_lock lock;
	struct stat st;
	int code = tp_lock_take(&lock, t->path, opt->wait_ms, err);

	*added = (size_t)t->runs;
	if (code)
		return code;
	/* The path may have become a link meanwhile: what it leads to is what is locked. */
	t->path = lock.place;
	/* Only a file that certainly does not exist, or is empty, may be replaced. */
	if (stat(t->path, &st)) {
		if (errno == ENOENT)
			code = publish_new(t, opt->materialize, first, err);
		else
			code = tp_sys_err(err, errno, t->path, "cannot open");
	} else if (!st.st_size) {
		code = publish_new(t, opt->materialize, first, err);
	} else {
		code = publish_existing(t, opt->materialize, first, added, err);
	}
	t->path = begun;
	tp_lock_release(&lock);
	return code;
}
