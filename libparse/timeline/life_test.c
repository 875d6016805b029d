#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "timeline/parts.h"

static uint8_t known[8];

static uint8_t *known_of(struct tp_timeline *t, uint32_t n)
{
	uint8_t *bits = calloc(1, sizeof(known));

	(void)t;
	assert_true(n <= 64);
	for (size_t i = 0; bits && i < sizeof(known); i++)
		bits[i] = known[i];
	return bits;
}

static void find(struct tp_lives *lives, const uint64_t *id, uint32_t n, uint8_t bits)
{
	struct tp_err err;

	known[0] = bits;
	assert_int_equal(tp_lives_find(lives, id, n, known_of, NULL, &err), 0);
}

static void check(const struct tp_life *l, uint32_t g, uint32_t life, int64_t id)
{
	assert_int_equal(l->g, g);
	assert_int_equal(l->life, life);
	assert_int_equal(l->id, id);
}

static void test_lives_of_most_runs(void **state)
{
	const uint64_t near[] = {5, 1, 7, 3}, far[] = {5, (uint64_t)1 << 60, 7};
	struct tp_lives lives;

	(void)state;
	find(&lives, near, 4, 0xff);
	assert_int_equal(lives.n, 0);
	tp_lives_release(&lives);
	find(&lives, far, 3, 0xff);
	assert_int_equal(lives.n, 0);
	tp_lives_release(&lives);
	find(&lives, NULL, 0, 0);
	assert_int_equal(lives.n, 0);
	tp_lives_release(&lives);
}

static void test_lives_are_numbered(void **state)
{
	/* The number -2 is taken: in a damaged trace it is an id. */
	const uint64_t id[] = {17, 1, 17, 40, (uint64_t)-2, 17, 40};
	struct tp_lives lives;

	(void)state;
	find(&lives, id, 7, 0xff);
	assert_int_equal(lives.n, 5);
	check(&lives.of[0], 0, 1, -1);
	check(&lives.of[1], 2, 2, -3);
	check(&lives.of[2], 3, 1, -4);
	check(&lives.of[3], 5, 3, 17);
	check(&lives.of[4], 6, 2, 40);
	tp_lives_release(&lives);
}

/* A sample referred to it long after its end; that life has no events. */
static void test_lives_without_events_are_not_last(void **state)
{
	const uint64_t id[] = {17, 17, 17};
	struct tp_lives lives;

	(void)state;
	find(&lives, id, 3, 1 | 2);
	check(&lives.of[0], 0, 1, -1);
	check(&lives.of[1], 1, 2, 17);
	check(&lives.of[2], 2, 3, -2);
	tp_lives_release(&lives);
	find(&lives, id, 3, 0);
	check(&lives.of[2], 2, 3, 17);
	tp_lives_release(&lives);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lives_of_most_runs),
	    cmocka_unit_test(test_lives_are_numbered),
	    cmocka_unit_test(test_lives_without_events_are_not_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
