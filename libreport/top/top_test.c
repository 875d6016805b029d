/* Reports against plain SQL over the virtual tables: what a report adds up by segments, sites and
 * crossing spans must be what one gets by adding up spans one by one. Also several runs as one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/buf.h"
#include "import.h"
#include "spans/view.h"
#include "top/top.h"

static char dir[64], path[80];
static struct tp_store *store;
static struct rep_runs runs;

/* clang-format off */
/* The spans of a run in the range [:from, :to), clipped to it. */
#define SPANS \
	"WITH s AS MATERIALIZED (SELECT goroutine, state, reason, stack, waker, " \
	" min(end_ns, :to) - max(start_ns, :from) AS ns FROM span WHERE run = :run AND " \
	OVERLAPS("start_ns", "end_ns") "), " \
	"g AS MATERIALIZED (SELECT id, name FROM goroutine WHERE run = :run) "
#define OF_STATE(state)      "coalesce(sum(ns) FILTER (WHERE state = '" state "'), 0)"
#define OVERLAPS(start, end) start " < :to AND (" end " > :from OR " start " >= :from)"
#define CLIPPED(start, end)  "(min(" end ", :to) - max(" start ", :from))"

/* A report, some of its columns, and the same rows from SQL. */
static const struct check {
	const char *report, *columns;
	struct rep_filter_text filter; /* beyond the time range */
	bool skip_zero;		       /* rows whose last column is 0 are not in the SQL */
	const char *sql;
} checks[] = {
	{.report = "groups",
	 .columns = "function,count,total_ns,running_ns,runnable_ns,blocked_ns,syscall_ns,"
		    "syscall_blocked_ns,lost_ns,spans,blocked_sync_ns",
	 .sql = SPANS "SELECT name, count(DISTINCT goroutine), sum(ns), "
		OF_STATE("Running") "," OF_STATE("Runnable") "," OF_STATE("Waiting") ","
		OF_STATE("Syscall") "," OF_STATE("SyscallBlocked") "," OF_STATE("Lost")
		", count(*), coalesce(sum(ns) FILTER (WHERE state = 'Waiting' AND reason = 'sync'), 0) "
		"FROM s JOIN g ON g.id = s.goroutine GROUP BY name"},
	{.report = "groups",
	 .columns = "function,count,total_ns,blocked_ns",
	 .filter = {.focus = "Inventory"},
	 .sql = SPANS "SELECT name, count(DISTINCT goroutine), sum(ns), " OF_STATE("Waiting")
		" FROM s JOIN g ON g.id = s.goroutine "
		"WHERE stack_text(:run, stack) REGEXP 'Inventory' OR name REGEXP 'Inventory' "
		"GROUP BY name"},
	{.report = "groups",
	 .columns = "function,inside_all_ns",
	 .sql = SPANS ", t AS MATERIALIZED (SELECT goroutine, start_ns, end_ns FROM task "
		"WHERE run = :run UNION ALL SELECT goroutine, start_ns, end_ns FROM region "
		"WHERE run = :run) "
		"SELECT name, coalesce((SELECT sum(" CLIPPED("start_ns", "end_ns") ") FROM t "
		"JOIN g AS of ON of.id = t.goroutine WHERE of.name = g.name AND "
		OVERLAPS("start_ns", "end_ns") "), 0) FROM s JOIN g ON g.id = s.goroutine "
		"GROUP BY name"},
	{.report = "goroutines",
	 .columns = "goroutine,function,total_ns,running_ns,runnable_ns,blocked_ns,syscall_ns,"
		    "syscall_blocked_ns",
	 .sql = SPANS "SELECT goroutine, name, sum(ns), "
		OF_STATE("Running") "," OF_STATE("Runnable") "," OF_STATE("Waiting") ","
		OF_STATE("Syscall") "," OF_STATE("SyscallBlocked")
		" FROM s JOIN g ON g.id = s.goroutine GROUP BY goroutine"},
	{.report = "goroutines",
	 .columns = "goroutine,total_ns",
	 .filter = {.reason = "chan", .state = "blocked", .goroutine = "customer"},
	 .sql = SPANS "SELECT goroutine, sum(ns) FROM s JOIN g ON g.id = s.goroutine "
		"WHERE state = 'Waiting' AND reason REGEXP 'chan' AND name REGEXP 'customer' "
		"GROUP BY goroutine"},
	{.report = "block",
	 .columns = "stack,reason,count,total_ns,max_ns",
	 .sql = SPANS "SELECT stack_text(:run, stack), reason, count(*), sum(ns), max(ns) FROM s "
		"WHERE state = 'Waiting' GROUP BY stack, reason"},
	{.report = "block",
	 .columns = "stack,reason,count,total_ns,max_ns",
	 .filter = {.ignore = "^net\\.", .goroutine = "cashier"},
	 .sql = SPANS "SELECT stack_text(:run, stack), reason, count(*), sum(ns), max(ns) "
		"FROM s JOIN g ON g.id = s.goroutine WHERE state = 'Waiting' "
		"AND name REGEXP 'cashier' AND NOT stack_text(:run, stack) REGEXP '(^|;)net\\.' "
		"GROUP BY stack, reason"},
	{.report = "block",
	 .columns = "stack,reason,count,total_ns",
	 .filter = {.goroutine = "1"},
	 .sql = SPANS "SELECT stack_text(:run, stack), reason, count(*), sum(ns) FROM s "
		"WHERE state = 'Waiting' AND goroutine = 1 GROUP BY stack, reason"},
	{.report = "locks",
	 .columns = "stack,holder_entry,count,total_ns,max_ns",
	 .sql = SPANS "SELECT stack_text(:run, stack) AS at, coalesce(name, '') AS holder, count(*), "
		"sum(ns), max(ns) FROM s LEFT JOIN g ON g.id = s.waker WHERE state = 'Waiting' "
		"AND reason = 'sync' AND at REGEXP '^sync\\.\\(\\*Mutex\\)' GROUP BY at, holder"},
	{.report = "sched",
	 .columns = "stack,reason,count,total_ns,max_ns",
	 .sql = SPANS "SELECT stack_text(:run, stack), reason, count(*), sum(ns), max(ns) FROM s "
		"WHERE state = 'Runnable' GROUP BY stack, reason"},
	{.report = "syscalls",
	 .columns = "stack,state,count,total_ns,max_ns",
	 .sql = SPANS "SELECT stack_text(:run, stack), "
		"iif(state = 'Syscall', 'syscall', 'syscall-blocked'), count(*), sum(ns), max(ns) "
		"FROM s WHERE state IN ('Syscall', 'SyscallBlocked') GROUP BY stack, state"},
	{.report = "cpu",
	 .columns = "function,flat",
	 .skip_zero = true,
	 .sql = "SELECT func_of(:run, stack) AS f, count(*) FROM cpu_sample "
		"WHERE run = :run AND ts_ns >= :from AND ts_ns < :to GROUP BY f"},
	{.report = "gc",
	 .columns = "name,count,total_ns,max_ns",
	 .sql = "SELECT name, count(*), sum(" CLIPPED("start_ns", "end_ns") "), "
		"max(" CLIPPED("start_ns", "end_ns") ") FROM range WHERE run = :run AND "
		OVERLAPS("start_ns", "end_ns") " GROUP BY name"},
	{.report = "tasks",
	 .columns = "name,count,incomplete,total_ns,max_ns",
	 .sql = "SELECT name, count(*), sum(start_ns IS NULL OR end_ns IS NULL), "
		"coalesce(sum(" CLIPPED("start_ns", "end_ns") "), 0), "
		"max(" CLIPPED("start_ns", "end_ns") ") FROM task WHERE run = :run AND id AND "
		OVERLAPS("coalesce(start_ns, 0)", "coalesce(end_ns, :dur)") " GROUP BY name"},
	{.report = "regions",
	 .columns = "name,count,incomplete,total_ns,max_ns",
	 .sql = "SELECT name, count(*), sum(start_ns IS NULL OR end_ns IS NULL), "
		"coalesce(sum(" CLIPPED("start_ns", "end_ns") "), 0), "
		"max(" CLIPPED("start_ns", "end_ns") ") FROM region WHERE run = :run AND "
		OVERLAPS("coalesce(start_ns, 0)", "coalesce(end_ns, :dur)") " GROUP BY name"},
	{.report = "procs",
	 .columns = "p,running_ns,idle_ns,starts",
	 /* Before its first transition a P was in the state that this one leaves, since the Sync
	  * before. */
	 .sql = "WITH t AS MATERIALIZED (SELECT subject AS p, ts_ns, seq, from_state, to_state "
		" FROM event WHERE run = :run AND subject_kind = 'P' AND from_state <> to_state), "
		"y AS MATERIALIZED (SELECT seq, ts_ns FROM event WHERE run = :run AND type = 'Sync'), "
		"i AS (SELECT p, to_state AS state, 1 AS start, ts_ns AS a, "
		"  lead(ts_ns, 1, :dur) OVER (PARTITION BY p ORDER BY seq) AS b FROM t "
		" UNION ALL SELECT p, iif(from_state = 'Undetermined', to_state, from_state), 0, "
		"  coalesce((SELECT max(ts_ns) FROM y WHERE y.seq < t.seq), 0), ts_ns FROM t "
		"  WHERE seq IN (SELECT min(seq) FROM t GROUP BY p) AND from_state <> 'NotExist'), "
		"s AS (SELECT p, state, start AND a >= :from AS start, " CLIPPED("a", "b") " AS ns "
		" FROM i WHERE " OVERLAPS("a", "b") ") "
		"SELECT p, " OF_STATE("Running") ", " OF_STATE("Idle") ", "
		"coalesce(sum(start) FILTER (WHERE state = 'Running'), 0) FROM s GROUP BY p"},
};
/* clang-format on */

