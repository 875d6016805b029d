#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "tprof-record/api/lib.h"

enum { ROOM = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t worker;
static _Atomic bool waits;

static __attribute__((noinline)) void acquire(void)
{
	tprof_wait_begin(TPROF_MUTEX, &mutex);
	atomic_store(&waits, true);
	pthread_mutex_lock(&mutex);
	tprof_wait_end(false);
}

static __attribute__((noinline)) void release(void)
{
	tprof_post(&mutex, false);
	pthread_mutex_unlock(&mutex);
}

static void *run(void *arg)
{
	(void)arg;
	atomic_store(&worker, tprof_g_current());
	acquire();
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static int64_t cycles(size_t (*profile)(struct tprof_block_record *, size_t, bool *),
		      void (*function)(void))
{
	struct tprof_block_record p[ROOM];
	size_t n = profile(p, ROOM, NULL);
	int64_t ns = 0;

	for (size_t i = 0; i < n; i++)
		if (p[i].stack.stack[0] - (uintptr_t)function < 80)
			ns += p[i].cycles;
	return ns;
}

static const struct rec_g *slot_of(uint64_t g)
{
	const struct rec_arena *a = api_arena(atomic_load(&api.host));

	for (uint32_t i = 0; i < a->header->gs.used; i++)
		if (a->gs[i].id == g)
			return &a->gs[i];
	return NULL;
}

static void test_wait_and_post(void **state)
{
	struct tprof_stack_record created[ROOM];
	const struct rec_g *slot;
	uint64_t begin;
	int64_t most;
	pthread_t t;
	size_t n, known = 0;

	(void)state;
	begin = atomic_load(&api.host)->now();
	tprof_set_block_rate(1);
	tprof_set_mutex_fraction(1);
	pthread_mutex_lock(&mutex);
	assert_int_equal(tprof_thread_create(&t, NULL, run, NULL), 0);
	while (!atomic_load(&waits))
		usleep(1000);
	usleep(20000);

	slot = slot_of(atomic_load(&worker));
	assert_int_equal(slot->wait.kind, REC_BLOCK);
	assert_int_equal(slot->wait.arg, REC_ON_MUTEX);
	assert_int_equal(slot->wait.object, (uintptr_t)&mutex);
	assert_int_equal(slot->creator, tprof_g_current());
	assert_int_equal(slot->entry, (uintptr_t)run);
	n = tprof_threadcreate_profile(created, ROOM, NULL);
	assert_int_equal(n, 1);
	for (size_t i = 0; i < n; i++)
		known += created[i].stack[0] - (uintptr_t)test_wait_and_post < 2000;
	assert_int_equal(known, 1);

	release();
	pthread_join(t, NULL);
	assert_null(slot_of(atomic_load(&worker)));
	most = (int64_t)(atomic_load(&api.host)->now() - begin);
	assert_in_range(cycles(tprof_block_profile, acquire), 20000000, most);
	assert_in_range(cycles(tprof_mutex_profile, release), 20000000, most);
	/* Without a wait, no release is charged. */
	pthread_mutex_lock(&mutex);
	n = (size_t)cycles(tprof_mutex_profile, release);
	release();
	assert_int_equal(cycles(tprof_mutex_profile, release), n);
	tprof_set_block_rate(0);
	tprof_set_mutex_fraction(0);
}

static void test_wait_unbalanced(void **state)
{
	int object;

	(void)state;
	tprof_wait_end(false);
	tprof_syscall_end();
	tprof_wait_begin(TPROF_COND, &object);
	/* Within a wait, nothing else is recorded. */
	assert_int_equal(tprof_g_current(), 0);
	tprof_syscall_begin(0);
	tprof_syscall_end();
	tprof_wait_begin(TPROF_COND, NULL);
	assert_int_equal(slot_of(1)->wait.arg, REC_ON_COND);
	tprof_wait_end(true);
	assert_int_equal(slot_of(1)->wait.kind, REC_NOTHING);
	tprof_syscall_begin(7);
	assert_int_equal(slot_of(1)->wait.kind, REC_SYSCALL);
	assert_int_equal(slot_of(1)->wait.object, 7);
	tprof_wait_end(false);
	assert_int_equal(slot_of(1)->wait.kind, REC_SYSCALL);
	tprof_syscall_end();
	assert_int_equal(slot_of(1)->wait.kind, REC_NOTHING);
	assert_int_equal(tprof_g_current(), 1);
}

static void *meet(void *arg)
{
	*(uint64_t *)arg = tprof_g_current();
	return NULL;
}

/* A thread created without the library gets a number at its first call, and loses its place when it ends. */
static void test_thread_met(void **state)
{
	uint64_t g[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		pthread_t t;

		assert_int_equal(pthread_create(&t, NULL, meet, &g[i]), 0);
		pthread_join(t, NULL);
		assert_null(slot_of(g[i]));
	}
	assert_true(g[0] > 1);
	assert_int_equal(g[1], g[0] + 1);
	assert_int_equal(g[2], g[0] + 2);
	assert_int_equal(tprof_threadcreate_profile(NULL, 0, NULL), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_wait_and_post),
	    cmocka_unit_test(test_wait_unbalanced),
	    cmocka_unit_test(test_thread_met),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
