/* Parts of a trace that are damaged or do not fit together stay as they are, beside whatever else
 * is merged. */
#include "base/random.h"
#include "base/testing_rounds.h"
#include "store/merge/testing_parts.h"

/* ---- parts that do not fit ---- */

static void other_goroutine(struct tp_trace *t)
{
	t->cut->before.g[t->cut->before.ng / 2].status ^= 1;
}

static void no_goroutine(struct tp_trace *t)
{
	struct tp_seam *s = &t->cut->before;

	while (!(s->g[s->ng - 1].flags & TP_SEAM_ALIVE))
		s->ng--;
	s->ng--;
}

static void other_binding(struct tp_trace *t)
{
	t->cut->before.m[0].p = 77;
}

static void other_proc(struct tp_trace *t)
{
	t->cut->before.p[0].status ^= 1;
}

static void other_phase(struct tp_trace *t)
{
	t->cut->before.gc = 2;
	t->cut->before.gc_seq = 12345;
}

static void other_clock(struct tp_trace *t)
{
	t->cut->ns_per_tick *= 2;
}

static void a_stop(struct tp_trace *t)
{
	t->cut->before.nstw = 1;
	t->cut->before.stw = calloc(1, sizeof(*t->cut->before.stw));
	assert_non_null(t->cut->before.stw);
}

static void index_too_large(struct tp_trace *t)
{
	t->cut->before.g[0].index = t->ng;
}

static void index_behind_too_large(struct tp_trace *t)
{
	t->cut->after.p[0].index = t->np;
}

static void fewer_goroutines(struct tp_trace *t)
{
	t->cut->before.ng = 0;
	t->ng = 1;
}

static void more_events(struct tp_trace *t)
{
	t->events++;
}

static void many_inferred(struct tp_trace *t)
{
	t->inferred = UINT64_MAX;
}

static void many_generations(struct tp_trace *t)
{
	t->generations = 4;
}

static void earlier(struct tp_trace *t)
{
	t->first_ts -= 1000000000;
}

static void long_before(struct tp_trace *t)
{
	t->first_ts = INT64_MIN;
}

static void nothing(struct tp_trace *t)
{
	(void)t;
}

static void put_apart(void *ctx, const char *run, const char *why)
{
	assert_string_equal(run, "slow-1.27.trace");
	snprintf(ctx, 200, "%s", why);
}

static void test_merge_parts_that_do_not_fit(void **state)
{
	static const struct {
		void (*change)(struct tp_trace *t);
		const char *says; /* NULL: it fits */
	} cases[] = {
	    {nothing, NULL},
	    {other_goroutine, "(goroutines)"},
	    {no_goroutine, "(goroutines)"},
	    {other_binding, "(threads)"},
	    {other_proc, "(procs)"},
	    {other_phase, "(mark phases)"},
	    {other_clock, "(times)"},
	    {a_stop, "(stops of the world)"},
	    {index_too_large, "damaged"},
	    {index_behind_too_large, "damaged"},
	    {fewer_goroutines, ""},
	    {more_events, "damaged"},
	    {many_inferred, "damaged"},
	    {many_generations, "damaged"},
	    {earlier, "damaged"},
	    {long_before, "damaged"},
	};
	char a[64], b[64], out[64], told[200];
	const struct tp_merge_options opt = {
	    .wait_ms = 10000, .apart = put_apart, .apart_ctx = told};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *says = cases[i].says;
		struct tp_merge_result result;
		struct tp_err err = {0};

		name(a, "fit", 1);
		name(b, "fit", 2);
		name(out, "fit", 3);
		import(a, 1, 2, false);
		import(b, 3, 5, false);
		change_cut(b, cases[i].change);
		*told = '\0';
		if (tp_store_merge(out, (const char *[]){a, b}, 2, &opt, &result, &err))
			fail_msg("case %zu: %s", i, err.msg);
		if (says ? !strstr(told, says) || !strstr(told, "whole trace") : *told)
			fail_msg("case %zu: %s", i, told);
		assert_int_equal(result.runs, says ? 2 : 1);
		assert_int_equal(result.joined, !says);
	}
}

