/* Several loaders of one engine, each with a clock of its own; what happens to interrupted loads;
 * and tables that exist already. */
#include "decode/profile/encode.h"
#include "engine/profiles.h"
#include "engine/stale.h"
#include "engine/testing_fixture.h"

/* ---- two loaders and their clocks ---- */

static struct fixture *other;

static void pass(struct testing_engine *e, int64_t s)
{
	e->now_s = testing_now(e) + (uint64_t)s;
	uptime += s;
}

/* Loads from another host with an unrelated clock. */
static void load_elsewhere(struct testing_engine *e)
{
	struct rep_engine_load_result result;
	struct tp_err err;
	int64_t was = uptime;

	if (e->inserts != 9)
		return;
	e->on_insert = NULL;
	pass(e, 10);
	was += 10;
	uptime = 77;
	assert_int_equal(load_some(other, 0, &result, &err), 0);
	assert_int_equal(result.removed, 0);
	uptime = was;
}

static void test_load_beside_another(void **state)
{
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct tp_err err;
	size_t whole;

	assert_int_equal(load(f, &result), 0);
	whole = everything(&f->engine);
	testing_release(&f->engine);
	other = f;
	f->engine = (struct testing_engine){.on_insert = load_elsewhere};
	assert_int_equal(load(f, &result), 0);
	assert_null(f->engine.on_insert);
	assert_int_equal(everything(&f->engine), whole);
	assert_int_equal(fetch(f, &err), 0);
}

/* The machine sleeps, or the load takes too long: its runs do not count. */
static void sleep_long(struct testing_engine *e)
{
	if (e->inserts == 9)
		pass(e, REP_ENGINE_LOAD_S + 1);
}

/* Another export considers the load stale. */
static void lose(struct testing_engine *e)
{
	if (e->inserts == 9)
		e->table[REP_ENGINE_LOAD].size = 0;
}

static void test_load_too_long(void **state)
{
	static void (*const on_insert[])(struct testing_engine * e) = {sleep_long, lose};
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct tp_err err;

	for (size_t i = 0; i < 2; i++) {
		f->engine.on_insert = on_insert[i];
		assert_int_equal(load_some(f, f->runs.n, &result, &err), TP_EBUSY);
		assert_non_null(
		    strstr(err.msg, i ? "has been removed meanwhile" : "takes too long"));
		assert_int_equal(result.runs, 0);
		assert_int_equal(f->engine.table[REP_ENGINE_RUN].size, 0);
		testing_release(&f->engine);
		f->engine = (struct testing_engine){.now_s = testing_now(&f->engine)};
	}
}

/* Rows of an interrupted load are removed after the period, once no loader works on the run. */
static void test_load_removes(void **state)
{
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct tp_err err;
	size_t whole;

	assert_int_equal(load(f, &result), 0);
	whole = everything(&f->engine);
	testing_release(&f->engine);
	f->engine = (struct testing_engine){.fails_at = f->engine.inserts};
	assert_int_equal(load(f, &result), TP_EIO);
	pass(&f->engine, REP_ENGINE_STALE_S + 1);
	assert_int_equal(load(f, &result), 0);
	assert_int_equal(result.removed, 0);
	pass(&f->engine, REP_ENGINE_STALE_S - 1);
	assert_int_equal(load(f, &result), 0);
	assert_int_equal(result.removed, 0);
	pass(&f->engine, 2);
	rep_engine_removed_at_once = NDUMPS - 2;
	assert_int_equal(load(f, &result), 0);
	rep_engine_removed_at_once = REP_ENGINE_REMOVED_MOST;
	assert_int_equal(result.removed, NDUMPS);
	/* Stacks stay, because all runs share them. */
	assert_int_equal(everything(&f->engine) - f->engine.table[REP_ENGINE_STACK].size / 2,
			 whole);
	assert_int_equal(fetch(f, &err), 0);
}

/* An engine that names arbitrary loads as stale, without end. */
struct namer {
	struct testing_engine *engine;
	uint64_t next, step;
	size_t asked, removed;
};

