#include "timeline/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hist.h"

/* EV below gives defaults that some events replace. */
#pragma GCC diagnostic ignored "-Woverride-init"

#define NO TP_NONE

enum {
	UNDET = TP_ST_UNDETERMINED,
	NONEX = TP_ST_NOT_EXIST,
	RUNNABLE = TP_ST_RUNNABLE,
	RUNNING = TP_ST_RUNNING,
	WAITING = TP_ST_WAITING,
	SYSCALL = TP_ST_SYSCALL,
	IDLE = TP_ST_IDLE,
};

/* ---- a store that keeps rows ---- */

struct row {
	enum tp_table_id table;
	int64_t v[TP_MAX_COLUMNS];
};

static struct row *rows;
static size_t nrows, room;
static struct tp_segment segments[64];
static size_t nsegments;

int tp_store_put_row(struct tp_store_run *run, enum tp_table_id table, const int64_t *values,
		     struct tp_err *err)
{
	(void)run;
	(void)err;
	if (nrows == room) {
		room = room ? room * 2 : 1024;
		rows = realloc(rows, room * sizeof(*rows));
		assert_non_null(rows);
	}
	rows[nrows].table = table;
	memcpy(rows[nrows++].v, values, tp_tables[table].ncolumns * sizeof(*values));
	return 0;
}

int tp_store_put_segment(struct tp_store_run *run, const struct tp_segment *s, struct tp_err *err)
{
	(void)run;
	(void)err;
	assert_true(nsegments < 64);
	segments[nsegments++] = *s;
	return 0;
}

/* Where the rows of a table are, once the run is finished. */
static size_t *places[TP_NTABLES], nplaces[TP_NTABLES];

static void find_places(void)
{
	memset(nplaces, 0, sizeof(nplaces));
	for (size_t t = 0; t < TP_NTABLES; t++) {
		places[t] = realloc(places[t], (nrows + 1) * sizeof(size_t));
		assert_non_null(places[t]);
	}
	for (size_t i = 0; i < nrows; i++)
		places[rows[i].table][nplaces[rows[i].table]++] = i;
}

/* The n-th row of a table. */
static const int64_t *row(enum tp_table_id table, size_t n)
{
	assert_true(n < nplaces[table]);
	return rows[places[table][n]].v;
}

static size_t count_rows(enum tp_table_id table)
{
	return nplaces[table];
}

#define COL(TABLE, n, column) (row(TP_TABLE_##TABLE, n)[TP_COL(TABLE, column)])

/* ---- a run ---- */

static struct tp_trace trace;
static struct tp_timeline *timeline;

static int begin(void **state)
{
	(void)state;
	nrows = nsegments = 0;
	memset(&trace, 0, sizeof(trace));
	trace.dict = tp_dict_new();
	timeline = tp_timeline_new(NULL);
	return trace.dict && timeline ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	tp_timeline_free(timeline);
	tp_trace_release(&trace);
	free(rows);
	rows = NULL;
	room = 0;
	for (size_t t = 0; t < TP_NTABLES; t++) {
		free(places[t]);
		places[t] = NULL;
	}
	return 0;
}

static uint32_t str(const char *text)
{
	uint32_t id;

	assert_int_equal(tp_dict_string(trace.dict, text, strlen(text), &id), 0);
	return id;
}

/* A stack of two frames: `root` calls `leaf` (NULL: the root alone). */
static uint32_t stack(const char *root, const char *leaf)
{
	const char *names[] = {root, leaf};
	uint32_t id = 0;

	for (int i = 0; i < 2 && names[i]; i++) {
		struct tp_function fn = {.name = str(names[i])};
		struct tp_frame frame = {0};
		uint32_t f;

		assert_int_equal(tp_dict_function(trace.dict, &fn, &frame.function), 0);
		assert_int_equal(tp_dict_frame(trace.dict, &frame, &f), 0);
		assert_int_equal(tp_dict_stack(trace.dict, id, f, &id), 0);
	}
	return id;
}

static void feed(const struct tp_event *ev, size_t n)
{
	struct tp_err err = {0};

	assert_int_equal(tp_timeline_feed(timeline, ev, n, &err), 0);
}

