/* Tests the list of rows: groups and goroutines, folded and unfolded, that exist in a window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tprof-tui/view/timeline/roster.h"

#define GROUP(i, n, text, a, b)                                                                    \
	{                                                                                          \
		.kind = REP_LANE_GROUP, .index = (i), .id = (n), .name = (text),                   \
		.name_size = sizeof(text) - 1, .from = (a), .to = (b)                              \
	}
#define G(i, g, text, a, b)                                                                        \
	{                                                                                          \
		.kind = REP_LANE_GOROUTINE, .index = (i), .id = (g), .goid = {(g), 0},             \
		.name = (text), .name_size = sizeof(text) - 1, .from = (a), .to = (b), .depth = 1  \
	}

static const struct rep_lane lanes[] = {
    GROUP(7, 3, "main.worker", 10, 900), G(4, 20, "main.worker", 10, 300),
    G(1, 21, "main.worker", 10, 900),	 G(5, 22, "main.worker", 500, 600),
    GROUP(3, 1, "main.main", 0, 1000),	 G(0, 1, "main.main", 0, 1000),
};
static const struct rep_lane procs[] = {
    {.kind = REP_LANE_PROC, .index = 0, .id = 0, .to = 1000},
    {.kind = REP_LANE_PROC, .index = 1, .id = 1, .to = 1000},
};

static void make(struct tl_roster *r, struct tl_list *l)
{
	struct tp_err err;

	*r = (struct tl_roster){0};
	*l = (struct tl_list){0};
	assert_int_equal(tl_roster_goroutines(r, lanes, 6, &err), 0);
	assert_int_equal(tl_roster_others(r, TL_PROCS, procs, 2, &err), 0);
	assert_true(tl_list_init(l, r));
}

/* Checks the indices of the listed rows, with a star for groups: "7* 4 1". */
static void assert_list(struct tl_list *l, const struct tl_roster *r, int64_t from, int64_t to,
			const char *expected)
{
	struct tl_window w;
	char text[200] = "";
	size_t n = 0;

	tl_window_init(&w, 0, 1000, 10);
	tl_window_show(&w, from, to);
	assert_true(tl_list_fill(l, r, &w));
	for (size_t i = 0; i < l->n; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u%s", i ? " " : "",
				      l->row[i]->index,
				      l->row[i]->kind == REP_LANE_GROUP ? "*" : "");
	assert_string_equal(text, expected);
}

static void test_list_fold(void **state)
{
	struct tl_roster r;
	struct tl_list l;

	(void)state;
	make(&r, &l);
	/* A goroutine that is alone in its group is listed without the group. */
	assert_list(&l, &r, 0, 1000, "7* 0");
	assert_true(tl_list_fold(&l, &r, l.row[0]));
	assert_list(&l, &r, 0, 1000, "7* 4 1 5 0");
	assert_false(tl_list_fold(&l, &r, l.row[4]));
	/* A member folds its group. */
	assert_true(tl_list_fold(&l, &r, l.row[2]));
	assert_list(&l, &r, 0, 1000, "7* 0");
	tl_list_release(&l);
	tl_roster_release(&r);
}

static void test_list_only_who_is_there(void **state)
{
	struct tl_roster r;
	struct tl_list l;

	(void)state;
	make(&r, &l);
	l.unfolded[0] = true;
	assert_list(&l, &r, 0, 5, "0");
	assert_list(&l, &r, 310, 320, "7* 1 0");
	assert_list(&l, &r, 550, 560, "7* 1 5 0");
	l.all = true;
	assert_list(&l, &r, 310, 320, "7* 4 1 5 0");
	l.kind = TL_PROCS;
	assert_list(&l, &r, 310, 320, "0 1");
	l.kind = TL_TASKS;
	assert_list(&l, &r, 310, 320, "");
	tl_list_release(&l);
	tl_roster_release(&r);
}

static void test_list_find(void **state)
{
	struct tl_roster r;
	struct tl_list l;

	(void)state;
	make(&r, &l);
	assert_list(&l, &r, 0, 1000, "7* 0");
	assert_int_equal(tl_list_find(&l, &r, REP_LANE_GOROUTINE, 0), 1);
	/* A goroutine in a folded group is found at the group. */
	assert_int_equal(tl_list_find(&l, &r, REP_LANE_GOROUTINE, 5), 0);
	l.unfolded[0] = true;
	assert_list(&l, &r, 0, 1000, "7* 4 1 5 0");
	assert_int_equal(tl_list_find(&l, &r, REP_LANE_GOROUTINE, 5), 3);
	assert_int_equal(tl_list_find(&l, &r, REP_LANE_GOROUTINE, 99), l.n);
	assert_int_equal(tl_list_find(&l, &r, REP_LANE_PROC, 1), l.n);
	tl_list_release(&l);
	tl_roster_release(&r);
}

static void test_roster_goroutine(void **state)
{
	struct tl_roster r;
	struct tl_list l;

	(void)state;
	make(&r, &l);
	assert_int_equal(tl_roster_goroutine(&r, 5)->id, 22);
	assert_null(tl_roster_goroutine(&r, 2));
	assert_null(tl_roster_goroutine(&r, UINT32_MAX));
	assert_int_equal(tl_roster_by_goid(&r, &(struct rep_goid){21, 0})->index, 1);
	assert_null(tl_roster_by_goid(&r, &(struct rep_goid){99, 0}));
	assert_int_equal(tl_roster_group_of(&r, 0), 1);
	assert_int_equal(tl_roster_group_of(&r, 3), r.ngroups);
	/* The roster owns copies of the names. */
	assert_ptr_not_equal(tl_roster_goroutine(&r, 5)->name, lanes[3].name);
	assert_string_equal(tl_roster_goroutine(&r, 5)->name, "main.worker");
	tl_list_release(&l);
	tl_roster_release(&r);
}

static void test_roster_empty(void **state)
{
	struct tl_roster r = {0};
	struct tl_list l = {0};
	struct tp_err err;

	(void)state;
	assert_int_equal(tl_roster_goroutines(&r, NULL, 0, &err), 0);
	assert_true(tl_list_init(&l, &r));
	assert_list(&l, &r, 0, 1000, "");
	assert_int_equal(tl_list_find(&l, &r, REP_LANE_GOROUTINE, 0), 0);
	tl_list_release(&l);
	tl_roster_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_list_fold),	 cmocka_unit_test(test_list_only_who_is_there),
	    cmocka_unit_test(test_list_find),	 cmocka_unit_test(test_roster_goroutine),
	    cmocka_unit_test(test_roster_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
