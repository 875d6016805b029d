#include "store/store.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- a folder per test ---- */

static char folder[32], path[64];

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tprof-store-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/x.tprof", folder);
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "chmod -R u+w %s && rm -rf %s", folder, folder);
	return system(command) ? -1 : 0;
}

/* Files in the folder whose name is not the store's. */
static int strangers(void)
{
	char command[160], line[256];
	FILE *f;
	int n = 0;

	snprintf(command, sizeof(command), "ls -A %s", folder);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (strcmp(line, "x.tprof\n")) {
			print_message("also there: %s", line);
			n++;
		}
	pclose(f);
	return n;
}

/* ---- runs to write ---- */

#define START 1377237268096

static struct tp_event event_at(uint64_t i)
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

static int put_events(struct tp_store_run *run, uint64_t n, struct tp_err *err)
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

static int64_t value_at(int64_t row, unsigned column)
{
	return column % 3 == 0	 ? row * 5
	       : column % 3 == 1 ? 7
	       : row % 13	 ? row * row - 1000
				 : TP_NULL;
}

static int put_rows(struct tp_store_run *run, enum tp_table_id table, int64_t n, struct tp_err *err)
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

/* A run with the tables of a trace that has a dictionary of a few entries. */
static int put_trace(struct tp_store_run *run, struct tp_err *err)
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

static struct tp_run run_row(const char *hash)
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

static int write_run(const char *hash, uint64_t events, int64_t rows, struct tp_run *row,
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

/* ---- what should be there ---- */

static int64_t query(struct tp_store *s, const char *sql)
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

static void check_events(struct tp_store *s, int64_t run, uint64_t n)
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

static void check_rows(struct tp_store *s, int64_t run, enum tp_table_id table, int64_t n,
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
			assert_int_equal(rows.col[c][i], value_at(i, c));
	}
	tp_rows_release(&rows);
}

static void check_dict(struct tp_store *s, int64_t run)
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
	/* A loaded dictionary goes on interning. */
	assert_int_equal(tp_dict_string(d, "main.f17", 8, &id), 0);
	assert_string_equal(tp_dict_text(d, id).text, "main.f17");
	assert_true(id < tp_dict_strings(d) - 1);
	assert_int_equal(tp_dict_stack(d, 0, 1, &id), 0);
	assert_int_equal(id, 1);
	tp_dict_free(d);
}

static void check_run(struct tp_store *s, int64_t run, uint64_t events, int64_t rows)
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

static void test_store_new_and_more_runs(void **state)
{
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;

	(void)state;
	assert_int_equal(write_run("aa", 40000, 70000, &row, &err), 0);
	assert_int_equal(row.id, 1);
	assert_int_equal(write_run("bb", 10, 0, &row, &err), 0);
	assert_int_equal(row.id, 2);
	assert_int_equal(write_run("cc", TP_BLOCK_EVENTS, 1, &row, &err), 0);
	assert_int_equal(row.id, 3);
	assert_int_equal(strangers(), 0);
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	check_run(s, 1, 40000, 70000);
	check_run(s, 2, 10, 0);
	check_run(s, 3, TP_BLOCK_EVENTS, 1);
	tp_store_close(s);
}

static void test_store_has_and_known_dump(void **state)
{
	struct tp_store_options opt = {.wait_ms = 1000};
	struct tp_store_run *run, *other;
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;
	int64_t id;

	(void)state;
	assert_int_equal(write_run("aa", 100, 10, &row, &err), 0);
	assert_int_equal(write_run("bb", 100, 10, &row, &err), 0);
	assert_int_equal(tp_store_begin(&run, path, &opt, &err), 0);
	assert_int_equal(tp_store_has(run, "bb", &id, &err), 1);
	assert_int_equal(id, 2);
	assert_int_equal(tp_store_has(run, "cc", &id, &err), 0);
	/* Somebody else stores the same dump meanwhile: theirs is the run. */
	assert_int_equal(tp_store_begin(&other, path, &opt, &err), 0);
	row = run_row("cc");
	assert_int_equal(tp_store_commit(other, &row, &err), 0);
	assert_int_equal(row.id, 3);
	row = run_row("cc");
	assert_int_equal(tp_store_commit(run, &row, &err), 0);
	assert_int_equal(row.id, 3);
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	assert_int_equal(query(s, "SELECT count(*) FROM run"), 3);
	tp_store_close(s);
	assert_int_equal(strangers(), 0);
}

