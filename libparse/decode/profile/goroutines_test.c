#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "decode/profile/testing.h"
#include "open/input.h"

#define TYPES "goroutine/count wait/nanoseconds per goroutine/count 1\n"

static const struct {
	const char *story, *text, *shows;
} cases[] = {
    {"debug=2 of go 1.27: states, minutes, threads, creators; of arguments, addresses",
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
     "{addresses=4 0.0=11f436504030; created_at=wl2/main.go:94; created_by=main.leak; locked=to "
     "thread; state=sync.Mutex.Lock; "
     "creator=1; goroutine=30}\n"},
    {"go 1.19 does not say which goroutine the creator is; older ones cut stacks at their end",
     "goroutine 7 [chan receive (nil chan)]:\n"
     "main.f(0x1, {0xc00001c0e0, 0xc00001c0e1, 0xc00001c0e8?}, 0xc00001c0f0)\n"
     "\t/src/x.go:3 +0x12\n"
     "...additional frames elided...\n"
     "created by main.main\n"
     "\t/src/x.go:9 +0x5e\n",
     TYPES "1 0: main.f@/src/x.go:3 {addresses=1 0.1=c00001c0e0 0.4=c00001c0f0; "
	   "created_at=/src/x.go:9; created_by=main.main; "
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
    {"each line has an empty one behind it",
     "panic: x\n\n\n\ngoroutine 5 [select]:\n\nmain.f()\n\n\tx.go:1 +0x1\n\ncreated by main.g\n\n"
     "\tx.go:2 +0x1\n\n\n\ngoroutine 6 [select]:\n\nmain.f()\n\n\tx.go:1 +0x1\n\n",
     TYPES "1 0: main.f@x.go:1 {created_at=x.go:2; created_by=main.g; state=select; goroutine=5}\n"
	   "1 0: main.f@x.go:1 {state=select; goroutine=6}\n"
	   "comment panic: x\n"},
    {"blanks for tabs, or none",
     "goroutine 5 [select]:\nmain.f()\n        /src/x.go:1 +0x1\nmain.g(...)\n/src/x.go:7\n"
     "created by main.h\n  x.go:2 +0x1\n",
     TYPES "1 0: main.f@/src/x.go:1 < main.g@/src/x.go:7 {created_at=x.go:2; created_by=main.h; "
	   "state=select; goroutine=5}\n"},
    {"a line that is only like a place or a call ends nothing after a stack",
     "goroutine 5 [select]:\nmain.f()\n\tx.go:1 +0x1\ncreated by main.h\n\tx.go:2 +0x1\n"
     "closing at 10:00:01\nexit(2)\n",
     TYPES "1 0: main.f@x.go:1 {created_at=x.go:2; created_by=main.h; state=select; "
	   "goroutine=5}\n"},
    {"goleak, which once said twice what a goroutine is",
     "    x_test.go:12: found unexpected goroutines:\n"
     "        [Goroutine 5 in state chan receive, 2 minutes, with main.f on top of the stack:\n"
     "        main.f()\n        \tx.go:1 +0x1\n"
     "         Goroutine 6 in state select, with main.f on top of the stack:\n"
     "        goroutine 6 [select]:\n        main.f()\n        \tx.go:1 +0x1\n        ]\n",
     TYPES "1 120000000000: main.f@x.go:1 {state=chan receive; goroutine=5}\n"
	   "1 0: main.f@x.go:1 {state=select; goroutine=6}\n"},
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
		   "lost line 4 is not part of goroutine 1's stack\n",
	     "error -3: line 4 is not part of goroutine 1's stack\n"},
	    {"a line of something else between a function and its place",
	     "goroutine 1 [running]:\nmain.f()\nat 10:00:01\n\tx.go:1 +0x1\nmain.g()\n\tx.go:2 "
	     "+0x1\n",
	     TYPES "1 0: main.f@x.go:1 < main.g@x.go:2 {state=running; goroutine=1}\n"
		   "lost line 3 is not part of goroutine 1's stack\n",
	     "error -3: line 3 is not part of goroutine 1's stack\n"},
	    {"lines that a pager cut",
	     "goroutine 1 [select, 7 minutes, locked t>\nmain.f(0x1)\n\t/src/ve>\n"
	     "main.(*T).g(0x1, {0x2, 0x>\n\t/src/x.go:7 +0x>\ncreated by "
	     "main.sta>\n\t/src/x.go:7>\n",
	     TYPES "1 420000000000: main.f < main.(*T).g@/src/x.go:7 {state=select; goroutine=1}\n"
		   "lost line 1 is cut: goroutine 1 has only a part of its state\n"
		   "lost line 3 is cut: its file or line number cannot be read\n"
		   "lost line 4 is cut\nlost line 6 is cut\n"
		   "lost line 7 is cut: its file or line number cannot be read\n",
	     "error -3: line 1 is cut: goroutine 1 has only a part of its state\n"},
	    {"a function without its place, a stack without its first line",
	     "goroutine 1 [select]:\nmain.f()\nmain.g()\n\tx.go:2 +0x1\ncreated by "
	     "main.h\n\tx.go:3 "
	     "+0x1\n\nmain.i()\n\tx.go:4 +0x1\n",
	     TYPES "1 0: main.f < main.g@x.go:2 {created_at=x.go:3; created_by=main.h; "
		   "state=select; goroutine=1}\n"
		   "lost line 2 names a function, but no line with its file follows\n"
		   "lost line 8 begins a stack that lacks its first line\n",
	     "error -3: line 2 names a function, but no line with its file follows\n"},
	    {"cut behind the name of a function",
	     "goroutine 1 [running]:\nmain.f()\n\tx.go:1 +0x1\nmain.g(0x1, 0x",
	     TYPES "1 0: main.f@x.go:1 {state=running; goroutine=1}\n"
		   "lost ends in the middle of goroutine 1's stack\n",
	     "error -4: ends in the middle of goroutine 1's stack\n"},
	    {"cut behind the name of a creator: its place tells go statements apart",
	     "goroutine 1 [running]:\nmain.f()\n\tx.go:1 +0x1\ncreated by main.g in goroutine 7\n",
	     TYPES "1 0: main.f@x.go:1 {state=running; goroutine=1}\n"
		   "lost ends in the middle of goroutine 1's stack\n",
	     "error -4: ends in the middle of goroutine 1's stack\n"},
	    {"a creator without its place",
	     "goroutine 1 [running]:\nmain.f()\n\tx.go:1 +0x1\ncreated by main.g in goroutine 7\n\n"
	     "goroutine 2 [running]:\nmain.f()\n\tx.go:1 +0x1\n",
	     TYPES "1 0: main.f@x.go:1 {created_by=main.g; state=running; creator=7; goroutine=1}\n"
		   "1 0: main.f@x.go:1 {state=running; goroutine=2}\n"
		   "lost line 4 names a function, but no line with its file follows\n",
	     "error -3: line 4 names a function, but no line with its file follows\n"},
	    {"a profile of another kind behind a dump, and between two stacks",
	     "goroutine 1 [running]:\nmain.f()\n\tx.go:1 +0x1\n"
	     "goroutine profile: total 1\n1 @ 0x11\n#\t0x10\tmain.f+0x10\tx.go:1\n\n"
	     "goroutine 2 [running]:\nmain.f()\n\tx.go:1 +0x1\ncreated by main.g\n\tx.go:2 +0x1\n"
	     "\x02\x03\x02\n\x02\x02\n",
	     TYPES
	     "1 0: main.f@x.go:1 {state=running; goroutine=1}\n"
	     "1 0: main.f@x.go:1 {created_at=x.go:2; created_by=main.g; state=running; "
	     "goroutine=2}\n"
	     "lost line 4 begins a goroutine profile (text), which must be in a separate file\n"
	     "lost line 13 begins data that is no text, which must be in a separate file\n",
	     "error -3: holds several profiles one after the other; give each in a separate "
	     "file\n"},
	    {"cut in the first line of a stack",
	     "goroutine 1 [running]:\nmain.f()\n\tx.go:1 +0x1\n\ngoroutine 2 [chan re",
	     TYPES "1 0: main.f@x.go:1 {state=running; goroutine=1}\n"
		   "lost ends in the first line of a stack\n",
	     "error -4: ends in the first line of a stack\n"},
	    {"a function that cannot be read, last of its stack, has a place that can",
	     "goroutine 1 [running]:\nmain.f()\n\tx.go:1 +0x1\nmain.g(what?\n\tx.go:2 +0x1\n\n"
	     "goroutine 2 [select]:\nmain.h()\n\tx.go:3 +0x1\n",
	     TYPES "1 0: main.f@x.go:1 {state=running; goroutine=1}\n"
		   "1 0: main.h@x.go:3 {state=select; goroutine=2}\n"
		   "lost lines 4 to 5 of goroutine 1's stack cannot be read\n",
	     "error -3: lines 4 to 5 of goroutine 1's stack cannot be read\n"},
	    {"a function behind an empty line, which is of this stack or of one without a first "
	     "line",
	     "goroutine 1 [running]:\nmain.f()\n\tx.go:1 +0x1\n\nmain.g()\n\tx.go:2 +0x1\n",
	     TYPES "1 0: main.f@x.go:1 < main.g@x.go:2 {state=running; goroutine=1}\n"
		   "lost line 5 continues goroutine 1's stack after an empty line\n",
	     "error -3: line 5 continues goroutine 1's stack after an empty line\n"},
	    {"a record of JSON without the key is no part of the dump",
	     "{\"msg\":\"goroutine 1 [running]:\"}\n{\"msg\":\"main.f()\"}\n"
	     "{\"level\":\"info\",\"other\":\"x\"}\n{\"msg\":\"\\tx.go:1 +0x1\"}\n",
	     TYPES "1 0: main.f@x.go:1 {state=running; goroutine=1}\n"
		   "lost line 3 is not part of goroutine 1's stack\n",
	     "error -3: line 3 is not part of goroutine 1's stack\n"},
	    {"a string that has no end",
	     "{\"msg\":\"goroutine 1 [running]:\\nmain.f()\\n\\tx.go:1 +0x1\\nmain.g\n{}\n",
	     TYPES "1 0: main.f@x.go:1 {state=running; goroutine=1}\n"
		   "lost line 1 is cut within a string that holds the dump\n",
	     "error -3: line 1 is cut within a string that holds the dump\n"},
	    {"a dump on one line that is cut behind a function",
	     "x: goroutine 1 [running]:\\nmain.f()\\n\\tx.go:1 +0x1\\nmain.g()\nbye\n",
	     TYPES "1 0: main.f@x.go:1 < main.g {state=running; goroutine=1}\n"
		   "lost line 1 ends in the middle of goroutine 1's stack\n"
		   "lost line 1 names a function, but no line with its file follows\n",
	     "error -3: line 1 ends in the middle of goroutine 1's stack\n"},
	    {"labels that cannot be read, numbers beyond 64 bits",
	     "goroutine 99999999999999999999 [select, 9223372036854775807 minutes] {\"a: b}:\n"
	     "main.f()\n\tx.go:99999999999999999999 +0x1\nmain.g()\n\tx.go:2 "
	     "pc=0x1ffffffffffffffff\n",
	     TYPES "1 9223372036854775807: main.f < main.g@x.go:2 {state=select; goroutine=0}\n"
		   "lost line 1 has labels that cannot be read\n"
		   "lost line 3 is cut: its file or line number cannot be read\n",
	     "error -3: line 1 has labels that cannot be read\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		expect(damages[i].story, damages[i].text, false, damages[i].shows);
		expect(damages[i].story, damages[i].text, true, damages[i].strict);
	}
}

