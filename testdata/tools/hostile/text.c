/* Profiles as text, stacks of goroutines, and what gperftools writes. */
#include <string.h>

#include "hostile/cases.h"

static void heap_head(struct pen *p)
{
	pen_text(p, "heap profile: 1: 1 [1: 1] @ heap/1048576\n");
}

static void heap_buckets(struct pen *p)
{
	heap_head(p);
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, "1: %llu [1: 1] @ 0x%llx\n", (unsigned long long)n,
			 (unsigned long long)n);
}

/* The same stacks and sizes over and over. */
static void heap_alike(struct pen *p)
{
	heap_head(p);
	while (!pen_full(p))
		pen_text(p, "1: 1 [1: 1] @ 1\n");
}

static void heap_deep(struct pen *p)
{
	heap_head(p);
	pen_text(p, "1: 1 [1: 1] @");
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, " 0x%llx", (unsigned long long)(pen_mix(n) & 255));
	pen_text(p, "\n");
}

static void heap_stacks(struct pen *p)
{
	uint64_t n = 0;

	heap_head(p);
	while (!pen_full(p)) {
		pen_text(p, "1: 1 [1: 1] @");
		for (unsigned i = 0; i < 1000; i++)
			pen_text(p, " 0x%llx", (unsigned long long)(pen_mix(n++) & 255));
		pen_text(p, "\n");
	}
}

static void long_line(struct pen *p)
{
	heap_head(p);
	while (!pen_full(p))
		pen_byte(p, ' ');
}

static void line_of_digits(struct pen *p)
{
	heap_head(p);
	while (!pen_full(p))
		pen_byte(p, '1');
}

static void line_of_ats(struct pen *p)
{
	heap_head(p);
	while (!pen_full(p))
		pen_byte(p, '@');
}

static void empty_lines(struct pen *p)
{
	heap_head(p);
	while (!pen_full(p))
		pen_byte(p, '\n');
}

/* Every line is a loss. */
static void heap_damage(struct pen *p)
{
	heap_head(p);
	while (!pen_full(p))
		pen_text(p, "1: x\n1: 1 [1: 1] @ 1\n");
}

static void heap_maps(struct pen *p)
{
	heap_head(p);
	pen_text(p, "1: 1 [1: 1] @ 0x1000\n\nMAPPED_LIBRARIES:\n");
	for (uint64_t n = 1; !pen_full(p); n++)
		pen_text(p, "%llx000-%llx000 r-xp 0 0:0 0 /%llu\n", (unsigned long long)n,
			 (unsigned long long)n + 1, (unsigned long long)n);
}

/* As many addresses as mappings, each in another. */
static void heap_maps_addresses(struct pen *p)
{
	uint64_t most = p->size / 64;

	heap_head(p);
	for (uint64_t n = 1; n < most; n++)
		pen_text(p, "1: 1 [1: 1] @ 0x%llx001\n", (unsigned long long)(most - n));
	pen_text(p, "\nMAPPED_LIBRARIES:\n");
	for (uint64_t n = 1; n < most && !pen_full(p); n++)
		pen_text(p, "%llx000-%llx000 r-xp 0 0:0 0 /a\n", (unsigned long long)n,
			 (unsigned long long)n + 1);
}

/* Names that stand for one another. */
static void heap_names(struct pen *p)
{
	heap_head(p);
	pen_text(p, "1: 1 [1: 1] @ 0x1000\n\nMAPPED_LIBRARIES:\na=aaaaaaaaaaaaaaaa\n");
	for (int c = 'b'; c < 'z'; c++)
		pen_text(p, "%c=$%c$%c$%c$%c\n", c, c - 1, c - 1, c - 1, c - 1);
	while (!pen_full(p))
		pen_text(p, "1000-2000 r-xp 0 0:0 0 /$y$y$y\n");
}

static void repeat(struct pen *p, char c, size_t n)
{
	while (n--)
		pen_byte(p, (unsigned char)c);
}

