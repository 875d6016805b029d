/* Reads small traces that are written as text.
 *
 * A line of a trace is the name of a wire event and its arguments (internal/trace/tracev2), dt
 * first; `Batch gen m time` begins a batch, whose size is filled in. The clock ticks in ns. The
 * expected result is the listing (order/listing.h) without tabs, as Go's own reader prints it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "decode/v2/wire.h"
#include "order/listing.h"
#include "order/read.h"

/* ---- from text to bytes ---- */

static uint8_t type_of(const char *name, size_t n)
{
	for (unsigned i = 0; i < TP_V2_NWIRES; i++)
		if (tp_v2_wires[i].name && strlen(tp_v2_wires[i].name) == n &&
		    !memcmp(tp_v2_wires[i].name, name, n))
			return (uint8_t)i;
	fail_msg("no event is called %.*s", (int)n, name);
	return 0;
}

static void put_byte(struct tp_buf *out, uint8_t b)
{
	assert_int_equal(tp_buf_put(out, &b, 1), 0);
}

static void end_batch(struct tp_buf *out, struct tp_buf *data, bool *open)
{
	if (*open) {
		assert_int_equal(tp_buf_put_uvarint(out, data->size), 0);
		assert_int_equal(tp_buf_put(out, data->data, data->size), 0);
	}
	data->size = 0;
	*open = false;
}

static void build(struct tp_buf *out, int version, const char *text)
{
	struct tp_buf data = {0};
	bool open = false;
	char header[TP_V2_HEADER_SIZE + 1];

	snprintf(header, sizeof(header), "go 1.%d trace", version);
	memset(header + 13, 0, 3);
	out->size = 0;
	tp_buf_put(out, header, TP_V2_HEADER_SIZE);
	while (*text) {
		size_t line = strcspn(text, "\n"), n = strcspn(text, " \n");
		const char *p = text + n, *end = text + line;
		bool batch = n == 5 && !memcmp(text, "Batch", n);
		struct tp_buf *to = batch ? out : &data;
		uint8_t type = batch ? TP_V2_EventBatch : type_of(text, n);

		if (batch || type == TP_V2_EndOfGeneration)
			end_batch(out, &data, &open);
		put_byte(type == TP_V2_EndOfGeneration ? out : to, type);
		open |= batch;
		while (p < end && *p == ' ') {
			char *behind;

			if (p[1] == '"') {
				size_t size = (size_t)(end - p) - 3;

				tp_buf_put_uvarint(to, size);
				tp_buf_put(to, p + 2, size);
				break;
			}
			tp_buf_put_uvarint(to, (uint64_t)strtoll(p + 1, &behind, 10));
			p = behind;
		}
		text = end + (*end == '\n');
	}
	end_batch(out, &data, &open);
	tp_buf_release(&data);
}

/* ---- from bytes to a listing ---- */

struct run {
	struct tp_trace trace;
	struct tp_buf text;
	struct tp_err err;
	int code;
	bool flags; /* put "?" before inferred events, "~" before those that follow a gap */
};

static int list(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct run *r = ctx;
	const struct tp_trace *t = &r->trace;
	const struct tp_listing l = {.dict = t->dict,
				     .g_id = t->g_id,
				     .m_id = t->m_id,
				     .p_id = t->p_id,
				     .ng = t->ng,
				     .nm = t->nm,
				     .np = t->np};

	(void)err;
	for (size_t i = 0; i < n; i++) {
		size_t start;

		if (r->flags && ev[i].flags & TP_EVF_LOST)
			put_byte(&r->text, '~');
		if (r->flags && ev[i].flags & TP_EVF_INFERRED)
			put_byte(&r->text, '?');
		start = r->text.size;
		assert_int_equal(tp_listing_line(&l, &ev[i], &r->text), 0);
		for (size_t k = start; k < r->text.size; k++)
			if (r->text.data[k] == '\t')
				r->text.data[k] = ' ';
		/* A line without a stack ends in its detail. */
		while (r->text.size > start + 1 && r->text.data[r->text.size - 2] == ' ')
			r->text.data[--r->text.size - 1] = '\n';
	}
	return 0;
}

static void read_bytes(struct run *r, const void *data, size_t size, bool strict)
{
	struct tp_trace_options opt = {.strict = strict};
	struct tp_sink sink = {.events = list, .ctx = r};
	struct tp_input *in;

	assert_int_equal(tp_input_from_memory(&in, data, size, &r->err), 0);
	r->code = tp_trace_read(in, &opt, &r->trace, &sink, &r->err);
	put_byte(&r->text, 0);
	tp_input_close(in);
}

static void end_run(struct run *r)
{
	tp_trace_release(&r->trace);
	tp_buf_release(&r->text);
}

/* Strings "" and "why", stack 1 = f at line 3, clock; as go 1.22 writes them, in generation 1. */
#define TABLES                                                                                     \
	"Batch 1 -1 1\nFrequency 1000000000\n"                                                     \
	"Batch 1 -1 1\nStacks\nStack 1 1 4096 2 3 3\n"                                             \
	"Batch 1 -1 1\nStrings\nString 1 \"why\"\nString 2 \"f\"\nString 3 \"f.go\"\n"