/* ---- several dumps in a file ---- */

#define ONE(id, state) "goroutine " id " [" state "]:\nmain.f" id "()\n\tx.go:1 +0x1\n\n"

static void test_goroutines_read_several(void **state)
{
	static const struct {
		const char *story, *text;
		size_t dumps, last; /* goroutines of the last */
	} files[] = {
	    {"one", ONE("1", "select") ONE("2", "select"), 1, 2},
	    {"headings",
	     "at 10:00\n" ONE("1", "select") ONE("7", "select") "at 10:05\n" ONE("1", "select")
		 ONE("7", "select") ONE("8", "select"),
	     2, 3},
	    {"the first of the second dump is new",
	     "a\n" ONE("1", "select") ONE("7", "select") "b\n" ONE("9", "running")
		 ONE("1", "select"),
	     2, 2},
	    {"nothing between them but who writes the dump",
	     ONE("5", "running") ONE("1", "select") ONE("6", "running") ONE("1", "select"), 2, 2},
	    {"a number that is there twice says nothing", ONE("1", "select") ONE("1", "select"), 1,
	     2},
	    {"crashes, one after the other",
	     "panic: a\n\n" ONE("1", "running") "exit status 2\npanic: b\n\n" ONE("1", "running"),
	     2, 1},
	    {"stacks that a server logs",
	     "a\n" ONE("7", "running") "b\n" ONE("8", "running") "c\n" ONE("7", "running"), 1, 3},
	    {"threads print again",
	     "SIGQUIT: quit\n" ONE("1", "running")
		 ONE("2", "syscall") "-----\n\nSIGQUIT: quit\n" ONE("2", "syscall"),
	     1, 2},
	    {"three", "a\n" ONE("1", "idle") "b\n" ONE("1", "idle") "c\n" ONE("1", "idle"), 3, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct tp_profile *p, *before[8];
		struct tp_profile_dumps dumps = {.p = before, .room = 8};
		struct tp_profile_options opt = {.dumps = &dumps};
		struct tp_err err;
		const char *text = files[i].text;

		assert_int_equal(tp_profile_read(text, strlen(text), NULL, &p, &err), 0);
		if (p->nsamples != files[i].last || (p->nnotices > 0) != (files[i].dumps > 1))
			fail_msg("%s: %zu goroutines, %zu notices", files[i].story, p->nsamples,
				 p->nnotices);
		tp_profile_free(p);
		assert_int_equal(tp_profile_read(text, strlen(text), &opt, &p, &err), 0);
		if (dumps.total != files[i].dumps || dumps.n + 1 != dumps.total ||
		    p->nsamples != files[i].last)
			fail_msg("%s: %zu dumps", files[i].story, dumps.total);
		for (size_t k = 0; k < dumps.n; k++)
			tp_profile_free(before[k]);
		tp_profile_free(p);
	}
}

/* Stacks of several programs are not several dumps of one. */
static void test_goroutines_read_mixed(void **state)
{
	static const struct {
		const char *text, *says;
	} files[] = {
	    {"a-1 | goroutine 1 [select]:\na-1 | main.f()\na-2 | goroutine 1 [select]:\n"
	     "a-2 | main.g()\na-2 | \tx.go:2 +0x1\na-1 | \tx.go:1 +0x1\n",
	     "has goroutines of a-1 and of a-2, and only those of the first are read; write the "
	     "lines of each to a separate file, e.g. with grep -F 'a-2'"},
	    {"pod-x app goroutine 1 [select]:\npod-x app main.f()\npod-x app \tx.go:1 +0x1\n"
	     "pod-y app goroutine 1 [select]:\npod-y app main.f()\npod-y app \tx.go:1 +0x1\n",
	     "from line 4 on, stacks have another prefix; if that is another program's, "
	     "write the lines of each program to a separate file"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct tp_profile *p;
		struct tp_err err;
		char all[400];

		assert_int_equal(
		    tp_profile_read(files[i].text, strlen(files[i].text), NULL, &p, &err), 0);
		tp_profile_warnings(p, all, sizeof(all));
		if (!strstr(all, files[i].says))
			fail_msg("\"%s\" does not say \"%s\"", all, files[i].says);
		tp_profile_free(p);
	}
}

/* Logs are often shown newest first. */
static void test_goroutines_read_newest_first(void **state)
{
	static const char lines[] = "\tx.go:9 +0x1\ncreated by main.main\n\tx.go:1 +0x1\nmain.f()\n"
				    "goroutine 1 [select]:\n\n\tx.go:2 +0x1\nmain.g()\n"
				    "goroutine 2 [select]:\n\n\tx.go:2 +0x1\nmain.g()\n"
				    "goroutine 3 [select]:\n";
	static const char text[] = "2026/11/28 10:15:00 dump\n" ONE("1", "select")
	    ONE("7", "select") ONE("8", "select") "2026/11/28 10:10:00 dump\n" ONE("1", "select")
		ONE("7", "select") "2026/11/28 10:05:00 dump\n" ONE("1", "select");
	static const char places[] = "goroutine 1 [select]:\n\tx.go:2 +0x1\n\n"
				     "goroutine 2 [select]:\n\tx.go:2 +0x1\n\n"
				     "goroutine 3 [select]:\n\tx.go:2 +0x1\n";
	char *got = show_read(lines, strlen(lines), false);
	struct tp_profile *p, *before[8];
	struct tp_profile_dumps dumps = {.p = before, .room = 8};
	struct tp_profile_options opt = {.dumps = &dumps};
	struct tp_err err;

	(void)state;
	assert_string_equal(got, "error -3: has its lines newest first, so stacks cannot be read; "
				 "reverse them, e.g. with tac\n");
	free(got);
	/* Missing calls are reported as another kind of damage. */
	got = show_read(places, strlen(places), false);
	assert_non_null(strstr(got, "lost line 2 of goroutine 1's stack cannot be read\n"));
	free(got);
	assert_int_equal(tp_profile_read(text, strlen(text), &opt, &p, &err), 0);
	assert_int_equal(dumps.n, 2);
	assert_int_equal(before[0]->nsamples, 1);
	assert_int_equal(before[1]->nsamples, 2);
	assert_int_equal(p->nsamples, 3);
	assert_string_equal(p->notices[p->nnotices - 1].text,
			    "has its dumps newest first, by their times; they are compared "
			    "oldest first");
	for (size_t i = 0; i < dumps.n; i++)
		tp_profile_free(before[i]);
	tp_profile_free(p);
	assert_int_equal(tp_profile_read(text, strlen(text), NULL, &p, &err), 0);
	assert_int_equal(p->nsamples, 1);
	assert_string_equal(p->notices[p->nnotices - 1].text,
			    "has its dumps newest first, by their times; the oldest is read");
	tp_profile_free(p);
}

/* Of many dumps, the first and the latest are kept. */
static void test_goroutines_read_many(void **state)
{
	struct tp_buf text = {0};
	struct tp_profile *p, *before[3];
	struct tp_profile_dumps dumps = {.p = before, .room = 3};
	struct tp_profile_options opt = {.dumps = &dumps};
	struct tp_err err;

	(void)state;
	for (int i = 0; i < 10; i++) {
		say(&text, "dump %d\n", i);
		for (int k = 0; k <= i; k++)
			say(&text, "goroutine %d [select]:\nmain.f()\n\tx.go:1 +0x1\n\n", k + 1);
	}
	assert_int_equal(tp_profile_read(text.data, text.size, &opt, &p, &err), 0);
	assert_int_equal(dumps.total, 10);
	assert_int_equal(dumps.n, 3);
	assert_int_equal(before[0]->nsamples, 1);
	assert_int_equal(before[1]->nsamples, 8);
	assert_int_equal(before[2]->nsamples, 9);
	assert_int_equal(p->nsamples, 10);
	for (size_t i = 0; i < dumps.n; i++)
		tp_profile_free(before[i]);
	tp_profile_free(p);
	tp_buf_release(&text);
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

/* A line of the file may have many lines of a dump: each loses its own bytes. */
static void test_goroutines_read_lost_bytes(void **state)
{
	static const char text[] =
	    "{\"s\":\"goroutine 1 [select]:\\nmain.f()\\nmain.g()\\n\\tx.go:1 +0x1"
	    "\\nmain.h()\\n\\t/x.g>\\nmain.i()\\n\\tx.go:1 +0x1\\n\"}\n";
	struct tp_profile *p;
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_profile_read(text, strlen(text), NULL, &p, &err), 0);
	assert_int_equal(p->nlosses, 2);
	assert_int_equal(p->losses[0].bytes, strlen("main.f()\n"));
	assert_int_equal(p->losses[1].bytes, strlen("\t/x.g>\n"));
	tp_profile_free(p);
}

/* More losses than a profile lists. */
static void test_goroutines_read_many_losses(void **state)
{
	struct tp_buf text = {0};
	struct tp_profile *p;
	struct tp_err err;

	(void)state;
	say(&text, "goroutine 1 [running]:\n");
	for (int i = 0; i < 10010; i++)
		say(&text, "main.f()\n");
	assert_int_equal(tp_profile_read(text.data, text.size, NULL, &p, &err), 0);
	assert_int_equal(p->nlosses, 10000);
	assert_string_equal(p->losses[9999].reason, "line 10001 and more, which are not listed");
	tp_profile_free(p);
	tp_buf_release(&text);
}

/* Returns the CPU time for reading n goroutines whose ids are multiples of `apart`: the least of
 * three runs. */
static double time_of(int n, int64_t apart)
{
	double least = 1e9;

	for (int round = 0; round < 3; round++) {
		struct tp_buf text = {0};
		struct tp_profile *p;
		struct tp_err err;
		clock_t begun;
		double took;

		for (int i = 1; i <= n; i++)
			say(&text, "goroutine %lld [running]:\nmain.f()\n\tx.go:1 +0x1\n\n",
			    (long long)i * apart);
		begun = clock();
		assert_int_equal(tp_profile_read(text.data, text.size, NULL, &p, &err), 0);
		took = (double)(clock() - begun);
		least = took < least ? took : least;
		assert_int_equal(p->nsamples, n);
		tp_profile_free(p);
		tp_buf_release(&text);
	}
	return least;
}

/* Ids that only differ in their upper bits are looked up as fast as others. */
static void test_goroutines_read_ids_apart(void **state)
{
	(void)state;
	assert_true(time_of(40000, INT64_C(1) << 40) < 6 * time_of(40000, 1));
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

/* Returns the number of goroutines whose stack has a function of this name. */
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

/* All three forms give the goroutines that testdata/programs/stuck.go describes. */
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
	    cmocka_unit_test(test_goroutines_read_several),
	    cmocka_unit_test(test_goroutines_read_mixed),
	    cmocka_unit_test(test_goroutines_read_newest_first),
	    cmocka_unit_test(test_goroutines_read_many),
	    cmocka_unit_test(test_goroutines_read_lost_bytes),
	    cmocka_unit_test(test_goroutines_read_many_losses),
	    cmocka_unit_test(test_goroutines_read_ids_apart),
	    cmocka_unit_test(test_goroutines_read_three_forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
