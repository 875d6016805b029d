#include "path/slice.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "keys.h"
#include "spans/crossing.h"
#include "spans/segment.h"

/* Spans of a segment, the open ones included: moments fit 32 bits. */
#define MAX_SPANS (UINT32_MAX / 4)

static int add(struct rep_slice *s, const struct rep_slice_span *span, struct tp_err *err)
{
	if (span->goroutine >= s->ngoroutines)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
				  "segment %zu names a goroutine that the run does not have",
				  s->segment);
	if (s->n == MAX_SPANS)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "segment %zu: too many spans",
				  s->segment);
	if (s->n == s->room) {
		uint32_t room = s->room ? 2 * s->room : 4096;
		struct rep_slice_span *more = tp_more(s->span, room, sizeof(*more));

		if (!more)
			return tp_nomem(err);
		s->span = more;
		s->room = room;
	}
	s->span[s->n++] = *span;
	/* While the segment is read, first[g] counts g's spans. */
	s->first[span->goroutine]++;
	return 0;
}

static int on_span(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	struct rep_slice *s = ctx;
	struct rep_slice_span own = {
	    .start = span->start,
	    .end = span->end,
	    .goroutine = span->goroutine,
	    .reason = span->reason,
	    .stack = span->state == TP_ST_RUNNING ? end_stack : span->stack,
	    .waker = TP_NONE,
	    .waker_place = REP_SLICE_NONE,
	    .p = span->p,
	    .state = span->state,
	    .crosses = crosses,
	    .open = span->open,
	    .ends = true,
	};

	if (span->state == TP_ST_WAITING && !span->open && span->waker != span->goroutine &&
	    span->waker < s->ngoroutines) {
		own.waker = span->waker;
		own.waker_stack = span->waker_stack;
		own.waker_place = s->first[span->waker];
	}
	return add(s, &own, err);
}

static int on_event(void *ctx, const struct tp_event *ev, struct tp_err *err)
{
	struct rep_slice *s = ctx;
	uint32_t g = ev->g < s->ngoroutines ? ev->g : TP_NONE;
	uint32_t place = g == TP_NONE ? REP_SLICE_NONE : s->first[g];

	if (ev->type == TP_EV_TASK_END) {
		if (tp_grow(&s->end, &s->ends_room, s->nends, sizeof(*s->end)))
			return tp_nomem(err);
		s->end[s->nends++] =
		    (struct rep_slice_end){ev->arg[0], ev->ts, g, place, 2 * s->n + 1, ev->stack};
	} else if (ev->subject < s->ngoroutines && ev->subject != g) {
		s->birth[ev->subject] = (struct rep_slice_birth){g, place, 2 * s->n + 1, ev->stack};
	}
	return 0;
}

/* What crosses the start or the end of the segment; only columns that rep_segments_read has loaded.
 */
static int take_crossing(struct rep_slice *s, struct rep_view *v, struct tp_err *err)
{
	int64_t segment = (int64_t)s->segment;
	int spent = rep_view_spend(v, rep_crossings(v), err);

	if (spent)
		return spent;
	for (size_t i = 0; i < rep_crossings(v); i++) {
		struct rep_slice_span span;
		struct rep_crossing c;
		int code;

		if (!rep_crossing_at(v, i, &c) || c.first > segment || c.last < segment ||
		    c.first < 0 || c.span.goroutine >= s->ngoroutines)
			continue;
		if (c.first < segment)
			s->from_segment[c.span.goroutine] = c.first;
		if (c.last == segment)
			continue; /* the events had it */
		span = (struct rep_slice_span){
		    .start = c.span.start,
		    .end = c.span.end,
		    .goroutine = c.span.goroutine,
		    .reason = c.span.reason,
		    .stack = c.span.state == TP_ST_RUNNING ? 0 : c.span.stack,
		    .waker = TP_NONE,
		    .waker_place = REP_SLICE_NONE,
		    .p = c.span.p,
		    .state = c.span.state,
		    .crosses = c.first < segment,
		    .open = c.span.open,
		};
		code = add(s, &span, err);
		if (code)
			return code;
	}
	return 0;
}

