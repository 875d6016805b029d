/* Parts of a trace, in all ways to cut it, are joined to what one import makes. */
#include <sys/resource.h>

#include "base/random.h"
#include "base/rounds.h"
#include "import.h"
#include "store/cut.h"
#include "store/merge/merge.h"
#include "store/testing.h"

#define TRACE "testdata/corpus/traces/slow-1.27.trace"
#define N     5 /* its generations */

static void name(char path[64], const char *of, unsigned n)
{
	snprintf(path, 64, "%s/%s%u", testing_folder, of, n);
	unlink(path);
}

static void import(const char *path, uint32_t first, uint32_t last, bool occupancy)
{
	struct tp_import_options opt = {.first_generation = first,
					.last_generation = last,
					.occupancy = occupancy,
					.threads = 1,
					.store = {.wait_ms = 10000}};
	struct tp_import_result result;
	struct tp_err err;

	if (tp_import(TRACE, path, &opt, &result, &err))
		fail_msg("generations %u to %u: %s", first, last, err.msg);
}

static int merge(const char *path, const char *const *stores, size_t n,
		 struct tp_merge_result *result, struct tp_err *err)
{
	/* Every other time with the threads of the pipe. */
	static int threads;
	const struct tp_merge_options opt = {.wait_ms = 10000, .threads = threads++ % 2};

	return tp_store_merge(path, stores, n, &opt, result, err);
}

static void assert_same(const char *a, const char *b)
{
	if (!same_bytes(a, b))
		fail_msg("%s and %s differ", a, b);
}

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

/* ---- parts that do not fit ---- */

static void other_goroutine(struct tp_trace *t)
{
	t->cut->before.g[t->cut->before.ng / 2].status ^= 1;
}

static void no_goroutine(struct tp_trace *t)
{
	struct tp_seam *s = &t->cut->before;

	while (!(s->g[s->ng - 1].flags & TP_SEAM_ALIVE))
		s->ng--;
	s->ng--;
}

static void other_binding(struct tp_trace *t)
{
	t->cut->before.m[0].p = 77;
}

static void other_proc(struct tp_trace *t)
{
	t->cut->before.p[0].status ^= 1;
}

static void other_phase(struct tp_trace *t)
{
	t->cut->before.gc = 2;
	t->cut->before.gc_seq = 12345;
}

static void other_clock(struct tp_trace *t)
{
	t->cut->ns_per_tick *= 2;
}

static void a_stop(struct tp_trace *t)
{
	t->cut->before.nstw = 1;
	t->cut->before.stw = calloc(1, sizeof(*t->cut->before.stw));
	assert_non_null(t->cut->before.stw);
}

static void index_too_large(struct tp_trace *t)
{
	t->cut->before.g[0].index = t->ng;
}

static void index_behind_too_large(struct tp_trace *t)
{
	t->cut->after.p[0].index = t->np;
}

static void fewer_goroutines(struct tp_trace *t)
{
	t->cut->before.ng = 0;
	t->ng = 1;
}

static void more_events(struct tp_trace *t)
{
	t->events++;
}

static void many_inferred(struct tp_trace *t)
{
	t->inferred = UINT64_MAX;
}

static void many_generations(struct tp_trace *t)
{
	t->generations = 4;
}

static void earlier(struct tp_trace *t)
{
	t->first_ts -= 1000000000;
}

static void long_before(struct tp_trace *t)
{
	t->first_ts = INT64_MIN;
}

/* Puts what `mutate` makes of the run's cut in its place; what is not packed is allowed, too. */
static void change_cut(const char *path, void (*mutate)(struct tp_trace *t))
{
	struct tp_buf raw = {0}, blob = {0};
	struct tp_trace trace = {0};
	struct tp_store *store;
	struct tp_err err;
	sqlite3_stmt *stmt;
	sqlite3 *db;

	assert_int_equal(tp_store_open(&store, path, &err), 0);
	assert_int_equal(tp_store_load_cut(store, 1, &trace, &err), 1);
	tp_store_close(store);
	mutate(&trace);
	assert_int_equal(tp_cut_put(&trace, &raw), 0);
	tp_trace_release(&trace);
	assert_int_equal(tp_buf_put(&blob, "\1\1", 2), 0);
	assert_int_equal(tp_buf_put_uvarint(&blob, raw.size), 0);
	assert_int_equal(tp_buf_put(&blob, raw.data, raw.size), 0);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "UPDATE block SET data = ? WHERE stream = 'cut'",
					    -1, &stmt, NULL),
			 SQLITE_OK);
	sqlite3_bind_blob(stmt, 1, blob.data, (int)blob.size, SQLITE_STATIC);
	assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	tp_buf_release(&raw);
	tp_buf_release(&blob);
}

static void nothing(struct tp_trace *t)
{
	(void)t;
}

