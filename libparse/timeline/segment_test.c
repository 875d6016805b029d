#include "order/read.h"
#include "timeline/testing.h"

/* ---- sites ---- */

/* Goroutines with the same entry function make one site, however that becomes known. */
static void test_site_one_entry(void **state)
{
	uint32_t worker = stack("main.worker", NULL), deep = stack("main.worker", "main.f");
	uint32_t other = stack("main.other", NULL);

	(void)state;
	PLAY(4, SYNC(100), EV(110, GO_CREATE, NO, 0, NONEX, RUNNABLE, .str2 = worker),
	     EV(115, GO_START, NO, 0, RUNNABLE, RUNNING), EV(120, GO_DESTROY, 0, 0, RUNNING, NONEX),
	     /* named by its second transition */
	     EV(130, GO_CREATE, NO, 1, NONEX, RUNNABLE),
	     EV(137, GO_START, NO, 1, RUNNABLE, RUNNING),
	     EV(140, GO_BLOCK, 1, 1, RUNNING, WAITING, .stack = deep),
	     EV(150, GO_CREATE, NO, 2, NONEX, RUNNABLE, .str2 = other),
	     EV(152, GO_START, NO, 2, RUNNABLE, RUNNING),
	     /* never named */
	     EV(160, GO_CREATE, NO, 3, NONEX, RUNNABLE), SYNC(200));
	for (size_t i = 0; i < count_rows(TP_TABLE_SITE); i++) {
		if (COL(SITE, i, state) != RUNNABLE)
			continue;
		assert_int_equal(COL(SITE, i, segment), 0);
		if (COL(SITE, i, entry) == str("main.worker")) {
			assert_int_equal(COL(SITE, i, count), 2);
			assert_int_equal(COL(SITE, i, total_ns), 12);
			assert_int_equal(COL(SITE, i, min_ns), 5);
			assert_int_equal(COL(SITE, i, max_ns), 7);
		} else if (COL(SITE, i, entry) == str("main.other")) {
			assert_int_equal(COL(SITE, i, total_ns), 2);
		} else {
			assert_int_equal(COL(SITE, i, entry), 0);
			assert_int_equal(COL(SITE, i, total_ns), 40);
		}
	}
	/* worker: runnable, running, waiting; other: runnable, running; "": runnable */
	assert_int_equal(count_rows(TP_TABLE_SITE), 6);
}

struct sums {
	int64_t count, total;
};

#define NG 2000

static struct sums cells[NG][TP_NSTATES];

/* Spans of a segment and those that cross: together, all. */
static void sum_cells(void)
{
	memset(cells, 0, sizeof(cells));
	for (size_t i = 0; i < nrows; i++) {
		const int64_t *v = rows[i].v;

		if (rows[i].table == TP_TABLE_GOROUTINE_TIME) {
			struct sums *s = &cells[v[TP_COL(GOROUTINE_TIME, goroutine)]]
					       [v[TP_COL(GOROUTINE_TIME, state)]];

			s->count += v[TP_COL(GOROUTINE_TIME, count)];
			s->total += v[TP_COL(GOROUTINE_TIME, total_ns)];
		} else if (rows[i].table == TP_TABLE_SPAN_CROSSING) {
			struct sums *s = &cells[v[TP_COL(SPAN_CROSSING, goroutine)]]
					       [v[TP_COL(SPAN_CROSSING, state)]];

			s->count++;
			s->total +=
			    v[TP_COL(SPAN_CROSSING, end_ns)] - v[TP_COL(SPAN_CROSSING, start_ns)];
		}
	}
}

/* Every count of site_hist is in the right bucket, sorted, and adds up to the site's. */
static void check_hists(void)
{
	int64_t site = -1, bucket = -1, left = 0;

	for (size_t i = 0; i < nrows; i++) {
		const int64_t *v = rows[i].v;

		if (rows[i].table == TP_TABLE_SITE) {
			assert_int_equal(left, 0);
			site++;
			bucket = -1;
			left = v[TP_COL(SITE, count)];
		}
		if (rows[i].table != TP_TABLE_SITE_HIST)
			continue;
		assert_int_equal(v[TP_COL(SITE_HIST, site)], site);
		assert_true(v[TP_COL(SITE_HIST, bucket)] > bucket);
		bucket = v[TP_COL(SITE_HIST, bucket)];
		left -= v[TP_COL(SITE_HIST, count)];
	}
	assert_int_equal(left, 0);
}

