/* Compares pictures with SQL and reports: sample traces, and a made-up run of several segments. */
#include "lanes/testing_run.h"

#include "base/testing_rounds.h"

static void check_all(const char *what, int n)
{
	size_t hops;

	good(what, lanes_check_pictures(&c, n));
	good(what, lanes_check_totals(&c, REP_LANE_GROUP, n));
	good(what, lanes_check_totals(&c, REP_LANE_GOROUTINE, n));
	good(what, lanes_check_totals(&c, REP_LANE_TASK, n));
	good(what, lanes_check_moments(&c, 2 * n));
	good(what, lanes_check_path(&c, NULL, &hops));
	good(what, lanes_check_path(&c, ".", &hops));
}

/* Samples of several versions, some damaged and one with a clock in ticks. */
static void test_draw_samples(void **state)
{
	static const char *const dumps[] = {
	    "testdata/checkout.trace",
	    "testdata/checkout-1.19.trace",
	    "testdata/checkout-cut.trace",
	    "testdata/counter-1.5.trace",
	    "testdata/corpus/broken/middle-1.27.trace",
	    "testdata/corpus/traces/oddities-1.27.trace",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++) {
		if (i)
			close_check(NULL);
		import(dumps[i]);
		check_all(dumps[i], tp_rounds(40));
	}
}

/* Columns that contain whole segments, are cut by them, or lie within them; crossing spans. */
static void test_draw_segments(void **state)
{
	(void)state;
	make_world();
	assert_int_equal(c.lanes->v.nsegments, 3);
	check_all("made up", tp_rounds(25));
}

/* With little memory, segments are dropped and read again; the picture is the same. */
static void test_draw_little_memory(void **state)
{
	size_t there = 0;

	(void)state;
	make_world();
	c.lanes->segments.most = 1;
	good("made up", lanes_check_pictures(&c, tp_rounds(4)));
	for (size_t i = 0; i < c.lanes->v.nsegments; i++)
		there += c.lanes->segments.item[i] != NULL;
	assert_int_equal(there, 1);
}

/* Segments read in advance are cached: as many as fit, the nearest first. */
static void test_ahead(void **state)
{
	struct rep_lanes_options options = {
	    .kind = REP_LANE_PROC, .from = INT64_MIN, .to = INT64_MAX};
	struct rep_picture p = {.cols = 50, .coarse = true};
	struct rep_lane_rows rows;

	(void)state;
	make_world();
	p.to = rep_lanes_duration(c.lanes);
	assert_int_equal(rep_lanes_rows(c.lanes, &options, &rows, &err), 0);
	p.row = rows.row;
	p.nrows = rows.n;
	c.lanes->segments.most = 1;
	assert_int_equal(rep_lanes_ahead(c.lanes, p.to - 1, p.to, NULL, &err), 0);
	assert_null(c.lanes->segments.item[0]);
	assert_null(c.lanes->segments.item[1]);
	assert_non_null(c.lanes->segments.item[2]);
	assert_int_equal(rep_lanes_draw(c.lanes, &p, NULL, &err), 0);
	assert_false(p.exact);
	c.lanes->segments.most = SIZE_MAX;
	assert_int_equal(rep_lanes_ahead(c.lanes, 0, p.to, NULL, &err), 0);
	assert_int_equal(rep_lanes_draw(c.lanes, &p, NULL, &err), 0);
	assert_true(p.exact);
	good("ahead", lanes_check_picture(&c, &p));
	free(p.cell);
	rep_lane_rows_release(&rows);
}

/* A stopped picture has no cells, and invalid pictures are refused. */
static void test_draw_stop(void **state)
{
	struct rep_lanes_options options = {
	    .kind = REP_LANE_GOROUTINE, .from = INT64_MIN, .to = INT64_MAX};
	struct rep_picture p = {.from = 0, .to = 1000000, .cols = 7};
	struct rep_lane_rows rows;
	atomic_bool stop;

	(void)state;
	import("testdata/checkout.trace");
	assert_int_equal(rep_lanes_rows(c.lanes, &options, &rows, &err), 0);
	p.row = rows.row;
	p.nrows = 3;
	atomic_init(&stop, true);
	assert_int_equal(rep_lanes_draw(c.lanes, &p, &stop, &err), TP_ECANCEL);
	assert_false(p.exact);
	atomic_store(&stop, false);
	assert_int_equal(rep_lanes_draw(c.lanes, &p, &stop, &err), 0);
	assert_true(p.exact);
	/* Invalid pictures. */
	p.to = p.from;
	assert_int_equal(rep_lanes_draw(c.lanes, &p, &stop, &err), TP_ELIMIT);
	p.to = 5;
	p.cols = 0;
	assert_int_equal(rep_lanes_draw(c.lanes, &p, &stop, &err), TP_ELIMIT);
	free(p.cell);
	rep_lane_rows_release(&rows);
}

/* Rows that do not exist are empty. */
static void test_draw_no_such_row(void **state)
{
	struct rep_lane row[] = {
	    {.kind = REP_LANE_GOROUTINE, .index = 12345678},
	    {.kind = REP_LANE_GROUP, .index = TP_NONE},
	    {.kind = REP_LANE_PROC, .index = TP_NONE},
	    {.kind = REP_LANE_THREAD, .index = 99999},
	    {.kind = REP_LANE_TASK, .index = TP_NONE},
	    {.kind = (enum rep_lane_kind)77, .index = 1},
	};
	struct rep_picture p = {.from = -5, .to = INT64_MAX, .cols = 3, .row = row, .nrows = 6};

	(void)state;
	import("testdata/checkout.trace");
	assert_int_equal(rep_lanes_draw(c.lanes, &p, NULL, &err), 0);
	for (size_t i = 0; i < p.nrows * 3; i++) {
		assert_int_equal(p.cell[i].spans, 0);
		for (unsigned s = 0; s < TP_NSTATES; s++)
			assert_int_equal(p.cell[i].ns[s], 0);
	}
	free(p.cell);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_draw_samples, close_check),
	    cmocka_unit_test_teardown(test_draw_segments, close_check),
	    cmocka_unit_test_teardown(test_draw_little_memory, close_check),
	    cmocka_unit_test_teardown(test_ahead, close_check),
	    cmocka_unit_test_teardown(test_draw_stop, close_check),
	    cmocka_unit_test_teardown(test_draw_no_such_row, close_check),
	};

	tmp_folder = getenv("TMPDIR");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