static const struct story {
	const char *what, *trace, *listing;
	int version;
} stories[] = {
    {.what = "a goroutine is made, starts and blocks; stack 0 and string 0 need no table",
     .version = 22,
     .trace = "Batch 1 7 100\nProcStatus 1 0 1\nGoStatus 1 1 7 2\nGoCreate 1 5 0 1\n"
	      "GoBlock 1 0 0\nGoStart 1 5 1\nGoBlock 1 1 1\n" TABLES,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
		"102 7 0 -1 StateTransition G 1 Undetermined->Running \"\"\n"
		"103 7 0 1 StateTransition G 5 NotExist->Runnable \"\" f:3\n"
		"104 7 0 1 StateTransition G 1 Running->Waiting \"\"\n"
		"105 7 0 -1 StateTransition G 5 Runnable->Running \"\"\n"
		"106 7 0 5 StateTransition G 5 Running->Waiting \"why\" f:3\n"
		"107 -1 -1 -1 Sync\n"},
    {.what = "the stack of a new goroutine is listed beside that of its maker",
     .version = 22,
     .trace = "Batch 1 7 100\nProcStatus 1 0 1\nGoStatus 1 1 7 2\nGoCreate 1 5 1 0\n" TABLES,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
		"102 7 0 -1 StateTransition G 1 Undetermined->Running \"\"\n"
		"103 7 0 1 StateTransition G 5 NotExist->Runnable \"\" f:3\n"
		"104 -1 -1 -1 Sync\n"},
    {.what = "a switch is an unblock, a block and a start; a goroutine may be made blocked",
     .version = 23,
     .trace = "Batch 1 7 100\nProcStatus 1 0 1\nGoStatus 1 1 7 2\nGoCreateBlocked 1 5 0 0\n"
	      "GoSwitch 1 5 1\nGoSwitchDestroy 1 1 1\n" TABLES,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
		"102 7 0 -1 StateTransition G 1 Undetermined->Running \"\"\n"
		"103 7 0 1 StateTransition G 5 NotExist->Waiting \"\"\n"
		"104 7 0 1 StateTransition G 5 Waiting->Runnable \"\"\n"
		"105 7 0 1 StateTransition G 1 Running->Waiting \"\"\n"
		"106 7 0 -1 StateTransition G 5 Runnable->Running \"\"\n"
		"107 7 0 5 StateTransition G 1 Waiting->Runnable \"\"\n"
		"108 7 0 5 StateTransition G 5 Running->NotExist \"\"\n"
		"109 7 0 -1 StateTransition G 1 Runnable->Running \"\"\n"
		"110 -1 -1 -1 Sync\n"},
    {.what = "a callback that ends with a P steals the P from itself first",
     .version = 22,
     .trace =
	 "Batch 1 7 100\nGoCreateSyscall 1 4\nProcStatus 1 0 2\nProcStart 1 0 1\n"
	 "GoSyscallEndBlocked 1\nGoStart 1 4 1\nGoSyscallBegin 1 2 0\nGoDestroySyscall 1\n" TABLES,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition G 4 NotExist->Syscall \"\"\n"
		"102 7 -1 4 StateTransition P 0 Undetermined->Idle \"\"\n"
		"103 7 -1 4 StateTransition P 0 Idle->Running \"\"\n"
		"104 7 0 4 StateTransition G 4 Syscall->Runnable \"\"\n"
		"105 7 0 -1 StateTransition G 4 Runnable->Running \"\"\n"
		"106 7 0 4 StateTransition G 4 Running->Syscall \"\"\n"
		"107 7 0 4 StateTransition P 0 Running->Idle \"\"\n"
		"108 7 0 4 StateTransition G 4 Syscall->NotExist \"\"\n"
		"109 -1 -1 -1 Sync\n"},
    {.what = "the end of a blocked syscall waits until the P is stolen, whatever the clock says",
     .version = 22,
     .trace = "Batch 1 7 100\nProcStatus 1 0 1\nGoStatus 1 1 7 2\nGoSyscallBegin 1 1 0\n"
	      "GoSyscallEndBlocked 1\n"
	      "Batch 1 8 200\nProcSteal 1 0 2 7\nProcStart 1 0 3\n" TABLES,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
		"102 7 0 -1 StateTransition G 1 Undetermined->Running \"\"\n"
		"103 7 0 1 StateTransition G 1 Running->Syscall \"\"\n"
		"201 8 -1 -1 StateTransition P 0 Running->Idle \"\"\n"
		"202 7 -1 1 StateTransition G 1 Syscall->Runnable \"\"\n"
		"203 8 -1 -1 StateTransition P 0 Idle->Running \"\"\n"
		"204 -1 -1 -1 Sync\n"},
    {.what = "a P whose syscall was abandoned is stolen without touching any M",
     .version = 22,
     .trace = "Batch 1 7 100\nProcStatus 1 1 1\nGoStatus 1 1 7 2\n"
	      "Batch 1 8 200\nProcStatus 1 0 4\nProcSteal 1 0 1 7\nProcStart 1 0 2\n" TABLES,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 1 Undetermined->Running \"\"\n"
		"102 7 1 -1 StateTransition G 1 Undetermined->Running \"\"\n"
		"201 8 -1 -1 StateTransition P 0 Undetermined->Idle \"\"\n"
		"202 8 -1 -1 StateTransition P 0 Idle->Idle \"\"\n"
		"203 8 -1 -1 StateTransition P 0 Idle->Running \"\"\n"
		"204 -1 -1 -1 Sync\n"},
    {.what = "a goroutine in a syscall on a silent M makes that M known",
     .version = 22,
     .trace = "Batch 1 7 100\nGoStatus 1 9 33 3\nGoStatus 1 9 33 3\n" TABLES,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 33 -1 -1 StateTransition G 9 Undetermined->Syscall \"\"\n"
		"102 33 -1 9 StateTransition G 9 Syscall->Syscall \"\"\n"
		"103 -1 -1 -1 Sync\n"},
    {.what = "a goroutine comes back from a syscall holding another P",
     .version = 22,
     .trace = "Batch 1 7 100\nProcStatus 1 0 3\nGoStatus 1 1 7 3\nProcStart 1 1 1\n"
	      "GoSyscallEndBlocked 1\n"
	      "Batch 1 8 200\nProcStatus 1 1 2\nProcSteal 1 0 1 7\n" TABLES,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
		"102 7 0 -1 StateTransition G 1 Undetermined->Syscall \"\"\n"
		"201 8 -1 -1 StateTransition P 1 Undetermined->Idle \"\"\n"
		"202 8 -1 -1 StateTransition P 0 Running->Idle \"\"\n"
		"203 7 -1 1 StateTransition P 1 Idle->Running \"\"\n"
		"204 7 1 1 StateTransition G 1 Syscall->Runnable \"\"\n"
		"205 -1 -1 -1 Sync\n"},
    {.what = "samples come in between by their time, with a context of their own",
     .version = 22,
     .trace = "Batch 1 7 100\nProcStatus 1 0 1\nGoStatus 9 1 7 2\n"
	      "Batch 1 -1 1\nCPUSamples\nCPUSample 105 7 0 1 1\nCPUSample 103 8 3 0 0\n" TABLES,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
		"103 8 3 -1 StackSample\n"
		"105 7 0 1 StackSample  f:3\n"
		"110 7 0 -1 StateTransition G 1 Undetermined->Running \"\"\n"
		"111 -1 -1 -1 Sync\n"},
    {.what = "ranges, metrics, annotations",
     .version = 22,
     .trace = "Batch 1 7 100\nProcStatus 1 0 1\nGoStatus 1 1 7 2\nSTWBegin 1 1 1\nSTWEnd 1\n"
	      "GCBegin 1 4 0\nGCSweepBegin 1 0\nGCSweepEnd 1 512 64\nGCMarkAssistBegin 1 0\n"
	      "GCMarkAssistEnd 1\nGCEnd 1 5\nHeapAlloc 1 4096\nProcsChange 1 8 0\nGoLabel 1 1\n"
	      "UserTaskBegin 1 3 0 1 0\nUserRegionBegin 1 3 2 0\nUserLog 1 3 1 2 0\n"
	      "UserRegionEnd 1 3 2 0\nUserTaskEnd 1 3 0\nUserTaskEnd 1 4 0\n" TABLES,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
		"102 7 0 -1 StateTransition G 1 Undetermined->Running \"\"\n"
		"103 7 0 1 RangeBegin \"stop-the-world (why)\" Goroutine(1) f:3\n"
		"104 7 0 1 RangeEnd \"stop-the-world (why)\" Goroutine(1)\n"
		"105 7 0 1 RangeBegin \"GC concurrent mark phase\" None\n"
		"106 7 0 1 RangeBegin \"GC incremental sweep\" Proc(0)\n"
		"107 7 0 1 RangeEnd \"GC incremental sweep\" Proc(0) \"bytes swept\"=512 "
		"\"bytes reclaimed\"=64\n"
		"108 7 0 1 RangeBegin \"GC mark assist\" Goroutine(1)\n"
		"109 7 0 1 RangeEnd \"GC mark assist\" Goroutine(1)\n"
		"110 7 0 1 RangeEnd \"GC concurrent mark phase\" None\n"
		"111 7 0 1 Metric \"/memory/classes/heap/objects:bytes\" 4096\n"
		"112 7 0 1 Metric \"/sched/gomaxprocs:threads\" 8\n"
		"113 7 0 1 Label \"why\" Goroutine(1)\n"
		"114 7 0 1 TaskBegin 3 18446744073709551615 \"why\"\n"
		"115 7 0 1 RegionBegin 3 \"f\"\n"
		"116 7 0 1 Log 3 \"why\" \"f\"\n"
		"117 7 0 1 RegionEnd 3 \"f\"\n"
		"118 7 0 1 TaskEnd 3 18446744073709551615 \"why\"\n"
		"119 7 0 1 TaskEnd 4 18446744073709551615 \"\"\n"
		"120 -1 -1 -1 Sync\n"},
    {.what = "two generations; what ended is unknown to the second, time goes on",
     .version = 22,
     .trace =
	 "Batch 1 7 100\nProcStatus 1 0 1\nGoStatus 1 1 7 2\nGoCreate 1 5 0 0\n"
	 "GoDestroy 1\n" TABLES "Batch 2 7 50\nProcStatus 1 0 1\nGoStatus 1 5 7 1\nGoStart 1 5 1\n"
	 "Batch 2 -1 50\nFrequency 1000000000\n",
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
		"102 7 0 -1 StateTransition G 1 Undetermined->Running \"\"\n"
		"103 7 0 1 StateTransition G 5 NotExist->Runnable \"\"\n"
		"104 7 0 1 StateTransition G 1 Running->NotExist \"\"\n"
		"105 -1 -1 -1 Sync\n"
		"106 7 0 -1 StateTransition P 0 Running->Running \"\"\n"
		"107 7 0 -1 StateTransition G 5 Runnable->Runnable \"\"\n"
		"108 7 0 -1 StateTransition G 5 Runnable->Running \"\"\n"
		"109 -1 -1 -1 Sync\n"},
    {.what = "events of equal time come in the order of the heap, behind each other by 1 ns",
     .version = 22,
     .trace = "Batch 1 7 100\nProcStatus 0 0 2\nProcStatus 0 1 2\nBatch 1 8 100\nProcStatus 0 2 2\n"
	      "Batch 1 9 99\nProcStatus 1 3 2\n" TABLES,
     .listing = "1 -1 -1 -1 Sync\n"
		"100 7 -1 -1 StateTransition P 0 Undetermined->Idle \"\"\n"
		"101 7 -1 -1 StateTransition P 1 Undetermined->Idle \"\"\n"
		"102 9 -1 -1 StateTransition P 3 Undetermined->Idle \"\"\n"
		"103 8 -1 -1 StateTransition P 2 Undetermined->Idle \"\"\n"
		"104 -1 -1 -1 Sync\n"},
    {.what = "from 1.25 on the clock comes as a sync batch, from 1.26 on a generation has an end",
     .version = 26,
     .trace = "Batch 1 -1 90\nSync\nFrequency 1000000000\nClockSnapshot 1 2 3 4\n"
	      "Batch 1 7 100\nProcStatus 1 0 1\nGoStatusStack 1 1 7 2 0\nSpanAlloc 1 4 2 1\n"
	      "EndOfGeneration\n",
     .listing = "90 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
		"102 7 0 -1 StateTransition G 1 Undetermined->Running \"\"\n"
		"103 7 0 1 Experimental \"SpanAlloc\" id=4 npages_value=2 kindclass=1\n"
		"104 -1 -1 -1 Sync\n"},
    {.what = "a last generation of tables alone is no truncation",
     .version = 26,
     .trace = "Batch 1 -1 90\nSync\nFrequency 1000000000\nClockSnapshot 1 2 3 4\n"
	      "EndOfGeneration\nBatch 2 -1 95\nSync\nFrequency 1000000000\n",
     .listing = "90 -1 -1 -1 Sync\n91 -1 -1 -1 Sync\n"},
};

