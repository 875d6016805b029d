/* Reads tables part by part: a long one in parts, a short one or one that is loaded at once. */
#include "spans/view.h"

#include "store/testing_run.h"

#define HASH "00000000000000000000000000000007"

struct seen {
	size_t rows, parts;
	int stop; /* returned after the first part */
};

static int on_rows(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	struct seen *s = ctx;
	const unsigned total = TP_COL(GOROUTINE, total_ns), running = TP_COL(GOROUTINE, running_ns);

	(void)err;
	assert_int_equal(first, s->rows);
	for (size_t i = 0; i < v->nrows[TP_TABLE_GOROUTINE]; i++) {
		int64_t row = (int64_t)(first + i);

		assert_int_equal(REP_COL(v, GOROUTINE, total_ns)[i], value_at(row, total));
		assert_int_equal(REP_COL(v, GOROUTINE, running_ns)[i], value_at(row, running));
	}
	s->rows += v->nrows[TP_TABLE_GOROUTINE];
	s->parts++;
	return s->stop;
}

static void test_view_visit(void **state)
{
	static const int64_t rows[] = {0, 1, 40000, 300000};
	const uint32_t columns = REP_BIT(GOROUTINE, total_ns) | REP_BIT(GOROUTINE, running_ns);

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		const struct rep_filter_text none = {0};
		struct rep_filter filter;
		struct rep_runs runs;
		struct rep_view v;
		struct tp_store *store;
		struct tp_run row;
		struct tp_err err;
		struct seen seen = {0}, again = {0}, stopped = {.stop = 3};
		bool is_long = rows[k] > 100000;

		unlink(path);
		assert_int_equal(write_run(HASH, 10, rows[k], &row, &err), 0);
		assert_int_equal(tp_store_open(&store, path, &err), 0);
		assert_int_equal(rep_runs_load(store, &runs, &err), 0);
		assert_int_equal(rep_filter_init(&filter, &none, &err), 0);
		assert_int_equal(rep_view_init(&v, store, &runs.run[0], &filter, NULL, &err), 0);

		assert_int_equal(
		    rep_view_visit(&v, TP_TABLE_GOROUTINE, columns, on_rows, &seen, &err), 0);
		assert_int_equal(seen.rows, rows[k]);
		assert_int_equal(seen.parts > 1, is_long);
		assert_int_equal(REP_COL(&v, GOROUTINE, total_ns) == NULL, is_long);
		assert_int_equal(
		    rep_view_visit(&v, TP_TABLE_GOROUTINE, columns, on_rows, &stopped, &err),
		    rows[k] ? 3 : 0);
		assert_int_equal(rep_view_load(&v, TP_TABLE_GOROUTINE, columns, &err), 0);
		assert_int_equal(
		    rep_view_visit(&v, TP_TABLE_GOROUTINE, columns, on_rows, &again, &err), 0);
		assert_int_equal(again.rows, rows[k]);
		assert_true(again.parts <= 1);

		rep_view_release(&v);
		rep_filter_release(&filter);
		rep_runs_release(&runs);
		tp_store_close(store);
	}
}

/* An error names the run and the table. */
static void test_view_visit_says_where(void **state)
{
	const struct rep_filter_text none = {0};
	struct rep_filter filter;
	struct rep_runs runs;
	struct rep_view v;
	struct tp_store *store;
	struct tp_run row;
	struct tp_err err;
	struct seen seen = {0};

	(void)state;
	assert_int_equal(write_run(HASH, 10, 300000, &row, &err), 0);
	change(path, "UPDATE block SET rows = 9223372036854775807 WHERE stream = 'goroutine'");
	assert_int_equal(tp_store_open(&store, path, &err), 0);
	assert_int_equal(rep_runs_load(store, &runs, &err), 0);
	assert_int_equal(rep_filter_init(&filter, &none, &err), 0);
	assert_int_equal(rep_view_init(&v, store, &runs.run[0], &filter, NULL, &err), 0);
	assert_int_not_equal(rep_view_visit(&v, TP_TABLE_GOROUTINE, REP_BIT(GOROUTINE, total_ns),
					    on_rows, &seen, &err),
			     0);
	assert_non_null(strstr(err.msg, "run 1, table goroutine"));
	rep_view_release(&v);
	rep_filter_release(&filter);
	rep_runs_release(&runs);
	tp_store_close(store);
}

#define TASKS (2 * REP_PACKED_ROWS + 77)

static int64_t id_of(size_t row)
{
	return row % 5 ? (int64_t)row * 3 : TP_NULL;
}

static int on_tasks(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	size_t *rows = ctx;

	(void)err;
	assert_int_equal(first, *rows);
	for (size_t i = 0; i < v->nrows[TP_TABLE_TASK]; i++, ++*rows) {
		assert_int_equal(REP_COL(v, TASK, id)[i], id_of(*rows));
		assert_int_equal(REP_AT(v, TASK, id, i), id_of(*rows));
	}
	return 0;
}

/* A long table of tasks is packed; it can be read by row, and part by part. */
static void test_view_packs(void **state)
{
	const struct tp_store_options how = {.wait_ms = 10000};
	const struct rep_filter_text none = {0};
	struct tp_run row = run_row(HASH);
	struct rep_filter filter;
	struct rep_runs runs;
	struct rep_view v;
	struct tp_store_run *run;
	struct tp_store *store;
	struct tp_err err;
	size_t rows = 0;

	(void)state;
	assert_int_equal(tp_store_begin(&run, path, &how, &err), 0);
	for (size_t i = 0; i < TASKS; i++) {
		int64_t task[TP_MAX_COLUMNS] = {[TP_COL(TASK, id)] = id_of(i)};

		assert_int_equal(tp_store_put_row(run, TP_TABLE_TASK, task, &err), 0);
	}
	assert_int_equal(put_trace(run, &err), 0);
	assert_int_equal(tp_store_put_segment(run, &(struct tp_segment){0, 0, 2, 0, 100, 5}, &err),
			 0);
	assert_int_equal(tp_store_commit(run, &row, &err), 0);
	assert_int_equal(tp_store_open(&store, path, &err), 0);
	assert_int_equal(rep_runs_load(store, &runs, &err), 0);
	assert_int_equal(rep_filter_init(&filter, &none, &err), 0);
	assert_int_equal(rep_view_init(&v, store, &runs.run[0], &filter, NULL, &err), 0);
	assert_false(rep_view_has(&v, TP_TABLE_TASK, TP_COL(TASK, id)));
	assert_int_equal(rep_view_load(&v, TP_TABLE_TASK, REP_BIT(TASK, id), &err), 0);
	assert_true(rep_view_has(&v, TP_TABLE_TASK, TP_COL(TASK, id)));
	assert_false(rep_view_has(&v, TP_TABLE_TASK, TP_COL(TASK, name)));
	assert_null(REP_COL(&v, TASK, id));
	assert_true(v.nrows[TP_TABLE_TASK] >= TASKS);
	for (size_t i = 0; i < TASKS; i++)
		assert_int_equal(REP_AT(&v, TASK, id, i), id_of(i));
	assert_int_equal(
	    rep_view_visit(&v, TP_TABLE_TASK, REP_BIT(TASK, id), on_tasks, &rows, &err), 0);
	assert_int_equal(rows, v.nrows[TP_TABLE_TASK]);
	rep_view_release(&v);
	rep_filter_release(&filter);
	rep_runs_release(&runs);
	tp_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {RUN_TEST(test_view_packs), RUN_TEST(test_view_visit),
					   RUN_TEST(test_view_visit_says_where)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
