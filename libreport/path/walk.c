/* The walk back along the path; the rule is at the head of path.h.
 *
 * A walker stands on a span of a goroutine, at a moment of the segment that is being read. Waits
 * that are being explained are frames on a stack of its own: the wait that began last is on top, so
 * it is the one the walker comes to the beginning of first. A span that began in an earlier segment
 * takes the walker there: it is parked until that segment is read. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "path/path.h"
#include "path/slice.h"
#include "path/tally.h"
#include "path/wake.h"

struct frame {
	uint32_t goroutine; /* who waited */
	uint32_t chain;	    /* what its other time belongs to */
	int64_t from;	    /* when the wait began … */
	size_t segment;	    /* … in which segment, and there: */
	uint32_t place, moment;
};

enum standing {
	ON_SPAN,  /* at `moment` of the span at `place` */
	AT_START, /* at its beginning: what was before? */
	TO_START, /* parked: at the beginning of the goroutine's last span here */
	TO_FRAME, /* parked: at the beginning of the wait of the top frame */
	TO_BEGIN, /* parked: at the end of the request, which is to be found */
};

struct walker {
	struct rep_path_request *request;
	enum standing standing;
	uint32_t goroutine, place, moment, chain;
	int64_t t, low; /* reached; where the path begins, or what is looked at */
	struct frame *frame;
	size_t nframes, room;
	/* What the next hop ended with. */
	bool linked, creates;
	uint32_t wakes, wakes_reason, wakes_stack, wake_stack;
	/* A hop of being runnable that began in an earlier segment: its stack is found there. */
	bool pending;
	struct rep_path_hop hop;
	/* The hop before, where this one could be the rest of it. */
	struct rep_path_hop last;
	uint32_t next; /* parked for the same segment; TP_NONE */
	bool done;
};

struct walk {
	struct rep_view *v;
	struct rep_path *path;
	struct rep_slice slice;
	struct walker *walker;
	size_t n;
	uint32_t *parked; /* by segment: the first walker */
	struct rep_keys tasks;
	uint32_t *task_walker; /* by key */
	size_t task_room;
	int64_t left;  /* hops */
	int64_t steps; /* moves; a hop may take several, such as jumps */
	bool keep;     /* every hop */
};

static int fail(struct tp_err *err, int code)
{
	return tp_err_set(err, code, TP_OFFSET_NONE, "%s",
			  code == TP_ENOMEM ? "out of memory" : "more stacks than are possible");
}

/* ---- hops ---- */

static bool continues(const struct rep_path_hop *hop, const struct rep_path_hop *last)
{
	return hop->wakes == TP_NONE && last->goroutine == hop->goroutine &&
	       last->kind == hop->kind && last->reason == hop->reason &&
	       last->stack == hop->stack && last->chain == hop->chain && last->from == hop->to;
}

static int put(struct walk *k, struct walker *w, struct rep_path_hop hop)
{
	bool again;

	if (hop.from < w->low)
		hop.from = w->low;
	if (hop.to > k->v->to) {
		hop.to = k->v->to;
		hop.wakes = TP_NONE;
	}
	if (hop.from > hop.to || (hop.from == hop.to && hop.wakes == TP_NONE))
		return 0;
	again = continues(&hop, &w->last);
	w->last = hop;
	k->left--;
	return rep_path_put(k->path, &hop, rep_view_entry(k->v, hop.goroutine), k->keep, again);
}

/* A hop down to `from`, where the walker is then. */
static int hop_to(struct walk *k, struct walker *w, int64_t from, enum rep_path_kind kind,
		  uint32_t reason, uint32_t stack, uint32_t holder)
{
	struct rep_path_hop hop = {
	    .from = from < w->t ? from : w->t,
	    .to = w->t,
	    .goroutine = w->goroutine,
	    .reason = reason,
	    .stack = stack,
	    .chain = w->chain,
	    .wakes = w->linked ? w->wakes : TP_NONE,
	    .wakes_reason = w->linked ? w->wakes_reason : 0,
	    .wakes_stack = w->linked ? w->wakes_stack : 0,
	    .wake_stack = w->linked ? w->wake_stack : 0,
	    .kind = (uint8_t)kind,
	    .creates = w->linked && w->creates,
	    .holder = holder,
	};

	w->t = hop.from;
	w->linked = false;
	return put(k, w, hop);
}

