#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <libxml/parser.h>

#include "diff/show.h"
#include "diff/testing.h"
#include "profile/merge/merge.h"

static void test_gate_parse(void **state)
{
	static const struct {
		const char *text;
		enum { TOTAL, FLAT, CUM } metric;
		const char *type;
		enum rep_gate_change change;
		double limit;
		bool percent;
		double min, alpha;
		bool fails;
	} good[] = {
	    {"inuse_space>+5%,min=1MiB", TOTAL, "inuse_space", REP_GATE_ABOVE, 5, true, 1, 0.05,
	     false},
	    {"cpu > 5 %", TOTAL, "cpu", REP_GATE_ABOVE, 5, true, 0, 0.05, false},
	    {"cpu+-10%", TOTAL, "cpu", REP_GATE_EITHER, 10, true, 0, 0.05, false},
	    {"cpu<-5%, alpha=0.01 , undecided=fail", TOTAL, "cpu", REP_GATE_BELOW, 5, true, 0, 0.01,
	     true},
	    {"space>2MiB", TOTAL, "space", REP_GATE_ABOVE, 2, false, 0, 0.05, false},
	    {"flat(main\\.(f|g))>20%", FLAT, "", REP_GATE_ABOVE, 20, true, 0, 0.05, false},
	    {"cum(a\\)>b,c)+-1.5%,min=3", CUM, "", REP_GATE_EITHER, 1.5, true, 3, 0.05, false},
	    {"alloc_space:flat(^main)>20%", FLAT, "alloc_space", REP_GATE_ABOVE, 20, true, 0, 0.05,
	     false},
	};
	static const char *const bad[] = {
	    "",
	    "cpu",
	    ">5%",
	    "cpu>",
	    "cpu>-5%",
	    "cpu<5%",
	    "cpu+5%",
	    "cpu>five",
	    "cpu>5%,min",
	    "cpu>5%,min=x",
	    "cpu>5%,a=1",
	    "cpu>5%,alpha=2",
	    "cpu>5%ms",
	    "cpu>5%,",
	    "flat(a>5%",
	    "flat(a).b>5%",
	    "[].:flat(>5%",
	    "flat([)>5%",
	    "cpu>1e999",
	    "cpu>5%,min=-1",
	    "cpu>5%,undecided=no",
	    "cpu>5%,share=1",
	    "cpu>5%,share=101%",
	    "cpu>5%,share=%",
	    "cpu>5%,share=1%%",
	    "cpu>5%,share=-1%",
	    "cpu>5%,share=1ms%",
	    "cpu>nan",
	};
	struct rep_gate g;
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (rep_gate_parse(&g, good[i].text, &rep_diff_of_profiles, &err))
			fail_msg("%s", err.msg);
		assert_int_equal(g.several, good[i].metric != TOTAL);
		assert_int_equal(g.cum, good[i].metric == CUM);
		assert_string_equal(g.type, good[i].type);
		assert_int_equal(g.change, good[i].change);
		assert_true(g.limit.number == good[i].limit);
		assert_int_equal(g.limit.percent, good[i].percent);
		assert_true(g.min.number == good[i].min);
		assert_true(g.alpha == good[i].alpha);
		assert_int_equal(g.undecided_fails, good[i].fails);
		rep_gate_release(&g);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err.msg[0] = '\0';
		if (rep_gate_parse(&g, bad[i], &rep_diff_of_profiles, &err) != TP_EFORMAT)
			fail_msg("'%s' is taken", bad[i]);
		assert_true(err.msg[0]);
		rep_gate_release(&g);
	}
}

