/* Tests the two sums of task/workers.h on every sample trace with tasks: the parts of a latency add
 * up to it, and the time that --task counts equals the intervals of all goroutines that work for
 * the tasks. For the second, the rule is applied moment by moment to rows from SQL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <glob.h>
#include <sqlite3.h>

#include "base/many.h"
#include "import.h"
#include "sums/part.h"
#include "task/inside.h"
#include "task/spent.h"
#include "task/workers.h"

#define PICKS 8 /* tasks tested singly in each run */

static char dir[64], path[80];
static struct tp_store *store;
static struct rep_runs runs;

static int setup(void **state)
{
	const struct tp_import_options opt = {.store.wait_ms = 1000};
	const char *tmp = getenv("TMPDIR");
	glob_t g;

	(void)state;
	snprintf(dir, sizeof(dir), "%.40s/tprof-test-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/run.tprof", dir);
	assert_int_equal(glob("testdata/*.trace", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct tp_import_result result;
		struct tp_err err;

		if (tp_import(g.gl_pathv[i], path, &opt, &result, &err))
			fail_msg("%s: %s", g.gl_pathv[i], err.msg);
	}
	globfree(&g);
	assert_int_equal(tp_store_open(&store, path, NULL), 0);
	return rep_runs_load(store, &runs, NULL);
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

/* ---- the parts of a latency ---- */

static int64_t explained(struct rep_view *v, struct rep_tasks *t, uint32_t row)
{
	struct rep_item item = {rep_task_start(t, row), rep_task_end(t, row)};
	struct rep_workers workers = {0};
	struct rep_spent spent = {.workers = &workers};
	int64_t ns = 0;
	struct tp_err err;

	assert_int_equal(rep_workers_of_task(&workers, t, row, 0, &item), 0);
	if (rep_explain(v, &item, 1, workers.worker, workers.n, rep_spent_put, &spent, &err))
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < spent.at.n; i++)
		ns += spent.cell[i].ns;
	rep_spent_release(&spent);
	rep_workers_release(&workers);
	return ns;
}

static void test_sums_explain_latencies(void **state)
{
	const struct rep_filter_text none = {0};
	struct rep_filter filter;
	size_t ntasks = 0;

	(void)state;
	assert_int_equal(rep_filter_init(&filter, &none, NULL), 0);
	for (size_t r = 0; r < runs.n; r++) {
		struct rep_view v;
		struct rep_tasks t;

		assert_int_equal(rep_view_init(&v, store, &runs.run[r], &filter, NULL, NULL), 0);
		assert_int_equal(rep_tasks_init(&t, &v, NULL), 0);
		for (uint32_t i = 0; i < t.n; i += t.n / 40 + 1, ntasks++) {
			int64_t latency = rep_task_end(&t, i) - rep_task_start(&t, i);

			if (explained(&v, &t, i) != latency)
				fail_msg("%s: task row %u", runs.run[r].row.name, i);
		}
		rep_tasks_release(&t);
		rep_view_release(&v);
	}
	assert_true(ntasks > 150);
	rep_filter_release(&filter);
}

/* ---- the time that --task counts ---- */

struct rows {
	int64_t (*row)[5];
	size_t n, room;
};

/* Returns a column as a number: -1 for NULL, the number of a state for its name. */
static int64_t number(sqlite3_stmt *st, int column)
{
	const char *text = (const char *)sqlite3_column_text(st, column);

	if (sqlite3_column_type(st, column) != SQLITE_TEXT)
		return text ? sqlite3_column_int64(st, column) : -1;
	for (unsigned i = 0; i < TP_NSTATES; i++)
		if (!strcmp(text, tp_state_names[i]))
			return i;
	fail_msg("no state is called %s", text);
	return -1;
}

/* Returns the first five columns of each row as numbers. */
static struct rows rows_of(const struct rep_run *run, const char *sql)
{
	sqlite3_stmt *st;
	struct rows rows = {0};
	int rc;

	assert_int_equal(sqlite3_prepare_v2(tp_store_db(store), sql, -1, &st, NULL), SQLITE_OK);
	sqlite3_bind_int64(st, 1, run->row.id);
	sqlite3_bind_int64(st, 2, run->row.duration_ns);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		assert_int_equal(tp_grow(&rows.row, &rows.room, rows.n, sizeof(*rows.row)), 0);
		for (int c = 0; c < 5; c++)
			rows.row[rows.n][c] = number(st, c);
		rows.n++;
	}
	assert_int_equal(rc, SQLITE_DONE);
	sqlite3_finalize(st);
	return rows;
}

enum { GOROUTINE, FROM, TO, TASK, PARENT, STATE = TASK, KNOWN = PARENT };

struct story {
	struct rows task, region, span;
};

/* Returns whether this task, or one of its ancestors, is the task `id` (0: any). */
static bool is_of(const struct story *s, int64_t task, int64_t id)
{
	for (size_t steps = 0; task && steps <= s->task.n; steps++) {
		size_t i = 0;

		while (i < s->task.n && s->task.row[i][TASK] != task)
			i++;
		if (i == s->task.n)
			return false;
		if (!id || task == id)
			return true;
		task = s->task.row[i][PARENT];
	}
	return false;
}