/* The pending hop, its stack being known or unknown (0) for good. */
static int flush(struct walk *k, struct walker *w, uint32_t stack)
{
	if (!w->pending)
		return 0;
	w->pending = false;
	w->hop.stack = stack;
	return put(k, w, w->hop);
}

/* ---- places ---- */

static void finish(struct walker *w)
{
	w->done = true;
	free(w->frame);
	w->frame = NULL;
	w->nframes = w->room = 0;
}

static void park(struct walk *k, struct walker *w, size_t segment, enum standing standing)
{
	w->standing = standing;
	w->next = k->parked[segment];
	k->parked[segment] = (uint32_t)(w - k->walker);
}

static struct frame *top(const struct walker *w)
{
	return w->nframes ? &w->frame[w->nframes - 1] : NULL;
}

/* Back to who waited, at the beginning of the wait; its frame is in this segment. */
static int pop(struct walk *k, struct walker *w)
{
	const struct frame *f = &w->frame[--w->nframes];
	int code = flush(k, w, 0);

	w->goroutine = f->goroutine;
	w->chain = f->chain;
	w->place = f->place;
	w->moment = f->moment;
	w->linked = false;
	if (f->from < w->t)
		w->t = f->from;
	w->standing = AT_START;
	return code;
}

/* Nothing more can be said up to the beginning of the wait that is explained, or of the path: then
 * on from there. True when the walker has left this segment. */
static bool skip(struct walk *k, struct walker *w, int *code)
{
	const struct frame *f = top(w);

	if (!f) {
		if (!*code)
			*code = flush(k, w, 0);
		finish(w);
		return true;
	}
	if (f->from < w->t)
		w->t = f->from;
	if (f->segment < k->slice.segment) {
		park(k, w, f->segment, TO_FRAME);
		return true;
	}
	if (!*code)
		*code = pop(k, w);
	return false;
}

static int push(struct walker *w, const struct frame *frame)
{
	int code = rep_grow(&w->frame, &w->room, w->nframes, sizeof(*w->frame));

	if (!code)
		w->frame[w->nframes++] = *frame;
	return code;
}

/* Frames of waits that began in this segment and could not be placed before: they are those of the
 * goroutines' last spans here, as a wait that was met later crosses its end. */
static void place_frames(struct walk *k, struct walker *w)
{
	const struct rep_slice *s = &k->slice;

	for (size_t i = w->nframes; i-- > 0 && w->frame[i].segment == s->segment;) {
		struct frame *f = &w->frame[i];

		if (f->goroutine >= s->ngoroutines ||
		    s->first[f->goroutine] == s->first[f->goroutine + 1]) {
			f->place = REP_SLICE_NONE;
			f->moment = 0;
			continue;
		}
		f->place = s->first[f->goroutine + 1] - 1;
		f->moment = rep_slice_start(s, f->place);
	}
}

/* Does a span begin before the wait that is being explained? */
static bool reaches_below(const struct walk *k, const struct walker *w, uint32_t place)
{
	const struct rep_slice *s = &k->slice;
	const struct rep_slice_span *span = rep_slice_at(s, place);
	const struct frame *f = top(w);
	int64_t segment = (int64_t)s->segment;

	if (!f)
		return false;
	if (span->crosses)
		segment = s->from_segment[span->goroutine];
	if (segment != (int64_t)f->segment)
		return segment < (int64_t)f->segment;
	if (!span->crosses)
		return rep_slice_start(s, place) < f->moment;
	return span->start < f->from;
}

/* ---- steps ---- */

static bool is_active(unsigned state)
{
	return state == TP_ST_RUNNING || state == TP_ST_SYSCALL || state == TP_ST_SYSCALL_BLOCKED;
}

/* The place from which a goroutine did something at a moment, or NONE where the trace contradicts
 * itself. */
static uint32_t actor(const struct rep_slice *s, uint32_t goroutine, uint32_t nth, uint32_t moment)
{
	uint32_t place = rep_slice_place(s, goroutine, nth);

	if (place == REP_SLICE_NONE || rep_slice_start(s, place) >= moment)
		return REP_SLICE_NONE;
	if (!is_active(rep_slice_at(s, place)->state) &&
	    rep_slice_at(s, place)->state != TP_ST_LOST)
		return REP_SLICE_NONE;
	return place;
}

