/* The older formats. Values, addresses, mappings and labels of the cases were compared with what
 * pprof -raw prints for the same text; pprof does not keep names and counters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decode/profile/testing.h"

#define JEMALLOC   "inuse_objects/count inuse_space/bytes per space/bytes 1\n"
#define EVERYTHING "map 0-ffffffffffffffff 0  \n"

static const struct {
	const char *story, *text, *shows;
} cases[] = {
    {"a heap of Go: RATE is twice the bytes per sample, small objects stand for many",
     "heap profile: 3: 4112 [5: 12304] @ heap/1024\n"
     "1: 16 [3: 48] @ 0x401001 0x402001\n"
     "#\t0x401000\tmain.small+0x20\t/src/a b.go:12\n"
     "#\t0x402000\tmain.main+0x1\t/src/main.go:3\n"
     "\n"
     "0: 0 [1: 8160] @ 0x403001 0x402001\n"
     "\n"
     "# runtime.MemStats\n"
     "# Alloc = 3416384\n"
     "# Stack = 655360 / 655361\n"
     "# PauseNs = [404635 0 260266 0 0]\n"
     "# GCCPUFraction = 0.1296\n"
     "# DebugGC = false\n",
     "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes per space/bytes "
     "512\n"
     "97 1560 32 520: 0x401000#1 main.small@/src/a b.go:12 < 0x402000#1 main.main@/src/main.go:3 "
     "{bytes=16}\n"
     "1 8160 0 0: 0x403000#1~ < 0x402000#1 main.main@/src/main.go:3 {bytes=8160}\n" EVERYTHING
     "counter Alloc 3416384 3416384\n"
     "counter StackInuse 655360 655360\n"
     "counter StackSys 655361 655361\n"
     "counter PauseNs[0] 404635 404635\n"
     "counter PauseNs[1] 0 0\n"
     "counter PauseNs[2] 260266 260266\n"
     "counter GCCPUFraction 0 0.1296\n"
     "counter DebugGC 0 false\n"
     "lost ends after the samples of 1 of 3 objects in use\n"},
    {"heap_v2 of C++ with equal brackets: two values; the program's mapping in two pieces is one, "
     "and "
     "comes first; a segment that cannot run is left out",
     "heap profile: 1: 9216 [ 1: 9216] @ heapz_v2/524288\n"
     "   1:   9216 [  1:  9216] @ 0x480010 0x7f10 0x9999\n"
     "MAPPED_LIBRARIES:\n"
     "7f00-8000 r-xp 00000000 08:01 17 /lib/libc.so.6\n"
     "00400000-00480000 r-xp 00000000 08:01 18 /usr/bin/server\n"
     "00480000-00500000 r-xp 00080000 08:01 18 /usr/bin/server\n"
     "00500000-00600000 rw-p 00100000 08:01 18 /usr/bin/server\n",
     "objects/count space/bytes per space/bytes 524288\n"
     "57 528909: 0x48000f#1 < 0x7f0f#2 < 0x9998#3 {bytes=9216}\n"
     "map 400000-500000 0 /usr/bin/server \n"
     "map 7f00-8000 0 /lib/libc.so.6 \n" EVERYTHING},
    {"symbolized: names stand before the profile, a caller before what is inlined into it; the "
     "addresses "
     "are those of calls already, and one without a name is not the runtime's",
     "--- symbol\nbinary=/bin/server\n"
     "0x0000000000000010 g(int)--T::operator--(int)--h\n"
     "0x0000000000000020 0x20\n"
     "0x0000000000000030 main\n"
     "0x0000000000000040 nobody\n"
     "---\n--- heap\n"
     "heap profile: 2: 10 [2: 10] @ heapprofile\n"
     "2: 10 [2: 10] @ 0x0000000000000010 0x0000000000000020 0x0000000000000030\n",
     "objects/count space/bytes per space/bytes 1\n"
     "2 10: 0x10#1 h+T::operator--(int)+g(int) < 0x20#1 < 0x30#1 main {bytes=5}\n"
     "map 0-ffffffffffffffff 0 /bin/server \n"},
    {"heapprofile: nothing was sampled; words before a sample do not matter",
     "heap profile: 2: 10 [2: 10] @ heapprofile\n"
     "at 17 2: 10 [2: 10] @ 0x10\n",
     "objects/count space/bytes per space/bytes 1\n"
     "2 10: 0xf#1 {bytes=5}\n" EVERYTHING},
    {"the heap's growth, a mapping in the short form, and its first part missing from the list",
     "heap profile:  1: 2097152 [  1: 2097152] @ growthz\n"
     " 1: 2097152 [ 1: 2097152] @ 0xb83003 0x7123\n"
     "--- Memory map: ---\n"
     "  00500000-00fcb000: server (@100000) abc123\n"
     "root=/opt/x\n"
     "ignored text [of any kind]\n"
     "a.cc:17] 7200-8000: $root/lib.so (@200)\n",
     "objects/count space/bytes per space/bytes 1\n"
     "1 2097152: 0xb83002#1 < 0x7122#2 {bytes=2097152}\n"
     "map 400000-fcb000 0 server abc123\n"
     "map 7000-8000 0 /opt/x/lib.so \n"},
    {"a short form without blanks around is pprof's, too: permissions are what looks like them",
     "heap profile: 1: 1 [1: 1] @ heapprofile\n"
     "1: 1 [1: 1] @ 0x400001\n"
     "--- Memory map: ---\n"
     "400000-500000 prog\n"
     "0x400000-0x500000 xprog\n",
     "objects/count space/bytes per space/bytes 1\n"
     "1 1: 0x400000#1 {bytes=1}\n"
     "map 400000-500000 0  \n"},
    {"goroutines: one address named by an inlined chain, a function that calls itself, labels",
     "goroutine profile: total 7\n"
     "5 @ 0x11 0x21 0x21 0x31\n"
     "# labels: {\"a\":\"b \\\"c\\\" \\u00e9\\n\", \"queue\":\"\"}\n"
     "#\t0x10\tmain.leaf+0x1\t\tx.go:1\n"
     "#\t0x10\tmain.middle+0x1\tx.go:2\n"
     "#\t0x20\tmain.again+0x5\tx.go:3\n"
     "#\t0x20\tmain.again+0x5\tx.go:3\n"
     "\n"
     "2 @ 0x31 0x11\n"
     "#\t0x10\tmain.middle+0x1\tx.go:2\n",
     "goroutine/count per goroutine/count 1\n"
     "5: 0x10#1 main.leaf@x.go:1+main.middle@x.go:2 < 0x20#1 main.again@x.go:3 < 0x20#1 "
     "main.again@x.go:3 < 0x30#1~ {a=b \"c\" \xc3\xa9\n; queue=}\n"
     "2: 0x30#1~ < 0x10#1 main.leaf@x.go:1+main.middle@x.go:2\n" EVERYTHING},
    {"an address listed without a name is not one whose name was left out",
     "goroutine profile: total 1\n1 @ 0x11 0x21 0x31\n#\t0x10\n#\t0x20\tf+0x1\tx.go:1\n",
     "goroutine/count per goroutine/count 1\n1: 0x10#1 < 0x20#1 f@x.go:1 < 0x30#1~\n" EVERYTHING},
    {"before go 1.9 names came with return addresses",
     "goroutine profile: total 1\n"
     "1 @ 0x4a10 0x4b20\n"
     "#\t0x4a10\tmain.f+0x10\t/src/x.go:9\n"
     "#\t0x4b20\tmain.main+0x20\t/src/x.go:4\n",
     "goroutine/count per goroutine/count 1\n"
     "1: 0x4a0f#1 main.f@/src/x.go:9 < 0x4b1f#1 main.main@/src/x.go:4\n" EVERYTHING},
    {"threads: Go 1.19 writes no addresses, Go 1.27 zeros; one below zero is the last address",
     "threadcreate profile: total 7\n5 @\n#\t0x0\n\n2 @ 0x0 0x0\n#\t0x0\n",
     "threadcreate/count per threadcreate/count 1\n"
     "5\n"
     "2: 0xffffffffffffffff#1 < 0xffffffffffffffff#1\n" EVERYTHING},
    {"a profile of the program's own, and counts that Go's ParseInt takes for octal",
     "# a comment\n\nmain.letters profile: total 8\n010 @ 0x2\n",
     "main.letters/count per main.letters/count 1\n8: 0x1#1\n" EVERYTHING},
    {"leaked goroutines", "goroutineleak profile: total 1\n1 @ 0x2\n",
     "goroutineleak/count per goroutineleak/count 1\n1: 0x1#1\n" EVERYTHING},
    {"blocked in Go: cycles become ns",
     "--- contention:\ncycles/second=2000000000\n3000 2 @ 0x11 0x21\n",
     "contentions/count delay/nanoseconds per contentions/count 1\n"
     "2 1500: 0x10#1 < 0x20#1\n" EVERYTHING},
    {"locks of Go: one in five was sampled",
     "--- mutex:\ncycles/second=2000000000\nsampling period=5\n3000 2 @ 0x11\n",
     "contentions/count delay/nanoseconds per contentions/count 5\n10 7500: 0x10#1\n" EVERYTHING},
    {"locks of C++, without a frequency ns already; numbers that touch are parted",
     "--- contentionz 1 ---\nms since reset = 12\ndiscarded samples = 0\n"
     "   19490304       27 @ 0x11\n 123 @ 0x11\n--- Memory map: ---\n0-100: /x\n",
     "contentions/count delay/nanoseconds per contentions/count 1\n"
     "27 19490304: 0x10#1\n3 12: 0x10#1\nmap 0-100 0 /x \n"},
    {"threads of a C++ server: the leaf is where it is, a creator is on the stack, one like "
     "another",
     "--- threadz 1 ---\n\n"
     "--- Thread 7f79 (name: main/14748) stack: ---\n"
     "  PC:  0x00bc8f1c: helper(arg *)\n"
     "  0x0040be31: main\n"
     "--- Thread 7f80 (name: worker/2/14749) stack: ---\n"
     "  PC: 0x10 0x21\n      creator: 0x31\n"
     "--- Thread 7f81 (name: same/14750) stack: ---\n"
     "  [same as previous thread]\n"
     "---- no stack trace for 2 threads\n"
     "--- Memory map: ---\n  0-ffffffff: /prog\n",
     "thread/count per thread/count 1\n"
     "1: 0xbc8f1c#1 < 0x40be30#1\n2: 0x10#1 < 0x20#1 < 0x30#1\nmap 0-ffffffff 0 /prog \n"},
    {"the leaf twice, as it was interrupted and as a call",
     "--- Thread 1 (name: a/1) stack: ---\n PC: 0x10 0x10 0x31\n--- Memory map: ---\n",
     "thread/count per thread/count 1\n1: 0x10#1 < 0x30#1\n" EVERYTHING},
    {"the heap of Java: names instead of addresses; a function has the file it was first seen with",
     "--- heapz 1 ---\nformat = java\nresolution = bytes\n"
     "  10240  10 @ 0x3 0x4 0x5\n  7048 1 @ 0x6 0x7 0x8 0x9\n\n"
     " 0x03 com.f (A.java:103)\n 0x04 com.g (B.java:104)\n 0x05 com.g (C.java:-1)\n"
     " 0x06 native (/usr/lib/libx.so)\n 0x07 generated stub/JIT\n 0x08 GC\n 0x77 unused "
     "(X.java:1)\n",
     "inuse_objects/count inuse_space/bytes per / 0\n"
     "5125 5248001: com.f@A.java:103 < com.g@B.java:104 < com.g@B.java:0 {bytes=1024}\n"
     "74 527819: native@libx.so:0 < STUB < GC < 0x0#1 {bytes=7048}\n" EVERYTHING},
    {"locks of Java",
     "--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 100\n"
     "ms since reset = 6019923\n  1  1 @ 0x3 0x4\n 14 1 @ 0x3\n 0x3 f (s.java:3)\n 0x4 g "
     "(s.java:4)\n",
     "contentions/count delay/microseconds per contentions/count 100\n"
     "100 100: f@s.java:3 < g@s.java:4\n100 1400: f@s.java:3\n"},
    {"the heap of jemalloc: a sample of each thread, scaled by itself; of a stack without threads "
     "its "
     "own line; names of threads do not matter",
     "heap_v2/4096\n"
     "  t*: 43: 42048 [0: 0]\n  t0: 31: 35872 [0: 0] server\n  t3: 12: 6176 [0: 0] a [1] b\n"
     "@ 0x480010 0x7f10\n"
     "  t*: 13: 26688 [0: 0]\n  t0: 1: 20512 [0: 0]\n  t3: 12: 6176 [0: 0]\n"
     "@ 0x480010\n"
     "  t*: 30: 15360 [0: 0]\n"
     "\nMAPPED_LIBRARIES:\n"
     "00400000-00500000 r-xp 00000000 08:01 18 /usr/bin/server\n"
     "00500000-00600000 rw-p 00100000 08:01 18 /usr/bin/server\n"
     "7f00-8000 r-xp 00000000 08:01 17 /lib/libc.so.6\n",
     "inuse_objects/count inuse_space/bytes per space/bytes 4096\n"
     "1 20650: 0x48000f#1 < 0x7f0f#2 {thread=0}\n"
     "101 52304: 0x48000f#1 < 0x7f0f#2 {thread=3}\n"
     "255 130719: 0x48000f#1\n"
     "map 400000-500000 0 /usr/bin/server \nmap 7f00-8000 0 /lib/libc.so.6 \n"},
    {"jemalloc with prof_accum:true: four values; what is not in use any more; no stack",
     "heap_v2/1\n  t*: 1: 16 [4: 64]\n"
     "@ 0x11 0x21\n  t*: 0: 0 [1: 16]\n  t1: 0: 0 [1: 16]\n"
     "@\n  t*: 1: 16 [3: 48]\n  t1: 1: 16 [1: 16]\n  t2: 0: 0 [2: 32]\n",
     "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes per space/bytes "
     "1\n"
     "1 16 0 0: 0x10#1 < 0x20#1 {thread=1}\n1 16 1 16 {thread=1}\n2 32 0 0 "
     "{thread=2}\n" EVERYTHING},
    {"jemalloc from 5.3 on: what adds up are the numbers made whole",
     "heap_v2/4096\n  t*: 1001: 7578083 [0: 0]\n@ 0x11\n  t*: 1001: 7578083 [0: 0]\n"
     "  t1: 23: 5163 [0: 0]\n  t2: 144: 300745 [0: 0]\n  t3: 392: 8091459 [0: 0]\n",
     "inuse_objects/count inuse_space/bytes per space/bytes 4096\n"
     "431 96813: 0x10#1 {thread=1}\n360 752920: 0x10#1 {thread=2}\n"
     "394 8144213: 0x10#1 {thread=3}\n" EVERYTHING},
    {"nothing of jemalloc's",
     "heap_v2/524288\n  t*: 0: 0 [0: 0]\n\nMAPPED_LIBRARIES:\n0-10 r-xp 0 1:1 1 /a\n",
     "inuse_objects/count inuse_space/bytes per space/bytes 524288\nmap 0-10 0 /a \n"},
    {"lines end in CR LF, too",
     "goroutine profile: total 1\r\n1 @ 0x11\r\n#\t0x10\tmain.f+0x1\tx.go:7\r\n",
     "goroutine/count per goroutine/count 1\n1: 0x10#1 main.f@x.go:7\n" EVERYTHING},
};

static void expect(const char *story, const void *data, size_t size, const char *shows)
{
	char *got = show_read(data, size, false);

	if (strcmp(got, shows) != 0)
		fail_msg("%s:\ngot\n%sbut not\n%s", story, got, shows);
	free(got);
}

static void test_legacy_read_formats(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(cases[i].story, cases[i].text, strlen(cases[i].text), cases[i].shows);
}

/* ---- damage ---- */

