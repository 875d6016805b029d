#include "mmu/utilisation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mmu/cycles.h"

/* Facts as loaded from tables, filled by hand. */
static struct rep_gc_facts facts;
static struct rep_utils utils;

static void column(struct tp_rows *rows, int c, int64_t value)
{
	rows->col[c] = realloc(rows->col[c], (rows->nrows + 1) * sizeof(int64_t));
	assert_non_null(rows->col[c]);
	rows->col[c][rows->nrows] = value;
}

/* Doubles, as sanitizers copy at every realloc. */
static void kind(uint8_t **kinds, size_t n, uint8_t value)
{
	if (!(n & (n - 1))) {
		*kinds = realloc(*kinds, n ? 2 * n : 1);
		assert_non_null(*kinds);
	}
	(*kinds)[n] = value;
}

static void packed(struct rep_gc_rows *rows, int c, int64_t value)
{
	assert_int_equal(rep_packed_put(&rows->col[c], &value, 1), 0);
}

static void procs(int64_t ts, int64_t n)
{
	column(&facts.metric, TP_COL(METRIC, ts_ns), ts);
	column(&facts.metric, TP_COL(METRIC, value), n);
	kind(&facts.metric_kind, facts.metric.nrows++, REP_METRIC_PROCS);
	facts.procs_known = true;
}

static void metric(enum rep_metric_kind k, int64_t ts, int64_t value)
{
	column(&facts.metric, TP_COL(METRIC, ts_ns), ts);
	column(&facts.metric, TP_COL(METRIC, value), value);
	kind(&facts.metric_kind, facts.metric.nrows++, (uint8_t)k);
}

static void range(enum rep_gc_kind k, int64_t p, int64_t start, int64_t end)
{
	packed(&facts.range, TP_COL(RANGE, p), p);
	packed(&facts.range, TP_COL(RANGE, start_ns), start);
	packed(&facts.range, TP_COL(RANGE, end_ns), end);
	packed(&facts.range, TP_COL(RANGE, complete), 1);
	kind(&facts.range.kind, facts.range.n++, (uint8_t)k);
}

static void work(enum rep_gc_kind k, int64_t g, int64_t p, int64_t start, int64_t told, int64_t end)
{
	packed(&facts.work, TP_COL(GC_WORK, goroutine), g);
	packed(&facts.work, TP_COL(GC_WORK, p), p);
	packed(&facts.work, TP_COL(GC_WORK, start_ns), start);
	packed(&facts.work, TP_COL(GC_WORK, told_ns), told);
	packed(&facts.work, TP_COL(GC_WORK, end_ns), end);
	kind(&facts.work.kind, facts.work.n++, (uint8_t)k);
}

/* Ps 0 to 3; goroutine 0 is a worker, 1 is not. */
static int begin(void **state)
{
	(void)state;
	memset(&facts, 0, sizeof(facts));
	facts.duration_ns = 1000;
	for (int64_t p = 0; p < 4; p++) {
		column(&facts.proc, TP_COL(PROC, id), p);
		facts.proc.nrows++;
	}
	for (int64_t g = 0; g < 2; g++) {
		column(&facts.goroutine, TP_COL(GOROUTINE, name), !g);
		facts.goroutine.nrows++;
	}
	return 0;
}

static int end(void **state)
{
	(void)state;
	rep_gc_facts_release(&facts);
	rep_utils_release(&utils);
	return 0;
}

static void build(unsigned include, bool per_p, int64_t from, int64_t to)
{
	struct rep_util_options opt = {.include = include, .per_p = per_p, .from = from, .to = to};
	struct tp_err err = {0};

	rep_utils_release(&utils);
	assert_int_equal(rep_utils_add(&utils, &facts, &opt, 0, &err), 0);
}

