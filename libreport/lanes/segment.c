#include "lanes/segment.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/search.h"

#define SUM_CLASSES   64		  /* blocks have no sums if there are more classes */
#define SEGMENT_BYTES ((size_t)256 << 20) /* of cached segments */

static void *room_for(struct rep_lane_segment *s, size_t n, size_t size)
{
	s->cached.bytes += (n + 1) * size;
	return calloc(n + 1, size);
}

/* ---- goroutines ---- */

static int make_lists(struct rep_lane_segment *s, const struct rep_index *x)
{
	uint32_t lists = 0;

	for (uint32_t g = 0; g < x->ngoroutines; g++)
		s->by_g.nlists += x->first[g] < x->first[g + 1];
	s->by_g.list = room_for(s, s->by_g.nlists + (size_t)1, sizeof(*s->by_g.list));
	if (!s->by_g.list)
		return TP_ENOMEM;
	for (uint32_t g = 0; g < x->ngoroutines; g++) {
		uint32_t first = x->first[g], end = x->first[g + 1];

		if (first == end)
			continue;
		s->by_g.list[lists++] = (struct rep_lane_list){.owner = g,
							       .first = first,
							       .end = rep_index_at(x, end - 1)->end,
							       .sums = TP_NONE};
	}
	s->by_g.list[lists] =
	    (struct rep_lane_list){.owner = TP_NONE, .first = x->n, .sums = TP_NONE};
	return 0;
}

/* Chooses the representation of times that fits the spans. */
static int take_room(struct rep_lane_segment *s, const struct rep_index *x)
{
	int64_t low = INT64_MAX, high = INT64_MIN;

	for (uint32_t i = 0; i < x->n; i++) {
		low = x->span[i].start < low ? x->span[i].start : low;
		high = x->span[i].start > high ? x->span[i].start : high;
	}
	s->n = x->n;
	s->base = x->n ? low : 0;
	s->class = room_for(s, s->n, sizeof(*s->class));
	s->end = calloc(s->n + (size_t)1, sizeof(*s->end));
	if (x->n && (uint64_t)high - (uint64_t)low > UINT32_MAX)
		s->start64 = room_for(s, s->n, sizeof(*s->start64));
	else
		s->start32 = room_for(s, s->n, sizeof(*s->start32));
	return s->class && s->end && (s->start32 || s->start64) ? 0 : TP_ENOMEM;
}

/* Stores the spans, and checks whether each ends where its goroutine's next span begins. */
static void place_spans(struct rep_lane_segment *s, const struct rep_lanes *l,
			const struct rep_index *x)
{
	for (uint32_t k = 0; k < s->by_g.nlists; k++) {
		uint32_t last = s->by_g.list[k + 1].first - 1;

		for (uint32_t at = s->by_g.list[k].first; at <= last; at++) {
			const struct tp_span *span = rep_index_at(x, at);

			if (s->start32)
				s->start32[at] = (uint32_t)(span->start - s->base);
			else
				s->start64[at] = span->start;
			s->end[at] = span->end;
			s->class[at] = rep_lanes_class(l, span->state, span->reason);
			s->odd |= span->end < span->start ||
				  (at < last && span->end != rep_index_at(x, at + 1)->start);
		}
		s->class[last] |= REP_SEGMENT_LAST;
	}
}

/* ---- Ps and Ms ---- */

/* Returns the P of a span; a goroutine that lost its P in a system call still names it. */
static uint32_t p_of(const struct rep_lanes *l, const struct tp_span *span)
{
	bool has = span->state == TP_ST_RUNNING || span->state == TP_ST_SYSCALL;

	return has && !span->reason && span->p < l->np ? span->p : TP_NONE;
}

static uint32_t m_of(const struct rep_lanes *l, const struct tp_span *span)
{
	bool has = rep_index_active(span->state);

	return has && !span->reason && span->m < l->nm ? span->m : TP_NONE;
}

/* Turns counts of spans by owner into lists; count[] then has the list of each owner. */
static int make_on_lists(struct rep_lane_segment *s, struct rep_lane_lists *on, uint32_t *count,
			 uint32_t owners)
{
	uint32_t at = 0, lists = 0;

	for (uint32_t o = 0; o < owners; o++) {
		on->nlists += count[o] > 0;
		at += count[o];
	}
	on->order = room_for(s, at, sizeof(*on->order));
	on->list = room_for(s, on->nlists + (size_t)1, sizeof(*on->list));
	if (!on->order || !on->list)
		return TP_ENOMEM;
	at = 0;
	for (uint32_t o = 0; o < owners; o++) {
		if (!count[o])
			continue;
		on->list[lists] = (struct rep_lane_list){
		    .owner = o, .first = at, .end = INT64_MIN, .sums = TP_NONE};
		at += count[o];
		count[o] = lists++;
	}
	on->list[lists] = (struct rep_lane_list){.owner = TP_NONE, .first = at, .sums = TP_NONE};
	return 0;
}