/* Lines in which every character may begin any name, and does not. */
static void heap_names_nearly(struct pen *p)
{
	heap_head(p);
	pen_text(p, "1: 1 [1: 1] @ 0x1000\n\nMAPPED_LIBRARIES:\n");
	for (int i = 0; i < 32; i++) {
		repeat(p, '$', 2000);
		pen_text(p, "%c=v\n", 'A' + i);
	}
	while (!pen_full(p)) {
		repeat(p, '$', 4095);
		pen_byte(p, '\n');
	}
}

/* Lines of two characters that stand for long ones. */
static void heap_names_long(struct pen *p)
{
	heap_head(p);
	pen_text(p, "1: 1 [1: 1] @ 0x1000\n\nMAPPED_LIBRARIES:\ny=");
	repeat(p, '1', 4090);
	pen_byte(p, '\n');
	while (!pen_full(p))
		pen_text(p, "$y\n");
}

static void contention(struct pen *p)
{
	pen_text(p, "--- mutex:\ncycles/second=1\nsampling period=9223372036854775807\n");
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, "9223372036854775807 1 @ 0x%llx\n", (unsigned long long)n);
}

static void counts(struct pen *p)
{
	pen_text(p, "goroutine profile: total 9223372036854775807\n");
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, "1 @ %#llx\n# labels: {\"%llu\":\"\"}\n\n", (unsigned long long)n,
			 (unsigned long long)n);
}

static void counts_labels(struct pen *p)
{
	pen_text(p, "goroutine profile: total 1\n1 @ 0x1\n# labels: {");
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, "\"%llu\":\"\", ", (unsigned long long)n);
	pen_text(p, "\"a\":\"b\"}\n");
}

static void counts_named(struct pen *p)
{
	pen_text(p, "goroutine profile: total 1\n");
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, "1 @ %#llx\n#\t%#llx\tf%llu+0x1\ta.go:%llu\n\n", (unsigned long long)n,
			 (unsigned long long)n, (unsigned long long)n, (unsigned long long)n);
}

/* Lines that name an address which is not on the stack above them. */
static void counts_elsewhere(struct pen *p)
{
	pen_text(p, "goroutine profile: total 2\n1 @ 0x1001 0x1002\n1 @");
	for (int i = 0; i < 1100; i++)
		pen_text(p, " 0x3000");
	while (!pen_full(p))
		pen_text(p, "\n#0x1001");
	pen_text(p, "\n");
}

static void threads(struct pen *p)
{
	pen_text(p, "--- threadz 1 ---\n\n");
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, "--- Thread %llx (name: a/1) stack: ---\n  PC: 0x%llx\n",
			 (unsigned long long)n, (unsigned long long)n);
}

/* What could begin a thread, and does not. */
static void threads_nearly(struct pen *p)
{
	pen_text(p, "--- threadz 1 ---\n\n");
	while (!pen_full(p))
		pen_text(p, "--- Thread 1 (name: /");
	pen_text(p, "\n");
}

static void java(struct pen *p)
{
	pen_text(p, "--- heapz 1 ---\nformat = java\nresolution = bytes\n");
	for (uint64_t n = 0; p->out.size < p->size / 2 && !p->failed; n++)
		pen_text(p, "1 1 @ %#llx\n", (unsigned long long)n);
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, "%#llx f%llu (A.java:1)\n", (unsigned long long)n,
			 (unsigned long long)n);
}

static void java_parentheses(struct pen *p)
{
	pen_text(p, "--- heapz 1 ---\nformat = java\nresolution = bytes\n1 1 @ 0x1\n0x1 ");
	while (!pen_full(p))
		pen_byte(p, '(');
	pen_text(p, "\n");
}

static void attributes(struct pen *p)
{
	pen_text(p, "--- heapz 1 ---\nformat = java\n");
	while (!pen_full(p))
		pen_text(p, "a ");
	pen_text(p, "=\n");
}

static void equals(struct pen *p)
{
	pen_text(p, "--- heapz 1 ---\nformat = java\n");
	while (!pen_full(p))
		pen_text(p, "= ");
	pen_text(p, "\n");
}