static void assert_steps(size_t series, const struct rep_util_step *step, size_t n)
{
	assert_true(series < utils.n);
	assert_int_equal(utils.series[series].n, n);
	for (size_t i = 0; i < n; i++) {
		const struct rep_util *u = &utils.series[series];

		assert_int_equal(rep_util_ts(u, i), step[i].ts);
		assert_true(fabs(rep_util_at(&utils, u, i) - step[i].util) < 1e-12);
	}
}
#define STEPS(series, ...)                                                                         \
	do {                                                                                       \
		const struct rep_util_step wanted[] = {__VA_ARGS__};                               \
		assert_steps(series, wanted, sizeof(wanted) / sizeof(wanted[0]));                  \
	} while (0)

#define ALL INT64_MIN, INT64_MAX

static void story(void)
{
	procs(10, 4);
	range(REP_GC_STW, TP_NULL, 100, 110);
	work(REP_GC_DEDICATED, 0, 1, 118, 120, 300);
	work(REP_GC_FRACTIONAL, 1, 2, 118, 120, 300); /* labelled, but not a worker */
	work(REP_GC_IDLE, 0, 3, 130, 131, 140);
	work(REP_GC_ASSIST, TP_NULL, 2, 150, 150, 200);
	work(REP_GC_ASSIST, TP_NULL, 3, 180, 180, 250);
	range(REP_GC_SWEEP, 0, 400, 500);
	range(REP_GC_SWEEP, 0, 390, 410); /* the same P: it is taken once */
}

static void test_all_ps(void **state)
{
	(void)state;
	story();
	build(REP_UTIL_STW, false, ALL);
	assert_int_equal(utils.n, 1);
	STEPS(0, {10, 1}, {100, 0}, {110, 1}, {1000, 0});
	build(REP_UTIL_STW | REP_UTIL_BACKGROUND, false, ALL);
	STEPS(0, {10, 1}, {100, 0}, {110, 1}, {120, 0.75}, {300, 1}, {1000, 0});
	build(REP_UTIL_USUAL, false, ALL);
	STEPS(0, {10, 1}, {100, 0}, {110, 1}, {120, 0.75}, {150, 0.5}, {180, 0.25}, {200, 0.5},
	      {250, 0.75}, {300, 1}, {1000, 0});
	build(REP_UTIL_SWEEP, false, ALL);
	STEPS(0, {10, 1}, {390, 0.75}, {500, 1}, {1000, 0});
}

/* Dedicated workers do not count for single Ps. */
static void test_per_p(void **state)
{
	(void)state;
	story();
	build(REP_UTIL_USUAL, true, ALL);
	assert_int_equal(utils.n, 4);
	STEPS(0, {10, 1}, {100, 0}, {110, 1}, {1000, 0});
	STEPS(1, {10, 1}, {100, 0}, {110, 1}, {1000, 0});
	STEPS(2, {10, 1}, {100, 0}, {110, 1}, {150, 0}, {200, 1}, {1000, 0});
	assert_int_equal(utils.series[2].p, 2);
}

static void test_time_range(void **state)
{
	(void)state;
	story();
	build(REP_UTIL_USUAL, false, 105, 190);
	STEPS(0, {105, 0}, {110, 1}, {120, 0.75}, {150, 0.5}, {180, 0.25}, {190, 0});
	build(REP_UTIL_USUAL, false, 0, 5);
	assert_int_equal(utils.n, 0);
}

/* The function of a P ends when the P is removed; a new P begins another. */
static void test_gomaxprocs_changes(void **state)
{
	(void)state;
	procs(0, 2);
	procs(500, 1);
	procs(700, 2);
	range(REP_GC_SWEEP, 1, 400, 600);
	build(REP_UTIL_SWEEP, false, ALL);
	STEPS(0, {0, 1}, {400, 0.5}, {500, 1}, {1000, 0});
	build(REP_UTIL_SWEEP, true, ALL);
	assert_int_equal(utils.n, 3);
	STEPS(0, {0, 1}, {1000, 0});
	STEPS(1, {0, 1}, {400, 0}, {500, 0});
	STEPS(2, {700, 1}, {1000, 0});
}