static bool works(const struct story *s, int64_t goroutine, int64_t ns, int64_t id)
{
	for (size_t i = 0; i < s->region.n; i++) {
		const int64_t *r = s->region.row[i];

		if (r[GOROUTINE] == goroutine && r[FROM] <= ns && ns < r[TO] &&
		    is_of(s, r[TASK], id))
			return true;
	}
	for (size_t k = 0; k < s->task.n; k++) {
		const int64_t *t = s->task.row[k];
		bool elsewhere = false;

		if (t[GOROUTINE] != goroutine || t[FROM] > ns || ns >= t[TO] ||
		    !is_of(s, t[TASK], id))
			continue;
		for (size_t i = 0; i < s->region.n; i++) {
			const int64_t *r = s->region.row[i];

			elsewhere |= r[GOROUTINE] == goroutine && r[TASK] && r[KNOWN] == 1 &&
				     r[FROM] >= t[FROM] && r[FROM] <= ns && ns < r[TO] &&
				     !is_of(s, r[TASK], id);
		}
		if (!elsewhere)
			return true;
	}
	return false;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Counts the time of one goroutine, whose spans are span.row[from] … [to - 1]. Between two
 * neighbours among all beginnings and ends, it works either all the time or never. */
static void count_goroutine(const struct story *s, size_t from, size_t to, int64_t id,
			    int64_t ns[TP_NSTATES])
{
	int64_t goroutine = s->span.row[from][GOROUTINE];
	int64_t *cut = calloc(2 * (s->task.n + s->region.n) + 1, sizeof(*cut));
	size_t n = 0;

	assert_non_null(cut);
	for (size_t i = 0; i < s->task.n; i++)
		if (s->task.row[i][GOROUTINE] == goroutine) {
			cut[n++] = s->task.row[i][FROM];
			cut[n++] = s->task.row[i][TO];
		}
	for (size_t i = 0; i < s->region.n; i++)
		if (s->region.row[i][GOROUTINE] == goroutine) {
			cut[n++] = s->region.row[i][FROM];
			cut[n++] = s->region.row[i][TO];
		}
	qsort(cut, n, sizeof(*cut), by_number);
	for (size_t i = 0; i + 1 < n; i++) {
		if (cut[i] == cut[i + 1] || !works(s, goroutine, cut[i], id))
			continue;
		for (size_t k = from; k < to; k++) {
			const int64_t *span = s->span.row[k];
			int64_t a = span[FROM] > cut[i] ? span[FROM] : cut[i];
			int64_t b = span[TO] < cut[i + 1] ? span[TO] : cut[i + 1];

			if (a < b)
				ns[span[STATE]] += b - a;
		}
	}
	free(cut);
}

static int on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	int64_t *ns = ctx;

	(void)err;
	ns[part->state] += part->total_ns;
	return 0;
}

static void check_members(const struct rep_run *run, const struct story *s, int64_t id)
{
	int64_t want[TP_NSTATES] = {0}, got[TP_NSTATES] = {0}, spans = 0;
	char text[32] = ".*";
	struct rep_filter_text only = {.task = text};
	struct rep_filter filter;
	struct rep_view v;
	struct tp_err err;

	if (id)
		snprintf(text, sizeof(text), "%lld", (long long)id);
	for (size_t from = 0, to; from < s->span.n; from = to) {
		for (to = from + 1;
		     to < s->span.n && s->span.row[to][GOROUTINE] == s->span.row[from][GOROUTINE];)
			to++;
		count_goroutine(s, from, to, id, want);
	}
	assert_int_equal(rep_filter_init(&filter, &only, NULL), 0);
	assert_int_equal(rep_view_init(&v, store, run, &filter, NULL, NULL), 0);
	if (rep_parts_each(&v, 0, on_part, got, &err))
		fail_msg("%s: --task=%s: %s", run->row.name, text, err.msg);
	for (unsigned i = 0; i < TP_NSTATES; i++) {
		if (got[i] != want[i])
			fail_msg("%s: --task=%s: %s %lld ns, by the rule %lld", run->row.name, text,
				 tp_state_names[i], (long long)got[i], (long long)want[i]);
		spans += got[i];
	}
	/* The total that a note gives; it is larger if the trace does not know the state of a
	 * goroutine. */
	assert_true(v.members.total_ns >= spans);
	assert_true(run->losses || v.members.total_ns == spans);
	rep_view_release(&v);
	rep_filter_release(&filter);
}

static void test_sums_count_every_member(void **state)
{
	size_t with_tasks = 0;

	(void)state;
	for (size_t r = 0; r < runs.n; r++) {
		const struct rep_run *run = &runs.run[r];
		struct story s = {
		    .task = rows_of(run, "SELECT goroutine, coalesce(start_ns, 0), "
					 "coalesce(end_ns, ?2), id, parent FROM task "
					 "WHERE run = ?1 AND id <> 0"),
		    .region =
			rows_of(run, "SELECT goroutine, coalesce(start_ns, 0), coalesce(end_ns, "
				     "?2), task, start_ns IS NOT NULL FROM region WHERE run = ?1"),
		};

		if (s.task.n) {
			with_tasks++;
			s.span = rows_of(
			    run, "SELECT goroutine, start_ns, end_ns, state, ?2 FROM span "
				 "WHERE run = ?1 AND goroutine IN (SELECT goroutine FROM region "
				 "WHERE run = ?1 UNION SELECT goroutine FROM task WHERE run = ?1) "
				 "ORDER BY goroutine, start_ns");
			for (size_t i = 0; i < s.task.n; i += s.task.n / PICKS + 1)
				check_members(run, &s, s.task.row[i][TASK]);
		}
		free(s.task.row);
		free(s.region.row);
		free(s.span.row);
	}
	assert_true(with_tasks >= 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sums_explain_latencies),
	    cmocka_unit_test(test_sums_count_every_member),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
