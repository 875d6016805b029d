#include "sql/sql.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "store/describe.h"
#include "store/store.h"

/* A store of two runs, made once. Run 1 has EVENTS events: event i happens at 10 i ns on goroutine
 * index i % 50 (id 100 + index), every fourth is a GoBlock, the others GoStart but for one metric
 * per thousand. Run 2 has the first 100 of them. */
#define EVENTS 40000
#define GS     50

static char folder[64], path[128];
static struct tp_store *store;
static uint32_t reason, main_main; /* strings */

static struct tp_event event_at(int64_t i)
{
	struct tp_event e = {.ts = 5000 + i * 10,
			     .g = (uint32_t)(i % GS),
			     .m = (uint32_t)(i % 3),
			     .p = (uint32_t)(i % 2),
			     .subject = (uint32_t)(i % GS)};

	if (i % 1000 == 7) {
		e.type = TP_EV_HEAP_ALLOC;
		e.subject = e.g = TP_NONE;
		e.arg[0] = (uint64_t)i;
	} else if (i % 4 == 0) {
		e.type = TP_EV_GO_BLOCK;
		e.from = TP_ST_RUNNING;
		e.to = TP_ST_WAITING;
		e.str = reason;
		e.stack = 3;
	} else {
		e.type = TP_EV_GO_START;
		e.from = TP_ST_RUNNABLE;
		e.to = TP_ST_RUNNING;
		e.flags = i % 4 == 1 ? TP_EVF_INFERRED : 0;
	}
	return e;
}

static void fill_trace(struct tp_trace *trace)
{
	static const char *const names[] = {"main.main", "main.work;x", "sync.(*Mutex).Lock"};
	uint32_t string, function, frame, stack = 0;

	assert_non_null(trace->dict = tp_dict_new());
	assert_int_equal(tp_dict_string(trace->dict, "chan receive", 12, &reason), 0);
	for (int i = 0; i < 3; i++) {
		tp_dict_string(trace->dict, names[i], strlen(names[i]), &string);
		main_main = i ? main_main : string;
		tp_dict_function(trace->dict, &(struct tp_function){.name = string}, &function);
		tp_dict_frame(trace->dict, &(struct tp_frame){.function = function, .line = i + 10},
			      &frame);
		tp_dict_stack(trace->dict, stack, frame, &stack);
	}
	for (int i = 0; i < 3; i++)
		tp_trace_new_m(trace, (uint64_t)i + 7000);
	for (int i = 0; i < 2; i++)
		tp_trace_new_p(trace, i);
}

static void make_run(int64_t events, const char *hash)
{
	struct tp_store_options opt = {0};
	struct tp_trace trace = {0};
	struct tp_store_run *run;
	struct tp_run row = {.kind = "trace",
			     .name = hash,
			     .source = "x.trace",
			     .hash = hash,
			     .format = "go 1.22",
			     .start_ns = 5000,
			     .events = events,
			     .wall_ns = TP_NULL};
	struct tp_err err = {0};

	fill_trace(&trace);
	assert_int_equal(tp_store_begin(&run, path, &opt, &err), 0);
	for (int64_t i = 0; i < events; i++) {
		struct tp_event e = event_at(i);

		assert_int_equal(tp_store_put_events(run, &e, 1, &err), 0);
	}
	for (int64_t g = 0; g < GS; g++) { /* row 8 has an invalid state, row 9 an invalid name */
		int64_t v[TP_MAX_COLUMNS] = {0};

		v[TP_COL(GOROUTINE, id)] = 100 + g;
		v[TP_COL(GOROUTINE, name)] = g == 9 ? 4000000000 : main_main;
		v[TP_COL(GOROUTINE, parent)] = g ? g - 1 : TP_NULL;
		v[TP_COL(GOROUTINE, ended_ns)] = g % 2 ? TP_NULL : g * 1000;
		v[TP_COL(GOROUTINE, last_state)] = g == 8 ? 200 : TP_ST_WAITING;
		v[TP_COL(GOROUTINE, spans)] = g / 10;
		assert_int_equal(tp_store_put_row(run, TP_TABLE_GOROUTINE, v, &err), 0);
	}
	assert_int_equal(tp_store_put_trace(run, &trace, &err), 0);
	assert_int_equal(tp_store_commit(run, &row, &err), 0);
	tp_trace_release(&trace);
}

