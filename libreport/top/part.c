#include "top/part.h"

#include <stdlib.h>
#include <string.h>

#include "timeline/span.h"

struct walk {
	struct rep_view *v;
	rep_part_fn fn;
	void *ctx;
	bool *sums; /* per segment: it counts by its sums */
	bool *scan; /* per segment: it counts by its events */
};

/* Times of a damaged clock, and of a damaged store, wrap around. */
static int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static bool in_segments(const struct walk *w, int64_t segment)
{
	return segment >= 0 && (uint64_t)segment < w->v->nsegments && w->sums[segment];
}

/* One span, clipped; not called for those outside the range. */
static int put_span(struct walk *w, int64_t goroutine, unsigned state, uint32_t reason,
		    uint32_t stack, int64_t start, int64_t end, struct tp_err *err)
{
	uint32_t entry = rep_view_entry(w->v, goroutine);
	struct rep_part part = {
	    .goroutine = (uint32_t)goroutine,
	    .entry = entry,
	    .reason = reason,
	    .stack = stack,
	    .site = TP_NONE,
	    .state = state,
	    .count = 1,
	};

	if (w->v->filter->by_id && !rep_view_match_goroutine(w->v, goroutine))
		return 0;
	if (!rep_match_span(&w->v->match, entry, state, reason, stack))
		return 0;
	part.total_ns = minus(rep_view_clip_end(w->v, end), rep_view_clip_start(w->v, start));
	part.min_ns = part.max_ns = part.total_ns;
	return w->fn(w->ctx, &part, err);
}

static int walk_sites(struct walk *w, struct tp_err *err)
{
	struct rep_view *v = w->v;
	int code = rep_view_load(
	    v, TP_TABLE_SITE,
	    REP_BIT(SITE, segment) | REP_BIT(SITE, entry) | REP_BIT(SITE, state) |
		REP_BIT(SITE, reason) | REP_BIT(SITE, stack) | REP_BIT(SITE, count) |
		REP_BIT(SITE, total_ns) | REP_BIT(SITE, min_ns) | REP_BIT(SITE, max_ns),
	    err);

	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_SITE]; i++) {
		struct rep_part part = {
		    .goroutine = TP_NONE,
		    .entry = (uint32_t)REP_COL(v, SITE, entry)[i],
		    .reason = (uint32_t)REP_COL(v, SITE, reason)[i],
		    .stack = (uint32_t)REP_COL(v, SITE, stack)[i],
		    .site = (uint32_t)i,
		    .state = (unsigned)REP_COL(v, SITE, state)[i],
		    .count = REP_COL(v, SITE, count)[i],
		    .total_ns = REP_COL(v, SITE, total_ns)[i],
		    .min_ns = REP_COL(v, SITE, min_ns)[i],
		    .max_ns = REP_COL(v, SITE, max_ns)[i],
		};

		if (part.state >= TP_NSTATES || !in_segments(w, REP_COL(v, SITE, segment)[i]) ||
		    !rep_match_span(&v->match, part.entry, part.state, part.reason, part.stack))
			continue;
		if (part.count == 1)
			part.site = TP_NONE; /* exact: the one duration is total_ns */
		code = w->fn(w->ctx, &part, err);
	}
	return code;
}

#define SCAN_MOST 4 /* segments read for the durations of one goroutine */

/* Segments in which goroutines of the filter have durations that were only summed are scanned, if
 * they are few. */
static int scan_for_durations(struct walk *w, struct tp_err *err)
{
	struct rep_view *v = w->v;
	bool *found = calloc(v->nsegments + 1, sizeof(*found));
	size_t n = 0;

	if (!found)
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	for (size_t i = 0; i < v->nrows[TP_TABLE_GOROUTINE_TIME]; i++) {
		int64_t segment = REP_COL(v, GOROUTINE_TIME, segment)[i];

		if (REP_COL(v, GOROUTINE_TIME, count)[i] > 1 && in_segments(w, segment) &&
		    !found[segment] &&
		    rep_view_match_goroutine(v, REP_COL(v, GOROUTINE_TIME, goroutine)[i])) {
			found[segment] = true;
			n++;
		}
	}
	for (size_t i = 0; i < v->nsegments && n <= SCAN_MOST; i++) {
		w->scan[i] = w->scan[i] || found[i];
		w->sums[i] = w->sums[i] && !found[i];
	}
	free(found);
	return 0;
}