static void test_legacy_read_damage(void **state)
{
	static const struct {
		const char *story, *text, *shows, *strict;
	} damages[] = {
	    {"a line in the middle is gone wrong: the others are kept, and its names are no one's",
	     "goroutine profile: total 3\n1 @ 0x11\n1 @ 0x2z\n#\t0x20\tf+0x1\tx:1\n1 @ 0x31\n",
	     "goroutine/count per goroutine/count 1\n1: 0x10#1\n1: 0x30#1\n" EVERYTHING
	     "lost line 3 has something in its stack that is not an address\n",
	     "error -3: line 3 has something in its stack that is not an address\n"},
	    {"numbers beyond 64 bits",
	     "goroutine profile: total 1\n99999999999999999999 @ 0x1\n1 @ 0x10000000000000000\n"
	     "1 @ 0x2\n",
	     "goroutine/count per goroutine/count 1\n1: 0x1#1\n" EVERYTHING
	     "lost line 2 has a count that does not fit 64 bits\n"
	     "lost line 3 has an address that does not fit 64 bits\n",
	     "error -3: line 2 has a count that does not fit 64 bits\n"},
	    {"bytes of no objects, and no sample at all",
	     "heap profile: 1: 1 [1: 1] @ heapprofile\n0: 5 [0: 5] @ 0x1\nnonsense\n1: 1 [1: 1] @ "
	     "0x2\n",
	     "objects/count space/bytes per space/bytes 1\n1 1: 0x1#1 {bytes=1}\n" EVERYTHING
	     "lost line 2 has bytes but zero objects\nlost line 3 is not a sample of a heap "
	     "profile\n",
	     "error -3: line 2 has bytes but zero objects\n"},
	    {"the end is missing: the header's total tells",
	     "goroutine profile: total 9\n4 @ 0x2\n",
	     "goroutine/count per goroutine/count 1\n4: 0x1#1\n" EVERYTHING
	     "lost ends after 4 of 9 stacks\n",
	     "error -4: ends after 4 of 9 stacks\n"},
	    {"labels that do not end",
	     "goroutine profile: total 1\n1 @ 0x2\n# labels: {\"a\":\"b}\n",
	     "goroutine/count per goroutine/count 1\n1: 0x1#1\n" EVERYTHING
	     "lost line 3 has labels that cannot be read\n",
	     "error -3: line 3 has labels that cannot be read\n"},
	    {"a frequency of 1e300 is none; the cycles stay",
	     "--- mutex:\ncycles/second=1e300\n7 1 @ 0x2\n",
	     "contentions/count delay/nanoseconds per contentions/count 1\n1 7: 0x1#1\n" EVERYTHING
	     "lost line 2 does not have a 64-bit number after '='\n",
	     "error -3: line 2 does not have a 64-bit number after '='\n"},
	    {"a header without its end", "heap profile: 1: 2 [3: 4] @",
	     "error -4: the first line is not a complete header of a heap profile\n",
	     "error -4: the first line is not a complete header of a heap profile\n"},
	    {"threads of a stack of jemalloc that do not add up, and of the header",
	     "heap_v2/1\n  t*: 9: 90 [0: 0]\n@ 0x11\n  t*: 5: 50 [0: 0]\n  t1: 4: 50 [0: 0]\n"
	     "@ 0x21\n  t*: 4: 40 [0: 0]\n",
	     JEMALLOC "4 50: 0x10#1 {thread=1}\n4 40: 0x20#1\n" EVERYTHING
		      "lost line 4 says 5 objects in use, but its threads have 4\n",
	     "error -3: line 4 says 5 objects in use, but its threads have 4\n"},
	    {"threads of the header that do not add up",
	     "heap_v2/1\n  t*: 4: 40 [0: 0]\n  t1: 4: 41 [0: 0]\n@ 0x11\n  t*: 4: 40 [0: 0]\n",
	     JEMALLOC "4 40: 0x10#1\n" EVERYTHING
		      "lost line 2 says 40 bytes in use, but its threads have 41\n",
	     "error -3: line 2 says 40 bytes in use, but its threads have 41\n"},
	    {"stacks of jemalloc that are missing",
	     "heap_v2/1\n  t*: 9: 90 [0: 0]\n@ 0x11\n  t*: 5: 50 [0: 0]\n",
	     JEMALLOC "5 50: 0x10#1\n" EVERYTHING
		      "lost ends after stacks of 5 objects in use, not of 9\n",
	     "error -4: ends after stacks of 5 objects in use, not of 9\n"},
	    {"more stacks of jemalloc than the header has",
	     "heap_v2/1\n  t*: 4: 50 [0: 0]\n@ 0x11\n  t*: 5: 50 [0: 0]\n",
	     JEMALLOC "5 50: 0x10#1\n" EVERYTHING
		      "lost ends after stacks of 5 objects in use, not of 4\n",
	     "error -4: ends after stacks of 5 objects in use, not of 4\n"},
	    {"lines of jemalloc that cannot be read: the others of the stack are kept, and those "
	     "below a stack that cannot be read are no one's",
	     "heap_v2/1\n  t*: 9: 90 [0: 0]\n  tx: 1\n"
	     "@ 0x11\n  t*: 5: 50 [0: 0]\n  t1: 4: 40 [0: 0\n  t2: 1: 10 [0: 0]\n"
	     "@ 0x11 main\n  t*: 4: 40 [0: 0]\n  t1: 4: 40 [0: 0]\n"
	     "@ 0x21\n  t*: 1: 99999999999999999999 [0: 0]\n  t1: 0: 40 [0: 0]\n"
	     "@ 0x10000000000000000\n@ 0x31\n  t*: 1: 1 [0: 0]\n  t*: 2: 2 [0: 0]\n",
	     JEMALLOC "1 10: 0x10#1 {thread=2}\n1 1: 0x30#1\n" EVERYTHING
		      "lost line 3 is neither a stack (@ 0xADDRESS) nor a count\n"
		      "lost line 6 is not a count of objects and bytes (t1: 2: 3 [4: 5])\n"
		      "lost line 8 has something in its stack that is not an address\n"
		      "lost line 12 has a number that does not fit 64 bits\n"
		      "lost line 13 has bytes but zero objects\n"
		      "lost line 14 has an address that does not fit 64 bits\n"
		      "lost line 17 is a second sum of the same stack\n",
	     "error -3: line 3 is neither a stack (@ 0xADDRESS) nor a count\n"},
	    {"stacks of jemalloc without counts, or without their sum",
	     "heap_v2/1\n  t*: 9: 90 [0: 0]\n@ 0x11\n@ 0x21\n  t1: 1: 1 [0: 0]\n@ 0x31\n",
	     JEMALLOC "1 1: 0x20#1 {thread=1}\n" EVERYTHING
		      "lost line 3 is a stack without counts\n"
		      "lost line 4 is a stack without the sum of its threads (t*)\n"
		      "lost line 6 is a stack without counts\n",
	     "error -3: line 3 is a stack without counts\n"},
	    {"a header of jemalloc without its sum", "heap_v2/1\n",
	     "error -4: line 1 has to be the sum of all stacks (t*: 1: 2 [3: 4])\n",
	     "error -4: line 1 has to be the sum of all stacks (t*: 1: 2 [3: 4])\n"},
	    {"a rate of jemalloc that is no number of 64 bits", "heap_v2/99999999999999999999\n",
	     "error -3: line 1 is not a header (heap_v2/BYTES) of 64 bits\n",
	     "error -3: line 1 is not a header (heap_v2/BYTES) of 64 bits\n"},
	    {"no thread where one is expected",
	     "--- threadz 1 ---\n--- Thread ? ---\n 0x1\n--- Thread 1 (name: a/1) stack: ---\n "
	     "0x2\n",
	     "thread/count per thread/count 1\n1: 0x2#1\n" EVERYTHING
	     "lost line 2 is not the header of a thread\n",
	     "error -3: line 2 is not the header of a thread\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		size_t size = strlen(damages[i].text);
		char *got;

		expect(damages[i].story, damages[i].text, size, damages[i].shows);
		got = show_read(damages[i].text, size, true);
		if (strcmp(got, damages[i].strict) != 0)
			fail_msg("%s: %s", damages[i].story, got);
		free(got);
	}
}

/* Wherever a dump is cut, the cut is reported, and nothing is read beyond it. */
static void test_legacy_read_cut_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t size = strlen(cases[i].text);

		for (size_t n = 0; n < size; n++) {
			/* A separate copy, so that a sanitizer sees reads beyond its end. */
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

static void test_legacy_read_nuls_and_long_lines(void **state)
{
	static const char nul[] =
	    "goroutine profile: total 2\n1 @ 0x2\n#\t0x1\tma\0in+0x1\tx:1\n\0\n1 @ 0x3\n";
	struct tp_buf text = {0};
	char *got = show_read(nul, sizeof(nul) - 1, false);

	(void)state;
	assert_non_null(strstr(got, "1: 0x1#1 ma@x:1"));
	assert_non_null(strstr(got, "1: 0x2#1\n"));
	assert_non_null(strstr(got, "lost line 4 is not a count and a stack"));
	free(got);

	say(&text, "goroutine profile: total 1\n1 @");
	for (int i = 0; i < 200000; i++)
		say(&text, " 0x%x", 0x1000 + i % 3);
	say(&text, "\n");
	got = show_read(text.data, text.size, true);
	assert_int_equal(
	    strncmp(got, "goroutine/count per goroutine/count 1\n1: 0xfff#1 < 0x1000#1", 57), 0);
	free(got);
	tp_buf_release(&text);
}

/* Texts on which a careless reader takes time that grows with the square of their size. */
static void test_legacy_read_long_and_hostile(void **state)
{
	static const struct {
		const char *begin, *again;
	} texts[] = {
	    {"heap profile: 1: 1 [1: 1] @ heapprofile\n", "1"},
	    {"heap profile: 1: 1 [1: 1] @ heapprofile\n", "1: 1 [1: "},
	    {"--- mutex:\n", "1 @ "},
	    {"--- mutex:\n", "1"},
	    {"--- heapz 1 ---\n", "1 "},
	    {"--- heapz 1 ---\n", "="},
	    {"--- threadz 1 ---\n", "--- Thread 1 (name: /"},
	    {"goroutine profile: total 1\n1 @ 0x1\n# labels: {", "\"b\":\"c\", \"a\":\"d\", "},
	    {"goroutine profile: total 1\n", "1 @ 0x1 0x2 0x3\n#\t0x1\tf+0x1\n#\t0x0\tf+0x1\n"},
	    {"--- mutex:\n--- Memory map: ---\na=\nb=\nc=\nr=$a$b\n", "$c$"},
	    {"--- mutex:\n--- Memory map: ---\n", "1-2: /x\n"},
	    {"heap_v2/1\n  t*: 1: 1 [0: 0]\n", "@ 0x1\n"},
	    {"heap_v2/1\n  t*: 1: 1 [0: 0]\n@", " 0x1"},
	    {"goroutine 1 [running]:\n\t", ":1"},
	    {"goroutine 1 [running]:\n", "f(\n\t:1\n"},
	    {"goroutine 1 [running] {", "b: c, a: d, "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct tp_buf text = {0};

		say(&text, "%s", texts[i].begin);
		while (text.size < 1000000)
			say(&text, "%s", texts[i].again);
		say(&text, "}:\n");
		free(show_read(text.data, text.size, false));
		tp_buf_release(&text);
	}
}

/* One address with many names that is many times on a stack: a small text that would be a huge tree. */
static void test_legacy_read_inlining_bomb(void **state)
{
	struct tp_buf text = {0};
	char *shown;

	(void)state;
	say(&text, "goroutine profile: total 2\n1 @ 0x10\n");
	for (int i = 0; i < 3000; i++)
		say(&text, "#\t0xf\tf%d+0x0\tx.go:1\n", i);
	say(&text, "1 @");
	for (int i = 0; i < 3000; i++)
		say(&text, " 0x10");
	say(&text, "\n");
	shown = show_read(text.data, text.size, false);
	assert_non_null(
	    strstr(shown, "the profile's inlined calls would make more frames than it has bytes"));
	free(shown);
	tp_buf_release(&text);
}

static void expect_refused(struct tp_buf *text, const char *why)
{
	char *shown = show_read(text->data, text->size, false);

	assert_non_null(strstr(shown, why));
	free(shown);
	tp_buf_release(text);
}

/* Lines of a few bytes that expand to long ones. */
static void test_legacy_read_names_bomb(void **state)
{
	struct tp_buf text = {0};

	(void)state;
	say(&text, "--- mutex:\n--- Memory map: ---\ny=");
	for (int i = 0; i < 4000; i++)
		say(&text, "1");
	say(&text, "\n");
	for (int i = 0; i < 20000; i++)
		say(&text, "$y\n");
	expect_refused(&text, "names in the list of mappings expand to too much text");
}

/* Names of an address that is not on the stack: each one searches the whole stack. */
static void test_legacy_read_names_elsewhere(void **state)
{
	struct tp_buf text = {0};

	(void)state;
	say(&text, "goroutine profile: total 2\n1 @ 0x1001 0x1002\n1 @");
	for (int i = 0; i < 1100; i++)
		say(&text, " 0x3000");
	say(&text, "\n");
	for (int i = 0; i < 650000; i++)
		say(&text, "#0x1001\n");
	expect_refused(&text, "too many lines name addresses that are not on the stack above them");
}

/* Each thread is a sample of the same deep stack. */
static void test_legacy_read_threads_share_stack(void **state)
{
	struct tp_buf text = {0};
	struct tp_profile *p;
	struct tp_err err;

	(void)state;
	say(&text, "heap_v2/1\n  t*: 30000: 30000 [0: 0]\n@");
	for (int i = 0; i < 100000; i++)
		say(&text, " 0x1");
	say(&text, "\n  t*: 30000: 30000 [0: 0]\n");
	for (int i = 0; i < 30000; i++)
		say(&text, "  t%d: 1: 1 [0: 0]\n", i);
	assert_int_equal(tp_profile_read(text.data, text.size, NULL, &p, &err), 0);
	assert_int_equal(p->nsamples, 30000);
	assert_int_equal(p->nlosses, 0);
	assert_int_equal(p->stack[0], p->stack[29999]);
	tp_profile_free(p);
	tp_buf_release(&text);
}

/* Frames of jemalloc are hidden beside those that pprof knows. */
static void test_legacy_read_jemalloc_rules(void **state)
{
	static const char text[] = "heap_v2/1\n  t*: 1: 1 [0: 0]\n@ 0x1\n  t*: 1: 1 [0: 0]\n";
	struct tp_profile *p;
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_profile_read(text, strlen(text), NULL, &p, &err), 0);
	assert_string_equal(p->format, "jemalloc heap text");
	assert_non_null(strstr(text_at(p, p->drop_frames), "|malloc|"));
	assert_non_null(strstr(text_at(p, p->drop_frames), "|je_.*|"));
	tp_profile_free(p);
}

/* ---- profiles appended to a file, and text before them ---- */

/* NULL: no notice */
static const struct {
	const char *story, *text, *shows, *notice;
} parts[] = {
    {"a heap that is written again: two snapshots, and the counters of the last; values are four "
     "as "
     "soon as one has freed something",
     "heap profile: 1: 16 [1: 16] @ heap/2\n"
     "1: 16 [1: 16] @ 0x11\n"
     "#\t0x10\tmain.a+0x1\t/a.go:1\n"
     "# runtime.MemStats\n"
     "# Alloc = 1\n"
     "heap profile: 1: 32 [2: 48] @ heap/2\n"
     "1: 32 [2: 48] @ 0x11\n"
     "#\t0x10\tmain.a+0x1\t/a.go:1\n"
     "# runtime.MemStats\n"
     "# Alloc = 2\n",
     "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes per space/bytes "
     "1\n"
     "1 16 1 16: 0x10#1 main.a@/a.go:1 {bytes=16}\n"
     "2 48 1 32: 0x10#1 main.a@/a.go:1 {bytes=32}\n" EVERYTHING "counter Alloc 2 2\n",
     "holds 2 profiles one after the other; their samples are added up"},
    {"what a web client says before the profile, and CRLF",
     "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
     "goroutine profile: total 2\r\n2 @ 0x11\r\n#\t0x10\tmain.a+0x1\t/a.go:1\r\n",
     "goroutine/count per goroutine/count 1\n2: 0x10#1 main.a@/a.go:1\n" EVERYTHING,
     "2 lines before the profile are not part of it"},
    {"waits for locks, twice; durations add up, the mappings are the same",
     "==\n--- mutex:\ncycles/second=1000000000\nsampling period=5\n10 1 @ 0x11\n"
     "--- Memory map: ---\n10-20: /bin/a\n"
     "--- mutex:\ncycles/second=1000000000\nsampling period=5\n20 2 @ 0x11\n"
     "--- Memory map: ---\n10-20: /bin/a\n",
     "contentions/count delay/nanoseconds per contentions/count 5\n"
     "5 50: 0x10#1\n10 100: 0x10#1\nmap 10-20 0 /bin/a \n",
     "1 line before the profile is not part of it"},
    {"two dumps of jemalloc",
     "heap_v2/1\n  t*: 1: 10 [0: 0]\n@ 0x11\n  t*: 1: 10 [0: 0]\n  t1: 1: 10 [0: 0]\n"
     "\nMAPPED_LIBRARIES:\n0-20 r-xp 0 1:1 1 /a\n"
     "heap_v2/1\n  t*: 2: 20 [0: 0]\n@ 0x11\n  t*: 2: 20 [0: 0]\n  t1: 2: 20 [0: 0]\n"
     "\nMAPPED_LIBRARIES:\n0-20 r-xp 0 1:1 1 /a\n",
     JEMALLOC "1 10: 0x10#1 {thread=1}\n2 20: 0x10#1 {thread=1}\nmap 0-20 0 /a \n",
     "holds 2 profiles"},
    {"a part with other mappings",
     "t profile: total 1\n1 @ 0x11\n--- Memory map: ---\n10-20: /bin/a\n"
     "t profile: total 1\n1 @ 0x11\n--- Memory map: ---\n10-20: /bin/b\n",
     "t/count per t/count 1\n1: 0x10#1\n1: 0x10#2\nmap 10-20 0 /bin/a \nmap 10-20 0 /bin/b \n",
     "holds 2 profiles"},
    {"another kind, and the same kind of something else, cannot be added",
     "goroutine profile: total 1\n1 @ 0x11\n"
     "threadcreate profile: total 3\n3 @ 0x11\n"
     "heap profile: 1: 16 [1: 16] @ heap/2\n1: 16 [1: 16] @ 0x11\n"
     "goroutine profile: total 9\n4 @ 0x11\n",
     "goroutine/count per goroutine/count 1\n1: 0x10#1\n4: 0x10#1\n" EVERYTHING
     "lost line 3 begins a threadcreate profile (text), which must be in a separate file\n"
     "lost line 5 begins a heap profile (text), which must be in a separate file\n"
     "lost ends after 4 of 9 stacks\n",
     "holds 2 profiles"},
    {"a dump of goroutines behind it, however many, is one loss",
     "goroutine profile: total 1\n1 @ 0x11\n"
     "goroutine 1 [running]:\nmain.f()\n\tx.go:1 +0x1\n\ngoroutine 2 [select]:\nmain.f()\n"
     "goroutine profile: total 4\n4 @ 0x11\n",
     "goroutine/count per goroutine/count 1\n1: 0x10#1\n4: 0x10#1\n" EVERYTHING
     "lost line 3 begins a goroutine dump (text), which must be in a separate file\n",
     "; to compare them, give each in a separate file"},
    {"labels and names that look like a header are none",
     "goroutine profile: total 1\n1 @ 0x11\n"
     "# labels: {\"heap profile: 1: 16 [1: 16] @ heap/2\":\"x\"}\n"
     "#\t0x10\theap profile: 1: 16 [1: 16] @ heap/2+0x1\t/a.go:1\n",
     "goroutine/count per goroutine/count 1\n"
     "1: 0x10#1 heap profile: 1: 16 [1: 16] @ heap/2@/a.go:1 {heap profile: 1: 16 [1: 16] @ "
     "heap/2=x}\n" EVERYTHING,
     NULL},
};

static void test_legacy_read_parts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *text = parts[i].text;
		struct tp_profile *p;
		struct tp_err err;
		char *got;

		expect(parts[i].story, text, strlen(text), parts[i].shows);
		assert_int_equal(tp_profile_read(text, strlen(text), NULL, &p, &err), 0);
		assert_int_equal(p->nnotices > 0, parts[i].notice != NULL);
		if (parts[i].notice)
			assert_non_null(strstr(p->notices[0].text, parts[i].notice));
		tp_profile_free(p);
		got = show_read(text, strlen(text), true);
		if (parts[i].notice && !strstr(parts[i].text, "HTTP"))
			assert_non_null(strstr(got, "holds several profiles one after the other"));
		free(got);
	}
}

