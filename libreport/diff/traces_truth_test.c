/* Do the statistics of traces keep what they promise? Whole diffs and gates over made-up runs.
 *
 *   truth_test [TIMES]	   TIMES as many simulations, with bounds as much tighter */
#include "diff/gate.h"
#include "diff/selfcheck.h"
#include "diff/testing_traces.h"

#define PAIRS 200
#define ALPHA 0.05
#define RUNS  10 /* a side: what tprof-diff(1) names */
#define MOST  20

static unsigned times = 1;

static bool changed(struct rep_metrics *const *old, struct rep_metrics *const *new, size_t n)
{
	struct rep_diff_run run[2 * RUNS];
	const struct rep_diff_side a = {testing_runs(run, old, n), n},
				   b = {testing_runs(run + n, new, n), n};
	const struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct rep_diff *d;
	struct tp_err err;
	bool any = false;

	assert_int_equal(rep_diff_new(&d, &a, &b, &opt, &err), 0);
	for (size_t i = 0; i < d->n; i++)
		any = any || d->row[i].verdict == REP_VERDICT_CHANGED;
	rep_diff_free(d);
	return any;
}

static bool exceeded(const char *text, struct rep_metrics *const *old,
		     struct rep_metrics *const *new, size_t n)
{
	const struct rep_diff_options opt = {0};
	struct rep_diff_run run[2 * RUNS];
	const struct rep_diff_side a = {testing_runs(run, old, n), n},
				   b = {testing_runs(run + n, new, n), n};
	struct rep_gate_result r;
	struct rep_gate g;
	struct tp_err err;
	bool is;

	assert_int_equal(rep_gate_parse(&g, text, &rep_diff_of_traces, &err), 0);
	assert_int_equal(rep_gate_judge(&g, &a, &b, &opt, &r, &err), 0);
	is = r.outcome == REP_OUTCOME_EXCEEDED;
	rep_gate_result_release(&r);
	rep_gate_release(&g);
	return is;
}

/* Runs of one build that differ by `noise` (and, as each is a sample of 96 tasks, by a hundredth
 * more), the second half slower by some. */
static void make(struct rep_metrics **run, size_t n, double noise, double slower, uint64_t *seed)
{
	for (size_t i = 0; i < 2 * n; i++) {
		const struct testing_world w = {
		    WINDOWS, 6, 0.1, exp(noise * rep_power_normal(seed)), i < n ? 1 : slower};

		run[i] = testing_world(&w, seed);
	}
}

/* Is the row named, whether it is changed or differs? */
static bool is_named(struct rep_metrics *const *old, struct rep_metrics *const *new, size_t n,
		     const char *name)
{
	struct rep_diff_run run[2 * MOST];
	const struct rep_diff_side a = {testing_runs(run, old, n), n},
				   b = {testing_runs(run + n, new, n), n};
	const struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	enum rep_verdict verdict;
	struct rep_diff *d;
	struct tp_err err;

	assert_int_equal(rep_diff_new(&d, &a, &b, &opt, &err), 0);
	verdict = testing_row(d, name)->verdict;
	rep_diff_free(d);
	return verdict == REP_VERDICT_CHANGED || verdict == REP_VERDICT_DIFFERS;
}

static void release(struct rep_metrics **run, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rep_metrics_free(run[i]);
}

static unsigned bound(unsigned pairs)
{
	double chance = times > 1 ? 3 * sqrt(ALPHA * (1 - ALPHA) * pairs) : 0;

	return (unsigned)(ALPHA * pairs + chance);
}

/* The same program on both sides, sets of runs: at most 5 % are taken for changed, and exceed a
 * gate with a limit. One without is at its alpha, give or take what chance gives 200 pairs. */
