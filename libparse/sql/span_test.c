#include "sql/span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/many.h"
#include "store/store.h"
#include "timeline/timeline.h"

/* A run of three segments: goroutines that run, block, wake each other, enter system calls and lose
 * their P there, some of them for longer than a segment. */
#define SEGMENT_BLOCKS 4 /* in place of TP_SEGMENT_BLOCKS */
#define EVENTS	       (2 * SEGMENT_BLOCKS * TP_BLOCK_EVENTS + 10000)
#define GS	       60
#define PS	       4
#define START	       7000

static char folder[64], path[128];
static struct sqlite3 *db;

static struct {
	uint8_t g_state[GS];
	uint32_t g_of_p[PS]; /* running or in a system call there, TP_NONE: P idle */
	bool has_p[GS];
	int64_t ts;
	uint32_t seed;
	uint32_t reason, stack;
} world;

static uint32_t roll(uint32_t n)
{
	world.seed = world.seed * 1664525 + 1013904223;
	return (world.seed >> 8) % n;
}

static struct tp_event event(enum tp_event_type type, uint32_t g, uint32_t p, uint32_t subject,
			     enum tp_state from, enum tp_state to)
{
	world.ts += 1 + roll(200);
	return (struct tp_event){.ts = world.ts,
				 .g = g,
				 .m = p,
				 .p = p,
				 .subject = subject,
				 .type = (uint8_t)type,
				 .from = (uint8_t)from,
				 .to = (uint8_t)to};
}

/* Returns a random goroutine in this state, or TP_NONE. The first ten are rarely chosen. */
static uint32_t pick(enum tp_state state)
{
	for (uint32_t i = 0, at = roll(GS); i < GS; i++, at = (at + 1) % GS)
		if (world.g_state[at] == state && (at > 9 || !roll(12500)))
			return at;
	return TP_NONE;
}

/* Makes an event for an idle P: the network wakes a goroutine, a system call returns, or the P
 * starts a goroutine. Returns false if no goroutine suits. */
static bool idle_event(uint32_t p, struct tp_event *e)
{
	uint32_t g;

	switch (roll(8)) {
	case 0:
		g = pick(TP_ST_WAITING);
		if (g == TP_NONE)
			return false;
		world.g_state[g] = TP_ST_RUNNABLE;
		*e = event(TP_EV_GO_UNBLOCK, TP_NONE, TP_NONE, g, TP_ST_WAITING, TP_ST_RUNNABLE);
		return true;
	case 1:
		g = pick(TP_ST_SYSCALL);
		if (g == TP_NONE || world.has_p[g])
			return false;
		world.g_state[g] = TP_ST_RUNNABLE;
		*e = event(TP_EV_GO_SYSCALL_BLOCKED, g, TP_NONE, g, TP_ST_SYSCALL, TP_ST_RUNNABLE);
		return true;
	default:
		g = pick(TP_ST_RUNNABLE);
		if (g == TP_NONE)
			return false;
		world.g_state[g] = TP_ST_RUNNING;
		world.g_of_p[p] = g;
		*e = event(TP_EV_GO_START, TP_NONE, p, g, TP_ST_RUNNABLE, TP_ST_RUNNING);
		return true;
	}
}

/* Makes an event for a P whose goroutine is in a system call: the call returns, or the P is taken away. */
static struct tp_event call_event(uint32_t p, uint32_t g)
{
	world.has_p[g] = false;
	if (roll(2)) {
		world.g_of_p[p] = TP_NONE;
		return event(TP_EV_PROC_STEAL, TP_NONE, TP_NONE, p, TP_ST_RUNNING, TP_ST_IDLE);
	}
	world.g_state[g] = TP_ST_RUNNING;
	return event(TP_EV_GO_SYSCALL_END, g, p, g, TP_ST_SYSCALL, TP_ST_RUNNING);
}

static struct tp_event running_event(uint32_t p, uint32_t g)
{
	uint32_t other = pick(TP_ST_WAITING);
	struct tp_event e;

	switch (roll(other == TP_NONE ? 3 : 4)) {
	case 0:
		world.g_state[g] = TP_ST_SYSCALL;
		world.has_p[g] = true;
		e = event(TP_EV_GO_SYSCALL_BEGIN, g, p, g, TP_ST_RUNNING, TP_ST_SYSCALL);
		e.stack = world.stack;
		return e;
	case 1:
		world.g_state[g] = TP_ST_WAITING;
		world.g_of_p[p] = TP_NONE;
		e = event(TP_EV_GO_BLOCK, g, p, g, TP_ST_RUNNING, TP_ST_WAITING);
		e.str = world.reason;
		e.stack = world.stack;
		return e;
	case 2:
		world.g_state[g] = TP_ST_RUNNABLE;
		world.g_of_p[p] = TP_NONE;
		e = event(TP_EV_GO_STOP, g, p, g, TP_ST_RUNNING, TP_ST_RUNNABLE);
		e.flags = roll(50) ? 0 : TP_EVF_INFERRED;
		return e;
	default:
		world.g_state[other] = TP_ST_RUNNABLE;
		e = event(TP_EV_GO_UNBLOCK, g, p, other, TP_ST_WAITING, TP_ST_RUNNABLE);
		e.stack = world.stack;
		return e;
	}
}

