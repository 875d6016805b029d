/* Tests the intervals of tasks and regions in tables made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/many.h"
#include "task/inside.h"
#include "task/place.h"

#define NONE TP_NULL

/* The rows of the tables. Names: 0 "", 1 "load", 2 "save", 3 "ship", 4 "pack", 5 "lift", 6 "step".
 */
static const struct {
	int64_t name, task, goroutine, start, end;
} regions[] = {
    {1, 7, 0, 100, 200},
    {2, 7, 0, 150, 160},
    {1, 7, 0, 190, 300},
    {1, 0, 0, 300, 310},
    {0, 7, 1, 120, 130},
    {2, 8, 2, NONE, 50},
    {1, 8, 2, 900, NONE},
    {1, 9, NONE, 0, 1000},
    {1, 9, 99, 0, 1000},
    {1, 9, 1, 400, 400},
    /* Regions of goroutine 3, which ships: one of another task, entered before; one of another
     * task, entered meanwhile; in that, one of its own task; one without a task; one of a task that
     * is not in the table. */
    {6, 30, 3, 50, 120},
    {6, 30, 3, 200, 250},
    {6, 20, 3, 220, 230},
    {6, 0, 3, 500, 510},
    {6, 99, 3, 600, 610},
    /* Regions of goroutine 4, which packs for it: one of the parent task, and one that outlives its
     * own task. */
    {6, 20, 4, 320, 330},
    {6, 21, 4, 350, 450},
    /* Regions of goroutine 3 in the one at 600: another of no known task, and one without a task
     * that outlives both. */
    {6, 99, 3, 602, 608},
    {6, 0, 3, 605, 620},
};
static const struct {
	int64_t id, name, goroutine, start, end, parent;
} tasks[] = {
    {7, 1, 0, 50, 600, 0},	  {8, 2, 2, 10, 20, 0},	       {5, 2, 1, 700, NONE, 0},
    {6, 2, 1, NONE, 30, 0},	  {20, 3, 3, 100, 900, 0},     {21, 4, 4, 300, 400, 20},
    {30, 5, NONE, NONE, NONE, 0}, {0, 0, NONE, NONE, NONE, 0}, /* the background task */
};
#define NREGIONS (sizeof(regions) / sizeof(regions[0]))
#define NTASKS	 (sizeof(tasks) / sizeof(tasks[0]))

static struct rep_view view;
static struct rep_run run = {.row.duration_ns = 1000};
static int64_t columns[2][6][32], names[5];
static struct tp_segment segments[] = {
    {.from_ns = 0, .to_ns = 150}, {.from_ns = 150, .to_ns = 400}, {.from_ns = 400, .to_ns = 1000}};

