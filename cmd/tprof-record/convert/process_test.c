/* Arenas that a program has scribbled over: what is checked can be followed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tprof-record/convert/testing.h"

static size_t check(struct rec_testing *t)
{
	struct tp_err err;
	size_t wrong;

	assert_int_equal(rec_process_check(&t->process, &wrong, &err), 0);
	return wrong;
}

static void test_process_check_sound(void **state)
{
	static const char *const labels[][2] = {{"kind", "worker"}, {"pool", "7"}};
	uint64_t pcs[8], stack[] = {0x30, 0x20, 0x10};
	const uint32_t *pairs;
	struct rec_testing t;
	uint32_t s, set;
	size_t n;

	(void)state;
	rec_testing_begin(&t);
	s = rec_testing_stack(&t, stack, 3);
	set = rec_testing_labels(&t, labels, 2);
	rec_testing_g(&t, 1, 4000, "main")->labels = set;
	rec_testing_bucket(&t, REC_HEAP_BUCKET, s, 64);
	rec_testing_count(rec_testing_bucket(&t, REC_BLOCK_BUCKET, s, 0), 2.5, 1000);
	rec_testing_bucket(&t, REC_HEAP_BUCKET, s, 128);
	rec_testing_module(&t, 0x1000, 0x2000, 0, "/bin/true", "ab12");
	assert_int_equal(check(&t), 0);

	assert_int_equal(rec_process_stack(&t.process, s, pcs, 8), 3);
	assert_memory_equal(pcs, stack, sizeof(stack));
	assert_int_equal(rec_process_stack(&t.process, s, pcs, 2), 2);
	assert_int_equal(rec_process_stack(&t.process, s + 1, pcs, 8), 0);
	assert_int_equal(rec_process_stack(&t.process, UINT32_MAX, pcs, 8), 0);
	pairs = rec_process_labels(&t.process, set, &n);
	assert_int_equal(n, 2);
	assert_string_equal(rec_process_string(&t.process, pairs[3]), "7");
	assert_null(rec_process_labels(&t.process, UINT32_MAX, &n));
	assert_int_equal(n, 0);
	assert_string_equal(rec_process_string(&t.process, UINT32_MAX), "");
	/* Newest first, as they were. */
	assert_int_equal(t.process.arena.header->newest[REC_HEAP_BUCKET], 3);
	assert_int_equal(t.process.arena.buckets[2].allnext, 1);
	rec_testing_end(&t);
}

static void test_process_check_foreign(void **state)
{
	struct rec_testing t;
	struct tp_err err;
	size_t wrong;

	(void)state;
	rec_testing_begin(&t);
	t.process.arena.header->size_of_event = 40;
	assert_int_equal(rec_process_check(&t.process, &wrong, &err), TP_EFORMAT);
	rec_testing_end(&t);
}

/* Everything that an entry refers to is there, and loops end. */
static void follow_all(const struct rec_process *p)
{
	const struct rec_arena *a = &p->arena;
	uint64_t pcs[REC_MAX_DEPTH + 1];
	size_t n, steps = 0, text = 0;

	for (uint32_t i = 0; i < a->header->nodes.used; i++)
		assert_true(rec_process_stack(p, i, pcs, REC_MAX_DEPTH + 1) <= REC_MAX_DEPTH);
	for (int k = 0; k < REC_NBUCKET_KINDS; k++) {
		for (uint32_t b = a->header->newest[k]; b; b = a->buckets[b - 1].allnext, steps++)
			assert_true(b <= a->header->buckets.used &&
				    a->buckets[b - 1].kind == (uint32_t)k);
	}
	assert_true(steps <= a->header->buckets.used);
	for (uint32_t i = 0; i < a->header->modules.used; i++)
		text += strlen(rec_process_string(p, a->modules[i].file));
	for (uint32_t i = 0; i < a->header->gs.used; i++) {
		const uint32_t *pairs = rec_process_labels(p, a->gs[i].labels, &n);

		for (size_t k = 0; k < 2 * n; k++)
			text += strlen(rec_process_string(p, pairs[k]));
		text += strlen(a->gs[i].name);
		assert_true(a->gs[i].wait.stack == 0 ||
			    a->gs[i].wait.stack < a->header->nodes.used);
	}
	assert_true(text <= (size_t)REC_STRING_BYTES * REC_NSETS * 16);
}

/* Pages of noise over every part; the same for the same seed. */
static void test_process_check_noise(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		uint64_t random = seed * 0x9e3779b97f4a7c15u;
		struct rec_testing t;
		const struct rec_arena *a = &t.process.arena;

		rec_testing_begin(&t);
		void *const parts[] = {a->header, a->modules, a->strings, a->sets,
				       a->gs,	  a->nodes,   a->buckets};
		for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
			char *at = parts[i];

			for (size_t k = 0; k < 4096; k += 4) {
				uint32_t word;

				random ^= random << 13;
				random ^= random >> 7;
				random ^= random << 17;
				/* Small numbers are the more dangerous ones. */
				word = (uint32_t)(random >> (random & 8 ? 32 : 56));
				if (k >= 16 || i)
					memcpy(at + k, &word, 4);
			}
		}
		check(&t);
		follow_all(&t.process);
		assert_int_equal(check(&t), 0); /* nothing is left to repair */
		rec_testing_end(&t);
	}
}

/* One whose writer sleeps in the middle is torn, and has no wait. */
static void test_process_copy_gs(void **state)
{
	static struct rec_g from[2], to[2];
	struct rec_testing t;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		from[i].id = i + 1;
		from[i].seq = 4 + i;
		from[i].wait.kind = REC_BLOCK;
		from[i].wait.arg = REC_ON_JOIN;
	}
	rec_process_copy_gs(to, from, 2);
	assert_memory_equal(&to[0], &from[0], sizeof(to[0]));
	assert_true(to[1].id == 2 && to[1].seq % 2);
	rec_testing_begin(&t);
	for (size_t i = 0; i < 2; i++)
		memcpy((void *)rec_testing_g(&t, (uint32_t)i + 1, 4000 + (uint32_t)i, ""),
		       (void *)&to[i], sizeof(to[i]));
	assert_int_equal(check(&t), 0);
	assert_int_equal(t.process.arena.gs[0].wait.kind, REC_BLOCK);
	assert_int_equal(t.process.arena.gs[1].wait.kind, REC_NOTHING);
	rec_testing_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_process_check_sound),
	    cmocka_unit_test(test_process_check_foreign),
	    cmocka_unit_test(test_process_check_noise),
	    cmocka_unit_test(test_process_copy_gs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
