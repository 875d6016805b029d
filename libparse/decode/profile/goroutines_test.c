#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decode/profile/testing.h"
#include "open/input.h"

#define TYPES "goroutine/count wait/nanoseconds per goroutine/count 1\n"

static const struct {
	const char *story, *text, *shows;
} cases[] = {
    {"debug=2 of go 1.27: states, minutes, threads, creators; arguments say nothing",
     "goroutine 1 [running]:\n"
     "main.main()\n"
     "\twl2/main.go:168 +0x79c\n"
     "\n"
     "goroutine 30 [sync.Mutex.Lock, 5 minutes, locked to thread]:\n"
     "internal/sync.(*Mutex).lockSlow(0x11f436504030)\n"
     "\tinternal/sync/mutex.go:149 +0x15a\n"
     "internal/sync.(*Mutex).Lock(...)\n"
     "\tinternal/sync/mutex.go:70\n"
     "sync.(*Mutex).Lock(...)\n"
     "\tsync/mutex.go:46\n"
     "main.leak[...].func2({0x1, 0x2}, ...)\n"
     "\t/a dir/with: 7/main.go:93 +0x31\n"
     "created by main.leak in goroutine 1\n"
     "\twl2/main.go:94 +0x1d\n",
     TYPES
     "1 0: main.main@wl2/main.go:168 {state=running; goroutine=1}\n"
     "1 300000000000: internal/sync.(*Mutex).lockSlow@internal/sync/mutex.go:149 < "
     "internal/sync.(*Mutex).Lock@internal/sync/mutex.go:70+sync.(*Mutex).Lock@sync/mutex.go:46+"
     "main.leak[...].func2@/a dir/with: 7/main.go:93 "
     "{created_at=wl2/main.go:94; created_by=main.leak; locked=to thread; state=sync.Mutex.Lock; "
     "creator=1; goroutine=30}\n"},
    {"go 1.19 does not say which goroutine the creator is; older ones cut stacks at their end",
     "goroutine 7 [chan receive (nil chan)]:\n"
     "main.f(0x1)\n"
     "\t/src/x.go:3 +0x12\n"
     "...additional frames elided...\n"
     "created by main.main\n"
     "\t/src/x.go:9 +0x5e\n",
     TYPES "1 0: main.f@/src/x.go:3 {created_at=/src/x.go:9; created_by=main.main; "
	   "state=chan receive (nil chan); elided=0; goroutine=7}\n"},
    {"a crash: the panic's words are comments, what follows a stack is no part of it",
     "starting\n"
     "panic: no stamps left [recovered]\n"
     "\tpanic: no stamps left again\n"
     "[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x4e99b4]\n"
     "\n"
     "goroutine 1 [running]:\n"
     "panic({0x5e4910?, 0x4f4d40?})\n"
     "\truntime/panic.go:859 +0x125\n"
     "main.main()\n"
     "\t./stuck.go:159 +0x58c\n"
     "exit status 2\n",
     TYPES "1 0: runtime.gopanic@runtime/panic.go:859 < main.main@./stuck.go:159 "
	   "{state=running; goroutine=1}\n"
	   "comment panic: no stamps left [recovered]\n"
	   "comment panic: no stamps left again\n"
	   "comment [signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x4e99b4]\n"},
    {"GOTRACEBACK=crash: where goroutines are, addresses, registers, threads one after another; "
     "one "
     "that ran elsewhere comes again with its stack",
     "SIGQUIT: quit\n"
     "PC=0x40deee m=0 sigcode=0\n"
     "\n"
     "goroutine 1 gp=0xc000002380 m=3 mp=0x6059a0 [running]:\n"
     "\tgoroutine running on other thread; stack unavailable\n"
     "\n"
     "goroutine 2 gp=0xc000002e00 m=nil [force gc (idle)]:\n"
     "runtime.gopark(0x0?)\n"
     "\truntime/proc.go:474 +0xca fp=0xc00 sp=0xb00 pc=0x47df0a\n"
     "runtime.goparkunlock(...)\n"
     "\truntime/proc.go:480\n"
     "created by runtime.init.7 in goroutine 1\n"
     "\truntime/proc.go:375 +0x1a\n"
     "\n"
     "rax    0xca\n"
     "rip    0x485c01\n"
     "\n"
     "-----\n"
     "\n"
     "goroutine 1 gp=0xc000002380 m=3 mp=0x6059a0 [running]:\n"
     "main.main()\n"
     "\t./x.go:7 +0x1 fp=0x1 sp=0x2 pc=0x401000\n"
     "goroutine 0 gp=0x3 m=5 mp=0x4 [idle]:\n"
     "runtime.futex(0x1, 0x2)\n"
     "\truntime/sys.s:5 +0x21 fp=0x1 sp=0x2 pc=0x485c01\n"
     "rax    0xca\n"
     "rip    0x485c01\n"
     "Aborted (core dumped)\n",
     TYPES
     "1 0: 0x401000 main.main@./x.go:7 {state=running; goroutine=1}\n"
     "1 0: 0x47df0a runtime.gopark@runtime/proc.go:474 < runtime.goparkunlock@runtime/proc.go:480 "
     "{created_at=runtime/proc.go:375; created_by=runtime.init.7; state=force gc (idle); "
     "creator=1; goroutine=2}\n"
     "1 0: 0x485c01 runtime.futex@runtime/sys.s:5 {state=idle; goroutine=0}\n"
     "comment SIGQUIT: quit\n"},
    {"labels of the program, states of go 1.26 and later, a stack cut in its middle",
     "goroutine 33 [chan receive (leaked) (scan), 1 minutes, synctest bubble 7] {queue: letters, "
     "\"sort code\": \"A, \\\"1\\\"\"}:\n"
     "main.f()\n"
     "\tx.go:1 +0x1\n"
     "...23 frames elided...\n"
     "main.g()\n"
     "\tx.go:2 +0x1\n",
     TYPES "1 60000000000: main.f@x.go:1 < main.g@x.go:2 {leaked=yes; queue=letters; "
	   "sort code=A, \"1\"; state=chan receive; bubble=7; elided=23; goroutine=33}\n"},
    {"ancestors are not on the stack (GODEBUG=tracebackancestors=1)",
     "goroutine 5 [running]:\n"
     "main.f()\n"
     "\tx.go:1 +0x1\n"
     "created by main.g in goroutine 4\n"
     "\tx.go:2 +0x1\n"
     "[originating from goroutine 4]:\n"
     "main.h(...)\n"
     "\tx.go:3 +0x1\n"
     "created by main.main\n"
     "\tx.go:4 +0x1\n",
     TYPES "1 0: main.f@x.go:1 {created_at=x.go:2; created_by=main.g; state=running; creator=4; "
	   "goroutine=5}\n"},
    {"functions of C: without symbols a place, with them a file and a place",
     "goroutine 5 [syscall]:\n"
     "non-Go function at pc=0x7f01\n"
     "my_c_function\n"
     "\t/c/x.c:12 pc=0x7f02\n"
     "non-Go function\n"
     "\tpc=0x7f03\n"
     "main.f()\n"
     "\tx.go:1 +0x1\n",
     TYPES
     "1 0: 0x7f01 non-Go function < 0x7f02 my_c_function@/c/x.c:12 < 0x7f03 non-Go function < "
     "main.f@x.go:1 {state=syscall; goroutine=5}\n"},
    {"stacks within the log of a server that goes on (debug.Stack)",
     "2026/11/21 10:00:00 http: panic serving 127.0.0.1: out of stamps\r\n"
     "goroutine 34 [running]:\r\n"
     "main.f()\r\n"
     "\tx.go:1 +0x1\r\n"
     "2026/11/21 10:00:01 open again\r\n"
     "2026/11/21 10:00:02 closed\r\n",
     TYPES "1 0: main.f@x.go:1 {state=running; goroutine=34}\n"},
};

