/* Rows, moments, steps and marks of sample traces, and of runs that are not traces. */
#include "lanes/testing_run.h"

/* Only some goroutines have lanes: those of a function, of an id, of a task. */
static void test_rows_filter(void **state)
{
	static const struct rep_filter_text texts[] = {
	    {.goroutine = "main[.]"}, {.goroutine = "1"}, {.task = "order"}};
	struct rep_lanes_options options = {
	    .kind = REP_LANE_GOROUTINE, .from = INT64_MIN, .to = INT64_MAX};

	(void)state;
	import("testdata/checkout.trace");
	for (size_t i = 0; i < 3; i++) {
		struct rep_lane_rows rows, groups;
		struct rep_picture p = {.from = 0, .to = rep_lanes_duration(c.lanes), .cols = 9};
		struct rep_lanes *lanes;
		struct rep_filter filter;
		int64_t in_groups = 0, sum[2] = {0};

		assert_int_equal(rep_filter_init(&filter, &texts[i], &err), 0);
		assert_int_equal(rep_lanes_new(&lanes, store, &runs.run[0], &filter, &err), 0);
		options.kind = REP_LANE_GOROUTINE;
		assert_int_equal(rep_lanes_rows(lanes, &options, &rows, &err), 0);
		options.kind = REP_LANE_GROUP;
		assert_int_equal(rep_lanes_rows(lanes, &options, &groups, &err), 0);
		assert_in_range(rows.n, 1, c.ng - 1);
		for (size_t k = 0; k < groups.n; k++)
			in_groups += groups.row[k].id;
		assert_int_equal(in_groups, rows.n);
		if (i == 1)
			assert_int_equal(rows.row[0].id, 1);
		/* Groups are the sums of their goroutines, coarse or not. */
		for (int k = 0; k < 2; k++) {
			p.row = k ? groups.row : rows.row;
			p.nrows = k ? groups.n : rows.n;
			p.coarse = k && i == 2;
			assert_int_equal(rep_lanes_draw(lanes, &p, NULL, &err), 0);
			for (size_t n = 0; n < p.nrows * 9; n++)
				sum[k] += p.cell[n].ns[TP_ST_RUNNING];
		}
		assert_true(sum[0] > 0);
		assert_int_equal(sum[0], sum[1]);
		free(p.cell);
		rep_lane_rows_release(&rows);
		rep_lane_rows_release(&groups);
		rep_lanes_free(lanes);
		rep_filter_release(&filter);
	}
}

/* If a filter cannot be evaluated for some rows, there are no lanes, instead of fewer rows. */
static void test_rows_unknown(void **state)
{
	const struct rep_filter_text text = {.goroutine = "m.in[.]"};
	int64_t most = tp_regex_most_ns;
	struct rep_filter filter;
	struct rep_lanes *lanes;

	(void)state;
	import("testdata/relay.trace");
	assert_int_equal(rep_filter_init(&filter, &text, &err), 0);
	tp_regex_most_ns = INT64_MIN / 2;
	assert_int_equal(rep_lanes_new(&lanes, store, &runs.run[0], &filter, &err), TP_ELIMIT);
	tp_regex_most_ns = most;
	rep_filter_release(&filter);
}

/* ---- moments ---- */

/* Goes back from where main gets the baton: the fifth runner, the fourth … the first, main. */
static void test_moment_relay(void **state)
{
	static const int64_t chain[] = {26, 25, 24, 23, 22, 1}; /* by goroutine id */
	struct rep_wakeup at = {0, TP_NONE};
	struct rep_moment m;

	(void)state;
	import("testdata/relay.trace");
	at.goroutine = lanes_goroutine(c.lanes, 1);
	/* The longest wait of main for a channel. */
	for (size_t i = c.first[at.goroutine], best = 0; i < c.first[at.goroutine + 1]; i++) {
		const struct lanes_span *s = &c.span[i];

		if (s->state == TP_ST_WAITING && s->waker != TP_NONE &&
		    (!best || s->end - s->start > c.span[best].end - c.span[best].start)) {
			best = i;
			at.ns = s->start;
		}
	}
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(rep_lanes_moment(c.lanes, at.goroutine, at.ns, &m, &err), 0);
		at = m.cause;
		rep_moment_release(&m);
		assert_int_equal(rep_view_goid(&c.lanes->v, at.goroutine), chain[i]);
	}
}

