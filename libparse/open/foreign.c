#include "open/foreign.h"

#include <string.h>

#define BEGIN		((size_t)4 << 10) /* bytes in which words are searched for */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define MOST_ANSWER	((size_t)2 << 10) /* bytes of an error message */
#define FEW		64 /* bytes that an lz4 frame may have before its first data */

#define UNPACK(command) "unpack it first: " command " FILE | tprof-top -"
#define SPEEDSCOPE                                                                                 \
	"open it with speedscope (npx speedscope FILE, or www.speedscope.app) and save it there "  \
	"(Ctrl-S): tprof reads what it saves"
#define FOLDS(command) command " makes folded stacks of it, which tprof reads"
#define ANSWERED                                                                                   \
	"a server sent it in place of the file: check the address, and whether it wants a login"

static bool has(struct tp_scan begin, const char *word)
{
	return tp_scan_find(begin, word) != NULL;
}

static bool is_core(struct tp_scan s)
{
	/* e_type is 4 (ET_CORE), in the byte order that the byte before e_version names. */
	return tp_scan_left(&s) > 17 &&
	       tp_scan_begins(s, "\x7f"
				 "ELF") &&
	       s.at[s.at[5] == 2 ? 17 : 16] == 4 && !s.at[s.at[5] == 2 ? 16 : 17];
}

/* A frame of lz4 begins with literals. */
static bool is_packed_memray(struct tp_scan s)
{
	s.end = tp_scan_left(&s) > FEW ? s.at + FEW : s.end;
	return tp_scan_begins(s, "\x04\x22\x4d\x18") && has(s, "memray");
}

/* A dictionary of tuples of three, as Python's marshal writes it, with or without references. */
static bool is_cprofile(struct tp_scan s)
{
	const uint8_t *at = (const void *)s.at;

	return tp_scan_left(&s) > 3 && (at[0] & 0x7f) == '{' && at[2] == 3 &&
	       ((at[1] & 0x7f) == ')' || ((at[1] & 0x7f) == '(' && !at[3]));
}

static bool is_go_heap(struct tp_scan s)
{
	if (!tp_scan_text(&s, "go1."))
		return false;
	tp_scan_run(&s, TP_DIGITS);
	return tp_scan_begins(s, " heap dump");
}

/* "v 10400 3", and a line with the program: X in what is interpreted, x in what is not yet. */
static bool is_heaptrack(struct tp_scan s, char program)
{
	if (!tp_scan_text(&s, "v 1") || tp_scan_left(&s) < 8)
		return false;
	tp_scan_run(&s, TP_HEXITS " ");
	tp_scan_blanks(&s);
	return tp_scan_left(&s) > 1 && s.at[0] == program && s.at[1] == ' ';
}

static bool is_heaptrack_text(struct tp_scan s)
{
	return is_heaptrack(s, 'X');
}

static bool is_heaptrack_raw(struct tp_scan s)
{
	return is_heaptrack(s, 'x');
}

static bool is_callgrind(struct tp_scan s)
{
	return tp_scan_begins(s, "# callgrind format") ||
	       (has(s, "\ncreator: ") && tp_scan_begins(s, "version: ")) ||
	       (tp_scan_begins(s, "positions: ") && has(s, "\nevents: "));
}

static bool is_massif(struct tp_scan s)
{
	return tp_scan_begins(s, "desc: ") && has(s, "\ntime_unit: ");
}

static bool is_json(struct tp_scan s)
{
	bool object = tp_scan_text(&s, "{");

	if (!object && !tp_scan_text(&s, "["))
		return false;
	tp_scan_blanks(&s);
	return s.at < s.end && strchr(object ? "\"}" : "{[\"]-" TP_DIGITS, *s.at);
}

static bool is_chrome(struct tp_scan s)
{
	return is_json(s) && (has(s, "\"traceEvents\"") || (has(s, "\"ph\"") && has(s, "\"ts\"")));
}

static bool is_cpuprofile(struct tp_scan s)
{
	return is_json(s) && ((has(s, "\"callFrame\"") && has(s, "\"nodes\"")) ||
			      (has(s, "\"functionName\"") && has(s, "\"hitCount\"")));
}

