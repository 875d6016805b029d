/* Tests search and highlight on a handmade picture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tprof-tui/view/timeline/testing_sample.h"

/* Makes two rows of ten columns. main runs, except in column 3, where it waits (sync). The workers wait
 * for a channel, one of them in the region "checkout" from column 4 to 5. */
static void draw(struct sample *x)
{
	struct timeline *s = &x->s;
	struct tl_picture *p = &s->picture;
	struct rep_cell *cell;

	s->list.unfolded[0] = true;
	s->layout.chart = 5;
	tl_relist(s);
	*p = (struct tl_picture){.window = s->window, .nrows = s->list.n, .exact = true};
	p->row = calloc(p->nrows, sizeof(*p->row));
	p->cell = calloc(p->nrows * 10, sizeof(*p->cell));
	p->on = calloc(p->nrows * 10, sizeof(*p->on));
	p->band = calloc(10, sizeof(*p->band));
	p->reason = calloc(2, sizeof(*p->reason));
	p->mark = calloc(1, sizeof(*p->mark));
	for (size_t i = 0; i < p->nrows; i++) {
		p->row[i] = *s->list.row[i];
		for (int col = 0; col < 10; col++) {
			cell = &p->cell[i * 10 + (size_t)col];
			cell->spans = 1;
			if (p->row[i].id == 1 && col != 3) {
				cell->ns[TP_ST_RUNNING] = 100;
			} else {
				cell->ns[TP_ST_WAITING] = 100;
				cell->reason = p->row[i].id == 1 ? 8 : 9;
			}
		}
	}
	p->reason[0] = (struct tl_reason){.id = 8, .text = "sync", .size = 4};
	p->reason[1] = (struct tl_reason){.id = 9, .text = "chan receive", .size = 12};
	p->nreasons = 2;
	p->mark[0] = (struct rep_mark){REP_MARK_REGION, 400, 600, 1, "checkout", 8, 0};
	p->nmarks = p->room = 1;
}

/* Checks which cells of a row are lit: "0011100000". */
static void assert_lit(const struct sample *x, int64_t id, const char *expected)
{
	char lit[11] = "";

	for (size_t i = 0; i < x->s.picture.nrows; i++) {
		if (x->s.picture.row[i].id != id || x->s.picture.row[i].kind != REP_LANE_GOROUTINE)
			continue;
		for (int col = 0; col < 10; col++)
			lit[col] = tl_lit(&x->s, i, col) ? '1' : '0';
	}
	assert_string_equal(lit, expected);
}

static void test_highlight(void **state)
{
	static const struct {
		const char *text, *main, *worker; /* lit cells of g1 and g21 */
	} cases[] = {
	    {"blocked", "0001000000", "1111111111"},
	    {"running", "1111111111", "0000000000"},
	    {"SYNC", "0001000000", "0000000000"},
	    {"chan", "0000000000", "1111111111"},
	    {"main.main", "1111111111", "0000000000"},
	    {"g21", "0000000000", "1111111111"},
	    {"checkout", "0000000000", "0000110000"},
	    {"label:check", "0000000000", "0000110000"},
	    {"reason:main", "0000000000", "0000000000"},
	    {"function:main.w", "0000000000", "1111111111"},
	    {"reason:sync", "0001000000", "0000000000"},
	    {"nothing of the kind", "0000000000", "0000000000"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample x;

		assert_true(sample_init(&x));
		draw(&x);
		tl_highlight(&x.tui, &x.s, cases[i].text);
		/* "running" matches main in every column but 3. */
		assert_lit(&x, 1, i == 1 ? "1110111111" : cases[i].main);
		assert_lit(&x, 21, cases[i].worker);
		sample_release(&x);
	}
}

static void test_highlight_like(void **state)
{
	struct sample x;

	(void)state;
	assert_true(sample_init(&x));
	draw(&x);
	assert_true(tl_jump(&x.s, 0, 350));
	tl_highlight_like(&x.tui, &x.s);
	assert_string_equal(x.s.highlight.text, "sync");
	tl_highlight_like(&x.tui, &x.s);
	assert_null(x.s.highlight.text);
	assert_true(tl_jump(&x.s, 0, 100));
	tl_highlight_like(&x.tui, &x.s);
	assert_string_equal(x.s.highlight.text, "running");
	sample_release(&x);
}

static void test_search(void **state)
{
	struct sample x;
	struct timeline *s = &x.s;

	(void)state;
	assert_true(sample_init(&x));
	draw(&x);
	assert_true(tl_search(&x.view, "MAIN.M", 0));
	assert_int_equal(tl_row(s)->id, 1);
	assert_true(tl_search(&x.view, "main", 1));
	assert_int_equal(tl_row(s)->kind, REP_LANE_GROUP);
	assert_true(tl_search(&x.view, "main", -1));
	assert_int_equal(tl_row(s)->id, 1);
	assert_true(tl_search(&x.view, "g22", 0));
	assert_int_equal(tl_row(s)->id, 22);
	assert_int_equal(s->ns, 500);
	/* No name matches, so the worker searches reasons. */
	assert_int_equal(s->special, TL_ASK_NOTHING);
	assert_true(tl_search(&x.view, "sync", 1));
	assert_int_equal(s->special, TL_ASK_FIND);
	assert_string_equal(s->wanted, "sync");
	sample_release(&x);
}

static void test_marks_of_columns(void **state)
{
	static const struct {
		struct rep_mark mark;
		const char *band, *row; /* marked columns of the band and of g21's row */
		int64_t ns;		/* length in column 4 */
	} cases[] = {
	    {{REP_MARK_GC, 350, 650, TP_NONE, "", 0, 0}, "0001111000", "0000000000", 100},
	    {{REP_MARK_ASSIST, 350, 650, 1, "", 0, 0}, "0001111000", "0001111000", 100},
	    /* Half of a column at least is needed. */
	    {{REP_MARK_ASSIST, 400, 449, 1, "", 0, 0}, "0000100000", "0000000000", 49},
	    {{REP_MARK_ASSIST, 400, 450, 1, "", 0, 0}, "0000100000", "0000100000", 50},
	    {{REP_MARK_ASSIST, 400, 500, 77, "", 0, 0}, "0000100000", "0000000000", 100},
	    {{REP_MARK_LOG, 420, 420, 1, "", 0, 0}, "0000100000", "0000000000", 0},
	    {{REP_MARK_GC, INT64_MIN / 2, INT64_MAX / 2, TP_NONE, "", 0, 0},
	     "1111111111",
	     "0000000000",
	     100},
	    {{REP_MARK_GC, 1000, 2000, TP_NONE, "", 0, 0}, "0000000000", "0000000000", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample x;
		struct tl_picture *p = &x.s.picture;
		char band[11] = "", row[11] = "";

		assert_true(sample_init(&x));
		draw(&x);
		tl_picture_add_mark(p, &cases[i].mark);
		for (int col = 0; col < 10; col++) {
			band[col] = p->band[col].any ? '1' : '0';
			row[col] = p->on[2 * 10 + col] ? '1' : '0';
		}
		assert_int_equal(p->row[2].id, 21);
		assert_string_equal(band, cases[i].band);
		assert_string_equal(row, cases[i].row);
		if (cases[i].mark.kind <= REP_MARK_ASSIST)
			assert_int_equal(p->band[4].ns[cases[i].mark.kind], cases[i].ns);
		sample_release(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_highlight),
	    cmocka_unit_test(test_highlight_like),
	    cmocka_unit_test(test_search),
	    cmocka_unit_test(test_marks_of_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
