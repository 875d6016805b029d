/* A child with threads of which it is known what they do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tprof-record/convert/testing.h"
#include "tprof-record/parent/live/threads.h"
#include "tprof-record/parent/live/tracee.h"
#include "tprof-record/parent/live/testing.h"

static int to_parent[2];
static volatile int go_on = 1;

static void tell(int32_t word)
{
	if (write(to_parent[1], &word, sizeof(word)) != sizeof(word))
		_exit(1);
}

/* Each in a section of its own, so that it is known where it ends. */
#define ALONE(name) __attribute__((noinline, section(#name "_code")))
#define CODE(name)  __start_##name##_code, __stop_##name##_code
extern const char __start_spin_code[], __stop_spin_code[], __start_call_code[], __stop_call_code[],
    __start_dig_code[], __stop_dig_code[], __start_root_code[], __stop_root_code[];

static ALONE(spin) int spin_here(volatile int *until)
{
	int n = 0;

	while (*until)
		n++;
	return n;
}

static ALONE(call) int calls_spin(volatile int *until)
{
	int n = spin_here(until);

	return n + (int)getppid();
}

/* Deep enough that its stack is more than what is copied while it stands still. */
static ALONE(dig) int dig(int depth)
{
	volatile char hole[2048];

	hole[depth % 2048] = 1;
	if (!depth)
		return calls_spin(&go_on);
	return dig(depth - 1) + hole[depth % 2048];
}

static ALONE(root) void *spinner(void *arg)
{
	(void)arg;
	tell((int32_t)syscall(SYS_gettid));
	return (void *)(intptr_t)dig(200);
}

/* A call that any stop ends with EINTR, as the kernel has it. */
static ALONE(root) void *waiter(void *arg)
{
	struct epoll_event event;
	int fd = epoll_create1(0), n;

	(void)arg;
	tell((int32_t)syscall(SYS_gettid));
	n = epoll_wait(fd, &event, 1, -1);
	tell(n < 0 ? -errno : n);
	return NULL;
}

/* Numbers come from an arena, and are used again. */
static void test_tracee_stop_of_another_process(void **state)
{
	struct rec_tracee at;
	pid_t other = fork();

	(void)state;
	while (!other)
		pause();
	assert_int_equal(rec_tracee_stop(getpid(), other, &at), ESRCH);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

static void child(void)
{
	pthread_t a;

	tell((int32_t)getpid());
	pthread_create(&a, NULL, spinner, NULL);
	pthread_join(a, NULL);

	_exit(0);
}

static void child_waiting(void)
{
	pthread_t a;

	tell((int32_t)getpid());
	pthread_create(&a, NULL, waiter, NULL);
	pthread_join(a, NULL);
	_exit(0);
}

static pid_t start(void (*body)(void), int32_t tid[2])
{
	pid_t pid;

	assert_int_equal(pipe(to_parent), 0);
	pid = fork();
	if (!pid) {
		alarm(60);
		body();
	}
	assert_int_equal(read(to_parent[0], &tid[0], 4), 4);
	assert_int_equal(read(to_parent[0], &tid[1], 4), 4);
	return pid;
}

static void stop(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(to_parent[0]);
	close(to_parent[1]);
}

static void pause_ms(long ms)
{
	struct timespec t = {.tv_nsec = ms * 1000000};

	nanosleep(&t, NULL);
}

/* Until a thread has come to where it stays: it has had a processor for some ms, or none for a
 * while. For ten seconds at most. */
static void settle(pid_t pid, pid_t tid, bool spins)
{
	char path[64], text[256];

	for (int i = 0; i < 1000; i++) {
		FILE *f;
		bool there = false;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid,
			 spins ? "schedstat" : "stat");
		f = fopen(path, "re");
		if (f && fgets(text, sizeof(text), f)) {
			const char *name = strrchr(text, ')');

			there = spins ? strtoull(text, NULL, 10) >= 5000000
				      : name && name[1] && name[2] == 'S';
		}
		if (f)
			fclose(f);
		pause_ms(10);
		if (there)
			return;
	}
}

static void look(const struct rec_testing *t, pid_t pid, struct rec_live *live)
{
	struct tp_err err = {0};

	assert_int_equal(rec_live_stacks(pid, &t->process, live, &err), 0);
}

/* PCs are return addresses. */
static size_t within(const struct rec_live_stack *s, const char *from, const char *to)
{
	size_t n = 0;

	for (size_t i = 0; i < s->npcs; i++)
		n += s->pcs[i] > (uint64_t)(uintptr_t)from && s->pcs[i] <= (uint64_t)(uintptr_t)to;
	return n;
}

