#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tprof-tui/view/lead.h"

#define MOST 8

/* A table of one row. */
struct table {
	const char *name;
	struct {
		const char *column;
		struct rep_value value;
	} cell[MOST];
};

static void make(struct rep_sheet *s, const struct table *t, struct rep_column *columns,
		 struct rep_value *values)
{
	*s = (struct rep_sheet){
	    .name = (char *)(uintptr_t)t->name, .columns = columns, .values = values, .nrows = 1};
	for (; s->ncolumns < MOST && t->cell[s->ncolumns].column; s->ncolumns++) {
		columns[s->ncolumns] = (struct rep_column){.name = t->cell[s->ncolumns].column};
		values[s->ncolumns] = t->cell[s->ncolumns].value;
	}
}

#define INT(n)                                                                                     \
	{                                                                                          \
		.type = REP_TYPE_INT, .i = (n)                                                     \
	}
#define TEXT(s)                                                                                    \
	{                                                                                          \
		.type = REP_TYPE_TEXT, .text = {(s), sizeof(s) - 1 }                               \
	}

static void test_lead_narrow(void **state)
{
	static const struct {
		struct table table;
		const char *goroutine, *focus, *reason, *state, *task, *region;
		int64_t at_ns, at_goroutine; /* the goid */
	} cases[] = {
	    {.table = {"groups", {{"function", TEXT("main.f.func1")}, {"total_ns", INT(7)}}},
	     .goroutine = "^main\\.f\\.func1$",
	     .at_ns = INT64_MIN,
	     .at_goroutine = -1},
	    {.table = {"goroutines",
		       {{"goroutine", INT(12)},
			{"function", TEXT("main.f")},
			{"created_ns", INT(5)}}},
	     .goroutine = "12",
	     .at_ns = 5,
	     .at_goroutine = 12},
	    {.table = {"block", {{"function", TEXT("main.(*T).f")}, {"reason", TEXT("chan send")}}},
	     .focus = "^main\\.\\(\\*T\\)\\.f$",
	     .reason = "^chan send$",
	     .state = "blocked",
	     .at_ns = INT64_MIN,
	     .at_goroutine = -1},
	    /* The worst moment is preferred to others. */
	    {.table = {"regions",
		       {{"name", TEXT("pay")},
			{"start_ns", INT(1)},
			{"worst_at_ns", INT(2)},
			{"worst_goroutine", INT(3)}}},
	     .region = "^pay$",
	     .at_ns = 2,
	     .at_goroutine = 3},
	    {.table = {"task", {{"id", INT(9)}, {"name", TEXT("order")}, {"start_ns", INT(4)}}},
	     .task = "9",
	     .at_ns = 4,
	     .at_goroutine = -1},
	    {.table = {"tasks", {{"name", TEXT("order")}}},
	     .task = "^order$",
	     .at_ns = INT64_MIN,
	     .at_goroutine = -1},
	    /* The leaf of a profile of a trace is a reason. */
	    {.table = {"top", {{"function", TEXT("[chan receive]")}}},
	     .reason = "^chan receive$",
	     .at_ns = INT64_MIN,
	     .at_goroutine = -1},
	    {.table = {"cpu", {{"function", TEXT("< main.f")}}},
	     .focus = "^main\\.f$",
	     .at_ns = INT64_MIN,
	     .at_goroutine = -1},
	    /* A table without a rule: the result of a query. */
	    {.table = {"result", {{"stack", TEXT("main.g;main.h")}, {"ts", INT(0)}}},
	     .focus = "^main\\.g$",
	     .at_ns = 0,
	     .at_goroutine = -1},
	    {.table = {"leaks", {{"ids", TEXT("17 18 19")}, {"stack", TEXT("")}}},
	     .goroutine = "17",
	     .at_ns = INT64_MIN,
	     .at_goroutine = 17},
	    /* Task 0 is no task, and --state does not know "overlap". */
	    {.table = {"breakdown",
		       {{"task", INT(0)}, {"state", TEXT("overlap")}, {"entry", TEXT("f")}}},
	     .goroutine = "^f$",
	     .at_ns = INT64_MIN,
	     .at_goroutine = -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const want[] = {cases[i].goroutine, cases[i].focus, cases[i].reason,
					    cases[i].state,	cases[i].task,	cases[i].region};
		struct rep_column columns[MOST];
		struct rep_value values[MOST];
		struct tui_select select;
		struct rep_sheet s;

		make(&s, &cases[i].table, columns, values);
		tui_select_init(&select);
		assert_true(tui_lead_narrow(&select, &s, 0));
		{
			const char *const got[] = {select.goroutine, select.focus, select.reason,
						   select.state,     select.task,  select.region};

			for (size_t k = 0; k < 6; k++) {
				assert_int_equal(!got[k], !want[k]);
				if (want[k])
					assert_string_equal(got[k], want[k]);
			}
		}
		assert_int_equal(select.at_ns, cases[i].at_ns);
		assert_int_equal(select.at_goroutine.goid, cases[i].at_goroutine);
		tui_select_release(&select);
	}
}

static void test_lead_read_nothing(void **state)
{
	struct rep_sheet s = {.name = (char *)(uintptr_t) "block"};
	struct tui_lead lead;

	(void)state;
	assert_false(tui_lead_read(NULL, 0, &lead));
	assert_false(tui_lead_read(&s, -1, &lead));
	assert_false(tui_lead_read(&s, 0, &lead));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lead_narrow),
					   cmocka_unit_test(test_lead_read_nothing)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