static void test_read_stories(void **state)
{
	struct tp_buf bytes = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		const struct story *s = &stories[i];

		build(&bytes, s->version, s->trace);
		for (int strict = 0; strict < 2; strict++) {
			struct run r = {.flags = true};

			read_bytes(&r, bytes.data, bytes.size, strict);
			if (r.code)
				fail_msg("%s: %s", s->what, r.err.msg);
			if (strcmp((char *)r.text.data, s->listing))
				fail_msg("%s:\n%s", s->what, r.text.data);
			assert_int_equal(r.trace.inferred, 0);
			assert_int_equal(r.trace.nlosses, 0);
			end_run(&r);
		}
	}
	tp_buf_release(&bytes);
}

/* Programs do this, but Go's reader refuses it: strict mode fails, otherwise nothing is lost. */
static void test_read_regions_out_of_order(void **state)
{
	struct tp_buf bytes = {0};
	struct run r = {0};

	(void)state;
	build(&bytes, 22,
	      "Batch 1 7 100\nProcStatus 1 0 1\nGoStatus 1 1 7 2\nUserRegionBegin 1 0 1 0\n"
	      "UserRegionBegin 1 0 2 0\nUserRegionEnd 1 0 1 0\nUserRegionEnd 1 0 2 0\n" TABLES);
	read_bytes(&r, bytes.data, bytes.size, true);
	assert_int_equal(r.code, TP_EFORMAT);
	assert_non_null(strstr(r.err.msg, "not the innermost one"));
	end_run(&r);
	r = (struct run){0};
	read_bytes(&r, bytes.data, bytes.size, false);
	assert_int_equal(r.code, 0);
	assert_int_equal(r.trace.nlosses, 0);
	assert_int_equal(r.trace.inferred, 0);
	assert_int_equal(r.trace.events, 8);
	end_run(&r);
	tp_buf_release(&bytes);
}

