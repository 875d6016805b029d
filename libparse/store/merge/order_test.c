/* Merging the same stores by any tree gives the same file. Some dumps were imported in different ways, some
 * are damaged, and one store has parts of a dump. Inputs and trees are random; a failure names its seed, the
 * number of the round. */
#include "base/random.h"
#include "base/testing_rounds.h"
#include "import.h"
#include "store/merge/merge.h"
#include "store/testing.h"

enum { DUMPS = 5, MOST = 7, WAYS = 2 };

static const char *const dumps[DUMPS] = {
    "testdata/callbacks.trace",	    "testdata/pipe-child.trace", "testdata/counter-1.5.trace",
    "testdata/odd/from-zero.pb.gz", "testdata/parts.store", /* of the first one */
};

static char leaf[DUMPS][WAYS][64];

static void name(char path[64], const char *of, unsigned n)
{
	snprintf(path, 64, "%s/%s%u", testing_folder, of, n);
	unlink(path);
}

static void import(const char *dump, const char *path, unsigned way)
{
	const struct tp_import_options opt = {.threads = 1,
					      .store = {.wait_ms = 10000, .compress = (int)way}};
	struct tp_import_result result;
	struct tp_err err;

	if (tp_import(dump, path, &opt, &result, &err))
		fail_msg("%s: %s", dump, err.msg);
}

static void make_leaves(void)
{
	for (unsigned d = 0; d < DUMPS; d++)
		for (unsigned w = 0; w < WAYS; w++) {
			name(leaf[d][w], "leaf", d * WAYS + w);
			if (strstr(dumps[d], ".store"))
				copy_file(dumps[d], leaf[d][w]);
			else
				import(dumps[d], leaf[d][w], w);
		}
}

static unsigned below(uint64_t *seed, unsigned n)
{
	return (unsigned)(tp_random(seed) % n);
}

/* Makes a block shorter than it was. */
static void damage(const char *path, uint64_t *seed)
{
	char sql[300];

	snprintf(sql, sizeof(sql),
		 "UPDATE block SET data = substr(data, 1, length(data) / 2) WHERE rowid = (SELECT "
		 "rowid FROM block ORDER BY run, stream, part LIMIT 1 OFFSET %u %% (SELECT "
		 "count(*) FROM block))",
		 below(seed, 1000));
	change(path, sql);
}

static int merge(const char *path, const char *const *stores, size_t n, struct tp_err *err)
{
	const struct tp_merge_options opt = {.wait_ms = 10000};
	struct tp_merge_result result;

	return tp_store_merge(path, stores, n, &opt, &result, err);
}

/* Merges n stores by a random tree; `path` is the result. */
static void merge_by_tree(char store[][64], unsigned n, uint64_t *seed, char path[64],
			  unsigned number, uint64_t round)
{
	char left[MOST][64];

	memcpy(left, store, n * sizeof(*left));
	for (unsigned step = 0;; step++) {
		const char *some[3];
		/* Merging one store alone only changes its form. */
		unsigned k = step < 10 ? 1 + below(seed, n < 3 ? n : 3) : n < 3 ? n : 3;
		struct tp_err err;

		name(path, "tree", number * 100 + step);
		for (unsigned i = 0; i < k; i++) {
			unsigned at_ = i + below(seed, n - i);
			char one[64];

			memcpy(one, left[at_], sizeof(one));
			memcpy(left[at_], left[i], sizeof(one));
			memcpy(left[i], one, sizeof(one));
			some[i] = left[i];
		}
		if (merge(path, some, k, &err))
			fail_msg("round %u: %s", (unsigned)round, err.msg);
		if (k == n)
			return;
		memcpy(left[0], path, sizeof(*left));
		memmove(left + 1, left + k, (n - k) * sizeof(*left));
		n -= k - 1;
	}
}

static void try_round(uint64_t round, bool harmed)
{
	char store[MOST][64], what[MOST * 40] = "", path[2][64];
	uint64_t seed = round;
	unsigned n = 2 + below(&seed, MOST - 1), most = below(&seed, DUMPS);

	for (unsigned i = 0; i < n; i++) {
		unsigned of = below(&seed, 3) ? most : below(&seed, DUMPS);
		unsigned w = below(&seed, WAYS);
		bool harm = harmed && !below(&seed, 4);
		char sql[200];

		name(store[i], "store", i);
		copy_file(leaf[of][w], store[i]);
		snprintf(sql, sizeof(sql), "UPDATE run SET imported_ns = %u", below(&seed, 3));
		change(store[i], sql);
		if (below(&seed, 2)) {
			snprintf(sql, sizeof(sql), "INSERT INTO label VALUES(1, 'k%u', 'v%u')",
				 below(&seed, 2), below(&seed, 2));
			change(store[i], sql);
		}
		if (harm)
			damage(store[i], &seed);
		snprintf(what + strlen(what), 40, " %u,%u%s", of, w, harm ? ",damaged" : "");
	}
	for (unsigned i = 0; i < 2; i++)
		merge_by_tree(store, n, &seed, path[i], i, round);
	if (!same_bytes(path[0], path[1]))
		fail_msg("round %u:%s: %s and %s differ", (unsigned)round, what, path[0], path[1]);
}

/* Returns n, or the number in TPROF_ROUNDS. */
static uint64_t rounds(int n)
{
	const char *more = getenv("TPROF_ROUNDS");

	if (more)
		return strtoull(more, NULL, 10);
	return (uint64_t)n;
}

static void test_merge_order_of_sound_stores(void **state)
{
	(void)state;
	make_leaves();
	for (uint64_t round = 1; round <= rounds(tp_rounds(12)); round++)
		try_round(round, false);
}

static void test_merge_order_of_damaged_stores(void **state)
{
	(void)state;
	for (uint64_t round = 1; round <= rounds(tp_rounds(12)); round++)
		try_round(round, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_merge_order_of_sound_stores),
	    cmocka_unit_test(test_merge_order_of_damaged_stores),
	};

	return cmocka_run_group_tests(tests, testing_setup, testing_teardown);
}
