#include "spans/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/big.h"
#include "base/many.h"
#include "base/search.h"
#include "spans/crossing.h"
#include "spans/segment.h"

#define MOST_SPANS (UINT32_MAX / 4) /* so that moments fit 32 bits */
#define STOP_SPANS 4096		    /* spans between two checks of `stop` */
#define ROOM	   4096
#define ROOM_MOST  (1u << 20)

struct reading {
	struct rep_index *x;
	bool crossing, causes;
	const uint8_t *hidden;
	const atomic_bool *stop;
	uint32_t seen; /* spans, including those left out */
};

static int grow(struct rep_index *x, uint32_t room, bool causes, struct tp_err *err)
{
	struct tp_span *span;
	uint32_t *nth = NULL;

	if (room > MOST_SPANS)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "segment %zu: too many spans",
				  x->cached.segment);
	span = x->span ? tp_more(x->span, room, sizeof(*span)) : tp_big_many(room, sizeof(*span));
	if (span)
		x->span = span;
	if (span && causes)
		nth = tp_more(x->waker_nth, room, sizeof(*nth));
	if (nth)
		x->waker_nth = nth;
	if (!span || (causes && !nth))
		return tp_nomem(err);
	x->room = room;
	return 0;
}

/* Adds a span that is not left out. */
static inline int add(const struct reading *r, const struct tp_span *span, bool crosses,
		      uint32_t end_stack, struct tp_err *err)
{
	struct rep_index *x = r->x;
	struct tp_span *own;

	if (x->n == x->room) {
		int code = grow(x, 2 * x->room, r->causes, err);

		if (code)
			return code;
	}
	own = &x->span[x->n];
	*own = *span;
	own->mark = crosses;
	if (r->causes) {
		bool woken = span->state == TP_ST_WAITING && !span->open &&
			     span->waker != span->goroutine && span->waker < x->ngoroutines;

		x->waker_nth[x->n] = woken ? x->first[span->waker] : REP_INDEX_NONE;
		if (span->state == TP_ST_RUNNING)
			own->stack = end_stack;
	}
	x->n++;
	/* While the segment is read, first[g] counts g's spans. */
	x->first[span->goroutine]++;
	return 0;
}

static int on_span(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	struct reading *r = ctx;

	if (r->stop && r->seen++ % STOP_SPANS == 0 && atomic_load(r->stop))
		return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "interrupted");
	if (span->goroutine >= r->x->ngoroutines)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
				  "segment %zu names a goroutine that the run does not have",
				  r->x->cached.segment);
	if (span->state >= TP_NSTATES || (crosses && !r->crossing) ||
	    (r->hidden && r->hidden[span->goroutine]))
		return 0;
	return add(r, span, crosses, end_stack, err);
}

/* Remembers that what is known of a goroutine's begin has to be cleared before the next segment. */
static int touch(struct rep_index *x, uint32_t goroutine, struct tp_err *err)
{
	if (tp_grow_raw(&x->touched, &x->touched_room, x->ntouched, sizeof(*x->touched)))
		return tp_nomem(err);
	x->touched[x->ntouched++] = goroutine;
	return 0;
}

static int on_event(void *ctx, const struct tp_event *ev, struct tp_err *err)
{
	struct reading *r = ctx;
	struct rep_index *x = r->x;
	uint32_t g = ev->g < x->ngoroutines ? ev->g : TP_NONE;
	uint32_t nth = g == TP_NONE ? REP_INDEX_NONE : x->first[g];

	if (ev->type == TP_EV_TASK_END) {
		if (tp_grow(&x->task, &x->task_room, x->ntasks, sizeof(*x->task)))
			return tp_nomem(err);
		x->task[x->ntasks++] =
		    (struct rep_index_task){ev->arg[0], ev->ts, g, nth, 2 * x->n + 1, ev->stack};
	} else if (ev->subject < x->ngoroutines && ev->subject != g) {
		x->birth[ev->subject] = (struct rep_index_birth){g, nth, 2 * x->n + 1, ev->stack};
		return touch(x, ev->subject, err);
	}
	return 0;
}

