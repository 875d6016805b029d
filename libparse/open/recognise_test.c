#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "open/input.h"

static void test_recognise_trace_versions(void **state)
{
	static const struct {
		int minor;
		enum tp_format format;
	} cases[] = {
	    {5, TP_FORMAT_TRACE_V1},  {7, TP_FORMAT_TRACE_V1},	{8, TP_FORMAT_TRACE_V1},
	    {9, TP_FORMAT_TRACE_V1},  {10, TP_FORMAT_TRACE_V1}, {11, TP_FORMAT_TRACE_V1},
	    {19, TP_FORMAT_TRACE_V1}, {21, TP_FORMAT_TRACE_V1}, {22, TP_FORMAT_TRACE_V2},
	    {23, TP_FORMAT_TRACE_V2}, {25, TP_FORMAT_TRACE_V2}, {26, TP_FORMAT_TRACE_V2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char header[32] = {0}, name[48];
		struct tp_recognition r;
		struct tp_err err = {0};

		snprintf(header, sizeof(header), "go 1.%d trace", cases[i].minor);
		snprintf(name, sizeof(name), "go 1.%d trace", cases[i].minor);
		assert_int_equal(tp_recognise(header, 16, &r, &err), 0);
		assert_int_equal(r.format, cases[i].format);
		assert_int_equal(r.version, cases[i].minor);
		assert_string_equal(r.name, name);
	}
}

static void test_recognise_refuses(void **state)
{
	static const struct {
		const char *data;
		size_t size;
		int code;
		const char *says;
	} cases[] = {
	    {"", 0, TP_EUNKNOWN, "is empty"},
	    {"go 1.27 trace\0\0\0", 16, TP_EVERSION, "go 1.27, "},
	    {"go 1.6 trace\0\0\0\0", 16, TP_EVERSION, "1.23, 1.25 and 1.26"},
	    {"go 1.100 trace\0\0", 16, TP_EVERSION, "go 1.100"},
	    {"go", 2, TP_ETRUNC, "header"},
	    {"go 1.22 trace\0\0", 15, TP_ETRUNC, "header"},
	    {"go 1.22 trace\0\0x", 16, TP_EUNKNOWN, "damaged"},
	    {"go 1.22 trade\0\0\0", 16, TP_EUNKNOWN, "damaged"},
	    {"go 1. trace\0\0\0\0\0", 16, TP_EUNKNOWN, "damaged"},
	    {"\x7f"
	     "ELF\x02\x01",
	     6, TP_EUNKNOWN, "ELF"},
	    {"PK\x03\x04zip", 7, TP_EUNKNOWN, "zip"},
	    {"hello, world\n", 13, TP_EUNKNOWN,
	     "is not a trace or profile (first line: \"hello, world\"); tprof reads Go execution "
	     "traces (go 1.5 to 1.27), stacks of goroutines and the profiles that tprof(1) lists"},
	    {"\xef\xbb\xbf\r\n \n  Could not enable CPU profiling: in use \r\nmore", 54,
	     TP_EUNKNOWN, "(first line: \"Could not enable CPU profiling: in use\");"},
	    {"<!DOCTYPE html>\n<html><head>\n<TITLE lang=x>\n 404 Not Found\n</TITLE>", 67,
	     TP_EUNKNOWN, "is an HTML page (title: \"404 Not Found\");"},
	    {"<html><body>oops", 16, TP_EUNKNOWN,
	     "is an HTML page (first line: \"<html><body>oops"},
	    {"12345678901234567890123456789012345678901234567890123456789012345678901234567890!",
	     81, TP_EUNKNOWN, "7890…\");"},
	    {"123456789012345678901234567890123456789012345678901234567890123456789012345678\xe2"
	     "\x82\xac"
	     "\xe2\x82\xac",
	     84, TP_EUNKNOWN, "678…\");"},
	    {"a \x01 binary\n", 11, TP_EUNKNOWN, "is not a trace or profile; tprof reads"},
	    {"\xff\xfe binary\n", 10, TP_EUNKNOWN, "is not a trace or profile; tprof reads"},
	    {"\x1f\x8b\x08\x00", 4, TP_EUNKNOWN, "inside another"},
	    {"PK\x03\x04\ngoroutine 7 [running]", 27, TP_EUNKNOWN, "a zip archive"},
	    {" \n\n", 3, TP_EUNKNOWN, "is empty"},
	    {"2026-11-28 serving\n2026-11-28 goroutine profile: total 33\n", 58, TP_EUNKNOWN,
	     "line 2 begins a goroutine profile (text) behind a prefix, where it is not read; take "
	     "the prefix off each line, e.g. with cut -c12-"},
	    {"2026-11-28 serving\n2026-11-28 heap profile: 1: 2 [3: 4] @ growthz\n", 66,
	     TP_EUNKNOWN, "line 2 begins a profile of heap growth (text) behind a prefix"},
	    {"app | heap_v2/4096\napp |   t*: 1: 2 [0: 0]\n", 42, TP_EUNKNOWN,
	     "line 1 begins a jemalloc heap profile (text) behind a prefix, where it is not read; "
	     "take the prefix off each line, e.g. with cut -c7-"},
	    {"{\"log\": \"threadcreate profile: total 3\\n\"}\n", 43, TP_EUNKNOWN,
	     "line 1 holds a threadcreate profile (text) in a string, where it is not read; take "
	     "it "
	     "out, e.g. of JSON with jq -rj .KEY"},
	    {"[[\"1764\", \"goroutine 17 [running]:\"], [\"1765\", \"main.f()\"]]", 55, TP_EUNKNOWN,
	     "line 1 names goroutine 17, but no stack that can be read follows; write the dump's "
	     "own "
	     "lines to a file"},
	    {"##teamcity[x details='goroutine 7 |[running|]:|nmain.f()", 54, TP_EUNKNOWN,
	     "line 1 names goroutine 7, "},
	    {"a goroutine 7 waits, and the total profile: total is", 50, TP_EUNKNOWN,
	     "is not a trace"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_recognition r;
		struct tp_err err = {0};

		assert_int_equal(tp_recognise(cases[i].data, cases[i].size, &r, &err),
				 cases[i].code);
		assert_int_equal(r.format, TP_FORMAT_UNKNOWN);
		if (!strstr(err.msg, cases[i].says))
			fail_msg("\"%s\" does not say \"%s\"", err.msg, cases[i].says);
	}
}

/* Each is the beginning of a real file, but for those of memray, .NET, macOS and trace-cmd, which are as their
 * sources say. */
static void test_recognise_foreign(void **state)
{
	static const struct {
		const char *data;
		size_t size;
		const char *says;
	} cases[] = {
#define CASE(text, says) {text, sizeof(text) - 1, says}
	    CASE("PERFILE2h\0\0\0",
		 "is a recording of Linux perf; tprof reads what perf script prints "
		 "of it: perf script -F +pid,+time -i FILE | tprof-top -"),
	    CASE("{\n\t\"linux-perf-json-version\": 1,\n", "is a recording of Linux perf as JSON"),
	    CASE("FLR\0\0\2\0\1", "is a recording of Java Flight Recorder; jfrconv -o collapsed"),
	    CASE("JAVA PROFILE 1.0.2\0", "is a heap dump of Java (hprof); "),
	    CASE("v 10400 3\nX ./a\nI 1000 5e2919\n",
		 "is a recording of heaptrack; heaptrack_print -F FILE.folded FILE makes"),
	    CASE("v 10400 3\nx 10 /tmp/a\nX ./a\n",
		 "is a raw recording of heaptrack; interpret it first: zstd -dcf FILE | "),
	    CASE("# callgrind format\nversion: 1\n", "is a profile in callgrind's format; open it "
						     "with speedscope"),
	    CASE("version: 1\ncreator: xdebug 3.2.1\n", "is a profile in callgrind's format; "),
	    CASE("positions: instr line\nevents: cpu(ms)\n",
		 "is a profile in callgrind's format; "),
	    CASE("desc: I1 cache:         32768 B\n", "is a profile of cachegrind"),
	    CASE("desc: --massif-out-file=m\ncmd: ./a\ntime_unit: i\n",
		 "is a heap profile of massif; "),
	    CASE("{\"dhatFileVersion\":2\n,\"mode\":\"heap\"", "is a heap profile of DHAT; "),
	    CASE("memray\0\15", "is a recording of memray; memray tree FILE prints it"),
	    CASE("\4\"M\30`@\202w\2\0\0\365\20memray\0\15", "is a recording of memray; "),
	    CASE("\373)\3\372\10<string>", "is a profile of Python's cProfile, "),
	    CASE("{(\3\0\0\0z\1", "is a profile of Python's cProfile, "),
	    CASE("Nettrace\24\0\0\0!FastSerialization.1",
		 "is a trace of .NET; dotnet-trace convert"),
	    CASE("{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"",
		 "is a CPU profile of V8; open it with speedscope"),
	    CASE("{\"head\":{\"callFrame\":{\"functionName\":\"(root)\"",
		 "is a heap profile of V8; "),
	    CASE("{\"snapshot\":{\"meta\":{\"node_fields\":[", "is a heap snapshot of V8; "),
	    CASE("v8-version,11,3,244,8,-node.38,0\n", "is a log of V8; node --prof-process"),
	    CASE("{\n  \"code\": [\n  {\n    \"type\": \"SHARED_LIB\"", "is a log of V8 as JSON; "),
	    CASE("{\"head\":{\"functionName\":\"(root)\",\"hitCount\":0,",
		 "is a CPU profile of V8; "),
	    CASE("{\"label\":\"\",\"duration\":1.5,\"markers\":[{\"end\":3.5,\"isOffMainThread\":"
		 "false,",
		 "is a profile of Firefox; "),
	    CASE("{\"version\":1,\"recording\":{\"displayName\":\"T 1\",\"instrumentTypes\":[",
		 "is a recording of Safari; open it with speedscope"),
	    CASE("{\"version\":1.2,\"mode\":\"wall\",\"gc_samples\":4,\"missed_samples\":0,",
		 "is a profile of stackprof (Ruby) as JSON; open it with speedscope"),
	    CASE("\x04\x08{\x0e:\x0cversionf\x08"
		 "1.2",
		 "is a profile of stackprof (Ruby); stackprof --stackcollapse FILE"),
	    CASE("Running Time\tSelf (ms)\t\tSymbol Name\n", "is a recording of Instruments; "),
	    CASE("Bytes Used\tCount\t\tSymbol Name\n", "is a recording of Instruments; "),
	    CASE("# To display the perf.data header info, please use --header/--header-only "
		 "options.\n#\n",
		 "is a report that perf printed; tprof reads what perf script prints"),
	    CASE("           time    cpu  task name                       wait time  sch delay   "
		 "run time\n",
		 "is a report that perf printed; "),
	    CASE(" ------\n  Task                  |   Runtime ms  |  Count   | Avg delay ms    |",
		 "is a report that perf printed; "),
	    CASE("cpus=2\n   <idle>-0  [000] 1234.5: sched_switch: prev_comm=a\n",
		 "is a trace that ftrace printed"),
	    CASE("# tracer: nop\n#\n",
		 "is a trace that ftrace printed; tprof reads what perf prints"),
	    CASE("@ inst_retired.any [35705 samples]\n\n20.86%  [7447]     f @ /k\n",
		 "is a report of pmcstat (FreeBSD); stackcollapse-pmc.pl FILE"),
	    CASE("\xff\xfe"
		 "a\0;\0b\0 \0"
		 "1\0\n\0",
		 "is text in UTF-16, as PowerShell writes it; convert it: iconv"),
	    CASE("\xfe\xff\0a\0;\0b\0 \0"
		 "1\0\n",
		 "is text in UTF-16"),
	    CASE("{\"traceEvents\":[{\"pid\":1,", "is a trace of Chrome; open it with speedscope"),
	    CASE(" [\n{\"pid\":7,\"ts\":8,\"ph\":\"X\",", "is a trace of Chrome; "),
	    CASE("{\"label\":\"simple\",\"profile\":{\"libs\":[", "is a profile of Firefox; "),
	    CASE("{\"meta\":{\"categories\":[],\"interval\":1.0,", "is a profile of Firefox; "),
	    CASE("{\n\"program\": \"a\",\n\"rts_arguments\": [\"-pj\"],",
		 "is a profile of a Haskell program; "),
	    CASE("<?xml version=\"1.0\"?>\n<trace-query-result>\n",
		 "is a recording of Instruments; inferno-collapse-xctrace FILE"),
	    CASE("Weight\tSelf Weight\t\tSymbol Names\n", "is a recording of Instruments; open it"),
	    CASE("Analysis of sampling a (pid 7) every 1 millisecond\n", "is a report of sample"),
	    CASE("Attaching 1 probe...\n\n\n@[\n    main+9\n]: 12\n",
		 "is the output of bpftrace; stackcollapse-bpftrace.pl"),
	    CASE("@[\n    main+9\n]: 12\n", "is the output of bpftrace; "),
	    CASE("2026-11-29 23:22:19\nFull thread dump OpenJDK 64-Bit Server VM (17)",
		 "is a thread dump of Java; stackcollapse-jstack.pl"),
	    CASE("[New LWP 7]\n\nThread 1 (LWP 7):\n#0  0x7f00 in pause ()\n",
		 "is stacks that gdb printed; stackcollapse-gdb.pl"),
	    CASE("/* CTF 1.8 */\n\ntrace {\n", "is a trace in the Common Trace Format; "),
	    CASE("\301\37\374\301\300\347", "is a trace in the Common Trace Format; "),
	    CASE("\27\10Dtracing6\0", "is a recording of trace-cmd; "),
	    CASE("gmon\1\0\0\0", "is a profile of gprof, "),
	    CASE("go1.7 heap dump\n\6", "is a heap dump of Go (debug.WriteHeapDump); "),
	    CASE("mode: atomic\na.go:1.1,2.2 1 1\n", "is a coverage profile of Go; go tool cover"),
	    CASE("mode: fast\n", "is not a trace or profile (first line: \"mode: fast\"); "),
	    CASE("File: a\nType: cpu\nShowing nodes accounting for 7, 100% of 7 total\n",
		 "is a report that pprof printed; "),
	    CASE("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0", "is a core dump; gdb -batch -ex "),
	    CASE("\177ELF\2\2\1\0\0\0\0\0\0\0\0\0\0\4", "is a core dump; "),
	    CASE("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0", "is an ELF program; tprof reads"),
	    CASE("BZh91AY", "is a bzip2 file; unpack it first: bzip2 -dc FILE | tprof-top -"),
	    CASE("<?xml version=\"1.0\"?>\n<svg version=\"1.1\"", "is a picture (SVG); "),
	    CASE("<?xml version=\"1.0\"?>\n<a>", "is XML text (first line: \"<?xml"),
	    CASE("\n<!doctype HTML><title>Sign in</title>",
		 "is an HTML page (title: \"Sign in\"); a server sent it in place of the file"),
	    CASE("HTTP/1.1 404 Not Found\r\n\r\n",
		 "is a server's answer with its headers (first line: "
		 "\"HTTP/1.1 404 Not Found\"); fetch it again"),
	    CASE("{\"error\":\"no such profile\"}",
		 "is an error message in JSON (first line: "
		 "\"{\"error\":\"no such profile\"}\"); a server"),
	    CASE("{\"code\":404,\"message\":\"none\"}\n", "is an error message in JSON"),
	    CASE("{\"level\":\"info\",\"message\":\"started\"}", "is JSON text"),
	    CASE("{\"message\":\"a\"}\n{\"message\":\"b\"}\n", "is JSON text"),
	    CASE("<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"\">\n<html><svg/>",
		 "is an HTML page"),
	    CASE("Attaching to the probe\n", "is not a trace or profile"),
	    CASE("main: Full thread dump of all\n", "is not a trace or profile"),
	    CASE("[{\"a\": 1}]", "is JSON text (first line: "),
	    CASE("[New line]", "is not a trace or profile (first line: \"[New line]\")"),
#undef CASE
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_recognition r;
		struct tp_err err = {0};

		assert_int_equal(tp_recognise(cases[i].data, cases[i].size, &r, &err), TP_EUNKNOWN);
		if (strncmp(err.msg, cases[i].says, strlen(cases[i].says)) != 0)
			fail_msg("\"%s\" does not say \"%s\"", err.msg, cases[i].says);
	}
}

static void test_recognise_refuses_tar(void **state)
{
	char tar[512] = "dumps/", *word = tar + 257;
	struct tp_recognition r;
	struct tp_err err = {0};

	(void)state;
	memcpy(word, "ustar", 5);
	assert_int_equal(tp_recognise(tar, sizeof(tar), &r, &err), TP_EUNKNOWN);
	assert_non_null(strstr(err.msg, "is a tar archive; unpack it first: tar -xf"));
}

static void test_recognise_others(void **state)
{
	static const struct {
		const char *data;
		size_t size;
		enum tp_format format;
		const char *name;
	} cases[] = {
	    {"SQLite format 3\0 and so on", 26, TP_FORMAT_STORE, "SQLite database"},
	    /* sample_type {1, 2}, string_table "", "cpu", "ns"; period 5 */
	    {"\x0a\x04\x08\x01\x10\x02\x32\x00\x32\x03"
	     "cpu"
	     "\x32\x02"
	     "ns"
	     "\x60\x05",
	     19, TP_FORMAT_PROFILE, "pprof profile"},
	    {"\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\x27\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
	     40, TP_FORMAT_PROFILE, "CPU profile (binary)"},
	    {"\0\0\0\0\0\0\0\3\0\0\0\1\0\0\x27\x10\0\0\0\0", 20, TP_FORMAT_PROFILE,
	     "Java CPU profile (binary)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_recognition r;
		struct tp_err err = {0};

		assert_int_equal(tp_recognise(cases[i].data, cases[i].size, &r, &err), 0);
		assert_int_equal(r.format, cases[i].format);
		assert_string_equal(r.name, cases[i].name);
	}
}

static void test_recognise_texts(void **state)
{
	static const struct {
		const char *text, *name; /* NULL: not a profile */
	} cases[] = {
	    {"main;f;g 12\n", "profile of folded stacks (text)"},
	    {"\xef\xbb\xbf {\"$schema\": \"https://www.speedscope.app/file-format-schema.json\"",
	     "speedscope file (JSON)"},
	    {"{\"exporter\":\"heap profile: 1: 1 [1: 1] @ x\",\"$schema\":"
	     "\"https:\\/\\/www.speedscope.app\\/file-format-schema.json\",\"profiles\":[",
	     "speedscope file (JSON)"},
	    {"{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"}", NULL},
	    {"{\"traceEvents\":[],\"$schema\":"
	     "\"https://www.speedscope.app/file-format-schema.json\"}",
	     NULL},
	    {"[\"https://www.speedscope.app/file-format-schema.json\"]", NULL},
	    {"\xef\xbb\xbf{ \"resourceProfiles\":[{\"x\":\"heap profile: 1: 2 [3: 4] @ heap/5\"}]}",
	     "OpenTelemetry profile"},
	    {"{\n\"dictionary\" : { \"stackTable\":[]}}", "OpenTelemetry profile"},
	    {"{\"dictionary\": \"en\"}\ngoroutine 1 [running]:\nmain.main()\n",
	     "goroutine dump (text)"},
	    {"{\"dictionary\": {\"stacks\": 1}}", NULL},
	    {"{\"resourceSpans\":[]}", NULL},
	    {"heap profile: 1: 2 [3: 4] @ heap/1048576\n", "heap profile (text)"},
	    {"heap profile:     85: 178257920 [    85: 178257920] @ growthz\n",
	     "profile of heap growth (text)"},
	    {"heap_v2/524288\n  t*: 1: 2 [0: 0]\n", "jemalloc heap profile (text)"},
	    {"Content-Length: 7\r\n\r\nheap_v2/524288\r\n", "jemalloc heap profile (text)"},
	    {"heap_v2/\n", NULL},
	    {"heap_v2/524288 bytes\n", NULL},
	    {"goroutine profile: total 5\n", "goroutine profile (text)"},
	    {"# written by us\n\nmain.letters profile: total 5", "main.letters profile (text)"},
	    {"g\033o profile: total 5\n", NULL},
	    {"g\303\266 profile: total 5\n", "count profile (text)"},
	    {"goroutine profile: total many\n", NULL},
	    {"goroutine 1 [running]:\nmain.main()\n", "goroutine dump (text)"},
	    {"goroutine 1 gp=0xc000002380 m=0 mp=0x5511a0 [running]:\r\n", "goroutine dump (text)"},
	    {"goroutine 1 [chan receive] {queue: letters}:\n", "goroutine dump (text)"},
	    {"2026/11/21 a log\npanic: x\n\ngoroutine 1 [running]:\n", "goroutine dump (text)"},
	    {"a binary \1 file\ngoroutine 1 [running]:\n", NULL},
	    {"goroutine one [running]:\n", NULL},
	    {"goroutine 1 [running]\n", NULL},
	    {"--- contention:\ncycles/second=1\n", "contention profile (text)"},
	    {"--- contentionz 1 ---\ncycles/second = 1\n", "contention profile (text)"},
	    {"--- contentionz 1 ---\nformat = java\n", "Java contention profile (text)"},
	    {"--- heapz 1 ---\nformat = java\n", "Java heap profile (text)"},
	    {"--- mutex:\n", "mutex profile (text)"},
	    {"--- threadz 1 ---\n", "thread profile (text)"},
	    {"--- Thread 7f (name: main/1) stack: ---\n", "thread profile (text)"},
	    {"--- threadz ---\n", NULL},
	    {"\n\4\10\1\20\2"
	     "2\21--- threadz 1 ---",
	     "pprof profile"},
	    {"\n\4\10\1\20\2"
	     "2\23heap profile: 1: 16",
	     "pprof profile"},
	    {"\1\n--- threadz 1 ---\n", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_recognition r;
		int code = tp_recognise(cases[i].text, strlen(cases[i].text), &r, NULL);

		if (code != (cases[i].name ? 0 : TP_EUNKNOWN) ||
		    (!code && strcmp(r.name, cases[i].name) != 0))
			fail_msg("\"%s\" is %d, \"%s\"", cases[i].text, code, r.name);
		assert_int_equal(r.format, code ? TP_FORMAT_UNKNOWN : TP_FORMAT_PROFILE);
	}
}

/* Whatever the first bytes are, nothing is read beyond the data. */
static void test_recognise_any_bytes(void **state)
{
	uint32_t x = 7;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint8_t *data = malloc(24);
		size_t size = (size_t)i % 25;
		struct tp_recognition r;

		for (size_t k = 0; k < size; k++) {
			x = x * 1664525 + 1013904223;
			data[k] = (uint8_t)(x >> 24 & (i & 1 ? 0x3f : 0xff));
		}
		tp_recognise(data, size, &r, NULL);
		free(data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_recognise_trace_versions),
	    cmocka_unit_test(test_recognise_refuses),
	    cmocka_unit_test(test_recognise_foreign),
	    cmocka_unit_test(test_recognise_refuses_tar),
	    cmocka_unit_test(test_recognise_others),
	    cmocka_unit_test(test_recognise_texts),
	    cmocka_unit_test(test_recognise_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
