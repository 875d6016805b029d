#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "output/output.h"

static const struct rep_column columns[] = {
    {.name = "function", .title = "FUNCTION", .kind = REP_TEXT, .shorten = REP_SHORTEN_FUNCTION},
    {.name = "count", .title = "COUNT", .kind = REP_COUNT},
    {.name = "total_ns", .title = "TOTAL", .kind = REP_NS},
    {.name = "size", .title = "SIZE", .kind = REP_BYTES, .drop = 2},
    {.name = "share", .title = "SHARE", .kind = REP_SHARE, .drop = 1},
    {.name = "exact", .title = "EXACT", .kind = REP_BOOL, .raw_only = true},
};
#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

/* Returns two rows of the columns above in a format, as a text that tp_buf_release frees. */
static const char *render(struct tp_buf *b, struct rep_output_options opt)
{
	const struct rep_value rows[2][NCOLUMNS] = {
	    {rep_str("net/http.(*conn).serve"), rep_int(1234567), rep_int(1250000),
	     rep_int(3565158), rep_float(0.125), rep_int(1)},
	    {rep_text("=cmd|'\x1b[2J,\xff", 12), rep_int(-1000), rep_null(), rep_opt(INT64_MIN),
	     rep_float(0.0001), rep_int(0)},
	};
	struct rep_output *out;
	struct tp_err err;

	memset(b, 0, sizeof(*b));
	opt.sink = rep_sink_buf(b);
	assert_int_equal(rep_output_new(&out, &opt, &err), 0);
	for (int table = 0; table < (opt.several ? 2 : 1); table++) {
		assert_int_equal(
		    rep_output_begin(out, table ? "two" : "one", columns, NCOLUMNS, &err), 0);
		for (int i = 0; i < 2 - table; i++)
			assert_int_equal(rep_output_row(out, rows[i], &err), 0);
		assert_int_equal(rep_output_end(out, &err), 0);
	}
	assert_int_equal(rep_output_finish(out, &err), 0);
	rep_output_free(out);
	assert_int_equal(tp_buf_put(b, "", 1), 0);
	return (const char *)b->data;
}

static void test_output_table_widths(void **state)
{
	static const struct {
		unsigned width;
		const char *want;
	} cases[] = {
	    {0, "FUNCTION                    COUNT   TOTAL    SIZE  SHARE\n"
		"net/http.(*conn).serve  1,234,567  1.25ms  3.4MiB  12.5%\n"
		"=cmd|'\\x1b[2J,\\xff         -1,000       -       -  <0.1%\n"},
	    {53, "FUNCTION                 COUNT   TOTAL    SIZE  SHARE\n"
		 "…http.(*conn).serve  1,234,567  1.25ms  3.4MiB  12.5%\n"
		 "=cmd|'\\x1b[2J,\\xff      -1,000       -       -  <0.1%\n"},
	    /* SIZE is dropped before the function gets too short, SHARE after it. */
	    {44, "FUNCTION                COUNT   TOTAL  SHARE\n"
		 "…ttp.(*conn).serve  1,234,567  1.25ms  12.5%\n"
		 "=cmd|'\\x1b[2J,\\xff     -1,000       -  <0.1%\n"
		 "not in 44 columns: SIZE\n"},
	    {35, "FUNCTION              COUNT   TOTAL\n"
		 "…p.(*conn).serve  1,234,567  1.25ms\n"
		 "…d|'\\x1b[2J,\\xff     -1,000       -\n"
		 "not in 35 columns: SIZE, SHARE\n"},
	    {25, "FUNCT…      COUNT   TOTAL\n"
		 "…serve  1,234,567  1.25ms\n"
		 "…,\\xff     -1,000       -\n"
		 "not in 25 columns: SIZE,\n"
		 "SHARE\n"},
	    /* Numbers are never cut. If they take too much, cutting texts cannot make the table
	     * fit. */
	    {24, "FUNCTION                    COUNT   TOTAL\n"
		 "net/http.(*conn).serve  1,234,567  1.25ms\n"
		 "=cmd|'\\x1b[2J,\\xff         -1,000       -\n"
		 "not in 24 columns: SIZE,\n"
		 "SHARE\n"},
	    /* A text takes at most a line, so a long one does not widen all rows. */
	    {18, "FUNCTION                COUNT   TOTAL\n"
		 "…ttp.(*conn).serve  1,234,567  1.25ms\n"
		 "=cmd|'\\x1b[2J,\\xff     -1,000       -\n"
		 "not in 18 columns:\n"
		 "SIZE, SHARE\n"},
	};
	struct tp_buf b;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(
		    render(&b, (struct rep_output_options){.width = cases[i].width}),
		    cases[i].want);
		tp_buf_release(&b);
	}
}

