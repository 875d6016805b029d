#include "tprof-record/core/profile/cycle.h"
#include "tprof-record/core/testing.h"

/* What happens, and what is published afterwards: as one finds by hand with Go's comments in
 * runtime/mprof.go (events count toward cycle C+2, NextCycle makes C+1 of C, Flush publishes C,
 * PostSweep publishes C+1). */
struct step {
	char what; /* a: allocation, f: free, n: NextCycle, u: Flush, p: PostSweep */
	unsigned allocs, frees;
};

static void play(uint32_t profiler, const struct step *steps, size_t n)
{
	struct rec_options options = {.heap_rate = 1, .profiler = profiler};
	struct rec_heap_cycle *active;
	uint32_t at;
	size_t i;

	begin_with(&options);
	assert_true(rec_enter());
	at = rec_bucket_of(REC_HEAP_BUCKET, 0, 8);
	rec_leave();
	active = &bucket(at)->u.heap.active;
	for (i = 0; i < n; i++) {
		struct rec_heap_cycle *now = rec_cycle_now(&rec_core->arena, bucket(at));

		switch (steps[i].what) {
		case 'a':
			now->allocs++;
			break;
		case 'f':
			now->frees++;
			break;
		case 'n':
			rec_next_cycle(&rec_core->arena);
			break;
		case 'u':
			rec_flush(&rec_core->arena);
			break;
		case 'p':
			rec_post_sweep(&rec_core->arena);
			break;
		}
		if (active->allocs != steps[i].allocs || active->frees != steps[i].frees)
			fail_msg("step %zu (%c): %u/%u, expected %u/%u", i, steps[i].what,
				 (unsigned)active->allocs, (unsigned)active->frees, steps[i].allocs,
				 steps[i].frees);
	}
}

static void test_cycle_script(void **state)
{
	static const struct step steps[] = {
	    /* clang-format off */
	    {'a', 0, 0}, {'a', 0, 0}, {'f', 0, 0}, /* cycle 0: they are in 2 */
	    {'u', 0, 0},                           /* publishes 0: empty */
	    {'p', 0, 0},                           /* 1: empty */
	    {'n', 0, 0}, {'a', 0, 0},              /* cycle 1: this one is in 3, which is 0 again */
	    {'u', 0, 0},                           /* 1 */
	    {'p', 2, 1},                           /* 2 */
	    {'p', 2, 1},                           /* there is no more of it */
	    {'n', 2, 1}, {'f', 2, 1},              /* cycle 2: into 4 */
	    {'u', 2, 1},                           /* 2: published already */
	    {'n', 2, 1},                           /* cycle 3 */
	    {'u', 3, 1},                           /* 3 */
	    {'u', 3, 1},                           /* flushed already */
	    {'a', 3, 1},                           /* into 5 */
	    {'n', 3, 1}, {'u', 3, 2},              /* cycle 4 */
	    {'n', 3, 2}, {'u', 4, 2},              /* cycle 5 */
	    /* clang-format on */
	};

	(void)state;
	play(126, steps, sizeof(steps) / sizeof(steps[0]));
	play(108, steps, sizeof(steps) / sizeof(steps[0]));
}

/* A snapshot (all three) shows everything up to it. */
static void test_cycle_snapshot(void **state)
{
	static const struct step steps[] = {
	    {'a', 0, 0}, {'n', 0, 0}, {'u', 0, 0}, {'p', 1, 0}, {'f', 1, 0}, {'a', 1, 0},
	    {'n', 1, 0}, {'u', 1, 0}, {'p', 2, 1}, {'n', 2, 1}, {'u', 2, 1}, {'p', 2, 1},
	};

	(void)state;
	play(126, steps, sizeof(steps) / sizeof(steps[0]));
	play(105, steps, sizeof(steps) / sizeof(steps[0]));
}

/* Go 1.5: recent, then prev, then seen. */
static void test_cycle_recent_prev(void **state)
{
	static const struct step steps[] = {
	    {'a', 0, 0}, {'a', 0, 0}, {'f', 0, 0}, {'n', 0, 0}, {'u', 0, 0}, /* recent → prev */
	    {'a', 0, 0}, {'n', 0, 0}, {'u', 2, 1}, {'n', 2, 1}, {'u', 3, 1}, {'p', 3, 1},
	};

	(void)state;
	play(105, steps, sizeof(steps) / sizeof(steps[0]));
}

static void test_cycle_wraps(void **state)
{
	const struct rec_options options = {.heap_rate = 1};
	struct rec_bucket *b;
	uint32_t i;

	(void)state;
	begin_with(&options);
	assert_true(rec_enter());
	b = bucket(rec_bucket_of(REC_HEAP_BUCKET, 0, 8));
	rec_leave();
	/* The last cycle before the wrap, not flushed. */
	header()->heap_cycle = (3 * (2u << 24) - 1) << 1;
	for (i = 1; i <= 6; i++) {
		rec_cycle_now(&rec_core->arena, b)->allocs++;
		rec_next_cycle(&rec_core->arena);
		assert_int_equal((i - 1) << 1, header()->heap_cycle);
		rec_flush(&rec_core->arena);
		assert_int_equal((i - 1) << 1 | 1, header()->heap_cycle);
		rec_post_sweep(&rec_core->arena);
		assert_int_equal(i, b->u.heap.active.allocs);
	}
}

/* Links that go round in a circle end. */
static void test_cycle_broken_links(void **state)
{
	const struct rec_options options = {.heap_rate = 1};
	uint32_t at;

	(void)state;
	begin_with(&options);
	assert_true(rec_enter());
	at = rec_bucket_of(REC_HEAP_BUCKET, 0, 8);
	rec_leave();
	bucket(at)->allnext = at;
	rec_flush(&rec_core->arena);
	bucket(at)->allnext = UINT32_MAX;
	rec_post_sweep(&rec_core->arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_cycle_script, stop),
	    cmocka_unit_test_teardown(test_cycle_snapshot, stop),
	    cmocka_unit_test_teardown(test_cycle_recent_prev, stop),
	    cmocka_unit_test_teardown(test_cycle_wraps, stop),
	    cmocka_unit_test_teardown(test_cycle_broken_links, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
