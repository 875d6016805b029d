/* Runs into an engine and back, without one: what comes back is what the store had, whatever is cut
 * off on the way; and answers that are wrong are errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rounds.h"
#include "engine/fetch.h"
#include "engine/load.h"
#include "engine/testing_engine.h"
#include "import.h"

static const char *const dumps[] = {"testdata/catalog.heap",	    "testdata/ledger/ledger-3.heap",
				    "testdata/convoy.trace",	    "testdata/catalog.cpu",
				    "testdata/checkout-1.19.trace", "testdata/inbox/inbox-2.d1"};
#define NDUMPS (sizeof(dumps) / sizeof(dumps[0]))

struct fixture {
	char dir[64], from[96], to[96];
	struct tp_store *store;
	struct rep_runs runs;
	struct testing_engine engine;
	struct rep_engine_link link;
	struct rep_engine_place at;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct tp_err err;

	assert_non_null(f);
	snprintf(f->dir, sizeof(f->dir), "/tmp/tprof-engine-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->from, sizeof(f->from), "%s/from.tprof", f->dir);
	snprintf(f->to, sizeof(f->to), "%s/to.tprof", f->dir);
	for (size_t i = 0; i < NDUMPS; i++) {
		static const char *const labels[] = {"kind=odd 'x' \\ \n", "n=1"};
		struct tp_import_options opt = {.labels = labels, .nlabels = 2};
		struct tp_import_result result;

		assert_int_equal(tp_import(dumps[i], f->from, &opt, &result, &err), 0);
	}
	assert_int_equal(tp_store_open(&f->store, f->from, &err), 0);
	assert_int_equal(rep_runs_load(f->store, &f->runs, &err), 0);
	f->link = (struct rep_engine_link){.ask = testing_ask, .ctx = &f->engine};
	f->at = (struct rep_engine_place){.database = "d"};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rep_runs_release(&f->runs);
	tp_store_close(f->store);
	testing_release(&f->engine);
	unlink(f->from);
	unlink(f->to);
	assert_int_equal(rmdir(f->dir), 0);
	free(f);
	return 0;
}

static int load(struct fixture *f, struct rep_engine_load_result *result)
{
	const struct rep_engine_load_options opt = {.events = true, .stale_s = 3600};
	struct tp_err err;

	return rep_engine_load(&f->link, 1, &f->at, f->store, &f->runs, &opt, result, &err);
}

static int fetch(struct fixture *f, struct tp_err *err)
{
	static const bool picked[NDUMPS] = {true, true, true, true, true, true};
	const struct rep_engine_fetch_options opt = {.picked = picked, .events = true};
	struct rep_engine_runs runs;
	int code = rep_engine_runs_load(&f->link, &f->at, NULL, 0, &runs, err);

	unlink(f->to);
	if (!code && runs.n == NDUMPS)
		code = rep_engine_fetch(&f->link, &f->at, &runs, &opt, f->to, err);
	else if (!code)
		code = TP_ENOENT;
	rep_engine_runs_release(&runs);
	return code;
}

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
			if (t != TP_TABLE_OCCUPANCY)
				same_rows(f->store, store, a->row.id, (enum tp_table_id)t);
		same_events(f->store, store, a->row.id);
	}
	rep_runs_release(&runs);
	tp_store_close(store);
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
}

static size_t everything(const struct testing_engine *e)
{
	size_t size = 0;

	for (int t = 0; t < REP_ENGINE_NTABLES; t++)
		size += e->table[t].size;
	return size;
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

/* Whichever INSERT fails, the next try makes good for it, and rows of the first do not count. */
static void test_load_cut_off(void **state)
{
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct tp_err err;
	int n;

	assert_int_equal(load(f, &result), 0);
	n = f->engine.inserts;
	assert_true(n > 20);
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

static void test_fetch_spoiled(void **state)
{
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct tp_err err;
	int answers, bad = 0, rounds = TP_ROUNDS(300);

	assert_int_equal(load(f, &result), 0);
	f->engine.random = 1;
	assert_int_equal(fetch(f, &err), 0);
	answers = f->engine.answers;
	for (int i = 0; i < rounds; i++) {
		f->engine.random = (uint64_t)i + 1;
		f->engine.answers = 0;
		f->engine.spoils_at = i % answers + 1;
		bad += fetch(f, &err) != 0;
	}
	assert_true(bad > rounds / 4);
}

/* Reports that need events are told that they are not there. */
static void test_fetch_without_events(void **state)
{
	static const bool picked[NDUMPS] = {[2] = true};
	const struct rep_engine_fetch_options opt = {.picked = picked};
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct rep_engine_runs runs;
	struct tp_event_reader *r;
	struct tp_store *store;
	struct tp_err err;

	assert_int_equal(load(f, &result), 0);
	assert_int_equal(rep_engine_runs_load(&f->link, &f->at, NULL, 0, &runs, &err), 0);
	assert_int_equal(rep_engine_fetch(&f->link, &f->at, &runs, &opt, f->to, &err), 0);
	assert_int_equal(tp_store_open(&store, f->to, &err), 0);
	assert_int_equal(tp_events_open(&r, store, 3, NULL, &err), TP_ENOENT);
	assert_non_null(strstr(err.msg, "events=yes"));
	same_rows(f->store, store, 3, TP_TABLE_SITE);
	tp_store_close(store);
	rep_engine_runs_release(&runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_engine_and_back, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_load_again, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_load_cut_off, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_fetch_spoiled, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_fetch_without_events, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
