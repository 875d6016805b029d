#include <pthread.h>

#include "tprof-record/core/testing.h"

static const struct rec_options options = {.trace = 1};

/* Every node is complete, lies behind its parent, and is one deeper; no two are the same. */
static void check_tree(void)
{
	const struct rec_node *nodes = rec_core->arena.nodes;
	uint32_t i, used = header()->nodes.used;

	for (i = 1; i < used; i++) {
		uint32_t parent = nodes[i].parent;

		assert_true(parent < i);
		assert_int_equal(nodes[i].depth, (parent ? nodes[parent].depth : 0) + 1);
		assert_int_equal(i, rec_tree_child(parent, nodes[i].pc, nodes[i].depth));
	}
	assert_int_equal(used, header()->nodes.used);
}

static void test_tree_stacks(void **state)
{
	uint64_t a[] = {3, 2, 1}, b[] = {4, 2, 1}, pcs[8];
	uint32_t s, t;

	(void)state;
	begin_with(&options);
	s = stack_of(a, 3), t = stack_of(b, 3);
	assert_int_not_equal(s, t);
	assert_int_equal(s, stack_of(a, 3));
	assert_int_equal(5, header()->nodes.used);
	assert_int_equal(3, pcs_of(t, pcs, 8));
	assert_memory_equal(b, pcs, sizeof(b));
	assert_int_equal(2, pcs_of(s, pcs, 2));
	assert_int_equal(0, stack_of(a, 0));
	assert_int_equal(0, pcs_of(0, pcs, 8));
	check_tree();
}

/* Full: counted, and what is there stays whole. */
static void test_tree_full(void **state)
{
	uint64_t pcs[8], dice = 1;
	uint32_t i, k, failed = 0;

	(void)state;
	begin_with(&options);
	for (i = 0; i < 80000; i++) {
		for (k = 0; k < 8; k++)
			pcs[k] = (dice = dice * 6364136223846793005u + 1) >> 40;
		failed += !stack_of(pcs, 8);
	}
	assert_int_equal(failed, lost(REC_LOST_STACKS));
	assert_in_range(failed, 80000 - REC_NNODES(0) / 7, 80000);
	assert_int_equal(REC_NNODES(0), header()->nodes.used);
	check_tree();
}

/* Recordings of every block have larger tables. */
static void test_tree_large(void **state)
{
	const struct rec_options all = {.heap_rate = 1};
	uint64_t pcs[2];

	(void)state;
	begin_with(&all);
	for (pcs[1] = 1; pcs[1] <= 1000; pcs[1]++)
		for (pcs[0] = 1; pcs[0] <= 600; pcs[0]++)
			stack_of(pcs, 2);
	assert_int_equal(0, lost(REC_LOST_STACKS));
	assert_int_equal(1 + 1000 + 600000, header()->nodes.used);
	check_tree();
}

enum { STACKS = 3000, THREADS = 4 };

static uint32_t result[THREADS][STACKS];

static void *add_all(void *arg)
{
	uint32_t *mine = arg, i, k;

	for (k = 0; k < 3; k++)
		for (i = 0; i < STACKS; i++) {
			uint64_t pcs[] = {i, i / 3, i / 9, i / 27, i / 81, 1};

			mine[i] = stack_of(pcs, 6);
		}
	rec_thread_end();
	return NULL;
}

static void test_tree_at_once(void **state)
{
	pthread_t thread[THREADS];
	size_t i;

	(void)state;
	begin_with(&options);
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, add_all, result[i]);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (i = 1; i < THREADS; i++)
		assert_memory_equal(result[0], result[i], sizeof(result[0]));
	for (i = 0; i < STACKS; i++)
		assert_int_not_equal(0, result[0][i]);
	check_tree();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_tree_stacks, stop),
	    cmocka_unit_test_teardown(test_tree_full, stop),
	    cmocka_unit_test_teardown(test_tree_large, stop),
	    cmocka_unit_test_teardown(test_tree_at_once, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
