#include <pthread.h>
#include <time.h>

#include "base/testing_rounds.h"
#include "tprof-record/core/testing.h"

static const struct rec_options with_trace = {.trace = 1, .seed = 3};

static void write_log(uint64_t object)
{
	struct rec_event event = {
	    .kind = REC_LOG, .object = object, .start = object, .end = object};

	rec_write(&event);
}

static void test_write_fills_in_who(void **state)
{
	struct rec_event event = {.kind = REC_LOG,
				  .flags = 3,
				  .stack = 4,
				  .start = 5,
				  .end = 6,
				  .object = 7,
				  .arg = 8,
				  .cpu = 9};
	const struct rec_event *e;

	(void)state;
	begin_with(&with_trace);
	rec_write(&event);
	event.g = 11, event.m = 12;
	rec_write(&event);
	e = event_at(REC_LOG, 0);
	assert_int_equal(1, e->g);
	assert_int_equal(1, e->m);
	assert_int_equal(3, e->flags);
	assert_int_equal(4, e->stack);
	assert_true(e->start == 5 && e->end == 6 && e->object == 7);
	assert_int_equal(8, e->arg);
	assert_int_equal(9, e->cpu);
	e = event_at(REC_LOG, 1);
	assert_int_equal(11, e->g);
	assert_int_equal(12, e->m);
}

static void test_write_only_while_tracing(void **state)
{
	struct rec_event event = {.kind = REC_TRACE_STOP};

	(void)state;
	begin_with(&with_trace);
	write_log(1);
	header()->options.trace = 0;
	write_log(2);
	rec_write(&event);
	event.kind = REC_PROCESS_EXIT;
	rec_write(&event);
	assert_int_equal(1, count_events(REC_LOG));
	assert_int_equal(1, count_events(REC_TRACE_STOP));
	assert_int_equal(1, count_events(REC_PROCESS_EXIT));
}

/* What a signal handler does in the middle of the core is dropped. */
static void test_write_not_reentered(void **state)
{
	(void)state;
	begin_with(&with_trace);
	assert_true(rec_enter());
	write_log(1);
	assert_false(rec_enter());
	rec_leave();
	write_log(2);
	assert_int_equal(1, count_events(REC_LOG));
}

/* Full: what does not fit is counted; what is given back is used again; the bell was rung. */
static void test_write_until_full(void **state)
{
	uint32_t i, room, bell;

	(void)state;
	begin_with(&with_trace);
	bell = header()->doorbell;
	/* One is the thread's start. */
	for (i = 0; i < REC_NCHUNKS * REC_CHUNK_EVENTS - 1; i++)
		write_log(i);
	assert_int_equal(0, lost(REC_LOST_EVENTS));
	write_log(i++);
	assert_int_equal(1, lost(REC_LOST_EVENTS));
	room = count_events(REC_LOG);
	assert_int_equal(room, i - 1);
	assert_int_equal(REC_NCHUNKS * REC_CHUNK_EVENTS - 1, room);
	assert_true(header()->doorbell >= bell + REC_NCHUNKS / 16);
	assert_int_equal(REC_NCHUNKS, header()->chunks.used);
	for (i = 0; i < 99; i++)
		write_log(i);
	assert_int_equal(100, lost(REC_LOST_EVENTS));
	for (i = 0; i < 2; i++) {
		assert_int_equal(1, rec_core->arena.chunks[i].full);
		rec_chunk_give(&rec_core->arena, i);
	}
	for (i = 0; i < 2 * REC_CHUNK_EVENTS; i++)
		write_log(i);
	assert_int_equal(100, lost(REC_LOST_EVENTS));
	write_log(i);
	assert_int_equal(101, lost(REC_LOST_EVENTS));
	/* They were begun later than all others. */
	assert_true(rec_core->arena.chunks[0].turn >= REC_NCHUNKS);
}

/* ---- many writers and one who drains ---- */

enum { WRITERS = 4, EACH = TP_ROUNDS(200000) };

static _Atomic bool over;
static uint64_t seen[WRITERS + 1], sum[WRITERS + 1], others;

static void *write_many(void *arg)
{
	uint64_t i, me = (uint64_t)(uintptr_t)arg;

	for (i = 1; i <= EACH; i++)
		write_log(me << 32 | i);
	rec_thread_end();
	return NULL;
}

static void take(const struct rec_event *e)
{
	assert_int_equal(REC_LOG, e->kind);
	assert_true(e->start == e->object && e->end == e->object);
	assert_in_range(e->object >> 32, 1, WRITERS);
	seen[e->object >> 32]++;
	sum[e->object >> 32] += (uint32_t)e->object;
}

static void drain(bool all)
{
	struct rec_arena *a = &rec_core->arena;
	uint32_t c, i;

	for (c = 0; c < atomic_load(&a->header->chunks.used); c++) {
		struct rec_chunk *k = &a->chunks[c];

		if (!all && !atomic_load(&k->full))
			continue;
		for (i = 0; i < REC_CHUNK_EVENTS; i++)
			if (!atomic_load_explicit(&k->event[i].kind, memory_order_acquire))
				break;
		if (!all && i < REC_CHUNK_EVENTS)
			continue;
		for (i = 0; i < REC_CHUNK_EVENTS; i++) {
			uint16_t kind =
			    atomic_load_explicit(&k->event[i].kind, memory_order_acquire);

			if (kind == REC_LOG)
				take(&k->event[i]);
			else
				others += kind != 0;
		}
		rec_chunk_give(a, c);
	}
}

static void *drain_on(void *arg)
{
	const struct timespec nap = {.tv_nsec = 100000};

	while (!atomic_load(&over)) {
		drain(false);
		nanosleep(&nap, NULL);
	}
	return arg;
}

static void test_write_and_drain(void **state)
{
	pthread_t writer[WRITERS], drainer;
	uint64_t total = 0, i;

	(void)state;
	begin_with(&with_trace);
	memset(seen, 0, sizeof(seen));
	memset(sum, 0, sizeof(sum));
	over = false;
	others = 0;
	assert_int_equal(0, pthread_create(&drainer, NULL, drain_on, NULL));
	for (i = 0; i < WRITERS; i++)
		assert_int_equal(
		    0, pthread_create(&writer[i], NULL, write_many, (void *)(uintptr_t)(i + 1)));
	for (i = 0; i < WRITERS; i++)
		pthread_join(writer[i], NULL);
	over = true;
	pthread_join(drainer, NULL);
	drain(true);
	for (i = 1; i <= WRITERS; i++) {
		total += seen[i];
		/* No record twice: none that was lost makes up for it. */
		if (seen[i] == EACH)
			assert_true(sum[i] == (uint64_t)EACH * (EACH + 1) / 2);
	}
	/* The start and end of each thread, and what it used; of the first one the start. The drainer is no
	 * thread of ours. */
	assert_true(total + others + lost(REC_LOST_EVENTS) == (uint64_t)WRITERS * (EACH + 3) + 1);
	assert_true(total > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_write_fills_in_who, stop),
	    cmocka_unit_test_teardown(test_write_only_while_tracing, stop),
	    cmocka_unit_test_teardown(test_write_not_reentered, stop),
	    cmocka_unit_test_teardown(test_write_until_full, stop),
	    cmocka_unit_test_teardown(test_write_and_drain, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
