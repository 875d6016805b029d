#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "decode/profile.h"

/* Keys in order, texts before numbers, values of one key as they came: of few and of very many. */
static void test_profile_label_set_sorts(void **state)
{
	static const size_t sizes[] = {1, 2, 7, 8, 9, 16, 17, 100, 200001};

	(void)state;
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		size_t n = sizes[k];
		struct tp_profile *p = tp_profile_new();
		struct tp_label *in = calloc(n, sizeof(*in)), *l;
		uint32_t set, again, key[10];
		char name[2] = "a";

		assert_non_null(p);
		assert_non_null(in);
		for (size_t i = 0; i < 10; i++, name[0]++)
			assert_int_equal(tp_dict_string(p->dict, name, 1, &key[i]), 0);
		for (size_t i = 0; i < n; i++)
			in[i] = (struct tp_label){.key = key[i * 7 % 10],
						  .numeric = i % 3 == 0,
						  .text = (uint32_t)i,
						  .number = (int64_t)i};
		assert_int_equal(tp_profile_label_set(p, in, n, &set), 0);
		assert_int_equal(tp_profile_label_set(p, in, n, &again), 0);
		assert_int_equal(set, again);
		assert_int_equal(p->sets[set].n, n);
		l = p->labels + p->sets[set].first;
		for (size_t i = 1; i < n; i++) {
			bool same = l[i].key == l[i - 1].key && l[i].numeric == l[i - 1].numeric;

			assert_true(l[i].numeric >= l[i - 1].numeric);
			assert_true(l[i].numeric != l[i - 1].numeric || l[i].key >= l[i - 1].key);
			assert_true(!same || (l[i].numeric ? l[i].number > l[i - 1].number
							   : l[i].text > l[i - 1].text));
		}
		free(in);
		tp_profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_profile_label_set_sorts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