/* Adds the spans that cross the end of the segment. */
static int take_crossing(struct reading *r, struct rep_view *v, struct tp_err *err)
{
	struct rep_index *x = r->x;
	int64_t segment = (int64_t)x->cached.segment;
	struct rep_crossing c;
	int code = rep_view_spend(v, rep_crossings(v), err);

	for (size_t i = 0; !code && rep_crossing_next(v, &i, &c);) {
		if (c.first > segment || c.last < segment || c.first < 0 ||
		    c.span.goroutine >= x->ngoroutines ||
		    (r->hidden && r->hidden[c.span.goroutine]))
			continue;
		if (r->causes && c.first < segment) {
			x->from_segment[c.span.goroutine] = c.first;
			code = touch(x, c.span.goroutine, err);
		}
		if (!code && c.last > segment) /* otherwise the events had it */
			code = add(r, &c.span, c.first < segment, 0, err);
	}
	return code;
}

/* Turns the counts by goroutine into places. */
static int sort(struct rep_index *x, struct tp_err *err)
{
	uint32_t at = 0;

	if (x->n > x->order_room || !x->order) {
		free(x->order);
		x->order = tp_many(x->n + (size_t)1, sizeof(*x->order));
		x->order_room = x->order ? x->n : 0;
		if (!x->order)
			return tp_nomem(err);
	}
	for (uint32_t g = 0; g <= x->ngoroutines; g++) {
		uint32_t count = x->first[g];

		x->first[g] = at;
		at += count;
	}
	/* While places are filled, first[g] moves to its end, where the next goroutine begins. */
	for (uint32_t i = 0; i < x->n; i++)
		x->order[x->first[x->span[i].goroutine]++] = i;
	for (uint32_t g = x->ngoroutines; g > 0; g--)
		x->first[g] = x->first[g - 1];
	x->first[0] = 0;
	return 0;
}

/* Returns for how many spans to make room at first. An index that is read again and again gets room for all
 * spans of a segment at once, as copying what has been read takes longer; room that is not needed is never
 * touched. */
static uint32_t first_room(const struct rep_view *v, size_t segment, bool causes)
{
	int64_t events = causes ? v->segments[segment].events : 0;

	return events < ROOM ? ROOM : events < ROOM_MOST ? (uint32_t)events : ROOM_MOST;
}

static int begin(struct rep_index *x, struct rep_view *v, size_t segment,
		 const struct rep_index_options *o, struct tp_err *err)
{
	size_t n = v->nrows[TP_TABLE_GOROUTINE];
	int code;

	if (n >= TP_SPANS_LIMIT)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "too many goroutines");
	if (!x->first) {
		x->ngoroutines = (uint32_t)n;
		x->first = tp_many(n + 1, sizeof(*x->first));
	}
	if (o->causes && !x->birth) {
		x->birth = tp_many(n + 1, sizeof(*x->birth));
		x->from_segment = tp_many(n + 1, sizeof(*x->from_segment));
		if (x->birth && x->from_segment) {
			memset(x->birth, 0xff, (n + 1) * sizeof(*x->birth));
			memset(x->from_segment, 0xff, (n + 1) * sizeof(*x->from_segment));
		}
	}
	if (!x->first || (o->causes && (!x->birth || !x->from_segment)))
		return tp_nomem(err);
	/* Each goroutine must be cleared, then counted and placed. */
	code = rep_view_spend(v, 2 * (uint64_t)n, err);
	if (code)
		return code;
	memset(x->first, 0, (n + 1) * sizeof(*x->first));
	for (size_t i = 0; i < x->ntouched; i++) {
		memset(&x->birth[x->touched[i]], 0xff, sizeof(*x->birth));
		x->from_segment[x->touched[i]] = -1;
	}
	x->ntouched = 0;
	x->cached.segment = segment;
	x->n = 0;
	x->ntasks = 0;
	return x->room ? 0 : grow(x, first_room(v, segment, o->causes), o->causes, err);
}