/* Counts of goroutines are states at a moment, so they are not added up. */
static void test_legacy_read_moments(void **state)
{
	static const char text[] = "goroutine profile: total 1\n1 @ 0x11\n"
				   "goroutine profile: total 5\n2 @ 0x11\n3 @ 0x21\n"
				   "heap profile: 1: 16 [1: 16] @ heap/2\n1: 16 [1: 16] @ 0x11\n"
				   "goroutine profile: total 4\n4 @ 0x11\n";
	struct tp_profile *p, *before[8];
	struct tp_profile_dumps dumps = {.p = before, .room = 8};
	struct tp_profile_options opt = {.dumps = &dumps};
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_profile_read(text, strlen(text), &opt, &p, &err), 0);
	assert_int_equal(dumps.total, 3);
	assert_int_equal(dumps.n, 2);
	assert_int_equal(before[0]->nsamples, 1);
	assert_int_equal(before[0]->nlosses, 0);
	assert_int_equal(before[1]->nsamples, 2);
	assert_int_equal(before[1]->nlosses, 1);
	assert_int_equal(p->nsamples, 1);
	assert_int_equal(p->value[0], 4);
	assert_int_equal(p->nnotices + before[0]->nnotices + before[1]->nnotices, 0);
	for (size_t i = 0; i < dumps.n; i++)
		tp_profile_free(before[i]);
	tp_profile_free(p);
}