static const char *const ranges[][2] = {
    {NULL, NULL}, {"25%", "60%"}, {"40ms", "41ms"}, {NULL, "3%"}, {"99.9%", NULL},
};

static int setup(void **state)
{
	static const char *const dumps[] = {"testdata/checkout.trace",
					    "testdata/checkout-1.19.trace"};
	const char *tmp = getenv("TMPDIR");
	const struct tp_import_options opt = {.store.wait_ms = 1000};

	(void)state;
	snprintf(dir, sizeof(dir), "%.40s/tprof-test-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/run.tprof", dir);
	for (size_t i = 0; i < 2; i++) {
		struct tp_import_result result;
		struct tp_err err;

		if (tp_import(dumps[i], path, &opt, &result, &err))
			fail_msg("%s: %s", dumps[i], err.msg);
	}
	assert_int_equal(tp_store_open(&store, path, NULL), 0);
	assert_int_equal(rep_runs_load(store, &runs, NULL), 0);
	assert_int_equal(runs.n, 2);
	return 0;
}

static int teardown(void **state)
{
	char lock[96];

	(void)state;
	rep_runs_release(&runs);
	tp_store_close(store);
	snprintf(lock, sizeof(lock), "%s-lock", path);
	unlink(lock);
	unlink(path);
	rmdir(dir);
	return 0;
}

