/* What the kernel says of a shell that starts a program which sleeps. */
#include "tprof-record/parent/switches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

static void follow(enum rec_switches_of of)
{
	struct rec_switches *s;
	struct rec_switches_list list;
	uint64_t before = rec_now(), slept[2] = {0}, out[2] = {0};
	char name[16];
	bool more;
	unsigned exits = 0, others = 0;
	struct tp_err err;
	int go;
	pid_t pid;

	pid = spawn("sleep 0.05; :", &go);
	if (rec_switches_begin(&s, pid, of, "/tmp", &err)) {
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
	/* The shell, which became one, started sleep, which became another. */
	assert_int_equal(rec_switches_begun(s, &more), 1);
	assert_false(more);
	assert_true(rec_switches_exec(s, pid, before, rec_now(), name) > before);
	assert_true(!strcmp(name, "sh") || !strcmp(name, "dash"));
	assert_int_equal(rec_switches_exec(s, pid, rec_now(), UINT64_MAX, name), 0);
	assert_int_equal(rec_switches_exec(s, 1, 0, UINT64_MAX, name), 0);
	assert_int_equal(rec_switches_map(s, before, rec_now(), &list, &err), 0);
	assert_int_equal(list.lost, 0);
	assert_int_equal(list.end_ns, 0);
	if (of == REC_SWITCHES_OF_NONE) {
		assert_int_equal(list.n, 0);
		rec_switches_end(s);
		return;
	}
	for (size_t i = 0; i < list.n; i++) {
		const struct rec_event *e = &list.events[i];
		bool own = rec_switch_pid(e) == (uint32_t)pid;

		assert_true(e->end >= before && e->end <= rec_now());
		assert_true(!i || e->end >= list.events[i - 1].end);
		assert_true(rec_switch_cpu(e) < 8192);
		others += !own;
		exits += e->flags & REC_SWITCH_EXIT ? 1 : 0;
		if (e->kind == REC_SWITCH_OUT)
			out[own] = e->end;
		else if (out[own])
			slept[own] += e->end - out[own];
	}
	/* Sleep may have begun before the shell waits for it: added up, as a busy machine takes the shell off its
	 * processor at any time. */
	assert_true(slept[1] > 40000000);
	/* Before 5.13 children cannot be left out. */
	assert_true(of == REC_SWITCHES_OF_ALL ? others && exits == 2 : exits >= 1);
	/* Nothing of a time before. */
	assert_int_equal(rec_switches_map(s, 0, 1, &list, &err), 0);
	assert_int_equal(list.n, 0);
	rec_switches_end(s);
}

static void test_switches(void **state)
{
	(void)state;
	follow(REC_SWITCHES_OF_PROGRAM);
}

static void test_switches_children(void **state)
{
	(void)state;
	follow(REC_SWITCHES_OF_ALL);
}

static void test_switches_none(void **state)
{
	(void)state;
	follow(REC_SWITCHES_OF_NONE);
}

static void test_switches_no_folder(void **state)
{
	struct rec_switches *s;
	struct tp_err err;

	(void)state;
	assert_int_equal(rec_switches_begin(&s, getpid(), REC_SWITCHES_OF_ALL, "/nowhere", &err),
			 TP_EIO);
	assert_null(s);
	rec_switches_end(s);
}

/* The files of a recording come before rings, and both before wakes. */
static void test_switches_few_files(void **state)
{
	const rlim_t each = 2 * (rlim_t)sysconf(_SC_NPROCESSORS_CONF);
	struct rlimit before, few;
	struct rec_switches *s;
	struct rec_switches_list list = {0};
	struct tp_err err;
	int fd = dup(0), code;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	for (rlim_t n = (rlim_t)fd + 2; n < each + 40; n++) {
		few = before;
		few.rlim_cur = n;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		code = rec_switches_begin(&s, getpid(), REC_SWITCHES_OF_PROGRAM, "/tmp", &err);
		fd = dup(0);
		assert_true(fd >= 0 && fd + 7 <= (int)n + (code ? 7 : 0));
		close(fd);
		if (!code) {
			assert_in_range(rec_switches_files(s), 1, each);
			assert_int_equal(rec_switches_map(s, 0, 1, &list, &err), 0);
			assert_false(list.wakes);
		}
		rec_switches_end(s);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_switches),	       cmocka_unit_test(test_switches_children),
	    cmocka_unit_test(test_switches_none),      cmocka_unit_test(test_switches_no_folder),
	    cmocka_unit_test(test_switches_few_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
