/* Compares sums over time with SQL and with the reports, for the whole run and for ranges. */
#include <math.h>

#include <sqlite3.h>

#include "sums/part.h"
#include "testing_sample.h"
#include "time/time.h"

/* ---- bins ---- */

static void test_bins_add_up(void **state)
{
	static const struct {
		int64_t start, end;
	} times[] = {{-50, 20}, {100, 100}, {105, 106}, {110, 190},
		     {0, 1000}, {199, 201}, {300, 400}};
	struct rep_bins b = {0};
	struct rep_binned s = {0};
	double want[10] = {0};

	(void)state;
	assert_int_equal(rep_bins_even(&b, 100, 200, 10), 0);
	assert_int_equal(b.n, 10);
	assert_int_equal(rep_binned_init(&s, &b), 0);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		rep_binned_add(&b, &s, times[i].start, times[i].end);
		for (int64_t ns = times[i].start; ns < times[i].end; ns++)
			if (ns >= 100 && ns < 200)
				want[(ns - 100) / 10]++;
	}
	rep_binned_finish(&b, &s);
	for (size_t i = 0; i < b.n; i++) {
		assert_true(fabs(s.ns[i] - want[i]) < 1e-9);
		assert_true(fabs(rep_binned_mean(&b, &s, i) - want[i] / 10) < 1e-9);
	}
	assert_int_equal(rep_bin_of(&b, 0), 0);
	assert_int_equal(rep_bin_of(&b, 109), 0);
	assert_int_equal(rep_bin_of(&b, 110), 1);
	assert_int_equal(rep_bin_of(&b, 5000), 9);
	rep_binned_release(&s);
	rep_bins_release(&b);
}

static void test_bins_of_little(void **state)
{
	struct rep_bins b = {0};

	(void)state;
	assert_int_equal(rep_bins_even(&b, 7, 10, 320), 0);
	assert_int_equal(b.n, 3);
	assert_int_equal(b.edge[1], 8);
	rep_bins_release(&b);
	assert_int_equal(rep_bins_even(&b, 7, 7, 320), 0);
	assert_int_equal(b.n, 1);
	assert_int_equal(b.edge[1], 7);
	rep_bins_release(&b);
	/* Times that a damaged clock may give. */
	assert_int_equal(rep_bins_even(&b, INT64_MIN + 1, INT64_MAX, 4), 0);
	for (size_t i = 0; i < b.n; i++)
		assert_true(b.edge[i] <= b.edge[i + 1]);
	rep_bins_release(&b);
}

/* ---- a run ---- */

static double sum_of(const struct rep_bins *b, const struct rep_binned *s)
{
	double sum = 0;

	for (size_t i = 0; i < b->n; i++)
		sum += s->ns[i];
	return sum;
}

static int on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	double *sum = ctx;

	(void)err;
	if (rep_time_class_of(part->state) < REP_TIME_NCLASSES)
		sum[rep_time_class_of(part->state)] += (double)part->total_ns;
	return 0;
}

/* Returns the time of a table's rows within the range. */
static double sql_sum(const char *table, const char *where, int64_t from, int64_t to)
{
	sqlite3_stmt *st;
	char sql[400];
	double sum;

	snprintf(sql, sizeof(sql),
		 "SELECT coalesce(sum(max(min(end_ns, ?2) - max(start_ns, ?1), 0)), 0) FROM "
		 "(SELECT %s FROM %s) WHERE %s",
		 !strcmp(table, "goroutine")
		     ? "created_ns AS start_ns, coalesce(ended_ns, (SELECT duration_ns FROM run)) "
		       "AS end_ns"
		     : "*",
		 table, where);
	assert_int_equal(sqlite3_prepare_v2(tp_store_db(store), sql, -1, &st, NULL), 0);
	sqlite3_bind_int64(st, 1, from);
	sqlite3_bind_int64(st, 2, to);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	sum = sqlite3_column_double(st, 0);
	sqlite3_finalize(st);
	return sum;
}

