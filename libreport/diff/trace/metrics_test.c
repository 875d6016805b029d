/* Metrics against plain SQL over the virtual tables: every measure of the sample runs must have the
 * numbers one gets from its spans, tasks, regions, ranges and samples one by one; read from events
 * exactly, from tables within what the histogram promises. And how metrics are spelled. */
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

#include "diff/trace/set.h"
#include "import.h"

static char dir[64], path[80];
static struct tp_store *store;
static struct rep_runs runs;

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

/* clang-format off */
/* Durations of a measure, by name where it has one; in rising order. */
#define OVERLAPS "start_ns < :to AND (end_ns > :from OR start_ns >= :from)"
#define NS "min(end_ns, :to) - max(start_ns, :from) AS ns"
#define SPANS(states, name) \
	"SELECT " NS ", " name ", start_ns > 0 AND start_ns >= :from AND end_ns <= :to AND NOT open " \
	"FROM span JOIN (SELECT id, name FROM goroutine WHERE run = :run) g " \
	"ON g.id = span.goroutine WHERE span.run = :run AND state IN (" states ") AND " OVERLAPS \
	" ORDER BY 2, 1"
#define WHOLE(table, name) \
	"SELECT end_ns - start_ns, " name ", 1 FROM " table " WHERE run = :run AND start_ns >= :from " \
	"AND end_ns <= :to ORDER BY 2, 1"
#define RANGES(where, name) \
	"SELECT " NS ", " name ", complete AND start_ns >= :from AND end_ns <= :to FROM range WHERE run = :run AND " where " AND " OVERLAPS " ORDER BY 2, 1"

static const struct {
	enum rep_family family;
	enum rep_measure_by by;
	const char *sql;
} checks[] = {
	{REP_FAMILY_SCHED, REP_MEASURE_ALL, SPANS("'Runnable'", "''")},
	{REP_FAMILY_SCHED, REP_MEASURE_ENTRY, SPANS("'Runnable'", "g.name")},
	{REP_FAMILY_RUN, REP_MEASURE_ALL, SPANS("'Running'", "''")},
	{REP_FAMILY_RUN, REP_MEASURE_ENTRY, SPANS("'Running'", "g.name")},
	{REP_FAMILY_BLOCK, REP_MEASURE_ALL, SPANS("'Waiting'", "''")},
	{REP_FAMILY_BLOCK, REP_MEASURE_ENTRY, SPANS("'Waiting'", "g.name")},
	{REP_FAMILY_BLOCK, REP_MEASURE_REASON, SPANS("'Waiting'", "reason")},
	{REP_FAMILY_SYSCALL, REP_MEASURE_ALL, SPANS("'Syscall', 'SyscallBlocked'", "''")},
	{REP_FAMILY_SYSCALL, REP_MEASURE_ENTRY, SPANS("'Syscall', 'SyscallBlocked'", "g.name")},
	{REP_FAMILY_TASK, REP_MEASURE_ALL, WHOLE("task", "''")},
	{REP_FAMILY_TASK, REP_MEASURE_TYPE, WHOLE("task", "name")},
	{REP_FAMILY_REGION, REP_MEASURE_ALL, WHOLE("region", "''")},
	{REP_FAMILY_REGION, REP_MEASURE_TYPE, WHOLE("region", "name")},
	{REP_FAMILY_STW, REP_MEASURE_ALL, RANGES("name GLOB 'stop-the-world*'", "''")},
	{REP_FAMILY_STW, REP_MEASURE_TYPE, RANGES("name GLOB 'stop-the-world (*'",
						  "substr(name, 17, length(name) - 17)")},
	{REP_FAMILY_GC, REP_MEASURE_ALL, RANGES("name = 'GC concurrent mark phase'", "''")},
	{REP_FAMILY_CPU, REP_MEASURE_ALL, "SELECT NULL, '', 1 FROM cpu_sample WHERE run = :run "
		"AND ts_ns >= :from AND ts_ns < :to"},
	{REP_FAMILY_CPU, REP_MEASURE_FUNCTION, "SELECT NULL, func_of(:run, stack), 1 FROM cpu_sample "
		"WHERE run = :run AND ts_ns >= :from AND ts_ns < :to ORDER BY 2"},
};
/* clang-format on */

static const struct rep_measure *measure(const struct rep_metrics *m, enum rep_family family,
					 enum rep_measure_by by, const char *key)
{
	size_t n;
	const struct rep_measure *x = rep_metrics_measures(m, &n);

	for (size_t i = 0; i < n; i++)
		if (x[i].family == family && x[i].by == by && !strcmp(x[i].key, key))
			return &x[i];
	return NULL;
}

static size_t count_of(const struct rep_metrics *m, enum rep_family family, enum rep_measure_by by)
{
	size_t n, found = 0;
	const struct rep_measure *x = rep_metrics_measures(m, &n);

	for (size_t i = 0; i < n; i++)
		found += x[i].family == family && x[i].by == by;
	return found;
}