/* It ends with the run, not when it became 0. */
static void test_ends_taken(void **state)
{
	(void)state;
	procs(0, 1);
	range(REP_GC_STW, TP_NULL, 900, 1000);
	build(REP_UTIL_STW, false, ALL);
	STEPS(0, {0, 1}, {900, 0}, {1000, 0});
}

/* However long the run, its steps are the same. */
static void test_long_runs(void **state)
{
	static const int64_t ends[] = {((int64_t)1 << 48) - 1, (int64_t)1 << 48, (int64_t)1 << 62,
				       INT64_MAX};

	(void)state;
	story();
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		facts.duration_ns = ends[i];
		build(REP_UTIL_USUAL, false, ALL);
		STEPS(0, {10, 1}, {100, 0}, {110, 1}, {120, 0.75}, {150, 0.5}, {180, 0.25},
		      {200, 0.5}, {250, 0.75}, {300, 1}, {ends[i], 0});
		build(REP_UTIL_USUAL, false, 105, ends[i] - 1);
		STEPS(0, {105, 0}, {110, 1}, {120, 0.75}, {150, 0.5}, {180, 0.25}, {200, 0.5},
		      {250, 0.75}, {300, 1}, {ends[i] - 1, 0});
	}
}

/* Values of a hostile store. */
static void test_nonsense(void **state)
{
	struct rep_util_options opt = REP_UTIL_OPTIONS_INIT;
	struct tp_err err = {0};

	(void)state;
	procs(0, 4);
	range(REP_GC_STW, TP_NULL, INT64_MIN, INT64_MAX);
	range(REP_GC_STW, TP_NULL, 50, 40);
	range(REP_GC_SWEEP, 77, 0, 100);
	range(REP_GC_SWEEP, TP_NULL, 0, 100);
	work(REP_GC_ASSIST, TP_NULL, -3, 0, 0, 100);
	work(REP_GC_DEDICATED, 1 << 20, 1, 0, 0, 100);
	procs(500, 2);
	procs(200, 3); /* not in order */
	build(REP_UTIL_ALL, false, ALL);
	build(REP_UTIL_ALL, true, ALL);
	for (size_t i = 0; i < utils.n; i++)
		for (size_t k = 1; k < utils.series[i].n; k++)
			assert_true(rep_util_ts(&utils.series[i], k) >
				    rep_util_ts(&utils.series[i], k - 1));
	procs(900, INT64_MAX);
	assert_int_equal(rep_utils_add(&utils, &facts, &opt, 0, &err), TP_ELIMIT);
}

static void test_parse(void **state)
{
	static const struct {
		const char *text;
		unsigned include;
	} cases[] = {
	    {"stw", REP_UTIL_STW},
	    {"stw,assist", REP_UTIL_STW | REP_UTIL_ASSIST},
	    {"stw+background", REP_UTIL_STW | REP_UTIL_BACKGROUND},
	    {"all", REP_UTIL_ALL},
	    {"", 0},
	    {"sweeps", 0},
	    {"stw,,assist", 0},
	};
	struct tp_err err;
	unsigned include;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int code = rep_util_parse(cases[i].text, &include, &err);

		assert_int_equal(code, cases[i].include ? 0 : TP_EFORMAT);
		if (!code)
			assert_int_equal(include, cases[i].include);
	}
}

/* ---- collections ---- */

