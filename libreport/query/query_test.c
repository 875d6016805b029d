#include "query/query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/buf.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static sqlite3 *db;
static struct tp_store *store;

/* Opens a database with one table. Queries need nothing else from a store. */
static int setup(void **state)
{
	(void)state;
	if (sqlite3_open(":memory:", &db) || tp_store_register(db))
		return -1;
	store = tp_store_borrow(db);
	return sqlite3_exec(db,
			    "create table thing( -- a thing of some kind\n"
			    "  name text, -- what it is called\n"
			    "  size integer -- bytes\n"
			    "); insert into thing values('a', 1), ('b', 2);"
			    "create table block(stream, rows); create table run(id, start_ns, "
			    "duration_ns);",
			    NULL, NULL, NULL);
}

static int teardown(void **state)
{
	(void)state;
	tp_store_close(store);
	return sqlite3_close(db);
}

/* Returns the output of SQL as TSV, or the message of its error. */
static const char *run(const char *sql, bool write)
{
	static char text[4096];
	struct rep_query_options opt = {.write = write, .run = 7};
	struct tp_buf buf = {0};
	struct rep_output_options format = {.format = REP_FORMAT_TSV, .sink = rep_sink_buf(&buf)};
	struct rep_output *out;
	struct rep_query *q;
	struct tp_err err = {0}, ignored;
	int code;

	assert_int_equal(rep_query_new(&q, store, &opt, &err), 0);
	assert_int_equal(rep_output_new(&out, &format, &err), 0);
	code = rep_query_run(q, sql, out, &err);
	assert_int_equal(rep_output_finish(out, &ignored), 0);
	if (code)
		snprintf(text, sizeof(text), "%s", err.msg);
	else
		snprintf(text, sizeof(text), "%.*s", (int)buf.size, (const char *)buf.data);
	assert_int_equal(code, err.code);
	rep_output_free(out);
	rep_query_free(q);
	tp_buf_release(&buf);
	return text;
}

