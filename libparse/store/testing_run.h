/* Writes runs and checks that they are read as written: a trace, with some rows of each kind and a
 * dictionary. For tests only. */
#ifndef TP_STORE_TESTING_RUN_H
#define TP_STORE_TESTING_RUN_H

#include "order/read.h"
#include "store/store.h"
#include "store/testing.h"

static char path[64]; /* the store of the test */

static inline int run_setup(void **state)
{
	int code = testing_setup(state);

	snprintf(path, sizeof(path), "%s/x.tprof", testing_folder);
	return code;
}

#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, run_setup, testing_teardown)

/* ---- runs to write ---- */

#define START 1377237268096

static inline struct tp_event event_at(uint64_t i)
{
	return (struct tp_event){.ts = START + (int64_t)i * 64 + (int64_t)(i % 3),
				 .g = (uint32_t)(i % 91),
				 .m = (uint32_t)(i / 7 % 5),
				 .p = (uint32_t)(i / 7 % 4),
				 .subject = (uint32_t)(i % 91),
				 .stack = (uint32_t)(i * i % 1000),
				 .str = (uint32_t)(i % 6),
				 .type = i & 1 ? TP_EV_GO_BLOCK : TP_EV_GO_START,
				 .from = i & 1 ? TP_ST_RUNNING : TP_ST_RUNNABLE,
				 .to = i & 1 ? TP_ST_WAITING : TP_ST_RUNNING,
				 .arg = {i % 1000 ? 0 : i}};
}

static inline int put_events(struct tp_store_run *run, uint64_t n, struct tp_err *err)
{
	struct tp_event ev[TP_BATCH_EVENTS];
	uint64_t i = 0;

	while (i < n) {
		size_t k = 0;
		int code;

		while (k < TP_BATCH_EVENTS && i < n)
			ev[k++] = event_at(i++);
		code = tp_store_put_events(run, ev, k, err);
		if (code)
			return code;
	}
	return 0;
}

static inline int64_t value_at(int64_t row, unsigned column)
{
	return column % 3 == 0	 ? row * 5
	       : column % 3 == 1 ? 7
	       : row % 13	 ? row * row - 1000
				 : TP_NULL;
}

static inline int put_rows(struct tp_store_run *run, enum tp_table_id table, int64_t n,
			   struct tp_err *err)
{
	for (int64_t i = 0; i < n; i++) {
		int64_t values[TP_MAX_COLUMNS];
		int code;

		for (unsigned c = 0; c < tp_tables[table].ncolumns; c++)
			values[c] = value_at(i, c);
		code = tp_store_put_row(run, table, values, err);
		if (code)
			return code;
	}
	return 0;
}

/* Writes a run with the tables of a trace and a small dictionary. */
static inline int put_trace(struct tp_store_run *run, struct tp_err *err)
{
	static struct tp_clock clock = {START + 7, 1, 2, 3};
	static struct tp_loss loss = {.offset = 10,
				      .bytes = 20,
				      .from_ns = START + 5,
				      .to_ns = INT64_MIN,
				      .events = 3,
				      .reason = "torn"};
	static struct tp_notice notice = {TP_WARNING, TP_OFFSET_NONE, "odd"};
	static struct tp_wire_count wire = {"GoStart", 5, 4, 3};
	struct tp_trace trace = {.dict = tp_dict_new(),
				 .np = 2,
				 .p_id = (int64_t[]){-1, 3},
				 .nm = 1,
				 .m_id = (uint64_t[]){UINT64_MAX},
				 .clocks = &clock,
				 .nclocks = 1,
				 .losses = &loss,
				 .nlosses = 1,
				 .notices = &notice,
				 .nnotices = 1,
				 .wires = &wire,
				 .nwires = 1};
	uint32_t name = 0, file = 0, function = 0, location = 0, frame = 0, stack = 0;
	int code;

	assert_non_null(trace.dict);
	for (unsigned i = 0; i < 3000; i++) {
		char text[32];
		int n = snprintf(text, sizeof(text), "main.f%u", i);

		tp_dict_string(trace.dict, text, (size_t)n, &name);
		tp_dict_string(trace.dict, "main\0.go", 8, &file);
		tp_dict_function(trace.dict, &(struct tp_function){name, 0, file, i % 9},
				 &function);
		tp_dict_location(trace.dict, &(struct tp_location){~(uint64_t)i, 1, 2}, &location);
		tp_dict_frame(trace.dict, &(struct tp_frame){function, location, i, 3, i & 1},
			      &frame);
		tp_dict_stack(trace.dict, i % 10 ? stack : 0, frame, &stack);
	}
	code = tp_store_put_trace(run, &trace, err);
	tp_dict_free(trace.dict);
	return code;
}

static inline struct tp_run run_row(const char *hash)
{
	return (struct tp_run){.kind = "trace",
			       .name = "a name",
			       .source = "x.trace",
			       .hash = hash,
			       .format = "go 1.26",
			       .start_ns = START,
			       .wall_ns = TP_NULL,
			       .events = 12345};
}

static inline int write_run(const char *hash, uint64_t events, int64_t rows, struct tp_run *row,
			    struct tp_err *err)
{
	struct tp_store_options opt = {.wait_ms = 10000};
	struct tp_store_run *run;
	int code = tp_store_begin(&run, path, &opt, err);

	*row = run_row(hash);
	if (code)
		return code;
	code = put_events(run, events, err);
	if (!code)
		code = put_rows(run, TP_TABLE_GOROUTINE, rows, err);
	if (!code)
		code = put_trace(run, err);
	if (!code)
		code = tp_store_put_segment(run, &(struct tp_segment){0, 0, 2, 0, 100, 5}, err);
	if (!code)
		code = tp_store_put_label(run, "host", "alpha", err);
	if (code) {
		tp_store_abort(run);
		return code;
	}
	return tp_store_commit(run, row, err);
}

