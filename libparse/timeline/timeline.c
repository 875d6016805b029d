/* Walks the events once, advances the state of spans, and passes each event and each completed span
 * to the file that keeps its rows. */
#include "timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "timeline/parts.h"

uint32_t tp_segment_blocks = TP_SEGMENT_BLOCKS;

static int ignore(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	(void)t;
	(void)ev;
	(void)err;
	return 0;
}

static int sync_event(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	(void)err;
	tp_spans_sync(t->spans, ev);
	return 0;
}

static tp_event_fn of_type(uint8_t type)
{
	if (type >= TP_NEVENT_TYPES)
		return ignore;
	switch (tp_event_descs[type].kind) {
	case TP_KIND_SYNC:
		return sync_event;
	case TP_KIND_TRANSITION:
		return tp_event_descs[type].subject == 'P' ? tp_proc_event : NULL;
	case TP_KIND_RANGE_BEGIN:
	case TP_KIND_RANGE_ACTIVE:
	case TP_KIND_RANGE_END:
		return tp_range_of_type(type);
	case TP_KIND_TASK_BEGIN:
	case TP_KIND_TASK_END:
	case TP_KIND_REGION_BEGIN:
	case TP_KIND_REGION_END:
	case TP_KIND_LOG:
		return tp_annotation_of_type(type);
	case TP_KIND_STACK_SAMPLE:
		return tp_sample_event;
	case TP_KIND_LABEL:
		return tp_gcwork_label;
	case TP_KIND_METRIC: /* the size of the heap: see metric.c */
		return type == TP_EV_HEAP_ALLOC ? ignore : tp_metric_event;
	default:
		return ignore;
	}
}

static int row_to_run(void *ctx, enum tp_table_id table, const int64_t *values, struct tp_err *err)
{
	return tp_store_put_row(ctx, table, values, err);
}

static int segment_to_run(void *ctx, const struct tp_segment *s, struct tp_err *err)
{
	return tp_store_put_segment(ctx, s, err);
}

struct tp_timeline *tp_timeline_new(struct tp_store_run *run)
{
	struct tp_timeline_sink sink = {row_to_run, segment_to_run, run};

	return tp_timeline_new_to(&sink);
}

struct tp_timeline *tp_timeline_new_to(const struct tp_timeline_sink *sink)
{
	struct tp_timeline *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->sink = *sink;
	t->summary.blocks.size = sizeof(struct tp_block);
	t->summary.zero_g = TP_NONE;
	for (unsigned type = 0; type < 256; type++)
		t->of_type[type] = of_type((uint8_t)type);
	t->spans = tp_spans_new();
	if (!t->spans || tp_aggregate_init(&t->aggregate)) {
		tp_timeline_free(t);
		return NULL;
	}
	return t;
}

void tp_timeline_free(struct tp_timeline *t)
{
	if (!t)
		return;
	tp_spans_free(t->spans);
	tp_summary_release(&t->summary);
	tp_aggregate_release(&t->aggregate);
	tp_range_release(&t->ranges);
	tp_annotation_release(&t->annotations);
	tp_proc_release(&t->procs);
	tp_gcwork_release(&t->gcworks);
	free(t);
}

int tp_timeline_put(struct tp_timeline *t, enum tp_table_id table, const int64_t *values,
		    struct tp_err *err)
{
	return t->sink.row(t->sink.ctx, table, values, err);
}

static int end_segment(struct tp_timeline *t, int64_t until, struct tp_err *err)
{
	struct tp_segment s = {
	    .id = t->segment,
	    .first_block = (int64_t)t->segment * tp_segment_blocks,
	    .blocks = (int64_t)((t->segment_events + TP_BLOCK_EVENTS - 1) / TP_BLOCK_EVENTS),
	    .from_ns = tp_time_value(t, t->segment_from),
	    .to_ns = tp_time_value(t, until),
	    .events = (int64_t)t->segment_events,
	};
	int code = tp_aggregate_flush(t, err);

	if (!code)
		code = tp_proc_flush(t, until, err);
	if (!code)
		code = t->sink.segment(t->sink.ctx, &s, err);
	t->segment++;
	t->segment_events = 0;
	t->segment_from = until;
	return code;
}

