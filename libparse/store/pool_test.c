#include "store/pool.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/dictfile.h"
#include "store/pool_read.h"
#include "store/pool_write.h"
#include "store/schema.h"
#include "store/store.h"

/* ---- lists ---- */

static void check_list(const uint32_t n[TP_POOL_KINDS], uint32_t (*number)(uint32_t i))
{
	struct tp_packer packer = {.codec = TP_CODEC_ZSTD};
	struct tp_pool_list l, back;
	struct tp_buf blob = {0};
	struct tp_err err;
	size_t raw;

	assert_int_equal(tp_pool_list_alloc(&l, n), 0);
	for (int k = 0; k < TP_POOL_KINDS; k++)
		for (uint32_t i = 1; i < n[k]; i++)
			l.id[k][i] = number(i);
	assert_int_equal(tp_pool_list_pack(&l, &packer, &blob, &raw), 0);
	assert_int_equal(tp_pool_list_unpack(&back, blob.data, blob.size, &err), 0);
	for (int k = 0; k < TP_POOL_KINDS; k++) {
		assert_int_equal(back.n[k], n[k]);
		assert_memory_equal(back.id[k], l.id[k], n[k] * sizeof(uint32_t));
	}
	tp_pool_list_release(&back);
	/* Cut anywhere, it is not valid. */
	for (size_t size = 0; size < blob.size; size++) {
		uint8_t *cut = malloc(size + 1);

		assert_non_null(cut);
		memcpy(cut, blob.data, size);
		assert_int_equal(tp_pool_list_unpack(&back, cut, size, &err), TP_ESTORE);
		free(cut);
	}
	blob.data[1] = 9;
	assert_int_equal(tp_pool_list_unpack(&back, blob.data, blob.size, &err), TP_EVERSION);
	tp_pool_list_release(&l);
	tp_packer_release(&packer);
	tp_buf_release(&blob);
}

static uint32_t same(uint32_t i)
{
	return i;
}

static uint32_t down(uint32_t i)
{
	return TP_POOL_MOST - i;
}

static uint32_t about(uint32_t i)
{
	return i * 2654435761u % (TP_POOL_MOST - 1) + 1;
}

static void test_pool_list_gives_back(void **state)
{
	(void)state;
	check_list((uint32_t[]){1, 1, 1, 1, 1}, same);
	check_list((uint32_t[]){100, 1, 7, 2, 300}, same);
	check_list((uint32_t[]){1, 1, 1, 1, 300}, down);
	check_list((uint32_t[]){90, 80, 70, 60, 50}, about);
}

static void test_pool_list_refuses(void **state)
{
	/* codec, version, n × 5, raw, stored, numbers */
	static const struct {
		const char *what;
		uint8_t data[16];
		size_t size;
		bool fine;
	} cases[] = {
	    {"one string", {0, 1, 1, 0, 0, 0, 0, 1, 1, 2}, 10, true},
	    {"entry 0", {0, 1, 1, 0, 0, 0, 0, 1, 1, 0}, 10, false},
	    {"entry -1", {0, 1, 1, 0, 0, 0, 0, 1, 1, 1}, 10, false},
	    {"more than it has", {0, 1, 2, 0, 0, 0, 0, 1, 1, 2}, 10, false},
	    {"fewer than it has", {0, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2}, 11, false},
	    {"too many", {0, 1, 255, 255, 255, 7, 0, 0, 0, 0, 1, 1, 2}, 13, false},
	    {"too many in all", {0, 1, 255, 255, 9, 255, 255, 9, 0, 0, 0, 1, 1, 2}, 14, false},
	    {"a number too large", {0, 1, 1, 0, 0, 0, 0, 4, 4, 128, 128, 128, 4}, 13, false},
	    {"unpacks to too much", {2, 1, 1, 0, 0, 0, 0, 255, 255, 3, 1, 2}, 12, false},
	};
	struct tp_pool_list l;
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int code = tp_pool_list_unpack(&l, cases[i].data, cases[i].size, &err);

		if (code != (cases[i].fine ? 0 : TP_ESTORE))
			fail_msg("%s: %d", cases[i].what, code);
		tp_pool_list_release(&l);
	}
}