/* The wake-ups follow the critical path. */
static void test_moment_path(void **state)
{
	static const struct {
		const char *dump, *task;
		size_t hops;
	} cases[] = {
	    {"testdata/relay.trace", "relay", 5},
	    {"testdata/convoy.trace", "entry", 7},
	    {"testdata/pool.trace", "checkout", 2},
	};
	size_t hops;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		if (i)
			close_check(NULL);
		import(cases[i].dump);
		good(cases[i].dump, lanes_check_path(&c, cases[i].task, &hops));
		assert_in_range(hops, cases[i].hops - 1, 100);
	}
}

static void test_moment_not_there(void **state)
{
	struct rep_moment m;

	(void)state;
	import("testdata/relay.trace");
	assert_int_equal(rep_lanes_moment(c.lanes, TP_NONE, 0, &m, &err), TP_ENOENT);
	rep_moment_release(&m);
	assert_int_equal(rep_lanes_moment(c.lanes, 0, -1, &m, &err), TP_ENOENT);
	rep_moment_release(&m);
	assert_int_equal(rep_lanes_moment(c.lanes, 0, INT64_MAX, &m, &err), TP_ENOENT);
	rep_moment_release(&m);
}

/* The goroutine on a P is the one with a span on it. */
static void test_on(void **state)
{
	struct rep_lanes_options options = {
	    .kind = REP_LANE_PROC, .from = INT64_MIN, .to = INT64_MAX};
	struct rep_lane_rows rows;
	size_t found = 0;

	(void)state;
	import("testdata/checkout.trace");
	assert_int_equal(rep_lanes_rows(c.lanes, &options, &rows, &err), 0);
	for (size_t i = 0; i < c.n; i += 17) {
		const struct lanes_span *s = &c.span[i];

		for (size_t r = 0; r < rows.n; r++) {
			uint32_t g;

			if (s->state != TP_ST_RUNNING || rows.row[r].id != s->p ||
			    s->start == s->end)
				continue;
			assert_int_equal(rep_lanes_on(c.lanes, &rows.row[r],
						      s->start + (s->end - s->start) / 2, &g, &err),
					 0);
			assert_int_equal(g, s->goroutine);
			found++;
		}
	}
	assert_true(found > 100);
	rep_lane_rows_release(&rows);
}

/* ---- events ---- */

static int64_t count(const char *sql)
{
	sqlite3_stmt *st;
	int64_t n;

	assert_int_equal(sqlite3_prepare_v2(tp_store_db(store), sql, -1, &st, NULL), 0);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n;
}

static size_t steps(int step, uint32_t only, int64_t from)
{
	struct rep_event_at at = {.number = UINT64_MAX, .ns = from};
	uint64_t last = UINT64_MAX;
	size_t n = 0;

	while (!rep_lanes_step(c.lanes, step, only, &at, &err)) {
		if (last != UINT64_MAX)
			assert_true(step > 0 ? at.number > last : at.number < last);
		last = at.number;
		assert_true(*at.text);
		n++;
	}
	assert_int_equal(err.code, TP_ENOENT);
	return n;
}

static void test_step(void **state)
{
	static const char *const of_one = "SELECT count(*) FROM event WHERE goroutine = 1 OR "
					  "(subject_kind = 'G' AND subject = 1)";
	struct rep_event_at at = {.number = UINT64_MAX, .ns = 0};
	uint32_t one;

	(void)state;
	import("testdata/checkout.trace");
	one = lanes_goroutine(c.lanes, 1);
	assert_int_equal(steps(1, TP_NONE, 0), count("SELECT count(*) FROM event"));
	assert_int_equal(steps(-1, TP_NONE, INT64_MAX), count("SELECT count(*) FROM event"));
	assert_int_equal(steps(1, one, 0), count(of_one));
	assert_int_equal(steps(-1, one, INT64_MAX), count(of_one));
	assert_int_equal(steps(1, TP_NONE, 50000000),
			 count("SELECT count(*) FROM event WHERE ts_ns >= 50000000"));
	assert_int_equal(steps(-1, TP_NONE, 50000000),
			 count("SELECT count(*) FROM event WHERE ts_ns < 50000000"));
	/* There and back again. */
	at.number = 20000;
	assert_int_equal(rep_lanes_step(c.lanes, 1, TP_NONE, &at, &err), 0);
	assert_int_equal(at.number, 20001);
	assert_int_equal(rep_lanes_step(c.lanes, -1, TP_NONE, &at, &err), 0);
	assert_int_equal(at.number, 20000);
}

static void test_step_words(void **state)
{
	struct rep_event_at at = {.number = 0};

	(void)state;
	import("testdata/relay.trace");
	assert_int_equal(rep_lanes_step(c.lanes, 1, TP_NONE, &at, &err), 0);
	assert_string_equal(at.text, "ProcStatus P 1 Undetermined->Running \"\"");
	assert_int_equal(at.goroutine, lanes_goroutine(c.lanes, 13002));
}

