#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tprof-record/api/lib.h"

static void entry(void *arg)
{
	(void)arg;
}

static const struct rec_g *slot_of(uint64_t g)
{
	const struct rec_host *h = atomic_load(&api.host);
	const struct rec_arena *a = api_arena(h);

	for (uint32_t i = 0; i < a->header->gs.used; i++)
		if (a->gs[i].id == g)
			return &a->gs[i];
	return NULL;
}

static void test_g_life(void **state)
{
	uint64_t thread, a, b;
	int object;

	(void)state;
	a = tprof_g_create(entry, "first");
	thread = tprof_g_current();
	assert_int_equal(thread, 1);
	b = tprof_g_create(entry, NULL);
	assert_int_equal(b, a + 1);
	assert_string_equal(slot_of(a)->name, "first");
	assert_int_equal(slot_of(a)->creator, thread);
	assert_int_equal(slot_of(a)->entry, (uintptr_t)entry);
	assert_int_equal(slot_of(a)->tid, 0);
	assert_int_equal(slot_of(a)->m, 0);

	tprof_g_start(a);
	assert_int_equal(tprof_g_current(), a);
	assert_int_equal(slot_of(a)->m, thread);
	tprof_g_block(TPROF_CHAN_SEND, &object);
	assert_int_equal(tprof_g_current(), thread);
	assert_int_equal(slot_of(a)->m, 0);
	assert_int_equal(slot_of(a)->wait.kind, REC_G_STOP);
	assert_int_equal(slot_of(a)->wait.arg, REC_ON_CHAN_SEND);
	assert_int_equal(slot_of(a)->wait.object, (uintptr_t)&object);
	assert_int_equal(slot_of(a)->wait.end, 0);
	assert_int_not_equal(slot_of(a)->wait.stack, 0);

	tprof_g_start(b);
	tprof_g_unblock(a);
	tprof_g_yield();
	assert_int_equal(slot_of(b)->wait.arg, REC_ON_YIELD);
	tprof_g_start(a);
	assert_int_equal(slot_of(a)->wait.kind, REC_NOTHING);
	/* Starting b makes a, which was running, yield. */
	tprof_g_start(b);
	assert_int_equal(tprof_g_current(), b);
	assert_int_equal(slot_of(a)->wait.arg, REC_ON_YIELD);
	tprof_g_end();
	assert_null(slot_of(b));
	tprof_g_start(a);
	tprof_g_end();
	assert_null(slot_of(a));
	assert_int_equal(tprof_g_current(), thread);
}

static void test_g_nothing_to_do(void **state)
{
	(void)state;
	/* These calls do nothing, because no goroutine of the program runs here. */
	tprof_g_block(TPROF_MUTEX, NULL);
	tprof_g_yield();
	tprof_g_end();
	tprof_g_start(0);
	tprof_g_unblock(0);
	assert_int_equal(tprof_g_current(), 1);
}

static void test_g_labels_inherited(void **state)
{
	const char *const labels[][2] = {{"z", "1"}, {"a", "2"}, {"z", "3"}};
	const struct rec_arena *arena;
	uint64_t g, child;
	uint32_t set;

	(void)state;
	g = tprof_g_create(entry, NULL);
	tprof_g_start(g);
	assert_int_equal(tprof_set_labels(labels, 3), 0);
	set = slot_of(g)->labels;
	arena = api_arena(atomic_load(&api.host));
	/* Pairs are sorted by key; of two with the same key the later counts. */
	assert_int_equal(arena->sets[set], 2);
	assert_string_equal(arena->strings + arena->sets[set + 1], "a");
	assert_string_equal(arena->strings + arena->sets[set + 2], "2");
	assert_string_equal(arena->strings + arena->sets[set + 3], "z");
	assert_string_equal(arena->strings + arena->sets[set + 4], "3");
	child = tprof_g_create(entry, NULL);
	assert_int_equal(slot_of(child)->labels, set);
	assert_int_equal(tprof_set_labels(NULL, 0), 0);
	assert_int_equal(slot_of(g)->labels, 0);
	assert_int_equal(slot_of(child)->labels, set);
	tprof_g_end();
	tprof_g_start(child);
	tprof_g_end();
	assert_int_equal(slot_of(tprof_g_current())->labels, 0);
}