/* One function `f` and one `g`, in as many runs as there are values. */
static void judge_damaged(const char *text, const char *damaged, const int64_t *old, size_t n,
			  const int64_t *new, size_t m, struct rep_gate_result *r)
{
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct rep_diff_run run[40];
	struct tp_profile *p[40];
	struct rep_gate g;
	struct tp_err err;

	opt.damaged = damaged;
	memset(run, 0, sizeof(run));
	for (size_t i = 0; i < n + m; i++) {
		run[i].profile = p[i] = testing_profile();
		testing_sample(p[i], "main;f", 1, i < n ? old[i] : new[i - n]);
		testing_sample(p[i], "main;g", 1, 1000);
	}
	if (rep_gate_parse(&g, text, &rep_diff_of_profiles, &err) ||
	    rep_gate_judge(&g, &(struct rep_diff_side){run, n}, &(struct rep_diff_side){run + n, m},
			   &opt, r, &err))
		fail_msg("%s", err.msg);
	rep_gate_release(&g);
	for (size_t i = 0; i < n + m; i++)
		tp_profile_free(p[i]);
}

static void judge(const char *text, const int64_t *old, size_t n, const int64_t *new, size_t m,
		  struct rep_gate_result *r)
{
	judge_damaged(text, NULL, old, n, new, m, r);
}

static void test_gate_judge_pairs(void **state)
{
	static const struct {
		const char *gate;
		int64_t old, new; /* of f; g and so the total have 1000 more */
		enum rep_outcome want;
		const char *note;
	} cases[] = {
	    {"space>+5%", 1000, 1099, REP_OUTCOME_PASSED, ""},
	    {"space>+5%", 1000, 1100, REP_OUTCOME_PASSED, ""}, /* exactly 5 % is not more */
	    {"space>+5%", 1000, 1101, REP_OUTCOME_EXCEEDED, ""},
	    {"space>+7%", 1000, 1140, REP_OUTCOME_PASSED, ""}, /* 0.07 * 100 is more than 7 */
	    {"space>+5%,min=102B", 1000, 1101, REP_OUTCOME_PASSED, ""},
	    {"space>+5%,min=1KiB", 1000, 3000, REP_OUTCOME_EXCEEDED, ""},
	    {"space>+5%", 1000, 0, REP_OUTCOME_PASSED, "space fell by 50%"},
	    {"space+-5%", 1000, 0, REP_OUTCOME_EXCEEDED, ""},
	    {"space+-5%", 1000, 950, REP_OUTCOME_PASSED, ""},
	    {"space<-5%", 1000, 850, REP_OUTCOME_EXCEEDED, ""},
	    {"space<-5%", 1000, 9000, REP_OUTCOME_PASSED, "space grew by 400%"},
	    {"space>1KiB", 0, 1024, REP_OUTCOME_PASSED, ""},
	    {"space>1KiB", 0, 1025, REP_OUTCOME_EXCEEDED, ""},
	    {"objects>+1%", 5, 50, REP_OUTCOME_PASSED, ""},
	    {"flat(^f$)>+20%", 1000, 1201, REP_OUTCOME_EXCEEDED, ""},
	    {"flat(^f$)>+20%", 0, 1, REP_OUTCOME_EXCEEDED, ""}, /* from nothing */
	    {"flat(^main$)>+20%", 0, 100, REP_OUTCOME_PASSED, ""},
	    {"cum(^main$)>+9%", 0, 100, REP_OUTCOME_EXCEEDED, ""},
	    {"space:cum(.)>+9%", 0, 100, REP_OUTCOME_EXCEEDED, ""},
	};
	struct rep_gate_result r;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *note;

		judge(cases[i].gate, &cases[i].old, 1, &cases[i].new, 1, &r);
		note = (const char *)r.note.data;
		if (r.outcome != cases[i].want || !*cases[i].note != !*note ||
		    strncmp(note, cases[i].note, strlen(cases[i].note)) != 0)
			fail_msg("%s %lld %lld: %s, %s", cases[i].gate, (long long)cases[i].old,
				 (long long)cases[i].new, rep_outcomes[r.outcome], note);
		assert_int_equal(r.fails, r.outcome == REP_OUTCOME_EXCEEDED);
		rep_gate_result_release(&r);
	}
}

/* All that exceed it are named, the worst in the sentence; what is less than the share is not
 * looked at, and no test either. */
