#include "timeline/testing.h"

/* ---- goroutines ---- */

static void test_goroutine_row(void **state)
{
	uint32_t main_stack = stack("main.main", "main.f"), new_stack = stack("main.worker", NULL);

	(void)state;
	PLAY(2, SYNC(100), EV(110, GO_STATUS, NO, 0, UNDET, RUNNING),
	     EV(120, GO_CREATE, 0, 1, NONEX, RUNNABLE, .stack = main_stack, .str2 = new_stack),
	     EV(130, GO_BLOCK, 0, 0, RUNNING, WAITING, .str = str("sync"), .stack = main_stack),
	     EV(140, GO_START, NO, 1, RUNNABLE, RUNNING), EV(170, GO_DESTROY, 1, 1, RUNNING, NONEX),
	     SYNC(200));
	assert_int_equal(count_rows(TP_TABLE_GOROUTINE), 2);
	assert_int_equal(COL(GOROUTINE, 0, id), 1000);
	assert_int_equal(COL(GOROUTINE, 0, name), str("main.main"));
	assert_int_equal(COL(GOROUTINE, 0, parent), TP_NULL);
	assert_int_equal(COL(GOROUTINE, 0, created_ns), 0);
	assert_int_equal(COL(GOROUTINE, 0, started_ns), 10);
	assert_int_equal(COL(GOROUTINE, 0, ended_ns), TP_NULL);
	assert_int_equal(COL(GOROUTINE, 0, total_ns), 100);
	assert_int_equal(COL(GOROUTINE, 0, running_ns), 30);
	assert_int_equal(COL(GOROUTINE, 0, blocked_ns), 70);
	assert_int_equal(COL(GOROUTINE, 0, spans), 2);
	assert_int_equal(COL(GOROUTINE, 0, last_state), WAITING);
	assert_int_equal(COL(GOROUTINE, 1, name), str("main.worker"));
	assert_int_equal(COL(GOROUTINE, 1, parent), 0);
	assert_int_equal(COL(GOROUTINE, 1, create_stack), main_stack);
	assert_int_equal(COL(GOROUTINE, 1, created_ns), 20);
	assert_int_equal(COL(GOROUTINE, 1, started_ns), 40);
	assert_int_equal(COL(GOROUTINE, 1, ended_ns), 70);
	assert_int_equal(COL(GOROUTINE, 1, total_ns), 50);
	assert_int_equal(COL(GOROUTINE, 1, runnable_ns), 20);
	assert_int_equal(COL(GOROUTINE, 1, running_ns), 30);
	assert_int_equal(COL(GOROUTINE, 1, last_state), RUNNING);
	assert_int_equal(count_rows(TP_TABLE_GOROUTINE_BLOCK), 1);
	assert_int_equal(COL(GOROUTINE_BLOCK, 0, goroutine), 0);
	assert_int_equal(COL(GOROUTINE_BLOCK, 0, reason), str("sync"));
	assert_int_equal(COL(GOROUTINE_BLOCK, 0, count), 1);
	assert_int_equal(COL(GOROUTINE_BLOCK, 0, total_ns), 70);
}

/* The first stack whose root has a name names the goroutine, and all its earlier spans; if no root
 * has a name, the first stack does. */
static void test_goroutine_named_late(void **state)
{
	uint32_t bare = stack("", NULL), named = stack("main.main", NULL);
	uint32_t other = stack("main.other", NULL);
	size_t unnamed = 0;

	(void)state;
	PLAY(
	    2, SYNC(100), EV(110, GO_STATUS_STACK, NO, 0, UNDET, RUNNING),
	    EV(120, GO_BLOCK, 0, 0, RUNNING, WAITING, .stack = bare, .flags = TP_EVF_UNNAMED),
	    EV(130, GO_UNBLOCK, NO, 0, WAITING, RUNNABLE),
	    EV(140, GO_START, NO, 0, RUNNABLE, RUNNING),
	    EV(150, GO_BLOCK, 0, 0, RUNNING, WAITING, .stack = named),
	    EV(160, GO_UNBLOCK, NO, 0, WAITING, RUNNABLE),
	    EV(170, GO_START, NO, 0, RUNNABLE, RUNNING),
	    EV(180, GO_BLOCK, 0, 0, RUNNING, WAITING, .stack = other),
	    EV(190, GO_STATUS_STACK, NO, 1, UNDET, WAITING, .stack = bare, .flags = TP_EVF_UNNAMED),
	    SYNC(200));
	assert_int_equal(COL(GOROUTINE, 0, name), str("main.main"));
	assert_int_equal(COL(GOROUTINE, 1, name), 0);
	for (size_t i = 0; i < count_rows(TP_TABLE_SITE); i++) {
		unnamed += !COL(SITE, i, entry);
		assert_true(!COL(SITE, i, entry) || COL(SITE, i, entry) == str("main.main"));
	}
	assert_int_equal(unnamed, 1);
}