/* A damaged profile without any remaining samples is an error; an intact one may be empty. */
static void test_legacy_read_nothing_left(void **state)
{
	static const char damaged[] = "goroutine profile: total 5\n",
			  empty[] = "t profile: total 0\n";
	char *got = show_read(damaged, strlen(damaged), false);

	(void)state;
	assert_non_null(
	    strstr(got, "nothing of the profile can be read: ends after 0 of 5 stacks"));
	free(got);
	expect("empty", empty, strlen(empty), "t/count per t/count 1\n");
}

/* ---- the binary CPU profile ---- */

static size_t put_words(uint8_t *out, const uint64_t *word, size_t n, unsigned bytes, bool big)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned b = 0; b < bytes; b++)
			*out++ = (uint8_t)(word[i] >> 8 * (big ? bytes - 1 - b : b));
	return n * bytes;
}

static const struct {
	unsigned bytes;
	bool big;
} ways[] = {{4, false}, {4, true}, {8, false}, {8, true}};

static void test_legacy_read_cpu(void **state)
{
	/* The second address is the signal handler's on all of them; the last sample has its leaf
	 * twice. */
	static const uint64_t words[] = {
	    0, 3, 0,	10000, 0,	   /* header: 10 ms */
	    1, 3, 0x10, 0x99,  0x21,	   /* */
	    7, 4, 0x10, 0x99,  0x21, 0x31, /* */
	    2, 4, 0x40, 0x99,  0x40, 0x51, /* */
	    0, 1, 0,
	};
	static const char maps[] = "00000000-00001000 r-xp 00000000 08:01 7 /bin/prog\n";
	uint8_t data[512];

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		size_t n = put_words(data, words, sizeof(words) / sizeof(words[0]), ways[i].bytes,
				     ways[i].big);

		memcpy(data + n, maps, sizeof(maps) - 1);
		expect("cpu", data, n + sizeof(maps) - 1,
		       "samples/count cpu/nanoseconds per cpu/nanoseconds 10000000\n"
		       "1 10000000: 0x10#1 < 0x20#1\n"
		       "7 70000000: 0x10#1 < 0x20#1 < 0x30#1\n"
		       "2 20000000: 0x40#1 < 0x50#1\n"
		       "map 0-1000 0 /bin/prog \n");
	}
}