static bool is_heapprofile(struct tp_scan s)
{
	return is_json(s) && has(s, "\"callFrame\"") && has(s, "\"head\"");
}

static bool is_heapsnapshot(struct tp_scan s)
{
	return is_json(s) && has(s, "\"snapshot\"") && has(s, "\"node_fields\"");
}

static bool is_firefox(struct tp_scan s)
{
	return is_json(s) && ((has(s, "\"meta\"") && has(s, "\"interval\"")) ||
			      has(s, "\"preprocessedProfileVersion\"") ||
			      (has(s, "\"profile\"") && has(s, "\"libs\"")) ||
			      (has(s, "\"markers\"") && has(s, "\"isOffMainThread\"")));
}

static bool is_safari(struct tp_scan s)
{
	return is_json(s) && has(s, "\"recording\"") && has(s, "\"instrumentTypes\"");
}

static bool is_stackprof(struct tp_scan s)
{
	return is_json(s) && has(s, "\"gc_samples\"") && has(s, "\"missed_samples\"");
}

static bool is_dhat(struct tp_scan s)
{
	return is_json(s) && has(s, "\"dhatFileVersion\"");
}

static bool is_perf_json(struct tp_scan s)
{
	return is_json(s) && has(s, "\"linux-perf-json-version\"");
}

/* What node --prof-process --preprocess writes. */
static bool is_v8_log_json(struct tp_scan s)
{
	return is_json(s) && has(s, "\"code\"") && has(s, "\"SHARED_LIB\"");
}

static bool is_ghc(struct tp_scan s)
{
	return is_json(s) && has(s, "\"rts_arguments\"");
}

static bool is_http(struct tp_scan s)
{
	return tp_scan_text(&s, "HTTP/") && tp_scan_left(&s) && *s.at >= '0' && *s.at <= '9';
}

static bool is_html(struct tp_scan s)
{
	const char *end = tp_scan_begins(s, "<?xml") ? tp_scan_find(s, "?>") : NULL;

	if (end) {
		s.at = end + strlen("?>");
		tp_scan_blanks(&s);
	}
	return tp_foreign_word(s, "<!doctype html") == s.at ||
	       tp_foreign_word(s, "<html") == s.at || tp_foreign_word(s, "<head") == s.at;
}

static bool is_svg(struct tp_scan s)
{
	return tp_scan_begins(s, "<svg") || (tp_scan_begins(s, "<?xml") && has(s, "<svg"));
}

static bool is_instruments(struct tp_scan s)
{
	return tp_scan_begins(s, "<?xml") && has(s, "<trace-query-result");
}

/* One small object whose first key is of an answer; a line of a log begins otherwise, and another one follows. */
static bool is_error(struct tp_scan s)
{
	static const char *const keys[] = {"error\"",  "errors\"", "message\"",	   "detail\"",
					   "status\"", "code\"",   "statusCode\"", "fault\""};
	struct tp_scan first = s;

	if (!is_json(s) || tp_scan_left(&s) > MOST_ANSWER || !tp_scan_text(&first, "{") ||
	    has(s, "}\n{") || !(has(s, "\"error") || has(s, "\"message\"") || has(s, "\"detail\"")))
		return false;
	tp_scan_blanks(&first);
	if (tp_scan_text(&first, "\""))
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (tp_scan_begins(first, keys[i]))
				return true;
	return false;
}

/* "Attaching 1 probe..." is on standard error since version 0.22. */
static bool is_bpftrace(struct tp_scan s)
{
	struct tp_scan probes = s;

	int64_t n;

	return (tp_scan_text(&probes, "Attaching ") &&
		tp_scan_int(&probes, false, &n) == TP_NUMBER_OK &&
		tp_scan_begins(probes, " probe")) ||
	       (tp_scan_begins(s, "@") && has(s, "[\n") && has(s, "]: "));
}

static bool is_pmcstat(struct tp_scan s)
{
	const char *line = memchr(s.at, '\n', tp_scan_left(&s));

	return tp_scan_begins(s, "@ ") && line && has((struct tp_scan){s.at, line}, " samples]");
}

