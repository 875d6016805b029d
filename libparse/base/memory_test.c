#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/many.h"

static void test_buf_grows_and_keeps(void **state)
{
	struct tp_buf b = {0};

	(void)state;
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(tp_buf_put(&b, &i, sizeof(i)), 0);
	assert_int_equal(b.size, 400000);
	assert_true(b.room >= b.size);
	for (uint32_t i = 0, v; i < 100000; i++) {
		memcpy(&v, b.data + 4 * i, 4);
		assert_int_equal(v, i);
	}
	assert_int_equal(tp_buf_put(&b, NULL, 0), 0);
	tp_buf_release(&b);
	assert_null(b.data);
	assert_int_equal(b.size, 0);
}

static void test_buf_reserve_absurd(void **state)
{
	struct tp_buf b = {0};

	(void)state;
	assert_int_equal(tp_buf_put(&b, "abc", 3), 0);
	assert_int_equal(tp_buf_reserve(&b, SIZE_MAX - 1), TP_ENOMEM);
	assert_int_equal(b.size, 3);
	assert_memory_equal(b.data, "abc", 3);
	tp_buf_release(&b);
}

/* After a failure even small puts fail until the owner makes the buffer shorter. */
static void test_buf_failure_sticks(void **state)
{
	struct tp_buf b = {0};

	(void)state;
	assert_int_equal(tp_buf_text(&b, "abc"), 0);
	assert_int_equal(tp_buf_put(&b, "", SIZE_MAX), TP_ENOMEM);
	assert_int_equal(tp_buf_text(&b, "d"), TP_ENOMEM);
	assert_int_equal(tp_buf_text(&b, ""), TP_ENOMEM);
	assert_int_equal(tp_buf_put_uvarint(&b, 1), TP_ENOMEM);
	assert_int_equal(tp_buf_printf(&b, "%d", 1), TP_ENOMEM);
	assert_int_equal(b.size, 3);
	b.size = 1;
	assert_int_equal(tp_buf_text(&b, "defg"), 0);
	assert_int_equal(b.size, 5);
	assert_memory_equal(b.data, "adefg", 5);
	tp_buf_release(&b);
}

static void test_buf_printf(void **state)
{
	struct tp_buf b = {0};
	char want[1200];

	(void)state;
	snprintf(want, sizeof(want), "1:%0900d:x", 7);
	assert_int_equal(tp_buf_printf(&b, "%d:", 1), 0);
	assert_int_equal(tp_buf_printf(&b, "%0900d", 7), 0);
	assert_int_equal(tp_buf_printf(&b, "%s", ""), 0);
	assert_int_equal(tp_buf_printf(&b, ":%c", 'x'), 0);
	assert_int_equal(b.size, strlen(want));
	assert_memory_equal(b.data, want, b.size);
	tp_buf_release(&b);
}

static void test_zigzag_round_trip(void **state)
{
	static const int64_t values[] = {0, -1, 1, -2, 2, 1 << 20, INT64_MAX, INT64_MIN};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_true(tp_unzigzag(tp_zigzag(values[i])) == values[i]);
	assert_int_equal(tp_zigzag(-1), 1);
	assert_int_equal(tp_zigzag(1), 2);
}

static void test_arena_aligned_and_zeroed(void **state)
{
	struct tp_arena a = {0};
	uint8_t *last = NULL;

	(void)state;
	for (size_t i = 0; i < 5000; i++) {
		size_t size = i * 7919 % 700;
		uint8_t *p = tp_arena_alloc(&a, size);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 16, 0);
		assert_true(!size || p != last);
		for (size_t k = 0; k < size; k++)
			assert_int_equal(p[k], 0);
		memset(p, 0xaa, size);
		last = size ? p : last;
	}
	assert_non_null(tp_arena_alloc(&a, (size_t)1 << 20));
	assert_true(a.total >= (size_t)1 << 20);
	tp_arena_clear(&a);
	assert_int_equal(a.total, 0);
	assert_non_null(tp_arena_alloc(&a, 1));
	tp_arena_clear(&a);
}

