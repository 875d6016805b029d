/* Tests zoom and pan: columns are exact from the whole run to one nanosecond each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tprof-tui/view/timeline/window.h"

static void test_window_init_whole_run(void **state)
{
	static const struct {
		int64_t lo, hi;
		int cols;
		int64_t cell;
	} cases[] = {
	    {0, 1000, 10, 100},
	    {0, 1001, 10, 101},
	    {0, 7, 10, 1}, /* fewer ns than columns */
	    {5, 5, 10, 1}, /* an empty run */
	    {0, INT64_MAX / 4, 80, INT64_MAX / 4 / 80 + 1},
	    {0, 1000, 0, 1000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_window w;

		tl_window_init(&w, cases[i].lo, cases[i].hi, cases[i].cols);
		assert_int_equal(w.from, cases[i].lo);
		assert_int_equal(w.cell, cases[i].cell);
		assert_true(tl_window_to(&w) >= cases[i].hi);
	}
}

/* Zooms all the way in and out again. The time around which it zooms stays visible, and both limits of
 * the zoom are reached. */
static void test_window_zoom_both_ends(void **state)
{
	static const int64_t hi[] = {1, 60, 1000, 25999999999, INT64_MAX / 4};

	(void)state;
	for (size_t i = 0; i < sizeof(hi) / sizeof(hi[0]); i++) {
		for (int part = 0; part <= 4; part++) {
			int64_t around = (hi[i] - 1) / 4 * part;
			struct tl_window w, whole;
			int steps = 0;

			tl_window_init(&w, 0, hi[i], 57);
			whole = w;
			while (tl_window_zoom(&w, around, 2)) {
				int col = tl_window_col(&w, around);

				assert_true(++steps < 70);
				assert_in_range(col, 0, 56);
				assert_true(w.from >= 0);
			}
			assert_int_equal(w.cell, 1);
			assert_int_equal(tl_window_at(&w, tl_window_col(&w, around)), around);
			steps = 0;
			while (tl_window_zoom(&w, around, -2))
				assert_true(++steps < 70);
			assert_true(tl_window_same(&w, &whole));
		}
	}
}

static void test_window_zoom_keeps_column(void **state)
{
	struct tl_window w;
	int col;

	(void)state;
	tl_window_init(&w, 0, 1 << 30, 64);
	col = tl_window_col(&w, 500000000);
	for (int i = 0; i < 10; i++) {
		assert_true(tl_window_zoom(&w, 500000000, 2));
		assert_int_equal(tl_window_col(&w, 500000000), col);
	}
	for (int i = 0; i < 9; i++) {
		assert_true(tl_window_zoom(&w, 500000000, -2));
		assert_int_equal(tl_window_col(&w, 500000000), col);
	}
}

static void test_window_pan_ends(void **state)
{
	struct tl_window w;

	(void)state;
	tl_window_init(&w, 0, 10000, 10);
	assert_false(tl_window_pan(&w, 1));
	assert_false(tl_window_pan(&w, -1));
	tl_window_show(&w, 4000, 5000);
	assert_int_equal(w.cell, 100);
	assert_int_equal(w.from, 4000);
	assert_true(tl_window_pan(&w, 1));
	assert_int_equal(w.from, 4100);
	assert_true(tl_window_pan(&w, INT64_MAX));
	assert_int_equal(tl_window_to(&w), 10000);
	assert_false(tl_window_pan(&w, 1));
	assert_true(tl_window_pan(&w, INT64_MIN + 1));
	assert_int_equal(w.from, 0);
	/* Less than a column is left before the end. */
	tl_window_show(&w, 0, 990);
	w.from = 10000 - 990 - 50;
	assert_true(tl_window_pan(&w, 1));
	assert_int_equal(tl_window_to(&w), 10000);
}

