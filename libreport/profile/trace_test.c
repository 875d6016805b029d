/* Compares views of traces with plain SQL over the virtual table span, stack by stack, and their
 * sums with tprof-top's reports under the same filters. */
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
#include "profile/trace.h"
#include "top/top.h"

static char dir[64], path[80];
static struct tp_store *store;
static struct rep_runs runs;

/* Creates, once for all checks, tables of the goroutines, and of the spans with the stack of the
 * next one. */
static void keep_spans(int64_t run)
{
	static const char format[] =
	    "CREATE TEMP TABLE IF NOT EXISTS all_g (run, id, name);"
	    "CREATE TEMP TABLE IF NOT EXISTS all_spans (run, goroutine, state, reason, stack, "
	    "start_ns, end_ns, end_stack);"
	    "CREATE INDEX IF NOT EXISTS temp.of_g ON all_spans (run, goroutine);"
	    "INSERT INTO all_g SELECT %1$lld, id, name FROM goroutine WHERE run = %1$lld;"
	    "INSERT INTO all_spans SELECT %1$lld, goroutine, state, reason, stack, start_ns, "
	    "end_ns, "
	    "lead(stack) OVER (PARTITION BY goroutine ORDER BY start_ns, end_ns) "
	    "FROM span WHERE run = %1$lld";
	char sql[1024];

	snprintf(sql, sizeof(sql), format, (long long)run);
	if (sqlite3_exec(tp_store_db(store), sql, NULL, NULL, NULL))
		fail_msg("%s", sqlite3_errmsg(tp_store_db(store)));
}

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
	for (size_t i = 0; i < runs.n; i++)
		keep_spans(runs.run[i].row.id);
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

/* ---- stack by stack ---- */

struct lines {
	char **line;
	size_t n;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_line(struct lines *l, const struct tp_buf *b)
{
	l->line = realloc(l->line, (l->n + 1) * sizeof(*l->line));
	assert_non_null(l->line);
	l->line[l->n++] = strndup((const char *)b->data, b->size);
}

static void put(struct tp_buf *b, const char *text)
{
	assert_int_equal(tp_buf_put(b, text, strlen(text)), 0);
}

/* Writes a line per sample as the SQL below does: "leaf;…;root", the label, count and time. */
static void sample_lines(struct lines *l, const struct tp_profile *p)
{
	for (size_t i = 0; i < p->nsamples; i++) {
		const struct tp_label_set *set = &p->sets[p->label_set[i]];
		struct tp_buf b = {0};
		char numbers[64];

		for (uint32_t at = p->stack[i]; at; at = tp_dict_stack_at(p->dict, at).parent) {
			uint32_t frame = tp_dict_stack_at(p->dict, at).frame;

			if (at != p->stack[i])
				put(&b, ";");
			put(&b, tp_dict_text(p->dict, tp_dict_frame_name(p->dict, frame)).text);
		}
		put(&b, "\t");
		if (set->n)
			put(&b, tp_dict_text(p->dict, p->labels[set->first].text).text);
		snprintf(numbers, sizeof(numbers), "\t%lld\t%lld", (long long)p->value[2 * i],
			 (long long)p->value[2 * i + 1]);
		put(&b, numbers);
		add_line(l, &b);
		tp_buf_release(&b);
	}
}

/* Adds up neighbours with the same text: SQL has one row for samples whose stacks differ only in
 * lines. */
static void add_up(struct lines *l)
{
	size_t n = 0;

	if (l->n)
		qsort(l->line, l->n, sizeof(*l->line), by_text);
	for (size_t i = 0; i < l->n; i++) {
		char *tab = strrchr(l->line[i], '\t'), sum[1 << 16];
		char *last = n ? strrchr(l->line[n - 1], '\t') : NULL;
		long long count[2], time[2];
		size_t head;

		for (tab--; *tab != '\t'; tab--)
			;
		head = (size_t)(tab - l->line[i]);
		if (last)
			for (last--; *last != '\t'; last--)
				;
		if (!last || (size_t)(last - l->line[n - 1]) != head ||
		    memcmp(l->line[i], l->line[n - 1], head) != 0) {
			l->line[n++] = l->line[i];
			continue;
		}
		assert_int_equal(sscanf(last, "\t%lld\t%lld", &count[0], &time[0]), 2);
		assert_int_equal(sscanf(tab, "\t%lld\t%lld", &count[1], &time[1]), 2);
		snprintf(sum, sizeof(sum), "%.*s\t%lld\t%lld", (int)head, l->line[i],
			 count[0] + count[1], time[0] + time[1]);
		free(l->line[n - 1]);
		free(l->line[i]);
		l->line[n - 1] = strdup(sum);
	}
	l->n = n;
}

static void run_sql(struct lines *l, const char *sql, const struct rep_run *run, int64_t from,
		    int64_t to)
{
	sqlite3 *db = tp_store_db(store);
	sqlite3_stmt *st;
	int rc;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL))
		fail_msg("%s in %s", sqlite3_errmsg(db), sql);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), run->row.id);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":from"), from);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":to"), to);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct tp_buf b = {0};

		for (int c = 0; c < sqlite3_column_count(st); c++) {
			if (c)
				put(&b, "\t");
			if (sqlite3_column_text(st, c))
				put(&b, (const char *)sqlite3_column_text(st, c));
		}
		add_line(l, &b);
		tp_buf_release(&b);
	}
	if (rc != SQLITE_DONE)
		fail_msg("%s in %s", sqlite3_errmsg(db), sql);
	sqlite3_finalize(st);
}

