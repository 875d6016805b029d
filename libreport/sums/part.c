#include "sums/part.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "spans/crossing.h"
#include "spans/segment.h"
#include "task/inside.h"

struct walk {
	struct rep_view *v;
	rep_part_fn fn;
	void *ctx;
	rep_part_wanted wanted;	   /* not NULL: spans come one by one (rep_parts_single) */
	bool *sums;		   /* by segment: read its stored sums */
	bool *scan;		   /* by segment: read its events */
	struct rep_inside *inside; /* NULL: time anywhere counts */
};

static bool in_segments(const struct walk *w, int64_t segment)
{
	return segment >= 0 && (uint64_t)segment < w->v->nsegments && w->sums[segment];
}

/* Passes on one span, clipped. The span must overlap the range. */
static int put_span(struct walk *w, const struct tp_span *span, struct tp_err *err)
{
	struct rep_part part = {
	    .goroutine = span->goroutine,
	    .entry = rep_view_entry(w->v, span->goroutine),
	    .reason = span->reason,
	    .stack = span->stack,
	    .site = TP_NONE,
	    .state = span->state,
	    .count = 1,
	    .span = span,
	};

	if (w->v->filter->by_id && !rep_view_match_goroutine(w->v, span->goroutine))
		return 0;
	if (!rep_match_span(&w->v->match, part.entry, part.state, part.reason, part.stack))
		return 0;
	if (!w->inside)
		part.total_ns = tp_minus(rep_view_clip_end(w->v, span->end),
					 rep_view_clip_start(w->v, span->start));
	else if (!rep_inside_clip(w->inside, span->goroutine, span->start, span->end,
				  &part.total_ns))
		return 0;
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
		if (!w->wanted)
			code = w->fn(w->ctx, &part, err);
		else if (w->wanted(v, &part))
			w->scan[REP_COL(v, SITE, segment)[i]] = true;
	}
	return code;
}

#define SCAN_MOST 4 /* segments read for the durations of one goroutine */

/* Marks segments to be scanned because they store only sums of the durations of the filter's
 * goroutines. Marks none if there are more than SCAN_MOST, unless `all`. */
static int scan_for_durations(struct walk *w, bool all, struct tp_err *err)
{
	struct rep_view *v = w->v;
	bool *found = calloc(v->nsegments + 1, sizeof(*found));
	size_t n = 0;

	if (!found)
		return tp_nomem(err);
	for (size_t i = 0; i < v->nrows[TP_TABLE_GOROUTINE_TIME]; i++) {
		int64_t segment = REP_COL(v, GOROUTINE_TIME, segment)[i];

		if (REP_COL(v, GOROUTINE_TIME, count)[i] > 1 && in_segments(w, segment) &&
		    !found[segment] &&
		    rep_view_match_goroutine(v, REP_COL(v, GOROUTINE_TIME, goroutine)[i])) {
			found[segment] = true;
			n++;
		}
	}
	for (size_t i = 0; i < v->nsegments && (all || n <= SCAN_MOST); i++) {
		w->scan[i] = w->scan[i] || found[i];
		w->sums[i] = w->sums[i] && !found[i];
	}
	free(found);
	return 0;
}

static int walk_goroutines(struct walk *w, unsigned want, struct tp_err *err)
{
	struct rep_view *v = w->v;
	int code =
	    rep_view_load(v, TP_TABLE_GOROUTINE_TIME,
			  REP_BIT(GOROUTINE_TIME, segment) | REP_BIT(GOROUTINE_TIME, goroutine) |
			      REP_BIT(GOROUTINE_TIME, state) | REP_BIT(GOROUTINE_TIME, reason) |
			      REP_BIT(GOROUTINE_TIME, stack) | REP_BIT(GOROUTINE_TIME, count) |
			      REP_BIT(GOROUTINE_TIME, total_ns) | REP_BIT(GOROUTINE_TIME, max_ns),
			  err);

	if (!code && want & REP_PARTS_DURATIONS && v->filter->by_id)
		code = scan_for_durations(w, want & REP_PARTS_ALL_DURATIONS, err);
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
	struct rep_crossing c;
	int code = rep_crossings_load(w->v, err);

	for (size_t i = 0; !code && rep_crossing_next(w->v, &i, &c);)
		if (rep_view_overlaps(w->v, c.span.start, c.span.end))
			code = put_span(w, &c.span, err);
	return code;
}

/* Takes a span of a scanned segment; crossing spans come from walk_crossing. */
static int on_span(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	struct walk *w = ctx;

	(void)end_stack;
	if (crosses || !rep_view_overlaps(w->v, span->start, span->end))
		return 0;
	return put_span(w, span, err);
}

/* Walks the spans inside tasks or regions one by one. */
static int walk_inside(struct walk *w, struct tp_err *err)
{
	const struct rep_filter_text *text = &w->v->filter->text;
	struct rep_inside inside;
	int code = rep_inside_init(&inside, w->v, text->task, text->region, err);

	w->inside = &inside;
	if (!code && rep_inside_segments(&inside, w->v, w->scan))
		code = tp_nomem(err);
	if (!code)
		code = walk_crossing(w, err);
	if (!code)
		code = rep_segments_each(w->v, w->scan, on_span, w, err);
	rep_inside_release(&inside);
	w->inside = NULL;
	return code;
}

/* Walks the stored sums, the crossing spans, and the events of the segments that the range cuts. */
static int walk_parts(struct walk *w, unsigned want, struct tp_err *err)
{
	struct rep_view *v = w->v;
	int code;

	for (size_t i = 0; i < v->nsegments; i++) {
		w->sums[i] = rep_segment_inside(v, &v->segments[i]);
		w->scan[i] = rep_segment_cut(v, &v->segments[i]);
	}
	if (!w->wanted && (want & REP_PARTS_BY_GOROUTINE || v->filter->by_id))
		code = walk_goroutines(w, want, err);
	else
		code = walk_sites(w, err);
	if (!code)
		code = walk_crossing(w, err);
	return code ? code : rep_segments_each(v, w->scan, on_span, w, err);
}

static int each(struct walk *w, unsigned want, struct tp_err *err)
{
	struct rep_view *v = w->v;
	uint32_t columns = REP_BIT(GOROUTINE, name);
	int code;

	if (v->filter->by_id)
		columns |= REP_BIT(GOROUTINE, id);
	w->sums = calloc(v->nsegments + 1, sizeof(*w->sums));
	w->scan = calloc(v->nsegments + 1, sizeof(*w->scan));
	code =
	    w->sums && w->scan ? rep_view_load(v, TP_TABLE_GOROUTINE, columns, err) : tp_nomem(err);
	if (!code && rep_filter_inside(v->filter))
		code = walk_inside(w, err);
	else if (!code)
		code = walk_parts(w, want, err);
	free(w->sums);
	free(w->scan);
	return code;
}

int rep_parts_each(struct rep_view *v, unsigned want, rep_part_fn fn, void *ctx, struct tp_err *err)
{
	return each(&(struct walk){.v = v, .fn = fn, .ctx = ctx}, want, err);
}

int rep_parts_single(struct rep_view *v, rep_part_wanted wanted, rep_part_fn fn, void *ctx,
		     struct tp_err *err)
{
	return each(&(struct walk){.v = v, .fn = fn, .ctx = ctx, .wanted = wanted}, 0, err);
}
