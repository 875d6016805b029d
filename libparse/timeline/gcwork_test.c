#include "timeline/testing.h"

#define G_RUNS(t, g_, p_, ...) EV(t, GO_START, NO, g_, RUNNABLE, RUNNING, .p = p_, __VA_ARGS__)
#define LABEL(t, g_, p_, text)                                                                     \
	{                                                                                          \
		.ts = t, .type = TP_EV_GO_LABEL, .g = g_, .subject = g_, .m = 0, .p = p_,          \
		.str = str(text)                                                                   \
	}
#define ASSIST(t, what, g_, p_)                                                                    \
	{                                                                                          \
		.ts = t, .type = TP_EV_MARK_ASSIST_##what, .g = g_, .subject = g_, .m = 0, .p = p_ \
	}

static void assert_work(size_t n, const char *name, int64_t p, int64_t start, int64_t told,
			int64_t end)
{
	assert_int_equal(COL(GC_WORK, n, name), str(name));
	assert_int_equal(COL(GC_WORK, n, p), p);
	assert_int_equal(COL(GC_WORK, n, start_ns), start);
	assert_int_equal(COL(GC_WORK, n, told_ns), told);
	assert_int_equal(COL(GC_WORK, n, end_ns), end);
}

/* An assist counts while its goroutine runs, on the P that it runs on. */
static void test_assist_follows_goroutine(void **state)
{
	(void)state;
	PLAY(1, SYNC(100), EV(110, GO_CREATE, NO, 0, NONEX, RUNNABLE), G_RUNS(120, 0, 3),
	     ASSIST(130, BEGIN, 0, 3), EV(150, GO_BLOCK, 0, 0, RUNNING, WAITING, .p = 3),
	     EV(160, GO_UNBLOCK, NO, 0, WAITING, RUNNABLE), G_RUNS(170, 0, 1),
	     ASSIST(185, END, 0, 1), EV(190, GO_STOP, 0, 0, RUNNING, RUNNABLE, .p = 1),
	     G_RUNS(195, 0, 2), SYNC(200));
	assert_int_equal(count_rows(TP_TABLE_GC_WORK), 2);
	assert_work(0, "GC mark assist", 3, 30, 30, 50);
	assert_work(1, "GC mark assist", 1, 70, 70, 85);
	assert_int_equal(COL(GC_WORK, 0, goroutine), TP_NULL);
}

/* In a system call the goroutine still has its P, as in Go. */
static void test_assist_in_syscall(void **state)
{
	(void)state;
	PLAY(1, SYNC(100), EV(110, GO_CREATE, NO, 0, NONEX, RUNNABLE), G_RUNS(120, 0, 0),
	     ASSIST(130, BEGIN, 0, 0), EV(140, GO_SYSCALL_BEGIN, 0, 0, RUNNING, SYSCALL),
	     EV(150, GO_SYSCALL_END, 0, 0, SYSCALL, RUNNING), ASSIST(160, END, 0, 0), SYNC(200));
	assert_int_equal(count_rows(TP_TABLE_GC_WORK), 1);
	assert_work(0, "GC mark assist", 0, 30, 30, 60);
}

/* Work in progress when the trace begins counts from there; work in progress at the end ends with
 * the trace. */
static void test_assist_at_the_ends(void **state)
{
	(void)state;
	PLAY(2, SYNC(100), EV(110, GO_STATUS, NO, 0, UNDET, RUNNING, .p = 2),
	     ASSIST(112, ACTIVE, 0, 2), EV(115, GO_STATUS, NO, 1, UNDET, WAITING),
	     ASSIST(117, ACTIVE, 1, 2), ASSIST(130, END, 0, 2),
	     EV(150, GO_UNBLOCK, NO, 1, WAITING, RUNNABLE), G_RUNS(160, 1, 1), SYNC(200));
	assert_int_equal(count_rows(TP_TABLE_GC_WORK), 2);
	assert_work(0, "GC mark assist", 2, 0, 12, 30);
	assert_work(1, "GC mark assist", 1, 60, 60, 100);
}

