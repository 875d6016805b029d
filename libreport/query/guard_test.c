/* Tests which SQL users may run, statement by statement, also on an untrusted store. */
#include "query/query.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "testing_sample.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Runs a statement. Returns TP_OK or the code of the error. */
static int try(struct tp_store *s, const char *sql, bool write, struct tp_err *err)
{
	struct rep_query_options opt = {.write = write, .run = 1};
	struct tp_buf buf = {0};
	struct rep_output_options format = {.format = REP_FORMAT_TSV, .sink = rep_sink_buf(&buf)};
	struct rep_output *out;
	struct rep_query *q;
	struct tp_err ignored;
	int code;

	err->msg[0] = '\0';
	assert_int_equal(rep_query_new(&q, s, &opt, err), 0);
	assert_int_equal(rep_output_new(&out, &format, err), 0);
	code = rep_query_run(q, sql, out, err);
	rep_output_finish(out, &ignored);
	rep_output_free(out);
	rep_query_free(q);
	tp_buf_release(&buf);
	return code;
}

static bool there(const char *name)
{
	char file[128];
	struct stat st;

	snprintf(file, sizeof(file), "%s/%s", dir, name);
	return !stat(file, &st);
}

static void expect(const char *const *list, size_t n, bool write, int code)
{
	struct tp_store *s;
	struct tp_err err;

	/* The file is writable in both cases, which leaves refusals to the guard. */
	assert_int_equal(tp_store_open_rw(&s, path, &err), 0);
	for (size_t i = 0; i < n; i++)
		if (try(s, list[i], write, &err) != code)
			fail_msg("%s, %s: %s", list[i], write ? "writing" : "reading",
				 err.msg[0] ? err.msg : "went through");
	tp_store_close(s);
	assert_false(there("x.db"));
}

static const char *const never[] = {
    /* files */
    "ATTACH 'x.db' AS x",
    "ATTACH ':memory:' AS x",
    "ATTACH 'file:x.db?mode=rwc' AS x",
    "ATTACH (SELECT 'x.db') AS x",
    "ATTACH :run AS x",
    "VACUUM INTO 'x.db'",
    "VACUUM main INTO 'x.db'",
    /* code */
    "SELECT load_extension('x.so')",
    "SELECT load_extension('x.so', 'entry')",
    "SELECT LOAD_EXTENSION('x.so')",
    "SELECT fts3_tokenizer('simple')",
    "SELECT fts3_tokenizer('simple', x'0011223344556677')",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('x.db', 'text')",
    "SELECT edit('text')",
    /* virtual tables */
    "CREATE VIRTUAL TABLE temp.x USING fts5(a)",
    "CREATE VIRTUAL TABLE x USING rtree(a, b, c)",
    "CREATE VIRTUAL TABLE x USING csv('/etc/passwd')",
    /* settings */
    "PRAGMA writable_schema = 1",
    "PRAGMA writable_schema = RESET",
    "PRAGMA trusted_schema = 1",
    "PRAGMA journal_mode = delete",
    "PRAGMA main.journal_mode = WAL",
    "PRAGMA synchronous = OFF",
    "PRAGMA user_version = 7",
    "PRAGMA application_id = 7",
    "PRAGMA schema_version = 7",
    "PRAGMA temp_store_directory = '/'",
    "PRAGMA data_store_directory = '/'",
    "PRAGMA temp_store = FILE",
    "PRAGMA page_size = 512",
    "PRAGMA encoding = 'UTF-16'",
    "PRAGMA mmap_size = 1000000000",
    "PRAGMA cell_size_check = 0",
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA wal_checkpoint",
    "PRAGMA incremental_vacuum",
    "PRAGMA optimize",
    "PRAGMA shrink_memory",
    "PRAGMA hard_heap_limit = 1",
    "PRAGMA busy_timeout = 1",
    "PRAGMA key = 'x'",
    "PRAGMA query_only = 0",
    "PRAGMA ignore_check_constraints = 1",
    "PRAGMA legacy_alter_table = 1",
    "PRAGMA recursive_triggers = 1",
    /* the schema as rows, and the tables in which virtual tables store theirs */
    "INSERT INTO sqlite_schema VALUES('table', 'x', 'x', 0, 'CREATE TABLE x(a)')",
    "UPDATE sqlite_schema SET sql = 'x'",
    "UPDATE sqlite_master SET rootpage = 2",
    "DELETE FROM sqlite_master",
    "UPDATE sqlite_dbpage SET data = zeroblob(4096) WHERE pgno = 2",
    "DROP TABLE sqlite_schema",
};