/* Adds a span to a list. The list's `first` moves to its end meanwhile. */
static void put_on(struct rep_lane_lists *on, uint32_t list, const struct tp_span *span,
		   uint32_t place)
{
	struct rep_lane_list *to = &on->list[list];

	on->order[to->first++] = place;
	if (span->start < to->end || span->end < span->start)
		to->odd = true;
	to->end = span->end;
}

static void finish_on(struct rep_lane_lists *on)
{
	for (uint32_t k = on->nlists; k > 0; k--)
		on->list[k].first = on->list[k - 1].first;
	on->list[0].first = 0;
}

/* Lists the spans on Ps and Ms. Spans are ordered by their ends, which is also the order of their
 * starts unless they overlap. `place` has room for all of them; `count` for all Ps, then all Ms. */
static int make_on(struct rep_lane_segment *s, const struct rep_lanes *l, const struct rep_index *x,
		   uint32_t *place, uint32_t *count)
{
	uint32_t *by_m = count + l->np;

	for (uint32_t at = 0; at < x->n; at++)
		place[x->order[at]] = at;
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t p = p_of(l, &x->span[i]), m = m_of(l, &x->span[i]);

		if (p != TP_NONE)
			count[p]++;
		if (m != TP_NONE)
			by_m[m]++;
	}
	if (make_on_lists(s, &s->on_p, count, l->np) || make_on_lists(s, &s->on_m, by_m, l->nm))
		return TP_ENOMEM;
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t p = p_of(l, &x->span[i]), m = m_of(l, &x->span[i]);

		if (p != TP_NONE)
			put_on(&s->on_p, count[p], &x->span[i], place[i]);
		if (m != TP_NONE)
			put_on(&s->on_m, by_m[m], &x->span[i], place[i]);
	}
	finish_on(&s->on_p);
	finish_on(&s->on_m);
	return 0;
}

/* ---- sums ---- */

static void sum_up(const struct rep_lane_segment *s, const struct rep_lane_lists *lists,
		   const struct rep_lane_list *list)
{
	uint32_t blocks = (list[1].first - list->first) / REP_SEGMENT_BLOCK;
	int64_t *sum = lists->sum + (size_t)list->sums * lists->nclasses, most = -1;
	uint32_t *longest = lists->longest + list->sums;

	for (uint32_t i = 0; i < blocks * REP_SEGMENT_BLOCK; i++) {
		uint32_t at = lists->order ? lists->order[list->first + i] : list->first + i;
		int64_t ns = tp_minus(s->end[at], rep_lane_segment_start(s, at)), *to;

		if (i % REP_SEGMENT_BLOCK == 0) {
			memcpy(sum + lists->nclasses, sum, lists->nclasses * sizeof(*sum));
			sum += lists->nclasses;
			most = -1;
		}
		if (ns > most) {
			most = ns;
			longest[i / REP_SEGMENT_BLOCK] = at;
		}
		to = &sum[rep_lane_segment_class(s, at)];
		*to = tp_plus(*to, ns);
	}
}

/* Sums up the blocks of long lists with no overlapping spans. */
static int make_sums(struct rep_lane_segment *s, struct rep_lane_lists *lists, uint32_t nclasses)
{
	struct rep_lane_list *list = lists->list;
	uint32_t rows = 0;

	lists->nclasses = nclasses;
	if (s->odd || nclasses > SUM_CLASSES)
		return 0;
	for (uint32_t k = 0; k < lists->nlists; k++) {
		uint32_t n = list[k + 1].first - list[k].first;

		if (n < 2 * REP_SEGMENT_BLOCK || list[k].odd)
			continue;
		list[k].sums = rows;
		rows += n / REP_SEGMENT_BLOCK + 1;
	}
	lists->sum = room_for(s, (size_t)rows * nclasses, sizeof(*lists->sum));
	lists->longest = room_for(s, rows, sizeof(*lists->longest));
	if (!lists->sum || !lists->longest)
		return TP_ENOMEM;
	for (uint32_t k = 0; k < lists->nlists; k++) {
		if (list[k].sums != TP_NONE)
			sum_up(s, lists, &list[k]);
	}
	return 0;
}