static int name_loads(void *ctx, const char *sql, const void *data, size_t size,
		      int (*on_data)(void *to, const void *data, size_t size, struct tp_err *err),
		      void *to, struct tp_err *err)
{
	struct namer *n = ctx;
	uint8_t load[8];

	n->removed += strstr(sql, " DELETE ") != NULL;
	if (!strstr(sql, "GLOBAL NOT IN") || ++n->asked > 100000)
		return testing_ask(n->engine, sql, data, size, on_data, to, err);
	for (int i = 0; i < 8; i++)
		load[i] = (uint8_t)(n->next >> 8 * i);
	n->next += n->step;
	return on_data(to, load, sizeof(load), err);
}

static void test_load_removal_ends(void **state)
{
	struct fixture *f = *state;
	struct namer n = {.engine = &f->engine, .next = 7};
	struct rep_engine_load_result result;
	struct tp_err err;
	size_t once;

	f->link = (struct rep_engine_link){.ask = name_loads, .ctx = &n};
	/* The engine names the same load again, although the loader asked for those after it. */
	assert_int_equal(load_some(f, 0, &result, &err), TP_EFORMAT);
	assert_non_null(strstr(err.msg, "loads that were not asked for"));
	assert_int_equal(n.asked, 2);
	once = n.removed;
	/* Now it names the next load each time. */
	n = (struct namer){.engine = &f->engine, .next = 1, .step = 1};
	assert_int_equal(load_some(f, 0, &result, &err), 0);
	assert_int_equal(result.removed, n.asked);
	assert_in_range(n.asked, 1, 1000);
	assert_int_equal(n.removed, n.asked * once);
}

/* The tables may be those of one server or of a cluster, but not a mixture. */
static void test_load_another_form(void **state)
{
	static const struct {
		const char *engine, *cluster, *says;
	} cases[] = {
	    {"MergeTree PARTITION BY day", NULL, NULL},
	    {"MergeTree PARTITION BY day", "fleet", "was made without --cluster"},
	    {"Distributed(fleet, d, run_local, x)", "fleet", NULL},
	    {"Distributed('fleet', 'd', 'run_local', x)", "fleet", NULL},
	    {"Distributed('odd\\'one', 'd', 'run_local', x)", "fleet", NULL},
	    {"Distributed(fleet, d, run_local, x)", NULL, "over the cluster fleet; give --cluster"},
	    {"Distributed(fleet, d, run_local, x)", "other", "cluster fleet, not other"},
	    {"Distributed(", "other", NULL},
	};
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct tp_err err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_buf *b = &f->engine.tables;

		b->size = 0;
		rep_row_put_text(b, "not_ours", 8);
		rep_row_put_text(b, "Log", 3);
		rep_row_put_text(b, "run", 3);
		rep_row_put_text(b, cases[i].engine, strlen(cases[i].engine));
		f->at.cluster = cases[i].cluster;
		assert_int_equal(load_some(f, 0, &result, &err), cases[i].says ? TP_EFORMAT : 0);
		if (cases[i].says && !strstr(err.msg, cases[i].says))
			fail_msg("%s has no %s", err.msg, cases[i].says);
	}
}

/* ---- does the cluster exist? ---- */

static bool asked_for_clusters;

static int ask_refusing(void *ctx, const char *sql, const void *data, size_t size,
			int (*on_data)(void *to, const void *data, size_t size, struct tp_err *err),
			void *to, struct tp_err *err)
{
	if (strstr(sql, "system.clusters")) {
		asked_for_clusters = true;
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "not enough privileges");
	}
	return testing_ask(ctx, sql, data, size, on_data, to, err);
}

/* Loading continues if the user may not read the list of clusters; the list is not read if all
 * tables exist; macros are left to the server. */
