#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/binary.h"
#include "engine/quote.h"
#include "store/tables.h"

static void test_sql_quotes(void **state)
{
	static const struct {
		const char *data;
		size_t size;
		const char *sql;
	} cases[] = {
	    {"plain", 5, "'plain'"},
	    {"it's", 4, "'it\\x27s'"},
	    {"\\", 1, "'\\x5c'"},
	    {"'; DROP TABLE run; --", 21, "'\\x27; DROP TABLE run; --'"},
	    {"a\0b", 3, "'a\\x00b'"},
	    {"\xff\n", 2, "'\\xff\\x0a'"},
	    {"", 0, "''"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_buf s = {0};

		rep_sql_string(&s, cases[i].data, cases[i].size);
		assert_string_equal(rep_sql_text(&s), cases[i].sql);
		tp_buf_release(&s);
	}
}

static void test_sql_names(void **state)
{
	struct tp_buf s = {0};

	(void)state;
	rep_sql_name(&s, "a`.b");
	tp_buf_printf(&s, " = %d", 7);
	assert_string_equal(rep_sql_text(&s), "`a\\x60.b` = 7");
	tp_buf_release(&s);
}

struct seen {
	size_t n;
	int64_t sum;
	size_t bytes;
};

static int on_row(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct seen *s = ctx;
	int64_t v = rep_row_get_int(c);
	struct tp_slice t = rep_row_get_text_or_null(c);
	size_t n = rep_row_get_count(c, 8);

	(void)err;
	tp_cursor_bytes(c, 8 * n);
	if (c->failed)
		return 0;
	s->n++;
	s->sum += v == TP_NULL ? 1000 : v;
	s->bytes += t.size + n;
	return 0;
}

static struct tp_buf some_rows(void)
{
	struct tp_buf b = {0};

	for (int64_t i = 0; i < 50; i++) {
		char text[60] = "";

		rep_row_put_int(&b, i % 7 ? i : TP_NULL);
		rep_row_put_text_or_null(&b, i % 5 ? text : NULL, (size_t)i);
		tp_buf_put_uvarint(&b, 2);
		rep_row_put(&b, 1, 8);
		rep_row_put(&b, 2, 8);
	}
	return b;
}

/* An answer gives the same rows however it is cut into pieces. */
static void test_answer_pieces(void **state)
{
	struct tp_buf b = some_rows();
	struct tp_err err;

	(void)state;
	for (size_t piece = 1; piece <= b.size; piece += piece < 70 ? 1 : 97) {
		struct seen s = {0};
		struct rep_answer a = {.row = on_row, .ctx = &s};
		int code = 0;

		for (size_t at = 0; at < b.size && !code; at += piece)
			code = rep_answer_data(&a, b.data + at,
					       b.size - at < piece ? b.size - at : piece, &err);
		assert_int_equal(rep_answer_end(&a, code, &err), 0);
		assert_int_equal(s.n, 50);
		assert_int_equal(s.sum, 49 * 50 / 2 - (0 + 7 + 14 + 21 + 28 + 35 + 42 + 49) + 8000);
		assert_int_equal(s.bytes,
				 100 + 49 * 50 / 2 - (5 + 10 + 15 + 20 + 25 + 30 + 35 + 40 + 45));
	}
	tp_buf_release(&b);
}

static void test_answer_truncated(void **state)
{
	struct tp_buf b = some_rows();
	struct tp_err err;

	(void)state;
	for (size_t size = 1; size < b.size; size++) {
		struct seen s = {0};
		struct rep_answer a = {.row = on_row, .ctx = &s};
		int code = rep_answer_end(&a, rep_answer_data(&a, b.data, size, &err), &err);

		assert_true(code == TP_ETRUNC || (!code && s.n < 50));
	}
	tp_buf_release(&b);
}

/* False counts and sizes do not make the reader allocate memory. */
static void test_answer_lies(void **state)
{
	static const uint8_t lies[][24] = {
	    {1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
	    {1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
	    {1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
	};
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct seen s = {0};
		struct rep_answer a = {.row = on_row, .ctx = &s};
		int code =
		    rep_answer_end(&a, rep_answer_data(&a, lies[i], sizeof(lies[i]), &err), &err);

		assert_true(code == TP_ETRUNC || code == TP_EFORMAT);
		assert_int_equal(s.n, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sql_quotes),	  cmocka_unit_test(test_sql_names),
	    cmocka_unit_test(test_answer_pieces), cmocka_unit_test(test_answer_truncated),
	    cmocka_unit_test(test_answer_lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
