#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "diff/closures.h"
#include "diff/testing.h"

struct pair {
	struct tp_profile *old, *new;
};

static struct rep_diff *compare_sets(struct tp_profile **old, size_t n, struct tp_profile **new,
				     size_t m, const struct rep_diff_options *opt)
{
	struct rep_diff_run a[32], b[32];
	struct rep_diff *d = NULL;
	struct tp_err err;

	memset(a, 0, sizeof(a));
	memset(b, 0, sizeof(b));
	for (size_t i = 0; i < n; i++)
		a[i].profile = old[i];
	for (size_t i = 0; i < m; i++)
		b[i].profile = new[i];
	if (rep_diff_new(&d, &(struct rep_diff_side){a, n}, &(struct rep_diff_side){b, m}, opt,
			 &err))
		fail_msg("%s", err.msg);
	return d;
}

static struct rep_diff *compare(struct pair *p, const struct rep_diff_options *opt)
{
	return compare_sets(&p->old, 1, &p->new, 1, opt);
}

static void pair_free(struct pair *p)
{
	tp_profile_free(p->old);
	tp_profile_free(p->new);
}

static struct pair pair_new(void)
{
	return (struct pair){testing_profile(), testing_profile()};
}

static void check(const struct rep_diff *d, const char *name, int64_t flat_old, int64_t flat_new,
		  int64_t cum_old, int64_t cum_new, enum rep_status status)
{
	const struct rep_diff_row *r = testing_row(d, name);

	if (!r)
		fail_msg("no row for %s", name);
	assert_int_equal(r->flat.old, flat_old);
	assert_int_equal(r->flat.new, flat_new);
	assert_int_equal(r->cum.old, cum_old);
	assert_int_equal(r->cum.new, cum_new);
	assert_int_equal(r->status, status);
}

static void test_diff_values(void **state)
{
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct pair p = pair_new();
	struct rep_diff *d;

	(void)state;
	testing_sample(p.old, "main;a;b", 1, 100);
	testing_sample(p.old, "main;a", 1, 50);
	testing_sample(p.old, "main;gone", 1, 7);
	testing_sample(p.new, "main;a;b", 1, 160);
	testing_sample(p.new, "main;a;b", 2, 20); /* equal samples add up */
	testing_sample(p.new, "main;a", 1, 50);
	testing_sample(p.new, "main;added", 1, 9);
	/* recursion counts once */
	testing_sample(p.new, "main;r;x;r;r", 1, 5);
	d = compare(&p, &opt);
	assert_string_equal(d->type, "space"); /* the last is the default */
	assert_string_equal(d->unit, "bytes");
	assert_int_equal(d->total.flat.old, 157);
	assert_int_equal(d->total.flat.new, 244);
	assert_int_equal(d->base, 157);
	assert_int_equal(d->n, 7);
	check(d, "main", 0, 0, 157, 244, REP_STATUS_CHANGED);
	check(d, "a", 50, 50, 150, 230, REP_STATUS_CHANGED);
	check(d, "b", 100, 180, 100, 180, REP_STATUS_CHANGED);
	check(d, "gone", 7, 0, 7, 0, REP_STATUS_GONE);
	check(d, "added", 0, 9, 0, 9, REP_STATUS_ADDED);
	check(d, "r", 0, 5, 0, 5, REP_STATUS_ADDED);
	check(d, "x", 0, 0, 0, 5, REP_STATUS_ADDED);
	/* by |delta|, then the other delta, then name */
	assert_ptr_equal(&d->row[0], testing_row(d, "b"));
	assert_ptr_equal(&d->row[1], testing_row(d, "added"));
	assert_ptr_equal(&d->row[2], testing_row(d, "gone"));
	assert_int_equal(d->row[0].verdict, REP_VERDICT_SAME); /* of so few samples */
	rep_diff_free(d);

	opt.sample_index = "objects";
	opt.cum = true;
	d = compare(&p, &opt);
	assert_int_equal(d->total.flat.new, 6);
	assert_ptr_equal(&d->row[0], testing_row(d, "main"));
	rep_diff_free(d);

	opt.drop_negative = true;
	opt.changed = true;
	d = compare(&p, &opt);
	assert_null(testing_row(d, "gone"));
	rep_diff_free(d);
	pair_free(&p);
}

