/* Parts of a trace, in all ways to cut it, are joined to what one import makes. */
#include <sys/resource.h>

#include "store/merge/testing_parts.h"

/* What merging makes of an import of all of it. */
static void whole(char path[64], bool occupancy)
{
	struct tp_merge_result result;
	struct tp_err err;
	char one[64];

	name(one, "one", 0);
	name(path, "whole", 0);
	import(one, 0, 0, occupancy);
	assert_int_equal(merge(path, (const char *[]){one}, 1, &result, &err), 0);
	change(path, "UPDATE run SET imported_ns = 1");
}

static void try_cuts(unsigned cuts, const char *expected, bool occupancy)
{
	char part[N][64], out[64];
	const char *stores[N];
	struct tp_merge_result result;
	struct tp_err err;
	uint32_t first = 1;
	size_t n = 0;

	for (uint32_t last = 1; last <= N; last++) {
		if (last < N && !(cuts >> (last - 1) & 1))
			continue;
		name(part[n], "part", (unsigned)n);
		import(part[n], first, last, occupancy);
		/* From the last to the first. */
		stores[N - 1 - n] = part[n];
		n++;
		first = last + 1;
	}
	name(out, "out", 0);
	if (merge(out, stores + N - n, n, &result, &err))
		fail_msg("cuts %x: %s", cuts, err.msg);
	assert_int_equal(result.runs, 1);
	assert_int_equal(result.joined, 1);
	change(out, "UPDATE run SET imported_ns = 1");
	assert_same(out, expected);
}

static void test_merge_parts_of_all_cuts(void **state)
{
	char expected[64];

	(void)state;
	whole(expected, false);
	for (unsigned cuts = 0; cuts < 1 << (N - 1); cuts++)
		try_cuts(cuts, expected, false);
}

static void test_merge_parts_with_occupancy(void **state)
{
	char expected[64];

	(void)state;
	whole(expected, true);
	try_cuts(0x6, expected, true);
}

static void put_missing(void *ctx, const char *run, const char *generations, uint32_t of)
{
	(void)run;
	snprintf(ctx, 64, "%s of %u", generations, of);
}

static void test_merge_parts_by_steps(void **state)
{
	static const uint32_t at[][2] = {{2, 2}, {4, 4}, {1, 1}, {5, 5}, {3, 3}};
	static const char *const missing[] = {"1, 3-5 of 5", "1, 3, 5 of 5", "3, 5 of 5", "3 of 5",
					      ""};
	char expected[64], out[64], part[64], once_more[64], told[64];
	struct tp_merge_options opt = {
	    .wait_ms = 10000, .missing = put_missing, .missing_ctx = told};
	struct tp_merge_result result;
	struct tp_err err;

	(void)state;
	whole(expected, false);
	name(out, "steps", 0);
	for (unsigned i = 0; i < N; i++) {
		name(part, "step", i);
		import(part, at[i][0], at[i][1], false);
		told[0] = '\0';
		assert_int_equal(
		    tp_store_merge(out, (const char *[]){part}, 1, &opt, &result, &err), 0);
		assert_string_equal(told, missing[i]);
		assert_int_equal(result.runs, i < N - 1 ? i + 1 : 1);
	}
	change(out, "UPDATE run SET imported_ns = 1");
	assert_same(out, expected);
	/* A part that comes late changes nothing. */
	change(part, "UPDATE run SET imported_ns = 2");
	name(once_more, "more", 0);
	assert_int_equal(
	    tp_store_merge(once_more, (const char *[]){expected}, 1, &opt, &result, &err), 0);
	assert_int_equal(tp_store_merge(out, (const char *[]){part}, 1, &opt, &result, &err), 0);
	assert_same(out, once_more);
}

static void test_merge_parts_that_overlap(void **state)
{
	char a[64], b[64], out[64];
	struct tp_merge_result result;
	struct tp_err err;

	(void)state;
	name(a, "over", 1);
	name(b, "over", 2);
	name(out, "over", 3);
	import(a, 1, 3, false);
	import(b, 3, 5, false);
	assert_int_equal(merge(out, (const char *[]){a, b}, 2, &result, &err), TP_EUNKNOWN);
	assert_string_equal(err.msg,
			    "slow-1.27.trace: the part of generations 1 to 3 overlaps that "
			    "of 3 to 5; leave out the store of one");
	assert_int_equal(access(out, F_OK), -1);
}

