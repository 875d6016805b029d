/* Tests moves by columns, spans and wake-ups, and the rows that are listed afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tprof-tui/view/timeline/testing_sample.h"

static void test_columns_pan_at_the_edge(void **state)
{
	struct sample x;
	struct timeline *s = &x.s;

	(void)state;
	assert_true(sample_init(&x));
	assert_int_equal(s->window.cell, 100);
	tl_move_columns(s, 1);
	assert_int_equal(s->ns, 100);
	tl_zoom(s, 10);
	assert_int_equal(s->window.cell, 10);
	for (int i = 0; i < 30; i++) {
		tl_move_columns(s, 1);
		assert_in_range(tl_window_col(&s->window, s->ns), 0, 9);
	}
	assert_int_equal(s->ns, 400);
	for (int i = 0; i < 200; i++)
		tl_move_columns(s, 1);
	assert_int_equal(s->ns, 999);
	for (int i = 0; i < 200; i++)
		tl_move_columns(s, -1);
	assert_int_equal(s->ns, 0);
	assert_int_equal(s->window.from, 0);
	sample_release(&x);
}

/* Zooms in to one nanosecond per column and out again, with the cursor at different places. */
static void test_zoom_both_ends(void **state)
{
	static const int64_t at[] = {0, 1, 499, 998, 999};

	(void)state;
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		struct sample x;

		assert_true(sample_init(&x));
		tl_move_to(&x.s, at[i]);
		for (int k = 0; k < 20; k++)
			tl_zoom(&x.s, 2);
		assert_int_equal(x.s.window.cell, 1);
		assert_int_equal(x.s.ns, at[i]);
		for (int k = 0; k < 20; k++)
			tl_zoom(&x.s, -2);
		assert_int_equal(x.s.window.cell, 100);
		assert_int_equal(x.s.window.from, 0);
		assert_int_equal(x.s.ns, at[i]);
		sample_release(&x);
	}
}

static void test_jump_unfolds(void **state)
{
	struct sample x;
	struct timeline *s = &x.s;

	(void)state;
	assert_true(sample_init(&x));
	assert_int_equal(s->list.n, 2);
	s->list.kind = TL_PROCS;
	tl_relist(s);
	assert_true(tl_jump(s, 5, 550));
	assert_int_equal(s->list.kind, TL_GOROUTINES);
	assert_int_equal(s->list.n, 5);
	assert_int_equal(tl_row(s)->id, 22);
	assert_int_equal(s->ns, 550);
	/* The row is on the screen. */
	assert_in_range(s->row, s->top, s->top + 2);
	assert_false(tl_jump(s, 77, 1));
	assert_int_equal(s->ns, 550);
	sample_release(&x);
}

static void test_follow_and_back(void **state)
{
	struct sample x;
	struct timeline *s = &x.s;

	(void)state;
	assert_true(sample_init(&x));
	assert_true(tl_jump(s, 0, 200));
	/* Typed ahead: nothing happens until the details of the place are known. */
	tl_follow(&x.tui, s);
	assert_int_equal(tl_row(s)->id, 1);
	sample_moment(&x, 100, 550, 5, 550);
	tl_moment(&x.tui, s);
	assert_int_equal(tl_row(s)->id, 22);
	assert_int_equal(s->ns, 550);
	sample_moment(&x, 540, 560, 1, 530);
	tl_follow(&x.tui, s);
	assert_int_equal(tl_row(s)->id, 21);
	sample_moment(&x, 520, 540, TP_NONE, 0);
	tl_follow(&x.tui, s);
	assert_int_equal(tl_row(s)->id, 21);
	tl_follow_back(&x.tui, s);
	assert_int_equal(tl_row(s)->id, 22);
	assert_int_equal(s->ns, 550);
	tl_follow_back(&x.tui, s);
	assert_int_equal(tl_row(s)->id, 1);
	assert_int_equal(s->ns, 200);
	tl_follow_back(&x.tui, s);
	assert_int_equal(s->ns, 200);
	sample_release(&x);
}

static void test_spans(void **state)
{
	struct sample x;
	struct timeline *s = &x.s;

	(void)state;
	assert_true(sample_init(&x));
	assert_true(tl_jump(s, 0, 200));
	sample_moment(&x, 100, 550, TP_NONE, 0);
	tl_next_span(s, 1);
	assert_int_equal(s->ns, 550);
	sample_moment(&x, 550, 1000, TP_NONE, 0);
	/* This is the last span. */
	tl_next_span(s, 1);
	assert_int_equal(s->ns, 550);
	/* Goes to the start of the previous span once its details are known. */
	tl_next_span(s, -1);
	assert_int_equal(s->ns, 549);
	sample_moment(&x, 100, 550, TP_NONE, 0);
	tl_moment(&x.tui, s);
	assert_int_equal(s->ns, 100);
	sample_release(&x);
}

