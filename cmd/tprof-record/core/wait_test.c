#include <math.h>
#include <pthread.h>
#include <time.h>

#include "tprof-record/core/testing.h"

static const struct rec_options options = {.trace = 1, .block_rate = 1, .mutex_fraction = 1};
static int object;

static struct rec_event wait_for(enum rec_reason reason)
{
	return (struct rec_event){
	    .kind = REC_BLOCK, .object = (uint64_t)(uintptr_t)&object, .arg = reason};
}

static void nap(void)
{
	const struct timespec ms = {.tv_nsec = 1000000};

	nanosleep(&ms, NULL);
}

static void test_wait_whole(void **state)
{
	struct rec_event wait = wait_for(REC_ON_MUTEX);
	const struct rec_event *e;
	const struct rec_bucket *b;
	uint32_t stack;

	(void)state;
	begin_with(&options);
	assert_false(rec_waited_for(&object));
	rec_wait_begin(&wait, 0);
	assert_true(rec_waited_for(&object));
	assert_int_equal(REC_BLOCK, rec_self.slot->wait.kind);
	assert_int_equal(0, rec_self.slot->seq % 2);
	assert_true(rec_self.slot->wait.object == wait.object && !rec_self.slot->wait.end);
	assert_int_equal(1, rec_self.slot->wait.g);
	assert_int_not_equal(0, rec_self.slot->wait.stack);
	nap();
	rec_post(&object, 1, 0);
	rec_wait_end(&wait, REC_TIMED_OUT);
	assert_false(rec_waited_for(&object));
	assert_int_equal(REC_NOTHING, rec_self.slot->wait.kind);

	e = event_at(REC_BLOCK, 0);
	assert_int_equal(REC_TIMED_OUT, e->flags);
	assert_int_equal(REC_ON_MUTEX, e->arg);
	assert_true(e->end - e->start >= 1000000);
	stack = event_at(REC_POST, 0)->stack;
	assert_true(event_at(REC_POST, 0)->start <= e->end);
	assert_int_equal(1, event_at(REC_POST, 0)->arg);
	assert_int_not_equal(stack, e->stack);

	/* The profiles follow: the waiter's stack, and that of who posted. */
	assert_int_equal(0, header()->buckets.used);
	rec_settle();
	b = bucket_with(REC_BLOCK_BUCKET, e->stack);
	assert_true(count_of(b) == 1 && b->u.block.cycles == (int64_t)(e->end - e->start));
	b = bucket_with(REC_MUTEX_BUCKET, stack);
	assert_true(count_of(b) == 1 && b->u.block.cycles == (int64_t)(e->end - e->start));
	assert_true(event_at(REC_POST, 0)->start > e->start);
	rec_settle();
	assert_int_equal(2, header()->buckets.used);
}

static void test_wait_did_not(void **state)
{
	struct rec_event wait = wait_for(REC_ON_MUTEX);

	(void)state;
	begin_with(&options);
	rec_wait_begin(&wait, 0);
	rec_wait_end(&wait, REC_DID_NOT_WAIT);
	rec_settle();
	assert_false(rec_waited_for(&object));
	assert_int_equal(REC_NOTHING, rec_self.slot->wait.kind);
	assert_int_equal(0, count_events(REC_BLOCK));
	assert_int_equal(0, header()->buckets.used);
	/* An end without a beginning is nothing. */
	rec_wait_end(&wait, 0);
	assert_false(rec_waited_for(&object));
}

/* What is profiled: waiting for others; whose is the blame: locks only. */
static void test_wait_reasons(void **state)
{
	static const struct {
		enum rec_reason reason;
		bool block, mutex;
	} cases[] = {
	    {REC_ON_MUTEX, true, true},	     {REC_ON_RWLOCK_R, true, true},
	    {REC_ON_RWLOCK_W, true, true},   {REC_ON_COND, true, false},
	    {REC_ON_SEMAPHORE, true, false}, {REC_ON_FUTEX, true, false},
	    {REC_ON_JOIN, true, false},	     {REC_ON_SLEEP, false, false},
	    {REC_ON_NETWORK, false, false},  {REC_ON_POLL, false, false},
	    {REC_ON_CHILD, false, false},    {REC_ON_SIGNAL, false, false},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rec_event wait = wait_for(cases[i].reason);

		begin_with(&options);
		rec_wait_begin(&wait, 0);
		rec_post(&object, 1, 0);
		rec_wait_end(&wait, 0);
		rec_settle();
		assert_int_equal(cases[i].block, header()->newest[REC_BLOCK_BUCKET] != 0);
		assert_int_equal(cases[i].mutex, header()->newest[REC_MUTEX_BUCKET] != 0);
		assert_int_equal(1, count_events(REC_BLOCK));
	}
}

