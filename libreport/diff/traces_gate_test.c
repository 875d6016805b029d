/* Gates on traces: what is understood, and what they say of made-up runs. */
#include "diff/gate.h"
#include "diff/testing_traces.h"

static void test_gate_parse(void **state)
{
	static const struct {
		const char *text;
		enum rep_family family;
		const char *name;
		enum rep_stat stat;
		enum rep_gate_change change;
		enum rep_gate_limit threshold;
		double number;
		bool percent, regex;
	} good[] = {
	    {"sched.p99>+10%", REP_FAMILY_SCHED, "", REP_STAT_P99, REP_GATE_ABOVE, REP_LIMIT_NONE,
	     10, true, false},
	    {"task[checkout].p95>+5ms", REP_FAMILY_TASK, "checkout", REP_STAT_P95, REP_GATE_ABOVE,
	     REP_LIMIT_NONE, 5, false, false},
	    {"stw.max>2ms", REP_FAMILY_STW, "", REP_STAT_MAX, REP_GATE_ABOVE, REP_LIMIT_ABOVE, 2,
	     false, false},
	    {"task.rate<100", REP_FAMILY_TASK, "", REP_STAT_RATE, REP_GATE_BELOW, REP_LIMIT_BELOW,
	     100, false, false},
	    {"task.rate<-5%", REP_FAMILY_TASK, "", REP_STAT_RATE, REP_GATE_BELOW, REP_LIMIT_NONE, 5,
	     true, false},
	    {"gc.rate+-10%", REP_FAMILY_GC, "", REP_STAT_RATE, REP_GATE_EITHER, REP_LIMIT_NONE, 10,
	     true, false},
	    {"stw.p99 > 10%", REP_FAMILY_STW, "", REP_STAT_P99, REP_GATE_ABOVE, REP_LIMIT_NONE, 10,
	     true, false},
	    {"cpu[main.f].share>25%", REP_FAMILY_CPU, "main.f", REP_STAT_SHARE, REP_GATE_ABOVE,
	     REP_LIMIT_ABOVE, 0.25, false, false},
	    {"run[main.f[go.shape.int]].total>+1%", REP_FAMILY_RUN, "main.f[go.shape.int]",
	     REP_STAT_TOTAL, REP_GATE_ABOVE, REP_LIMIT_NONE, 1, true, false},
	    {"block(^chan (send|receive)$).p50>+1us", REP_FAMILY_BLOCK, "", REP_STAT_P50,
	     REP_GATE_ABOVE, REP_LIMIT_NONE, 1, false, true},
	    {"task[a>b].p95>+5%,min=1ms,alpha=0.01,undecided=fail", REP_FAMILY_TASK, "a>b",
	     REP_STAT_P95, REP_GATE_ABOVE, REP_LIMIT_NONE, 5, true, false},
	};
	static const struct {
		const char *text, *says;
	} bad[] = {
	    {"sched.p99", "has no >, < or +-"},
	    {">+5%", "names no metric"},
	    {"scheduling>+5%", "begin with sched, run, block"},
	    {"sched.p98>+5%", "which has count, total, mean"},
	    {"sched.p99>+5parsecs%", "where an amount belongs"},
	    {"sched.p99>", "where an amount belongs"},
	    {"sched.p99>-5%", "growth below zero"},
	    {"sched.p99<5%", "needs a minus"},
	    {"sched.p99+5%", "has a + that is not part"},
	    {"sched.p99>+5%,floor=2", "options are min, alpha, undecided, missing and damaged"},
	    {"sched.p99>+5%,alpha=2", "not between 0 and 1"},
	    {"sched.p99>+5%,missing=maybe", "not pass or fail"},
	    {"task(x>+5%", "has no >"},
	    {"cpu[f].p50>+5%", "which has count, rate, share"},
	};
	struct rep_gate g;
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (rep_gate_parse(&g, good[i].text, &rep_diff_of_traces, &err))
			fail_msg("%s: %s", good[i].text, err.msg);
		assert_int_equal(g.metric.family, good[i].family);
		assert_string_equal(g.metric.name, good[i].name);
		assert_int_equal(g.metric.stat, good[i].stat);
		assert_int_equal(g.change, good[i].change);
		assert_int_equal(g.threshold, good[i].threshold);
		assert_true(fabs(g.limit.number - good[i].number) < 1e-12);
		assert_int_equal(g.limit.percent, good[i].percent);
		assert_int_equal(g.several, good[i].regex);
		rep_gate_release(&g);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(rep_gate_parse(&g, bad[i].text, &rep_diff_of_traces, &err),
				 TP_EFORMAT);
		if (!strstr(err.msg, bad[i].says))
			fail_msg("%s: %s", bad[i].text, err.msg);
		rep_gate_release(&g);
	}
}

