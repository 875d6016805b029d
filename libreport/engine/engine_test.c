/* Moves runs into an engine (in memory) and back. The runs that come back equal those of the store,
 * wherever loading was interrupted, and wrong answers are errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/testing_rounds.h"
#include "engine/fetch.h"
#include "engine/inside.h"
#include "engine/load.h"
#include "engine/testing_fixture.h"
#include "store/verify.h"

static void same_rows(struct tp_store *a, struct tp_store *b, int64_t run, enum tp_table_id table)
{
	struct tp_rows x, y;
	struct tp_err err;

	assert_int_equal(tp_rows_load(a, run, table, 0, &x, &err), 0);
	assert_int_equal(tp_rows_load(b, run, table, 0, &y, &err), 0);
	if (x.nrows != y.nrows)
		fail_msg("table %s: %zu and %zu rows", tp_tables[table].name, x.nrows, y.nrows);
	for (unsigned c = 0; c < tp_tables[table].ncolumns && x.nrows; c++)
		if (memcmp(x.col[c], y.col[c], x.nrows * sizeof(int64_t)) != 0)
			fail_msg("table %s, column %s", tp_tables[table].name,
				 tp_tables[table].columns[c].name);
	tp_rows_release(&x);
	tp_rows_release(&y);
}

static void same_events(struct tp_store *a, struct tp_store *b, int64_t run)
{
	struct tp_event_reader *x, *y;
	const struct tp_event *e, *g;
	size_t n, m;
	struct tp_err err;
	int more;

	assert_int_equal(tp_events_open(&x, a, run, NULL, &err), 0);
	assert_int_equal(tp_events_open(&y, b, run, NULL, &err), 0);
	do {
		more = tp_events_next(x, &e, &n, &err);
		assert_int_equal(tp_events_next(y, &g, &m, &err), more);
		assert_int_equal(n, m);
		for (size_t i = 0; i < n; i++)
			assert_memory_equal(&e[i], &g[i], sizeof(*e));
	} while (more == 1);
	assert_int_equal(more, 0);
	tp_events_close(x);
	tp_events_close(y);
}

static void same_profile(struct tp_store *a, struct tp_store *b, int64_t run)
{
	struct tp_profile *x, *y;
	struct tp_err err;

	assert_int_equal(tp_profile_load(a, run, &x, &err), 0);
	assert_int_equal(tp_profile_load(b, run, &y, &err), 0);
	assert_int_equal(x->ntypes, y->ntypes);
	assert_int_equal(x->nsamples, y->nsamples);
	assert_int_equal(x->nmappings, y->nmappings);
	assert_int_equal(x->ncounters, y->ncounters);
	assert_int_equal(x->nsets, y->nsets);
	assert_int_equal(x->period, y->period);
	assert_int_equal(x->time_ns, y->time_ns);
	assert_int_equal(tp_dict_stacks(x->dict), tp_dict_stacks(y->dict));
	if (x->nsamples && x->ntypes)
		assert_memory_equal(x->value, y->value,
				    x->nsamples * x->ntypes * sizeof(*x->value));
	for (size_t i = 0; i < x->nsamples; i++) {
		assert_int_equal(x->stack[i], y->stack[i]);
		assert_int_equal(tp_dict_stack_hash(x->dict, x->stack[i]),
				 tp_dict_stack_hash(y->dict, y->stack[i]));
		assert_int_equal(x->label_set[i], y->label_set[i]);
	}
	tp_profile_free(x);
	tp_profile_free(y);
}

static void same_store(struct fixture *f)
{
	struct rep_runs runs;
	struct tp_store *store;
	struct tp_err err;

	assert_int_equal(tp_store_open(&store, f->to, &err), 0);
	assert_int_equal(rep_runs_load(store, &runs, &err), 0);
	assert_int_equal(runs.n, f->runs.n);
	for (size_t i = 0; i < runs.n; i++) {
		const struct rep_run *a = &f->runs.run[i], *b = &runs.run[i];

		assert_string_equal(a->row.name, b->row.name);
		assert_string_equal(a->row.hash, b->row.hash);
		assert_int_equal(a->row.wall_ns, b->row.wall_ns);
		assert_int_equal(a->row.imported_ns, b->row.imported_ns);
		assert_int_equal(a->nlabels, b->nlabels);
		assert_string_equal(a->labels[0], b->labels[0]);
		assert_int_equal(a->losses, b->losses);
		if (a->row.kind[0] == 'p') {
			same_profile(f->store, store, a->row.id);
			continue;
		}
		for (int t = 0; t < TP_NTABLES; t++)
			same_rows(f->store, store, a->row.id, (enum tp_table_id)t);
		same_events(f->store, store, a->row.id);
	}
	rep_runs_release(&runs);
	tp_store_close(store);
}

static void on_wrong(void *ctx, int64_t run, const char *what)
{
	(void)ctx;
	(void)run;
	(void)what;
}

/* Reads all of the new store and returns the number of differences. */
static size_t count_wrong(const struct fixture *f)
{
	const struct tp_verify v = {.found = on_wrong};
	size_t wrong = 0;
	struct tp_err err;

	assert_int_equal(tp_store_verify(f->to, &v, &wrong, &err), 0);
	return wrong;
}

