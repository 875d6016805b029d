/* Rows put into a store are found there, and files that are not stores are recognised. */
#include <sys/stat.h>

#include "store/testing_run.h"

static void test_store_new_and_more_runs(void **state)
{
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;

	(void)state;
	assert_int_equal(write_run("aa", 40000, 70000, &row, &err), 0);
	assert_int_equal(row.id, 1);
	assert_int_equal(write_run("bb", 10, 0, &row, &err), 0);
	assert_int_equal(row.id, 2);
	assert_int_equal(write_run("cc", TP_BLOCK_EVENTS, 1, &row, &err), 0);
	assert_int_equal(row.id, 3);
	assert_int_equal(STRANGERS("x.tprof"), 0);
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	check_run(s, 1, 40000, 70000);
	check_run(s, 2, 10, 0);
	check_run(s, 3, TP_BLOCK_EVENTS, 1);
	tp_store_close(s);
}

static void test_store_find_and_known_dump(void **state)
{
	struct tp_store_options opt = {.wait_ms = 1000};
	struct tp_store_run *run, *other;
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;
	int64_t id;

	(void)state;
	assert_int_equal(write_run("aa", 100, 10, &row, &err), 0);
	assert_int_equal(write_run("bb", 100, 10, &row, &err), 0);
	assert_int_equal(tp_store_begin(&run, path, &opt, &err), 0);
	assert_int_equal(tp_store_find(path, "bb", &id, &err), 0);
	assert_int_equal(id, 2);
	assert_int_equal(tp_store_find(path, "cc", &id, &err), 0);
	assert_int_equal(id, 0);
	assert_int_equal(tp_store_find(at("missing"), "bb", &id, &err), 0);
	assert_int_equal(id, 0);
	/* Another process stores the same dump meanwhile: its run counts. */
	assert_int_equal(tp_store_begin(&other, path, &opt, &err), 0);
	row = run_row("cc");
	assert_int_equal(tp_store_commit(other, &row, &err), 0);
	assert_int_equal(row.id, 3);
	assert_false(row.known);
	row = run_row("cc");
	assert_int_equal(tp_store_commit(run, &row, &err), 0);
	assert_int_equal(row.id, 3);
	assert_true(row.known);
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	assert_int_equal(query(s, "SELECT count(*) FROM run"), 3);
	tp_store_close(s);
	assert_int_equal(STRANGERS("x.tprof"), 0);
}

/* Two writers that find no store both build one; the second to finish joins the first. */
static void test_store_two_new_at_once(void **state)
{
	struct tp_store_options opt = {.wait_ms = 1000};
	struct tp_store_run *a, *b;
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_store_begin(&a, path, &opt, &err), 0);
	assert_int_equal(tp_store_begin(&b, path, &opt, &err), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(put_events(a, 20000, &err), 0);
	assert_int_equal(put_events(b, 30000, &err), 0);
	row = run_row("bb");
	assert_int_equal(tp_store_commit(b, &row, &err), 0);
	assert_int_equal(row.id, 1);
	row = run_row("aa");
	assert_int_equal(tp_store_commit(a, &row, &err), 0);
	assert_int_equal(row.id, 2);
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	check_events(s, 1, 30000);
	check_events(s, 2, 20000);
	tp_store_close(s);
	assert_int_equal(STRANGERS("x.tprof"), 0);
}

static void test_store_abort_leaves_nothing(void **state)
{
	struct tp_store_options opt = {.wait_ms = 1000};
	struct tp_store_run *run;
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_store_begin(&run, path, &opt, &err), 0);
	assert_int_equal(put_events(run, 50000, &err), 0);
	assert_int_equal(STRANGERS("x.tprof"), 1);
	tp_store_abort(run);
	assert_int_equal(STRANGERS("x.tprof"), 0);
	assert_int_equal(access(path, F_OK), -1);
}

static void put_file(const char *content, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(content, 1, size, f), size);
	fclose(f);
}

