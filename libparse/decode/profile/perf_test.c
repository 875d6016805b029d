/* What perf script prints, in the layouts that its options and versions make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decode/profile/testing.h"

static const struct {
	const char *story, *text, *shows, *strict; /* strict: NULL if the same */
} cases[] = {
    {"stacks; inlined functions come first and have the address of their caller; unknown code",
     "# captured on: today\n"
     "shop 29776 12.345678:     250000 cpu-clock:uhH: \n"
     "\t          414b3b f+0x1 (inlined)\n"
     "\t          414b3b g(int)+0x20 (/bin/shop (copy)/a (deleted))\n"
     "\t    7f3796632415 [unknown] ([unknown])\n"
     "\n"
     "shop 29776 12.345679123:     250000 cpu-clock:uhH: \n"
     "\tffffffff81775b9a elf_load ([kernel.kallsyms])\n\n",
     "samples/count cpu-clock/nanoseconds per / 0\n"
     "1 250000: 0x414b3b#2 f+g(int) < 0x7f3796632415 {comm=shop; tid=29776; time=12345678000}\n"
     "1 250000: 0xffffffff81775b9a#3 elf_load {comm=shop; tid=29776; time=12345679123}\n"
     "map 0-0 0  \n"
     "map 0-0 0 /bin/shop (copy)/a (deleted) \n"
     "map 0-0 0 [kernel.kallsyms] \n",
     NULL},
    {"without stacks; pid and tid; a processor; misc; blanks and numbers in the name of the "
     "command; "
     "commands that are called like numbers",
     " a b 3 (x) 17/19 [003] 1.000001: 7 cycles:P:  10 f+0x1 (/bin/a b)\n"
     "swapper     0 [000] Kd 2.000000: 9 cycles:  ffff pvm_irq_enable+0x19 ([kernel.kallsyms])\n"
     "     dd   100 3.000000: 9 cycles:  ffff pvm_irq_enable\n",
     "samples/count cycles/count per / 0\n"
     "1 7: 0x10#2 f {comm=a b 3 (x); cpu=3; pid=17; tid=19; time=1000001000}\n"
     "1 9: 0xffff#3 pvm_irq_enable {comm=swapper; cpu=0; tid=0; time=2000000000}\n"
     "1 9: 0xffff pvm_irq_enable {comm=dd; tid=100; time=3000000000}\n"
     "map 0-0 0  \n"
     "map 0-0 0 /bin/a b \n"
     "map 0-0 0 [kernel.kallsyms] \n",
     NULL},
    {"without comm, without tid, without both",
     "17/19 1.000000: 7 cycles: 10 f (/x)\nMy App 1.000001: 7 cycles: 10 f (/x)\n"
     "1.000002: 7 cycles: 10 f (/x)\n",
     "samples/count cycles/count per / 0\n"
     "1 7: 0x10#2 f {pid=17; tid=19; time=1000000000}\n"
     "1 7: 0x10#2 f {comm=My App; time=1000001000}\n"
     "1 7: 0x10#2 f {time=1000002000}\n"
     "map 0-0 0  \n"
     "map 0-0 0 /x \n",
     NULL},
    {"without times, blanks before frames and a dso; two events; a tracepoint; a modifier is no "
     "event; a clock without a period is counted",
     "java 19983 cycles:\nffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])\n\n"
     "java 19983 cycles:u:\n\t10 f\n\n"
     "java 19983 cpu-clock:\n\t10 f\n\n"
     "java 19983 5.500000: sched:sched_switch: prev_comm=java prev_pid=3 ==> next_comm=a\n",
     "cycles/count cpu-clock/count sched:sched_switch/count per / 0\n"
     "1 0 0: 0xffffffff8103d0ca#2 native_write_msr_safe {comm=java; tid=19983}\n"
     "1 0 0: 0x10 f {comm=java; tid=19983}\n"
     "0 1 0: 0x10 f {comm=java; tid=19983}\n"
     "0 0 1 {comm=java; tid=19983; time=5500000000}\n"
     "map 0-0 0  \n"
     "map 0-0 0 [kernel.kallsyms] \n",
     NULL},
    {"C++ names are kept as perf shortened them, mangled ones are left to the reports",
     "a 1 1.000000: 1 cycles: \n\t1 std::vector<int>::push_back(int const&)+0x1f (/x)\n\t2 "
     "_ZN1a1bEv+0x2 (/x)\n\n",
     "samples/count cycles/count per / 0\n"
     "1 1: 0x1#2 std::vector<int>::push_back(int const&) < 0x2#2 _ZN1a1bEv {comm=a; tid=1; "
     "time=1000000000}\n"
     "map 0-0 0  \n"
     "map 0-0 0 /x \n",
     NULL},
    {"lines of the source code behind frames",
     "a 1 1.000000: 1 cycles: \n\t1 f+0x1 (/x)\n  f.c:12 (inlined)\n\t1 g+0x1 (/x)\n  g.c:3\n\n",
     "samples/count cycles/count per / 0\n"
     "1 1: 0x1#2 f@f.c:12+g@g.c:3 {comm=a; tid=1; time=1000000000}\n"
     "map 0-0 0  \n"
     "map 0-0 0 /x \n",
     NULL},
    {"lost samples, lines within and outside of a stack, damaged times, a stack without its "
     "sample, fields "
     "that are not known, the end cut off",
     "a 1 1.000000: 1 cycles: \n\t1 f (/x)\nlistening\n\t2 g (/x)\n\n"
     "a 1 2.000000: PERF_RECORD_LOST lost 12\n"
     "a 1 2.000000: PERF_RECORD_MMAP2 1/1: [0x1(0x2) @ 0 0:0 0 0]: r-xp /x\n"
     "a 1 3.000000: 1 cycles: \n\t3 h (/x)\n\n"
     "a 1 3.0x0000: 1 cycles: \n\t3 h (/x)\n\t2 g (/x)\n\n"
     "a 1 3.000000: 9223372036854775808 cycles: \n\t3 h (/x)\n\n"
     "a 1 3.500000: 1 cycles: \n\t3 h (/x)\n\t2 g (/x)\n\t1 f (/x)\n\n"
     "a 1 3.600000: 1 cycles:  1 f+0x0 (/x) 2 g\n"
     "listening\n"
     "a 1 4.000000: 1 cycles: \n\t3 h (/x)\n\t4",
     "samples/count cycles/count per / 0\n"
     "1 1: 0x1#2 f < 0x2#2 g {comm=a; tid=1; time=1000000000}\n"
     "1 1: 0x3#2 h {comm=a; tid=1; time=3000000000}\n"
     "1 1: 0x3#2 h < 0x2#2 g < 0x1#2 f {comm=a; tid=1; time=3500000000}\n"
     "1 1 {comm=a; tid=1; time=3600000000}\n"
     "map 0-0 0  \n"
     "map 0-0 0 /x \n"
     "lost line 3 is not a frame of a stack (ADDRESS FUNCTION (FILE))\n"
     "lost line 6 says that perf lost samples\n"
     "lost line 12 is a frame of a stack without the line of its sample\n"
     "lost line 16 is a frame of a stack without the line of its sample\n"
     "lost line 23 has fields behind its event that are not a frame (ADDRESS FUNCTION (FILE))\n"
     "lost line 24 is not a frame of a stack (ADDRESS FUNCTION (FILE))\n"
     "lost line 27 is cut off, and the stack with it\n",
     "error -3: line 3 is not a frame of a stack (ADDRESS FUNCTION (FILE))\n"},
};