static int setup(void **state)
{
	struct tp_err err = {0};

	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tprof-sql-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/x.tprof", folder);
	make_run(EVENTS, "00000000000000000000000000000001");
	make_run(100, "00000000000000000000000000000002");
	return tp_store_open(&store, path, &err);
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	tp_store_close(store);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? -1 : 0;
}

/* Returns the result as text (columns separated by |, rows by newlines, NULL as "null"), or the
 * message of the error. */
static char *query(struct sqlite3 *db, const char *sql)
{
	static char text[16384];
	sqlite3_stmt *stmt = NULL;
	size_t n = 0;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	text[0] = 0;
	while (!rc && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const char *v = (const char *)sqlite3_column_text(stmt, i);

			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? "|" : "",
					      v ? v : "null");
			assert_true(n < sizeof(text) - 2);
		}
		text[n++] = '\n';
		text[n] = 0;
		rc = 0;
	}
	if (n)
		text[n - 1] = 0;
	if (rc != SQLITE_DONE)
		snprintf(text, sizeof(text), "error: %s", sqlite3_errmsg(db));
	sqlite3_finalize(stmt);
	return text;
}

struct query_case {
	const char *sql, *result;
};

static void check(const struct query_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *result = query(tp_store_db(store), cases[i].sql);

		if (strcmp(result, cases[i].result))
			fail_msg("%s\n gives: %s\n  not: %s", cases[i].sql, result,
				 cases[i].result);
	}
}

#define CHECK(cases) check(cases, sizeof(cases) / sizeof((cases)[0]))

static void test_event_columns(void **state)
{
	static const struct query_case cases[] = {
	    {"select * from event where run = 1 and seq = 8",
	     "1|8|80|GoBlock|StateTransition|108|7002|0|G|108|Running|Waiting|chan receive|null|"
	     "3|null|null|null|null|0|0"},
	    {"select * from event where run = 2 and seq = 7",
	     "2|7|70|HeapAlloc|Metric|null|7001|1|null|null|null|null|"
	     "/memory/classes/heap/objects:bytes|null|0|null|7|null|null|0|0"},
	    {"select inferred, seq from event where run = 1 and seq between 20000 and 20002",
	     "0|20000\n1|20001\n0|20002"},
	    {"select rowid, run, seq from event where seq = 99", "99|1|99\n1099511627875|2|99"},
	};

	(void)state;
	CHECK(cases);
}

static void test_event_counts(void **state)
{
	static const struct query_case cases[] = {
	    {"select count(*), max(ts_ns), min(seq), max(seq) from event where run = 1",
	     "40000|399990|0|39999"},
	    {"select count(*) from event", "40100"},
	    {"select run, count(*) from event group by run", "1|40000\n2|100"},
	    {"select type, count(*) from event group by type",
	     "GoBlock|10025\nGoStart|30034\nHeapAlloc|41"},
	    {"select kind, count(*) from event group by kind order by 2",
	     "Metric|41\nStateTransition|40059"},
	    {"select type, run, count(*) from event group by type, run",
	     "GoBlock|1|10000\nGoBlock|2|25\nGoStart|1|29960\nGoStart|2|74\nHeapAlloc|1|40\n"
	     "HeapAlloc|2|1"},
	    {"select type, max(seq), min(ts_ns) from event where run = 1 group by type",
	     "GoBlock|39996|0\nGoStart|39999|10\nHeapAlloc|39007|70"},
	    {"select type, count(*) from event where ts_ns < 100 group by type order by type desc",
	     "HeapAlloc|2\nGoStart|12\nGoBlock|6"},
	    {"select distinct type from event order by type", "GoBlock\nGoStart\nHeapAlloc"},
	    {"select count(distinct type) from event", "3"},
	};

	(void)state;
	CHECK(cases);
}

