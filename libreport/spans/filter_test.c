#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "spans/filter.h"
#include "top/report.h"

static uint32_t string(struct tp_dict *d, const char *text)
{
	uint32_t id;

	assert_int_equal(tp_dict_string(d, text, strlen(text), &id), 0);
	return id;
}

static uint32_t frame(struct tp_dict *d, uint32_t parent, const char *name)
{
	struct tp_function f = {.name = string(d, name)};
	struct tp_frame fr = {.line = 1};
	uint32_t id, stack;

	assert_int_equal(tp_dict_function(d, &f, &fr.function), 0);
	assert_int_equal(tp_dict_frame(d, &fr, &id), 0);
	assert_int_equal(tp_dict_stack(d, parent, id, &stack), 0);
	return stack;
}

static void test_matcher_frames(void **state)
{
	static const struct {
		struct rep_filter_text text;
		bool empty, plain, locked; /* spans without a stack, in main.work, in sync */
	} cases[] = {
	    {{0}, true, true, true},
	    {{.focus = "sync"}, false, false, true},
	    {{.ignore = "sync"}, true, true, false},
	    {{.focus = "main", .ignore = "sync"}, true, true, false},
	    {{.focus = "^main\\.entry$"}, true, true, true}, /* the root matches, so every span
								does */
	    {{.ignore = "entry"}, false, false, false},
	    {{.goroutine = "entry"}, true, true, true},
	    {{.goroutine = "work"}, false, false, false},
	    {{.reason = "^lock$"}, false, false, true},
	    {{.state = "running"}, true, false, false},
	    {{.state = "running,blocked"}, true, true, true},
	};
	struct tp_dict *d = tp_dict_new();
	uint32_t root = frame(d, 0, "main.entry"), work = frame(d, root, "main.work");
	uint32_t lock = frame(d, work, "sync.(*Mutex).Lock"), entry = string(d, "main.entry");
	uint32_t reason = string(d, "lock");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rep_filter f;
		struct rep_matcher m;

		assert_int_equal(rep_filter_init(&f, &cases[i].text, NULL), 0);
		assert_int_equal(rep_matcher_init(&m, &f, d, NULL), 0);
		assert_int_equal(rep_match_span(&m, entry, TP_ST_RUNNING, 0, 0), cases[i].empty);
		assert_int_equal(rep_match_span(&m, entry, TP_ST_WAITING, 0, work), cases[i].plain);
		assert_int_equal(rep_match_span(&m, entry, TP_ST_WAITING, reason, lock),
				 cases[i].locked);
		rep_matcher_release(&m);
		rep_filter_release(&f);
	}
	tp_dict_free(d);
}

static void test_matcher_survives_wild_ids(void **state)
{
	const struct rep_filter_text text = {.focus = "x"};
	struct tp_dict *d = tp_dict_new();
	struct rep_filter f;
	struct rep_matcher m;

	(void)state;
	assert_int_equal(rep_filter_init(&f, &text, NULL), 0);
	assert_int_equal(rep_matcher_init(&m, &f, d, NULL), 0);
	assert_false(rep_match_span(&m, UINT32_MAX, TP_ST_RUNNING, 1u << 31, UINT32_MAX - 1));
	rep_matcher_release(&m);
	rep_filter_release(&f);
	tp_dict_free(d);
}

/* The dialect and its limits are the same as for profiles. */
static void test_filter_regex_dialect(void **state)
{
	static const struct {
		const char *focus;
		int matches; /* -1: refused */
	} cases[] = {
	    {"\\d", 0},
	    {"(?i)READ", 1},
	    {"\\Q(*netFD)\\E", 1},
	    {"(?:net|os)\\.\\W", 1},
	    {"((a{1,200}){1,200}){1,200}", -1},
	};
	struct tp_dict *d = tp_dict_new();
	uint32_t name;

	(void)state;
	assert_int_equal(tp_dict_string(d, "net.(*netFD).Read", 17, &name), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct rep_filter_text text = {.focus = cases[i].focus};
		struct rep_filter f;
		struct rep_matcher m;
		int code = rep_filter_init(&f, &text, NULL);

		assert_int_equal(code, cases[i].matches < 0 ? TP_EFORMAT : 0);
		if (!code) {
			assert_int_equal(rep_matcher_init(&m, &f, d, NULL), 0);
			assert_int_equal(rep_match_frames(&m, name, 0), cases[i].matches);
			rep_matcher_release(&m);
		}
		rep_filter_release(&f);
	}
	tp_dict_free(d);
}