static void words(struct pen *p, size_t n, const uint64_t *v)
{
	pen_bytes(p, v, n * sizeof(*v));
}

static void cpu_samples(struct pen *p)
{
	words(p, 5, (uint64_t[]){0, 3, 0, 10000, 0});
	for (uint64_t n = 0; !pen_full(p); n++)
		words(p, 3, (uint64_t[]){1, 1, n});
	words(p, 3, (uint64_t[]){0, 1, 0});
}

static void cpu_deep(struct pen *p)
{
	uint64_t n = p->size / 8;

	words(p, 7, (uint64_t[]){0, 3, 0, 10000, 0, 1, n});
	for (uint64_t i = 0; i < n; i++)
		words(p, 1, (uint64_t[]){pen_mix(i) & 1023});
	words(p, 3, (uint64_t[]){0, 1, 0});
}

static void goroutines(struct pen *p)
{
	for (uint64_t n = 1; !pen_full(p); n++)
		pen_text(p, "goroutine %llu [running]:\n\n", (unsigned long long)n);
}

static void goroutines_short(struct pen *p)
{
	for (uint64_t n = 1; !pen_full(p); n++)
		pen_text(p, "goroutine %llu [%llu]:\nf()\n\ta:1\n\n", (unsigned long long)n,
			 (unsigned long long)n);
}

static void goroutines_deep(struct pen *p)
{
	pen_text(p, "goroutine 1 [running]:\n");
	for (uint64_t n = 1; !pen_full(p); n++)
		pen_text(p, "f%llu()\n\ta:1\n", (unsigned long long)(pen_mix(n) & 255));
}

static void goroutines_created(struct pen *p)
{
	for (uint64_t n = 1; !pen_full(p); n++)
		pen_text(p,
			 "goroutine %llu [select, 9223372036854775807 minutes]:\nf()\n\ta:1\n"
			 "created by f in goroutine %llu\n\ta:1\n\n",
			 (unsigned long long)n, (unsigned long long)n - 1);
}

static void goroutines_labels(struct pen *p)
{
	for (uint64_t n = 1; !pen_full(p); n++)
		pen_text(p, "goroutine %llu [select] {\"%llu\": \"b\"}:\nf()\n\ta:1\n\n",
			 (unsigned long long)n, (unsigned long long)n);
}

static void goroutines_arguments(struct pen *p)
{
	pen_text(p, "goroutine 1 [running]:\nf(");
	while (!pen_full(p))
		pen_text(p, "{0x1, ");
	pen_text(p, ")\n\ta:1\n");
}

static void goroutines_parentheses(struct pen *p)
{
	pen_text(p, "goroutine 1 [running]:\n");
	while (!pen_full(p))
		pen_byte(p, ')');
	pen_text(p, "\n\ta:1\n");
}

static void goroutines_same(struct pen *p)
{
	while (!pen_full(p))
		pen_text(p, "goroutine 1 [running]:\n\tgoroutine running on other thread; stack "
			    "unavailable\n\n");
}

static void folded_functions(struct pen *p)
{
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, "main;%llx 1\n", (unsigned long long)n);
}

static void folded_deep(struct pen *p)
{
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, "a%llx;", (unsigned long long)(pen_mix(n) & 255));
	pen_text(p, " 1\n");
}

static void folded_digits(struct pen *p)
{
	pen_text(p, "a;b 1\na;b ");
	while (!pen_full(p))
		pen_byte(p, '1');
	pen_text(p, ".1\n");
}

/* Names that are all signs of what may follow a name. */
static void folded_places(struct pen *p)
{
	while (!pen_full(p))
		pen_text(p, "a - - - - - (((.(.:(:1);_[k]_[j]_[i]_[k];_[i] 1 1 1\n");
}

static void perf_functions(struct pen *p)
{
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, "a %llu 1.123456: 1 c: %llx %llx+0x1 (/%llx)\n", (unsigned long long)n,
			 (unsigned long long)n, (unsigned long long)n, (unsigned long long)n);
}

