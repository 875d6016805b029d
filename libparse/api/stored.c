#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "api/handle.h"
#include "store/query.h"

static int64_t time_at(sqlite3_stmt *s, int column)
{
	return sqlite3_column_type(s, column) == SQLITE_NULL ? TP_NULL
							     : sqlite3_column_int64(s, column);
}

/* Converts a time since the start of the run to one on the trace's clock. */
static int64_t clock_at(const struct tprof *t, sqlite3_stmt *s, int column)
{
	int64_t time = time_at(s, column);

	return time == TP_NULL ? TP_NULL : (int64_t)((uint64_t)time + (uint64_t)t->start_ns);
}

static const char *text_at(sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	return text ? text : "";
}

static int take_run(struct tprof *t, sqlite3_stmt *s)
{
	t->info.run = sqlite3_column_int64(s, 0);
	t->info.kind = strcmp(text_at(s, 1), "profile") ? TPROF_TRACE : TPROF_PROFILE;
	snprintf(t->format, sizeof(t->format), "%s", text_at(s, 2));
	t->info.wall_ns = time_at(s, 3);
	t->info.duration_ns = sqlite3_column_int64(s, 4);
	t->info.events = sqlite3_column_int64(s, 5);
	t->info.ticks = sqlite3_column_int(s, 6);
	t->start_ns = sqlite3_column_int64(s, 7);
	return 0;
}

static int take_loss(struct tprof *t, sqlite3_stmt *s)
{
	struct tp_loss loss = {
	    .offset = (uint64_t)sqlite3_column_int64(s, 0),
	    .bytes = (uint64_t)sqlite3_column_int64(s, 1),
	    .from_ns = clock_at(t, s, 2),
	    .to_ns = clock_at(t, s, 3),
	    .events = (uint64_t)sqlite3_column_int64(s, 4),
	};

	snprintf(loss.reason, sizeof(loss.reason), "%s", text_at(s, 5));
	return tp_trace_add_loss(&t->trace, &loss);
}

static int take_notice(struct tprof *t, sqlite3_stmt *s)
{
	int severity = sqlite3_column_int(s, 0);
	uint64_t offset = sqlite3_column_type(s, 1) == SQLITE_NULL
			      ? TP_OFFSET_NONE
			      : (uint64_t)sqlite3_column_int64(s, 1);

	if (severity < TP_INFO || severity > TP_DAMAGE)
		severity = TP_DAMAGE;
	return tp_trace_add_notice(&t->trace, (enum tp_severity)severity, offset, "%s",
				   text_at(s, 2));
}

/* Calls `take` for every row of the query, whose ?1 is a run. Sets *n to the number of rows. */
static int each_row(struct tprof *t, const char *sql, int64_t run,
		    int (*take)(struct tprof *t, sqlite3_stmt *s), size_t *n, struct tp_err *err)
{
	struct tp_query q = tp_query(NULL, tp_store_db(t->store), sql, "i", run);
	int code = 0;

	for (*n = 0; !code && tp_query_row(&q); ++*n)
		if (take(t, q.stmt))
			code = tp_nomem(err);
	return tp_query_end(&q, code, t->path, err);
}

int api_stored_open(struct tprof *t, struct tp_err *err)
{
	static const char run_sql[] =
	    "SELECT id, kind, format, wall_ns, duration_ns, events, ticks, start_ns "
	    "FROM run WHERE ?1 IN (0, id) ORDER BY id DESC LIMIT 1";
	size_t n;
	int code = each_row(t, run_sql, t->opt.run, take_run, &n, err);

	if (!code && !n)
		code = t->opt.run
			   ? tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "%s has no run %lld",
					t->path, (long long)t->opt.run)
			   : tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "%s has no runs", t->path);
	if (!code)
		code = each_row(t,
				"SELECT offset, bytes, from_ns, to_ns, events, reason FROM loss "
				"WHERE run = ?1 ORDER BY rowid",
				t->info.run, take_loss, &n, err);
	if (!code)
		code = each_row(t,
				"SELECT severity, offset, text FROM notice "
				"WHERE run = ?1 ORDER BY rowid",
				t->info.run, take_notice, &n, err);
	return code;
}
