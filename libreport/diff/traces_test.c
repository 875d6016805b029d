/* Diffs of made-up traces whose truth is known. */
#include "diff/testing_traces.h"

static struct rep_diff *compare(struct rep_metrics *const *old, size_t n,
				struct rep_metrics *const *new, size_t m,
				const struct rep_diff_options *opt)
{
	struct rep_diff_run *run = calloc(n + m, sizeof(*run));
	const struct rep_diff_side a = {testing_runs(run, old, n), n},
				   b = {testing_runs(run + n, new, m), m};
	struct rep_diff *d;
	struct tp_err err;

	if (rep_diff_new(&d, &a, &b, opt, &err))
		fail_msg("%s", err.msg);
	free(run);
	return d;
}

/* Regular events, `each` in a window, all of the same length. */
static struct rep_metrics *regular(size_t windows, size_t each, int64_t ns)
{
	struct rep_metrics *m = testing_run(windows);

	for (size_t i = 0; i < windows; i++)
		for (size_t k = 0; k < each; k++)
			testing_put(m, REP_FAMILY_TASK, "a", i, ns + (int64_t)(k * 1000));
	return testing_solve(m);
}

/* A run of twice the length is the same program, unless whole runs are compared. */
static void test_compare_length(void **state)
{
	struct rep_metrics *old = regular(8, 20, 1000000), *new = regular(16, 20, 1000000);
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct rep_diff *d;
	const struct rep_diff_row *row;

	(void)state;
	opt.every_stat = true;
	d = compare(&old, 1, &new, 1, &opt);
	row = testing_row(d, "task[a].rate");
	assert_true(row->old == 200 && row->new == 200);
	assert_int_equal(row->verdict, REP_VERDICT_SAME);
	row = testing_row(d, "task[a].total");
	assert_true(fabs(row->new / row->old - 1) < 1e-9);
	assert_int_equal(row->old_count, 160);
	assert_int_equal(row->new_count, 320);
	rep_diff_free(d);

	opt.per.per = REP_PER_RUN;
	d = compare(&old, 1, &new, 1, &opt);
	row = testing_row(d, "task[a].total");
	assert_true(fabs(row->new / row->old - 2) < 1e-9);
	row = testing_row(d, "task[a].count");
	assert_true(row->old == 160 && row->new == 320);
	rep_diff_free(d);

	opt.per.per = REP_PER_TASK;
	d = compare(&old, 1, &new, 1, &opt);
	row = testing_row(d, "task[a].count");
	assert_true(row->old == 1 && row->new == 1);
	rep_diff_free(d);
	rep_metrics_free(old);
	rep_metrics_free(new);
}

static void test_compare_two(void **state)
{
	uint64_t seed = 5;
	const struct testing_world was = {WINDOWS, 50, 0.3, 1, 1}, is = {WINDOWS, 50, 0.3, 1, 1.5};
	struct rep_metrics *old = testing_world(&was, &seed), *new = testing_world(&is, &seed);
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct rep_diff *d = compare(&old, 1, &new, 1, &opt);
	const struct rep_diff_row *row = testing_row(d, "task[a].p50");

	(void)state;
	assert_false(d->sets);
	assert_int_equal(row->verdict, REP_VERDICT_CHANGED);
	assert_true(row->of_delta.known && row->of_delta.low > 0.4e6 && row->of_delta.high < 0.6e6);
	assert_true(row->of_delta.low < 0.5e6 && row->of_delta.high > 0.5e6);
	assert_int_equal(testing_row(d, "task[b].p50")->verdict, REP_VERDICT_SAME);
	assert_int_equal(testing_row(d, "sched[main.f].p50")->verdict, REP_VERDICT_SAME);
	/* What changed comes first. */
	assert_int_equal(d->row[0].verdict, REP_VERDICT_CHANGED);
	assert_string_equal(d->row[0].name, "a");
	rep_diff_free(d);
	rep_metrics_free(old);
	rep_metrics_free(new);
}

