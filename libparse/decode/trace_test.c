#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "order/read.h"

static void test_add_loss_sums_behind_the_limit(void **state)
{
	struct tp_trace t = {0};
	struct tp_loss loss = {.bytes = 3, .events = 2, .reason = "gone"};

	(void)state;
	for (int i = 0; i < 10100; i++)
		assert_int_equal(tp_trace_add_loss(&t, &loss), 0);
	assert_int_equal(t.nlosses, 10000);
	assert_int_equal(t.losses[9998].bytes, 3);
	assert_int_equal(t.losses[9999].bytes, 3 * 101);
	assert_int_equal(t.losses[9999].events, 2 * 101);
	tp_trace_release(&t);
	assert_null(t.losses);
}

static void test_add_notice_cuts_and_stops(void **state)
{
	struct tp_trace t = {0};
	char text[400];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	for (int i = 0; i < 10100; i++)
		assert_int_equal(tp_trace_add_notice(&t, TP_WARNING, (uint64_t)i, "%d %s", i, text),
				 0);
	assert_int_equal(t.nnotices, 10000);
	assert_int_equal(t.notices[7].offset, 7);
	assert_int_equal(t.notices[7].severity, TP_WARNING);
	assert_int_equal(strncmp(t.notices[7].text, "7 xxx", 5), 0);
	assert_int_equal(strlen(t.notices[7].text), sizeof(t.notices[7].text) - 1);
	tp_trace_release(&t);
}

static void test_add_clock_keeps_order(void **state)
{
	struct tp_trace t = {0};

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_int_equal(tp_trace_add_clock(&t, &(struct tp_clock){.ts = i}), 0);
	assert_int_equal(t.nclocks, 100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(t.clocks[i].ts, i);
	tp_trace_release(&t);
}

static void test_count_wire_adds_by_name(void **state)
{
	struct tp_trace t = {0};

	(void)state;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(tp_trace_count_wire(&t, "GoStart", 2, 1, 10), 0);
		assert_int_equal(tp_trace_count_wire(&t, "GoStop", 1, 0, 0), 0);
	}
	assert_int_equal(t.nwires, 2);
	assert_string_equal(t.wires[0].name, "GoStart");
	assert_int_equal(t.wires[0].events, 10);
	assert_int_equal(t.wires[0].with_stack, 5);
	assert_int_equal(t.wires[0].bytes, 50);
	assert_int_equal(t.wires[1].events, 5);
	tp_trace_release(&t);
}

static void test_new_index_is_dense(void **state)
{
	struct tp_trace t = {0};

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(tp_trace_new_g(&t, (uint64_t)i << 40), i);
		assert_int_equal(tp_trace_new_m(&t, UINT64_MAX - i), i);
		assert_int_equal(tp_trace_new_p(&t, -(int64_t)i), i);
	}
	assert_int_equal(t.ng, 1000);
	assert_true(t.g_id[999] == (uint64_t)999 << 40);
	assert_true(t.m_id[0] == UINT64_MAX);
	assert_true(t.p_id[7] == -7);
	tp_trace_release(&t);
}

static int refuse(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	(void)ctx;
	(void)ev;
	(void)n;
	return tp_err_set(err, TP_ELIMIT, 0, "no events were expected");
}

static uint32_t stack_on(struct tp_trace *t, uint32_t parent, const char *name)
{
	struct tp_frame frame = {.line = 7};
	struct tp_function fn = {.file = 0};
	uint32_t f, id;

	assert_int_equal(tp_dict_string(t->dict, name, strlen(name), &fn.name), 0);
	assert_int_equal(tp_dict_function(t->dict, &fn, &frame.function), 0);
	assert_int_equal(tp_dict_frame(t->dict, &frame, &f), 0);
	assert_int_equal(tp_dict_stack(t->dict, parent, f, &id), 0);
	return id;
}

/* The flag depends on the root of the goroutine's own stack. The dictionary grows between calls. */
static void test_mark_unnamed(void **state)
{
	struct tp_trace t = {.dict = tp_dict_new()};
	uint32_t named, bare, leaf_bare, root_bare;

	(void)state;
	named = stack_on(&t, 0, "main.main");
	leaf_bare = stack_on(&t, named, "");

	struct tp_event first[] = {{.type = TP_EV_GO_BLOCK, .stack = named},
				   {.type = TP_EV_GO_BLOCK, .stack = leaf_bare}};

	assert_int_equal(tp_trace_mark_unnamed(&t, first, 2), 0);
	assert_int_equal(first[0].flags | first[1].flags, 0);
	bare = stack_on(&t, 0, "");
	root_bare = stack_on(&t, bare, "main.f");

	struct tp_event ev[] = {{.type = TP_EV_GO_BLOCK, .stack = bare, .flags = TP_EVF_LOST},
				{.type = TP_EV_GO_STOP, .stack = root_bare},
				{.type = TP_EV_GO_BLOCK, .stack = leaf_bare},
				{.type = TP_EV_GO_BLOCK},
				{.type = TP_EV_GO_CREATE, .stack = bare, .str2 = named},
				{.type = TP_EV_GO_CREATE, .stack = named, .str2 = bare},
				{.type = TP_EV_GO_UNBLOCK, .stack = bare},
				{.type = TP_EV_GO_BLOCK, .stack = 1000000}};
	static const uint8_t want[] = {
	    TP_EVF_LOST | TP_EVF_UNNAMED, TP_EVF_UNNAMED, 0, 0, 0, TP_EVF_UNNAMED, 0, 0};

	assert_int_equal(tp_trace_mark_unnamed(&t, ev, 8), 0);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(ev[i].flags, want[i]);
	tp_trace_release(&t);
}

/* Data that is not a trace is refused before any event is delivered. */
static void test_read_what_is_no_trace(void **state)
{
	static const struct {
		const char *data;
		size_t size;
		int code;
	} cases[] = {
	    {"", 0, TP_EUNKNOWN},
	    {"SQLite format 3", 16, TP_EUNKNOWN},
	    {"goroutine profile: total 5\n", 27, TP_EUNKNOWN},
	    {"go 1.99 trace\0\0\0", 16, TP_EVERSION},
	    {"go 1.2", 6, TP_ETRUNC},
	};
	struct tp_sink sink = {.events = refuse};
	struct tp_trace_options opt = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_err err = {0};
		struct tp_trace t;
		struct tp_input *in;

		assert_int_equal(tp_input_from_memory(&in, cases[i].data, cases[i].size, &err), 0);
		assert_int_equal(tp_trace_read(in, &opt, &t, &sink, &err), cases[i].code);
		assert_true(err.msg[0]);
		tp_trace_release(&t);
		tp_input_close(in);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_add_loss_sums_behind_the_limit),
	    cmocka_unit_test(test_add_notice_cuts_and_stops),
	    cmocka_unit_test(test_add_clock_keeps_order),
	    cmocka_unit_test(test_count_wire_adds_by_name),
	    cmocka_unit_test(test_new_index_is_dense),
	    cmocka_unit_test(test_mark_unnamed),
	    cmocka_unit_test(test_read_what_is_no_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