static void test_diff_names(void **state)
{
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct pair p = pair_new();
	struct rep_diff *d;
	struct tp_buf name = {0};
	size_t names;

	(void)state;
	testing_sample(p.old, "main.f.func1;main.g", 1, 10);
	testing_sample(p.old, "main.f.func2;main.f.func2.1", 1, 20);
	testing_sample(p.old, "main.Map[go.shape.int_0]", 1, 5);
	testing_sample(p.new, "main.f.func3;main.g", 1, 30);
	testing_sample(p.new, "main.Map[go.shape.int]", 1, 5);
	d = compare(&p, &opt);
	check(d, "main.f.func*", 20, 0, 30, 30, REP_STATUS_CHANGED);
	check(d, "main.Map[...]", 5, 5, 5, 5, REP_STATUS_SAME);
	check(d, "main.g", 10, 30, 10, 30, REP_STATUS_CHANGED);
	assert_int_equal(rep_diff_name(d, testing_row(d, "main.f.func*"), &name, &names), 0);
	assert_int_equal(names, 3); /* func1, func2 and func2.1 are one */
	rep_diff_free(d);
	tp_buf_release(&name);

	opt.keys.exact = true;
	d = compare(&p, &opt);
	check(d, "main.f.func1", 0, 0, 10, 0, REP_STATUS_GONE);
	check(d, "main.f.func2", 0, 0, 20, 0, REP_STATUS_GONE);
	check(d, "main.f.func2.1", 20, 0, 20, 0, REP_STATUS_GONE);
	check(d, "main.f.func3", 0, 0, 0, 30, REP_STATUS_ADDED);
	check(d, "main.Map[go.shape.int]", 0, 5, 0, 5, REP_STATUS_ADDED);
	rep_diff_free(d);

	opt.keys.exact = false;
	opt.keys.by = REP_BY_STACK;
	d = compare(&p, &opt);
	check(d, "main.f.func*;main.g", 10, 30, 10, 30, REP_STATUS_CHANGED);
	rep_diff_free(d);
	pair_free(&p);
}

/* Lines are counted from the function's first, where it is known. */
static void test_diff_lines(void **state)
{
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct pair p = pair_new();
	struct rep_diff *d;

	(void)state;
	testing_sample(p.old, "main.f:12+10", 1, 10);
	testing_sample(p.new, "main.f:112+110", 1, 15);
	testing_sample(p.old, "main.g:5", 1, 3);
	testing_sample(p.new, "main.g:6", 1, 3);
	/* known on one side only: the lines of the file are what both have */
	testing_sample(p.old, "main.h:20", 1, 7);
	testing_sample(p.new, "main.h:20+18", 1, 9);
	testing_sample(p.old, "main.k.func3:30+25", 1, 4);
	testing_sample(p.new, "main.k.func4:30", 1, 4);
	opt.keys.by = REP_BY_LINE;
	d = compare(&p, &opt);
	check(d, "main.h main.go:20", 7, 9, 7, 9, REP_STATUS_CHANGED);
	check(d, "main.k.func4 main.go:30", 4, 4, 4, 4, REP_STATUS_SAME);
	check(d, "main.f main.go:112", 10, 15, 10, 15, REP_STATUS_CHANGED);
	check(d, "main.g main.go:5", 3, 0, 3, 0, REP_STATUS_GONE);
	rep_diff_free(d);
	opt.keys.exact = true;
	d = compare(&p, &opt);
	check(d, "main.f main.go:12", 10, 0, 10, 0, REP_STATUS_GONE);
	rep_diff_free(d);
	opt.keys.by = REP_BY_FILE;
	d = compare(&p, &opt);
	check(d, "main.go", 24, 31, 24, 31, REP_STATUS_CHANGED);
	rep_diff_free(d);
	pair_free(&p);
}

