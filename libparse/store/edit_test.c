/* Tests deleting, renaming and compacting, and that verify finds faults. */
#include "store/edit.h"

#include "import.h"
#include "store/merge/merge.h"
#include "store/store.h"
#include "store/testing.h"

#define STORE at("s.tprof")

static void import(const char *path, const char *dump, const char *name)
{
	struct tp_import_options opt = {.name = name};
	struct tp_import_result result;
	struct tp_err err;

	if (tp_import(dump, path, &opt, &result, &err))
		fail_msg("%s", err.msg);
}

/* A trace as run 1, and a profile as run 2. */
static int setup(void **state)
{
	if (testing_setup(state))
		return -1;
	import(STORE, "testdata/checkout.trace", "trace");
	import(STORE, "testdata/catalog.heap", "heap");
	return 0;
}

static const char *hash_of(int run)
{
	static char hashes[4][40];
	char sql[64], *hash = hashes[run];

	snprintf(sql, sizeof(sql), "SELECT hash FROM run WHERE id = %d", run);
	snprintf(hash, sizeof(hashes[0]), "%s", ask_text(STORE, sql));
	return hash;
}

/* Changes the labels of one run; `key` may be NULL. */
static int change_labels(const char *hash, const char *const *labels, size_t n, const char *key,
			 struct tp_relabelled *did, struct tp_err *err)
{
	struct tp_labelled run = {
	    .hash = hash, .set = labels, .nset = n, .remove = &key, .nremove = key != NULL};
	int code = tp_store_label(STORE, 0, &run, 1, false, err);

	*did = run.result;
	return code;
}

static void test_rename_and_labels(void **state)
{
	const char *labels[] = {"a=1", "b=2", "a=3"};
	struct tp_relabelled did;
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_store_rename(STORE, 0, hash_of(2), "it's \"new\"", &err), 0);
	assert_int_equal(ask(STORE, "SELECT id FROM run WHERE name = 'it''s \"new\"'"), 2);
	assert_int_equal(change_labels(hash_of(1), labels, 2, "nosuch", &did, &err), 0);
	assert_true(did.run == 1 && did.now[0] && did.removed == 0);
	assert_int_equal(change_labels(hash_of(1), labels, 2, "a", &did, &err), 0);
	assert_true(did.run == 1 && !did.now[0] && did.removed == 1);
	assert_int_equal(ask(STORE, "SELECT count(*) FROM label WHERE run = 1 AND key = 'b'"), 1);
	assert_int_equal(ask(STORE, "SELECT count(*) FROM label"), 1);
}

static void test_delete_takes_all_of_a_run(void **state)
{
	const char *const runs[] = {hash_of(1)};
	int64_t before, after;
	struct tp_err err;
	size_t deleted;

	(void)state;
	/* The state that tprof-import --materialize leaves. */
	change(STORE,
	       "CREATE TABLE event_rows(run, x); INSERT INTO event_rows VALUES(1, 0), (2, 0)");
	/* And a table of the user's own. */
	change(STORE, "CREATE TABLE my_rows(x); INSERT INTO my_rows VALUES(1)");
	assert_int_equal(tp_store_delete(STORE, 0, runs, 1, &deleted, &err), 0);
	assert_int_equal(deleted, 1);
	assert_int_equal(ask(STORE, "SELECT count(*) FROM run"), 1);
	assert_int_equal(ask(STORE, "SELECT count(*) FROM block WHERE run = 1"), 0);
	assert_true(ask(STORE, "SELECT count(*) FROM block WHERE run = 2") > 0);
	assert_int_equal(ask(STORE, "SELECT count(*) FROM event_rows"), 1);
	assert_int_equal(ask(STORE, "SELECT count(*) FROM my_rows"), 1);
	assert_int_equal(wrong_in(STORE), 0);
	assert_int_equal(tp_store_compact(STORE, 0, &before, &after, &err), 0);
	assert_true(after < before);
	assert_int_equal(wrong_in(STORE), 0);
}

static void test_upgrade_of_a_store_of_now(void **state)
{
	struct tp_err err;
	int from;

	(void)state;
	assert_int_equal(tp_store_upgrade(STORE, 0, &from, &err), 0);
	assert_int_equal(from, TP_STORE_VERSION);
	change(STORE,
	       "PRAGMA user_version = 99; UPDATE meta SET value = 1 WHERE key = 'min_reader'");
	assert_int_equal(tp_store_upgrade(STORE, 0, &from, &err), TP_EVERSION);
	assert_non_null(strstr(err.msg, "newer"));
}

static void test_verify_finds(void **state)
{
	static const struct {
		const char *what, *sql;
	} damage[] = {
	    {"a truncated block", "UPDATE block SET data = substr(data, 1, length(data) / 2) "
				  "WHERE run = 1 AND stream = 'event' AND part = 0"},
	    {"a missing block",
	     "DELETE FROM block WHERE run = 1 AND stream = 'event' AND part = 1"},
	    {"an event too many", "UPDATE run SET events = events + 1 WHERE id = 1"},
	    {"a missing dictionary", "DELETE FROM block WHERE run = 1 AND stream = 'stack'"},
	    {"a missing name", "DELETE FROM block WHERE run = 2 AND stream = 'string'"},
	    {"a segment that is not there", "UPDATE segment SET id = id + 1 WHERE run = 1"},
	    {"a label of nobody", "INSERT INTO label VALUES(77, 'a', 'b')"},
	};

	(void)state;
	assert_int_equal(wrong_in(STORE), 0);
	for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
		copy_file(STORE, at("copy"));
		change(at("copy"), damage[i].sql);
		if (!wrong_in(at("copy")))
			fail_msg("%s was not found", damage[i].what);
	}
}

