#include "tprof-record/core/testing.h"

#include <sys/resource.h>
#include <time.h>

#include "tprof-record/core/inside.h"

static const struct rec_options options = {.heap_rate = 1, .mmap = 1};

enum { NPAGES = 2000, MANY = 100000 };

static void *page(uint64_t i)
{
	return (void *)(uintptr_t)(0x7f0000000000 + i * REC_PAGE);
}

static void set(uint64_t from, uint64_t n, enum rec_use use)
{
	assert_true(rec_mapping_begin());
	rec_mapping_set(page(from), n * REC_PAGE, use, 0);
	rec_mapping_end();
}

static void allow(uint64_t from, uint64_t n, bool use)
{
	assert_true(rec_mapping_begin());
	rec_mapping_allow(page(from), n * REC_PAGE, use, 0);
	rec_mapping_end();
}

/* Pages in use and allocated, by all buckets. */
static void count(uint64_t *in_use, uint64_t *allocs)
{
	*in_use = *allocs = 0;
	for (uint32_t at = header()->newest[REC_MMAP_BUCKET]; at; at = bucket(at)->allnext) {
		*in_use += rec_heap_in_use(&bucket(at)->u.heap.now);
		*allocs += bucket(at)->u.heap.now.allocs;
	}
}

static uint32_t nranges(void)
{
	const struct rec_ranges *r = &rec_state()->ranges;
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		assert_in_range(r->leaf[i]->n, r->n > 1, REC_LEAF);
		n += r->leaf[i]->n;
	}
	return n;
}

static struct rec_range range(uint32_t i)
{
	struct rec_leaf **l = rec_state()->ranges.leaf;

	for (; i >= (*l)->n; l++)
		i -= (*l)->n;
	return (*l)->at[i];
}

static void check_ranges(const enum rec_use *model)
{
	struct rec_range before = {0};
	uint64_t in_use = 0, allocs, now;

	for (uint32_t i = 0; i < nranges(); i++) {
		struct rec_range is = range(i);

		assert_true(is.start < is.end);
		assert_true(before.end <= is.start);
		assert_false(before.end == is.start && before.bucket == is.bucket);
		before = is;
	}
	for (uint64_t i = 0; i < NPAGES; i++) {
		assert_int_equal(model[i], rec_mapping_use(page(i)));
		in_use += model[i] == REC_IN_USE;
	}
	count(&now, &allocs);
	assert_int_equal(in_use, now);
	assert_int_equal(in_use * REC_PAGE, header()->in_use);
}

/* Against an array of pages. */
static void test_mapping_model(void **state)
{
	static enum rec_use model[NPAGES];
	uint64_t dice = 3;

	(void)state;
	begin_with(&options);
	memset(model, 0, sizeof(model));
	for (int round = 0; round < 6000; round++) {
		uint64_t from, n;

		dice = dice * 6364136223846793005u + 1442695040888963407u;
		from = (dice >> 40) % NPAGES;
		n = 1 + (dice >> 33) % (round % 100 ? 3 : 200);
		n = from + n < NPAGES ? n : NPAGES - from;
		if (dice >> 62 == 3) {
			allow(from, n, dice >> 61 & 1);
			for (uint64_t i = from; i < from + n; i++)
				if (model[i])
					model[i] = dice >> 61 & 1 ? REC_IN_USE : REC_RESERVED;
		} else {
			set(from, n, dice >> 62);
			for (uint64_t i = from; i < from + n; i++)
				model[i] = dice >> 62;
		}
		if (round % 8 == 0)
			check_ranges(model);
	}
	assert_in_range(nranges(), 2 * REC_LEAF, NPAGES);
}

/* Half of it goes, and the rest in two parts; calls that the kernel refuses change nothing. */
static void test_mapping_partly(void **state)
{
	uint64_t in_use, allocs;

	(void)state;
	begin_with(&options);
	set(10, 100, REC_IN_USE);
	set(30, 50, REC_UNUSED);
	count(&in_use, &allocs);
	assert_int_equal(50, in_use);
	set(0, 35, REC_UNUSED);
	set(90, 1000, REC_UNUSED);
	set(80, 0, REC_UNUSED);
	assert_true(rec_mapping_begin());
	rec_mapping_set((char *)page(80) + 1, 2 * REC_PAGE, REC_UNUSED, 0);
	rec_mapping_set(page(80), SIZE_MAX, REC_UNUSED, 0);
	rec_mapping_allow(page(500), SIZE_MAX, true, 0);
	rec_mapping_end();
	count(&in_use, &allocs);
	assert_int_equal(10, in_use);
	assert_int_equal(100, allocs);
	assert_int_equal(100 * REC_PAGE, header()->peak);
}

/* In any order, they take no more time each than a few do. */
static void test_mapping_many(void **state)
{
	uint64_t in_use, allocs;
	clock_t began = clock();

	(void)state;
	begin_with(&options);
	for (uint64_t i = 0; i < MANY; i++)
		set(i * 7919 % MANY * 2, 1, REC_IN_USE);
	for (uint64_t i = MANY; i < 2 * MANY; i++)
		set(6 * MANY - 2 * i, 1, REC_IN_USE);
	assert_true(clock() - began < 4 * CLOCKS_PER_SEC);
	count(&in_use, &allocs);
	assert_int_equal(2 * MANY, in_use);
	assert_int_equal(2 * MANY, nranges());
	assert_int_equal(0, lost(REC_LOST_BLOCKS));
	set(0, 10 * MANY, REC_UNUSED);
	count(&in_use, &allocs);
	assert_int_equal(0, in_use);
	assert_int_equal(0, nranges());
}

/* What finds no room is not counted, or it would be in use for ever. */
static void test_mapping_no_memory(void **state)
{
	struct rlimit limit, none;
	uint64_t in_use, allocs;

	(void)state;
	begin_with(&options);
	assert_int_equal(0, getrlimit(RLIMIT_AS, &limit));
	none = limit;
	none.rlim_cur = 1 << 20;
	assert_int_equal(0, setrlimit(RLIMIT_AS, &none));
	set(10, 5, REC_IN_USE);
	setrlimit(RLIMIT_AS, &limit);
	count(&in_use, &allocs);
	assert_int_equal(0, in_use);
	assert_int_equal(0, header()->in_use);
	assert_int_equal(1, lost(REC_LOST_BLOCKS));
	set(10, 5, REC_IN_USE);
	assert_int_equal(REC_IN_USE, rec_mapping_use(page(14)));
}

/* Where pages are larger, a mapping has whole ones of them; counts have the same unit everywhere. */
static void test_mapping_large_pages(void **state)
{
	uint64_t in_use, allocs, was;

	(void)state;
	begin_with(&options);
	was = rec_page;
	rec_page = 65536;
	set(16, 1, REC_IN_USE);
	count(&in_use, &allocs);
	assert_int_equal(16, in_use);
	assert_int_equal(65536, header()->in_use);
	/* The kernel refuses an address in the middle of a page. */
	set(17, 1, REC_UNUSED);
	count(&in_use, &allocs);
	assert_int_equal(16, in_use);
	set(16, 1, REC_UNUSED);
	assert_int_equal(0, nranges());
	rec_page = was;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_mapping_model, stop),
	    cmocka_unit_test_teardown(test_mapping_partly, stop),
	    cmocka_unit_test_teardown(test_mapping_many, stop),
	    cmocka_unit_test_teardown(test_mapping_no_memory, stop),
	    cmocka_unit_test_teardown(test_mapping_large_pages, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