/* ---- marks ---- */

struct marks {
	size_t n[REP_NMARK_KINDS], all;
	int64_t last;
};

static int on_mark(void *ctx, const struct rep_mark *mark)
{
	struct marks *m = ctx;

	assert_true(mark->from >= m->last);
	m->last = mark->from;
	m->n[mark->kind]++;
	m->all++;
	return 0;
}

static void test_marks(void **state)
{
	static const struct {
		enum rep_mark_kind kind;
		const char *from;
	} cases[] = {
	    {REP_MARK_STW, "range WHERE name LIKE 'stop-the-world%'"},
	    {REP_MARK_GC, "range WHERE name = 'GC concurrent mark phase'"},
	    {REP_MARK_SWEEP, "range WHERE name = 'GC incremental sweep'"},
	    {REP_MARK_ASSIST, "range WHERE name = 'GC mark assist'"},
	    {REP_MARK_REGION, "region WHERE 1"},
	    {REP_MARK_LOG, "(SELECT ts_ns AS start_ns, ts_ns AS end_ns FROM log) WHERE 1"},
	    {REP_MARK_TASK, "task WHERE 1"},
	    {REP_MARK_SAMPLE,
	     "(SELECT ts_ns AS start_ns, ts_ns AS end_ns FROM cpu_sample) WHERE 1"},
	};
	static const int64_t ranges[][2] = {{INT64_MIN, INT64_MAX},
					    {100000000, 200000000},
					    {123456789, 123456790},
					    {400000000, 900000000}};

	(void)state;
	import("testdata/checkout.trace");
	for (size_t r = 0; r < 4; r++) {
		struct marks all = {.last = INT64_MIN};
		size_t sum = 0;

		assert_int_equal(rep_lanes_marks(c.lanes, REP_MARKS_ALL, ranges[r][0], ranges[r][1],
						 on_mark, &all, NULL, &err),
				 0);
		for (size_t i = 0; i < REP_NMARK_KINDS; i++) {
			struct marks some = {.last = INT64_MIN};
			char sql[400];

			snprintf(sql, sizeof(sql),
				 "SELECT count(*) FROM %s AND coalesce(start_ns, 0) < %lld AND "
				 "(coalesce(end_ns, %lld) > %lld OR coalesce(start_ns, 0) >= %lld)",
				 cases[i].from, (long long)ranges[r][1],
				 (long long)rep_lanes_duration(c.lanes), (long long)ranges[r][0],
				 (long long)ranges[r][0]);
			assert_int_equal(all.n[cases[i].kind], count(sql));
			assert_int_equal(rep_lanes_marks(c.lanes, 1u << cases[i].kind, ranges[r][0],
							 ranges[r][1], on_mark, &some, NULL, &err),
					 0);
			assert_int_equal(some.all, all.n[cases[i].kind]);
			sum += some.all;
		}
		assert_int_equal(sum, all.all);
		if (!r)
			assert_true(all.n[REP_MARK_REGION] > 50 && all.n[REP_MARK_STW] > 3);
	}
}

/* A cancelled call ends early, while it reads tables and between two marks; the call after it finds all marks. */
static void test_marks_cancelled(void **state)
{
	struct marks again = {.last = INT64_MIN};
	atomic_bool stop = true;

	(void)state;
	import("testdata/checkout.trace");
	for (int ready = 0; ready < 2; ready++) {
		struct marks few = {.last = INT64_MIN};

		assert_int_equal(rep_lanes_marks(c.lanes, REP_MARKS_ALL, INT64_MIN, INT64_MAX,
						 on_mark, &few, &stop, &err),
				 TP_ECANCEL);
		assert_int_equal(few.all, ready);
		assert_int_equal(rep_lanes_marks_ready(c.lanes, NULL, &err), 0);
	}
	assert_int_equal(rep_lanes_marks(c.lanes, REP_MARKS_ALL, INT64_MIN, INT64_MAX, on_mark,
					 &again, NULL, &err),
			 0);
	assert_true(again.all > 1);
}

