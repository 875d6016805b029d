/* Temporary stores: runs are collected in a file of their own beside the store, with neither journal nor sync,
 * so only writing the pages costs anything; publish.c makes them part of the store. The process that collects
 * may have been taken over by what it decodes: the one that publishes trusts nothing in the file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/lock.h"
#include "store/materialize.h"
#include "store/query.h"
#include "store/schema.h"
#include "store/sqlerr.h"
#include "store/vfs.h"
#include "store/writer.h"

/* ---- creation ---- */

/* An existing target must be a store that this program may add to. */
static int check_target(const char *path, struct tp_err *err)
{
	struct tp_store *s;
	struct stat st;
	int code;

	if (stat(path, &st))
		return errno == ENOENT ? 0 : tp_sys_err(err, errno, path, "cannot open");
	if (!S_ISREG(st.st_mode))
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "%s: this is not a regular file",
				  path);
	if (!st.st_size)
		return 0;
	if (access(path, W_OK))
		return tp_sys_err(err, errno, path, "cannot write");
	code = tp_store_open(&s, path, err);
	tp_store_close(code ? NULL : s);
	return code;
}

int tp_temp_store_create(struct tp_temp_store *t, const char *path)
{
	int code;

	*t = (struct tp_temp_store){.fd = -1};
	code = tp_place(path, &t->path, &t->err);
	if (!code)
		code = check_target(t->path, &t->err);
	if (code)
		return code;
	tp_temp_sweep_store(t->path);
	return tp_temp_create(t->path, &t->file, &t->fd, &t->err);
}

void tp_temp_store_release(struct tp_temp_store *t)
{
	tp_temp_store_disconnect(t);
	if (t->file)
		unlink(t->file);
	if (t->fd >= 0)
		close(t->fd);
	free(t->file);
	free(t->path);
	*t = (struct tp_temp_store){.fd = -1};
}

/* ---- the connection ---- */

int tp_temp_store_connect(struct tp_temp_store *t, struct tp_err *err)
{
	/* The cache is written out as it fills; 4 MiB of it is as fast as more. */
	static const char pragmas[] =
	    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
	    "PRAGMA cache_size = -4096;";

	if (tp_sql_open(t->file, &t->db, SQLITE_OPEN_READWRITE))
		return tp_sql_err(err, t->db, t->file, "cannot write");
	return sqlite3_exec(t->db, pragmas, NULL, NULL, NULL)
		   ? tp_sql_err(err, t->db, t->path, "cannot write")
		   : 0;
}

int tp_temp_store_begin(struct tp_temp_store *t, uint64_t dump_size, struct tp_err *err)
{
	static const char put_block[] =
	    "INSERT INTO main.block(run, stream, part, rows, first_ts, last_ts, codec, raw_size, "
	    "data) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)";
	/* Pages are written one by one: larger ones cost the system half the time, but a store has
	 * a few dozen of them at least. */
	const char *begin = dump_size >= TP_LARGE_DUMP ? "PRAGMA main.page_size = 16384; BEGIN"
						       : "PRAGMA main.page_size = 4096; BEGIN";
	int code;

	if (sqlite3_exec(t->db, begin, NULL, NULL, NULL))
		return tp_sql_err(err, t->db, t->path, "cannot write");
	code = tp_schema_create(t->db, t->path, err);
	if (!code && sqlite3_prepare_v2(t->db, put_block, -1, &t->put_block, NULL))
		code = tp_sql_err(err, t->db, t->path, "cannot write");
	return code;
}

int tp_temp_put_block(struct tp_temp_store *t, int64_t run, const char *stream, int64_t part,
		      size_t rows, int64_t first_ts, int64_t last_ts, int codec, size_t raw_size,
		      const struct tp_buf *data)
{
	sqlite3_stmt *s = t->put_block;
	int rc = tp_query_bind(s, "isiinniib", run, stream, part, (int64_t)rows, first_ts, last_ts,
			       (int64_t)codec, (int64_t)raw_size, data->data, data->size);

	if (!rc)
		rc = sqlite3_step(s);
	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int tp_temp_store_commit(struct tp_temp_store *t, struct tp_err *err)
{
	int code = 0;

	sqlite3_finalize(t->put_block);
	t->put_block = NULL;
	if (sqlite3_exec(t->db, "COMMIT", NULL, NULL, NULL))
		code = tp_sql_err(err, t->db, t->path, "cannot write");
	tp_temp_store_disconnect(t);
	return code;
}

void tp_temp_store_disconnect(struct tp_temp_store *t)
{
	sqlite3_finalize(t->put_block);
	sqlite3_close(t->db);
	t->put_block = NULL;
	t->db = NULL;
}

/* ---- runs ---- */

int tp_temp_store_open(struct tp_temp_store *t, uint64_t dump_size, struct tp_err *err)
{
	int code = t->err.code;

	if (code) {
		*err = t->err;
		return code;
	}
	code = tp_temp_store_connect(t, err);
	/* No other file can be written where dumps are decoded. */
	if (!code && sqlite3_exec(t->db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL))
		code = tp_sql_err(err, t->db, t->path, "cannot write");
	if (!code)
		code = tp_temp_store_begin(t, dump_size, err);
	if (code)
		tp_temp_store_disconnect(t);
	return code;
}

void tp_temp_store_take_back(struct tp_temp_store *t, int64_t run)
{
	for (const struct tp_schema_table *s = tp_schema_tables; s->name && !t->err.code; s++) {
		char *sql =
		    sqlite3_mprintf("DELETE FROM %s WHERE run = %lld", s->name, (long long)run);

		if (!sql || sqlite3_exec(t->db, sql, NULL, NULL, NULL))
			tp_sql_err(&t->err, sql ? t->db : NULL, t->path, "cannot write");
		sqlite3_free(sql);
	}
}

int tp_temp_store_close(struct tp_temp_store *t, bool materialize, struct tp_err *err)
{
	int code = t->err.code;

	if (code)
		*err = t->err;
	else if (t->db)
		code = tp_temp_store_commit(t, err);
	tp_temp_store_disconnect(t);
	if (code)
		t->runs = 0;
	if (!code && materialize && t->runs) {
		code = tp_materialize_file(t->file, err);
		t->materialized = !code;
	}
	return code;
}