static void test_gate_judge_names(void **state)
{
	static const struct {
		const char *gate;
		int64_t old, new;
		size_t tested;
		const char *names;
	} cases[] = {
	    {"flat(.)>+9%", 0, 100, 3, "f\n"},
	    {"cum(.)>+9%", 0, 100, 3, "f\nmain\n"},
	    {"flat(.)>+9%", 100, 100, 3, ""},
	    {"flat(.)>+9%,share=4%", 0, 100, 2, "f\n"}, /* main is nothing itself */
	    {"flat(.)>+9%,share=5%", 0, 100, 1, ""},	/* 50 of 1050 */
	    {"space>+9%", 0, 100, 1, ""},
	};
	struct rep_gate_result r;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		judge(cases[i].gate, &cases[i].old, 1, &cases[i].new, 1, &r);
		if (strcmp((char *)r.names.data, cases[i].names) != 0 ||
		    r.tested != cases[i].tested)
			fail_msg("%s: tested %zu, named '%s'", cases[i].gate, r.tested,
				 (char *)r.names.data);
		if (i == 1)
			assert_string_equal((char *)r.each.data,
					    "f: 0B, then 100B (from nothing)\n"
					    "main: 1000B, then 1.07KiB (+10.0%)\n");
		rep_gate_result_release(&r);
	}
}

/* What a gate cannot see is no reason to let it pass, unless it says so. */
static void test_gate_judge_blind(void **state)
{
	static const struct {
		const char *gate, *damaged;
		enum rep_outcome want;
		bool fails, blind;
	} cases[] = {
	    {"flat(nobody)>+9%", NULL, REP_OUTCOME_UNDECIDED, true, true},
	    {"flat(nobody)>+9%,undecided=fail", NULL, REP_OUTCOME_UNDECIDED, true, true},
	    {"flat(nobody)>+9%,missing=fail", NULL, REP_OUTCOME_UNDECIDED, true, true},
	    {"flat(nobody)>+9%,missing=pass", NULL, REP_OUTCOME_UNDECIDED, false, false},
	    {"space>+9%", "a.heap", REP_OUTCOME_UNDECIDED, true, true},
	    {"space>+5%", "a.heap", REP_OUTCOME_UNDECIDED, true, true},
	    {"flat(^f$)>+20%,damaged=fail", "a.heap", REP_OUTCOME_UNDECIDED, true, true},
	    {"space>+9%,damaged=pass", "a.heap", REP_OUTCOME_EXCEEDED, true, false},
	    {"space>+50%,damaged=pass", "a.heap", REP_OUTCOME_PASSED, false, false},
	    {"space>+50%,damaged=pass", NULL, REP_OUTCOME_PASSED, false, false},
	};
	static const int64_t old[] = {1000}, new[] = {1300};
	struct rep_gate_result r;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		judge_damaged(cases[i].gate, cases[i].damaged, old, 1, new, 1, &r);
		if (r.outcome != cases[i].want || r.fails != cases[i].fails ||
		    r.blind != cases[i].blind)
			fail_msg("%s: %s, %d %d", cases[i].gate, rep_outcomes[r.outcome], r.fails,
				 r.blind);
		assert_int_equal(cases[i].damaged && r.blind,
				 strstr((char *)r.why.data, "a.heap is damaged") != NULL);
		rep_gate_result_release(&r);
	}
}

