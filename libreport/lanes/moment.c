/* One place of a timeline: the span there, its cause, and the goroutines it woke; the goroutine on
 * a P or an M. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/search.h"
#include "lanes/inside.h"
#include "lanes/segment.h"
#include "path/ender.h"
#include "spans/crossing.h"

#define MOST_WAKEUPS 10000
#define LOOK_AT	     8 /* segments to read for the wake-ups of one span */
#define NO_GOROUTINE "the run does not have this goroutine"

/* Reads the spans of a segment with all data about them. */
static int read_spans(struct rep_lanes *l, size_t segment, struct rep_index **x, struct tp_err *err)
{
	const struct rep_index_options o = {.crossing = true};

	return rep_index_get(&l->spans, &l->v, segment, &o, x, err);
}

/* ---- the span ---- */

/* The place of a span. */
struct place {
	struct tp_span span;
	size_t segment; /* a segment that contains it */
	bool crosses;
};

static bool covers(const struct tp_span *span, int64_t ns)
{
	return span->start <= ns && ns < span->end;
}

/* Returns whether the goroutine has a span of these states within a segment. */
static bool has(const struct rep_lanes *l, uint32_t g, size_t segment, uint32_t states)
{
	const struct rep_lane_sums *s = &l->goroutine_sums;
	size_t from = s->first[g];

	if (!rep_lanes_shows(l, g))
		return true; /* sums are not stored for it */
	TP_SEARCH(from, s->first[g + 1], i, s->sum[i].segment < segment);
	for (; from < s->first[g + 1] && s->sum[from].segment == segment; from++) {
		if (states >> l->class_state[s->sum[from].class] & 1)
			return true;
	}
	return false;
}

static int find_in(struct rep_lanes *l, uint32_t g, int64_t ns, size_t segment, bool ended,
		   struct place *place, struct tp_err *err)
{
	struct rep_index *x;
	int code = read_spans(l, segment, &x, err);

	if (code)
		return code;
	for (uint32_t i = x->first[g + 1]; i-- > x->first[g];) {
		const struct tp_span *span = rep_index_at(x, i);

		if (covers(span, ns) || (ended && span->end == ns)) {
			place->span = *span;
			place->segment = segment;
			return 0;
		}
	}
	return TP_ENOENT;
}

/* Finds the span at a moment or, with `ended`, the one that ends then. */
static int find(struct rep_lanes *l, uint32_t g, int64_t ns, bool ended, struct place *place,
		struct tp_err *err)
{
	for (size_t i = l->first_crossing[g + 1]; i-- > l->first_crossing[g];) {
		struct rep_crossing c;

		if (!rep_crossing_at(&l->v, l->crossing[i].row, &c) ||
		    (!covers(&c.span, ns) && !(ended && c.span.end == ns)))
			continue;
		place->span = c.span;
		place->crosses = true;
		return 0;
	}
	for (size_t i = l->v.nsegments; i-- > 0;) {
		const struct tp_segment *s = &l->v.segments[i];
		int code;

		if (s->from_ns > ns || s->to_ns < ns || !has(l, g, i, ~0u))
			continue;
		code = find_in(l, g, ns, i, ended, place, err);
		if (code != TP_ENOENT)
			return code;
	}
	return TP_ENOENT;
}

/* ---- its cause ---- */

/* Sets *cause from a wait with a waker, from a wake-up, or to nothing. Returns true if earlier
 * spans do not matter. */
static bool causes(const struct tp_span *span, struct rep_wakeup *cause)
{
	bool known = span->waker != TP_NONE && span->waker != span->goroutine && !span->open;

	if (span->state == TP_ST_WAITING) {
		if (known)
			*cause = (struct rep_wakeup){span->end, span->waker};
		return true;
	}
	if (span->state != TP_ST_RUNNABLE || span->waker == TP_NONE ||
	    span->waker == span->goroutine)
		return false;
	*cause = (struct rep_wakeup){span->start, span->waker};
	return true;
}

/* Drops a cause that is the waker of a wait which it did not end. */
static int judge_cause(struct rep_lanes *l, struct rep_moment *m, uint32_t g, struct tp_err *err)
{
	struct place wait = {.span = m->span};
	int code = 0;

	if (m->cause.goroutine == TP_NONE)
		return 0;
	if (m->span.state != TP_ST_WAITING && m->cause.ns > INT64_MIN)
		code = find(l, g, m->cause.ns - 1, false, &wait, err);
	if (!code && wait.span.state == TP_ST_WAITING && wait.span.end == m->cause.ns &&
	    rep_path_waker(&l->v, &wait.span, NULL) == TP_NONE)
		m->cause = (struct rep_wakeup){.goroutine = TP_NONE};
	return code == TP_ENOENT ? 0 : code;
}