static void perf_events(struct pen *p)
{
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, "a 1 1.123456: 1 c%llx: 1 f (/a)\n", (unsigned long long)n);
}

/* One sample of inlined frames. */
static void perf_deep(struct pen *p)
{
	pen_text(p, "a 1 1.123456: 1 c:\n");
	while (!pen_full(p))
		pen_text(p, "\t1 f (inlined)\n");
	pen_text(p, "\t1 f (/a)\n\n");
}

/* Words and brackets that nearly are a sample. */
static void perf_nearly(struct pen *p)
{
	pen_text(p, "a 1 1.123456: 1 c:\n\t1 f (/a)\n\n");
	while (!pen_full(p))
		pen_text(p, "a 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 (((( ))))\n");
}

static void jemalloc_head(struct pen *p)
{
	pen_text(p, "heap_v2/524288\n  t*: 1: 1 [1: 1]\n");
}

static void jemalloc_stacks(struct pen *p)
{
	jemalloc_head(p);
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, "@ 0x%llx\n  t*: 1: 1 [1: 1]\n", (unsigned long long)n);
}

/* One stack, each line of a thread of its own, which does not add up. */
static void jemalloc_threads(struct pen *p)
{
	jemalloc_head(p);
	pen_text(p, "@ 0x1\n  t*: 1: 1 [1: 1]\n");
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, "  t%llu: 7: 7 [7: 7]\n", (unsigned long long)n);
}

static void symbolized_names(struct pen *p)
{
	uint64_t most = p->size / 40;

	pen_text(p, "--- symbol\nbinary=a\n");
	for (uint64_t n = 1; n < most; n++)
		pen_text(p, "0x%llx f%llx--g\n", (unsigned long long)n, (unsigned long long)n);
	pen_text(p, "---\n--- heap\n");
	heap_buckets(p);
}

/* One address, which thousands of functions are inlined into. */
static void symbolized_inlined(struct pen *p)
{
	pen_text(p, "--- symbol\n0x1 f");
	while (!pen_full(p))
		pen_text(p, "--g");
	pen_text(p, "\n---\n--- heap\n");
	heap_head(p);
	pen_text(p, "1: 1 [1: 1] @ 0x1\n1: 1 [1: 1] @ 0x1 0x1 0x1 0x1\n");
}

static void allocs_types(struct pen *p)
{
	for (uint64_t n = 1; !pen_full(p); n++)
		pen_text(
		    p,
		    "tracealloc(0x%llx, 0x%llx, t%llx)\ngoroutine 1 [running]:\nf%llx()\n\ta:1\n\n",
		    (unsigned long long)n, (unsigned long long)n, (unsigned long long)n,
		    (unsigned long long)n);
}

/* One block, allocated and freed over and over, and frees of none. */
static void allocs_frees(struct pen *p)
{
	while (!pen_full(p))
		pen_text(p, "tracealloc(0x1, 0x1)\ntracefree(0x1, 0x1)\ntracefree(0x1, 0x1)\n");
}

/* A log that could hold a goroutine, and does not; then one that does. */
static void log_lines(struct pen *p)
{
	while (!pen_full(p))
		pen_text(p, "goroutine 1 [x\n");
	pen_text(p, "goroutine 1 [running]:\nf()\n\ta:1\n");
}

static void log_before(struct pen *p)
{
	while (!pen_full(p))
		pen_text(p, "a\n");
	pen_text(p, "goroutine 1 [running]:\nf()\n\ta:1\n");
}

static void log_line(struct pen *p)
{
	while (!pen_full(p))
		pen_text(p, "goroutine 1 [");
	pen_text(p, "\ngoroutine 1 [running]:\nf()\n\ta:1\n");
}

#define ONE_SAMPLE "{\"type\":\"sampled\",\"unit\":\"none\",\"samples\":[[0,1]],\"weights\":[1]}"

static void speedscope_head(struct pen *p)
{
	pen_text(p, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		    "\"shared\":{\"frames\":[{\"name\":\"f\"},{\"name\":\"g\"}]},\"profiles\":[");
}

