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

/* Keys are sorted, texts precede numbers, and values of one key keep their order, in small and in
 * very large sets. */
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

/* Sets of keys of a megabyte that differ only at their end are sorted as fast as others. (Comparing
 * whole keys took minutes.) */
static void test_profile_label_set_long_keys(void **state)
{
	enum { SIZE = 1000000, SETS = 10000, LABELS = 16 };
	struct tp_profile *p = tp_profile_new();
	char *name = malloc(SIZE);
	struct tp_label in[LABELS] = {{0}};
	uint32_t key[2], set;

	(void)state;
	assert_non_null(p);
	assert_non_null(name);
	memset(name, 'a', SIZE);
	for (size_t i = 0; i < 2; i++) {
		name[SIZE - 1] = (char)('y' - i);
		assert_int_equal(tp_dict_string(p->dict, name, SIZE, &key[i]), 0);
	}
	for (uint32_t s = 0; s < SETS; s++) {
		for (uint32_t i = 0; i < LABELS; i++)
			in[i] = (struct tp_label){.key = key[(i + 1) % 2], .text = s};
		assert_int_equal(tp_profile_label_set(p, in, LABELS, &set), 0);
		assert_int_equal(set, s + 1);
		for (uint32_t i = 1; i < LABELS; i++)
			assert_true(p->labels[p->sets[set].first + i].key >=
				    p->labels[p->sets[set].first + i - 1].key);
	}
	free(name);
	tp_profile_free(p);
}

/* Location flags are independent: an empty line does not mark the location as the runtime's. */
static void test_profile_location_flags(void **state)
{
	struct tp_profile *p = tp_profile_new();
	const struct tp_location l = {.address = 0x10};
	const struct tp_location runtime = {.address = 0x20, .flags = TP_LOCATION_RUNTIME};
	const struct tp_frame nothing = {0};
	struct tp_location kept;
	uint32_t frame;
	size_t n;

	(void)state;
	assert_non_null(p);
	assert_int_equal(tp_profile_location(p, &l, &nothing, 1, &frame, &n), 0);
	kept = tp_dict_location_at(p->dict, tp_dict_frame_at(p->dict, frame).location);
	assert_int_equal(kept.flags & TP_LOCATION_RUNTIME, 0);
	assert_true(tp_profile_lined(p, frame));
	assert_int_equal(tp_profile_location(p, &runtime, NULL, 0, &frame, &n), 0);
	kept = tp_dict_location_at(p->dict, tp_dict_frame_at(p->dict, frame).location);
	assert_int_equal(kept.flags, TP_LOCATION_RUNTIME);
	assert_false(tp_profile_lined(p, frame));
	tp_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_profile_label_set_long_keys),
	    cmocka_unit_test(test_profile_location_flags),
	    cmocka_unit_test(test_profile_label_set_sorts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
