/* A run being written. Its rows go into a temporary store chunk by chunk, so memory stays the same however
 * long the trace is. */
#include "store/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/big.h"
#include "store/change.h"
#include "store/dictfile.h"
#include "store/query.h"
#include "store/sqlerr.h"

/* Rows of a chunk: few enough for those that wait to stay in a processor's cache. */
#define CHUNK_ROWS  8192
#define EARLY_BYTES ((uint64_t)4 << 20)

/* ---- beginning ---- */

int tp_store_begin(struct tp_store_run **out, const char *path, const struct tp_store_options *opt,
		   struct tp_err *err)
{
	enum tp_codec codec = opt->compress ? TP_CODEC_ZSTD : TP_CODEC_LZ4;
	struct tp_store_run *run = calloc(1, sizeof(*run));
	int code;

	*out = NULL;
	if (!run)
		return tp_nomem(err);
	run->own.fd = -1;
	run->temp = opt->temp ? opt->temp : &run->own;
	run->opt = *opt;
	run->codec = codec;
	run->string_packer.codec = codec;
	pthread_mutex_init(&run->lock, NULL);
	run->encoder = tp_block_encoder_new(codec);
	if (!run->encoder) {
		code = tp_nomem(err);
		goto fail;
	}
	if (!opt->temp)
		tp_temp_store_create(&run->own, path);
	code = run->temp->err.code;
	if (code)
		*err = run->temp->err;
	else if (!run->temp->db)
		code = tp_temp_store_open(run->temp, opt->dump_size, err);
	if (code)
		goto fail;
	run->number = run->temp->runs + 1;
	if (opt->background && opt->dump_size >= TP_LARGE_DUMP)
		tp_row_queue_start(run);
	*out = run;
	return 0;
fail:
	tp_store_abort(run);
	return code;
}

int tp_store_find(const char *path, const char *hash, int64_t *run, struct tp_err *err)
{
	struct tp_store *s;
	struct stat st;
	int code;

	*run = 0;
	if (stat(path, &st))
		return errno == ENOENT ? 0 : tp_sys_err(err, errno, path, "cannot open");
	if (!st.st_size)
		return 0;
	code = tp_store_open(&s, path, err);
	if (code)
		return code;
	if (tp_find_run(tp_store_db(s), hash, run))
		code = tp_sql_err(err, tp_store_db(s), path, "cannot read");
	tp_store_close(s);
	return code;
}

/* ---- rows ---- */

/* The file has no journal, so it is useless after a statement has failed half way. Only a violated
 * constraint is known to have changed nothing. */
static int failed(struct tp_store_run *run, struct tp_err *err)
{
	struct tp_err why;
	int code = tp_sql_err(&why, run->temp->db, run->temp->path, "cannot write");

	if ((sqlite3_errcode(run->temp->db) & 0xff) != SQLITE_CONSTRAINT)
		run->temp->err = why;
	if (err)
		*err = why;
	return code;
}

/* Hints that the system should begin to write the file, so that less is left to write when the run
 * is published. */