/* One generation each, every other one of which comes later. */
static void test_merge_parts_of_many_generations(void **state)
{
	enum { GENERATIONS = 40 };
	static char part[GENERATIONS][64];
	const char *some[2][GENERATIONS / 2];
	char trace[64], one[64], expected[64], out[64];
	struct tp_merge_result result;
	struct tp_err err;

	(void)state;
	name(trace, "long", 0);
	name(one, "long", 1);
	name(expected, "long", 2);
	name(out, "long", 3);
	write_trace(trace, GENERATIONS, 5, 100);
	import_of(trace, one, 0, 0, false, 0);
	assert_int_equal(merge(expected, (const char *[]){one}, 1, &result, &err), 0);
	change(expected, "UPDATE run SET imported_ns = 1");
	for (uint32_t i = 0; i < GENERATIONS; i++) {
		name(part[i], "gen", i);
		import_of(trace, part[i], i + 1, i + 1, false, 0);
		some[i % 2][i / 2] = part[i];
	}
	assert_int_equal(merge(out, some[1], GENERATIONS / 2, &result, &err), 0);
	assert_int_equal(result.joined, 0);
	assert_int_equal(result.runs, GENERATIONS / 2);
	assert_int_equal(merge(out, some[0], GENERATIONS / 2, &result, &err), 0);
	assert_int_equal(result.joined, 1);
	assert_int_equal(result.runs, 1);
	change(out, "UPDATE run SET imported_ns = 1");
	assert_same(out, expected);
}

/* ---- a whole trace beside parts ---- */

/* The whole trace without occupancy, and parts of which some have it, merged in every order, one
 * after the other: the result is one and the same. */
static void test_merge_parts_beside_the_whole(void **state)
{
	static const struct {
		uint32_t first, last; /* 0: all */
		bool occupancy;
	} kinds[][5] = {
	    {{0, 0, false}, {1, 2, true}, {3, 5, true}},
	    {{0, 0, false}, {1, 2, true}, {3, 5, false}},
	    {{0, 0, false}, {1, 2, true}, {3, 5, true}, {3, 5, false}},
	    {{1, 2, false}, {3, 5, true}, {1, 2, true}, {3, 5, false}},
	    {{0, 0, true}, {1, 2, false}, {3, 5, true}},
	};
	struct tp_merge_result result;
	struct tp_err err;

	(void)state;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		char store[5][64], out[64], expected[64];
		unsigned n = 0;

		for (; n < 5 && (n < 3 || kinds[k][n].last); n++) {
			name(store[n], "kind", n);
			import(store[n], kinds[k][n].first, kinds[k][n].last,
			       kinds[k][n].occupancy);
			change(store[n], "UPDATE run SET imported_ns = 1");
		}
		merge_in_every_order(store, n, expected);
		/* And all at once. */
		name(out, "kinds", 0);
		assert_int_equal(
		    merge(out, (const char *[]){store[0], store[1], store[2], store[n > 3 ? 3 : 0]},
			  4, &result, &err),
		    0);
		assert_same(out, expected);
	}
}

/* ---- many traces ---- */

static uint8_t other;

static void other_dump(struct tp_trace *t)
{
	t->cut->dump[0] = other;
}

/* A trace that is joined needs few descriptors, and so do many. */
static void test_merge_parts_of_many_traces(void **state)
{
	enum { TRACES = 24 };
	struct rlimit before, few;
	char path[2][64], all[64], out[64];
	struct tp_merge_result result;
	struct tp_err err;
	int code;

	(void)state;
	name(all, "many", 0);
	for (unsigned trace = 1; trace <= TRACES; trace++) {
		other = (uint8_t)trace;
		for (unsigned i = 0; i < 2; i++) {
			char sql[128], text[33];
			uint8_t hash[16];
			struct tp_store *s;
			struct tp_cut cut;

			name(path[i], "many", 1 + i);
			import(path[i], i ? 3 : 1, i ? 5 : 2, false);
			change_cut(path[i], other_dump);
			assert_int_equal(tp_store_open(&s, path[i], &err), 0);
			assert_int_equal(tp_store_peek_cut(s, 1, &cut, &err), 1);
			tp_store_close(s);
			tp_cut_hash(cut.dump, cut.first, cut.last, hash);
			tp_hash_text(hash, text);
			snprintf(sql, sizeof(sql), "UPDATE run SET hash = '%s'", text);
			change(path[i], sql);
			/* The last part of each comes later. */
			if (i)
				name(out, "late", trace);
			if (i)
				assert_int_equal(rename(path[i], out), 0);
			else
				assert_int_equal(
				    merge(all, (const char *[]){path[i]}, 1, &result, &err), 0);
		}
	}
	const char *late[TRACES];
	char paths[TRACES][64];

	for (unsigned i = 0; i < TRACES; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s/late%u", testing_folder, i + 1);
		late[i] = paths[i];
	}
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 36;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	code = merge(all, late, TRACES, &result, &err);
	setrlimit(RLIMIT_NOFILE, &before);
	if (code)
		fail_msg("%s", err.msg);
	assert_int_equal(result.joined, TRACES);
	assert_int_equal(result.runs, TRACES);
	assert_int_equal(wrong_in(all), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_merge_parts_of_all_cuts),
	    cmocka_unit_test(test_merge_parts_with_occupancy),
	    cmocka_unit_test(test_merge_parts_by_steps),
	    cmocka_unit_test(test_merge_parts_that_overlap),
	    cmocka_unit_test(test_merge_parts_of_many_generations),
	    cmocka_unit_test(test_merge_parts_beside_the_whole),
	    cmocka_unit_test(test_merge_parts_of_many_traces),
	};

	return cmocka_run_group_tests(tests, testing_setup, testing_teardown);
}