static void compare(const char *what, struct lines *got, struct lines *want)
{
	add_up(got);
	add_up(want);
	for (size_t i = 0; i < got->n || i < want->n; i++) {
		const char *a = i < got->n ? got->line[i] : "(no row)";
		const char *b = i < want->n ? want->line[i] : "(no row)";

		if (strcmp(a, b) != 0)
			fail_msg("%s: row %zu is\n%s\nin the view, and by SQL\n%s", what, i, a, b);
	}
	for (size_t i = 0; i < got->n; i++)
		free(got->line[i]);
	for (size_t i = 0; i < want->n; i++)
		free(want->line[i]);
	free(got->line);
	free(want->line);
}

/* clang-format off */
/* Goroutines, spans with the stack of the next one, and the selected time as intervals (goroutine,
 * a, b), at most [:from, :to). */
#define SPANS_WITHIN(intervals) \
	"WITH g AS MATERIALIZED (SELECT id, name FROM all_g WHERE run = :run), " \
	"spans AS NOT MATERIALIZED (SELECT * FROM all_spans WHERE run = :run), " \
	intervals ", " \
	"within AS (SELECT s.*, sum(min(end_ns, b) - max(start_ns, a)) AS ns " \
	" FROM spans s JOIN i ON i.goroutine = s.goroutine " \
	" WHERE start_ns < b AND (end_ns > a OR start_ns >= a) " \
	" GROUP BY s.goroutine, start_ns, end_ns, state), "
/* These spans by the functions of their frames, with the entry function at the root. `stack` is SQL
 * for the stack's text, `leaf` for the text before it. */
#define BY_STACK(stack, leaf, where) \
	"s AS (SELECT g.name AS name, state, reason, ns, " stack " AS text " \
	" FROM within LEFT JOIN g ON g.id = goroutine WHERE " where "), " \
	"t AS (SELECT *, CASE WHEN text = '' THEN name " \
	" WHEN text = name OR substr(text, -length(name) - 1) = ';' || name THEN text " \
	" ELSE text || ';' || name END AS frames FROM s) " \
	"SELECT rtrim(" leaf " || frames, ';'), name, count(*), sum(ns) FROM t GROUP BY 1, 2"
#define SPANS(stack, leaf, where) \
	SPANS_WITHIN("i AS (SELECT id AS goroutine, :from AS a, :to AS b FROM g)") \
	BY_STACK(stack, leaf, where)