static void test_wait_syscall(void **state)
{
	struct rec_options o = {.trace = 1, .block_rate = 1, .syscall_ns = INT64_MAX};
	struct rec_event call = {.kind = REC_SYSCALL, .object = 5, .arg = REC_CALL_READ};

	(void)state;
	begin_with(&o);
	rec_wait_begin(&call, 0);
	assert_false(rec_waited_for((void *)5));
	assert_int_equal(REC_SYSCALL, rec_self.slot->wait.kind);
	rec_wait_end(&call, 0);
	assert_int_equal(0, count_events(REC_SYSCALL));
	/* Shorter than a nap, which takes at least the time that it was asked for. */
	o.syscall_ns = 500000;
	begin_with(&o);
	rec_wait_begin(&call, 0);
	nap();
	rec_wait_end(&call, REC_SYSCALL_BLOCKED);
	assert_int_equal(1, count_events(REC_SYSCALL));
	assert_int_equal(REC_SYSCALL_BLOCKED, event_at(REC_SYSCALL, 0)->flags);
	rec_settle();
	assert_int_equal(0, header()->buckets.used);
}

/* A signal handler waits while the thread waits: then that is what the thread waits for again. */
static void test_wait_nested(void **state)
{
	struct rec_event outer = wait_for(REC_ON_COND);
	struct rec_event inner = {.kind = REC_SYSCALL, .object = 1, .arg = REC_CALL_WRITE};
	/* The handler's frame lies below. */
	struct rec_event *low = &outer < &inner ? &outer : &inner;
	struct rec_event *high = &outer < &inner ? &inner : &outer;

	(void)state;
	begin_with(&options);
	rec_wait_begin(high, 0);
	rec_wait_begin(low, 0);
	assert_int_equal(low->kind, rec_self.slot->wait.kind);
	rec_wait_end(low, 0);
	assert_int_equal(high->kind, rec_self.slot->wait.kind);
	assert_true(rec_self.slot->wait.start == high->start);
	rec_wait_end(high, 0);
	assert_int_equal(REC_NOTHING, rec_self.slot->wait.kind);
	assert_false(rec_waited_for(&object));
	assert_int_equal(1, count_events(REC_BLOCK));
	assert_int_equal(1, count_events(REC_SYSCALL));
}

ALONE static void wait_and_never_return(void)
{
	struct rec_event wait = wait_for(REC_ON_MUTEX);

	rec_wait_begin(&wait, 0);
}

/* Left by longjmp: over when the thread waits the next time, or ends. */
static void test_wait_abandoned(void **state)
{
	struct rec_event next = {.kind = REC_SYSCALL, .object = 1, .arg = REC_CALL_WRITE};

	(void)state;
	begin_with(&options);
	wait_and_never_return();
	assert_true(rec_waited_for(&object));
	rec_wait_begin(&next, 0);
	assert_false(rec_waited_for(&object));
	assert_int_equal(1, count_events(REC_BLOCK));
	assert_int_equal(REC_SYSCALL, rec_self.slot->wait.kind);
	rec_wait_end(&next, 0);
	assert_int_equal(REC_NOTHING, rec_self.slot->wait.kind);
	assert_int_equal(0, rec_self.nopen);
	wait_and_never_return();
	rec_thread_end();
	assert_false(rec_waited_for(&object));
	assert_int_equal(2, count_events(REC_BLOCK));
	assert_int_equal(1, count_events(REC_THREAD_END));
	assert_int_equal(0, rec_core->arena.gs[0].id);
}