static void test_event_constraints(void **state)
{
	static const struct query_case cases[] = {
	    {"select count(*) from event where run = 1 and type = 'GoBlock'", "10000"},
	    {"select count(*) from event where type in ('GoBlock', 'HeapAlloc', 'x', null, 5)",
	     "10066"},
	    {"select count(*) from event where kind = 'Metric' and type = 'GoBlock'", "0"},
	    {"select count(*) from event where kind = 'Metric' or type = 'GoBlock'", "10066"},
	    {"select count(*) from event where type = 'goblock' collate nocase", "10025"},
	    {"select count(*) from event where type = 5", "0"},
	    {"select count(*) from event where type = null", "0"},
	    {"select count(*) from event where type like 'GoB%'", "10025"},
	    {"select count(*) from event where goroutine = 107", "761"},
	    {"select count(*) from event where goroutine = 107 and run = 1", "760"},
	    {"select count(*) from event where goroutine = '107'", "761"},
	    {"select count(*) from event where goroutine = 107.5", "0"},
	    {"select count(*) from event where goroutine = 99999", "0"},
	    {"select count(*) from event where goroutine = 107 and goroutine = 108", "0"},
	    {"select count(*) from event where goroutine in (107, 108)", "1563"},
	    {"select count(*) from event where goroutine is null", "41"},
	    {"select count(*) from event where m = 7002 and p = 1 and run = 2", "16"},
	    {"select count(*) from event where run = 1 and ts_ns >= 163840", "23616"},
	    {"select count(*) from event where run = 1 and ts_ns > 163830 and ts_ns < 163850", "1"},
	    {"select count(*) from event where run = 1 and ts_ns > 163830.5 and ts_ns <= 163849.5",
	     "1"},
	    {"select count(*) from event where run = 1 and ts_ns between 100 and 50", "0"},
	    {"select count(*) from event where ts_ns < 'x'", "40100"},
	    {"select count(*) from event where ts_ns > 'x'", "0"},
	    {"select count(*) from event where ts_ns > null", "0"},
	    {"select count(*) from event where ts_ns < 1e300 and ts_ns > -1e300", "40100"},
	    {"select count(*) from event where seq in (5, 39999, 40000)", "3"},
	    {"select count(*) from event where run = 3", "0"},
	    {"select count(*) from event where run > 1", "100"},
	    {"select count(*) from event where seq < 0", "0"},
	    {"select count(*) from event where seq > 9223372036854775807", "0"},
	    {"select seq from event where run = 1 and type = 'HeapAlloc' and ts_ns > 380000 "
	     "order by seq",
	     "38007\n39007"},
	    {"select seq from event where run = 1 order by ts_ns desc limit 2", "39999\n39998"},
	    {"select seq from event order by run desc, seq limit 1", "0"},
	    {"select seq from event where run = 1 limit 2 offset 16384", "16384\n16385"},
	};

	(void)state;
	CHECK(cases);
}

static void test_packed_tables(void **state)
{
	static const struct query_case cases[] = {
	    {"select run, row, id, name, parent, ended_ns, last_state from goroutine where run = 1 "
	     "and row < 2",
	     "1|0|100|main.main|null|0|Waiting\n1|1|101|main.main|100|null|Waiting"},
	    {"select run, row from goroutine where id = 110", "1|10\n2|10"},
	    {"select row from goroutine where id = '110' and run = 2", "10"},
	    {"select row from goroutine where id = 110.5", ""},
	    {"select row from goroutine where id is null", ""},
	    {"select id from goroutine where parent = 103", "104\n104"},
	    {"select id from goroutine where parent = 4000", ""},
	    {"select id from goroutine where parent is null", "100\n100"},
	    {"select count(*) from goroutine where spans = 3", "20"},
	    {"select name, last_state from goroutine where run = 1 and row in (8, 9)",
	     "main.main|null\nnull|Waiting"},
	    {"select count(*), sum(row) from goroutine", "100|2450"},
	    {"select rowid from goroutine where run = 2 and row = 1", "1099511627777"},
	    {"select id from goroutine where run = 1 order by row limit 3", "100\n101\n102"},
	    {"select id from proc where run = 1", "0\n1"},
	    {"select id from thread where run = 2", "7000\n7001\n7002"},
	    {"select g.name, count(*) from event e join goroutine g on g.run = e.run and g.id = "
	     "e.goroutine where e.run = 2 and e.type = 'GoStart' group by g.name order by 1",
	     "null|2\nmain.main|72"},
	    {"select f.name, fr.line from stack s join frame fr on fr.run = s.run and fr.row = "
	     "s.frame join function f on f.run = fr.run and f.row = fr.function where s.run = 1 "
	     "and s.depth = 3",
	     "sync.(*Mutex).Lock|12"},
	    {"select text from string where run = 2 and text like 'chan rec%'", "chan receive"},
	    {"select count(*), max(s.text) from string s join string z on z.run = s.run and z.id = "
	     "s.id "
	     "where s.run = 1 and s.text = 'main.main'",
	     "1|main.main"},
	    {"select text from string where run = 1 and id in (-1, 2000)", ""},
	    {"select count(*) from range", "0"},
	    {"select name from pragma_table_info('range') limit 2", "run\nrow"},
	};

	(void)state;
	CHECK(cases);
}