/* ---- beside a whole trace ---- */

#define CUT_SHORT "UPDATE block SET data = substr(data, 1, length(data) / 2) WHERE stream = "

struct one {
	uint32_t first, last; /* 0: all */
	bool occupancy;
	const char *damage;
	void (*change)(struct tp_trace *t);
};

/* Whatever is the matter with parts, the trace that a store has as a whole is in the result. */
static void test_merge_damaged_parts_in_every_order(void **state)
{
	static const struct {
		struct one one[5];
		unsigned runs;
		bool joins, occupancy;
	} kinds[] = {
	    /* The damaged part has less than the whole, and goes into it. */
	    {{{0}, {1, 2, true, CUT_SHORT "'event'", NULL}, {3, 5, true, NULL, NULL}},
	     2,
	     false,
	     false},
	    {{{0}, {1, 2, true, CUT_SHORT "'stack'", NULL}, {3, 5, false, NULL, NULL}},
	     1,
	     false,
	     false},
	    /* It does not say what it is a part of, but its hash is that of a part of the whole. */
	    {{{0}, {1, 2, true, CUT_SHORT "'cut'", NULL}, {3, 5, true, NULL, NULL}},
	     2,
	     false,
	     false},
	    /* The same beside its sound copy, and without the whole. */
	    {{{1, 2, true, CUT_SHORT "'cut'", NULL},
	      {1, 2, false, NULL, NULL},
	      {3, 5, true, NULL, NULL}},
	     2,
	     true,
	     true},
	    /* Of which trace this one is cannot be told. */
	    {{{1, 2, true, CUT_SHORT "'cut'", NULL},
	      {3, 4, true, NULL, NULL},
	      {5, 5, true, NULL, NULL}},
	     3,
	     false,
	     false},
	    /* Nothing is damaged, and does not fit. */
	    {{{0}, {1, 2, true, NULL, NULL}, {3, 5, true, NULL, other_goroutine}}, 3, false, false},
	    {{{0}, {1, 2, false, NULL, NULL}, {3, 5, false, NULL, other_goroutine}},
	     1,
	     false,
	     false},
	    /* Without a whole. */
	    {{{1, 1, true, NULL, NULL},
	      {2, 2, true, CUT_SHORT "'event'", NULL},
	      {3, 5, true, NULL, NULL}},
	     3,
	     false,
	     false},
	    /* A whole that is damaged, and parts that are not. */
	    {{{0, 0, true, CUT_SHORT "'event'", NULL},
	      {1, 2, false, NULL, NULL},
	      {3, 5, false, NULL, NULL}},
	     1,
	     true,
	     false},
	    /* Of the damaged part there is another. */
	    {{{0},
	      {1, 2, true, CUT_SHORT "'event'", NULL},
	      {1, 2, true, NULL, NULL},
	      {3, 5, true, NULL, NULL}},
	     1,
	     true,
	     true},
	};

	(void)state;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		char store[5][64], expected[64];
		unsigned n = 0;

		for (; n < 3 || (n < 5 && kinds[k].one[n].last); n++) {
			const struct one *one = &kinds[k].one[n];

			name(store[n], "kind", n);
			import(store[n], one->first, one->last, one->occupancy);
			change(store[n], "UPDATE run SET imported_ns = 1");
			if (one->damage)
				change(store[n], one->damage);
			if (one->change)
				change_cut(store[n], one->change);
		}
		merge_in_every_order(store, n, expected);
		assert_int_equal(ask(expected, "SELECT count(*) FROM run"), kinds[k].runs);
		if (kinds[k].joins) {
			assert_int_equal(wrong_in(expected), 0);
			assert_int_equal(ask(expected, "SELECT count(*) > 0 FROM block WHERE "
						       "stream = 'occupancy'"),
					 kinds[k].occupancy);
		}
	}
}