/* ---- expected rows ---- */

static inline int64_t query(struct tp_store *s, const char *sql)
{
	sqlite3_stmt *stmt;
	int64_t v;

	if (sqlite3_prepare_v2(tp_store_db(s), sql, -1, &stmt, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(tp_store_db(s)));
	if (sqlite3_step(stmt) != SQLITE_ROW)
		fail_msg("%s: %s", sql, sqlite3_errmsg(tp_store_db(s)));
	v = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return v;
}

static inline void check_events(struct tp_store *s, int64_t run, uint64_t n)
{
	struct tp_event_reader *r;
	const struct tp_event *ev;
	struct tp_err err;
	uint64_t i = 0;
	size_t k;
	int code;

	assert_int_equal(tp_events_open(&r, s, run, NULL, &err), 0);
	while ((code = tp_events_next(r, &ev, &k, &err)) == 1)
		for (size_t j = 0; j < k; j++) {
			struct tp_event want = event_at(i++);

			want.ts -= START;
			assert_memory_equal(&ev[j], &want, sizeof(want));
		}
	assert_int_equal(code, 0);
	assert_int_equal(i, n);
	tp_events_close(r);
}

/* Returns the value read where value_at was written. */
static inline int64_t read_at(enum tp_table_id table, int64_t i, unsigned c)
{
	int64_t v = value_at(i, c);

	if (table != TP_TABLE_GOROUTINE || v != TP_NULL)
		return v;
	return c == TP_COL(GOROUTINE, goid)   ? value_at(i, TP_COL(GOROUTINE, id))
	       : c == TP_COL(GOROUTINE, life) ? 1
					      : v;
}

static inline void check_rows(struct tp_store *s, int64_t run, enum tp_table_id table, int64_t n,
			      uint32_t columns)
{
	struct tp_rows rows;
	struct tp_err err;

	assert_int_equal(tp_rows_load(s, run, table, columns, &rows, &err), 0);
	assert_int_equal(rows.nrows, n);
	for (unsigned c = 0; c < tp_tables[table].ncolumns; c++) {
		if (columns && !(columns & 1u << c)) {
			assert_null(rows.col[c]);
			continue;
		}
		for (int64_t i = 0; i < n; i++)
			assert_int_equal(rows.col[c][i], read_at(table, i, c));
	}
	tp_rows_release(&rows);
}

static inline void check_dict(struct tp_store *s, int64_t run)
{
	struct tp_dict *d;
	struct tp_err err;
	uint32_t stack, id;

	assert_int_equal(tp_dict_load(s, run, &d, &err), 0);
	assert_int_equal(tp_dict_functions(d), 3001);
	assert_int_equal(tp_dict_stacks(d), 3001);
	stack = 3000;
	for (unsigned i = 2999;; i--, stack = tp_dict_stack_at(d, stack).parent) {
		struct tp_frame f = tp_dict_frame_at(d, tp_dict_stack_at(d, stack).frame);
		struct tp_function fn = tp_dict_function_at(d, f.function);
		char text[32];

		assert_int_equal(f.line, i);
		assert_int_equal(tp_dict_location_at(d, f.location).address, ~(uint64_t)i);
		snprintf(text, sizeof(text), "main.f%u", i);
		assert_string_equal(tp_dict_text(d, fn.name).text, text);
		assert_int_equal(tp_dict_text(d, fn.file).size, 8);
		assert_memory_equal(tp_dict_text(d, fn.file).text, "main\0.go", 8);
		if (i % 10 == 0)
			break;
	}
	assert_int_equal(tp_dict_stack_at(d, stack).parent, 0);
	/* A loaded dictionary can still intern. */
	assert_int_equal(tp_dict_string(d, "main.f17", 8, &id), 0);
	assert_string_equal(tp_dict_text(d, id).text, "main.f17");
	assert_true(id < tp_dict_strings(d) - 1);
	assert_int_equal(tp_dict_stack(d, 0, 1, &id), 0);
	assert_int_equal(id, 1);
	tp_dict_free(d);
}

static inline void check_run(struct tp_store *s, int64_t run, uint64_t events, int64_t rows)
{
	char sql[256];

	check_events(s, run, events);
	check_rows(s, run, TP_TABLE_GOROUTINE, rows, 0);
	check_rows(s, run, TP_TABLE_GOROUTINE, rows, 1u << 2 | 1u << 5);
	check_dict(s, run);
	snprintf(
	    sql, sizeof(sql),
	    "SELECT (SELECT from_ns = 5 AND to_ns IS NULL AND offset = 10 FROM loss WHERE run = %d)"
	    "+ (SELECT text = 'odd' AND offset IS NULL FROM notice WHERE run = %d)"
	    "+ (SELECT ts_ns = 7 AND wall_nsec = 3 FROM clock WHERE run = %d)",
	    (int)run, (int)run, (int)run);
	assert_int_equal(query(s, sql), 3);
	snprintf(sql, sizeof(sql),
		 "SELECT (SELECT blocks = 2 FROM segment WHERE run = %d)"
		 "+ (SELECT value = 'alpha' FROM label WHERE run = %d)"
		 "+ (SELECT with_stack = 4 FROM wire WHERE run = %d)"
		 "+ (SELECT name = 'a name' AND wall_ns IS NULL FROM run WHERE id = %d)",
		 (int)run, (int)run, (int)run, (int)run);
	assert_int_equal(query(s, sql), 4);
}

#endif