static void expect(const char *story, const char *text, bool strict, const char *shows)
{
	char *got = show_read(text, strlen(text), strict);

	if (strcmp(got, shows) != 0)
		fail_msg("%s:\ngot\n%sbut not\n%s", story, got, shows);
	free(got);
}

static void test_goroutines_read_dumps(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		expect(cases[i].story, cases[i].text, false, cases[i].shows);
		expect(cases[i].story, cases[i].text, true, cases[i].shows);
	}
}

static void test_goroutines_read_damage(void **state)
{
	static const struct {
		const char *story, *text, *shows, *strict;
	} damages[] = {
	    {"a line of something else in the middle of a stack",
	     "goroutine 1 [running]:\nmain.f()\n\tx.go:1 +0x1\nwho wrote this?\nmain.g()\n\tx.go:2 "
	     "+0x1\n",
	     TYPES "1 0: main.f@x.go:1 < main.g@x.go:2 {state=running; goroutine=1}\n"
		   "lost line 4 is no part of goroutine 1's stack\n",
	     "error -3: line 4 is no part of a goroutine's stack\n"},
	    {"cut behind the name of a function",
	     "goroutine 1 [running]:\nmain.f()\n\tx.go:1 +0x1\nmain.g(0x1, 0x",
	     TYPES "1 0: main.f@x.go:1 {state=running; goroutine=1}\n"
		   "lost ends in the middle of the stack of a goroutine\n",
	     "error -4: ends in the middle of the stack of a goroutine\n"},
	    {"cut in the first line of a stack",
	     "goroutine 1 [running]:\nmain.f()\n\tx.go:1 +0x1\n\ngoroutine 2 [chan re",
	     TYPES "1 0: main.f@x.go:1 {state=running; goroutine=1}\n"
		   "lost ends in the middle of the stack of a goroutine\n",
	     "error -4: ends in the middle of the stack of a goroutine\n"},
	    {"labels that cannot be read, numbers beyond 64 bits",
	     "goroutine 99999999999999999999 [select, 9223372036854775807 minutes] {\"a: b}:\n"
	     "main.f()\n\tx.go:99999999999999999999 +0x1\nmain.g()\n\tx.go:2 "
	     "pc=0x1ffffffffffffffff\n",
	     TYPES "1 9223372036854775807: main.g@x.go:2 {state=select; goroutine=0}\n"
		   "lost line 1 has labels that cannot be read\n"
		   "lost line 2 is no part of goroutine 0's stack\n",
	     "error -3: line 1 has labels that cannot be read\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		expect(damages[i].story, damages[i].text, false, damages[i].shows);
		expect(damages[i].story, damages[i].text, true, damages[i].strict);
	}
}

static void test_goroutines_read_cut_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t n = 0; n < strlen(cases[i].text); n++) {
			char *data = malloc(n ? n : 1), *strict, *lenient;

			memcpy(data, cases[i].text, n);
			strict = show_read(data, n, true);
			lenient = show_read(data, n, false);
			if (strncmp(strict, "error", 5) != 0)
				assert_string_equal(strict, lenient);
			free(strict);
			free(lenient);
			free(data);
		}
	}
}