static void test_query_count(void **state)
{
	static const struct {
		const char *sql;
		size_t n;
	} cases[] = {
	    {"", 0},
	    {" ; ;\n;", 0},
	    {"select 1", 1},
	    {"select 1;", 1},
	    {"select 1; select 2", 2},
	    {"select ';'; select \";\"; select [;]; select `;`", 4},
	    {"select 'it''s; fine'", 1},
	    {"-- one; two\nselect 1 /* ; */", 1},
	    {"-- nothing;", 0},
	    {"/* nothing; */", 0},
	    {"select 'open; end", 1},
	    {"select 1 /* open;", 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(rep_query_count(cases[i].sql), cases[i].n);
}

static void test_query_run(void **state)
{
	static const struct {
		const char *sql;
		bool write;
		const char *result;
	} cases[] = {
	    {"select * from thing", false, "name\tsize\na\t1\nb\t2\n"},
	    {"select :run as run, @run + 1 as next", false, "run\tnext\n7\t8\n"},
	    {"select ?", false,
	     "the parameter ? has no value: only :run has one, the id of the run that --run picks"},
	    {"select 1 as x; ; select 2 as y;", false, "x\n1\n\ny\n2\n"},
	    {"select * from thing where 0", false, "name\tsize\n"},
	    {"select * from things", false,
	     "no such table: things; did you mean thing? .tables lists them"},
	    {"select * from qqqqqqqq", false, "no such table: qqqqqqqq; .tables lists them"},
	    {"select nam from thing", false,
	     "no such column: nam; did you mean name? .schema TABLE lists the columns of a table"},
	    {"select 1;\nselect 2;\nselect\n  frm", false,
	     "line 4: no such column: frm; .schema TABLE lists the columns of a table"},
	    {"select 1;\n\nselec 2", false,
	     "line 3: near \"selec\": syntax error; the mistake is there or just before it; "
	     "tprof-query(1) has "
	     "examples"},
	    {"select sum(size + 9223372036854775800) from thing", false,
	     "integer overflow; total(X) has room where sum(X) overflows"},
	    {"delete from thing", false,
	     "the store is open for reading; --write allows changes to it"},
	    {"insert into thing values(1, 2)", false,
	     "the store is open for reading; --write allows changes to it"},
	    {"create index i on thing(name)", false,
	     "the store is open for reading; --write allows changes to it"},
	    {"create trigger t after insert on thing begin select 1; end", false,
	     "the store is open for reading; --write allows changes to it"},
	    {"alter table thing add column x", false,
	     "the store is open for reading; --write allows changes to it"},
	    {"analyze", false, "the store is open for reading; --write allows changes to it"},
	    {"create temp table t(a); insert into t values(5); select a from t; drop table t",
	     false, "a\n5\n"},
	    {"update thing set size = 3 where name = 'b'; select size from thing", true,
	     "size\n1\n3\n"},
	    {"attach ':memory:' as m", true,
	     "other files cannot be attached; tprof-import -o STORE imports several dumps "
	     "into one store"},
	    {"attach '' as m", false,
	     "other files cannot be attached; tprof-import -o STORE imports several dumps "
	     "into one store"},
	    {"pragma table_info(thing)", false,
	     "cid\tname\ttype\tnotnull\tdflt_value\tpk\n0\tname\tTEXT\t0\t\t0\n1\tsize\tINTEGER\t0"
	     "\t\t0\n"},
	    {"pragma user_version", false, "user_version\n0\n"},
	    {"pragma user_version = 9", true,
	     "only pragmas that change nothing are allowed, such as table_info"},
	    {"pragma query_only", true,
	     "only pragmas that change nothing are allowed, such as table_info"},
	    {"select sum(value) as s from json_each('[1,2]')", false, "s\n3\n"},
	    {"select name from pragma_table_info('thing')", false, "name\nname\nsize\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *result = run(cases[i].sql, cases[i].write);

		if (strcmp(result, cases[i].result))
			fail_msg("%s\n gives: %s\n  not: %s", cases[i].sql, result,
				 cases[i].result);
	}
}

static void test_query_schema(void **state)
{
	struct rep_query_options opt = {.run = TP_NULL};
	struct tp_buf text = {0};
	struct rep_query *q;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_query_new(&q, store, &opt, &err), 0);
	assert_int_equal(rep_query_schema(q, "THING", &text, &err), 0);
	assert_int_equal(tp_buf_put(&text, "", 1), 0);
	assert_non_null(strstr((char *)text.data, "name text, -- what it is called\n"));
	text.size = 0;
	assert_int_equal(rep_query_schema(q, "log", &text, &err), 0);
	assert_int_equal(tp_buf_put(&text, "", 1), 0);
	assert_non_null(strstr((char *)text.data, "  message TEXT, -- text of the message\n"));
	assert_int_equal(rep_query_schema(q, "evnt", &text, &err), TP_ENOENT);
	assert_string_equal(err.msg, "the store has no table 'evnt'; did you mean event? .tables lists them");
	tp_buf_release(&text);
	rep_query_free(q);
}

static int add_one(void *ctx, const char *calls, const char *doc)
{
	unsigned *found = ctx;
	const char *call;
	size_t size, name;

	(void)doc;
	while ((call = rep_query_next_call(&calls, &size, &name))) {
		*found |= name == 5 && !strncmp(call, "thing", 5) ? 1 : 0;
		*found |= name == 11 && !strncmp(call, "waker_stack", 11) ? 2 : 0;
		*found |= size == 6 && !strncmp(call, "p95(x)", 6) ? 4 : 0;
	}
	return 0;
}

static void test_query_words(void **state)
{
	struct rep_query_options opt = {.run = TP_NULL};
	struct rep_query *q;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_query_new(&q, store, &opt, &err), 0);
	for (unsigned kinds = 0; kinds < 8; kinds++) {
		unsigned found = 0;

		assert_int_equal(rep_query_words(q, kinds, NULL, add_one, &found, &err), 0);
		assert_int_equal(found, kinds);
	}
	rep_query_free(q);
}

static int add_meaning(void *ctx, const char *word, const char *doc)
{
	char line[300];

	snprintf(line, sizeof(line), "%s: %s|", word, doc);
	return tp_buf_put(ctx, line, strlen(line));
}

static void test_query_meanings(void **state)
{
	struct rep_query_options opt = {.run = TP_NULL};
	struct tp_buf text = {0};
	struct rep_query *q;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_query_new(&q, store, &opt, &err), 0);
	assert_int_equal(rep_query_words(q, REP_WORDS_COLUMNS, "Thing", add_meaning, &text, &err),
			 0);
	assert_int_equal(tp_buf_put(&text, "", 1), 0);
	assert_string_equal((char *)text.data, "name: what it is called|size: bytes|");
	text.size = 0;
	assert_int_equal(rep_query_words(q, REP_WORDS_COLUMNS, "log", add_meaning, &text, &err), 0);
	assert_int_equal(tp_buf_put(&text, "", 1), 0);
	assert_non_null(strstr((char *)text.data, "message: text of the message|"));
	text.size = 0;
	assert_int_equal(rep_query_words(q, REP_WORDS_TABLES | REP_WORDS_FUNCTIONS, NULL,
					 add_meaning, &text, &err),
			 0);
	assert_int_equal(tp_buf_put(&text, "", 1), 0);
	assert_non_null(strstr((char *)text.data, "thing: a thing of some kind|"));
	assert_non_null(strstr((char *)text.data, "fmt_ns(ns): "));
	tp_buf_release(&text);
	rep_query_free(q);
}

