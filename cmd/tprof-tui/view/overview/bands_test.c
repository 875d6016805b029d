#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tprof-tui/view/overview/inside.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* The overview's page in a narrow terminal. */
static const struct ov_band page[] = {{4, 4, 0},  {8, 12, 0}, {8, 14, 0}, {8, 14, 0}, {7, 22, 0},
				      {7, 22, 0}, {7, 22, 0}, {3, 3, 0},  {7, 22, 0}, {3, 3, 0}};

static void test_bands_any_size(void **state)
{
	struct ov_band band[COUNT(page)];

	(void)state;
	for (int i = 0; i < COUNT(page); i++)
		band[i] = page[i];
	for (int rows = 1; rows < 200; rows++) {
		for (int here = 0; here < COUNT(page); here++) {
			for (int from = 0; from < COUNT(page); from++) {
				int top = ov_bands_top(band, COUNT(page), from, here, rows),
				    used = 0;

				assert_true(top >= 0 && top <= here);
				ov_bands_fit(band, COUNT(page), top, rows);
				for (int i = 0; i < COUNT(page); i++) {
					used += band[i].rows;
					assert_true(band[i].rows >= 0);
					assert_true(band[i].rows <= band[i].most);
					assert_true(i >= top || !band[i].rows);
					/* Only the last band is cut. */
					if (i > top && band[i].rows)
						assert_true(band[i - 1].rows >= band[i - 1].least);
				}
				assert_true(used <= rows);
				assert_true(band[here].rows >= band[here].least || top == here);
				assert_true(band[here].rows > 0);
			}
		}
	}
}

static void test_bands_stay_where_they_are(void **state)
{
	struct ov_band band[COUNT(page)];

	(void)state;
	for (int i = 0; i < COUNT(page); i++)
		band[i] = page[i];
	assert_int_equal(ov_bands_top(band, COUNT(page), 0, 0, 21), 0);
	assert_int_equal(ov_bands_top(band, COUNT(page), 0, 2, 21), 0);
	assert_int_equal(ov_bands_top(band, COUNT(page), 0, 3, 21), 2);
	assert_int_equal(ov_bands_top(band, COUNT(page), 2, 3, 21), 2);
	assert_int_equal(ov_bands_top(band, COUNT(page), 3, 2, 21), 2);
	/* The page ends at the end of the screen, not above it. */
	assert_int_equal(ov_bands_top(band, COUNT(page), 9, 9, 21), 6);
	assert_int_equal(ov_bands_top(band, COUNT(page), 9, 9, 200), 0);
}

static void test_bands_share_what_is_left(void **state)
{
	struct ov_band band[] = {{4, 4, 0}, {5, 7, 0}, {5, 30, 0}};

	(void)state;
	ov_bands_fit(band, 3, 0, 30);
	assert_int_equal(band[0].rows, 4);
	assert_int_equal(band[1].rows, 7);
	assert_int_equal(band[2].rows, 19);
}

static void test_bands_turn(void **state)
{
	struct ov_band band[COUNT(page)];
	int at = 0, turns = 0;

	(void)state;
	for (int i = 0; i < COUNT(page); i++)
		band[i] = page[i];
	for (int rows = 1; rows < 80; rows++) {
		for (at = 0, turns = 0; at + 1 < COUNT(page) && turns < 50; turns++)
			at = ov_bands_turn(band, COUNT(page), at, rows, 1);
		assert_int_equal(at, COUNT(page) - 1);
		for (turns = 0; at && turns < 50; turns++)
			at = ov_bands_turn(band, COUNT(page), at, rows, 0);
		assert_int_equal(at, 0);
	}
	assert_int_equal(ov_bands_turn(band, COUNT(page), 0, 21, 1), 3);
	assert_int_equal(ov_bands_turn(band, COUNT(page), 3, 21, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bands_any_size),
	    cmocka_unit_test(test_bands_stay_where_they_are),
	    cmocka_unit_test(test_bands_share_what_is_left),
	    cmocka_unit_test(test_bands_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
