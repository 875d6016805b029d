/* Arenas made by hand become profiles whose numbers were worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decode/profile/encode.h"
#include "decode/profile/testing.h"
#include "tprof-record/convert/profile/profile.h"
#include "tprof-record/convert/testing.h"

static const uint64_t work[] = {0x1111, 0x1222, 0x1333}, idle[] = {0x1444, 0x1333},
		      lost[] = {0x5101};

static char *show(const struct rec_testing *t, enum rec_profile_kind kind,
		  const struct rec_live *live)
{
	struct tp_err err = {0};
	struct tp_profile *p;
	char *text;

	if (rec_profile_make(&t->process, kind, live, &p, &err))
		fail_msg("%s", err.msg);
	text = show_profile(p);
	tp_profile_free(p);
	return text;
}

static void expect(const struct rec_testing *t, enum rec_profile_kind kind,
		   const struct rec_live *live, const char *want)
{
	char *got = show(t, kind, live);

	assert_string_equal(got, want);
	free(got);
}

/* What is read back of the encoding is the same. */
static void expect_round_trip(const struct rec_testing *t, enum rec_profile_kind kind)
{
	struct tp_err err = {0};
	struct tp_buf out = {0};
	struct tp_profile *p;
	char *before, *after;

	assert_int_equal(rec_profile_make(&t->process, kind, NULL, &p, &err), 0);
	assert_int_equal(tp_profile_encode(p, NULL, &out, &err), 0);
	before = show_profile(p);
	after = show_read(out.data, out.size, true);
	assert_string_equal(after, before);
	free(before);
	free(after);
	tp_buf_release(&out);
	tp_profile_free(p);
}

static struct rec_bucket *heap(struct rec_testing *t, uint32_t stack, uint64_t size,
			       uint64_t allocs, uint64_t frees)
{
	struct rec_bucket *b = rec_testing_bucket(t, REC_HEAP_BUCKET, stack, size);

	b->u.heap.published.allocs = allocs;
	b->u.heap.published.frees = frees;
	return b;
}

static void begin(struct rec_testing *t)
{
	rec_testing_begin(t);
	rec_testing_module(t, 0x1000, 0x2000, 0x400, "/nowhere/prog", "ab12");
}

#define HEAP_HEAD                                                                                  \
	"alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes "             \
	"peak_objects/count peak_space/bytes temporary_objects/count per space/bytes "

/* 512 KiB rate: a block of 64 KiB stands for 1/(1-exp(-1/8)) = 8.5104..., so 3 for 25 (25.53), and
 * 196608 bytes for 1673215.6; one of 4 MiB for 1/(1-exp(-8)) = 1.00033557. */
static void test_profile_heap_scaled(void **state)
{
	struct rec_testing t;
	struct rec_bucket *b;

	(void)state;
	begin(&t);
	t.process.arena.header->options.heap_rate = 512 << 10;
	b = heap(&t, rec_testing_stack(&t, work, 3), 64 << 10, 3, 2);
	b->u.heap.peak = 2;
	b->u.heap.temporary = 1;
	heap(&t, rec_testing_stack(&t, idle, 2), 4 << 20, 1, 0);
	expect(
	    &t, REC_PROFILE_HEAP, NULL,
	    HEAP_HEAD
	    "524288\n"
	    "1 4195711 1 4195711 0 0 0: 0x1444#1 prog+0x843 < 0x1333#1 prog+0x732 {bytes=4194304}\n"
	    "25 1673215 8 557738 17 1115476 8: 0x1111#1 prog+0x510 < 0x1222#1 prog+0x621 < "
	    "0x1333#1 prog+0x732 {bytes=65536}\n"
	    "map 1000-2000 400 /nowhere/prog ab12\n");
	expect_round_trip(&t, REC_PROFILE_HEAP);
	rec_testing_end(&t);
}