/* A goroutine that only appears as context has a row, but is not in Go's summary. */
static void test_goroutine_never_seen(void **state)
{
	(void)state;
	PLAY(1, SYNC(100), EV(110, HEAP_ALLOC, 0, NO, 0, 0));
	assert_int_equal(COL(GOROUTINE, 0, created_ns), TP_NULL);
	assert_int_equal(COL(GOROUTINE, 0, name), 0);
	assert_int_equal(COL(GOROUTINE, 0, total_ns), 0);
}

static void test_goroutine_forever_ends_it(void **state)
{
	(void)state;
	PLAY(1, SYNC(100), EV(110, GO_STATUS, NO, 0, UNDET, RUNNING),
	     EV(120, GO_BLOCK, 0, 0, RUNNING, WAITING, .str = TP_STR_FOREVER), SYNC(200));
	assert_int_equal(COL(GOROUTINE, 0, ended_ns), 20);
	assert_int_equal(COL(GOROUTINE, 0, total_ns), 20);
	assert_int_equal(COL(GOROUTINE, 0, blocked_ns), 0);
	assert_int_equal(COL(GOROUTINE, 0, last_state), WAITING);
	assert_int_equal(count_rows(TP_TABLE_GOROUTINE_BLOCK), 0);
}

/* Go: snapshotStat adds the whole call to Syscall and the time without a P to Runnable. */
static void test_goroutine_syscall_blocked_at_the_end(void **state)
{
	(void)state;
	PLAY(1, SYNC(100), EV(110, GO_STATUS, NO, 0, UNDET, RUNNING),
	     EV(120, GO_SYSCALL_BEGIN, 0, 0, RUNNING, SYSCALL),
	     EV(150, PROC_STEAL, NO, 0, RUNNING, IDLE), SYNC(200));
	assert_int_equal(COL(GOROUTINE, 0, running_ns), 20);
	assert_int_equal(COL(GOROUTINE, 0, syscall_ns), 80);
	assert_int_equal(COL(GOROUTINE, 0, syscall_blocked_ns), 0);
	assert_int_equal(COL(GOROUTINE, 0, runnable_ns), 50);
	assert_int_equal(COL(GOROUTINE, 0, last_state), TP_ST_SYSCALL_BLOCKED);
	assert_int_equal(COL(GOROUTINE_TIME, 2, state), TP_ST_SYSCALL_BLOCKED);
	assert_int_equal(COL(GOROUTINE_TIME, 2, total_ns), 50);
}

/* Old traces begin at -1 or 0, and Go takes a time of 0 for "not set". */
static void test_goroutine_time_zero(void **state)
{
	(void)state;
	PLAY(1, SYNC(-1), EV(0, GO_STATUS, NO, 0, UNDET, WAITING),
	     EV(50, GO_UNBLOCK, NO, 0, WAITING, RUNNABLE),
	     EV(60, GO_START, NO, 0, RUNNABLE, RUNNING), SYNC(70));
	assert_int_equal(COL(GOROUTINE, 0, created_ns), 0);
	assert_int_equal(COL(GOROUTINE, 0, blocked_ns), 1);
	assert_int_equal(COL(GOROUTINE, 0, runnable_ns), 10);
	assert_int_equal(COL(GOROUTINE, 0, running_ns), 10);
	assert_int_equal(COL(GOROUTINE_BLOCK, 0, total_ns), 1);
	/* The span has its full length. */
	assert_int_equal(COL(GOROUTINE_TIME, 0, total_ns), 51);
}

static void test_goroutine_started_at_zero(void **state)
{
	(void)state;
	PLAY(1, SYNC(-1), EV(0, GO_STATUS, NO, 0, UNDET, RUNNING),
	     EV(50, GO_STOP, 0, 0, RUNNING, RUNNABLE), EV(60, GO_START, NO, 0, RUNNABLE, RUNNING));
	assert_int_equal(COL(GOROUTINE, 0, running_ns), 51);
	assert_int_equal(COL(GOROUTINE, 0, started_ns), 61);
}