static void test_legacy_read_cpu_of_java(void **state)
{
	static const uint64_t words[] = {0, 3, 1, 10000, 0, 2, 2, 3, 4, 0, 1, 0};
	static const char names[] = "\n 0x00000003 f (A.java:3)\n 0x4 g (B.java:4)\n";
	uint8_t data[512];

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		size_t n = put_words(data, words, sizeof(words) / sizeof(words[0]), ways[i].bytes,
				     ways[i].big);

		memcpy(data + n, names, sizeof(names) - 1);
		expect("cpu of Java", data, n + sizeof(names) - 1,
		       "samples/count cpu/nanoseconds per cpu/nanoseconds 10000000\n"
		       "2 20000000: f@A.java:3 < g@B.java:4\n");
	}
}

static void test_legacy_read_cpu_damage(void **state)
{
	static const uint64_t words[] = {0, 3, 0, 10000, 0, 1, 2, 0x10, 0x21, 1, UINT32_MAX, 0x10};
	uint8_t data[512];
	size_t n = put_words(data, words, sizeof(words) / sizeof(words[0]), 8, false);
	char *got;

	(void)state;
	expect("a depth beyond the end", data, n,
	       "samples/count cpu/nanoseconds per cpu/nanoseconds 10000000\n"
	       "1 10000000: 0x10#1\n" EVERYTHING
	       "lost ends, or is damaged, in the middle of a stack\n");
	got = show_read(data, n, true);
	assert_string_equal(got, "error -4: ends, or is damaged, in the middle of a stack\n");
	free(got);
	expect("no words that end it", data, (size_t)9 * 8,
	       "samples/count cpu/nanoseconds per cpu/nanoseconds 10000000\n"
	       "1 10000000: 0x10#1\n" EVERYTHING
	       "lost ends without the words that end the samples\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_legacy_read_formats),
	    cmocka_unit_test(test_legacy_read_damage),
	    cmocka_unit_test(test_legacy_read_cut_anywhere),
	    cmocka_unit_test(test_legacy_read_nuls_and_long_lines),
	    cmocka_unit_test(test_legacy_read_long_and_hostile),
	    cmocka_unit_test(test_legacy_read_inlining_bomb),
	    cmocka_unit_test(test_legacy_read_names_bomb),
	    cmocka_unit_test(test_legacy_read_names_elsewhere),
	    cmocka_unit_test(test_legacy_read_threads_share_stack),
	    cmocka_unit_test(test_legacy_read_jemalloc_rules),
	    cmocka_unit_test(test_legacy_read_parts),
	    cmocka_unit_test(test_legacy_read_moments),
	    cmocka_unit_test(test_legacy_read_nothing_left),
	    cmocka_unit_test(test_legacy_read_cpu),
	    cmocka_unit_test(test_legacy_read_cpu_of_java),
	    cmocka_unit_test(test_legacy_read_cpu_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