/* On a shared connection, temporary tables would hide the tables that others name, and an open
 * transaction would affect them. */
static void test_query_fleeting(void **state)
{
	static const char *const refused[] = {
	    "create temp table event(a)", "create temp view v as select 1", "begin", "savepoint s",
	    "delete from thing",
	};
	const struct rep_query_options opt = {
	    .run = TP_NULL, .fleeting = true, .read_only = "not here"};
	struct tp_buf buf = {0};
	const struct rep_output_options format = {.format = REP_FORMAT_CSV,
						  .sink = rep_sink_buf(&buf)};
	struct rep_output *out;
	struct rep_query *q;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_query_new(&q, store, &opt, &err), 0);
	assert_int_equal(rep_output_new(&out, &format, &err), 0);
	for (size_t i = 0; i < COUNT(refused); i++) {
		assert_int_equal(rep_query_run(q, refused[i], out, &err), TP_ESTORE);
		assert_string_equal(err.msg, "not here");
	}
	assert_int_equal(rep_query_run(q, "with a(x) as (select 1) select x from a", out, &err), 0);
	assert_int_equal(rep_query_place(q), SIZE_MAX);
	if (sqlite3_libversion_number() >= 3038000) {
		assert_int_equal(rep_query_run(q, "select 1;\nselect nonsense", out, &err),
				 TP_ESTORE);
		assert_int_equal(rep_query_place(q), 17);
	}
	rep_output_free(out);
	rep_query_free(q);
	tp_buf_release(&buf);
}

static void test_query_stop(void **state)
{
	static _Atomic bool stop = true;
	const struct rep_query_options opt = {.run = TP_NULL, .stop = &stop};
	struct tp_buf buf = {0};
	const struct rep_output_options format = {.format = REP_FORMAT_CSV,
						  .sink = rep_sink_buf(&buf)};
	struct rep_output *out;
	struct rep_query *q;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_query_new(&q, store, &opt, &err), 0);
	assert_int_equal(rep_output_new(&out, &format, &err), 0);
	assert_int_equal(rep_query_run(q,
				       "with recursive c(x) as (select 1 union all select x + 1 "
				       "from c) select max(x) from c",
				       out, &err),
			 TP_ECANCEL);
	rep_output_free(out);
	rep_query_free(q);
	tp_buf_release(&buf);
}

static struct rep_query *interrupting;

static int interrupt_write(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)ctx, (void)data, (void)size, (void)err;
	rep_query_interrupt(interrupting);
	return 0;
}

static void test_query_interrupt(void **state)
{
	struct rep_query_options opt = {.run = TP_NULL};
	struct rep_output_options format = {.format = REP_FORMAT_CSV,
					    .sink = {.write = interrupt_write}};
	struct rep_output *out;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_query_new(&interrupting, store, &opt, &err), 0);
	assert_int_equal(rep_output_new(&out, &format, &err), 0);
	/* This query ends only when it is interrupted. */
	assert_int_equal(rep_query_run(interrupting,
				       "with recursive c(x) as (select 1 union all select x + 1 "
				       "from c) select x from c",
				       out, &err),
			 TP_ECANCEL);
	assert_string_equal(err.msg, "interrupted");
	rep_output_free(out);
	rep_query_free(interrupting);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_query_count),	    cmocka_unit_test(test_query_run),
	    cmocka_unit_test(test_query_schema),    cmocka_unit_test(test_query_words),
	    cmocka_unit_test(test_query_interrupt), cmocka_unit_test(test_query_meanings),
	    cmocka_unit_test(test_query_fleeting),  cmocka_unit_test(test_query_stop),
	};

	return cmocka_run_group_tests_name("query", tests, setup, teardown);
}