/* Finds the latest cause in a segment among spans that begin before `before`. */
static int cause_in(struct rep_lanes *l, uint32_t g, size_t segment, int64_t before,
		    struct rep_wakeup *cause, bool *found, struct tp_err *err)
{
	struct rep_index *x;
	int code = read_spans(l, segment, &x, err);

	if (code)
		return code;
	for (uint32_t i = x->first[g + 1]; i-- > x->first[g] && !*found;) {
		const struct tp_span *span = rep_index_at(x, i);

		if (span->end <= before)
			*found = causes(span, cause);
	}
	return 0;
}

/* Looks back from the start of a span. Only segments in which the goroutine waited are read. */
static int look_back(struct rep_lanes *l, const struct place *place, struct rep_wakeup *cause,
		     struct tp_err *err)
{
	const struct rep_view *v = &l->v;
	uint32_t g = place->span.goroutine;
	int64_t before = place->span.start, created = REP_COL(v, GOROUTINE, created_ns)[g];
	int64_t parent = REP_COL(v, GOROUTINE, parent)[g];
	size_t crossing = l->first_crossing[g + 1];
	bool found = false;
	int code = 0;

	for (size_t s = v->nsegments; s-- > 0 && !found && !code;) {
		if (v->segments[s].from_ns > before)
			continue;
		if (v->segments[s].to_ns < created && created != TP_NULL)
			break;
		/* Spans that cross out of this segment come after those within it. */
		while (crossing > l->first_crossing[g] && !found) {
			struct rep_crossing c;

			if (!rep_crossing_at(v, l->crossing[crossing - 1].row, &c) ||
			    c.first < (int64_t)s)
				break;
			crossing--;
			if (c.span.end <= before)
				found = causes(&c.span, cause);
		}
		if (!found && has(l, g, s, 1u << TP_ST_WAITING | 1u << TP_ST_RUNNABLE))
			code = cause_in(l, g, s, before, cause, &found, err);
	}
	if (!found && !code && parent >= 0 && parent < l->ng && (uint32_t)parent != g &&
	    created != TP_NULL && created > 0 && created <= before)
		*cause = (struct rep_wakeup){created, (uint32_t)parent};
	return code;
}

/* ---- the goroutines it woke ---- */

static int by_time(const void *a, const void *b)
{
	const struct rep_wakeup *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->goroutine < y->goroutine ? -1 : x->goroutine > y->goroutine;
}

/* Returns whether the waker of span i, which is Runnable, also ended the wait before it. */
static bool woken(const struct rep_lanes *l, const struct rep_index *x, uint32_t i)
{
	uint32_t g = x->span[i].goroutine, place = rep_index_from(x, g, i);
	const struct tp_span *before = place > x->first[g] ? rep_index_at(x, place - 1) : NULL;

	return rep_path_waker(&l->v, &x->span[i], before) != TP_NONE;
}

static int wakeups_in(struct rep_lanes *l, size_t segment, struct rep_moment *m, size_t *room,
		      struct tp_err *err)
{
	const struct tp_span *own = &m->span;
	struct rep_index *x;
	int code = read_spans(l, segment, &x, err);

	for (uint32_t i = 0; !code && i < x->n; i++) {
		const struct tp_span *span = &x->span[i];

		if (span->state != TP_ST_RUNNABLE || span->waker != own->goroutine ||
		    span->start < own->start || span->start > own->end ||
		    span->start < l->v.segments[segment].from_ns || !woken(l, x, i))
			continue;
		if (m->nwakeups == MOST_WAKEUPS) {
			m->more_wakeups = true;
			break;
		}
		if (tp_grow(&m->wakeup, room, m->nwakeups, sizeof(*m->wakeup)))
			return tp_nomem(err);
		m->wakeup[m->nwakeups++] = (struct rep_wakeup){span->start, span->goroutine};
	}
	return code;
}