/* ---- rows as lines ---- */

struct lines {
	char **line;
	size_t n;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_line(struct lines *l, const char *text, size_t size)
{
	l->line = realloc(l->line, (l->n + 1) * sizeof(*l->line));
	assert_non_null(l->line);
	l->line[l->n++] = strndup(text, size);
}

static void release_lines(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->line[i]);
	free(l->line);
}

/* The report as TSV. */
static void run_report(struct tp_buf *b, const char *report, const struct rep_filter_text *filter,
		       const struct rep_run *run, size_t nruns)
{
	const struct rep_output_options opt = {.format = REP_FORMAT_TSV, .sink = rep_sink_buf(b)};
	const struct rep_top_options top = {.report = rep_report_find(report), .filter = *filter};
	struct rep_output *out;
	struct tp_err err;

	assert_int_equal(rep_output_new(&out, &opt, &err), 0);
	if (rep_top(out, store, run, nruns, &top, &err))
		fail_msg("%s: %s", report, err.msg);
	assert_int_equal(rep_output_finish(out, &err), 0);
	rep_output_free(out);
	assert_int_equal(tp_buf_put(b, "", 1), 0);
}

/* Fields of a TSV line, up to 64; the line is cut up. */
static size_t split(char *line, char *field[64])
{
	size_t n = 0;

	for (char *at = line; at && n < 64; n++) {
		field[n] = at;
		at = strchr(at, '\t');
		if (at)
			*at++ = '\0';
	}
	return n;
}

