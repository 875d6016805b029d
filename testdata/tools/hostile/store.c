/* Stores that say little and claim much. Each begins as the import of another file; then its rows
 * are multiplied or changed. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"
#include "hostile/cases.h"
#include "hostile/chain.h"
#include "import.h"
#include "store/merge/merge.h"

/* Streams of a run whose name matches, over and over until the file has ?1 bytes. */
#define REPEAT(streams) REPEAT_SOME(streams, "1")
#define REPEAT_SOME(streams, of)                                                                   \
	"WITH RECURSIVE had AS MATERIALIZED (SELECT * FROM block WHERE stream IN (" streams ")),"  \
	"c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < "                               \
	"(SELECT ?1 / " of " / sum(length(data) + 60) FROM had))"                                  \
	"INSERT INTO block SELECT run, stream, part + i * (SELECT max(part) + 1 FROM had h "       \
	"WHERE h.stream = had.stream), rows, first_ts, last_ts, codec, raw_size, data "            \
	"FROM c, had;"
#define COUNT(most)                                                                                \
	"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < " most ")"
/* Segments that follow those there are, as readers want it, with no blocks of their own. */
#define SEGMENTS(most)                                                                             \
	COUNT(most)                                                                                \
	"INSERT INTO segment SELECT 1, m + i, b, 0, i * 100, i * 100 + 100, 1 FROM c, "            \
	"(SELECT max(id) AS m, max(first_block + blocks) AS b FROM segment);"

/* Rows of every table that is not packed. */
#define EACH(insert) COUNT("?1 / 160") insert " FROM c;"
#define LEDGER                                                                                     \
	EACH("INSERT INTO loss SELECT 1, i, -i, i, -i, 9223372036854775807, 'x' || i")             \
	EACH("INSERT INTO notice SELECT 1, i, i, 'x' || i")                                        \
	EACH("INSERT INTO label SELECT 1, 'k' || i, 'v'")                                          \
	EACH("INSERT INTO clock SELECT 1, i, i, 9223372036854775807, i")                           \
	EACH("INSERT INTO wire SELECT 1, 'w' || i, i, i, i")

/* Those called so are merged before that: their dictionary is one that runs share. */
#define POOL "store-pool"