static uint64_t now_ns(void)
{
	return atomic_load(&api.host)->now();
}

/* Waits of a goroutine count in the profiles until it is made ready, and only for the reasons that
 * Go counts. */
static void test_g_block_profile(void **state)
{
	static const struct {
		enum tprof_reason reason;
		bool block, mutex;
	} cases[] = {
	    {TPROF_CHAN_SEND, true, false},  {TPROF_SELECT, true, false},
	    {TPROF_COND, true, false},	     {TPROF_MUTEX, true, true},
	    {TPROF_RWLOCK_READ, true, true}, {TPROF_JOIN, true, false},
	    {TPROF_SLEEP, false, false},     {TPROF_NETWORK, false, false},
	};

	(void)state;
	tprof_set_block_rate(1);
	tprof_set_mutex_fraction(1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tprof_block_record p[64];
		int64_t blocks = 0, unlocks = 0, waited = 0;
		uint64_t g = tprof_g_create(entry, NULL), begin, end;
		size_t n;

		for (size_t k = (n = tprof_block_profile(p, 64, NULL)); k--;)
			blocks -= p[k].count, waited -= p[k].cycles;
		for (size_t k = (n = tprof_mutex_profile(p, 64, NULL)); k--;)
			unlocks -= p[k].count;
		tprof_g_start(g);
		begin = now_ns();
		tprof_g_block(cases[i].reason, NULL);
		usleep(2000);
		tprof_g_unblock(g);
		end = now_ns();
		usleep(2000);
		tprof_g_start(g);
		tprof_g_end();
		for (size_t k = (n = tprof_block_profile(p, 64, NULL)); k--;)
			blocks += p[k].count, waited += p[k].cycles;
		for (size_t k = (n = tprof_mutex_profile(p, 64, NULL)); k--;)
			unlocks += p[k].count;
		assert_int_equal(blocks, cases[i].block);
		assert_int_equal(unlocks, cases[i].mutex);
		if (cases[i].block)
			assert_in_range(waited, 2000000, end - begin);
	}
	tprof_set_block_rate(0);
	tprof_set_mutex_fraction(0);
}

static __attribute__((noinline)) void slow_unlock(uint64_t g)
{
	tprof_g_unblock(g);
	API_STAY();
}

static __attribute__((noinline)) void fast_unlock(uint64_t g)
{
	tprof_g_unblock(g);
	API_STAY();
}

static int64_t charged(void (*function)(uint64_t))
{
	struct tprof_block_record p[64];
	size_t n = tprof_mutex_profile(p, 64, NULL);
	int64_t ns = 0;

	for (size_t i = 0; i < n; i++)
		if (p[i].stack.stack[0] - (uintptr_t)function < 60)
			ns += p[i].cycles;
	return ns;
}

/* Three goroutines wait while the mutex is held for long, and then for each other. The long holder
 * is blamed for its hold in all three waits. */