/* Picks columns by name out of TSV into lines; a column that is not there is 0 (a reason that never
 * blocked has none). */
static void pick_columns(struct lines *l, char *tsv, const char *columns, bool skip_zero)
{
	char *head[64], *field[64], *line = tsv, *next = strchr(tsv, '\n');
	size_t nhead;

	assert_non_null(next);
	*next++ = '\0';
	nhead = split(line, head);
	for (line = next; *line; line = next) {
		struct tp_buf b = {0};

		next = strchr(line, '\n');
		*next++ = '\0';
		assert_int_equal(split(line, field), nhead);
		for (const char *c = columns; c;) {
			size_t n = strcspn(c, ","), i = 0;

			while (i < nhead && (strlen(head[i]) != n || memcmp(head[i], c, n)))
				i++;
			assert_int_equal(tp_buf_put(&b, "\t", c == columns ? 0 : 1), 0);
			assert_int_equal(tp_buf_put(&b, i < nhead ? field[i] : "0",
						    i < nhead ? strlen(field[i]) : 1),
					 0);
			c = c[n] ? c + n + 1 : NULL;
		}
		if (!skip_zero || memcmp(b.data + b.size - 2, "\t0", 2) != 0)
			add_line(l, (char *)b.data, b.size);
		tp_buf_release(&b);
	}
	if (l->n)
		qsort(l->line, l->n, sizeof(*l->line), by_text);
}

static void bind(sqlite3_stmt *st, const char *name, int64_t value)
{
	int at = sqlite3_bind_parameter_index(st, name);

	if (at)
		assert_int_equal(sqlite3_bind_int64(st, at, value), SQLITE_OK);
}

static void run_sql(struct lines *l, const char *sql, const struct rep_run *run, int64_t from,
		    int64_t to)
{
	sqlite3 *db = tp_store_db(store);
	sqlite3_stmt *st;
	int rc;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL))
		fail_msg("%s in %s", sqlite3_errmsg(db), sql);
	bind(st, ":run", run ? run->row.id : 0);
	bind(st, ":dur", run ? run->row.duration_ns : 0);
	bind(st, ":from", from);
	bind(st, ":to", to);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct tp_buf b = {0};

		for (int c = 0; c < sqlite3_column_count(st); c++) {
			const char *text = (const char *)sqlite3_column_text(st, c);

			assert_int_equal(tp_buf_put(&b, "\t", c ? 1 : 0), 0);
			assert_int_equal(tp_buf_put(&b, text ? text : "", text ? strlen(text) : 0),
					 0);
		}
		add_line(l, (char *)b.data, b.size);
		tp_buf_release(&b);
	}
	if (rc != SQLITE_DONE)
		fail_msg("%s in %s", sqlite3_errmsg(db), sql);
	sqlite3_finalize(st);
	if (l->n)
		qsort(l->line, l->n, sizeof(*l->line), by_text);
}

static void compare(const char *what, struct lines *got, struct lines *want)
{
	for (size_t i = 0; i < got->n || i < want->n; i++) {
		const char *a = i < got->n ? got->line[i] : "(no row)";
		const char *b = i < want->n ? want->line[i] : "(no row)";

		if (strcmp(a, b) != 0)
			fail_msg("%s: row %zu is\n%s\nin the report, and by SQL\n%s", what, i, a,
				 b);
	}
	release_lines(got);
	release_lines(want);
}

