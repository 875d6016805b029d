#include "top/report.h"

#include "store/testing_run.h"

#define REGIONS INT64_C(70000) /* more than one part */
#define LAST	INT64_C(69900) /* the first one of the other type, and of a task */

static int put_regions(struct tp_store_run *run, struct tp_err *err)
{
	const int64_t task[] = {
	    [TP_COL(TASK, id)] = 1, [TP_COL(TASK, name)] = TP_STR_GC_MARK, [TP_COL(TASK, end_ns)] = 9};
	int64_t row[TP_MAX_COLUMNS] = {0};
	int code;

	memcpy(row, task, sizeof(task));
	code = tp_store_put_row(run, TP_TABLE_TASK, row, err);
	for (int64_t i = 0; !code && i < REGIONS; i++) {
		memset(row, 0, sizeof(row));
		row[TP_COL(REGION, name)] = i < LAST ? TP_STR_GC_MARK : TP_STR_GC_SWEEP;
		row[TP_COL(REGION, task)] = i >= LAST;
		row[TP_COL(REGION, start_ns)] = i;
		row[TP_COL(REGION, end_ns)] = i + 1;
		code = tp_store_put_row(run, TP_TABLE_REGION, row, err);
	}
	return code;
}

/* Regions are chosen by their row in the run, also where the table is read in parts. */
static void test_many_regions(void **state)
{
	const struct rep_filter_text filters[] = {{.task = "."}, {.region = "sweep"}};
	const struct tp_store_options how = {.wait_ms = 10000};
	struct tp_run row = run_row("00000000000000000000000000000008");
	struct tp_store_run *run;
	struct tp_store *store;
	struct rep_runs runs;
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_store_begin(&run, path, &how, &err), 0);
	assert_int_equal(put_regions(run, &err), 0);
	assert_int_equal(put_trace(run, &err), 0);
	assert_int_equal(tp_store_put_segment(run, &(struct tp_segment){0, 0, 2, 0, 100, 5}, &err),
			 0);
	assert_int_equal(tp_store_commit(run, &row, &err), 0);
	assert_int_equal(tp_store_open(&store, path, &err), 0);
	assert_int_equal(rep_runs_load(store, &runs, &err), 0);
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		const struct rep_top_options top = {
		    .report = &rep_report_regions, .filter = filters[i], .tables = true};
		struct tp_buf text = {0};
		const struct rep_output_options opt = {.format = REP_FORMAT_CSV,
						       .sink = rep_sink_buf(&text)};
		struct rep_output *out;

		assert_int_equal(rep_output_new(&out, &opt, NULL), 0);
		if (rep_top(out, store, runs.run, 1, &top, &err))
			fail_msg("%s", err.msg);
		assert_int_equal(rep_output_finish(out, NULL), 0);
		rep_output_free(out);
		assert_int_equal(tp_buf_put(&text, "", 1), 0);
		if (!strstr((char *)text.data, "\nGC incremental sweep,100,,100,"))
			fail_msg("%s", (char *)text.data);
		assert_null(strstr((char *)text.data, "mark"));
		tp_buf_release(&text);
	}
	rep_runs_release(&runs);
	tp_store_close(store);
}

static void test_times_by_state(void **state)
{
	int64_t times[REP_NTIMES] = {0};

	(void)state;
	rep_times_add(times, TP_ST_RUNNING, 1);
	rep_times_add(times, TP_ST_WAITING, 20);
	rep_times_add(times, TP_ST_SYSCALL, 300);
	rep_times_add(times, TP_ST_LOST, 4000);
	rep_times_add(times, TP_ST_IDLE, 50000); /* which has no column */
	assert_int_equal(times[REP_TIME_TOTAL], 54321);
	assert_int_equal(times[REP_TIME_RUN], 1);
	assert_int_equal(times[REP_TIME_BLOCK], 20);
	assert_int_equal(times[REP_TIME_CALLS], 300);
	assert_int_equal(times[REP_TIME_LOST], 4000);
}

/* Sums that a damaged clock drove to their limit stay there. */
static void test_times_saturate(void **state)
{
	int64_t times[REP_NTIMES] = {0};

	(void)state;
	rep_times_add(times, TP_ST_SYSCALL, INT64_MAX);
	rep_times_add(times, TP_ST_SYSCALL_BLOCKED, INT64_MAX);
	assert_int_equal(times[REP_TIME_CALLS], INT64_MAX);
	assert_int_equal(times[REP_TIME_TOTAL], INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_times_by_state),
	    cmocka_unit_test(test_times_saturate),
	    RUN_TEST(test_many_regions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