static void test_compare_new_and_gone(void **state)
{
	struct rep_metrics *old = testing_run(WINDOWS), *new = testing_run(WINDOWS);
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	const struct rep_diff_row *row;
	struct rep_diff *d;

	(void)state;
	for (size_t i = 0; i < WINDOWS; i++) {
		testing_put(old, REP_FAMILY_TASK, "old", i, 1000000);
		testing_put(new, REP_FAMILY_TASK, "new", i, 1000000);
		testing_put(old, REP_FAMILY_TASK, "both", i, 1000000);
		testing_put(new, REP_FAMILY_TASK, "both", i, 1000000);
	}
	testing_put(new, REP_FAMILY_TASK, "once", 3, 9000000);
	testing_solve(old);
	testing_solve(new);
	d = compare(&old, 1, &new, 1, &opt);
	row = testing_row(d, "task[new].rate");
	assert_int_equal(row->status, REP_STATUS_ADDED);
	assert_int_equal(row->verdict, REP_VERDICT_CHANGED);
	row = testing_row(d, "task[old].rate");
	assert_int_equal(row->status, REP_STATUS_GONE);
	assert_int_equal(row->verdict, REP_VERDICT_CHANGED);
	/* Once is chance. */
	row = testing_row(d, "task[once].rate");
	assert_int_equal(row->status, REP_STATUS_ADDED);
	assert_int_not_equal(row->verdict, REP_VERDICT_CHANGED);
	assert_int_equal(testing_row(d, "task[both].rate")->status, REP_STATUS_SAME);
	rep_diff_free(d);
	rep_metrics_free(old);
	rep_metrics_free(new);
}

/* What is in few windows, or in one mostly, says nothing about noise. */
static void test_compare_few(void **state)
{
	struct rep_metrics *old = testing_run(WINDOWS), *new = testing_run(WINDOWS);
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct rep_diff *d;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 50; k++) {
			testing_put(old, REP_FAMILY_REGION, "few", i, 1000000);
			testing_put(new, REP_FAMILY_REGION, "few", i, 3000000);
		}
	for (size_t i = 0; i < WINDOWS; i++) {
		testing_put(old, REP_FAMILY_SCHED, "main.f", i, i == 3 ? 900000000 : 1000);
		testing_put(new, REP_FAMILY_SCHED, "main.f", i, 1000);
	}
	testing_solve(old);
	testing_solve(new);
	d = compare(&old, 1, &new, 1, &opt);
	assert_int_equal(testing_row(d, "region[few].p50")->verdict, REP_VERDICT_FEW);
	/* One window had nearly all of it. */
	assert_int_equal(testing_row(d, "sched[main.f].total")->verdict, REP_VERDICT_SAME);
	rep_diff_free(d);
	rep_metrics_free(old);
	rep_metrics_free(new);
}

/* A clock of 64 ns: a median that is one grain further says less than the numbers seem to. */
static void test_compare_grain(void **state)
{
	struct rep_metrics *old = testing_run(WINDOWS), *new = testing_run(WINDOWS);
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct rep_diff *d;

	(void)state;
	for (size_t i = 0; i < WINDOWS; i++)
		for (size_t k = 0; k < 100; k++) {
			testing_put(old, REP_FAMILY_REGION, "r", i, k < 80 ? 512 : 576);
			testing_put(new, REP_FAMILY_REGION, "r", i, k < 20 ? 512 : 576);
		}
	testing_solve(old);
	testing_solve(new);
	d = compare(&old, 1, &new, 1, &opt);
	assert_true(testing_row(d, "region[r].p50")->new > testing_row(d, "region[r].p50")->old);
	assert_int_not_equal(testing_row(d, "region[r].p50")->verdict, REP_VERDICT_CHANGED);
	rep_diff_free(d);
	rep_metrics_free(old);
	rep_metrics_free(new);
}