static void test_goroutine_lost_and_inferred(void **state)
{
	(void)state;
	PLAY(1, SYNC(100), EV(110, GO_STATUS, NO, 0, UNDET, RUNNING),
	     EV(150, GO_BLOCK, 0, 0, RUNNING, WAITING, .flags = TP_EVF_LOST | TP_EVF_INFERRED),
	     SYNC(200));
	assert_int_equal(COL(GOROUTINE, 0, running_ns), 10);
	assert_int_equal(COL(GOROUTINE, 0, lost_ns), 40);
	assert_int_equal(COL(GOROUTINE, 0, blocked_ns), 50);
	assert_int_equal(COL(GOROUTINE, 0, inferred), 1);
}

/* ---- ranges ---- */

static void test_range_of_goroutine(void **state)
{
	uint32_t stw = str("stop-the-world (GC mark termination)");

	(void)state;
	PLAY(1, SYNC(100), EV(110, GO_STATUS, NO, 0, UNDET, RUNNING),
	     EV(112, MARK_ASSIST_ACTIVE, NO, 0, 0, 0),
	     EV(120, STW_BEGIN, 0, 0, 0, 0, .str = stw, .stack = 7),
	     EV(130, STW_END, 0, 0, 0, 0, .str = stw), EV(140, MARK_ASSIST_END, 0, 0, 0, 0),
	     EV(150, MARK_ASSIST_BEGIN, 0, 0, 0, 0), SYNC(160));
	assert_int_equal(count_rows(TP_TABLE_RANGE), 3);
	assert_int_equal(COL(RANGE, 0, name), stw);
	assert_int_equal(COL(RANGE, 0, goroutine), 0);
	assert_int_equal(COL(RANGE, 0, p), TP_NULL);
	assert_int_equal(COL(RANGE, 0, start_ns), 20);
	assert_int_equal(COL(RANGE, 0, end_ns), 30);
	assert_int_equal(COL(RANGE, 0, complete), 1);
	assert_int_equal(COL(RANGE, 0, swept_bytes), TP_NULL);
	assert_int_equal(COL(RANGE, 0, stack), 7);
	/* Found active: it began at the Sync. */
	assert_int_equal(COL(RANGE, 1, name), TP_STR_MARK_ASSIST);
	assert_int_equal(COL(RANGE, 1, start_ns), 0);
	assert_int_equal(COL(RANGE, 1, end_ns), 40);
	assert_int_equal(COL(RANGE, 1, complete), 0);
	/* Active at the end. */
	assert_int_equal(COL(RANGE, 2, start_ns), 50);
	assert_int_equal(COL(RANGE, 2, end_ns), 60);
	assert_int_equal(COL(RANGE, 2, complete), 0);
	for (size_t i = 0; i < 2; i++) {
		bool assist = COL(GOROUTINE_RANGE, i, name) == TP_STR_MARK_ASSIST;

		assert_int_equal(COL(GOROUTINE_RANGE, i, total_ns), assist ? 50 : 10);
	}
	assert_int_equal(count_rows(TP_TABLE_GOROUTINE_RANGE), 2);
}

/* The end of an assist was in a lost buffer, so the assist ends where the lost time begins, not
 * where the goroutine is next seen. */
static void test_range_of_goroutine_that_gets_lost(void **state)
{
	(void)state;
	PLAY(1, SYNC(100), EV(110, GO_STATUS, NO, 0, UNDET, RUNNING),
	     EV(120, MARK_ASSIST_BEGIN, 0, 0, 0, 0),
	     EV(500, GO_BLOCK, 0, 0, RUNNING, WAITING, .flags = TP_EVF_LOST));
	assert_int_equal(count_rows(TP_TABLE_RANGE), 1);
	assert_int_equal(COL(RANGE, 0, start_ns), 20);
	assert_int_equal(COL(RANGE, 0, end_ns), 20);
	assert_int_equal(COL(RANGE, 0, complete), 0);
	assert_int_equal(COL(GOROUTINE, 0, lost_ns), 380);
}