/* ---- judging ---- */

struct answer {
	enum rep_outcome outcome;
	bool fails, blind, inexact;
	char why[400];
};

static struct answer judge(const char *text, struct rep_metrics *const *old, size_t n,
			   struct rep_metrics *const *new, size_t m, const char *damaged)
{
	const struct rep_diff_options opt = {.damaged = damaged};
	struct rep_diff_run *run = calloc(n + m, sizeof(*run));
	const struct rep_diff_side a = {testing_runs(run, old, n), n},
				   b = {testing_runs(run + n, new, m), m};
	struct rep_gate_result r;
	struct rep_gate g;
	struct answer answer;
	struct tp_err err;

	if (rep_gate_parse(&g, text, &rep_diff_of_traces, &err) ||
	    rep_gate_judge(&g, &a, &b, &opt, &r, &err))
		fail_msg("%s: %s", text, err.msg);
	answer.outcome = r.outcome;
	answer.inexact = r.inexact;
	answer.fails = r.fails;
	answer.blind = r.blind;
	snprintf(answer.why, sizeof(answer.why), "%s", (char *)r.why.data);
	rep_gate_result_release(&r);
	rep_gate_release(&g);
	free(run);
	return answer;
}

static void test_gate_one_against_one(void **state)
{
	static const struct {
		const char *gate;
		enum rep_outcome outcome;
		bool blind;
		const char *says;
	} cases[] = {
	    {"task[a].p50>+10%", REP_OUTCOME_EXCEEDED, false, "task[a].p50: "},
	    {"task[a].p50>+80%", REP_OUTCOME_PASSED, false, ""},
	    {"task[a].p50>+0.1ms", REP_OUTCOME_EXCEEDED, false, ""},
	    {"task[a].p50>+2ms", REP_OUTCOME_PASSED, false, ""},
	    {"task[a].p50>1.2ms", REP_OUTCOME_EXCEEDED, false, ""},
	    {"task[a].p50<1ms", REP_OUTCOME_PASSED, false, ""},
	    {"task[a].p50<-1%", REP_OUTCOME_PASSED, false, ""},
	    {"task[a].p50+-10%", REP_OUTCOME_EXCEEDED, false, ""},
	    {"task[a].p50>+10%,min=1ms", REP_OUTCOME_PASSED, false, ""},
	    /* b is another length by chance only */
	    {"task[b].p50+-0%", REP_OUTCOME_PASSED, false, "not significant"},
	    {"task(^[ab]$).p50>+10%", REP_OUTCOME_EXCEEDED, false, "task[a].p50"},
	    {"task[a].max>+0.1%", REP_OUTCOME_UNDECIDED, false, "do not show how much is noise"},
	    {"task[c].p50>+1%", REP_OUTCOME_UNDECIDED, true, "names are b, a"},
	    {"task(^c).p50>+1%", REP_OUTCOME_UNDECIDED, true, "names are b, a"},
	    {"task[c].p50>+1%,missing=pass", REP_OUTCOME_UNDECIDED, false, ""},
	    {"region.p50>+1%", REP_OUTCOME_UNDECIDED, true, "the runs have no region"},
	    {"region.max>2ms", REP_OUTCOME_PASSED, false, "the runs have no complete user regions"},
	    {"region[x].max>2ms", REP_OUTCOME_UNDECIDED, true, ""},
	    {"stw.max>20us", REP_OUTCOME_EXCEEDED, false, ""},
	    {"stw.max>2ms", REP_OUTCOME_PASSED, false, ""},
	};
	const struct testing_world was = {WINDOWS, 60, 0.2, 1, 1}, is = {WINDOWS, 60, 0.2, 1, 1.5};
	uint64_t seed = 3;
	struct rep_metrics *old = testing_world(&was, &seed), *new = testing_world(&is, &seed);
	struct answer a;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		a = judge(cases[i].gate, &old, 1, &new, 1, NULL);
		if (a.outcome != cases[i].outcome || a.blind != cases[i].blind ||
		    !strstr(a.why, cases[i].says))
			fail_msg("%s: %s: %s", cases[i].gate, rep_outcomes[a.outcome], a.why);
		assert_false(a.inexact);
	}
	a = judge("task[a].p50>+80%", &old, 1, &new, 1, "cut.trace");
	assert_true(a.blind && a.fails);
	assert_non_null(strstr(a.why, "cut.trace is damaged"));
	a = judge("task[a].p50>+80%,damaged=pass", &old, 1, &new, 1, "cut.trace");
	assert_int_equal(a.outcome, REP_OUTCOME_PASSED);
	a = judge("task[a].max>+0.1%,undecided=fail", &old, 1, &new, 1, NULL);
	assert_true(a.fails && !a.blind);
	rep_metrics_free(old);
	rep_metrics_free(new);
}