static void test_compare_sets(void **state)
{
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct rep_metrics *run[16];
	const struct rep_diff_row *row;
	struct rep_diff *d;
	uint64_t seed = 9;

	(void)state;
	for (size_t i = 0; i < 16; i++) {
		const struct testing_world w = {
		    WINDOWS, 30, 0.3, exp(0.02 * rep_power_normal(&seed)), i < 8 ? 1 : 1.2};

		run[i] = testing_world(&w, &seed);
	}
	d = compare(run, 8, run + 8, 8, &opt);
	assert_true(d->sets);
	row = testing_row(d, "task[a].p50");
	assert_int_equal(row->verdict, REP_VERDICT_CHANGED);
	assert_true(row->of_delta.known && row->of_delta.low > 0.1e6 && row->of_delta.high < 0.3e6);
	assert_true(row->p < 0.001 && row->q < 0.05);
	assert_int_equal(testing_row(d, "task[b].p50")->verdict, REP_VERDICT_SAME);
	/* The same in all runs: no test. */
	row = testing_row(d, "stw[GC mark termination].rate");
	assert_true(isnan(row->p));
	rep_diff_free(d);
	d = compare(run, 3, run + 8, 3, &opt);
	assert_true(d->few);
	/* Nothing can be called changed, but the windows of the runs say that one differs. */
	row = testing_row(d, "task[a].p50");
	assert_int_equal(row->verdict, REP_VERDICT_DIFFERS);
	assert_true(row->of_delta.known && row->of_delta.low > 0 && row->of_delta.high < 0.4e6);
	assert_int_equal(testing_row(d, "task[b].p50")->verdict, REP_VERDICT_FEW);
	assert_true(d->differing >= 1 && d->differing < d->n);
	rep_diff_free(d);
	for (size_t i = 0; i < 16; i++)
		rep_metrics_free(run[i]);
}

static void test_compare_refuses(void **state)
{
	struct rep_metrics *with = regular(8, 2, 1000), *without = testing_solve(testing_run(8));
	struct rep_diff_run runs[2] = {{.metrics = with}, {.metrics = without}};
	const struct rep_diff_side a = {&runs[0], 1}, b = {&runs[1], 1};
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct rep_diff *d;
	struct tp_err err;

	(void)state;
	opt.per.per = REP_PER_TASK;
	assert_int_equal(rep_diff_new(&d, &a, &b, &opt, &err), TP_EFORMAT);
	assert_non_null(strstr(err.msg, "--per=second"));
	opt.per.task = "b";
	assert_int_equal(rep_diff_new(&d, &a, &a, &opt, &err), TP_EFORMAT);
	assert_non_null(strstr(err.msg, "of type b"));
	opt.per = (struct rep_per_options){0};
	without->base.ticks = true;
	assert_int_equal(rep_diff_new(&d, &a, &b, &opt, &err), TP_EFORMAT);
	assert_non_null(strstr(err.msg, "no clock"));
	rep_metrics_free(with);
	rep_metrics_free(without);
}

/* Tables of Student's distribution. */
static void test_student(void **state)
{
	static const struct {
		double t, df, p;
	} known[] = {
	    {12.706, 1, 0.05},	   {2.228, 10, 0.05},  {3.169, 10, 0.01},
	    {1.959964, 1e7, 0.05}, {2.0, 5, 0.101939}, {0, 7, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_true(fabs(rep_student_p(known[i].t, known[i].df) - known[i].p) < 2e-5);
		if (known[i].t > 0)
			assert_true(fabs(rep_student_t(known[i].p, known[i].df) / known[i].t - 1) <
				    2e-4);
	}
	assert_true(rep_student_p(80, 20) < 1e-20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_compare_length),	 cmocka_unit_test(test_compare_two),
	    cmocka_unit_test(test_compare_new_and_gone), cmocka_unit_test(test_compare_few),
	    cmocka_unit_test(test_compare_grain),	 cmocka_unit_test(test_compare_sets),
	    cmocka_unit_test(test_compare_refuses),	 cmocka_unit_test(test_student),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