/* More sites, states and stacks than fit without the hash. */
static void test_site_many(void **state)
{
	struct tp_event ev[4];
	const struct tp_event sync = SYNC(1);
	int64_t ts = 2;

	(void)state;
	feed(&sync, 1);
	for (uint32_t i = 0; i < 30000; i++) {
		uint32_t g = i % 3;

		ev[0] =
		    (struct tp_event)EV(ts, GO_STATUS, NO, g, i < 3 ? UNDET : RUNNABLE, RUNNING);
		ev[1] = (struct tp_event)EV(ts + 1 + i % 7, GO_BLOCK, g, g, RUNNING, WAITING,
					    .stack = 1 + (i * 7919u) % 10000, .str = 10 + i % 5);
		ev[2] =
		    (struct tp_event)EV(ts + 10 + i % 1000, GO_UNBLOCK, NO, g, WAITING, RUNNABLE);
		feed(ev, 3);
		ts += 2000;
	}
	finish(3);
	check_hists();
	sum_cells();
	for (size_t g = 0; g < 3; g++) {
		assert_int_equal(cells[g][WAITING].total, COL(GOROUTINE, g, blocked_ns));
		assert_int_equal(cells[g][WAITING].count, 10000);
	}
	/* Each cell has its own kind of spans. */
	assert_int_equal(count_rows(TP_TABLE_GOROUTINE_BLOCK), 15);
	assert_true(count_rows(TP_TABLE_SITE) > 10000);
}

/* ---- segments ---- */

#define SEGMENT ((int64_t)TP_SEGMENT_BLOCKS * TP_BLOCK_EVENTS)

static uint64_t seed;