/* A sweep counts for a goroutine only if it ends on the one on which it began. */
static void test_range_sweep(void **state)
{
	(void)state;
	PLAY(2, SYNC(100), EV(110, GO_STATUS, NO, 0, UNDET, RUNNING),
	     EV(111, GO_STATUS, NO, 1, UNDET, RUNNING),
	     EV(120, GC_SWEEP_BEGIN, 0, 3, 0, 0, .stack = 9),
	     EV(125, GC_SWEEP_END, 0, 3, 0, 0, .arg = {4096, 512}),
	     EV(130, GC_SWEEP_BEGIN, 0, 3, 0, 0), EV(140, GC_SWEEP_END, 1, 3, 0, 0, .arg = {1, 2}),
	     EV(150, GC_SWEEP_BEGIN, NO, 4, 0, 0));
	assert_int_equal(count_rows(TP_TABLE_RANGE), 3);
	assert_int_equal(COL(RANGE, 0, name), TP_STR_GC_SWEEP);
	assert_int_equal(COL(RANGE, 0, goroutine), 0);
	assert_int_equal(COL(RANGE, 0, p), 3);
	assert_int_equal(COL(RANGE, 0, swept_bytes), 4096);
	assert_int_equal(COL(RANGE, 0, reclaimed_bytes), 512);
	assert_int_equal(COL(RANGE, 0, stack), 9);
	assert_int_equal(COL(RANGE, 1, complete), 1);
	assert_int_equal(COL(RANGE, 2, goroutine), TP_NULL);
	assert_int_equal(COL(RANGE, 2, swept_bytes), TP_NULL);
	assert_int_equal(COL(RANGE, 2, complete), 0);
	/* As in Go, the second sweep stays open in the goroutine's sums. */
	assert_int_equal(count_rows(TP_TABLE_GOROUTINE_RANGE), 1);
	assert_int_equal(COL(GOROUTINE_RANGE, 0, goroutine), 0);
	assert_int_equal(COL(GOROUTINE_RANGE, 0, total_ns), 5 + 20);
}

static void test_range_mark_phase(void **state)
{
	(void)state;
	PLAY(1, SYNC(100), EV(105, GC_ACTIVE, NO, NO, 0, 0), EV(120, GC_END, 0, NO, 0, 0),
	     EV(130, GC_BEGIN, 0, NO, 0, 0), EV(140, GC_END, 0, NO, 0, 0),
	     EV(150, GC_END, 0, NO, 0, 0));
	assert_int_equal(count_rows(TP_TABLE_RANGE), 2);
	assert_int_equal(COL(RANGE, 0, name), TP_STR_GC_MARK);
	assert_int_equal(COL(RANGE, 0, goroutine), TP_NULL);
	assert_int_equal(COL(RANGE, 0, start_ns), 0);
	assert_int_equal(COL(RANGE, 0, complete), 0);
	assert_int_equal(COL(RANGE, 1, start_ns), 30);
	assert_int_equal(COL(RANGE, 1, end_ns), 40);
	assert_int_equal(COL(RANGE, 1, complete), 1);
	assert_int_equal(count_rows(TP_TABLE_GOROUTINE_RANGE), 0);
}

/* A stop of the world on no goroutine (of old traces) is a row all the same. */
static void test_range_of_nobody(void **state)
{
	uint32_t stw = str("stop-the-world ()");

	(void)state;
	PLAY(0, SYNC(100), EV(110, STW_BEGIN, NO, NO, 0, 0, .str = stw),
	     EV(120, STW_END, NO, NO, 0, 0, .str = stw),
	     EV(130, STW_BEGIN, NO, NO, 0, 0, .str = stw));
	assert_int_equal(count_rows(TP_TABLE_RANGE), 2);
	assert_int_equal(COL(RANGE, 0, goroutine), TP_NULL);
	assert_int_equal(COL(RANGE, 0, complete), 1);
	assert_int_equal(COL(RANGE, 1, complete), 0);
}

/* ---- tasks, regions, logs, samples ---- */

static const int64_t *task_of(int64_t id)
{
	for (size_t i = 0; i < count_rows(TP_TABLE_TASK); i++)
		if (COL(TASK, i, id) == id)
			return row(TP_TABLE_TASK, i);
	return NULL;
}

