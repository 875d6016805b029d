#include "store/kept.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char get[] = "SELECT a, ?1 FROM t", put[] = "INSERT INTO t VALUES(?)";

static int set_up(void **state)
{
	sqlite3 *db;

	*state = NULL;
	if (sqlite3_open(":memory:", &db))
		return -1;
	*state = db;
	return sqlite3_exec(db, "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES(1)", NULL, NULL,
			    NULL);
}

static int tear_down(void **state)
{
	return sqlite3_close(*state); /* SQLITE_BUSY: a statement was not finalised */
}

static void test_kept_is_used_again(void **state)
{
	sqlite3_stmt *first, *second, *again, *other;
	struct tp_kept k;

	tp_kept_init(&k);
	assert_int_equal(tp_kept_take(&k, *state, get, &first), 0);
	assert_int_equal(sqlite3_bind_int(first, 1, 7), 0);
	assert_int_equal(sqlite3_step(first), SQLITE_ROW);
	/* While a statement is in use, another caller gets its own. */
	assert_int_equal(tp_kept_take(&k, *state, get, &second), 0);
	assert_ptr_not_equal(first, second);
	tp_kept_give(&k, get, first);
	assert_int_equal(tp_kept_take(&k, *state, put, &other), 0);
	assert_ptr_not_equal(other, first);
	assert_int_equal(tp_kept_take(&k, *state, get, &again), 0);
	assert_ptr_equal(again, first);
	/* It begins anew, without the former bindings. */
	assert_int_equal(sqlite3_step(again), SQLITE_ROW);
	assert_int_equal(sqlite3_column_type(again, 1), SQLITE_NULL);
	tp_kept_give(&k, get, again);
	tp_kept_give(&k, get, second);
	tp_kept_give(&k, put, other);
	tp_kept_give(&k, put, NULL);
	assert_int_equal(k.n, 3);
	tp_kept_release(&k);
}

static void test_kept_says_what_was_wrong(void **state)
{
	sqlite3_stmt *s;
	struct tp_kept k;

	tp_kept_init(&k);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(tp_kept_take(&k, *state, put, &s), 0);
		assert_int_equal(sqlite3_bind_int(s, 1, 1), 0);
		assert_int_not_equal(sqlite3_step(s), SQLITE_DONE);
		tp_kept_give(&k, put, s);
		assert_int_equal(sqlite3_errcode(*state), SQLITE_CONSTRAINT);
	}
	assert_int_not_equal(tp_kept_take(&k, *state, "SELECT nothing", &s), 0);
	assert_null(s);
	tp_kept_release(&k);
}

static void test_kept_has_an_end(void **state)
{
	sqlite3_stmt *s[TP_KEPT_MOST + 8];
	size_t n = sizeof(s) / sizeof(s[0]);
	struct tp_kept k;

	tp_kept_init(&k);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(tp_kept_take(&k, *state, get, &s[i]), 0);
	for (size_t i = 0; i < n; i++)
		tp_kept_give(&k, get, s[i]);
	assert_int_equal(k.n, TP_KEPT_MOST);
	tp_kept_release(&k);
	/* Without a cache. */
	assert_int_equal(tp_kept_take(NULL, *state, get, &s[0]), 0);
	tp_kept_give(NULL, get, s[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_kept_is_used_again, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_kept_says_what_was_wrong, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_kept_has_an_end, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
