#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <cmocka.h>

#include "tprof-record/core/stack/machine.h"
#include "tprof-record/core/testing.h"

/* With a frame pointer; clang cannot be told of one function. */
#if defined(__clang__)
#define FRAMED __attribute__((noinline))
#else
#define FRAMED __attribute__((noinline, optimize("no-omit-frame-pointer")))
#endif

static uint32_t kept = 200;

static int begin(void **state)
{
	struct rec_options options = {.trace = 1, .depth = kept};

	(void)state;
	return rec_core_begin(&options, true);
}

static int end(void **state)
{
	(void)state;
	rec_core_end();
	return 0;
}

static _Atomic uint64_t compared, different;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LIBGCC = false };
#else
enum { LIBGCC = true };
#endif

/* The stack as the cache gives it, as the uncached unwinder does, and as libgcc's does. */
__attribute__((noinline)) static void compare(bool with_libgcc)
{
	uint64_t cached[256], plain[256];
	void *theirs[256];
	uint32_t stack = rec_stack(0);
	size_t n = rec_backtrace(plain, kept, 0), m = pcs_of(stack, cached, 256), i, k;
	bool same = n == m && stack;

	/* The innermost frame is this function, at two different calls. */
	for (i = 1; same && i < n; i++)
		same = cached[i] == plain[i];
	if (same && with_libgcc && LIBGCC && n < kept) {
		k = (size_t)backtrace(theirs, 200);
		same = k == n;
		/* Of code that a signal interrupted we have PC + 1. */
		for (i = 1; same && i < n; i++)
			same = plain[i] - (uint64_t)(uintptr_t)theirs[i] <= 1;
	}
	compared++;
	if (!same)
		different++;
}

/* ---- random paths through functions that differ in how they use their stack ---- */

static __thread uint64_t dice;

static uint32_t roll(uint32_t n)
{
	dice = dice * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(dice >> 33) % n;
}

static void step(unsigned depth);
static __thread volatile int sink;
/* Stacks are compared in a signal handler only. */
static volatile sig_atomic_t ticking;

__attribute__((noinline)) static void plain_call(unsigned depth)
{
	step(depth);
	sink++;
}

__attribute__((noinline)) static void with_alloca(unsigned depth)
{
	volatile char *p = __builtin_alloca(16 + roll(5) * 48);

	p[0] = 1;
	step(depth);
	sink += p[0];
}

__attribute__((noinline)) static void with_array(unsigned depth)
{
	volatile char a[300];

	a[depth] = 2;
	step(depth);
	if (roll(2))
		step(depth ? depth - 1 : 0);
	sink += a[depth];
}

FRAMED static void with_frame_pointer(unsigned depth)
{
	step(depth);
	sink++;
}

/* The compiler realigns its stack: the tables say it with expressions. */
__attribute__((noinline)) static void with_alignment(unsigned depth)
{
	volatile char a[64] __attribute__((aligned(64)));

	a[0] = 3;
	step(depth);
	sink += a[0];
}

__attribute__((noinline)) static void with_both(unsigned depth)
{
	volatile char a[64] __attribute__((aligned(64)));
	volatile char *p = __builtin_alloca(16 + roll(7) * 16);

	a[0] = p[0] = 3;
	step(depth);
	sink += a[0] + p[0];
}

__attribute__((noinline)) static void many_registers(unsigned depth)
{
	volatile int *s = &sink;
	int a = s[0], b = s[0], c = s[0], d = s[0], e = s[0], f = s[0];

	step(depth);
	s[0] = a ^ b;
	step(depth ? depth / 2 : 0);
	s[0] = c ^ d ^ e ^ f;
}

static int compare_ints(const void *a, const void *b)
{
	if (!ticking && !roll(16))
		compare(false);
	return *(const int *)a - *(const int *)b;
}

/* Through code of libc. */
__attribute__((noinline)) static void with_qsort(unsigned depth)
{
	int numbers[] = {3, 1, 2};

	qsort(numbers, 3, sizeof(numbers[0]), compare_ints);
	step(depth);
	sink += numbers[0];
}

