/* Every way of sorting the frontier gives the order of Go's sort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/v2/sort.h"
#include "order/v2/frontier.h"

#define MOST 5000

static struct tp_v2_entry heap[MOST], spare[MOST], expected[MOST];

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

static void check(struct tp_v2_frontier *f)
{
	memcpy(expected, f->heap, f->n * sizeof(*expected));
	tp_v2_sort(expected, f->n);
	tp_v2_frontier_sort(f);
	assert_memory_equal(f->heap, expected, f->n * sizeof(*expected));
}

/* Times are below `spread`, so a small one makes many of them equal. */
static void exercise(size_t n, uint64_t spread, uint64_t seed)
{
	struct tp_v2_frontier f = {.heap = heap, .spare = spare, .n = n};

	for (size_t i = 0; i < n; i++)
		heap[i] =
		    (struct tp_v2_entry){.ts = (int64_t)(next(&seed) % spread), .of = &heap[i]};
	check(&f);
	while (f.n > n / 2 + 1) {
		size_t i = (size_t)(next(&seed) % f.n);

		switch (next(&seed) % 3) {
		case 0:
			tp_v2_frontier_remove(&f, i);
			break;
		case 1:
			f.heap[i].ts += (int64_t)(next(&seed) % spread);
			tp_v2_frontier_update(&f, i);
			break;
		default:
			f.heap[i].ts += 1;
			tp_v2_frontier_update(&f, i);
			if (next(&seed) % 8 == 0)
				tp_v2_frontier_remove(&f, (size_t)(next(&seed) % f.n));
		}
		check(&f);
	}
}

static void test_frontier_sort_is_gos(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		exercise(10, 100, seed);
		exercise(70, 1000000000, seed);
		exercise(300, 1000000000, seed);
		exercise(300, 200, seed);
		exercise(300, 100000, seed);
	}
	exercise(2000, UINT64_C(1) << 31, 6);
	exercise(1000, 20000, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_frontier_sort_is_gos),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
