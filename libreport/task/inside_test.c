/* Intervals of tasks and regions, from tables made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "task/inside.h"

#define NONE TP_NULL

/* What the tables hold. Names: 0 "", 1 "load", 2 "save". */
static const struct {
	int64_t name, task, goroutine, start, end;
} regions[] = {
    {1, 7, 0, 100, 200}, {2, 7, 0, 150, 160}, {1, 7, 0, 190, 300},  {1, 0, 0, 300, 310},
    {0, 7, 1, 120, 130}, {2, 8, 2, NONE, 50}, {1, 8, 2, 900, NONE}, {1, 9, NONE, 0, 1000},
    {1, 9, 99, 0, 1000}, {1, 9, 1, 400, 400},
};
static const struct {
	int64_t id, name, goroutine, start, end;
} tasks[] = {
    {7, 1, 0, 50, 600},	 {8, 2, 2, 10, 20},	   {5, 2, 1, 700, NONE},
    {6, 2, 1, NONE, 30}, {0, 0, NONE, NONE, NONE}, /* the background task */
};
#define NREGIONS (sizeof(regions) / sizeof(regions[0]))
#define NTASKS	 (sizeof(tasks) / sizeof(tasks[0]))

static struct rep_view view;
static struct rep_run run = {.row.duration_ns = 1000};
static int64_t columns[2][5][16], names[3];
static struct tp_segment segments[] = {
    {.from_ns = 0, .to_ns = 150}, {.from_ns = 150, .to_ns = 400}, {.from_ns = 400, .to_ns = 1000}};

static int setup(void **state)
{
	uint32_t id[3];

	(void)state;
	view.run = &run;
	view.dict = tp_dict_new();
	assert_non_null(view.dict);
	assert_int_equal(tp_dict_string(view.dict, "", 0, &id[0]), 0);
	assert_int_equal(tp_dict_string(view.dict, "load", 4, &id[1]), 0);
	assert_int_equal(tp_dict_string(view.dict, "save", 4, &id[2]), 0);
	for (size_t i = 0; i < NREGIONS; i++) {
		columns[0][0][i] = id[regions[i].name];
		columns[0][1][i] = regions[i].task;
		columns[0][2][i] = regions[i].goroutine;
		columns[0][3][i] = regions[i].start;
		columns[0][4][i] = regions[i].end;
	}
	for (size_t i = 0; i < NTASKS; i++) {
		columns[1][0][i] = tasks[i].id;
		columns[1][1][i] = id[tasks[i].name];
		columns[1][2][i] = tasks[i].goroutine;
		columns[1][3][i] = tasks[i].start;
		columns[1][4][i] = tasks[i].end;
	}
#define FILL(TABLE, column, k, i) view.col[TP_TABLE_##TABLE][TP_COL(TABLE, column)] = columns[k][i]
	FILL(REGION, name, 0, 0);
	FILL(REGION, task, 0, 1);
	FILL(REGION, goroutine, 0, 2);
	FILL(REGION, start_ns, 0, 3);
	FILL(REGION, end_ns, 0, 4);
	FILL(TASK, id, 1, 0);
	FILL(TASK, name, 1, 1);
	FILL(TASK, goroutine, 1, 2);
	FILL(TASK, start_ns, 1, 3);
	FILL(TASK, end_ns, 1, 4);
	view.col[TP_TABLE_GOROUTINE][TP_COL(GOROUTINE, name)] = names;
	view.nrows[TP_TABLE_REGION] = NREGIONS;
	view.nrows[TP_TABLE_TASK] = NTASKS;
	view.nrows[TP_TABLE_GOROUTINE] = 3;
	view.segments = segments;
	view.nsegments = 3;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tp_dict_free(view.dict);
	return 0;
}