/* Objects are samples of as many bytes. Small changes of many samples, and large ones of few, come
 * behind those beyond noise, which is 3 standard errors. */
static void test_diff_noise(void **state)
{
	static const struct {
		const char *name;
		int64_t old, new;
		double noise;
		enum rep_verdict verdict;
	} rows[] = {
	    {"main.sure", 10, 60, 25.0998, REP_VERDICT_CHANGED},
	    {"main.large", 900, 1000, 130.767, REP_VERDICT_SAME},
	    {"main.new", 0, 9, 9, REP_VERDICT_SAME},
	    {"main.few", 1, 3, 6, REP_VERDICT_SAME},
	};
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct pair p = pair_new();
	struct rep_diff *d;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		if (rows[i].old)
			testing_sample(p.old, rows[i].name, rows[i].old, rows[i].old);
		testing_sample(p.new, rows[i].name, rows[i].new, rows[i].new);
	}
	d = compare(&p, &opt);
	for (size_t i = 0; i < 4; i++) {
		const struct rep_diff_row *row = &d->row[i];

		assert_ptr_equal(row, testing_row(d, rows[i].name));
		assert_true(fabs(row->noise - rows[i].noise) < 0.001);
		assert_int_equal(row->verdict, rows[i].verdict);
	}
	/* 911 and 1072: the root of 1983 is 44.5 */
	assert_int_equal(d->total.verdict, REP_VERDICT_CHANGED);
	assert_true(d->load == 1);
	rep_diff_free(d);

	/* The noise is scaled with the values. */
	opt.normalize = true;
	d = compare(&p, &opt);
	assert_true(fabs(testing_row(d, "main.few")->noise -
			 3 * sqrt(1 + 3 * (911. / 1072) * (911. / 1072))) < 0.001);
	rep_diff_free(d);
	opt.normalize = false;
	opt.changed = true;
	d = compare(&p, &opt);
	assert_int_equal(d->n, 1);
	rep_diff_free(d);
	opt.mean = true;
	d = compare(&p, &opt);
	assert_int_equal(d->total.verdict, REP_VERDICT_NONE);
	rep_diff_free(d);
	pair_free(&p);
}

/* All functions that can tell grow with the total; a leak in one of them is no load. */
static void test_diff_load(void **state)
{
	static const char *const name[] = {"main.a", "main.b", "main.c", "main.d"};
	static const int64_t old[] = {1000, 2000, 500, 3};
	static const struct {
		int64_t new[4];
		double load;
	} rows[] = {
	    {{1500, 3000, 750, 1}, 1.5},   {{500, 1000, 250, 9}, 0.5}, {{1050, 2100, 525, 3}, 1},
	    {{1000, 2000, 2500, 3}, 1},	   {{2750, 2000, 500, 3}, 1},  {{1500, 3000, 500, 3}, 1},
	};
	const struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pair p = pair_new();
		struct rep_diff *d;

		for (size_t k = 0; k < 4; k++) {
			testing_sample(p.old, name[k], old[k], old[k]);
			testing_sample(p.new, name[k], rows[i].new[k], rows[i].new[k]);
		}
		d = compare(&p, &opt);
		if (fabs(d->load - rows[i].load) > 0.01)
			fail_msg("row %zu: the load is %g times as much", i, d->load);
		rep_diff_free(d);
		pair_free(&p);
	}
}

static void test_diff_normalize(void **state)
{
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct pair p = pair_new();
	struct rep_diff *d;

	(void)state;
	testing_sample(p.old, "a", 1, 100);
	testing_sample(p.old, "b", 1, 100);
	testing_sample(p.new, "a", 4, 300);
	testing_sample(p.new, "b", 4, 100);
	opt.normalize = true;
	d = compare(&p, &opt);
	check(d, "a", 100, 150, 100, 150, REP_STATUS_CHANGED);
	check(d, "b", 100, 50, 100, 50, REP_STATUS_CHANGED);
	assert_int_equal(d->total.flat.new, 200);
	rep_diff_free(d);
	pair_free(&p);
}