static void test_engine_and_back(void **state)
{
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct tp_err err;

	assert_int_equal(load(f, &result), 0);
	assert_int_equal(result.runs, NDUMPS);
	assert_int_equal(result.known, 0);
	assert_int_equal(fetch(f, &err), 0);
	same_store(f);
	assert_int_equal(count_wrong(f), 0);
}

static void test_load_again(void **state)
{
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	size_t before;

	assert_int_equal(load(f, &result), 0);
	before = everything(&f->engine);
	assert_int_equal(load(f, &result), 0);
	assert_int_equal(result.known, NDUMPS);
	assert_int_equal(result.bytes, 0);
	assert_int_equal(everything(&f->engine), before);
}

/* Whichever INSERT fails, the next load completes the work, and rows of the first do not count. */
static void test_load_cut_off(void **state)
{
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct tp_err err;
	int n;

	assert_int_equal(load(f, &result), 0);
	n = f->engine.inserts;
	assert_true(n > 12);
	for (int i = 1; i <= n; i += i < 4 ? 1 : 6) {
		testing_release(&f->engine);
		f->engine = (struct testing_engine){.fails_at = i};
		assert_int_equal(load(f, &result), TP_EIO);
		assert_int_equal(fetch(f, &err), TP_ENOENT); /* not all runs are there */
		assert_int_equal(load(f, &result), 0);
		assert_int_equal(fetch(f, &err), 0);
		if (i == 4)
			same_store(f);
	}
}

/* ---- spans ---- */

struct by_state {
	const char *state;
	int64_t n, start, dur, stacks;
};

static void sum_loaded(const struct testing_engine *e, uint64_t load, struct by_state *sum)
{
	const struct tp_buf *b = &e->table[REP_ENGINE_SPAN];
	struct tp_cursor c = tp_cursor(b->data, b->size);

	while (c.at < c.end) {
		bool ours;
		static const uint8_t none[REP_STACK_HASH];
		int64_t start, dur;
		struct tp_slice state, stack;

		rep_row_get(&c, 2);
		ours = rep_row_get(&c, 8) == load;
		rep_row_get(&c, 4);
		rep_row_get_int(&c);
		state = rep_row_get_text_or_null(&c);
		start = rep_row_get_int(&c);
		rep_row_get_int(&c);
		dur = rep_row_get_int(&c);
		rep_row_get_text_or_null(&c);
		stack = tp_cursor_bytes(&c, REP_STACK_HASH);
		for (int i = 0; i < 3; i++)
			rep_row_get_int(&c);
		tp_cursor_bytes(&c, REP_STACK_HASH);
		for (int i = 0; i < 2; i++)
			rep_row_get_int(&c);
		assert_int_equal(c.failed, 0);
		if (!ours || state.size != strlen(sum->state) ||
		    memcmp(state.data, sum->state, state.size) != 0)
			continue;
		sum->n++;
		sum->start += start;
		sum->dur += dur;
		sum->stacks += memcmp(stack.data, none, sizeof(none)) != 0;
	}
}

static void same_spans(struct fixture *f, int64_t run, uint64_t load)
{
	sqlite3_stmt *st;
	int n = 0;

	assert_int_equal(
	    sqlite3_prepare_v2(tp_store_db(f->store),
			       "SELECT state, count(*), sum(start_ns), sum(dur_ns), "
			       "total(stack > 0) FROM span WHERE run = ?1 GROUP BY state",
			       -1, &st, NULL),
	    SQLITE_OK);
	sqlite3_bind_int64(st, 1, run);
	while (sqlite3_step(st) == SQLITE_ROW) {
		struct by_state sum = {.state = (const char *)sqlite3_column_text(st, 0)};

		sum_loaded(&f->engine, load, &sum);
		assert_int_equal(sum.n, sqlite3_column_int64(st, 1));
		assert_int_equal(sum.start, sqlite3_column_int64(st, 2));
		assert_int_equal(sum.dur, sqlite3_column_int64(st, 3));
		assert_int_equal(sum.stacks, sqlite3_column_int64(st, 4));
		n++;
	}
	assert_true(n >= 3);
	sqlite3_finalize(st);
}