static void test_profile_heap_rate_1(void **state)
{
	struct rec_testing t;

	(void)state;
	begin(&t);
	t.process.arena.header->options.heap_rate = 1;
	heap(&t, rec_testing_stack(&t, work, 3), 24, 1000, 10);
	heap(&t, rec_testing_stack(&t, work, 3), 48, 2, 2);
	heap(&t, 0, 7, 1, 0);
	expect(&t, REC_PROFILE_HEAP, NULL,
	       HEAP_HEAD "1\n"
			 "1 7 1 7 0 0 0: tprof._UnknownStack {bytes=7}\n"
			 "2 96 0 0 0 0 0: 0x1111#1 prog+0x510 < 0x1222#1 prog+0x621 < 0x1333#1 "
			 "prog+0x732 {bytes=48}\n"
			 "1000 24000 990 23760 0 0 0: 0x1111#1 prog+0x510 < 0x1222#1 prog+0x621 < "
			 "0x1333#1 prog+0x732 {bytes=24}\n"
			 "map 1000-2000 400 /nowhere/prog ab12\n");
	rec_testing_end(&t);
}

/* What is pending is seen as long as nothing is published. */
static void test_profile_heap_pending(void **state)
{
	struct rec_testing t;
	struct rec_bucket *b;

	(void)state;
	rec_testing_begin(&t);
	t.process.arena.header->options.heap_rate = 1;
	b = rec_testing_bucket(&t, REC_HEAP_BUCKET, 0, 10);
	b->u.heap.now.allocs = 5;
	b->u.heap.now.frees = 2;
	expect(&t, REC_PROFILE_HEAP, NULL,
	       HEAP_HEAD "1\n5 50 3 30 0 0 0: tprof._UnknownStack {bytes=10}\n");
	b->u.heap.published.allocs = 1;
	expect(&t, REC_PROFILE_HEAP, NULL,
	       HEAP_HEAD "1\n1 10 1 10 0 0 0: tprof._UnknownStack {bytes=10}\n");
	rec_testing_end(&t);
}

/* A mapping of 16 pages of which 5 are left is one object. No bucket has changed since the second peak but the
 * first. */
static void test_profile_mappings(void **state)
{
	struct rec_testing t;
	struct rec_bucket *b;

	(void)state;
	begin(&t);
	t.process.arena.header->options.heap_rate = 512 << 10;
	t.process.arena.header->peaks = 2;
	b = rec_testing_bucket(&t, REC_MMAP_BUCKET, rec_testing_stack(&t, work, 3), 65536);
	b->u.heap.now.allocs = 32;
	b->u.heap.now.frees = 27;
	b->u.heap.peak = 16;
	b->u.heap.peak_number = 2;
	b = rec_testing_bucket(&t, REC_MMAP_BUCKET, 0, 4096);
	b->u.heap.now.allocs = 3;
	b->u.heap.peak = 7;
	b->u.heap.peak_number = 1;
	expect(&t, REC_PROFILE_HEAP, NULL,
	       HEAP_HEAD "524288\n"
			 "3 12288 3 12288 3 12288 0: 0xffffffff80000002 [mmap] {bytes=4096}\n"
			 "2 131072 1 20480 1 65536 0: 0x1111#1 prog+0x510 < 0x1222#1 prog+0x621 < "
			 "0x1333#1 prog+0x732 < 0xffffffff80000002 [mmap] {bytes=65536}\n"
			 "map 1000-2000 400 /nowhere/prog ab12\n");
	expect_round_trip(&t, REC_PROFILE_HEAP);
	rec_testing_end(&t);
}