static void check_measure(const struct rep_measure *x, const int64_t *ns, size_t n, int64_t total,
			  bool exact)
{
	int64_t whole = 0;

	for (size_t i = 0; i < n; i++)
		whole += ns[i];
	if ((size_t)x->count != n)
		fail_msg("%s[%s]: %lld events, not %zu (exact %d)", rep_families[x->family].name,
			 x->name, (long long)x->count, n, exact);
	if (x->family == REP_FAMILY_CPU) {
		assert_int_equal(x->p[0], TP_NULL);
		return;
	}
	assert_int_equal(x->total_ns, total);
	assert_int_equal(x->whole_ns, whole);
	if (!n) {
		assert_int_equal(x->p[0], TP_NULL);
		return;
	}
	assert_int_equal(x->max_ns, ns[n - 1]);
	for (int i = 0; i < REP_NMEASURE_P; i++) {
		size_t rank = (size_t)ceil(rep_measure_quantile[i] * (double)n - 1e-9);
		int64_t want = ns[rank ? rank - 1 : 0];

		if (exact || x->exact)
			assert_int_equal(x->p[i], want);
		else if (fabs((double)(x->p[i] - want)) > 0.01 * (double)want + 1)
			fail_msg("%s[%s]: percentile %d is %lld, not %lld",
				 rep_families[x->family].name, x->name, i, (long long)x->p[i],
				 (long long)want);
	}
}

/* Rows of one name after the other. */
static size_t check_sql(const struct rep_metrics *m, size_t check, const struct rep_run *run,
			int64_t from, int64_t to, bool exact)
{
	sqlite3 *db = tp_store_db(store);
	sqlite3_stmt *st;
	char name[300] = "";
	int64_t *ns = NULL;
	size_t n = 0, rows = 0, names = 0;
	int64_t total = 0;
	bool more = true, spans = checks[check].family <= REP_FAMILY_SYSCALL;

	if (sqlite3_prepare_v2(db, checks[check].sql, -1, &st, NULL))
		fail_msg("%s in %s", sqlite3_errmsg(db), checks[check].sql);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), run->row.id);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":from"), from);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":to"), to);
	while (more) {
		const char *next;

		more = sqlite3_step(st) == SQLITE_ROW;
		next = more ? (const char *)sqlite3_column_text(st, 1) : "";
		next = next ? next : "";
		if (rows && (!more || strcmp(next, name) != 0)) {
			const struct rep_measure *x =
			    measure(m, checks[check].family, checks[check].by, name);

			if (!x)
				fail_msg("there is no %s[%s]",
					 rep_families[checks[check].family].name, name);
			check_measure(x, ns, n, total, exact);
			n = rows = 0;
			total = 0;
			names++;
		}
		snprintf(name, sizeof(name), "%s", next);
		ns = realloc(ns, (n + 1) * sizeof(*ns));
		assert_non_null(ns);
		rows++;
		ns[n] = more ? sqlite3_column_int64(st, 0) : 0;
		total += ns[n];
		/* Tables do not tell what the run cuts off. */
		n += sqlite3_column_int64(st, 2) ||
		     (spans && !exact && from == INT64_MIN && to == INT64_MAX);
	}
	assert_int_equal(sqlite3_finalize(st), SQLITE_OK);
	free(ns);
	assert_int_equal(names, count_of(m, checks[check].family, checks[check].by));
	return names;
}

static void test_metrics_are_those_of_sql(void **state)
{
	static const char *const range[][2] = {
	    {NULL, NULL}, {"25%", "60%"}, {"20ms", "21ms"}, {NULL, "10%"}};
	size_t names = 0;

	(void)state;
	for (size_t r = 0; r < runs.n; r++)
		for (size_t k = 0; k < 4; k++)
			for (int tables = 0; tables < 2; tables++) {
				const struct rep_filter_text text = {.from = range[k][0],
								     .to = range[k][1]};
				const struct rep_metrics_options opt = {
				    .filter = &text, .exact_names = true, .tables = tables};
				struct rep_metrics *m;
				struct tp_err err;
				int64_t from, to, end = runs.run[r].row.duration_ns;

				assert_int_equal(rep_filter_range(&text, end, &from, &to, &err), 0);
				if (rep_metrics_new(&m, store, &runs.run[r], &opt, &err))
					fail_msg("%s", err.msg);
				for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
					names += check_sql(m, i, &runs.run[r], from, to, !tables);
				rep_metrics_free(m);
			}
	assert_true(names > 500);
}

/* Goroutines: created ones are counted, all are there. */
static void test_metrics_groups(void **state)
{
	const struct rep_metrics_options opt = REP_METRICS_OPTIONS_INIT;
	struct rep_metrics_base base;
	struct rep_metric_spec spec;
	const struct rep_measure *x;
	struct rep_metrics *m;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_metrics_new(&m, store, &runs.run[0], &opt, &err), 0);
	rep_metrics_base(m, &base);
	assert_int_equal(base.length_ns, runs.run[0].row.duration_ns);
	assert_int_equal(base.tasks, 600);
	assert_int_equal(rep_metric_parse(&spec, "group[main.(*Shop).customer].count", &err), 0);
	x = rep_metrics_measure(m, &spec);
	assert_true(x && rep_metric_value(m, x, spec.stat) == 20);
	assert_int_equal(rep_metric_parse(&spec, "task[order].rate", &err), 0);
	x = rep_metrics_measure(m, &spec);
	assert_true(x && fabs(rep_metric_value(m, x, spec.stat) - 600e9 / (double)base.length_ns) <
			     1e-6);
	assert_int_equal(rep_metric_parse(&spec, "task[other].rate", &err), 0);
	assert_null(rep_metrics_measure(m, &spec));
	rep_metrics_free(m);
}

