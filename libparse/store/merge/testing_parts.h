/* What tests of parts of a trace share: imports of some generations, merges, and parts that say
 * something else of themselves. For tests only. */
#ifndef TP_STORE_MERGE_TESTING_PARTS_H
#define TP_STORE_MERGE_TESTING_PARTS_H

#include "base/out.h"
#include "decode/v2/encode.h"
#include "import.h"
#include "store/cut.h"
#include "store/merge/merge.h"
#include "store/testing.h"

#define TRACE "testdata/corpus/traces/slow-1.27.trace"
#define N     5 /* its generations */

static inline void name(char path[64], const char *of, unsigned n)
{
	snprintf(path, 64, "%s/%s%u", testing_folder, of, n);
	unlink(path);
}

static inline void import_of(const char *trace, const char *path, uint32_t first, uint32_t last,
			     bool occupancy, int compress)
{
	struct tp_import_options opt = {.first_generation = first,
					.last_generation = last,
					.occupancy = occupancy,
					.threads = 1,
					.store = {.wait_ms = 10000, .compress = compress}};
	struct tp_import_result result;
	struct tp_err err;

	if (tp_import(trace, path, &opt, &result, &err))
		fail_msg("%s, generations %u to %u: %s", trace, first, last, err.msg);
}

static inline int write_bytes(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)err;
	assert_int_equal(fwrite(data, 1, size, ctx), size);
	return 0;
}

/* A trace of so many generations: in each, some goroutines block and wake each other; without any,
 * a P stops and starts. `wall_sec`: when it was. */
static inline void write_trace(const char *path, unsigned generations, unsigned goroutines,
			       uint64_t wall_sec)
{
	struct tp_dict *d = tp_dict_new();
	FILE *f = fopen(path, "wb");
	struct tp_out out = {.write = write_bytes, .ctx = f};
	struct tp_v2_encoder *e;
	uint64_t ts = 1000;
	uint32_t reason;

#define PUT(type, ...)                                                                             \
	assert_int_equal(                                                                          \
	    tp_v2_encode_event(e, 1, ts++, TP_V2_##type, (uint64_t[]){__VA_ARGS__}, NULL), 0)
	assert_non_null(d);
	assert_non_null(f);
	assert_int_equal(tp_dict_string(d, "chan receive", 12, &reason), 0);
	assert_int_equal(tp_v2_encoder_new(&e, d, &out, NULL), 0);
	for (unsigned i = 0; i < generations; i++) {
		const struct tp_v2_clock clock = {
		    .ts = ts, .mono_ns = ts, .wall_sec = wall_sec, .wall_nsec = 1};

		ts++;
		assert_int_equal(tp_v2_encode_generation(e, &clock, NULL), 0);
		PUT(ProcStatus, 0, 1);
		for (unsigned g = 1; g <= goroutines; g++)
			PUT(GoStatus, g, g > 1 ? UINT64_MAX : 1, g > 1 ? 4 : 2);
		for (unsigned g = 1; g <= goroutines; g++) {
			unsigned next = g < goroutines ? g + 1 : 1;
			char name[32];
			uint32_t id;

			snprintf(name, sizeof(name), "log %u", g * (i + 1));
			assert_int_equal(tp_dict_string(d, name, strlen(name), &id), 0);
			PUT(UserLog, 0, reason, id, 0);
			if (next == g)
				break;
			PUT(GoUnblock, next, 1, 0);
			PUT(GoBlock, reason, 0);
			PUT(GoStart, next, 2);
		}
		if (!goroutines) {
			PUT(ProcStop, 0);
			PUT(ProcStart, 0, 1);
		}
	}
	assert_int_equal(tp_v2_encode_finish(e, NULL), 0);
	tp_v2_encoder_free(e);
	tp_dict_free(d);
	assert_int_equal(fclose(f), 0);
#undef PUT
}

static inline int merge(const char *path, const char *const *stores, size_t n,
			struct tp_merge_result *result, struct tp_err *err)
{
	/* Every other time with the threads of the pipe. */
	static int threads;
	const struct tp_merge_options opt = {.wait_ms = 10000, .threads = threads};

	threads = !threads;
	return tp_store_merge(path, stores, n, &opt, result, err);
}

static inline void assert_same(const char *a, const char *b)
{
	if (!same_bytes(a, b))
		fail_msg("%s and %s differ", a, b);
}

/* Each range is imported once; what is asked for again is a copy. */
static inline void import(const char *path, uint32_t first, uint32_t last, bool occupancy)
{
	static bool made[N + 2][N + 2][2]; /* a loop over ranges may end behind the last */
	char kept[64];

	snprintf(kept, sizeof(kept), "%s/kept%u-%u-%d", testing_folder, first, last, occupancy);
	if (!made[first][last][occupancy])
		import_of(TRACE, kept, first, last, occupancy, 0);
	made[first][last][occupancy] = true;
	copy_file(kept, path);
}

/* Merges n stores, at most 5, one after the other, in every order: the result is one and the same,
 * and is in `path`. So is that of some of them, which the others are then merged into once. */
static inline void merge_in_every_order(char store[][64], unsigned n, char path[64])
{
	char before[64], out[64];

	for (unsigned some = 1; some < 1u << n; some++) {
		name(path, "orders", some);
		for (unsigned last = 0; last < n; last++) {
			struct tp_merge_result result;
			struct tp_err err;

			if (!(some >> last & 1))
				continue;
			snprintf(before, sizeof(before), "%s/orders%u", testing_folder,
				 some & ~(1u << last));
			name(out, "order", 0);
			if (some & ~(1u << last))
				copy_file(before, out);
			if (merge(out, (const char *[]){store[last]}, 1, &result, &err))
				fail_msg("stores %#x, the last is %u: %s", some, last, err.msg);
			if (access(path, F_OK))
				copy_file(out, path);
			else
				assert_same(out, path);
		}
	}
}

/* Puts what `mutate` makes of the run's cut in its place; what is not packed is allowed, too. */
static inline void change_cut(const char *path, void (*mutate)(struct tp_trace *t))
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

#endif
