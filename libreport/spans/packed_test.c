#include "spans/packed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define PARTS 2
#define N     (PARTS * (size_t)REP_PACKED_ROWS + 5)

/* Packs `some` values at a time, and reads them back; returns the width of the first part. */
static unsigned check_by(int64_t (*of)(size_t i), size_t some)
{
	static int64_t value[N];
	struct rep_packed c = {0};
	unsigned width;

	for (size_t i = 0; i < N; i++)
		value[i] = of(i);
	for (size_t i = 0, n; i < N; i += n) {
		n = N - i < some ? N - i : some;
		assert_int_equal(rep_packed_put(&c, value + i, n), 0);
		assert_int_equal(rep_packed_rows(&c), i + n);
	}
	assert_int_equal(c.n, PARTS);
	for (size_t i = 0; i < N; i++)
		if (rep_packed_at(&c, i) != value[i])
			fail_msg("row %zu", i);
	width = c.part[0].width;
	rep_packed_release(&c);
	return width;
}

static unsigned check(int64_t (*of)(size_t i))
{
	const size_t some[] = {1, 1000, REP_PACKED_ROWS};
	unsigned width = check_by(of, N);

	for (size_t i = 0; i < 3; i++)
		assert_int_equal(check_by(of, some[i]), width);
	return width;
}

static int64_t same(size_t i)
{
	(void)i;
	return -7;
}

static int64_t none(size_t i)
{
	(void)i;
	return TP_NULL;
}

static int64_t byte(size_t i)
{
	return 1000 + (int64_t)(i % 256);
}

static int64_t byte_or_none(size_t i)
{
	return i % 256 == 3 ? TP_NULL : 1000 + (int64_t)(i % 256);
}

static int64_t same_or_none(size_t i)
{
	return i % 2 ? TP_NULL : 0;
}

static int64_t times(size_t i)
{
	return INT64_C(77000000000) + (int64_t)i * 4000;
}

static int64_t far(size_t i)
{
	return i % 3 == 0 ? INT64_MAX : i % 3 == 1 ? INT64_MIN + 1 : TP_NULL;
}

static int64_t negative(size_t i)
{
	return -(int64_t)i * 300;
}

static void test_packed(void **state)
{
	(void)state;
	assert_int_equal(check(same), 0);
	assert_int_equal(check(none), 0);
	assert_int_equal(check(byte), 1);
	assert_int_equal(check(byte_or_none), 2); /* 255 stands for TP_NULL in one byte */
	assert_int_equal(check(same_or_none), 1);
	assert_int_equal(check(times), 3);
	assert_int_equal(check(far), 8);
	assert_int_equal(check(negative), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_packed)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