static void test_arena_too_much(void **state)
{
	struct tp_arena a = {0};

	(void)state;
	assert_null(tp_arena_alloc(&a, SIZE_MAX - 8));
	assert_null(tp_arena_strndup(&a, "x", SIZE_MAX));
	tp_arena_clear(&a);
}

static void test_arena_strndup_any_bytes(void **state)
{
	struct tp_arena a = {0};
	char *s = tp_arena_strndup(&a, "a\0b", 3);

	(void)state;
	assert_memory_equal(s, "a\0b\0", 4);
	assert_string_equal(tp_arena_strndup(&a, NULL, 0), "");
	tp_arena_clear(&a);
}

static void test_grow_zeroes_what_is_new(void **state)
{
	struct {
		uint32_t a, b, c;
	} *item = NULL;
	size_t room = 0;

	(void)state;
	for (size_t n = 0; n < 10000; n++) {
		assert_int_equal(tp_grow(&item, &room, n, sizeof(*item)), 0);
		assert_true(room > n);
		assert_true(!item[n].a && !item[n].b && !item[n].c);
		item[n].a = item[n].c = (uint32_t)n + 1;
	}
	for (size_t n = 0; n < 10000; n++)
		assert_true(item[n].a == n + 1 && item[n].c == n + 1);
	/* Far beyond the present end. */
	assert_int_equal(tp_grow(&item, &room, 100000, sizeof(*item)), 0);
	assert_true(room > 100000);
	for (size_t n = 10000; n < room; n++)
		assert_true(!item[n].a && !item[n].b && !item[n].c);
	free(item);
}

static void test_grow_raw_keeps_what_is_there(void **state)
{
	uint32_t *item = NULL;
	size_t room = 0;

	(void)state;
	for (uint32_t n = 0; n < 10000; n++) {
		assert_int_equal(tp_grow_raw(&item, &room, n, sizeof(*item)), 0);
		assert_true(room > n);
		item[n] = n;
	}
	for (uint32_t n = 0; n < 10000; n++)
		assert_int_equal(item[n], n);
	assert_int_equal(tp_grow_raw(&item, &room, SIZE_MAX, sizeof(*item)), TP_ENOMEM);
	assert_int_equal(item[9999], 9999);
	free(item);
}

static void test_grow_absurd(void **state)
{
	uint64_t *item = NULL, *was;
	size_t room = 0;

	(void)state;
	assert_int_equal(tp_grow(&item, &room, SIZE_MAX, sizeof(*item)), TP_ENOMEM);
	assert_true(!item && !room);
	assert_int_equal(tp_grow(&item, &room, 3, sizeof(*item)), 0);
	item[3] = 7;
	was = item;
	for (size_t n = SIZE_MAX; n > SIZE_MAX / 16; n /= 2) {
		assert_int_equal(tp_grow(&item, &room, n, sizeof(*item)), TP_ENOMEM);
		assert_ptr_equal(item, was);
		assert_true(room >= 4 && item[3] == 7);
	}
	free(item);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_buf_grows_and_keeps),
	    cmocka_unit_test(test_buf_reserve_absurd),
	    cmocka_unit_test(test_buf_failure_sticks),
	    cmocka_unit_test(test_buf_printf),
	    cmocka_unit_test(test_zigzag_round_trip),
	    cmocka_unit_test(test_arena_aligned_and_zeroed),
	    cmocka_unit_test(test_arena_too_much),
	    cmocka_unit_test(test_arena_strndup_any_bytes),
	    cmocka_unit_test(test_grow_zeroes_what_is_new),
	    cmocka_unit_test(test_grow_raw_keeps_what_is_there),
	    cmocka_unit_test(test_grow_absurd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
