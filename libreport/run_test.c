#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static char *first_labels[] = {"build=1", "host=a"};
static char *second_labels[] = {"build=2", "host=a"};
static char *comma_labels[] = {"host=a, b", "zone=x,y=1"};

/* Ids are given in the order of import, except that a merge may bring older runs later. */
static struct rep_run three[] = {
    {.row = {.id = 1, .name = "noon", .imported_ns = 100}, .labels = first_labels, .nlabels = 2},
    {.row = {.id = 2, .name = "night", .imported_ns = 300}, .labels = second_labels, .nlabels = 2},
    {.row = {.id = 3, .name = "2", .imported_ns = 200}},
};
static const struct rep_runs all = {.run = three, .n = 3};

static void test_runs_select_rules(void **state)
{
	static const struct {
		const char *spec;
		const char *ids; /* those picked; "" when that is an error */
	} rows[] = {
	    {"latest", "2"},
	    {"all", "123"},
	    {"1", "1"},
	    {"2", "2"}, /* not the name */
	    {"noon", "1"},
	    {"night", "2"},
	    {"build=1", "1"},
	    {"host=a", "12"},
	    {"host", ""},
	    {"host=a,build=2", "2"},
	    {"host=a,night", "2"},
	    {"host=a,build=1,noon", "1"},
	    {"build=1,host=a", "1"},
	    {"build=1,build=2", ""},
	    {"host=a,", ""},
	    {",host=a", ""},
	    {"host=a,host=a", "12"},
	    {"host=ab", ""},
	    {"4", ""},
	    {"", ""},
	    {"01", ""},
	    {"Noon", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rep_runs picked;
		struct tp_err err;
		int code = rep_runs_select(&all, rows[i].spec, &picked, &err);

		if (picked.n != strlen(rows[i].ids) || (code != 0) != !picked.n)
			fail_msg("'%s': code %d, %zu picked", rows[i].spec, code, picked.n);
		for (size_t k = 0; k < picked.n; k++)
			assert_int_equal(picked.run[k].row.id, rows[i].ids[k] - '0');
		if (code) {
			assert_int_equal(code, TP_ENOENT);
			if (!strchr(rows[i].spec, '='))
				assert_non_null(strstr(err.msg, "1 (noon), 2 (night), 3 (2)"));
		}
		rep_runs_release(&picked);
	}
}

/* What is not listed is counted, and a value is not taken for nothing because its key is missing.
 */
static void test_runs_select_unknown_name(void **state)
{
	struct rep_run many[12] = {{.losses = 0}}, one = {.row = {.id = 1}};
	struct rep_runs list = {.run = many, .n = 12}, picked;
	char name[300];
	struct tp_err err;

	(void)state;
	for (int i = 0; i < 12; i++)
		many[i].row = (struct tp_run){.id = i + 1, .name = "checkout.trace"};
	assert_int_equal(rep_runs_select(&list, "abc", &picked, &err), TP_ENOENT);
	assert_string_equal(
	    err.msg, "no run is called 'abc'; there are: 1 (checkout.trace), 2 (checkout.trace), "
		     "3 (checkout.trace), 4 (checkout.trace), 5 (checkout.trace), "
		     "6 (checkout.trace), 7 (checkout.trace), 8 (checkout.trace) and 4 more");
	many[9].labels = first_labels;
	many[9].nlabels = 2;
	assert_int_equal(rep_runs_select(&list, "a", &picked, &err), TP_ENOENT);
	assert_string_equal(err.msg,
			    "no run is called 'a'; it is a value of the label host: --run=host=a");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	one.row.name = name;
	list = (struct rep_runs){.run = &one, .n = 1};
	assert_int_equal(rep_runs_select(&list, "abc", &picked, &err), TP_ENOENT);
	assert_string_equal(err.msg, "no run is called 'abc'; there are: 1 run");
}

/* What is wrong with a label, and what there is in its place, each once. */
static void test_runs_select_wrong_labels(void **state)
{
	static const struct {
		const char *spec, *says;
	} rows[] = {
	    {"host=b", "no run has the label 'host=b'; host is: a"},
	    {"build=3", "no run has the label 'build=3'; build is: 1, 2"},
	    {"host=a,build=", "no run has the label 'build='; build is: 1, 2"},
	    {"hots=a", "no run has the label 'hots=a', nor any of that key; keys are: build, host"},
	    {"host=a,", "no run has the label '', nor any of that key; keys are: build, host"},
	    {",host=a", "no run has the label '', nor any of that key; keys are: build, host"},
	    {"build=1,build=2",
	     "no run has all the labels 'build=1,build=2'; each of them is some run's"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rep_runs picked;
		struct tp_err err;

		assert_int_equal(rep_runs_select(&all, rows[i].spec, &picked, &err), TP_ENOENT);
		assert_string_equal(err.msg, rows[i].says);
		rep_runs_release(&picked);
	}
}

/* Values may hold commas, also among several labels. */
static void test_runs_select_commas(void **state)
{
	static const struct {
		const char *spec;
		bool found;
		const char *says;
	} rows[] = {
	    {"host=a, b", true, NULL},
	    {"zone=x,y=1", true, NULL},
	    {"host=a, b,zone=x,y=1", true, NULL},
	    {"zone=x,y=1,host=a, b", true, NULL},
	    {"host=a", false, "host is: 'a, b'"},
	    {"zone=x", false, "zone is: 'x,y=1'"},
	    {"zone=x,host=a, b", false, "'zone=x'; zone is"},
	    {"host=a, b,", false, "label '', nor"},
	    {"host=a, b,y=1", false, "'y=1', nor any of that key; keys are: host, zone"},
	    {"y=1", false, "'y=1', nor any"},
	};
	struct rep_run one = {.row = {.id = 1, .name = "a"}, .labels = comma_labels, .nlabels = 2};
	struct rep_runs runs = {.run = &one, .n = 1}, picked;
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int code = rep_runs_select(&runs, rows[i].spec, &picked, &err);

		if (rows[i].found != !code)
			fail_msg("'%s': code %d", rows[i].spec, code);
		if (code)
			assert_non_null(strstr(err.msg, rows[i].says));
		rep_runs_release(&picked);
	}
}

static void test_runs_select_same_time(void **state)
{
	struct rep_run same[] = {{.row = {.id = 1, .name = "a", .imported_ns = 5}},
				 {.row = {.id = 2, .name = "b", .imported_ns = 5}}};
	struct rep_runs both = {.run = same, .n = 2}, picked;

	(void)state;
	assert_int_equal(rep_runs_select(&both, "latest", &picked, NULL), 0);
	assert_int_equal(picked.n, 1);
	assert_int_equal(picked.run[0].row.id, 2);
	rep_runs_release(&picked);
}

static void test_runs_select_long_list(void **state)
{
	static struct rep_run many[200];
	struct rep_runs runs = {.run = many, .n = 200}, picked;
	struct tp_err err;

	(void)state;
	for (int i = 0; i < 200; i++)
		many[i].row = (struct tp_run){.id = i, .name = "some name"};
	assert_int_equal(rep_runs_select(&runs, "x", &picked, &err), TP_ENOENT);
	assert_non_null(strstr(err.msg, " more"));
	rep_runs_release(&picked);
}

static void test_runs_select_empty(void **state)
{
	struct rep_runs none = {0}, picked;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_runs_select(&none, "latest", &picked, &err), TP_ENOENT);
	assert_string_equal(err.msg, REP_NO_RUNS);
	rep_runs_release(&picked);
}