static void test_truth_same_sets(void **state)
{
	static const double noises[] = {0.01, 0.05};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		unsigned pairs = PAIRS * times, any = 0, gates = 0, bare = 0;
		double chance = 3 * sqrt(ALPHA * (1 - ALPHA) * pairs);
		uint64_t seed = 21 + i;

		for (unsigned k = 0; k < pairs; k++) {
			struct rep_metrics *run[2 * RUNS];

			make(run, RUNS, noises[i], 1, &seed);
			any += changed(run, run + RUNS, RUNS);
			gates += exceeded("task[a].p50+-3%", run, run + RUNS, RUNS);
			bare += exceeded("task[a].p50+-0%", run, run + RUNS, RUNS);
			release(run, 2 * RUNS);
		}
		print_message("same, %d runs, noise %.0f%%: of %u pairs some metric changed in %u, "
			      "gate exceeded in %u, without a limit in %u\n",
			      RUNS, noises[i] * 100, pairs, any, gates, bare);
		assert_true(any <= bound(pairs));
		assert_true(gates <= bound(pairs));
		assert_true(bare <= ALPHA * pairs + chance);
	}
}

/* A task that is 10 % slower is found in at least 90 %, where runs of one build differ by 5 %. */
static void test_truth_planted(void **state)
{
	unsigned pairs = PAIRS * times, found = 0;
	uint64_t seed = 31;

	(void)state;
	for (unsigned k = 0; k < pairs; k++) {
		struct rep_metrics *run[2 * RUNS];

		make(run, RUNS, 0.05, 1.1, &seed);
		found += exceeded("task[a].mean>+3%", run, run + RUNS, RUNS);
		release(run, 2 * RUNS);
	}
	print_message("10%% slower, %d runs, noise 5%%: found in %u of %u\n", RUNS, found, pairs);
	assert_true(found >= 0.9 * pairs);
}

/* One run against one, of a program whose runs do not differ but by chance: what windows promise.
 * Windows have a mood of their own (`factor` by window would be a run's; here events are spread
 * evenly), and durations are heavy-tailed. */
static void test_truth_same_single(void **state)
{
	static const double spreads[] = {0.3, 1.5};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		unsigned pairs = PAIRS * times, any = 0, gates = 0;
		uint64_t seed = 41 + i;

		for (unsigned k = 0; k < pairs; k++) {
			const struct testing_world w = {WINDOWS, 12, spreads[i], 1, 1};
			struct rep_metrics *run[2] = {testing_world(&w, &seed),
						      testing_world(&w, &seed)};

			any += changed(run, run + 1, 1);
			gates += exceeded("task[a].p50+-0%", run, run + 1, 1);
			release(run, 2);
		}
		print_message("same, one run a side, spread %.1f: of %u pairs some metric differs "
			      "in %u, gate exceeded in %u\n",
			      spreads[i], pairs, any, gates);
		assert_true(any <= bound(pairs));
		assert_true(gates <= bound(pairs));
	}
}

/* --self-check of runs of one build says so; of two builds mixed up, a gate without a limit fires
 * for it as often as its alpha allows. */
static void test_truth_self_check(void **state)
{
	const struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	const struct rep_check_options how = {.rounds = 200}, fewer = {.rounds = 50, .new_runs = 4};
	struct rep_metrics *run[2 * RUNS];
	struct rep_diff_run runs[2 * RUNS];
	const struct rep_diff_side side = {runs, 2 * RUNS}, one = {runs, 1};
	struct rep_check check;
	struct rep_gate g;
	struct tp_err err;
	uint64_t seed = 51;

	(void)state;
	make(run, RUNS, 0.03, 1, &seed);
	testing_runs(runs, run, 2 * RUNS);
	assert_int_equal(rep_gate_parse(&g, "task[a].p50>+0%", &rep_diff_of_traces, &err), 0);
	assert_int_equal(rep_check(&side, false, &how, &opt, &g, 1, &check, &err), 0);
	assert_int_equal(check.rounds, 200);
	assert_int_equal(check.old, RUNS);
	assert_int_equal(check.new, RUNS);
	print_message("self-check, %d runs a side: changed in %zu, gate exceeded in %zu\n", RUNS,
		      check.row[0].exceeded, check.row[1].exceeded);
	assert_true(check.row[0].exceeded <= 19 && check.row[1].exceeded <= 19);
	rep_check_release(&check);
	assert_int_equal(rep_check(&side, false, &fewer, &opt, &g, 1, &check, &err), 0);
	assert_int_equal(check.old, 2 * RUNS - 4);
	assert_int_equal(check.new, 4);
	rep_check_release(&check);
	assert_int_equal(rep_check(&one, false, &how, &opt, &g, 1, &check, &err), 0);
	print_message("self-check, windows of one run: differs in %zu, gate exceeded in %zu\n",
		      check.row[0].exceeded, check.row[1].exceeded);
	assert_true(check.row[0].exceeded <= 10 && check.row[1].exceeded <= 10);
	rep_check_release(&check);
	rep_gate_release(&g);
	release(run, 2 * RUNS);
}

