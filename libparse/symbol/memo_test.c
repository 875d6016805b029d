#include "symbol/memo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void test_memo_get(void **state)
{
	struct tp_memo m = {0};
	static char kept[5000];

	(void)state;
	assert_null(tp_memo_get(&m, 0, 0));
	for (uint64_t i = 0; i < sizeof(kept); i++)
		assert_int_equal(tp_memo_put(&m, i << 32, i % 7, &kept[i]), 0);
	assert_int_equal(m.n, sizeof(kept));
	for (uint64_t i = 0; i < sizeof(kept); i++) {
		assert_ptr_equal(tp_memo_get(&m, i << 32, i % 7), &kept[i]);
		assert_null(tp_memo_get(&m, i << 32, 7));
		assert_null(tp_memo_get(&m, (i << 32) + 1, i % 7));
	}
	tp_memo_release(&m);
	assert_null(tp_memo_get(&m, 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_memo_get),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
