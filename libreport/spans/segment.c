#include "spans/segment.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/search.h"
#include "base/sum.h"
#include "spans/crossing.h"
#include "spans/prefetch.h"

#define SORT_STEPS 32 /* steps that sorting an entry and putting it back count as */

struct scan {
	struct rep_view *v;
	struct tp_spans *spans;
	const struct rep_segment_reader *reader;
	uint32_t mark;		      /* of spans that began in the segment being read */
	const struct tp_event *event; /* being fed; NULL at the end of the run */
};

static int by_start(const void *a, const void *b)
{
	const struct tp_span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->goroutine < y->goroutine ? -1 : x->goroutine > y->goroutine;
}

/* Puts the machine into the state it had when the segment began. */
static int restore(struct rep_view *v, struct tp_spans *spans, int64_t segment, struct tp_err *err)
{
	size_t n = 0, rows;
	struct rep_crossing c;
	struct tp_span *open;
	int code;

	code = rep_crossings_load(v, err);
	if (code)
		return code;
	rows = rep_crossings(v);
	code = rep_view_spend(v, rows, err);
	if (code)
		return code;
	open = tp_many(rows ? rows : 1, sizeof(*open));
	if (!open)
		return tp_nomem(err);
	for (size_t i = 0; rep_crossing_next(v, &i, &c);) {
		if (c.first >= segment || c.last < segment)
			continue;
		c.span.start = tp_plus(c.span.start, v->run->row.start_ns);
		c.span.end = tp_plus(c.span.end, v->run->row.start_ns);
		open[n++] = c.span;
	}
	code = rep_view_spend(v, (uint64_t)n * SORT_STEPS, err);
	if (!code)
		qsort(open, n, sizeof(*open), by_start);
	for (size_t i = 0; !code && i < n; i++) {
		code = tp_spans_restore(spans, &open[i]);
		if (code)
			tp_err_set(err, code, TP_OFFSET_NONE, "cannot restore segment %lld",
				   (long long)segment);
	}
	free(open);
	return code;
}

/* The machine runs on the trace's own clock, as at import, because Go's rules treat time 0
 * specially. */
static int on_span(void *ctx, const struct tp_span *span, struct tp_err *err)
{
	struct scan *s = ctx;
	int64_t base = s->v->run->row.start_ns;
	struct tp_span moved = *span;

	moved.start = tp_minus(span->start, base);
	moved.end = tp_minus(span->end, base);
	return s->reader->span(s->reader->ctx, &moved, span->mark != s->mark,
			       s->event ? s->event->stack : 0, err);
}

static int feed(struct scan *s, struct tp_event *ev, size_t n, struct tp_err *err)
{
	int64_t base = s->v->run->row.start_ns;
	uint64_t types = s->reader->types;
	int code = 0;

	for (size_t i = 0; i < n && !code; i++) {
		if (ev[i].type < 64 && types >> ev[i].type & 1)
			code = s->reader->event(s->reader->ctx, &ev[i], err);
		ev[i].ts = tp_plus(ev[i].ts, base);
		s->event = &ev[i];
		if (!code)
			code = tp_spans_feed(s->spans, &ev[i], 1, on_span, s, err);
	}
	s->event = NULL;
	return code;
}

/* In a damaged trace, any event may affect the spans of a goroutine; so may one after a Sync event at the
 * trace's time 0 (tp_spans_sync). */
static bool is_whole(const struct rep_view *v)
{
	return !v->run->losses && !v->run->row.inferred && v->run->row.start_ns > 0;
}

static int read_segment(struct scan *s, size_t segment, struct tp_err *err)
{
	struct rep_view *v = s->v;
	const struct tp_event_range range = {
	    .from_ns = INT64_MIN,
	    .to_ns = INT64_MAX,
	    .first_block = v->segments[segment].first_block,
	    .nblocks = v->segments[segment].blocks,
	};
	const struct tp_event_choice choice = {.spans = !s->reader->args,
					       .changes = !s->reader->types && is_whole(v)};
	struct rep_prefetch *r = NULL;
	struct tp_event *ev;
	size_t n;
	int code;

	tp_spans_mark(s->spans, ++s->mark);
	code = rep_prefetch_open(&r, v->store, v->run->row.id, &range, &choice, err);
	while (!code && (code = rep_prefetch_next(r, &ev, &n, err)) > 0)
		code = feed(s, ev, n, err);
	/* Spans open at the end of any other segment cross into the next one. */
	if (!code && segment + 1 == v->nsegments)
		code = tp_spans_finish(s->spans,
				       tp_plus(v->run->row.start_ns, v->run->row.duration_ns),
				       on_span, s, err);
	rep_prefetch_close(r);
	return code;
}