/* By thread and labels; a sample in a system call has one frame more. */
static void test_profile_cpu(void **state)
{
	static const char *const pairs[][2] = {{"route", "/pay"}};
	static const uint64_t call[] = {REC_KERNEL_PC, 0x1444, 0x1333};
	struct rec_testing t;
	uint64_t thread;

	(void)state;
	begin(&t);
	t.process.arena.header->options.cpu_hz = 97;
	thread = (uint64_t)rec_testing_string(&t, "worker") << 32;
	rec_testing_bucket(&t, REC_CPU_BUCKET, rec_testing_stack(&t, work, 3), thread)
	    ->u.block.cycles = 3;
	rec_testing_bucket(&t, REC_CPU_BUCKET, rec_testing_stack(&t, call, 3),
			   thread | rec_testing_labels(&t, pairs, 1))
	    ->u.block.cycles = 1;
	rec_testing_bucket(&t, REC_CPU_BUCKET, 0, 0);
	expect(
	    &t, REC_PROFILE_CPU, NULL,
	    "samples/count cpu/nanoseconds per cpu/nanoseconds 10309278\n"
	    "1 10309278: 0xffffffff80000001 [kernel] < 0x1444#1 prog+0x843 < 0x1333#1 prog+0x732 "
	    "{route=/pay; thread=worker}\n"
	    "3 30927834: 0x1111#1 prog+0x510 < 0x1222#1 prog+0x621 < 0x1333#1 prog+0x732 "
	    "{thread=worker}\n"
	    "map 1000-2000 400 /nowhere/prog ab12\n");
	expect_round_trip(&t, REC_PROFILE_CPU);
	rec_testing_end(&t);
}

#define WAIT_HEAD "contentions/count delay/nanoseconds per contentions/count 1\n"

static void test_profile_block(void **state)
{
	struct rec_testing t;

	(void)state;
	begin(&t);
	t.process.arena.header->options.mutex_fraction = 10;
	rec_testing_count(
	    rec_testing_bucket(&t, REC_BLOCK_BUCKET, rec_testing_stack(&t, work, 3), 0), 2.9, 1000);
	rec_testing_count(
	    rec_testing_bucket(&t, REC_BLOCK_BUCKET, rec_testing_stack(&t, idle, 2), 0), 0.5, 5000);
	expect(&t, REC_PROFILE_BLOCK, NULL,
	       WAIT_HEAD "1 5000: 0x1444#1 prog+0x843 < 0x1333#1 prog+0x732\n"
			 "2 1000: 0x1111#1 prog+0x510 < 0x1222#1 prog+0x621 < 0x1333#1 prog+0x732\n"
			 "map 1000-2000 400 /nowhere/prog ab12\n");
	expect_round_trip(&t, REC_PROFILE_BLOCK);
	rec_testing_end(&t);
}