static void speedscope_events(struct pen *p, const char *event)
{
	speedscope_head(p);
	pen_text(p, "{\"type\":\"evented\",\"unit\":\"none\",\"events\":["
		    "{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"C\",\"frame\":0,\"at\":1}");
	for (uint64_t n = 2; !pen_full(p); n++)
		pen_text(p, ",{\"type\":\"%s\",\"frame\":1,\"at\":%llu}", event,
			 (unsigned long long)n);
	pen_text(p, "]}]}");
}

static void speedscope_open(struct pen *p)
{
	speedscope_events(p, "O");
}

static void speedscope_closed(struct pen *p)
{
	speedscope_events(p, "C");
}

/* As deep as it may be. */
static void speedscope_deep(struct pen *p)
{
	speedscope_head(p);
	pen_text(p, "{\"type\":\"evented\",\"unit\":\"none\",\"events\":[");
	for (uint64_t n = 0; n < p->size / 200; n++)
		pen_text(p, "%s{\"type\":\"O\",\"frame\":%d,\"at\":%d}", n ? "," : "", n > 7000,
			 (int)n);
	while (!pen_full(p))
		pen_text(p,
			 ",{\"type\":\"O\",\"frame\":1,\"at\":%zu},"
			 "{\"type\":\"C\",\"frame\":1,\"at\":%zu}",
			 p->out.size, p->out.size + 1);
	pen_text(p, "]}]}");
}

static void speedscope_profiles(struct pen *p)
{
	speedscope_head(p);
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p,
			 "{\"type\":\"sampled\",\"name\":\"%llu\",\"unit\":\"bytes\",\"samples\":[["
			 "0,1]],"
			 "\"weights\":[1]},",
			 (unsigned long long)n);
	pen_text(p, ONE_SAMPLE "]}");
}

static void speedscope_samples(struct pen *p)
{
	speedscope_head(p);
	pen_text(p, "{\"type\":\"sampled\",\"unit\":\"none\",\"weights\":[1");
	while (p->out.size < p->size / 4)
		pen_text(p, ",1");
	pen_text(p, "],\"samples\":[[0]");
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, ",[%llu,%llu]", (unsigned long long)(pen_mix(n) & 1),
			 (unsigned long long)(pen_mix(n) >> 3 & 3));
	pen_text(p, "]}]}");
}

static void speedscope_frames(struct pen *p)
{
	pen_text(p, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		    "\"profiles\":[{\"type\":\"sampled\",\"samples\":[[0]],\"weights\":[1]}],"
		    "\"shared\":{\"frames\":[{}");
	while (!pen_full(p))
		pen_text(p, ",{}");
	pen_text(p, "]}}");
}

static void speedscope_brackets(struct pen *p)
{
	speedscope_head(p);
	while (!pen_full(p))
		pen_text(p, "[[[[[[[]]]]]]],");
	pen_text(p, ONE_SAMPLE "]}");
}

static void speedscope_members(struct pen *p)
{
	speedscope_head(p);
	pen_text(p, ONE_SAMPLE "]");
	while (!pen_full(p))
		pen_text(p, ",\"name\":1");
	pen_text(p, "}");
}

static void speedscope_names(struct pen *p)
{
	pen_text(p, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		    "\"profiles\":[{\"type\":\"sampled\",\"samples\":[[0]],\"weights\":[1]}],"
		    "\"shared\":{\"frames\":[{\"name\":\"\"}");
	for (uint64_t n = 0; !pen_full(p); n++)
		pen_text(p, ",{\"name\":\"\\n%llu\"}", (unsigned long long)n);
	pen_text(p, "]}}");
}