static int find_wakeups(struct rep_lanes *l, struct rep_moment *m, struct tp_err *err)
{
	const struct rep_view *v = &l->v;
	size_t room = 0, looked = 0, n = 0;
	int code = 0;

	/* A blocked goroutine, or one that waits for a P, wakes no others. */
	if (m->span.state == TP_ST_WAITING || m->span.state == TP_ST_RUNNABLE)
		return 0;
	for (size_t i = 0; i < v->nsegments && !code; i++) {
		if (v->segments[i].from_ns > m->span.end || v->segments[i].to_ns < m->span.start)
			continue;
		if (looked++ == LOOK_AT) {
			m->more_wakeups = true;
			break;
		}
		code = wakeups_in(l, i, m, &room, err);
	}
	if (m->nwakeups)
		qsort(m->wakeup, m->nwakeups, sizeof(*m->wakeup), by_time);
	/* A span that begins where two segments meet may be found in both. */
	for (size_t i = 0; i < m->nwakeups; i++) {
		if (!n || by_time(&m->wakeup[n - 1], &m->wakeup[i]))
			m->wakeup[n++] = m->wakeup[i];
	}
	m->nwakeups = n;
	return code;
}

int rep_lanes_moment(struct rep_lanes *l, uint32_t goroutine, int64_t ns, struct rep_moment *m,
		     struct tp_err *err)
{
	struct place place = {.segment = 0};
	char text[REP_GOID_SIZE];
	int code;

	memset(m, 0, sizeof(*m));
	m->cause.goroutine = TP_NONE;
	if (goroutine >= l->ng)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, NO_GOROUTINE);
	code = rep_lanes_need_goroutine_sums(l, err);
	if (!code)
		code = find(l, goroutine, ns, false, &place, err);
	if (code == TP_ENOENT)
		code = find(l, goroutine, ns, true, &place, err);
	if (code == TP_ENOENT)
		return tp_err_set(
		    err, TP_ENOENT, TP_OFFSET_NONE, "goroutine %s did not exist at that time",
		    rep_goids_text(&l->v.goids, rep_view_goid(&l->v, goroutine), text));
	if (code)
		return code;
	m->span = place.span;
	if (m->span.state == TP_ST_WAITING)
		m->ender = rep_path_ender_in(&l->v, &m->span);
	if (!causes(&m->span, &m->cause))
		code = look_back(l, &place, &m->cause, err);
	if (!code)
		code = judge_cause(l, m, goroutine, err);
	if (!code)
		code = find_wakeups(l, m, err);
	return code;
}

void rep_moment_release(struct rep_moment *m)
{
	free(m->wakeup);
	memset(m, 0, sizeof(*m));
}

/* ---- the longest in a range ---- */

#define LOOK_THROUGH 16 /* segments to read */

struct longest {
	uint32_t states;
	int64_t from, to, ns, size;
};

static void take_longest(struct longest *best, const struct tp_span *span)
{
	int64_t from = span->start > best->from ? span->start : best->from;
	int64_t to = span->end < best->to ? span->end : best->to;

	if (!(best->states >> span->state & 1) || to <= from || to - from < best->size ||
	    (to - from == best->size && from >= best->ns))
		return;
	best->ns = from;
	best->size = to - from;
}

int rep_lanes_longest(struct rep_lanes *l, uint32_t g, uint32_t states, int64_t from, int64_t to,
		      const atomic_bool *stop, int64_t *ns, struct tp_err *err)
{
	struct longest best = {.states = states, .from = from, .to = to};
	int code, left = LOOK_THROUGH;

	if (g >= l->ng)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, NO_GOROUTINE);
	code = rep_lanes_need_goroutine_sums(l, err);
	for (size_t i = l->first_crossing[g]; !code && i < l->first_crossing[g + 1]; i++) {
		struct rep_crossing c;

		if (rep_crossing_at(&l->v, l->crossing[i].row, &c))
			take_longest(&best, &c.span);
	}
	for (size_t i = 0; !code && i < l->v.nsegments && left; i++) {
		const struct tp_segment *s = &l->v.segments[i];
		struct rep_index *x;

		if (s->from_ns >= to || s->to_ns < from || !has(l, g, i, states))
			continue;
		if (stop && atomic_load(stop))
			return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "interrupted");
		left--;
		code = read_spans(l, i, &x, err);
		for (uint32_t k = code ? 0 : x->first[g]; !code && k < x->first[g + 1]; k++)
			take_longest(&best, rep_index_at(x, k));
	}
	if (!code && !best.size)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "the goroutine has no such span in this range");
	*ns = best.ns;
	return code;
}

/* ---- all in a range ---- */