/* ---- dictionaries ---- */

static sqlite3 *db;
static struct tp_store *store;

static int setup(void **state)
{
	struct tp_err err;

	(void)state;
	if (sqlite3_open(":memory:", &db) || tp_schema_create(db, "a store", &err))
		return -1;
	store = tp_store_borrow(db);
	return store ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	tp_store_close(store);
	sqlite3_close(db);
	return 0;
}

static int put_block(void *ctx, int64_t run, const char *stream, int64_t part, size_t rows,
		     size_t raw_size, const struct tp_buf *data, struct tp_err *err)
{
	sqlite3_stmt *stmt;

	(void)ctx;
	(void)err;
	assert_int_equal(
	    sqlite3_prepare_v2(db, "INSERT INTO block VALUES(?, ?, ?, ?, NULL, NULL, 0, ?, ?)", -1,
			       &stmt, NULL),
	    0);
	sqlite3_bind_int64(stmt, 1, run);
	sqlite3_bind_text(stmt, 2, stream, -1, SQLITE_STATIC);
	sqlite3_bind_int64(stmt, 3, part);
	sqlite3_bind_int64(stmt, 4, (int64_t)rows);
	sqlite3_bind_int64(stmt, 5, (int64_t)raw_size);
	sqlite3_bind_blob64(stmt, 6, data->data, data->size, SQLITE_STATIC);
	assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
	sqlite3_finalize(stmt);
	return 0;
}

static const struct tp_pool_sink sink = {put_block, NULL};

/* Makes n functions, each in its own stack and on top of others; `seed` decides which, and in what
 * order. */
static struct tp_dict *make_dict(uint32_t n, uint32_t seed)
{
	struct tp_dict *d = tp_dict_new();
	uint32_t stack = 0;

	assert_non_null(d);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t which = (seed % 2 ? n - i : i) + seed / 3, name, file, id;
		struct tp_function f = {.start_line = which % 40};
		struct tp_frame frame = {.line = which, .column = which % 3, .inlined = which & 1};
		struct tp_location l = {0x400000 + which * 16, which % 2, which % 5};
		char text[40];
		int size = snprintf(text, sizeof(text), "main.(*T).f%u", which);

		assert_int_equal(tp_dict_string(d, text, (size_t)size, &name), 0);
		assert_int_equal(tp_dict_string(d, "a\0b.go", 6, &file), 0);
		f.name = f.system_name = name;
		f.file = file;
		assert_int_equal(tp_dict_function(d, &f, &frame.function), 0);
		assert_int_equal(tp_dict_location(d, &l, &frame.location), 0);
		assert_int_equal(tp_dict_frame(d, &frame, &id), 0);
		assert_int_equal(tp_dict_stack(d, which % 9 ? stack : 0, id, &stack), 0);
	}
	return d;
}

static void check_same(const struct tp_dict *a, const struct tp_dict *b)
{
	assert_int_equal(tp_dict_strings(a), tp_dict_strings(b));
	for (uint32_t i = 0; i < tp_dict_strings(a); i++) {
		struct tp_text x = tp_dict_text(a, i), y = tp_dict_text(b, i);

		assert_int_equal(x.size, y.size);
		assert_memory_equal(x.text, y.text, x.size);
	}
	for (int k = TP_POOL_FUNCTION; k < TP_POOL_KINDS; k++) {
		enum tp_table_id t = tp_pool_tables[k];

		assert_int_equal(tp_dictfile_rows(a, t), tp_dictfile_rows(b, t));
		for (uint32_t i = 0; i < tp_dictfile_rows(a, t); i++) {
			int64_t x[TP_MAX_COLUMNS] = {0}, y[TP_MAX_COLUMNS] = {0};

			tp_dictfile_row(a, t, i, x);
			tp_dictfile_row(b, t, i, y);
			assert_memory_equal(x, y, sizeof(x));
		}
	}
}

static void check_loads(int64_t run, const struct tp_dict *want)
{
	struct tp_dict *d;
	struct tp_err err;

	if (tp_dict_load(store, run, &d, &err))
		fail_msg("run %lld: %s", (long long)run, err.msg);
	check_same(want, d);
	tp_dict_free(d);
}