/* Values of profiles that are differences themselves keep their sign. */
static void test_diff_negative(void **state)
{
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct pair p = pair_new();
	struct rep_diff *d;

	(void)state;
	testing_sample(p.old, "a", 1, -100);
	testing_sample(p.old, "b", 1, 50);
	testing_sample(p.new, "a", 1, -50);
	testing_sample(p.new, "b", 1, -50);
	d = compare(&p, &opt);
	check(d, "a", -100, -50, -100, -50, REP_STATUS_CHANGED);
	check(d, "b", 50, -50, 50, -50, REP_STATUS_CHANGED);
	assert_int_equal(d->total.flat.old, -50);
	assert_int_equal(d->base, 150); /* without signs */
	assert_true(rep_diff_percent(testing_row(d, "a")->flat) > 0);
	assert_true(rep_diff_percent(testing_row(d, "b")->flat) < 0);
	assert_true(isnan(rep_diff_percent((struct rep_diff_pair){0, 5})));
	rep_diff_free(d);
	pair_free(&p);
}

/* More than 50 runs are not permuted: q is that of ranks. */
static void test_diff_large_sets(void **state)
{
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct tp_profile *p[56];
	struct rep_diff *d;

	(void)state;
	for (int i = 0; i < 56; i++) {
		p[i] = testing_profile();
		testing_sample(p[i], "same", 1, 1000 + (i * 7) % 12);
		testing_sample(p[i], "grown", 1, (i < 28 ? 100 : 200) + i);
	}
	d = compare_sets(p, 28, p + 28, 28, &opt);
	assert_null(d->cell);
	assert_int_equal(testing_row(d, "grown")->verdict, REP_VERDICT_CHANGED);
	assert_int_equal(testing_row(d, "same")->verdict, REP_VERDICT_SAME);
	assert_true(testing_row(d, "grown")->q < 1e-8);
	rep_diff_free(d);
	d = compare_sets(p, 25, p + 28, 25, &opt);
	assert_non_null(d->cell);
	assert_true(fabs(testing_row(d, "grown")->q - 1.0 / 2000) < 1e-9);
	rep_diff_free(d);
	for (int i = 0; i < 56; i++)
		tp_profile_free(p[i]);
}

static void test_diff_sets(void **state)
{
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct tp_profile *p[12];
	struct rep_diff *d;

	(void)state;
	for (int i = 0; i < 12; i++) {
		p[i] = testing_profile();
		testing_sample(p[i], "same", 1, 1000 + (i * 7) % 12);
		testing_sample(p[i], "grown", 1, (i < 6 ? 100 : 200) + i);
		if (i == 7)
			testing_sample(p[i], "once", 1, 5);
	}
	d = compare_sets(p, 6, p + 6, 6, &opt);
	assert_true(d->sets);
	assert_false(d->few);
	assert_int_equal(d->tests, 3);
	check(d, "grown", 102, 208, 102, 208, REP_STATUS_CHANGED);
	check(d, "once", 0, 0, 0, 0, REP_STATUS_ADDED);
	assert_int_equal(testing_row(d, "grown")->verdict, REP_VERDICT_CHANGED);
	assert_int_equal(testing_row(d, "same")->verdict, REP_VERDICT_SAME);
	assert_int_equal(testing_row(d, "once")->verdict, REP_VERDICT_SAME);
	assert_true(testing_row(d, "grown")->of_old.low == 100);
	assert_true(testing_row(d, "grown")->of_new.high == 211);
	assert_true(fabs(testing_row(d, "grown")->q - 2.0 / 924) < 1e-9);
	rep_diff_free(d);

	opt.changed = true;
	d = compare_sets(p, 6, p + 6, 6, &opt);
	assert_int_equal(d->n, 1);
	rep_diff_free(d);

	/* three against three: no outcome has p <= 0.05 */
	opt.changed = false;
	d = compare_sets(p, 3, p + 6, 3, &opt);
	assert_true(d->few);
	assert_int_equal(testing_row(d, "grown")->verdict, REP_VERDICT_FEW);
	assert_int_equal(d->total.verdict, REP_VERDICT_FEW);
	rep_diff_free(d);
	opt.min_share = 0.01;
	d = compare_sets(p, 6, p + 6, 6, &opt);
	assert_null(testing_row(d, "once"));
	assert_int_equal(d->tests, 2);
	rep_diff_free(d);
	for (int i = 0; i < 12; i++)
		tp_profile_free(p[i]);
}