/* Stops and the GC concern all goroutines, so the filter affects only regions. */
static void test_marks_filter(void **state)
{
	static const struct rep_filter_text text = {.goroutine = "27"};
	struct marks all = {.last = INT64_MIN}, some = {.last = INT64_MIN};
	struct rep_filter filter;
	struct rep_lanes *lanes;

	(void)state;
	import("testdata/checkout.trace");
	assert_int_equal(rep_filter_init(&filter, &text, &err), 0);
	assert_int_equal(rep_lanes_new(&lanes, store, &runs.run[0], &filter, &err), 0);
	assert_int_equal(rep_lanes_marks(c.lanes, REP_MARKS_ALL, INT64_MIN, INT64_MAX, on_mark,
					 &all, NULL, &err),
			 0);
	assert_int_equal(
	    rep_lanes_marks(lanes, REP_MARKS_ALL, INT64_MIN, INT64_MAX, on_mark, &some, NULL, &err),
	    0);
	for (size_t k = REP_MARK_STW; k <= REP_MARK_ASSIST; k++)
		assert_int_equal(some.n[k], all.n[k]);
	assert_true(some.n[REP_MARK_REGION] < all.n[REP_MARK_REGION]);
	rep_lanes_free(lanes);
	rep_filter_release(&filter);
}

/* For each state, the span that takes most of a range, compared with SQL. */
static void test_longest(void **state)
{
	static const struct {
		enum tp_state state;
		const char *name;
	} states[] = {{TP_ST_RUNNING, "Running"},
		      {TP_ST_RUNNABLE, "Runnable"},
		      {TP_ST_WAITING, "Waiting"},
		      {TP_ST_SYSCALL, "Syscall"}};
	static const int64_t ranges[][2] = {{0, 5120000}, {100000000, 105120000}, {0, 500000000}};
	uint32_t g;

	(void)state;
	import("testdata/checkout.trace");
	g = lanes_goroutine(c.lanes, 27);
	for (size_t i = 0; i < 12; i++) {
		const int64_t *range = ranges[i / 4];
		char sql[600];
		int64_t ns = -1;
		int code = rep_lanes_longest(c.lanes, g, 1u << states[i % 4].state, range[0],
					     range[1], NULL, &ns, &err);

		snprintf(sql, sizeof(sql),
			 "SELECT coalesce((SELECT max(start_ns, %lld) FROM span WHERE goroutine = "
			 "27 AND state = '%s' AND start_ns < %lld AND end_ns > %lld ORDER BY "
			 "min(end_ns, %lld) - max(start_ns, %lld) DESC, start_ns LIMIT 1), -1)",
			 (long long)range[0], states[i % 4].name, (long long)range[1],
			 (long long)range[0], (long long)range[1], (long long)range[0]);
		assert_int_equal(code ? -1 : ns, count(sql));
		if (i >= 8)
			assert_int_equal(code, 0);
	}
}

/* A profile has no rows, no marks and no events. */
static void test_no_trace(void **state)
{
	struct rep_lanes_options options = {.from = INT64_MIN, .to = INT64_MAX};
	struct rep_event_at at = {.number = UINT64_MAX};
	struct rep_picture p = {.from = 0, .to = 10, .cols = 2};
	struct marks marks = {.last = INT64_MIN};

	(void)state;
	import("testdata/catalog.heap");
	for (unsigned k = 0; k < REP_NLANE_KINDS; k++) {
		struct rep_lane_rows rows;

		options.kind = (enum rep_lane_kind)k;
		assert_int_equal(rep_lanes_rows(c.lanes, &options, &rows, &err), 0);
		assert_int_equal(rows.n, 0);
		rep_lane_rows_release(&rows);
	}
	assert_int_equal(rep_lanes_draw(c.lanes, &p, NULL, &err), 0);
	free(p.cell);
	assert_int_equal(
	    rep_lanes_marks(c.lanes, REP_MARKS_ALL, 0, 10, on_mark, &marks, NULL, &err), 0);
	assert_int_equal(marks.all, 0);
	assert_int_equal(rep_lanes_step(c.lanes, 1, TP_NONE, &at, &err), TP_ENOENT);
	assert_int_equal(rep_lanes_step(c.lanes, -1, TP_NONE, &at, &err), TP_ENOENT);
	assert_int_equal(lanes_goroutine(c.lanes, 1), TP_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_rows_filter, close_check),
	    cmocka_unit_test_teardown(test_rows_unknown, close_check),
	    cmocka_unit_test_teardown(test_moment_relay, close_check),
	    cmocka_unit_test_teardown(test_moment_path, close_check),
	    cmocka_unit_test_teardown(test_moment_not_there, close_check),
	    cmocka_unit_test_teardown(test_on, close_check),
	    cmocka_unit_test_teardown(test_step, close_check),
	    cmocka_unit_test_teardown(test_step_words, close_check),
	    cmocka_unit_test_teardown(test_marks, close_check),
	    cmocka_unit_test_teardown(test_marks_cancelled, close_check),
	    cmocka_unit_test_teardown(test_longest, close_check),
	    cmocka_unit_test_teardown(test_marks_filter, close_check),
	    cmocka_unit_test_teardown(test_no_trace, close_check),
	};

	tmp_folder = getenv("TMPDIR");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
