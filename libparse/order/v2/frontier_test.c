/* Every way of sorting the frontier gives the order of Go's sort; a cursor checks the events that need it,
 * and few others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/v2/sort.h"
#include "order/v2/frontier.h"

#define MOST 5000

static struct tp_v2_entry heap[MOST], spare[MOST], expected[MOST];

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

static void check(struct tp_v2_frontier *f)
{
	memcpy(expected, f->heap, f->n * sizeof(*expected));
	tp_v2_sort(expected, f->n);
	tp_v2_frontier_sort(f);
	assert_memory_equal(f->heap, expected, f->n * sizeof(*expected));
}

/* Times are below `spread`, so a small one makes many of them equal. */
static void exercise(size_t n, uint64_t spread, uint64_t seed)
{
	struct tp_v2_frontier f = {.heap = heap, .spare = spare, .n = n};

	for (size_t i = 0; i < n; i++)
		heap[i] =
		    (struct tp_v2_entry){.ts = (int64_t)(next(&seed) % spread), .of = &heap[i]};
	check(&f);
	while (f.n > n / 2 + 1) {
		size_t i = (size_t)(next(&seed) % f.n);

		switch (next(&seed) % 3) {
		case 0:
			tp_v2_frontier_remove(&f, i);
			break;
		case 1:
			f.heap[i].ts += (int64_t)(next(&seed) % spread);
			tp_v2_frontier_update(&f, i);
			break;
		default:
			f.heap[i].ts += 1;
			tp_v2_frontier_update(&f, i);
			if (next(&seed) % 8 == 0)
				tp_v2_frontier_remove(&f, (size_t)(next(&seed) % f.n));
		}
		check(&f);
	}
}

static void test_frontier_sort_is_gos(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		exercise(10, 100, seed);
		exercise(70, 1000000000, seed);
		exercise(300, 1000000000, seed);
		exercise(300, 200, seed);
		exercise(300, 100000, seed);
	}
	exercise(2000, UINT64_C(1) << 31, 6);
	exercise(1000, 20000, 7);
}

/* ---- cursors ---- */

#define EVENTS 400

/* Reads a batch of HeapAlloc events. Every hundredth has the value 2^64-1, which takes ten bytes. The varint
 * of event `broken`, if there is such an event, takes more. Returns how many events could be read, and counts
 * those that were checked. */
static size_t read_batch(size_t broken, size_t *checked)
{
	uint8_t data[EVENTS * 14], *end = data;
	struct tp_v2_piece piece = {.offset = 0};
	struct tp_v2_chain stream = {.m = 1, .first = 1, .last = 1};
	struct tp_v2_generation g = {.data = data,
				     .pieces = &piece,
				     .npieces = 1,
				     .streams = &stream,
				     .nstreams = 1,
				     .ns_per_tick = 1};
	struct tp_trace trace = {.ng = 0};
	struct tp_v2_frontier f = {.n = 0};
	struct tp_v2_cursor *c;
	struct tp_v2_state s;
	struct tp_err err;
	uint64_t seed = 1;
	size_t n = 0;
	int more;

	for (size_t i = 0; i < EVENTS; i++) {
		*end++ = TP_V2_HeapAlloc;
		*end++ = 1;
		if (i % 100 == 50 || i == broken) {
			memset(end, 0xff, 11);
			end += i == broken ? 11 : 9;
			*end++ = 1;
		} else {
			for (uint64_t bytes = next(&seed) % 8; bytes; bytes--)
				*end++ = 0x80;
			*end++ = 1;
		}
	}
	g.size = piece.size = (uint32_t)(end - data);
	tp_v2_state_init(&s, &trace);
	more = tp_v2_frontier_begin(&f, &s, &g, &err) ? -1 : 1;
	*checked = 0;
	for (c = f.cursors; more > 0; n++) {
		assert_int_equal(c->ts, n + 1);
		assert_int_equal(*c->from, TP_V2_HeapAlloc);
		tp_v2_varint(&c->at);
		*checked += c->at >= c->slow;
		more = tp_v2_cursor_next(&f, c, &err);
	}
	assert_int_equal(more, broken < EVENTS ? TP_EFORMAT : 0);
	tp_v2_frontier_release(&f);
	tp_v2_state_release(&s);
	tp_trace_release(&trace);
	return n;
}

static void test_cursor_checks_long_varints(void **state)
{
	size_t checked;

	(void)state;
	assert_int_equal(read_batch(EVENTS, &checked), EVENTS);
	assert_in_range(checked, 4, 100);
	for (size_t i = 1; i < EVENTS; i++)
		assert_int_equal(read_batch(i, &checked), i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_frontier_sort_is_gos),
	    cmocka_unit_test(test_cursor_checks_long_varints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
