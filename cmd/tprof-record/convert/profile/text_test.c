/* Texts to the byte, and what our reader makes of them: the numbers of profile.proto. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decode/profile/testing.h"
#include "tprof-record/convert/profile/profile.h"
#include "tprof-record/convert/testing.h"

static const uint64_t work[] = {0x1111, 0x1222, 0x1333}, idle[] = {0x1444, 0x1333},
		      lost[] = {0x5101};

static void begin(struct rec_testing *t)
{
	rec_testing_begin(t);
	rec_testing_module(t, 0x1000, 0x2000, 0x400, "/nowhere/prog", "ab12");
}

static char *text_of(const struct rec_testing *t, enum rec_profile_kind kind,
		     const struct rec_live *live)
{
	struct tp_err err = {0};
	struct tp_buf out = {0};

	if (rec_profile_text(&t->process, kind, live, &out, &err))
		fail_msg("%s", err.msg);
	tp_buf_put(&out, "", 1);
	return (char *)out.data;
}

static void expect(const struct rec_testing *t, enum rec_profile_kind kind, const char *want)
{
	char *got = text_of(t, kind, NULL);

	assert_string_equal(got, want);
	free(got);
}

static struct tp_profile *read_text(const struct rec_testing *t, enum rec_profile_kind kind)
{
	struct tp_profile_options strict = {.strict = true};
	char *text = text_of(t, kind, NULL);
	struct tp_err err = {0};
	struct tp_profile *p;

	if (tp_profile_read(text, strlen(text), &strict, &p, &err))
		fail_msg("%s", err.msg);
	free(text);
	return p;
}

/* Sums of all samples; samples themselves are in another order. */
static void expect_same_numbers(const struct rec_testing *t, enum rec_profile_kind kind)
{
	struct tp_profile *proto, *text = read_text(t, kind);
	struct tp_err err;

	assert_int_equal(rec_profile_make(&t->process, kind, NULL, &proto, &err), 0);
	/* The text of a heap profile has fewer types. */
	assert_int_equal(text->ntypes, proto->ntypes > 4 ? 4 : proto->ntypes);
	assert_int_equal(text->period, proto->period);
	for (size_t k = 0; k < text->ntypes; k++) {
		int64_t sum[2] = {0};

		assert_string_equal(text_at(text, text->types[k].type),
				    text_at(proto, proto->types[k].type));
		for (size_t i = 0; i < proto->nsamples; i++)
			sum[0] += proto->value[i * proto->ntypes + k];
		for (size_t i = 0; i < text->nsamples; i++)
			sum[1] += text->value[i * text->ntypes + k];
		assert_int_equal(sum[0], sum[1]);
	}
	tp_profile_free(proto);
	tp_profile_free(text);
}

static void add_heap(struct rec_testing *t, uint32_t stack, uint64_t size, uint64_t allocs,
		     uint64_t frees)
{
	struct rec_bucket *b = rec_testing_bucket(t, REC_HEAP_BUCKET, stack, size);

	b->u.heap.published.allocs = allocs;
	b->u.heap.published.frees = frees;
}

static void test_text_heap(void **state)
{
	struct rec_testing t;

	(void)state;
	begin(&t);
	t.process.arena.header->options.heap_rate = 4096;
	add_heap(&t, rec_testing_stack(&t, idle, 2), 1024, 9, 4);
	add_heap(&t, rec_testing_stack(&t, work, 3), 16, 3, 2);
	expect(&t, REC_PROFILE_HEAP,
	       "heap profile: 6: 5136 [12: 9264] @ heap/8192\n"
	       "1: 16 [3: 48] @ 0x1111 0x1222 0x1333\n"
	       "#\t0x1110\n#\t0x1221\n#\t0x1332\n\n"
	       "5: 5120 [9: 9216] @ 0x1444 0x1333\n"
	       "#\t0x1443\n#\t0x1332\n\n"
	       "MAPPED_LIBRARIES:\n"
	       "00001000-00002000 r-xp 00000400 00:00 0 /nowhere/prog\n");
	expect_same_numbers(&t, REC_PROFILE_HEAP);
	rec_testing_end(&t);
}

/* Nothing was freed: the header must not say the same twice. */
static void test_text_heap_all_in_use(void **state)
{
	struct rec_testing t;

	(void)state;
	rec_testing_begin(&t);
	t.process.arena.header->options.heap_rate = 1;
	add_heap(&t, rec_testing_stack(&t, work, 1), 16, 3, 0);
	expect(&t, REC_PROFILE_HEAP,
	       "heap profile: 3: 48 [3: 49] @ heap/2\n"
	       "3: 48 [3: 48] @ 0x1111\n#\t0x1110\n\n"
	       "MAPPED_LIBRARIES:\n");
	expect_same_numbers(&t, REC_PROFILE_HEAP);
	rec_testing_end(&t);
}