/* To the goroutine that ended the wait `span`; false where none did. */
static bool jump(struct walk *k, struct walker *w, const struct rep_slice_span *span, int *code)
{
	const struct rep_slice *s = &k->slice;
	struct frame frame = {
	    .goroutine = w->goroutine,
	    .chain = w->chain,
	    .from = span->start,
	    .segment = s->segment,
	    .place = w->place,
	};
	struct rep_path_chain wait = {
	    .reason = span->reason,
	    .stack = span->stack,
	    .wake_stack = span->waker_stack,
	    .waiter = span->goroutine,
	    .waker = span->waker,
	    .waiter_entry = rep_view_entry(k->v, span->goroutine),
	    .waker_entry = rep_view_entry(k->v, span->waker),
	};
	uint32_t place;

	if (span->waker == TP_NONE)
		return false;
	place = actor(s, span->waker, span->waker_place, w->moment);
	if (place == REP_SLICE_NONE)
		return false;
	if (span->crosses && s->from_segment[span->goroutine] < 0)
		return false;
	if (span->crosses)
		frame.segment = (size_t)s->from_segment[span->goroutine];
	else
		frame.moment = rep_slice_start(s, w->place);
	if (!reaches_below(k, w, w->place))
		*code = push(w, &frame);
	if (!*code)
		*code = rep_path_deepen(k->path, w->chain, &wait, &w->chain);
	w->linked = true;
	w->creates = false;
	w->wakes = w->goroutine;
	w->wakes_reason = span->reason;
	w->wakes_stack = span->stack;
	w->wake_stack = span->waker_stack;
	w->goroutine = span->waker;
	w->place = place;
	return true;
}

#define HOLDER_LOOK 4096 /* spans that are looked at for it */

/* Who ran before on the P on which the goroutine ran at last. */
static uint32_t holder(const struct walk *k, const struct walker *w)
{
	const struct rep_slice *s = &k->slice;
	const struct rep_slice_span *span = rep_slice_at(s, w->place), *then;
	uint32_t last = s->order[w->place], n = 0;

	if (!k->keep || !span->ends || w->place + 1 == s->first[w->goroutine + 1])
		return TP_NONE;
	then = rep_slice_at(s, w->place + 1);
	if (then->state != TP_ST_RUNNING || then->p == TP_NONE)
		return TP_NONE;
	while (last-- > 0 && n++ < HOLDER_LOOK && s->span[last].end > span->start)
		if (s->span[last].state == TP_ST_RUNNING && s->span[last].p == then->p)
			return s->span[last].goroutine;
	return TP_NONE;
}

/* Where a goroutine was stopped or blocked before it became runnable. */
static int hop_runnable(struct walk *k, struct walker *w, const struct rep_slice_span *span,
			int64_t from, bool clipped)
{
	const struct rep_slice *s = &k->slice;
	uint32_t stack = 0;

	if (span->crosses && !clipped) {
		w->hop = (struct rep_path_hop){
		    .from = from < w->t ? from : w->t,
		    .to = w->t,
		    .goroutine = w->goroutine,
		    .reason = span->reason,
		    .chain = w->chain,
		    .wakes = TP_NONE,
		    .kind = REP_PATH_RUNNABLE,
		    .holder = holder(k, w),
		};
		w->pending = true;
		w->linked = false;
		w->t = w->hop.from;
		return 0;
	}
	if (w->place > s->first[w->goroutine])
		stack = rep_slice_at(s, w->place - 1)->stack;
	return hop_to(k, w, from, REP_PATH_RUNNABLE, span->reason, stack, holder(k, w));
}

static int hop_span(struct walk *k, struct walker *w, const struct rep_slice_span *span,
		    int64_t from, bool clipped)
{
	bool ended = span->ends && w->moment == 2 * k->slice.order[w->place] + 2;
	uint32_t stack = w->linked ? w->wake_stack : ended ? span->stack : w->request->stack;

	switch (span->state) {
	case TP_ST_RUNNING:
		return hop_to(k, w, from, REP_PATH_RUNNING, 0, stack, TP_NONE);
	case TP_ST_RUNNABLE:
		return hop_runnable(k, w, span, from, clipped);
	case TP_ST_SYSCALL:
	case TP_ST_SYSCALL_BLOCKED:
		return hop_to(k, w, from, REP_PATH_SYSCALL, 0, span->stack, TP_NONE);
	case TP_ST_WAITING:
		return hop_to(k, w, from,
			      ended && !span->open
				  ? rep_path_outside(k->v->dict, span->reason,
						     rep_view_entry(k->v, span->goroutine))
				  : REP_PATH_UNFINISHED,
			      span->reason, span->stack, TP_NONE);
	default:
		return hop_to(k, w, from, REP_PATH_LOST, 0, 0, TP_NONE);
	}
}

