/* Deleting, renaming, compacting; and that verify finds what is wrong. */
#include "store/edit.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "import.h"
#include "store/store.h"
#include "store/verify.h"

struct fixture {
	char dir[64], path[80];
};

static int setup(void **state)
{
	static const char *const dumps[] = {"testdata/checkout.trace", "testdata/catalog.heap"};
	struct fixture *f = calloc(1, sizeof(*f));
	struct tp_err err;

	assert_non_null(f);
	snprintf(f->dir, sizeof(f->dir), "/tmp/tprof-edit-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/s.tprof", f->dir);
	for (size_t i = 0; i < 2; i++) {
		struct tp_import_options opt = {.name = i ? "heap" : "trace"};
		struct tp_import_result result;

		assert_int_equal(tp_import(dumps[i], f->path, &opt, &result, &err), 0);
	}
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	rmdir(f->dir);
	free(f);
	return 0;
}

static int64_t ask(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	int64_t n;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return n;
}

static void change(const char *path, const char *sql)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void count(void *ctx, int64_t run, const char *what)
{
	(void)run;
	(void)what;
	++*(size_t *)ctx;
}

static size_t wrong_in(const char *path)
{
	size_t told = 0, wrong = 0;
	struct tp_verify v = {.found = count, .ctx = &told};
	struct tp_err err;

	assert_int_equal(tp_store_verify(path, &v, &wrong, &err), 0);
	assert_int_equal(told, wrong);
	return wrong;
}

static void test_rename_and_unlabel(void **state)
{
	struct fixture *f = *state;
	const char *labels[] = {"a=1", "b=2"}, *keys[] = {"a", "nosuch"};
	struct tp_relabelled r;
	struct tp_err err;
	size_t gone;

	assert_int_equal(tp_store_rename(f->path, 0, 2, "it's \"new\"", &err), 0);
	assert_int_equal(ask(f->path, "SELECT id FROM run WHERE name = 'it''s \"new\"'"), 2);
	assert_int_equal(tp_store_relabel(f->path, 0, 1, labels, 2, &r, &err), 0);
	assert_int_equal(tp_store_unlabel(f->path, 0, 1, keys, 2, &gone, &err), 0);
	assert_int_equal(gone, 1);
	assert_int_equal(ask(f->path, "SELECT count(*) FROM label WHERE run = 1 AND key = 'b'"), 1);
	assert_int_equal(ask(f->path, "SELECT count(*) FROM label"), 1);
}

static void test_delete_takes_all_of_a_run(void **state)
{
	struct fixture *f = *state;
	const int64_t runs[] = {1};
	int64_t before, after;
	struct tp_err err;

	/* As tprof-import --materialize leaves it. */
	change(f->path,
	       "CREATE TABLE event_rows(run, x); INSERT INTO event_rows VALUES(1, 0), (2, 0)");
	/* And one of the user's own. */
	change(f->path, "CREATE TABLE my_rows(x); INSERT INTO my_rows VALUES(1)");
	assert_int_equal(tp_store_delete(f->path, 0, runs, 1, &err), 0);
	assert_int_equal(ask(f->path, "SELECT count(*) FROM run"), 1);
	assert_int_equal(ask(f->path, "SELECT count(*) FROM block WHERE run = 1"), 0);
	assert_true(ask(f->path, "SELECT count(*) FROM block WHERE run = 2") > 0);
	assert_int_equal(ask(f->path, "SELECT count(*) FROM event_rows"), 1);
	assert_int_equal(ask(f->path, "SELECT count(*) FROM my_rows"), 1);
	assert_int_equal(wrong_in(f->path), 0);
	assert_int_equal(tp_store_compact(f->path, 0, &before, &after, &err), 0);
	assert_true(after < before);
	assert_int_equal(wrong_in(f->path), 0);
}

static void test_upgrade_of_a_store_of_now(void **state)
{
	struct fixture *f = *state;
	struct tp_err err;
	int from;

	assert_int_equal(tp_store_upgrade(f->path, 0, &from, &err), 0);
	assert_int_equal(from, TP_STORE_VERSION);
	change(f->path,
	       "PRAGMA user_version = 99; UPDATE meta SET value = 1 WHERE key = 'min_reader'");
	assert_int_equal(tp_store_upgrade(f->path, 0, &from, &err), TP_EVERSION);
	assert_non_null(strstr(err.msg, "newer"));
}

static void test_verify_finds(void **state)
{
	static const struct {
		const char *what, *sql;
	} damage[] = {
	    {"a truncated block", "UPDATE block SET data = substr(data, 1, length(data) / 2) "
				  "WHERE run = 1 AND stream = 'event' AND part = 0"},
	    {"a missing block",
	     "DELETE FROM block WHERE run = 1 AND stream = 'event' AND part = 1"},
	    {"an event too many", "UPDATE run SET events = events + 1 WHERE id = 1"},
	    {"a missing dictionary", "DELETE FROM block WHERE run = 1 AND stream = 'stack'"},
	    {"a missing name", "DELETE FROM block WHERE run = 2 AND stream = 'string'"},
	    {"a segment that is not there", "UPDATE segment SET id = id + 1 WHERE run = 1"},
	    {"a label of nobody", "INSERT INTO label VALUES(77, 'a', 'b')"},
	};
	struct fixture *f = *state;

	assert_int_equal(wrong_in(f->path), 0);
	for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
		struct tp_store *s;
		struct tp_err err;
		char copy[160], sql[300];

		snprintf(copy, sizeof(copy), "%s/copy", f->dir);
		unlink(copy);
		assert_int_equal(tp_store_open(&s, f->path, &err), 0);
		snprintf(sql, sizeof(sql), "VACUUM INTO '%s'", copy);
		assert_int_equal(sqlite3_exec(tp_store_db(s), sql, NULL, NULL, NULL), SQLITE_OK);
		tp_store_close(s);
		change(copy, damage[i].sql);
		if (!wrong_in(copy))
			fail_msg("%s was not found", damage[i].what);
		unlink(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_rename_and_unlabel, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_delete_takes_all_of_a_run, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_upgrade_of_a_store_of_now, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_verify_finds, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