/* Ends the goroutine's ranges where its lost time begins, because they may have ended in it. */
static int close_ranges(struct tp_timeline *t, const struct tp_span *lost, struct tp_err *err)
{
	struct tp_gsum *sum = tp_summary_find(t, lost->goroutine);
	int code = sum ? tp_gcwork_lost(t, lost->goroutine, sum, lost->start, err) : 0;

	return sum && !code ? tp_range_close(t, lost->goroutine, &sum->ranges, lost->start, err)
			    : code;
}

static int spans_failed(int code, struct tp_err *err)
{
	return tp_err_full(err, code, "the trace has too many goroutines, threads or Ps");
}

static int spans_done(struct tp_timeline *t, const struct tp_span *out, int n, struct tp_err *err)
{
	if (n < 0)
		return spans_failed(n, err);
	for (int i = 0; i < n; i++) {
		int code = tp_summary_span(t, &out[i], err);

		if (!code && out[i].state == TP_ST_LOST)
			code = close_ranges(t, &out[i], err);
		if (code)
			return code;
	}
	return 0;
}

/* Handles an event that is not a transition of a goroutine. */
static int other_event(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	tp_event_fn fn = t->of_type[ev->type];
	struct tp_span out[TP_STEP_SPANS];
	int code = 0;

	t->last = ev->ts;
	/* Other events complete no span. */
	if (ev->from != ev->to || ev->flags & TP_EVF_LOST)
		code = spans_done(t, out, tp_spans_step(t->spans, ev, out), err);
	return code || !fn ? code : fn(t, ev, err);
}

/* Returns whether the next event, unless it is special, only completes the span. */
static bool is_plain(const struct tp_gstate *st, const struct tp_gsum *sum)
{
	return sum->known == TP_SUM_SETTLED && !st->flags && st->start > 0 &&
	       tp_slot_of_state[st->state] < TP_NSTATS;
}

/* Handles a transition in full: the goroutine's summary, then the completed spans, then its end. */
static noinline int slow_transition(struct tp_timeline *t, const struct tp_event *ev,
				    struct tp_err *err)
{
	struct tp_span out[TP_STEP_SPANS];
	struct tp_gstate *st;
	struct tp_gsum *sum;
	int code;

	if (ev->subject == TP_NONE)
		return other_event(t, ev, err);
	t->last = ev->ts;
	sum = tp_summary_at(t, ev->subject);
	if (!sum)
		return tp_nomem(err);
	code = tp_summary_enter(t, ev, sum, err);
	if (!code)
		code = spans_done(t, out, tp_spans_step(t->spans, ev, out), err);
	if (!code && unlikely(sum->gc))
		code = tp_gcwork_transition(t, ev, sum, err);
	if (!code && tp_event_ends(ev))
		code = tp_summary_leave(t, ev, err);
	/* A chunk of summaries is only packed after that of the states has been freed. */
	st = tp_gstate_find(t->spans, ev->subject);
	if (st) {
		st->sum = is_plain(st, sum) ? sum : NULL;
		st->gc = sum->gc;
		st->cell = 0;
	}
	return code;
}

/* Returns whether an event has this type and these states, and no flags. */
static inline bool is_usual(const struct tp_event *ev, uint8_t type, uint8_t from, uint8_t to)
{
	const uint8_t usual[] = {type, from, to, 0};

	return !memcmp((const char *)ev + offsetof(struct tp_event, type), usual, sizeof(usual));
}

/* Returns whether a transition to this state completes the goroutine's span and does nothing else,
 * if it has no flags. */
static inline bool moves(const struct tp_timeline *t, const struct tp_gstate *st,
			 const struct tp_event *ev, uint8_t to)
{
	return st && st->sum && st->mark == t->segment && ev->ts > 0 &&
	       !(to == TP_ST_WAITING && ev->str == TP_STR_FOREVER);
}

/* Handles a transition between two states, of a goroutine that is in `from` and stays alive.
 * Inline for the common case, a completed span that is counted in an existing cell. Constants for
 * the states leave only what these two need. */
