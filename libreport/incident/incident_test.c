/* Verdicts on rows, and the windows of a run whose times are known from SQL. */
#include <inttypes.h>
#include <sqlite3.h>

#include "incident/incident.h"
#include "spans/crossing.h"
#include "testing_sample.h"

#define MS ((int64_t)1000000)

/* Windows of 100 ms; the first cell is the incident's. */
static void test_incident_judge_cells(void **state)
{
	static const struct {
		const char *what;
		int64_t then;
		size_t n, at;
		int64_t cell[12];
		int64_t median, highest;
		size_t others, as_much, first;
		bool unusual;
	} cases[] = {
	    {"far above all", 90, 11, 11, {1, 2, 1, 2, 1, 3, 1, 2, 1, 2, 9}, 1, 3, 10, 0, 11, true},
	    {"not three times the highest excess",
	     7,
	     11,
	     11,
	     {1, 2, 1, 2, 1, 4, 1, 2, 1, 2, 1},
	     1,
	     4,
	     10,
	     0,
	     11,
	     false},
	    {"as high before",
	     90,
	     11,
	     11,
	     {1, 90, 1, 2, 1, 3, 1, 2, 1, 2, 1},
	     1,
	     90,
	     10,
	     1,
	     11,
	     false},
	    {"began before",
	     90,
	     12,
	     12,
	     {1, 2, 1, 2, 1, 3, 1, 2, 1, 40, 80, 95},
	     1,
	     3,
	     9,
	     0,
	     10,
	     true},
	    {"lasts beyond",
	     90,
	     12,
	     1,
	     {40, 85, 70, 30, 1, 3, 1, 2, 1, 2, 1, 2},
	     1,
	     3,
	     8,
	     0,
	     1,
	     true},
	    {"less than a twentieth", 4, 10, 10, {0}, 0, 0, 9, 0, 10, false},
	    {"a twentieth", 5, 10, 10, {0}, 0, 0, 9, 0, 10, true},
	    {"less than a quarter more",
	     120,
	     9,
	     9,
	     {100, 100, 100, 100, 100, 100, 100, 100, 100},
	     100,
	     100,
	     8,
	     0,
	     9,
	     false},
	    {"too few", 90, 8, 8, {0}, 0, 0, 7, 0, 8, false},
	    {"usual", 90, 10, 10, {1, 1, 1, 90, 90, 90, 90, 90, 90, 90}, 90, 90, 9, 6, 10, false},
	    {"never more than half",
	     90,
	     10,
	     10,
	     {1, 1, 1, 1, 1, 80, 90, 90, 90, 90},
	     1,
	     1,
	     4,
	     0,
	     5,
	     false},
	    {"none", 90, 0, 0, {0}, 0, 0, 0, 0, 0, false},
	    {"less: nothing", 0, 9, 9, {9, 8, 9, 8, 9, 7, 9, 8, 9}, 8, 9, 8, 0, 9, true},
	    {"less: the cube",
	     2,
	     9,
	     9,
	     {40, 20, 40, 40, 40, 40, 40, 40, 40},
	     40,
	     40,
	     8,
	     0,
	     9,
	     true},
	    {"less: not it", 6, 9, 9, {40, 20, 40, 40, 40, 40, 40, 40, 40}, 40, 40, 8, 0, 9, false},
	    {"less: not half", 5, 9, 9, {9, 8, 9, 8, 9, 8, 9, 8, 9}, 8, 9, 8, 0, 9, false},
	    {"less: once as little", 0, 9, 9, {9, 0, 9, 8, 9, 8, 9, 8, 9}, 8, 9, 8, 1, 9, false},
	    {"less: stopped before",
	     0,
	     12,
	     12,
	     {9, 8, 9, 8, 9, 8, 9, 8, 9, 5, 0, 1},
	     9,
	     9,
	     9,
	     0,
	     10,
	     true},
	    {"less: too few", 0, 8, 8, {9, 8, 9, 8, 9, 8, 9, 8}, 9, 9, 7, 0, 8, false},
	    {"less: a hundredth", 0, 9, 9, {1, 1, 1, 1, 1, 1, 1, 1, 1}, 1, 1, 8, 0, 9, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rep_incident_verdict verdict;
		int64_t cell[12], scratch[12];
		size_t first;

		for (size_t k = 0; k < cases[i].n; k++)
			cell[k] = cases[i].cell[k] * MS;
		rep_incident_judge_cells(cell, cases[i].n, cases[i].at, cases[i].then * MS,
					 100 * MS, scratch, &verdict, &first);
		if (verdict.median_ns != cases[i].median * MS ||
		    verdict.highest_ns != cases[i].highest * MS ||
		    verdict.others != cases[i].others || verdict.as_far != cases[i].as_much ||
		    first != cases[i].first || verdict.unusual != cases[i].unusual)
			fail_msg("%s: median %" PRId64 ", highest %" PRId64
				 ", %zu others, %zu as much, first %zu, %s",
				 cases[i].what, verdict.median_ns, verdict.highest_ns,
				 verdict.others, verdict.as_far, first,
				 verdict.unusual ? "unusual" : "usual");
	}
}

/* Returns the time that SQL finds of a kind in a window. */
static int64_t ask(const char *sql, const char *name, int64_t from, int64_t to)
{
	sqlite3_stmt *st;
	int64_t ns;

	assert_int_equal(sqlite3_prepare_v2(tp_store_db(store), sql, -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC), SQLITE_OK);
	assert_int_equal(sqlite3_bind_int64(st, 2, from), SQLITE_OK);
	assert_int_equal(sqlite3_bind_int64(st, 3, to), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	ns = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return ns;
}

#define SUM(table, which)                                                                          \
	"SELECT coalesce(sum(min(end_ns, ?3) - max(start_ns, ?2)), 0) FROM " table " WHERE " which \
	" AND start_ns < ?3 AND end_ns > ?2"

/* By kind; what tells locks from other waits for "sync" is not in SQL. */
static const char *const sums[REP_NINCIDENT_KINDS] = {
    [REP_INCIDENT_RUNNING] =
	SUM("span JOIN goroutine g ON g.id = span.goroutine", "g.name = ?1 AND state = 'Running'"),
    [REP_INCIDENT_RUNNABLE] =
	SUM("span JOIN goroutine g ON g.id = span.goroutine", "g.name = ?1 AND state = 'Runnable'"),
    [REP_INCIDENT_GC] = SUM("range", "name = ?1"),
    [REP_INCIDENT_TASK] = SUM("task", "name = ?1"),
};

/* Returns the most events in the segments of one of the windows that there could be. */
static int64_t most_events(const struct rep_incident *x, const struct rep_view *v)
{
	int64_t length = x->to - x->from, most = 0;

	for (int64_t from = x->from % length; from < x->end; from += length) {
		int64_t events = 0;

		for (size_t i = 0; i < v->nsegments; i++)
			if (v->segments[i].to_ns > from && v->segments[i].from_ns < from + length)
				events += v->segments[i].events;
		most = events > most ? events : most;
	}
	return most;
}

/* Windows must be as many as can be compared with if that many may be read. */
static void check_windows(const struct rep_incident *x, const struct rep_view *v)
{
	bool may = x->most / most_events(x, v) >= REP_INCIDENT_LEAST;

	assert_true(x->n <= REP_INCIDENT_WINDOWS && x->n <= x->all);
	if (x->all >= REP_INCIDENT_LEAST && may && x->n < REP_INCIDENT_LEAST)
		fail_msg("%zu of %zu windows, for at most %" PRId64 " events", x->n, x->all,
			 x->most);
	for (size_t i = 0; i < x->n; i++) {
		const struct rep_incident_window *w = &x->window[i];

		assert_true(w->from >= (i ? w[-1].to : x->begin) && w->to > w->from);
		assert_true(w->to <= x->from || (w->from >= x->to && w->to <= x->end));
	}
}

static void check(const char *last, int64_t most, bool segments)
{
	const struct rep_filter_text none = {0};
	const struct rep_incident_options opt = {.last = last, .around = "90%"};
	struct rep_incident x = {0};
	struct rep_filter filter;
	struct rep_view view;
	struct tp_err err;
	size_t checked = 0;

	assert_int_equal(rep_filter_init(&filter, &none, &err), 0);
	assert_int_equal(rep_view_init(&view, store, &runs.run[0], &filter, NULL, &err), 0);
	assert_int_equal(rep_incident_find(&x, &view, &opt, &err), 0);
	x.most = most;
	assert_int_equal(rep_incident_read(&x, &view, &err), 0);
	assert_int_equal(x.segments, segments);
	check_windows(&x, &view);
	for (size_t i = 0; i < x.nrows; i++) {
		const struct rep_incident_row *r = &x.row[i];
		const int64_t *cell = &x.cell[i * (x.n + 1)];
		char name[200];
		struct tp_text t = tp_dict_text(view.dict, r->name);

		if (!sums[r->kind] || t.size >= sizeof(name))
			continue;
		memcpy(name, t.text, t.size);
		name[t.size] = '\0';
		for (size_t k = 0; k <= x.n; k++) {
			int64_t from = k < x.n ? x.window[k].from : x.from;
			int64_t to = k < x.n ? x.window[k].to : x.to;
			int64_t ns;

			/* Each question reads the whole table. */
			if (k < x.n && k % (1 + x.n / 16))
				continue;
			ns = ask(sums[r->kind], name, from, to);
			ns = (int64_t)((double)ns * (double)(x.to - x.from) / (double)(to - from));
			if (ns != cell[k])
				fail_msg("%s %s, window %zu [%" PRId64 ", %" PRId64 "): %" PRId64
					 ", SQL says %" PRId64,
					 rep_incident_kinds[r->kind], name, k, from, to, cell[k],
					 ns);
			checked++;
		}
	}
	assert_true(checked > 20);
	rep_incident_release(&x);
	rep_view_release(&view);
	rep_filter_release(&filter);
}

static void test_incident_read(void **state)
{
	(void)state;
	check("20ms", 4000000, false);
	check("1ms", 4000000, false);
}

static void test_incident_read_segments(void **state)
{
	(void)state;
	check("40%", 100, true);
	check("20ms", 4000000, false);
	check("1ms", 20000, false);
}

/* Segments without blocks of events: enough to choose windows. */
static void test_incident_windows(void **state)
{
	enum { SEGMENTS = 100, EVENTS = 1000 };
	static const struct {
		const char *last;
		const char *goroutine;
		int64_t most;
		size_t least;
		bool segments;
	} cases[] = {
	    /* A segment is 1 % long. */
	    {"0.01%", NULL, 4 * EVENTS, 128, false},   {"0.1%", NULL, 4 * EVENTS, 30, false},
	    {"0.3%", NULL, 4 * EVENTS, 8, false},      {"0.6%", NULL, 4 * EVENTS, 8, true},
	    {"1%", NULL, 4 * EVENTS, 90, true},	       {"5%", NULL, 4 * EVENTS, 15, true},
	    {"1%", "1", 100 * EVENTS, 90, false},      {"0.1%", "1", 4 * EVENTS, 30, false},
	    {"1%", "1", 16 * EVENTS, 8, false},	       {"5%", "1", 48 * EVENTS, 8, false},
	    {"5%", "1", 18 * EVENTS, 3, false},	       {"5%", "1", 4 * EVENTS, 0, false},
	    {"0.00001%", "1", 2 * EVENTS, 128, false},
	};
	struct tp_segment fake[SEGMENTS] = {{0}};
	int64_t length = runs.run[0].row.duration_ns;

	(void)state;
	for (int i = 0; i < SEGMENTS; i++) {
		fake[i].from_ns = length * i / SEGMENTS;
		fake[i].to_ns = length * (i + 1) / SEGMENTS;
		fake[i].events = EVENTS;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct rep_filter_text text = {.goroutine = cases[i].goroutine};
		const struct rep_incident_options opt = {.last = cases[i].last};
		struct rep_incident x = {0};
		struct rep_filter filter;
		struct rep_view view, fakes;
		struct tp_err err;

		assert_int_equal(rep_filter_init(&filter, &text, &err), 0);
		assert_int_equal(rep_view_init(&view, store, &runs.run[0], &filter, NULL, &err), 0);
		assert_int_equal(rep_incident_find(&x, &view, &opt, &err), 0);
		x.most = cases[i].most;
		fakes = view;
		fakes.segments = fake;
		fakes.nsegments = SEGMENTS;
		if (rep_incident_read(&x, &fakes, &err))
			fail_msg("%s", err.msg);
		check_windows(&x, &fakes);
		if (x.n < cases[i].least || x.segments != cases[i].segments)
			fail_msg("--last=%s, %" PRId64 " events: %zu of %zu windows, %s",
				 cases[i].last, x.most, x.n, x.all,
				 x.segments ? "segments" : "no segments");
		rep_incident_release(&x);
		fakes.segments = view.segments;
		fakes.nsegments = view.nsegments;
		rep_view_release(&fakes);
		rep_filter_release(&filter);
	}
}

/* A damaged store: a span in no state, of no goroutine and stack. */
static void test_incident_no_state(void **state)
{
	const struct rep_filter_text none = {0};
	const struct rep_incident_options opt = {.last = "1%"};
	const int64_t zero = 0, nobody = TP_NONE - 1, end = runs.run[0].row.duration_ns;
	struct rep_incident x = {0};
	struct rep_filter filter;
	struct rep_view view;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_filter_init(&filter, &none, &err), 0);
	assert_int_equal(rep_view_init(&view, store, &runs.run[0], &filter, NULL, &err), 0);
	assert_int_equal(rep_crossings_load(&view, &err), 0);
	for (unsigned i = 0; i < tp_tables[TP_TABLE_SPAN_CROSSING].ncolumns; i++)
		view.col[TP_TABLE_SPAN_CROSSING][i] = &zero;
	REP_COL(&view, SPAN_CROSSING, goroutine) = &nobody;
	REP_COL(&view, SPAN_CROSSING, end_ns) = &end;
	view.nrows[TP_TABLE_SPAN_CROSSING] = 1;
	assert_int_equal(rep_incident_find(&x, &view, &opt, &err), 0);
	assert_int_equal(rep_incident_read(&x, &view, &err), 0);
	assert_true(x.n >= REP_INCIDENT_LEAST);
	rep_incident_release(&x);
	rep_view_release(&view);
	rep_filter_release(&filter);
}

int main(void)
{
	const struct CMUnitTest alone[] = {
	    cmocka_unit_test(test_incident_judge_cells),
	    cmocka_unit_test(test_incident_read),
	    cmocka_unit_test(test_incident_windows),
	};
	const struct CMUnitTest segments[] = {
	    cmocka_unit_test(test_incident_read_segments),
	    cmocka_unit_test(test_incident_no_state),
	};

	return cmocka_run_group_tests(alone, set_up, tear_down) +
	       cmocka_run_group_tests(segments, set_up_in_segments, tear_down);
}