static int64_t count(const char *sql)
{
	sqlite3_stmt *stmt;
	int64_t n;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), 0);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	n = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return n;
}

/* Puts dictionaries of these sizes as runs 1, 2, …, and checks that all can be loaded. The larger
 * `step` is, the less they share. */
static void check_pools(const uint32_t *sizes, uint32_t n, uint32_t step, int64_t want_pools)
{
	struct tp_pool_writer *w;
	struct tp_err err;
	int64_t pools;

	assert_int_equal(tp_pool_writer_new(&w, &sink, &err), 0);
	for (uint32_t i = 0; i < n; i++) {
		struct tp_dict *d = make_dict(sizes[i], i * step);

		assert_int_equal(tp_pool_writer_add(w, i + 1, d, &err), 1);
		tp_dict_free(d);
	}
	assert_int_equal(tp_pool_writer_finish(w, &pools, &err), 0);
	assert_int_equal(pools, want_pools);
	tp_pool_writer_free(w);
	/* Forwards and backwards: the cache of a pool serves other runs. */
	for (uint32_t i = 0; i < 2 * n; i++) {
		uint32_t run = i < n ? i : 2 * n - 1 - i;
		struct tp_dict *d = make_dict(sizes[run], run * step);

		check_loads(run + 1, d);
		tp_dict_free(d);
	}
}

static void test_pool_gives_back(void **state)
{
	static const uint32_t sizes[] = {0, 1, 300, 300, 5000, 17, 9000, 9001, 9000, 2};

	(void)state;
	check_pools(sizes, 10, 1, 1);
	assert_int_equal(count("SELECT count(*) FROM block WHERE run > 0"), 10);
	/* Shared entries are stored once. */
	assert_true(count("SELECT sum(rows) FROM block WHERE run < 0") <
		    count("SELECT sum(rows) FROM block WHERE run > 0") / 2);
}

static void test_pool_bound(void **state)
{
	/* They share nothing, so they do not fit into one pool. */
	static const uint32_t sizes[] = {26000, 1,     25000, 26001, 25999, 25998,
					 100,	25997, 25990, 25980, 25970, 25960};

	(void)state;
	check_pools(sizes, 12, 90001, 2);
	assert_true(count("SELECT sum(rows) FROM block WHERE run = -1") <= TP_POOL_ENTRIES);
}

static void test_pool_not_shared(void **state)
{
	struct tp_dict *twice = make_dict(50, 0), *large = make_dict(TP_POOL_RUN_ENTRIES / 4, 0);
	struct tp_pool_writer *w;
	struct tp_err err;
	int64_t pools;
	uint32_t id;

	(void)state;
	assert_int_equal(tp_dict_append_string(twice, "forever", 7, &id), 0);
	assert_int_equal(tp_pool_writer_new(&w, &sink, &err), 0);
	assert_int_equal(tp_pool_writer_add(w, 1, twice, &err), 0);
	assert_int_equal(tp_pool_writer_add(w, 2, large, &err), 0);
	assert_int_equal(count("SELECT count(*) FROM block WHERE run > 0"), 0);
	assert_int_equal(tp_pool_writer_own(w, 1, twice, &err), 0);
	assert_int_equal(tp_pool_writer_own(w, 2, large, &err), 0);
	assert_int_equal(tp_pool_writer_finish(w, &pools, &err), 0);
	tp_pool_writer_free(w);
	check_loads(1, twice);
	check_loads(2, large);
	tp_dict_free(twice);
	tp_dict_free(large);
}