/* A later generation reports the assist once more. */
static void test_assist_active_again(void **state)
{
	(void)state;
	PLAY(1, SYNC(100), EV(110, GO_STATUS, NO, 0, UNDET, RUNNING, .p = 2),
	     ASSIST(120, BEGIN, 0, 2), SYNC(150), EV(155, GO_STATUS, NO, 0, RUNNING, RUNNING),
	     ASSIST(156, ACTIVE, 0, 2), ASSIST(180, END, 0, 2), SYNC(200));
	assert_int_equal(count_rows(TP_TABLE_GC_WORK), 1);
	assert_work(0, "GC mark assist", 2, 20, 20, 80);
}

/* The label comes after the start; running without a label is not work. */
static void test_worker_labels(void **state)
{
	(void)state;
	PLAY(1, SYNC(100),
	     EV(110, GO_CREATE, NO, 0, NONEX, RUNNABLE,
		.str2 = stack("runtime.gcBgMarkWorker", NULL)),
	     G_RUNS(120, 0, 1), LABEL(121, 0, 1, "GC (dedicated)"),
	     EV(140, GO_BLOCK, 0, 0, RUNNING, WAITING, .p = 1),
	     EV(145, GO_UNBLOCK, NO, 0, WAITING, RUNNABLE), G_RUNS(150, 0, 2),
	     LABEL(152, 0, 2, "GC (idle)"), EV(160, GO_BLOCK, 0, 0, RUNNING, WAITING, .p = 2),
	     EV(170, GO_UNBLOCK, NO, 0, WAITING, RUNNABLE), G_RUNS(180, 0, 0),
	     EV(185, GO_BLOCK, 0, 0, RUNNING, WAITING, .p = 0), SYNC(200));
	assert_int_equal(count_rows(TP_TABLE_GC_WORK), 2);
	assert_work(0, "GC (dedicated)", 1, 20, 21, 40);
	assert_work(1, "GC (idle)", 2, 50, 52, 60);
	assert_int_equal(COL(GC_WORK, 1, goroutine), 0);
}

/* The runtime labels what runs on a worker's P: one in an assist is none. */
static void test_label_in_assist(void **state)
{
	(void)state;
	PLAY(1, SYNC(100), EV(110, GO_CREATE, NO, 0, NONEX, RUNNABLE), G_RUNS(120, 0, 3),
	     ASSIST(130, BEGIN, 0, 3), EV(140, GO_STOP, 0, 0, RUNNING, RUNNABLE, .p = 3),
	     G_RUNS(150, 0, 1), LABEL(151, 0, 1, "GC (fractional)"), ASSIST(160, END, 0, 1),
	     SYNC(200));
	assert_int_equal(count_rows(TP_TABLE_GC_WORK), 2);
	assert_work(0, "GC mark assist", 3, 30, 30, 40);
	assert_work(1, "GC mark assist", 1, 50, 50, 60);
}

/* Several assists at a time each end by themselves, in any order. */
static void test_assists_of_many(void **state)
{
	static const int64_t order[] = {2, 0, 4, 3, 1, 5};
	struct tp_event ev[6 * 3 + 7], *at = ev;

	(void)state;
	*at++ = (struct tp_event)SYNC(100);
	for (uint32_t g = 0; g < 6; g++) {
		*at++ = (struct tp_event)EV(101, GO_CREATE, NO, g, NONEX, RUNNABLE);
		*at++ = (struct tp_event)G_RUNS(102, g, g);
		*at++ = (struct tp_event)ASSIST(110 + g, BEGIN, g, g);
	}
	/* The last one does not end. */
	for (uint32_t i = 0; i < 5; i++)
		*at++ = (struct tp_event)ASSIST(150 + i, END, (uint32_t)order[i], 0);
	*at++ = (struct tp_event)SYNC(200);
	feed(ev, (size_t)(at - ev));
	finish(6);
	assert_int_equal(count_rows(TP_TABLE_GC_WORK), 6);
	for (size_t i = 0; i < 6; i++)
		assert_work(i, "GC mark assist", order[i], 10 + order[i], 10 + order[i],
			    i < 5 ? 50 + (int64_t)i : 100);
}