static void step(unsigned depth)
{
	static void (*const functions[])(unsigned) = {
	    plain_call,	    with_alloca, with_array,	 with_frame_pointer, plain_call,
	    with_alignment, with_both,	 many_registers, with_qsort,	     plain_call,
	};

	if (!depth) {
		if (!ticking)
			compare(roll(64) == 0);
		return;
	}
	/* Mostly the usual way, so that there are repeats as well. While code realigns its stack, x86-64 has the
	 * CFA in a register that is not kept. */
	functions[ticking || roll(3) ? depth % 5 : roll(10)](depth - 1);
}

enum { THREADS = 3, PATHS = 900, WALKS = 20000 };

/* Each thread walks its paths again and again, in random order: more would not fit into the tree.
 */
static void *walk_about(void *arg)
{
	uint64_t seed = (uint64_t)(uintptr_t)arg, i;

	for (i = 0; i < WALKS; i++) {
		dice = seed * PATHS + (i * i + i / 7) % PATHS;
		step(roll(24));
	}
	rec_thread_end();
	return NULL;
}

/* STACK_TEST_ROUNDS=100: millions of paths. */
static void walk_random_paths(void **state)
{
	const char *wanted = getenv("STACK_TEST_ROUNDS");
	size_t i, round, rounds = wanted ? strtoull(wanted, NULL, 10) : 1;
	pthread_t thread[THREADS];

	compared = different = 0;
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < THREADS; i++)
			assert_int_equal(0, pthread_create(&thread[i], NULL, walk_about,
							   (void *)(round * THREADS + i + 1)));
		for (i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
		assert_int_equal(0, different);
		assert_int_equal(0, rec_core->arena.header->lost[REC_LOST_STACKS]);
		end(state);
		assert_int_equal(0, begin(state));
	}
	assert_true(compared >= rounds * THREADS * WALKS);
}

static void test_stack_random_paths(void **state)
{
	walk_random_paths(state);
}

/* Most of them are deeper than what is kept. */
static void test_stack_random_paths_cut(void **state)
{
	end(state);
	kept = 13;
	assert_int_equal(0, begin(state));
	walk_random_paths(state);
	end(state);
	kept = 200;
	assert_int_equal(0, begin(state));
}

/* The same path again is the same node, and nothing new is kept. */
static void test_stack_repeated(void **state)
{
	uint32_t first = 0, used, i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		uint32_t stack = rec_stack(0);

		if (!i) {
			first = stack;
			used = rec_core->arena.header->nodes.used;
		}
		assert_int_equal(first, stack);
	}
	assert_int_not_equal(0, first);
	assert_int_equal(used, rec_core->arena.header->nodes.used);
}

__attribute__((noinline)) static uint32_t recurse(unsigned depth)
{
	uint32_t stack = depth ? recurse(depth - 1) : rec_stack(0);

	sink++;
	return stack;
}

static void test_stack_cut_at_depth(void **state)
{
	static const unsigned depths[] = {500, 20, 500, 20, 300, 201, 150, 500};
	uint64_t pcs[REC_MAX_DEPTH];
	uint32_t deep = 0, shallow = 0;
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		uint32_t stack = recurse(depths[i]);

		n = pcs_of(stack, pcs, REC_MAX_DEPTH);
		if (depths[i] > 200) {
			assert_int_equal(200, n);
			assert_int_equal(pcs[1], pcs[199]);
			assert_true(!deep || deep == stack);
			deep = stack;
		} else if (depths[i] == 20) {
			assert_in_range(n, 22, 60);
			assert_true(!shallow || shallow == stack);
			shallow = stack;
		}
	}
}

__attribute__((noinline)) static uint32_t skip_one(void)
{
	uint32_t stack = rec_stack(1);

	sink++;
	return stack;
}

