#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tprof-tui/widget/inside.h"

static const struct rep_column columns[] = {
    {.name = "name", .kind = REP_TEXT},
    {.name = "n", .kind = REP_COUNT},
    {.name = "f", .kind = REP_FLOAT},
    {.name = "hidden", .kind = REP_TEXT, .raw_only = true},
};
#define NCOLUMNS 4

static struct rep_sheet *begin(struct rep_cells *cells)
{
	struct rep_output *out;
	struct tp_err err;

	assert_int_equal(rep_cells_output(cells, &out, &err), 0);
	assert_int_equal(rep_output_begin(out, "t", columns, NCOLUMNS, &err), 0);
	assert_int_equal(rep_output_end(out, &err), 0);
	rep_output_free(out);
	return &cells->sheet[0];
}

static void put(struct rep_cells *cells, const char *name, struct rep_value n, struct rep_value f)
{
	const struct rep_value row[NCOLUMNS] = {rep_str(name), n, f, rep_str("secret")};

	assert_int_equal(rep_sheet_put(cells, &cells->sheet[0], row), 0);
}

static void fill(struct rep_cells *cells)
{
	begin(cells);
	put(cells, "main.Beta", rep_int(2), rep_float(0.5));
	put(cells, "main.alpha", rep_null(), rep_int(-3));
	put(cells, "main.gamma", rep_int(-1), rep_null());
	put(cells, "main.", rep_int(INT64_MIN), rep_float(-0.0));
	put(cells, NULL, rep_int(2), rep_int(0));
}

static void assert_order(struct rep_sheet *s, struct tui_order o, const char *want)
{
	uint32_t rows[64];
	char text[200] = "";
	size_t n = tui_order_make(s, &o, rows), at = 0;

	assert_true(n <= s->nrows);
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u", i ? " " : "", rows[i]);
	assert_string_equal(text, want);
}

static void test_order_sort(void **state)
{
	struct rep_cells cells = {0};
	struct rep_sheet *s;

	(void)state;
	fill(&cells);
	s = &cells.sheet[0];
	assert_order(s, (struct tui_order){.column = -1}, "0 1 2 3 4");
	assert_order(s, (struct tui_order){.column = -1, .up = true}, "4 3 2 1 0");
	assert_order(s, (struct tui_order){.column = 0, .up = true}, "3 0 1 2 4");
	assert_order(s, (struct tui_order){.column = 0}, "2 1 0 3 4");
	/* Equal cells keep the order of the report; empty cells come last in both directions. */
	assert_order(s, (struct tui_order){.column = 1}, "0 4 2 3 1");
	assert_order(s, (struct tui_order){.column = 1, .up = true}, "3 2 0 4 1");
	assert_order(s, (struct tui_order){.column = 2}, "0 3 4 1 2");
	assert_order(s, (struct tui_order){.column = 2, .up = true}, "1 3 4 0 2");
	rep_cells_release(&cells);
}

static void test_order_filter(void **state)
{
	struct rep_cells cells = {0};
	struct rep_sheet *s;

	(void)state;
	fill(&cells);
	s = &cells.sheet[0];
	assert_int_equal(rep_sheet_index(s), 0);
	assert_order(s, (struct tui_order){.column = -1, .filter = "beta"}, "0");
	assert_order(s, (struct tui_order){.column = -1, .filter = "main."}, "0 1 2 3");
	assert_order(s, (struct tui_order){.column = 1, .filter = "a"}, "0 2 3 1");
	/* Numbers match as displayed. Matches never span two cells or come from hidden columns. */
	assert_order(s, (struct tui_order){.column = -1, .filter = "0.5"}, "0");
	assert_order(s, (struct tui_order){.column = -1, .filter = "beta2"}, "");
	assert_order(s, (struct tui_order){.column = -1, .filter = "secret"}, "");
	rep_cells_release(&cells);
}

