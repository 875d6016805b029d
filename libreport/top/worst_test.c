/* The longest spans against what SQL says of the table span. */
#include <sqlite3.h>

#include "top/worst.h"
#include "testing_sample.h"

#define MOST 40
#define IN_REGION                                                                                  \
	"EXISTS (SELECT 1 FROM region r WHERE r.name = 'pay' AND r.goroutine = span.goroutine "    \
	"AND r.start_ns < span.end_ns AND r.end_ns > span.start_ns)"

struct wanted {
	struct rep_filter_text text;
	uint32_t states;
	bool no_rest;
	const char *where; /* the same in SQL */
	int64_t from, to;
};

/* … but each is one that is there. */
static void check_there(const struct rep_view *v, const struct rep_worst *w)
{
	sqlite3_stmt *st;

	assert_int_equal(sqlite3_prepare_v2(tp_store_db(store),
					    "SELECT count(*) FROM span WHERE goroutine = ? AND "
					    "start_ns = ? AND end_ns = ? AND reason = ?",
					    -1, &st, NULL),
			 0);
	sqlite3_bind_int64(st, 1, REP_COL(v, GOROUTINE, id)[w->span.goroutine]);
	sqlite3_bind_int64(st, 2, w->span.start);
	sqlite3_bind_int64(st, 3, w->span.end);
	sqlite3_bind_text(st, 4, tp_dict_text(v->dict, w->span.reason).text, -1, NULL);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int64(st, 0), 1);
	sqlite3_finalize(st);
}

static void check(const struct wanted *w, size_t n)
{
	const struct rep_worst_options opt = {.states = w->states, .n = n, .no_rest = w->no_rest};
	struct rep_worst out[MOST];
	struct rep_filter filter;
	struct rep_view v;
	struct tp_err err;
	sqlite3_stmt *st;
	char sql[600];
	size_t found, i = 0;

	assert_int_equal(rep_filter_init(&filter, &w->text, &err), 0);
	assert_int_equal(rep_view_init(&v, store, &runs.run[0], &filter, NULL, &err), 0);
	assert_int_equal(rep_worst(&v, &opt, out, &found, &err), 0);
	snprintf(sql, sizeof(sql),
		 "SELECT 0, max(start_ns, ?1) AS at, min(end_ns, ?2) - max(start_ns, ?1) "
		 "AS dur FROM span WHERE %s AND start_ns < ?2 AND (end_ns > ?1 OR "
		 "start_ns >= ?1) ORDER BY dur DESC, at LIMIT %zu",
		 w->where, n);
	assert_int_equal(sqlite3_prepare_v2(tp_store_db(store), sql, -1, &st, NULL), 0);
	sqlite3_bind_int64(st, 1, w->from);
	sqlite3_bind_int64(st, 2, w->to);
	/* Of those that are alike any may come first, … */
	for (; sqlite3_step(st) == SQLITE_ROW; i++) {
		assert_true(i < found);
		assert_int_equal(out[i].dur_ns, sqlite3_column_int64(st, 2));
		assert_int_equal(out[i].at_ns, sqlite3_column_int64(st, 1));
		check_there(&v, &out[i]);
	}
	assert_int_equal(i, found);
	sqlite3_finalize(st);
	rep_view_release(&v);
	rep_filter_release(&filter);
}