/* Over the span the walker is on. True when it has left this segment. */
static bool step(struct walk *k, struct walker *w, int *code)
{
	const struct rep_slice *s = &k->slice;
	const struct rep_slice_span *span = rep_slice_at(s, w->place);
	bool below = reaches_below(k, w, w->place);

	*code = flush(k, w, span->stack);
	if (!*code && span->state == TP_ST_WAITING && !span->open && span->ends &&
	    w->moment == 2 * s->order[w->place] + 2 && jump(k, w, span, code))
		return false;
	if (!*code)
		*code = hop_span(k, w, span, below ? top(w)->from : span->start, below);
	if (below)
		return skip(k, w, code);
	w->moment = rep_slice_start(s, w->place);
	w->standing = AT_START;
	return false;
}

/* The trace does not say what was before. */
static bool unseen(struct walk *k, struct walker *w, int *code)
{
	int64_t from = top(w) && top(w)->from > w->low ? top(w)->from : w->low;

	*code = flush(k, w, 0);
	if (!*code)
		*code = hop_to(k, w, from, REP_PATH_UNSEEN, 0, 0, TP_NONE);
	return skip(k, w, code);
}

/* To what was before the span at whose beginning the walker is. */
static bool before(struct walk *k, struct walker *w, int *code)
{
	const struct rep_slice *s = &k->slice;
	const struct rep_slice_span *span;
	const struct rep_slice_birth *birth;
	uint32_t place;

	if (w->place == REP_SLICE_NONE)
		return unseen(k, w, code);
	span = rep_slice_at(s, w->place);
	w->standing = ON_SPAN;
	if (span->crosses) {
		int64_t segment = s->from_segment[w->goroutine];

		if (segment < 0 || segment >= (int64_t)s->segment)
			return unseen(k, w, code);
		park(k, w, (size_t)segment, TO_START);
		return true;
	}
	if (w->place > s->first[w->goroutine]) {
		int64_t end = rep_slice_at(s, --w->place)->end;

		w->moment = 2 * s->order[w->place] + 2;
		if (end < w->t)
			*code = hop_to(k, w, end, REP_PATH_UNSEEN, 0, 0, TP_NONE);
		return false;
	}
	birth = &s->birth[w->goroutine];
	place = birth->creator == TP_NONE
		    ? REP_SLICE_NONE
		    : actor(s, birth->creator, birth->creator_place, birth->moment);
	if (place == REP_SLICE_NONE)
		return unseen(k, w, code);
	*code = flush(k, w, 0);
	w->linked = w->creates = true;
	w->wakes = w->goroutine;
	w->wakes_reason = w->wakes_stack = 0;
	w->wake_stack = birth->stack;
	w->goroutine = birth->creator;
	w->place = place;
	w->moment = birth->moment;
	return false;
}

/* The limit of hops has come. */
static int give_up(struct walk *k, struct walker *w)
{
	int code = flush(k, w, 0);

	w->chain = 0;
	w->linked = false;
	if (!code)
		code = hop_to(k, w, w->low, REP_PATH_LIMIT, 0, 0, TP_NONE);
	k->path->limited++;
	finish(w);
	return code;
}

/* As far back as this segment goes. */
static int walk_segment(struct walk *k, struct walker *w)
{
	bool left = false;
	int code = 0;

	while (!left && !code) {
		const struct frame *f = top(w);

		if (w->t <= w->low) {
			code = flush(k, w, 0);
			finish(w);
			return code;
		}
		if (k->left <= 0 || --k->steps <= 0)
			return give_up(k, w);
		if (f && f->segment == k->slice.segment && w->moment <= f->moment)
			code = pop(k, w);
		else if (w->standing == AT_START)
			left = before(k, w, &code);
		else
			left = step(k, w, &code);
	}
	return code;
}

/* ---- where requests end ---- */

/* Stands on a span at time t, or at its end; false where the goroutine had none before t. */
static bool stand(struct walk *k, struct walker *w, uint32_t goroutine, int64_t t)
{
	const struct rep_slice *s = &k->slice;
	uint32_t place = rep_slice_before(s, goroutine, t);
	const struct rep_slice_span *span;

	if (place == REP_SLICE_NONE)
		return false;
	span = rep_slice_at(s, place);
	w->goroutine = w->request->goroutine = goroutine;
	w->place = place;
	w->t = t;
	w->standing = ON_SPAN;
	w->moment =
	    span->ends && span->end <= t ? 2 * s->order[place] + 2 : rep_slice_start(s, place) + 1;
	return true;
}