/* Lines do not end in blanks, even if their last text is not in the last column. */
static void test_output_table_trailing_blanks(void **state)
{
	static const struct rep_column two[] = {{.name = "name", .kind = REP_TEXT},
						{.name = "labels", .kind = REP_TEXT}};
	struct rep_value row[] = {rep_str("longer"), rep_str("")};
	struct tp_buf b = {0};
	const struct rep_output_options opt = {.sink = rep_sink_buf(&b), .width = 40};
	struct rep_output *out;

	(void)state;
	assert_int_equal(rep_output_new(&out, &opt, NULL), 0);
	assert_int_equal(rep_output_begin(out, "one", two, 2, NULL), 0);
	assert_int_equal(rep_output_row(out, row, NULL), 0);
	row[0] = rep_str("short");
	assert_int_equal(rep_output_row(out, row, NULL), 0);
	assert_int_equal(rep_output_end(out, NULL), 0);
	assert_int_equal(rep_output_finish(out, NULL), 0);
	rep_output_free(out);
	assert_int_equal(tp_buf_put(&b, "", 1), 0);
	assert_string_equal((const char *)b.data, "name    labels\nlonger\nshort\n");
	tp_buf_release(&b);
}

/* Headings and hints break between words; a word is never cut. */
static void test_output_table_notes_wrap(void **state)
{
	static const struct {
		unsigned width;
		const char *want;
	} cases[] = {
	    {0, "next: add block, sched or cpu\n"},	 {29, "next: add block, sched or cpu\n"},
	    {28, "next: add block, sched or\ncpu\n"},	 {11, "next: add\nblock,\nsched or\ncpu\n"},
	    {3, "next:\nadd\nblock,\nsched\nor\ncpu\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_buf b = {0};
		struct rep_output_options opt = {.width = cases[i].width, .sink = rep_sink_buf(&b)};
		struct rep_output *out;
		struct tp_err err;

		assert_int_equal(rep_output_new(&out, &opt, &err), 0);
		assert_int_equal(rep_output_note(out, false, "next: add block, sched or cpu", &err),
				 0);
		assert_int_equal(rep_output_finish(out, &err), 0);
		rep_output_free(out);
		assert_int_equal(tp_buf_put(&b, "", 1), 0);
		assert_string_equal((const char *)b.data, cases[i].want);
		tp_buf_release(&b);
	}
}

/* Headings are bold, hints dim, and answers neither. */
static void test_output_table_notes_have_looks(void **state)
{
	struct tp_buf b = {0};
	struct rep_output_options opt = {.colour = true, .sink = rep_sink_buf(&b)};
	struct rep_output *out;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_output_new(&out, &opt, &err), 0);
	assert_int_equal(rep_output_note(out, true, "head", &err), 0);
	assert_int_equal(rep_output_say(out, "it waited", &err), 0);
	assert_int_equal(rep_output_note(out, false, "next", &err), 0);
	assert_int_equal(rep_output_finish(out, &err), 0);
	rep_output_free(out);
	assert_int_equal(tp_buf_put(&b, "", 1), 0);
	assert_string_equal((const char *)b.data,
			    "\x1b[1mhead\x1b[0m\nit waited\n\x1b[2mnext\x1b[0m\n");
	tp_buf_release(&b);
}

static void test_output_table_streams_long_results(void **state)
{
	static const struct rep_column any[] = {{.name = "n", .kind = REP_ANY}};
	struct tp_buf b = {0};
	struct rep_output_options opt = {.sink = rep_sink_buf(&b)};
	struct rep_output *out;
	size_t lines = 0;

	(void)state;
	assert_int_equal(rep_output_new(&out, &opt, NULL), 0);
	assert_int_equal(rep_output_begin(out, "n", any, 1, NULL), 0);
	for (int i = 0; i < 3 * REP_TABLE_MEASURED; i++) {
		const struct rep_value v = rep_int(i);

		assert_int_equal(rep_output_row(out, &v, NULL), 0);
	}
	assert_int_equal(rep_output_end(out, NULL), 0);
	assert_int_equal(rep_output_finish(out, NULL), 0);
	rep_output_free(out);
	for (size_t i = 0; i < b.size; i++)
		lines += b.data[i] == '\n';
	assert_int_equal(lines, 3 * REP_TABLE_MEASURED + 1);
	tp_buf_release(&b);
}