static void test_load_spans(void **state)
{
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct rep_engine_runs runs;
	struct tp_err err;

	assert_int_equal(load(f, &result), 0);
	assert_int_equal(rep_engine_runs_load(&f->link, &f->at, NULL, 0, &runs, &err), 0);
	for (size_t i = 0; i < runs.n; i++)
		if (runs.run[i].row.kind[0] == 't')
			same_spans(f, f->runs.run[i].row.id, runs.run[i].load);
	rep_engine_runs_release(&runs);
}

/* Blocks are not checked here, so readers of the store find damage in them. */
static void test_fetch_spoiled(void **state)
{
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct tp_err err;
	int answers, bad = 0, rounds = tp_rounds(200);

	assert_int_equal(load(f, &result), 0);
	f->engine.random = 1;
	assert_int_equal(fetch(f, &err), 0);
	answers = f->engine.answers;
	for (int i = 0; i < rounds; i++) {
		f->engine.random = (uint64_t)i + 1;
		f->engine.answers = 0;
		f->engine.spoils_at = i * answers / rounds + 1;
		bad += fetch(f, &err) != 0 || count_wrong(f);
	}
	assert_true(bad > rounds / 4);
}

/* ---- an engine that sends without end ---- */

struct flood {
	struct testing_engine *engine;
	int at, answers; /* answer `at` (from 1) is repeated until the reader stops it */
	uint64_t said;
};

struct again {
	struct tp_buf all;
};

static int on_again(void *to, const void *data, size_t size, struct tp_err *err)
{
	struct again *a = to;

	(void)err;
	return tp_buf_put(&a->all, data, size);
}

#define FLOOD ((uint64_t)4 << 20)

static int flood_ask(void *ctx, const char *sql, const void *data, size_t size,
		     int (*on_data)(void *to, const void *data, size_t size, struct tp_err *err),
		     void *to, struct tp_err *err)
{
	struct flood *f = ctx;
	struct again a = {0};
	int code;

	if (!on_data || ++f->answers != f->at)
		return testing_ask(f->engine, sql, data, size, on_data, to, err);
	code = testing_ask(f->engine, sql, data, size, on_again, &a, err);
	while (!code && a.all.size && f->said < FLOOD) {
		code = on_data(to, a.all.data, a.all.size, err);
		f->said += a.all.size;
	}
	tp_buf_release(&a.all);
	return code;
}

/* However long an answer is, little of it is held in memory. Known stacks, and rows that go into
 * the store, take none. */
static void test_fetch_flood(void **state)
{
	struct fixture *f = *state;
	struct flood flood = {.engine = &f->engine};
	struct rep_engine_load_result result;
	struct tp_err err;
	int answers, limits = 0;

	assert_int_equal(load(f, &result), 0);
	f->link = (struct rep_engine_link){.ask = flood_ask, .ctx = &flood};
	assert_int_equal(fetch(f, &err), 0);
	answers = flood.answers;
	rep_engine_held_most = (size_t)1 << 20;
	assert_int_equal(fetch(f, &err), 0);
	for (int i = 1; i <= answers; i++) {
		int code;

		flood = (struct flood){.engine = &f->engine, .at = i};
		code = fetch(f, &err);
		if (code == TP_ELIMIT) {
			limits++;
			assert_non_null(strstr(err.msg, "1 MiB of memory"));
			/* It fails as soon as the limit is reached. */
			assert_true(flood.said < FLOOD / 2);
		}
	}
	rep_engine_held_most = REP_ENGINE_HELD_MOST;
	/* Runs and the headers of profiles are limited. */
	assert_true(limits >= 4);
}

