#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/idmap.h"

#define N 20000

/* The map grows and shrinks and still finds every id in it. */
static void test_map_follows_what_is_in_it(void **state)
{
	struct tp_idmap m = {.seed = 0x9e3779b97f4a7c15u};
	static bool in[N];
	size_t n = 0, most = 0;
	uint32_t x = 12345;

	(void)state;
	memset(in, 0, sizeof(in));
	for (int turn = 0; turn < 8; turn++) {
		for (int i = 0; i < N; i++) {
			uint64_t id;

			x = x * 1664525 + 1013904223;
			id = (x >> 8) % N;
			if (turn % 2 ? in[id] && i % 64 : !in[id]) {
				in[id] = !in[id];
				n += in[id] ? 1 : (size_t)-1;
				if (in[id])
					assert_int_equal(tp_idmap_add(&m, id << 40 | id, &in[id]),
							 0);
				else
					tp_idmap_remove(&m, id << 40 | id);
			}
			assert_int_equal(m.used, n);
		}
		for (uint64_t id = 0; id < N; id++)
			assert_ptr_equal(tp_idmap_get(&m, id << 40 | id), in[id] ? &in[id] : NULL);
		most = m.mask > most ? m.mask : most;
	}
	for (uint64_t id = 0; id < N - 1; id++) {
		tp_idmap_remove(&m, id << 40 | id);
		tp_idmap_remove(&m, id << 40 | id); /* already removed */
	}
	assert_true(most > 10000 && m.mask < 1024);
	tp_idmap_release(&m);
}

static void test_map_that_was_cleared(void **state)
{
	struct tp_idmap m = {.seed = 1};
	int value;

	(void)state;
	for (int turn = 0; turn < 3; turn++) {
		for (uint64_t id = 0; id < 1000; id++)
			assert_int_equal(tp_idmap_add(&m, id, &value), 0);
		tp_idmap_clear(&m);
		tp_idmap_clear(&m);
		for (uint64_t id = 0; id < 1000; id++)
			assert_null(tp_idmap_get(&m, id));
	}
	tp_idmap_release(&m);
}

/* Compares the map with a plain array, for neighbouring ids and for ids far apart. */
static void test_idmap_against_array(void **state)
{
	static bool in[4096];
	struct tp_idmap m = {.seed = 0x9e3779b97f4a7c15u};
	uint32_t x = 7;
	size_t used = 0;

	(void)state;
	assert_null(tp_idmap_get(&m, 0));
	tp_idmap_remove(&m, 5);
	for (int i = 0; i < 40000; i++) {
		uint32_t k;
		uint64_t id;

		x = x * 1664525 + 1013904223;
		k = (x >> 16) % 4096;
		id = k % 2 ? k : (uint64_t)k << 40;
		assert_int_equal(tp_idmap_get(&m, id) != NULL, in[k]);
		if (in[k]) {
			tp_idmap_remove(&m, id);
			used--;
		} else {
			assert_int_equal(tp_idmap_add(&m, id, &in[k]), 0);
			used++;
		}
		in[k] = !in[k];
		assert_int_equal(m.used, used);
	}
	for (uint32_t k = 0; k < 4096; k++)
		assert_ptr_equal(tp_idmap_get(&m, k % 2 ? k : (uint64_t)k << 40),
				 in[k] ? &in[k] : NULL);
	tp_idmap_clear(&m);
	assert_null(tp_idmap_get(&m, 1));
	tp_idmap_release(&m);
}

static void test_ids_finds_what_was_put(void **state)
{
	/* Dense ids, scattered ids, and ids of which the first precede the array's growth. */
	static const uint64_t steps[] = {1, 3, 17, 100000, 0x123456789abcdef};

	(void)state;
	for (size_t s = 0; s < sizeof(steps) / sizeof(*steps); s++) {
		struct tp_ids m = {0};

		for (uint32_t i = 0; i < 20000; i++)
			assert_int_equal(tp_ids_put(&m, i * steps[s], i), 0);
		for (uint32_t i = 0; i < 20000; i++)
			assert_int_equal(tp_ids_get(&m, i * steps[s]), i);
		assert_int_equal(tp_ids_get(&m, 20000 * steps[s]), TP_NO_ID);
		assert_int_equal(tp_ids_get(&m, UINT64_MAX), TP_NO_ID);
		assert_int_equal(m.count, 20000);
		tp_ids_clear(&m);
		assert_int_equal(tp_ids_get(&m, 0), TP_NO_ID);
		tp_ids_release(&m);
	}
}

static void test_ids_replaces(void **state)
{
	struct tp_ids m = {0};

	(void)state;
	for (uint32_t round = 0; round < 3; round++)
		for (uint64_t i = 0; i < 3000; i++)
			assert_int_equal(tp_ids_put(&m, i * i * i, (uint32_t)i + round), 0);
	for (uint64_t i = 0; i < 3000; i++)
		assert_int_equal(tp_ids_get(&m, i * i * i), i + 2);
	assert_int_equal(m.count, 3000);
	tp_ids_release(&m);
}

/* An id that was beyond the array is still found after the array has grown past it. */
static void test_ids_array_grows_past_far_ids(void **state)
{
	struct tp_ids m = {0};

	(void)state;
	assert_int_equal(tp_ids_put(&m, 9000, 7), 0);
	assert_int_equal(m.ndense, 0);
	for (uint32_t i = 0; i < 8999; i++)
		assert_int_equal(tp_ids_put(&m, i, i), 0);
	assert_int_equal(tp_ids_put(&m, 9001, 1), 0);
	assert_int_equal(m.ndense, 9002);
	assert_int_equal(tp_ids_get(&m, 8999), TP_NO_ID);
	assert_int_equal(tp_ids_get(&m, 9000), 7);
	assert_int_equal(tp_ids_put(&m, 9000, 8), 0);
	assert_int_equal(tp_ids_get(&m, 9000), 8);
	assert_int_equal(m.count, 9001);
	tp_ids_release(&m);
}

/* A handful of huge ids must not cost a huge array. */
static void test_ids_stays_small(void **state)
{
	struct tp_ids m = {0};

	(void)state;
	for (uint32_t i = 1; i < 1000; i++)
		assert_int_equal(tp_ids_put(&m, (uint64_t)i << 33, i), 0);
	assert_int_equal(m.ndense, 0);
	assert_true(m.far.mask < 4096);
	tp_ids_release(&m);
}

/* Ids a power of two apart are spread over the table too, so searches stay short. */
static void test_ids_apart(void **state)
{
	(void)state;
	for (unsigned bit = 20; bit < 50; bit++) {
		struct tp_ids m = {.far.seed = (bit * 0x123456789abcdefu) | 1};
		size_t run = 0, longest = 0;

		for (uint32_t i = 1; i < 10000; i++)
			assert_int_equal(tp_ids_put(&m, (uint64_t)i << bit, i), 0);
		for (size_t i = 0; i <= m.far.mask; i++) {
			run = m.far.slots[i].value ? run + 1 : 0;
			longest = run > longest ? run : longest;
		}
		assert_true(longest < 2000);
		tp_ids_release(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_map_follows_what_is_in_it),
	    cmocka_unit_test(test_map_that_was_cleared),
	    cmocka_unit_test(test_idmap_against_array),
	    cmocka_unit_test(test_ids_finds_what_was_put),
	    cmocka_unit_test(test_ids_replaces),
	    cmocka_unit_test(test_ids_array_grows_past_far_ids),
	    cmocka_unit_test(test_ids_stays_small),
	    cmocka_unit_test(test_ids_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