/* Ids of goroutines by index: a reused id gets another index, even after its former life was
 * forgotten. A goroutine that is only named is not alive. */
static void test_read_gives_each_life_an_index(void **state)
{
#define LIFE	      "GoCreateSyscall 1 4\nGoDestroySyscall 1\n"
#define GENERATION(n) "Batch " n " -1 90\nSync\nFrequency 1000000000\nClockSnapshot 1 2 3 4\n"
#define IDLE(n)	      GENERATION(n) END
#define END	      "EndOfGeneration\n"
	static const char one_in_each[] =
	    GENERATION("1") "Batch 1 7 100\n" LIFE END GENERATION("2") "Batch 2 7 200\n" LIFE END;
	static const char long_after[] = GENERATION("1") "Batch 1 7 100\n" LIFE END IDLE("2")
	    IDLE("3") IDLE("4") GENERATION("5") "Batch 5 7 200\n" LIFE END;
	static const char sampled[] =
	    GENERATION("1") "Batch 1 -1 1\nCPUSamples\n"
			    "CPUSample 99 7 0 4 0\nBatch 1 7 100\n" LIFE END;
	static const char three[] = GENERATION("1") "Batch 1 7 100\n" LIFE LIFE LIFE END;
	static const struct {
		const char *what, *trace, *ids;
	} cases[] = {
	    {"three in a generation", three, "4 4 4"},
	    {"one in each", one_in_each, "4 4"},
	    {"long after it was forgotten", long_after, "4 4"},
	    {"named by a sample before", sampled, "4"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_buf bytes = {0};
		struct run r = {0};
		char ids[100] = "";

		build(&bytes, 26, cases[i].trace);
		read_bytes(&r, bytes.data, bytes.size, true);
		if (r.code)
			fail_msg("%s: %s", cases[i].what, r.err.msg);
		for (uint32_t g = 0; g < r.trace.ng; g++)
			snprintf(ids + strlen(ids), sizeof(ids) - strlen(ids), "%s%d", g ? " " : "",
				 (int)r.trace.g_id[g]);
		if (strcmp(ids, cases[i].ids))
			fail_msg("%s: %s", cases[i].what, ids);
		end_run(&r);
		tp_buf_release(&bytes);
	}
}

static void test_read_fills_the_trace(void **state)
{
	struct run r = {0};
	struct tp_buf bytes = {0};

	(void)state;
	build(&bytes, 26,
	      "Batch 1 -1 90\nSync\nFrequency 500000000\nClockSnapshot 5 2 3 4\n"
	      "Batch 1 7 100\nProcStatus 1 0 1\nGoStatus 1 1 7 2\nGoBlock 1 0 0\n"
	      "EndOfGeneration\n");
	read_bytes(&r, bytes.data, bytes.size, true);
	assert_int_equal(r.code, 0);
	assert_true(r.trace.ns_per_tick == 2);
	assert_int_equal(r.trace.version, 26);
	assert_int_equal(r.trace.generations, 1);
	assert_int_equal(r.trace.events, 5);
	assert_int_equal(r.trace.first_ts, 180);
	assert_int_equal(r.trace.last_ts, 207);
	assert_int_equal(r.trace.nclocks, 1);
	assert_int_equal(r.trace.clocks[0].ts, 190);
	assert_int_equal(r.trace.clocks[0].mono_ns, 2);
	assert_int_equal(r.trace.clocks[0].wall_sec, 3);
	assert_int_equal(r.trace.clocks[0].wall_nsec, 4);
	assert_int_equal(r.trace.ng, 1);
	assert_int_equal(r.trace.nm, 1);
	assert_int_equal(r.trace.np, 1);
	assert_int_equal(r.trace.g_id[0], 1);
	for (size_t i = 0; i < r.trace.nwires; i++)
		if (!strcmp(r.trace.wires[i].name, "GoBlock")) {
			assert_int_equal(r.trace.wires[i].events, 1);
			assert_int_equal(r.trace.wires[i].bytes, 4);
		}
	end_run(&r);
	tp_buf_release(&bytes);
}

/* ---- faults: an error after as many events as Go's reader delivers ---- */

#define RUNNING "Batch 1 7 100\nProcStatus 1 0 1\nGoStatus 1 1 7 2\n"

static const struct fault {
	const char *what, *trace;
	int version, events;
} faults[] = {
    {"no generation at all", "", 22, 1},
    {"no frequency", "Batch 1 7 100\nProcStatus 1 0 1\n", 22, 1},
    {"the frequency is given twice", RUNNING TABLES "Batch 1 -1 1\nFrequency 5\n", 22, 1},
    {"no clock snapshot", RUNNING "Batch 1 -1 1\nSync\nFrequency 5\nEndOfGeneration\n", 26, 1},
    {"a generation has no end", "Batch 1 -1 1\nSync\nFrequency 5\nClockSnapshot 1 1 1 1\n" RUNNING,
     26, 1},
    {"generations mixed up", RUNNING TABLES "Batch 3 7 100\nProcStatus 1 0 1\n", 22, 1},
    {"generation 0", RUNNING TABLES "Batch 0 7 100\nProcStatus 1 0 1\n", 22, 1},
    {"a string with two contents", RUNNING TABLES "Batch 1 -1 1\nStrings\nString 1 \"x\"\n", 22, 1},
    {"a string with number 0", RUNNING TABLES "Batch 1 -1 1\nStrings\nString 0 \"x\"\n", 22, 1},
    {"a frame without a name", RUNNING TABLES "Batch 1 -1 1\nStacks\nStack 2 1 5 9 9 1\n", 22, 1},
    {"a stack is not known", RUNNING "GoBlock 1 0 9\n" TABLES, 22, 3},
    {"a string is not known", RUNNING "GoBlock 1 9 0\n" TABLES, 22, 3},
    {"an event that is none, found out while its predecessor is taken",
     RUNNING "GoBlock 1 0 0\nFrequency 1\n" TABLES, 22, 3},
    {"an event of a sync batch",
     RUNNING "ClockSnapshot 1 1 1 1\n"
	     "Batch 1 -1 1\nSync\nFrequency 5\nClockSnapshot 1 1 1 1\n",
     25, 3},
    {"a block without a goroutine", "Batch 1 7 100\nProcStatus 1 0 1\nGoBlock 1 0 0\n" TABLES, 22,
     2},
    {"a start that never can be", RUNNING "GoBlock 1 0 0\nGoStart 1 1 5\n" TABLES, 22, 4},
    {"a goroutine that is there already", RUNNING "GoCreate 1 1 0 0\n" TABLES, 22, 3},
    {"a status that is none", RUNNING "GoStatus 1 2 7 5\n" TABLES, 22, 3},
    {"a P in two states", RUNNING "ProcStatus 1 0 2\n" TABLES, 22, 3},
    {"a syscall out of order", RUNNING "GoSyscallBegin 1 2 0\n" TABLES, 22, 3},
    {"the end of another region", RUNNING "UserRegionBegin 1 0 1 0\nUserRegionEnd 1 0 2 0\n" TABLES,
     22, 4},
    {"a task twice", RUNNING "UserTaskBegin 1 3 0 1 0\nUserTaskBegin 1 3 0 1 0\n" TABLES, 22, 4},
    {"a stop of the world within itself", RUNNING "STWBegin 1 1 0\nSTWBegin 1 1 0\n" TABLES, 22, 4},
    {"a goroutine new to the second generation",
     RUNNING TABLES
     "Batch 2 7 200\nProcStatus 1 0 1\nGoStatus 1 6 7 1\nBatch 2 -1 200\nFrequency 5\n",
     22, 5},
};

static void test_read_faults_after_as_many_events(void **state)
{
	struct tp_buf bytes = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		const struct fault *f = &faults[i];
		struct run r = {0};

		build(&bytes, f->version, f->trace);
		read_bytes(&r, bytes.data, bytes.size, true);
		if (r.code != TP_EFORMAT && r.code != TP_ETRUNC)
			fail_msg("%s: no error:\n%s", f->what, r.text.data);
		if (r.trace.events != (uint64_t)f->events)
			fail_msg("%s: %llu events, not %d (%s)", f->what,
				 (unsigned long long)r.trace.events, f->events, r.err.msg);
		end_run(&r);
	}
	tp_buf_release(&bytes);
}