static void finish(uint32_t goroutines)
{
	struct tp_err err = {0};

	while (trace.ng < goroutines)
		assert_int_not_equal(tp_trace_new_g(&trace, 1000 + trace.ng), TP_NONE);
	assert_int_equal(tp_timeline_finish(timeline, &trace, &err), 0);
	find_places();
}

#define EV(t, ty, gg, subj, f, o, ...)                                                             \
	{                                                                                          \
		.ts = t, .type = TP_EV_##ty, .g = gg, .subject = subj, .from = f, .to = o, .m = 0, \
		.p = 0, __VA_ARGS__                                                                \
	}
#define SYNC(t)                                                                                    \
	{                                                                                          \
		.ts = t, .type = TP_EV_SYNC, .g = NO, .subject = NO, .m = NO, .p = NO              \
	}

static void play(const struct tp_event *ev, size_t n, uint32_t goroutines)
{
	feed(ev, n);
	finish(goroutines);
}
#define PLAY(ng, ...)                                                                              \
	do {                                                                                       \
		const struct tp_event played[] = {__VA_ARGS__};                                    \
		play(played, sizeof(played) / sizeof(played[0]), ng);                              \
	} while (0)

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

/* One that only ever appears as context has a row, but is not in Go's summary. */
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

/* Old traces begin at -1 or 0, and to Go a time of 0 is none. */
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
	/* The span is whole. */
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
	/* Found active: since the sync. */
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
	/* 0 is there because a parent named it. */
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

/* More goroutines than a task keeps in itself, and more tasks than one. */
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

static const int64_t *region_of(uint32_t goroutine, uint32_t name)
{
	for (size_t i = 0; i < count_rows(TP_TABLE_REGION); i++)
		if (COL(REGION, i, goroutine) == goroutine && COL(REGION, i, name) == name)
			return row(TP_TABLE_REGION, i);
	return NULL;
}