static void test_g_mutex_blame(void **state)
{
	uint64_t g[3], begin, held, end;
	int64_t slow, fast;
	int mutex;

	(void)state;
	tprof_set_mutex_fraction(1);
	begin = now_ns();
	for (int i = 0; i < 3; i++) {
		g[i] = tprof_g_create(entry, NULL);
		tprof_g_start(g[i]);
		tprof_g_block(TPROF_MUTEX, &mutex);
	}
	usleep(200000);
	held = now_ns();
	slow_unlock(g[0]);
	fast_unlock(g[1]);
	fast_unlock(g[2]);
	/* An unfinished wait charges no release, and no wait is charged twice. */
	fast_unlock(g[2]);
	end = now_ns();
	slow = charged(slow_unlock);
	fast = charged(fast_unlock);
	/* The slow unlock is charged three times the hold. The fast ones are charged the time since
	 * then, however long that was on a busy machine. */
	assert_true(slow >= 600000000);
	assert_true(fast <= 2 * (int64_t)(end - held));
	assert_true(slow + fast <= 3 * (int64_t)(end - begin));
	for (int i = 0; i < 3; i++) {
		tprof_g_start(g[i]);
		if (!i) {
			tprof_g_block(TPROF_MUTEX, &mutex);
			usleep(10000);
			tprof_g_start(g[i]);
		}
		tprof_g_end();
	}
	assert_int_equal(charged(slow_unlock), slow);
	assert_int_equal(charged(fast_unlock), fast);
	tprof_set_mutex_fraction(0);
}

static void test_g_many(void **state)
{
	static uint64_t gs[REC_NGS];

	(void)state;
	/* Create more goroutines than there are places, twice. */
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < REC_NGS; i++) {
			gs[i] = tprof_g_create(entry, NULL);
			assert_int_not_equal(gs[i], 0);
			assert_true(!i || gs[i] == gs[i - 1] + 1);
		}
		for (int i = 0; i < REC_NGS; i++) {
			tprof_g_start(gs[i]);
			assert_int_equal(tprof_g_current(), gs[i]);
			tprof_g_end();
		}
	}
	assert_int_equal(tprof_g_current(), 1);
}

static void *other_thread(void *arg)
{
	uint64_t *g = arg;

	g[0] = tprof_g_current();
	tprof_g_start(g[1]);
	g[2] = tprof_g_current();
	tprof_g_block(TPROF_OTHER, NULL);
	return NULL;
}

/* A goroutine that began on one thread continues on another. */
static void test_g_moves(void **state)
{
	uint64_t g[3] = {0};
	pthread_t t;

	(void)state;
	g[1] = tprof_g_create(entry, NULL);
	tprof_g_start(g[1]);
	tprof_g_block(TPROF_OTHER, NULL);
	tprof_g_unblock(g[1]);
	assert_int_equal(tprof_thread_create(&t, NULL, other_thread, g), 0);
	pthread_join(t, NULL);
	assert_true(g[0] > g[1]);
	assert_int_equal(g[2], g[1]);
	assert_null(slot_of(g[0]));
	assert_int_equal(slot_of(g[1])->wait.kind, REC_G_STOP);
	tprof_g_start(g[1]);
	tprof_g_end();
}

static void test_fork_has_nothing(void **state)
{
	uint64_t g = tprof_g_create(entry, NULL);
	int status;
	pid_t pid;

	(void)state;
	tprof_g_start(g);
	tprof_set_heap_rate(1);
	pid = fork();
	if (!pid) {
		struct tprof_mem_record r[8];
		bool fine = !tprof_g_current() && !tprof_mem_profile(r, 8, true, NULL);

		tprof_g_block(TPROF_OTHER, NULL);
		tprof_g_unblock(g);
		/* The child may begin again, with new numbers. */
		fine = fine && tprof_g_create(entry, NULL) == 2 && tprof_g_current() == 1;
		tprof_g_start(2);
		fine = fine && tprof_g_current() == 2;
		tprof_g_end();
		_exit(fine ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(tprof_g_current(), g);
	tprof_g_end();
	tprof_set_heap_rate(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_g_life),
	    cmocka_unit_test(test_g_nothing_to_do),
	    cmocka_unit_test(test_g_labels_inherited),
	    cmocka_unit_test(test_g_block_profile),
	    cmocka_unit_test(test_g_mutex_blame),
	    cmocka_unit_test(test_g_many),
	    cmocka_unit_test(test_g_moves),
	    cmocka_unit_test(test_fork_has_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
