/* Concurrent writers of one store, killed writers, and stores that cannot be written. */
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "store/testing_run.h"

/* Eight writers in separate processes, four of them with dumps that others have too. */
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
	assert_int_equal(STRANGERS("x.tprof"), 0);
}

/* A writer is killed at any moment; the store has its run entirely or not at all. */
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
	/* The next writer removes the files of dead ones, once they are old enough. */
	assert_int_equal(write_run("last", 10, 1, &row, &err), 0);
	assert_int_equal(row.id, runs + 1);
}

/* A writer was killed; then the store was removed, but not SQLite's journal beside it. */
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
	assert_int_equal(STRANGERS("x.tprof"), 0);
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

/* Writes in a child process that may not write beyond `limit` bytes of a file, as on a full
 * disk. */
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
	/* A new store appears entirely or not at all. */
	for (rlim_t limit = 0; limit < 3000000; limit = limit * 2 + 4096) {
		int result = write_limited(limit, "new");

		assert_int_not_equal(result, 2);
		assert_int_equal(STRANGERS("x.tprof"), 0);
		assert_int_equal(access(path, F_OK), result ? -1 : 0);
		full += result;
		if (!result)
			unlink(path);
	}
	assert_true(full >= 3);
	/* An existing one stays as it was. */
	assert_int_equal(write_run("aa", 100000, 50000, &row, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	/* (A smaller limit would forbid rewriting existing bytes, which a full disk does not.) */
	for (rlim_t limit = (rlim_t)st.st_size; limit < 9000000; limit += 150000) {
		int result = write_limited(limit, "more");

		assert_int_not_equal(result, 2);
		assert_int_equal(STRANGERS("x.tprof"), 0);
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
	/* A lock file of a dead process does not block writers. */
	assert_int_equal(write_run("aa", 1, 1, &row, &err), 0);
	assert_int_equal(STRANGERS("x.tprof"), 0);
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
	/* The reader's next query sees it. */
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
	assert_int_equal(chmod(testing_folder, 0500), 0);
	assert_int_equal(tp_store_open(&s, path, &err), 0);
	check_run(s, 1, 20000, 100);
	tp_store_close(s);
	/* root may write everywhere */
	if (geteuid() != 0) {
		assert_int_equal(tp_store_begin(&run, path, &opt, &err), TP_EIO);
		assert_non_null(strstr(err.msg, "Permission denied"));
	}
	assert_int_equal(chmod(testing_folder, 0700), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    RUN_TEST(test_store_many_writers),
	    RUN_TEST(test_store_kill_at_any_moment),
	    RUN_TEST(test_store_stale_journal),
	    RUN_TEST(test_store_sweeps_dead_temporary_files),
	    RUN_TEST(test_store_disk_full),
	    RUN_TEST(test_store_busy_writer),
	    RUN_TEST(test_store_readers_do_not_wait),
	    RUN_TEST(test_store_read_only_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
