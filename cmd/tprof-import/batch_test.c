/* Decoding a batch in a process, which may die. */
#include "tprof-import/batch.c"
#include "tprof-import/labelled.c"
#include "tprof-import/paths.c"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <cmocka.h>

#include "common/testing_jail.h"

struct fixture {
	char dir[64], store[80], pipe[80];
	int fd; /* of the pipe, which never has data */
	struct tp_known known;
	struct labelled labelled;
	struct batch *first, batch;
	struct path paths[4];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	snprintf(f->dir, sizeof(f->dir), "/tmp/tprof-batch-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->store, sizeof(f->store), "%s/s.tprof", f->dir);
	snprintf(f->pipe, sizeof(f->pipe), "%s/pipe", f->dir);
	assert_int_equal(mkfifo(f->pipe, 0600), 0);
	f->fd = open(f->pipe, O_RDWR | O_CLOEXEC);
	assert_true(f->fd >= 0);
	f->paths[0] = (struct path){.name = (char *)"testdata/catalog.heap", .bytes = 100};
	f->paths[1] = (struct path){.name = f->pipe, .bytes = 100};
	f->paths[2] = (struct path){.name = (char *)"testdata/README.md", .bytes = 100};
	f->paths[3] = (struct path){.name = (char *)"testdata/catalog.cpu", .bytes = 100};
	f->first = &f->batch;
	f->batch = (struct batch){.paths = f->paths,
				  .n = 4,
				  .store = f->store,
				  .known = &f->known,
				  .labelled = &f->labelled,
				  .import = {.threads = 1, .store = {.wait_ms = -1}},
				  .first = &f->first};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	int left;

	batch_release(&f->batch);
	labelled_release(&f->labelled);
	close(f->fd);
	unlink(f->pipe);
	unlink(f->store);
	left = rmdir(f->dir); /* fails if a temporary store remains */
	free(f);
	return left;
}

/* Waits until the process is at this dump. */
static void wait_for(const struct batch *b, size_t at)
{
	const struct timespec moment = {.tv_nsec = 10000000};
	uint64_t bytes;
	size_t dumps = 0;

	for (int tries = 0; tries < 3000 && dumps != at; tries++) {
		nanosleep(&moment, NULL);
		batch_progress(b, &dumps, &bytes);
	}
	assert_int_equal(dumps, at);
	assert_int_equal(bytes, 100 * at);
}

static int end(struct batch *b, struct tp_err *err)
{
	struct pollfd p = {.fd = b->process.end};

	assert_int_equal(poll(&p, 1, 60000), 1);
	return batch_end(b, err);
}

static void check(struct batch *b, int code)
{
	struct tp_err err;
	size_t added;

	assert_int_equal(end(b, &err), 1); /* to be started again without that dump */
	assert_int_equal(b->verdict[1].outcome, OUTCOME_FAILED);
	assert_int_equal(b->verdict[1].err.code, code);
	assert_int_equal(batch_start(b, &err), 0);
	assert_int_equal(end(b, &err), 0);
	assert_int_equal(b->verdict[0].outcome, OUTCOME_RUN);
	assert_int_equal(b->verdict[1].outcome, OUTCOME_FAILED);
	assert_int_equal(b->verdict[2].outcome, OUTCOME_OTHER);
	assert_int_equal(b->verdict[3].outcome, OUTCOME_RUN);
	assert_int_equal(batch_publish(b, &added, &err), 0);
	assert_int_equal(added, 2);
}

static void test_batch_decoder_dies(void **state)
{
	static const struct {
		int signal, code;
	} rows[] = {{SIGSEGV, TP_ELIMIT}, {SIGKILL, TP_ENOMEM}, {SIGBUS, TP_EIO}};

	need_jail(); /* without one it is all in one process */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture *f = *state;
		struct tp_err err;

		signal(rows[i].signal, SIG_DFL); /* replaces cmocka's handler */
		assert_int_equal(batch_start(&f->batch, &err), 0);
		wait_for(&f->batch, 1);
		kill(f->batch.process.pid, rows[i].signal);
		check(&f->batch, rows[i].code);
		batch_release(&f->batch);
		unlink(f->store);
		memset(f->batch.verdict, 0, sizeof(f->batch.verdict));
	}
}

/* The process may have written anything into the shared memory. */
static void test_batch_says_anything(void **state)
{
	struct fixture *f = *state;
	struct batch *b = &f->batch;
	struct tp_err err;

	need_jail(); /* without one it is all in one process */
	b->n = 1;
	assert_int_equal(batch_start(b, &err), 0);
	assert_int_equal(poll(&(struct pollfd){.fd = b->process.end}, 1, 60000), 1);
	memset(b->shared->verdict, 0x7f, sizeof(b->shared->verdict));
	b->shared->runs = INT64_MAX;
	assert_int_equal(batch_end(b, &err), 0);
	assert_int_equal(b->verdict[0].outcome, OUTCOME_FAILED);
	assert_int_equal(b->verdict[0].err.code, TP_EFORMAT);
	assert_int_equal(b->verdict[0].err.msg[sizeof(b->verdict[0].err.msg) - 1], 0);
	assert_int_equal(b->temp.runs, 0);
}

static void test_batch_release_ends_it(void **state)
{
	struct fixture *f = *state;
	struct tp_err err;
	pid_t pid;

	need_jail(); /* without one it is all in one process */
	assert_int_equal(batch_start(&f->batch, &err), 0);
	wait_for(&f->batch, 1);
	pid = f->batch.process.pid;
	batch_release(&f->batch);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(access(f->store, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_batch_decoder_dies, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_batch_says_anything, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_batch_release_ends_it, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
