#include "profile/noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

static uint32_t string(struct tp_profile *p, const char *text)
{
	uint32_t id;

	assert_int_equal(tp_dict_string(p->dict, text, strlen(text), &id), 0);
	return id;
}

struct kind {
	const char *type[4][2]; /* sample types and their units */
	const char *period_unit;
	int64_t period;
};

static struct tp_profile *make(const struct kind *k)
{
	struct tp_profile *p = tp_profile_new();

	assert_non_null(p);
	for (size_t i = 0; i < 4 && k->type[i][0]; i++)
		assert_int_equal(
		    tp_profile_add_type(p, string(p, k->type[i][0]), string(p, k->type[i][1])), 0);
	p->period_type.unit = string(p, k->period_unit);
	p->period = k->period;
	return p;
}

#define HEAP                                                                                       \
	{{"alloc_objects", "count"},                                                               \
	 {"alloc_space", "bytes"},                                                                 \
	 {"inuse_objects", "count"},                                                               \
	 {"inuse_space", "bytes"}},                                                                \
	    "bytes"
#define WAITS {{"contentions", "count"}, {"delay", "nanoseconds"}}, "count"

static void test_noise_samples(void **state)
{
	static const struct {
		struct kind kind;
		size_t type;
		int64_t value[4];
		double samples; /* 0: no noise */
	} rows[] = {
	    /* small objects: one sample per 512 KiB; large ones are all sampled */
	    {{HEAP, 524288}, 1, {655360, 10485760, 0, 0}, 19.9997},
	    {{HEAP, 524288}, 0, {655360, 10485760, 0, 0}, 19.9997},
	    {{HEAP, 524288}, 1, {3, 31457280, 0, 0}, 3},
	    {{HEAP, 524288}, 1, {10, 5242880, 0, 0}, 6.32121},
	    {{HEAP, 524288}, 3, {655360, 10485760, 10, 5242880}, 6.32121},
	    /* every value was sampled at least once */
	    {{HEAP, 524288}, 1, {1, 16, 0, 0}, 1},
	    {{HEAP, 524288}, 3, {655360, 10485760, -1, -524288}, 1},
	    /* every object is sampled, or the rate is not known */
	    {{HEAP, 1}, 1, {655360, 10485760, 0, 0}, 0},
	    {{HEAP, 0}, 1, {655360, 10485760, 0, 0}, 0},
	    {{WAITS, 1}, 1, {40, 1000000, 0, 0}, 40},
	    {{WAITS, 10}, 1, {40, 1000000, 0, 0}, 4},
	    {{WAITS, 10}, 0, {40, 1000000, 0, 0}, 4},
	    {{{{"samples", "count"}, {"cpu", "nanoseconds"}}, "nanoseconds", 10000000},
	     1,
	     {7, 70000000, 0, 0},
	     7},
	    {{{{"goroutine", "count"}}, "count", 1}, 0, {7, 0, 0, 0}, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tp_profile *p = make(&rows[i].kind);
		struct rep_noise n = rep_noise_of(p, rows[i].type);
		double v = (double)rows[i].value[rows[i].type];
		double variance = rep_noise_variance(&n, rows[i].value);
		double want = rows[i].samples > 0 ? v * v / rows[i].samples : 0;

		if (fabs(variance - want) > want * 1e-5)
			fail_msg("row %zu: variance %g, want %g", i, variance, want);
		tp_profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_noise_samples)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
