#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "decode/v2/idmap.h"

#define N 20000

/* Grows and shrinks, and all that is in the map is found. */
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
		tp_idmap_remove(&m, id << 40 | id); /* it is not there any more */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_map_follows_what_is_in_it),
	    cmocka_unit_test(test_map_that_was_cleared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
