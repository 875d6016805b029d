#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "decode/v2/sort.h"

/* Compares the order of entries of equal time with that of Go 1.27's slices.SortFunc, as a hash
 * (FNV-1a over the entries' numbers). Sorts noise with many ties, then the result with some entries
 * swapped, then that reversed. */
static void test_sort_leaves_ties_as_go_does(void **state)
{
	static const struct {
		size_t n;
		uint64_t hash[3];
	} cases[] = {
	    {13, {0xe1685ac0a9aba821u, 0x5f72168793cbba97u, 0xb750f497d5554fc3u}},
	    {40, {0x625be7c7d38dcbabu, 0x6efd69cb905ce6d3u, 0x14d432ffd0a88c4fu}},
	    {200, {0x37c9f2410fb14585u, 0xe7d0d097cf2b87b3u, 0xc4d09870ba7f7549u}},
	    {3000, {0xa279d1334d8ee8b1u, 0x955c44383fb16851u, 0xf60bb76613755ecfu}},
	};
	static struct tp_v2_entry e[3000];

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		size_t n = cases[c].n;
		uint32_t x = 12345;

		for (size_t i = 0; i < n; i++) {
			x = x * 1664525 + 1013904223;
			e[i] = (struct tp_v2_entry){(int64_t)((x >> 24) % (n / 4 + 2)),
						    (void *)(uintptr_t)i};
		}
		for (int k = 0; k < 3; k++) {
			uint64_t h = 1469598103934665603u;

			tp_v2_sort(e, n);
			for (size_t i = 0; i < n; i++) {
				assert_true(!i || e[i - 1].ts <= e[i].ts);
				h = (h ^ (uintptr_t)e[i].of) * 1099511628211u;
			}
			assert_true(h == cases[c].hash[k]);
			for (size_t i = 0; k == 0 && i + 7 < n; i += 7) {
				struct tp_v2_entry t = e[i];

				e[i] = e[i + 5];
				e[i + 5] = t;
			}
			for (size_t i = 0; k == 1 && i < n / 2; i++) {
				struct tp_v2_entry t = e[i];

				e[i] = e[n - 1 - i];
				e[n - 1 - i] = t;
			}
		}
	}
}

static void test_sort_few_keeps_the_order_of_ties(void **state)
{
	struct tp_v2_entry e[12];

	(void)state;
	tp_v2_sort(e, 0);
	for (size_t i = 0; i < 12; i++)
		e[i] = (struct tp_v2_entry){i % 2 ? 1 : 0, (void *)(uintptr_t)i};
	tp_v2_sort(e, 12);
	for (size_t i = 0; i < 12; i++)
		assert_int_equal((uintptr_t)e[i].of, i < 6 ? 2 * i : 2 * (i - 6) + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sort_leaves_ties_as_go_does),
	    cmocka_unit_test(test_sort_few_keeps_the_order_of_ties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
