#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/many.h"
#include "base/random.h"
#include "base/table.h"

/* Returns the number of rows with this hash; sets *first to the first of them. */
static uint32_t count_rows(const struct tp_table *t, uint64_t hash, uint32_t *first)
{
	struct tp_probe p = {0};
	uint32_t n = 0;

	while (tp_table_next(t, hash, &p))
		if (!n++)
			*first = p.row;
	return n;
}

static void test_table_empty(void **state)
{
	struct tp_table t = {0};
	uint32_t row;

	(void)state;
	assert_int_equal(count_rows(&t, 0, &row), 0);
	assert_int_equal(count_rows(&t, UINT64_MAX, &row), 0);
	tp_table_clear(&t);
	tp_table_release(&t);
}

static void test_table_finds_each_while_it_grows(void **state)
{
	enum { N = 20000 };
	struct tp_table t = {0};
	uint32_t row = 0;

	(void)state;
	for (uint32_t i = 0; i < N; i++) {
		assert_int_equal(tp_table_add(&t, tp_mix64(1, i), i), 0);
		assert_int_equal(count_rows(&t, tp_mix64(1, i), &row), 1);
		assert_int_equal(row, i);
		/* An earlier row is found wherever growing has moved it. */
		assert_int_equal(count_rows(&t, tp_mix64(1, i / 2), &row), 1);
		assert_int_equal(row, i / 2);
		assert_true(t.n <= (t.mask + 1) / 2);
	}
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(count_rows(&t, tp_mix64(1, i), &row), 1);
	tp_table_release(&t);
	assert_int_equal(count_rows(&t, tp_mix64(1, 0), &row), 0);
}

/* Hashes of all ones begin at the end of the table, so their slots wrap around to its front. */
static void test_table_rows_of_one_hash_keep_their_order(void **state)
{
	static const uint64_t hashes[] = {0, 5, UINT32_MAX, UINT32_MAX - 1};

	(void)state;
	for (size_t h = 0; h < sizeof(hashes) / sizeof(hashes[0]); h++) {
		struct tp_table t = {0};

		for (uint32_t i = 0; i < 500; i++) {
			struct tp_probe p = {0};

			assert_int_equal(tp_table_add(&t, hashes[h], i), 0);
			for (uint32_t k = 0; k <= i; k++) {
				assert_true(tp_table_next(&t, hashes[h], &p));
				assert_int_equal(p.row, k);
			}
			assert_false(tp_table_next(&t, hashes[h], &p));
		}
		tp_table_release(&t);
	}
}

/* Neighbouring hashes compete for slots but find only their own rows. */
static void test_table_tells_hashes_apart(void **state)
{
	struct tp_table t = {0};
	uint32_t row = 0;

	(void)state;
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(tp_table_add(&t, (uint64_t)i << 16, i), 0);
	for (uint32_t i = 0; i < 20; i++) {
		assert_int_equal(count_rows(&t, (uint64_t)i << 16, &row), 1);
		assert_int_equal(row, i);
	}
	assert_int_equal(count_rows(&t, (uint64_t)20 << 16, &row), 0);
	tp_table_release(&t);
}

static void test_table_clear_keeps_the_memory(void **state)
{
	struct tp_table t = {0};
	const void *slot;
	uint32_t row = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(tp_table_add(&t, i, i), 0);
	slot = t.slot;
	tp_table_clear(&t);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(count_rows(&t, i, &row), 0);
	assert_int_equal(tp_table_add(&t, 7, 3), 0);
	assert_int_equal(count_rows(&t, 7, &row), 1);
	assert_int_equal(row, 3);
	assert_ptr_equal(t.slot, slot);
	tp_table_release(&t);
}

static void test_table_reserve(void **state)
{
	struct tp_table t = {0};
	const void *slot;

	(void)state;
	assert_int_equal(tp_table_reserve(&t, 5000), 0);
	slot = t.slot;
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(tp_table_add(&t, i, i), 0);
	assert_ptr_equal(t.slot, slot);
	tp_table_release(&t);
}

static void test_table_limit(void **state)
{
	struct tp_table t = {0};
	uint32_t row = 0;

	(void)state;
	assert_int_equal(tp_table_add(&t, 1, TP_TABLE_ROWS), TP_ELIMIT);
	assert_int_equal(tp_table_add(&t, 1, SIZE_MAX), TP_ELIMIT);
	assert_int_equal(tp_table_reserve(&t, (size_t)TP_TABLE_ROWS + 1), TP_ELIMIT);
	assert_int_equal(tp_table_reserve(&t, SIZE_MAX), TP_ELIMIT);
	assert_int_equal(count_rows(&t, 1, &row), 0);
	assert_int_equal(tp_table_add(&t, 1, TP_TABLE_ROWS - 1), 0);
	assert_int_equal(tp_table_reserve(&t, TP_TABLE_ROWS), TP_ELIMIT);
	assert_int_equal(count_rows(&t, 1, &row), 1);
	assert_int_equal(row, TP_TABLE_ROWS - 1);
	tp_table_release(&t);
}

static void test_hash_bytes_differs_by_seed(void **state)
{
	(void)state;
	assert_true(tp_hash_bytes(1, "abc", 3) == tp_hash_bytes(1, "abcd", 3));
	assert_true(tp_hash_bytes(1, "abc", 3) != tp_hash_bytes(2, "abc", 3));
	assert_true(tp_hash_bytes(1, "abc", 3) != tp_hash_bytes(1, "abd", 3));
	assert_true(tp_hash_bytes(1, NULL, 0) == tp_hash_bytes(1, "", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_table_empty),
	    cmocka_unit_test(test_table_finds_each_while_it_grows),
	    cmocka_unit_test(test_table_rows_of_one_hash_keep_their_order),
	    cmocka_unit_test(test_table_tells_hashes_apart),
	    cmocka_unit_test(test_table_clear_keeps_the_memory),
	    cmocka_unit_test(test_table_reserve),
	    cmocka_unit_test(test_table_limit),
	    cmocka_unit_test(test_hash_bytes_differs_by_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