/* Of traces that claim generations without end, those of few are looked at first; and where all
 * do, the part stays what it is. */
static void test_merge_stray_among_liars(void **state)
{
	static const char liars[] =
	    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 20) "
	    "INSERT INTO run SELECT 1000 + i, kind, name, source, printf('%032x', i), format, "
	    "start_ns, duration_ns, ticks, wall_ns, events, inferred, 1000000000, goroutines, "
	    "size_in, 0, 0, imported_ns FROM run, c";
	char store[2][64], out[64];
	struct tp_merge_result result;
	struct tp_err err;

	(void)state;
	name(store[0], "liars", 0);
	name(store[1], "liars", 1);
	import(store[0], 0, 0, false);
	change(store[0], liars);
	import(store[1], 1, 2, false);
	change(store[1], CUT_SHORT "'cut'");
	for (int claims = 0; claims < 2; claims++) {
		name(out, "liars", 2);
		if (claims)
			change(store[0], "UPDATE run SET generations = 1000000000");
		assert_int_equal(merge(out, (const char *[]){store[0], store[1]}, 2, &result, &err),
				 0);
		assert_int_equal(result.runs, 21 + claims);
	}
}

/* ---- damage by chance ---- */

/* Bytes of parts changed by chance: they are joined to whatever they say now, or stay as they are.
 */
static void test_merge_parts_survives_damage(void **state)
{
	static const char get[] = "SELECT rowid, data FROM block WHERE run = 1 AND (stream = 'cut' "
				  "OR stream = 'event' OR stream = 'string' OR stream = 'stack') "
				  "ORDER BY random()",
			  set[] = "UPDATE block SET data = ? WHERE rowid = ?";
	char part[2][64], out[64];
	uint64_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < (unsigned)tp_rounds(60); round++) {
		struct tp_merge_result result;
		struct tp_err err;
		sqlite3_stmt *stmt;
		sqlite3 *db;
		uint8_t *data;
		int size;
		int64_t row;

		name(part[0], "bad", 0);
		name(part[1], "bad", 1);
		name(out, "bad", 2);
		import(part[0], 1, 3, false);
		import(part[1], 4, 5, false);
		assert_int_equal(sqlite3_open(part[round % 2], &db), SQLITE_OK);
		assert_int_equal(sqlite3_prepare_v2(db, get, -1, &stmt, NULL), 0);
		assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
		row = sqlite3_column_int64(stmt, 0);
		size = sqlite3_column_bytes(stmt, 1);
		data = malloc((size_t)size);
		assert_non_null(data);
		memcpy(data, sqlite3_column_blob(stmt, 1), (size_t)size);
		sqlite3_finalize(stmt);
		for (int i = 0; i < 3; i++)
			data[tp_random(&seed) % (uint64_t)size] = (uint8_t)tp_random(&seed);
		assert_int_equal(sqlite3_prepare_v2(db, set, -1, &stmt, NULL), 0);
		sqlite3_bind_blob(stmt, 1, data, size, SQLITE_STATIC);
		sqlite3_bind_int64(stmt, 2, row);
		assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
		sqlite3_finalize(stmt);
		sqlite3_close(db);
		free(data);
		if (merge(out, (const char *[]){part[1], part[0]}, 2, &result, &err))
			fail_msg("round %u: %s", round, err.msg);
		assert_in_range(result.runs, 1, 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_merge_parts_that_do_not_fit),
	    cmocka_unit_test(test_merge_damaged_parts_in_every_order),
	    cmocka_unit_test(test_merge_stray_among_liars),
	    cmocka_unit_test(test_merge_parts_survives_damage),
	};

	return cmocka_run_group_tests(tests, testing_setup, testing_teardown);
}