static void test_stack_skip(void **state)
{
	uint64_t with[64], without[64];
	size_t n, m;
	uint32_t a, b;

	(void)state;
	a = rec_stack(0), b = skip_one();
	n = pcs_of(a, with, 64), m = pcs_of(b, without, 64);
	assert_int_equal(n, m);
	assert_memory_equal(with + 1, without + 1, (n - 1) * sizeof(with[0]));
	assert_true(without[0] > with[0] && without[0] - with[0] < 64);
}

/* ---- signal handlers, alternate stacks, coroutines ---- */

static uint64_t seen[64];
static size_t nseen;

static void on_signal(int signal)
{
	uint32_t stack = rec_stack(0);

	(void)signal;
	compare(true);
	nseen = pcs_of(stack, seen, 64);
}

ALONE static void interrupted(int signal)
{
	raise(signal);
	sink++;
}

static void check_signal(int flags)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags}, old;
	bool found = false;
	size_t i;
	int round;

	compared = different = 0;
	sigaction(SIGUSR1, &action, &old);
	for (round = 0; round < 3; round++) {
		nseen = 0;
		interrupted(SIGUSR1);
		for (i = 0; i < nseen; i++)
			found |= seen[i] - (uint64_t)(uintptr_t)interrupted < 64;
		assert_true(found);
	}
	sigaction(SIGUSR1, &old, NULL);
	assert_int_equal(3, compared);
	assert_int_equal(0, different);
}

static void test_stack_in_signal_handler(void **state)
{
	(void)state;
	check_signal(0);
}

static void test_stack_on_alternate_stack(void **state)
{
	stack_t stack = {.ss_size = 65536}, old;

	(void)state;
	stack.ss_sp =
	    mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(stack.ss_sp != MAP_FAILED);
	assert_int_equal(0, sigaltstack(&stack, &old));
	check_signal(SA_ONSTACK);
	assert_int_equal(0, sigaltstack(&old, NULL));
	munmap(stack.ss_sp, stack.ss_size);
}

/* libgcc has no tables for stubs of the linker on arm64, and ends there. */
static void on_tick(int signal)
{
	void *theirs[200];
	uint64_t plain[200];
	size_t n = rec_backtrace(plain, kept, 0), k = (size_t)backtrace(theirs, 200), i;
	bool same = k == n || (REC_LINKS && k < n);

	(void)signal;
	for (i = 1; same && i < k; i++)
		same = plain[i] - (uint64_t)(uintptr_t)theirs[i] <= 1;
	same &= rec_stack(0) != 0;
	different += !same;
	compared++;
}

/* Code is interrupted anywhere: before it has saved registers, and after it has restored them. */
static void test_stack_interrupted_anywhere(void **state)
{
	struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART}, old;
	struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	void *once[1];

	(void)state;
	if (!LIBGCC) {
		print_message("sanitizers have a backtrace of their own, with other frames\n");
		skip();
	}
	backtrace(once, 1);
	compared = different = 0;
	ticking = 1;
	sigaction(SIGALRM, &action, &old);
	setitimer(ITIMER_REAL, &often, NULL);
	for (dice = 1; compared < 400;)
		step(roll(12)), with_qsort(0);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &old, NULL);
	ticking = 0;
	assert_int_equal(0, different);
}

/* Calls a function; has a frame pointer and no tables. */
void without_tables(void (*function)(void));
__asm__(".text\n.balign 16\n.type without_tables, %function\nwithout_tables:\n"
#if defined(__x86_64__)
	"push %rbp\nmov %rsp, %rbp\nsub $48, %rsp\ncall *%rdi\nleave\nret\n"
#else
	"stp x29, x30, [sp, #-64]!\nmov x29, sp\nblr x0\nldp x29, x30, [sp], #64\nret\n"
#endif
	".size without_tables, . - without_tables\n");

ALONE static void see(void)
{
	compare(false);
	nseen = rec_backtrace(seen, 64, 0);
}