static void test_load_cluster(void **state)
{
	static const char made[] = "Distributed(nosuch, d, x_local, x)";
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct tp_buf *b = &f->engine.tables;
	struct tp_err err;

	f->at.cluster = "nosuch";
	assert_int_equal(load_some(f, 0, &result, &err), TP_ENOENT);
	assert_non_null(strstr(err.msg, "it has: fleet, other"));
	f->at.cluster = "{cluster}";
	assert_int_equal(load_some(f, 0, &result, &err), 0);

	f->at.cluster = "nosuch";
	f->link.ask = ask_refusing;
	asked_for_clusters = false;
	assert_int_equal(load_some(f, 0, &result, &err), 0);
	assert_true(asked_for_clusters);

	for (int t = REP_ENGINE_NTABLES - 1; t >= 0; t--) {
		const char *name = rep_engine_name((enum rep_engine_table_id)t);

		asked_for_clusters = false;
		assert_int_equal(load_some(f, 0, &result, &err), 0);
		assert_true(asked_for_clusters); /* some tables are missing */
		rep_row_put_text(b, name, strlen(name));
		rep_row_put_text(b, made, strlen(made));
	}
	asked_for_clusters = false;
	assert_int_equal(load_some(f, 0, &result, &err), 0);
	assert_false(asked_for_clusters);
}

/* ---- rows too long to be read back ---- */

/* Adds a profile with a comment, or a stack of a function, of this many bytes. */
static void add_large(struct fixture *f, bool comment, uint32_t nth, size_t size)
{
	struct tp_profile *p = tp_profile_new();
	struct tp_function function = {0};
	struct tp_frame frame = {0};
	uint32_t text, word, set = 0, id, stack;
	char path[96], *large = malloc(size);
	struct tp_import_result result;
	struct tp_import_options opt = {0};
	struct tp_buf out = {0};
	struct tp_err err;
	FILE *file;

	assert_true(p && large);
	memset(large, 'x', size);
	assert_int_equal(tp_dict_string(p->dict, large, size, &text), 0);
	assert_int_equal(tp_dict_string(p->dict, "count", 5, &word), 0);
	assert_int_equal(tp_profile_add_type(p, word, word), 0);
	if (comment)
		assert_int_equal(tp_profile_add_comment(p, text), 0);
	function.name = comment ? word : text;
	assert_int_equal(tp_dict_function(p->dict, &function, &frame.function), 0);
	assert_int_equal(tp_dict_frame(p->dict, &frame, &id), 0);
	assert_int_equal(tp_dict_stack(p->dict, 0, id, &stack), 0);
	assert_int_equal(tp_profile_add_sample(p, stack, set, &(int64_t){nth}), 0);
	assert_int_equal(tp_profile_encode(p, NULL, &out, &err), 0);
	snprintf(path, sizeof(path), "%s/large.pb", f->dir);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(out.data, out.size, 1, file), 1);
	fclose(file);
	assert_int_equal(tp_import(path, f->from, &opt, &result, &err), 0);
	unlink(path);
	tp_buf_release(&out);
	tp_profile_free(p);
	free(large);
}

static void test_load_refuses(void **state)
{
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct rep_runs runs;
	struct tp_err err;

	add_large(f, false, 1, (size_t)17 << 20);
	/* The same stack once more: it was seen, but not sent. */
	add_large(f, false, 2, (size_t)17 << 20);
	add_large(f, true, 3, (size_t)18 << 20);
	assert_int_equal(rep_runs_load(f->store, &runs, &err), 0);
	rep_runs_release(&f->runs);
	f->runs = runs;
	assert_int_equal(runs.n, NDUMPS + 3);
	/* The other runs come last and are loaded nevertheless. */
	for (size_t i = 0; i < 3; i++) {
		struct rep_run was = runs.run[i];

		runs.run[i] = runs.run[runs.n - 1 - i];
		runs.run[runs.n - 1 - i] = was;
	}
	assert_int_equal(load_some(f, runs.n, &result, &err), TP_ELIMIT);
	assert_int_equal(result.runs, NDUMPS);
	assert_non_null(strstr(err.msg, "run 10 is not loaded: a row of its table comment would "
					"have 18 MiB"));
	assert_int_equal(fetch(f, &err), 0);
}

/* ---- changes in the store ---- */

