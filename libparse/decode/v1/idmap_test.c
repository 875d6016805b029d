#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decode/v1/idmap.h"

static void test_idmap_finds_what_was_put(void **state)
{
	/* Dense, scattered, and ids of which the first come before the array may hold them. */
	static const uint64_t steps[] = {1, 3, 17, 100000, 0x123456789abcdef};

	(void)state;
	for (size_t s = 0; s < sizeof(steps) / sizeof(*steps); s++) {
		struct tp_v1_idmap m = {0};

		for (uint32_t i = 0; i < 20000; i++)
			assert_int_equal(tp_v1_idmap_put(&m, i * steps[s], i), 0);
		for (uint32_t i = 0; i < 20000; i++)
			assert_int_equal(tp_v1_idmap_find(&m, i * steps[s]), i);
		assert_int_equal(tp_v1_idmap_find(&m, 20000 * steps[s]), TP_V1_NO_ID);
		assert_int_equal(tp_v1_idmap_find(&m, UINT64_MAX), TP_V1_NO_ID);
		assert_int_equal(m.count, 20000);
		tp_v1_idmap_release(&m);
	}
}

static void test_idmap_replaces(void **state)
{
	struct tp_v1_idmap m = {0};

	(void)state;
	for (uint32_t round = 0; round < 3; round++)
		for (uint64_t i = 0; i < 3000; i++)
			assert_int_equal(tp_v1_idmap_put(&m, i * i * i, (uint32_t)i + round), 0);
	for (uint64_t i = 0; i < 3000; i++)
		assert_int_equal(tp_v1_idmap_find(&m, i * i * i), i + 2);
	assert_int_equal(m.count, 3000);
	tp_v1_idmap_release(&m);
}

/* A handful of huge ids must not cost a huge array. */
static void test_idmap_stays_small(void **state)
{
	struct tp_v1_idmap m = {0};

	(void)state;
	for (uint32_t i = 1; i < 1000; i++)
		assert_int_equal(tp_v1_idmap_put(&m, (uint64_t)i << 33, i), 0);
	assert_int_equal(m.ndense, 0);
	assert_true(m.room <= 4096);
	tp_v1_idmap_release(&m);
}

/* Ids a power of two apart are spread all the same: no search is long. */
static void test_idmap_ids_apart(void **state)
{
	(void)state;
	for (unsigned bit = 20; bit < 50; bit++) {
		struct tp_v1_idmap m = {.seed = bit * 0x123456789abcdefu};
		size_t run = 0, longest = 0;

		for (uint32_t i = 1; i < 10000; i++)
			assert_int_equal(tp_v1_idmap_put(&m, (uint64_t)i << bit, i), 0);
		for (size_t i = 0; i < m.room; i++) {
			run = m.hash[i].value ? run + 1 : 0;
			longest = run > longest ? run : longest;
		}
		assert_true(longest < 2000);
		tp_v1_idmap_release(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_idmap_finds_what_was_put),
	    cmocka_unit_test(test_idmap_replaces),
	    cmocka_unit_test(test_idmap_stays_small),
	    cmocka_unit_test(test_idmap_ids_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
