#include "decode/profile/paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

static struct tp_dict *dict_with(uint32_t frames)
{
	struct tp_dict *d = tp_dict_new();

	for (uint32_t i = 1; i <= frames; i++) {
		struct tp_frame f = {.line = i};
		uint32_t id;

		assert_int_equal(tp_dict_frame(d, &f, &id), 0);
		assert_int_equal(id, i);
	}
	return d;
}

static void add(struct tp_paths *p, const uint32_t *frame, size_t n)
{
	assert_int_equal(tp_paths_room(p, n), 0);
	for (size_t i = 0; i < n; i++)
		p->frame[p->nframes++] = frame[i];
	assert_int_equal(tp_paths_end(p), 0);
}

/* Every path leads to a node with its frames, no two nodes are the same, and parents are smaller.
 */
static void check(const struct tp_paths *p, struct tp_dict *d)
{
	uint32_t *stack = calloc(p->n + 1, sizeof(*stack)), stacks;
	struct tp_dict *other = dict_with(tp_dict_frames(d) - 1);

	assert_non_null(stack);
	assert_int_equal(tp_paths_put(p, d, stack), 0);
	for (size_t i = 0; i < p->n; i++) {
		size_t from = i ? p->end[i - 1] : 0, n = p->end[i] - from;
		uint32_t node = stack[i], id = 0;

		assert_int_equal(tp_dict_stack_at(d, node).depth, n);
		for (; n; n--, node = tp_dict_stack_at(d, node).parent) {
			assert_int_equal(tp_dict_stack_at(d, node).frame, p->frame[from + n - 1]);
			assert_true(tp_dict_stack_at(d, node).parent < node);
		}
		for (size_t k = from; k < p->end[i]; k++)
			assert_int_equal(tp_dict_stack(other, id, p->frame[k], &id), 0);
	}
	stacks = tp_dict_stacks(d);
	assert_int_equal(stacks, tp_dict_stacks(other));
	/* Look-ups find the nodes. */
	for (uint32_t i = 1; i < stacks; i++) {
		struct tp_stack_node n = tp_dict_stack_at(d, i);
		uint32_t id;

		assert_int_equal(tp_dict_stack(d, n.parent, n.frame, &id), 0);
		assert_int_equal(id, i);
	}
	tp_dict_free(other);
	free(stack);
}

static void test_paths_put(void **state)
{
	static const struct {
		uint32_t frames, paths, longest;
	} cases[] = {
	    {1, 0, 0},	  {1, 1, 0},	   {1, 50, 90},	    {2, 3000, 70},
	    {5, 3000, 9}, {300, 2000, 12}, {70000, 500, 5}, {3, 5000, 1},
	};
	uint32_t seed = 7;

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct tp_dict *d = dict_with(cases[c].frames);
		struct tp_paths p = {0};

		assert_int_equal(tp_paths_room(&p, 1), 0);
		for (uint32_t i = 0; i < cases[c].paths; i++) {
			uint32_t frame[100], n = 0;

			seed = seed * 1664525 + 1013904223;
			for (uint32_t end = (seed >> 8) % (cases[c].longest + 1); n < end; n++) {
				seed = seed * 1664525 + 1013904223;
				/* Mostly the same frame, which makes common beginnings long. */
				frame[n] = seed >> 29 ? 1 : 1 + (seed >> 8) % cases[c].frames;
			}
			add(&p, frame, n);
		}
		check(&p, d);
		tp_paths_release(&p);
		tp_dict_free(d);
	}
}

/* Deep stacks that differ at the leaf only cost their length, not their depth times their number.
 */
static void test_paths_put_deep(void **state)
{
	struct tp_dict *d = dict_with(40);
	struct tp_paths p = {0};
	uint32_t frame[5000], stack[40];

	(void)state;
	for (uint32_t i = 0; i < 40; i++) {
		for (size_t k = 0; k < 5000; k++)
			frame[k] = k < 4999 ? 1 : 40 - i;
		add(&p, frame, 5000);
	}
	assert_int_equal(tp_paths_put(&p, d, stack), 0);
	assert_int_equal(tp_dict_stacks(d), 1 + 4999 + 40);
	for (uint32_t i = 1; i < 40; i++)
		assert_int_equal(tp_dict_stack_at(d, stack[i]).parent,
				 tp_dict_stack_at(d, stack[0]).parent);
	tp_paths_release(&p);
	tp_dict_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_paths_put),
	    cmocka_unit_test(test_paths_put_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