/* A goroutine that lives on ends before the wait in which it is left. */
static bool begin_living(struct walk *k, struct walker *w)
{
	int64_t end = w->request->to;
	const struct rep_slice_span *span;

	if (!stand(k, w, w->request->goroutine, end))
		return false;
	span = rep_slice_at(&k->slice, w->place);
	if (span->state != TP_ST_WAITING || !span->open)
		return true;
	w->request->to = w->t = span->start;
	w->moment = rep_slice_start(&k->slice, w->place);
	w->standing = AT_START;
	return true;
}

/* The programs' own goroutines: all but the runtime's, whose entry function is main's for main. */
static bool is_own(const struct walk *k, uint32_t goroutine)
{
	struct tp_text name = tp_dict_text(k->v->dict, rep_view_entry(k->v, goroutine));

	return !tp_text_begins(name, "runtime.") && !tp_text_begins(name, "runtime/");
}

#define ACTIVE_LOOK 64 /* spans of a goroutine that are looked at for its last activity */

/* The activity that ended last: where a time range without anything else ends. */
static bool begin_range(struct walk *k, struct walker *w)
{
	const struct rep_slice *s = &k->slice;
	int64_t end = w->request->to, best = INT64_MIN, best_rank = 0;
	uint32_t found = TP_NONE;

	for (uint32_t g = 0; g < s->ngoroutines; g++) {
		uint32_t place = rep_slice_before(s, g, end), n = 0;
		struct tp_text name;
		int64_t at, rank;

		if (place == REP_SLICE_NONE || !is_own(k, g))
			continue;
		while (n++ < ACTIVE_LOOK && place > s->first[g] &&
		       !is_active(rep_slice_at(s, place)->state))
			place--;
		if (!is_active(rep_slice_at(s, place)->state))
			continue;
		at = rep_slice_at(s, place)->end < end ? rep_slice_at(s, place)->end : end;
		/* main before all others, then by id. */
		name = tp_dict_text(k->v->dict, rep_view_entry(k->v, g));
		rank = name.size == 9 && tp_text_begins(name, "main.main")
			   ? INT64_MIN
			   : REP_COL(k->v, GOROUTINE, id)[g];
		if (found == TP_NONE || at > best || (at == best && rank < best_rank)) {
			found = g;
			best = at;
			best_rank = rank;
		}
	}
	if (found == TP_NONE)
		return false;
	w->request->to = best;
	w->request->name = rep_view_entry(k->v, found);
	return stand(k, w, found, best);
}

/* Stands where the request ends. False where that is not in this segment. */
static bool begin_request(struct walk *k, struct walker *w)
{
	struct rep_path_request *r = w->request;

	if (r->subject == REP_PATH_RANGE)
		return begin_range(k, w);
	if (r->subject == REP_PATH_GOROUTINE && r->no_end)
		return begin_living(k, w);
	/* The end of a task that is not here may be the last event of the segment before. */
	if (r->subject == REP_PATH_TASK && !r->no_end && k->slice.segment &&
	    r->to <= k->v->segments[k->slice.segment].from_ns)
		return false;
	return stand(k, w, r->goroutine, r->to);
}

static void begin_tasks(struct walk *k)
{
	for (size_t i = 0; i < k->slice.nends; i++) {
		const struct rep_slice_end *end = &k->slice.end[i];
		struct walker *w;
		uint32_t at, place;

		if (!rep_keys_find(&k->tasks, (uint32_t)end->task, (uint32_t)(end->task >> 32), 0,
				   0, &at) ||
		    end->goroutine == TP_NONE)
			continue;
		w = &k->walker[k->task_walker[at]];
		place = actor(&k->slice, end->goroutine, end->place, end->moment);
		if (w->done || w->standing != TO_BEGIN || end->ts != w->request->to ||
		    place == REP_SLICE_NONE)
			continue;
		w->goroutine = w->request->goroutine = end->goroutine;
		w->request->stack = end->stack;
		w->place = place;
		w->moment = end->moment;
		w->t = end->ts;
		w->standing = ON_SPAN;
	}
}

/* Stands where the walker was on its way to when it was parked. False: that is in an earlier
 * segment, or nowhere. */