/* Inside the intervals (goroutine, start_ns, end_ns) that `from` selects, which may overlap. */
#define INSIDE(from, stack, leaf, where) \
	SPANS_WITHIN("c AS (SELECT goroutine, max(coalesce(start_ns, 0), :from) AS a, " \
	" min(coalesce(end_ns, :to), :to) AS b FROM (" from ")), " \
	"e AS (SELECT *, max(b) OVER (PARTITION BY goroutine ORDER BY a " \
	" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM c WHERE a < b), " \
	"n AS (SELECT *, sum(before IS NULL OR a > before) OVER " \
	" (PARTITION BY goroutine ORDER BY a) AS nth FROM e), " \
	"i AS (SELECT goroutine, min(a) AS a, max(b) AS b FROM n GROUP BY goroutine, nth)") \
	BY_STACK(stack, leaf, where)
#define OF(stack) "coalesce(stack_text(:run, " stack "), '')"
#define REASON "CASE WHEN reason = '' THEN '[blocked];' ELSE '[' || reason || '];' END"
#define STATE \
	"CASE state WHEN 'Running' THEN '[running];' WHEN 'Runnable' THEN '[runnable];' " \
	" WHEN 'Waiting' THEN " REASON " WHEN 'Lost' THEN '[lost];' ELSE '[syscall];' END"
#define REGIONS(where) "SELECT goroutine, start_ns, end_ns FROM region WHERE run = :run AND " where

/* The time of tasks without subtasks, whose goroutines enter no regions of other tasks. */
#define TASKS(type) \
	REGIONS("task IN (SELECT id FROM task WHERE run = :run AND name = '" type "')") \
	" UNION ALL SELECT goroutine, start_ns, end_ns FROM task " \
	" WHERE run = :run AND name = '" type "'"

static const struct {
	enum rep_trace_view view;
	struct rep_filter_text filter;
	const char *task, *region;
	const char *sql;
} checks[] = {
	{REP_TRACE_RUNNING, {0}, NULL, NULL, SPANS(OF("end_stack"), "''", "state = 'Running'")},
	{REP_TRACE_RUNNING, {.focus = "syscall"}, NULL, NULL,
	 SPANS(OF("end_stack"), "''", "state = 'Running' AND "
	       "(name REGEXP 'syscall' OR " OF("end_stack") " REGEXP 'syscall')")},
	{REP_TRACE_OFFCPU, {0}, NULL, NULL, SPANS(OF("stack"), REASON, "state = 'Waiting'")},
	{REP_TRACE_OFFCPU, {.reason = "^sync$"}, NULL, NULL,
	 SPANS(OF("stack"), REASON, "state = 'Waiting' AND reason = 'sync'")},
	{REP_TRACE_OFFCPU, {.goroutine = "worker"}, NULL, NULL,
	 SPANS(OF("stack"), REASON, "state = 'Waiting' AND name REGEXP 'worker'")},
	{REP_TRACE_SCHED, {0}, NULL, NULL, SPANS(OF("stack"), "''", "state = 'Runnable'")},
	{REP_TRACE_SCHED, {.focus = "Inventory"}, NULL, NULL,
	 SPANS(OF("stack"), "''", "state = 'Runnable' AND "
	       "(name REGEXP 'Inventory' OR " OF("stack") " REGEXP 'Inventory')")},
	{REP_TRACE_SYSCALL, {0}, NULL, NULL,
	 SPANS(OF("stack"), "''", "state IN ('Syscall', 'SyscallBlocked')")},
	{REP_TRACE_SYSCALL, {.state = "syscall-blocked"}, NULL, NULL,
	 SPANS(OF("stack"), "''", "state = 'SyscallBlocked'")},
	{REP_TRACE_WALL, {0}, NULL, NULL, SPANS(OF("stack"), STATE, "true")},
	{REP_TRACE_WALL, {.goroutine = "7"}, NULL, NULL,
	 SPANS(OF("stack"), STATE, "goroutine = 7")},
	{REP_TRACE_WALL, {0}, NULL, ".",
	 INSIDE(REGIONS("name <> ''"), OF("stack"), STATE, "true")},
	{REP_TRACE_WALL, {0}, NULL, "^pay$",
	 INSIDE(REGIONS("name = 'pay'"), OF("stack"), STATE, "true")},
	{REP_TRACE_RUNNING, {.ignore = "net"}, NULL, "pay",
	 INSIDE(REGIONS("name = 'pay'"), OF("end_stack"), "''", "state = 'Running' AND NOT "
		"(name REGEXP 'net' OR " OF("end_stack") " REGEXP 'net')")},
	{REP_TRACE_OFFCPU, {0}, "order", NULL,
	 INSIDE(TASKS("order"), OF("stack"), REASON, "state = 'Waiting'")},
	{REP_TRACE_WALL, {0}, "order", NULL, INSIDE(TASKS("order"), OF("stack"), STATE, "true")},
	{REP_TRACE_WALL, {0}, "3", "reserve",
	 INSIDE(REGIONS("task = 3 AND name = 'reserve'"), OF("stack"), STATE, "true")},
};
/* clang-format on */

