/* Lines as the kinds of texts have them, with places that are filled in:
 *
 *   %n  a number          %a  an address, 0x…      %h  hexadecimal digits
 *   %w  a function        %f  a file               %q  "a quoted text"
 *   %v  a short name      %c  a counter            %S  a goroutine's state
 *
 * What is filled in comes from the text itself where it has such a thing, so that addresses meet.
 */
#include <stdio.h>
#include <string.h>

#include "mutate.h"

#define MOST 24

struct forms {
	const char *mark; /* is in the beginning of such a text */
	const char *heads[MOST], *lines[MOST];
	bool maps, names; /* lists of mappings may follow; comments with names and counters */
};

static const char *const maps[] = {
    "--- Memory map: ---",
    "MAPPED_LIBRARIES:",
    "%h-%h r-xp %h 00:00 %n %f",
    "%h-%h rw-p %h 00:00 %n %f",
    "00400000-00401000 r-xp 00000000 00:00 0 /anon_hugepage (deleted)",
    "00401000-00409000 r-xp 00001000 00:00 0 %f",
    "%h-%h: %f",
    "%h-%h: r-xp %f (@%h) %h",
    "%v=%f",
    "%h-%h r-xp 0 00:00 0 $%v/%f",
    "a.cc:17] %h-%h: $%v",
    NULL,
};

static const char *const names[] = {
    "#\t%a\t%w+0x%h\t%f:%n",
    "#\t%a\t%w+0x%h\t\t%f:%n",
    "#\t%a",
    "# labels: {%q:%q}",
    "# labels: {%q:%q, %q:%q}",
    "# runtime.MemStats",
    "# %c = %n",
    "# %c = %n / %n",
    "# %c = [%n %n %n 0 0]",
    "",
    NULL,
};