static bool resume(struct walk *k, struct walker *w, int *code)
{
	const struct rep_slice *s = &k->slice;
	enum standing standing = w->standing;

	if (standing == ON_SPAN) /* a task whose end was among the events */
		return true;
	if (standing == TO_BEGIN) {
		if (begin_request(k, w))
			return true;
	} else {
		place_frames(k, w);
		if (standing == TO_FRAME) {
			*code = pop(k, w);
			return !*code;
		}
		w->standing = AT_START;
		w->place = REP_SLICE_NONE;
		w->moment = 0;
		if (s->first[w->goroutine] < s->first[w->goroutine + 1]) {
			w->place = s->first[w->goroutine + 1] - 1;
			w->moment = rep_slice_start(s, w->place);
		}
		return true;
	}
	if (s->segment) {
		park(k, w, s->segment - 1, TO_BEGIN);
		return false;
	}
	/* Nothing of it was in the trace. */
	w->goroutine = w->request->goroutine;
	w->t = w->request->to;
	if (w->goroutine < s->ngoroutines && !*code)
		*code = hop_to(k, w, w->low, REP_PATH_UNSEEN, 0, 0, TP_NONE);
	finish(w);
	return false;
}

static int run_segment(struct walk *k, size_t segment, struct tp_err *err)
{
	uint32_t at = k->parked[segment];
	int code = rep_slice_read(&k->slice, k->v, segment, err);

	if (code)
		return code;
	begin_tasks(k);
	while (at != TP_NONE && !code) {
		struct walker *w = &k->walker[at];

		at = w->next;
		if (!w->done && resume(k, w, &code) && !code)
			code = walk_segment(k, w);
		if (code)
			fail(err, code);
	}
	return code;
}

/* The last segment that has begun by t. */
static size_t segment_of(const struct rep_view *v, int64_t t)
{
	size_t from = 0, to = v->nsegments;

	while (from + 1 < to) {
		size_t middle = from + (to - from) / 2;

		if (v->segments[middle].from_ns <= t)
			from = middle;
		else
			to = middle;
	}
	return from;
}

static int begin(struct walk *k, struct rep_path_request *requests, size_t n)
{
	int64_t low = k->v->from > 0 ? k->v->from : 0;

	k->walker = calloc(n + 1, sizeof(*k->walker));
	k->parked = tp_many(k->v->nsegments + 1, sizeof(*k->parked));
	if (!k->walker || !k->parked)
		return TP_ENOMEM;
	memset(k->parked, 0xff, (k->v->nsegments + 1) * sizeof(*k->parked));
	k->n = n;
	for (size_t i = n; i-- > 0;) {
		struct walker *w = &k->walker[i];
		struct rep_path_request *r = &requests[i];
		uint64_t id = (uint64_t)r->id;
		uint32_t at;
		int code = 0;

		w->request = r;
		w->low = r->from > low ? r->from : low;
		w->last.goroutine = TP_NONE;
		park(k, w, segment_of(k->v, r->to), TO_BEGIN);
		if (r->subject != REP_PATH_TASK || r->no_end)
			continue;
		code = rep_keys_add(&k->tasks, (uint32_t)id, (uint32_t)(id >> 32), 0, 0, &at);
		if (!code)
			code =
			    rep_grow(&k->task_walker, &k->task_room, at, sizeof(*k->task_walker));
		if (code)
			return code;
		k->task_walker[at] = (uint32_t)i;
	}
	return 0;
}

int rep_path_walk(struct rep_view *v, struct rep_path_request *requests, size_t n, int64_t max_hops,
		  struct rep_path *path, struct tp_err *err)
{
	struct walk k = {
	    .v = v,
	    .path = path,
	    .left = max_hops,
	    .steps = max_hops < INT64_MAX / 8 ? 8 * max_hops + 64 : INT64_MAX,
	    .keep = n == 1,
	};
	int code = rep_path_begin(path);

	if (!code && n >= TP_NONE)
		code = TP_ELIMIT;
	if (!code)
		code = begin(&k, requests, n);
	if (code)
		fail(err, code);
	else
		code = rep_view_load(v, TP_TABLE_GOROUTINE,
				     REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, id), err);
	for (size_t i = v->nsegments; i-- > 0 && !code;)
		if (k.parked[i] != TP_NONE)
			code = run_segment(&k, i, err);
	path->requests = n;
	if (!code) {
		rep_path_finish(path);
		rep_path_sort(requests, n);
	}
	for (size_t i = 0; i < k.n; i++)
		free(k.walker[i].frame);
	free(k.walker);
	free(k.parked);
	free(k.task_walker);
	rep_keys_release(&k.tasks);
	rep_slice_release(&k.slice);
	return code;
}
