/* Compares the indexes of all segments with the rows of the table span. */
#include <sqlite3.h>

#include "spans/index.h"
#include "testing_sample.h"

static struct rep_filter filter;
static struct rep_view view;
static struct tp_err err;

static struct tp_span *row; /* from SQL, by goroutine, then time */
static size_t nrows;

static int set_up_view(void **state)
{
	const struct rep_filter_text none = {0};

	return set_up_in_segments(state) || rep_filter_init(&filter, &none, &err) ||
	       rep_view_init(&view, store, &runs.run[0], &filter, NULL, &err);
}

static int tear_down_view(void **state)
{
	free(row);
	rep_view_release(&view);
	rep_filter_release(&filter);
	return tear_down(state);
}

/* Returns the index of the goroutine, M or P with the id in a column; TP_NONE if there is no id. */
static uint32_t index_of(sqlite3_stmt *st, int column, enum tp_table_id table, unsigned id)
{
	int64_t wanted = sqlite3_column_int64(st, column);

	if (sqlite3_column_type(st, column) == SQLITE_NULL)
		return TP_NONE;
	for (uint32_t i = 0; i < view.nrows[table]; i++) {
		if (view.col[table][id][i] == wanted)
			return i;
	}
	fail_msg("no id %lld", (long long)wanted);
	return TP_NONE;
}
#define INDEX_OF(column, TABLE) index_of(st, column, TP_TABLE_##TABLE, TP_COL(TABLE, id))

static void load_rows(void)
{
	static const char sql[] =
	    "SELECT goroutine, start_ns, end_ns, state, stack, waker, waker_stack, m, p, open "
	    "FROM span ORDER BY goroutine, start_ns, end_ns";
	sqlite3_stmt *st;

	assert_int_equal(rep_view_load(&view, TP_TABLE_GOROUTINE, REP_BIT(GOROUTINE, id), &err), 0);
	assert_int_equal(rep_view_load(&view, TP_TABLE_THREAD, REP_BIT(THREAD, id), &err), 0);
	assert_int_equal(rep_view_load(&view, TP_TABLE_PROC, REP_BIT(PROC, id), &err), 0);
	assert_int_equal(sqlite3_prepare_v2(tp_store_db(store), sql, -1, &st, NULL), 0);
	while (sqlite3_step(st) == SQLITE_ROW) {
		const char *state = (const char *)sqlite3_column_text(st, 3);
		struct tp_span *s;

		row = realloc(row, (nrows + 1) * sizeof(*row));
		s = &row[nrows++];
		*s = (struct tp_span){
		    .goroutine = INDEX_OF(0, GOROUTINE),
		    .start = sqlite3_column_int64(st, 1),
		    .end = sqlite3_column_int64(st, 2),
		    .stack = (uint32_t)sqlite3_column_int64(st, 4),
		    .waker = INDEX_OF(5, GOROUTINE),
		    .waker_stack = (uint32_t)sqlite3_column_int64(st, 6),
		    .m = INDEX_OF(7, THREAD),
		    .p = INDEX_OF(8, PROC),
		    .open = sqlite3_column_int(st, 9) == 1,
		};
		while (s->state < TP_NSTATES && strcmp(tp_state_names[s->state], state) != 0)
			s->state++;
	}
	sqlite3_finalize(st);
	assert_true(nrows > 10000);
}

static void same(const struct tp_span *a, const struct tp_span *b)
{
	assert_int_equal(a->goroutine, b->goroutine);
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->stack, b->stack);
	assert_int_equal(a->waker, b->waker);
	assert_int_equal(a->waker_stack, b->waker_stack);
	assert_int_equal(a->m, b->m);
	assert_int_equal(a->p, b->p);
	assert_int_equal(a->open, b->open);
}

static void read_index(struct rep_index *x, size_t segment, const struct rep_index_options *o)
{
	if (rep_index_read(x, &view, segment, o, &err))
		fail_msg("segment %zu: %s", segment, err.msg);
}

/* Every row is there: crossing spans in each segment they touch, and all spans once, where they
 * end. */