static void test_store_not_a_store(void **state)
{
	struct tp_store_options opt = {.wait_ms = 0};
	struct tp_store_run *run;
	struct tp_store *s;
	struct tp_err err;
	sqlite3 *db;

	(void)state;
	assert_int_equal(tp_store_open(&s, path, &err), TP_ENOENT);
	put_file("go 1.22 trace\0\0\0 and more, so that it is no header of SQLite's ......", 60);
	assert_int_equal(tp_store_open(&s, path, &err), TP_ESTORE);
	assert_int_equal(tp_store_begin(&run, path, &opt, &err), TP_ESTORE);
	assert_non_null(strstr(err.msg, "not a tprof store"));
	unlink(path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_exec(db, "CREATE TABLE run(id)", NULL, NULL, NULL);
	sqlite3_close(db);
	assert_int_equal(tp_store_open(&s, path, &err), TP_ESTORE);
	assert_non_null(strstr(err.msg, "not a tprof store"));
	assert_int_equal(tp_store_begin(&run, path, &opt, &err), TP_ESTORE);
	assert_int_equal(tp_store_begin(&run, testing_folder, &opt, &err), TP_ESTORE);
	assert_int_equal(STRANGERS("x.tprof"), 0);
}

static void test_store_versions(void **state)
{
	static const struct {
		const char *sql;
		int code;
	} cases[] = {
	    {"PRAGMA user_version = 5; UPDATE meta SET value = 5 WHERE key = 'min_reader'",
	     TP_EVERSION},
	    {"PRAGMA user_version = 7; UPDATE meta SET value = 1 WHERE key = 'min_reader'", 0},
	    {"CREATE VIEW mine AS SELECT 1 AS run", 0},
	    {"CREATE VIEW event AS SELECT 1 AS run", TP_ESTORE},
	    {"DROP VIEW event; CREATE TABLE Goroutine(run)", TP_ESTORE},
	    {"DROP TABLE Goroutine; PRAGMA user_version = 5; DELETE FROM meta", TP_EVERSION},
	    {"PRAGMA user_version = 0", TP_ESTORE},
	    {"PRAGMA user_version = 1; DROP TABLE loss", TP_ESTORE},
	    {"CREATE VIEW loss AS SELECT 1 AS run", TP_ESTORE},
	};
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;
	sqlite3 *db;

	(void)state;
	assert_int_equal(write_run("aa", 10, 1, &row, &err), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
		assert_int_equal(sqlite3_exec(db, cases[i].sql, NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		s = NULL;
		assert_int_equal(tp_store_open(&s, path, &err), cases[i].code);
		tp_store_close(s);
		if (cases[i].code == TP_EVERSION)
			assert_non_null(strstr(err.msg, "newer tprof"));
	}
}

/* The file does not need our extension: a plain SQLite reads it. */
static void test_store_plain_sqlite(void **state)
{
	sqlite3_stmt *stmt;
	sqlite3 *db;
	struct tp_run row;
	struct tp_err err;

	(void)state;
	assert_int_equal(write_run("aa", 20000, 1, &row, &err), 0);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_prepare_v2(db,
			       "SELECT (SELECT sum(rows) FROM block WHERE stream = 'event'),"
			       "(SELECT value FROM meta WHERE key = 'min_reader'),"
			       "(SELECT name FROM run), (SELECT * FROM "
			       "pragma_integrity_check), (SELECT count(*) FROM "
			       "sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%')",
			       -1, &stmt, NULL),
	    SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int64(stmt, 0), 20000);
	assert_int_equal(sqlite3_column_int(stmt, 1), 1);
	assert_string_equal(sqlite3_column_text(stmt, 2), "a name");
	assert_string_equal(sqlite3_column_text(stmt, 3), "ok");
	assert_int_equal(sqlite3_column_int(stmt, 4), 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
}

/* Writes rows of packed and derived tables as ordinary ones, in a new store and in one without
 * them. */
static void test_store_materialize(void **state)
{
	static const struct {
		const char *rows;
		int64_t count;
	} counts[] = {
	    {"event_rows WHERE run = 2", 20000},
	    {"event_rows WHERE run = 3", 300},
	    {"event_rows", 20300},
	    {"goroutine_rows WHERE run = 3", 120},
	    {"string_rows WHERE run = 2 AND text = 'main.f7'", 1},
	    {"(SELECT * FROM event EXCEPT SELECT * FROM event_rows)", 100},
	    {"(SELECT * FROM goroutine EXCEPT SELECT * FROM goroutine_rows)", 91},
	    {"(SELECT * FROM span_rows EXCEPT SELECT * FROM span)", 0},
	};
	static const struct {
		const char *hash;
		uint64_t events;
		int64_t rows;
		bool materialize;
	} runs[] = {{"aa", 100, 91, false}, {"bb", 20000, 100, true}, {"cc", 300, 120, true}};
	struct tp_store *s;
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		struct tp_store_options opt = {.materialize = runs[i].materialize};
		struct tp_run row = run_row(runs[i].hash);
		struct tp_store_run *run;

		assert_int_equal(tp_store_begin(&run, path, &opt, &err), 0);
		assert_int_equal(put_events(run, runs[i].events, &err), 0);
		assert_int_equal(put_rows(run, TP_TABLE_GOROUTINE, runs[i].rows, &err), 0);
		assert_int_equal(put_rows(run, TP_TABLE_THREAD, 5, &err), 0);
		assert_int_equal(put_rows(run, TP_TABLE_PROC, 5, &err), 0);
		assert_int_equal(put_trace(run, &err), 0);
		if (tp_store_commit(run, &row, &err))
			fail_msg("%s", err.msg);
	}
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		char sql[128];

		snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", counts[i].rows);
		if (query(s, sql) != counts[i].count)
			fail_msg("%s: %lld", sql, (long long)query(s, sql));
	}
	tp_store_close(s);
}

static void test_store_symbolic_link(void **state)
{
	char real[128], link_path[128];
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;
	struct stat st;

	(void)state;
	snprintf(real, sizeof(real), "%s/real.tprof", testing_folder);
	snprintf(link_path, sizeof(link_path), "%s", path);
	assert_int_equal(write_run("aa", 10, 1, &row, &err), 0);
	assert_int_equal(rename(path, real), 0);
	assert_int_equal(symlink("real.tprof", link_path), 0);
	assert_int_equal(write_run("bb", 10, 1, &row, &err), 0);
	assert_int_equal(row.id, 2);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(tp_store_open(&s, real, &err), 0);
	assert_int_equal(query(s, "SELECT count(*) FROM run"), 2);
	tp_store_close(s);
}

static void test_store_ranges_of_events(void **state)
{
	static const struct {
		struct tp_event_range range;
		size_t blocks;
	} cases[] = {
	    {{INT64_MIN, INT64_MAX, 0, INT64_MAX}, 4},
	    {{INT64_MIN, INT64_MAX, 1, 2}, 2},
	    {{INT64_MIN, INT64_MAX, 3, 10}, 1},
	    {{INT64_MIN, INT64_MAX, 4, 10}, 0},
	    {{0, 1, 0, INT64_MAX}, 1},
	    {{64 * TP_BLOCK_EVENTS + 1, 64 * TP_BLOCK_EVENTS + 300, 0, INT64_MAX}, 1},
	    {{64 * TP_BLOCK_EVENTS - 700, 64 * TP_BLOCK_EVENTS + 300, 0, INT64_MAX}, 2},
	    {{-100, 0, 0, INT64_MAX}, 0},
	    {{INT64_C(1) << 40, INT64_MAX, 0, INT64_MAX}, 0},
	};
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;

	(void)state;
	assert_int_equal(write_run("aa", 3 * TP_BLOCK_EVENTS + 5, 1, &row, &err), 0);
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tp_event_reader *r;
		const struct tp_event *ev;
		size_t n, blocks = 0;

		assert_int_equal(tp_events_open(&r, s, 1, &cases[i].range, &err), 0);
		while (tp_events_next(r, &ev, &n, &err) == 1)
			blocks++;
		tp_events_close(r);
		assert_int_equal(blocks, cases[i].blocks);
	}
	tp_store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    RUN_TEST(test_store_new_and_more_runs), RUN_TEST(test_store_find_and_known_dump),
	    RUN_TEST(test_store_two_new_at_once),   RUN_TEST(test_store_abort_leaves_nothing),
	    RUN_TEST(test_store_not_a_store),	    RUN_TEST(test_store_versions),
	    RUN_TEST(test_store_plain_sqlite),	    RUN_TEST(test_store_materialize),
	    RUN_TEST(test_store_symbolic_link),	    RUN_TEST(test_store_ranges_of_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
