/* Do the statistics keep what they promise? Whole diffs and gates over simulated runs.
 *
 *   truth_test [TIMES]	   TIMES as many simulations, with bounds as much tighter (.ci/run) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "diff/gate.h"
#include "diff/power.h"
#include "diff/testing.h"

#define MAX_RUNS  20
#define FUNCTIONS 25
#define ALPHA	  0.05

static unsigned times = 1;

/* What differs between the sides of a simulation. */
struct world {
	size_t n;	 /* runs on each side */
	double noise;	 /* coefficient of variation of each function */
	double change;	 /* of the first function of the new side */
	double together; /* noise that all functions of a run share */
};

static struct tp_profile *simulate(const struct world *w, bool new, uint64_t *seed)
{
	struct tp_profile *p = testing_profile();
	double shared = exp(w->together * rep_power_normal(seed));
	double sd = sqrt(log1p(w->noise * w->noise));

	for (int i = 0; i < FUNCTIONS; i++) {
		double v = 1e9 / (1 + i) * shared * exp(sd * rep_power_normal(seed));
		char name[32];

		if (new && !i)
			v *= 1 + w->change;
		snprintf(name, sizeof(name), "main.main;main.f%d", i);
		testing_sample(p, name, 1, (int64_t)v);
	}
	return p;
}

struct outcome {
	bool row;   /* some function is said to have changed */
	bool total; /* so is the total */
	bool gate;  /* the gate on the first function is exceeded */
};

/* `rows`: what the diff says of rows and of the total is wanted, too. */
static struct outcome play(const struct world *w, const char *expression, uint64_t *seed, bool rows)
{
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct rep_diff_run run[2 * MAX_RUNS];
	struct rep_diff_side old = {run, w->n}, new = {run + w->n, w->n};
	struct tp_profile *p[2 * MAX_RUNS];
	struct outcome out = {0};
	struct rep_gate_result result;
	struct rep_gate gate;
	struct rep_diff *d;
	struct tp_err err;

	memset(run, 0, sizeof(run));
	for (size_t i = 0; i < 2 * w->n; i++)
		run[i].profile = p[i] = simulate(w, i >= w->n, seed);
	if (rows) {
		assert_int_equal(rep_diff_new(&d, &old, &new, &opt, &err), 0);
		for (size_t i = 0; i < d->n; i++)
			out.row = out.row || d->row[i].verdict == REP_VERDICT_CHANGED;
		out.total = d->total.verdict == REP_VERDICT_CHANGED;
		rep_diff_free(d);
	}
	assert_int_equal(rep_gate_parse(&gate, expression, &rep_diff_of_profiles, &err), 0);
	assert_int_equal(rep_gate_judge(&gate, &old, &new, &opt, &result, &err), 0);
	out.gate = result.outcome == REP_OUTCOME_EXCEEDED;
	rep_gate_result_release(&result);
	rep_gate_release(&gate);
	for (size_t i = 0; i < 2 * w->n; i++)
		tp_profile_free(p[i]);
	return out;
}

/* The same program on both sides: of 200 comparisons, at most the stated share finds a change. The
 * seeds are fixed: this notices when something gets worse. With many more simulations the share is
 * known well, and chance gets its three standard deviations. */
static void test_truth_same(void **state)
{
	static const struct world worlds[] = {
	    {4, 0.1, 0, 0},
	    {5, 0.05, 0, 0.02},
	    {8, 0.2, 0, 0},
	    {10, 0.02, 0, 0.1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		unsigned sets = 200 * times, rows = 0, totals = 0, gates = 0;
		double chance = times > 1 ? 3 * sqrt(ALPHA * (1 - ALPHA) * sets) : 0;
		uint64_t seed = 7 + i;

		for (unsigned s = 0; s < sets; s++) {
			struct outcome out = play(&worlds[i], "flat(f0$)+-0%", &seed, true);

			rows += out.row;
			totals += out.total;
			gates += out.gate;
		}
		print_message(
		    "same, %2zu runs, noise %3.0f%%: of %u comparisons, rows changed in %u, "
		    "the total in %u, gate exceeded in %u\n",
		    worlds[i].n, worlds[i].noise * 100, sets, rows, totals, gates);
		assert_true(rows <= ALPHA * sets + chance);
		assert_true(totals <= ALPHA * sets + chance);
		assert_true(gates <= ALPHA * sets + chance);
	}
}

/* Planted changes are found as often as the table of power says (tprof-gates(7), POWER). */
static void test_truth_planted(void **state)
{
	static const struct {
		struct world world;
		double stated; /* in the manual */
	} cases[] = {
	    {{5, 0.02, 0.05, 0}, 0.838}, {{10, 0.05, 0.05, 0}, 0.498}, {{10, 0.05, 0.1, 0}, 0.970},
	    {{10, 0.1, 0.1, 0}, 0.478},	 {{10, 0.1, 0.2, 0}, 0.959},   {{20, 0.1, 0.1, 0}, 0.812},
	    {{20, 0.2, 0.2, 0}, 0.783},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct world *w = &cases[i].world;
		unsigned sets = 200 * times, found = 0;
		double want = cases[i].stated;
		double chance = 3 * sqrt(want * (1 - want) / sets) + 0.01;
		uint64_t seed = 7 + i;

		for (unsigned s = 0; s < sets; s++)
			found += play(w, "flat(f0$)>+0%", &seed, false).gate;
		print_message(
		    "%3.0f%% more, %2zu runs, noise %3.0f%%: found in %u of %u, stated %.2f\n",
		    w->change * 100, w->n, w->noise * 100, found, sets, want);
		if (fabs((double)found / sets - want) > chance)
			fail_msg("found in %.3f, stated %.3f", (double)found / sets, want);
	}
}

/* A gate with a limit and a floor never fires for less, however sure. */
static void test_truth_floor(void **state)
{
	struct world w = {10, 0.005, 0.04, 0};
	uint64_t seed = 3;

	(void)state;
	for (unsigned s = 0; s < 50; s++) {
		assert_false(play(&w, "flat(f0$)>+6%", &seed, false).gate);
		assert_false(play(&w, "flat(f0$)>+1%,min=1GiB", &seed, false).gate);
		assert_true(play(&w, "flat(f0$)>+2%,min=10MB", &seed, false).gate);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_truth_same),
	    cmocka_unit_test(test_truth_planted),
	    cmocka_unit_test(test_truth_floor),
	};

	if (argc > 1)
		times = (unsigned)strtoul(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