static int walk_goroutines(struct walk *w, bool durations, struct tp_err *err)
{
	struct rep_view *v = w->v;
	int code =
	    rep_view_load(v, TP_TABLE_GOROUTINE_TIME,
			  REP_BIT(GOROUTINE_TIME, segment) | REP_BIT(GOROUTINE_TIME, goroutine) |
			      REP_BIT(GOROUTINE_TIME, state) | REP_BIT(GOROUTINE_TIME, reason) |
			      REP_BIT(GOROUTINE_TIME, stack) | REP_BIT(GOROUTINE_TIME, count) |
			      REP_BIT(GOROUTINE_TIME, total_ns) | REP_BIT(GOROUTINE_TIME, max_ns),
			  err);

	if (!code && durations && v->filter->by_id)
		code = scan_for_durations(w, err);
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_GOROUTINE_TIME]; i++) {
		int64_t goroutine = REP_COL(v, GOROUTINE_TIME, goroutine)[i];
		struct rep_part part = {
		    .goroutine = (uint32_t)goroutine,
		    .reason = (uint32_t)REP_COL(v, GOROUTINE_TIME, reason)[i],
		    .stack = (uint32_t)REP_COL(v, GOROUTINE_TIME, stack)[i],
		    .site = TP_NONE,
		    .state = (unsigned)REP_COL(v, GOROUTINE_TIME, state)[i],
		    .count = REP_COL(v, GOROUTINE_TIME, count)[i],
		    .total_ns = REP_COL(v, GOROUTINE_TIME, total_ns)[i],
		    .min_ns = TP_NULL,
		    .max_ns = REP_COL(v, GOROUTINE_TIME, max_ns)[i],
		};

		if (part.state >= TP_NSTATES || goroutine < 0 ||
		    (uint64_t)goroutine >= v->nrows[TP_TABLE_GOROUTINE] ||
		    !in_segments(w, REP_COL(v, GOROUTINE_TIME, segment)[i]))
			continue;
		if (v->filter->by_id && !rep_view_match_goroutine(v, goroutine))
			continue;
		part.entry = rep_view_entry(v, goroutine);
		if (!rep_match_span(&v->match, part.entry, part.state, part.reason, part.stack))
			continue;
		if (part.count == 1)
			part.min_ns = part.total_ns;
		code = w->fn(w->ctx, &part, err);
	}
	return code;
}

static int walk_crossing(struct walk *w, struct tp_err *err)
{
	struct rep_view *v = w->v;
	int code =
	    rep_view_load(v, TP_TABLE_SPAN_CROSSING,
			  REP_BIT(SPAN_CROSSING, goroutine) | REP_BIT(SPAN_CROSSING, state) |
			      REP_BIT(SPAN_CROSSING, start_ns) | REP_BIT(SPAN_CROSSING, end_ns) |
			      REP_BIT(SPAN_CROSSING, reason) | REP_BIT(SPAN_CROSSING, stack),
			  err);

	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_SPAN_CROSSING]; i++) {
		int64_t start = REP_COL(v, SPAN_CROSSING, start_ns)[i];
		int64_t end = REP_COL(v, SPAN_CROSSING, end_ns)[i];
		unsigned state = (unsigned)REP_COL(v, SPAN_CROSSING, state)[i];

		if (state < TP_NSTATES && rep_view_overlaps(v, start, end))
			code = put_span(w, REP_COL(v, SPAN_CROSSING, goroutine)[i], state,
					(uint32_t)REP_COL(v, SPAN_CROSSING, reason)[i],
					(uint32_t)REP_COL(v, SPAN_CROSSING, stack)[i], start, end,
					err);
	}
	return code;
}

/* ---- segments that the range cuts ---- */

enum { MARK_BEFORE = 0, MARK_WITHIN = 1 }; /* where a span of the machine began */

/* A column of span_crossing as an index or id of the machine. */
static uint32_t index_of(int64_t value)
{
	return value < 0 || value > UINT32_MAX ? TP_NONE : (uint32_t)value;
}

static struct tp_span crossing_span(const struct rep_view *v, size_t i)
{
	return (struct tp_span){
	    .start = plus(REP_COL(v, SPAN_CROSSING, start_ns)[i], v->run->row.start_ns),
	    .end = plus(REP_COL(v, SPAN_CROSSING, end_ns)[i], v->run->row.start_ns),
	    .goroutine = index_of(REP_COL(v, SPAN_CROSSING, goroutine)[i]),
	    .reason = (uint32_t)REP_COL(v, SPAN_CROSSING, reason)[i],
	    .stack = (uint32_t)REP_COL(v, SPAN_CROSSING, stack)[i],
	    .m = index_of(REP_COL(v, SPAN_CROSSING, m)[i]),
	    .p = index_of(REP_COL(v, SPAN_CROSSING, p)[i]),
	    .waker = index_of(REP_COL(v, SPAN_CROSSING, waker)[i]),
	    .waker_stack = (uint32_t)REP_COL(v, SPAN_CROSSING, waker_stack)[i],
	    .mark = MARK_BEFORE,
	    .state = (uint8_t)REP_COL(v, SPAN_CROSSING, state)[i],
	    .open = REP_COL(v, SPAN_CROSSING, open)[i] == 1,
	};
}

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
	struct tp_span *open;
	int code;

	code = rep_view_load(v, TP_TABLE_SPAN_CROSSING,
			     (1u << tp_tables[TP_TABLE_SPAN_CROSSING].ncolumns) - 1, err);
	if (code)
		return code;
	rows = v->nrows[TP_TABLE_SPAN_CROSSING];
	open = malloc((rows ? rows : 1) * sizeof(*open));
	if (!open)
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	for (size_t i = 0; i < rows; i++) {
		if (REP_COL(v, SPAN_CROSSING, first_segment)[i] < segment &&
		    REP_COL(v, SPAN_CROSSING, last_segment)[i] >= segment)
			open[n++] = crossing_span(v, i);
	}
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