static void test_order_unfold(void **state)
{
	struct rep_cells cells = {0};
	struct rep_value below[2 * NCOLUMNS];
	struct rep_sheet *s;

	(void)state;
	fill(&cells);
	s = &cells.sheet[0];
	assert_int_equal(rep_sheet_unfolds(s), 0);
	for (int i = 0; i < 2; i++) {
		below[i * NCOLUMNS] = rep_str(i ? "caller.x" : "caller.y");
		below[i * NCOLUMNS + 1] = rep_int(i + 10);
		below[i * NCOLUMNS + 2] = below[i * NCOLUMNS + 3] = rep_null();
	}
	assert_int_equal(rep_sheet_add(&cells, s, 2, below, 2), 0); /* 5, 6 */
	assert_int_equal(rep_sheet_add(&cells, s, 6, below, 1), 0); /* 7 */
	assert_int_equal(rep_sheet_add(&cells, s, 0, below, 0), 0); /* no rows */
	assert_int_equal(rep_sheet_index(s), 0);
	assert_int_equal(s->branch[7].depth, 2);
	assert_order(s, (struct tui_order){.column = -1}, "0 1 2 5 6 7 3 4");
	assert_order(s, (struct tui_order){.column = 1}, "0 4 2 6 7 5 3 1");
	/* The rows above a match are shown, too. */
	assert_order(s, (struct tui_order){.column = -1, .filter = "caller.x"}, "2 5 6 7");
	s->branch[6].open = false;
	assert_order(s, (struct tui_order){.column = -1, .filter = "caller.y"}, "2 5 6");
	assert_order(s, (struct tui_order){.column = -1}, "0 1 2 5 6 3 4");
	s->branch[2].open = false;
	assert_order(s, (struct tui_order){.column = -1}, "0 1 2 3 4");
	rep_cells_release(&cells);
}

static struct rep_sheet *fill_many(struct rep_cells *cells, int n)
{
	uint32_t seed = 1;

	begin(cells);
	for (int i = 0; i < n; i++) {
		char name[60];

		seed = seed * 1664525 + 1013904223;
		snprintf(name, sizeof(name), "example.com/shop/orders.(*Service).handle.func%u",
			 seed >> 8);
		put(cells, name, rep_int(seed >> 4), rep_float((double)seed / 7));
	}
	assert_int_equal(rep_sheet_index(&cells->sheet[0]), 0);
	return &cells->sheet[0];
}

/* Returns the processor time of tui_order_make in ms. */
static double order_ms(const struct rep_sheet *s, const struct tui_order *o, uint32_t *rows,
		       size_t *n)
{
	struct timespec a, b;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	*n = tui_order_make(s, o, rows);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	return (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6;
}

/* Sorting and filtering ten thousand rows does not take quadratic time. The time depends on the machine and
 * the build, so it is compared with the time for a tenth of the rows: sorting takes 12 to 25 times that,
 * and a comparison of all pairs of rows would take a hundred times that. */
static void test_order_many(void **state)
{
	enum { MANY = 10000 };
	struct rep_cells cells = {0}, few = {0};
	uint32_t *rows = malloc((MANY + 1) * sizeof(*rows));
	struct rep_sheet *s = fill_many(&cells, MANY), *tenth = fill_many(&few, MANY / 10);

	(void)state;
	assert_non_null(rows);
	for (int c = 0; c < 3; c++) {
		struct tui_order o = {.column = c, .up = c == 0, .filter = c ? "unc1" : NULL};
		double ms = 0, least = 0, once;
		size_t n;

		for (int k = 0; k < 5; k++) {
			once = order_ms(tenth, &o, rows, &n);
			least = k && least < once ? least : once;
		}
		for (int k = 0; k < 3; k++) {
			once = order_ms(s, &o, rows, &n);
			ms = k && ms < once ? ms : once;
		}
		print_message("column %d: %zu rows in %.1f ms, a tenth in %.1f ms\n", c, n, ms,
			      least);
		assert_true(c ? n > 100 && n < MANY : n == MANY);
		for (size_t i = 1; i < n; i++) {
			int d = rep_value_compare(rep_sheet_at(s, rows[i - 1], (size_t)c),
						  rep_sheet_at(s, rows[i], (size_t)c));

			assert_true(o.up ? d <= 0 : d >= 0);
		}
		assert_true(ms < 60 * least + 10);
	}
	free(rows);
	rep_cells_release(&cells);
	rep_cells_release(&few);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order_sort), cmocka_unit_test(test_order_filter),
	    cmocka_unit_test(test_order_unfold), cmocka_unit_test(test_order_many)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
