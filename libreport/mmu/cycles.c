#include "mmu/cycles.h"

#include <math.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/sum.h"

static int64_t range_cell(const struct rep_gc_facts *f, int column, size_t i)
{
	const struct rep_packed *col = &f->range.col[column];

	return rep_packed_rows(col) ? rep_packed_at(col, i) : TP_NULL;
}

#define RANGE(f, column, i) range_cell(f, TP_COL(RANGE, column), i)

static int compare(const void *pa, const void *pb)
{
	const struct rep_gc_cycle *a = pa, *b = pb;

	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static struct rep_gc_cycle *collect(const struct rep_gc_facts *f, size_t *count)
{
	struct rep_gc_cycle *cycle;
	size_t n = 0;

	for (size_t i = 0; i < f->range.n; i++)
		n += f->range.kind[i] == REP_GC_MARK;
	cycle = calloc(n + 1, sizeof(*cycle));
	*count = n;
	n = 0;
	for (size_t i = 0; cycle && i < f->range.n; i++) {
		if (f->range.kind[i] != REP_GC_MARK)
			continue;
		cycle[n++] = (struct rep_gc_cycle){
		    .start_ns = RANGE(f, start_ns, i),
		    .mark_ns = tp_minus(RANGE(f, end_ns, i), RANGE(f, start_ns, i)),
		    .complete = RANGE(f, complete, i) == 1,
		    .since_ns = TP_NULL,
		    .procs = TP_NULL,
		    .goal_bytes = TP_NULL,
		    .heap_bytes = TP_NULL,
		    .live_bytes = TP_NULL,
		    .growth_bytes = TP_NULL,
		    .bytes_per_second = NAN,
		};
	}
	if (cycle)
		qsort(cycle, *count, sizeof(*cycle), compare);
	return cycle;
}

/* Returns the last cycle that begins at or before ts; n if there is no such cycle. */
static size_t cycle_at(const struct rep_gc_cycle *cycle, size_t n, int64_t ts)
{
	size_t next = 0;

	TP_SEARCH(next, n, i, cycle[i].start_ns <= ts);
	return next ? next - 1 : n;
}

static int64_t end_of(const struct rep_gc_cycle *c)
{
	return tp_plus(c->start_ns, c->mark_ns);
}

/* Adds stops and sweeps to cycles. The stop that begins a mark phase ends after the phase has
 * begun, and the stop that ends it begins before the phase is over, so each belongs to the cycle in
 * which it ends. */
static void add_ranges(const struct rep_gc_facts *f, struct rep_gc_cycle *cycle, size_t n)
{
	for (size_t i = 0; i < f->range.n; i++) {
		bool stw = f->range.kind[i] == REP_GC_STW;
		int64_t start = RANGE(f, start_ns, i), end = RANGE(f, end_ns, i);
		size_t at;

		if (!stw && f->range.kind[i] != REP_GC_SWEEP)
			continue;
		at = cycle_at(cycle, n, stw ? end : start);
		if (at < n)
			tp_sum(stw ? &cycle[at].stw_ns : &cycle[at].sweep_ns, tp_minus(end, start));
	}
}

static void add_work(const struct rep_gc_facts *f, struct rep_gc_cycle *cycle, size_t n)
{
	for (size_t i = 0; i < f->work.n; i++) {
		int64_t start = REP_GC_AT(f, work, GC_WORK, told_ns, i);
		int64_t end = REP_GC_AT(f, work, GC_WORK, end_ns, i);
		size_t at = cycle_at(cycle, n, start);

		/* An interrupted worker may continue after the phase is over. */
		if (at < n && end > end_of(&cycle[at]))
			end = end_of(&cycle[at]);
		if (at == n || end <= start)
			continue;
		if (f->work.kind[i] == REP_GC_ASSIST)
			tp_sum(&cycle[at].assist_ns, tp_minus(end, start));
		else if (f->work.kind[i] == REP_GC_IDLE && rep_gc_is_worker(f, i))
			tp_sum(&cycle[at].idle_ns, tp_minus(end, start));
		else if (rep_gc_is_worker(f, i))
			tp_sum(&cycle[at].background_ns, tp_minus(end, start));
	}
}

/* Adds heap sizes. The heap falls once in a cycle: when the mark phase is over and dead objects no
 * longer count. */
static void add_metrics(const struct rep_gc_facts *f, struct rep_gc_cycle *cycle, size_t n)
{
	int64_t procs = TP_NULL, goal = TP_NULL, heap = TP_NULL, live = TP_NULL, live_ts = 0;
	size_t k = 0; /* index of the next cycle to begin */

	for (size_t i = 0; i <= f->metric.nrows; i++) {
		bool last = i == f->metric.nrows;
		int64_t ts = last ? INT64_MAX : f->metric.col[TP_COL(METRIC, ts_ns)][i];
		int64_t value = last ? 0 : f->metric.col[TP_COL(METRIC, value)][i];

		for (; k < n && cycle[k].start_ns <= ts; k++) {
			cycle[k].procs = procs;
			cycle[k].goal_bytes = goal;
		}
		if (last)
			break;
		if (f->metric_kind[i] == REP_METRIC_PROCS) {
			procs = value;
		} else if (f->metric_kind[i] == REP_METRIC_GOAL) {
			goal = value;
		} else if (f->metric_kind[i] == REP_METRIC_HEAP) {
			struct rep_gc_cycle *c = k ? &cycle[k - 1] : NULL;

			if (c && c->live_bytes == TP_NULL && heap != TP_NULL && value < heap) {
				c->heap_bytes = heap;
				c->live_bytes = value;
				if (live != TP_NULL)
					c->growth_bytes = tp_minus(heap, live);
				if (live != TP_NULL && ts > live_ts)
					c->bytes_per_second = (double)c->growth_bytes * 1e9 /
							      ((double)ts - (double)live_ts);
				live = value;
				live_ts = ts;
			}
			heap = value;
		}
	}
}

int rep_gc_cycles(const struct rep_gc_facts *f, struct rep_gc_cycle **out, size_t *n,
		  struct tp_err *err)
{
	struct rep_gc_cycle *cycle = collect(f, n);

	*out = cycle;
	if (!cycle)
		return tp_nomem(err);
	for (size_t i = 1; i < *n; i++)
		cycle[i].since_ns = tp_minus(cycle[i].start_ns, end_of(&cycle[i - 1]));
	add_ranges(f, cycle, *n);
	add_work(f, cycle, *n);
	add_metrics(f, cycle, *n);
	return 0;
}
