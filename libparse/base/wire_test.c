#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/wire.h"

#define BYTES(...) ((const uint8_t[]){__VA_ARGS__}), sizeof((const uint8_t[]){__VA_ARGS__})

static void test_field_next_every_wire_type(void **state)
{
	struct tp_cursor c = tp_cursor(BYTES(0x08, 0x96, 0x01,			   /* 1: 150 */
					     0x11, 1, 2, 3, 4, 5, 6, 7, 8,	   /* 2: fixed64 */
					     0x1a, 2, 'h', 'i',			   /* 3: "hi" */
					     0x23, 0x08, 1, 0x2b, 0x2c, 0x24,	   /* 4: groups */
					     0x35, 1, 2, 3, 4,			   /* 6: fixed32 */
					     0xf8, 0xff, 0xff, 0xff, 0x0f, 0x7f)); /* 2^29-1 */
	struct tp_field f;

	(void)state;
	assert_true(tp_field_next(&c, &f));
	assert_true(f.number == 1 && f.wire == TP_WIRE_VARINT && f.value == 150);
	assert_true(tp_field_next(&c, &f));
	assert_true(f.number == 2 && f.wire == TP_WIRE_FIXED64 && f.bytes.size == 8);
	assert_true(tp_field_next(&c, &f));
	assert_true(f.number == 3 && f.wire == TP_WIRE_BYTES && f.bytes.size == 2);
	assert_memory_equal(f.bytes.data, "hi", 2);
	assert_true(tp_field_next(&c, &f));
	assert_true(f.number == 4 && f.wire == TP_WIRE_GROUP);
	assert_true(tp_field_next(&c, &f));
	assert_true(f.number == 6 && f.wire == TP_WIRE_FIXED32 && f.bytes.size == 4);
	assert_true(tp_field_next(&c, &f));
	assert_true(f.number == (1u << 29) - 1 && f.value == 0x7f);
	assert_false(tp_field_next(&c, &f));
	assert_int_equal(c.failed, TP_CURSOR_OK);
}

static void test_field_next_faults(void **state)
{
	static const struct {
		uint8_t bytes[12];
		size_t size;
		enum tp_cursor_fault fault;
	} cases[] = {
	    {{0x08}, 1, TP_CURSOR_END},		/* no value */
	    {{0x88}, 1, TP_CURSOR_END},		/* half a tag */
	    {{0x12, 5, 'x'}, 3, TP_CURSOR_END}, /* more bytes than are left */
	    {{0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 11, TP_CURSOR_END},
	    {{0x09, 1, 2, 3}, 4, TP_CURSOR_END},    /* half a fixed64 */
	    {{0x0d, 1, 2, 3}, 4, TP_CURSOR_END},    /* and fixed32 */
	    {{0x0b, 0x08, 1}, 3, TP_CURSOR_END},    /* a group without end */
	    {{0x0c}, 1, TP_CURSOR_MALFORMED},	    /* an end without group */
	    {{0x0e, 1}, 2, TP_CURSOR_MALFORMED},    /* wire type 6 */
	    {{0x0f, 1}, 2, TP_CURSOR_MALFORMED},    /* wire type 7 */
	    {{0x00, 1}, 2, TP_CURSOR_MALFORMED},    /* number 0 */
	    {{0x0b, 0x00}, 2, TP_CURSOR_MALFORMED}, /* the same within a group */
	    {{0x80, 0x80, 0x80, 0x80, 0x10, 1}, 6, TP_CURSOR_MALFORMED}, /* number 2^29 */
	    {{0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02},
	     11,
	     TP_CURSOR_OVERFLOW},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_cursor c = tp_cursor(cases[i].bytes, cases[i].size);
		struct tp_field f;

		assert_false(tp_field_next(&c, &f));
		assert_int_equal(c.failed, cases[i].fault);
		assert_int_equal(tp_cursor_offset(&c), 0); /* of the field */
		assert_false(tp_field_next(&c, &f));
	}
}

static void test_wire_numbers(void **state)
{
	static const uint8_t good[] = {0x08, 5, 0x18, 7, 0x08, 6, 0x22, 1, 'x'};
	static const uint8_t wrong[] = {0x08, 5, 0x12, 1, 'x'};
	uint64_t v[4] = {1, 2, 3, 4};

	(void)state;
	assert_true(tp_wire_numbers((struct tp_slice){good, sizeof(good)}, v, 4));
	assert_true(v[1] == 6 && v[2] == 3 && v[3] == 7);
	assert_false(tp_wire_numbers((struct tp_slice){good, 3}, v, 4));
	assert_false(tp_wire_numbers((struct tp_slice){wrong, sizeof(wrong)}, v, 4));
	assert_true(tp_wire_numbers((struct tp_slice){NULL, 0}, v, 4));
}

static void test_wire_put_round_trip(void **state)
{
	struct tp_buf b = {0};
	struct tp_cursor c;
	struct tp_field f;

	(void)state;
	assert_int_equal(tp_wire_put_number(&b, 9, UINT64_MAX), 0);
	assert_int_equal(tp_wire_put_number(&b, 3, 0), 0); /* nothing */
	assert_int_equal(tp_wire_put_bytes(&b, 15, "", 0), 0);
	assert_int_equal(tp_wire_put_bytes(&b, 2047, "abc", 3), 0);
	c = tp_cursor(b.data, b.size);
	assert_true(tp_field_next(&c, &f));
	assert_true(f.number == 9 && f.value == UINT64_MAX);
	assert_true(tp_field_next(&c, &f));
	assert_true(f.number == 15 && f.wire == TP_WIRE_BYTES && !f.bytes.size);
	assert_true(tp_field_next(&c, &f));
	assert_true(f.number == 2047 && f.bytes.size == 3);
	assert_false(tp_field_next(&c, &f));
	assert_int_equal(c.failed, TP_CURSOR_OK);
	tp_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_field_next_every_wire_type),
	    cmocka_unit_test(test_field_next_faults),
	    cmocka_unit_test(test_wire_numbers),
	    cmocka_unit_test(test_wire_put_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