/* Time that a damaged trace does not cover is not counted. */
static void test_assist_lost(void **state)
{
	(void)state;
	PLAY(1, SYNC(100), EV(110, GO_CREATE, NO, 0, NONEX, RUNNABLE), G_RUNS(120, 0, 3),
	     ASSIST(130, BEGIN, 0, 3), EV(140, GO_SYSCALL_BEGIN, 0, 0, RUNNING, SYSCALL, .p = 3),
	     EV(190, GO_STATUS, NO, 0, UNDET, WAITING, .flags = TP_EVF_LOST), SYNC(200));
	assert_true(count_rows(TP_TABLE_GC_WORK) == 1);
	assert_int_equal(COL(GC_WORK, 0, end_ns), 40);
}

/* ---- metrics ---- */

#define METRIC(t, ty, n)                                                                           \
	{                                                                                          \
		.ts = t, .type = TP_EV_##ty, .g = NO, .subject = NO, .m = 0, .p = 0, .arg = { n }  \
	}

static void assert_metric(size_t n, const char *name, int64_t ts, int64_t value)
{
	assert_int_equal(COL(METRIC, n, name), str(name));
	assert_int_equal(COL(METRIC, n, ts_ns), ts);
	assert_int_equal(COL(METRIC, n, value), value);
}

#define HEAP  "/memory/classes/heap/objects:bytes"
#define GOAL  "/gc/heap/goal:bytes"
#define PROCS "/sched/gomaxprocs:threads"

/* For a small trace every change is kept, in order; unchanged values are not repeated. */
static void test_metric_changes(void **state)
{
	(void)state;
	PLAY(1, SYNC(100), METRIC(101, PROCS_CHANGE, 8), METRIC(105, HEAP_ALLOC, 1000),
	     METRIC(106, HEAP_ALLOC, 1000), METRIC(110, HEAP_GOAL, 4000),
	     METRIC(112, HEAP_ALLOC, 2000), METRIC(120, PROCS_CHANGE, 8),
	     METRIC(130, HEAP_GOAL, 4000), METRIC(140, PROCS_CHANGE, 2),
	     METRIC(150, HEAP_ALLOC, UINT64_MAX), SYNC(200));
	assert_int_equal(count_rows(TP_TABLE_METRIC), 6);
	assert_metric(0, PROCS, 1, 8);
	assert_metric(1, HEAP, 5, 1000);
	assert_metric(2, GOAL, 10, 4000);
	assert_metric(3, HEAP, 12, 2000);
	assert_metric(4, PROCS, 40, 2);
	assert_metric(5, HEAP, 50, INT64_MAX);
}

/* For a long trace only the latest value of each batch and the values at stops of the world are
 * kept. */
static void test_metric_of_a_long_trace(void **state)
{
	enum { BATCHES = 20, N = 1000 };
	struct tp_event *ev = calloc(N, sizeof(*ev));
	size_t found = 0;

	(void)state;
	assert_non_null(ev);
	for (int b = 0; b < BATCHES; b++) {
		for (int i = 0; i < N; i++) {
			const struct tp_event alloc =
			    METRIC(1000 + b * N + i, HEAP_ALLOC, (uint64_t)(b * N + i));

			ev[i] = alloc;
		}
		if (b == 10) {
			const struct tp_event stw = {.ts = ev[500].ts,
						     .type = TP_EV_STW_BEGIN,
						     .g = NO,
						     .subject = NO,
						     .m = 0,
						     .p = 0};

			ev[500] = stw;
		}
		feed(ev, N);
	}
	finish(0);
	for (size_t i = 0; i < count_rows(TP_TABLE_METRIC); i++)
		found += COL(METRIC, i, value) == 10 * N + 499;
	assert_int_equal(found, 1);
	/* 4096 in full, up to the end of a batch; then one per batch, and the one at the stop */
	assert_int_equal(count_rows(TP_TABLE_METRIC), 5000 + 15 + 1);
	assert_int_equal(COL(METRIC, 5015, value), BATCHES * N - 1);
	free(ev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    T(test_assist_follows_goroutine), T(test_assist_in_syscall), T(test_assist_at_the_ends),
	    T(test_assist_active_again),      T(test_worker_labels),	 T(test_label_in_assist),
	    T(test_assists_of_many),	      T(test_assist_lost),	 T(test_metric_changes),
	    T(test_metric_of_a_long_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
