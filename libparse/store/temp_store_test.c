/* A run that one process collects and another publishes, also if the collector cannot be
 * trusted. */
#include "store/store.h"
#include "store/testing.h"

#define STORE at("x.tprof")

/* Does what the process that decodes does. */
static void collect(struct tp_temp_store *temp, const char *hash)
{
	const struct tp_store_options opt = {.temp = temp};
	struct tp_run row = {.kind = "trace",
			     .name = "a name",
			     .source = "x.trace",
			     .hash = hash,
			     .format = "go 1.26"};
	struct tp_store_run *run;
	struct tp_err err;

	assert_int_equal(tp_store_begin(&run, STORE, &opt, &err), 0);
	assert_int_equal(tp_store_put_label(run, "build", hash, &err), 0);
	assert_int_equal(tp_store_commit(run, &row, &err), 0);
	assert_int_equal(row.id, 1);
	assert_int_equal(tp_temp_store_close(temp, false, &err), 0);
}

static int publish_as(struct tp_temp_store *temp, bool materialize, int64_t *id, bool *known,
		      struct tp_err *err)
{
	const struct tp_store_options opt = {.wait_ms = 1000, .materialize = materialize};
	size_t added;
	int code = tp_temp_store_publish(temp, &opt, id, &added, err);

	*known = !added;
	tp_temp_store_release(temp);
	return code;
}

static int publish(struct tp_temp_store *temp, int64_t *id, bool *known, struct tp_err *err)
{
	return publish_as(temp, false, id, known, err);
}

static void test_temp_store_publish(void **state)
{
	static const struct {
		const char *hash;
		int64_t id;
		bool known;
	} runs[] = {{"aa", 1, false}, {"bb", 2, false}, {"aa", 1, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct tp_temp_store temp;
		struct tp_err err;
		int64_t id;
		bool known;

		assert_int_equal(tp_temp_store_create(&temp, STORE), 0);
		collect(&temp, runs[i].hash);
		if (!i)
			assert_int_equal(access(STORE, F_OK), -1);
		assert_int_equal(publish(&temp, &id, &known, &err), 0);
		assert_int_equal(id, runs[i].id);
		assert_int_equal(known, runs[i].known);
	}
	assert_int_equal(ask(STORE, "SELECT count(*) FROM run"), 2);
	assert_int_equal(ask(STORE, "SELECT count(*) FROM label WHERE key = 'build'"), 2);
	assert_int_equal(STRANGERS("x.tprof"), 0);
}

/* The process that decoded was taken over, and has left an expression where rows should be. */
static void test_temp_store_publish_what_is_no_run(void **state)
{
	static const char *const tricks[] = {
	    "DROP TABLE label; CREATE VIEW label AS SELECT 1 AS run, 'a' AS key, 'b' AS value",
	    "DROP TABLE block",
	    "DROP TABLE label; CREATE TABLE label(run, key, value AS (printf('%s', key)))",
	    "CREATE INDEX more ON run(printf('%s', name))",
	};
	struct tp_temp_store temp;
	struct tp_err err;
	int64_t id;
	bool known;

	(void)state;
	assert_int_equal(tp_temp_store_create(&temp, STORE), 0);
	collect(&temp, "aa");
	assert_int_equal(publish(&temp, &id, &known, &err), 0);
	for (size_t i = 0; i < sizeof(tricks) / sizeof(tricks[0]); i++) {
		sqlite3 *db;

		assert_int_equal(tp_temp_store_create(&temp, STORE), 0);
		collect(&temp, "bb");
		assert_int_equal(sqlite3_open(temp.file, &db), SQLITE_OK);
		assert_int_equal(sqlite3_exec(db, tricks[i], NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		assert_int_equal(publish(&temp, &id, &known, &err), TP_ESTORE);
		assert_non_null(strstr(err.msg, "was tampered with"));
		assert_int_equal(ask(STORE, "SELECT count(*) FROM run"), 1);
	}
	assert_int_equal(STRANGERS("x.tprof"), 0);
}

/* The same without an existing store, with and without written-out rows. */
static void test_temp_store_publish_a_new_store_that_computes(void **state)
{
	static const char *const tricks[] = {
	    "DROP TABLE label; CREATE TABLE label(run, key, value AS (printf('%s', key)))",
	    "CREATE VIEW event AS SELECT 1 AS run",
	};
	struct tp_temp_store temp;
	struct tp_err err;
	int64_t id;
	bool known;

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(tricks) / sizeof(tricks[0]); i++) {
		assert_int_equal(tp_temp_store_create(&temp, STORE), 0);
		collect(&temp, "bb");
		change(temp.file, tricks[i / 2]);
		assert_int_equal(publish_as(&temp, i % 2, &id, &known, &err), TP_ESTORE);
		assert_int_equal(access(STORE, F_OK), -1);
	}
	/* Writing rows must not fire any of them. */
	assert_int_equal(tp_temp_store_create(&temp, STORE), 0);
	collect(&temp, "bb");
	change(temp.file,
	       "CREATE TABLE string_rows(run, id, text); CREATE TRIGGER t AFTER INSERT ON "
	       "string_rows BEGIN INSERT INTO label VALUES(1, 'by', 'trigger'); END");
	assert_int_equal(publish_as(&temp, true, &id, &known, &err), 0);
	assert_int_equal(ask(STORE, "SELECT count(*) FROM label WHERE key = 'by'"), 0);
	assert_int_equal(STRANGERS("x.tprof"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    STORE_TEST(test_temp_store_publish),
	    STORE_TEST(test_temp_store_publish_what_is_no_run),
	    STORE_TEST(test_temp_store_publish_a_new_store_that_computes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