static void test_cycles(void **state)
{
	struct rep_gc_cycle *c;
	struct tp_err err = {0};
	size_t n;

	(void)state;
	procs(0, 4);
	metric(REP_METRIC_GOAL, 1, 4096);
	metric(REP_METRIC_HEAP, 2, 1000);
	range(REP_GC_STW, TP_NULL, 95, 105);
	work(REP_GC_DEDICATED, 0, 1, 110, 110, 150);
	work(REP_GC_FRACTIONAL, 1, 2, 110, 110, 150); /* not a worker */
	work(REP_GC_IDLE, 0, 3, 120, 120, 130);
	work(REP_GC_ASSIST, TP_NULL, 2, 130, 130, 140);
	metric(REP_METRIC_HEAP, 190, 4000);
	metric(REP_METRIC_HEAP, 198, 600);
	range(REP_GC_STW, TP_NULL, 195, 210);
	range(REP_GC_MARK, TP_NULL, 100, 200);
	metric(REP_METRIC_GOAL, 205, 2048);
	range(REP_GC_SWEEP, 0, 300, 350);
	metric(REP_METRIC_HEAP, 490, 2000);
	range(REP_GC_MARK, TP_NULL, 500, 600);
	work(REP_GC_DEDICATED, 0, 1, 590, 590, 900); /* interrupted: it continues afterwards */
	metric(REP_METRIC_HEAP, 698, 2600);
	metric(REP_METRIC_HEAP, 699, 700);
	assert_int_equal(rep_gc_cycles(&facts, &c, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_int_equal(c[0].start_ns, 100);
	assert_int_equal(c[0].mark_ns, 100);
	assert_int_equal(c[0].stw_ns, 25);
	assert_int_equal(c[0].background_ns, 40);
	assert_int_equal(c[0].idle_ns, 10);
	assert_int_equal(c[0].assist_ns, 10);
	assert_int_equal(c[0].sweep_ns, 50);
	assert_int_equal(c[0].procs, 4);
	assert_int_equal(c[0].goal_bytes, 4096);
	assert_int_equal(c[0].heap_bytes, 4000);
	assert_int_equal(c[0].live_bytes, 600);
	assert_int_equal(c[0].growth_bytes, TP_NULL);
	assert_int_equal(c[0].since_ns, TP_NULL);
	assert_int_equal(c[1].since_ns, 300);
	assert_int_equal(c[1].background_ns, 10);
	assert_int_equal(c[1].goal_bytes, 2048);
	assert_int_equal(c[1].heap_bytes, 2600);
	assert_int_equal(c[1].growth_bytes, 2000);
	assert_true(fabs(c[1].bytes_per_second - 2000e9 / (699 - 198)) < 1);
	free(c);
}

/* So many sweeps that their points are made for a part of the time after the other: P 0 sweeps every other ns,
 * P 1 nearly all of the time, and one P goes in the middle. */
static void test_many_sweeps(void **state)
{
	const int64_t n = 600000;
	const struct rep_util *u;

	(void)state;
	facts.duration_ns = 2 * n;
	procs(0, 4);
	procs(n, 3);
	for (int64_t i = 0; i < n; i++)
		range(REP_GC_SWEEP, 0, 2 * i, 2 * i + 1);
	range(REP_GC_SWEEP, 1, 1, 2 * n - 1);
	build(REP_UTIL_SWEEP, false, ALL);
	assert_int_equal(utils.n, 1);
	u = &utils.series[0];
	/* P 0 is taken up to 1 and P 1 up to 2, then both or P 1. */
	assert_int_equal(utils.series[0].n, 2 * n);
	for (int64_t i = 1; i + 2 < 2 * n; i++) {
		double procs_now = i + 1 < n ? 4 : 3, taken = i % 2 ? 2 : 1;

		assert_int_equal(rep_util_ts(u, (size_t)i), i + 1);
		assert_true(fabs(rep_util_at(&utils, u, (size_t)i) - (1 - taken / procs_now)) <
			    1e-12);
	}
}

#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    T(test_all_ps),	 T(test_per_p),	    T(test_time_range), T(test_gomaxprocs_changes),
	    T(test_ends_taken),	 T(test_nonsense),  T(test_parse),	T(test_cycles),
	    T(test_many_sweeps), T(test_long_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