/* However a query is planned, it returns the rows that SQLite itself selects from all events. */
static void test_event_equals_plain_table(void **state)
{
	static const char *const where[] = {
	    "run = 1 and type = 'GoStart'",
	    "goroutine = 105 or type = 'HeapAlloc'",
	    "run = 1 and ts_ns between 1000 and 200000 and kind = 'StateTransition' and p = 0",
	    "seq between 16380 and 16390",
	    "m = 7001 and ts_ns > 390000",
	    "run in (1, 2) and seq in (1, 2, 30000) and type in ('GoStart', 'GoBlock')",
	};
	struct sqlite3 *db = NULL;
	char sql[512], plain[16384];

	(void)state;
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), 0);
	assert_int_equal(tp_store_register(db), 0);
	assert_int_equal(
	    sqlite3_exec(db, "create temp table plain as select * from event", NULL, NULL, NULL),
	    0);
	for (size_t i = 0; i < sizeof(where) / sizeof(where[0]); i++) {
		static const char format[] =
		    "select type, goroutine, count(*), sum(seq), sum(ts_ns), sum(arg0), "
		    "max(text), sum(stack), sum(m), sum(p), max(from_state) from %s where %s "
		    "group by type, goroutine order by type, goroutine";

		snprintf(sql, sizeof(sql), format, "plain", where[i]);
		snprintf(plain, sizeof(plain), "%s", query(db, sql));
		assert_true(strlen(plain) > 50);
		snprintf(sql, sizeof(sql), format, "event", where[i]);
		assert_string_equal(query(db, sql), plain);
	}
	sqlite3_close(db);
}

static void test_functions(void **state)
{
	static const struct query_case cases[] = {
	    {"select fmt_ns(1250000), fmt_ns(null), fmt_ns(12.6), fmt_ns('x'), fmt_ns(-1e300)",
	     "1.25ms|null|13ns|x|-106752d"},
	    {"select fmt_bytes(3565158), fmt_bytes(-9223372036854775807 - 1)", "3.4MiB|-8EiB"},
	    {"select ns('1.5ms'), ns(null)", "1500000|null"},
	    {"select ns('soon')",
	     "error: ns(text) takes a duration such as '1.5ms', '20us' or '2m05s'"},
	    {"select 'main.worker' regexp '^main\\.w', 'x' regexp 'y|z', null regexp 'a', 'a' "
	     "regexp null",
	     "1|0|null|null"},
	    {"select 'd' regexp '\\d', '1' regexp '\\d', 'Main' regexp '(?i)main'", "0|1|1"},
	    {"select 'x' regexp '('",
	     "error: REGEXP: '(' is not a regular expression: a parenthesis ( is not closed"},
	    {"select 'x' regexp '((a{1,200}){1,200}){1,200}'",
	     "error: REGEXP: '((a{1,200}){1,200}){1,200}' is not a regular expression: it has too "
	     "many alternatives and repetitions"},
	    {"select stack_text(1, 3)", "sync.(*Mutex).Lock;main.work:x;main.main"},
	    {"select stack_text(2, 1), stack_text(2, 0), stack_text(1, null), stack_text(9, 1), "
	     "stack_text(1, 99), stack_text(1, -1)",
	     "main.main||null|null|null|null"},
	    {"select stack_text(3)", "error: the store has several runs; name one, as in "
				     "stack_text(run, stack)"},
	    {"select func_of(1, 3), root_of(1, 3), func_of(1, 0)", "sync.(*Mutex).Lock|main.main|"},
	    {"select root_of(run, stack), count(*) from event where run = 1 group by 1",
	     "|30000\nmain.main|10000"},
	};

	(void)state;
	CHECK(cases);
}