static void test_diff_types(void **state)
{
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct rep_diff_run run[2] = {{0}};
	struct tp_profile *other = tp_profile_new();
	struct rep_diff *d;
	struct tp_err err;
	struct pair p = pair_new();

	(void)state;
	assert_int_equal(tp_profile_add_type(other, testing_string(other, "space", 5),
					     testing_string(other, "kilobytes", 9)),
			 0);
	run[0].profile = other;
	run[1].profile = p.new;
	opt.sample_index = "objects";
	assert_int_equal(rep_diff_new(&d, &(struct rep_diff_side){&run[0], 1},
				      &(struct rep_diff_side){&run[1], 1}, &opt, &err),
			 TP_EFORMAT);
	assert_non_null(strstr(err.msg, "objects"));
	opt.sample_index = "speed";
	assert_int_equal(rep_diff_new(&d, &(struct rep_diff_side){&run[0], 1},
				      &(struct rep_diff_side){&run[1], 1}, &opt, &err),
			 TP_ENOENT);
	/* the finest unit is that of both */
	opt.sample_index = "space";
	assert_int_equal(tp_profile_add_sample(other, 0, 0, (int64_t[]){2}), 0);
	testing_sample(p.new, "a", 1, 5);
	assert_int_equal(rep_diff_new(&d, &(struct rep_diff_side){&run[0], 1},
				      &(struct rep_diff_side){&run[1], 1}, &opt, &err),
			 0);
	assert_int_equal(d->total.flat.old, 2048);
	assert_int_equal(d->total.flat.new, 5);
	rep_diff_free(d);
	tp_profile_free(other);
	pair_free(&p);
}

static void test_diff_labels(void **state)
{
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct pair p = pair_new();
	struct rep_diff *d;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tp_profile *q = i ? p.new : p.old;
		struct tp_label label[2] = {
		    {.key = testing_string(q, "route", 5), .text = testing_string(q, "/a", 2)},
		    {.key = testing_string(q, "bytes", 5),
		     .numeric = true,
		     .number = 64,
		     .unit = testing_string(q, "bytes", 5)}};
		uint32_t set;

		assert_int_equal(tp_profile_label_set(q, label, 2, &set), 0);
		assert_int_equal(tp_profile_add_sample(q, 0, set, (int64_t[]){1, 10 + i}), 0);
		assert_int_equal(tp_profile_add_sample(q, 0, 0, (int64_t[]){1, 3}), 0);
	}
	opt.keys.by = REP_BY_LABEL;
	d = compare(&p, &opt);
	check(d, "route=/a", 10, 11, 10, 11, REP_STATUS_CHANGED);
	check(d, "bytes=64bytes", 10, 11, 10, 11, REP_STATUS_CHANGED);
	check(d, "(none)", 3, 3, 3, 3, REP_STATUS_SAME);
	rep_diff_free(d);
	opt.keys.label = "route";
	d = compare(&p, &opt);
	assert_int_equal(d->n, 2);
	check(d, "/a", 10, 11, 10, 11, REP_STATUS_CHANGED);
	rep_diff_free(d);
	pair_free(&p);
}

