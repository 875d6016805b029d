#include "path/hops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/event.h"

#define HOPS (3 * REP_PACKED_ROWS + 100)

/* Every member has values of its own, some of them TP_NONE. */
static struct rep_path_hop hop_of(uint32_t i)
{
	return (struct rep_path_hop){
	    .from = 1000000 - 7 * (int64_t)i,
	    .to = 1000000 - 5 * (int64_t)i,
	    .goroutine = i % 1000,
	    .reason = i % 5,
	    .stack = i % 70000,
	    .chain = i,
	    .wakes = i % 3 ? TP_NONE : i % 900,
	    .wakes_reason = i % 11,
	    .wakes_stack = UINT32_MAX - 1 - i,
	    .wake_stack = i % 13,
	    .kind = (uint8_t)(i % 11),
	    .creates = i % 2,
	    .holder = i < REP_PACKED_ROWS ? TP_NONE : i % 17,
	};
}

static void test_hops_packed_and_last(void **state)
{
	struct rep_path_hops h = {0};

	(void)state;
	for (uint32_t i = 0; i < HOPS; i++) {
		struct rep_path_hop hop = hop_of(i);

		hop.from++;
		assert_int_equal(rep_path_hops_put(&h, &hop), 0);
		rep_path_hops_extend(&h, hop.from - 1);
	}
	assert_int_equal(h.n, HOPS);
	for (uint32_t i = 0; i < HOPS; i++) {
		struct rep_path_hop got = rep_path_hops_at(&h, i), hop = hop_of(i);

		assert_int_equal(got.from, hop.from);
		assert_int_equal(got.to, hop.to);
		assert_int_equal(got.goroutine, hop.goroutine);
		assert_int_equal(got.reason, hop.reason);
		assert_int_equal(got.stack, hop.stack);
		assert_int_equal(got.chain, hop.chain);
		assert_int_equal(got.wakes, hop.wakes);
		assert_int_equal(got.wakes_reason, hop.wakes_reason);
		assert_int_equal(got.wakes_stack, hop.wakes_stack);
		assert_int_equal(got.wake_stack, hop.wake_stack);
		assert_int_equal(got.kind, hop.kind);
		assert_int_equal(got.creates, hop.creates);
		assert_int_equal(got.holder, hop.holder);
	}
	rep_path_hops_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_hops_packed_and_last)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