int rep_index_read(struct rep_index *x, struct rep_view *v, size_t segment,
		   const struct rep_index_options *o, struct tp_err *err)
{
	/* No goroutine creates the one of TP_EV_GO_CREATE_SYSCALL. */
	const uint64_t causes = UINT64_C(1) << TP_EV_GO_CREATE |
				UINT64_C(1) << TP_EV_GO_CREATE_BLOCKED |
				UINT64_C(1) << TP_EV_GO_CREATE_SYSCALL;
	const uint64_t tasks = UINT64_C(1) << TP_EV_TASK_END;
	struct reading r = {
	    .x = x,
	    .crossing = o->crossing,
	    .causes = o->causes,
	    .hidden = o->hidden,
	    .stop = o->stop,
	};
	const struct rep_segment_reader reader = {
	    .span = on_span,
	    .event = on_event,
	    .types = (o->causes ? causes : 0) | (o->tasks ? tasks : 0),
	    .args = o->tasks,
	    .ctx = &r,
	};
	int code = rep_view_load(v, TP_TABLE_GOROUTINE, REP_BIT(GOROUTINE, id), err);

	if (!code)
		code = begin(x, v, segment, o, err);
	if (!code)
		code = rep_segment_read(v, segment, &reader, err);
	x->ended = x->n;
	if (!code && o->crossing)
		code = take_crossing(&r, v, err);
	return code ? code : sort(x, err);
}

void rep_index_release(struct rep_index *x)
{
	free(x->span);
	free(x->order);
	free(x->first);
	free(x->waker_nth);
	free(x->birth);
	free(x->from_segment);
	free(x->touched);
	free(x->task);
	memset(x, 0, sizeof(*x));
}

/* ---- cache ---- */

static void drop(void *item)
{
	rep_index_release(item);
	free(item);
}

int rep_index_cache(struct rep_cache *c, const struct rep_view *v, size_t most_bytes)
{
	return rep_cache_init(c, v->nsegments, most_bytes, drop);
}

int rep_index_get(struct rep_cache *c, struct rep_view *v, size_t segment,
		  const struct rep_index_options *o, struct rep_index **out, struct tp_err *err)
{
	struct rep_index *x;
	int code;

	c->now++;
	*out = rep_cache_find(c, segment);
	if (*out)
		return 0;
	x = calloc(1, sizeof(*x));
	if (!x)
		return tp_nomem(err);
	code = rep_index_read(x, v, segment, o, err);
	if (code) {
		drop(x);
		return code;
	}
	x->cached.bytes = sizeof(*x) + x->room * sizeof(*x->span) +
			  x->order_room * sizeof(*x->order) + x->ngoroutines * sizeof(*x->first);
	rep_cache_put(c, x);
	*out = x;
	return 0;
}

/* ---- look-ups ---- */

uint32_t rep_index_from(const struct rep_index *x, uint32_t goroutine, uint32_t number)
{
	uint32_t from = x->first[goroutine];

	TP_SEARCH(from, x->first[goroutine + 1], i, x->order[i] < number);
	return from;
}

uint32_t rep_index_before(const struct rep_index *x, uint32_t goroutine, int64_t t)
{
	uint32_t from;

	if (goroutine >= x->ngoroutines)
		return REP_INDEX_NONE;
	from = x->first[goroutine];
	TP_SEARCH(from, x->first[goroutine + 1], i, rep_index_at(x, i)->start < t);
	return from > x->first[goroutine] ? from - 1 : REP_INDEX_NONE;
}

uint32_t rep_index_moment(const struct rep_index *x, uint32_t place)
{
	const struct tp_span *span = rep_index_at(x, place);

	if (span->mark)
		return 0;
	if (place > x->first[span->goroutine])
		return 2 * x->order[place - 1] + 2;
	return x->birth[span->goroutine].moment == UINT32_MAX ? 0
							      : x->birth[span->goroutine].moment;
}

uint32_t rep_index_actor(const struct rep_index *x, uint32_t goroutine, uint32_t nth,
			 uint32_t moment)
{
	uint32_t place;
	unsigned state;

	if (goroutine >= x->ngoroutines || nth >= x->first[goroutine + 1] - x->first[goroutine])
		return REP_INDEX_NONE;
	place = x->first[goroutine] + nth;
	state = rep_index_at(x, place)->state;
	if (rep_index_moment(x, place) >= moment ||
	    (!rep_index_active(state) && state != TP_ST_LOST))
		return REP_INDEX_NONE;
	return place;
}
