#include "output/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct rep_column columns[] = {
    {.name = "name", .title = "NAME", .kind = REP_TEXT},
    {.name = "dur_ns", .kind = REP_NS},
};

static int put(struct rep_output *out, struct rep_value name, struct rep_value dur)
{
	struct tp_err err;

	return rep_output_row(out, (struct rep_value[]){name, dur}, &err);
}

static void test_cells_keep(void **state)
{
	struct rep_cells c = {0};
	struct rep_output *out = NULL;
	const struct rep_sheet *s;
	struct tp_err err;
	char text[20];

	(void)state;
	assert_int_equal(rep_cells_output(&c, &out, &err), 0);
	assert_int_equal(rep_output_note(out, true, "above", &err), 0);
	assert_int_equal(rep_output_begin(out, "t", columns, 2, &err), 0);
	assert_int_equal(put(out, rep_str("main.f"), rep_int(1500)), 0);
	assert_int_equal(put(out, rep_str("main.f"), rep_null()), 0);
	assert_int_equal(rep_output_end(out, &err), 0);
	assert_int_equal(rep_output_note(out, false, "below", &err), 0);
	assert_int_equal(rep_output_finish(out, &err), 0);
	rep_output_free(out);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.nnotes, 2);
	s = &c.sheet[0];
	assert_int_equal(s->notes, 1);
	assert_true(rep_value_is(rep_sheet_cell(s, 0, "name"), "main.f"));
	/* A text is kept once. */
	assert_ptr_equal(rep_sheet_at(s, 0, 0)->text.data, rep_sheet_at(s, 1, 0)->text.data);
	assert_true(rep_value_number(rep_sheet_cell(s, 0, "dur_ns")) == 1500);
	assert_string_equal(
	    rep_value_shown(rep_sheet_cell(s, 0, "dur_ns"), REP_NS, text, sizeof(text)), "1.5us");
	assert_null(rep_sheet_cell(s, 2, "name"));
	assert_null(rep_sheet_cell(s, 0, "other"));
	assert_null(rep_sheet_cell(NULL, 0, "name"));
	assert_false(rep_value_is_text(rep_sheet_cell(s, 1, "dur_ns")));
	rep_cells_release(&c);
}

static void test_cells_most(void **state)
{
	struct rep_cells c = {.most_rows = 1};
	struct rep_output *out = NULL;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_cells_output(&c, &out, &err), 0);
	assert_int_equal(rep_output_begin(out, "t", columns, 2, &err), 0);
	assert_int_equal(put(out, rep_str("a"), rep_int(1)), 0);
	assert_int_equal(put(out, rep_str("b"), rep_int(2)), TP_ECANCEL);
	assert_true(c.cut);
	rep_output_free(out);
	rep_cells_release(&c);
}

/* What does not fit is cut between two characters. */
static void test_value_shown_cut(void **state)
{
	const struct rep_value v = rep_str("aäb");
	char text[4];

	(void)state;
	assert_string_equal(rep_value_shown(&v, REP_TEXT, text, sizeof(text)), "aä");
	assert_string_equal(rep_value_shown(&v, REP_TEXT, text, 3), "a");
	assert_string_equal(rep_value_shown(NULL, REP_TEXT, text, sizeof(text)), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cells_keep),
	    cmocka_unit_test(test_cells_most),
	    cmocka_unit_test(test_value_shown_cut),
	};

	return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
