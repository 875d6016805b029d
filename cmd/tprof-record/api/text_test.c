#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/profile.h"
#include "tprof-record/api/lib.h"

enum { ROOM = 65536 };

static __attribute__((noinline)) void make_block(void *block, size_t size, const char *type)
{
	tprof_alloc_typed(block, size, type);
	API_STAY();
}

static __attribute__((noinline)) void drop_block(void *block)
{
	tprof_free(block);
	API_STAY();
}

/* Reads the text trace. */
static void read_trace(int fd, char text[ROOM])
{
	ssize_t n = pread(fd, text, ROOM - 1, 0);

	assert_true(n >= 0);
	text[n] = 0;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return n;
}

static void test_alloc_trace(void **state)
{
	static char text[ROOM], begin[100];
	const char *stack;
	int fd = memfd_create("test", 0), block;

	(void)state;
	make_block(&block, 1, NULL);
	assert_int_equal(tprof_alloc_trace(fd), 0);
	make_block(&block, 0x40, "struct order");
	drop_block(&block);
	make_block(&block, 0x41, NULL);
	assert_int_equal(tprof_alloc_trace(-1), 0);
	drop_block(&block);
	read_trace(fd, text);

	snprintf(begin, sizeof(begin), "tracealloc(%p, 0x40, struct order)\n", (void *)&block);
	assert_ptr_equal(strstr(text, begin), text);
	stack = text + strlen(begin);
	assert_ptr_equal(strstr(stack, "goroutine 1 [running]:\nmake_block()\n\t"), stack);
	assert_non_null(strstr(stack, "text_test.c:"));
	assert_non_null(strstr(stack, "test_alloc_trace()\n\t"));
	snprintf(begin, sizeof(begin),
		 "\n\ntracefree(%p, 0x40)\ngoroutine 1 [running]:\ndrop_block()\n", (void *)&block);
	assert_non_null(strstr(stack, begin));
	snprintf(begin, sizeof(begin), "\n\ntracealloc(%p, 0x41)\n", (void *)&block);
	assert_non_null(strstr(stack, begin));
	assert_int_equal(count(text, "trace"), 3 + count(text, "_trace"));
	assert_memory_equal(text + strlen(text) - 2, "\n\n", 2);
	close(fd);
}

static void test_alloc_trace_gc(void **state)
{
	static char text[ROOM];
	int fd = memfd_create("test", 0);

	(void)state;
	assert_int_equal(tprof_alloc_trace(fd), 0);
	tprof_heap_snapshot();
	assert_int_equal(tprof_alloc_trace(-1), 0);
	read_trace(fd, text);
	assert_ptr_equal(strstr(text, "tracegc()\n\ngoroutine 1 [running]:\ntest_alloc_trace_gc()"),
			 text);
	assert_non_null(strstr(text, "\nend tracegc\n\n"));
	close(fd);
}

static void test_alloc_trace_many(void **state)
{
	static char text[ROOM];
	static char blocks[5000];
	int fd = memfd_create("test", 0);

	(void)state;
	assert_int_equal(tprof_alloc_trace(fd), 0);
	for (size_t i = 0; i < sizeof(blocks); i++)
		tprof_alloc(&blocks[i], i + 1);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	tprof_free(&blocks[4242]);
	read_trace(fd, text);
	assert_non_null(strstr(text, ", 0x1093)\n"));
	assert_int_equal(tprof_alloc_trace(-1), 0);
	assert_int_equal(tprof_alloc_trace(-2), EINVAL);
	close(fd);
}

/* If the reader of the text trace goes away, the program goes on. */
static void test_alloc_trace_lost(void **state)
{
	int fd = memfd_create("test", 0), block;

	(void)state;
	assert_int_equal(tprof_alloc_trace(fd), 0);
	close(fd);
	tprof_alloc(&block, 1);
	tprof_alloc(&block, 1);
	assert_false(atomic_load(&api.text));
}

static _Atomic bool over, running;