static void test_index_of_all_segments(void **state)
{
	const struct rep_index_options o = {.crossing = true};
	struct rep_index *x = calloc(view.nsegments, sizeof(*x));
	size_t ended = 0, crossing = 0;
	uint32_t *next;

	(void)state;
	load_rows();
	assert_true(view.nsegments > 1);
	for (size_t i = 0; i < view.nsegments; i++)
		read_index(&x[i], i, &o);
	next = calloc(x->ngoroutines + 1, sizeof(*next));
	for (size_t i = 0; i < view.nsegments; i++)
		assert_int_equal(x[i].first[x[i].ngoroutines], x[i].n);
	/* Rows of a goroutine come segment by segment. */
	for (size_t r = 0, s = 0; r < nrows; r++) {
		uint32_t g = row[r].goroutine;

		if (r && row[r - 1].goroutine != g)
			s = 0;
		while (next[g] == x[s].first[g + 1] - x[s].first[g]) {
			assert_true(++s < view.nsegments);
			next[g] = 0;
		}
		for (;;) {
			uint32_t place = x[s].first[g] + next[g]++;

			assert_true(place < x[s].first[g + 1]);
			same(rep_index_at(&x[s], place), &row[r]);
			if (rep_index_ends(&x[s], place))
				break;
			assert_int_equal(place + 1, x[s].first[g + 1]);
			assert_true(++s < view.nsegments);
			next[g] = 0;
			assert_int_equal(rep_index_at(&x[s], x[s].first[g])->mark, 1);
			crossing++;
		}
		ended++;
	}
	assert_true(crossing > 10);
	for (size_t i = 0; i < view.nsegments; i++) {
		ended -= x[i].ended;
		rep_index_release(&x[i]);
	}
	assert_int_equal(ended, 0);
	free(next);
	free(x);
}

/* Indexes without crossing spans, and without those of hidden goroutines. */
static void test_index_of_some(void **state)
{
	struct rep_index all = {0}, few = {0};

	(void)state;
	for (size_t i = 0; i < view.nsegments; i++) {
		struct rep_index_options o = {.crossing = true};
		uint32_t g = 0, n = 0;
		uint8_t *hidden;

		read_index(&all, i, &o);
		while (all.first[g + 1] - all.first[g] < 3)
			g++;
		hidden = malloc(all.ngoroutines);
		memset(hidden, 1, all.ngoroutines);
		hidden[g] = 0;
		o.hidden = hidden;
		read_index(&few, i, &o);
		assert_int_equal(few.n, all.first[g + 1] - all.first[g]);
		for (uint32_t k = 0; k < few.n; k++)
			same(&few.span[k], rep_index_at(&all, all.first[g] + k));
		o = (struct rep_index_options){0};
		read_index(&few, i, &o);
		for (uint32_t k = 0; k < all.ended; k++)
			n += !all.span[k].mark;
		assert_int_equal(few.n, n);
		assert_int_equal(few.ended, n);
		free(hidden);
	}
	rep_index_release(&all);
	rep_index_release(&few);
}

/* A waker or creator was active at that moment. */
static void test_index_causes(void **state)
{
	const struct rep_index_options o = {.crossing = true, .causes = true};
	struct rep_index x = {0};
	size_t wakes = 0, births = 0;

	(void)state;
	for (size_t i = 0; i < view.nsegments; i++) {
		read_index(&x, i, &o);
		for (uint32_t n = 0; n < x.ended; n++) {
			const struct tp_span *s = &x.span[n], *by;
			uint32_t place;

			if (x.waker_nth[n] == REP_INDEX_NONE)
				continue;
			place = rep_index_actor(&x, s->waker, x.waker_nth[n], 2 * n + 2);
			assert_true(place != REP_INDEX_NONE);
			by = rep_index_at(&x, place);
			assert_true(by->goroutine == s->waker && by->start <= s->end &&
				    by->end >= s->end);
			wakes++;
		}
		for (uint32_t g = 0; g < x.ngoroutines; g++) {
			const struct rep_index_birth *b = &x.birth[g];

			if (b->creator == TP_NONE)
				continue;
			assert_true(rep_index_actor(&x, b->creator, b->nth, b->moment) !=
				    REP_INDEX_NONE);
			assert_int_equal(rep_index_moment(&x, x.first[g]), b->moment);
			births++;
		}
	}
	rep_index_release(&x);
	assert_true(wakes > 1000 && births > 40);
}