static void test_region_rows(void **state)
{
	uint32_t a = str("a"), b = str("b"), c = str("c");
	uint32_t user = stack("main.f", NULL), sys = stack("runtime.bgsweep", NULL);
	const int64_t *r;

	(void)state;
	PLAY(4, SYNC(100), EV(110, GO_STATUS_STACK, NO, 0, UNDET, RUNNING, .stack = user),
	     /* began before the trace: all that the goroutine has done */
	     EV(120, REGION_END, 0, NO, 0, 0, .str = c, .arg = {3}),
	     EV(130, REGION_BEGIN, 0, NO, 0, 0, .str = a, .arg = {3}, .stack = 5),
	     EV(140, GO_CREATE, 0, 1, NONEX, RUNNABLE, .str2 = user),
	     EV(141, GO_CREATE, 0, 2, NONEX, RUNNABLE, .str2 = sys),
	     EV(150, GO_BLOCK, 0, 0, RUNNING, WAITING),
	     EV(160, GO_UNBLOCK, NO, 0, WAITING, RUNNABLE),
	     EV(165, GO_START, NO, 0, RUNNABLE, RUNNING),
	     EV(170, REGION_BEGIN, 0, NO, 0, 0, .str = b, .arg = {4}),
	     /* an end takes the innermost, whatever its name */
	     EV(180, REGION_END, 0, NO, 0, 0, .str = a, .arg = {3}),
	     EV(190, REGION_END, 0, NO, 0, 0, .str = a, .arg = {3}),
	     EV(195, GO_START, NO, 1, RUNNABLE, RUNNING), EV(198, GO_DESTROY, 1, 1, RUNNING, NONEX),
	     EV(199, REGION_BEGIN, 0, NO, 0, 0, .str = b), SYNC(200));
	r = region_of(0, c);
	assert_int_equal(r[TP_COL(REGION, start_ns)], TP_NULL);
	assert_int_equal(r[TP_COL(REGION, end_ns)], 20);
	assert_int_equal(r[TP_COL(REGION, running_ns)], 20);
	assert_int_equal(r[TP_COL(REGION, task)], 3);
	r = region_of(0, a);
	assert_int_equal(r[TP_COL(REGION, start_ns)], 30);
	assert_int_equal(r[TP_COL(REGION, end_ns)], 90);
	assert_int_equal(r[TP_COL(REGION, running_ns)], 20 + 25);
	assert_int_equal(r[TP_COL(REGION, blocked_ns)], 10);
	assert_int_equal(r[TP_COL(REGION, runnable_ns)], 5);
	assert_int_equal(r[TP_COL(REGION, stack)], 5);
	r = region_of(0, b);
	assert_int_equal(r[TP_COL(REGION, start_ns)], 70);
	assert_int_equal(r[TP_COL(REGION, end_ns)], 80);
	assert_int_equal(r[TP_COL(REGION, task)], 4);
	/* Inherited, ended with its goroutine. */
	r = region_of(1, 0);
	assert_int_equal(r[TP_COL(REGION, task)], 3);
	assert_int_equal(r[TP_COL(REGION, start_ns)], 40);
	assert_int_equal(r[TP_COL(REGION, end_ns)], 98);
	assert_int_equal(r[TP_COL(REGION, runnable_ns)], 55);
	assert_int_equal(r[TP_COL(REGION, running_ns)], 3);
	/* Goroutines of the runtime are part of none. */
	assert_null(region_of(2, 0));
	/* And the one that is open at the end. */
	assert_int_equal(count_rows(TP_TABLE_REGION), 5);
	assert_int_equal(COL(REGION, 4, end_ns), TP_NULL);
	assert_int_equal(COL(REGION, 4, running_ns), 1);
	assert_int_equal(task_of(3)[TP_COL(TASK, regions)], 2);
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

/* ---- sites ---- */

/* Goroutines of one entry function make one site, however they come to be known by it. */
static void test_site_one_entry(void **state)
{
	uint32_t worker = stack("main.worker", NULL), deep = stack("main.worker", "main.f");
	uint32_t other = stack("main.other", NULL);

	(void)state;
	PLAY(4, SYNC(100), EV(110, GO_CREATE, NO, 0, NONEX, RUNNABLE, .str2 = worker),
	     EV(115, GO_START, NO, 0, RUNNABLE, RUNNING), EV(120, GO_DESTROY, 0, 0, RUNNING, NONEX),
	     /* named by its second transition */
	     EV(130, GO_CREATE, NO, 1, NONEX, RUNNABLE),
	     EV(137, GO_START, NO, 1, RUNNABLE, RUNNING),
	     EV(140, GO_BLOCK, 1, 1, RUNNING, WAITING, .stack = deep),
	     EV(150, GO_CREATE, NO, 2, NONEX, RUNNABLE, .str2 = other),
	     EV(152, GO_START, NO, 2, RUNNABLE, RUNNING),
	     /* never named */
	     EV(160, GO_CREATE, NO, 3, NONEX, RUNNABLE), SYNC(200));
	for (size_t i = 0; i < count_rows(TP_TABLE_SITE); i++) {
		if (COL(SITE, i, state) != RUNNABLE)
			continue;
		assert_int_equal(COL(SITE, i, segment), 0);
		if (COL(SITE, i, entry) == str("main.worker")) {
			assert_int_equal(COL(SITE, i, count), 2);
			assert_int_equal(COL(SITE, i, total_ns), 12);
			assert_int_equal(COL(SITE, i, min_ns), 5);
			assert_int_equal(COL(SITE, i, max_ns), 7);
		} else if (COL(SITE, i, entry) == str("main.other")) {
			assert_int_equal(COL(SITE, i, total_ns), 2);
		} else {
			assert_int_equal(COL(SITE, i, entry), 0);
			assert_int_equal(COL(SITE, i, total_ns), 40);
		}
	}
	/* worker: runnable, running, waiting; other: runnable, running; "": runnable */
	assert_int_equal(count_rows(TP_TABLE_SITE), 6);
}

struct sums {
	int64_t count, total;
};

#define NG 2000

static struct sums cells[NG][TP_NSTATES];

/* Spans of a segment and those that cross: together, all. */
static void sum_cells(void)
{
	memset(cells, 0, sizeof(cells));
	for (size_t i = 0; i < nrows; i++) {
		const int64_t *v = rows[i].v;

		if (rows[i].table == TP_TABLE_GOROUTINE_TIME) {
			struct sums *s = &cells[v[TP_COL(GOROUTINE_TIME, goroutine)]]
					       [v[TP_COL(GOROUTINE_TIME, state)]];

			s->count += v[TP_COL(GOROUTINE_TIME, count)];
			s->total += v[TP_COL(GOROUTINE_TIME, total_ns)];
		} else if (rows[i].table == TP_TABLE_SPAN_CROSSING) {
			struct sums *s = &cells[v[TP_COL(SPAN_CROSSING, goroutine)]]
					       [v[TP_COL(SPAN_CROSSING, state)]];

			s->count++;
			s->total +=
			    v[TP_COL(SPAN_CROSSING, end_ns)] - v[TP_COL(SPAN_CROSSING, start_ns)];
		}
	}
}

/* Every count of site_hist is in the right bucket, sorted, and adds up to the site's. */
static void check_hists(void)
{
	int64_t site = -1, bucket = -1, left = 0;

	for (size_t i = 0; i < nrows; i++) {
		const int64_t *v = rows[i].v;

		if (rows[i].table == TP_TABLE_SITE) {
			assert_int_equal(left, 0);
			site++;
			bucket = -1;
			left = v[TP_COL(SITE, count)];
		}
		if (rows[i].table != TP_TABLE_SITE_HIST)
			continue;
		assert_int_equal(v[TP_COL(SITE_HIST, site)], site);
		assert_true(v[TP_COL(SITE_HIST, bucket)] > bucket);
		bucket = v[TP_COL(SITE_HIST, bucket)];
		left -= v[TP_COL(SITE_HIST, count)];
	}
	assert_int_equal(left, 0);
}

/* More sites, states and stacks than what is kept without a hash. */
static void test_site_many(void **state)
{
	struct tp_event ev[4];
	const struct tp_event sync = SYNC(1);
	int64_t ts = 2;

	(void)state;
	feed(&sync, 1);
	for (uint32_t i = 0; i < 30000; i++) {
		uint32_t g = i % 3;

		ev[0] =
		    (struct tp_event)EV(ts, GO_STATUS, NO, g, i < 3 ? UNDET : RUNNABLE, RUNNING);
		ev[1] = (struct tp_event)EV(ts + 1 + i % 7, GO_BLOCK, g, g, RUNNING, WAITING,
					    .stack = 1 + (i * 7919u) % 10000, .str = 10 + i % 5);
		ev[2] =
		    (struct tp_event)EV(ts + 10 + i % 1000, GO_UNBLOCK, NO, g, WAITING, RUNNABLE);
		feed(ev, 3);
		ts += 2000;
	}
	finish(3);
	check_hists();
	sum_cells();
	for (size_t g = 0; g < 3; g++) {
		assert_int_equal(cells[g][WAITING].total, COL(GOROUTINE, g, blocked_ns));
		assert_int_equal(cells[g][WAITING].count, 10000);
	}
	/* No two cells are of the same spans. */
	assert_int_equal(count_rows(TP_TABLE_GOROUTINE_BLOCK), 15);
	assert_true(count_rows(TP_TABLE_SITE) > 10000);
}

/* ---- segments ---- */

#define SEGMENT ((int64_t)TP_SEGMENT_BLOCKS * TP_BLOCK_EVENTS)

static uint64_t seed;

static uint32_t rnd(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

/* Two and a half segments of goroutines that live some dozen states and die, and of a few that live
 * long: the whole run is the sum of its segments and of the spans that cross them. */
static void test_segments_add_up(void **state)
{
	static uint8_t at[NG];
	static struct tp_event batch[TP_BATCH_EVENTS];
	int64_t n = SEGMENT * 5 / 2, i = 0, ts = 0;
	int64_t events = 0, span_end = 0;

	(void)state;
	seed = 4;
	memset(at, 0, sizeof(at));
	while (i < n) {
		size_t k;

		for (k = 0; k < TP_BATCH_EVENTS && i < n; k++, i++) {
			/* A window of goroutines that moves on; the first ten stay. */
			uint32_t w = (uint32_t)(i * (NG - 110) / n);
			uint32_t g = rnd(20) ? 10 + w + rnd(100) : rnd(10);
			struct tp_event e = EV(ts += 1 + rnd(50), GO_STOP, NO, g, at[g], 0,
					       .stack = rnd(5), .p = rnd(2));

			if (!i) {
				batch[k] = (struct tp_event)SYNC(ts = 5000);
				continue;
			}
			if (rnd(30) == 0) {
				e = (struct tp_event)EV(ts, PROC_STOP, NO, rnd(2), 0, 0);
				e.from = rnd(2) ? RUNNING : IDLE;
				e.to = e.from == IDLE ? RUNNING : IDLE;
			} else if (!at[g]) {
				e.from = NONEX;
				e.to = RUNNABLE;
			} else {
				static const uint8_t next[] = {RUNNABLE, RUNNING, WAITING, SYSCALL};

				do
					e.to = next[rnd(4)];
				while (e.to == at[g]);
				if (g >= 10 && (g < w + 12 || rnd(200) == 0))
					e.to = NONEX;
				e.str = e.to == WAITING ? 50 + rnd(3) : 0;
				e.type = e.to == WAITING ? TP_EV_GO_BLOCK : TP_EV_GO_STOP;
			}
			if (tp_event_descs[e.type].subject == 'G')
				at[g] = e.to == NONEX ? 0 : e.to;
			batch[k] = e;
		}
		feed(batch, k);
	}
	finish(NG);
	check_hists();

	sum_cells();
	assert_int_equal(nsegments, 3);
	for (size_t s = 0; s < 3; s++) {
		assert_int_equal(segments[s].id, s);
		assert_int_equal(segments[s].first_block, s * TP_SEGMENT_BLOCKS);
		assert_int_equal(segments[s].blocks,
				 s < 2 ? TP_SEGMENT_BLOCKS : TP_SEGMENT_BLOCKS / 2);
		assert_int_equal(segments[s].from_ns, span_end);
		span_end = segments[s].to_ns;
		events += segments[s].events;
	}
	assert_int_equal(events, n);
	assert_int_equal(span_end, ts - 5000);
	for (uint32_t g = 0; g < NG; g++) {
		const int64_t *v = row(TP_TABLE_GOROUTINE, g);
		int64_t spans = 0, last = v[TP_COL(GOROUTINE, last_state)];

		assert_int_equal(v[TP_COL(GOROUTINE, id)], 1000 + g);
		if (v[TP_COL(GOROUTINE, created_ns)] == TP_NULL)
			continue;
		for (int64_t s = RUNNABLE; s <= TP_ST_SYSCALL_BLOCKED; s++)
			spans += cells[g][s].count;
		assert_int_equal(spans, v[TP_COL(GOROUTINE, spans)]);
		assert_int_equal(cells[g][RUNNING].total, v[TP_COL(GOROUTINE, running_ns)]);
		assert_int_equal(cells[g][WAITING].total, v[TP_COL(GOROUTINE, blocked_ns)]);
		if (last != TP_ST_SYSCALL_BLOCKED) {
			assert_int_equal(cells[g][RUNNABLE].total,
					 v[TP_COL(GOROUTINE, runnable_ns)]);
			assert_int_equal(cells[g][SYSCALL].total, v[TP_COL(GOROUTINE, syscall_ns)]);
		}
	}
	for (size_t k = 0; k < count_rows(TP_TABLE_SPAN_CROSSING); k++) {
		const int64_t *v = row(TP_TABLE_SPAN_CROSSING, k);
		int64_t first = v[TP_COL(SPAN_CROSSING, first_segment)];
		int64_t last = v[TP_COL(SPAN_CROSSING, last_segment)];

		assert_true(first < last);
		assert_true(v[TP_COL(SPAN_CROSSING, start_ns)] < segments[first].to_ns);
		assert_true(v[TP_COL(SPAN_CROSSING, end_ns)] >= segments[last].from_ns);
	}
	/* A P is in one of its two states from the sync on. */
	for (int64_t p = 0; p < 2; p++) {
		int64_t total = 0;

		for (size_t k = 0; k < nrows; k++)
			if (rows[k].table == TP_TABLE_PROC_TIME &&
			    rows[k].v[TP_COL(PROC_TIME, p)] == p)
				total += rows[k].v[TP_COL(PROC_TIME, total_ns)];
		assert_int_equal(total, ts - 5000);
	}
}

static void test_run_empty(void **state)
{
	(void)state;
	finish(0);
	assert_int_equal(nrows, 0);
	assert_int_equal(nsegments, 0);
}

/* What no reader says, but a damaged trace may: nothing breaks. */
static void test_run_nonsense(void **state)
{
	static const uint8_t types[] = {TP_EV_GO_STATUS,
					TP_EV_GO_BLOCK,
					TP_EV_GO_CREATE,
					TP_EV_PROC_STOP,
					TP_EV_STW_BEGIN,
					TP_EV_STW_END,
					TP_EV_GC_SWEEP_BEGIN,
					TP_EV_GC_SWEEP_END,
					TP_EV_TASK_BEGIN,
					TP_EV_TASK_END,
					TP_EV_REGION_BEGIN,
					TP_EV_REGION_END,
					TP_EV_LOG,
					TP_EV_CPU_SAMPLE,
					TP_EV_MARK_ASSIST_BEGIN,
					TP_EV_MARK_ASSIST_END,
					TP_EV_GC_BEGIN,
					TP_EV_GC_END,
					TP_EV_GC_ACTIVE,
					TP_EV_SYNC,
					TP_EV_HEAP_OBJECT,
					TP_EV_GO_SYSCALL_BEGIN};
	struct tp_event e = {0};

	(void)state;
	seed = 17;
	for (int i = 0; i < 200000; i++) {
		e.ts = (int64_t)((uint64_t)e.ts + rnd(3));
		if (i > 100000 && !rnd(1000)) /* times that no clock shows */
			e.ts = rnd(2) ? INT64_MAX - rnd(9) : INT64_MIN + rnd(9);
		e.type = types[rnd(sizeof(types))];
		e.g = rnd(4) ? rnd(600) : NO;
		e.m = rnd(4) ? rnd(5) : NO;
		e.p = rnd(4) ? rnd(5) : NO;
		e.subject = rnd(8) ? rnd(600) : NO;
		e.stack = rnd(9);
		e.str = rnd(9);
		e.str2 = rnd(9);
		e.from = e.to = 0;
		if (tp_event_descs[e.type].kind == TP_KIND_TRANSITION) {
			e.from = (uint8_t)rnd(TP_ST_IDLE);
			e.to = (uint8_t)(1 + rnd(TP_ST_SYSCALL));
			if (tp_event_descs[e.type].subject == 'P')
				e.to = rnd(2) ? RUNNING : IDLE;
		}
		e.flags = (uint8_t)rnd(4);
		for (int k = 0; k < 3; k++)
			e.arg[k] = rnd(3) ? rnd(10) : UINT64_MAX - rnd(2);
		feed(&e, 1);
	}
	finish(600);
	check_hists();
	assert_int_equal(count_rows(TP_TABLE_GOROUTINE), 600);
}

#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    T(test_goroutine_row),
	    T(test_goroutine_never_seen),
	    T(test_goroutine_forever_ends_it),
	    T(test_goroutine_syscall_blocked_at_the_end),
	    T(test_goroutine_time_zero),
	    T(test_goroutine_started_at_zero),
	    T(test_goroutine_lost_and_inferred),
	    T(test_range_of_goroutine),
	    T(test_range_sweep),
	    T(test_range_mark_phase),
	    T(test_range_of_nobody),
	    T(test_task_rows),
	    T(test_task_many_goroutines),
	    T(test_region_rows),
	    T(test_cpu_sample_rows),
	    T(test_site_one_entry),
	    T(test_site_many),
	    T(test_segments_add_up),
	    T(test_run_empty),
	    T(test_run_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