/* The machine runs on the trace's own clock, as at import: Go's rules know the time 0. */
static int on_span(void *ctx, const struct tp_span *span, struct tp_err *err)
{
	struct walk *w = ctx;
	int64_t base = w->v->run->row.start_ns;
	int64_t start = minus(span->start, base), end = minus(span->end, base);

	if (span->mark != MARK_WITHIN || !rep_view_overlaps(w->v, start, end))
		return 0;
	return put_span(w, span->goroutine, span->state, span->reason, span->stack, start, end,
			err);
}

#define FEED 256 /* events moved to the trace's clock at a time: they stay in the cache */

static int feed(struct walk *w, struct tp_spans *spans, const struct tp_event *ev, size_t n,
		struct tp_err *err)
{
	int64_t base = w->v->run->row.start_ns;
	struct tp_event moved[FEED];
	int code = 0;

	while (!code && n) {
		size_t some = n < FEED ? n : FEED;

		memcpy(moved, ev, some * sizeof(*ev));
		for (size_t i = 0; i < some; i++)
			moved[i].ts = plus(moved[i].ts, base);
		code = tp_spans_feed(spans, moved, some, on_span, w, err);
		ev += some;
		n -= some;
	}
	return code;
}

static int walk_events(struct walk *w, size_t segment, struct tp_err *err)
{
	const struct tp_segment *s = &w->v->segments[segment];
	const struct tp_event_range range = {
	    .from_ns = INT64_MIN,
	    .to_ns = INT64_MAX,
	    .first_block = s->first_block,
	    .nblocks = s->blocks,
	};
	struct tp_spans *spans = tp_spans_new();
	struct tp_event_reader *r = NULL;
	const struct tp_event *ev;
	size_t n;
	int code;

	if (!spans)
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	code = restore(w->v, spans, (int64_t)segment, err);
	tp_spans_mark(spans, MARK_WITHIN);
	if (!code)
		code = tp_events_open(&r, w->v->store, w->v->run->row.id, &range, err);
	while (!code && (code = tp_events_next(r, &ev, &n, err)) > 0)
		code = feed(w, spans, ev, n, err);
	/* What is open at the end of any other segment crosses into the next one. */
	if (!code && segment + 1 == w->v->nsegments)
		code = tp_spans_finish(spans,
				       plus(w->v->run->row.start_ns, w->v->run->row.duration_ns),
				       on_span, w, err);
	if (r)
		tp_events_close(r);
	tp_spans_free(spans);
	return code;
}

int rep_parts_each(struct rep_view *v, unsigned want, rep_part_fn fn, void *ctx, struct tp_err *err)
{
	struct walk w = {.v = v, .fn = fn, .ctx = ctx};
	uint32_t columns = REP_BIT(GOROUTINE, name);
	int code;

	if (v->filter->by_id)
		columns |= REP_BIT(GOROUTINE, id);
	w.sums = calloc(v->nsegments + 1, sizeof(*w.sums));
	w.scan = calloc(v->nsegments + 1, sizeof(*w.scan));
	code = w.sums && w.scan ? rep_view_load(v, TP_TABLE_GOROUTINE, columns, err)
				: tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	for (size_t i = 0; !code && i < v->nsegments; i++) {
		w.sums[i] = rep_segment_inside(v, &v->segments[i]);
		w.scan[i] = rep_segment_cut(v, &v->segments[i]);
	}
	if (!code && (want & REP_PARTS_BY_GOROUTINE || v->filter->by_id))
		code = walk_goroutines(&w, want & REP_PARTS_DURATIONS, err);
	else if (!code)
		code = walk_sites(&w, err);
	if (!code)
		code = walk_crossing(&w, err);
	for (size_t i = 0; !code && i < v->nsegments; i++) {
		if (w.scan[i])
			code = walk_events(&w, i, err);
	}
	free(w.sums);
	free(w.scan);
	return code;
}
