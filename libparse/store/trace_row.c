#include "store/trace_row.h"

#include "base/wide.h"

int tp_trace_file_time(struct tp_trace *t, int64_t file_time_ns)
{
	struct tp_clock clock = {.ts = t->last_ts,
				 .wall_sec = file_time_ns / 1000000000,
				 .wall_nsec = (int32_t)(file_time_ns % 1000000000)};

	if (t->nclocks || !t->started || file_time_ns <= 0)
		return 0;
	return tp_trace_add_clock(t, &clock);
}

/* Returns the Unix time of the first event, from the program's own clocks if the trace has them. */
static int64_t wall_of_start(const struct tp_trace *t)
{
	const struct tp_clock *c = t->clocks;
	int64_t wall;

	/* A clock snapshot has 0 if its writer did not know the time. */
	if (!t->nclocks || !t->started || !c->mono_ns || !c->wall_sec)
		return TP_NULL;
	/* A clock that does not fit 64 bits of ns is ignored. */
	if (__builtin_mul_overflow(c->wall_sec, INT64_C(1000000000), &wall) ||
	    __builtin_add_overflow(wall, c->wall_nsec, &wall))
		return TP_NULL;
	return (c->ts >= t->first_ts ? tp_before(wall, tp_apart(c->ts, t->first_ts), &wall)
				     : tp_after(wall, tp_apart(t->first_ts, c->ts), &wall))
		   ? wall
		   : TP_NULL;
}

void tp_add_count(int64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = INT64_MAX;
}

void tp_trace_row(struct tp_run *row, const struct tp_trace *t)
{
	row->kind = "trace";
	row->start_ns = t->first_ts;
	/* Like all times of the run it counts from its start, and wraps around if the clock is
	 * damaged. */
	row->duration_ns = t->started ? (int64_t)((uint64_t)t->last_ts - (uint64_t)t->first_ts) : 0;
	row->ticks = t->ns_per_tick == 0;
	row->wall_ns = wall_of_start(t);
	row->events = (int64_t)t->events;
	row->inferred = (int64_t)t->inferred;
	row->generations = (int64_t)t->generations;
	row->goroutines = t->ng;
	row->lost_bytes = row->lost_events = 0;
	for (size_t i = 0; i < t->nlosses; i++) {
		tp_add_count(&row->lost_bytes, t->losses[i].bytes);
		tp_add_count(&row->lost_events, t->losses[i].events);
	}
}