static void test_longest_waits(void **state)
{
	struct sample x;
	struct timeline *s = &x.s;

	(void)state;
	assert_true(sample_init(&x));
	tl_longest(&x.tui, s);
	assert_int_equal(s->special, TL_ASK_LONGEST);
	/* Both keys are typed ahead. */
	tl_longest(&x.tui, s);
	tl_follow(&x.tui, s);
	s->special = TL_ASK_NOTHING;
	s->wait = calloc(2, sizeof(*s->wait));
	s->wait[0] = (struct tl_wait){0, 100, 900, false};
	s->wait[1] = (struct tl_wait){1, 200, 300, false};
	s->nwaits = 2;
	s->waits_known = true;
	tl_go_to_wait(&x.tui, s, s->waits_ahead);
	assert_int_equal(tl_row(s)->id, 21);
	assert_int_equal(s->ns, 200);
	assert_int_equal(s->follow, 1);
	sample_moment(&x, 200, 300, 0, 300);
	tl_moment(&x.tui, s);
	assert_int_equal(tl_row(s)->id, 1);
	assert_int_equal(s->ns, 300);
	/* After the last wait comes the first. */
	tl_longest(&x.tui, s);
	assert_int_equal(s->ns, 100);
	sample_release(&x);
}

/* If the cursor's row is no longer listed, the cursor goes to its group, or to another row. */
static void test_rows_that_go(void **state)
{
	struct sample x;
	struct timeline *s = &x.s;

	(void)state;
	assert_true(sample_init(&x));
	assert_true(tl_jump(s, 5, 550));
	tl_window_show(&s->window, 100, 120);
	tl_relist(s);
	assert_int_equal(tl_row(s)->kind, REP_LANE_GROUP);
	tl_window_show(&s->window, 950, 960);
	tl_relist(s);
	assert_int_equal(s->list.n, 1);
	assert_int_equal(tl_row(s)->id, 1);
	sample_release(&x);
}

static void test_go(void **state)
{
	static const struct rep_run run = {.row = {.duration_ns = 1000}};
	struct sample x;
	struct timeline *s = &x.s;

	(void)state;
	assert_true(sample_init(&x));
	x.tui.select.run = &run;
	assert_true(tl_go(&x.view, "22"));
	assert_int_equal(tl_row(s)->id, 22);
	assert_int_equal(s->ns, 500);
	assert_true(tl_go(&x.view, "g21"));
	assert_int_equal(tl_row(s)->id, 21);
	assert_int_equal(s->ns, 500);
	assert_true(tl_go(&x.view, "25%"));
	assert_int_equal(s->ns, 250);
	assert_false(x.tui.error);
	assert_true(tl_go(&x.view, "1h"));
	assert_int_equal(s->ns, 250);
	assert_string_equal(x.tui.message, "the run ends at 1us");
	assert_true(tl_go(&x.view, "1us"));
	assert_int_equal(s->ns, 999);
	assert_true(tl_go(&x.view, "99"));
	assert_true(x.tui.error);
	sample_release(&x);
}

/* At either end of a range, a column counts as a whole and a moment is exact. */
static void test_range_ends(void **state)
{
	static const struct {
		int64_t anchor, ns; /* negative: reached by columns */
		int64_t from, to;
	} cases[] = {{-250, -450, 200, 500}, {-450, -250, 200, 500}, {250, 450, 250, 450},
		     {450, 250, 250, 450},   {-250, 450, 200, 450},  {250, -450, 250, 500},
		     {450, -250, 200, 450},  {250, 250, 250, 300},   {-250, -250, 200, 300}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample x;
		int64_t from, to;

		assert_true(sample_init(&x));
		tl_move_to(&x.s, cases[i].anchor < 0 ? -cases[i].anchor : cases[i].anchor);
		x.s.loose = cases[i].anchor < 0;
		tl_begin_range(&x.tui, &x.s);
		tl_move_to(&x.s, cases[i].ns < 0 ? -cases[i].ns : cases[i].ns);
		x.s.loose = cases[i].ns < 0;
		tl_selecting(&x.s, &from, &to);
		assert_int_equal(from, cases[i].from);
		assert_int_equal(to, cases[i].to);
		tl_begin_range(&x.tui, &x.s);
		assert_int_equal(x.tui.select.from_ns, from);
		assert_int_equal(x.tui.select.to_ns, to);
		sample_release(&x);
	}
}

static void test_time_text(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {{0, "0s"},
		     {1, "1ns"},
		     {999, "999ns"},
		     {1000, "1us"},
		     {42424832, "42.424832ms"},
		     {6409803328, "6.409803328s"},
		     {60000000000, "60s"},
		     {-1500, "-1.5us"},
		     {INT64_MAX, "9223372036.854775807s"}};
	static const struct rep_run clockless = {.row = {.ticks = true}};
	struct sample x;
	char ticks[TUI_TIME_SIZE];

	(void)state;
	assert_true(sample_init(&x));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[TUI_TIME_SIZE];

		assert_string_equal(tl_time_text(&x.s, text, cases[i].ns), cases[i].text);
	}
	/* A run without a clock has ticks instead of ns. */
	x.view.select.run = &clockless;
	assert_string_equal(tl_time_text(&x.s, ticks, 42424832), "42,424,832");
	assert_string_equal(tl_time_text(&x.s, ticks, INT64_MAX), "9,223,372,036,854,775,807");
	sample_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_columns_pan_at_the_edge),
	    cmocka_unit_test(test_zoom_both_ends),
	    cmocka_unit_test(test_jump_unfolds),
	    cmocka_unit_test(test_follow_and_back),
	    cmocka_unit_test(test_spans),
	    cmocka_unit_test(test_longest_waits),
	    cmocka_unit_test(test_rows_that_go),
	    cmocka_unit_test(test_go),
	    cmocka_unit_test(test_range_ends),
	    cmocka_unit_test(test_time_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