static void test_gate_sets(void **state)
{
	struct rep_metrics *run[20];
	uint64_t seed = 11;

	(void)state;
	for (size_t i = 0; i < 20; i++) {
		const struct testing_world w = {
		    WINDOWS, 20, 0.3, exp(0.03 * rep_power_normal(&seed)), i < 10 ? 1 : 1.15};

		run[i] = testing_world(&w, &seed);
	}
	assert_int_equal(judge("task[a].p50>+5%", run, 10, run + 10, 10, NULL).outcome,
			 REP_OUTCOME_EXCEEDED);
	assert_int_equal(judge("task[b].p50>+0%", run, 10, run + 10, 10, NULL).outcome,
			 REP_OUTCOME_PASSED);
	assert_int_equal(judge("task[a].p50>+5%", run, 3, run + 10, 3, NULL).outcome,
			 REP_OUTCOME_UNDECIDED);
	/* Four can tell one metric, but not one of two. */
	assert_int_equal(judge("task(^a$).p50>+5%", run, 4, run + 10, 4, NULL).outcome,
			 REP_OUTCOME_EXCEEDED);
	assert_int_equal(judge("task(^[ab]$).p50>+5%", run, 4, run + 10, 4, NULL).outcome,
			 REP_OUTCOME_UNDECIDED);
	/* A limit: most runs of the new set are beyond it, or not, or too few to tell. */
	assert_int_equal(judge("task[a].p50>1.05ms", run, 10, run + 10, 10, NULL).outcome,
			 REP_OUTCOME_EXCEEDED);
	assert_int_equal(judge("task[a].p50>1.5ms", run, 10, run + 10, 10, NULL).outcome,
			 REP_OUTCOME_PASSED);
	assert_int_equal(judge("task[a].p50>1.05ms", run, 4, run + 10, 4, NULL).outcome,
			 REP_OUTCOME_UNDECIDED);
	assert_int_equal(judge("task[a].p50>1.05ms", run, 5, run + 10, 5, NULL).outcome,
			 REP_OUTCOME_EXCEEDED);
	for (size_t i = 0; i < 20; i++)
		rep_metrics_free(run[i]);
}

/* What one side's runs do not have at all: a name is not to be switched off by another one; that
 * all of a family is gone is an answer to a limit, and to growth. */