/* ---- whose fault it is ---- */

ALONE static void slow_unlock(void)
{
	rec_post(&object, 1, 0);
	object++; /* that is no tail call */
}

ALONE static void fast_unlock(void)
{
	rec_post(&object, 1, 0);
	object++; /* that is no tail call */
}

static double charged(const char *which, double *count)
{
	uint64_t from = (uint64_t)(uintptr_t)(which[0] == 's' ? slow_unlock : fast_unlock), pc = 0;
	double ns = 0;
	uint32_t at;

	*count = 0;
	for (at = header()->newest[REC_MUTEX_BUCKET]; at; at = bucket(at)->allnext) {
		pcs_of(bucket(at)->stack, &pc, 1);
		if (pc - from < 64) {
			ns += (double)bucket(at)->u.block.cycles;
			*count += count_of(bucket(at));
		}
	}
	return ns;
}

/* One that holds the lock for long, and then those who waited for it, for a moment each: it is the
 * first one's fault, and every ns is somebody's. */
static void test_wait_blames_the_holder(void **state)
{
	struct rec_event wait[3];
	double slow, fast, slow_count, fast_count, all = 0, held = 0, later = 0;
	uint64_t slow_at;
	int i, k;

	(void)state;
	begin_with(&options);
	/* In one thread, as if they were handlers in handlers: each lies below the one before. */
	for (i = 2; i >= 0; i--) {
		wait[i] = wait_for(REC_ON_MUTEX);
		rec_wait_begin(&wait[i], 0);
	}
	for (k = 0; k < 40; k++)
		nap();
	slow_unlock();
	slow_at = event_at(REC_POST, 0)->start;
	for (i = 0; i < 3; i++) {
		rec_wait_end(&wait[i], 0);
		all += (double)(wait[i].end - wait[i].start);
		held += (double)(slow_at - wait[i].start);
		later += (double)(wait[i].end - slow_at);
		if (i == 2)
			break;
		nap();
		fast_unlock();
	}
	rec_settle();
	slow = charged("slow", &slow_count), fast = charged("fast", &fast_count);
	assert_true(slow + fast == all);
	assert_true(slow >= 3 * 40e6);
	assert_true(fast >= 3e6);
	/* However long this thread was kept from running, and where. */
	assert_true(slow >= held);
	assert_true(fast <= later);
	assert_true(slow_count == 1 && fast_count == 2);
}

/* ---- many threads at one lock, used as core.h recommends ---- */