static void check_range(const char *from, const char *to, int64_t from_ns, int64_t to_ns,
			int64_t events)
{
	const struct rep_filter_text text = {.from = from, .to = to};
	struct rep_run run = runs.run[0];
	double want[REP_TIME_NCLASSES] = {0}, busy = 0;
	struct rep_filter filter;
	struct rep_time t;
	struct rep_view v;
	struct tp_err err;

	run.row.events = events;
	assert_int_equal(rep_filter_init(&filter, &text, &err), 0);
	assert_int_equal(rep_view_init(&v, store, &run, &filter, NULL, &err), 0);
	assert_int_equal(rep_time_load(&t, &v, &err), 0);
	assert_int_equal(t.fine.edge[0], from_ns);
	assert_int_equal(t.fine.edge[t.fine.n], to_ns);
	assert_int_equal(rep_parts_each(&v, 0, on_part, want, &err), 0);
	for (int c = 0; c < REP_TIME_NCLASSES; c++) {
		assert_true(want[c] > 0);
		assert_true(fabs(sum_of(&t.bins, &t.all[c]) - want[c]) < 1);
	}
	for (size_t i = 0; i < t.nprocs; i++)
		busy += sum_of(&t.fine, &t.proc[i]);
	assert_true(fabs(busy - sql_sum("proc_span", "state = 'Running'", from_ns, to_ns)) < 1);
	assert_true(fabs(sum_of(&t.fine, &t.mark) -
			 sql_sum("range", "name LIKE 'GC concurrent mark%'", from_ns, to_ns)) < 1);
	assert_true(fabs(sum_of(&t.fine, &t.stw) -
			 sql_sum("range", "name LIKE 'stop-the-world%'", from_ns, to_ns)) < 1);
	assert_true(fabs(sum_of(&t.fine, &t.alive) - sql_sum("goroutine", "1", from_ns, to_ns)) <
		    1);
	rep_time_release(&t);
	rep_view_release(&v);
	rep_filter_release(&filter);
}

static void test_time_is_as_reports_have_it(void **state)
{
	int64_t end = runs.run[0].row.duration_ns;

	(void)state;
	check_range(NULL, NULL, 0, end, 1);
	check_range(NULL, NULL, 0, end, REP_TIME_EVENTS + 1);
	check_range("100ms", "300ms", 100000000, 300000000, 1);
	check_range("400ms", NULL, 400000000, end, 1);
	check_range(NULL, "30ms", 0, 30000000, 1);
}

static void test_metric_of_a_range(void **state)
{
	const struct rep_filter_text text = {.from = "100ms", .to = "200ms"};
	struct rep_time_curve c = {0};
	struct rep_filter filter;
	struct rep_time t;
	struct rep_view v;
	struct tp_err err;
	sqlite3_stmt *st;

	(void)state;
	assert_int_equal(rep_filter_init(&filter, &text, &err), 0);
	assert_int_equal(rep_view_init(&v, store, &runs.run[0], &filter, NULL, &err), 0);
	assert_int_equal(rep_time_begin(&t, &v, 100, &err), 0);
	assert_int_equal(rep_time_metric(&t, &v, REP_METRIC_HEAP_NAME, &c, &err), 0);
	assert_true(c.n > 2);
	assert_true(c.x[0] == 100e6 && c.x[c.n - 1] == 200e6);
	for (size_t i = 1; i < c.n; i++)
		assert_true(c.x[i - 1] <= c.x[i]);
	assert_int_equal(sqlite3_prepare_v2(tp_store_db(store),
					    "SELECT value FROM metric WHERE name = "
					    "'" REP_METRIC_HEAP_NAME "' AND ts_ns <= 100000000 "
					    "ORDER BY ts_ns DESC LIMIT 1",
					    -1, &st, NULL),
			 0);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	assert_true(c.y[0] == sqlite3_column_double(st, 0));
	sqlite3_finalize(st);
	rep_time_curve_release(&c);
	assert_int_equal(rep_time_metric(&t, &v, "/no/such:thing", &c, &err), 0);
	assert_int_equal(c.n, 0);
	rep_time_curve_release(&c);
	rep_time_release(&t);
	rep_view_release(&v);
	rep_filter_release(&filter);
}

/* Tests steps of two bins, of two series together. */
static void test_time_steps(void **state)
{
	int64_t edge[] = {0, 10, 20, 30};
	const struct rep_bins b = {3, edge};
	double one[] = {10, 0, 5}, two[] = {10, 10, 0};
	const struct rep_binned s[] = {{.ns = one}, {.ns = two}};
	struct rep_time_curve c;

	(void)state;
	assert_true(rep_binned_means(&b, s, 2, 0, 2) == 1.5);
	assert_int_equal(rep_time_steps(&c, &b, s, 2, 2), 0);
	assert_int_equal(c.n, 3);
	assert_true(c.x[0] == 0 && c.x[1] == 20 && c.x[2] == 30);
	assert_true(c.y[0] == 1.5 && c.y[1] == 0.5 && c.y[2] == 0.5);
	rep_time_curve_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_time_steps),
	    cmocka_unit_test(test_bins_add_up),
	    cmocka_unit_test(test_bins_of_little),
	    cmocka_unit_test(test_time_is_as_reports_have_it),
	    cmocka_unit_test(test_metric_of_a_range),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