static void add_wait(struct rec_testing *t, enum rec_bucket_kind kind, uint32_t stack, double count,
		     int64_t ns)
{
	rec_testing_count(rec_testing_bucket(t, kind, stack, 0), count, ns);
}

static void test_text_block(void **state)
{
	struct rec_testing t;

	(void)state;
	begin(&t);
	add_wait(&t, REC_BLOCK_BUCKET, rec_testing_stack(&t, work, 3), 7, 100);
	add_wait(&t, REC_BLOCK_BUCKET, rec_testing_stack(&t, idle, 2), 1, 123456789);
	expect(&t, REC_PROFILE_BLOCK,
	       "--- contention:\ncycles/second=1000000000\n"
	       "123456789 1 @ 0x1444 0x1333\n#\t0x1443\n#\t0x1332\n\n"
	       "100 7 @ 0x1111 0x1222 0x1333\n#\t0x1110\n#\t0x1221\n#\t0x1332\n\n"
	       "--- Memory map: ---\n"
	       "00001000-00002000 r-xp 00000400 00:00 0 /nowhere/prog\n");
	expect_same_numbers(&t, REC_PROFILE_BLOCK);
	rec_testing_end(&t);
}

static void test_text_mutex(void **state)
{
	static const struct {
		uint32_t profiler;
		const char *want;
	} table[] = {
	    {126, "--- mutex:\ncycles/second=1000000000\nsampling period=1\n"
		  "700 4 @ 0x1444\n#\t0x1443\n\n"
		  "55 1 @ 0x5101\n#\t0x5100\ttprof._LostContendedRecorderLock+0x0\t?:0\n\n"
		  "--- Memory map: ---\n"
		  "00005000-00006000 r-xp 00000000 00:00 0 /x/tprof-preload.so\n"},
	    {118, "--- mutex:\ncycles/second=1000000000\nsampling period=10\n"
		  "700 4 @ 0x1444\n#\t0x1443\n\n"
		  "55 1 @ 0x5101\n#\t0x5100\ttprof._LostContendedRecorderLock+0x0\t?:0\n\n"
		  "--- Memory map: ---\n"
		  "00005000-00006000 r-xp 00000000 00:00 0 /x/tprof-preload.so\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct rec_testing t;

		rec_testing_begin(&t);
		t.process.arena.header->options.mutex_fraction = 10;
		t.process.arena.header->options.profiler = table[i].profiler;
		rec_testing_module(&t, 0x5000, 0x6000, 0, "/x/tprof-preload.so", "");
		rec_testing_count(
		    rec_testing_bucket(&t, REC_MUTEX_BUCKET, rec_testing_stack(&t, lost, 1), 0), 1,
		    55);
		add_wait(&t, REC_MUTEX_BUCKET, rec_testing_stack(&t, idle, 1), 4, 700);
		expect(&t, REC_PROFILE_MUTEX, table[i].want);
		{
			struct tp_profile *p;

			p = read_text(&t, REC_PROFILE_MUTEX);
			assert_string_equal(
			    text_at(p, tp_dict_frame_name(
					   p->dict, tp_dict_stack_at(p->dict, p->stack[1]).frame)),
			    "tprof._LostContendedRecorderLock");
			tp_profile_free(p);
		}
		rec_testing_end(&t);
	}
}

/* Threads that look the same are one line; more of them come first, then it goes by the text. */
static void test_text_goroutine(void **state)
{
	static const char *const labels[][2] = {{"pool", "7 \"big\""}, {"kind", "w"}};
	struct rec_testing t;
	struct rec_g *g;

	(void)state;
	begin(&t);
	rec_testing_g(&t, 1, 4000, "main")->entry = 0x1554;
	for (uint32_t i = 2; i <= 4; i++) {
		g = rec_testing_g(&t, i, 4000 + i, "worker");
		rec_testing_wait(g, (struct rec_event){.kind = REC_BLOCK,
						       .arg = REC_ON_MUTEX,
						       .start = 1500000000 + i,
						       .stack = rec_testing_stack(&t, work, 3)});
	}
	g->labels = rec_testing_labels(&t, labels, 2);
	rec_testing_g(&t, 5, 4005, "");
	expect(&t, REC_PROFILE_GOROUTINE,
	       "goroutine profile: total 5\n"
	       "2 @ 0x1111 0x1222 0x1333\n# labels: {\"name\":\"worker\", \"state\":\"sync\"}\n"
	       "#\t0x1110\n#\t0x1221\n#\t0x1332\n\n"
	       "1 @ 0x1\n# labels: {\"state\":\"running\"}\n"
	       "#\t0x0\ttprof._UnknownStack+0x0\t?:0\n\n"
	       "1 @ 0x1111 0x1222 0x1333\n"
	       "# labels: {\"kind\":\"w\", \"name\":\"worker\", \"pool\":\"7 \\\"big\\\"\", "
	       "\"state\":\"sync\"}\n"
	       "#\t0x1110\n#\t0x1221\n#\t0x1332\n\n"
	       "1 @ 0x1555\n# labels: {\"name\":\"main\", \"state\":\"running\"}\n"
	       "#\t0x1554\n\n"
	       "--- Memory map: ---\n"
	       "00001000-00002000 r-xp 00000400 00:00 0 /nowhere/prog\n");
	expect_same_numbers(&t, REC_PROFILE_GOROUTINE);
	rec_testing_end(&t);
}

static void test_text_threadcreate(void **state)
{
	struct rec_testing t;

	(void)state;
	rec_testing_begin(&t);
	add_wait(&t, REC_CREATE_BUCKET, rec_testing_stack(&t, work, 2), 3, 0);
	add_wait(&t, REC_CREATE_BUCKET, rec_testing_stack(&t, idle, 2), 5, 0);
	expect(&t, REC_PROFILE_THREADCREATE,
	       "threadcreate profile: total 8\n"
	       "5 @ 0x1444 0x1333\n#\t0x1443\n#\t0x1332\n\n"
	       "3 @ 0x1111 0x1222\n#\t0x1110\n#\t0x1221\n\n"
	       "--- Memory map: ---\n");
	expect_same_numbers(&t, REC_PROFILE_THREADCREATE);
	rec_testing_end(&t);
}

/* A file that was unloaded is listed as long as no other lies in its place. */
static void test_text_maps(void **state)
{
	struct rec_testing t;
	struct rec_arena *a = &t.process.arena;

	(void)state;
	begin(&t);
	rec_testing_module(&t, 0x1800, 0x2800, 0, "/nowhere/gone", "");
	rec_testing_module(&t, 0x7f0000004000, 0x7f0000005000, 0x1000, "/nowhere/a\nb", "");
	a->modules[1].gone = a->modules[2].gone = 1;
	expect(&t, REC_PROFILE_THREADCREATE,
	       "threadcreate profile: total 0\n"
	       "--- Memory map: ---\n"
	       "00001000-00002000 r-xp 00000400 00:00 0 /nowhere/prog\n"
	       "7f0000004000-7f0000005000 r-xp 00001000 00:00 0 /nowhere/a?b\n");
	rec_testing_end(&t);
}

static __attribute__((noinline)) void a(void)
{
	__asm__ volatile("");
}

/* Names and lines are in columns: of this function with a short name, and one with a long one. */
static void test_text_columns(void **state)
{
	uint64_t pcs[] = {(uint64_t)(uintptr_t)&a + 1,
			  (uint64_t)(uintptr_t)&test_text_columns + 0x101,
			  (uint64_t)(uintptr_t)&a + 1};
	const char *line;
	size_t last = 0;
	struct rec_testing t;
	char *got, want[64];

	(void)state;
	rec_testing_begin(&t);
	rec_testing_own_module(&t, (const void *)(uintptr_t)pcs[0]);
	add_wait(&t, REC_BLOCK_BUCKET, rec_testing_stack(&t, pcs, 3), 1, 1);
	got = text_of(&t, REC_PROFILE_BLOCK, NULL);
	line = strstr(got, "\n#\t");
	for (int i = 0; i < 3; i++) {
		size_t column = 0;

		assert_non_null(line);
		for (const char *c = ++line; *c != '\n'; c++) {
			column = *c == '\t' ? (column + 8) / 8 * 8 : column + 1;
			if (*c == '\t')
				last = column;
		}
		/* "#" 8, an address of 14 in 16, "test_text_columns+0x100" in 24 */
		assert_int_equal(last, 48);
		line = strchr(line, '\n');
	}
	snprintf(want, sizeof(want), "#\t%#llx\ta+0x0\t\t\t", (unsigned long long)pcs[0] - 1);
	assert_non_null(strstr(got, want));
	snprintf(want, sizeof(want), "\ttest_text_columns+0x100\t");
	assert_non_null(strstr(got, want));
	free(got);
	expect_same_numbers(&t, REC_PROFILE_BLOCK);
	rec_testing_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text_heap),	   cmocka_unit_test(test_text_heap_all_in_use),
	    cmocka_unit_test(test_text_block),	   cmocka_unit_test(test_text_mutex),
	    cmocka_unit_test(test_text_goroutine), cmocka_unit_test(test_text_threadcreate),
	    cmocka_unit_test(test_text_maps),	   cmocka_unit_test(test_text_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