/* Behind code that is generated at run time, all is found again. */
FRAMED static void test_stack_without_tables(void **state)
{
	uint64_t outer[64];
	size_t n = rec_backtrace(outer, 64, 0), i;

	(void)state;
	compared = different = 0;
	for (i = 0; i < 3; i++) {
		without_tables(see);
		assert_int_equal(n + 2, nseen);
		assert_memory_equal(seen + 3, outer + 1, (n - 1) * sizeof(outer[0]));
	}
	assert_int_equal(0, different);
}

/* In a stub of the linker on arm64, the caller is where x30 points. */
static void test_stack_in_stub(void **state)
{
#if defined(__aarch64__)
	static const uint32_t stub[] = {0xd503245f, 0xf00000d0, 0xf947f611, 0x913fa210, 0xd61f0220};
	uint64_t pcs[64], caller = (uint64_t)(uintptr_t)__builtin_return_address(0);
	size_t i;

	for (i = 0; i < sizeof(stub) / sizeof(stub[0]); i++) {
		struct rec_frame f = {.pc = (uint64_t)(uintptr_t)&stub[i] + 1,
				      .sp = (uint64_t)(uintptr_t)__builtin_frame_address(0),
				      .link = caller};

		assert_true(rec_enter());
		assert_true(pcs_of(rec_stack_from(f, 0), pcs, 64) > 1);
		rec_leave();
		assert_true(pcs[0] == f.pc && pcs[1] == rec_unsigned(caller));
	}
#endif
	(void)state;
}

static ucontext_t back, there[2];
static unsigned turns;

static void coroutine(void)
{
	for (;;) {
		step(roll(8));
		turns++;
		swapcontext(&there[turns % 2 ? 0 : 1], turns % 16 ? &there[turns % 2] : &back);
	}
}

static void test_stack_coroutines(void **state)
{
	const size_t size = 65536;
	volatile size_t i; /* getcontext comes back */
	volatile unsigned round;
	unsigned k;

	(void)state;
	compared = different = 0;
	dice = 5;
	/* Stacks come and go, at the same place but not of the same size. */
	for (round = 0; round < 40; round++) {
		char *memory = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (i = 0; i < 2; i++) {
			getcontext(&there[i]);
			there[i].uc_stack.ss_sp = memory + i * size;
			there[i].uc_stack.ss_size = size - (round % 7) * 4096;
			there[i].uc_link = NULL;
			makecontext(&there[i], coroutine, 0);
		}
		turns = 0;
		for (k = 0; k < 4; k++)
			swapcontext(&back, &there[turns % 2]);
		munmap(memory, 2 * size);
	}
	assert_true(compared > 40 * 16);
	assert_int_equal(0, different);
}

/* A frame pointer and a return address that are garbage end a stack, and nothing worse. */
static void test_stack_garbage(void **state)
{
	static const uint64_t values[] = {0,	     1, 8, 4096, 0x7fffffffe000, UINT64_MAX - 7,
					  1ull << 63};
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		for (k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
			struct rec_frame f = {
			    .pc = values[i], .sp = (uint64_t)(uintptr_t)&f, .fp = values[k]};

			assert_true(rec_enter());
			rec_stack_from(f, 0);
			f.pc = (uint64_t)(uintptr_t)test_stack_garbage + 16;
			f.sp = values[i];
			rec_stack_from(f, 0);
			rec_leave();
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stack_random_paths),
	    cmocka_unit_test(test_stack_random_paths_cut),
	    cmocka_unit_test(test_stack_repeated),
	    cmocka_unit_test(test_stack_cut_at_depth),
	    cmocka_unit_test(test_stack_skip),
	    cmocka_unit_test(test_stack_in_signal_handler),
	    cmocka_unit_test(test_stack_on_alternate_stack),
	    cmocka_unit_test(test_stack_interrupted_anywhere),
	    cmocka_unit_test(test_stack_without_tables),
	    cmocka_unit_test(test_stack_in_stub),
	    cmocka_unit_test(test_stack_coroutines),
	    cmocka_unit_test(test_stack_garbage),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