static struct tp_event next_event(void)
{
	for (;;) {
		uint32_t p = roll(PS), g = world.g_of_p[p];
		struct tp_event e;

		if (g == TP_NONE && idle_event(p, &e))
			return e;
		if (g != TP_NONE)
			return world.g_state[g] == TP_ST_SYSCALL ? call_event(p, g)
								 : running_event(p, g);
	}
}

static void fill_trace(struct tp_trace *trace)
{
	uint32_t string, function, frame;

	memset(&world, 0, sizeof(world));
	world.ts = START;
	assert_non_null(trace->dict = tp_dict_new());
	tp_dict_string(trace->dict, "chan receive", 12, &world.reason);
	tp_dict_string(trace->dict, "main.main", 9, &string);
	tp_dict_function(trace->dict, &(struct tp_function){.name = string}, &function);
	tp_dict_frame(trace->dict, &(struct tp_frame){.function = function}, &frame);
	tp_dict_stack(trace->dict, 0, frame, &world.stack);
	for (uint32_t g = 0; g < GS; g++)
		tp_trace_new_g(trace, 100 + g);
	for (uint32_t p = 0; p < PS; p++) {
		tp_trace_new_m(trace, 10 + p);
		tp_trace_new_p(trace, p);
		world.g_of_p[p] = TP_NONE;
	}
}

static int setup(void **state)
{
	struct tp_store_options opt = {0};
	struct tp_trace trace = {0};
	struct tp_run row = {.kind = "trace",
			     .name = "x",
			     .source = "x",
			     .hash = "00000000000000000000000000000001",
			     .format = "go 1.22",
			     .wall_ns = TP_NULL};
	struct tp_err err = {0};
	struct tp_store_run *run;
	struct tp_timeline *timeline;

	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tprof-span-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/x.tprof", folder);
	fill_trace(&trace);
	assert_int_equal(tp_store_begin(&run, path, &opt, &err), 0);
	tp_segment_blocks = SEGMENT_BLOCKS;
	assert_non_null(timeline = tp_timeline_new(run));
	for (uint32_t i = 0; i < EVENTS; i++) {
		struct tp_event e;

		if (i < GS) {
			e = event(TP_EV_GO_CREATE, TP_NONE, TP_NONE, i, TP_ST_NOT_EXIST,
				  TP_ST_RUNNABLE);
			world.g_state[i] = TP_ST_RUNNABLE;
		} else {
			e = next_event();
		}
		row.start_ns = i ? row.start_ns : e.ts;
		assert_int_equal(tp_store_put_events(run, &e, 1, &err), 0);
		assert_int_equal(tp_timeline_feed(timeline, &e, 1, &err), 0);
	}
	row.duration_ns = world.ts - row.start_ns;
	row.events = EVENTS;
	trace.started = true;
	trace.first_ts = row.start_ns;
	trace.last_ts = world.ts;
	trace.events = EVENTS;
	assert_int_equal(tp_timeline_finish(timeline, &trace, &err), 0);
	tp_timeline_free(timeline);
	assert_int_equal(tp_store_put_trace(run, &trace, &err), 0);
	assert_int_equal(tp_store_commit(run, &row, &err), 0);
	tp_trace_release(&trace);
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), 0);
	assert_int_equal(tp_store_register(db), 0);
	return sqlite3_exec(db,
			    "create temp table plain as select * from span where goroutine % 5 = 0",
			    NULL, NULL, NULL);
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	sqlite3_close(db);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? -1 : 0;
}

/* Returns the first row, columns separated by |. */
static const char *query(const char *sql, char *text, size_t size)
{
	sqlite3_stmt *stmt = NULL;
	size_t n = 0;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) || sqlite3_step(stmt) != SQLITE_ROW)
		snprintf(text, size, "error: %s", sqlite3_errmsg(db));
	else
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const char *v = (const char *)sqlite3_column_text(stmt, i);

			n += (size_t)snprintf(text + n, size - n, "%s%s", i ? "|" : "",
					      v ? v : "null");
		}
	sqlite3_finalize(stmt);
	return text;
}