static const struct made {
	const char *name, *what;
	const char *base;
	size_t base_size;
	const char *sql;
} made[] = {
    {"store-events", "blocks of events, the same over and over", "v2-spans-tiny", 200000,
     REPEAT("'event'")},
    {"store-events-told", "the same, and the run and its segments say so", "v2-spans-tiny", 200000,
     REPEAT(
	 "'event'") "UPDATE run SET events = (SELECT sum(rows) FROM block WHERE stream = 'event');"
		    "UPDATE segment SET blocks = (SELECT count(*) FROM block WHERE stream = "
		    "'event'),"
		    "events = (SELECT sum(rows) FROM block WHERE stream = 'event');"},
    {"store-goroutines", "chunks of goroutines", "v2-goroutines", 300000, REPEAT("'goroutine'")},
    {"store-goroutine-time", "chunks of what goroutines spent", "v2-goroutines", 300000,
     REPEAT("'goroutine_time'")},
    {"store-goroutine-block", "chunks of reasons for blocking", "v2-wakes", 900000,
     REPEAT("'goroutine_block'")},
    {"store-crossings", "chunks of spans that cross segments", "v2-goroutines", 300000,
     REPEAT("'span_crossing'")},
    {"store-sites", "chunks of sites", "v2-reasons", 900000, REPEAT("'site','site_hist'")},
    {"store-tasks", "chunks of tasks", "v2-task-chain", 400000, REPEAT("'task'")},
    {"store-regions", "chunks of regions", "v2-regions-open", 300000, REPEAT("'region'")},
    {"store-logs", "chunks of messages", "v2-logs", 900000, REPEAT("'log'")},
    {"store-metrics", "chunks of the heap's size", "v2-metrics", 200000, REPEAT("'metric'")},
    {"store-samples", "chunks of CPU samples", "v2-samples", 400000, REPEAT("'cpu_sample'")},
    {"store-ranges", "chunks of ranges", "v2-ranges", 900000, REPEAT("'range','gc_work'")},
    {"store-procs", "chunks of what Ps did", "v2-processors", 900000,
     REPEAT("'proc_span','proc_time','proc','thread'")},
    {"store-strings", "chunks of strings", "v2-strings", 500000, REPEAT("'string'")},
    {"store-stacks", "chunks of stacks", "pb-deep", 40000, REPEAT("'stack'")},
    {"store-frames", "chunks of frames, functions and locations", "v2-stacks", 200000,
     REPEAT("'frame','function','location'")},
    {"store-buckets", "chunks of buckets and their values", "text-heap-alike", 600000,
     REPEAT("'bucket','bucket_value'")},
    {"store-labels", "chunks of labels", "pb-labels", 600000, REPEAT("'bucket_label'")},
    {"store-all", "everything twice, and so on", "v2-processors", 4000,
     "WITH RECURSIVE had AS MATERIALIZED (SELECT * FROM block),"
     "c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < "
     "(SELECT ?1 / sum(length(data) + 60) FROM had))"
     "INSERT INTO block SELECT run, stream, part + i * (SELECT max(part) + 1 FROM had h "
     "WHERE h.stream = had.stream), rows, first_ts, last_ts, codec, raw_size, data FROM c, had;"},
    {"store-rows-claimed", "blocks that claim to hold more", "v2-processors", 100000,
     "UPDATE block SET rows = 9223372036854775807 WHERE stream <> 'event';"},
    {"store-rows-claimed-some", "blocks that claim to hold what a chunk may", "v2-processors",
     100000, "UPDATE block SET rows = 32768;"},
    {"store-parts-empty", "blocks of nothing that claim to hold what a chunk may", "v2-processors",
     4000,
     COUNT("?1 / 60") "INSERT INTO block SELECT 1, 'goroutine', 1000 + i, 32768, 0, 0, 0, 0, x'' "
		      "FROM c;"},
    {"store-events-empty", "the same of events", "v2-processors", 4000,
     COUNT("?1 / 60") "INSERT INTO block SELECT 1, 'event', 1000 + i, 16384, i, i + 1, 0, 0, x'' "
		      "FROM c;"},
    {"store-raw-size", "blobs that claim to unpack to much", "v2-processors", 100000,
     "UPDATE block SET raw_size = 9223372036854775807;"},
    {"store-run-wild", "a run of all times and numbers", "v2-processors", 100000,
     "UPDATE run SET start_ns = -9223372036854775807, duration_ns = 9223372036854775807,"
     "wall_ns = 9223372036854775807, events = 9223372036854775807, goroutines = "
     "9223372036854775807, generations = 9223372036854775807, size_in = 9223372036854775807,"
     "lost_bytes = -1, lost_events = 9223372036854775807, inferred = -1, imported_ns = -9;"},
    {"store-run-long", "a run of 292 years", "v2-processors", 100000,
     "UPDATE run SET duration_ns = 9223372036854775807;"},
    {"store-segments", "segments by the ten thousand", "v2-processors", 400000,
     SEGMENTS("?1 / 30")},
    {"store-segments-wide", "each all of the run", "v2-spans-tiny", 300000,
     COUNT("?1 / 30") "INSERT INTO segment SELECT 1, 1000 + i, 0, 9223372036854775807, "
		      "-9223372036854775807,"
		      "9223372036854775807, 9223372036854775807 FROM c;"},
    {"store-segments-crossings", "and as many spans that cross them all", "v2-goroutines", 300000,
     "UPDATE run SET duration_ns = 9000000000000000000;" SEGMENTS("?1 / 60")
	 REPEAT("'span_crossing'")},
    {"store-segments-goroutines", "and a tenth of the goroutines that fit", "v2-goroutines", 300000,
     "UPDATE run SET duration_ns = 9000000000000000000;" SEGMENTS("?1 / 60")
	 REPEAT_SOME("'goroutine'", "10")},
    {"store-runs", "as many runs of nothing", "v2-processors", 4000,
     COUNT("?1 / 180") "INSERT INTO run SELECT 1000 + i, 'trace', 'n' || i, 's', printf('%032x', "
		       "i), 'go 1.22', i, "
		       "1000000, 0, i, 5, 0, 1, 5, 100, 0, 0, i FROM c;"},
    {"store-runs-stray",
     "as many traces of generations without end, and a part of nobody knows which", "v2-processors",
     4000,
     "INSERT INTO block SELECT 1, 'cut', 0, 1, NULL, NULL, 0, 4, x'00010203';" COUNT(
	 "?1 / 180") "INSERT INTO run SELECT 1000 + i, 'trace', 'n' || i, 's', printf('%032x', i), "
		     "'go 1.22', i, 1000000, 0, i, 5, 0, 9223372036854775807, 5, 100, 0, 0, i FROM "
		     "c;"},
    {"store-runs-profiles", "as many profiles, each with a sample", "pb-lines", 1000,
     COUNT("?1 / 3000") "INSERT INTO run SELECT 1000 + i, kind, name || i, source, printf('%032x', "
			"i), format, start_ns,"
			"duration_ns, ticks, i * 1000000000, events, inferred, generations, "
			"goroutines, size_in, 0, 0, "
			"imported_ns FROM run, c;" COUNT(
			    "?1 / 3000") "INSERT INTO block SELECT 1000 + i, stream, part, rows, "
					 "first_ts, last_ts, codec, raw_size, data "
					 "FROM block, c;"},
    {"store-pool-strings", "chunks of strings that runs share", "v2-strings", 500000,
     REPEAT("'string'")},
    {"store-pool-stacks", "chunks of stacks that runs share", "pb-deep", 40000, REPEAT("'stack'")},
    {"store-pool-runs", "as many profiles that share all of them", "pb-lines", 20000,
     COUNT("?1 / 4000") "INSERT INTO run SELECT 1000 + i, kind, name || i, source, "
			"printf('%032x', i), format, start_ns, duration_ns, ticks, i * "
			"1000000000, events, inferred, generations, goroutines, size_in, 0, 0, "
			"imported_ns FROM run, c;" COUNT(
			    "?1 / 4000") "INSERT INTO block SELECT 1000 + i, stream, part, rows, "
					 "first_ts, last_ts, codec, raw_size, data "
					 "FROM block, c WHERE run = 1;"},
    {"store-pools", "as many dictionaries that nobody uses", "v2-processors", 4000,
     COUNT("?1 / 800") "INSERT INTO block SELECT -1000 - i, stream, part, rows, first_ts, last_ts, "
		       "codec, raw_size, data FROM block, c WHERE run = -1;"},
    {"store-names", "names without end", "v2-processors", 100000,
     "UPDATE run SET name = replace(hex(zeroblob(?1 / 8)), '00', 'abc '), source = "
     "hex(zeroblob(?1 / 8)), format = hex(zeroblob(?1 / 8));"},
    {"store-ledger", "losses, notices, labels, clocks", "v2-processors", 4000, LEDGER},
    {"store-stacks-chain", "a row of frames, and a sample at each", NULL, 0, NULL},
    {"store-schema", "tables without end", "v2-processors", 4000, NULL},
};