static void test_output_csv(void **state)
{
	struct tp_buf b;

	(void)state;
	assert_string_equal(render(&b, (struct rep_output_options){.format = REP_FORMAT_CSV}),
			    "function,count,total_ns,size,share,exact\r\n"
			    "net/http.(*conn).serve,1234567,1250000,3565158,0.125,1\r\n"
			    "\"'=cmd|'\\x1b[2J,\\xff\",-1000,,,0.0001,0\r\n");
	tp_buf_release(&b);
}

static void test_output_tsv(void **state)
{
	struct tp_buf b;

	(void)state;
	assert_string_equal(render(&b, (struct rep_output_options){.format = REP_FORMAT_TSV}),
			    "function\tcount\ttotal_ns\tsize\tshare\texact\n"
			    "net/http.(*conn).serve\t1234567\t1250000\t3565158\t0.125\t1\n"
			    "=cmd|'\\x1b[2J,\\xff\t-1000\t\t\t0.0001\t0\n");
	tp_buf_release(&b);
}

#define JSON_1                                                                                     \
	"{\"function\": \"net/http.(*conn).serve\", \"count\": 1234567, \"total_ns\": 1250000, "   \
	"\"size\": 3565158, \"share\": 0.125, \"exact\": true}"
#define JSON_2                                                                                     \
	"{\"function\": \"=cmd|'\\u001b[2J,\\\\xff\", \"count\": -1000, \"total_ns\": null, "      \
	"\"size\": null, \"share\": 0.0001, \"exact\": false}"

static void test_output_json(void **state)
{
	struct tp_buf b;

	(void)state;
	assert_string_equal(render(&b, (struct rep_output_options){.format = REP_FORMAT_JSON}),
			    "[\n" JSON_1 ",\n" JSON_2 "\n]\n");
	tp_buf_release(&b);
	assert_string_equal(
	    render(&b, (struct rep_output_options){.format = REP_FORMAT_JSON, .several = true}),
	    "{\"one\": [\n" JSON_1 ",\n" JSON_2 "\n],\n\"two\": [\n" JSON_1 "\n]}\n");
	tp_buf_release(&b);
}

static void test_output_json_numbers(void **state)
{
	static const struct rep_column any[] = {{.name = "v", .kind = REP_ANY}};
	static const struct {
		double f;
		const char *want;
	} cases[] = {
	    {0.1, "0.1"},	   {1e300, "1e+300"}, {1.0 / 3, "0.3333333333333333"},
	    {(double)NAN, "null"}, {-2.5, "-2.5"},    {(double)INFINITY, "null"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_buf b = {0};
		struct rep_output_options opt = {.format = REP_FORMAT_JSON,
						 .sink = rep_sink_buf(&b)};
		const struct rep_value v = rep_float(cases[i].f);
		struct rep_output *out;
		char want[64];

		assert_int_equal(rep_output_new(&out, &opt, NULL), 0);
		assert_int_equal(rep_output_begin(out, "v", any, 1, NULL), 0);
		assert_int_equal(rep_output_row(out, &v, NULL), 0);
		assert_int_equal(rep_output_end(out, NULL), 0);
		assert_int_equal(rep_output_finish(out, NULL), 0);
		rep_output_free(out);
		assert_int_equal(tp_buf_put(&b, "", 1), 0);
		snprintf(want, sizeof(want), "[\n{\"v\": %s}\n]\n", cases[i].want);
		assert_string_equal((char *)b.data, want);
		tp_buf_release(&b);
	}
}

/* Columns of SQL have names from the store, which must not reach the terminal unescaped. */
static void test_output_hostile_titles(void **state)
{
	static const struct rep_column hostile[] = {
	    {.name = "a\x1b]0;pwned\x07\n\xe2\x80\xae"
		     "b",
	     .kind = REP_ANY},
	    {.name = "x", .title = "<b>\x9b|", .kind = REP_ANY},
	    {.name = "=\t1", .kind = REP_TEXT, .drop = 1},
	    {.name = "", .kind = REP_ANY},
	};
#define TITLE "a\\x1b]0;pwned\\x07\\n\\u202eb"
	static const struct {
		enum rep_format format;
		unsigned width;
		const char *want;
	} cases[] = {
	    {REP_FORMAT_TABLE, 0,
	     TITLE "  <b>\\x9b|  =\\t1\n"
		   "1                                  2  y     -\n"},
	    /* The narrowest table, and the note about dropped columns. */
	    {REP_FORMAT_TABLE, 27,
	     "a\\x1b]0;pwned…  <b>\\x9b|\n"
	     "1                      2  -\n"
	     "not in 27 columns: =\\t1\n"},
	    {REP_FORMAT_MARKDOWN, 0,
	     "| a\\\\x1b\\]0;pwned\\\\x07\\\\n\\\\u202eb | &lt;b\\>\\\\x9b\\| | =\\\\t1 |  |\n"
	     "|---|---|---|---|\n"
	     "| 1 | 2 | y | - |\n"},
	    {REP_FORMAT_TSV, 0, TITLE "\tx\t=\\t1\t\n1\t2\ty\t\n"},
	    {REP_FORMAT_CSV, 0,
	     "\"a\\x1b]0;pwned\\x07\n\\u202eb\",x,\"'=\t1\",\r\n"
	     "1,2,y,\r\n"},
	    {REP_FORMAT_JSON, 0,
	     "[\n{\"a\\u001b]0;pwned\\u0007\\u000a\\u202eb\": \"1\", \"x\": 2, "
	     "\"=\\u00091\": \"y\", \"\": null}\n]\n"},
	};
	const struct rep_value row[] = {rep_str("1"), rep_int(2), rep_str("y"), rep_null()};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_buf b = {0};
		const struct rep_output_options opt = {
		    .format = cases[i].format, .width = cases[i].width, .sink = rep_sink_buf(&b)};
		struct rep_output *out;

		assert_int_equal(rep_output_new(&out, &opt, NULL), 0);
		assert_int_equal(rep_output_begin(out, "one", hostile, 4, NULL), 0);
		assert_int_equal(rep_output_row(out, row, NULL), 0);
		assert_int_equal(rep_output_end(out, NULL), 0);
		assert_int_equal(rep_output_finish(out, NULL), 0);
		rep_output_free(out);
		assert_int_equal(tp_buf_put(&b, "", 1), 0);
		assert_string_equal((char *)b.data, cases[i].want);
		tp_buf_release(&b);
	}
}