/* Two that find no store both build one; the second to finish joins the first. */
static void test_store_two_new_at_once(void **state)
{
	struct tp_store_options opt = {.wait_ms = 1000};
	struct tp_store_run *a, *b;
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_store_begin(&a, path, &opt, &err), 0);
	assert_int_equal(tp_store_begin(&b, path, &opt, &err), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(put_events(a, 20000, &err), 0);
	assert_int_equal(put_events(b, 30000, &err), 0);
	row = run_row("bb");
	assert_int_equal(tp_store_commit(b, &row, &err), 0);
	assert_int_equal(row.id, 1);
	row = run_row("aa");
	assert_int_equal(tp_store_commit(a, &row, &err), 0);
	assert_int_equal(row.id, 2);
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	check_events(s, 1, 30000);
	check_events(s, 2, 20000);
	tp_store_close(s);
	assert_int_equal(strangers(), 0);
}

static void test_store_abort_leaves_nothing(void **state)
{
	struct tp_store_options opt = {.wait_ms = 1000};
	struct tp_store_run *run;
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_store_begin(&run, path, &opt, &err), 0);
	assert_int_equal(put_events(run, 50000, &err), 0);
	assert_int_equal(strangers(), 1);
	tp_store_abort(run);
	assert_int_equal(strangers(), 0);
	assert_int_equal(access(path, F_OK), -1);
}

/* Eight writers in processes of their own, four of them with dumps that others have too. */
static void test_store_many_writers(void **state)
{
	struct tp_store *s;
	struct tp_err err;
	int bad = 0, status;

	(void)state;
	for (int i = 0; i < 8; i++)
		if (fork() == 0) {
			char hash[3] = {(char)('a' + i % 6), 'x', 0};
			struct tp_run row;

			for (int k = 0; k < 4; k++, hash[1]++)
				if (write_run(hash, 3000, 100, &row, &err))
					_exit(1);
			_exit(0);
		}
	while (wait(&status) > 0)
		bad += status != 0;
	assert_int_equal(bad, 0);
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	assert_int_equal(query(s, "SELECT count(*) FROM run"), 24);
	assert_int_equal(query(s, "SELECT count(DISTINCT hash) FROM run"), 24);
	assert_int_equal(query(s, "SELECT count(*) FROM segment"), 24);
	for (int64_t run = 1; run <= 24; run++)
		check_run(s, run, 3000, 100);
	assert_int_equal(query(s, "SELECT count(*) FROM pragma_integrity_check "
				  "WHERE integrity_check <> 'ok'"),
			 0);
	tp_store_close(s);
	assert_int_equal(strangers(), 0);
}

/* A writer is killed at any moment; the store has its run wholly or not at all. */
static void test_store_kill_at_any_moment(void **state)
{
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;
	int64_t runs = 1, killed = 0;

	(void)state;
	assert_int_equal(write_run("base", 20000, 500, &row, &err), 0);
	for (int i = 0; i < 60; i++) {
		char hash[16];
		pid_t pid;
		int status;

		snprintf(hash, sizeof(hash), "run%d", i);
		pid = fork();
		if (pid == 0)
			_exit(write_run(hash, 60000, 20000, &row, &err) != 0);
		usleep((useconds_t)i * 700);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		killed += WIFSIGNALED(status);
		assert_int_equal(tp_store_open(&s, path, &err), 0);
		runs = query(s, "SELECT count(*) FROM run");
		assert_int_equal(query(s, "SELECT count(DISTINCT run) FROM block"), runs);
		assert_int_equal(query(s, "SELECT count(*) FROM segment"), runs);
		check_run(s, 1, 20000, 500);
		if (runs > 1)
			check_run(s, runs, 60000, 20000);
		tp_store_close(s);
	}
	assert_true(killed > 0);
	/* The next writer takes away what dead ones left, once it is old enough. */
	assert_int_equal(write_run("last", 10, 1, &row, &err), 0);
	assert_int_equal(row.id, runs + 1);
}