static inline __attribute__((always_inline)) int move(struct tp_timeline *t, struct tp_gstate *st,
						      const struct tp_event *ev, uint8_t from,
						      uint8_t to, struct tp_err *err)
{
	struct tp_aggregate *a = &t->aggregate;
	struct tp_gsum *sum = st->sum;
	struct tp_cell *c;
	int64_t dur;
	int code;

	c = &a->cells[st->cell];
	if (unlikely(!st->cell)) {
		c = tp_cell_at(a, sum, ev->subject, from, tp_cause_bits(&st->cause));
		if (!c)
			return tp_nomem(err);
	}
	dur = tp_since(st->start, ev->ts);
	tp_grow_by(&sum->ns[tp_stat_of_state[from]], dur);
	if (unlikely(tp_cell_count(a, c, dur)))
		return tp_nomem(err);
	if (from == TP_ST_SYSCALL || from == TP_ST_SYSCALL_BLOCKED)
		tp_spans_leave_syscall(t->spans, st);
	st->start = ev->ts;
	code = tp_spans_enter(t->spans, st, ev, to);
	/* Look up the cell now, while no other work depends on it. A goroutine has one cell at most
	 * for its time running, which has no cause. */
	st->cell = to == TP_ST_RUNNING
		       ? sum->cell[TP_STAT_RUNNING]
		       : tp_cell_near(a, sum, ev->subject, to, tp_cause_bits(&st->cause));
	if (unlikely(code))
		return spans_failed(code, err);
	return unlikely(st->gc) ? tp_gcwork_transition(t, ev, sum, err) : 0;
}

/* Handles an event of any type. `first` and the events from there to `ev` are of the same M. */
static noinline int any_event(struct tp_timeline *t, const struct tp_event *first,
			      const struct tp_event *ev, struct tp_err *err)
{
	tp_event_fn fn = t->of_type[ev->type];
	struct tp_gstate *st;
	int code = 0;

	/* Lost time begins with the last event of an M. */
	if (ev->flags & TP_EVF_LOST && ev > first)
		code = tp_spans_seen(t->spans, ev - 1);
	if (code)
		return spans_failed(code, err);
	if (!fn && ev->from != ev->to) {
		st = tp_gstate_find(t->spans, ev->subject);
		if (!ev->flags && tp_slot_of_state[ev->to] < TP_NSTATS && moves(t, st, ev, ev->to))
			return move(t, st, ev, st->state, ev->to, err);
		return slow_transition(t, ev, err);
	}
	return fn != ignore || ev->flags || ev->from != ev->to ? other_event(t, ev, err) : 0;
}

