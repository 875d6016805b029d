/* Spans are the same whether all events are read for them or only changes of states. */
#include "spans/segment.h"

#include "store/testing_run.h"

#define HASH "00000000000000000000000000000007"

struct seen {
	struct tp_span span[8];
	size_t n;
};

static int on_span(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	struct seen *s = ctx;

	(void)crosses;
	(void)end_stack;
	(void)err;
	assert_true(s->n < 8);
	s->span[s->n++] = *span;
	return 0;
}

static int on_event(void *ctx, const struct tp_event *ev, struct tp_err *err)
{
	(void)ctx;
	(void)ev;
	(void)err;
	return 0;
}

/* Writes a run without losses, whose clock begins at `start`: a Sync event, one that changes nothing, and two changes of
 * goroutine 0. */
static void write_changes(int64_t start)
{
	const struct tp_event ev[] = {
	    {.ts = start,
	     .type = TP_EV_SYNC,
	     .g = TP_NONE,
	     .subject = TP_NONE,
	     .m = TP_NONE,
	     .p = TP_NONE},
	    {.ts = start + 5,
	     .type = TP_EV_HEAP_ALLOC,
	     .g = TP_NONE,
	     .subject = TP_NONE,
	     .m = 0,
	     .p = 0},
	    {.ts = start + 10, .type = TP_EV_GO_BLOCK, .from = TP_ST_RUNNING, .to = TP_ST_WAITING},
	    {.ts = start + 20,
	     .type = TP_EV_GO_UNBLOCK,
	     .from = TP_ST_WAITING,
	     .to = TP_ST_RUNNABLE},
	};
	const struct tp_store_options how = {.wait_ms = 10000};
	const struct tp_trace trace = {.dict = tp_dict_new()};
	struct tp_run row = run_row(HASH);
	struct tp_store_run *run;
	struct tp_err err;

	row.start_ns = start;
	row.duration_ns = 30;
	assert_non_null(trace.dict);
	assert_int_equal(tp_store_begin(&run, path, &how, &err), 0);
	assert_int_equal(tp_store_put_events(run, ev, 4, &err), 0);
	assert_int_equal(tp_store_put_trace(run, &trace, &err), 0);
	assert_int_equal(tp_store_put_segment(run, &(struct tp_segment){0, 0, 1, 0, 30, 4}, &err),
			 0);
	assert_int_equal(tp_store_commit(run, &row, &err), 0);
	tp_dict_free(trace.dict);
}

static void read_spans(struct rep_view *v, uint64_t types, struct seen *seen)
{
	const struct rep_segment_reader reader = {
	    .span = on_span, .event = on_event, .types = types, .ctx = seen};
	struct tp_err err;

	seen->n = 0;
	assert_int_equal(rep_segment_read(v, 0, &reader, &err), 0);
}

static void test_segment_choice(void **state)
{
	static const int64_t starts[] = {0, 1, START};
	const struct rep_filter_text none = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		struct rep_filter filter;
		struct rep_runs runs;
		struct rep_view v;
		struct tp_store *store;
		struct tp_err err;
		struct seen all, some;

		unlink(path);
		write_changes(starts[i]);
		assert_int_equal(tp_store_open(&store, path, &err), 0);
		assert_int_equal(rep_runs_load(store, &runs, &err), 0);
		assert_int_equal(rep_filter_init(&filter, &none, &err), 0);
		assert_int_equal(rep_view_init(&v, store, &runs.run[0], &filter, NULL, &err), 0);
		read_spans(&v, 1, &all);
		read_spans(&v, 0, &some);
		assert_int_equal(all.n, 3);
		assert_int_equal(some.n, all.n);
		for (size_t k = 0; k < all.n; k++) {
			assert_int_equal(some.span[k].start, all.span[k].start);
			assert_int_equal(some.span[k].end, all.span[k].end);
			assert_int_equal(some.span[k].state, all.span[k].state);
		}
		/* While the clock is 0, the Sync event does not count. */
		assert_int_equal(all.span[0].start, starts[i] ? 0 : 5);
		rep_view_release(&v);
		rep_filter_release(&filter);
		rep_runs_release(&runs);
		tp_store_close(store);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {RUN_TEST(test_segment_choice)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