/* ---- salvage ---- */

static const struct rescue {
	const char *what, *trace, *listing;
	int version;
	uint64_t inferred;
} rescues[] = {
    {.what = "how a goroutine came to wait is lost: that it did is inferred",
     .version = 22,
     .trace =
	 RUNNING "Batch 1 8 200\nProcStatus 1 1 1\nGoStatus 1 2 8 2\nGoUnblock 1 1 2 0\n" TABLES,
     .inferred = 1,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
		"102 7 0 -1 StateTransition G 1 Undetermined->Running \"\"\n"
		"201 8 -1 -1 StateTransition P 1 Undetermined->Running \"\"\n"
		"202 8 1 -1 StateTransition G 2 Undetermined->Running \"\"\n"
		"~?202 -1 -1 -1 StateTransition G 1 Running->Waiting \"\"\n"
		"203 8 1 2 StateTransition G 1 Waiting->Runnable \"\"\n"
		"204 -1 -1 -1 Sync\n"},
    {.what = "a P is taken from an M that has fallen silent, and its goroutine with it",
     .version = 22,
     .trace = RUNNING "Batch 1 8 200\nProcStart 1 0 4\n" TABLES,
     .inferred = 2,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
		"102 7 0 -1 StateTransition G 1 Undetermined->Running \"\"\n"
		"~?200 -1 -1 -1 StateTransition G 1 Running->Waiting \"\"\n"
		"~?200 -1 -1 -1 StateTransition P 0 Running->Idle \"\"\n"
		"201 8 -1 -1 StateTransition P 0 Idle->Running \"\"\n"
		"202 -1 -1 -1 Sync\n"},
    {.what = "an event of a goroutine that is not known is dropped, never given to another",
     .version = 22,
     .trace = "Batch 1 7 100\nProcStatus 1 0 1\nGoBlock 1 0 0\nHeapAlloc 1 5\n" TABLES,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
		"~103 7 0 -1 Metric \"/memory/classes/heap/objects:bytes\" 5\n"
		"104 -1 -1 -1 Sync\n"},
    {.what =
	 "tables that are gone leave names unknown; what ran at the end ran for who knows how long",
     .version = 22,
     .trace = "Batch 1 -1 1\nFrequency 1000000000\n" RUNNING "GoCreate 1 5 4 4\nGoStop 1 6 4\n"
	      "GoStart 1 5 1\nBatch 1 8 300\nProcStatus 1 1 2\nBatch",
     .inferred = 1,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
		"102 7 0 -1 StateTransition G 1 Undetermined->Running \"\"\n"
		"103 7 0 1 StateTransition G 5 NotExist->Runnable \"\"\n"
		"104 7 0 1 StateTransition G 1 Running->Runnable \"\"\n"
		"105 7 0 -1 StateTransition G 5 Runnable->Running \"\"\n"
		"301 8 -1 -1 StateTransition P 1 Undetermined->Idle \"\"\n"
		"~?301 -1 -1 5 StateTransition G 5 Running->Running \"\"\n"
		"302 -1 -1 -1 Sync\n"},
    {.what = "behind the damage comes a whole generation: it says who is left",
     .version = 22,
     .trace = RUNNING "GoCreate 1 5 0 0\nGoBlock 1 0 0\nGoBlock 1 0 0\n" TABLES
		      "Batch 2 7 200\nProcStatus 1 0 1\nGoStatus 1 1 7 2\n"
		      "Batch 2 -1 200\nFrequency 1000000000\nBatch 2 -1 200\nStacks\n"
		      "Batch 2 -1 200\nStrings\n",
     .inferred = 2,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
		"102 7 0 -1 StateTransition G 1 Undetermined->Running \"\"\n"
		"103 7 0 1 StateTransition G 5 NotExist->Runnable \"\"\n"
		"104 7 0 1 StateTransition G 1 Running->Waiting \"\"\n"
		"200 -1 -1 -1 Sync\n"
		"~201 7 0 -1 StateTransition P 0 Running->Running \"\"\n"
		"~?201 7 -1 -1 StateTransition G 1 Waiting->Running \"\"\n"
		"202 7 0 1 StateTransition G 1 Running->Running \"\"\n"
		"~?202 -1 -1 5 StateTransition G 5 Runnable->NotExist \"\"\n"
		"203 -1 -1 -1 Sync\n"},
    {.what = "who is not left ended in order of id",
     .version = 22,
     .trace =
	 RUNNING "GoCreate 1 900 0 0\nGoCreate 1 64 0 0\nGoCreate 1 12 0 0\nGoCreate 1 500 0 0\n"
		 "GoCreate 1 8 0 0\nGoCreate 1 300 0 0\nGoBlock 1 0 0\nGoBlock 1 0 0\n" TABLES
		 "Batch 2 7 200\nProcStatus 1 0 1\n"
		 "Batch 2 -1 200\nFrequency 1000000000\nBatch 2 -1 200\nStacks\n"
		 "Batch 2 -1 200\nStrings\n",
     .inferred = 7,
     .listing = "1 -1 -1 -1 Sync\n"
		"101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
		"102 7 0 -1 StateTransition G 1 Undetermined->Running \"\"\n"
		"103 7 0 1 StateTransition G 900 NotExist->Runnable \"\"\n"
		"104 7 0 1 StateTransition G 64 NotExist->Runnable \"\"\n"
		"105 7 0 1 StateTransition G 12 NotExist->Runnable \"\"\n"
		"106 7 0 1 StateTransition G 500 NotExist->Runnable \"\"\n"
		"107 7 0 1 StateTransition G 8 NotExist->Runnable \"\"\n"
		"108 7 0 1 StateTransition G 300 NotExist->Runnable \"\"\n"
		"109 7 0 1 StateTransition G 1 Running->Waiting \"\"\n"
		"200 -1 -1 -1 Sync\n"
		"~201 7 0 -1 StateTransition P 0 Running->Running \"\"\n"
		"~?201 -1 -1 1 StateTransition G 1 Waiting->NotExist \"\"\n"
		"~?201 -1 -1 8 StateTransition G 8 Runnable->NotExist \"\"\n"
		"~?201 -1 -1 12 StateTransition G 12 Runnable->NotExist \"\"\n"
		"~?201 -1 -1 64 StateTransition G 64 Runnable->NotExist \"\"\n"
		"~?201 -1 -1 300 StateTransition G 300 Runnable->NotExist \"\"\n"
		"~?201 -1 -1 500 StateTransition G 500 Runnable->NotExist \"\"\n"
		"~?201 -1 -1 900 StateTransition G 900 Runnable->NotExist \"\"\n"
		"202 -1 -1 -1 Sync\n"},
};

