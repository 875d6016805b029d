#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task/tasks.h"

#define MANY 3000

/* Loads tasks with these ids, and compares rep_tasks_find with a search of all rows. */
static void check(const int64_t *id, uint32_t n)
{
	static const int64_t zero[MANY];
	struct rep_view v = {0};
	struct rep_tasks t;
	struct tp_err err;

	for (unsigned c = 0; c < tp_tables[TP_TABLE_TASK].ncolumns; c++)
		v.col[TP_TABLE_TASK][c] = zero;
	v.col[TP_TABLE_TASK][TP_COL(TASK, id)] = id;
	v.nrows[TP_TABLE_TASK] = n;
	v.seen[TP_TABLE_TASK] = v.seen[TP_TABLE_REGION] = v.seen[TP_TABLE_GOROUTINE] = true;
	assert_int_equal(rep_tasks_init_ids(&t, &v, &err), 0);
	for (uint32_t i = 0; i < n; i++) {
		for (int64_t off = -1; off <= 1; off++) {
			uint32_t row = 0;

			while (row < n && id[row] != id[i] + off)
				row++;
			assert_int_equal(rep_tasks_find(&t, id[i] + off), row < n ? row : TP_NONE);
		}
	}
	rep_tasks_release(&t);
}

/* Ids in order, with gaps, out of order, and those of a damaged trace: several times, negative, far away. */
static void test_tasks_find(void **state)
{
	static const int64_t in_order[] = {5, 6, 7, 8}, gaps[] = {5, 7, 8, 20},
			     mixed[] = {6, 5, 9, 7, 8},
			     damaged[] = {3, 9, 4, 4, INT64_MAX - 1, -2, 9, 3, INT64_MIN + 1, 4};
	static int64_t falling[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++)
		falling[i] = (MANY - i) / 2;
	check(NULL, 0);
	check(in_order, 4);
	check(gaps, 4);
	check(mixed, 5);
	check(damaged, 10);
	check(falling, MANY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_tasks_find)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