static void test_gate_gone(void **state)
{
	static const struct {
		const char *gate;
		enum rep_outcome outcome;
		bool blind;
		const char *says;
	} cases[] = {
	    {"task[a].mean>+3%", REP_OUTCOME_UNDECIDED, true, "1ms, then nothing; only the old"},
	    {"task[a].mean+-3%", REP_OUTCOME_UNDECIDED, true, "only the old runs have it"},
	    {"task[a].p99>30ms", REP_OUTCOME_UNDECIDED, true, "only the old runs have it"},
	    {"task[a].mean>+3%,missing=pass", REP_OUTCOME_UNDECIDED, false, ""},
	    {"task[b].mean>+3%", REP_OUTCOME_UNDECIDED, true, "nothing, then 1ms; only the new"},
	    {"task[b].mean>30ms", REP_OUTCOME_PASSED, false, ""},
	    {"task[b].mean>0.5ms", REP_OUTCOME_EXCEEDED, false, ""},
	    {"task(^[ab]$).mean>+3%", REP_OUTCOME_UNDECIDED, true, "only the"},
	    /* c is on both sides. */
	    {"task(.).mean>+3%", REP_OUTCOME_PASSED, false, "task[c].mean"},
	    {"task.mean>+3%", REP_OUTCOME_PASSED, false, ""},
	    {"region.mean>+3%", REP_OUTCOME_PASSED, false, "then nothing"},
	    {"region.mean>3ms", REP_OUTCOME_PASSED, false, "then nothing"},
	    {"region.mean+-3%", REP_OUTCOME_UNDECIDED, true, "only the old runs have it"},
	    {"stw.mean>+3%", REP_OUTCOME_UNDECIDED, true, "only the new runs have it"},
	};
	struct rep_metrics *run[10];

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		run[i] = testing_run(WINDOWS);
		for (uint32_t w = 0; w < WINDOWS; w++) {
			testing_put(run[i], REP_FAMILY_TASK, i < 5 ? "a" : "b", w, 1000000);
			testing_put(run[i], REP_FAMILY_TASK, "c", w, 1000000);
			testing_put(run[i], i < 5 ? REP_FAMILY_REGION : REP_FAMILY_STW, "", w,
				    1000000);
		}
		testing_solve(run[i]);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t n = 1; n <= 5; n += 4) {
			struct answer a = judge(cases[i].gate, run, n, run + 5, n, NULL);

			if (a.outcome != cases[i].outcome || a.blind != cases[i].blind ||
			    !strstr(a.why, cases[i].says))
				fail_msg("%zu runs: %s: %s: %s", n, cases[i].gate,
					 rep_outcomes[a.outcome], a.why);
		}
	}
	for (size_t i = 0; i < 10; i++)
		rep_metrics_free(run[i]);
}

/* Of so many runs that 2 to the power of their number is none: about half of them is not most. */
static void test_gate_many_runs(void **state)
{
	enum { RUNS = 1200 };
	struct rep_metrics **run = calloc(RUNS, sizeof(struct rep_metrics *));

	(void)state;
	assert_non_null(run);
	for (size_t i = 0; i < RUNS; i++) {
		run[i] = testing_run(1);
		testing_put(run[i], REP_FAMILY_TASK, "a", 0, i < RUNS / 2 + 10 ? 2000000 : 1000000);
		testing_solve(run[i]);
	}
	assert_int_equal(judge("task[a].p50>1.5ms", run, 1, run, RUNS, NULL).outcome,
			 REP_OUTCOME_PASSED);
	assert_int_equal(judge("task[a].p50>0.5ms", run, 1, run, RUNS, NULL).outcome,
			 REP_OUTCOME_EXCEEDED);
	for (size_t i = 0; i < RUNS; i++)
		rep_metrics_free(run[i]);
	free(run);
}