static void test_filter_init_refuses(void **state)
{
	static const struct rep_filter_text bad[] = {
	    {.focus = "("},	     {.ignore = "*["},
	    {.goroutine = "a{2,1}"}, {.reason = "("},
	    {.state = "sleeping"},   {.state = "running,"},
	    {.state = ""},	     {.goroutine = "99999999999999999999"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct rep_filter f;
		struct tp_err err = {0};

		assert_int_equal(rep_filter_init(&f, &bad[i], &err), TP_EFORMAT);
		assert_true(strlen(err.msg) > 10);
		rep_filter_release(&f);
	}
}

static void test_filter_time_texts(void **state)
{
	static const struct {
		const char *text;
		int64_t ns; /* -1: refused */
	} cases[] = {
	    {"0", 0},	    {"1.5s", 1500000000}, {"250ms", 250000000},
	    {"50%", 1000},  {"12.5%", 250},	  {"100%", 2000},
	    {"0%", 0},	    {"101%", -1},	  {"%", -1},
	    {"", -1},	    {"soon", -1},	  {"-1s", -1},
	    {"1.2.3%", -1}, {"100", -1},	  {"0.1", -1},
	    {"1m30", -1},   {"0.0", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ns = -7;
		int code = rep_filter_time(cases[i].text, "--from", 2000, &ns, NULL);

		assert_int_equal(code, cases[i].ns < 0 ? TP_EFORMAT : 0);
		if (!code)
			assert_int_equal(ns, cases[i].ns);
	}
}

/* Whether percents are in order does not depend on the length of the run. */
static void test_filter_ranges(void **state)
{
	static const struct {
		const char *from, *to;
		int64_t duration_ns, from_ns, to_ns; /* to_ns -1: refused */
	} cases[] = {
	    {"25%", "75%", 2000, 500, 1500},
	    {"25%", "75%", 0, INT64_MIN, INT64_MAX},
	    {"75%", "25%", 2000, 0, -1},
	    {"75%", "25%", 0, 0, -1},
	    {"50%", "50%", 2000, 0, -1},
	    {"50%", "50.01%", 2000, 1000, 1001},
	    {"0.01%", "0.02%", 2000, INT64_MIN, 1},
	    {"1us", "1us", 2000, 0, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rep_filter_text text = {.from = cases[i].from, .to = cases[i].to};
		int64_t from, to;
		int code = rep_filter_range(&text, cases[i].duration_ns, &from, &to, NULL);

		assert_int_equal(code, cases[i].to_ns < 0 ? TP_EFORMAT : 0);
		if (code)
			continue;
		assert_int_equal(from, cases[i].from_ns);
		assert_int_equal(to, cases[i].to_ns);
	}
}

/* Names, keys and default sort orders of every report, as help and completions show them. */
static void test_reports_tables(void **state)
{
	(void)state;
	for (size_t i = 0; rep_reports[i]; i++) {
		const struct rep_report *r = rep_reports[i];

		assert_ptr_equal(rep_report_find(r->name), r);
		assert_true(strlen(r->doc) && strlen(r->rows));
		if (!r->ncolumns)
			continue;
		assert_non_null(rep_report_sort(r, r->sort));
		for (size_t c = 0; c < r->ncolumns; c++)
			if (r->columns[c].key && r->columns[c].column.title)
				assert_non_null(rep_report_sort(r, r->columns[c].column.title));
		for (size_t c = 0; c < r->ncolumns; c++) {
			const struct rep_report_column *column = &r->columns[c];

			assert_non_null(column->column.name);
			assert_non_null(column->doc);
			if (column->key) /* keys are unique */
				assert_ptr_equal(rep_report_sort(r, column->key), column);
			assert_true(column->column.raw_only || column->column.title);
			assert_false(column->column.raw_only && column->column.table_only);
		}
	}
	assert_null(rep_report_find("nothing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_matcher_frames),
	    cmocka_unit_test(test_matcher_survives_wild_ids),
	    cmocka_unit_test(test_filter_regex_dialect),
	    cmocka_unit_test(test_filter_init_refuses),
	    cmocka_unit_test(test_filter_time_texts),
	    cmocka_unit_test(test_filter_ranges),
	    cmocka_unit_test(test_reports_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
