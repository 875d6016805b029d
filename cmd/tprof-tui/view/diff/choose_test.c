#include "tprof-tui/view/diff/diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "output/cells.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static char rev_a[] = "rev=a", rev_b[] = "rev=b", os[] = "os=a b";
static char *of_a[] = {rev_a}, *of_b[] = {rev_b}, *of_b_os[] = {os, rev_b};

static struct rep_run run[] = {
    {.row = {.id = 1, .kind = "trace", .name = "one"}, .labels = of_a, .nlabels = 1},
    {.row = {.id = 2, .kind = "trace", .name = "two"}, .labels = of_a, .nlabels = 1},
    {.row = {.id = 3, .kind = "profile", .name = "heap"}, .labels = of_a, .nlabels = 1},
    {.row = {.id = 4, .kind = "trace", .name = "three four"}, .labels = of_b, .nlabels = 1},
    {.row = {.id = 5, .kind = "trace", .name = "five"}, .labels = of_b_os, .nlabels = 2},
};
static const struct rep_runs all = {.run = run, .n = COUNT(run), .shared = true};

/* Returns the ids of both sides, "1 2/4", or the error message. */
static const char *sides(const char *arg, const struct rep_run *other)
{
	static char text[400];
	const struct tui_select s = {.run = &run[4], .other = other};
	struct rep_runs old = {0}, new = {0};
	struct tp_err err;
	size_t n = 0;

	if (diff_sides(&all, &s, arg, &old, &new, &err))
		snprintf(text, sizeof(text), "%s", err.msg);
	else {
		for (size_t i = 0; i < old.n; i++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%d", i ? " " : "",
					      (int)old.run[i].row.id);
		for (size_t i = 0; i < new.n; i++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%d", i ? " " : "/",
					      (int)new.run[i].row.id);
	}
	rep_runs_release(&old);
	rep_runs_release(&new);
	return text;
}

static void test_diff_sides(void **state)
{
	static const struct {
		const char *arg, *sides;
	} cases[] = {
	    {"1", "1/5"},
	    {"two", "2/5"},
	    {"three four", "4/5"}, /* a blank in a name */
	    {"rev=a", "1 2/4 5"},  /* against the set with the selected run's value */
	    {"rev=b", "4 5/5"},	   /* the selected run's own value: against that run */
	    {"rev=a rev=b", "1 2/4 5"},
	    {"rev=a os=a b", "1 2/5"}, /* a blank in a value */
	    {"three four two", "4/2"},
	    {"1 2", "1/2"},
	    {"heap",
	     "'heap' is a profile, but the run shown is a trace; choose a run of the same kind"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(sides(cases[i].arg, NULL), cases[i].sides);
	assert_string_equal(sides(NULL, &run[0]), "1/5");
	assert_non_null(strstr(sides(NULL, &run[2]), "mark a run of the same kind"));
	assert_non_null(strstr(sides("rev=c", NULL), "no run has the label 'rev=c'"));
	assert_non_null(strstr(sides("x y z", NULL), "no run is called"));
}

static void test_diff_choices(void **state)
{
	struct diff_choices c = {&all, &run[4]};
	struct rep_cells cells = {0};
	struct rep_output *out;
	struct tp_err err;
	const struct rep_sheet *s;
	int column;

	(void)state;
	assert_int_equal(rep_cells_output(&cells, &out, &err), 0);
	assert_int_equal(diff_choices_fill(&c, out, &err), 0);
	rep_output_free(out);
	s = &cells.sheet[0];
	column = rep_sheet_column(s, "sides");
	/* The sets, then the other traces, without the profile and the run itself. */
	assert_int_equal(s->nrows, 4);
	assert_memory_equal(rep_sheet_at(s, 0, (size_t)column)->text.data, "rev=a rev=b", 11);
	assert_memory_equal(rep_sheet_at(s, 1, (size_t)column)->text.data, "1", 1);
	assert_memory_equal(rep_sheet_at(s, 3, (size_t)column)->text.data, "4", 1);
	rep_cells_release(&cells);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_diff_sides),
	    cmocka_unit_test(test_diff_choices),
	};

	return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