/* Of a byte order mark and a character of ASCII. */
static bool is_utf16(struct tp_scan s)
{
	const uint8_t *at = (const void *)s.at;

	return tp_scan_left(&s) > 3 && ((at[0] == 0xff && at[1] == 0xfe && at[2] && !at[3]) ||
					(at[0] == 0xfe && at[1] == 0xff && !at[2] && at[3]));
}

static bool is_jstack(struct tp_scan s)
{
	return tp_scan_begins(s, "Full thread dump ") || has(s, "\nFull thread dump ");
}

static bool is_gdb(struct tp_scan s)
{
	return has(s, "\nThread 1 ") && has(s, "\n#0 ");
}

static bool is_coverage(struct tp_scan s)
{
	return tp_scan_text(&s, "mode: ") &&
	       (tp_scan_begins(s, "set\n") || tp_scan_begins(s, "count\n") ||
		tp_scan_begins(s, "atomic\n"));
}

/* Of perf report, perf sched timehist and perf sched latency. */
static bool is_perf_report(struct tp_scan s)
{
	return tp_scan_begins(s, "# To display the perf.data header") ||
	       (tp_scan_begins(s, "#") && has(s, "\n# Samples: ") && has(s, "\n# Event count ")) ||
	       (has(s, "task name") && has(s, "sch delay") && has(s, "run time")) ||
	       (has(s, "|   Runtime ms  |") && has(s, "| Avg delay ms"));
}

/* Also of trace-cmd report, whose lines are the same. */
static bool is_ftrace(struct tp_scan s)
{
	return tp_scan_begins(s, "# tracer: ") ||
	       ((has(s, ": sched_switch: ") || has(s, ": sched_waking: ")) && has(s, "[0"));
}

static bool is_pprof_report(struct tp_scan s)
{
	return has(s, "Showing nodes accounting for ") || tp_scan_begins(s, "PeriodType: ");
}

static bool is_tar(struct tp_scan s)
{
	return tp_scan_left(&s) > 262 && !memcmp(s.at + 257, "ustar", 5);
}

/* The more telling come first. A function is given the first bytes; `begin` is what the data begins with,
 * after blanks, and may have NULs in it. */