/* Invalid pools and lists are found, and nothing is read beyond them. */
static void test_pool_damaged(void **state)
{
	static const char *const changes[] = {
	    "DELETE FROM block WHERE run = -1",
	    "DELETE FROM block WHERE run = -1 AND stream = 'string'",
	    "DELETE FROM block WHERE run = -1 AND stream = 'frame'",
	    "DELETE FROM block WHERE run = -1 AND stream = 'stack' AND part = 0",
	    "UPDATE block SET rows = rows - 1 WHERE run = -1 AND stream = 'function'",
	    "UPDATE block SET rows = rows + 1 WHERE run = -1 AND stream = 'string'",
	    "UPDATE block SET rows = 1 << 40 WHERE run = -1 AND stream = 'location'",
	    "UPDATE block SET rows = -1 WHERE run = -1 AND stream = 'string'",
	    "UPDATE block SET data = substr(data, 1, length(data) / 2) WHERE run = -1",
	    "UPDATE block SET data = x'' WHERE run = -1 AND stream = 'string'",
	    "UPDATE block SET part = 2 WHERE run = 1",
	    "UPDATE block SET part = 0 WHERE run = 1",
	    "UPDATE block SET data = x'' WHERE run = 1",
	    /* Entries that refer to one that is not listed, and an entry that is listed twice. */
	    "UPDATE block SET data = x'000100010000000101' || x'02' WHERE run = 1",
	    "UPDATE block SET data = x'000100000000010101' || x'02' WHERE run = 1",
	    "UPDATE block SET data = x'00010200000000020202' || x'00' WHERE run = 1",
	    "UPDATE block SET data = x'0001010000000001017e' WHERE run = 1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct tp_dict *d = make_dict(6000, 0), *other = NULL;
		struct tp_pool_writer *w;
		struct tp_err err;
		int64_t pools;

		assert_int_equal(sqlite3_exec(db, "DELETE FROM block", NULL, NULL, NULL), 0);
		assert_int_equal(tp_pool_writer_new(&w, &sink, &err), 0);
		assert_int_equal(tp_pool_writer_add(w, 1, d, &err), 1);
		assert_int_equal(tp_pool_writer_finish(w, &pools, &err), 0);
		tp_pool_writer_free(w);
		tp_store_close(store);
		store = tp_store_borrow(db);
		assert_non_null(store);
		check_loads(1, d);
		assert_int_equal(sqlite3_exec(db, changes[i], NULL, NULL, NULL), 0);
		tp_store_close(store);
		store = tp_store_borrow(db);
		assert_non_null(store);
		if (tp_dict_load(store, 1, &other, &err) != TP_ESTORE)
			fail_msg("%s", changes[i]);
		tp_dict_free(other);
		tp_dict_free(d);
	}
}

/* The tables of a pooled dictionary are those of a run that has its own. */
static void test_pool_tables(void **state)
{
	struct tp_dict *d = make_dict(40000 / 4, 0);
	struct tp_pool_writer *w;
	struct tp_rows rows;
	struct tp_err err;
	int64_t pools;

	(void)state;
	assert_int_equal(tp_pool_writer_new(&w, &sink, &err), 0);
	assert_int_equal(tp_pool_writer_add(w, 1, d, &err), 1);
	assert_int_equal(tp_pool_writer_finish(w, &pools, &err), 0);
	tp_pool_writer_free(w);
	for (int k = TP_POOL_FUNCTION; k < TP_POOL_KINDS; k++) {
		enum tp_table_id t = tp_pool_tables[k];

		assert_int_equal(tp_rows_load(store, 1, t, 2, &rows, &err), 0);
		assert_int_equal(rows.nrows, tp_dictfile_rows(d, t));
		assert_null(rows.col[0]);
		for (uint32_t i = 0; i < rows.nrows; i++) {
			int64_t values[TP_MAX_COLUMNS];

			tp_dictfile_row(d, t, i, values);
			assert_int_equal(rows.col[1][i], values[1]);
		}
		tp_rows_release(&rows);
	}
	/* A run that does not exist has no rows, which is not an error. */
	assert_int_equal(tp_rows_load(store, 2, TP_TABLE_STACK, 0, &rows, &err), 0);
	assert_int_equal(rows.nrows, 0);
	tp_rows_release(&rows);
	tp_dict_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pool_list_gives_back),
	    cmocka_unit_test(test_pool_list_refuses),
	    cmocka_unit_test_setup_teardown(test_pool_gives_back, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_pool_bound, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_pool_not_shared, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_pool_damaged, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_pool_tables, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