static const char *const ranges[][2] = {
    {NULL, NULL},
    {"25%", "60%"},
    {"99.9%", NULL},
};

static struct tp_profile *view_of(const struct rep_run *run,
				  const struct rep_trace_profile_options *opt)
{
	struct tp_profile *p;
	struct tp_err err;

	if (rep_trace_profile(store, run, opt, &p, &err))
		fail_msg("%s: %s", rep_trace_views[opt->view].name, err.msg);
	return p;
}

static void test_trace_profile_stacks(void **state)
{
	size_t rows = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		for (size_t r = 0; r < 3 * runs.n; r++) {
			const struct rep_run *run = &runs.run[r / 3];
			struct rep_trace_profile_options opt = {.view = checks[i].view,
								.filter = checks[i].filter,
								.task = checks[i].task,
								.region = checks[i].region};
			struct lines got = {0}, want = {0};
			struct tp_profile *p;
			int64_t from, to;
			char what[64];

			opt.filter.from = ranges[r % 3][0];
			opt.filter.to = ranges[r % 3][1];
			assert_int_equal(
			    rep_filter_range(&opt.filter, run->row.duration_ns, &from, &to, NULL),
			    0);
			p = view_of(run, &opt);
			sample_lines(&got, p);
			run_sql(&want, checks[i].sql, run, from, to);
			rows += got.n;
			snprintf(what, sizeof(what), "check %zu, range %zu", i, r);
			compare(what, &got, &want);
			tp_profile_free(p);
		}
	}
	assert_true(rows > 1000);
}

/* ---- sums ---- */

/* Returns the sum of a column of one of tprof-top's reports. */
static int64_t report_sum(const struct rep_run *run, const char *report, const char *column,
			  const struct rep_filter_text *filter)
{
	struct tp_buf b = {0};
	const struct rep_output_options opt = {.format = REP_FORMAT_TSV, .sink = rep_sink_buf(&b)};
	const struct rep_top_options top = {.report = rep_report_find(report), .filter = *filter};
	struct rep_output *out;
	struct tp_err err;
	size_t at = 0, cell = 0, rows = 0;
	int64_t sum = 0;

	assert_int_equal(rep_output_new(&out, &opt, &err), 0);
	if (rep_top(out, store, run, 1, &top, &err))
		fail_msg("%s: %s", report, err.msg);
	assert_int_equal(rep_output_finish(out, &err), 0);
	rep_output_free(out);
	assert_int_equal(tp_buf_put(&b, "", 1), 0);
	for (char *line = strtok((char *)b.data, "\n"); line; line = strtok(NULL, "\n"), rows++) {
		cell = 0;
		for (char *next = line; next; cell++) {
			char *text = strsep(&next, "\t");

			if (!rows && !strcmp(text, column))
				at = cell;
			else if (rows && cell == at)
				sum += strtoll(text, NULL, 10);
		}
	}
	tp_buf_release(&b);
	return sum;
}