/* Adds stacks of one frame each, with distinct names or all with the same. */
static void add_stacks(struct testing_engine *e, bool distinct, size_t n, size_t name)
{
	size_t nloads;
	struct testing_load *load = testing_loads(e, REP_ENGINE_RUN, &nloads);
	char *text = malloc(name);

	assert_true(load && text && nloads);
	memset(text, 'x', name);
	for (size_t i = 0; i < n; i++) {
		struct tp_buf *b = &e->table[REP_ENGINE_STACK];

		memcpy(text, distinct ? &i : &(size_t){0}, sizeof(i));
		/* Hash, then arrays of one frame: function, file, line, column, marks, system name,
		 * start line, mapping, address, flags. */
		rep_row_put(b, i + 1, 8);
		rep_row_put(b, 77, 8);
		rep_row_put(b, 1, 1);
		rep_row_put_text(b, text, name);
		rep_row_put(b, 1, 2);
		for (int k = 0; k < 2; k++) {
			rep_row_put(b, 1, 1);
			rep_row_put(b, i + 1, 8);
		}
		rep_row_put(b, 2 << 8 | 1, 2);
		rep_row_put(b, 1, 2);
		for (int k = 0; k < 3; k++) {
			rep_row_put(b, 1, 1);
			rep_row_put(b, 0, 8);
		}
		rep_row_put(b, 1, 1);
		rep_row_put(b, 0, 4);
		/* Day, load, row, hash, node, no labels, four values. */
		b = &e->table[REP_ENGINE_BUCKET];
		rep_row_put(b, 0, 2);
		rep_row_put(b, load[0].load, 8);
		rep_row_put(b, 100000 + i, 4);
		rep_row_put(b, i + 1, 8);
		rep_row_put(b, 77, 8);
		rep_row_put(b, 100000 + i, 4);
		rep_row_put(b, 0, 4);
		rep_row_put(b, 4, 1);
		for (int k = 0; k < 4; k++)
			rep_row_put(b, 1, 8);
	}
	free(load);
	free(text);
}

/* A sample is short, but its stack may be long. Stacks count as soon as a profile has them, and
 * frames shared by several stacks count once. */
static void test_fetch_stacks_held(void **state)
{
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct tp_err err;

	rep_engine_held_most = (size_t)2 << 20;
	for (int distinct = 0; distinct < 2; distinct++) {
		testing_release(&f->engine);
		f->engine = (struct testing_engine){0};
		assert_int_equal(load(f, &result), 0);
		add_stacks(&f->engine, distinct, 64, (size_t)64 << 10);
		assert_int_equal(fetch(f, &err), distinct ? TP_ELIMIT : 0);
	}
	assert_non_null(strstr(err.msg, "2 MiB of memory"));
	rep_engine_held_most = REP_ENGINE_HELD_MOST;
}

/* Adds samples with many labels, each with a set of its own, or all with the same set. */
static void add_labels(struct testing_engine *e, bool distinct, size_t n, size_t nlabels)
{
	size_t nloads;
	struct testing_load *load = testing_loads(e, REP_ENGINE_RUN, &nloads);
	struct tp_buf *b = &e->table[REP_ENGINE_BUCKET];

	assert_true(load && nloads);
	for (size_t i = 0; i < n; i++) {
		/* Day, load, row, no stack, node; keys, values, units, which of them are numbers;
		 * four values. */
		rep_row_put(b, 0, 2);
		rep_row_put(b, load[0].load, 8);
		rep_row_put(b, 100000 + i, 4);
		rep_row_put(b, 0, 8);
		rep_row_put(b, 0, 8);
		rep_row_put(b, 100000 + i, 4);
		for (int list = 0; list < 4; list++) {
			tp_buf_put_uvarint(b, nlabels);
			for (size_t k = 0; k < nlabels; k++) {
				char digits[24];
				int size =
				    snprintf(digits, sizeof(digits), "%zu", distinct && !k ? i : 1);

				if (list == 3)
					rep_row_put(b, 1, 1);
				else if (list == 1)
					rep_row_put_text(b, digits, (size_t)size);
				else
					rep_row_put_text(b, "", 0);
			}
		}
		rep_row_put(b, 4, 1);
		for (int k = 0; k < 4; k++)
			rep_row_put(b, 1, 8);
	}
	free(load);
}

/* A label takes several times as much memory in a profile as in its row; a set of labels that
 * samples share is held once. */
static void test_fetch_labels_held(void **state)
{
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct tp_err err;

	rep_engine_held_most = (size_t)2 << 20;
	for (int distinct = 0; distinct < 2; distinct++) {
		testing_release(&f->engine);
		f->engine = (struct testing_engine){0};
		assert_int_equal(load(f, &result), 0);
		add_labels(&f->engine, distinct, 500, 200);
		assert_int_equal(fetch(f, &err), distinct ? TP_ELIMIT : 0);
	}
	assert_non_null(strstr(err.msg, "2 MiB of memory"));
	rep_engine_held_most = REP_ENGINE_HELD_MOST;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_engine_and_back, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_load_again, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_load_cut_off, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_load_spans, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_fetch_spoiled, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_fetch_flood, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_fetch_stacks_held, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_fetch_labels_held, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