/* Ticks are of no known length: only parts of a run without a clock, or ticks, are asked for. */
static void test_run_check_time(void **state)
{
	static const struct {
		const char *text;
		bool fine;
	} cases[] = {
	    {"0", true},     {"00", true},	{"1000ns", true}, {"1ns,20ns", true},
	    {"1ms", false},  {"0s", false},	{"1.5s", false},  {"1000", false},
	    {"ns", false},   {"1ns,2s", false}, {"1nsx", false},  {"", false},
	    {"1ns,", false}, {"-1ns", false},
	};
	const struct rep_run timed = {0}, ticks = {.row = {.ticks = true}};
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = cases[i].text;

		assert_int_equal(rep_run_check_time(&timed, "--min", text, "", &err), 0);
		if (!rep_run_check_time(&ticks, "--min", text, "", &err) != cases[i].fine)
			fail_msg("'%s'", text);
	}
	assert_int_equal(rep_run_check_time(&ticks, "--min", "1s", "25% or ", &err), TP_EFORMAT);
	assert_string_equal(err.msg,
			    "--min 1s: the trace has no clock, and does not say how long its ticks "
			    "are; give 25% or ticks, like 1000ns");
}

static void test_runs_check_clocks(void **state)
{
	struct rep_run run[3] = {0};
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_runs_check_clocks(run, 0, "added to", &err), 0);
	assert_int_equal(rep_runs_check_clocks(run, 3, "added to", &err), 0);
	run[2].row.ticks = true;
	assert_int_equal(rep_runs_check_clocks(run, 3, "added to", &err), TP_EFORMAT);
	assert_non_null(strstr(err.msg, "its ticks cannot be added to the times"));
	run[0].row.ticks = run[1].row.ticks = true;
	assert_int_equal(rep_runs_check_clocks(run, 3, "added to", &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_runs_select_rules),
	    cmocka_unit_test(test_runs_select_unknown_name),
	    cmocka_unit_test(test_runs_select_wrong_labels),
	    cmocka_unit_test(test_runs_select_commas),
	    cmocka_unit_test(test_runs_select_same_time),
	    cmocka_unit_test(test_runs_select_long_list),
	    cmocka_unit_test(test_runs_select_empty),
	    cmocka_unit_test(test_run_check_time),
	    cmocka_unit_test(test_runs_check_clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