/* clang-format off */
static const struct forms kinds[] = {
    {.mark = "--- symbol",
     .heads = {"--- symbol\nbinary=%f\n%a %w\n%a %w--%w\n---\n--- heap\nheap profile: %n: %n [%n: %n] @ heapprofile",
	       "--- symbol\n%a %w\n---\n--- contention\ncycles/second = %n"},
     .lines = {"%a %w", "%a %w--%w", "binary=%f", "---", "--- heap", "--- growth", "--- contention", "--- profile",
	       "%n: %n [%n: %n] @ %a %a", "%n %n @ %a %a"},
     .maps = true},
    {.mark = "heap profile:",
     .heads = {"heap profile: %n: %n [%n: %n] @ heap/%n", "heap profile: %n: %n [%n: %n] @ heap_v2/%n",
	       "heap profile: %n: %n [%n: %n] @ heapprofile", "heap profile: %n: %n [%n: %n] @ growthz",
	       "heap profile: %n: %n [%n: %n] @ fragmentationz", "heap profile: %n: %n [%n: %n] @ heapz_v2/%n"},
     .lines = {"%n: %n [%n: %n] @ %a %a %a", "%n: %n [%n: %n] @", "%n: -%n [%n: %n] @ %a"},
     .maps = true, .names = true},
    {.mark = "heap_v2/",
     .heads = {"heap_v2/%n", "heap_v2/%n\n  t*: %n: %n [%n: %n]\n  t0: %n: %n [%n: %n] %v"},
     .lines = {"@ %a %a\n  t*: %n: %n [%n: %n]\n  t%n: %n: %n [%n: %n]", "  t*: %n: %n [%n: %n]",
	       "  t%n: %n: %n [%n: %n]", "  t%n: %n: %n [%n: %n] %v", "@ %a %a", "@"},
     .maps = true},
    {.mark = " profile: total ",
     .heads = {"goroutine profile: total %n", "threadcreate profile: total %n",
	       "goroutineleak profile: total %n", "%v profile: total %n"},
     .lines = {"%n @ %a %a %a", "%n @ %a", "%n @"},
     .maps = true, .names = true},
    {.mark = "format = java",
     .heads = {"--- heapz 1 ---\nformat = java\nresolution = bytes",
	       "--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = %n\nms since reset = %n"},
     .lines = {"%n %n @ %a %a", "%n %n @ %a", "%a %w (%f:%n)", "%a %w (%f)", "%a %w", "%a generated stub/JIT",
	       "sampling period = %n", "ms since reset = %n", "resolution = %v", "format = java", "  "}},
    {.mark = "--- contention",
     .heads = {"--- contention:\ncycles/second=%n", "--- contentionz 1 ---\ncycles/second = %n\nsampling period = %n"},
     .lines = {"%n %n @ %a %a", "%n %n @ %a", "cycles/second = %n", "sampling period = %n", "ms since reset = %n",
	       "discarded samples = %n", "%n @ %a"},
     .maps = true, .names = true},
    {.mark = "--- mutex:",
     .heads = {"--- mutex:\ncycles/second=%n\nsampling period=%n"},
     .lines = {"%n %n @ %a %a", "sampling period=%n", "ms since reset = %n"},
     .maps = true, .names = true},
    {.mark = "--- thread",
     .heads = {"--- threadz 1 ---\n\n--- Thread %h (name: %v/%n) stack: ---", "--- Thread %h (name: %v/%n) stack: ---"},
     .lines = {"--- Thread %h (name: %v/%n) stack: ---", "  PC: %a %a: %w", "    %a: %w", "  creator: %a",
	       "  [same as previous thread]", "---- no stack trace for %v", "  %a %a %a",
	       "--- Thread %h (name: %v/%n) stack: ---\n  [same as previous thread]"},
     .maps = true},
    {.mark = "tracealloc(",
     .heads = {"tracealloc(%a, %a, %w)\ngoroutine %n [%S]:\n%w(%a)\n\t%f:%n +0x%h\n"},
     .lines = {"tracealloc(%a, %a, %w)\ngoroutine %n [%S]:", "tracealloc(%a, %a)\ngoroutine %n [%S]:\n%w(%a)\n\t%f:%n +0x%h\n",
	       "tracefree(%a, %a)\ngoroutine %n [%S]:\n%w(%a)\n\t%f:%n +0x%h\n", "tracefree(%a, %a)", "tracegc()", "end tracegc",
	       "%w(%a)\n\t%f:%n +0x%h", "created by %w\n\t%f:%n +0x%h", "", "%v"}},
    {.mark = "goroutine ",
     .heads = {"goroutine %n [%S]:", "panic: %v\n\ngoroutine %n [%S]:", "goroutine %n gp=%a m=%n mp=%a [%S]:"},
     .lines = {"\ngoroutine %n [%S]:", "\ngoroutine %n [%S]:\n%w(%a)\n\t%f:%n +0x%h",
	       "\ngoroutine %n gp=%a m=%n mp=%a [%S]:", "\ngoroutine %n [%S] {%v: %v, %q: %q}:",
	       "%w(%a, {%a, %n})\n\t%f:%n +0x%h", "%w()\n\t%f:%n", "%w(...)\n\t%f:%n", "%w(0x1?)\n\t%f:%n +0x%h fp=%a sp=%a pc=%a",
	       "created by %w in goroutine %n\n\t%f:%n +0x%h", "created by %w\n\t%f:%n +0x%h",
	       "...%n frames elided...", "...additional frames elided...", "[originating from goroutine %n]:",
	       "\tgoroutine running on other thread; stack unavailable", "non-Go function at pc=%h", "\t%f:%n +0x%h",
	       "%w(%a)", "panic: %v", "[signal SIGSEGV: %v addr=%a pc=%a]", "runtime: %v", "", "exit status 2"}},
    /* perf script of the scheduler's events: few threads and processors, so that events meet */
    {.mark = "sched:",
     .heads = {"%v %n [000] %n.123456: sched:sched_switch: prev_comm=%v prev_pid=%n prev_prio=120 prev_state=S ==> next_comm=%v next_pid=%n next_prio=120",
	       "%v %n [001] %n.123456: sched:sched_switch: %v:%n [120] R ==> %v:%n [120]"},
     .lines = {"%v %n [000] %n.123456: sched:sched_switch: prev_comm=%v prev_pid=%n prev_prio=120 prev_state=S ==> next_comm=%v next_pid=%n next_prio=120",
	       "%v %n [001] %n.123456: sched:sched_switch: prev_comm=%v prev_pid=%n prev_prio=120 prev_state=R+ ==> next_comm=%v next_pid=%n next_prio=120",
	       "%v %n [001] %n.123456: sched:sched_switch: prev_comm=%v prev_pid=%n prev_prio=120 prev_state=X ==> next_comm=swapper/1 next_pid=0 next_prio=120",
	       "swapper 0 [%n] %n.123456: sched:sched_switch: swapper/0:0 [120] R ==> %v:%n [120]",
	       ":-1 -1 [000] %n.%n: sched:sched_switch: %v:%n [120] Z ==> %v:%n [120]",
	       "%v %n [000] %n.123456: sched:sched_waking: comm=%v pid=%n prio=120 target_cpu=000",
	       "%v %n/%n [001] %n.123456: sched:sched_wakeup: %v:%n [120] CPU:%n",
	       "%v %n [000] %n.123456: sched:sched_wakeup_new: comm=%v pid=%n prio=120 target_cpu=001",
	       "%v %n [000] %n.123456: sched:sched_process_fork: comm=%v pid=%n child_comm=%v child_pid=%n",
	       "%v %n [001] %n.123456: raw_syscalls:sys_enter: NR %n (%n, %n, 0, 0, 0, 0)",
	       "%v %n [001] %n.123456: raw_syscalls:sys_exit: NR %n = %n",
	       "%v %n [000] %n.123456: syscalls:sys_enter_%v: fd: %a", "%v %n [000] %n.123456: syscalls:sys_exit_%v: %a",
	       "%v %n [000] %n.123456: %n cycles: %h %w+0x%h (%f)", "%v %n [001] %n.123456: %v:%v: %v=%n",
	       "\t%h __schedule+0x%h (%f)", "\t%h %w+0x%h (%f)", "\t%h %w (inlined)", "\t%h [unknown] ([unknown])",
	       "  %f:%n", "%v %n [000] %n.123456: PERF_RECORD_LOST lost %n", ""}},
    /* perf script */
    {.mark = "] ",
     .heads = {"%v %n [000] %n.123456: %n cycles:\n\t%h %w+0x%h (%f)\n"},
     .lines = {"%v %n [000] %n.123456: %n %v:", "%v %n/%n [001] %n.123456: %n cycles:u: %h %w+0x%h (%f)",
	       "%v %n %n.123456789: %v:", "%v %n [%n] %n.%n: %n %v:ppp:", "\t%h %w+0x%h (%f)", "\t%h %w (inlined)",
	       "\t%h [unknown] ([unknown])", "  %f:%n", "  %f:%n (inlined)", "%v %n [000] %n.123456: PERF_RECORD_LOST lost %n",
	       "%v %n [000] %n.123456: sched:%v: %v=%n", "%v %n [000] %n.123456: %n %v:\n\t%h %w (%f)\n", ""}},
    /* speedscope */
    {.mark = "speedscope.app",
     .heads = {"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":[{\"name\":%q}]},\"profiles\":["},
     .lines = {"{\"type\":\"sampled\",\"name\":%q,\"unit\":\"%v\",\"startValue\":%n,\"endValue\":%n,\"samples\":[[%n,%n]],\"weights\":[%n]},",
	       "{\"type\":\"evented\",\"name\":%q,\"unit\":\"milliseconds\",\"startValue\":0,\"endValue\":%n,\"events\":[",
	       "{\"type\":\"O\",\"frame\":%n,\"at\":%n},", "{\"type\":\"C\",\"frame\":%n,\"at\":%n.%n},", "[%n,%n],", "%ne-%n,",
	       "{\"name\":%q,\"file\":%q,\"line\":%n,\"col\":%n},", "{\"name\":\"%w\"},", "\"shared\":{\"frames\":[", "\"profiles\":[",
	       "\"samples\":[", "\"weights\":[", "\"unit\":\"bytes\",", "\"%v\":[[{\"%v\":null}]],", "],", "]}", "}]}", "},"}},
    /* OpenTelemetry's JSON */
    {.mark = "resourceProfiles",
     .heads = {"{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"sampleType\":{\"typeStrindex\":%n},\"samples\":["},
     .lines = {"{\"stackIndex\":%n,\"values\":[\"%n\"]},", "{\"stackIndex\":%n,\"timestampsUnixNano\":[\"%n\",\"%n\"],\"attributeIndices\":[%n]},",
	       "{\"sampleType\":{\"typeStrindex\":%n,\"unitStrindex\":%n},\"periodType\":{\"typeStrindex\":%n},\"period\":\"%n\",\"samples\":[",
	       "\"timeUnixNano\":\"%n\",", "\"durationNano\":\"%n\",", "\"profileId\":\"%h\",", "\"dictionary\":{\"stringTable\":[\"\",%q,",
	       "\"stackTable\":[{},{\"locationIndices\":[%n,%n]},", "\"locationTable\":[{},{\"mappingIndex\":%n,\"address\":\"%n\",\"lines\":[{\"functionIndex\":%n,\"line\":\"%n\"}]},",
	       "\"functionTable\":[{},{\"nameStrindex\":%n,\"filenameStrindex\":%n},", "\"mappingTable\":[{},{\"memoryStart\":\"%n\",\"memoryLimit\":\"%n\",\"filenameStrindex\":%n},",
	       "\"attributeTable\":[{},{\"keyStrindex\":%n,\"value\":{\"intValue\":\"%n\"}},", "{\"arrayValue\":{\"values\":[{\"doubleValue\":%n.%n},",
	       "{\"kvlistValue\":{\"values\":[{\"key\":%q,\"value\":{\"boolValue\":true}},", "%q,", "%n,", "],", "]}", "}]}", "},"}},
    /* folded stacks */
    {.mark = ";",
     .heads = {"%w;%w %n"},
     .lines = {"%w;%w %n", "%w;%w;%w_[k] %n", "%w_[i];%w_[j];_[k] %n %n", "%w (%f:%n);%w - %f:%n %n.%n", "%w (%f) %n",
	       ";%w;; %n", "# %v", "%v %n", "%w;%w %n %n", "%w;%w %n.%n"}},
    /* A list of goroutines that may stay: what none of the others is. */
    {.mark = "",
     .heads = {"# %v"},
     .lines = {"%w", "%n %w", "%v.*", "*", "%n *%v*", "# %v", "%n"}},
};
/* clang-format on */
#define NKINDS (sizeof(kinds) / sizeof(kinds[0]))

static bool holds(const char *text, size_t size, const char *part)
{
	return memmem(text, size, part, strlen(part)) != NULL;
}

const struct forms *forms_of(const char *text, size_t size)
{
	size_t i = 0;

	size = size < 300 ? size : 300;
	while (i + 1 < NKINDS && !holds(text, size, kinds[i].mark))
		i++;
	return &kinds[i];
}

const struct forms *forms_any(struct dice *d)
{
	return &kinds[roll(d, NKINDS)];
}

static void put_text(struct writer *w, const char *text)
{
	put_bytes(w, text, strlen(text));
}

static const char *one_of(const char *const *list, struct dice *d)
{
	uint32_t n = 0;

	while (n < MOST && list[n])
		n++;
	return n ? list[roll(d, n)] : "";
}

static bool is_digit(char c, bool hex)
{
	return (c >= '0' && c <= '9') ||
	       (hex && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
}

void put_number(struct writer *w, const char *old, size_t size, bool hex, struct dice *d)
{
	/* clang-format off */
	static const char *const odd[] = {
	    "", "-1", "0", "00", "1", "9223372036854775807", "9223372036854775808", "9223372036854775800",
	    "18446744073709551615", "18446744073709551616", "ffffffffffffffff", "10000000000000000", "0x10",
	    "4611686018427387904", "99999999999999999999999999999999", "2147483648", "4294967296",
	    "1000000000000", "153722868", "9223372036855", "1000000000000000000",
	};
	/* clang-format on */
	char text[24];
	uint64_t v = 0;

	if (one_in(d, 2)) {
		put_text(w, odd[roll(d, sizeof(odd) / sizeof(odd[0]))]);
		return;
	}
	for (size_t i = 0; i < size && is_digit(old[i], hex); i++) {
		unsigned c = (unsigned char)old[i];

		v = v * (hex ? 16 : 10) + (c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
	}
	v = like(d, v);
	snprintf(text, sizeof(text), hex ? "%llx" : "%llu", (unsigned long long)v);
	put_text(w, text);
}

/* Digits that are somewhere in the text, behind "0x" when hexadecimal. */
static bool borrow_number(struct writer *w, const struct words *from, bool hex, struct dice *d)
{
	for (int tries = 0; tries < 8 && from->size > 4; tries++) {
		size_t at = roll(d, (uint32_t)from->size - 2), n = 0;

		if (hex) {
			const char *x = memmem(from->text + at, from->size - at, "0x", 2);

			if (!x)
				continue;
			at = (size_t)(x - from->text) + 2;
		} else if (at && is_digit(from->text[at - 1], true)) {
			continue;
		}
		while (at + n < from->size && n < 40 && is_digit(from->text[at + n], hex))
			n++;
		if (!n)
			continue;
		put_bytes(w, from->text + at, n);
		return true;
	}
	return false;
}

static void fill_number(struct writer *w, const struct words *from, bool hex, struct dice *d)
{
	static const char *const plain[] = {"1", "2", "7", "10", "401000", "3", "400", "4"};

	if (one_in(d, 4))
		put_number(w, "1", 1, hex, d);
	else if (one_in(d, 3) || !borrow_number(w, from, hex, d))
		put_text(w, plain[roll(d, 8)]);
}

static void fill_state(struct writer *w, const struct words *from, struct dice *d)
{
	static const char *const states[] = {"running", "chan receive",	   "IO wait",
					     "select",	"syscall",	   "sync.Mutex.Lock",
					     "",	"GC worker (idle)"};

	put_text(w, states[roll(d, 8)]);
	if (one_in(d, 4))
		put_text(w, " (leaked)");
	if (one_in(d, 6))
		put_text(w, " (scan)");
	if (one_in(d, 2)) {
		put_text(w, ", ");
		fill_number(w, from, false, d);
		put_text(w, " minutes");
	}
	if (one_in(d, 4))
		put_text(w, ", locked to thread");
	if (one_in(d, 4)) {
		put_text(w, ", synctest bubble ");
		fill_number(w, from, false, d);
	}
}

static void fill_quoted(struct writer *w, struct dice *d)
{
	static const char *const parts[] = {
	    "key",	   "value", "\\n", "\\x41", "\\x4", "\\u00e9", "\\u12", "\\U0010ffff",
	    "\\U00110000", "\\\"",  "\\",  "\\xff", " ",    "",	       ": ",	"\\0"};

	put_text(w, "\"");
	for (uint32_t n = roll(d, 4); n; n--)
		put_text(w, parts[roll(d, sizeof(parts) / sizeof(parts[0]))]);
	put_text(w, "\"");
}

static void fill(struct writer *w, char what, const struct words *from, struct dice *d)
{
	static const char *const functions[] = {"main.main",
						"runtime.goexit",
						"main.(*T).f[...]",
						"panic",
						"net/http.(*conn).serve",
						"runtime.gopanic",
						"f",
						""};
	static const char *const files[] = {"/src/x.go", "./a.go", "/bin/a",  "/lib/b.so.1",
					    "[vdso]",	 "a b/c",  "C:/x.go", ""};
	static const char *const shorts[] = {"build", "a", "b", "main", "x y", "c", "bytes", ""};
	static const char *const counters[] = {"Stack",	  "MSpan", "MCache", "HeapAlloc",
					       "PauseNs", "Alloc", "a b",    "NumGC"};

	switch (what) {
	case 'n':
		fill_number(w, from, false, d);
		break;
	case 'a':
		put_text(w, "0x");
		fill_number(w, from, true, d);
		break;
	case 'h':
		fill_number(w, from, true, d);
		break;
	case 'q':
		fill_quoted(w, d);
		break;
	case 'S':
		fill_state(w, from, d);
		break;
	case 'w':
		put_text(w, functions[roll(d, 8)]);
		break;
	case 'f':
		put_text(w, files[roll(d, 8)]);
		break;
	case 'c':
		put_text(w, counters[roll(d, 8)]);
		break;
	default:
		put_text(w, shorts[roll(d, 8)]);
		break;
	}
}

void put_form(struct writer *w, const struct forms *f, bool head, const struct words *from,
	      struct dice *d)
{
	const char *p;

	if (head)
		p = one_of(f->heads, d);
	else if (f->names && one_in(d, 3))
		p = one_of(names, d);
	else if (f->maps && one_in(d, 4))
		p = one_of(maps, d);
	else
		p = one_of(f->lines, d);
	for (; *p; p++) {
		if (*p == '%')
			fill(w, *++p, from, d);
		else
			put_bytes(w, p, 1);
	}
	put_text(w, "\n");
}