/* Go prints a hundred frames at most; a file may hold any number. */
static void test_goroutines_read_deep(void **state)
{
	struct tp_buf text = {0};
	struct tp_profile *p;
	struct tp_err err;

	(void)state;
	say(&text, "goroutine 1 [running]:\n");
	for (int i = 0; i < 100000; i++)
		say(&text, "main.f()\n\tx.go:%d%s\n", i % 7, i % 2 ? " +0x1" : "");
	assert_int_equal(tp_profile_read(text.data, text.size, NULL, &p, &err), 0);
	assert_int_equal(p->nsamples, 1);
	assert_int_equal(tp_dict_stack_at(p->dict, p->stack[0]).depth, 100000);
	tp_profile_free(p);
	tp_buf_release(&text);
}

/* ---- the same moment in three forms ---- */

static struct tp_profile *read_file(const char *path)
{
	struct tp_profile *p;
	struct tp_input *in;
	struct tp_err err;

	assert_int_equal(tp_input_open(&in, path, NULL, NULL, &err), 0);
	assert_int_equal(tp_profile_read(in->data, in->size, NULL, &p, &err), 0);
	assert_int_equal(p->nlosses, 0);
	tp_input_close(in);
	return p;
}

/* Goroutines whose stack has a function of this name. */
static int64_t below(const struct tp_profile *p, const char *name)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->nsamples; i++) {
		uint32_t node = p->stack[i];

		for (; node; node = tp_dict_stack_at(p->dict, node).parent)
			if (!strcmp(text_at(p, tp_dict_frame_name(
						   p->dict, tp_dict_stack_at(p->dict, node).frame)),
				    name)) {
				sum += p->value[i * p->ntypes];
				break;
			}
	}
	return sum;
}

/* What testdata/programs/stuck.go says should be found, and that all forms say the same. */
static void test_goroutines_read_three_forms(void **state)
{
	static const char *const files[] = {
	    "testdata/corpus/profiles/stuck-1.27.goroutine.d0",
	    "testdata/corpus/profiles/stuck-1.27.goroutine.d1",
	    "testdata/corpus/profiles/stuck-1.27.goroutine.d2",
	};
	static const struct {
		const char *function;
		int64_t goroutines;
	} facts[] = {
	    {"main.receive", 5},       {"main.stamp", 3}, {"main.send", 1},
	    {"main.rest", 2},	       {"main.down", 1},  {"main.main.func1", 1},
	    {"sync.(*Mutex).Lock", 3}, {"main.main", 1},  {"main.write", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct tp_profile *p = read_file(files[i]);

		for (size_t k = 0; k < sizeof(facts) / sizeof(facts[0]); k++)
			if (below(p, facts[k].function) != facts[k].goroutines)
				fail_msg("%s: %s: %lld", files[i], facts[k].function,
					 (long long)below(p, facts[k].function));
		tp_profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_goroutines_read_dumps),
	    cmocka_unit_test(test_goroutines_read_damage),
	    cmocka_unit_test(test_goroutines_read_cut_anywhere),
	    cmocka_unit_test(test_goroutines_read_deep),
	    cmocka_unit_test(test_goroutines_read_three_forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
