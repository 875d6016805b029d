#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/plain.h"
#include "store/schema.h"

static void test_plain_schema_of_ours(void **state)
{
	sqlite3_stmt *stmt;
	sqlite3 *db;
	int n = 0;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, tp_schema_sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db,
					    "SELECT sql, type = 'index' FROM sqlite_schema "
					    "WHERE sql IS NOT NULL",
					    -1, &stmt, NULL),
			 SQLITE_OK);
	for (; sqlite3_step(stmt) == SQLITE_ROW; n++)
		assert_true(tp_schema_plain((const char *)sqlite3_column_text(stmt, 0),
					    sqlite3_column_int(stmt, 1)));
	assert_int_equal(n, 13);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
}

static void test_plain(void **state)
{
	static const struct {
		const char *sql;
		bool index, plain;
	} cases[] = {
	    {"CREATE TABLE t(a, b VARCHAR(10) NOT NULL, PRIMARY KEY(a, b)) WITHOUT ROWID", 0, 1},
	    {"CREATE TABLE t(a -- AS CHECK (1) it's \"all\"\n, b)", 0, 1},
	    {"CREATE TABLE t(assets, checks, defaults, wherever, as_)", 0, 1},
	    {"CREATE TABLE t(a)--", 0, 1},
	    {"CREATE TABLE t(a, b AS (a))", 0, 0},
	    {"CREATE TABLE t(a, b as(instr(a, a)))", 0, 0},
	    {"CREATE TABLE t(a, b GENERATED ALWAYS\nAs(a))", 0, 0},
	    {"CREATE TABLE t(a Check(a))", 0, 0},
	    {"CREATE TABLE t(a, CHECK(a))", 0, 0},
	    {"CREATE TABLE t(a DEFAULT(random()))", 0, 0},
	    {"CREATE TABLE t(a DEFAULT 7)", 0, 0},
	    {"CREATE TABLE t(a -- \n CHECK(a))", 0, 0},
	    {"CREATE TABLE t(a/* */)", 0, 0},
	    {"CREATE TABLE t(a, \"b\")", 0, 0},
	    {"CREATE TABLE t(a, [b])", 0, 0},
	    {"CREATE TABLE t(a, `b`)", 0, 0},
	    {"CREATE TABLE t(a, 'b')", 0, 0},
	    {"CREATE TABLE t(a-b)", 0, 0},
	    {"CREATE TABLE t(\xc3\xa4)", 0, 0},
	    {"CREATE UNIQUE INDEX i ON t(a, b DESC)", 1, 1},
	    {"CREATE INDEX i ON t(instr(a, b))", 1, 0},
	    {"CREATE INDEX i ON t((a))", 1, 0},
	    {"CREATE INDEX i ON t(a) WHERE a", 1, 0},
	    {"", 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (tp_schema_plain(cases[i].sql, cases[i].index) != cases[i].plain)
			fail_msg("%s", cases[i].sql);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_plain_schema_of_ours),
	    cmocka_unit_test(test_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
