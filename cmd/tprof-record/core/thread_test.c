#include <pthread.h>
#include <sys/prctl.h>

#include "tprof-record/core/testing.h"

static const struct rec_options options = {.trace = 1, .threadcreate = 1};

static const struct rec_g *g_with(uint32_t id)
{
	uint32_t i;

	for (i = 0; i < header()->gs.used; i++)
		if (atomic_load(&rec_core->arena.gs[i].id) == id)
			return &rec_core->arena.gs[i];
	return NULL;
}

struct child {
	uint32_t g;
	struct rec_g place; /* as it was */
};

static void *run(void *arg)
{
	struct child *c = arg;
	const struct rec_g *g;

	rec_thread_begin(c->g, 0x1234);
	rec_thread_name("worker-with-a-very-long-name");
	g = g_with(rec_self.g);
	if (g)
		memcpy(&c->place, g, sizeof(c->place));
	c->g = rec_self.g;
	rec_thread_end();
	/* Destructors that follow. */
	rec_thread_begin(0, 0);
	rec_stack(0);
	return NULL;
}

static void test_thread_life(void **state)
{
	struct child c = {0};
	struct rec_event *e;
	pthread_t thread;

	(void)state;
	begin_with(&options);
	c.g = rec_thread_new(0x1234);
	assert_int_equal(2, c.g);
	assert_int_equal(0, pthread_create(&thread, NULL, run, &c));
	pthread_join(thread, NULL);
	assert_int_equal(2, c.g);
	assert_int_equal(0x1234, c.place.entry);
	assert_int_equal(1, c.place.creator);
	assert_int_not_equal(0, c.place.create_stack);
	assert_string_equal("worker-with-a-v", c.place.name);
	assert_null(g_with(2));

	e = event_at(REC_THREAD_NEW, 0);
	assert_int_equal(1, e->g);
	assert_int_equal(2, e->arg);
	assert_int_equal(c.place.create_stack, e->stack);
	e = event_at(REC_THREAD_START, 1);
	assert_int_equal(2, e->g);
	assert_int_equal(c.place.tid, e->object);
	e = event_at(REC_THREAD_NAME, 0);
	assert_string_equal("worker-with-a-very-long-name", rec_core->arena.strings + e->arg);
	assert_int_equal(2, event_at(REC_THREAD_END, 0)->g);
	assert_null(event_at(REC_THREAD_START, 2));
	assert_true(count_of(bucket_with(REC_CREATE_BUCKET, c.place.create_stack)) == 1);
}

static void test_thread_not_ours(void **state)
{
	struct child c = {0};
	pthread_t thread;

	(void)state;
	begin_with(&options);
	assert_int_equal(0, pthread_create(&thread, NULL, run, &c));
	pthread_join(thread, NULL);
	assert_int_equal(2, c.g);
	assert_int_equal(0, c.place.creator);
	assert_int_equal(0, count_events(REC_THREAD_NEW));
	assert_int_equal(2, count_events(REC_THREAD_START));
}

/* Places are used again, and the places of many threads at a time are all different. */
static void test_thread_places(void **state)
{
	static struct rec_g *taken[REC_NGS];
	uint32_t i, round;

	(void)state;
	begin_with(&options);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < REC_NGS - 1; i++) {
			taken[i] = rec_g_take(i + 2);
			assert_non_null(taken[i]);
			assert_int_equal(0, taken[i]->tid);
			taken[i]->tid = 5;
		}
		assert_null(rec_g_take(99999));
		assert_int_equal(round + 1, lost(REC_LOST_WAITS));
		for (i = 0; i < REC_NGS - 1; i++)
			assert_int_equal(i + 2, taken[i]->id);
		for (i = 0; i < REC_NGS - 1; i++)
			rec_g_leave(taken[i]);
	}
	assert_int_equal(REC_NGS, header()->gs.used);
}

static _Atomic uint32_t twice;

static void *take_and_leave(void *arg)
{
	uint32_t i, me = (uint32_t)(uintptr_t)arg;

	for (i = 0; i < 100000; i++) {
		struct rec_g *g = rec_g_take(me), *h = rec_g_take(me);

		g->tid = h->tid = me;
		if (g == h || g->id != me || h->id != me || g->tid != me || h->tid != me)
			twice++;
		rec_g_leave(g);
		rec_g_leave(h);
	}
	return NULL;
}

static void test_thread_places_at_once(void **state)
{
	pthread_t thread[4];
	size_t i;

	(void)state;
	begin_with(&options);
	twice = 0;
	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, take_and_leave, (void *)(i + 10));
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(0, twice);
	assert_in_range(header()->gs.used, 3, 9);
}

static void *short_life(void *arg)
{
	rec_thread_begin((uint32_t)(uintptr_t)arg, 1);
	rec_stack(0);
	return rec_thread_end(), NULL;
}

/* Thousands of short threads leave nothing behind but their records. */
static void test_thread_many(void **state)
{
	uint32_t i, k, used = 0;
	pthread_t thread[8];

	(void)state;
	begin_with(&options);
	for (i = 0; i < 5500; i += 8) {
		for (k = 0; k < 8; k++)
			assert_int_equal(0, pthread_create(&thread[k], NULL, short_life,
							   (void *)(uintptr_t)rec_thread_new(1)));
		for (k = 0; k < 8; k++)
			pthread_join(thread[k], NULL);
		if (i == 800)
			used = header()->nodes.used;
	}
	/* One may have come: that of the recorder's own contention. */
	assert_in_range(header()->nodes.used, used, used + 1);
	assert_in_range(header()->gs.used, 2, 9);
	assert_in_range(rec_state()->ncaches, REC_NCOMMON + 1, REC_NCOMMON + 10);
	assert_int_equal(count_events(REC_THREAD_START), count_events(REC_THREAD_END) + 1);
}

static pthread_barrier_t barrier;
static _Atomic uint32_t without_stack;

static void *meet_others(void *arg)
{
	uint32_t i;

	pthread_barrier_wait(&barrier);
	rec_stack(0);
	pthread_barrier_wait(&barrier);
	for (i = 0; i < 50; i++)
		without_stack += !rec_stack(0);
	pthread_barrier_wait(&barrier);
	rec_thread_end();
	return arg;
}

/* More at a time than have caches of their own. */
static void test_thread_crowd(void **state)
{
	enum { CROWD = REC_NCACHES + 50 };
	static pthread_t thread[CROWD];
	pthread_attr_t attr;
	uint32_t i;

	(void)state;
	begin_with(&options);
	without_stack = 0;
	pthread_barrier_init(&barrier, NULL, CROWD);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (i = 0; i < CROWD; i++)
		assert_int_equal(0, pthread_create(&thread[i], &attr, meet_others, NULL));
	for (i = 0; i < CROWD; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(REC_NCACHES, rec_state()->ncaches);
	assert_int_equal(0, without_stack);
	assert_int_equal(0, lost(REC_LOST_STACKS));
	/* All of them were at the same places. */
	assert_in_range(header()->nodes.used, 4, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_thread_life, stop),
	    cmocka_unit_test_teardown(test_thread_not_ours, stop),
	    cmocka_unit_test_teardown(test_thread_places, stop),
	    cmocka_unit_test_teardown(test_thread_places_at_once, stop),
	    cmocka_unit_test_teardown(test_thread_many, stop),
	    cmocka_unit_test_teardown(test_thread_crowd, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
