/* Compares the life of goroutines with the rows of SQL's table span. */
#include <sqlite3.h>

#include "life/life.h"
#include "testing_sample.h"

#define MOST 20000

static sqlite3_stmt *ask(const char *sql, int64_t goroutine)
{
	sqlite3_stmt *st;

	assert_int_equal(sqlite3_prepare_v2(tp_store_db(store), sql, -1, &st, NULL), 0);
	sqlite3_bind_int64(st, 1, goroutine);
	return st;
}

static void check(int64_t goroutine)
{
	static struct tp_span span[MOST], some[5];
	struct rep_life *life;
	struct tp_err err;
	sqlite3_stmt *st;
	size_t n = 0, got;
	int64_t number;

	assert_int_equal(
	    rep_life_new(&life, store, &runs.run[0], &(struct rep_goid){goroutine, 0}, NULL, &err),
	    0);
	assert_int_equal(rep_life_spans(life, 0, MOST, span, &got, NULL, &err), 0);
	assert_int_equal((int64_t)got, rep_life_count(life));
	st = ask("SELECT start_ns, end_ns, reason, stack FROM span WHERE goroutine = ? "
		 "ORDER BY start_ns, end_ns",
		 goroutine);
	for (; sqlite3_step(st) == SQLITE_ROW; n++) {
		assert_true(n < got);
		assert_int_equal(span[n].start, sqlite3_column_int64(st, 0));
		assert_int_equal(span[n].end, sqlite3_column_int64(st, 1));
		assert_int_equal(span[n].stack, sqlite3_column_int64(st, 3));
	}
	sqlite3_finalize(st);
	assert_int_equal(n, got);
	for (size_t i = 0; i < got; i += 1 + got / 50) {
		int64_t middle = span[i].start + (span[i].end - span[i].start) / 2;
		size_t few;

		assert_int_equal(rep_life_spans(life, (int64_t)i, 5, some, &few, NULL, &err), 0);
		assert_int_equal(few, got - i < 5 ? got - i : 5);
		assert_memory_equal(some, &span[i], few * sizeof(*some));
		assert_int_equal(rep_life_at(life, middle, NULL, &number, &err), 0);
		assert_true(number >= 0 && (size_t)number < got);
		assert_true(span[number].start <= middle && span[number].end >= middle);
	}
	assert_int_equal(rep_life_at(life, INT64_MIN, NULL, &number, &err), 0);
	assert_int_equal(number, 0);
	assert_int_equal(rep_life_at(life, INT64_MAX, NULL, &number, &err), 0);
	assert_int_equal(number, (int64_t)got - 1);
	assert_int_equal(rep_life_spans(life, (int64_t)got, 5, some, &n, NULL, &err), 0);
	assert_int_equal(n, 0);
	assert_int_equal(rep_life_spans(life, -1, 5, some, &n, NULL, &err), 0);
	assert_int_equal(n, 0);
	rep_life_free(life);
}

static void test_life_of_each_goroutine(void **state)
{
	sqlite3_stmt *st = ask("SELECT id FROM goroutine WHERE spans > 0 AND ? < id", 0);
	size_t n = 0;

	(void)state;
	for (; sqlite3_step(st) == SQLITE_ROW; n++)
		check(sqlite3_column_int64(st, 0));
	sqlite3_finalize(st);
	assert_true(n > 10);
}

static void test_life_of_nobody(void **state)
{
	struct rep_life *life;
	struct tp_err err;

	(void)state;
	assert_int_equal(
	    rep_life_new(&life, store, &runs.run[0], &(struct rep_goid){123456789, 0}, NULL, &err),
	    TP_ENOENT);
	assert_null(life);
	assert_non_null(strstr(err.msg, "123456789"));
}

static void test_life_stops(void **state)
{
	struct rep_life *life;
	struct tp_span span[3];
	atomic_bool stop = true;
	struct tp_err err;
	size_t got;

	(void)state;
	assert_int_equal(
	    rep_life_new(&life, store, &runs.run[0], &(struct rep_goid){1, 0}, NULL, &err), 0);
	assert_int_equal(rep_life_spans(life, 0, 3, span, &got, &stop, &err), TP_ECANCEL);
	stop = false;
	assert_int_equal(rep_life_spans(life, 0, 3, span, &got, &stop, &err), 0);
	assert_int_equal(got, 3);
	rep_life_free(life);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_life_of_each_goroutine),
	    cmocka_unit_test(test_life_of_nobody),
	    cmocka_unit_test(test_life_stops),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) ||
	       cmocka_run_group_tests_name("in segments", tests, set_up_in_segments, tear_down);
}