static size_t loads_of(const struct fixture *f, const char *hash, uint64_t *least)
{
	size_t n = 0, found = 0;
	struct testing_load *l = testing_loads(&f->engine, REP_ENGINE_RUN, &n);

	assert_non_null(l);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(l[i].run, hash) != 0)
			continue;
		if (!found++ || l[i].load < *least)
			*least = l[i].load;
	}
	free(l);
	return found;
}

/* Runs with new labels, a new name or requested spans get a smaller load than the one that
 * counted. */
static void test_load_renews(void **state)
{
	static char *labels[] = {"n=2"};
	struct fixture *f = *state;
	struct rep_engine_load_options opt = {.uptime_s = uptime_s};
	struct rep_engine_load_result result;
	struct rep_run *run = f->runs.run, was = run[0];
	uint64_t least = 0, before = 0;
	struct tp_err err;
	size_t traces = 0;

	assert_int_equal(
	    rep_engine_load(&f->link, 1, &f->at, f->store, &f->runs, &opt, &result, &err), 0);
	assert_int_equal(
	    rep_engine_load(&f->link, 1, &f->at, f->store, &f->runs, &opt, &result, &err), 0);
	assert_int_equal(result.known, NDUMPS);
	assert_int_equal(result.renewed, 0);
	assert_int_equal(result.bytes, 0);
	assert_int_equal(loads_of(f, run[0].row.hash, &before), 1);

	run[0].labels = labels;
	run[0].nlabels = 1;
	assert_int_equal(
	    rep_engine_load(&f->link, 1, &f->at, f->store, &f->runs, &opt, &result, &err), 0);
	assert_int_equal(result.renewed, 1);
	assert_int_equal(result.runs, NDUMPS);
	assert_int_equal(loads_of(f, run[0].row.hash, &least), 2);
	assert_true(least < before && least >> 32 == before >> 32);
	run[0] = was;
	run[0].row.name = "another";
	assert_int_equal(
	    rep_engine_load(&f->link, 1, &f->at, f->store, &f->runs, &opt, &result, &err), 0);
	assert_int_equal(result.renewed, 1);
	run[0] = was;

	for (size_t i = 0; i < f->runs.n; i++)
		traces += run[i].row.kind[0] == 't';
	opt.spans = true;
	assert_int_equal(
	    rep_engine_load(&f->link, 1, &f->at, f->store, &f->runs, &opt, &result, &err), 0);
	assert_int_equal(result.renewed, traces + 1); /* and again the one with a name of its own */
	opt.spans = false;
	assert_int_equal(
	    rep_engine_load(&f->link, 1, &f->at, f->store, &f->runs, &opt, &result, &err), 0);
	assert_int_equal(result.renewed, 0);
	assert_int_equal(fetch(f, &err), 0);
}

/* Another loader has begun a load with the same number. */
static int ask_twice(void *ctx, const char *sql, const void *data, size_t size,
		     int (*on_data)(void *to, const void *data, size_t size, struct tp_err *err),
		     void *to, struct tp_err *err)
{
	if (!strncmp(sql, "INSERT INTO `d`.`load`", 22))
		testing_ask(ctx, sql, data, size, on_data, to, err);
	return testing_ask(ctx, sql, data, size, on_data, to, err);
}

static void test_load_same_number(void **state)
{
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct tp_err err;

	f->link.ask = ask_twice;
	assert_int_equal(load_some(f, f->runs.n, &result, &err), TP_EBUSY);
	assert_non_null(strstr(err.msg, "another load of a run has the same number"));
	assert_int_equal(result.runs, 0);
	assert_int_equal(everything(&f->engine), f->engine.table[REP_ENGINE_LOAD].size);
	f->link.ask = testing_ask;
	assert_int_equal(load(f, &result), 0);
	assert_int_equal(result.runs, NDUMPS);
	assert_int_equal(fetch(f, &err), 0);
}

/* Returns the row of a run in table `run`, and its size. */
static uint8_t *row_of(struct fixture *f, const char *hash, size_t *size)
{
	struct tp_buf *b = &f->engine.table[REP_ENGINE_RUN];
	size_t n = 0, at = b->size;
	struct testing_load *l = testing_loads(&f->engine, REP_ENGINE_RUN, &n);

	for (size_t i = 0; l && i < n; i++)
		if (!strcmp(l[i].run, hash)) {
			at = l[i].at;
			*size = l[i].size;
		}
	free(l);
	assert_true(at < b->size);
	return b->data + at;
}

