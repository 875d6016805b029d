/* Blocks that threads decode come in order, up to the end or to a damaged one. */
#include "spans/prefetch.h"

#include "store/testing_run.h"

#define HASH   "00000000000000000000000000000007"
#define BLOCKS 9
#define EVENTS ((BLOCKS - 1) * TP_BLOCK_EVENTS + 100)

static const struct tp_event_choice everything;

static struct tp_store *open_run(void)
{
	struct tp_store *store;
	struct tp_run row;
	struct tp_err err;

	assert_int_equal(write_run(HASH, EVENTS, 1, &row, &err), 0);
	assert_int_equal(tp_store_open(&store, path, &err), 0);
	return store;
}

static struct rep_prefetch *open_prefetch(struct tp_store *store)
{
	struct rep_prefetch *a;
	struct tp_err err;

	assert_int_equal(rep_prefetch_open(&a, store, 1, NULL, &everything, &err), 0);
	return a;
}

/* Reads this many blocks and compares them with those of tp_events_next. */
static void check_blocks(struct rep_prefetch *a, struct tp_store *store, unsigned blocks)
{
	struct tp_event_reader *r;
	const struct tp_event *want;
	struct tp_event *ev;
	struct tp_err err;
	size_t n, wanted;

	assert_int_equal(tp_events_open(&r, store, 1, NULL, &err), 0);
	for (unsigned i = 0; i < blocks; i++) {
		assert_int_equal(rep_prefetch_next(a, &ev, &n, &err), 1);
		assert_int_equal(tp_events_next(r, &want, &wanted, &err), 1);
		assert_int_equal(n, wanted);
		assert_memory_equal(ev, want, n * sizeof(*ev));
		memset(ev, 0xff, n * sizeof(*ev));
	}
	tp_events_close(r);
}

static void test_prefetch_order(void **state)
{
	struct tp_store *store = open_run(), *other;
	struct rep_prefetch *a = open_prefetch(store);
	struct tp_event *ev;
	struct tp_err err;
	size_t n;

	(void)state;
	assert_int_equal(tp_store_open(&other, path, &err), 0);
	check_blocks(a, other, BLOCKS);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(rep_prefetch_next(a, &ev, &n, &err), 0);
		assert_int_equal(n, 0);
	}
	rep_prefetch_close(a);
	tp_store_close(other);
	tp_store_close(store);
}

/* The blocks before a damaged one are read; then every call returns the error. */
static void test_prefetch_damage(void **state)
{
	struct tp_store *store = open_run(), *other;
	struct rep_prefetch *a;
	struct tp_event *ev;
	struct tp_err err;
	size_t n;

	(void)state;
	tp_store_close(store);
	change(path, "UPDATE block SET data = zeroblob(100) WHERE stream = 'event' AND part = 4");
	assert_int_equal(tp_store_open(&store, path, &err), 0);
	assert_int_equal(tp_store_open(&other, path, &err), 0);
	a = open_prefetch(store);
	check_blocks(a, other, 4);
	for (int i = 0; i < 2; i++) {
		memset(&err, 0, sizeof(err));
		assert_true(rep_prefetch_next(a, &ev, &n, &err) < 0);
		assert_int_equal(n, 0);
		assert_non_null(strstr(err.msg, "block 4"));
	}
	rep_prefetch_close(a);
	tp_store_close(other);
	tp_store_close(store);
}

/* A reader can be closed before, while and after blocks are decoded in advance; the store can be used then. */
static void test_prefetch_close(void **state)
{
	static const unsigned blocks[] = {0, 1, 3, BLOCKS};
	struct tp_store *store = open_run(), *other;
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_store_open(&other, path, &err), 0);
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		struct rep_prefetch *a = open_prefetch(store);

		check_blocks(a, other, blocks[i]);
		rep_prefetch_close(a);
		assert_int_equal(query(store, "SELECT count(*) FROM run"), 1);
	}
	rep_prefetch_close(NULL);
	tp_store_close(other);
	tp_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {RUN_TEST(test_prefetch_order),
					   RUN_TEST(test_prefetch_damage),
					   RUN_TEST(test_prefetch_close)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