int rep_segments_each(struct rep_view *v, const bool *wanted, rep_span_fn fn, void *ctx,
		      struct tp_err *err)
{
	const struct rep_segment_reader reader = {.span = fn, .ctx = ctx};
	struct scan s = {.v = v, .reader = &reader};
	int code = 0;

	/* Consecutive segments go through one machine. */
	for (size_t i = 0; !code && i < v->nsegments; i++) {
		if (!wanted[i]) {
			tp_spans_free(s.spans);
			s.spans = NULL;
			continue;
		}
		if (!s.spans) {
			s.spans = tp_spans_new();
			code = s.spans ? restore(v, s.spans, (int64_t)i, err) : tp_nomem(err);
		}
		if (!code)
			code = read_segment(&s, i, err);
	}
	tp_spans_free(s.spans);
	return code;
}

int rep_segment_read(struct rep_view *v, size_t segment, const struct rep_segment_reader *reader,
		     struct tp_err *err)
{
	struct scan s = {.v = v, .reader = reader, .spans = tp_spans_new()};
	int code = s.spans ? restore(v, s.spans, (int64_t)segment, err) : tp_nomem(err);

	if (!code)
		code = read_segment(&s, segment, err);
	tp_spans_free(s.spans);
	return code;
}

/* ---- spans near stays ---- */

#define GAP_BLOCKS 4 /* stays closer than this are read as one */

static int by_from(const void *a, const void *b)
{
	const struct rep_stay *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->goroutine != y->goroutine)
		return x->goroutine < y->goroutine ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* Returns the average time that this many blocks take. */
static int64_t gap_of(const struct rep_view *v)
{
	double blocks = (double)v->run->row.events / TP_BLOCK_EVENTS;
	double gap = (double)v->run->row.duration_ns / (blocks > 1 ? blocks : 1) * GAP_BLOCKS;

	return gap < (double)INT64_MAX ? (int64_t)gap : INT64_MAX;
}

/* Assumes that a goroutine ran before its stay. Any assumption would do: the first transition that
 * is read ends it, and spans before the stay are not needed. */
static int presume(struct scan *s, const struct rep_stay *stay, size_t n, struct tp_err *err)
{
	int64_t start = tp_plus(stay->from, s->v->run->row.start_ns);
	int code = 0;

	for (size_t i = 0; !code && i < n; i++) {
		const struct tp_span running = {
		    .start = start,
		    .end = start,
		    .goroutine = stay[i].goroutine,
		    .m = TP_NONE,
		    .p = TP_NONE,
		    .waker = TP_NONE,
		    .state = TP_ST_RUNNING,
		};

		code = tp_spans_restore(s->spans, &running);
		if (code)
			tp_err_set(err, code, TP_OFFSET_NONE, "cannot follow goroutine %u",
				   stay[i].goroutine);
	}
	return code;
}

/* A bit for each wanted goroutine. */
struct wanted {
	uint64_t *bits;
	uint32_t n; /* goroutines from here on are not wanted */
};

static int want(struct wanted *w, const struct rep_stay *stay, size_t n)
{
	for (size_t i = 0; i < n; i++)
		w->n = stay[i].goroutine >= w->n ? stay[i].goroutine + 1 : w->n;
	w->bits = calloc(w->n / 64 + (size_t)1, sizeof(*w->bits));
	for (size_t i = 0; w->bits && i < n; i++)
		w->bits[stay[i].goroutine / 64] |= UINT64_C(1) << stay[i].goroutine % 64;
	return w->bits ? 0 : TP_ENOMEM;
}

/* If no events are lost, the spans of a goroutine depend on its own transitions only (except for
 * the moment at which a system call loses its P). */