static uint32_t rnd(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

/* Two and a half segments of goroutines that go through some dozen states and end, and of a few
 * that live long: the whole run is the sum of its segments and of the spans that cross them. */
static void test_segments_add_up(void **state)
{
	static uint8_t at[NG];
	static struct tp_event batch[TP_BATCH_EVENTS];
	int64_t n = SEGMENT * 5 / 2, i = 0, ts = 0;
	int64_t events = 0, span_end = 0;

	(void)state;
	seed = 4;
	memset(at, 0, sizeof(at));
	while (i < n) {
		size_t k;

		for (k = 0; k < TP_BATCH_EVENTS && i < n; k++, i++) {
			/* A moving window of goroutines; the first ten stay. */
			uint32_t w = (uint32_t)(i * (NG - 110) / n);
			uint32_t g = rnd(20) ? 10 + w + rnd(100) : rnd(10);
			struct tp_event e = EV(ts += 1 + rnd(50), GO_STOP, NO, g, at[g], 0,
					       .stack = rnd(5), .p = rnd(2));

			if (!i) {
				batch[k] = (struct tp_event)SYNC(ts = 5000);
				continue;
			}
			if (rnd(30) == 0) {
				e = (struct tp_event)EV(ts, PROC_STOP, NO, rnd(2), 0, 0);
				e.from = rnd(2) ? RUNNING : IDLE;
				e.to = e.from == IDLE ? RUNNING : IDLE;
			} else if (!at[g]) {
				e.from = NONEX;
				e.to = RUNNABLE;
			} else {
				static const uint8_t next[] = {RUNNABLE, RUNNING, WAITING, SYSCALL};

				do
					e.to = next[rnd(4)];
				while (e.to == at[g]);
				if (g >= 10 && (g < w + 12 || rnd(200) == 0))
					e.to = NONEX;
				e.str = e.to == WAITING ? 50 + rnd(3) : 0;
				e.type = e.to == WAITING ? TP_EV_GO_BLOCK : TP_EV_GO_STOP;
			}
			if (tp_event_descs[e.type].subject == 'G')
				at[g] = e.to == NONEX ? 0 : e.to;
			batch[k] = e;
		}
		feed(batch, k);
	}
	finish(NG);
	check_hists();

	sum_cells();
	assert_int_equal(nsegments, 3);
	for (size_t s = 0; s < 3; s++) {
		assert_int_equal(segments[s].id, s);
		assert_int_equal(segments[s].first_block, s * TP_SEGMENT_BLOCKS);
		assert_int_equal(segments[s].blocks,
				 s < 2 ? TP_SEGMENT_BLOCKS : TP_SEGMENT_BLOCKS / 2);
		assert_int_equal(segments[s].from_ns, span_end);
		span_end = segments[s].to_ns;
		events += segments[s].events;
	}
	assert_int_equal(events, n);
	assert_int_equal(span_end, ts - 5000);
	for (uint32_t g = 0; g < NG; g++) {
		const int64_t *v = row(TP_TABLE_GOROUTINE, g);
		int64_t spans = 0, last = v[TP_COL(GOROUTINE, last_state)];

		assert_int_equal(v[TP_COL(GOROUTINE, id)], 1000 + g);
		if (v[TP_COL(GOROUTINE, created_ns)] == TP_NULL)
			continue;
		for (int64_t s = RUNNABLE; s <= TP_ST_SYSCALL_BLOCKED; s++)
			spans += cells[g][s].count;
		assert_int_equal(spans, v[TP_COL(GOROUTINE, spans)]);
		assert_int_equal(cells[g][RUNNING].total, v[TP_COL(GOROUTINE, running_ns)]);
		assert_int_equal(cells[g][WAITING].total, v[TP_COL(GOROUTINE, blocked_ns)]);
		if (last != TP_ST_SYSCALL_BLOCKED) {
			assert_int_equal(cells[g][RUNNABLE].total,
					 v[TP_COL(GOROUTINE, runnable_ns)]);
			assert_int_equal(cells[g][SYSCALL].total, v[TP_COL(GOROUTINE, syscall_ns)]);
		}
	}
	for (size_t k = 0; k < count_rows(TP_TABLE_SPAN_CROSSING); k++) {
		const int64_t *v = row(TP_TABLE_SPAN_CROSSING, k);
		int64_t first = v[TP_COL(SPAN_CROSSING, first_segment)];
		int64_t last = v[TP_COL(SPAN_CROSSING, last_segment)];

		assert_true(first < last);
		assert_true(v[TP_COL(SPAN_CROSSING, start_ns)] < segments[first].to_ns);
		assert_true(v[TP_COL(SPAN_CROSSING, end_ns)] >= segments[last].from_ns);
	}
	/* A P is in one of its two states from the sync on. */
	for (int64_t p = 0; p < 2; p++) {
		int64_t total = 0;

		for (size_t k = 0; k < nrows; k++)
			if (rows[k].table == TP_TABLE_PROC_TIME &&
			    rows[k].v[TP_COL(PROC_TIME, p)] == p)
				total += rows[k].v[TP_COL(PROC_TIME, total_ns)];
		assert_int_equal(total, ts - 5000);
	}
}

static void test_run_empty(void **state)
{
	(void)state;
	finish(0);
	assert_int_equal(nrows, 0);
	assert_int_equal(nsegments, 0);
}

/* Events that a reader never delivers, except from a damaged trace: nothing breaks. */
static void test_run_nonsense(void **state)
{
	static const uint8_t types[] = {TP_EV_GO_STATUS,
					TP_EV_GO_BLOCK,
					TP_EV_GO_CREATE,
					TP_EV_PROC_STOP,
					TP_EV_STW_BEGIN,
					TP_EV_STW_END,
					TP_EV_GC_SWEEP_BEGIN,
					TP_EV_GC_SWEEP_END,
					TP_EV_TASK_BEGIN,
					TP_EV_TASK_END,
					TP_EV_REGION_BEGIN,
					TP_EV_REGION_END,
					TP_EV_LOG,
					TP_EV_CPU_SAMPLE,
					TP_EV_MARK_ASSIST_BEGIN,
					TP_EV_MARK_ASSIST_END,
					TP_EV_GC_BEGIN,
					TP_EV_GC_END,
					TP_EV_GC_ACTIVE,
					TP_EV_SYNC,
					TP_EV_HEAP_OBJECT,
					TP_EV_GO_SYSCALL_BEGIN};
	struct tp_event e = {0};

	(void)state;
	seed = 17;
	for (int i = 0; i < 200000; i++) {
		e.ts = (int64_t)((uint64_t)e.ts + rnd(3));
		if (i > 100000 && !rnd(1000)) /* times that no clock can have */
			e.ts = rnd(2) ? INT64_MAX - rnd(9) : INT64_MIN + rnd(9);
		e.type = types[rnd(sizeof(types))];
		e.g = rnd(4) ? rnd(600) : NO;
		e.m = rnd(4) ? rnd(5) : NO;
		e.p = rnd(4) ? rnd(5) : NO;
		e.subject = rnd(8) ? rnd(600) : NO;
		e.stack = rnd(9);
		e.str = rnd(9);
		e.str2 = rnd(9);
		e.from = e.to = 0;
		if (tp_event_descs[e.type].kind == TP_KIND_TRANSITION) {
			e.from = (uint8_t)rnd(TP_ST_IDLE);
			e.to = (uint8_t)(1 + rnd(TP_ST_SYSCALL));
			if (tp_event_descs[e.type].subject == 'P')
				e.to = rnd(2) ? RUNNING : IDLE;
		}
		e.flags = (uint8_t)rnd(4);
		for (int k = 0; k < 3; k++)
			e.arg[k] = rnd(3) ? rnd(10) : UINT64_MAX - rnd(2);
		feed(&e, 1);
	}
	finish(600);
	check_hists();
	assert_int_equal(count_rows(TP_TABLE_GOROUTINE), 600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    T(test_site_one_entry), T(test_site_many),	  T(test_segments_add_up),
	    T(test_run_empty),	    T(test_run_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
