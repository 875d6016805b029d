#include "timeline/occupancy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GOROUTINES 5
#define SPAN_NS	   40000 /* how long the test's run lasts */
#define MAX_ROWS   20000

/* State of every goroutine at every nanosecond: what the rows must add up to. */
static uint8_t truth[GOROUTINES][SPAN_NS];

struct rows {
	int64_t row[MAX_ROWS][9];
	size_t n;
};

static struct rows rows;

static int keep(void *ctx, const int64_t *values, struct tp_err *err)
{
	struct rows *r = ctx;

	(void)err;
	assert_true(r->n < MAX_ROWS);
	memcpy(r->row[r->n++], values, sizeof(r->row[0]));
	return 0;
}

static uint64_t seed;

static uint32_t rnd(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static int share_column(uint8_t state)
{
	switch (state) {
	case TP_ST_RUNNING:
		return TP_COL(OCCUPANCY, running_ns);
	case TP_ST_RUNNABLE:
		return TP_COL(OCCUPANCY, runnable_ns);
	case TP_ST_WAITING:
		return TP_COL(OCCUPANCY, blocked_ns);
	case TP_ST_SYSCALL:
	case TP_ST_SYSCALL_BLOCKED:
		return TP_COL(OCCUPANCY, syscall_ns);
	default:
		return -1;
	}
}

/* What a reader does: the row of each bucket, or the state it inherits, against the truth. */
static void check_level(const struct tp_segment *s, unsigned level, uint32_t g, uint8_t before)
{
	int64_t width = (int64_t)1 << 2 * level;
	uint8_t state = before;

	for (int64_t b = s->from_ns / width; b * width < s->to_ns; b++) {
		const int64_t *row = NULL;
		int64_t want[9] = {0}, from = b * width, to = from + width;

		if (from < s->from_ns)
			from = s->from_ns;
		if (to > s->to_ns)
			to = s->to_ns;
		for (int64_t t = from; t < to; t++) {
			int c = share_column(truth[g][t]);

			if (c >= 0)
				want[c]++;
		}
		for (size_t i = 0; i < rows.n; i++) {
			const int64_t *r = rows.row[i];

			if (r[TP_COL(OCCUPANCY, segment)] == s->id &&
			    r[TP_COL(OCCUPANCY, level)] == (int64_t)level &&
			    r[TP_COL(OCCUPANCY, goroutine)] == g &&
			    r[TP_COL(OCCUPANCY, bucket)] == b) {
				assert_null(row); /* one row per bucket */
				row = r;
			}
		}
		if (row) {
			for (int c = TP_COL(OCCUPANCY, running_ns);
			     c <= TP_COL(OCCUPANCY, syscall_ns); c++)
				assert_int_equal(row[c], want[c]);
			state = (uint8_t)row[TP_COL(OCCUPANCY, last_state)];
		} else {
			for (int64_t t = from; t < to; t++)
				assert_int_equal(truth[g][t], state);
		}
	}
}

/* Random lives, cut into segments, some spans open at a segment's end. */
static void run_random(uint64_t with, int64_t cut, int64_t events)
{
	struct tp_span span[GOROUTINES][400];
	size_t n[GOROUTINES] = {0};
	struct tp_occupancy *o = tp_occupancy_new(keep, &rows);
	int64_t last = 0;

	seed = with;
	rows.n = 0;
	for (uint32_t g = 0; g < GOROUTINES; g++) {
		/* Indices are given in order of first appearance. */
		int64_t t = g ? g * (SPAN_NS / 12) + rnd(SPAN_NS / 12) : 0,
			end = g == 1 ? SPAN_NS / 3 * 2 : SPAN_NS;

		for (int64_t i = 0; i < SPAN_NS; i++)
			truth[g][i] = TP_ST_NOT_EXIST;
		while (t < end && n[g] < 400) {
			struct tp_span *s = &span[g][n[g]++];
			int64_t len = rnd(8) ? 1 + rnd(60) : rnd(9000);

			*s = (struct tp_span){.start = t,
					      .end = t + len < end ? t + len : end,
					      .goroutine = g,
					      .state = (uint8_t)(TP_ST_RUNNABLE + rnd(4))};
			for (; t < s->end; t++)
				truth[g][t] = s->state;
		}
	}
	for (int64_t id = 0, from = 0; from < SPAN_NS; id++, from += cut) {
		struct tp_segment s = {.id = id, .from_ns = from, .events = events};
		struct tp_spans *open = tp_spans_new();
		uint32_t ng = 0;
		struct tp_err err;

		s.to_ns = from + cut < SPAN_NS ? from + cut : SPAN_NS;
		for (uint32_t g = 0; g < GOROUTINES; g++) {
			ng += span[g][0].start < s.to_ns;
			for (size_t i = 0; i < n[g]; i++) {
				const struct tp_span *p = &span[g][i];

				/* A change belongs to the segment that begins with it. */
				if (p->end >= last && p->end < s.to_ns + (s.to_ns == SPAN_NS))
					assert_int_equal(tp_occupancy_add(o, p->goroutine, p->start,
									  p->end, p->state),
							 0);
				else if (p->start < s.to_ns && p->end >= s.to_ns)
					assert_int_equal(tp_spans_restore(open, p), 0);
			}
		}
		last = s.to_ns;
		assert_int_equal(tp_occupancy_segment(o, open, ng, 0, &s, &err), 0);
		tp_spans_free(open);
		for (uint32_t g = 0; g < GOROUTINES; g++) {
			uint8_t before = TP_ST_NOT_EXIST;
			int64_t lowest = 99, highest = -1;

			for (size_t i = 0; i < n[g]; i++)
				if (span[g][i].start < from && span[g][i].end >= from)
					before = span[g][i].state;
			for (size_t i = 0; i < rows.n; i++) {
				int64_t l = rows.row[i][TP_COL(OCCUPANCY, level)];

				if (rows.row[i][TP_COL(OCCUPANCY, segment)] != id)
					continue;
				lowest = l < lowest ? l : lowest;
				highest = l > highest ? l : highest;
			}
			for (int64_t l = lowest; l <= highest; l++)
				check_level(&s, (unsigned)l, g, before);
		}
	}
	assert_true(rows.n > 0);
	tp_occupancy_free(o);
}

static void test_occupancy_one_segment(void **state)
{
	(void)state;
	for (uint64_t i = 1; i < 20; i++)
		run_random(i, SPAN_NS, 40 * TP_OCCUPANCY_EVENTS);
}

static void test_occupancy_segments(void **state)
{
	(void)state;
	for (uint64_t i = 1; i < 20; i++)
		run_random(i, 7001, 100 * TP_OCCUPANCY_EVENTS);
}

static void test_occupancy_finest_level(void **state)
{
	(void)state;
	run_random(5, 9973, (int64_t)9973 * TP_OCCUPANCY_EVENTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_occupancy_one_segment),
	    cmocka_unit_test(test_occupancy_segments),
	    cmocka_unit_test(test_occupancy_finest_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
