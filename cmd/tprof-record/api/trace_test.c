#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "tprof-record/api/lib.h"

/* A thread that reads a trace from beginning to end. */
struct reader {
	pthread_t thread;
	struct tp_buf all;
	size_t pieces;
	_Atomic bool runs;
};

/* Counts readers that have got NULL. */
static sem_t ended;

static void *read_all(void *arg)
{
	struct reader *r = arg;
	const void *piece;
	size_t size;

	atomic_store(&r->runs, true);
	while ((piece = tprof_trace_read(&size)) != NULL) {
		tp_buf_put(&r->all, piece, size);
		r->pieces++;
	}
	sem_post(&ended);
	return NULL;
}

static void begin(struct reader *r)
{
	*r = (struct reader){0};
	assert_int_equal(pthread_create(&r->thread, NULL, read_all, r), 0);
	while (!atomic_load(&r->runs))
		usleep(1000);
}

static void test_trace_off(void **state)
{
	void *data;
	size_t size = 1;

	(void)state;
	assert_null(tprof_trace_read(&size));
	assert_int_equal(size, 0);
	assert_int_equal(tprof_trace_stop(), 0);
	assert_int_equal(tprof_trace_symbols(&data, &size), ENOENT);
	assert_int_equal(tprof_trace_start((enum tprof_format)7), EINVAL);
	assert_int_equal(tprof_trace_to_file("/nowhere/trace.out", TPROF_GO_1_26), ENOENT);
}

static void test_trace_twice(void **state)
{
	static const struct {
		enum tprof_format format;
		const char *header;
	} cases[] = {{TPROF_GO_1_26, "go 1.26 trace"},
		     {TPROF_GO_1_5, "go 1.5 trace"},
		     {TPROF_GO_1_26, "go 1.26 trace"}};
	struct reader r;
	size_t size;
	void *data;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t task;

		assert_int_equal(tprof_trace_start(cases[i].format), 0);
		assert_int_equal(tprof_trace_start(cases[i].format), EALREADY);
		assert_int_equal(tprof_trace_to_file("/tmp/unused", TPROF_GO_1_26), EALREADY);
		assert_int_equal(tprof_trace_symbols(&data, &size), ENOENT);
		begin(&r);
		task = tprof_task_begin(0, "work");
		tprof_log(task, "message", "a text that takes more than one record to be kept");
		tprof_task_end(task);
		assert_int_equal(tprof_trace_stop(), 0);
		pthread_join(r.thread, NULL);
		assert_true(r.all.size > 40);
		assert_memory_equal(r.all.data, cases[i].header, strlen(cases[i].header) + 1);
		if (cases[i].format == TPROF_GO_1_26)
			assert_non_null(memmem(r.all.data, r.all.size, "more than one record", 20));
		assert_true(r.pieces >= 2);
		tp_buf_release(&r.all);
		assert_int_equal(tprof_trace_symbols(&data, &size),
				 cases[i].format == TPROF_GO_1_5 ? 0 : ENOENT);
		if (cases[i].format == TPROF_GO_1_5)
			assert_memory_equal(data, "\x1f\x8b", 2);
		free(data);
	}
	assert_int_equal(tprof_lost(), 0);
}

