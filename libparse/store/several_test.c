/* Several runs in one temporary store, and the result of publishing it. */
#include "import.h"
#include "store/testing.h"

static const char *const dumps[] = {"testdata/catalog.heap", "testdata/convoy.trace",
				    "testdata/catalog.mutex", "testdata/catalog.cpu"};

struct fixture {
	char path[80];
	uint8_t last[16];
	bool known;
};

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){.known = false};
	*state = &f;
	if (testing_setup(NULL))
		return -1;
	snprintf(f.path, sizeof(f.path), "%s", at("s.tprof"));
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(STRANGERS("s.tprof", "other.tprof"), 0);
	return testing_teardown(state);
}

static bool is_known(void *ctx, const uint8_t hash[16])
{
	struct fixture *f = ctx;

	memcpy(f->last, hash, sizeof(f->last));
	return f->known;
}

static int import(struct fixture *f, struct tp_temp_store *temp, const char *dump, bool strict,
		  struct tp_import_result *result)
{
	struct tp_import_options opt = {.threads = 1,
					.strict = strict,
					.known = is_known,
					.known_ctx = f,
					.store = {.temp = temp}};
	struct tp_err err;

	return tp_import(dump, f->path, &opt, result, &err);
}

/* Collects these dumps. */
static void collect(struct fixture *f, struct tp_temp_store *temp, size_t first, size_t n)
{
	struct tp_import_result result;
	struct tp_err err;

	assert_int_equal(tp_temp_store_create(temp, f->path), 0);
	assert_int_equal(tp_temp_store_open(temp, 0, &err), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(import(f, temp, dumps[first + i], false, &result), 0);
		assert_int_equal(result.run, i + 1);
	}
	assert_int_equal(tp_temp_store_close(temp, false, &err), 0);
	assert_int_equal(temp->runs, n);
}

static size_t publish(struct tp_temp_store *temp)
{
	struct tp_store_options opt = {.wait_ms = -1};
	struct tp_err err;
	size_t added = 99;
	int64_t number;

	assert_int_equal(tp_temp_store_publish(temp, &opt, &number, &added, &err), 0);
	tp_temp_store_release(temp);
	return added;
}

static void test_temp_store_runs_new_then_more(void **state)
{
	struct fixture *f = *state;
	struct tp_temp_store a, b;

	/* Both begin before the store exists. */
	collect(f, &a, 0, 2);
	collect(f, &b, 1, 3);
	assert_int_equal(publish(&a), 2);
	assert_int_equal(ask(f->path, "SELECT count(*) FROM run"), 2);
	assert_int_equal(publish(&b), 2); /* the store has one of its three already */
	assert_int_equal(ask(f->path, "SELECT count(*) FROM run"), 4);
	assert_int_equal(ask(f->path, "SELECT sum(id * (name = 'catalog.mutex')) FROM run"), 3);
	assert_int_equal(ask(f->path, "SELECT sum(id * (name = 'catalog.cpu')) FROM run"), 4);
	assert_int_equal(wrong_in(f->path), 0);
}

/* All rows of all tables are those of separate imports. */
static void test_temp_store_runs_same_rows(void **state)
{
	static const char *const tables[] = {"run",  "label", "loss",	 "notice",
					     "wire", "clock", "segment", "block"};
	struct fixture *f = *state;
	struct tp_temp_store a, b;
	char other[96], sql[512];
	struct tp_err err;

	collect(f, &a, 0, 2);
	collect(f, &b, 2, 2);
	publish(&a);
	publish(&b);
	snprintf(other, sizeof(other), "%s", at("other.tprof"));
	for (size_t i = 0; i < 4; i++) {
		struct tp_import_options opt = {.threads = 1};
		struct tp_import_result result;

		assert_int_equal(tp_import(dumps[i], other, &opt, &result, &err), 0);
	}
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		const char *columns = i ? "*" : "id, kind, name, hash, events, wall_ns";
		sqlite3 *db = NULL;
		sqlite3_stmt *st = NULL;

		assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
		snprintf(sql, sizeof(sql), "ATTACH '%s' AS other", other);
		assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
		snprintf(sql, sizeof(sql),
			 "SELECT (SELECT count(*) FROM (SELECT %s FROM main.%s EXCEPT SELECT %s "
			 "FROM other.%s)) + (SELECT count(*) FROM (SELECT %s FROM other.%s EXCEPT "
			 "SELECT %s FROM main.%s))",
			 columns, tables[i], columns, tables[i], columns, tables[i], columns,
			 tables[i]);
		assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
		assert_int_equal(sqlite3_step(st), SQLITE_ROW);
		assert_int_equal(sqlite3_column_int64(st, 0), 0);
		sqlite3_finalize(st);
		sqlite3_close(db);
	}
}

/* A run that fails half way, with rows written, leaves no rows, and the next run takes its
 * number. */