#define BEGINS(text)	  .begin = (text), .size = sizeof(text) - 1
#define IS(is, to_do)	  .foreign = {.what = (is), .advice = (to_do)}
#define QUOTED(is, to_do) .foreign = {.what = (is), .advice = (to_do), .quoted = true}
static const struct {
	const char *begin;
	size_t size;
	bool (*is)(struct tp_scan begin);
	struct tp_foreign foreign;
} kinds[] = {
    /* recordings and profiles */
    {BEGINS("PERFILE2"),
     IS("a recording of Linux perf", "tprof reads what perf script prints of it: perf "
				     "script -F +pid,+time -i FILE | tprof-top -")},
    {.is = is_perf_json,
     IS("a recording of Linux perf as JSON (perf data convert)",
	"tprof reads what perf script prints of the recording: perf script -F "
	"+pid,+time -i perf.data | tprof-top -")},
    {.is = is_perf_report,
     IS("a report that perf printed", "tprof reads what perf script prints of the recording: perf "
				      "script -F +pid,+time -i perf.data | tprof-top -")},
    {.is = is_ftrace,
     IS("a trace that ftrace printed",
	"tprof reads what perf prints of the same events: perf sched "
	"record -- sleep 1; perf script | tprof-top -")},
    {BEGINS("FLR\0"), IS("a recording of Java Flight Recorder",
			 FOLDS("jfrconv -o collapsed FILE FILE.collapsed (of async-profiler)"))},
    {BEGINS("JAVA PROFILE 1.0."),
     IS("a heap dump of Java (hprof)",
	"tprof reads where objects were allocated, which async-profiler records: asprof "
	"-e alloc -o collapsed -f FILE PID")},
    {.is = is_heaptrack_text,
     IS("a recording of heaptrack", FOLDS("heaptrack_print -F FILE.folded FILE"))},
    {.is = is_heaptrack_raw,
     IS("a raw recording of heaptrack",
	"interpret it first: zstd -dcf FILE | "
	"/usr/lib/heaptrack/libexec/heaptrack_interpret >FILE.txt; then " FOLDS(
	    "heaptrack_print -F FILE.folded FILE.txt"))},
    {.is = is_callgrind, IS("a profile in callgrind's format", SPEEDSCOPE)},
    {BEGINS("desc: I1 cache:"),
     IS("a profile of cachegrind, which has no stacks", "cg_annotate FILE prints it")},
    {.is = is_massif, IS("a heap profile of massif", "ms_print FILE prints it")},
    {.is = is_dhat, IS("a heap profile of DHAT", "valgrind's dh_view.html shows it")},
    {BEGINS("memray\0"), IS("a recording of memray", "memray tree FILE prints it")},
    {.is = is_packed_memray, IS("a recording of memray", "memray tree FILE prints it")},
    {.is = is_cprofile,
     IS("a profile of Python's cProfile, which has no stacks",
	"python3 -m pstats FILE shows it; py-spy record --format raw writes folded "
	"stacks, which tprof reads")},
    {BEGINS("Nettrace"),
     IS("a trace of .NET", "dotnet-trace convert --format Speedscope FILE makes a file "
			   "of it that tprof reads")},
    {.is = is_cpuprofile, IS("a CPU profile of V8", SPEEDSCOPE)},
    {.is = is_heapprofile, IS("a heap profile of V8", SPEEDSCOPE)},
    {.is = is_heapsnapshot,
     IS("a heap snapshot of V8",
	"tprof reads where objects were allocated: node --heap-prof writes a "
	".heapprofile, which speedscope opens and saves as JSON that tprof reads")},
    {BEGINS("v8-version,"),
     IS("a log of V8", "node --prof-process --preprocess -j FILE >FILE.json makes JSON "
		       "of it; then " SPEEDSCOPE)},
    {.is = is_v8_log_json, IS("a log of V8 as JSON", SPEEDSCOPE)},
    {.is = is_chrome, IS("a trace of Chrome", SPEEDSCOPE)},
    {.is = is_ghc, IS("a profile of a Haskell program", SPEEDSCOPE)},
    {.is = is_firefox, IS("a profile of Firefox", SPEEDSCOPE)},
    {.is = is_safari, IS("a recording of Safari", SPEEDSCOPE)},
    {.is = is_stackprof, IS("a profile of stackprof (Ruby) as JSON", SPEEDSCOPE)},
    {BEGINS("\x04\x08{"),
     IS("a profile of stackprof (Ruby)", FOLDS("stackprof --stackcollapse FILE >FILE.folded"))},
    {.is = is_instruments,
     IS("a recording of Instruments", FOLDS("inferno-collapse-xctrace FILE >FILE.folded"))},
    {BEGINS("Weight\tSelf Weight\t"), IS("a recording of Instruments", SPEEDSCOPE)},
    {BEGINS("Running Time\tSelf"), IS("a recording of Instruments", SPEEDSCOPE)},
    {BEGINS("Bytes Used\tCount\t"), IS("a recording of Instruments", SPEEDSCOPE)},
    {.is = is_pmcstat,
     IS("a report of pmcstat (FreeBSD)",
	FOLDS("stackcollapse-pmc.pl FILE >FILE.folded (of FlameGraph)"))},
    {BEGINS("Analysis of sampling "),
     IS("a report of sample (macOS)",
	FOLDS("stackcollapse-sample.awk FILE >FILE.folded (of FlameGraph)"))},
    {.is = is_bpftrace,
     IS("the output of bpftrace",
	FOLDS("stackcollapse-bpftrace.pl FILE >FILE.folded (of FlameGraph)"))},
    {.is = is_jstack,
     IS("a thread dump of Java",
	FOLDS("stackcollapse-jstack.pl FILE >FILE.folded (of FlameGraph)"))},
    {.is = is_gdb,
     IS("stacks that gdb printed",
	FOLDS("stackcollapse-gdb.pl FILE >FILE.folded (of FlameGraph)"))},
    {BEGINS("/* CTF 1.8 */"),
     IS("a trace in the Common Trace Format", "babeltrace2 FOLDER prints it")},
    {BEGINS("\xc1\x1f\xfc\xc1"),
     IS("a trace in the Common Trace Format", "babeltrace2 FOLDER prints it")},
    {BEGINS("\x57\x1d\xd1\x75"),
     IS("a trace in the Common Trace Format", "babeltrace2 FOLDER prints it")},
    {BEGINS("\x17\x08\x44tracing"),
     IS("a recording of trace-cmd", "trace-cmd report FILE prints it; tprof reads what "
				    "perf script prints of perf sched record")},
    {BEGINS("gmon\1"),
     IS("a profile of gprof, which has no stacks", "gprof PROGRAM FILE prints it")},
    {.is = is_go_heap,
     IS("a heap dump of Go (debug.WriteHeapDump)",
	"tprof reads where memory was allocated, which pprof.WriteHeapProfile and "
	"/debug/pprof/heap write")},
    {.is = is_coverage, IS("a coverage profile of Go", "go tool cover -func=FILE prints it")},
    {.is = is_pprof_report,
     IS("a report that pprof printed", "give the profile that it was made from")},
    {BEGINS("--- symbol"), IS("a symbolized profile without the profile, cut off in its names",
			      "write it again: google-pprof --raw PROGRAM PROFILE")},
    {.is = is_core,
     IS("a core dump", FOLDS("gdb -batch -ex 'thread apply all bt' PROGRAM FILE | "
			     "stackcollapse-gdb.pl >FILE.folded (of FlameGraph)"))},
    {BEGINS("\x7f"
	    "ELF"),
     QUOTED("an ELF program", NULL)},
    {BEGINS("\xcf\xfa\xed\xfe"), QUOTED("a program of macOS", NULL)},
    /* archives */
    {BEGINS("PK\x03\x04"), IS("a zip archive", "unpack it first: unzip FILE -d FOLDER")},
    {.is = is_tar, IS("a tar archive", "unpack it first: tar -xf FILE")},
    {BEGINS("\xfd"
	    "7zXZ"),
     IS("an xz file", UNPACK("xz -dc"))},
    {BEGINS("BZh"), IS("a bzip2 file", UNPACK("bzip2 -dc"))},
    {BEGINS("\x04\x22\x4d\x18"), IS("an lz4 file", UNPACK("lz4 -dc"))},
    {BEGINS("\x1f\x8b"), IS("a gzip file inside another one", UNPACK("gzip -dc"))},
    {BEGINS("\x28\xb5\x2f\xfd"), IS("a zstd file inside another one", UNPACK("zstd -dc"))},
    {.is = is_utf16,
     IS("text in UTF-16, as PowerShell writes it",
	"convert it: iconv -f UTF-16 -t UTF-8 FILE | tprof-top -")},
    /* pictures, and answers of servers */
    {.is = is_html, QUOTED("an HTML page", ANSWERED)},
    {.is = is_svg, IS("a picture (SVG)", "give the profile that it was drawn from")},
    {BEGINS("\x89PNG"), IS("a picture (PNG)", "give the profile that it was drawn from")},
    {.is = is_http,
     QUOTED("a server's answer with its headers", "fetch it again without them (curl without -i)")},
    {.is = is_error, QUOTED("an error message in JSON", ANSWERED)},
    {BEGINS("<?xml"), QUOTED("XML text", NULL)},
    {.is = is_json, QUOTED("JSON text", NULL)},
};

const struct tp_foreign *tp_foreign_of(struct tp_scan all)
{
	struct tp_scan begin = all;

	tp_scan_text(&begin, BYTE_ORDER_MARK);
	tp_scan_blanks(&begin);
	if (tp_scan_left(&begin) > BEGIN)
		begin.end = begin.at + BEGIN;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].is ? kinds[i].is(begin)
				: tp_scan_left(&begin) >= kinds[i].size &&
				      !memcmp(begin.at, kinds[i].begin, kinds[i].size))
			return &kinds[i].foreign;
	return NULL;
}

const char *tp_foreign_word(struct tp_scan s, const char *text)
{
	size_t n = strlen(text);

	for (; tp_scan_left(&s) >= n; s.at++) {
		size_t i = 0;

		while (i < n &&
		       (s.at[i] >= 'A' && s.at[i] <= 'Z' ? s.at[i] + 32 : s.at[i]) == text[i])
			i++;
		if (i == n)
			return s.at;
	}
	return NULL;
}