/* Handles an event of a frequent type, for whose usual states move() is compiled. */
#define MOVE(type, before, after)                                                                  \
	(st = tp_gstate_find(t->spans, ev->subject),                                               \
	 __builtin_expect(is_usual(ev, TP_EV_##type, TP_ST_##before, TP_ST_##after) &&             \
			      moves(t, st, ev, TP_ST_##after) && st->state == TP_ST_##before,      \
			  1)                                                                       \
	     ? move(t, st, ev, TP_ST_##before, TP_ST_##after, err)                                 \
	     : any_event(t, first, ev, err))

/* Takes events of one segment, up to `end` or to a Sync with the time 0. An M is noted as seen when
 * the events turn to another one. */
static int feed(struct tp_timeline *t, const struct tp_event **at, const struct tp_event *end,
		struct tp_err *err)
{
	const struct tp_event *ev = *at;
	struct tp_gstate *st;
	tp_event_fn fn;
	int code = 0;

	while (ev < end && !code) {
		const struct tp_event *first = ev;
		uint32_t m = ev->m;

		do {
			switch (ev->type) {
			case TP_EV_GO_START:
				code = MOVE(GO_START, RUNNABLE, RUNNING);
				break;
			case TP_EV_GO_STOP:
				code = MOVE(GO_STOP, RUNNING, RUNNABLE);
				break;
			case TP_EV_GO_BLOCK:
				code = MOVE(GO_BLOCK, RUNNING, WAITING);
				break;
			case TP_EV_GO_UNBLOCK:
				code = MOVE(GO_UNBLOCK, WAITING, RUNNABLE);
				break;
			case TP_EV_GO_SYSCALL_BEGIN:
				code = MOVE(GO_SYSCALL_BEGIN, RUNNING, SYSCALL);
				break;
			case TP_EV_GO_SYSCALL_END:
				code = MOVE(GO_SYSCALL_END, SYSCALL, RUNNING);
				break;
			case TP_EV_HEAP_ALLOC:
				if (is_usual(ev, TP_EV_HEAP_ALLOC, TP_ST_NONE, TP_ST_NONE))
					break;
				/* fall through */
			default:
				fn = t->of_type[ev->type];
				if (fn && ev->from == ev->to && !ev->flags) {
					t->last = ev->ts;
					code = fn(t, ev, err);
				} else {
					code = any_event(t, first, ev, err);
				}
				if (unlikely(!t->spans->sync_ts))
					end = ev + 1;
			}
			if (unlikely(code)) {
				*at = ev;
				return code;
			}
			ev++;
		} while (ev < end && ev->m == m);
		code = tp_spans_seen(t->spans, ev - 1);
		if (unlikely(code))
			spans_failed(code, err);
	}
	*at = ev;
	return code;
}
#undef MOVE

static int next_segment(struct tp_timeline *t, int64_t ts, struct tp_err *err)
{
	int code = end_segment(t, ts, err);

	if (!code)
		code = tp_summary_settle(t, err);
	if (!code && tp_task_settle(&t->annotations.tasks))
		code = tp_nomem(err);
	tp_spans_mark(t->spans, t->segment);
	return code;
}

int tp_timeline_feed(struct tp_timeline *t, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	int code = 0;

	if (n && !t->started) {
		t->started = true;
		t->start = t->segment_from = ev->ts;
	}
	tp_metric_begin(t, ev);
	for (const struct tp_event *end = ev + n, *from; !code && ev < end;) {
		uint64_t room = (uint64_t)tp_segment_blocks * TP_BLOCK_EVENTS - t->segment_events;

		if (!room) {
			code = next_segment(t, ev->ts, err);
			continue;
		}
		/* Go's syncTs stays unset until the first time other than 0. */
		if (!t->spans->sync_ts) {
			tp_spans_sync(t->spans, ev);
			room = t->spans->sync_ts ? room : 1;
		}
		from = ev;
		code = feed(t, &ev, (uint64_t)(end - ev) < room ? end : ev + room, err);
		t->segment_events += (uint64_t)(ev - from);
		if (ev > from)
			t->last = ev[-1].ts;
	}
	return code ? code : tp_metric_heap(t, ev, err);
}

/* Counts a span that is open when the run ends. Go's last snapshot counts a system call that lost
 * its P entirely as Syscall, and the time without P once more as Runnable. */
static int close_span(void *ctx, const struct tp_span *sp, struct tp_err *err)
{
	struct tp_timeline *t = ctx;
	struct tp_gsum *sum;
	int code = tp_summary_span(t, sp, err);

	if (code)
		return code;
	sum = tp_summary_at(t, sp->goroutine);
	if (!sum)
		return tp_nomem(err);
	sum->last_state = sp->state;
	if (sp->state != TP_ST_SYSCALL_BLOCKED)
		return 0;
	tp_grow_by(&sum->ns[TP_STAT_SYSCALL_BLOCKED], tp_since(sp->end, sp->start));
	tp_grow_by(&sum->ns[TP_STAT_SYSCALL], tp_since(sp->start, sp->end));
	tp_grow_by(&sum->ns[TP_STAT_RUNNABLE], tp_since(sp->start, sp->end));
	return 0;
}

int tp_timeline_finish(struct tp_timeline *t, struct tp_trace *trace, struct tp_err *err)
{
	int code = 0;

	if (t->started) {
		code = tp_spans_finish(t->spans, t->last, close_span, t, err);
		if (!code)
			code = end_segment(t, t->last, err);
	}
	if (!code)
		code = tp_proc_finish(t, err);
	if (!code)
		code = tp_range_finish(t, err);
	if (!code)
		code = tp_gcwork_finish(t, err);
	if (!code)
		code = tp_summary_finish(t, trace, err);
	if (!code)
		code = tp_annotation_finish(t, trace, err);
	if (!code)
		code = tp_site_finish(t, trace, err);
	return code;
}