/* What --self-check says that a gate finds, it finds about that often in new runs: fewer of half of
 * that change, and hardly any of none. The more runs differ, the larger it is. */
static void test_truth_self_check_finds(void **state)
{
	static const char *const gates[] = {"task[a].p50>+2%", "task(a).p50>+2%",
					    "task[a].p50<-2%"};
	static const double noises[] = {0.02, 0.06};
	const struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	const struct rep_check_options how = {.rounds = 100};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		double before = 0;

		for (size_t k = 0; k < 2; k++) {
			struct rep_metrics *run[2 * RUNS];
			struct rep_diff_run runs[2 * RUNS];
			const struct rep_diff_side side = {runs, 2 * RUNS};
			unsigned found = 0, half = 0, pairs = 40 * times;
			struct rep_check check;
			struct rep_gate g;
			struct tp_err err;
			uint64_t seed = 2;
			double finds;

			make(run, RUNS, noises[k], 1, &seed);
			testing_runs(runs, run, 2 * RUNS);
			assert_int_equal(rep_gate_parse(&g, gates[i], &rep_diff_of_traces, &err),
					 0);
			assert_int_equal(rep_check(&side, false, &how, &opt, &g, 1, &check, &err),
					 0);
			finds = check.row[1].finds;
			rep_check_release(&check);
			rep_gate_release(&g);
			release(run, 2 * RUNS);
			for (unsigned p = 0; p < 2 * pairs; p++) {
				make(run, RUNS, noises[k], 1 + (p % 2 ? finds / 2 : finds), &seed);
				*(p % 2 ? &half : &found) +=
				    exceeded(gates[i], run, run + RUNS, RUNS);
				release(run, 2 * RUNS);
			}
			print_message("self-check, noise %.0f%%: %s finds %+.1f%%: %u of %u, half "
				      "of it %u\n",
				      noises[k] * 100, gates[i], finds * 100, found, pairs, half);
			assert_true(fabs(finds) > before);
			assert_true(found >= 0.75 * pairs);
			assert_true(half < found);
			before = fabs(finds);
		}
	}
}

/* More runs on each side never find less, from one run on. */
static void test_truth_more_runs(void **state)
{
	static const double effects[] = {1, 1.1, 1.3, 2, 11};
	static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 8, RUNS, 15, MOST};

	(void)state;
	for (size_t e = times > 1 ? 0 : 1; e < sizeof(effects) / sizeof(*effects); e++) {
		unsigned pairs = times > 1 ? 10 * times : 20, before = 0;

		for (size_t i = 0; i < (times > 1 ? sizeof(sizes) / sizeof(*sizes) : 5); i++) {
			size_t n = sizes[i];
			unsigned found = 0;
			uint64_t seed = 41 + e;

			for (unsigned k = 0; k < pairs; k++) {
				struct rep_metrics *run[2 * MOST];

				make(run, n, 0.02, effects[e], &seed);
				found += is_named(run, run + n, n, "task[a].p50");
				release(run, 2 * n);
			}
			print_message("%+.0f%%, %zu and %zu runs, noise 2%%: named in %u of %u\n",
				      effects[e] * 100 - 100, n, n, found, pairs);
			if (effects[e] > 1)
				assert_true(found + 3 * sqrt(0.5 * pairs) >= before);
			before = found;
		}
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_truth_same_sets),  cmocka_unit_test(test_truth_planted),
	    cmocka_unit_test(test_truth_more_runs),  cmocka_unit_test(test_truth_same_single),
	    cmocka_unit_test(test_truth_self_check), cmocka_unit_test(test_truth_self_check_finds),
	};

	if (argc > 1)
		times = (unsigned)strtoul(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