static void test_live_stacks_running(void **state)
{
	struct rec_live live;
	struct rec_testing t;
	struct rec_g *g;
	int32_t tid[2];
	pid_t pid;

	(void)state;
	REC_TESTING_NEED_TRACE();
	rec_testing_begin(&t);
	pid = start(child, tid);
	settle(pid, tid[1], true);
	g = rec_testing_g(&t, 1, (uint32_t)tid[0], "main");
	rec_testing_wait(
	    g, (struct rec_event){.kind = REC_BLOCK, .arg = REC_ON_JOIN, .stack = 7, .start = 1});
	rec_testing_g(&t, 2, (uint32_t)tid[1], "spinner");
	rec_testing_g(&t, 3, 0x7ffffff0, "gone");
	look(&t, pid, &live);
	assert_int_equal(live.n, 1);
	assert_int_equal(live.stack[0].g, 2);
	assert_int_equal(live.stack[0].tid, tid[1]);
	assert_int_equal(within(&live.stack[0], CODE(spin)), 1);
	assert_int_equal(within(&live.stack[0], CODE(call)), 1);
	/* The last may have jumped. */
	assert_in_range(within(&live.stack[0], CODE(dig)), 200, 201);
	assert_int_equal(within(&live.stack[0], CODE(root)), 1);
	/* Innermost first; under ThreadSanitizer that is the sanitizer's own. */
#ifndef __SANITIZE_THREAD__
	assert_true(live.stack[0].pcs[0] > (uint64_t)(uintptr_t)__start_spin_code);
	assert_true(live.stack[0].pcs[0] <= (uint64_t)(uintptr_t)__stop_spin_code);
#endif
	rec_live_release(&live);
	assert_int_equal(live.n, 0);
	/* It runs on. */
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	stop(pid);
	rec_testing_end(&t);
}

/* A goroutine of the program's own has the stack of the thread that it is on. */
static void test_live_stacks_own(void **state)
{
	struct rec_live live;
	struct rec_testing t;
	int32_t tid[2];
	pid_t pid;

	(void)state;
	REC_TESTING_NEED_TRACE();
	rec_testing_begin(&t);
	pid = start(child, tid);
	settle(pid, tid[1], true);
	rec_testing_g(&t, 2, (uint32_t)tid[1], "spinner");
	rec_testing_g(&t, 9, 0, "fibre")->m = 2;
	look(&t, pid, &live);
	assert_int_equal(live.n, 1);
	assert_int_equal(live.stack[0].g, 9);
	assert_int_equal(within(&live.stack[0], CODE(spin)), 1);
	rec_live_release(&live);
	stop(pid);
	rec_testing_end(&t);
}

static void test_live_stacks_no_eintr(void **state)
{
	struct rec_live live;
	struct rec_testing t;
	int32_t tid[2];
	pid_t pid;

	(void)state;
	REC_TESTING_NEED_TRACE();
	rec_testing_begin(&t);
	pid = start(child_waiting, tid);
	settle(pid, tid[1], false);
	rec_testing_g(&t, 2, (uint32_t)tid[1], "waiter");
	for (int i = 0; i < 20; i++) {
		struct timespec none = {0};
		fd_set set;

		look(&t, pid, &live);
		assert_int_equal(live.n, 1);
		assert_int_equal(within(&live.stack[0], CODE(root)), 1);
		rec_live_release(&live);
		pause_ms(1);
		FD_ZERO(&set);
		FD_SET(to_parent[0], &set);
#if defined(__x86_64__)
		assert_int_equal(pselect(to_parent[0] + 1, &set, NULL, NULL, &none, NULL), 0);
#else
		(void)none;
#endif
	}
	stop(pid);
	rec_testing_end(&t);
}

static void test_live_stacks_dead(void **state)
{
	struct tp_err err = {0};
	struct rec_live live;
	struct rec_testing t;
	int32_t tid[2];
	siginfo_t how;
	pid_t pid;

	(void)state;
	rec_testing_begin(&t);
	pid = start(child, tid);
	rec_testing_g(&t, 1, (uint32_t)tid[0], "main");
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &how, WEXITED | WNOWAIT), 0);
	assert_int_equal(rec_live_stacks(pid, &t.process, &live, &err), 0);
	assert_int_equal(live.n, 0);
	/* Its exit is still there to be collected. */
	stop(pid);
	assert_int_equal(rec_live_stacks(pid, &t.process, &live, &err), 0);
	assert_int_equal(live.n, 0);
	rec_testing_end(&t);
}

/* Killed at any moment while it is looked at. */
static void test_live_stacks_dying(void **state)
{
	struct rec_live live;
	struct rec_testing t;
	struct tp_err err;
	int32_t tid[2];

	(void)state;
	for (int i = 0; i < 30; i++) {
		pid_t pid, killer;

		rec_testing_begin(&t);
		pid = start(child, tid);
		rec_testing_g(&t, 1, (uint32_t)tid[0], "main");
		rec_testing_g(&t, 2, (uint32_t)tid[1], "spinner");
		killer = fork();
		if (!killer) {
			struct timespec when = {.tv_nsec = i * 100000};

			nanosleep(&when, NULL);
			kill(pid, SIGKILL);
			_exit(0);
		}
		rec_live_stacks(pid, &t.process, &live, &err);
		rec_live_release(&live);
		waitpid(killer, NULL, 0);
		stop(pid);
		rec_testing_end(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_live_stacks_running),
	    cmocka_unit_test(test_live_stacks_own),
	    cmocka_unit_test(test_live_stacks_no_eintr),
	    cmocka_unit_test(test_live_stacks_dead),
	    cmocka_unit_test(test_live_stacks_dying),
	    cmocka_unit_test(test_tracee_stop_of_another_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
