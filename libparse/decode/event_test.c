#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "decode/event.h"

/* Spot checks of wire numbers against Go's (internal/trace/tracev2/events.go). */
static void test_table_numbers(void **state)
{
	static const struct {
		int number;
		const char *wire;
		enum tp_event_kind kind;
		char subject;
	} cases[] = {
	    {9, "ProcsChange", TP_KIND_METRIC, 0},
	    {12, "ProcSteal", TP_KIND_TRANSITION, 'P'},
	    {16, "GoStart", TP_KIND_TRANSITION, 'G'},
	    {24, "GoSyscallEndBlocked", TP_KIND_TRANSITION, 'G'},
	    {39, "GoLabel", TP_KIND_LABEL, 'G'},
	    {44, "UserLog", TP_KIND_LOG, 0},
	    {48, "GoStatusStack", TP_KIND_TRANSITION, 'G'},
	    {136, "GoroutineStackFree", TP_KIND_EXPERIMENTAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tp_event_desc *d = &tp_event_descs[cases[i].number];

		assert_string_equal(d->wire, cases[i].wire);
		assert_int_equal(d->kind, cases[i].kind);
		assert_int_equal(d->subject, cases[i].subject);
	}
	assert_null(tp_event_descs[0].wire);
	assert_null(tp_event_descs[100].wire);
}

static void test_table_is_consistent(void **state)
{
	(void)state;
	for (int i = 0; i < TP_NEVENT_TYPES; i++) {
		const struct tp_event_desc *d = &tp_event_descs[i];

		if (!d->wire)
			continue;
		/* Every transition has a subject, arguments have no placeholders, and names are unique.
		 */
		if (d->kind == TP_KIND_TRANSITION)
			assert_true(d->subject == 'G' || d->subject == 'P');
		for (int k = 0; k < 3; k++)
			assert_true(!d->arg[k] || strcmp(d->arg[k], "-"));
		assert_true(d->arg[0] || !d->arg[1]);
		for (int k = 0; k < i; k++)
			assert_true(!tp_event_descs[k].wire ||
				    strcmp(tp_event_descs[k].wire, d->wire));
	}
}

static void test_names_of_kinds_and_states(void **state)
{
	(void)state;
	for (int i = 0; i < TP_NKINDS; i++)
		assert_non_null(tp_kind_names[i]);
	for (int i = 0; i < TP_NSTATES; i++)
		assert_non_null(tp_state_names[i]);
	assert_string_equal(tp_kind_names[TP_KIND_TRANSITION], "StateTransition");
	assert_string_equal(tp_state_names[TP_ST_NOT_EXIST], "NotExist");
	assert_string_equal(tp_state_names[TP_ST_IDLE], "Idle");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_table_numbers),
	    cmocka_unit_test(test_table_is_consistent),
	    cmocka_unit_test(test_names_of_kinds_and_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
