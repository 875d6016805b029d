/* Traces of allocations, as Go and libtprof-record print them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decode/profile/testing.h"

#define TYPES                                                                                      \
	"alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes "             \
	"lifetime/bytes per / 0\n"
#define MAIN "goroutine 1 [running]:\nmain.main()\n\t/x.go:3 +0x5 pc=0x10\n\n"

static const struct {
	const char *story, *text, *shows, *strict; /* strict: NULL if the same */
} cases[] = {
    {"the runtime's leaf is left out; inlined calls; a type with commas; lives in bytes",
     "starting\n"
     "tracealloc(0x10, 0x30, map[string]func(int, bool))\n"
     "goroutine 1 [running]:\n"
     "runtime.mallocgc(0x10, 0x48f5a0, 0x1)\n"
     "\truntime/malloc.go:1131 +0x7b1 fp=0x7d50 sp=0x7cd8 pc=0x40c471\n"
     "strings.Split(...)\n"
     "\tstrings/strings.go:308\n"
     "main.f({0x1, 0x2})\n"
     "\t/x.go:3 +0x5 fp=0x1 sp=0x2 pc=0x20\n"
     "created by main.main\n"
     "\t/x.go:9 +0x1\n"
     "\n"
     "tracealloc(0x20, 0x8)\n" MAIN "tracefree(0x20, 0x8)\n"
     "goroutine 5 [running]:\n"
     "runtime.(*mspan).sweep()\n"
     "\truntime/mgc.go:3 +0x5 pc=0x99\n"
     "\n"
     "tracegc()\n\ngoroutine 1 [running]:\nmain.main()\n\t/x.go:3 +0x5\n\nend tracegc\n\n"
     "tracefree(0x10, 0x30)\ngoroutine 5 [running]:\n\n",
     TYPES "1 48 0 0 56: 0x20 strings.Split@strings/strings.go:308+main.f@/x.go:3 "
	   "{type=map[string]func(int, bool); bytes=48}\n"
	   "1 8 0 0 8: 0x10 main.main@/x.go:3 {bytes=8}\n",
     NULL},
    {"a C function of libtprof-record, code without a name, and only functions of the runtime",
     "tracealloc(0x10, 0x60, struct order)\ngoroutine 7 [running]:\nnew_order()\n"
     "\t/src/kitchen.c:312 +0x5c pc=0x55\nnon-Go function at pc=0x66\n\n"
     "tracealloc(0x11, 0x1)\ngoroutine 0 [idle]:\nruntime.schedinit()\n\truntime/proc.go:722 "
     "+0x1d6\n\n",
     TYPES "1 96 1 96 0: 0x55 new_order@/src/kitchen.c:312 < 0x66 non-Go function {type=struct "
	   "order; bytes=96}\n"
	   "1 1 1 1 0: runtime.schedinit@runtime/proc.go:722 {bytes=1}\n",
     NULL},
    {"frees from before the trace, and an address that comes again without a free",
     "tracefree(0x1, 0x1)\n\ntracealloc(0x10, 0x8)\n" MAIN "tracealloc(0x10, 0x4)\n" MAIN,
     TYPES "1 8 0 0 8: 0x10 main.main@/x.go:3 {bytes=8}\n"
	   "1 4 1 4 0: 0x10 main.main@/x.go:3 {bytes=4}\n",
     NULL},
    {"damage: numbers, a line within a stack, a call without a place, no stack",
     "tracealloc(0x10, 0x8)\n" MAIN "tracealloc(0x10)\n" MAIN
     "tracealloc(0x20, 0xffffffffffffffff)\n" MAIN
     "tracealloc(0x30, 0x8)\ngoroutine 1 [running]:\nlistening on 80\n\t/x.go:3 +0x5\n\n"
     "tracealloc(0x40, 0x8)\ngoroutine 1 [running]:\nmain.main()\n\n"
     "tracealloc(0x50, 0x8)\n\ntracefree(0x10\n\n",
     TYPES "1 8 1 8 0: 0x10 main.main@/x.go:3 {bytes=8}\n"
	   "lost line 6 is not an allocation (tracealloc(0x1, 0x2, T))\n"
	   "lost line 11 is not an allocation (tracealloc(0x1, 0x2, T))\n"
	   "lost line 18 is not a line of the stack of an allocation\n"
	   "lost line 21 begins a stack that is not whole\n"
	   "lost line 25 is an allocation without a stack\n"
	   "lost line 27 is not a free (tracefree(0x1, 0x2))\n",
     "error -3: line 6 is not an allocation (tracealloc(0x1, 0x2, T))\n"},
    {"a free and a collection that were cut off end where the next entry begins",
     "tracealloc(0x10, 0x8)\n" MAIN "tracefree(0x10, 0x8)\ngoroutine 5 [running]:\nf()\n"
     "tracealloc(0x20, 0x8)\n" MAIN "tracegc()\n\ngoroutine 1 [running]:\nmain.main()\n\n"
     "tracealloc(0x30, 0x8)\n" MAIN "tracegc()\n\n",
     TYPES "1 8 0 0 8: 0x10 main.main@/x.go:3 {bytes=8}\n"
	   "1 8 1 8 0: 0x10 main.main@/x.go:3 {bytes=8}\n"
	   "1 8 1 8 0: 0x10 main.main@/x.go:3 {bytes=8}\n"
	   "lost line 24 begins a collection without an end (end tracegc)\n",
     "error -3: line 24 begins a collection without an end (end tracegc)\n"},
    {"the end is cut off",
     "tracealloc(0x10, 0x8)\n" MAIN "tracealloc(0x20, 0x8)\ngoroutine 1 [running]:\nmain.main()\n"
     "\t/x.go:3 +0x5\n",
     TYPES "1 8 1 8 0: 0x10 main.main@/x.go:3 {bytes=8}\n"
	   "lost line 6 begins an allocation whose stack is cut off\n",
     "error -3: line 6 begins an allocation whose stack is cut off\n"},
};

static void expect(size_t i, bool strict, const char *shows)
{
	char *got = show_read(cases[i].text, strlen(cases[i].text), strict);

	if (strcmp(got, shows) != 0)
		fail_msg("%s:\ngot\n%sbut not\n%s", cases[i].story, got, shows);
	free(got);
}

static void test_allocs_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		expect(i, false, cases[i].shows);
		expect(i, true, cases[i].strict ? cases[i].strict : cases[i].shows);
	}
}

static void test_allocs_read_cut_anywhere(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_allocs_read),
	    cmocka_unit_test(test_allocs_read_cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