static void check_run(const struct rep_run *run, size_t *rows)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		const struct check *c = &checks[i];

		for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++) {
			struct rep_filter_text filter = c->filter;
			struct lines got = {0}, want = {0};
			int64_t from = INT64_MIN, to = INT64_MAX;
			struct tp_buf tsv = {0};
			char what[128];

			filter.from = ranges[r][0];
			filter.to = ranges[r][1];
			if (filter.from)
				assert_int_equal(rep_filter_time(filter.from, "",
								 run->row.duration_ns, &from, NULL),
						 0);
			if (filter.to)
				assert_int_equal(
				    rep_filter_time(filter.to, "", run->row.duration_ns, &to, NULL),
				    0);
			run_report(&tsv, c->report, &filter, run, 1);
			pick_columns(&got, (char *)tsv.data, c->columns, c->skip_zero);
			run_sql(&want, c->sql, run, from, to);
			*rows += want.n;
			snprintf(what, sizeof(what), "%s, check %zu, from %s to %s", c->report, i,
				 filter.from ? filter.from : "the start",
				 filter.to ? filter.to : "the end");
			compare(what, &got, &want);
			tp_buf_release(&tsv);
		}
	}
}

static void test_top_equals_sql_go_1_26(void **state)
{
	size_t rows = 0;

	(void)state;
	check_run(&runs.run[0], &rows);
	assert_true(rows > 600); /* the checks are about something */
}

static void test_top_equals_sql_go_1_19(void **state)
{
	size_t rows = 0;

	(void)state;
	check_run(&runs.run[1], &rows);
	assert_true(rows > 300);
}

static void test_top_percentiles_within_one_percent(void **state)
{
	static const char sql[] =
	    "SELECT stack_text(1, stack), reason, count(*), p50(dur_ns), p90(dur_ns), "
	    "p99(dur_ns) FROM span WHERE run = 1 AND state = 'Waiting' GROUP BY stack, reason";
	const struct rep_filter_text all = {0};
	struct lines got = {0}, want = {0};
	struct tp_buf tsv = {0};

	(void)state;
	run_report(&tsv, "block", &all, &runs.run[0], 1);
	pick_columns(&got, (char *)tsv.data, "stack,reason,count,p50_ns,p90_ns,p99_ns", false);
	run_sql(&want, sql, NULL, 0, 0);
	assert_int_equal(got.n, want.n);
	for (size_t i = 0; i < got.n; i++) {
		char *a[64], *b[64];

		assert_int_equal(split(got.line[i], a), 6);
		assert_int_equal(split(want.line[i], b), 6);
		for (int c = 0; c < 3; c++)
			assert_string_equal(a[c], b[c]);
		for (int c = 3; c < 6; c++) {
			double x = strtod(a[c], NULL), y = strtod(b[c], NULL);

			assert_true(x >= y * 0.99 - 1 && x <= y * 1.01 + 1);
		}
	}
	release_lines(&got);
	release_lines(&want);
	tp_buf_release(&tsv);
}

/* Names meet across runs, whatever their ids. */
static void test_top_adds_up_runs(void **state)
{
	/* clang-format off */
	static const struct {
		const char *report, *columns, *sql;
	} cases[] = {
		{"groups", "function,count,total_ns",
		 "WITH g AS MATERIALIZED (SELECT run, id, name FROM goroutine) "
		 "SELECT name, count(DISTINCT g.run || '/' || goroutine), sum(dur_ns) FROM span "
		 "JOIN g ON g.run = span.run AND g.id = span.goroutine GROUP BY name"},
		{"gc", "name,count,total_ns",
		 "SELECT name, count(*), sum(end_ns - start_ns) FROM range GROUP BY name"},
		{"tasks", "name,count,regions",
		 "SELECT name, count(*), sum(regions) FROM task WHERE id GROUP BY name"},
	};
	/* clang-format on */
	const struct rep_filter_text all = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lines got = {0}, want = {0};
		struct tp_buf tsv = {0};

		run_report(&tsv, cases[i].report, &all, runs.run, 2);
		pick_columns(&got, (char *)tsv.data, cases[i].columns, false);
		run_sql(&want, cases[i].sql, NULL, 0, 0);
		assert_true(want.n > 0);
		compare(cases[i].report, &got, &want);
		tp_buf_release(&tsv);
	}
}