static void test_trace_profile_sums(void **state)
{
	static const struct {
		enum rep_trace_view view;
		const char *report, *column;
		bool count;
	} sums[] = {
	    {REP_TRACE_CPU, "cpu", "flat", true},
	    {REP_TRACE_RUNNING, "groups", "running_ns", false},
	    {REP_TRACE_OFFCPU, "block", "total_ns", false},
	    {REP_TRACE_OFFCPU, "block", "count", true},
	    {REP_TRACE_SCHED, "sched", "total_ns", false},
	    {REP_TRACE_SYSCALL, "syscalls", "total_ns", false},
	    {REP_TRACE_WALL, "groups", "total_ns", false},
	};
	static const struct rep_filter_text filters[] = {
	    {0},
	    {.from = "10%", .to = "70%"},
	    {.goroutine = "main"},
	    {.focus = "net"},
	    {.ignore = "net", .from = "50%"},
	};
	int64_t seen[REP_NTRACE_VIEWS] = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		for (size_t f = 0; f < 5 * runs.n; f++) {
			const struct rep_run *run = &runs.run[f / 5];
			const struct rep_trace_profile_options opt = {.view = sums[i].view,
								      .filter = filters[f % 5]};
			struct tp_profile *p;
			int64_t sum = 0;

			/* The view takes the stack at the end of a run on a P; tprof-top has no
			 * stack for it. */
			if (opt.view == REP_TRACE_RUNNING &&
			    (opt.filter.focus || opt.filter.ignore))
				continue;
			p = view_of(run, &opt);
			for (size_t k = 0; k < p->nsamples; k++)
				sum += p->value[k * p->ntypes + !sums[i].count];
			assert_int_equal(
			    sum, report_sum(run, sums[i].report, sums[i].column, &filters[f % 5]));
			seen[sums[i].view] += sum;
			tp_profile_free(p);
		}
	}
	for (int i = 0; i < REP_NTRACE_VIEWS; i++)
		assert_true(seen[i] > 0);
}

static void test_trace_profile_describes(void **state)
{
	struct rep_trace_profile_options opt = {.view = REP_TRACE_CPU};
	struct tp_profile *p = view_of(&runs.run[0], &opt);
	struct tp_err err;

	(void)state;
	assert_int_equal(p->ntypes, 2);
	assert_string_equal(tp_dict_text(p->dict, p->types[0].type).text, "samples");
	assert_string_equal(tp_dict_text(p->dict, p->types[1].type).text, "cpu");
	assert_string_equal(tp_dict_text(p->dict, p->types[1].unit).text, "nanoseconds");
	assert_int_equal(p->period, 10000000);
	assert_int_equal(p->duration_ns, runs.run[0].row.duration_ns);
	for (size_t i = 0; i < p->nsamples; i++)
		assert_int_equal(p->value[2 * i + 1], p->value[2 * i] * 10000000);
	tp_profile_free(p);
	opt.filter.reason = "sync";
	assert_int_equal(rep_trace_profile(store, &runs.run[0], &opt, &p, &err), TP_EFORMAT);
	assert_null(p);
	assert_string_equal(err.msg, "--reason does not apply to the view 'cpu'");
}

/* A view that reads every span ends when `stop` is set. */
static void test_trace_profile_stops(void **state)
{
	atomic_bool stop = false;
	struct rep_trace_profile_options opt = {.view = REP_TRACE_RUNNING, .stop = &stop};
	struct tp_profile *p = view_of(&runs.run[0], &opt);
	struct tp_err err;

	(void)state;
	assert_true(p->nsamples > 0);
	tp_profile_free(p);
	stop = true;
	assert_int_equal(rep_trace_profile(store, &runs.run[0], &opt, &p, &err), TP_ECANCEL);
	assert_null(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_trace_profile_stacks),
	    cmocka_unit_test(test_trace_profile_sums),
	    cmocka_unit_test(test_trace_profile_describes),
	    cmocka_unit_test(test_trace_profile_stops),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
