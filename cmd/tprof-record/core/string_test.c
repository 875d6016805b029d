#include <pthread.h>
#include <stdio.h>

#include "tprof-record/core/testing.h"

static const struct rec_options options = {.trace = 1};

static const char *text_of(uint32_t at)
{
	return rec_core->arena.strings + at;
}

static void test_string_interned(void **state)
{
	uint32_t a, b, c;

	(void)state;
	begin_with(&options);
	a = rec_string("alpha", 5);
	b = rec_string("alphabet", 5);
	c = rec_string("alphabet", 8);
	assert_int_not_equal(0, a);
	assert_int_equal(a, b);
	assert_int_not_equal(a, c);
	assert_string_equal("alpha", text_of(a));
	assert_string_equal("alphabet", text_of(c));
	assert_int_equal(0, rec_string("", 0));
	/* It ends at a NUL: readers see no more of it. */
	assert_int_equal(a, rec_string("alpha\0x", 7));
	assert_int_equal(a, rec_string("alpha", 5));
}

static void test_string_full(void **state)
{
	char text[1000];
	uint32_t i, at, n = 0;

	(void)state;
	begin_with(&options);
	memset(text, 'x', sizeof(text));
	for (i = 0; !lost(REC_LOST_STRINGS); i++) {
		snprintf(text, 8, "%07u", i);
		text[7] = 'x';
		at = rec_string(text, sizeof(text));
		if (at) {
			n++;
			assert_int_equal(sizeof(text), strlen(text_of(at)));
		}
	}
	assert_int_equal((REC_STRING_BYTES - 1) / 1001, n);
	assert_int_equal(0, rec_string(text, sizeof(text)));
	assert_true(header()->strings.used <= REC_STRING_BYTES);
	/* Those that are there are found, and small ones fit. */
	text[0] = 0;
	assert_int_equal(1, rec_string("0000000x", 8) != 0);
	assert_int_equal(0, rec_string(text, REC_STRING_BYTES));
}

static _Atomic uint32_t found[500];
static _Atomic uint32_t differ;

static void *intern_all(void *arg)
{
	uint32_t i, k;

	for (k = 0; k < 20; k++)
		for (i = 0; i < 500; i++) {
			char text[16];
			uint32_t at, none = 0;
			int size = snprintf(text, sizeof(text), "string %u", i);

			at = rec_string(text, (size_t)size);
			if (!atomic_compare_exchange_strong(&found[i], &none, at) && none != at)
				differ++;
		}
	rec_thread_end();
	return arg;
}

static void test_string_at_once(void **state)
{
	pthread_t thread[4];
	size_t i;

	(void)state;
	begin_with(&options);
	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, intern_all, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(0, differ);
	for (i = 0; i < 500; i++) {
		char text[16];

		snprintf(text, sizeof(text), "string %zu", i);
		assert_string_equal(text, text_of(found[i]));
	}
}

static void test_label_set_interned(void **state)
{
	uint32_t pairs[] = {10, 11, 12, 13}, a, b;
	const uint32_t *set;

	(void)state;
	begin_with(&options);
	a = rec_label_set(pairs, 2);
	b = rec_label_set(pairs, 1);
	assert_int_not_equal(0, a);
	assert_int_not_equal(a, b);
	assert_int_equal(a, rec_label_set(pairs, 2));
	assert_int_equal(b, rec_label_set(pairs, 1));
	assert_int_equal(0, rec_label_set(pairs, 0));
	set = rec_core->arena.sets + a;
	assert_int_equal(2, set[0]);
	assert_memory_equal(pairs, set + 1, sizeof(pairs));
}

static void test_label_set_full(void **state)
{
	uint32_t pairs[16] = {0}, i, at, n = 0;

	(void)state;
	begin_with(&options);
	for (i = 1; !lost(REC_LOST_STRINGS); i++) {
		pairs[0] = i;
		at = rec_label_set(pairs, 8);
		n += at != 0;
	}
	assert_int_equal((REC_NSETS * 16 - 1) / 17, n);
	assert_true(header()->sets.used <= REC_NSETS * 16);
}

static void test_module_add(void **state)
{
	struct rec_module m = {.start = 1, .limit = 2, .offset = 3, .file = 4, .build_id = 5};
	uint32_t i;

	(void)state;
	begin_with(&options);
	for (i = 1; i <= REC_NMODULES; i++)
		assert_int_equal(i, rec_module_add(&m));
	assert_int_equal(0, rec_module_add(&m));
	assert_int_equal(1, lost(REC_LOST_MODULES));
	assert_int_equal(REC_NMODULES, header()->modules.used);
	assert_int_equal(5, rec_core->arena.modules[REC_NMODULES - 1].build_id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_string_interned, stop),
	    cmocka_unit_test_teardown(test_string_full, stop),
	    cmocka_unit_test_teardown(test_string_at_once, stop),
	    cmocka_unit_test_teardown(test_label_set_interned, stop),
	    cmocka_unit_test_teardown(test_label_set_full, stop),
	    cmocka_unit_test_teardown(test_module_add, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