/* What the trace has no name for is shown by one, which can be typed. */
static void test_gate_unknown_name(void **state)
{
	struct rep_metrics *run = testing_run(2);
	struct answer a;

	(void)state;
	testing_put(run, REP_FAMILY_TASK, "", 0, 1000000);
	testing_solve(run);
	a = judge("task[(unknown)].p50>0.5ms", &run, 1, &run, 1, NULL);
	assert_int_equal(a.outcome, REP_OUTCOME_EXCEEDED);
	assert_non_null(strstr(a.why, "task[(unknown)].p50: "));
	rep_metrics_free(run);
}

/* Percentiles from histograms that are next to the limit ask for exact ones; others do not. */
static void test_gate_inexact(void **state)
{
	struct rep_metrics *run[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		uint32_t name, cell;

		run[i] = testing_run(WINDOWS);
		name = rep_set_name(run[i], "main.f", 6, false);
		cell = rep_set_cell(run[i], REP_FAMILY_SCHED, name, 0, 0);
		for (size_t w = 0; w < WINDOWS; w++) {
			int64_t ns = i ? 1100000 : 1000000;

			rep_set_events(run[i], cell, w, 50, 50 * ns, 2 * ns);
			rep_set_time(run[i], cell, w, 50 * ns);
			rep_set_bucket(run[i], cell, w, tp_hist_bucket((uint64_t)ns), 50);
		}
		testing_solve(run[i]);
	}
	assert_true(judge("sched.p99>1.1ms", run, 1, run + 1, 1, NULL).inexact);
	assert_true(judge("sched.p99>1.105ms", run, 1, run + 1, 1, NULL).inexact);
	assert_false(judge("sched.p99>1.2ms", run, 1, run + 1, 1, NULL).inexact);
	assert_true(judge("sched.p99>+10%", run, 1, run + 1, 1, NULL).inexact);
	assert_false(judge("sched.p99>+20%", run, 1, run + 1, 1, NULL).inexact);
	assert_true(judge("sched.p99>+0.1ms", run, 1, run + 1, 1, NULL).inexact);
	assert_false(judge("sched.p99>+0.2ms", run, 1, run + 1, 1, NULL).inexact);
	/* Sums are exact. */
	assert_false(judge("sched.mean>+10%", run, 1, run + 1, 1, NULL).inexact);
	rep_metrics_free(run[0]);
	rep_metrics_free(run[1]);
}

static void test_gate_units(void **state)
{
	struct rep_metrics *m = testing_solve(testing_run(WINDOWS));
	struct rep_diff_run run = {.metrics = m};
	const struct rep_diff_side side = {&run, 1};
	static const struct {
		const char *gate, *said;
	} bad[] = {{"sched.p99>+5MB", "another unit"},
		   {"sched.count>+5ms", "another unit"},
		   {"gc.rate>5ms", "another unit"},
		   {"sched.p99>+5%,min=3kB", "another unit"},
		   {"sched.p99>+5", "units are us, ms and s"},
		   {"sched.p99>5", "without a unit"},
		   {"sched.p99>+5%,min=3", "without a unit"}};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct rep_diff_options opt = {0};
		struct rep_gate_result r = {0};
		struct rep_gate g;
		struct tp_err err;

		assert_int_equal(rep_gate_parse(&g, bad[i].gate, &rep_diff_of_traces, &err), 0);
		assert_int_equal(rep_gate_judge(&g, &side, &side, &opt, &r, &err), TP_EFORMAT);
		assert_non_null(strstr(err.msg, bad[i].said));
		rep_gate_result_release(&r);
		rep_gate_release(&g);
	}
	rep_metrics_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_gate_parse),	      cmocka_unit_test(test_gate_one_against_one),
	    cmocka_unit_test(test_gate_sets),	      cmocka_unit_test(test_gate_inexact),
	    cmocka_unit_test(test_gate_units),	      cmocka_unit_test(test_gate_many_runs),
	    cmocka_unit_test(test_gate_unknown_name), cmocka_unit_test(test_gate_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