/* Whole when they were counted from 1.26 on, made whole here before. */
static void test_profile_mutex_versions(void **state)
{
	static const struct {
		uint32_t profiler;
		const char *want;
	} table[] = {
	    {126, WAIT_HEAD "4 700: 0x1444#1 prog+0x843\n"
			    "1 55: tprof._LostContendedRecorderLock\n"
			    "map 1000-2000 400 /nowhere/prog ab12\n"
			    "map 5000-6000 0 /x/tprof-preload.so \n"},
	    {118, WAIT_HEAD "40 7000: 0x1444#1 prog+0x843\n"
			    "10 550: tprof._LostContendedRecorderLock\n"
			    "map 1000-2000 400 /nowhere/prog ab12\n"
			    "map 5000-6000 0 /x/tprof-preload.so \n"},
	    {108, WAIT_HEAD "40 7000: 0x1444#1 prog+0x843\n"
			    "10 550: tprof._LostContendedRecorderLock\n"
			    "map 1000-2000 400 /nowhere/prog ab12\n"
			    "map 5000-6000 0 /x/tprof-preload.so \n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct rec_testing t;

		begin(&t);
		t.process.arena.header->options.mutex_fraction = 10;
		t.process.arena.header->options.profiler = table[i].profiler;
		rec_testing_module(&t, 0x5000, 0x6000, 0, "/x/tprof-preload.so", "");
		rec_testing_count(
		    rec_testing_bucket(&t, REC_MUTEX_BUCKET, rec_testing_stack(&t, lost, 1), 0), 1,
		    55);
		rec_testing_count(
		    rec_testing_bucket(&t, REC_MUTEX_BUCKET, rec_testing_stack(&t, idle, 1), 0), 4,
		    700);
		expect(&t, REC_PROFILE_MUTEX, NULL, table[i].want);
		expect_round_trip(&t, REC_PROFILE_MUTEX);
		rec_testing_end(&t);
	}
}

static void test_profile_threadcreate(void **state)
{
	struct rec_testing t;

	(void)state;
	begin(&t);
	rec_testing_count(
	    rec_testing_bucket(&t, REC_CREATE_BUCKET, rec_testing_stack(&t, work, 3), 0), 12, 0);
	expect(&t, REC_PROFILE_THREADCREATE, NULL,
	       "threadcreate/count per threadcreate/count 1\n"
	       "12: 0x1111#1 prog+0x510 < 0x1222#1 prog+0x621 < 0x1333#1 prog+0x732\n"
	       "map 1000-2000 400 /nowhere/prog ab12\n");
	expect_round_trip(&t, REC_PROFILE_THREADCREATE);
	rec_testing_end(&t);
}

/* A main thread that runs (and was looked at), one that waits, one in the kernel, one of which
 * nothing but its beginning is known, a goroutine of the program's own on the first one's M. */
static void make_threads(struct rec_testing *t)
{
	static const char *const labels[][2] = {{"pool", "7"}, {"kind", "worker"}};
	struct rec_g *g;

	begin(t);
	rec_testing_g(t, 1, 4000, "main");
	g = rec_testing_g(t, 3, 4002, "worker");
	g->labels = rec_testing_labels(t, labels, 2);
	rec_testing_wait(g, (struct rec_event){.kind = REC_BLOCK,
					       .arg = REC_ON_COND,
					       .start = 1500000000,
					       .stack = rec_testing_stack(t, work, 3)});
	g = rec_testing_g(t, 2, 4001, "");
	rec_testing_wait(g, (struct rec_event){.kind = REC_SYSCALL,
					       .arg = REC_CALL_READ,
					       .start = 1999999000,
					       .stack = rec_testing_stack(t, idle, 2)});
	rec_testing_g(t, 5, 4003, "late")->entry = 0x1554;
	g = rec_testing_g(t, 4, 0, "fibre");
	g->m = 1;
}

static void test_profile_goroutine(void **state)
{
	static const uint64_t fibre[] = {0x1778, 0x1777};
	struct rec_live_stack stack = {.g = 4, .tid = 4000, .pcs = fibre, .npcs = 2};
	struct rec_live live = {.stack = &stack, .n = 1};
	struct rec_testing t;

	(void)state;
	make_threads(&t);
	expect(&t, REC_PROFILE_GOROUTINE, &live,
	       "goroutine/count per goroutine/count 1\n"
	       "1: tprof._UnknownStack {goroutine=1; name=main; state=scheduling; tid=4000}\n"
	       "1: 0x1444#1 prog+0x843 < 0x1333#1 prog+0x732 {goroutine=2; state=syscall (read); "
	       "tid=4001; "
	       "waited=1000}\n"
	       "1: 0x1111#1 prog+0x510 < 0x1222#1 prog+0x621 < 0x1333#1 prog+0x732 {goroutine=3; "
	       "kind=worker; name=worker; "
	       "pool=7; state=sync.(*Cond).Wait; tid=4002; waited=500000000}\n"
	       "1: 0x1778#1 prog+0xb77 < 0x1777#1 prog+0xb76 {goroutine=4; name=fibre; "
	       "state=running}\n"
	       "1: 0x1555#1 prog+0x954 {goroutine=5; name=late; state=running; tid=4003}\n"
	       "map 1000-2000 400 /nowhere/prog ab12\n");
	expect_round_trip(&t, REC_PROFILE_GOROUTINE);
	rec_testing_end(&t);
}

static void test_profile_leak(void **state)
{
	struct rec_live_stack stack = {.g = 3, .tid = 4002, .leaked = true};
	struct rec_live live = {.stack = &stack, .n = 1};
	struct rec_testing t;

	(void)state;
	make_threads(&t);
	expect(&t, REC_PROFILE_LEAK, &live,
	       "goroutineleak/count per goroutineleak/count 1\n"
	       "1: 0x1111#1 prog+0x510 < 0x1222#1 prog+0x621 < 0x1333#1 prog+0x732 {goroutine=3; "
	       "kind=worker; name=worker; "
	       "pool=7; state=sync.(*Cond).Wait; tid=4002; waited=500000000}\n"
	       "map 1000-2000 400 /nowhere/prog ab12\n");
	rec_testing_end(&t);
}

/* As deep as stacks get. */
static void test_profile_deep(void **state)
{
	uint64_t pcs[REC_MAX_DEPTH];
	struct rec_testing t;
	struct tp_profile *p;
	struct tp_err err;
	uint32_t node, frame[4];
	size_t n, depth = 0;

	(void)state;
	begin(&t);
	for (size_t i = 0; i < REC_MAX_DEPTH; i++)
		pcs[i] = 0x1001 + i;
	t.process.arena.header->options.heap_rate = 1;
	heap(&t, rec_testing_stack(&t, pcs, REC_MAX_DEPTH), 8, 1, 0);
	assert_int_equal(rec_profile_make(&t.process, REC_PROFILE_HEAP, NULL, &p, &err), 0);
	for (node = p->stack[0]; tp_profile_next_location(p, &node, frame, 4, &n); depth++)
		assert_int_equal(
		    tp_dict_location_at(p->dict, tp_dict_frame_at(p->dict, frame[0]).location)
			.address,
		    pcs[depth]);
	assert_int_equal(depth, REC_MAX_DEPTH);
	tp_profile_free(p);
	expect_round_trip(&t, REC_PROFILE_HEAP);
	rec_testing_end(&t);
}

static void test_profile_header(void **state)
{
	struct rec_testing t;
	struct tp_profile *p;
	struct tp_err err;

	(void)state;
	begin(&t);
	t.process.end_nsec = 25;
	t.process.arena.header->args = rec_testing_string(&t, "prog -x");
	t.process.arena.header->lost[REC_LOST_BUCKETS] = 3;
	t.process.arena.header->lost[REC_LOST_EVENTS] = 4; /* no concern of a profile */
	assert_int_equal(rec_profile_make(&t.process, REC_PROFILE_HEAP, NULL, &p, &err), 0);
	assert_int_equal(p->time_ns, 1700000001000000025);
	assert_int_equal(p->duration_ns, 1000000000);
	assert_string_equal(text_at(p, p->default_type), "inuse_space");
	assert_int_equal(p->ncomments, 2);
	assert_string_equal(text_at(p, p->comments[0]), "prog -x");
	assert_string_equal(text_at(p, p->comments[1]), "lost: 3 profile samples");
	assert_int_equal(p->nnotices, 1);
	assert_int_equal(p->notices[0].severity, TP_WARNING);
	tp_profile_free(p);
	rec_testing_end(&t);
}

/* Its own code has names and lines, and says so. */
static void test_profile_named(void **state)
{
	uint64_t pc = (uint64_t)(uintptr_t)&test_profile_header + 4;
	struct rec_testing t;
	struct tp_profile *p;
	struct tp_err err;
	uint32_t frame;

	(void)state;
	rec_testing_begin(&t);
	rec_testing_own_module(&t, (const void *)(uintptr_t)pc);
	t.process.arena.header->options.heap_rate = 1;
	heap(&t, rec_testing_stack(&t, &pc, 1), 8, 1, 0);
	assert_int_equal(rec_profile_make(&t.process, REC_PROFILE_HEAP, NULL, &p, &err), 0);
	frame = tp_dict_stack_at(p->dict, p->stack[0]).frame;
	assert_string_equal(text_at(p, tp_dict_frame_name(p->dict, frame)), "test_profile_header");
	assert_true(p->mappings[0].flags & TP_MAPPING_FUNCTIONS);
	tp_profile_free(p);
	rec_testing_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_profile_heap_scaled),
	    cmocka_unit_test(test_profile_cpu),
	    cmocka_unit_test(test_profile_heap_rate_1),
	    cmocka_unit_test(test_profile_heap_pending),
	    cmocka_unit_test(test_profile_mappings),
	    cmocka_unit_test(test_profile_block),
	    cmocka_unit_test(test_profile_mutex_versions),
	    cmocka_unit_test(test_profile_threadcreate),
	    cmocka_unit_test(test_profile_goroutine),
	    cmocka_unit_test(test_profile_leak),
	    cmocka_unit_test(test_profile_deep),
	    cmocka_unit_test(test_profile_header),
	    cmocka_unit_test(test_profile_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