static __attribute__((noinline)) void *run(void *arg)
{
	(void)arg;
	tprof_set_name("runner");
	atomic_store(&running, true);
	while (!atomic_load(&over))
		;
	return NULL;
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool waiting_for_lock;

static __attribute__((noinline)) void *wait_for_lock(void *arg)
{
	(void)arg;
	tprof_wait_begin(TPROF_MUTEX, &held);
	atomic_store(&waiting_for_lock, true);
	pthread_mutex_lock(&held);
	tprof_wait_end(false);
	pthread_mutex_unlock(&held);
	return NULL;
}

static void fiber(void *arg)
{
	(void)arg;
}

static __attribute__((noinline)) void park_fiber(uint64_t g)
{
	const char *const label[][2] = {{"party", "\"lunch\""}};

	tprof_g_start(g);
	tprof_set_labels(label, 1);
	tprof_g_block(TPROF_CHAN_RECEIVE, NULL);
	API_STAY();
}

/* Returns whether the stack that begins with `header`, up to the empty line, has a frame. */
static bool has_frame(const char *text, const char *header, const char *frame)
{
	const char *at = strstr(text, header), *end, *found;

	if (!at)
		return false;
	end = strstr(at, "\n\n");
	found = strstr(at, frame);
	return found && (!end || found < end);
}

static void test_stack_all(void **state)
{
	static char text[ROOM];
	struct tprof_stack_record records[16];
	struct tp_profile *p = NULL;
	uint64_t waiting, fresh;
	pthread_t t[2];
	size_t n;
	bool ok;

	(void)state;
	waiting = tprof_g_create(fiber, "fiber");
	fresh = tprof_g_create(fiber, NULL);
	park_fiber(waiting);
	pthread_mutex_lock(&held);
	assert_int_equal(tprof_thread_create(&t[0], NULL, run, NULL), 0);
	assert_int_equal(tprof_thread_create(&t[1], NULL, wait_for_lock, NULL), 0);
	while (!atomic_load(&running) || !atomic_load(&waiting_for_lock))
		usleep(1000);

	n = tprof_stack(text, sizeof(text) - 1, true);
	text[n] = 0;
	assert_ptr_equal(strstr(text, "goroutine 1 [running]:\ntest_stack_all()\n"), text);
	assert_true(
	    has_frame(text, "[chan receive] {\"party\": \"\\\"lunch\\\"\"}:", "park_fiber()"));
	assert_true(has_frame(text, "[runnable]:", "fiber()"));
	assert_true(has_frame(text, "[sync.Mutex.Lock]:", "wait_for_lock()"));
	assert_true(
	    has_frame(text, "[sync.Mutex.Lock]:", "created by test_stack_all in goroutine 1"));
	/* The running thread's stack has its own function, not only the interrupted one. */
	assert_true(has_frame(strstr(text, "\n\n"), "[running]:", "run()"));
	/* tprof's reader decodes all of it. */
	assert_int_equal(
	    tp_profile_read(text, n, &(struct tp_profile_options){.strict = true}, &p, NULL), 0);
	assert_int_equal(p->nsamples, 5);
	assert_int_equal(p->nlosses, 0);
	tp_profile_free(p);
	/* At most `size` bytes are written. */
	memset(text, 'x', sizeof(text));
	assert_int_equal(tprof_stack(text, 20, true), 20);
	assert_int_equal(text[20], 'x');
	assert_int_equal(tprof_stack(text, 0, true), 0);

	assert_int_equal(tprof_goroutine_profile(records, 4, &ok), 5);
	assert_false(ok);
	assert_int_equal(tprof_goroutine_profile(records, 16, &ok), 5);
	assert_true(ok);
	for (int i = 0; i < 5; i++)
		assert_int_not_equal(records[i].stack[0], 0);

	atomic_store(&over, true);
	pthread_mutex_unlock(&held);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	tprof_g_start(waiting);
	tprof_g_end();
	tprof_g_start(fresh);
	tprof_g_end();
}

static void test_write_profile(void **state)
{
	static const struct {
		const char *name;
		int debug, result;
		const char *begins;
	} cases[] = {
	    {"heap", 0, 0, "\x1f\x8b"},
	    {"heap", 1, 0, "heap profile: "},
	    {"block", 0, 0, "\x1f\x8b"},
	    {"block", 1, 0, "--- contention:\n"},
	    {"mutex", 0, 0, "\x1f\x8b"},
	    {"mutex", 1, 0, "--- mutex:\n"},
	    {"threadcreate", 0, 0, "\x1f\x8b"},
	    {"threadcreate", 1, 0, "threadcreate profile: total "},
	    {"goroutine", 0, 0, "\x1f\x8b"},
	    {"goroutine", 1, 0, "goroutine profile: total 1\n"},
	    {"goroutine", 2, 0, "goroutine 1 [running]:\n"},
	    {"cpu", 0, EINVAL, ""},
	    {"heap", -1, EINVAL, ""},
	};

	(void)state;
	tprof_set_heap_rate(1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static char data[ROOM];
		struct tp_profile *p = NULL;
		int fd = memfd_create("test", 0);
		size_t n = strlen(cases[i].begins);
		ssize_t got;

		assert_int_equal(tprof_write_profile(cases[i].name, fd, cases[i].debug),
				 cases[i].result);
		got = pread(fd, data, sizeof(data), 0);
		assert_true(got >= (ssize_t)n);
		assert_memory_equal(data, cases[i].begins, n);
		/* Compressed profiles need the commands' input code, which is not used here. */
		if (n && cases[i].begins[0] != '\x1f')
			assert_int_equal(tp_profile_read(data, (size_t)got, NULL, &p, NULL), 0);
		tp_profile_free(p);
		close(fd);
	}
	assert_int_equal(tprof_write_profile(NULL, 1, 0), EINVAL);
	assert_int_equal(tprof_write_profile("heap", -1, 0), EBADF);
	tprof_set_heap_rate(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_alloc_trace),	     cmocka_unit_test(test_alloc_trace_gc),
	    cmocka_unit_test(test_alloc_trace_many), cmocka_unit_test(test_alloc_trace_lost),
	    cmocka_unit_test(test_stack_all),	     cmocka_unit_test(test_write_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