int rep_lanes_spans(struct rep_lanes *l, uint32_t g, int64_t from, int64_t to,
		    int (*fn)(void *ctx, const struct tp_span *span), void *ctx,
		    const atomic_bool *stop, struct tp_err *err)
{
	int left = LOOK_THROUGH,
	    code = g < l->ng ? rep_lanes_need_goroutine_sums(l, err) : TP_ENOENT;
	struct rep_crossing c;

	if (code)
		return code == TP_ENOENT ? tp_err_set(err, code, TP_OFFSET_NONE, NO_GOROUTINE)
					 : code;
	for (size_t i = l->first_crossing[g]; i < l->first_crossing[g + 1]; i++) {
		if (rep_crossing_at(&l->v, l->crossing[i].row, &c) && c.span.start < to &&
		    c.span.end > from && fn(ctx, &c.span))
			return 0;
	}
	for (size_t i = 0; i < l->v.nsegments; i++) {
		const struct tp_segment *s = &l->v.segments[i];
		struct rep_index *x;

		if (s->from_ns >= to || s->to_ns < from || !has(l, g, i, ~0u))
			continue;
		if (stop && atomic_load(stop))
			return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "interrupted");
		if (!left--)
			return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
					  "the range is too long to read all spans of a goroutine");
		code = read_spans(l, i, &x, err);
		if (code)
			return code;
		for (uint32_t k = x->first[g]; k < x->first[g + 1]; k++) {
			const struct tp_span *span = rep_index_at(x, k);

			/* Spans that cross segments are done. */
			if (!span->mark && rep_index_ends(x, k) && span->start < to &&
			    span->end > from && fn(ctx, span))
				return 0;
		}
	}
	return 0;
}

int rep_lanes_segment_spans(struct rep_lanes *l, size_t segment,
			    void (*fn)(void *ctx, const struct tp_span *span), void *ctx,
			    struct tp_err *err)
{
	struct rep_index *x;
	struct rep_crossing c;
	int code;

	if (segment >= l->v.nsegments) {
		for (size_t i = 0; i < l->ncrossing; i++) {
			if (rep_crossing_at(&l->v, l->crossing[i].row, &c))
				fn(ctx, &c.span);
		}
		return 0;
	}
	code = read_spans(l, segment, &x, err);
	for (uint32_t i = 0; !code && i < x->ended; i++) {
		if (!x->span[i].mark)
			fn(ctx, &x->span[i]);
	}
	return code;
}

/* ---- Ps and Ms ---- */

/* Finds the goroutine that was on a P or M at a time, in one segment. */
static bool find_on(const struct rep_lane_segment *s, bool proc, uint32_t index, int64_t ns,
		    uint32_t *goroutine)
{
	const struct rep_lane_lists *spans = proc ? &s->on_p : &s->on_m;
	const struct rep_lane_list *list = spans->list;
	const uint32_t *order = spans->order;
	uint32_t n = spans->nlists, at = rep_lane_segment_find(list, n, index);
	uint32_t from, to;
	bool odd;

	if (at == n)
		return false;
	odd = s->odd || list[at].odd;
	from = list[at].first;
	to = list[at + 1].first;
	if (!odd) { /* after the last span that begins by then */
		TP_SEARCH(from, to, i, rep_lane_segment_start(s, order[i]) <= ns);
		to = from;
	}
	for (; to > list[at].first; to--) {
		uint32_t i = order[to - 1];

		if (rep_lane_segment_start(s, i) <= ns && rep_lane_segment_end(s, i) > ns) {
			*goroutine = rep_lane_segment_owner(s, i)->owner;
			return true;
		}
		if (!odd && rep_lane_segment_start(s, i) < ns)
			return false;
	}
	return false;
}

int rep_lanes_on(struct rep_lanes *l, const struct rep_lane *row, int64_t ns, uint32_t *goroutine,
		 struct tp_err *err)
{
	bool proc = row->kind == REP_LANE_PROC;

	*goroutine = TP_NONE;
	if (!proc && row->kind != REP_LANE_THREAD)
		return 0;
	for (size_t i = 0; i < l->ncrossing; i++) {
		const struct rep_lane_span *span = &l->crossing[i].span;
		uint8_t state = l->class_state[span->class];

		if ((proc ? span->p : span->m) == row->index && span->start <= ns &&
		    ns < span->end && state != TP_ST_WAITING && state != TP_ST_RUNNABLE) {
			*goroutine = span->goroutine;
			return 0;
		}
	}
	for (size_t i = 0; i < l->v.nsegments; i++) {
		const struct tp_segment *s = &l->v.segments[i];
		struct rep_lane_segment *drawn;
		int code;

		if (s->from_ns > ns || s->to_ns < ns)
			continue;
		code = rep_lane_segment_get(l, i, NULL, &drawn, err);
		if (code || find_on(drawn, proc, row->index, ns, goroutine))
			return code;
	}
	return 0;
}