/* No sample at all is nothing to compare; samples of 0 are something. */
static void test_gate_judge_nothing(void **state)
{
	static const struct {
		const char *gate;
		size_t samples[2]; /* of the old run and the new one */
		enum rep_outcome want;
		bool blind;
	} cases[] = {
	    {"space>+5%", {0, 0}, REP_OUTCOME_UNDECIDED, true},
	    {"space+-5%,undecided=pass", {0, 0}, REP_OUTCOME_UNDECIDED, true},
	    {"space<-5%,missing=fail", {0, 0}, REP_OUTCOME_UNDECIDED, true},
	    {"space>+5%,missing=pass", {0, 0}, REP_OUTCOME_UNDECIDED, false},
	    {"space>+5%,missing=pass,undecided=fail", {0, 0}, REP_OUTCOME_UNDECIDED, false},
	    {"flat(.)>+5%", {0, 0}, REP_OUTCOME_UNDECIDED, true},
	    {"space>+5%", {1, 1}, REP_OUTCOME_PASSED, false},
	    {"space>+5%", {1, 0}, REP_OUTCOME_PASSED, false},
	    {"space>+5%", {0, 1}, REP_OUTCOME_PASSED, false},
	    {"objects>+5%", {0, 1}, REP_OUTCOME_EXCEEDED, false},
	};
	const struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rep_diff_run run[2] = {{.profile = testing_profile()},
					      {.profile = testing_profile()}};
		struct rep_gate_result r;
		struct rep_gate g;
		struct tp_err err;

		for (int side = 0; side < 2; side++)
			for (size_t k = 0; k < cases[i].samples[side]; k++)
				testing_sample((void *)(uintptr_t)run[side].profile, "main;f", 1,
					       0);
		if (rep_gate_parse(&g, cases[i].gate, &rep_diff_of_profiles, &err) ||
		    rep_gate_judge(&g, &(struct rep_diff_side){run, 1},
				   &(struct rep_diff_side){run + 1, 1}, &opt, &r, &err))
			fail_msg("%s", err.msg);
		if (r.outcome != cases[i].want || r.blind != cases[i].blind ||
		    r.fails != (r.blind || r.outcome == REP_OUTCOME_EXCEEDED))
			fail_msg("%s: %s, %d %d", cases[i].gate, rep_outcomes[r.outcome], r.fails,
				 r.blind);
		if (r.outcome == REP_OUTCOME_UNDECIDED)
			assert_non_null(strstr((char *)r.why.data, "nothing can be compared"));
		rep_gate_result_release(&r);
		rep_gate_release(&g);
		for (int side = 0; side < 2; side++)
			tp_profile_free((void *)(uintptr_t)run[side].profile);
	}
}