static void expect(size_t i, bool strict, const char *shows)
{
	char *got = show_read(cases[i].text, strlen(cases[i].text), strict);

	if (strcmp(got, shows) != 0)
		fail_msg("%s:\ngot\n%sbut not\n%s", cases[i].story, got, shows);
	free(got);
}

static void test_perf_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		expect(i, false, cases[i].shows);
		expect(i, true, cases[i].strict ? cases[i].strict : cases[i].shows);
	}
}

static void test_perf_read_cut_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t n = strlen(cases[i].text); n--;) {
			/* A separate copy, so that a sanitizer sees reads beyond its end. */
			char *data = malloc(n ? n : 1);

			memcpy(data, cases[i].text, n);
			free(show_read(data, n, false));
			free(data);
		}
	}
}

/* Lines on which a careless reader takes time that grows with the square of their length. */
static void test_perf_read_long_lines(void **state)
{
	static const char *const again[] = {
	    "1 ", "1/1 ", "[1] ", "1.100000: ", "a: ", "+0x1 ", "(", " (", ") ", " "};

	(void)state;
	for (size_t i = 0; i < sizeof(again) / sizeof(again[0]); i++) {
		struct tp_buf text = {0};

		say(&text, "a 1 1.000000: 1 cycles: \n\t1 f (/x)\n\t2 ");
		for (int n = 0; n < 200000; n++)
			say(&text, "%s", again[i]);
		say(&text, ")\n\na ");
		for (int n = 0; n < 200000; n++)
			say(&text, "%s", again[i]);
		say(&text, "\n");
		free(show_read(text.data, text.size, false));
		tp_buf_release(&text);
	}
}

/* More events than there is room for: the last type has the rest. */
static void test_perf_read_events(void **state)
{
	struct tp_buf text = {0};
	char *got;

	(void)state;
	for (int i = 0; i < 66; i++)
		say(&text, "a 1 1.000000: 1 event%d: \n\t1 f (/x)\n\n", i);
	got = show_read(text.data, text.size, false);
	assert_non_null(strstr(got, "event62/count other events/count per"));
	assert_non_null(strstr(got, " 0 1: 0x1#2 f"));
	free(got);
	tp_buf_release(&text);
}

/* The last line break may be missing, as in what somebody has copied. */
static void test_perf_read_last_line(void **state)
{
	static const char text[] = "a 1 1.000000: 1 cycles: \n\t1 f (/x)\n\n"
				   "a 1 1.000001: 1 cycles: \n\t1 f (/x)\n\t2 g (/x)";
	char *got = show_read(text, sizeof(text) - 1, true);

	(void)state;
	assert_non_null(strstr(got, " f < "));
	assert_null(strstr(got, "lost"));
	free(got);
	got = show_read(text, sizeof(text) - 2, false);
	assert_non_null(strstr(got, "line 6 is cut off"));
	free(got);
}

static void test_perf_is_not(void **state)
{
	static const char *const texts[] = {
	    "a 1 1.000000: 1 cycles: \n",
	    "worker 171 12.5: GET: / 200\nworker 171 12.500000: info: listening\n",
	    "I0102 1231 12.500123: server.go: ready\nI0102 1231 12.500124: server.go: done\n",
	    "total 12\ndrwxr-xr-x 2 root root 4096 x\n",
	    "level=1 time: 3\n",
	    "--- Thread 1 (name: a",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *got = show_read(texts[i], strlen(texts[i]), false);

		assert_string_equal(got, "error -11: is not a profile of a known kind\n");
		free(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_perf_read),
	    cmocka_unit_test(test_perf_read_cut_anywhere),
	    cmocka_unit_test(test_perf_read_long_lines),
	    cmocka_unit_test(test_perf_read_events),
	    cmocka_unit_test(test_perf_read_last_line),
	    cmocka_unit_test(test_perf_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