static void write_early(struct tp_store_run *run, size_t more)
{
	run->unsynced += more;
	if (run->unsynced < EARLY_BYTES)
		return;
	run->unsynced = 0;
#ifdef SYNC_FILE_RANGE_WRITE
	sync_file_range(run->temp->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
#endif
}

int tp_run_put_block(struct tp_store_run *run, const char *stream, int64_t part, size_t rows,
		     int64_t first_ts, int64_t last_ts, size_t raw_size, const struct tp_buf *data,
		     struct tp_err *err)
{
	int code = 0;

	pthread_mutex_lock(&run->lock);
	run->begun = true;
	if (tp_temp_put_block(run->temp, run->number, stream, part, rows, first_ts, last_ts,
			      (int)run->codec, raw_size, data))
		code = failed(run, err);
	write_early(run, data->size);
	pthread_mutex_unlock(&run->lock);
	return code;
}

/* Returns a time of the trace's clock as ns since the start of the run. */
static int64_t since_start(const struct tp_store_run *run, int64_t ts)
{
	return ts == INT64_MIN ? TP_NULL : (int64_t)((uint64_t)ts - (uint64_t)run->start_ns);
}

static int flush_events(struct tp_store_run *run, struct tp_err *err)
{
	size_t n = run->nevents, raw_size = 0;

	if (!n)
		return 0;
	run->event_blob.size = 0;
	run->nevents = 0;
	if (tp_block_finish(run->encoder, &run->event_blob, &raw_size))
		return tp_nomem(err);
	return tp_run_put_block(run, "event", run->event_part++, n, run->block_first_ns,
				run->block_last_ns, raw_size, &run->event_blob, err);
}

void tp_store_set_tick(struct tp_store_run *run, double ns_per_tick)
{
	if (!run->nevents)
		tp_block_set_tick(run->encoder, ns_per_tick);
}

int tp_store_put_events(struct tp_store_run *run, const struct tp_event *ev, size_t n,
			struct tp_err *err)
{
	int code = 0;

	if (!run->started && n) {
		run->started = true;
		run->start_ns = ev[0].ts;
	}
	while (n && !code) {
		size_t room = TP_BLOCK_EVENTS - run->nevents;
		size_t take = n < room ? n : room;

		if (!run->nevents)
			run->block_first_ns = since_start(run, ev[0].ts);
		run->block_last_ns = since_start(run, ev[take - 1].ts);
		tp_block_add(run->encoder, ev, take, run->start_ns);
		run->nevents += take;
		ev += take;
		n -= take;
		if (run->nevents == TP_BLOCK_EVENTS)
			code = flush_events(run, err);
	}
	return code;
}

static __attribute__((noinline)) int flush_rows(struct tp_store_run *run, enum tp_table_id table,
						struct tp_err *err)
{
	struct tp_pending_rows *t = &run->tables[table];
	const struct tp_row_chunk chunk = {
	    .table = table,
	    .part = t->part,
	    .values = t->values,
	    .stride = t->stride,
	    .rows = t->rows,
	};
	bool taken;
	int code;

	if (!t->rows)
		return 0;
	t->rows = 0;
	t->part++;
	code = tp_row_queue_put(run, &chunk, &taken, err);
	if (taken) {
		t->values = NULL;
		t->room = 0;
	}
	return code;
}

/* A table that has filled a chunk gets room for a whole one. */
static int grow_rows(struct tp_pending_rows *t, unsigned columns)
{
	size_t room = t->part ? CHUNK_ROWS : t->room ? t->room * 4 : 512;
	/* Columns a power of two apart would compete for the same cache lines. */
	size_t stride = room + 64 / sizeof(int64_t);
	int64_t *v = tp_big_many(stride * columns, sizeof(*v));

	if (!v)
		return TP_ENOMEM;
	for (unsigned c = 0; c < columns && t->rows; c++)
		memcpy(v + c * stride, t->values + c * t->stride, t->rows * sizeof(*v));
	free(t->values);
	t->values = v;
	t->room = room;
	t->stride = stride;
	return 0;
}

/* Not inlined, so that the usual row costs only its copy. Calls tp_store_put_row once more, when
 * there is room. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static __attribute__((noinline)) int put_row_with_room(struct tp_store_run *run,
						       enum tp_table_id table,
						       const int64_t *values, struct tp_err *err)
{
	if (grow_rows(&run->tables[table], tp_tables[table].ncolumns))
		return tp_nomem(err);
	return tp_store_put_row(run, table, values, err);
}

/* NOLINTNEXTLINE(misc-no-recursion): as above */
int tp_store_put_row(struct tp_store_run *run, enum tp_table_id table, const int64_t *values,
		     struct tp_err *err)
{
	struct tp_pending_rows *t = &run->tables[table];
	unsigned columns = tp_tables[table].ncolumns;
	size_t stride;
	int64_t *to;

	if (t->rows == t->room)
		return put_row_with_room(run, table, values, err);
	to = t->values + t->rows;
	stride = t->stride;
	for (unsigned c = 0; c < columns; c++, to += stride)
		*to = values[c];
	return ++t->rows == CHUNK_ROWS ? flush_rows(run, table, err) : 0;
}

/* Inserts a row into an ordinary table. `sql` takes the run's number and then the arguments, whose
 * types are given as for tp_query. */
static int put(struct tp_store_run *run, const char *sql, const char *types, struct tp_err *err,
	       ...)
{
	struct tp_query q;
	va_list args;
	int code = 0;

	pthread_mutex_lock(&run->lock);
	run->begun = true;
	q = tp_query(NULL, run->temp->db, sql, "i", run->number);
	va_start(args, err);
	if (!q.rc)
		q.rc = tp_query_vbind(q.stmt, 2, types, args);
	va_end(args);
	tp_query_row(&q);
	if (tp_query_done(&q))
		code = failed(run, err);
	pthread_mutex_unlock(&run->lock);
	return code;
}

int tp_store_put_segment(struct tp_store_run *run, const struct tp_segment *s, struct tp_err *err)
{
	return put(run, "INSERT INTO segment VALUES(?, ?, ?, ?, ?, ?, ?)", "iiiiii", err, s->id,
		   s->first_block, s->blocks, s->from_ns, s->to_ns, s->events);
}

int tp_store_put_label(struct tp_store_run *run, const char *key, const char *value,
		       struct tp_err *err)
{
	return put(run, "INSERT OR REPLACE INTO label VALUES(?, ?, ?)", "ss", err, key, value);
}

static int put_ids(struct tp_store_run *run, const struct tp_trace *trace, struct tp_err *err)
{
	int code = 0;

	for (uint32_t i = 0; i < trace->np && !code; i++)
		code = tp_store_put_row(run, TP_TABLE_PROC, &trace->p_id[i], err);
	for (uint32_t i = 0; i < trace->nm && !code; i++) {
		int64_t id = (int64_t)trace->m_id[i];

		code = tp_store_put_row(run, TP_TABLE_THREAD, &id, err);
	}
	return code;
}

int tp_run_put_ledger(struct tp_store_run *run, const struct tp_loss *losses, size_t nlosses,
		      const struct tp_notice *notices, size_t nnotices, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < nlosses && !code; i++) {
		const struct tp_loss *l = &losses[i];

		code = put(run, "INSERT INTO loss VALUES(?, ?, ?, ?, ?, ?, ?)", "iinnis", err,
			   (int64_t)l->offset, (int64_t)l->bytes, since_start(run, l->from_ns),
			   since_start(run, l->to_ns), (int64_t)l->events, l->reason);
	}
	for (size_t i = 0; i < nnotices && !code; i++) {
		const struct tp_notice *n = &notices[i];

		code = put(run, "INSERT INTO notice VALUES(?, ?, ?, ?)", "ins", err,
			   (int64_t)n->severity,
			   n->offset == TP_OFFSET_NONE ? TP_NULL : (int64_t)n->offset, n->text);
	}
	return code;
}

