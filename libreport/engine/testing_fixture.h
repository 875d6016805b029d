/* A store with some dumps, and an engine (testing_engine.h) to load it into and to read it back
 * from. */
#ifndef REP_ENGINE_TESTING_FIXTURE_H
#define REP_ENGINE_TESTING_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/fetch.h"
#include "engine/load.h"
#include "engine/testing_engine.h"
#include "import.h"

static const char *const dumps[] = {"testdata/catalog.heap",	    "testdata/ledger/ledger-3.heap",
				    "testdata/convoy.trace",	    "testdata/catalog.cpu",
				    "testdata/checkout-1.19.trace", "testdata/inbox/inbox-2.d1",
				    "testdata/callbacks.trace"};
#define NDUMPS (sizeof(dumps) / sizeof(dumps[0]))

struct fixture {
	char dir[64], from[96], to[96];
	struct tp_store *store;
	struct rep_runs runs;
	struct testing_engine engine;
	struct rep_engine_link link;
	struct rep_engine_place at;
};

static inline int setup(void **state)
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

static inline int teardown(void **state)
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

/* The loader's own clock in seconds. */
static int64_t uptime = 1000;

static inline int64_t uptime_s(void)
{
	return uptime;
}

static inline int load_some(struct fixture *f, size_t nruns, struct rep_engine_load_result *result,
			    struct tp_err *err)
{
	const struct rep_engine_load_options opt = {.spans = true, .uptime_s = uptime_s};
	struct rep_runs runs = {.run = f->runs.run, .n = nruns};

	return rep_engine_load(&f->link, 1, &f->at, f->store, &runs, &opt, result, err);
}

static inline int load(struct fixture *f, struct rep_engine_load_result *result)
{
	struct tp_err err;

	return load_some(f, f->runs.n, result, &err);
}

static inline int fetch(struct fixture *f, struct tp_err *err)
{
	static const bool picked[NDUMPS] = {true, true, true, true, true, true, true};
	const struct rep_engine_fetch_options opt = {.picked = picked};
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

static inline size_t everything(const struct testing_engine *e)
{
	size_t size = 0;

	for (int t = 0; t < REP_ENGINE_NTABLES; t++)
		size += e->table[t].size;
	return size;
}

#endif