static void test_salvage_infers_and_marks(void **state)
{
	struct tp_buf bytes = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(rescues) / sizeof(rescues[0]); i++) {
		const struct rescue *s = &rescues[i];
		struct run r = {.flags = true}, strict = {0};

		build(&bytes, s->version, s->trace);
		read_bytes(&strict, bytes.data, bytes.size, true);
		if (!strict.code)
			fail_msg("%s: nothing is wrong with it", s->what);
		end_run(&strict);
		read_bytes(&r, bytes.data, bytes.size, false);
		if (r.code)
			fail_msg("%s: %s", s->what, r.err.msg);
		if (strcmp((char *)r.text.data, s->listing))
			fail_msg("%s:\n%s", s->what, r.text.data);
		assert_int_equal(r.trace.inferred, s->inferred);
		assert_true(r.trace.nlosses > 0);
		end_run(&r);
	}
	tp_buf_release(&bytes);
}

/* Bytes that are not a batch are skipped, and the loss gives their range. */
static void test_salvage_finds_the_next_batch(void **state)
{
	static const uint8_t noise[] = {0xff, 1, 0, 3, 1, 1, 0x34, 9, 9, 9};
	struct tp_buf bytes = {0}, behind = {0};
	struct run r = {0};
	size_t at;

	(void)state;
	build(&bytes, 22, RUNNING);
	at = bytes.size;
	tp_buf_put(&bytes, noise, sizeof(noise));
	build(
	    &behind, 22,
	    "Batch 1 -1 90\nFrequency 1000000000\nBatch 1 -1 90\nStacks\nBatch 1 -1 90\nStrings\n");
	tp_buf_put(&bytes, behind.data + TP_V2_HEADER_SIZE, behind.size - TP_V2_HEADER_SIZE);
	read_bytes(&r, bytes.data, bytes.size, false);
	assert_int_equal(r.code, 0);
	assert_string_equal((char *)r.text.data,
			    "90 -1 -1 -1 Sync\n"
			    "101 7 -1 -1 StateTransition P 0 Undetermined->Running \"\"\n"
			    "102 7 0 -1 StateTransition G 1 Undetermined->Running \"\"\n"
			    "102 -1 -1 1 StateTransition G 1 Running->Running \"\"\n"
			    "103 -1 -1 -1 Sync\n");
	assert_int_equal(r.trace.nlosses, 1);
	assert_int_equal(r.trace.losses[0].offset, at);
	assert_int_equal(r.trace.losses[0].bytes, sizeof(noise));
	end_run(&r);
	tp_buf_release(&bytes);
	tp_buf_release(&behind);
}