static void test_merge_parts_that_do_not_fit(void **state)
{
	static const struct {
		void (*change)(struct tp_trace *t);
		const char *says; /* NULL: it fits */
		int code;
	} cases[] = {
	    {nothing, NULL, 0},
	    {other_goroutine, "(goroutines)", TP_EFORMAT},
	    {no_goroutine, "(goroutines)", TP_EFORMAT},
	    {other_binding, "(threads)", TP_EFORMAT},
	    {other_proc, "(procs)", TP_EFORMAT},
	    {other_phase, "(mark phases)", TP_EFORMAT},
	    {other_clock, "(times)", TP_EFORMAT},
	    {a_stop, "(stops of the world)", TP_EFORMAT},
	    {index_too_large, "damaged", TP_ESTORE},
	    {index_behind_too_large, "damaged", TP_ESTORE},
	    {fewer_goroutines, "", TP_EFORMAT},
	    {more_events, "damaged", TP_ESTORE},
	    {many_inferred, "damaged", TP_ESTORE},
	    {many_generations, "damaged", TP_ESTORE},
	    {earlier, "damaged", TP_ESTORE},
	    {long_before, "damaged", TP_ESTORE},
	};
	char a[64], b[64], out[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_merge_result result;
		struct tp_err err = {0};
		int code;

		name(a, "fit", 1);
		name(b, "fit", 2);
		name(out, "fit", 3);
		import(a, 1, 2, false);
		import(b, 3, 5, false);
		change_cut(b, cases[i].change);
		code = merge(out, (const char *[]){a, b}, 2, &result, &err);
		if (code != cases[i].code || (code && !strstr(err.msg, cases[i].says)))
			fail_msg("case %zu: %d, %s", i, code, err.msg);
		assert_int_equal(access(out, F_OK), code ? -1 : 0);
	}
}

/* Bytes of parts changed by chance: an error, or whatever they say now, and nothing else. */
static void test_merge_parts_survives_damage(void **state)
{
	static const char get[] = "SELECT rowid, data FROM block WHERE run = 1 AND (stream = 'cut' "
				  "OR stream = 'event' OR stream = 'string' OR stream = 'stack') "
				  "ORDER BY random()",
			  set[] = "UPDATE block SET data = ? WHERE rowid = ?";
	char part[2][64], out[64];
	uint64_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < TP_ROUNDS(60); round++) {
		struct tp_merge_result result;
		struct tp_err err;
		sqlite3_stmt *stmt;
		sqlite3 *db;
		uint8_t *data;
		int size;
		int64_t row;

		name(part[0], "bad", 0);
		name(part[1], "bad", 1);
		name(out, "bad", 2);
		import(part[0], 1, 3, false);
		import(part[1], 4, 5, false);
		assert_int_equal(sqlite3_open(part[round % 2], &db), SQLITE_OK);
		assert_int_equal(sqlite3_prepare_v2(db, get, -1, &stmt, NULL), 0);
		assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
		row = sqlite3_column_int64(stmt, 0);
		size = sqlite3_column_bytes(stmt, 1);
		data = malloc((size_t)size);
		assert_non_null(data);
		memcpy(data, sqlite3_column_blob(stmt, 1), (size_t)size);
		sqlite3_finalize(stmt);
		for (int i = 0; i < 3; i++)
			data[tp_random(&seed) % (uint64_t)size] = (uint8_t)tp_random(&seed);
		assert_int_equal(sqlite3_prepare_v2(db, set, -1, &stmt, NULL), 0);
		sqlite3_bind_blob(stmt, 1, data, size, SQLITE_STATIC);
		sqlite3_bind_int64(stmt, 2, row);
		assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
		sqlite3_finalize(stmt);
		sqlite3_close(db);
		free(data);
		if (merge(out, (const char *[]){part[1], part[0]}, 2, &result, &err))
			assert_int_equal(access(out, F_OK), -1);
	}
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
		unsigned n = 0, orders = 1;

		for (; n < 5 && (n < 3 || kinds[k][n].last); n++) {
			name(store[n], "kind", n);
			import(store[n], kinds[k][n].first, kinds[k][n].last,
			       kinds[k][n].occupancy);
			change(store[n], "UPDATE run SET imported_ns = 1");
			orders *= n + 1;
		}
		name(expected, "kinds", 99);
		for (unsigned order = 0; order < orders; order++) {
			unsigned left[] = {0, 1, 2, 3, 4}, code = order;

			name(out, "kinds", 0);
			for (unsigned i = n; i > 0; code /= i, i--) {
				unsigned at_ = code % i, one = left[at_];

				memmove(left + at_, left + at_ + 1, (i - 1 - at_) * sizeof(*left));
				if (merge(out, (const char *[]){store[one]}, 1, &result, &err))
					fail_msg("%s", err.msg);
			}
			if (order)
				assert_same(out, expected);
			else
				copy_file(out, expected);
		}
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
	    cmocka_unit_test(test_merge_parts_that_do_not_fit),
	    cmocka_unit_test(test_merge_parts_survives_damage),
	    cmocka_unit_test(test_merge_parts_beside_the_whole),
	    cmocka_unit_test(test_merge_parts_of_many_traces),
	};

	return cmocka_run_group_tests(tests, testing_setup, testing_teardown);
}
