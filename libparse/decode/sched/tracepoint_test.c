#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "decode/sched/tracepoint.h"

static struct tp_scan scan(const char *text)
{
	return (struct tp_scan){text, text + strlen(text)};
}

static void test_tracepoint_read(void **state)
{
	static const struct {
		const char *event, *fields, *from, *to, *state;
		int64_t from_tid, to_tid;
	} cases[] = {
	    {"sched:sched_switch",
	     "prev_comm=cook worker prev_pid=7 prev_prio=-1 prev_state=R+ ==> next_comm=a b "
	     "next_pid=8 next_prio=120",
	     "cook worker", "a b", "R+", 7, 8},
	    {"sched:sched_switch", "kworker/1:1:7 [120] D|W ==> a ==> b:8 [120]", "kworker/1:1",
	     "a ==> b", "D|W", 7, 8},
	    {"sched:sched_switch",
	     "prev_comm= prev_pid=1 prev_pid=7 prev_prio=0 prev_state=S ==> next_comm=x "
	     "next_pid=0 next_prio=0",
	     " prev_pid=1", "x", "S", 7, 0},
	    {"sched:sched_waking", "comm=a [1] pid=8 prio=120 target_cpu=000", "", "a [1]", "", 0,
	     8},
	    {"sched:sched_wakeup", "comm=a pid=8 prio=120 success=1 target_cpu=000", "", "a", "", 0,
	     8},
	    {"sched:sched_wakeup", "a b:8 [120]<CANT FIND FIELD success> CPU:000", "", "a b", "", 0,
	     8},
	    {"sched:sched_process_fork", "comm=a pid=7 child_comm=b child_pid=8", "a", "b", "", 7,
	     8},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_tracepoint tp;

		assert_true(tp_tracepoint_read(scan(cases[i].event), scan(cases[i].fields), &tp));
		assert_true(!*cases[i].from || tp_scan_is(tp.from.comm, cases[i].from));
		assert_true(tp_scan_is(tp.to.comm, cases[i].to));
		assert_true(!*cases[i].state || tp_scan_is(tp.state, cases[i].state));
		assert_int_equal(tp.from.tid, cases[i].from_tid);
		assert_int_equal(tp.to.tid, cases[i].to_tid);
	}
}

static void test_tracepoint_read_call(void **state)
{
	struct tp_tracepoint tp;

	(void)state;
	assert_true(tp_tracepoint_read(scan("raw_syscalls:sys_enter"), scan("NR 202 (1, 2)"), &tp));
	assert_int_equal(tp.type, TP_TRACEPOINT_CALL);
	assert_int_equal(tp.number, 202);
	assert_true(tp_tracepoint_read(scan("syscalls:sys_enter_futex"), scan("uaddr: 0x1"), &tp));
	assert_true(tp_scan_is(tp.call, "futex"));
	assert_true(tp_tracepoint_read(scan("raw_syscalls:sys_exit"), scan("NR 202 = 0"), &tp));
	assert_int_equal(tp.type, TP_TRACEPOINT_RETURN);
	assert_true(tp_tracepoint_read(scan("irq:softirq_entry"), scan("vec=1"), &tp));
	assert_int_equal(tp.type, TP_TRACEPOINT_OTHER);
}

static void test_tracepoint_read_other(void **state)
{
	static const char *const fields[] = {
	    "",
	    "a:1 [120] S",
	    "a:1 [120] ==> b:2 [120]",
	    "a:1 [120] S ==> b:2 [120] more",
	    "a:-1 [120] S ==> b:2 [120]",
	    "prev_comm=a prev_pid=1 prev_state=S ==> next_comm=b",
	    "prev_comm=a prev_pid=1x prev_state=S ==> next_comm=b next_pid=2",
	    "prev_comm=a prev_pid=1 prev_state=? ==> next_comm=b next_pid=2",
	    "prev_comm=a prev_pid=99999999999999999999 prev_state=S ==> next_comm=b next_pid=2",
	};
	struct tp_tracepoint tp;

	(void)state;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		assert_false(tp_tracepoint_read(scan("sched:sched_switch"), scan(fields[i]), &tp));
	assert_false(tp_tracepoint_read(scan("sched:sched_waking"), scan("comm=a"), &tp));
	assert_false(
	    tp_tracepoint_read(scan("sched:sched_process_fork"), scan("comm=a pid=7"), &tp));
	assert_false(tp_tracepoint_read(scan("raw_syscalls:sys_enter"), scan("read"), &tp));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tracepoint_read),
	    cmocka_unit_test(test_tracepoint_read_call),
	    cmocka_unit_test(test_tracepoint_read_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
