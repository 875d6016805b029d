#include "tprof-record/parent/report.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct rec_result recorded(void)
{
	struct rec_result r = {.folder = "run",
			       .program = "server",
			       .pid = 4711,
			       .ran_ns = 1500000000,
			       .over = true,
			       .recorded = true};

	r.last.nfiles = 2;
	strcpy(r.last.file[0].name, "heap.pb.gz");
	r.last.file[0].size = 2048;
	strcpy(r.last.file[0].what, "1MiB in use");
	strcpy(r.last.file[1].name, "trace.out");
	r.last.file[1].size = 100;
	return r;
}

static void expect(const struct rec_result *r, const char *want)
{
	struct rec_request request = REC_REQUEST_INIT;
	struct tp_buf out = {0};

	assert_int_equal(rec_report(r, &request, &out), 0);
	assert_int_equal(tp_buf_put(&out, "", 1), 0);
	assert_string_equal((char *)out.data, want);
	tp_buf_release(&out);
}

static void test_report_all_well(void **state)
{
	struct rec_result r = recorded();

	(void)state;
	expect(&r, "tprof-record: server: 1.5s, exit status 0\n"
		   "recorded in run:\n"
		   "  heap.pb.gz              2KiB  1MiB in use\n"
		   "  trace.out               100B\n"
		   "nothing lost\n"
		   "look at it: tprof-top run/trace.out\n"
		   "            tprof-top run/heap.pb.gz\n");
}

/* Nobody is sent to a profile with nothing in it. */
static void test_report_empty_profile(void **state)
{
	struct rec_result r = recorded();

	(void)state;
	r.last.file[0].empty = true;
	expect(&r, "tprof-record: server: 1.5s, exit status 0\n"
		   "recorded in run:\n"
		   "  heap.pb.gz              2KiB  1MiB in use\n"
		   "  trace.out               100B\n"
		   "nothing lost\n"
		   "look at it: tprof-top run/trace.out\n");
	r.last.nfiles = 3;
	strcpy(r.last.file[2].name, "block.pb.gz");
	expect(&r, "tprof-record: server: 1.5s, exit status 0\n"
		   "recorded in run:\n"
		   "  heap.pb.gz              2KiB  1MiB in use\n"
		   "  trace.out               100B\n"
		   "  block.pb.gz               0B\n"
		   "nothing lost\n"
		   "look at it: tprof-top run/trace.out\n"
		   "            tprof-top run/block.pb.gz\n");
}

static void test_report_losses(void **state)
{
	struct rec_result r = recorded();

	(void)state;
	r.status = SIGKILL;
	r.snapshots = 12;
	r.last.lost[REC_LOST_EVENTS] = 1234567;
	r.last.lost[REC_LOST_CONTENTION] = 5;
	r.last.unfinished = 1;
	r.last.spilled = 10;
	r.last.spill_error = ENOSPC;
	r.last.nonsense = 3;
	r.last.lost[REC_LOST_TIMERS] = 1;
	r.others = 2;
	strcpy(r.other[0], "4712-ls");
	strcpy(r.other[1], "4713-a\033b");
	r.turned_away = 1;
	r.last.ntroubles = 1;
	strcpy(r.last.trouble[0], "run/block.pb.gz: cannot write it");
	r.rest.lost[REC_LOST_STACKS] = 4;
	expect(&r, "tprof-record: server: lost 1,234,567 events: the recorder could not "
		   "keep up\n"
		   "tprof-record: server: lost 1 timer: the CPU time of a thread without one "
		   "is not sampled\n"
		   "tprof-record: server: lost 1 event: its thread ended while writing it\n"
		   "tprof-record: server: lost 10 events at the end: No space left on device\n"
		   "tprof-record: server: left out 3 invalid records\n"
		   "tprof-record: other processes: lost 4 stacks: the table of stacks was full; "
		   "see Losses in tprof-record(1)\n"
		   "tprof-record: server: 1.5s, killed by signal 9 (Killed)\n"
		   "recorded in run:\n"
		   "  heap.pb.gz              2KiB  1MiB in use\n"
		   "  trace.out               100B\n"
		   "  and of 12 snapshots, *.0001 to 0012.pb.gz\n"
		   "  4712-ls/\n"
		   "  4713-a\\x1bb/\n"
		   "not recorded: 1 process: too many at the same time\n"
		   "tprof-record: run/block.pb.gz: cannot write it\n"
		   "look at it: tprof-top run/trace.out\n"
		   "            tprof-top run/heap.pb.gz\n");
	assert_true(rec_report_loses(&r, false));
}