int tp_store_put_trace(struct tp_store_run *run, const struct tp_trace *trace, struct tp_err *err)
{
	int code = tp_dictfile_put(run, trace->dict, err);

	if (!code)
		code = put_ids(run, trace, err);
	for (size_t i = 0; i < trace->nclocks && !code; i++) {
		const struct tp_clock *c = &trace->clocks[i];

		code = put(run, "INSERT INTO clock VALUES(?, ?, ?, ?, ?)", "iiii", err,
			   since_start(run, c->ts), c->mono_ns, c->wall_sec, (int64_t)c->wall_nsec);
	}
	if (!code)
		code = tp_run_put_ledger(run, trace->losses, trace->nlosses, trace->notices,
					 trace->nnotices, err);
	for (size_t i = 0; i < trace->nwires && !code; i++) {
		const struct tp_wire_count *w = &trace->wires[i];

		code = put(run, "INSERT INTO wire VALUES(?, ?, ?, ?, ?)", "siii", err, w->name,
			   (int64_t)w->events, (int64_t)w->with_stack, (int64_t)w->bytes);
	}
	return code;
}

/* ---- ending ---- */

static int put_run(struct tp_store_run *run, const struct tp_run *r, struct tp_err *err)
{
	return put(
	    run, "INSERT INTO run VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	    "sssssiiiniiiiiiii", err, r->kind, r->name, r->source, r->hash, r->format, r->start_ns,
	    r->duration_ns, (int64_t)r->ticks, r->wall_ns, r->events, r->inferred, r->generations,
	    r->goroutines, r->size_in, r->lost_bytes, r->lost_events, r->imported_ns);
}

static void release_buffers(struct tp_store_run *run)
{
	tp_block_encoder_free(run->encoder);
	run->encoder = NULL;
	tp_row_queue_release(run);
	for (int t = 0; t < TP_NTABLES; t++) {
		free(run->tables[t].values);
		run->tables[t].values = NULL;
	}
	tp_buf_release(&run->event_blob);
	tp_packer_release(&run->string_packer);
	tp_buf_release(&run->string_blob);
}

/* Writes what still waits, and the row of the run, which completes it. */
static int finish(struct tp_store_run *run, const struct tp_run *r, struct tp_err *err)
{
	int code = 0;

	for (enum tp_table_id t = 0; t < TP_NTABLES && !code; t++)
		code = flush_rows(run, t, err);
	if (!code)
		code = flush_events(run, err);
	if (!code)
		code = tp_row_queue_finish(run, err);
	if (!code)
		code = put_run(run, r, err);
	return code;
}

int tp_store_commit(struct tp_store_run *run, struct tp_run *r, struct tp_err *err)
{
	int code = finish(run, r, err);
	size_t added = 1;

	if (!code) {
		run->begun = false; /* it stays */
		r->id = run->temp->runs = run->number;
		release_buffers(run); /* publishing needs the memory */
	}
	if (!code && run->temp == &run->own) {
		code = tp_temp_store_close(run->temp, false, err);
		if (!code)
			code = tp_temp_store_publish(run->temp, &run->opt, &r->id, &added, err);
	}
	r->known = !code && !added;
	tp_store_abort(run);
	return code;
}

void tp_store_abort(struct tp_store_run *run)
{
	if (!run)
		return;
	tp_row_queue_finish(run, NULL); /* it uses the connection */
	if (run->begun && run->temp != &run->own)
		tp_temp_store_take_back(run->temp, run->number);
	tp_temp_store_release(&run->own);
	release_buffers(run);
	pthread_mutex_destroy(&run->lock);
	free(run);
}