static int setup(void **state)
{
	static const char *const texts[] = {"", "load", "save", "ship", "pack", "lift", "step"};
	uint32_t id[7];

	(void)state;
	view.run = &run;
	view.dict = tp_dict_new();
	assert_non_null(view.dict);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(
		    tp_dict_string(view.dict, texts[i], (uint32_t)strlen(texts[i]), &id[i]), 0);
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
		columns[1][5][i] = tasks[i].parent;
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
	FILL(TASK, parent, 1, 5);
	view.col[TP_TABLE_GOROUTINE][TP_COL(GOROUTINE, name)] = names;
	view.nrows[TP_TABLE_REGION] = NREGIONS;
	view.nrows[TP_TABLE_TASK] = NTASKS;
	view.nrows[TP_TABLE_GOROUTINE] = 5;
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
	    /* The goroutine that began task 7, from its beginning to its end; and one in a region
	     * of task 7. */
	    {"load", NULL, INT64_MIN, INT64_MAX, "0:50-600 1:120-130", "111"},
	    {"save", NULL, INT64_MIN, INT64_MAX, "1:0-30 1:700-e 2:0-50 2:900-e", "101"},
	    {"5", NULL, INT64_MIN, INT64_MAX, "1:700-e", "001"},
	    /* A goroutine that works for a subtask works for the task. */
	    {"ship", NULL, INT64_MIN, INT64_MAX,
	     "3:100-200 3:220-230 3:250-600 3:610-900 4:300-450", "111"},
	    {"20", NULL, 240, 320, "3:250-320 4:300-320", "010"},
	    {"pack", NULL, INT64_MIN, INT64_MAX, "4:300-320 4:330-450", "011"},
	    {"lift", NULL, INT64_MIN, INT64_MAX, "3:50-120 3:200-250", "110"},
	    /* A region takes no time from another task if its own task is selected, too. */
	    {"ship|lift", NULL, INT64_MIN, INT64_MAX, "3:50-600 3:610-900 4:300-450", "111"},
	    {"ship|pack", NULL, INT64_MIN, INT64_MAX,
	     "3:100-200 3:220-230 3:250-600 3:610-900 4:300-450", "111"},
	    /* The background task has no type. */
	    {"load|save", NULL, INT64_MIN, INT64_MAX,
	     "0:50-600 1:0-30 1:120-130 1:700-e 2:0-50 2:900-e", "111"},
	    {".*", NULL, 500, 700, "0:500-600 3:500-600 3:610-700", "001"},
	    {"0", NULL, INT64_MIN, INT64_MAX, "0:300-310 3:500-510 3:605-620", "011"},
	    {"ship", "step", INT64_MIN, INT64_MAX, "3:220-230 4:320-330 4:350-450", "011"},
	    {"pack", "step", INT64_MIN, INT64_MAX, "4:350-450", "011"},
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
	    {TP_NULL, 0, 1000, 0, false}, {4, 0, 1000, 0, false}, {5, 0, 1000, 0, false},
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

/* Tests the sum of the intervals and the latencies of the tasks within a time range. */
static void test_inside_total_and_latency(void **state)
{
	static const struct {
		const char *task;
		int64_t from, to, total, tasks, latency;
	} cases[] = {
	    {"load", INT64_MIN, INT64_MAX, 550 + 10, 1, 550},
	    {"ship", INT64_MIN, INT64_MAX, 100 + 10 + 350 + 290 + 150, 1, 800},
	    {"save", INT64_MIN, INT64_MAX, 30 + 300 + 50 + 100, 3, 10 + 300 + 30},
	    {"save", 5, 15, 10 + 10, 2, 5 + 10},
	    {"0", INT64_MIN, INT64_MAX, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rep_inside in;

		view.from = cases[i].from;
		view.to = cases[i].to;
		assert_int_equal(rep_inside_init(&in, &view, cases[i].task, NULL, NULL), 0);
		assert_int_equal(view.members.total_ns, cases[i].total);
		assert_int_equal(view.members.tasks, cases[i].tasks);
		assert_int_equal(view.members.latency_ns, cases[i].latency);
		rep_inside_release(&in);
	}
	view.from = INT64_MIN;
	view.to = INT64_MAX;
}

/* By Go's rule, a task with regions selects only the time in these. */
static void test_inside_init_go_regions_only(void **state)
{
	struct rep_inside in;

	(void)state;
	assert_int_equal(rep_inside_init_go(&in, &view, "ship", NULL, NULL), 0);
	assert_int_equal(in.n, 2);
	assert_int_equal(in.interval[0].from, 220);
	assert_int_equal(in.interval[1].from, 320);
	assert_int_equal(view.members.tasks, 0); /* Go's rule does not count members */
	rep_inside_release(&in);
	assert_int_equal(rep_inside_init_go(&in, &view, "5", NULL, NULL), 0);
	assert_int_equal(in.n, 1);
	assert_int_equal(in.interval[0].from, 700);
	rep_inside_release(&in);
}

static void test_members_say(void **state)
{
	const struct rep_members none = {0},
				 one = {.tasks = 1, .total_ns = 64600000, .latency_ns = 32300000},
				 request = {.tasks = 4, .id = {3, 5, 8}, .nids = 3, .regions = 1},
				 outside = {.total_ns = 1000, .regions = 2, .goroutines = 1};
	struct rep_members several = {
	    .tasks = 600, .total_ns = 3000000000, .latency_ns = 1830000000};
	char text[REP_MEMBERS_SIZE];

	(void)state;
	assert_string_equal(rep_members_say(&none, text, sizeof(text)), "");
	assert_string_equal(rep_members_say(&one, text, sizeof(text)),
			    "counts every goroutine working for the task: 64.6ms; it took 32.3ms");
	assert_string_equal(rep_members_say(&request, text, sizeof(text)),
			    "counts every goroutine working for the 4 tasks 3, 5, 8, ...: 0s; they "
			    "took 0s; outside of tasks, 1 region logged it");
	assert_string_equal(rep_members_say(&outside, text, sizeof(text)),
			    "counts 1us; outside of tasks, 2 regions and 1 goroutine logged it");
	rep_members_add(&several, &one);
	assert_string_equal(
	    rep_members_say(&several, text, sizeof(text)),
	    "counts every goroutine working for the 601 tasks: 3.06s; they took 1.86s");
}

static void test_inside_init_bad_expression(void **state)
{
	struct rep_inside in;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_inside_init(&in, &view, NULL, "a(", &err), TP_EFORMAT);
	assert_non_null(strstr(err.msg, "--region: 'a(' is not a regular expression"));
	rep_inside_release(&in);
	assert_int_equal(rep_inside_init(&in, &view, "99999999999999999999", NULL, &err),
			 TP_EFORMAT);
	rep_inside_release(&in);
}

/* The message for a mistyped name lists the existing ones. */
static void test_inside_init_no_such(void **state)
{
	struct rep_inside in;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_inside_init(&in, &view, "77", NULL, &err), TP_ENOENT);
	assert_string_equal(
	    err.msg,
	    "nothing matches --task=77; there are tasks of the types load, save, ship, pack, lift");
	rep_inside_release(&in);
	assert_int_equal(rep_inside_init(&in, &view, "load", "lod", &err), TP_ENOENT);
	assert_string_equal(
	    err.msg,
	    "nothing matches --region=lod; there are regions of the types load, save, step");
	rep_inside_release(&in);
}