static void test_percentiles(void **state)
{
	static const struct query_case cases[] = {
	    {"select median(x), p50(x), p90(x), p95(x), p99(x) from (select value as x from "
	     "json_each('[9,1,8,2,7,3,6,4,5,10]'))",
	     "5|5|9|10|10"},
	    {"select percentile(x, 0), percentile(x, 100), percentile(x, 20.0001) from (select "
	     "value "
	     "as x from json_each('[9,1,8,2,7,3,6,4,5,10]'))",
	     "1|10|3"},
	    {"select median(value) from json_each('[3,null,-1,2]')", "2"},
	    {"select median(value) from json_each('[3,-1.5,2,7]')", "2.0"},
	    {"select median(value) from json_each('[-3,-1.5,-2]')", "-2.0"},
	    {"select median(value) from json_each('[]')", "null"},
	    {"select median(value) from json_each('[null]')", "null"},
	    {"select p99(ts_ns), percentile(-ts_ns, 1) from event where run = 1", "395990|-396000"},
	    {"select type, median(seq) from event where run = 1 group by type",
	     "GoBlock|19996\nGoStart|19999\nHeapAlloc|19007"},
	    {"select percentile(1, 101)",
	     "error: percentile(x, p): p must be a number from 0 to 100, "
	     "as in percentile(dur_ns, 99.9)"},
	    {"select percentile(1, null)",
	     "error: percentile(x, p): p must be a number from 0 to 100, "
	     "as in percentile(dur_ns, 99.9)"},
	    {"select median('abc')", "error: percentiles need numbers, but this column has text"},
	};

	(void)state;
	CHECK(cases);
}

/* Decoded data of a run is dropped when the run's id changes in the store. */
static void test_store_changes_under_reader(void **state)
{
	struct sqlite3 *db = NULL;

	(void)state;
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), 0);
	assert_string_equal(
	    query(tp_store_db(store), "select name from goroutine where run = 2 and id = 100"),
	    "main.main");
	assert_int_equal(sqlite3_exec(db,
				      "update block set run = 3 where run = 2; update run set id "
				      "= 3 where id = 2",
				      NULL, NULL, NULL),
			 0);
	assert_string_equal(
	    query(tp_store_db(store), "select name from goroutine where run = 2 and id = 100"), "");
	assert_string_equal(
	    query(tp_store_db(store), "select name from goroutine where run = 3 and id = 100"),
	    "main.main");
	assert_int_equal(sqlite3_exec(db,
				      "update block set run = 2 where run = 3; update run set id "
				      "= 2 where id = 3",
				      NULL, NULL, NULL),
			 0);
	sqlite3_close(db);
}

/* Altered bytes in blocks may give an error or other numbers, but must not crash. */
static void test_damaged_blocks(void **state)
{
	static const char *const queries[] = {
	    ("select sum(length(coalesce(text, '') || coalesce(type, ''))), "
	     "sum(goroutine + m + p + stack + arg0) from event where run = 2"),
	    "select type, count(*) from event where run = 2 group by type",
	    "select count(*) from event where run = 2 and goroutine = 103",
	    "select group_concat(name), sum(parent), max(last_state) from goroutine where run = 2",
	    "select stack_text(2, row) from stack where run = 2",
	};
	struct sqlite3 *db = NULL;
	char sql[256];
	uint32_t seed = 1;

	(void)state;
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), 0);
	assert_int_equal(sqlite3_exec(db,
				      "create temp table saved as select * from block where run = "
				      "2",
				      NULL, NULL, NULL),
			 0);
	assert_int_equal(tp_store_register(db), 0);
	sqlite3_exec(db, "pragma synchronous = off", NULL, NULL, NULL);
	for (int round = 0; round < 300; round++) {
		seed = seed * 1664525 + 1013904223;
		snprintf(
		    sql, sizeof(sql),
		    "update block set data = cast(substr(data, 1, %u %% length(data)) || x'%02x' "
		    "|| substr(data, 2 + %u %% length(data)) as blob) where run = 2 and "
		    "length(data) > %u",
		    seed >> 8, seed >> 24, seed >> 8, seed >> 16 & 63);
		assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), 0);
		for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
			query(db, queries[i]);
		assert_int_equal(sqlite3_exec(db,
					      "delete from block where run = 2; insert into block "
					      "select * from temp.saved",
					      NULL, NULL, NULL),
				 0);
	}
	sqlite3_close(db);
}