/* Deep stacks and nothing at all. */
static void test_diff_extremes(void **state)
{
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct pair p = pair_new();
	struct rep_diff *d;
	uint32_t node = 0, frame, function;

	(void)state;
	d = compare(&p, &opt);
	assert_int_equal(d->n, 0);
	assert_int_equal(d->base, 0);
	rep_diff_free(d);
	assert_int_equal(
	    tp_dict_function(p.new->dict,
			     &(struct tp_function){.name = testing_string(p.new, "f", 1)},
			     &function),
	    0);
	assert_int_equal(
	    tp_dict_frame(p.new->dict, &(struct tp_frame){.function = function}, &frame), 0);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(tp_profile_push(p.new, &node, &frame, 1), 0);
	assert_int_equal(tp_profile_add_sample(p.new, node, 0, (int64_t[]){INT64_MAX, INT64_MIN}),
			 0);
	for (int by = 0; by < REP_NDIFF_BY; by++) {
		opt.keys.by = (enum rep_diff_by)by;
		opt.normalize = by & 1;
		d = compare(&p, &opt);
		rep_diff_free(d);
	}
	opt = (struct rep_diff_options)REP_DIFF_OPTIONS_INIT;
	opt.mean = true;
	d = compare(&p, &opt);
	rep_diff_free(d);
	pair_free(&p);
}

/* Sums of 3 and of 2 runs are compared as averages; also where shares and scales come from sums. */
static void test_diff_averages(void **state)
{
	struct pair p = pair_new();
	struct rep_diff_run old = {.profile = p.old, .times = 3},
			    new = {.profile = p.new, .times = 2};
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct rep_diff *d;
	struct tp_err err;

	(void)state;
	testing_sample(p.old, "main;f", 9, 301);
	testing_sample(p.old, "main;g", 3, 599);
	testing_sample(p.new, "main;f", 4, 401);
	testing_sample(p.new, "main;g", 2, -401);
	assert_int_equal(rep_diff_new(&d, &(struct rep_diff_side){&old, 1},
				      &(struct rep_diff_side){&new, 1}, &opt, &err),
			 0);
	check(d, "f", 100, 201, 100, 201, REP_STATUS_CHANGED); /* rounded: 100.3, 200.5 */
	check(d, "g", 200, -201, 200, -201, REP_STATUS_CHANGED);
	check(d, "main", 0, 0, 300, 0, REP_STATUS_GONE);
	assert_int_equal(d->total.flat.old, 300);
	assert_int_equal(d->base, 300);
	rep_diff_free(d);

	/* objects: 12 of 3 runs are 4 a run, 6 of 2 are 3 and become 4 */
	opt.normalize = true;
	opt.sample_index = "objects";
	assert_int_equal(rep_diff_new(&d, &(struct rep_diff_side){&old, 1},
				      &(struct rep_diff_side){&new, 1}, &opt, &err),
			 0);
	assert_int_equal(d->total.flat.old, 4);
	assert_int_equal(d->total.flat.new, 4);
	check(d, "f", 3, 3, 3, 3, REP_STATUS_SAME);
	rep_diff_free(d);

	/* Bytes an object are what they are, however many runs. */
	opt.normalize = false;
	opt.sample_index = "space";
	opt.mean = true;
	assert_int_equal(rep_diff_new(&d, &(struct rep_diff_side){&old, 1},
				      &(struct rep_diff_side){&new, 1}, &opt, &err),
			 0);
	check(d, "f", 33, 100, 33, 100, REP_STATUS_CHANGED);
	rep_diff_free(d);
	pair_free(&p);
}

