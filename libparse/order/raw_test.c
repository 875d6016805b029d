/* Reads the wire unchanged: traces that are cut off anywhere, traces with any byte changed, and
 * sums that must match. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "order/raw.h"

static struct tp_buf read_file(const char *path)
{
	struct tp_buf b = {0};
	uint8_t piece[4096];
	FILE *f = fopen(path, "rb");
	size_t n;

	assert_non_null(f);
	while ((n = fread(piece, 1, sizeof(piece), f)))
		assert_int_equal(tp_buf_put(&b, piece, n), 0);
	fclose(f);
	return b;
}

/* Reads to the end or to the first fault. Returns its code, and the bytes and events before it. */
static int read_all(const void *data, size_t size, uint64_t *bytes, uint64_t *events)
{
	struct tp_raw_event ev;
	struct tp_raw *r;
	struct tp_err err;
	int more = 0, code = tp_raw_open(&r, data, size, &err);

	*bytes = *events = 0;
	if (code)
		return code;
	while ((more = tp_raw_next(r, &ev, &err)) > 0) {
		assert_int_equal(ev.offset, 16 + *bytes);
		*bytes += ev.size;
		++*events;
	}
	tp_raw_close(r);
	return more;
}

static void test_raw_covers_the_file(void **state)
{
	static const char *const files[] = {"testdata/checkout.trace",
					    "testdata/checkout-1.19.trace",
					    "testdata/counter-1.5.trace"};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct tp_buf b = read_file(files[i]);
		uint64_t bytes, events;

		assert_int_equal(read_all(b.data, b.size, &bytes, &events), 0);
		assert_int_equal(16 + bytes, b.size);
		assert_true(events > 50);
		tp_buf_release(&b);
	}
}

/* Uses a heap block of exactly that many bytes, so that a sanitizer sees reads beyond it. */
static void test_raw_cut_anywhere(void **state)
{
	static const char *const files[] = {"testdata/checkout-1.19.trace",
					    "testdata/counter-1.5.trace",
					    "testdata/checkout.trace"};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct tp_buf b = read_file(files[i]);
		size_t step = b.size > 4096 ? 97 : 1;

		for (size_t size = 0; size < b.size; size += step) {
			uint8_t *cut = malloc(size ? size : 1);
			uint64_t bytes, events;
			int code;

			assert_non_null(cut);
			memcpy(cut, b.data, size);
			code = read_all(cut, size, &bytes, &events);
			assert_true(code <= 0);
			assert_true(code || 16 + bytes == size);
			free(cut);
		}
		tp_buf_release(&b);
	}
}

static void test_raw_any_byte(void **state)
{
	struct tp_buf b = read_file("testdata/counter-1.5.trace"), line = {0};
	static const uint8_t odd[] = {0x00, 0x7f, 0x80, 0xff};

	(void)state;
	for (size_t i = 0; i < b.size * sizeof(odd); i++) {
		uint8_t *at = &b.data[i / sizeof(odd)], was = *at;
		struct tp_raw_event ev;
		struct tp_raw *r;
		struct tp_err err;

		*at = odd[i % sizeof(odd)];
		if (!tp_raw_open(&r, b.data, b.size, &err)) {
			while (tp_raw_next(r, &ev, &err) > 0) {
				line.size = 0;
				assert_int_equal(tp_raw_line(&ev, &line), 0);
				assert_int_equal(line.data[line.size - 1], '\n');
			}
			tp_raw_close(r);
		}
		*at = was;
	}
	tp_buf_release(&line);
	tp_buf_release(&b);
}

static void test_raw_lines(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *text; /* "": an error */
	} cases[] = {
	    {"\x10\x05\x07\x03", 4, "GoStart dt=5 g=7 g_seq=3\n"},
	    /* Its size counts as the shortest encoding, though it is padded. */
	    {"\x01\x01\x02\x03\x84\x80\x00", 7, "EventBatch gen=1 m=2 time=3 size=4\n"},
	    {"\x05\x09\x02\"\x01", 5, "String id=9\n\tdata=\"\\\"\\x01\"\n"},
	    {"\x05\x09\x00", 3, "String id=9\n"},
	    {"\x03\x01\x02\x01\x02\x03\x04\x05\x06\x07\x08", 11,
	     "Stack id=1 nframes=2\n\tpc=1 func=2 file=3 line=4\n\tpc=5 func=6 file=7 line=8\n"},
	    {"\x03\x01\xff\xff\xff\xff\x0f", 7, ""}, /* more frames than can be there */
	    {"\x05\x09\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12, ""},
	    {"\x40", 1, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_buf b = {0}, line = {0};
		struct tp_raw_event ev;
		struct tp_raw *r;
		struct tp_err err;
		int more;

		assert_int_equal(tp_buf_put(&b, "go 1.26 trace\0\0", 16), 0);
		assert_int_equal(tp_buf_put(&b, cases[i].bytes, cases[i].size), 0);
		assert_int_equal(tp_raw_open(&r, b.data, b.size, &err), 0);
		more = tp_raw_next(r, &ev, &err);
		assert_int_equal(more > 0, *cases[i].text != '\0');
		if (more > 0) {
			assert_int_equal(tp_raw_line(&ev, &line), 0);
			assert_int_equal(tp_buf_put(&line, "", 1), 0);
			assert_string_equal((char *)line.data, cases[i].text);
			assert_int_equal(ev.size, cases[i].size);
			assert_int_equal(ev.least, i == 1 ? 5 : cases[i].size);
		}
		tp_raw_close(r);
		tp_buf_release(&line);
		tp_buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_raw_covers_the_file),
	    cmocka_unit_test(test_raw_cut_anywhere),
	    cmocka_unit_test(test_raw_any_byte),
	    cmocka_unit_test(test_raw_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