static const char *const writing[] = {
    "INSERT INTO label VALUES(1, 'guard', 'x')",
    "INSERT INTO main.label VALUES(1, 'other', 'x')",
    "REPLACE INTO label VALUES(1, 'guard', 'y')",
    "INSERT INTO label VALUES(1, 'guard', 'z') ON CONFLICT DO UPDATE SET value = 'z'",
    "WITH x(a) AS (SELECT 1) INSERT INTO label SELECT a, 'third', 'x' FROM x",
    "UPDATE label SET value = 'w' WHERE key = 'guard'",
    "DELETE FROM label WHERE key IN ('guard', 'other', 'third')",
    "DELETE FROM label WHERE 0 RETURNING *",
    "CREATE TABLE mine(a)",
    "CREATE INDEX mine_a ON mine(a)",
    "ALTER TABLE mine ADD COLUMN b",
    "ALTER TABLE mine RENAME TO mine2",
    "CREATE VIEW look AS SELECT 1",
    "CREATE TRIGGER t AFTER INSERT ON mine2 BEGIN SELECT 1; END",
    "DROP TRIGGER t",
    "DROP VIEW look",
    "REINDEX mine_a",
    "ANALYZE mine2",
    "DROP TABLE mine2",
    "VACUUM",
};

/* Statements that only read, or only write temporary tables, which are private to the session. */
static const char *const reading[] = {
    "SELECT count(*) FROM event",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 9) SELECT * FROM c",
    "CREATE TEMP TABLE t AS SELECT * FROM run",
    "INSERT INTO temp.t SELECT * FROM run",
    "UPDATE temp.t SET name = 'x'",
    "CREATE INDEX temp.ti ON t(name)",
    "DROP TABLE temp.t",
    "CREATE TEMP VIEW v AS SELECT 1",
    "DROP VIEW v",
    "BEGIN; COMMIT",
    "SAVEPOINT s; RELEASE s",
    "EXPLAIN SELECT * FROM run",
    "EXPLAIN QUERY PLAN SELECT * FROM span",
    "PRAGMA table_info(run)",
    "PRAGMA integrity_check",
    "PRAGMA user_version",
    "PRAGMA journal_mode",
    "SELECT * FROM pragma_table_list",
};

static void test_guard_never(void **state)
{
	(void)state;
	expect(never, COUNT(never), false, TP_ESTORE);
	expect(never, COUNT(never), true, TP_ESTORE);
}

/* The guard itself must refuse these functions, even if this SQLite was built without them. */
static void test_guard_functions(void **state)
{
	struct tp_err err;

	(void)state;
	assert_int_equal(try(store, "SELECT Load_Extension('x.so')", true, &err), TP_ESTORE);
	assert_non_null(strstr(err.msg, "this function is not allowed"));
	assert_int_equal(
	    try(store, "SELECT x FROM (SELECT load_extension('x.so') AS x)", false, &err),
	    TP_ESTORE);
	assert_non_null(strstr(err.msg, "this function is not allowed"));
}

/* Statements name objects that exist, because they would fail anyway if the object were missing. */
static void test_guard_reading(void **state)
{
	static const char *const made[] = {
	    "CREATE TABLE box(a)", "CREATE INDEX box_a ON box(a)", "CREATE VIEW sight AS SELECT 1",
	    "CREATE TRIGGER act AFTER INSERT ON box BEGIN SELECT 1; END"};
	static const char *const refused[] = {
	    "INSERT INTO box VALUES(1)",
	    "REPLACE INTO box VALUES(1)",
	    "WITH x(a) AS (SELECT 1) INSERT INTO box SELECT a FROM x",
	    "UPDATE box SET a = 2",
	    "UPDATE main.run SET name = 'x'",
	    "DELETE FROM box",
	    "DELETE FROM box WHERE 0 RETURNING *",
	    "CREATE TABLE new(a)",
	    "CREATE TABLE new AS SELECT 1 AS a",
	    "CREATE INDEX new ON box(a)",
	    "CREATE VIEW new AS SELECT 1",
	    "CREATE TRIGGER new AFTER INSERT ON box BEGIN SELECT 1; END",
	    "ALTER TABLE box ADD COLUMN b",
	    "ALTER TABLE box RENAME TO chest",
	    "ALTER TABLE box RENAME COLUMN a TO b",
	    "DROP TRIGGER act",
	    "DROP VIEW sight",
	    "DROP INDEX box_a",
	    "DROP TABLE box",
	    "REINDEX box_a",
	    "ANALYZE box",
	    "EXPLAIN DELETE FROM box",
	};
	struct tp_store *s;
	struct tp_err err;

	(void)state;
	expect(made, COUNT(made), true, TP_OK);
	assert_int_equal(tp_store_open_rw(&s, path, &err), 0);
	for (size_t i = 0; i < COUNT(refused); i++)
		if (try(s, refused[i], false, &err) != TP_ESTORE || !strstr(err.msg, "--write"))
			fail_msg("%s: %s", refused[i], err.msg[0] ? err.msg : "went through");
	tp_store_close(s);
	expect(&writing[COUNT(writing) - 1], 1, false, TP_ESTORE);
	expect(reading, COUNT(reading), false, TP_OK);
}

