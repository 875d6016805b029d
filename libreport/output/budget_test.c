#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "base/buf.h"
#include "output/budget.h"

static const struct rep_column columns[] = {
    {.name = "function", .title = "FUNCTION", .kind = REP_TEXT},
    {.name = "count", .title = "COUNT", .kind = REP_COUNT},
};

static int end(struct rep_budget *budget, enum rep_budget_way way, struct tp_buf *b,
	       char left[REP_BUDGET_LEFT])
{
	const struct rep_sink to = rep_sink_buf(b);
	struct tp_err err;
	int code = rep_budget_end(budget, way, &to, left, &err);

	assert_int_equal(tp_buf_put(b, "", 1), 0);
	b->size--;
	return code;
}

/* Writes two tables of 20 rows with headings and notes, in as many bytes. */
static int render(struct tp_buf *b, enum rep_format format, bool head, int64_t bytes,
		  char left[REP_BUDGET_LEFT])
{
	static const enum rep_budget_way ways[REP_NFORMATS] = {
	    [REP_FORMAT_TABLE] = REP_BUDGET_TEXT, [REP_FORMAT_MARKDOWN] = REP_BUDGET_MARKDOWN,
	    [REP_FORMAT_JSON] = REP_BUDGET_JSON,  [REP_FORMAT_CSV] = REP_BUDGET_SILENT,
	    [REP_FORMAT_TSV] = REP_BUDGET_SILENT,
	};
	struct rep_output_options opt = {
	    .format = format, .several = true, .json_head = head ? "\"a\": 1" : NULL};
	struct rep_budget *budget;
	struct rep_output *out;
	struct tp_err err;
	int code;

	*b = (struct tp_buf){0};
	assert_int_equal(rep_budget_new(&budget, bytes, &err), 0);
	opt.sink = rep_budget_sink(budget);
	assert_int_equal(rep_output_new(&out, &opt, &err), 0);
	for (int t = 0; t < 2; t++) {
		rep_output_note(out, true, t ? "second" : "first", &err);
		rep_output_begin(out, t ? "two" : "one", columns, 2, &err);
		for (int i = 0; i < 20; i++) {
			char name[40];
			struct rep_value row[2] = {rep_text(name, 0), rep_int(i)};

			row[0].text.size = (size_t)snprintf(name, sizeof(name), "main.f%d_%.*s", i,
							    i, "xxxxxxxxxxxxxxxxxxxxxx");
			rep_output_row(out, row, &err);
		}
		rep_output_end(out, &err);
		rep_output_note(out, false, "a hint", &err);
	}
	assert_int_equal(rep_output_finish(out, &err), 0);
	rep_output_free(out);
	code = end(budget, ways[format], b, left);
	rep_budget_free(budget);
	return code;
}

/* Every budget holds; what fits is whole; JSON stays JSON; something is said if something is missing. */
static void test_budget_all_sizes(void **state)
{
	(void)state;
	for (int f = 0; f < 2 * REP_NFORMATS; f++) {
		enum rep_format format = (enum rep_format)(f % REP_NFORMATS);
		bool head = f >= REP_NFORMATS;
		char left[REP_BUDGET_LEFT];
		struct tp_buf whole, part;

		if (head && format != REP_FORMAT_JSON)
			continue;
		assert_int_equal(render(&whole, format, head, 1 << 20, left), 0);
		assert_string_equal(left, "");
		for (size_t n = REP_BUDGET_LEAST; n <= whole.size + 2; n++) {
			int code = render(&part, format, head, (int64_t)n, left);

			assert_true(part.size <= n);
			if (code) {
				assert_true(format == REP_FORMAT_JSON && !part.size);
			} else if (n >= whole.size) {
				assert_string_equal((char *)part.data, (char *)whole.data);
				assert_string_equal(left, "");
			} else {
				assert_true(*left);
				if (format == REP_FORMAT_TABLE || format == REP_FORMAT_MARKDOWN)
					assert_non_null(strstr((char *)part.data, left));
			}
			if (!code && format == REP_FORMAT_JSON) {
				json_object *o = json_tokener_parse((char *)part.data);

				assert_non_null(o);
				json_object_put(o);
			}
			tp_buf_release(&part);
		}
		tp_buf_release(&whole);
	}
}

static void test_budget_shares(void **state)
{
	char left[REP_BUDGET_LEFT];
	struct tp_buf b;

	(void)state;
	assert_int_equal(render(&b, REP_FORMAT_TABLE, false, 360, left), 0);
	assert_string_equal(
	    (char *)b.data,
	    "first\n"
	    "FUNCTION                      COUNT\n"
	    "main.f0_                          0\n"
	    "main.f1_x                         1\n"
	    "main.f2_xx                        2\n"
	    "second\n"
	    "FUNCTION                      COUNT\n"
	    "main.f0_                          0\n"
	    "main.f1_x                         1\n"
	    "left out 35 of 40 rows and 2 of 6 other lines to fit --budget=360; --budget=1700 "
	    "shows all\n");
	tp_buf_release(&b);
}

/* Text without marks is cut by lines, however it was written. */
static void test_budget_lines(void **state)
{
	struct rep_budget *budget;
	struct rep_sink sink;
	char left[REP_BUDGET_LEFT];
	struct tp_buf b = {0};
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_budget_new(&budget, 200, &err), 0);
	sink = rep_budget_sink(budget);
	for (int i = 0; i < 4000; i++)
		assert_int_equal(sink.write(sink.ctx, &"a line of text\n"[i % 15], 1, &err), 0);
	assert_int_equal(end(budget, REP_BUDGET_TEXT, &b, left), 0);
	assert_true(b.size <= 200 && b.size > 150);
	assert_int_equal(memcmp(b.data, "a line of text\na line of text\n", 30), 0);
	assert_string_equal(
	    left, "left out 259 of 267 lines to fit --budget=200; --budget=4100 shows all");
	rep_budget_free(budget);
	tp_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_budget_all_sizes),
	    cmocka_unit_test(test_budget_shares),
	    cmocka_unit_test(test_budget_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