static int fail(const char *path, sqlite3 *db)
{
	fprintf(stderr, "hostile: %s: %s\n", path, sqlite3_errmsg(db));
	sqlite3_close(db);
	return 4;
}

static int run_sql(sqlite3 *db, const char *sql, size_t size)
{
	sqlite3_stmt *stmt;

	while (sql && *sql) {
		if (sqlite3_prepare_v2(db, sql, -1, &stmt, &sql))
			return 1;
		if (!stmt)
			continue;
		if (sqlite3_bind_parameter_count(stmt))
			sqlite3_bind_int64(stmt, 1, (sqlite3_int64)size);
		sqlite3_step(stmt);
		if (sqlite3_finalize(stmt))
			return 1;
	}
	return 0;
}

static int make_tables(sqlite3 *db, size_t size)
{
	for (size_t i = 0; i < size / 4300; i++) {
		char sql[128];

		snprintf(sql, sizeof(sql), "CREATE TABLE t%zu(a, b, c, d)", i);
		if (sqlite3_exec(db, sql, NULL, NULL, NULL))
			return 1;
	}
	return 0;
}

static int import_base(const struct made *m, const char *path)
{
	struct tp_import_options opt = {.threads = 1};
	struct tp_import_result result;
	struct tp_err err = {0};
	struct pen p = {0};
	char dump[4096];
	bool failed;

	hostile_make(&p, m->base, m->base_size);
	snprintf(dump, sizeof(dump), "%.4000s.dump", path);
	failed = p.failed || tool_write(dump, &p.out);
	tp_buf_release(&p.out);
	unlink(path);
	if (!failed && tp_import(dump, path, &opt, &result, &err))
		failed = true;
	unlink(dump);
	if (failed)
		fprintf(stderr, "hostile: %s: %s\n", path, err.msg[0] ? err.msg : "cannot be made");
	return failed ? 4 : 0;
}

static int merge_base(const char *path)
{
	const struct tp_merge_options opt = {.wait_ms = -1};
	struct tp_merge_result result;
	struct tp_err err;

	if (!tp_store_merge(path, &path, 1, &opt, &result, &err))
		return 0;
	fprintf(stderr, "hostile: %s: %s\n", path, err.msg);
	return 4;
}

static int make_store(const struct made *m, const char *path, size_t size)
{
	sqlite3 *db = NULL;
	int status = m->base ? import_base(m, path) : hostile_chain(path, size);

	if (!m->base)
		return status;
	if (!status && !strncmp(m->name, POOL, sizeof(POOL) - 1))
		status = merge_base(path);
	if (status)
		return status;
	if (sqlite3_open(path, &db) ||
	    sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN", NULL,
			 NULL, NULL) ||
	    (m->sql ? run_sql(db, m->sql, size) : make_tables(db, size)) ||
	    sqlite3_exec(db, "COMMIT; VACUUM", NULL, NULL, NULL))
		return fail(path, db);
	return sqlite3_close(db) ? 4 : 0;
}

size_t hostile_stores(void)
{
	return sizeof(made) / sizeof(made[0]);
}

void hostile_store_at(size_t i, const char **name, const char **what)
{
	*name = made[i].name;
	*what = made[i].what;
}

int hostile_store_make(size_t i, const char *path, size_t size)
{
	return make_store(&made[i], path, size);
}
