#include "store/merge/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/many.h"
#include "store/lock.h"
#include "store/materialize.h"
#include "store/merge/inside.h"
#include "store/query.h"
#include "store/schema.h"
#include "store/sqlerr.h"
#include "store/vfs.h"

/* ---- what is made ---- */

static int put_block(void *ctx, int64_t run, const char *stream, int64_t part, size_t rows,
		     size_t raw_size, const struct tp_buf *data, struct tp_err *err)
{
	struct merge *m = ctx;
	return tp_temp_put_block(&m->out, run, stream, part, rows, TP_NULL, TP_NULL, data->data[0],
				 raw_size, data)
		   ? merge_cannot_write(m, err)
		   : 0;
}

static int open_out(struct merge *m, struct tp_err *err)
{
	static const char labels[] =
	    "CREATE TEMP TABLE labels(key TEXT, value TEXT, PRIMARY KEY(key, value)) "
	    "WITHOUT ROWID;";
	int code = tp_temp_store_connect(&m->out, err);

	if (!code && sqlite3_exec(m->out.db, labels, NULL, NULL, NULL))
		code = merge_cannot_write(m, err);
	return code;
}

/* Begins the file once the size of all dumps is known, which its pages depend on. */
static int begin_out(struct merge *m, struct tp_err *err)
{
	struct tp_query q = tp_query(
	    NULL, m->out.db, "SELECT count(*), CAST(total(size) AS INT) FROM temp.pick", "");
	int64_t size = 0;

	if (tp_query_row(&q)) {
		m->result->runs = sqlite3_column_int64(q.stmt, 0);
		size = sqlite3_column_int64(q.stmt, 1);
	}
	if (tp_query_done(&q))
		return merge_cannot_write(m, err);
	return tp_temp_store_begin(&m->out, size > 0 ? (uint64_t)size : 0, err);
}

/* ---- runs ---- */

static int copy_one(struct merge *m, const struct pick *p, int64_t id, struct tp_err *err)
{
	if (m->opt->progress && m->opt->progress(m->opt->progress_ctx, "merge", (uint64_t)id - 1,
						 (uint64_t)m->result->runs))
		return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
	if (p->written_out && m->nwritten == m->room) {
		size_t room = m->room ? m->room * 2 : 64;
		int64_t *more = tp_more(m->written_out, room, sizeof(*more));

		if (!more)
			return tp_nomem(err);
		m->written_out = more;
		m->room = room;
	}
	if (p->written_out)
		m->written_out[m->nwritten++] = id;
	return merge_copy(m, p, id, err);
}

static int fill(struct merge *m, struct tp_err *err)
{
	const struct tp_pool_sink sink = {put_block, m};
	int code = merge_list(m, err);

	if (!code)
		code = merge_choose(m, err);
	if (!code)
		code = begin_out(m, err);
	if (!code)
		code = tp_pool_writer_new(&m->pools, &sink, err);
	if (!code)
		code = merge_each(m, copy_one, err);
	if (!code)
		code = tp_pool_writer_finish(m->pools, &m->result->pools, err);
	/* To programs that do not know pools, such runs would look empty. */
	if (!code && m->result->pools &&
	    sqlite3_exec(m->out.db, "UPDATE main.meta SET value = 3 WHERE key = 'min_reader'", NULL,
			 NULL, NULL))
		code = merge_cannot_write(m, err);
	/* After the pools, as the rows are read from the result. */
	for (size_t i = 0; i < m->nwritten && !code; i++)
		code = tp_materialize(m->out.db, m->out.path, m->written_out[i], err);
	return code;
}

/* ---- all of it ---- */

/* Looks at the target and sets *there if it exists. After an error it must not be replaced. */
static int look_at_target(const struct merge *m, struct stat *st, bool *there, struct tp_err *err)
{
	*there = !stat(m->out.path, st);
	return *there || errno == ENOENT ? 0 : tp_sys_err(err, errno, m->out.path, "cannot open");
}

static int add_all(struct merge *m, const char *const *stores, size_t n, struct tp_err *err)
{
	struct stat st;
	bool there;
	int code = look_at_target(m, &st, &there, err);

	if (!code && there && st.st_size)
		code = sources_add(&m->sources, m->out.path, true, m->opt->wait_ms, err);
	for (size_t i = 0; i < n && !code; i++)
		code = sources_add(&m->sources, stores[i], false, m->opt->wait_ms, err);
	m->result->stores = (int64_t)m->sources.n;
	m->result->size_in = m->sources.size;
	return code;
}

/* Returns whether the target is still the file that was merged. A program without our lock may have
 * put another file there, which must not be replaced. */
static bool is_what_went_in(const struct merge *m, const struct stat *st, bool there)
{
	const struct source *first = m->sources.n ? m->sources.at : NULL;

	if (!first || !first->stays)
		return !there || !st->st_size;
	return there && st->st_dev == first->dev && st->st_ino == first->ino;
}

/* Replaces the target, whose permissions are kept, and, if permitted, its group and owner. */
static int take_place(struct merge *m, struct tp_err *err)
{
	struct stat st;
	bool there;
	int code = look_at_target(m, &st, &there, err);

	if (!code && !is_what_went_in(m, &st, there))
		code =
		    tp_err_set(err, TP_EBUSY, TP_OFFSET_NONE,
			       "%s was replaced by another file meanwhile; try again", m->out.path);
	if (!code && there && tp_temp_take_after(m->out.fd, &st))
		code = tp_sys_err(err, errno, m->out.path, "cannot write");
	if (!code && fstat(m->out.fd, &st))
		code = tp_sys_err(err, errno, m->out.path, "cannot write");
	if (!code)
		m->result->size_out = st.st_size;
	return code ? code : tp_publish_file(&m->out, err);
}

int tp_store_merge(const char *path, const char *const *stores, size_t n,
		   const struct tp_merge_options *opt, struct tp_merge_result *result,
		   struct tp_err *err)
{
	struct merge m = {.opt = opt, .result = result};
	struct tp_lock lock = {.fd = -1};
	char *begun;
	int code;

	*result = (struct tp_merge_result){0};
	tp_kept_init(&m.kept);
	code = tp_temp_store_create(&m.out, path);
	if (code)
		*err = m.out.err;
	else
		code = tp_lock_take(&lock, m.out.path, opt->wait_ms, err);
	/* The path may have become a link meanwhile: what it leads to is what is locked. */
	begun = m.out.path;
	if (!code)
		m.out.path = lock.place;
	if (!code)
		code = add_all(&m, stores, n, err);
	if (!code)
		code = open_out(&m, err);
	if (!code)
		code = fill(&m, err);
	tp_pool_writer_free(m.pools);
	tp_kept_release(&m.kept);
	if (!code)
		code = tp_temp_store_commit(&m.out, err);
	if (!code)
		code = take_place(&m, err);
	sources_release(&m.sources);
	m.out.path = begun;
	tp_temp_store_release(&m.out);
	tp_lock_release(&lock);
	free(m.written_out);
	return code;
}