/* ---- concurrent writers ---- */

/* Between a look at the store and the change, the store is merged with one that has an older run.
 * The numbers then name other runs. */
static void renumber(void)
{
	struct tp_merge_options opt = {.wait_ms = 0};
	const char *other = at("other.tprof");
	struct tp_merge_result result;
	struct tp_err err;

	import(other, "testdata/corpus/traces/slow-1.27.trace", "older");
	change(other, "UPDATE run SET wall_ns = 1");
	if (tp_store_merge(STORE, &other, 1, &opt, &result, &err))
		fail_msg("%s", err.msg);
	assert_string_equal(ask_text(STORE, "SELECT name FROM run ORDER BY id"),
			    "older|trace|heap");
}

static void test_changes_mean_a_dump_not_a_number(void **state)
{
	const char *labels[] = {"a=1", "b=2"};
	const char *trace = hash_of(1), *heap = hash_of(2);
	struct tp_relabelled did;
	struct tp_err err;
	size_t n;

	(void)state;
	renumber();
	assert_int_equal(tp_store_rename(STORE, 0, heap, "mine", &err), 0);
	assert_string_equal(ask_text(STORE, "SELECT name FROM run ORDER BY id"),
			    "older|trace|mine");
	assert_int_equal(change_labels(trace, labels, 2, NULL, &did, &err), 0);
	assert_int_equal(did.run, 2);
	assert_int_equal(change_labels(trace, NULL, 0, "a", &did, &err), 0);
	assert_int_equal(did.removed, 1);
	assert_string_equal(ask_text(STORE, "SELECT run || key FROM label"), "2b");
	assert_int_equal(tp_store_delete(STORE, 0, &trace, 1, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_string_equal(ask_text(STORE, "SELECT name FROM run ORDER BY id"), "older|mine");
	assert_int_equal(wrong_in(STORE), 0);
}

/* Another process deleted the run first: no other run may be changed instead. */
static void test_changes_of_a_run_that_is_gone(void **state)
{
	const char *labels[] = {"a=1"};
	const char *const both[] = {hash_of(1), hash_of(2)};
	struct tp_labelled away[] = {
	    {.hash = both[0], .remove = &(const char *){"a"}, .nremove = 1},
	    {.hash = both[1], .remove = &(const char *){"a"}, .nremove = 1},
	};
	struct tp_relabelled did;
	struct tp_err err;
	size_t n;

	(void)state;
	assert_int_equal(tp_store_delete(STORE, 0, both, 1, &n, &err), 0);
	import(STORE, "testdata/catalog.cpu", "cpu");
	assert_int_equal(tp_store_rename(STORE, 0, both[0], "x", &err), TP_ENOENT);
	assert_non_null(strstr(err.msg, "it is gone"));
	assert_int_equal(change_labels(both[0], labels, 1, NULL, &did, &err), TP_ENOENT);
	assert_int_equal(change_labels(both[0], labels, 1, "b", &did, &err), TP_ENOENT);
	assert_int_equal(ask(STORE, "SELECT count(*) FROM label"), 0);
	assert_int_equal(change_labels(both[1], labels, 1, NULL, &did, &err), 0);
	assert_int_equal(tp_store_label(STORE, 0, away, 2, false, &err), 0);
	assert_true(!away[0].result.run && away[1].result.run && away[1].result.removed == 1);
	assert_int_equal(ask(STORE, "SELECT count(*) FROM label"), 0);
	assert_int_equal(tp_store_delete(STORE, 0, both, 2, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_string_equal(ask_text(STORE, "SELECT name FROM run"), "cpu");
}

/* A dump that the store already has when it is decoded, while the store is merged. */
static void test_import_labels_the_dump_it_has(void **state)
{
	static const char *const labels[] = {"host=a"};
	struct tp_import_options opt = {.labels = labels, .nlabels = 1, .threads = 1};
	struct tp_import_result result;
	struct tp_temp_store temp;
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_temp_store_create(&temp, STORE), 0);
	opt.store.temp = &temp;
	assert_int_equal(tp_import("testdata/checkout.trace", STORE, &opt, &result, &err), 0);
	assert_true(result.known);
	assert_int_equal(result.run, 1);
	renumber();
	assert_int_equal(tp_import_publish(STORE, &opt, &result, &err), 0);
	tp_temp_store_release(&temp);
	assert_int_equal(result.run, 2);
	assert_string_equal(ask_text(STORE, "SELECT name || key FROM label, run ON id = run"),
			    "tracehost");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, testing_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_rename_and_labels),
	    TEST(test_delete_takes_all_of_a_run),
	    TEST(test_upgrade_of_a_store_of_now),
	    TEST(test_verify_finds),
	    TEST(test_changes_mean_a_dump_not_a_number),
	    TEST(test_changes_of_a_run_that_is_gone),
	    TEST(test_import_labels_the_dump_it_has),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
