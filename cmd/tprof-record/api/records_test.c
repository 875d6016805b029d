#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tprof-record/api/lib.h"

enum { ROOM = 64 };

/* Returns whether the record's stack has a PC within the first `size` bytes of `function`. */
static bool is_in(const struct tprof_stack_record *r, void (*function)(void *), size_t size)
{
	uintptr_t start = (uintptr_t)function;

	for (size_t i = 0; i < TPROF_MAX_STACK && r->stack[i]; i++)
		if (r->stack[i] > start && r->stack[i] <= start + size)
			return true;
	return false;
}

static char blocks[8];

static __attribute__((noinline)) void allocate(void *size)
{
	tprof_alloc(&blocks[(uintptr_t)size % 8], (uintptr_t)size);
	API_STAY();
}

static __attribute__((noinline)) void release(size_t size)
{
	tprof_free(&blocks[size % 8]);
	API_STAY();
}

/* Returns the record of blocks of this size, or an empty one. */
static struct tprof_mem_record of_size(size_t size, bool inuse_zero)
{
	struct tprof_mem_record p[ROOM], none = {0};
	bool ok;
	size_t n = tprof_mem_profile(p, ROOM, inuse_zero, &ok);

	assert_true(ok);
	for (size_t i = 0; i < n; i++)
		if (p[i].alloc_bytes == p[i].alloc_objects * (int64_t)size) {
			assert_true(is_in(&p[i].stack, allocate, 200));
			return p[i];
		}
	return none;
}

static void test_mem_profile_nothing_published(void **state)
{
	struct tprof_mem_record r;

	(void)state;
	/* Before the first snapshot, everything counts. */
	allocate((void *)1001);
	r = of_size(1001, false);
	assert_int_equal(r.alloc_objects, 1);
	assert_int_equal(r.alloc_bytes, 1001);
	assert_int_equal(r.free_bytes, 0);
}

static void test_mem_profile_cycles(void **state)
{
	(void)state;
	tprof_heap_snapshot();
	allocate((void *)2003);
	assert_int_equal(of_size(2003, true).alloc_objects, 0);
	tprof_heap_snapshot();
	assert_int_equal(of_size(2003, true).alloc_objects, 1);
	/* A free, too, counts only after the next snapshot. */
	release(2003);
	assert_int_equal(of_size(2003, true).free_objects, 0);
	tprof_heap_snapshot();
	assert_int_equal(of_size(2003, true).free_objects, 1);
	assert_int_equal(of_size(2003, true).free_bytes, 2003);
	/* All its blocks are free, so it appears only with inuse_zero. */
	assert_int_equal(of_size(2003, false).alloc_objects, 0);
}

static void test_mem_profile_too_small(void **state)
{
	struct tprof_mem_record p[ROOM], was[ROOM];
	size_t n, same;
	bool ok = true;

	(void)state;
	for (uintptr_t i = 0; i < 3; i++)
		allocate((void *)(3000 + i));
	tprof_heap_snapshot();
	n = tprof_mem_profile(NULL, 0, true, &ok);
	assert_true(n >= 3);
	assert_false(ok);
	memset(p, 0x5a, sizeof(p));
	memcpy(was, p, sizeof(p));
	same = tprof_mem_profile(p, n - 1, true, &ok);
	assert_int_equal(same, n);
	assert_false(ok);
	assert_memory_equal(p, was, sizeof(p));
	same = tprof_mem_profile(p, n, true, &ok);
	assert_int_equal(same, n);
	assert_true(ok);
	assert_memory_equal(&p[n], &was[n], sizeof(p[0]));
}

static __attribute__((noinline)) void wait_for_it(void *ns)
{
	tprof_block_event((uintptr_t)ns);
	API_STAY();
}

static __attribute__((noinline)) void unlock_it(void *ns)
{
	tprof_unlock_event((uintptr_t)ns);
	API_STAY();
}

/* Finds the record of a function, regardless of its caller. */
static struct tprof_block_record find(struct tprof_block_record *p, size_t n,
				      void (*function)(void *))
{
	struct tprof_block_record sum = {0};

	for (size_t i = 0; i < n; i++)
		if (is_in(&p[i].stack, function, 100)) {
			sum.count += p[i].count;
			sum.cycles += p[i].cycles;
		}
	return sum;
}

