#include "tprof-record/parent/spool.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static void put(struct rec_spool *s, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++)
		rec_spool_put(s, &(struct rec_event){.end = i}, REC_POST);
}

static void test_spool_map(void **state)
{
	const struct rec_event *events;
	struct rec_spool s;

	(void)state;
	assert_int_equal(rec_spool_begin(&s, "/tmp", NULL), 0);
	assert_int_equal(rec_spool_map(&s, &events, NULL), 0);
	assert_null(events);
	/* Mapped in between, as it grows. */
	put(&s, 0, 5000);
	assert_int_equal(rec_spool_map(&s, &events, NULL), 0);
	put(&s, 5000, 10000);
	assert_int_equal(rec_spool_map(&s, &events, NULL), 0);
	assert_int_equal(s.n, 10000);
	for (uint64_t i = 0; i < s.n; i++) {
		assert_int_equal(events[i].end, i);
		assert_int_equal(events[i].kind, REC_POST);
	}
	rec_spool_keep(&s, 7);
	assert_int_equal(s.n, 7);
	assert_int_equal(s.lost, 9993);
	assert_int_equal(rec_spool_map(&s, &events, NULL), 0);
	assert_int_equal(events[6].end, 6);
	rec_spool_end(&s);
}

static void test_spool_no_folder(void **state)
{
	struct rec_spool s;
	struct tp_err err;

	(void)state;
	assert_int_equal(rec_spool_begin(&s, "/nowhere", &err), TP_EIO);
	put(&s, 0, 3);
	rec_spool_flush(&s);
	assert_int_equal(s.lost, 3);
	assert_int_equal(s.error, ENOENT);
	rec_spool_end(&s);
}

/* A file that may not grow further stands for a disk that is full. */
static void test_spool_full(void **state)
{
	struct rlimit before, little = {.rlim_cur = 100000, .rlim_max = RLIM_INFINITY};
	const struct rec_event *events;
	struct rec_spool s;

	(void)state;
	getrlimit(RLIMIT_FSIZE, &before);
	little.rlim_max = before.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(rec_spool_begin(&s, "/tmp", NULL), 0);
	setrlimit(RLIMIT_FSIZE, &little);
	put(&s, 0, 100000);
	setrlimit(RLIMIT_FSIZE, &before);
	put(&s, 100000, 200000);
	assert_int_equal(rec_spool_map(&s, &events, NULL), 0);
	assert_int_equal(s.error, EFBIG);
	assert_int_equal(s.n, 100000 / sizeof(struct rec_event));
	assert_int_equal(s.n + s.lost, 200000);
	assert_int_equal(events[s.n - 1].end, s.n - 1);
	rec_spool_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_spool_map),
	    cmocka_unit_test(test_spool_no_folder),
	    cmocka_unit_test(test_spool_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