/* The header comes before the end of the trace, and a second reader gets nothing of the first one's data. */
static void test_trace_one_reader(void **state)
{
	struct reader r[2];
	size_t size;

	(void)state;
	assert_int_equal(sem_init(&ended, 0, 0), 0);
	assert_int_equal(tprof_trace_start(TPROF_GO_1_26), 0);
	assert_non_null(tprof_trace_read(&size));
	assert_int_equal(size, 16);
	/* Who calls while the other waits gets NULL while the trace is on. */
	begin(&r[0]);
	begin(&r[1]);
	sem_wait(&ended);
	assert_int_equal(tprof_trace_stop(), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(r[i].thread, NULL);
	/* On a busy machine the second one may have got a piece before, between two calls of the first. */
	assert_true(r[0].pieces || r[1].pieces);
	for (int i = 0; i < 2; i++)
		tp_buf_release(&r[i].all);
}

static size_t size_of(const char *path)
{
	FILE *f = fopen(path, "r");
	long size = 0;

	if (f && !fseek(f, 0, SEEK_END))
		size = ftell(f);
	if (f)
		fclose(f);
	return (size_t)size;
}

static void test_trace_to_file(void **state)
{
	char folder[] = "/tmp/tprof-api-XXXXXX", path[64], symbols[80];
	struct stat of;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/trace.out", folder);
	snprintf(symbols, sizeof(symbols), "%s.symbols", path);
	assert_int_equal(tprof_trace_to_file(path, TPROF_GO_1_26), 0);
	assert_int_equal(tprof_trace_stop(), 0);
	assert_true(size_of(path) > 16);
	assert_int_not_equal(access(symbols, F_OK), 0);
	assert_int_equal(tprof_trace_to_file(path, TPROF_GO_1_5), 0);
	/* Whoever reads the symbols of a part has all of them, even while those of the next are written. */
	while ((fd = open(symbols, O_RDONLY | O_CLOEXEC)) < 0)
		usleep(1000);
	do {
		assert_int_equal(fstat(fd, &of), 0);
		assert_true(of.st_size > 16);
		usleep(1000);
	} while (of.st_nlink);
	close(fd);
	assert_int_equal(tprof_trace_stop(), 0);
	assert_true(size_of(path) > 16);
	assert_true(size_of(symbols) > 16);
	unlink(path);
	unlink(symbols);
	rmdir(folder);
	/* A full disk is reported at the end. */
	assert_int_equal(tprof_trace_to_file("/dev/full", TPROF_GO_1_26), 0);
	assert_int_equal(tprof_trace_stop(), ENOSPC);
}

static _Atomic bool stop_threads;
static _Atomic long rounds;

static void *make_events(void *arg)
{
	(void)arg;
	while (!atomic_load(&stop_threads)) {
		uint64_t task = tprof_task_begin(0, "short");

		tprof_region_begin(task, "part");
		tprof_log(task, "a", "b");
		tprof_region_end(task, "part");
		tprof_task_end(task);
		atomic_fetch_add(&rounds, 1);
		usleep(10);
	}
	return NULL;
}

/* Threads write events while traces start and stop. */
static void test_trace_concurrent(void **state)
{
	pthread_t t[4];
	struct reader r;
	int code;

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(tprof_thread_create(&t[i], NULL, make_events, NULL), 0);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(tprof_trace_start(TPROF_GO_1_26), 0);
		begin(&r);
		for (long until = atomic_load(&rounds) + 1000; atomic_load(&rounds) < until;)
			usleep(1000);
		code = tprof_trace_stop();
		/* ENOBUFS may happen on a busy machine. */
		assert_true(!code || code == ENOBUFS);
		pthread_join(r.thread, NULL);
		assert_true(r.all.size > 100);
		tp_buf_release(&r.all);
	}
	atomic_store(&stop_threads, true);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void test_trace_fork(void **state)
{
	struct reader r;
	int status;
	pid_t pid;

	(void)state;
#ifdef __SANITIZE_THREAD__
	print_message("ThreadSanitizer has no threads in a child of a process with threads\n");
	skip();
#endif
#ifdef __SANITIZE_ADDRESS__
	print_message(
	    "AddressSanitizer's allocator may be locked in the child: the reader allocates\n");
	skip();
#endif
	assert_int_equal(tprof_trace_start(TPROF_GO_1_26), 0);
	begin(&r);
	pid = fork();
	if (!pid) {
		size_t size;
		bool fine = !tprof_trace_read(&size) && !tprof_trace_stop();

		fine = fine && !tprof_trace_start(TPROF_GO_1_5);
		begin(&r);
		fine = fine && !tprof_trace_stop();
		pthread_join(r.thread, NULL);
		fine = fine && !memcmp(r.all.data, "go 1.5 trace", 12);
		_exit(fine ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(tprof_trace_stop(), 0);
	pthread_join(r.thread, NULL);
	assert_memory_equal(r.all.data, "go 1.26 trace", 13);
	tp_buf_release(&r.all);
}

/* A table that is full is told. */
static void test_trace_lost_samples(void **state)
{
	static char block;
	struct reader r;
	int fd, status;
	pid_t child;

	(void)state;
	tprof_set_heap_rate(1);
	for (size_t size = 1; size <= 40000; size++) {
		tprof_alloc(&block, size);
		tprof_free(&block);
	}
	assert_in_range(tprof_lost(), 40000 - 32768, 40000);
	/* The profile is written all the same; goroutines are not concerned. */
	fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	assert_int_equal(tprof_write_profile("heap", fd, 0), ENOBUFS);
	assert_int_equal(tprof_write_profile("goroutine", fd, 0), 0);
	close(fd);
	/* A child inherits no rate. */
	child = fork();
	if (!child) {
		tprof_set_block_rate(1);
		for (size_t size = 1; size <= 100; size++)
			tprof_alloc(&block, size);
		tprof_heap_snapshot();
		_exit((int)tprof_mem_profile(NULL, 0, true, NULL));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(tprof_trace_start(TPROF_GO_1_26), 0);
	begin(&r);
	/* No event was. */
	assert_int_equal(tprof_trace_stop(), 0);
	pthread_join(r.thread, NULL);
	tp_buf_release(&r.all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_trace_off),	       cmocka_unit_test(test_trace_twice),
	    cmocka_unit_test(test_trace_one_reader),   cmocka_unit_test(test_trace_to_file),
	    cmocka_unit_test(test_trace_concurrent),   cmocka_unit_test(test_trace_fork),
	    cmocka_unit_test(test_trace_lost_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