static void test_task_rows(void **state)
{
	uint32_t name = str("request"), key = str("k"), text = str("v");
	const int64_t *task;

	(void)state;
	PLAY(2, SYNC(100), EV(110, GO_STATUS, NO, 0, UNDET, RUNNING),
	     EV(111, GO_STATUS, NO, 1, UNDET, RUNNING),
	     EV(120, TASK_BEGIN, 0, NO, 0, 0, .str = name, .arg = {5, UINT64_MAX}, .stack = 6),
	     EV(121, TASK_BEGIN, 0, NO, 0, 0, .str = name, .arg = {7, 5}),
	     EV(130, LOG, 1, NO, 0, 0, .str = key, .str2 = text, .arg = {5}, .stack = 8),
	     EV(131, REGION_BEGIN, 1, NO, 0, 0, .str = key, .arg = {5}),
	     EV(132, REGION_END, 1, NO, 0, 0, .str = key, .arg = {5}),
	     EV(140, TASK_END, 1, NO, 0, 0, .str = name, .arg = {5, UINT64_MAX}),
	     EV(150, TASK_END, NO, NO, 0, 0, .arg = {9, 0}));
	/* Task 0 exists because it was named as a parent. */
	assert_int_equal(count_rows(TP_TABLE_TASK), 4);
	task = task_of(5);
	assert_int_equal(task[TP_COL(TASK, parent)], 0);
	assert_int_equal(task[TP_COL(TASK, name)], name);
	assert_int_equal(task[TP_COL(TASK, start_ns)], 20);
	assert_int_equal(task[TP_COL(TASK, end_ns)], 40);
	assert_int_equal(task[TP_COL(TASK, goroutine)], 0);
	assert_int_equal(task[TP_COL(TASK, stack)], 6);
	assert_int_equal(task[TP_COL(TASK, regions)], 1);
	assert_int_equal(task[TP_COL(TASK, logs)], 1);
	assert_int_equal(task[TP_COL(TASK, goroutines)], 2);
	task = task_of(7);
	assert_int_equal(task[TP_COL(TASK, parent)], 5);
	assert_int_equal(task[TP_COL(TASK, end_ns)], TP_NULL);
	task = task_of(9);
	assert_int_equal(task[TP_COL(TASK, start_ns)], TP_NULL);
	assert_int_equal(task[TP_COL(TASK, goroutine)], TP_NULL);
	assert_int_equal(task[TP_COL(TASK, goroutines)], 1);
	assert_non_null(task_of(0));
	assert_int_equal(COL(LOG, 0, ts_ns), 30);
	assert_int_equal(COL(LOG, 0, goroutine), 1);
	assert_int_equal(COL(LOG, 0, task), 5);
	assert_int_equal(COL(LOG, 0, category), key);
	assert_int_equal(COL(LOG, 0, message), text);
	assert_int_equal(COL(LOG, 0, stack), 8);
}

/* More goroutines than a task record holds itself, and several tasks. */
static void test_task_many_goroutines(void **state)
{
	const struct tp_event sync = SYNC(100);

	(void)state;
	feed(&sync, 1);
	for (int64_t i = 0; i < 2000; i++) {
		struct tp_event ev =
		    EV(101 + i, LOG, (uint32_t)(i % 50), NO, 0, 0, .arg = {1 + (uint64_t)(i % 20)});

		feed(&ev, 1);
	}
	finish(50);
	assert_int_equal(count_rows(TP_TABLE_TASK), 20);
	for (size_t i = 0; i < 20; i++) {
		assert_int_equal(COL(TASK, i, goroutines), 5);
		assert_int_equal(COL(TASK, i, logs), 100);
	}
}

/* Each life of a reused id counts, because each is a row. */
static void test_task_lives(void **state)
{
	(void)state;
	assert_int_not_equal(tp_trace_new_g(&trace, 17), TP_NONE);
	assert_int_not_equal(tp_trace_new_g(&trace, 17), TP_NONE);
	PLAY(2, SYNC(100), EV(110, TASK_BEGIN, 0, NO, 0, 0, .arg = {5, UINT64_MAX}),
	     EV(120, LOG, 0, NO, 0, 0, .arg = {5}), EV(130, LOG, 1, NO, 0, 0, .arg = {5}),
	     EV(140, TASK_END, 1, NO, 0, 0, .arg = {5, UINT64_MAX}));
	assert_int_equal(count_rows(TP_TABLE_GOROUTINE), 2);
	assert_int_equal(COL(GOROUTINE, 0, goid), 17);
	assert_int_equal(COL(GOROUTINE, 1, goid), 17);
	assert_int_equal(task_of(5)[TP_COL(TASK, goroutines)], 2);
}