/* Texts that a spreadsheet would compute, also if it skips characters before them. */
static void test_output_csv_formulas(void **state)
{
	static const struct rep_column column = {.name = "v", .kind = REP_TEXT};
	static const char *const texts[][2] = {
	    {"=1", "'=1"},	   {"+1", "'+1"},	  {"-1", "'-1"},  {"@a", "'@a"},
	    {"\t=1", "\"'\t=1\""}, {"\n=1", "\"'\n=1\""}, {"a=1", "a=1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct tp_buf b = {0};
		const struct rep_output_options opt = {.format = REP_FORMAT_CSV,
						       .sink = rep_sink_buf(&b)};
		const struct rep_value row = rep_str(texts[i][0]);
		struct rep_output *out;
		char want[40];

		assert_int_equal(rep_output_new(&out, &opt, NULL), 0);
		assert_int_equal(rep_output_begin(out, "one", &column, 1, NULL), 0);
		assert_int_equal(rep_output_row(out, &row, NULL), 0);
		assert_int_equal(rep_output_end(out, NULL), 0);
		assert_int_equal(rep_output_finish(out, NULL), 0);
		rep_output_free(out);
		assert_int_equal(tp_buf_put(&b, "", 1), 0);
		snprintf(want, sizeof(want), "v\r\n%s\r\n", texts[i][1]);
		assert_string_equal((char *)b.data, want);
		tp_buf_release(&b);
	}
}

static int fail_write(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)ctx;
	(void)data;
	(void)size;
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "disk full");
}

static void test_output_reports_sink_errors(void **state)
{
	struct rep_output_options opt = {.sink = {.write = fail_write}};
	struct rep_output *out;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_output_new(&out, &opt, &err), 0);
	assert_int_equal(rep_output_begin(out, "one", columns, NCOLUMNS, &err), 0);
	assert_int_equal(rep_output_end(out, &err), 0);
	assert_int_equal(rep_output_finish(out, &err), TP_EIO);
	assert_string_equal(err.msg, "disk full");
	rep_output_free(out);
}

static void test_format_find_unknown(void **state)
{
	enum rep_format format;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_format_find("json", &format, &err), 0);
	assert_int_equal(format, REP_FORMAT_JSON);
	assert_int_equal(rep_format_find("xml", &format, &err), TP_ENOENT);
}

