/* A run that one process collects and another publishes; and what becomes of one that was collected
 * by who cannot be trusted. */
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/store.h"

static char folder[32], path[64];

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tprof-draft-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/x.tprof", folder);
	return 0;
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? -1 : 0;
}

static int64_t query(const char *sql)
{
	sqlite3_stmt *stmt;
	int64_t value;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return value;
}

/* What the process does that decodes. */
static void collect(struct tp_draft *draft, const char *hash)
{
	const struct tp_store_options opt = {.draft = draft};
	struct tp_run row = {.kind = "trace",
			     .name = "a name",
			     .source = "x.trace",
			     .hash = hash,
			     .format = "go 1.26"};
	struct tp_store_run *run;
	struct tp_err err;

	assert_int_equal(tp_store_begin(&run, path, &opt, &err), 0);
	assert_int_equal(tp_store_put_label(run, "build", hash, &err), 0);
	assert_int_equal(tp_store_commit(run, &row, &err), 0);
	assert_int_equal(row.id, 0);
}

static int publish(struct tp_draft *draft, int64_t *id, bool *known, struct tp_err *err)
{
	const struct tp_store_options opt = {.wait_ms = 1000};
	int code = tp_draft_publish(draft, &opt, id, known, err);

	tp_draft_release(draft);
	return code;
}

static void test_draft_publish(void **state)
{
	static const struct {
		const char *hash;
		int64_t id;
		bool known;
	} runs[] = {{"aa", 1, false}, {"bb", 2, false}, {"aa", 1, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct tp_draft draft;
		struct tp_err err;
		int64_t id;
		bool known;

		assert_int_equal(tp_draft_create(&draft, path), 0);
		collect(&draft, runs[i].hash);
		if (!i)
			assert_int_equal(access(path, F_OK), -1);
		assert_int_equal(publish(&draft, &id, &known, &err), 0);
		assert_int_equal(id, runs[i].id);
		assert_int_equal(known, runs[i].known);
	}
	assert_int_equal(query("SELECT count(*) FROM run"), 2);
	assert_int_equal(query("SELECT count(*) FROM label WHERE key = 'build'"), 2);
	assert_int_equal(rmdir(folder), -1);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0); /* nothing was left beside it */
}

/* The process that decoded was taken over, and has left a program where rows should be. */
static void test_draft_publish_what_is_no_run(void **state)
{
	static const char *const tricks[] = {
	    "DROP TABLE label; CREATE VIEW label AS SELECT 1 AS run, 'a' AS key, 'b' AS value",
	    "DROP TABLE block",
	};
	struct tp_draft draft;
	struct tp_err err;
	int64_t id;
	bool known;

	(void)state;
	assert_int_equal(tp_draft_create(&draft, path), 0);
	collect(&draft, "aa");
	assert_int_equal(publish(&draft, &id, &known, &err), 0);
	for (size_t i = 0; i < sizeof(tricks) / sizeof(tricks[0]); i++) {
		sqlite3 *db;

		assert_int_equal(tp_draft_create(&draft, path), 0);
		collect(&draft, "bb");
		assert_int_equal(sqlite3_open(draft.temp, &db), SQLITE_OK);
		assert_int_equal(sqlite3_exec(db, tricks[i], NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		assert_int_equal(publish(&draft, &id, &known, &err), TP_ESTORE);
		assert_non_null(strstr(err.msg, "is no run"));
		assert_int_equal(query("SELECT count(*) FROM run"), 1);
	}
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_draft_publish),
	    TEST(test_draft_publish_what_is_no_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
