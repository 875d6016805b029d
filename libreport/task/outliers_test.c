/* Tests latencies of tasks whose course is known (testdata/programs/errands.go): where the time
 * went, that the result does not depend on how much of the run is read, and how the slowest tasks
 * differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "import.h"
#include "task/outliers.h"

static char dir[64], path[80];
static struct tp_store *store;
static struct rep_runs runs;
static struct rep_filter filter;

static int setup(void **state)
{
	static const char *const dumps[] = {"testdata/errands.trace", "testdata/checkout.trace"};
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
	return rep_filter_init(&filter, &(struct rep_filter_text){0}, NULL);
}

static int teardown(void **state)
{
	char lock[96];

	(void)state;
	rep_filter_release(&filter);
	rep_runs_release(&runs);
	tp_store_close(store);
	snprintf(lock, sizeof(lock), "%s-lock", path);
	unlink(lock);
	unlink(path);
	rmdir(dir);
	return 0;
}

struct looked {
	struct rep_view v;
	struct rep_tasks t;
};

static void look(struct looked *l, size_t run)
{
	struct tp_err err;

	if (rep_view_init(&l->v, store, &runs.run[run], &filter, NULL, &err))
		fail_msg("%s", err.msg);
	if (rep_tasks_init(&l->t, &l->v, &err))
		fail_msg("%s", err.msg);
}

static void release(struct looked *l)
{
	rep_tasks_release(&l->t);
	rep_view_release(&l->v);
}

/* ---- parts of latencies ---- */

struct told {
	char (*text)[600]; /* by item: its stretches as text */
	struct rep_workers *workers;
	int64_t *ns;
};

static int tell(void *ctx, const struct rep_stretch *s, struct tp_err *err)
{
	struct told *t = ctx;
	const struct rep_worker *w = s->worker == TP_NONE ? NULL : &t->workers->worker[s->worker];
	char *text = t->text[s->item];
	size_t n = strlen(text);

	(void)err;
	assert_true(s->from < s->to);
	if (n < 500)
		snprintf(text + n, 600 - n, "%lld:%u/%u/%u/%u ", (long long)s->from,
			 w ? w->goroutine : TP_NONE, s->state, s->reason,
			 s->state == TP_ST_RUNNING ? 0 : s->stack);
	t->ns[s->item] += s->to - s->from;
	return 0;
}

/* Explains the tasks of rows [from, to) in one call. */
static void explain(struct looked *l, uint32_t from, uint32_t to, struct told *t)
{
	struct rep_item *item = calloc(to - from, sizeof(*item));
	struct rep_workers workers = {0};
	struct tp_err err;

	for (uint32_t i = from; i < to; i++) {
		item[i - from] =
		    (struct rep_item){rep_task_start(&l->t, i), rep_task_end(&l->t, i)};
		assert_int_equal(rep_workers_of_task(&workers, &l->t, i, i - from, &item[i - from]),
				 0);
	}
	t->workers = &workers;
	if (rep_explain(&l->v, item, to - from, workers.worker, workers.n, tell, t, &err))
		fail_msg("%s", err.msg);
	rep_workers_release(&workers);
	free(item);
}

/* Explaining tasks one by one, from the few events around each, or all at once gives the same
 * parts, and these add up to the latency. */
static void test_explain_near_and_far(void **state)
{
	(void)state;
	for (size_t run = 0; run < runs.n; run++) {
		struct looked l;
		struct told all = {0}, one = {0};

		look(&l, run);
		all.text = calloc(l.t.n, sizeof(*all.text));
		all.ns = calloc(l.t.n, sizeof(*all.ns));
		one.text = calloc(l.t.n, sizeof(*one.text));
		one.ns = calloc(l.t.n, sizeof(*one.ns));
		explain(&l, 0, l.t.n, &all);
		for (uint32_t i = 0; i < l.t.n; i += 7) {
			struct told this = {.text = one.text + i, .ns = one.ns + i};

			explain(&l, i, i + 1, &this);
			assert_string_equal(one.text[i], all.text[i]);
			assert_true(one.ns[i] == rep_task_end(&l.t, i) - rep_task_start(&l.t, i));
		}
		free(all.text);
		free(all.ns);
		free(one.text);
		free(one.ns);
		release(&l);
	}
}