/* Closures of one function are one group, unless names are taken exactly. */
static void test_metrics_names(void **state)
{
	const int64_t edge[] = {0, 1000};
	struct rep_metrics *m;
	const struct rep_measure *x;
	struct tp_err err;
	uint32_t name, cell;

	(void)state;
	assert_int_equal(rep_set_new(&m, edge, 1, &err), 0);
	for (int i = 0; i < 2; i++) {
		const char *text = i ? "main.f.func2" : "main.f.func1";

		name = rep_set_name(m, text, strlen(text), true);
		cell = rep_set_cell(m, REP_FAMILY_RUN, name, 0, 0);
		rep_set_put(m, cell, 0, 10 + i);
	}
	name = rep_set_name(m, "main.g.func7", 12, true);
	cell = rep_set_cell(m, REP_FAMILY_RUN, name, 0, 0);
	rep_set_put(m, cell, 0, 5);
	assert_int_equal(rep_set_solve(m, &err), 0);
	x = measure(m, REP_FAMILY_RUN, REP_MEASURE_ENTRY, "main.f.func*");
	assert_non_null(x);
	assert_int_equal(x->count, 2);
	assert_int_equal(x->total_ns, 21);
	assert_string_equal(x->name, "main.f.func*");
	x = measure(m, REP_FAMILY_RUN, REP_MEASURE_ENTRY, "main.g.func*");
	assert_non_null(x);
	assert_string_equal(x->name, "main.g.func7");
	rep_metrics_free(m);
}

/* All windows together are the run. */
static void test_metrics_windows(void **state)
{
	const struct rep_metrics_options opt = REP_METRICS_OPTIONS_INIT;
	bool use[REP_METRICS_WINDOWS];
	struct rep_metrics *m, *part;
	const struct rep_measure *a, *b;
	size_t n, k;
	struct tp_err err;

	(void)state;
	memset(use, true, sizeof(use));
	assert_int_equal(rep_metrics_new(&m, store, &runs.run[0], &opt, &err), 0);
	assert_int_equal(rep_set_part(m, use, &part, &err), 0);
	a = rep_metrics_measures(m, &n);
	b = rep_metrics_measures(part, &k);
	assert_int_equal(n, k);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(a[i].name, b[i].name);
		assert_int_equal(a[i].count, b[i].count);
		assert_int_equal(a[i].total_ns, b[i].total_ns);
		assert_memory_equal(a[i].p, b[i].p, sizeof(a[i].p));
	}
	rep_metrics_free(part);
	rep_metrics_free(m);
}

static void test_metric_parse(void **state)
{
	static const struct {
		const char *text;
		enum rep_family family;
		const char *name;
		enum rep_stat stat;
	} good[] = {
	    {"sched.p99", REP_FAMILY_SCHED, NULL, REP_STAT_P99},
	    {"sched", REP_FAMILY_SCHED, NULL, REP_STAT_P99},
	    {"task[check.out].p95", REP_FAMILY_TASK, "check.out", REP_STAT_P95},
	    {"run[main.f[go.shape.int]].total", REP_FAMILY_RUN, "main.f[go.shape.int]",
	     REP_STAT_TOTAL},
	    {"stw.max", REP_FAMILY_STW, NULL, REP_STAT_MAX},
	    {"block[]", REP_FAMILY_BLOCK, "", REP_STAT_TOTAL},
	};
	static const struct {
		const char *text, *says;
	} bad[] = {
	    {"shced.p99",
	     "metrics begin with sched, run, block, syscall, group, task, region, stw, gc, cpu"},
	    {"sched.p98", "which has count, total, mean, p50, p90, p95, p99, max, rate, share"},
	    {"cpu[main.f].p99", "which has count, rate, share"},
	    {"task[checkout.p95", "has [ without ]"},
	    {"task[a]p95", "is not a statistic"},
	    {"", "is not a metric"},
	};
	struct rep_metric_spec spec;
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(rep_metric_parse(&spec, good[i].text, &err), 0);
		assert_int_equal(spec.family, good[i].family);
		assert_int_equal(spec.stat, good[i].stat);
		assert_int_equal(spec.named, good[i].name != NULL);
		if (good[i].name)
			assert_string_equal(spec.name, good[i].name);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(rep_metric_parse(&spec, bad[i].text, &err), TP_EFORMAT);
		if (!strstr(err.msg, bad[i].says))
			fail_msg("'%s': %s", bad[i].text, err.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_metrics_are_those_of_sql),
	    cmocka_unit_test(test_metrics_groups),
	    cmocka_unit_test(test_metrics_names),
	    cmocka_unit_test(test_metrics_windows),
	    cmocka_unit_test(test_metric_parse),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