/* A writer was killed, and then the store was removed, but not what SQLite keeps beside it. */
static void test_store_stale_journal(void **state)
{
	char journal[80];
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;
	int status;

	(void)state;
	assert_int_equal(write_run("old", 60000, 5000, &row, &err), 0);
	if (fork() == 0) {
		sqlite3 *db;

		_exit(sqlite3_open(path, &db) ||
		      sqlite3_exec(db, "BEGIN; UPDATE block SET data = zeroblob(length(data))",
				   NULL, NULL, NULL) ||
		      sqlite3_db_cacheflush(db));
	}
	wait(&status);
	assert_int_equal(status, 0);
	snprintf(journal, sizeof(journal), "%s-journal", path);
	assert_int_equal(access(journal, F_OK), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(write_run("new", 3000, 100, &row, &err), 0);
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	assert_int_equal(query(s, "SELECT count(*) FROM run WHERE hash = 'new'"), 1);
	check_run(s, 1, 3000, 100);
	tp_store_close(s);
	assert_int_equal(strangers(), 0);
}

static void test_store_sweeps_dead_temporary_files(void **state)
{
	char dead[128], alive[128], lock[128];
	struct tp_run row;
	struct tp_err err;
	int fd;

	(void)state;
	snprintf(dead, sizeof(dead), "%s.part-0123456789ab", path);
	snprintf(alive, sizeof(alive), "%s.part-ba9876543210", path);
	snprintf(lock, sizeof(lock), "%s.lock", path);
	close(open(dead, O_CREAT | O_RDWR, 0600));
	close(open(lock, O_CREAT | O_RDWR, 0600));
	fd = open(alive, O_CREAT | O_RDWR, 0600);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	assert_int_equal(write_run("aa", 10, 1, &row, &err), 0);
	assert_int_equal(access(dead, F_OK), -1);
	assert_int_equal(access(lock, F_OK), -1);
	assert_int_equal(access(alive, F_OK), 0);
	close(fd);
}

/* Runs in a child that may write no file beyond `limit` bytes: what a full disk does. */
static int write_limited(rlim_t limit, const char *hash)
{
	struct rlimit r = {limit, limit};
	struct tp_run row;
	struct tp_err err = {0};
	int status;

	if (fork() == 0) {
		int code;

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &r);
		code = write_run(hash, 80000, 40000, &row, &err);
		if (!code)
			_exit(0);
		if (code != TP_EIO || !strstr(err.msg, "disk full while writing"))
			fprintf(stderr, "limit %lld: %s\n", (long long)limit, err.msg);
		_exit(code == TP_EIO && strstr(err.msg, "disk full while writing") &&
			      strstr(err.msg, "x.tprof")
			  ? 1
			  : 2);
	}
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_store_disk_full(void **state)
{
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;
	struct stat st;
	int full = 0;

	(void)state;
	/* A new store: it appears whole or not at all. */
	for (rlim_t limit = 0; limit < 3000000; limit = limit * 2 + 4096) {
		int result = write_limited(limit, "new");

		assert_int_not_equal(result, 2);
		assert_int_equal(strangers(), 0);
		assert_int_equal(access(path, F_OK), result ? -1 : 0);
		full += result;
		if (!result)
			unlink(path);
	}
	assert_true(full >= 3);
	/* An existing one stays as it was. */
	assert_int_equal(write_run("aa", 100000, 50000, &row, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	/* (A smaller limit would forbid to write what is there already: no disk does that.) */
	for (rlim_t limit = (rlim_t)st.st_size; limit < 9000000; limit += 150000) {
		int result = write_limited(limit, "more");

		assert_int_not_equal(result, 2);
		assert_int_equal(strangers(), 0);
		assert_int_equal(tp_store_open(&s, path, &err), 0);
		check_run(s, 1, 100000, 50000);
		assert_int_equal(query(s, "SELECT count(*) FROM run"), result ? 1 : 2);
		tp_store_close(s);
		full += result;
		if (!result)
			break;
	}
	assert_true(full >= 6);
}

static void test_store_busy_writer(void **state)
{
	struct tp_store_options opt = {.wait_ms = 50};
	struct tp_store_run *run;
	struct tp_run row = run_row("aa");
	char lock[128];
	struct tp_err err;
	int fd;

	(void)state;
	snprintf(lock, sizeof(lock), "%s.lock", path);
	fd = open(lock, O_CREAT | O_RDWR, 0600);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(tp_store_begin(&run, path, &opt, &err), 0);
	assert_int_equal(tp_store_commit(run, &row, &err), TP_EBUSY);
	assert_non_null(strstr(err.msg, "another program is writing to"));
	close(fd);
	/* A lock file whose holder died is no obstacle. */
	assert_int_equal(write_run("aa", 1, 1, &row, &err), 0);
	assert_int_equal(strangers(), 0);
}

/* Readers go on while a run is written and published. */
static void test_store_readers_do_not_wait(void **state)
{
	struct tp_store_options opt = {.wait_ms = 1000};
	struct tp_store_run *run;
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;

	(void)state;
	assert_int_equal(write_run("aa", 40000, 100, &row, &err), 0);
	assert_int_equal(tp_store_begin(&run, path, &opt, &err), 0);
	assert_int_equal(put_events(run, 40000, &err), 0);
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	check_run(s, 1, 40000, 100);
	row = run_row("bb");
	assert_int_equal(tp_store_commit(run, &row, &err), 0);
	/* The reader's next question sees it. */
	assert_int_equal(query(s, "SELECT count(*) FROM run"), 2);
	check_events(s, 2, 40000);
	tp_store_close(s);
}

static void test_store_read_only_folder(void **state)
{
	struct tp_store_options opt = {.wait_ms = 0};
	struct tp_store_run *run;
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;

	(void)state;
	assert_int_equal(write_run("aa", 20000, 100, &row, &err), 0);
	assert_int_equal(chmod(path, 0400), 0);
	assert_int_equal(chmod(folder, 0500), 0);
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	check_run(s, 1, 20000, 100);
	tp_store_close(s);
	/* root may write everywhere */
	if (geteuid() != 0) {
		assert_int_equal(tp_store_begin(&run, path, &opt, &err), TP_EIO);
		assert_non_null(strstr(err.msg, "Permission denied"));
	}
	assert_int_equal(chmod(folder, 0700), 0);
}

static void put_file(const char *content, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(content, 1, size, f), size);
	fclose(f);
}

static void test_store_not_a_store(void **state)
{
	struct tp_store_options opt = {.wait_ms = 0};
	struct tp_store_run *run;
	struct tp_store *s;
	struct tp_err err;
	sqlite3 *db;

	(void)state;
	assert_int_equal(tp_store_open(&s, path, &err), TP_ENOENT);
	put_file("go 1.22 trace\0\0\0 and more, so that it is no header of SQLite's ......", 60);
	assert_int_equal(tp_store_open(&s, path, &err), TP_ESTORE);
	assert_int_equal(tp_store_begin(&run, path, &opt, &err), TP_ESTORE);
	assert_non_null(strstr(err.msg, "not a tprof store"));
	unlink(path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_exec(db, "CREATE TABLE run(id)", NULL, NULL, NULL);
	sqlite3_close(db);
	assert_int_equal(tp_store_open(&s, path, &err), TP_ESTORE);
	assert_non_null(strstr(err.msg, "not a tprof store"));
	assert_int_equal(tp_store_begin(&run, path, &opt, &err), TP_ESTORE);
	assert_int_equal(tp_store_begin(&run, folder, &opt, &err), TP_ESTORE);
	assert_int_equal(strangers(), 0);
}

static void test_store_versions(void **state)
{
	static const struct {
		const char *sql;
		int code;
	} cases[] = {
	    {"PRAGMA user_version = 4; UPDATE meta SET value = 4 WHERE key = 'min_reader'",
	     TP_EVERSION},
	    {"PRAGMA user_version = 7; UPDATE meta SET value = 1 WHERE key = 'min_reader'", 0},
	    {"PRAGMA user_version = 4; DELETE FROM meta", TP_EVERSION},
	    {"PRAGMA user_version = 0", TP_ESTORE},
	    {"PRAGMA user_version = 1; DROP TABLE loss", TP_ESTORE},
	    {"CREATE VIEW loss AS SELECT 1 AS run", TP_ESTORE},
	};
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;
	sqlite3 *db;

	(void)state;
	assert_int_equal(write_run("aa", 10, 1, &row, &err), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
		assert_int_equal(sqlite3_exec(db, cases[i].sql, NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		s = NULL;
		assert_int_equal(tp_store_open(&s, path, &err), cases[i].code);
		tp_store_close(s);
		if (cases[i].code == TP_EVERSION)
			assert_non_null(strstr(err.msg, "newer tprof"));
	}
}

/* Nothing in the file needs our extension: a plain SQLite reads it. */
static void test_store_plain_sqlite(void **state)
{
	sqlite3_stmt *stmt;
	sqlite3 *db;
	struct tp_run row;
	struct tp_err err;

	(void)state;
	assert_int_equal(write_run("aa", 20000, 1, &row, &err), 0);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_prepare_v2(db,
			       "SELECT (SELECT sum(rows) FROM block WHERE stream = 'event'),"
			       "(SELECT value FROM meta WHERE key = 'min_reader'),"
			       "(SELECT name FROM run), (SELECT * FROM "
			       "pragma_integrity_check), (SELECT count(*) FROM "
			       "sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%')",
			       -1, &stmt, NULL),
	    SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int64(stmt, 0), 20000);
	assert_int_equal(sqlite3_column_int(stmt, 1), 1);
	assert_string_equal(sqlite3_column_text(stmt, 2), "a name");
	assert_string_equal(sqlite3_column_text(stmt, 3), "ok");
	assert_int_equal(sqlite3_column_int(stmt, 4), 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
}

/* Everything that is read, from a store of which every block was damaged somewhere. */
static void read_everything(struct tp_store *s)
{
	struct tp_event_reader *r;
	const struct tp_event *ev;
	struct tp_dict *d;
	struct tp_err err;
	size_t n;

	if (!tp_events_open(&r, s, 1, NULL, &err)) {
		while (tp_events_next(r, &ev, &n, &err) == 1)
			;
		tp_events_close(r);
	}
	for (enum tp_table_id t = 0; t < TP_NTABLES; t++) {
		struct tp_rows rows;

		tp_rows_load(s, 1, t, 0, &rows, &err);
		tp_rows_release(&rows);
	}
	if (!tp_dict_load(s, 1, &d, &err))
		tp_dict_free(d);
}

static void test_store_damaged_blocks(void **state)
{
	static const char *const damages[] = {
	    "UPDATE block SET rows = rows + 1",
	    "UPDATE block SET rows = -rows",
	    "UPDATE block SET rows = 9223372036854775807",
	    "UPDATE block SET rows = 'many'",
	    "UPDATE block SET data = zeroblob(100)",
	    "UPDATE block SET data = x''",
	    "UPDATE block SET data = 'text'",
	    "UPDATE block SET data = substr(data, 1, length(data) / 2)",
	    "UPDATE block SET data = CAST(substr(data, 1, 20) || x'ffffffff' || substr(data, 25) "
	    "AS BLOB)",
	    "UPDATE block SET part = -part - 5",
	    "UPDATE block SET part = part * 4611686018427387904",
	    "UPDATE block SET stream = 'frame' || stream WHERE stream = 'stack';"
	    "UPDATE block SET stream = 'stack' WHERE stream = 'frame';"
	    "UPDATE block SET stream = 'frame' WHERE stream = 'framestack'",
	    "UPDATE block SET stream = 'strings' WHERE stream = 'string';"
	    "UPDATE block SET stream = 'string' WHERE stream = 'event'",
	    "DELETE FROM block WHERE stream = 'string'",
	    "UPDATE block SET first_ts = 'x', last_ts = x'00'",
	};
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		unlink(path);
		assert_int_equal(write_run("aa", 20000, 1000, &row, &err), 0);
		assert_int_equal(tp_store_open_rw(&s, path, &err), 0);
		if (sqlite3_exec(tp_store_db(s), damages[i], NULL, NULL, NULL))
			fail_msg("%s: %s", damages[i], sqlite3_errmsg(tp_store_db(s)));
		read_everything(s);
		tp_store_close(s);
	}
}

/* Any byte of the file may be anything. */
static void test_store_damaged_file(void **state)
{
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(write_run("aa", 300, 20, &row, &err), 0);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	for (off_t at = 0; at < st.st_size; at += at < 4096 ? 7 : 97) {
		uint8_t was, is;

		assert_int_equal(pread(fd, &was, 1, at), 1);
		is = (uint8_t)~was;
		assert_int_equal(pwrite(fd, &is, 1, at), 1);
		if (!tp_store_open(&s, path, &err)) {
			read_everything(s);
			tp_store_close(s);
		}
		assert_int_equal(pwrite(fd, &was, 1, at), 1);
	}
	close(fd);
}

/* Rows of packed and derived tables as ordinary ones, in a new store and in one that has none. */
static void test_store_materialize(void **state)
{
	static const struct {
		const char *rows;
		int64_t count;
	} counts[] = {
	    {"event_rows WHERE run = 2", 20000},
	    {"event_rows WHERE run = 3", 300},
	    {"event_rows", 20300},
	    {"goroutine_rows WHERE run = 3", 120},
	    {"string_rows WHERE run = 2 AND text = 'main.f7'", 1},
	    {"(SELECT * FROM event EXCEPT SELECT * FROM event_rows)", 100},
	    {"(SELECT * FROM goroutine EXCEPT SELECT * FROM goroutine_rows)", 91},
	    {"(SELECT * FROM span_rows EXCEPT SELECT * FROM span)", 0},
	};
	static const struct {
		const char *hash;
		uint64_t events;
		int64_t rows;
		bool materialize;
	} runs[] = {{"aa", 100, 91, false}, {"bb", 20000, 100, true}, {"cc", 300, 120, true}};
	struct tp_store *s;
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		struct tp_store_options opt = {.materialize = runs[i].materialize};
		struct tp_run row = run_row(runs[i].hash);
		struct tp_store_run *run;

		assert_int_equal(tp_store_begin(&run, path, &opt, &err), 0);
		assert_int_equal(put_events(run, runs[i].events, &err), 0);
		assert_int_equal(put_rows(run, TP_TABLE_GOROUTINE, runs[i].rows, &err), 0);
		assert_int_equal(put_rows(run, TP_TABLE_THREAD, 5, &err), 0);
		assert_int_equal(put_rows(run, TP_TABLE_PROC, 5, &err), 0);
		assert_int_equal(put_trace(run, &err), 0);
		if (tp_store_commit(run, &row, &err))
			fail_msg("%s", err.msg);
	}
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		char sql[128];

		snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", counts[i].rows);
		if (query(s, sql) != counts[i].count)
			fail_msg("%s: %lld", sql, (long long)query(s, sql));
	}
	tp_store_close(s);
}

static void test_store_symbolic_link(void **state)
{
	char real[128], link_path[128];
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;
	struct stat st;

	(void)state;
	snprintf(real, sizeof(real), "%s/real.tprof", folder);
	snprintf(link_path, sizeof(link_path), "%s", path);
	assert_int_equal(write_run("aa", 10, 1, &row, &err), 0);
	assert_int_equal(rename(path, real), 0);
	assert_int_equal(symlink("real.tprof", link_path), 0);
	assert_int_equal(write_run("bb", 10, 1, &row, &err), 0);
	assert_int_equal(row.id, 2);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(tp_store_open(&s, real, &err), 0);
	assert_int_equal(query(s, "SELECT count(*) FROM run"), 2);
	tp_store_close(s);
}

static void test_store_ranges_of_events(void **state)
{
	static const struct {
		struct tp_event_range range;
		size_t blocks;
	} cases[] = {
	    {{INT64_MIN, INT64_MAX, 0, INT64_MAX}, 4},
	    {{INT64_MIN, INT64_MAX, 1, 2}, 2},
	    {{INT64_MIN, INT64_MAX, 3, 10}, 1},
	    {{INT64_MIN, INT64_MAX, 4, 10}, 0},
	    {{0, 1, 0, INT64_MAX}, 1},
	    {{64 * TP_BLOCK_EVENTS + 1, 64 * TP_BLOCK_EVENTS + 300, 0, INT64_MAX}, 1},
	    {{64 * TP_BLOCK_EVENTS - 700, 64 * TP_BLOCK_EVENTS + 300, 0, INT64_MAX}, 2},
	    {{-100, 0, 0, INT64_MAX}, 0},
	    {{INT64_C(1) << 40, INT64_MAX, 0, INT64_MAX}, 0},
	};
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;

	(void)state;
	assert_int_equal(write_run("aa", 3 * TP_BLOCK_EVENTS + 5, 1, &row, &err), 0);
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tp_event_reader *r;
		const struct tp_event *ev;
		size_t n, blocks = 0;

		assert_int_equal(tp_events_open(&r, s, 1, &cases[i].range, &err), 0);
		while (tp_events_next(r, &ev, &n, &err) == 1)
			blocks++;
		tp_events_close(r);
		assert_int_equal(blocks, cases[i].blocks);
	}
	tp_store_close(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_store_new_and_more_runs),	  TEST(test_store_has_and_known_dump),
	    TEST(test_store_two_new_at_once),	  TEST(test_store_abort_leaves_nothing),
	    TEST(test_store_many_writers),	  TEST(test_store_kill_at_any_moment),
	    TEST(test_store_stale_journal),	  TEST(test_store_sweeps_dead_temporary_files),
	    TEST(test_store_disk_full),		  TEST(test_store_busy_writer),
	    TEST(test_store_readers_do_not_wait), TEST(test_store_read_only_folder),
	    TEST(test_store_not_a_store),	  TEST(test_store_versions),
	    TEST(test_store_plain_sqlite),	  TEST(test_store_damaged_blocks),
	    TEST(test_store_damaged_file),	  TEST(test_store_materialize),
	    TEST(test_store_symbolic_link),	  TEST(test_store_ranges_of_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
