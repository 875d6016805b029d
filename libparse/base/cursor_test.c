#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/cursor.h"

static void test_cursor_uvarint_values(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		uint64_t value;
	} cases[] = {
	    {"\x00", 1, 0},
	    {"\x7f", 1, 127},
	    {"\x80\x01", 2, 128},
	    {"\xff\xff\xff\xff\x0f", 5, UINT32_MAX},
	    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, UINT64_MAX},
	    /* Padded, as Go writes batch sizes. */
	    {"\x85\x80\x80\x80\x80\x80\x80\x80\x80\x00", 10, 5},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_cursor c = tp_cursor(cases[i].bytes, cases[i].size);

		assert_int_equal(tp_cursor_uvarint(&c), cases[i].value);
		assert_int_equal(c.failed, TP_CURSOR_OK);
		assert_int_equal(tp_cursor_left(&c), 0);
		assert_int_equal(tp_cursor_offset(&c), cases[i].size);
	}
}

static void test_cursor_uvarint_faults(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		enum tp_cursor_fault fault;
	} cases[] = {
	    {"", 0, TP_CURSOR_END},
	    {"\x80", 1, TP_CURSOR_END},
	    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9, TP_CURSOR_END},
	    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, TP_CURSOR_OVERFLOW},
	    {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11, TP_CURSOR_OVERFLOW},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_cursor c = tp_cursor(cases[i].bytes, cases[i].size);

		assert_int_equal(tp_cursor_uvarint(&c), 0);
		assert_int_equal(c.failed, cases[i].fault);
		assert_true(tp_cursor_fault_text(c.failed)[0]);
	}
}

static void test_cursor_is_sticky(void **state)
{
	struct tp_cursor c = tp_cursor("\x01\x02\x03\x04\x05", 5);

	(void)state;
	assert_int_equal(tp_cursor_u8(&c), 1);
	assert_int_equal(tp_cursor_bytes(&c, 5).size, 0);
	assert_int_equal(c.failed, TP_CURSOR_END);
	/* Four bytes are there, but nothing is read after a failure. */
	assert_int_equal(tp_cursor_offset(&c), 1);
	assert_int_equal(tp_cursor_u8(&c), 0);
	assert_int_equal(tp_cursor_uvarint(&c), 0);
	assert_int_equal(tp_cursor_le32(&c), 0);
	assert_int_equal(tp_cursor_bytes(&c, 1).size, 0);
	assert_int_equal(tp_cursor_left(&c), 0);
	assert_int_equal(tp_cursor_offset(&c), 1);
}

static void test_cursor_bytes_huge_count(void **state)
{
	struct tp_cursor c = tp_cursor("abc", 3);

	(void)state;
	assert_int_equal(tp_cursor_bytes(&c, UINT64_MAX).size, 0);
	assert_int_equal(c.failed, TP_CURSOR_END);
}

static void test_cursor_le32_order(void **state)
{
	struct tp_cursor c = tp_cursor("\x78\x56\x34\x12\x01", 5);

	(void)state;
	assert_int_equal(tp_cursor_le32(&c), 0x12345678);
	assert_int_equal(tp_cursor_le32(&c), 0);
	assert_int_equal(c.failed, TP_CURSOR_END);
}

static void test_put_uvarint_round_trip(void **state)
{
	struct tp_buf b = {0};
	struct tp_cursor c;

	(void)state;
	for (unsigned bit = 0; bit < 64; bit++)
		for (int64_t d = -1; d <= 1; d++)
			assert_int_equal(tp_buf_put_uvarint(&b, ((uint64_t)1 << bit) + (uint64_t)d),
					 0);
	c = tp_cursor(b.data, b.size);
	for (unsigned bit = 0; bit < 64; bit++)
		for (int64_t d = -1; d <= 1; d++)
			assert_int_equal(tp_cursor_uvarint(&c), ((uint64_t)1 << bit) + (uint64_t)d);
	assert_int_equal(c.failed, TP_CURSOR_OK);
	assert_int_equal(tp_cursor_left(&c), 0);
	tp_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cursor_uvarint_values),
	    cmocka_unit_test(test_cursor_uvarint_faults),
	    cmocka_unit_test(test_cursor_is_sticky),
	    cmocka_unit_test(test_cursor_bytes_huge_count),
	    cmocka_unit_test(test_cursor_le32_order),
	    cmocka_unit_test(test_put_uvarint_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
