#include "top/report.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_states_total_of_all(void **state)
{
	const int64_t ns[TP_NSTATES] = {
	    [TP_ST_RUNNING] = 1, [TP_ST_WAITING] = 20, [TP_ST_SYSCALL] = 300, [TP_ST_LOST] = 4000};

	(void)state;
	assert_int_equal(rep_states_total(ns), 4321);
	assert_int_equal(rep_states_syscall(ns), 300);
}

/* Sums that a damaged clock drove to their limit stay there. */
static void test_states_syscall_saturates(void **state)
{
	const int64_t ns[TP_NSTATES] = {
	    [TP_ST_SYSCALL] = INT64_MAX, [TP_ST_SYSCALL_BLOCKED] = INT64_MAX};

	(void)state;
	assert_int_equal(rep_states_syscall(ns), INT64_MAX);
	assert_int_equal(rep_states_total(ns), INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_states_total_of_all),
	    cmocka_unit_test(test_states_syscall_saturates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