/* Sums that 64 bits do not hold wrap to any number: a gate on one of them does not pass by it. */
static void test_gate_judge_wrapped(void **state)
{
	static const int64_t most = INT64_MAX, half = INT64_MAX / 2 + 1;
	static const struct {
		const char *gate;
		int64_t f[4], g; /* of the new run's samples of f; all else is 100 */
		enum rep_outcome want;
		const char *why;
	} cases[] = {
	    {"space>+5%", {most, most}, 100, REP_OUTCOME_UNDECIDED, "the sums do not fit"},
	    {"space<-5%", {most, most}, 100, REP_OUTCOME_UNDECIDED, "the sums do not fit"},
	    {"space>+5%,missing=pass", {most}, most, REP_OUTCOME_UNDECIDED, "the sums do not fit"},
	    {"space>+5%", {-most, -most}, 100, REP_OUTCOME_UNDECIDED, "the sums do not fit"},
	    {"space+-5%", {-most, -most, most, most}, 200, REP_OUTCOME_PASSED, "200B, then 200B"},
	    {"space>+5%", {half / 2}, 100, REP_OUTCOME_EXCEEDED, "200B, then 2"},
	    {"objects>+5%,min=9", {most, most}, 100, REP_OUTCOME_PASSED, "2, then 3"},
	    {"flat(^f$)>+5%", {most, most}, 100, REP_OUTCOME_UNDECIDED, "f: the sums do not fit"},
	    /* All of them are 0 again. */
	    {"flat(^f$)>+5%", {half, half, half, half}, 100, REP_OUTCOME_UNDECIDED, "f: the sums"},
	    {"flat(^f$)>+5%,share=9%", {most, most}, 100, REP_OUTCOME_UNDECIDED, "f: the sums"},
	    {"flat(^g$)>+5%", {most, most}, 100, REP_OUTCOME_PASSED, "g: 100B, then 100B"},
	    {"flat(.)>+5%", {most, most}, 100, REP_OUTCOME_UNDECIDED, "f: the sums do not fit"},
	    {"flat(.)>+5%", {most, most}, 200, REP_OUTCOME_EXCEEDED, "g: 100B, then 200B"},
	    {"cum(^main$)>+5%", {half}, half, REP_OUTCOME_UNDECIDED, "main: the sums do not fit"},
	    {"flat(^main$)>+5%", {half}, half, REP_OUTCOME_PASSED, "main: 0B, then 0B"},
	};
	const struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_profile *old = testing_profile(), *new = testing_profile(), *sum = NULL;
		struct rep_diff_run run[] = {{.profile = old}, {.profile = new}};
		struct rep_merge_part part[] = {{.profile = new, .ratio = 1},
						{.profile = old, .ratio = 1}};
		bool wrapped = cases[i].want == REP_OUTCOME_UNDECIDED, merged;
		struct rep_gate_result r;
		struct rep_gate g;
		struct tp_err err;

		testing_sample(old, "main;f", 1, 100);
		testing_sample(old, "main;g", 1, 100);
		for (int k = 0; k < 4; k++)
			if (cases[i].f[k])
				testing_sample(new, "main;f", 1, cases[i].f[k]);
		testing_sample(new, "main;g", 1, cases[i].g);
		assert_int_equal(rep_gate_parse(&g, cases[i].gate, &rep_diff_of_profiles, &err), 0);
		assert_int_equal(rep_gate_judge(&g, &(struct rep_diff_side){run, 1},
						&(struct rep_diff_side){run + 1, 1}, &opt, &r,
						&err),
				 0);
		if (r.outcome != cases[i].want || r.blind != wrapped || r.wrapped != wrapped ||
		    r.fails != (cases[i].want != REP_OUTCOME_PASSED) ||
		    !strstr((char *)r.why.data, cases[i].why))
			fail_msg("%s: %s, %d %d, %s", cases[i].gate, rep_outcomes[r.outcome],
				 r.fails, r.blind, (char *)r.why.data);
		rep_gate_result_release(&r);
		/* Nor where they were added up before: which ones is not known then. */
		assert_int_equal(rep_profile_merge(part, 2, &sum, &err), 0);
		merged = sum->wrapped;
		run[1].profile = sum;
		assert_int_equal(rep_gate_judge(&g, &(struct rep_diff_side){run, 1},
						&(struct rep_diff_side){run + 1, 1}, &opt, &r,
						&err),
				 0);
		assert_int_equal(merged, cases[i].f[1] || cases[i].f[0] == most);
		if (merged)
			assert_true(r.wrapped && r.fails);
		rep_gate_result_release(&r);
		rep_gate_release(&g);
		tp_profile_free(sum);
		tp_profile_free(old);
		tp_profile_free(new);
	}
}

/* What scales runs to each other's totals is wrong where one of these has wrapped. */
static void test_gate_judge_wrapped_ratio(void **state)
{
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct tp_profile *old = testing_profile(), *new = testing_profile();
	struct rep_diff_run run[] = {{.profile = old}, {.profile = new}};
	struct rep_gate_result r;
	struct rep_gate g;
	struct tp_err err;

	(void)state;
	opt.normalize = true;
	testing_sample(old, "main;f", 1, 100);
	testing_sample(new, "main;f", 1, INT64_MAX);
	testing_sample(new, "main;g", 1, INT64_MAX);
	testing_sample(new, "main;h", 1, 100);
	assert_int_equal(rep_gate_parse(&g, "flat(^h$)>+5%", &rep_diff_of_profiles, &err), 0);
	assert_int_equal(rep_gate_judge(&g, &(struct rep_diff_side){run, 1},
					&(struct rep_diff_side){run + 1, 1}, &opt, &r, &err),
			 0);
	assert_true(r.wrapped && r.fails);
	rep_gate_result_release(&r);
	rep_gate_release(&g);
	tp_profile_free(old);
	tp_profile_free(new);
}