static void test_salvage_without_a_frequency_keeps_ticks(void **state)
{
	struct tp_buf bytes = {0};
	struct run r = {0};

	(void)state;
	build(&bytes, 22, RUNNING "GoBlock 7 0 0\n");
	read_bytes(&r, bytes.data, bytes.size, false);
	assert_int_equal(r.code, 0);
	assert_true(r.trace.ns_per_tick == 0);
	assert_int_equal(r.trace.nnotices, 1);
	assert_non_null(
	    strstr((char *)r.text.data, "109 7 0 1 StateTransition G 1 Running->Waiting"));
	end_run(&r);
	tp_buf_release(&bytes);
}

static void test_read_says_that_there_is_only_a_header(void **state)
{
	struct tp_buf bytes = {0};
	struct run r = {0};

	(void)state;
	build(&bytes, 26, "");
	for (int strict = 0; strict < 2; strict++) {
		read_bytes(&r, bytes.data, bytes.size, strict);
		assert_int_equal(r.code, 0);
		assert_int_equal(r.trace.nlosses, 0);
		assert_int_equal(r.trace.nnotices, 1);
		assert_int_equal(r.trace.notices[0].severity, TP_WARNING);
		assert_non_null(strstr(r.trace.notices[0].text, "the trace is only a header"));
		end_run(&r);
		r = (struct run){0};
	}
	tp_buf_release(&bytes);
}