static void test_places_innermost(void **state)
{
	static const struct rep_place want[] = {
	    {50, 100, 0, 0, TP_NONE},
	    {100, 150, 0, 0, 0},
	    {150, 160, 0, 0, 1},
	    {160, 190, 0, 0, 0},
	    {190, 300, 0, 0, 2},
	    {300, 310, 0, 0, 3}, /* of no task, but entered in one */
	    {310, 600, 0, 0, TP_NONE},
	    {0, 30, 1, 3, TP_NONE},
	    {120, 130, 1, 0, TP_NONE}, /* inherited */
	    {700, 1000, 1, 2, TP_NONE},
	    {0, 10, 2, 1, 5},
	    {10, 20, 2, 1, TP_NONE},
	    {20, 50, 2, 1, 5},
	    {900, 1000, 2, 1, 6},
	    {50, 100, 3, 6, 10},
	    {100, 200, 3, 4, TP_NONE},
	    {200, 220, 3, 6, 11},
	    {220, 230, 3, 4, 12},
	    {230, 250, 3, 6, 11},
	    {250, 500, 3, 4, TP_NONE},
	    {500, 510, 3, 4, 13},
	    {510, 600, 3, 4, TP_NONE},
	    {600, 602, 3, TP_NONE, 14}, /* of a task that the table does not have */
	    {602, 605, 3, TP_NONE, 17},
	    {605, 608, 3, TP_NONE, 18},
	    {608, 610, 3, TP_NONE, 18},
	    {610, 620, 3, 4, 18},
	    {620, 900, 3, 4, TP_NONE},
	    {300, 320, 4, 5, TP_NONE},
	    {320, 330, 4, 4, 15},
	    {330, 350, 4, 5, TP_NONE},
	    {350, 450, 4, 5, 16},
	};
	struct rep_places p;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_places_init(&p, &view, &err), 0);
	assert_int_equal(p.n, TP_COUNT_OF(want));
	for (size_t i = 0; i < p.n; i++) {
		assert_int_equal(p.place[i].from, want[i].from);
		assert_int_equal(p.place[i].to, want[i].to);
		assert_int_equal(p.place[i].goroutine, want[i].goroutine);
		assert_int_equal(p.place[i].task, want[i].task);
		assert_int_equal(p.place[i].region, want[i].region);
		assert_ptr_equal(rep_places_at(&p, want[i].goroutine, want[i].from), &p.place[i]);
		assert_ptr_equal(rep_places_at(&p, want[i].goroutine, want[i].to - 1), &p.place[i]);
	}
	assert_null(rep_places_at(&p, 0, 49));
	assert_null(rep_places_at(&p, 0, 600));
	assert_null(rep_places_at(&p, 1, 30));
	assert_null(rep_places_at(&p, 5, 30));
	assert_null(rep_places_at(&p, TP_NONE, 30));
	rep_places_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_inside_init_intervals),
	    cmocka_unit_test(test_inside_clip_pieces),
	    cmocka_unit_test(test_inside_total_and_latency),
	    cmocka_unit_test(test_inside_init_go_regions_only),
	    cmocka_unit_test(test_members_say),
	    cmocka_unit_test(test_inside_init_bad_expression),
	    cmocka_unit_test(test_inside_init_no_such),
	    cmocka_unit_test(test_places_innermost),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
