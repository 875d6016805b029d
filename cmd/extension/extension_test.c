/* The extension as it is built, loaded into a connection that knows nothing of tprof. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "import.h"

static char folder[64], store[128];

/* build/out/lib/tprof for build/out/test/cmd/extension/extension_test */
static void extension_path(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);

	assert_true(n > 0);
	path[n] = 0;
	for (int i = 0; i < 4; i++)
		*strrchr(path, '/') = 0;
	assert_true(strlen(path) + sizeof("/lib/tprof") < size);
	strcat(path, "/lib/tprof");
}

static int setup(void **state)
{
	struct tp_import_options opt = {.threads = 1};
	struct tp_import_result result;
	struct tp_err err;

	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tprof-extension-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(store, sizeof(store), "%s/x.tprof", folder);
	return tp_import("testdata/checkout.trace", store, &opt, &result, &err);
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? -1 : 0;
}

static int64_t number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	int64_t n;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	n = sqlite3_column_int64(stmt, 0);
	assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
	return n;
}

static void test_extension_loads(void **state)
{
	char path[4096], *message = NULL;
	sqlite3 *db = NULL;

	(void)state;
	extension_path(path, sizeof(path));
	assert_int_equal(sqlite3_open_v2(store, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(
	    sqlite3_prepare_v2(db, "select * from event", -1, &(sqlite3_stmt *){NULL}, NULL),
	    SQLITE_ERROR);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
	if (sqlite3_load_extension(db, path, NULL, &message))
		fail_msg("%s", message);
	assert_int_equal(number(db, "select count(*) from event"), 32058);
	assert_int_equal(
	    number(db, "select count(*) = (select sum(spans) from goroutine) from span"), 1);
	assert_int_equal(number(db, "select fmt_ns(1250000) = '1.25ms'"), 1);
	assert_int_equal(number(db, "select count(*) from goroutine where name regexp 'cashier'"),
			 6);
	sqlite3_close(db);
}

/* A query without a store gets an error that says so. */
static void test_extension_without_store(void **state)
{
	char path[4096];
	sqlite3 *db = NULL;

	(void)state;
	extension_path(path, sizeof(path));
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
	assert_int_equal(sqlite3_load_extension(db, path, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "select * from span", NULL, NULL, NULL), SQLITE_ERROR);
	assert_non_null(strstr(sqlite3_errmsg(db), "not a tprof store"));
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_extension_loads),
	    cmocka_unit_test(test_extension_without_store),
	};

	return cmocka_run_group_tests_name("extension", tests, setup, teardown);
}