const struct hostile_case hostile_text[] = {
    {"text-heap", "as many buckets as there is room for", heap_buckets},
    {"text-heap-alike", "all alike", heap_alike},
    {"text-heap-deep", "one stack", heap_deep},
    {"text-heap-stacks", "stacks of a thousand frames that share nothing", heap_stacks},
    {"text-heap-damage", "every other line is none", heap_damage},
    {"text-heap-maps", "mappings", heap_maps},
    {"text-heap-maps-addresses", "as many addresses as mappings", heap_maps_addresses},
    {"text-heap-names", "names in mappings that stand for one another", heap_names},
    {"text-heap-names-nearly", "lines of what nearly is a name", heap_names_nearly},
    {"text-heap-names-long", "lines of names that stand for much", heap_names_long},
    {"text-line-spaces", "a line of spaces", long_line},
    {"text-line-digits", "a line of digits", line_of_digits},
    {"text-line-ats", "a line of @", line_of_ats},
    {"text-empty-lines", "empty lines", empty_lines},
    {"text-contention", "values at their limits", contention},
    {"text-counts", "goroutines, each with a label of its own", counts},
    {"text-counts-labels", "one with all labels", counts_labels},
    {"text-counts-named", "each with a function of its own", counts_named},
    {"text-counts-elsewhere", "names for addresses that are elsewhere", counts_elsewhere},
    {"text-threads", "threads", threads},
    {"text-threads-nearly", "what could begin a thread, and does not", threads_nearly},
    {"text-java", "Java: addresses with names", java},
    {"text-java-parentheses", "a name of parentheses", java_parentheses},
    {"text-attributes", "a key without end", attributes},
    {"text-equals", "signs of equality", equals},
    {"cpu-samples", "gperftools: as many samples", cpu_samples},
    {"cpu-deep", "one stack", cpu_deep},
    {"text-folded", "folded stacks: each with a function of its own", folded_functions},
    {"text-folded-deep", "one stack", folded_deep},
    {"text-folded-digits", "a count of many digits", folded_digits},
    {"text-folded-places", "names that end in signs of files", folded_places},
    {"text-perf", "perf script: each sample with a function, a file and a thread of its own",
     perf_functions},
    {"text-perf-events", "each with an event of its own", perf_events},
    {"text-perf-deep", "one sample of inlined frames", perf_deep},
    {"text-perf-nearly", "lines of what nearly is a sample", perf_nearly},
    {"text-jemalloc", "jemalloc: as many stacks as there is room for", jemalloc_stacks},
    {"text-jemalloc-threads", "one stack of many threads", jemalloc_threads},
    {"text-symbolized", "a name for each address", symbolized_names},
    {"text-symbolized-inlined", "an address of inlined functions", symbolized_inlined},
    {"text-allocs", "allocations, each of a type of its own", allocs_types},
    {"text-allocs-frees", "frees of no block", allocs_frees},
    {"dump-goroutines", "goroutines without stacks", goroutines},
    {"dump-states", "each with a state of its own", goroutines_short},
    {"dump-deep", "frames that never end", goroutines_deep},
    {"dump-created", "each created by the one before", goroutines_created},
    {"dump-labels", "each with a label of its own", goroutines_labels},
    {"dump-arguments", "arguments in arguments", goroutines_arguments},
    {"dump-parentheses", "a function of parentheses", goroutines_parentheses},
    {"dump-same", "the same goroutine, running elsewhere", goroutines_same},
    {"dump-log", "a log of lines that nearly begin a goroutine", log_lines},
    {"dump-log-before", "a log, then a goroutine", log_before},
    {"dump-log-line", "a line of beginnings of goroutines", log_line},
    {"speedscope-open", "calls in calls that never end", speedscope_open},
    {"speedscope-closed", "calls that end and never began", speedscope_closed},
    {"speedscope-deep", "calls nested as deeply as they may be", speedscope_deep},
    {"speedscope-profiles", "profiles of one sample", speedscope_profiles},
    {"speedscope-samples", "samples of one weight, many of a frame there is not",
     speedscope_samples},
    {"speedscope-frames", "frames without a name", speedscope_frames},
    {"speedscope-names", "frames whose names have escapes", speedscope_names},
    {"speedscope-brackets", "profiles that are lists of lists", speedscope_brackets},
    {"speedscope-members", "the same member", speedscope_members},
    {NULL, NULL, NULL},
};