static void test_not_a_store(void **state)
{
	struct sqlite3 *db = NULL;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), 0);
	assert_int_equal(tp_store_register(db), 0);
	assert_string_equal(
	    query(db, "select count(*) from event"),
	    "error: the main database is not a tprof store (no such table: main.run)");
	assert_string_equal(query(db, "select fmt_ns(1000)"), "1us");
	sqlite3_close(db);
}

/* ---- SQLite when one allocation fails ---- */

static sqlite3_mem_methods plain;
static int allocations, fails_at;

static void *fail_malloc(int size)
{
	return ++allocations == fails_at ? NULL : plain.xMalloc(size);
}

static void *fail_realloc(void *old, int size)
{
	return ++allocations == fails_at ? NULL : plain.xRealloc(old, size);
}

/* When memory is out, SQLite rolls the transaction back, even if that happens in a query made while
 * another one is planned. If that one went on, it would write outside the transaction. */
static void test_planning_without_memory(void **state)
{
	static const char *const queries[] = {"select * from event", "select * from goroutine",
					      "select * from span", "select * from string"};

	(void)state;
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		bool met = true;

		for (int n = 1; met; n++) {
			struct sqlite3 *db = NULL;
			sqlite3_stmt *stmt = NULL;
			int rc;

			assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL),
					 0);
			assert_int_equal(tp_store_register(db), 0);
			assert_int_equal(sqlite3_exec(db, "begin immediate; create table mark(x)",
						      NULL, NULL, NULL),
					 0);
			allocations = 0;
			fails_at = n;
			rc = sqlite3_prepare_v2(db, queries[i], -1, &stmt, NULL);
			fails_at = 0;
			met = allocations >= n;
			assert_int_equal(sqlite3_get_autocommit(db) && !rc, 0);
			assert_true(met || !rc);
			sqlite3_finalize(stmt);
			sqlite3_exec(db, "rollback", NULL, NULL, NULL);
			sqlite3_close(db);
		}
	}
}

static void test_descriptions(void **state)
{
	(void)state;
	for (unsigned t = 0; t < TP_SQL_NTABLES; t++) {
		char sql[128], expected[2048] = "";
		size_t n = 0;

		for (unsigned c = 0; c < tp_sql_table_columns(t); c++) {
			struct tp_sql_column column = tp_sql_column_at(t, c);

			assert_true(column.doc[0]);
			n += (size_t)snprintf(expected + n, sizeof(expected) - n, "%s%s|%s",
					      c ? "\n" : "", column.name, column.type);
		}
		snprintf(sql, sizeof(sql), "select name, type from pragma_table_info('%s')",
			 tp_sql_table_name(t));
		assert_string_equal(query(tp_store_db(store), sql), expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_event_columns),
	    cmocka_unit_test(test_event_counts),
	    cmocka_unit_test(test_event_constraints),
	    cmocka_unit_test(test_event_equals_plain_table),
	    cmocka_unit_test(test_packed_tables),
	    cmocka_unit_test(test_functions),
	    cmocka_unit_test(test_percentiles),
	    cmocka_unit_test(test_store_changes_under_reader),
	    cmocka_unit_test(test_damaged_blocks),
	    cmocka_unit_test(test_not_a_store),
	    cmocka_unit_test(test_descriptions),
	    cmocka_unit_test(test_planning_without_memory),
	};
	sqlite3_mem_methods failing;

	sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain);
	failing = plain;
	failing.xMalloc = fail_malloc;
	failing.xRealloc = fail_realloc;
	sqlite3_config(SQLITE_CONFIG_MALLOC, &failing);

	return cmocka_run_group_tests_name("sql", tests, setup, teardown);
}