static const int64_t *region_of(uint32_t goroutine, uint32_t name)
{
	for (size_t i = 0; i < count_rows(TP_TABLE_REGION); i++)
		if (COL(REGION, i, goroutine) == goroutine && COL(REGION, i, name) == name)
			return row(TP_TABLE_REGION, i);
	return NULL;
}

/* Searches for the ends of regions among very many open ones stop at a limit; the rest is
 * counted. */
static void test_region_ends_that_search(void **state)
{
	uint32_t a = str("a"), b = str("b");

	(void)state;
	feed(&(struct tp_event)EV(110, GO_STATUS, NO, 0, UNDET, RUNNING), 1);
	for (int i = 0; i < 20000; i++)
		feed(&(struct tp_event)EV(200 + i, REGION_BEGIN, 0, NO, 0, 0, .str = i ? b : a), 1);
	for (int i = 0; i < 3000; i++)
		feed(&(struct tp_event)EV(30000 + i, REGION_END, 0, NO, 0, 0,
					  .str = i ? str("c") : a),
		     1);
	finish(1);
	assert_int_equal(COL(REGION, 0, name), a);
	assert_int_equal(COL(REGION, 0, start_ns), 90);
	assert_int_equal(count_rows(TP_TABLE_REGION), 3000);
	assert_int_equal(trace.nlosses, 1);
	assert_non_null(strstr(trace.losses[0].reason, "ends of user regions have no beginning"));
}

static void test_region_rows(void **state)
{
	uint32_t a = str("a"), b = str("b"), c = str("c");
	uint32_t user = stack("main.f", NULL), sys = stack("runtime.bgsweep", NULL);
	const int64_t *r;

	(void)state;
	PLAY(4, SYNC(100), EV(110, GO_STATUS_STACK, NO, 0, UNDET, RUNNING, .stack = user),
	     /* began before the trace: it has all the goroutine's time so far */
	     EV(120, REGION_END, 0, NO, 0, 0, .str = c, .arg = {3}),
	     EV(130, REGION_BEGIN, 0, NO, 0, 0, .str = a, .arg = {3}, .stack = 5),
	     EV(140, GO_CREATE, 0, 1, NONEX, RUNNABLE, .str2 = user),
	     EV(141, GO_CREATE, 0, 2, NONEX, RUNNABLE, .str2 = sys),
	     EV(150, GO_BLOCK, 0, 0, RUNNING, WAITING),
	     EV(160, GO_UNBLOCK, NO, 0, WAITING, RUNNABLE),
	     EV(165, GO_START, NO, 0, RUNNABLE, RUNNING),
	     EV(170, REGION_BEGIN, 0, NO, 0, 0, .str = b, .arg = {4}),
	     EV(172, REGION_BEGIN, 0, NO, 0, 0, .str = b, .arg = {4}),
	     EV(174, REGION_BEGIN, 0, NO, 0, 0, .str = b, .arg = {3}),
	     /* an end takes the innermost region with its name and task, whatever is open inside it
	      * … */
	     EV(180, REGION_END, 0, NO, 0, 0, .str = a, .arg = {3}),
	     EV(185, REGION_END, 0, NO, 0, 0, .str = b, .arg = {4}),
	     /* … and without one, a region that began before the trace, too */
	     EV(188, REGION_END, 0, NO, 0, 0, .str = a, .arg = {3}),
	     EV(190, REGION_END, 0, NO, 0, 0, .str = b, .arg = {4}),
	     /* without its name, which was lost in a damaged generation */
	     EV(192, REGION_END, 0, NO, 0, 0, .arg = {3}),
	     EV(195, GO_START, NO, 1, RUNNABLE, RUNNING), EV(198, GO_DESTROY, 1, 1, RUNNING, NONEX),
	     EV(199, REGION_BEGIN, 0, NO, 0, 0, .str = b), SYNC(200));
	r = region_of(0, c);
	assert_int_equal(r[TP_COL(REGION, start_ns)], TP_NULL);
	assert_int_equal(r[TP_COL(REGION, end_ns)], 20);
	assert_int_equal(r[TP_COL(REGION, running_ns)], 20);
	assert_int_equal(r[TP_COL(REGION, task)], 3);
	r = region_of(0, a);
	assert_int_equal(r[TP_COL(REGION, start_ns)], 30);
	assert_int_equal(r[TP_COL(REGION, end_ns)], 80);
	assert_int_equal(r[TP_COL(REGION, running_ns)], 20 + 15);
	assert_int_equal(r[TP_COL(REGION, blocked_ns)], 10);
	assert_int_equal(r[TP_COL(REGION, runnable_ns)], 5);
	assert_int_equal(r[TP_COL(REGION, stack)], 5);
	r = region_of(0, b);
	assert_int_equal(r[TP_COL(REGION, start_ns)], 72);
	assert_int_equal(r[TP_COL(REGION, end_ns)], 85);
	assert_int_equal(r[TP_COL(REGION, task)], 4);
	assert_int_equal(COL(REGION, 3, name), a);
	assert_int_equal(COL(REGION, 3, start_ns), TP_NULL);
	assert_int_equal(COL(REGION, 3, end_ns), 88);
	assert_int_equal(COL(REGION, 4, name), b);
	assert_int_equal(COL(REGION, 4, start_ns), 70);
	assert_int_equal(COL(REGION, 4, end_ns), 90);
	assert_int_equal(COL(REGION, 4, task), 4);
	assert_int_equal(COL(REGION, 5, name), b);
	assert_int_equal(COL(REGION, 5, start_ns), 74);
	assert_int_equal(COL(REGION, 5, end_ns), 92);
	assert_int_equal(COL(REGION, 5, task), 3);
	/* Inherited; ended with its goroutine. */
	r = region_of(1, 0);
	assert_int_equal(r[TP_COL(REGION, task)], 3);
	assert_int_equal(r[TP_COL(REGION, start_ns)], 40);
	assert_int_equal(r[TP_COL(REGION, end_ns)], 98);
	assert_int_equal(r[TP_COL(REGION, runnable_ns)], 55);
	assert_int_equal(r[TP_COL(REGION, running_ns)], 3);
	/* Goroutines of the runtime do not have regions. */
	assert_null(region_of(2, 0));
	/* Also counts the one that is open at the end. */
	assert_int_equal(count_rows(TP_TABLE_REGION), 8);
	assert_int_equal(COL(REGION, 7, end_ns), TP_NULL);
	assert_int_equal(COL(REGION, 7, running_ns), 1);
	assert_int_equal(task_of(3)[TP_COL(TASK, regions)], 4);
	assert_int_equal(task_of(3)[TP_COL(TASK, goroutines)], 1);
}