static int feed_wanted(struct scan *s, const struct wanted *w, struct tp_event *ev, size_t n,
		       struct tp_err *err)
{
	int64_t base = s->v->run->row.start_ns;
	int code = 0;

	for (size_t i = 0; i < n && !code; i++) {
		bool sync = ev[i].type == TP_EV_SYNC;

		if (!sync && (ev[i].from == ev[i].to || ev[i].subject >= w->n ||
			      !(w->bits[ev[i].subject / 64] >> ev[i].subject % 64 & 1) ||
			      tp_event_descs[ev[i].type].subject != 'G'))
			continue;
		ev[i].ts = tp_plus(ev[i].ts, base);
		s->event = &ev[i];
		code = tp_spans_feed(s->spans, &ev[i], 1, on_span, s, err);
	}
	s->event = NULL;
	return code;
}

/* Narrows a range to the blocks of the segments that it overlaps. A range of times alone makes the
 * store look at every block of the run. */
static void find_blocks(const struct rep_view *v, struct tp_event_range *range)
{
	size_t first = 0, end = 0;

	TP_SEARCH(first, v->nsegments, i, v->segments[i].to_ns < range->from_ns);
	TP_SEARCH(end, v->nsegments, i, v->segments[i].from_ns < range->to_ns);
	range->first_block = first < end ? v->segments[first].first_block : 0;
	range->nblocks = first < end ? v->segments[end - 1].first_block +
					   v->segments[end - 1].blocks - range->first_block
				     : INT64_MAX;
}

static int read_stays(struct scan *s, const struct wanted *w, const struct rep_stay *stay, size_t n,
		      int64_t to, struct tp_err *err)
{
	struct rep_view *v = s->v;
	bool beginning = stay->from <= 0;
	struct tp_event_range range = {
	    .from_ns = beginning ? INT64_MIN : stay->from,
	    .to_ns = to >= v->run->row.duration_ns ? INT64_MAX : to + 1,
	};
	const struct tp_event_choice choice = {
	    .spans = true, .changes = w->bits, .goroutine = w->bits, .ngoroutines = w->n};
	struct rep_prefetch *r = NULL;
	struct tp_event *ev;
	int64_t last = to;
	size_t some;
	int code;

	find_blocks(v, &range);
	s->spans = tp_spans_new();
	if (!s->spans)
		return tp_nomem(err);
	code = beginning ? 0 : presume(s, stay, n, err);
	if (!code)
		code = rep_prefetch_open(&r, v->store, v->run->row.id, &range, &choice, err);
	while (!code && (code = rep_prefetch_next(r, &ev, &some, err)) > 0) {
		/* Compare before the time is moved to the trace's clock. */
		if (some && ev[some - 1].ts > last)
			last = ev[some - 1].ts;
		code = w->bits ? feed_wanted(s, w, ev, some, err) : feed(s, ev, some, err);
	}
	if (!code)
		code =
		    tp_spans_finish(s->spans, tp_plus(v->run->row.start_ns, last), on_span, s, err);
	rep_prefetch_close(r);
	tp_spans_free(s->spans);
	s->spans = NULL;
	return code;
}

int rep_stays_each(struct rep_view *v, struct rep_stay *stay, size_t n, rep_span_fn fn, void *ctx,
		   struct tp_err *err)
{
	const struct rep_segment_reader reader = {.span = fn, .ctx = ctx};
	struct scan s = {.v = v, .reader = &reader};
	struct wanted wanted = {0};
	int64_t gap = gap_of(v);
	size_t first = 0;
	int code = 0;

	if (n)
		qsort(stay, n, sizeof(*stay), by_from);
	if (is_whole(v) && want(&wanted, stay, n))
		code = tp_nomem(err);
	while (!code && first < n) {
		int64_t to = stay[first].to;
		size_t next = first + 1;

		while (next < n && tp_minus(stay[next].from, gap) <= to) {
			to = stay[next].to > to ? stay[next].to : to;
			next++;
		}
		code = read_stays(&s, &wanted, stay + first, next - first, to, err);
		first = next;
	}
	free(wanted.bits);
	return code;
}