/* ---- segments ---- */

static void free_lists(struct rep_lane_lists *lists)
{
	free(lists->order);
	free(lists->list);
	free(lists->sum);
	free(lists->longest);
}

static void free_segment(void *item)
{
	struct rep_lane_segment *s = item;

	free(s->start32);
	free(s->start64);
	free(s->end);
	free(s->class);
	free_lists(&s->by_g);
	free_lists(&s->on_p);
	free_lists(&s->on_m);
	free(s);
}

int rep_lane_segments_init(struct rep_lanes *l)
{
	return rep_cache_init(&l->segments, l->v.nsegments, SEGMENT_BYTES, free_segment);
}

static int make_segment(struct rep_lane_segment *s, const struct rep_lanes *l,
			const struct rep_index *x)
{
	uint32_t *place = tp_many(x->n + (size_t)1, sizeof(*place));
	uint32_t *count = calloc(l->np + (size_t)l->nm + 1, sizeof(*count));
	int code = place && count ? 0 : TP_ENOMEM;

	if (!code && (make_lists(s, x) || take_room(s, x)))
		code = TP_ENOMEM;
	if (!code)
		place_spans(s, l, x);
	/* On Ps and Ms, states count without their reasons. */
	if (!code && (make_on(s, l, x, place, count) || make_sums(s, &s->by_g, l->nclasses) ||
		      make_sums(s, &s->on_p, TP_NSTATES) || make_sums(s, &s->on_m, TP_NSTATES)))
		code = TP_ENOMEM;
	free(place);
	free(count);
	if (!code && !s->odd) {
		free(s->end);
		s->end = NULL;
	} else if (!code) {
		s->cached.bytes += s->n * sizeof(*s->end);
	}
	return code;
}

int rep_lane_segment_get(struct rep_lanes *l, size_t segment, const atomic_bool *stop,
			 struct rep_lane_segment **drawn, struct tp_err *err)
{
	const struct rep_index_options o = {.hidden = l->hidden, .stop = stop};
	struct rep_index x = {0};
	int code;

	if (stop && atomic_load(stop))
		return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
	*drawn = rep_cache_find(&l->segments, segment);
	if (*drawn)
		return 0;
	*drawn = calloc(1, sizeof(**drawn));
	if (!*drawn)
		return tp_nomem(err);
	(*drawn)->cached = (struct rep_cached){.segment = segment, .bytes = sizeof(**drawn)};
	code = rep_index_read(&x, &l->v, segment, &o, err);
	if (!code && make_segment(*drawn, l, &x))
		code = tp_nomem(err);
	rep_index_release(&x);
	if (code)
		free_segment(*drawn);
	else
		rep_cache_put(&l->segments, *drawn);
	return code;
}

static int64_t distance(const struct tp_segment *s, int64_t from, int64_t to)
{
	if (s->to_ns < from)
		return tp_minus(from, s->to_ns);
	return s->from_ns > to ? tp_minus(s->from_ns, to) : 0;
}

int rep_lanes_ahead(struct rep_lanes *l, int64_t from, int64_t to, const atomic_bool *stop,
		    struct tp_err *err)
{
	const struct rep_view *v = &l->v;
	size_t most = 0;
	int code = 0;

	/* Read only as many as fit together, so that no segment replaces another. */
	while (!code && l->segments.bytes + most < l->segments.most) {
		size_t next = v->nsegments;
		struct rep_lane_segment *drawn;

		for (size_t i = 0; i < v->nsegments; i++) {
			const struct rep_cached *kept = l->segments.item[i];

			if (kept)
				most = kept->bytes > most ? kept->bytes : most;
			else if (next == v->nsegments || distance(&v->segments[i], from, to) <
							     distance(&v->segments[next], from, to))
				next = i;
		}
		if (next == v->nsegments || l->segments.bytes + most >= l->segments.most)
			break;
		code = rep_lane_segment_get(l, next, stop, &drawn, err);
	}
	return code;
}

uint32_t rep_lane_segment_find(const struct rep_lane_list *list, uint32_t n, uint32_t owner)
{
	uint32_t at = 0;

	TP_SEARCH(at, n, i, list[i].owner < owner);
	return at < n && list[at].owner == owner ? at : n;
}

const struct rep_lane_list *rep_lane_segment_owner(const struct rep_lane_segment *s, uint32_t i)
{
	uint32_t next = 1;

	TP_SEARCH(next, s->by_g.nlists, k, s->by_g.list[k].first <= i);
	return &s->by_g.list[next - 1];
}