/* The smallest numbers are not used, as two loaders might get the same. */
static void test_load_too_often(void **state)
{
	struct fixture *f = *state;
	const char *name = f->runs.run[0].row.name;
	struct rep_engine_load_result result;
	struct tp_err err;
	uint8_t *row;
	size_t size;

	assert_int_equal(load(f, &result), 0);
	row = row_of(f, f->runs.run[0].row.hash, &size);
	memset(row + 2, 0, 4);
	row[2] = 5;
	f->runs.run[0].row.name = "another";
	assert_int_equal(load_some(f, f->runs.n, &result, &err), TP_ELIMIT);
	assert_non_null(strstr(err.msg, "loaded anew too often"));
	f->runs.run[0].row.name = name;
}

/* Loads that no longer count are not held in memory. */
static void test_list_once(void **state)
{
	struct rep_engine_load_options opt = {.uptime_s = uptime_s};
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct rep_engine_runs runs;
	struct tp_err err;
	size_t held;

	assert_int_equal(
	    rep_engine_load(&f->link, 1, &f->at, f->store, &f->runs, &opt, &result, &err), 0);
	assert_int_equal(rep_engine_runs_load(&f->link, &f->at, NULL, 0, &runs, &err), 0);
	held = runs.held;
	rep_engine_runs_release(&runs);
	assert_int_equal(load(f, &result), 0);
	assert_true(result.renewed > 0);
	assert_int_equal(rep_engine_runs_load(&f->link, &f->at, NULL, 0, &runs, &err), 0);
	assert_int_equal(runs.held, held);
	rep_engine_runs_release(&runs);
}

/* A load that a report has found remains for a day after another load has replaced it. */
static void test_load_outlived(void **state)
{
	struct fixture *f = *state;
	const struct rep_run was = f->runs.run[0];
	struct rep_engine_load_result result;
	struct tp_err err;

	assert_int_equal(load(f, &result), 0);
	pass(&f->engine, 2 * REP_ENGINE_STALE_S);
	f->runs.run[0].row.name = "another";
	assert_int_equal(load(f, &result), 0);
	assert_int_equal(result.renewed, 1);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(result.removed, i == 2);
		pass(&f->engine, REP_ENGINE_STALE_S - 1 + i);
		assert_int_equal(load(f, &result), 0);
	}
	assert_int_equal(result.removed, 0);
	assert_int_equal(fetch(f, &err), 0);
	f->runs.run[0] = was;
}

/* ---- profiles per statement ---- */

static int nasked;

static int ask_and_count(void *ctx, const char *sql, const void *data, size_t size,
			 int (*on_data)(void *to, const void *data, size_t size,
					struct tp_err *err),
			 void *to, struct tp_err *err)
{
	nasked += strstr(sql, " AS number, stack, node, ") != NULL;
	return testing_ask(ctx, sql, data, size, on_data, to, err);
}

/* Samples of a few profiles are requested at a time, as the engine sorts an answer in its
 * memory. */
static void test_fetch_some_at_once(void **state)
{
	static const struct {
		size_t at_once;
		int asked; /* statements for the four profiles of the fixture */
	} cases[] = {{16, 1}, {3, 2}, {2, 2}, {1, 4}};
	struct fixture *f = *state;
	struct rep_engine_load_result result;
	struct tp_err err;

	assert_int_equal(load(f, &result), 0);
	f->link.ask = ask_and_count;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rep_fetch_at_once = cases[i].at_once;
		nasked = 0;
		assert_int_equal(fetch(f, &err), 0);
		assert_int_equal(nasked, cases[i].asked);
	}
	rep_fetch_at_once = 16;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_load_beside_another, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_load_too_long, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_load_removes, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_load_removal_ends, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_load_another_form, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_load_refuses, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_load_renews, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_load_same_number, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_load_too_often, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_list_once, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_load_outlived, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_load_cluster, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_fetch_some_at_once, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