/* The stacks of two runs are rows of one table; nothing is lost or counted twice. */
static void test_top_adds_up_stacks(void **state)
{
	const struct rep_filter_text all = {0};
	int64_t sum[3] = {0};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct lines got = {0};
		struct tp_buf tsv = {0};

		run_report(&tsv, "block", &all, i == 2 ? runs.run : &runs.run[i], i == 2 ? 2 : 1);
		pick_columns(&got, (char *)tsv.data, "total_ns", false);
		for (size_t k = 0; k < got.n; k++)
			sum[i] += strtoll(got.line[k], NULL, 10);
		release_lines(&got);
		tp_buf_release(&tsv);
	}
	assert_true(sum[0] > 0 && sum[1] > 0);
	assert_int_equal(sum[0] + sum[1], sum[2]);
}

static void test_top_check_refuses(void **state)
{
	static const struct {
		const char *report;
		struct rep_filter_text filter;
		const char *sort;
	} bad[] = {
	    {"gc", {.state = "running"}, NULL},
	    {"cpu", {.reason = "x"}, NULL},
	    {"procs", {.focus = "x"}, NULL},
	    {"groups", {.from = "soon"}, NULL},
	    {"groups", {.to = "120%"}, NULL},
	    {"block", {.focus = "("}, NULL},
	    {"block", {0}, "flat"},
	    {"overview", {0}, "total"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct rep_top_options opt = {.report = rep_report_find(bad[i].report),
						    .filter = bad[i].filter,
						    .sort = bad[i].sort};
		struct tp_err err = {0};

		assert_int_equal(rep_top_check(&opt, &err), TP_EFORMAT);
		assert_true(strlen(err.msg) > 10);
	}
}

/* -n: the first rows of the whole, in the same order. */
static void test_top_rows_are_the_first(void **state)
{
	const struct rep_report *r = rep_report_find("sched");

	(void)state;
	for (size_t c = 0; c < r->ncolumns; c++) {
		struct tp_buf b[2] = {{0}, {0}};

		if (!r->columns[c].key)
			continue;
		for (int i = 0; i < 2; i++) {
			const struct rep_output_options opt = {.format = REP_FORMAT_TSV,
							       .sink = rep_sink_buf(&b[i])};
			const struct rep_top_options top = {
			    .report = r, .sort = r->columns[c].key, .rows = i ? 0 : 4};
			struct rep_output *out;

			assert_int_equal(rep_output_new(&out, &opt, NULL), 0);
			assert_int_equal(rep_top(out, store, runs.run, 1, &top, NULL), 0);
			assert_int_equal(rep_output_finish(out, NULL), 0);
			rep_output_free(out);
		}
		assert_true(b[0].size < b[1].size);
		assert_memory_equal(b[0].data, b[1].data, b[0].size);
		tp_buf_release(&b[0]);
		tp_buf_release(&b[1]);
	}
}

/* The overview of a long run names the report outliers, which reads too many events for it. */
static void test_top_overview_of_a_long_run(void **state)
{
	static const char told[] = "of the extra time of the slowest 1 % of tasks went into";
	static const char leads[] =
	    "spent their extra time on is in the report outliers.\toutliers";
	const struct rep_filter_text all = {0}, one = {.task = "7"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct rep_run run = runs.run[0];
		struct tp_buf tsv = {0};

		run.row.events = i ? 1000001 : 1000000;
		run_report(&tsv, "overview", i == 2 ? &one : &all, &run, 1);
		assert_int_equal(strstr((char *)tsv.data, told) != NULL, i == 0);
		/* Only if there are tasks to be compared. */
		assert_int_equal(strstr((char *)tsv.data, leads) != NULL, i == 1);
		tp_buf_release(&tsv);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_top_equals_sql_go_1_26),
	    cmocka_unit_test(test_top_equals_sql_go_1_19),
	    cmocka_unit_test(test_top_percentiles_within_one_percent),
	    cmocka_unit_test(test_top_adds_up_runs),
	    cmocka_unit_test(test_top_adds_up_stacks),
	    cmocka_unit_test(test_top_check_refuses),
	    cmocka_unit_test(test_top_rows_are_the_first),
	    cmocka_unit_test(test_top_overview_of_a_long_run),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
