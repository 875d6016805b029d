#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "decode/v2/batch.h"
#include "decode/v2/wire.h"

static void test_batch_read_header(void **state)
{
	static const struct {
		const char *what;
		const char *bytes;
		size_t size;
		int version, result;
		enum tp_v2_batch_kind kind;
		uint32_t data_size;
		uint64_t m;
	} cases[] = {
	    {"nothing", "", 0, 22, 0, 0, 0, 0},
	    {"events", "\x01\x03\x07\x09\x02\x0b\x00", 7, 22, 1, TP_V2_BATCH_EVENTS, 2, 7},
	    {"no data", "\x01\x03\x07\x09\x00", 5, 22, 1, TP_V2_BATCH_EVENTS, 0, 7},
	    {"padded size", "\x01\x03\x07\x09\x82\x80\x80\x00\x0b\x00", 10, 22, 1,
	     TP_V2_BATCH_EVENTS, 2, 7},
	    {"no thread", "\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x09\x01\x04", 15, 22, 1,
	     TP_V2_BATCH_STRINGS, 1, UINT64_MAX},
	    {"frequency before 1.25", "\x01\x01\x01\x01\x02\x08\x05", 7, 23, 1, TP_V2_BATCH_SYNC, 2,
	     1},
	    {"frequency after 1.25", "\x01\x01\x01\x01\x02\x08\x05", 7, 25, 1, TP_V2_BATCH_EVENTS,
	     2, 1},
	    {"sync", "\x01\x01\x01\x01\x01\x32", 6, 25, 1, TP_V2_BATCH_SYNC, 1, 1},
	    {"experimental", "\x31\x01\x01\x01\x01\x01\x04", 7, 23, 1, TP_V2_BATCH_EXPERIMENTAL, 1,
	     1},
	    {"experiment 0 is none", "\x31\x00\x01\x01\x01\x01\x04", 7, 23, 1, TP_V2_BATCH_STRINGS,
	     1, 1},
	    {"end of generation", "\x34", 1, 26, 1, TP_V2_BATCH_END, 0, 0},
	    {"announced, then nothing", "\x31", 1, 23, 0, 0, 0, 0},
	    {"not a batch", "\x0a\x01\x01\x01\x01\x04", 6, 22, TP_EFORMAT, 0, 0, 0},
	    {"too large", "\x01\x01\x01\x01\x81\x80\x04", 7, 22, TP_EFORMAT, 0, 0, 0},
	    {"varint overflow", "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x01\x01\x00", 14, 22,
	     TP_EFORMAT, 0, 0, 0},
	    {"header cut off", "\x01\x03\x07", 3, 22, TP_ETRUNC, 0, 0, 0},
	    {"data cut off", "\x01\x03\x07\x09\x02\x0b", 6, 22, TP_ETRUNC, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_err err = {0};
		struct tp_v2_batch b;
		uint64_t offset = 0;
		int got = tp_v2_batch_read(&b, (const uint8_t *)cases[i].bytes, cases[i].size,
					   &offset, cases[i].version, &err);

		if (got != cases[i].result)
			fail_msg("%s: %d (%s)", cases[i].what, got, err.msg);
		if (got > 0) {
			assert_int_equal(b.kind, cases[i].kind);
			assert_int_equal(b.size, cases[i].data_size);
			assert_true(b.m == cases[i].m);
			assert_int_equal(offset, cases[i].size);
		} else {
			assert_int_equal(offset, 0);
			assert_int_equal(err.code, got);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_batch_read_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