/* With a head JSON is one object, also without a table or rows, and has the columns of tables. */
static void test_json_head(void **state)
{
	static const struct rep_column of_head[] = {
	    {.name = "name", .title = "NAME", .kind = REP_TEXT, .doc = "its \"name\""},
	    {.name = "shown", .kind = REP_TEXT, .doc = "it", .table_only = true, .by = "total_ns"},
	    {.name = "mark", .kind = REP_TEXT, .table_only = true},
	    {.name = "total_ns", .kind = REP_NS, .raw_only = true},
	};
	const struct rep_value row[] = {rep_str("a"), rep_str("5 ns"), rep_str("!"), rep_int(5)};
	struct tp_buf text = {0}, messages = {0};
	struct rep_output_options opt = {
	    .format = REP_FORMAT_JSON, .json_head = "\"run\": 1", .sink = rep_sink_buf(&text)};
	struct rep_output *out;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_output_new(&out, &opt, &err), 0);
	assert_int_equal(rep_output_messages(out, &messages), 0);
	assert_int_equal(rep_output_note(out, true, "a \"heading\"", &err), 0);
	assert_int_equal(rep_output_note(out, false, "", &err), 0);
	assert_int_equal(rep_output_begin(out, "t", of_head, 4, &err), 0);
	assert_int_equal(rep_output_row(out, row, &err), 0);
	assert_int_equal(rep_output_end(out, &err), 0);
	assert_int_equal(rep_output_more(out, 1, 3, "rows", &err), 0);
	assert_int_equal(rep_output_begin(out, "u", of_head, 1, &err), 0);
	assert_int_equal(rep_output_end(out, &err), 0);
	tp_buf_text(&messages, "\"late\"");
	assert_int_equal(rep_output_finish(out, &err), 0);
	rep_output_free(out);
	tp_buf_put(&text, "", 1);
	assert_string_equal((char *)text.data,
			    "{\"run\": 1,\n\"tables\": [\n"
			    "{\"name\": \"t\", \"columns\": [\n"
			    "{\"name\": \"name\", \"title\": \"NAME\", \"kind\": \"text\", "
			    "\"doc\": \"its \\\"name\\\"\"},\n"
			    "{\"name\": \"shown\", \"title\": \"shown\", \"kind\": \"text\", "
			    "\"doc\": \"it\", \"by\": \"total_ns\"},\n"
			    "{\"name\": \"total_ns\", \"title\": \"total_ns\", \"kind\": \"ns\", "
			    "\"raw\": true}], \"rows\": [\n"
			    "{\"name\": \"a\", \"shown\": \"5 ns\", \"total_ns\": 5}\n]},\n"
			    "{\"name\": \"u\", \"columns\": [\n"
			    "{\"name\": \"name\", \"title\": \"NAME\", \"kind\": \"text\", "
			    "\"doc\": \"its \\\"name\\\"\"}], \"rows\": []}],\n"
			    "\"cut\": [\n{\"rows\": \"rows\", \"shown\": 1, \"of\": 3}],\n"
			    "\"notes\": [\n\"a \\\"heading\\\"\"],\n"
			    "\"messages\": [\"late\"]}\n");
	text.size = 0;
	assert_int_equal(rep_output_new(&out, &opt, &err), 0);
	assert_int_equal(rep_output_finish(out, &err), 0);
	rep_output_free(out);
	tp_buf_put(&text, "", 1);
	assert_string_equal((char *)text.data,
			    "{\"run\": 1,\n\"tables\": [],\n\"cut\": [],\n\"notes\": [],\n"
			    "\"messages\": []}\n");
	tp_buf_release(&text);
	tp_buf_release(&messages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_output_table_widths),
	    cmocka_unit_test(test_output_table_trailing_blanks),
	    cmocka_unit_test(test_output_table_notes_wrap),
	    cmocka_unit_test(test_output_table_notes_have_looks),
	    cmocka_unit_test(test_output_table_streams_long_results),
	    cmocka_unit_test(test_output_csv),
	    cmocka_unit_test(test_output_tsv),
	    cmocka_unit_test(test_output_json),
	    cmocka_unit_test(test_output_json_numbers),
	    cmocka_unit_test(test_output_hostile_titles),
	    cmocka_unit_test(test_output_csv_formulas),
	    cmocka_unit_test(test_output_reports_sink_errors),
	    cmocka_unit_test(test_format_find_unknown),
	    cmocka_unit_test(test_json_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