static void test_report_running(void **state)
{
	struct rec_result r = recorded();
	static const char head[] = "tprof-record: server: 1.5s, exit status 0\n"
				   "recorded in run:\n"
				   "  heap.pb.gz              2KiB  1MiB in use\n"
				   "  trace.out               100B\n",
			  tail[] = "look at it: tprof-top run/trace.out\n"
				   "            tprof-top run/heap.pb.gz\n";
	char all[700];

	(void)state;
	r.last.running_ns = 250000000;
	snprintf(all, sizeof(all),
		 "%sCPU time: at most 250ms (from CPU clocks; context switches are not available: "
		 "no)\nnothing lost\n%s",
		 head, tail);
	strcpy(r.no_switches, "no");
	expect(&r, all);
	r.last.exact = true;
	r.last.delay_ns = 1000000;
	r.last.lost_switches = 7000;
	snprintf(
	    all, sizeof(all),
	    "tprof-record: server: lost 7,000 context switches: the recorder could not keep up; "
	    "the trace calls these times \"not known\"\n"
	    "%sCPU time: at least 250ms (from the kernel's context switches); run delay: 1ms since "
	    "the "
	    "process began; the trace has it only after preemptions and observed wake-ups\n%s",
	    head, tail);
	expect(&r, all);
	/* The kernel counts from the begin of the process, the trace does not. */
	r.last.wakes = true;
	r.last.lost_switches = 0;
	snprintf(all, sizeof(all),
		 "%sCPU time: 250ms (from the kernel's context switches); run delay: 1ms since the "
		 "process began; the trace has it from each recorded wake-up on (from 5ms after "
		 "the start on)\nnothing lost\n%s",
		 head, tail);
	expect(&r, all);
	r.last.exact = r.last.wakes = false;
	snprintf(all, sizeof(all),
		 "%sCPU time: at most 250ms (from CPU clocks; context switches are not available: "
		 "no); run delay: 1ms\nnothing lost\n%s",
		 head, tail);
	expect(&r, all);
}

/* Each process is told how many were lost of all, as the kernel does not say whose they were. */
static void test_report_switches_of_all(void **state)
{
	struct rec_result r = recorded();
	struct rec_dump child = {.lost_switches = 1};
	struct tp_buf out = {0};

	(void)state;
	for (int i = 0; i < 3; i++)
		rec_dump_add_losses(&r.rest, &child);
	assert_int_equal(rec_report_troubles(&r, &out), 0);
	assert_int_equal(tp_buf_put(&out, "", 1), 0);
	assert_string_equal((char *)out.data,
			    "tprof-record: server: lost 1 context switch: the recorder could not "
			    "keep up; the trace calls these times \"not known\"\n");
	assert_true(rec_report_loses(&r, false));
	tp_buf_release(&out);
}

static void test_report_not_recorded(void **state)
{
	struct rec_result r = recorded();
	struct rec_request request = {.children = true};
	struct tp_buf out = {0};

	(void)state;
	strcpy(r.ended, "after 12ms: its seccomp filter does not allow futex");
	r.others_ended = 2;
	strcpy(r.other_ended, "7-sh after 3ms: it entered the strict mode of seccomp");
	r.children = 1;
	assert_int_equal(rec_report(&r, &request, &out), 0);
	assert_int_equal(tp_buf_put(&out, "", 1), 0);
	assert_null(strstr((char *)out.data, "nothing lost"));
	assert_non_null(strstr(
	    (char *)out.data,
	    "recording ended after 12ms: its seccomp filter does not allow futex\n"
	    "recording of 2 processes ended early; the first: 7-sh after 3ms: it entered the "
	    "strict "
	    "mode of seccomp\n"
	    "not recorded: 1 process that did not report to the recorder (statically linked, "
	    "privileged, or cut off by a sandbox)\n"));
	tp_buf_release(&out);
	r.more_children = true;
	request.children = false;
	assert_int_equal(rec_report(&r, &request, &out), 0);
	assert_int_equal(tp_buf_put(&out, "", 1), 0);
	assert_non_null(strstr((char *)out.data,
			       "not recorded: at least 1 process that it started; use "
			       "--follow-children\n"));
	tp_buf_release(&out);
}