/* go 1.27 calls the closures of an inlined function otherwise than releases before it. */
static void test_diff_closures_of_inlined_functions(void **state)
{
	static const enum rep_diff_by by[] = {REP_BY_FUNCTION, REP_BY_LINE, REP_BY_STACK};

	(void)state;
	for (int turn = 0; turn < 6; turn++) {
		struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
		struct pair p = pair_new();
		struct tp_profile *before = turn % 2 ? p.new : p.old;
		struct tp_profile *since = turn % 2 ? p.old : p.new;
		struct rep_diff *d;
		int64_t v[2];

		testing_sample(before, "main.one.callee.func1:12+10", 1, 100);
		testing_sample(before, "main.two.(*T).callee.func2:12+10", 1, 10);
		testing_sample(before, "lib.callee.func1:12+10", 1, 1);
		testing_sample(before, "main.f.Marshal.func1:32+30", 1, 5);
		testing_sample(since, "lib.callee.func1:12+10", 1, 200);
		testing_sample(since, "gopkg.in/yaml%2ev3.Marshal.func1:32+30", 1, 6);
		/* Another closure, another line, no line: not the same. */
		testing_sample(before, "main.one.g.func1:50+50", 1, 7);
		testing_sample(since, "main.h.func1:50+50", 1, 7);
		testing_sample(before, "main.one.k.func1:60+60", 1, 7);
		testing_sample(since, "main.k.func1:61+61", 1, 7);
		testing_sample(before, "main.one.l.func1", 1, 7);
		testing_sample(since, "main.l.func1", 1, 7);
		/* On both sides: two methods, one of which moved to where the other was. */
		testing_sample(before, "main.T.run.func1:70+70", 1, 7);
		testing_sample(since, "main.T.run.func1:80+80", 1, 7);
		testing_sample(since, "main.run.func1:70+70", 1, 7);
		opt.keys.by = by[turn / 2];
		opt.sample_index = "space";
		d = compare(&p, &opt);
		v[turn % 2] = 111;
		v[1 - turn % 2] = 200;
		if (opt.keys.by == REP_BY_LINE) {
			assert_int_equal(d->n, 10);
		} else {
			check(d, "lib.callee.func*", v[0], v[1], v[0], v[1], REP_STATUS_CHANGED);
			v[turn % 2] = 5;
			v[1 - turn % 2] = 6;
			check(d, "gopkg.in/yaml.v3.Marshal.func*", v[0], v[1], v[0], v[1],
			      REP_STATUS_CHANGED);
			assert_non_null(testing_row(d, "main.one.g.func1"));
			assert_non_null(testing_row(d, "main.one.k.func1"));
			assert_non_null(testing_row(d, "main.one.l.func1"));
			assert_non_null(testing_row(d, "main.run.func1"));
			assert_non_null(testing_row(d, "main.T.run.func1"));
		}
		rep_diff_free(d);
		pair_free(&p);
	}
}

/* A place with many closures, whose names are long: compared with each other they would take
 * seconds. */
static void test_diff_closures_many(void **state)
{
	enum { EACH = 480, LENGTH = 10000 };
	struct rep_closures c = {.matched = false};
	struct rep_closure closure = {.file = 1, .line = 7};
	struct tp_dict *names = tp_dict_new();
	char *name = malloc(LENGTH + 100);

	(void)state;
	assert_non_null(names);
	assert_non_null(name);
	for (int i = 0; i < 2 * EACH; i++) {
		bool new = i >= EACH;
		int at = snprintf(name, 60, "main.%sf%d", new ? "" : "caller.", i);

		memset(name + at, 'x', LENGTH);
		snprintf(name + at + LENGTH, 20, ".func*");
		assert_int_equal(tp_dict_string(names, name, strlen(name), &closure.name), 0);
		closure.depth = new ? 2 : 3;
		closure.sides = new ? REP_NEW : REP_OLD;
		assert_int_equal(rep_closures_add(&c, &closure), 0);
	}
	assert_int_equal(rep_closures_match(&c, names), 0);
	assert_int_equal(rep_closures_other(&c, closure.name), 0);
	rep_closures_release(&c);
	tp_dict_free(names);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_diff_values),
	    cmocka_unit_test(test_diff_closures_of_inlined_functions),
	    cmocka_unit_test(test_diff_closures_many),
	    cmocka_unit_test(test_diff_names),
	    cmocka_unit_test(test_diff_lines),
	    cmocka_unit_test(test_diff_noise),
	    cmocka_unit_test(test_diff_load),
	    cmocka_unit_test(test_diff_normalize),
	    cmocka_unit_test(test_diff_negative),
	    cmocka_unit_test(test_diff_sets),
	    cmocka_unit_test(test_diff_large_sets),
	    cmocka_unit_test(test_diff_types),
	    cmocka_unit_test(test_diff_labels),
	    cmocka_unit_test(test_diff_extremes),
	    cmocka_unit_test(test_diff_averages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