static void test_cpu_sample_rows(void **state)
{
	(void)state;
	PLAY(1, SYNC(100), EV(110, CPU_SAMPLE, 0, NO, 0, 0, .m = 3, .p = 4, .stack = 5),
	     EV(120, CPU_SAMPLE, NO, NO, 0, 0, .m = NO, .p = NO, .stack = 6));
	assert_int_equal(COL(CPU_SAMPLE, 0, ts_ns), 10);
	assert_int_equal(COL(CPU_SAMPLE, 0, goroutine), 0);
	assert_int_equal(COL(CPU_SAMPLE, 0, m), 3);
	assert_int_equal(COL(CPU_SAMPLE, 0, p), 4);
	assert_int_equal(COL(CPU_SAMPLE, 0, stack), 5);
	assert_int_equal(COL(CPU_SAMPLE, 1, goroutine), TP_NULL);
	assert_int_equal(COL(CPU_SAMPLE, 1, m), TP_NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    T(test_goroutine_row),
	    T(test_goroutine_named_late),
	    T(test_goroutine_never_seen),
	    T(test_goroutine_forever_ends_it),
	    T(test_goroutine_syscall_blocked_at_the_end),
	    T(test_goroutine_time_zero),
	    T(test_goroutine_started_at_zero),
	    T(test_goroutine_lost_and_inferred),
	    T(test_range_of_goroutine),
	    T(test_range_of_goroutine_that_gets_lost),
	    T(test_range_sweep),
	    T(test_range_mark_phase),
	    T(test_range_of_nobody),
	    T(test_task_rows),
	    T(test_task_many_goroutines),
	    T(test_task_lives),
	    T(test_region_ends_that_search),
	    T(test_region_rows),
	    T(test_cpu_sample_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
