/* Samples by a real timer and a handler, and those that come while the thread is inside the recorder. */
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "tprof-record/core/stack/machine.h"
#include "tprof-record/core/testing.h"

enum { HZ = 100 };
#define PERIOD (1000000000u / HZ)

static void on_signal(int n, siginfo_t *info, void *context)
{
	(void)n;
	if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &rec_cpu_mark)
		rec_cpu_sample(context, (uint32_t)info->si_overrun);
}

static void begin(void)
{
	struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_RESTART};
	struct rec_options options = {.trace = 1, .cpu_hz = HZ, .cpu_signal = (uint32_t)SIGRTMIN};

	ours.sa_sigaction = on_signal;
	assert_int_equal(0, sigaction(SIGRTMIN, &ours, NULL));
	begin_with(&options);
}

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void burn(uint64_t ns)
{
	uint64_t until = cpu_now() + ns;

	while (cpu_now() < until)
		;
}

static uint64_t periods(void)
{
	uint64_t n = 0;

	for (uint32_t at = header()->newest[REC_CPU_BUCKET]; at; at = bucket(at)->allnext)
		n += (uint64_t)bucket(at)->u.block.cycles;
	return n;
}

/* All that the thread has used is there at its end, whatever it did meanwhile. */
static void test_cpu_adds_up(void **state)
{
	sigset_t all, was;
	uint64_t from;

	(void)state;
	begin();
	from = cpu_now();
	burn(10 * PERIOD);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &was);
	burn(10 * PERIOD);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	assert_true(rec_enter());
	burn(10 * PERIOD);
	assert_true(rec_self.cpu.owed > 0);
	rec_leave();
	assert_int_equal(0, rec_self.cpu.owed);
	assert_non_null(event_at(REC_CPU, 5));
	rec_cpu_end();
	from = (cpu_now() - from) / PERIOD;
	assert_in_range(periods(), from - 1, from + 1);
}

static void *brief(void *arg)
{
	(void)arg;
	rec_thread_begin(0, 0x1234);
	burn(PERIOD / 5);
	rec_thread_end();
	return NULL;
}

/* Threads that use a fifth of a period have a fifth of a sample each. */
static void test_cpu_brief_threads(void **state)
{
	enum { N = 400 };
	pthread_t thread;

	(void)state;
	begin();
	rec_cpu_end();
	for (int i = 0; i < N; i++) {
		pthread_create(&thread, NULL, brief, NULL);
		pthread_join(thread, NULL);
	}
	/* 80, and five times the standard deviation of 8. */
	assert_in_range(periods(), 40, 130);
}

static void set_context(ucontext_t *at, uint64_t pc, uint64_t sp)
{
#if defined(__x86_64__)
	at->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
	at->uc_mcontext.gregs[REG_RSP] = (greg_t)sp;
#else
	at->uc_mcontext.pc = pc;
	at->uc_mcontext.sp = sp;
#endif
}

/* Just behind a system call, the innermost frame is the kernel's. */
static void test_cpu_in_kernel(void **state)
{
	/* The call is in the middle; on x86-64 it has two bytes. */
	static const uint32_t code[] = {0, REC_CALL_CODE, 0};
	static const uint64_t before = REC_CALL_SIZE > 2 ? 4 : 1;
	ucontext_t at = {0};
	uint64_t pcs[4];

	(void)state;
	begin();
	for (size_t behind = 0; behind < 2; behind++) {
		uint64_t pc = (uint64_t)(uintptr_t)&code[1] + REC_CALL_SIZE;

		pc -= behind ? 0 : before;

		set_context(&at, pc, (uint64_t)(uintptr_t)__builtin_frame_address(0));
		rec_cpu_sample(&at, 0);
		assert_true(pcs_of(rec_self.cpu.stack, pcs, 4) > behind);
		assert_true(pcs[behind] == pc + 1);
		assert_int_equal(behind, pcs[0] == REC_KERNEL_PC);
	}
	rec_cpu_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_cpu_adds_up, stop),
	    cmocka_unit_test_teardown(test_cpu_brief_threads, stop),
	    cmocka_unit_test_teardown(test_cpu_in_kernel, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
