#include "tprof-record/parent/drain.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tprof-record/convert/testing.h"

/* A program's side, as arena.h has it. */
static int begin_chunk(const struct rec_arena *a)
{
	struct rec_header *h = a->header;
	uint64_t head = atomic_load(&h->free_chunks), next;
	uint32_t i;

	while ((uint32_t)head) {
		i = (uint32_t)head - 1;
		next = ((head >> 32) + 1) << 32 | atomic_load(&a->chunks[i].next);
		if (atomic_compare_exchange_weak(&h->free_chunks, &head, next))
			goto found;
	}
	i = atomic_load(&h->chunks.used);
	if (i == REC_NCHUNKS)
		return -1;
	atomic_store(&h->chunks.used, i + 1);
found:
	atomic_store(&a->chunks[i].turn, atomic_fetch_add(&h->turns, 1) + 1);
	return (int)i;
}

struct stripe {
	const struct rec_arena *a;
	int chunk; /* -1 none */
};

/* NULL: no chunk is free. */
static struct rec_event *reserve(struct stripe *s)
{
	for (;;) {
		uint32_t i;

		if (s->chunk < 0)
			s->chunk = begin_chunk(s->a);
		if (s->chunk < 0)
			return NULL;
		i = atomic_fetch_add(&s->a->chunks[s->chunk].reserved, 1);
		if (i < REC_CHUNK_EVENTS)
			return &s->a->chunks[s->chunk].event[i];
		atomic_store(&s->a->chunks[s->chunk].full, 1);
		s->chunk = -1;
	}
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void publish(struct rec_event *e, uint32_t g, uint64_t end)
{
	e->g = g;
	e->end = end;
	atomic_store_explicit(&e->kind, REC_POST, memory_order_release);
}

struct bench {
	struct rec_testing t;
	struct rec_spool spool;
	struct rec_drain drain;
};

static int begin(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	rec_testing_begin(&b->t);
	*state = b;
	assert_int_equal(rec_drain_begin(&b->drain), 0);
	return rec_spool_begin(&b->spool, "/tmp", NULL);
}

static int end(void **state)
{
	struct bench *b = *state;

	rec_spool_end(&b->spool);
	rec_drain_end(&b->drain);
	rec_testing_end(&b->t);
	free(b);
	return 0;
}

static void test_drain_order(void **state)
{
	struct bench *b = *state;
	struct stripe s = {.a = &b->t.process.arena, .chunk = -1};
	const struct rec_event *events;
	uint64_t n = 0;

	/* More than there are chunks, so that they go round; rounds of any length. */
	for (uint64_t round = 0; n < 200000; round++) {
		for (uint64_t i = 0; i < round * 37 % 4096; i++)
			publish(reserve(&s), 1, ++n);
		rec_drain(&b->drain, s.a, &b->spool, n, false);
	}
	rec_drain(&b->drain, s.a, &b->spool, 1, true);
	assert_int_equal(rec_spool_map(&b->spool, &events, NULL), 0);
	assert_int_equal(b->spool.n, n);
	for (uint64_t i = 0; i < n; i++)
		assert_int_equal(events[i].end, i + 1);
	assert_true(s.a->header->chunks.used <= 16);
}

/* What ended after the round began waits for the next: somebody slower may still publish what was
 * before it. */
static void test_drain_until(void **state)
{
	struct bench *b = *state;
	struct stripe s = {.a = &b->t.process.arena, .chunk = -1};
	const struct rec_event *events;

	publish(reserve(&s), 1, 30);
	publish(reserve(&s), 2, 10);
	publish(reserve(&s), 3, 20);
	assert_int_equal(rec_drain(&b->drain, s.a, &b->spool, 20, false), 2);
	assert_int_equal(rec_drain(&b->drain, s.a, &b->spool, 29, false), 0);
	publish(reserve(&s), 4, 25);
	assert_int_equal(rec_drain(&b->drain, s.a, &b->spool, 30, false), 2);
	assert_int_equal(rec_spool_map(&b->spool, &events, NULL), 0);
	assert_int_equal(b->spool.n, 4);
	assert_int_equal(events[0].end, 10);
	assert_int_equal(events[1].end, 20);
	assert_int_equal(events[2].end, 25);
	assert_int_equal(events[3].end, 30);
}

static void test_drain_full(void **state)
{
	struct bench *b = *state;
	struct stripe s = {.a = &b->t.process.arena, .chunk = -1};
	struct rec_event *e;
	uint64_t n = 0;

	while ((e = reserve(&s)))
		publish(e, 1, ++n);
	assert_int_equal(n, (uint64_t)REC_NCHUNKS * REC_CHUNK_EVENTS);
	assert_int_equal(rec_drain(&b->drain, s.a, &b->spool, n, false), n);
	assert_non_null(reserve(&s));
}

/* Reserved and not published: waited for, taken when it comes, given up when it does not. */
static void test_drain_holes(void **state)
{
	struct bench *b = *state;
	struct stripe s = {.a = &b->t.process.arena, .chunk = -1};
	const struct rec_event *events;
	struct rec_event *late, *never;
	uint64_t n = 0;

	late = reserve(&s);
	never = reserve(&s);
	while (n < REC_CHUNK_EVENTS)
		publish(reserve(&s), 1, ++n);
	assert_int_equal(rec_drain(&b->drain, s.a, &b->spool, 1000, false), n);
	assert_int_equal(rec_drain(&b->drain, s.a, &b->spool, 1001, false), 0);
	publish(late, 2, 77);
	assert_int_equal(rec_drain(&b->drain, s.a, &b->spool, 1002, false), 1);
	assert_int_equal((uint32_t)s.a->header->free_chunks, 0);
	rec_drain(&b->drain, s.a, &b->spool, 2000 + REC_DRAIN_PATIENCE, false);
	assert_int_equal((uint32_t)s.a->header->free_chunks, 1);
	assert_int_equal(b->drain.given_up, 1);
	assert_int_equal(never->kind, REC_NOTHING);
	assert_int_equal(rec_spool_map(&b->spool, &events, NULL), 0);
	assert_int_equal(b->spool.n, n + 1);
	assert_int_equal(events[n].end, 77);
	/* At the end nothing is waited for. */
	assert_non_null(reserve(&s));
	rec_drain(&b->drain, s.a, &b->spool, 1003, true);
	assert_int_equal(b->drain.given_up, 2);
}

/* Whatever the arena says of its chunks. */
static void test_drain_hostile(void **state)
{
	struct bench *b = *state;
	const struct rec_arena *a = &b->t.process.arena;
	unsigned seed = 1;

	for (int round = 0; round < 200; round++) {
		a->header->chunks.used = round % 3 ? UINT32_MAX : (uint32_t)rand_r(&seed) % 8;
		a->header->free_chunks = (uint64_t)rand_r(&seed) << 32 | (uint64_t)rand_r(&seed);
		a->header->turns = (uint32_t)rand_r(&seed);
		for (int i = 0; i < 8; i++) {
			struct rec_chunk *c = &a->chunks[rand_r(&seed) % REC_NCHUNKS];

			c->next = (uint32_t)rand_r(&seed);
			c->reserved = (uint32_t)rand_r(&seed) % 2000;
			c->full = (uint32_t)rand_r(&seed) & 1;
			c->turn = (uint32_t)rand_r(&seed);
			for (int k = 0; k < REC_CHUNK_EVENTS; k++)
				c->event[k].kind = (uint16_t)rand_r(&seed);
		}
		rec_drain(&b->drain, a, &b->spool, (uint64_t)round << 30, round == 199);
	}
	assert_true(b->drain.nonsense > 0);
}

/* ---- with threads that write while it is drained ---- */

enum { WRITERS = 4, STRIPES = 2, EACH = 100000 };

static struct {
	const struct rec_arena *a;
	pthread_mutex_t lock[STRIPES];
	struct stripe stripe[STRIPES];
	_Atomic int running;
	_Atomic uint64_t dropped;
} race;

static void *write_many(void *arg)
{
	uint32_t g = (uint32_t)(uintptr_t)arg;

	for (uint64_t i = 1; i <= EACH; i++) {
		/* Now and then to another stripe. */
		unsigned k = (g + (unsigned)(i >> 12)) % STRIPES;
		struct rec_event *e;

		pthread_mutex_lock(&race.lock[k]);
		e = reserve(&race.stripe[k]);
		pthread_mutex_unlock(&race.lock[k]);
		if (e)
			publish(e, g, now());
		else
			race.dropped++;
	}
	race.running--;
	return NULL;
}

static void test_drain_race(void **state)
{
	struct bench *b = *state;
	pthread_t thread[WRITERS];
	const struct rec_event *events;
	uint64_t last[WRITERS + 1] = {0};

	race.a = &b->t.process.arena;
	race.running = WRITERS;
	race.dropped = 0;
	for (int i = 0; i < STRIPES; i++) {
		pthread_mutex_init(&race.lock[i], NULL);
		race.stripe[i] = (struct stripe){.a = race.a, .chunk = -1};
	}
	for (uintptr_t i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, write_many, (void *)(i + 1)), 0);
	while (race.running)
		rec_drain(&b->drain, race.a, &b->spool, now(), false);
	for (int i = 0; i < WRITERS; i++)
		pthread_join(thread[i], NULL);
	rec_drain(&b->drain, race.a, &b->spool, 1, true);
	assert_int_equal(rec_spool_map(&b->spool, &events, NULL), 0);
	assert_int_equal(b->spool.n + race.dropped, (uint64_t)WRITERS * EACH);
	for (size_t i = 0; i < b->spool.n; i++) {
		assert_in_range(events[i].g, 1, WRITERS);
		assert_true(events[i].end >= last[events[i].g]);
		last[events[i].g] = events[i].end;
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
	    TEST(test_drain_order), TEST(test_drain_until),   TEST(test_drain_full),
	    TEST(test_drain_holes), TEST(test_drain_hostile), TEST(test_drain_race),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