/* From counts by goroutine to places. */
static int sort(struct rep_slice *s, struct tp_err *err)
{
	uint32_t at = 0;

	if (s->n > s->order_room) {
		free(s->order);
		s->order = tp_many(s->room, sizeof(*s->order));
		s->order_room = s->order ? s->room : 0;
		if (!s->order)
			return tp_nomem(err);
	}
	for (uint32_t g = 0; g <= s->ngoroutines; g++) {
		uint32_t count = s->first[g];

		s->first[g] = at;
		at += count;
	}
	/* first[g] moves to its end while it is filled, and is the next one's beginning then. */
	for (uint32_t i = 0; i < s->n; i++)
		s->order[s->first[s->span[i].goroutine]++] = i;
	for (uint32_t g = s->ngoroutines; g > 0; g--)
		s->first[g] = s->first[g - 1];
	s->first[0] = 0;
	return 0;
}

static int begin(struct rep_slice *s, struct rep_view *v, size_t segment, struct tp_err *err)
{
	size_t n = v->nrows[TP_TABLE_GOROUTINE];

	if (n >= TP_SPANS_LIMIT)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "too many goroutines");
	if (!s->first) {
		s->ngoroutines = (uint32_t)n;
		s->first = tp_many(n + 1, sizeof(*s->first));
		s->birth = tp_many(n + 1, sizeof(*s->birth));
		s->from_segment = tp_many(n + 1, sizeof(*s->from_segment));
	}
	if (!s->first || !s->birth || !s->from_segment)
		return tp_nomem(err);
	/* Each has to be forgotten, then counted and placed. */
	if (rep_view_spend(v, 2 * (uint64_t)n, err))
		return err->code;
	memset(s->first, 0, (n + 1) * sizeof(*s->first));
	memset(s->birth, 0xff, (n + 1) * sizeof(*s->birth));
	memset(s->from_segment, 0xff, (n + 1) * sizeof(*s->from_segment));
	s->segment = segment;
	s->n = 0;
	s->nends = 0;
	return 0;
}

int rep_slice_read(struct rep_slice *s, struct rep_view *v, size_t segment, struct tp_err *err)
{
	const struct rep_segment_reader reader = {
	    .span = on_span,
	    .event = on_event,
	    .types = UINT64_C(1) << TP_EV_TASK_END | UINT64_C(1) << TP_EV_GO_CREATE |
		     UINT64_C(1) << TP_EV_GO_CREATE_BLOCKED |
		     UINT64_C(1) << TP_EV_GO_CREATE_SYSCALL, /* which nobody in Go did */
	    .ctx = s,
	};
	int code = rep_view_load(v, TP_TABLE_GOROUTINE, REP_BIT(GOROUTINE, id), err);

	if (!code)
		code = begin(s, v, segment, err);
	if (code)
		return code;
	code = rep_segment_read(v, segment, &reader, err);
	if (!code)
		code = take_crossing(s, v, err);
	return code ? code : sort(s, err);
}

void rep_slice_release(struct rep_slice *s)
{
	free(s->span);
	free(s->order);
	free(s->first);
	free(s->birth);
	free(s->from_segment);
	free(s->end);
	memset(s, 0, sizeof(*s));
}

uint32_t rep_slice_start(const struct rep_slice *s, uint32_t place)
{
	const struct rep_slice_span *span = rep_slice_at(s, place);

	if (span->crosses)
		return 0;
	if (place > s->first[span->goroutine])
		return 2 * s->order[place - 1] + 2;
	return s->birth[span->goroutine].moment == UINT32_MAX ? 0
							      : s->birth[span->goroutine].moment;
}

uint32_t rep_slice_before(const struct rep_slice *s, uint32_t goroutine, int64_t t)
{
	uint32_t from, to;

	if (goroutine >= s->ngoroutines)
		return REP_SLICE_NONE;
	from = s->first[goroutine];
	to = s->first[goroutine + 1];
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (rep_slice_at(s, middle)->start < t)
			from = middle + 1;
		else
			to = middle;
	}
	return from > s->first[goroutine] ? from - 1 : REP_SLICE_NONE;
}

uint32_t rep_slice_actor(const struct rep_slice *s, uint32_t goroutine, uint32_t nth,
			 uint32_t moment)
{
	uint32_t place = rep_slice_place(s, goroutine, nth);

	if (place == REP_SLICE_NONE || rep_slice_start(s, place) >= moment)
		return REP_SLICE_NONE;
	if (!rep_slice_active(rep_slice_at(s, place)->state) &&
	    rep_slice_at(s, place)->state != TP_ST_LOST)
		return REP_SLICE_NONE;
	return place;
}