static void test_block_profile(void **state)
{
	struct tprof_block_record p[ROOM], r;
	size_t n;
	bool ok;

	(void)state;
	wait_for_it((void *)5000);
	tprof_set_block_rate(1);
	wait_for_it((void *)7000);
	wait_for_it((void *)8000);
	assert_int_not_equal(tprof_block_profile(p, 0, &ok), 0);
	assert_false(ok);
	n = tprof_block_profile(p, ROOM, &ok);
	assert_true(ok);
	r = find(p, n, wait_for_it);
	/* The wait before the rate was set does not count. */
	assert_int_equal(r.count, 2);
	assert_int_equal(r.cycles, 15000);
	/* Short waits are rarely sampled, and then count for the others, too (go 1.18 and later). */
	tprof_set_block_rate(1000000);
	for (int i = 0; i < 20000; i++)
		wait_for_it((void *)1000);
	r = find(p, tprof_block_profile(p, ROOM, NULL), wait_for_it);
	assert_in_range(r.cycles, 5000000, 80000000);
	tprof_set_block_rate(0);
	wait_for_it((void *)70000000);
	assert_true(find(p, tprof_block_profile(p, ROOM, NULL), wait_for_it).cycles <= 80000000);
}

static void test_mutex_profile(void **state)
{
	struct tprof_block_record p[ROOM], r;

	(void)state;
	assert_int_equal(tprof_set_mutex_fraction(-1), 0);
	unlock_it((void *)1000);
	assert_int_equal(tprof_set_mutex_fraction(1), 0);
	assert_int_equal(tprof_set_mutex_fraction(-1), 1);
	unlock_it((void *)1000);
	r = find(p, tprof_mutex_profile(p, ROOM, NULL), unlock_it);
	assert_int_equal(r.count, 1);
	assert_int_equal(r.cycles, 1000);
	assert_int_equal(tprof_set_mutex_fraction(10), 1);
	for (int i = 0; i < 20000; i++)
		unlock_it((void *)1000);
	r = find(p, tprof_mutex_profile(p, ROOM, NULL), unlock_it);
	/* One in ten is sampled and counts ten times. */
	assert_in_range(r.count, 16000, 24000);
	assert_int_equal(r.cycles, r.count * 1000);
	assert_int_equal(tprof_set_mutex_fraction(0), 10);
}

static void *nothing(void *arg)
{
	return arg;
}

static void test_threadcreate_profile(void **state)
{
	struct tprof_stack_record p[ROOM];
	bool ok;

	(void)state;
	assert_int_equal(tprof_threadcreate_profile(p, ROOM, &ok), 0);
	assert_true(ok);
	/* Threads count although they have ended. */
	for (int i = 0; i < 3; i++) {
		pthread_t t;

		assert_int_equal(tprof_thread_create(&t, NULL, nothing, NULL), 0);
		pthread_join(t, NULL);
	}
	assert_int_equal(tprof_threadcreate_profile(NULL, 0, &ok), 3);
	assert_false(ok);
	assert_int_equal(tprof_threadcreate_profile(p, ROOM, &ok), 3);
	assert_true(ok);
	for (int i = 0; i < 3; i++)
		assert_in_range(p[i].stack[0], (uintptr_t)test_threadcreate_profile,
				(uintptr_t)test_threadcreate_profile + 1000);
}

static void test_goroutine_labels(void **state)
{
	const char *const labels[][2] = {{"shard", "7"}, {"job", "sort"}};
	struct tprof_stack_record p[ROOM];
	struct tprof_labels l[ROOM];
	bool ok;

	(void)state;
	assert_int_equal(tprof_goroutine_profile_with_labels(p, l, ROOM, &ok), 1);
	assert_true(ok);
	assert_int_equal(l[0].n, 0);
	assert_int_equal(tprof_set_labels(labels, 2), 0);
	assert_int_equal(tprof_goroutine_profile_with_labels(p, l, ROOM, &ok), 1);
	assert_int_equal(l[0].n, 2);
	assert_string_equal(l[0].pair[0][0], "job");
	assert_string_equal(l[0].pair[1][1], "7");
	assert_in_range(p[0].stack[0], (uintptr_t)test_goroutine_labels,
			(uintptr_t)test_goroutine_labels + 1000);
	assert_int_equal(tprof_goroutine_profile_with_labels(NULL, NULL, 0, &ok), 1);
	assert_false(ok);
	assert_int_equal(tprof_set_labels(NULL, 0), 0);
}

static void test_set_profiler_late(void **state)
{
	(void)state;
	assert_int_equal(tprof_set_profiler(118), EBUSY);
	assert_int_equal(tprof_set_profiler(117), EINVAL);
}

static int begin(void **state)
{
	(void)state;
	tprof_set_heap_rate(1);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_mem_profile_nothing_published),
	    cmocka_unit_test(test_mem_profile_cycles),
	    cmocka_unit_test(test_mem_profile_too_small),
	    cmocka_unit_test(test_block_profile),
	    cmocka_unit_test(test_mutex_profile),
	    cmocka_unit_test(test_threadcreate_profile),
	    cmocka_unit_test(test_goroutine_labels),
	    cmocka_unit_test(test_set_profiler_late),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