static void test_temp_store_failure_leaves_nothing(void **state)
{
	struct fixture *f = *state;
	struct tp_import_result result;
	struct tp_temp_store temp;
	struct tp_err err;

	assert_int_equal(tp_temp_store_create(&temp, f->path), 0);
	assert_int_equal(tp_temp_store_open(&temp, 0, &err), 0);
	assert_int_equal(import(f, &temp, dumps[0], false, &result), 0);
	assert_int_not_equal(
	    import(f, &temp, "testdata/corpus/broken/middle-1.27.trace", true, &result), 0);
	assert_int_not_equal(import(f, &temp, "testdata/README.md", false, &result), 0);
	assert_int_equal(import(f, &temp, dumps[3], false, &result), 0);
	assert_int_equal(result.run, 2);
	assert_int_equal(tp_temp_store_close(&temp, false, &err), 0);
	assert_int_equal(temp.runs, 2);
	assert_int_equal(publish(&temp), 2);
	assert_int_equal(ask(f->path, "SELECT count(DISTINCT run) FROM block"), 2);
	assert_int_equal(wrong_in(f->path), 0);
}

static void test_temp_store_same_hash_fails(void **state)
{
	struct fixture *f = *state;
	struct tp_import_result result;
	struct tp_temp_store temp;
	struct tp_err err;

	assert_int_equal(tp_temp_store_create(&temp, f->path), 0);
	assert_int_equal(tp_temp_store_open(&temp, 0, &err), 0);
	assert_int_equal(import(f, &temp, dumps[0], false, &result), 0);
	assert_int_not_equal(import(f, &temp, dumps[0], false, &result), 0);
	f->known = true;
	assert_int_equal(import(f, &temp, dumps[0], false, &result), 0);
	assert_true(result.known);
	assert_int_equal(tp_temp_store_close(&temp, false, &err), 0);
	assert_int_equal(temp.runs, 1);
	assert_int_equal(publish(&temp), 1);
	assert_int_equal(wrong_in(f->path), 0);
}

static void test_temp_store_runs_materialize(void **state)
{
	struct fixture *f = *state;
	struct tp_store_options opt = {.wait_ms = -1, .materialize = true};
	struct tp_temp_store a, b;
	struct tp_err err;
	size_t added;
	int64_t number;

	collect(f, &a, 0, 2);
	collect(f, &b, 2, 2);
	assert_int_equal(tp_temp_store_publish(&a, &opt, &number, &added, &err), 0);
	assert_int_equal(tp_temp_store_publish(&b, &opt, &number, &added, &err), 0);
	tp_temp_store_release(&a);
	tp_temp_store_release(&b);
	assert_int_equal(ask(f->path, "SELECT count(DISTINCT run) FROM string_rows"), 4);
}

/* Returns in `text` the 32 digits of the hash looked up last. */
static void tell_hash(const struct fixture *f, char text[33])
{
	for (int i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", f->last[i]);
}

static void test_known_load_and_label(void **state)
{
	struct fixture *f = *state;
	static const char *const labels[] = {"host=a", "build=7"};
	uint8_t other[16] = {1};
	static const char *const greater[] = {"host=b", "build=8"};
	char hash[33];
	struct tp_labelled runs[2] = {{.hash = hash, .set = labels, .nset = 2},
				      {.hash = "0", .set = labels, .nset = 2}};
	struct tp_known known;
	struct tp_temp_store temp;
	struct tp_err err;

	assert_int_equal(tp_known_load(&known, f->path, &err), 0); /* no store: empty */
	assert_int_equal(known.n, 0);
	assert_false(tp_known_has(&known, other));
	tp_known_release(&known);
	collect(f, &temp, 0, 4);
	publish(&temp);
	assert_int_equal(tp_known_load(&known, f->path, &err), 0);
	assert_int_equal(known.n, 4);
	assert_true(tp_known_has(&known, f->last));
	assert_false(tp_known_has(&known, other));
	tp_known_release(&known);

	tell_hash(f, hash);
	for (size_t round = 0; round < 2; round++) {
		assert_int_equal(tp_store_label(f->path, -1, runs, 2, false, &err), 0);
		assert_int_equal(runs[0].result.run, 4);
		assert_string_equal(runs[0].result.now, round ? "" : "host=a, build=7");
		assert_int_equal(runs[1].result.run, 0);
	}
	runs[0].set = greater;
	assert_int_equal(tp_store_label(f->path, -1, runs, 2, true, &err), 0);
	assert_string_equal(runs[0].result.now, "");
	assert_int_equal(ask(f->path, "SELECT count(*) FROM label WHERE run = 4"), 2);
	assert_int_equal(ask(f->path, "SELECT count(*) FROM label"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_temp_store_runs_new_then_more, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_temp_store_runs_same_rows, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_temp_store_failure_leaves_nothing, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(test_temp_store_same_hash_fails, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_temp_store_runs_materialize, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_known_load_and_label, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
