#include "top/report.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_times_by_state(void **state)
{
	int64_t times[REP_NTIMES] = {0};

	(void)state;
	rep_times_add(times, TP_ST_RUNNING, 1);
	rep_times_add(times, TP_ST_WAITING, 20);
	rep_times_add(times, TP_ST_SYSCALL, 300);
	rep_times_add(times, TP_ST_LOST, 4000);
	rep_times_add(times, TP_ST_IDLE, 50000); /* which has no column */
	assert_int_equal(times[REP_TIME_TOTAL], 54321);
	assert_int_equal(times[REP_TIME_RUN], 1);
	assert_int_equal(times[REP_TIME_BLOCK], 20);
	assert_int_equal(times[REP_TIME_CALLS], 300);
	assert_int_equal(times[REP_TIME_LOST], 4000);
}

/* Sums that a damaged clock drove to their limit stay there. */
static void test_times_saturate(void **state)
{
	int64_t times[REP_NTIMES] = {0};

	(void)state;
	rep_times_add(times, TP_ST_SYSCALL, INT64_MAX);
	rep_times_add(times, TP_ST_SYSCALL_BLOCKED, INT64_MAX);
	assert_int_equal(times[REP_TIME_CALLS], INT64_MAX);
	assert_int_equal(times[REP_TIME_TOTAL], INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_times_by_state),
	    cmocka_unit_test(test_times_saturate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