static void test_window_show_range(void **state)
{
	struct tl_window w;

	(void)state;
	tl_window_init(&w, 0, 10000, 10);
	tl_window_show(&w, 2000, 2005);
	assert_int_equal(w.cell, 1);
	assert_in_range(2000 - w.from, 0, 9);
	assert_true(tl_window_to(&w) >= 2005);
	tl_window_show(&w, 2000, 2011);
	assert_int_equal(w.cell, 2);
	assert_true(w.from <= 2000 && tl_window_to(&w) >= 2011);
	tl_window_show(&w, INT64_MIN, INT64_MAX);
	assert_int_equal(w.from, 0);
	assert_int_equal(w.cell, 1000);
	/* A range after the end of the run. */
	tl_window_show(&w, 20000, 30000);
	assert_true(w.from >= 0 && tl_window_to(&w) <= 10000);
}

static void test_window_resize_keeps_time(void **state)
{
	struct tl_window w;

	(void)state;
	tl_window_init(&w, 0, 100000, 50);
	tl_window_show(&w, 1000, 2000);
	tl_window_resize(&w, 100);
	assert_int_equal(w.from, 1000);
	assert_int_equal(w.cell, 10);
	tl_window_resize(&w, 30);
	assert_true(w.from <= 1000 && tl_window_to(&w) >= 2000);
	tl_window_resize(&w, 0);
	assert_int_equal(w.cols, 1);
}

static void test_window_col(void **state)
{
	struct tl_window w;

	(void)state;
	tl_window_init(&w, 0, 10000, 10);
	tl_window_show(&w, 4000, 5000);
	assert_int_equal(tl_window_col(&w, 3999), -1);
	assert_int_equal(tl_window_col(&w, 4000), 0);
	assert_int_equal(tl_window_col(&w, 4099), 0);
	assert_int_equal(tl_window_col(&w, 4100), 1);
	assert_int_equal(tl_window_col(&w, 4999), 9);
	assert_int_equal(tl_window_col(&w, 5000), 10);
	assert_int_equal(tl_window_col(&w, INT64_MIN), -1);
	assert_int_equal(tl_window_col(&w, INT64_MAX), 10);
}

static void test_window_reveal(void **state)
{
	struct tl_window w;

	(void)state;
	tl_window_init(&w, 0, 10000, 10);
	tl_window_show(&w, 4000, 5000);
	tl_window_reveal(&w, 4999);
	assert_int_equal(w.from, 4000);
	tl_window_reveal(&w, 5000);
	assert_int_equal(tl_window_col(&w, 5000), 5);
	tl_window_reveal(&w, 0);
	assert_int_equal(w.from, 0);
	tl_window_reveal(&w, 9999);
	assert_int_equal(tl_window_to(&w), 10000);
}

/* In a damaged store, the length of a run may use all 64 bits. */
static void test_window_init_endless(void **state)
{
	static const int cols[] = {1, 28, 56, 206, 1000};

	(void)state;
	for (size_t i = 0; i < sizeof(cols) / sizeof(cols[0]); i++) {
		struct tl_window w;

		tl_window_init(&w, 0, INT64_MAX, cols[i]);
		assert_int_equal(w.hi, TL_WINDOW_MOST);
		assert_int_equal(w.from, 0);
		assert_true(w.cell > 0 && w.cell <= INT64_MAX / w.cols);
		assert_true(tl_window_to(&w) >= w.hi && tl_window_to(&w) <= w.hi + w.cols);
		tl_window_show(&w, INT64_MIN, INT64_MAX);
		assert_int_equal(w.from, 0);
		tl_window_show(&w, INT64_MAX, INT64_MIN);
		tl_window_pan(&w, INT64_MAX);
		tl_window_zoom(&w, w.hi - 1, -1000000);
		tl_window_zoom(&w, 0, 2);
		tl_window_pan(&w, INT64_MIN);
		assert_int_equal(w.from, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_window_init_whole_run),
	    cmocka_unit_test(test_window_init_endless),
	    cmocka_unit_test(test_window_zoom_both_ends),
	    cmocka_unit_test(test_window_zoom_keeps_column),
	    cmocka_unit_test(test_window_pan_ends),
	    cmocka_unit_test(test_window_show_range),
	    cmocka_unit_test(test_window_resize_keeps_time),
	    cmocka_unit_test(test_window_col),
	    cmocka_unit_test(test_window_reveal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