static void test_span_adds_up_to_summary(void **state)
{
	static const struct {
		const char *sql, *result;
	} cases[] = {
	    {"select count(*), sum(abs(g.running_ns - s.running)), sum(iif(g.last_state = "
	     "'SyscallBlocked', 0, abs(g.runnable_ns - "
	     "s.runnable))), sum(abs(g.blocked_ns - s.waiting)), sum(abs(g.spans - s.n)) from "
	     "goroutine g join (select goroutine, count(*) as n, sum(iif(state = 'Running', "
	     "dur_ns, 0)) as running, sum(iif(state = 'Runnable', dur_ns, 0)) as runnable, "
	     "sum(iif(state = 'Waiting', dur_ns, 0)) as waiting from plain group by goroutine) s "
	     "on s.goroutine = g.id",
	     "12|0|0|0|0"},
	    {"select count(distinct id) from segment", "3"},
	    {"select min(n) > 5 from (select count(*) as n from span_crossing group by "
	     "last_segment)",
	     "1"},
	    {"select max(last_segment - first_segment) from span_crossing", "2"},
	    {"select count(*) > 1250 from plain where state = 'Syscall' and m is not null and p "
	     "is not null and stack = 1",
	     "1"},
	    {"select count(*), sum(dur_ns < 0), sum(dur_ns <> end_ns - start_ns), max(end_ns) = "
	     "(select duration_ns from run) from plain where open",
	     "12|0|0|1"},
	    /* neither gaps nor overlaps */
	    {"select count(*) from (select start_ns, lag(end_ns) over (partition by goroutine "
	     "order by start_ns, end_ns) as before from plain) where start_ns <> before",
	     "0"},
	    {"select count(*) > 25, min(inferred), max(inferred) from plain where inferred",
	     "1|1|1"},
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(query(cases[i].sql, text, sizeof(text)), cases[i].result);
}

/* Queries that read only a part of the run return the same spans as a full scan. */
static void test_span_ranges_equal_full_scan(void **state)
{
	static const char *const where[] = {
	    /* within one segment; :1, :2, :3 and :4 are the times at 1, 2, 3 and 4 quarters */
	    "start_ns < :2 and end_ns > :2",
	    "start_ns >= :1 and end_ns <= :2",
	    "start_ns between :3 and :3 + 5000",
	    "end_ns between :3 and :3 + 5000",
	    "end_ns < :1",
	    "start_ns > :3",
	    "start_ns <= (select from_ns from segment where id = 1)",
	    "start_ns < (select from_ns from segment where id = 1)",
	    "end_ns >= (select from_ns from segment where id = 1)",
	    "end_ns > (select from_ns from segment where id = 2) and start_ns < :2",
	    "start_ns < 5000",
	    "start_ns < 0",
	    "end_ns >= :4",
	    "end_ns > :4",
	    "open = 1",
	    "open = 0 and end_ns > :3",
	    "open = 2",
	    "dur_ns > 1000000",
	    "dur_ns > 100000 and start_ns < :2 and end_ns > :1",
	    "goroutine = 105 and start_ns < :2 and end_ns > :1",
	    "goroutine = 4711",
	    "goroutine in (105, 120) and state = 'Waiting'",
	    "state in ('Waiting', 'SyscallBlocked') and end_ns > :3",
	    "state = 'waiting'",
	    "state = 'Running' or dur_ns > 1000000",
	    "run = 1 and start_ns < :1",
	    "run = 2",
	    "reason = 'chan receive' and start_ns < :1",
	    "state >= 'S'",
	};
	char sql[1024], condition[512], plain[512], text[512], duration[32];
	size_t some = 0;

	(void)state;
	query("select duration_ns from run", duration, sizeof(duration));
	for (size_t i = 0; i < sizeof(where) / sizeof(where[0]); i++) {
		static const char format[] =
		    "select count(*), sum(goroutine), min(start_ns), max(end_ns), sum(dur_ns), "
		    "max(reason), sum(stack), sum(m), sum(p), sum(waker), sum(waker_stack), "
		    "sum(inferred), sum(open), max(state) from %s where goroutine %% 5 = 0 and "
		    "(%s)";
		size_t n = 0;

		for (const char *p = where[i]; *p; p++)
			if (*p == ':')
				n += (size_t)snprintf(condition + n, sizeof(condition) - n, "%lld",
						      atoll(duration) * (*++p - '0') / 4);
			else
				n += (size_t)snprintf(condition + n, sizeof(condition) - n, "%c",
						      *p);
		snprintf(sql, sizeof(sql), format, "plain", condition);
		query(sql, plain, sizeof(plain));
		snprintf(sql, sizeof(sql), format, "span", condition);
		query(sql, text, sizeof(text));
		if (strcmp(text, plain))
			fail_msg("%s\n gives: %s\n  not: %s", condition, text, plain);
		some += strncmp(plain, "0|", 2) != 0;
	}
	assert_true(some > 20);
}

/* Rows in the order of groups, kept in memory and in a file, are those that SQLite sorts. */
static void test_span_groups(void **state)
{
	static const struct {
		const char *group, *order;
	} by[] = {
	    {"state", "state"},
	    {"state", "state desc"},
	    {"reason", "reason"},
	    {"reason, state", "reason desc, state"},
	    {"state, reason", "state, reason"},
	    {"run, state", "run desc, state"},
	    {"run, reason", "run, reason"},
	    {"run", "run desc"},
	};
	static char grouped[1 << 20], sorted[1 << 20];
	size_t most = tp_span_groups_most;

	(void)state;
	for (size_t i = 0; i < 2 * TP_COUNT_OF(by); i++) {
		const char *group = by[i / 2].group, *order = by[i / 2].order;
		char text[2][1024];

		tp_span_groups_most = i % 2 ? 10000 : most;
		for (int plain = 0; plain < 2; plain++)
			snprintf(
			    text[plain], sizeof(text[plain]),
			    "select group_concat(line, ' ') from (select state || ':' || reason || "
			    "count(*) || ':' || sum(dur_ns) || ':' || sum(end_ns) || ':' || "
			    "count(waker) || ':' || sum(p) || ':' || sum(stack + waker_stack) || "
			    "':' || sum(inferred) || ':' || sum(open) || ':' || "
			    "group_concat(start_ns %% 7, '') as line from %s where "
			    "goroutine %% 5 = 0 group by %s order by %s)",
			    plain ? "plain" : "span", group, order);
		query(text[0], grouped, sizeof(grouped));
		query(text[1], sorted, sizeof(sorted));
		if (strcmp(grouped, sorted))
			fail_msg("order by %s gives other rows", order);
		assert_true(strncmp(grouped, "error", 5) && strlen(grouped) > 10000);
	}
	tp_span_groups_most = most;
}

static int stop(void *calls)
{
	return ++*(int *)calls > 1;
}

/* Rows of groups are all read before the first one comes; that ends, too, when the program asks. */
static void test_span_groups_stop(void **state)
{
	sqlite3_stmt *stmt = NULL;
	int calls = 0;

	(void)state;
	assert_int_equal(
	    sqlite3_prepare_v2(db, "select count(*) from span group by state", -1, &stmt, NULL),
	    SQLITE_OK);
	sqlite3_progress_handler(db, 20, stop, &calls);
	assert_int_equal(sqlite3_step(stmt), SQLITE_INTERRUPT);
	assert_int_equal(calls, 2);
	assert_string_equal(sqlite3_errmsg(db), "interrupted");
	sqlite3_progress_handler(db, 0, NULL, NULL);
	sqlite3_finalize(stmt);
}

/* SQLite may ask for the row id first at any row. */
static void test_span_groups_rowid(void **state)
{
	static const char *const sql[] = {
	    "select group_concat(line, ' ') from (select state || max(rowid) || ':' || "
	    "min(rowid) || ':' || count(*) || sum(rowid %% 1009) as line from span group by %s%s "
	    "order by %sstate)",
	    "select group_concat(line, ' ') from (select reason || state || "
	    "sum(iif(dur_ns %% 100 = 7 or state = 'Waiting', rowid %% 1009, 1)) as line from span "
	    "group by %s%s order by %sstate desc)",
	};
	size_t most = tp_span_groups_most;

	(void)state;
	for (size_t i = 0; i < 2 * TP_COUNT_OF(sql); i++) {
		char text[512], grouped[1024], sorted[1024];

		tp_span_groups_most = i % 2 ? 10000 : most;
		snprintf(text, sizeof(text), sql[i / 2], "", "state", "");
		query(text, grouped, sizeof(grouped));
		snprintf(text, sizeof(text), sql[i / 2], "+", "state", "+");
		assert_string_equal(grouped, query(text, sorted, sizeof(sorted)));
		assert_true(strncmp(grouped, "error", 5) && strlen(grouped) > 50);
	}
	tp_span_groups_most = most;
}

static void test_span_rowids_differ(void **state)
{
	char text[128];

	(void)state;
	assert_string_equal(
	    query("select count(*) = count(distinct rowid), count(*) > 1000 from span "
		  "where start_ns < 10000000 and dur_ns > 0",
		  text, sizeof(text)),
	    "1|1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_span_adds_up_to_summary),
	    cmocka_unit_test(test_span_ranges_equal_full_scan),
	    cmocka_unit_test(test_span_groups),
	    cmocka_unit_test(test_span_groups_stop),
	    cmocka_unit_test(test_span_groups_rowid),
	    cmocka_unit_test(test_span_rowids_differ),
	};

	return cmocka_run_group_tests_name("span", tests, setup, teardown);
}