static void test_gate_judge_sets(void **state)
{
	static const int64_t old[] = {100, 105, 110, 95, 90, 101, 99};
	static const int64_t noisy[] = {150, 60, 250, 90, 400, 80, 95};
	static const int64_t more[] = {200, 210, 190, 220, 230, 205, 195};
	struct rep_gate_result r;

	(void)state;
	judge("flat(^f$)>+20%", old, 7, more, 7, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_EXCEEDED);
	assert_true(r.p < 0.001);
	rep_gate_result_release(&r);
	/* 95 is below 100: the medians are not apart */
	judge("flat(^f$)>+20%", old, 7, noisy, 7, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_PASSED);
	rep_gate_result_release(&r);
	/* apart, but no more than noise may be */
	judge("flat(^f$)<-5%", noisy, 5, old, 4, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_PASSED);
	assert_non_null(strstr((char *)r.why.data, "not significant"));
	rep_gate_result_release(&r);
	/* too few to tell: an error unless told otherwise */
	judge("flat(^f$)>+20%,undecided=pass", old, 3, more, 3, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_UNDECIDED);
	assert_false(r.fails || r.unjudged);
	rep_gate_result_release(&r);
	judge("flat(^f$)>+20%", old, 3, more, 3, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_UNDECIDED);
	assert_true(r.fails && r.unjudged && !r.blind);
	assert_non_null(strstr((char *)r.why.data, "too few runs"));
	assert_non_null(strstr((char *)r.why.data, "use 4 on each side"));
	rep_gate_result_release(&r);
	/* also where the medians are alike: whatever they were, it could not have been exceeded */
	judge("space>+50%", old, 3, old + 3, 3, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_UNDECIDED);
	assert_true(r.fails && r.unjudged);
	rep_gate_result_release(&r);
	judge("space>+50%,alpha=0.001", old, 5, old + 2, 5, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_UNDECIDED);
	assert_non_null(strstr((char *)r.why.data, "use 7 on each side"));
	rep_gate_result_release(&r);
	/* four can tell one change (p = 0.029), but not one among three functions */
	judge("flat(^f$)>+20%", old, 4, more, 4, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_EXCEEDED);
	rep_gate_result_release(&r);
	judge("flat(.)>+20%", old, 4, more, 4, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_UNDECIDED);
	assert_non_null(strstr((char *)r.why.data, "among 3 functions"));
	assert_non_null(strstr((char *)r.why.data, "use 5 on each side"));
	rep_gate_result_release(&r);
	/* and where none is beyond the limit, that is said, too */
	judge("flat(.)>+500%", old, 4, more, 4, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_PASSED);
	assert_non_null(strstr((char *)r.note.data, "among 3 functions"));
	rep_gate_result_release(&r);
	judge("flat(.)>+500%", old, 5, more, 5, &r);
	assert_string_equal((char *)r.note.data, "");
	rep_gate_result_release(&r);
	/* of one against one the numbers decide, unless a test is asked for */
	judge("flat(^f$)>+20%", old, 1, more, 1, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_EXCEEDED);
	rep_gate_result_release(&r);
	judge("flat(^f$)>+20%,alpha=0.01", old, 1, more, 1, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_UNDECIDED);
	assert_non_null(strstr((char *)r.why.data, "use 5 on each side"));
	rep_gate_result_release(&r);
	judge("flat(^f$)>+20%,undecided=fail", old, 3, more, 3, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_UNDECIDED);
	assert_true(r.fails && !r.unjudged);
	rep_gate_result_release(&r);
	/* how many it takes is said for all functions at once, and by the side that has fewer */
	judge("flat(.)>+20%,alpha=0.01", old, 3, more, 3, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_UNDECIDED);
	assert_non_null(
	    strstr((char *)r.why.data, "6 on each side to find a single change among 3"));
	rep_gate_result_release(&r);
	judge("flat(^f$)>+20%", old, 7, more, 1, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_UNDECIDED);
	assert_non_null(strstr((char *)r.why.data, "use 3 new ones with these 7"));
	rep_gate_result_release(&r);
	/* what went the other way is no reason */
	judge("flat(.)<-20%", more, 3, old, 3, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_UNDECIDED);
	assert_true(!strncmp((char *)r.why.data, "f: 200B", 7));
	rep_gate_result_release(&r);
	judge("flat(.)>+20%", more, 3, old, 3, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_UNDECIDED);
	assert_true(!strncmp((char *)r.why.data, "too few runs", 12));
	rep_gate_result_release(&r);
	/* a laxer alpha makes three enough */
	judge("flat(^f$)>+20%,alpha=0.1", old, 3, more, 3, &r);
	assert_int_equal(r.outcome, REP_OUTCOME_EXCEEDED);
	rep_gate_result_release(&r);
}