static void test_tasks_below_subtasks(void **state)
{
	struct looked l;
	uint32_t rows[200], errands = 0;

	(void)state;
	look(&l, 0);
	assert_in_range(l.t.n, 120, 200);
	for (uint32_t i = 0; i < l.t.n; i++) {
		if (l.t.children[i] == 0)
			continue;
		errands++;
		assert_int_equal(rep_tasks_below(&l.t, i, rows), 2);
		assert_int_equal(rows[1], l.t.first_child[i]);
		assert_int_equal(l.t.parent[rows[1]], i);
		assert_int_equal(rep_tasks_find(&l.t, REP_AT(&l.v, TASK, id, i)), i);
	}
	assert_int_equal(errands, 60);
	assert_int_equal(rep_tasks_find(&l.t, 4711), TP_NONE);
	release(&l);
}

/* ---- the slowest tasks ---- */

static const char *text_of(const struct looked *l, uint32_t string)
{
	return tp_dict_text(l->v.dict, string).text;
}

static void test_outliers_init_errands(void **state)
{
	const struct rep_pick_text text = {.task = "errand"};
	struct rep_slowest slowest;
	struct rep_outliers o;
	struct rep_pick pick;
	struct looked l;
	int64_t ns[REP_NFACT_KINDS][REP_NGROUPS] = {0};
	const struct rep_fact *queue = NULL, *closed = NULL;

	(void)state;
	look(&l, 0);
	assert_int_equal(rep_pick_init(&pick, &text, NULL), 0);
	assert_int_equal(rep_pick_run(&pick, &l.t, NULL), 0);
	assert_int_equal(rep_slowest_parse("10%", &slowest, NULL), 0);
	assert_int_equal(rep_outliers_init(&o, &l.t, &pick, false, &slowest, NULL), 0);
	assert_int_equal(o.total, 60);
	assert_int_equal(o.n[REP_SLOW], 6);
	assert_int_equal(o.n[REP_MIDDLE], 50);
	assert_true(o.min_ns[REP_SLOW] >= 10000000);
	for (size_t i = 0; i < o.nfacts; i++) {
		const struct rep_fact *f = &o.fact[i];
		const struct rep_key *label = rep_fact_label(&o, f);

		for (int g = 0; g < REP_NGROUPS; g++)
			ns[f->kind][g] += f->ns[g];
		if (f->kind == REP_FACT_TIME && f->what.part[1] == TP_ST_WAITING &&
		    !strcmp(text_of(&l, f->what.part[2]), "sync") && label->part[1] &&
		    !strcmp(text_of(&l, label->part[1] - 1), "queue"))
			queue = f;
		if (f->kind == REP_FACT_LOG)
			closed = f;
	}
	/* The facts of states, and those of places, add up to the whole latency. */
	for (int g = 0; g < REP_NGROUPS; g++) {
		assert_true(ns[REP_FACT_STATE][g] == o.ns[g]);
		assert_true(ns[REP_FACT_TIME][g] == o.ns[g]);
	}
	assert_non_null(queue);
	assert_int_equal(queue->with[REP_SLOW], 6);
	assert_int_equal(queue->with[REP_MIDDLE], 0);
	assert_true(queue->ns[REP_SLOW] >= INT64_C(60000000));
	assert_non_null(closed);
	assert_string_equal(text_of(&l, closed->what.part[0]), "shop");
	assert_string_equal(text_of(&l, closed->what.part[1]), "closed, errand # waits");
	assert_int_equal(closed->with[REP_SLOW], 6);
	assert_int_equal(closed->with[REP_MIDDLE], 0);
	rep_outliers_release(&o);
	rep_pick_release(&pick);
	release(&l);
}

static void test_slowest_parse(void **state)
{
	static const char *const bad[] = {"",	"%",   "0",   "0%",   "51%",
					  "-1", "1%%", "1.5", "nan%", "x"};
	struct rep_slowest s;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_slowest_parse("0.5%", &s, &err), 0);
	assert_true(s.percent && s.share > 0.0049 && s.share < 0.0051);
	assert_int_equal(rep_slowest_parse("12", &s, &err), 0);
	assert_true(!s.percent && s.count == 12);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(rep_slowest_parse(bad[i], &s, &err), TP_EFORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_explain_near_and_far),
	    cmocka_unit_test(test_tasks_below_subtasks),
	    cmocka_unit_test(test_outliers_init_errands),
	    cmocka_unit_test(test_slowest_parse),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