static void test_salvage_of_nothing_is_an_error(void **state)
{
	static const char *const traces[] = {"", "Batch 1 -1 1\nStrings\nString 1 \"x\"\n",
					     "Batch 1 -1 1\nFrequency 5\nBatch"};
	struct tp_buf bytes = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
		struct run r = {0};

		build(&bytes, 22, traces[i]);
		read_bytes(&r, bytes.data, bytes.size, false);
		assert_true(r.code == TP_EFORMAT || r.code == TP_ETRUNC);
		assert_true(r.err.msg[0] != 0);
		end_run(&r);
	}
	tp_buf_release(&bytes);
}

/* A trace that is cut anywhere, or has any byte altered, is read to the end or refused. Sanitizers
 * watch for errors. */
static void test_read_survives_damage(void **state)
{
	static const uint8_t masks[] = {0x01, 0x80, 0xff};
	struct tp_buf bytes = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		build(&bytes, stories[i].version, stories[i].trace);
		for (size_t at = TP_V2_HEADER_SIZE; at < bytes.size; at++) {
			for (unsigned k = 0; k < 2 * sizeof(masks); k++) {
				uint8_t mask = masks[k / 2];
				struct run r = {0};

				bytes.data[at] ^= mask;
				read_bytes(&r, bytes.data, bytes.size, k % 2);
				assert_true(!r.code || r.err.code == r.code);
				end_run(&r);
				bytes.data[at] ^= mask;
			}
			for (int strict = 0; strict < 2; strict++) {
				struct run r = {0};

				read_bytes(&r, bytes.data, at, strict);
				assert_true(!r.code || r.err.code == r.code);
				end_run(&r);
			}
		}
	}
	tp_buf_release(&bytes);
}

static int refuse(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	(void)ctx;
	(void)ev;
	(void)n;
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "disk full");
}

/* The sink's error is final: salvage is meant for damaged files, not for full disks. */
static void test_read_hands_on_the_error_of_the_sink(void **state)
{
	struct tp_trace_options opt = {0};
	struct tp_sink sink = {.events = refuse};
	struct tp_buf bytes = {0};
	struct tp_trace trace;
	struct tp_input *in;
	struct tp_err err;

	(void)state;
	build(&bytes, 22, RUNNING TABLES);
	assert_int_equal(tp_input_from_memory(&in, bytes.data, bytes.size, &err), 0);
	assert_int_equal(tp_trace_read(in, &opt, &trace, &sink, &err), TP_EIO);
	assert_string_equal(err.msg, "disk full");
	assert_int_equal(trace.nlosses, 0);
	tp_trace_release(&trace);
	tp_input_close(in);
	tp_buf_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_read_stories),
	    cmocka_unit_test(test_read_regions_out_of_order),
	    cmocka_unit_test(test_read_gives_each_life_an_index),
	    cmocka_unit_test(test_read_fills_the_trace),
	    cmocka_unit_test(test_read_faults_after_as_many_events),
	    cmocka_unit_test(test_salvage_infers_and_marks),
	    cmocka_unit_test(test_salvage_finds_the_next_batch),
	    cmocka_unit_test(test_salvage_without_a_frequency_keeps_ticks),
	    cmocka_unit_test(test_read_says_that_there_is_only_a_header),
	    cmocka_unit_test(test_salvage_of_nothing_is_an_error),
	    cmocka_unit_test(test_read_survives_damage),
	    cmocka_unit_test(test_read_hands_on_the_error_of_the_sink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