static void test_gate_judge_errors(void **state)
{
	static const struct {
		const char *gate;
		int code;
	} cases[] = {{"speed>5%", TP_ENOENT},
		     {"space>5ms", TP_EFORMAT},
		     {"space>5%,min=1s", TP_EFORMAT},
		     {"space>100", TP_EFORMAT}};
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct tp_profile *p = testing_profile();
	struct rep_diff_run run = {.profile = p};
	struct rep_diff_side side = {&run, 1};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct rep_gate_result r;
		struct rep_gate g;
		struct tp_err err;

		assert_int_equal(rep_gate_parse(&g, cases[i].gate, &rep_diff_of_profiles, &err), 0);
		assert_int_equal(rep_gate_judge(&g, &side, &side, &opt, &r, &err), cases[i].code);
		rep_gate_result_release(&r);
		rep_gate_release(&g);
	}
	tp_profile_free(p);
}

/* Well-formed whatever the names hold. */
static void test_gate_junit(void **state)
{
	static const int64_t old[] = {100}, new[] = {200};
	struct rep_gate gate[4] = {
	    {.text = "flat(<&\"\x01\xff)>5%"}, {.text = "b"}, {.text = "c"}, {.text = "d"}};
	struct rep_gate_result result[4];
	struct tp_buf out = {0};
	struct rep_sink sink = rep_sink_buf(&out);
	struct tp_err err;
	xmlDoc *doc;

	(void)state;
	judge("flat(^f$)>+20%", old, 1, new, 1, &result[0]);
	judge("flat(nobody)>+20%", old, 1, new, 1, &result[1]);
	judge("space<-90%", new, 1, old, 1, &result[2]);
	judge("flat(nobody)>+20%,missing=pass", old, 1, new, 1, &result[3]);
	assert_int_equal(rep_gate_junit(gate, result, 4, "tprof-diff", &sink, &err), 0);
	doc = xmlReadMemory((char *)out.data, (int)out.size, "junit.xml", NULL, XML_PARSE_NONET);
	assert_non_null(doc);
	assert_int_equal(tp_buf_put(&out, "", 1), 0);
	assert_non_null(
	    strstr((char *)out.data, "tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\""));
	assert_non_null(
	    strstr((char *)out.data, "<failure type=\"exceeded\" message=\"f: 100B, then"));
	assert_non_null(
	    strstr((char *)out.data, "<error type=\"undecided\" message=\"no function matches"));
	assert_non_null(strstr((char *)out.data, "<skipped message=\"no function matches"));
	xmlFreeDoc(doc);
	tp_buf_release(&out);
	for (int i = 0; i < 4; i++)
		rep_gate_result_release(&result[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_gate_parse),
	    cmocka_unit_test(test_gate_judge_pairs),
	    cmocka_unit_test(test_gate_judge_names),
	    cmocka_unit_test(test_gate_judge_wrapped),
	    cmocka_unit_test(test_gate_judge_wrapped_ratio),
	    cmocka_unit_test(test_gate_judge_sets),
	    cmocka_unit_test(test_gate_judge_errors),
	    cmocka_unit_test(test_gate_junit),
	    cmocka_unit_test(test_gate_judge_blind),
	    cmocka_unit_test(test_gate_judge_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
