#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "decode/v1/wire.h"

static const int versions[] = {5, 7, 8, 9, 10, 11, 19, 21};

/* The table has every number once and in order, each with a unique name that fits tp_wire_count. */
static void test_wire_table_is_dense(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned t = 0; t < TP_V1_NTYPES; t++) {
		if (!tp_v1_names[t])
			continue;
		n++;
		assert_int_equal(t, n); /* 1, 2, 3 …, without a hole */
		assert_true(strlen(tp_v1_names[t]) < 32);
		for (unsigned u = 0; u < t; u++)
			assert_true(!tp_v1_names[u] || strcmp(tp_v1_names[u], tp_v1_names[t]));
	}
	assert_int_equal(n, 49);
	assert_int_equal(TP_V1_CPU_SAMPLE, 49);
	assert_string_equal(tp_v1_names[TP_V1_GO_SYSEXIT], "GoSysExit");
}

/* Each version has the number of types that its tracer's source has. */
static void test_wire_init_knows_types_of_versions(void **state)
{
	static const unsigned types[] = {36, 40, 42, 44, 44, 48, 49, 49};

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct tp_v1_wire w;
		unsigned heads = 0;

		tp_v1_wire_init(&w, versions[i]);
		for (unsigned b = 0; b < 256; b++)
			heads += w.form[b] != TP_V1_BAD;
		/* Each type has one number of arguments, so one type byte. */
		assert_int_equal(heads, types[i]);
		assert_int_equal(w.lead, versions[i] == 5 ? 2 : 1);
	}
}

/* Differences between versions: wire bytes as their tracers write them. */
static void test_wire_init_shapes(void **state)
{
	static const struct {
		int version;
		unsigned type, values, args, count;
	} cases[] = {
	    {5, TP_V1_GO_START, 3, 1, 1},     {7, TP_V1_GO_START, 3, 2, 2},
	    {5, TP_V1_GO_UNBLOCK, 4, 1, 2},   {7, TP_V1_GO_UNBLOCK, 4, 2, 3},
	    {5, TP_V1_GC_START, 3, 0, 1},     {7, TP_V1_GC_START, 3, 1, 2},
	    {5, TP_V1_GO_CREATE, 5, 2, 3},    {21, TP_V1_GO_CREATE, 4, 2, 3},
	    {8, TP_V1_SWEEP_DONE, 1, 0, 0},   {9, TP_V1_SWEEP_DONE, 3, 2, 2},
	    {9, TP_V1_STW_START, 1, 0, 0},    {10, TP_V1_STW_START, 2, 1, 1},
	    {5, TP_V1_FREQUENCY, 2, 2, 0},    {7, TP_V1_FREQUENCY, 1, 1, 0},
	    {5, TP_V1_BATCH, 3, 3, 1},	      {7, TP_V1_BATCH, 2, 2, 1},
	    {5, TP_V1_GO_SYSEXIT, 5, 3, 3},   {19, TP_V1_GO_SYSEXIT, 4, 3, 3},
	    {11, TP_V1_TASK_CREATE, 5, 3, 3}, {11, TP_V1_TASK_END, 3, 1, 2},
	    {19, TP_V1_CPU_SAMPLE, 5, 3, 3},  {21, TP_V1_HEAP_ALLOC, 2, 1, 1},
	    {21, TP_V1_GO_SCHED, 2, 0, 1},    {21, TP_V1_PROC_STOP, 1, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tp_v1_wire w;

		tp_v1_wire_init(&w, cases[i].version);
		assert_int_equal(w.shape[cases[i].type].values, cases[i].values);
		assert_int_equal(w.shape[cases[i].type].args, cases[i].args);
		for (unsigned count = 0; count < 4; count++)
			assert_int_equal(w.form[cases[i].type | count << 6] != TP_V1_BAD,
					 count == cases[i].count);
	}
}

static void test_uvarint_limits(void **state)
{
	static const struct {
		uint8_t bytes[10];
		int size; /* 0: it does not fit */
		uint64_t value;
	} cases[] = {
	    {{0}, 1, 0},
	    {{0x7f}, 1, 127},
	    {{0x80, 1}, 2, 128},
	    {{0x80, 0x80, 0}, 3, 0},
	    {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, 10, UINT64_MAX},
	    {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}, 0, 0},
	    {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const uint8_t *p = cases[i].bytes;
		uint64_t v = 0;

		assert_int_equal(tp_v1_uvarint(&p, &v), cases[i].size > 0);
		assert_int_equal(p - cases[i].bytes, cases[i].size);
		assert_true(v == cases[i].value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_wire_table_is_dense),
	    cmocka_unit_test(test_wire_init_knows_types_of_versions),
	    cmocka_unit_test(test_wire_init_shapes),
	    cmocka_unit_test(test_uvarint_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
