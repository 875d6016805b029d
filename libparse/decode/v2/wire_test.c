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
#include "decode/v2/wire.h"

static bool ends_in(const char *name, const char *kind)
{
	size_t n = strlen(name), k = strlen(kind);

	return n >= k && !strcmp(name + n - k, kind);
}

static void test_wires_are_complete(void **state)
{
	(void)state;
	for (int i = 0; i < TP_V2_NWIRES; i++) {
		const struct tp_v2_wire_event *w = &tp_v2_wires[i];
		bool known = (i >= 1 && i <= 52) || i >= 128;

		assert_int_equal(w->name != NULL, known);
		if (!known)
			continue;
		assert_true(w->since == 22 || w->since == 23 || w->since == 25 || w->since == 26);
		assert_true(w->nargs <= TP_V2_MAX_ARGS);
		for (int k = 0; k < TP_V2_MAX_ARGS; k++)
			assert_int_equal(w->args[k] != NULL, k < w->nargs);
		for (int k = i + 1; k < TP_V2_NWIRES; k++)
			assert_true(!tp_v2_wires[k].name || strcmp(w->name, tp_v2_wires[k].name));
	}
}

static void test_wires_of_timed_events(void **state)
{
	(void)state;
	for (int i = 0; i < 256; i++) {
		const struct tp_v2_wire_event *w = i < TP_V2_NWIRES ? &tp_v2_wires[i] : NULL;

		if (!w || !w->name || !w->timed) {
			assert_int_equal(tp_v2_arity[i], 0);
			continue;
		}
		assert_int_equal(tp_v2_arity[i], w->nargs);
		assert_string_equal(w->args[0], "dt");
		/* A type has the same name on the wire and in the event model. */
		if (i == TP_V2_ClockSnapshot)
			continue;
		assert_non_null(tp_event_descs[i].wire);
		assert_string_equal(tp_event_descs[i].wire, w->name);
	}
}

/* Facts of the format that the order relies on, checked against the table. */
static void test_wires_arguments(void **state)
{
	static const struct {
		enum tp_v2_wire type;
		int nargs, stack, string; /* positions, 0 none */
	} cases[] = {
	    {TP_V2_ProcStart, 3, 0, 0},		 {TP_V2_ProcSteal, 4, 0, 0},
	    {TP_V2_GoCreate, 4, 3, 0},		 {TP_V2_GoBlock, 3, 2, 1},
	    {TP_V2_GoUnblock, 4, 3, 0},		 {TP_V2_GoSyscallBegin, 3, 2, 0},
	    {TP_V2_GoStatus, 4, 0, 0},		 {TP_V2_GoStatusStack, 5, 4, 0},
	    {TP_V2_UserTaskBegin, 5, 4, 3},	 {TP_V2_UserLog, 5, 4, 2},
	    {TP_V2_STWBegin, 3, 2, 1},		 {TP_V2_GCSweepEnd, 3, 0, 0},
	    {TP_V2_GoSwitch, 3, 0, 0},		 {TP_V2_SpanAlloc, 4, 0, 0},
	    {TP_V2_GoroutineStackFree, 2, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tp_v2_wire_event *w = &tp_v2_wires[cases[i].type];

		assert_int_equal(w->nargs, cases[i].nargs);
		if (cases[i].stack)
			assert_true(ends_in(w->args[cases[i].stack], "stack"));
		if (cases[i].string)
			assert_true(ends_in(w->args[cases[i].string], "string"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_wires_are_complete),
	    cmocka_unit_test(test_wires_of_timed_events),
	    cmocka_unit_test(test_wires_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