static void test_index_finds(void **state)
{
	const struct rep_index_options o = {.crossing = true};
	struct rep_index x = {0};

	(void)state;
	read_index(&x, 1, &o);
	for (uint32_t n = 0; n < x.n; n += 1 + x.n / 500) {
		uint32_t g = x.span[n].goroutine, place = rep_index_from(&x, g, n);

		assert_int_equal(x.order[place], n);
		assert_int_equal(rep_index_before(&x, g, x.span[n].start + 1), place);
		assert_int_equal(rep_index_before(&x, g, x.span[n].start),
				 place > x.first[g] ? place - 1 : REP_INDEX_NONE);
	}
	assert_int_equal(rep_index_before(&x, x.ngoroutines, 0), REP_INDEX_NONE);
	rep_index_release(&x);
}

static void test_index_stops(void **state)
{
	const atomic_bool stop = true;
	const struct rep_index_options o = {.stop = &stop};
	struct rep_index x = {0};

	(void)state;
	assert_int_equal(rep_index_read(&x, &view, 0, &o, &err), TP_ECANCEL);
	rep_index_release(&x);
}

static void test_index_is_kept(void **state)
{
	const struct rep_index_options o = {.crossing = true};
	struct rep_index *x, *again;
	struct rep_cache c;

	(void)state;
	assert_int_equal(rep_index_cache(&c, &view, SIZE_MAX), 0);
	assert_int_equal(rep_index_get(&c, &view, 0, &o, &x, &err), 0);
	assert_int_equal(rep_index_get(&c, &view, 1, &o, &again, &err), 0);
	assert_true(x->cached.bytes > x->n * sizeof(*x->span));
	assert_int_equal(c.bytes, x->cached.bytes + again->cached.bytes);
	assert_int_equal(rep_index_get(&c, &view, 0, &o, &again, &err), 0);
	assert_ptr_equal(x, again);
	rep_cache_release(&c);
	/* An item larger than the cache is kept alone. */
	assert_int_equal(rep_index_cache(&c, &view, 0), 0);
	assert_int_equal(rep_index_get(&c, &view, 0, &o, &x, &err), 0);
	assert_int_equal(rep_index_get(&c, &view, 1, &o, &x, &err), 0);
	assert_null(c.item[0]);
	assert_ptr_equal(c.item[1], x);
	rep_cache_release(&c);
}

static void put_item(struct rep_cache *c, size_t segment)
{
	struct rep_cached *item = calloc(1, sizeof(*item));

	*item = (struct rep_cached){.segment = segment, .bytes = 10};
	rep_cache_put(c, item);
}

/* The least recently used item is dropped; among items of the same age, that of the last
 * segment. */
static void test_cache_drops(void **state)
{
	struct rep_cache c;

	(void)state;
	assert_int_equal(rep_cache_init(&c, 4, 25, free), 0);
	put_item(&c, 0);
	c.now++;
	put_item(&c, 1);
	c.now++;
	assert_non_null(rep_cache_find(&c, 0));
	put_item(&c, 3);
	assert_null(rep_cache_find(&c, 1));
	assert_null(rep_cache_find(&c, 4));
	c.now++;
	assert_non_null(rep_cache_find(&c, 0));
	assert_non_null(rep_cache_find(&c, 3));
	put_item(&c, 2);
	assert_non_null(c.item[0]);
	assert_non_null(c.item[2]);
	assert_null(c.item[3]);
	assert_int_equal(c.bytes, 20);
	rep_cache_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_index_of_all_segments), cmocka_unit_test(test_index_of_some),
	    cmocka_unit_test(test_index_causes),	  cmocka_unit_test(test_index_finds),
	    cmocka_unit_test(test_index_stops),		  cmocka_unit_test(test_index_is_kept),
	    cmocka_unit_test(test_cache_drops),
	};

	return cmocka_run_group_tests(tests, set_up_view, tear_down_view);
}