static void test_guard_writing(void **state)
{
	(void)state;
	expect(writing, COUNT(writing), true, TP_OK);
	expect(reading, COUNT(reading), true, TP_OK);
}

/* A reader's handle cannot be written, with or without a guard. */
static void test_guard_handle(void **state)
{
	(void)state;
	assert_int_equal(sqlite3_exec(tp_store_db(store), "DELETE FROM run", NULL, NULL, NULL),
			 SQLITE_READONLY);
	assert_int_equal(sqlite3_db_readonly(tp_store_db(store), "main"), 1);
}

static void test_guard_limits(void **state)
{
	struct tp_buf sql = {0};
	struct tp_store *s;
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	assert_int_equal(try(s, "SELECT length(zeroblob(300000000))", false, &err), TP_ESTORE);
	assert_int_equal(try(s, "SELECT length(zeroblob(3000000))", false, &err), 0);
	tp_buf_put(&sql, "SELECT 1", 8);
	for (int i = 0; i < 600; i++)
		tp_buf_put(&sql, " + (1", 5);
	for (int i = 0; i < 600; i++)
		tp_buf_put(&sql, ")", 1);
	tp_buf_put(&sql, "", 1);
	assert_int_equal(try(s, (char *)sql.data, false, &err), TP_ESTORE);
	tp_buf_release(&sql);
	/* After the query, the connection has SQLite's own limits again. */
	assert_int_equal(sqlite3_limit(tp_store_db(s), SQLITE_LIMIT_EXPR_DEPTH, -1), 1000);
	assert_true(sqlite3_limit(tp_store_db(s), SQLITE_LIMIT_ATTACHED, -1) > 0);
	tp_store_close(s);
}

/* Triggers, views and generated columns of an untrusted store must not run. */
static void test_guard_stranger(void **state)
{
	static const char evil[] =
	    "CREATE TABLE stolen(a);"
	    "CREATE TRIGGER on_label AFTER INSERT ON label BEGIN INSERT INTO stolen VALUES(1); END;"
	    "CREATE VIEW loads AS SELECT load_extension('x.so');"
	    "CREATE VIEW reads AS SELECT * FROM run WHERE fts3_tokenizer('simple') IS NOT NULL;"
	    "CREATE TABLE bad(a, b AS (load_extension(a)));"
	    "INSERT INTO bad VALUES('x.so')";
	sqlite3_stmt *stmt;
	struct tp_store *s;
	struct tp_err err;
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	for (const char *at = evil; *at;) {
		stmt = NULL;
		/* Statements that this SQLite refuses are skipped: a store cannot contain them. */
		if (sqlite3_prepare_v2(db, at, -1, &stmt, &at) == SQLITE_OK)
			sqlite3_step(stmt);
		sqlite3_finalize(stmt);
	}
	sqlite3_close(db);
	assert_int_equal(tp_store_open_rw(&s, path, &err), 0);
	assert_int_equal(try(s, "INSERT INTO label VALUES(1, 'trigger', 'x')", true, &err), 0);
	assert_int_equal(
	    sqlite3_prepare_v2(tp_store_db(s), "SELECT count(*) FROM stolen", -1, &stmt, NULL),
	    SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int(stmt, 0), 0);
	sqlite3_finalize(stmt);
	assert_int_equal(try(s, "SELECT * FROM loads", false, &err), TP_ESTORE);
	assert_int_equal(try(s, "SELECT * FROM reads", false, &err), TP_ESTORE);
	assert_int_equal(try(s, "SELECT * FROM bad", false, &err), TP_ESTORE);
	/* The view must also fail without a guard, which is how reports read. */
	assert_int_not_equal(sqlite3_exec(tp_store_db(s), "SELECT * FROM loads", NULL, NULL, NULL),
			     SQLITE_OK);
	tp_store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_guard_functions), cmocka_unit_test(test_guard_never),
	    cmocka_unit_test(test_guard_reading),   cmocka_unit_test(test_guard_writing),
	    cmocka_unit_test(test_guard_handle),    cmocka_unit_test(test_guard_limits),
	    cmocka_unit_test(test_guard_stranger),
	};

	return cmocka_run_group_tests_name("guard", tests, set_up, tear_down);
}
