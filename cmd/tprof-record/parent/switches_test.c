/* What the kernel says of a shell that starts a program which sleeps. */
#include "tprof-record/parent/switches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tprof-record/convert/trace/switch.h"
#include "tprof-record/core/core.h"

/* Starts a shell, which waits for a byte. */
static pid_t spawn(const char *command, int *go)
{
	int both[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(both), 0);
	pid = fork();
	if (!pid) {
		close(both[1]);
		(void)!read(both[0], &c, 1);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	assert_true(pid > 0);
	close(both[0]);
	*go = both[1];
	return pid;
}

static void follow(bool children)
{
	struct rec_switches *s;
	const struct rec_event *events;
	uint64_t lost, before = rec_now(), slept = 0, out[2] = {0};
	unsigned exits = 0, others = 0;
	struct tp_err err;
	size_t n;
	int go;
	pid_t pid;

	pid = spawn("sleep 0.05; :", &go);
	if (rec_switches_begin(&s, pid, children, "/tmp", &err)) {
		print_message("%s\n", err.msg);
		s = NULL;
	}
	assert_int_equal(write(go, "", 1), 1);
	close(go);
	waitpid(pid, NULL, 0);
	if (!s)
		skip();
	rec_switches_take(s);
	rec_switches_stop(s);
	assert_int_equal(rec_switches_map(s, before, rec_now(), &events, &n, &lost, &err), 0);
	assert_int_equal(lost, 0);
	for (size_t i = 0; i < n; i++) {
		const struct rec_event *e = &events[i];
		bool own = rec_switch_pid(e) == (uint32_t)pid;

		assert_true(e->end >= before && e->end <= rec_now());
		assert_true(!i || e->end >= events[i - 1].end);
		assert_true(rec_switch_cpu(e) < 8192);
		others += !own;
		exits += e->flags & REC_SWITCH_EXIT ? 1 : 0;
		if (e->kind == REC_SWITCH_OUT)
			out[own] = e->end;
		else if (out[own] && e->end - out[own] > slept)
			slept = e->end - out[own];
	}
	assert_true(slept > 40000000);
	/* Before 5.13 children cannot be left out. */
	assert_true(children ? others && exits == 2 : exits >= 1);
	/* Nothing of a time before. */
	assert_int_equal(rec_switches_map(s, 0, 1, &events, &n, &lost, &err), 0);
	assert_int_equal(n, 0);
	rec_switches_end(s);
}

static void test_switches(void **state)
{
	(void)state;
	follow(false);
}

static void test_switches_children(void **state)
{
	(void)state;
	follow(true);
}

static void test_switches_no_folder(void **state)
{
	struct rec_switches *s;
	struct tp_err err;

	(void)state;
	assert_int_equal(rec_switches_begin(&s, getpid(), false, "/nowhere", &err), TP_EIO);
	assert_null(s);
	rec_switches_end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_switches),
	    cmocka_unit_test(test_switches_children),
	    cmocka_unit_test(test_switches_no_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