static void test_inside_init_intervals(void **state)
{
	static const struct {
		const char *task, *region;
		int64_t from, to;
		const char *want; /* goroutine:from-to; e: to the end */
		const char *segments;
	} cases[] = {
	    {NULL, "load", INT64_MIN, INT64_MAX, "0:100-310 2:900-e", "111"},
	    {NULL, "^save$", INT64_MIN, INT64_MAX, "0:150-160 2:0-50", "110"},
	    {NULL, "load", 120, 250, "0:120-250", "110"},
	    {NULL, "load", 310, 900, "", "000"},
	    /* Task 7: its regions; 8: both of its regions; 5 and 6: no regions, so their creators.
	     */
	    {"load", NULL, INT64_MIN, INT64_MAX, "0:100-300 1:120-130", "110"},
	    {"save", NULL, INT64_MIN, INT64_MAX, "1:0-30 1:700-e 2:0-50 2:900-e", "101"},
	    {"5", NULL, INT64_MIN, INT64_MAX, "1:700-e", "001"},
	    /* What is outside all tasks is no task of any type. */
	    {".*", NULL, INT64_MIN, INT64_MAX, "0:100-300 1:0-30 1:120-130 1:700-e 2:0-50 2:900-e",
	     "111"},
	    {"0", NULL, INT64_MIN, INT64_MAX, "0:300-310", "010"},
	    {"8", "load", INT64_MIN, INT64_MAX, "2:900-e", "001"},
	    {"5", "load", INT64_MIN, INT64_MAX, "", "000"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rep_inside in;
		char got[256] = "", wanted[4] = "000";
		bool segment[4] = {false};
		size_t at = 0;

		view.from = cases[i].from;
		view.to = cases[i].to;
		assert_int_equal(rep_inside_init(&in, &view, cases[i].task, cases[i].region, NULL),
				 0);
		for (size_t k = 0; k < in.n; k++) {
			const struct rep_interval *v = &in.interval[k];

			at += (size_t)snprintf(got + at, sizeof(got) - at, "%s%u:%lld-",
					       k ? " " : "", v->goroutine, (long long)v->from);
			at += v->to == INT64_MAX ? (size_t)snprintf(got + at, sizeof(got) - at, "e")
						 : (size_t)snprintf(got + at, sizeof(got) - at,
								    "%lld", (long long)v->to);
		}
		assert_string_equal(got, cases[i].want);
		assert_int_equal(rep_inside_segments(&in, &view, segment), 0);
		for (int k = 0; k < 3; k++)
			wanted[k] = segment[k] ? '1' : '0';
		assert_string_equal(wanted, cases[i].segments);
		rep_inside_release(&in);
	}
}

static void test_inside_clip_pieces(void **state)
{
	static const struct {
		int64_t goroutine, start, end, ns;
		bool any;
	} cases[] = {
	    {1, 0, 1000, 30 + 300, true}, {1, 10, 20, 10, true},  {1, 20, 710, 10 + 10, true},
	    {1, 30, 700, 0, false},	  {1, 700, 700, 0, true}, {1, 30, 30, 0, false},
	    {1, 1000, 1000, 0, true},	  {0, 0, 1000, 0, false}, {2, 40, 60, 10, true},
	    {TP_NULL, 0, 1000, 0, false}, {3, 0, 1000, 0, false},
	};
	struct rep_inside in;

	(void)state;
	view.from = INT64_MIN;
	view.to = INT64_MAX;
	assert_int_equal(rep_inside_init(&in, &view, "save", NULL, NULL), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ns;

		assert_int_equal(
		    rep_inside_clip(&in, cases[i].goroutine, cases[i].start, cases[i].end, &ns),
		    cases[i].any);
		assert_int_equal(ns, cases[i].ns);
	}
	rep_inside_release(&in);
}

static void test_inside_init_bad_expression(void **state)
{
	struct rep_inside in;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_inside_init(&in, &view, NULL, "a(", &err), TP_EFORMAT);
	assert_non_null(strstr(err.msg, "--region: 'a(' is no regular expression"));
	rep_inside_release(&in);
	assert_int_equal(rep_inside_init(&in, &view, "99999999999999999999", NULL, &err),
			 TP_EFORMAT);
	rep_inside_release(&in);
}

/* Who mistypes a name hears which there are. */
static void test_inside_init_no_such(void **state)
{
	struct rep_inside in;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_inside_init(&in, &view, "77", NULL, &err), TP_ENOENT);
	assert_string_equal(err.msg,
			    "nothing matches --task=77; there are tasks of the types load, save");
	rep_inside_release(&in);
	assert_int_equal(rep_inside_init(&in, &view, "load", "lod", &err), TP_ENOENT);
	assert_string_equal(
	    err.msg, "nothing matches --region=lod; there are regions of the types load, save");
	rep_inside_release(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_inside_init_intervals),
	    cmocka_unit_test(test_inside_clip_pieces),
	    cmocka_unit_test(test_inside_init_bad_expression),
	    cmocka_unit_test(test_inside_init_no_such),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