static void test_report_nothing(void **state)
{
	struct rec_result r = {.folder = "run", .program = "server", .over = true};
	struct tp_buf out = {0};

	(void)state;
	expect(&r, "tprof-record: server: 0s, exit status 0\n"
		   "tprof-record: server: nothing was recorded: its process did not report; check "
		   "that LD_PRELOAD reaches it\n");
	/* Also for those who want to hear of nothing but trouble. */
	assert_int_equal(rec_report_troubles(&r, &out), 0);
	assert_true(out.size > 0);
	tp_buf_release(&out);
	assert_true(rec_report_loses(&r, false));
	r = recorded();
	assert_int_equal(rec_report_troubles(&r, &out), 0);
	assert_int_equal(out.size, 0);
	tp_buf_release(&out);
	assert_false(rec_report_loses(&r, false));
	r.last.lost[REC_LOST_BUCKETS] = 1;
	assert_int_equal(rec_report_troubles(&r, &out), 0);
	assert_true(out.size > 0);
	tp_buf_release(&out);
	assert_true(rec_report_loses(&r, false));
}

/* What the format cannot hold was chosen, and is no loss for --strict; but it is not nothing. */
static void test_report_left_out(void **state)
{
	struct rec_result r = recorded();

	(void)state;
	r.last.left_out = 1000;
	r.rest.left_out = 2;
	expect(&r, "tprof-record: server: 1.5s, exit status 0\n"
		   "recorded in run:\n"
		   "  heap.pb.gz              2KiB  1MiB in use\n"
		   "  trace.out               100B\n"
		   "1,002 tasks, regions and logs are left out: go 1.5 has none; "
		   "--trace-format=1.26 keeps them\n"
		   "look at it: tprof-top run/trace.out\n"
		   "            tprof-top run/heap.pb.gz\n");
	assert_false(rec_report_loses(&r, false));
}

static void test_report_goes_on(void **state)
{
	struct rec_result r = recorded();

	(void)state;
	r.over = false;
	strcpy(r.folder, "my run");
	r.last.nfiles = 1;
	expect(&r, "tprof-record: server: recorded for 1.5s; the program goes on unrecorded\n"
		   "recorded in my run:\n"
		   "  heap.pb.gz              2KiB  1MiB in use\n"
		   "nothing lost\n"
		   "look at it: tprof-top 'my run/heap.pb.gz'\n");
}

static void test_report_attached(void **state)
{
	struct rec_result r = recorded();

	(void)state;
	r.attached = true;
	r.last.nfiles = 0;
	r.children = 2;
	strcpy(r.cut, "3 of 9 stacks are cut");
	strcpy(r.limits, "not seen: time in the kernel");
	assert_true(rec_report_loses(&r, false));
	expect(&r, "tprof-record: server: 3 of 9 stacks are cut\n"
		   "tprof-record: server: process 4711, recorded for 1.5s, until it ended\n"
		   "not seen: time in the kernel\n"
		   "not recorded: 2 processes that it started\n");
	r = recorded();
	r.attached = r.executed = true;
	r.over = false;
	r.last.nfiles = 0;
	expect(&r, "tprof-record: server: process 4711, recorded for 1.5s, until it executed "
		   "another program\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_report_all_well),
	    cmocka_unit_test(test_report_empty_profile),
	    cmocka_unit_test(test_report_losses),
	    cmocka_unit_test(test_report_nothing),
	    cmocka_unit_test(test_report_goes_on),
	    cmocka_unit_test(test_report_running),
	    cmocka_unit_test(test_report_not_recorded),
	    cmocka_unit_test(test_report_attached),
	    cmocka_unit_test(test_report_switches_of_all),
	    cmocka_unit_test(test_report_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