enum { THREADS = 4, ROUNDS = 20000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t work;
static _Atomic uint64_t waited, waits;

static void lock(void)
{
	struct rec_event wait = {
	    .kind = REC_BLOCK, .object = (uint64_t)(uintptr_t)&mutex, .arg = REC_ON_MUTEX};

	if (!pthread_mutex_trylock(&mutex))
		return;
	rec_wait_begin(&wait, 0);
	if (!pthread_mutex_trylock(&mutex)) {
		rec_wait_end(&wait, REC_DID_NOT_WAIT);
		return;
	}
	pthread_mutex_lock(&mutex);
	rec_wait_end(&wait, 0);
	waits++;
	waited += wait.end - wait.start;
}

static void unlock(void)
{
	if (rec_waited_for(&mutex))
		rec_post(&mutex, 1, 0);
	pthread_mutex_unlock(&mutex);
	rec_settle();
}

static void *hammer(void *arg)
{
	uint32_t i, k;

	for (i = 0; i < ROUNDS; i++) {
		lock();
		for (k = 0; k < 20; k++)
			work += k;
		unlock();
	}
	rec_thread_end();
	return arg;
}

static _Atomic bool over;
static uint64_t torn;

/* As the recorder looks at what threads are waiting for. */
static void *watch(void *arg)
{
	while (!over) {
		const struct rec_g *g;
		uint32_t i, seq;
		struct rec_event e;

		for (i = 0; i < header()->gs.used; i++) {
			g = &rec_core->arena.gs[i];
			seq = atomic_load_explicit(&g->seq, memory_order_acquire);
			if (seq % 2)
				continue;
			e.kind = atomic_load_explicit(&g->wait.kind, memory_order_relaxed);
			e.g = __atomic_load_n(&g->wait.g, __ATOMIC_RELAXED);
			e.object = __atomic_load_n(&g->wait.object, __ATOMIC_RELAXED);
			e.start = __atomic_load_n(&g->wait.start, __ATOMIC_RELAXED);
			atomic_thread_fence(memory_order_acquire);
			if (!e.kind || seq != atomic_load_explicit(&g->seq, memory_order_relaxed))
				continue;
			if (e.kind != REC_BLOCK || !e.g || !e.start ||
			    e.object != (uint64_t)(uintptr_t)&mutex)
				torn++;
		}
	}
	return arg;
}

/* What the program announces, and a hook posts after it, is posted once. */
static void test_wait_announced(void **state)
{
	struct rec_event wait = wait_for(REC_ON_COND);

	(void)state;
	begin_with(&options);
	rec_announce(&object, 1, 0);
	rec_post(&object, 1, 0);
	assert_int_equal(1, count_events(REC_POST));
	rec_post(&object, 1, 0);
	assert_int_equal(2, count_events(REC_POST));
	rec_announce(&object, 1, 0);
	rec_announce(&object, 1, 0);
	assert_int_equal(4, count_events(REC_POST));
	/* Another object; and the release did not follow before the next wait. */
	rec_post(&wait, 1, 0);
	assert_int_equal(5, count_events(REC_POST));
	rec_wait_begin(&wait, 0);
	rec_wait_end(&wait, 0);
	rec_post(&object, 1, 0);
	assert_int_equal(6, count_events(REC_POST));
}

static void test_depth_of_profilers(void **state)
{
	static const struct rec_options cases[] = {
	    {0}, {.profiler = 118}, {.profiler = 105, .depth = 50}};
	static const uint32_t depth[] = {128, 32, 50};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		begin_with(&cases[i]);
		assert_int_equal(depth[i], header()->options.depth);
		stop(NULL);
	}
	begin_with(&options);
}

static void test_wait_at_once(void **state)
{
	pthread_t thread[THREADS], watcher;
	double count = 0;
	int64_t ns = 0;
	uint32_t at;
	size_t i;

	(void)state;
	begin_with(&options);
	waits = waited = 0;
	over = false;
	pthread_create(&watcher, NULL, watch, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, hammer, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	over = true;
	pthread_join(watcher, NULL);
	assert_int_equal(0, torn);
	assert_false(rec_waited_for(&mutex));
	assert_true(work == (uint64_t)THREADS * ROUNDS * 190);
	for (at = header()->newest[REC_BLOCK_BUCKET]; at; at = bucket(at)->allnext) {
		count += count_of(bucket(at));
		ns += bucket(at)->u.block.cycles;
	}
	assert_true(count == (double)waits);
	assert_true(ns == (int64_t)waited);
	/* Charges add up to waits, but for the few whose unlock came too early to be a post. */
	for (at = header()->newest[REC_MUTEX_BUCKET], ns = 0; at; at = bucket(at)->allnext)
		if (rec_core->arena.nodes[bucket(at)->stack].depth > 1)
			ns += bucket(at)->u.block.cycles;
	assert_true(fabs((double)ns - (double)waited) < 0.05 * (double)waited + 1e6);
	if (!lost(REC_LOST_EVENTS))
		assert_int_equal(waits, count_events(REC_BLOCK));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_wait_whole, stop),
	    cmocka_unit_test_teardown(test_wait_did_not, stop),
	    cmocka_unit_test_teardown(test_wait_reasons, stop),
	    cmocka_unit_test_teardown(test_wait_syscall, stop),
	    cmocka_unit_test_teardown(test_wait_nested, stop),
	    cmocka_unit_test_teardown(test_wait_abandoned, stop),
	    cmocka_unit_test_teardown(test_wait_blames_the_holder, stop),
	    cmocka_unit_test_teardown(test_wait_announced, stop),
	    cmocka_unit_test_teardown(test_depth_of_profilers, stop),
	    cmocka_unit_test_teardown(test_wait_at_once, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