static void test_worst_is_as_sql_has_it(void **state)
{
	static const uint32_t blocked = 1u << TP_ST_WAITING, ready = 1u << TP_ST_RUNNABLE;
	const struct wanted wanted[] = {
	    {{0}, ready, false, "state = 'Runnable'", INT64_MIN, INT64_MAX},
	    {{0}, blocked, false, "state = 'Waiting'", INT64_MIN, INT64_MAX},
	    {{0},
	     blocked,
	     true,
	     "state = 'Waiting' AND reason NOT IN ('sleep', "
	     "'system goroutine wait', 'GC background sweeper wait', 'GC worker (idle)', "
	     "'GC scavenge wait', 'finalizer wait', 'force gc (idle)', 'forever', "
	     "'trace reader (blocked)', 'debug call', 'cleanup wait', 'preempted', "
	     "'update GOMAXPROCS') AND "
	     "goroutine NOT IN (SELECT id FROM goroutine WHERE name LIKE 'runtime.%' AND name <> "
	     "'runtime.main')",
	     INT64_MIN,
	     INT64_MAX},
	    {{.from = "3ms", .to = "9ms"}, blocked, false, "state = 'Waiting'", 3000000, 9000000},
	    {{.from = "4ms"}, ready, false, "state = 'Runnable'", 4000000, INT64_MAX},
	    {{.goroutine = "1"},
	     blocked,
	     false,
	     "state = 'Waiting' AND goroutine = 1",
	     INT64_MIN,
	     INT64_MAX},
	    {{.reason = "^sync"},
	     blocked,
	     false,
	     "state = 'Waiting' AND reason LIKE 'sync%'",
	     INT64_MIN,
	     INT64_MAX},
	    {{.goroutine = "999999"}, blocked, false, "goroutine = 999999", INT64_MIN, INT64_MAX},
	    {{.region = "^pay$"},
	     blocked,
	     false,
	     "state = 'Waiting' AND " IN_REGION,
	     INT64_MIN,
	     INT64_MAX},
	    {{.region = "^pay$", .from = "3ms", .to = "90ms"},
	     ready,
	     false,
	     "state = 'Runnable' AND " IN_REGION,
	     3000000,
	     90000000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		check(&wanted[i], MOST);
		check(&wanted[i], 1);
		check(&wanted[i], 7);
	}
}

static void test_worst_stops(void **state)
{
	static const struct rep_filter_text none = {0};
	atomic_bool stop = true;
	const struct rep_worst_options opt = {.states = 1u << TP_ST_RUNNING, .n = 3, .stop = &stop};
	struct rep_worst out[3];
	struct rep_filter filter;
	struct rep_view v;
	struct tp_err err;
	size_t found;

	(void)state;
	assert_int_equal(rep_filter_init(&filter, &none, &err), 0);
	assert_int_equal(rep_view_init(&v, store, &runs.run[0], &filter, NULL, &err), 0);
	assert_int_equal(rep_worst(&v, &opt, out, &found, &err), TP_ECANCEL);
	rep_view_release(&v);
	rep_filter_release(&filter);
}

/* Goroutines of which nobody knows whether they are meant. */
static void test_worst_unknown(void **state)
{
	static const struct rep_filter_text text = {.goroutine = "m.in[.]"};
	const struct rep_worst_options opt = {.states = 1u << TP_ST_RUNNING, .n = 3};
	int64_t most = tp_regex_most_ns;
	struct rep_worst out[3];
	struct rep_filter filter;
	struct rep_view v;
	struct tp_err err;
	size_t found;

	(void)state;
	assert_int_equal(rep_filter_init(&filter, &text, &err), 0);
	assert_int_equal(rep_view_init(&v, store, &runs.run[0], &filter, NULL, &err), 0);
	tp_regex_most_ns = INT64_MIN / 2;
	assert_int_equal(rep_worst(&v, &opt, out, &found, &err), TP_ELIMIT);
	tp_regex_most_ns = most;
	rep_view_release(&v);
	rep_filter_release(&filter);
}

/* The wait that each of them ended, whichever segment has it, as SQL says. */
static void test_worst_before(void **state)
{
	const struct rep_worst_options opt = {.states = 1u << TP_ST_RUNNABLE, .n = MOST};
	struct rep_worst out[MOST];
	struct tp_span before[MOST];
	struct rep_filter filter;
	struct rep_view v;
	struct tp_err err;
	sqlite3_stmt *st;
	size_t found, waits = 0;

	(void)state;
	assert_int_equal(rep_filter_init(&filter, &(struct rep_filter_text){0}, &err), 0);
	assert_int_equal(rep_view_init(&v, store, &runs.run[0], &filter, NULL, &err), 0);
	assert_int_equal(rep_worst(&v, &opt, out, &found, &err), 0);
	assert_int_equal(found, MOST);
	assert_int_equal(rep_worst_before(&v, out, found, before, NULL, &err), 0);
	assert_int_equal(sqlite3_prepare_v2(tp_store_db(store),
					    "SELECT max(start_ns) FROM span WHERE goroutine = ? "
					    "AND end_ns = ? AND state = 'Waiting'",
					    -1, &st, NULL),
			 0);
	for (size_t i = 0; i < found; i++) {
		bool waited;

		sqlite3_bind_int64(st, 1, REP_COL(&v, GOROUTINE, id)[out[i].span.goroutine]);
		sqlite3_bind_int64(st, 2, out[i].span.start);
		assert_int_equal(sqlite3_step(st), SQLITE_ROW);
		waited = sqlite3_column_type(st, 0) != SQLITE_NULL;
		assert_int_equal(before[i].state, waited ? TP_ST_WAITING : TP_ST_UNDETERMINED);
		if (waited)
			assert_int_equal(before[i].start, sqlite3_column_int64(st, 0));
		waits += waited;
		sqlite3_reset(st);
	}
	assert_in_range(waits, 1, found);
	sqlite3_finalize(st);
	rep_view_release(&v);
	rep_filter_release(&filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_worst_is_as_sql_has_it),
	    cmocka_unit_test(test_worst_before),
	    cmocka_unit_test(test_worst_stops),
	    cmocka_unit_test(test_worst_unknown),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
