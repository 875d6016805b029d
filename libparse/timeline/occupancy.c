#include "timeline/occupancy.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "store/tables.h"

#define LEVELS 31 /* 4^31 ns is more than a century */
#define SHARES 4

#define STATE_BITS 4
_Static_assert(TP_NSTATES <= 1 << STATE_BITS, "a state fits beside a time");

/* The end of a span of the current segment, in the order fed; or, with the state NOT_EXIST, the
 * beginning of one that follows none. */
struct piece {
	int64_t end;
	uint32_t goroutine;
	uint32_t state;
};

/* What a goroutine has among the pieces. */
struct share {
	int64_t until;	/* end of the latest */
	uint32_t count; /* how many; while they are sorted: where the next one goes */
};

/* The bucket of one level that is being added up. */
struct bucket {
	int64_t number;
	int64_t from, to; /* what has been added covers this */
	int64_t share[SHARES];
	uint32_t changes; /* things added: more than one is a change of state */
	uint8_t last;	  /* state it ends in so far */
	uint8_t inherits; /* state a bucket without a row is taken to be in */
};

struct tp_occupancy {
	tp_occupancy_row_fn fn;
	void *ctx;
	struct piece *pieces;
	uint32_t npieces, piece_room;
	struct share *shares; /* by goroutine */
	uint32_t share_room;
	uint32_t *touched; /* goroutines that have pieces */
	uint32_t ntouched, touched_room;
	int64_t *sorted; /* the same by goroutine: end << STATE_BITS | state */
	uint32_t sorted_room;
	uint32_t known; /* goroutines there were when the last segment ended */

	/* While a goroutine of a segment is written: */
	int64_t segment, goroutine;
	unsigned base, top; /* levels in use */
	struct bucket level[LEVELS];
	int code;
	struct tp_err *err;
};

struct tp_occupancy *tp_occupancy_new(tp_occupancy_row_fn fn, void *ctx)
{
	struct tp_occupancy *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->fn = fn;
	o->ctx = ctx;
	return o;
}

void tp_occupancy_free(struct tp_occupancy *o)
{
	if (!o)
		return;
	free(o->pieces);
	free(o->shares);
	free(o->touched);
	free(o->sorted);
	free(o);
}

/* Room for `need` entries; new ones are zeroed. 0 or TP_ENOMEM. */
static int make_room(void **array, uint32_t *room, uint64_t need, size_t size)
{
	uint64_t more = *room ? *room : 1024;
	void *p;

	if (need <= *room)
		return 0;
	while (more < need)
		more *= 2;
	if (more >= UINT32_MAX)
		return TP_ENOMEM;
	p = tp_more(*array, more, size);
	if (!p)
		return TP_ENOMEM;
	memset((char *)p + *room * size, 0, (size_t)(more - *room) * size);
	*array = p;
	*room = (uint32_t)more;
	return 0;
}

/* Room for two more pieces of a goroutine. */
static int make_rooms(struct tp_occupancy *o, uint32_t goroutine)
{
	return make_room((void **)&o->pieces, &o->piece_room, (uint64_t)o->npieces + 2,
			 sizeof(*o->pieces)) ||
	       make_room((void **)&o->shares, &o->share_room, (uint64_t)goroutine + 1,
			 sizeof(*o->shares)) ||
	       make_room((void **)&o->touched, &o->touched_room, (uint64_t)o->ntouched + 1,
			 sizeof(*o->touched));
}

static int append(struct tp_occupancy *o, uint32_t goroutine, int64_t start, int64_t end,
		  uint8_t state)
{
	struct share *s;

	if ((o->npieces + 2 > o->piece_room || goroutine >= o->share_room ||
	     o->ntouched == o->touched_room) &&
	    make_rooms(o, goroutine))
		return TP_ENOMEM;
	s = &o->shares[goroutine];
	if (!s->count || s->until != start) {
		if (!s->count)
			o->touched[o->ntouched++] = goroutine;
		s->count++;
		o->pieces[o->npieces++] = (struct piece){start, goroutine, TP_ST_NOT_EXIST};
	}
	s->count++;
	s->until = end;
	o->pieces[o->npieces++] = (struct piece){end, goroutine, state};
	return 0;
}

int tp_occupancy_add(struct tp_occupancy *o, uint32_t goroutine, int64_t start, int64_t end,
		     uint8_t state)
{
	return append(o, goroutine, start, end, state);
}

/* Which of a row's shares a state counts into; SHARES for those that count into none. */
static unsigned share_of(uint8_t state)
{
	switch (state) {
	case TP_ST_RUNNING:
		return 0;
	case TP_ST_RUNNABLE:
		return 1;
	case TP_ST_WAITING:
		return 2;
	case TP_ST_SYSCALL:
	case TP_ST_SYSCALL_BLOCKED:
		return 3;
	default:
		return SHARES;
	}
}

/* These four call each other for coarser levels only: at most LEVELS deep. */
/* NOLINTBEGIN(misc-no-recursion) */
static void add_span(struct tp_occupancy *o, unsigned level, int64_t from, int64_t to,
		     uint8_t state);
static void close_bucket(struct tp_occupancy *o, unsigned level);

/* The bucket `number` of a level, empty if it is not the one that was being added up. */
static struct bucket *enter(struct tp_occupancy *o, unsigned level, int64_t number, int64_t from)
{
	struct bucket *b = &o->level[level];

	if (b->changes && b->number != number)
		close_bucket(o, level);
	if (!b->changes) {
		b->number = number;
		b->from = from;
		memset(b->share, 0, sizeof(b->share));
	}
	return b;
}

/* A finished row of the level below counts as a change: it has one inside. */
static void add_row(struct tp_occupancy *o, unsigned level, const struct bucket *row)
{
	struct bucket *b = enter(o, level, row->number >> 2, row->from);

	for (unsigned i = 0; i < SHARES; i++)
		b->share[i] += row->share[i];
	b->to = row->to;
	b->changes += 2;
	b->last = row->last;
}

static void write_row(struct tp_occupancy *o, unsigned level, const struct bucket *b)
{
	const int64_t row[] = {
	    [TP_COL(OCCUPANCY, segment)] = o->segment,
	    [TP_COL(OCCUPANCY, level)] = level,
	    [TP_COL(OCCUPANCY, goroutine)] = o->goroutine,
	    [TP_COL(OCCUPANCY, bucket)] = b->number,
	    [TP_COL(OCCUPANCY, running_ns)] = b->share[0],
	    [TP_COL(OCCUPANCY, runnable_ns)] = b->share[1],
	    [TP_COL(OCCUPANCY, blocked_ns)] = b->share[2],
	    [TP_COL(OCCUPANCY, syscall_ns)] = b->share[3],
	    [TP_COL(OCCUPANCY, last_state)] = b->last,
	};

	if (!o->code)
		o->code = o->fn(o->ctx, row, o->err);
}

/* Ends the bucket of a level and passes it on to the next coarser one: as a row where its state
 * changed, else as the plain stretch of time that it is. */
static void close_bucket(struct tp_occupancy *o, unsigned level)
{
	struct bucket *b = &o->level[level];
	struct bucket done = *b;

	if (!done.changes)
		return;
	b->changes = 0;
	if (done.changes == 1 && done.last == done.inherits) {
		if (level < o->top)
			add_span(o, level + 1, done.from, done.to, done.last);
		return;
	}
	b->inherits = done.last;
	write_row(o, level, &done);
	if (level < o->top)
		add_row(o, level + 1, &done);
}

/* A stretch of time in one state. Calls itself for coarser levels only: at most LEVELS deep. */
static void add_span(struct tp_occupancy *o, unsigned level, int64_t from, int64_t to,
		     uint8_t state)
{
	unsigned shift = 2 * level, share = share_of(state);

	while (from < to) {
		int64_t number = from >> shift, next = (number + 1) << shift;
		struct bucket *b = enter(o, level, number, from);

		if (!b->changes && to >= next && from == number << shift && state == b->inherits) {
			/* Whole buckets in the state they inherit need no rows. */
			int64_t last = (to >> shift) << shift;

			if (level < o->top)
				add_span(o, level + 1, from, last, state);
			from = last;
			continue;
		}
		if (next > to)
			next = to;
		if (share < SHARES)
			b->share[share] += next - from;
		b->changes++;
		b->last = state;
		b->to = next;
		from = next;
	}
}
/* NOLINTEND(misc-no-recursion) */

/* The smallest level whose buckets hold some TP_OCCUPANCY_EVENTS each, and the largest that still
 * divides the segment. */
static void choose_levels(struct tp_occupancy *o, int64_t width, int64_t events)
{
	int64_t buckets = events / TP_OCCUPANCY_EVENTS + 1;

	o->base = 0;
	while (o->base < LEVELS - 1 && width >> 2 * o->base > buckets)
		o->base++;
	o->top = o->base;
	while (o->top < LEVELS - 1 && width >> 2 * o->top > 1)
		o->top++;
}

/* The pieces of one goroutine, the first of them a beginning. */
static void write_goroutine(struct tp_occupancy *o, uint32_t g, const int64_t *piece, uint32_t n,
			    int64_t from_ns, int64_t to_ns)
{
	struct bucket *base = &o->level[o->base];
	int64_t at = from_ns, bucket_end = 0, begun = piece[0] >> STATE_BITS;
	uint8_t before =
	    begun < from_ns && n > 1 ? piece[1] & ((1 << STATE_BITS) - 1) : TP_ST_NOT_EXIST;

	o->goroutine = g;
	for (unsigned l = o->base; l <= o->top; l++)
		o->level[l] = (struct bucket){.inherits = before};
	for (uint32_t i = 0; i < n; i++) {
		uint8_t state = piece[i] & ((1 << STATE_BITS) - 1);
		int64_t end = piece[i] >> STATE_BITS;
		unsigned share = share_of(state);

		if (end > to_ns)
			end = to_ns;
		if (end <= at)
			continue;
		if (end < bucket_end && share < SHARES) {
			/* Most spans are part of a bucket: what add_span would do, in short. */
			base->share[share] += end - at;
			base->changes++;
			base->last = state;
			base->to = end;
		} else {
			if (state != TP_ST_NOT_EXIST || at > from_ns)
				add_span(o, o->base, at, end, state);
			bucket_end = base->changes ? (base->number + 1) << 2 * o->base : 0;
		}
		at = end;
	}
	for (unsigned l = o->base; l <= o->top; l++) {
		struct bucket *b = &o->level[l];

		/* It ended before the segment did: what follows is nothing. */
		if (at < to_ns) {
			if (!b->changes)
				enter(o, l, at >> 2 * l, at)->to = at;
			b->changes++;
			b->last = TP_ST_NOT_EXIST;
		}
		close_bucket(o, l);
	}
}

/* Pieces by goroutine, in their order: one pass, each to the next place of its goroutine. */
static int sort_pieces(struct tp_occupancy *o)
{
	uint32_t place = 0;

	if (make_room((void **)&o->sorted, &o->sorted_room, o->npieces, sizeof(*o->sorted)))
		return TP_ENOMEM;
	for (uint32_t i = 0; i < o->ntouched; i++) {
		struct share *s = &o->shares[o->touched[i]];
		uint32_t count = s->count;

		s->count = place;
		place += count;
	}
	for (uint32_t i = 0; i < o->npieces; i++) {
		const struct piece *p = &o->pieces[i];

		o->sorted[o->shares[p->goroutine].count++] =
		    (int64_t)((uint64_t)p->end << STATE_BITS | p->state);
	}
	return 0;
}

/* What is still going on counts up to the end of the segment: of goroutines whose state changed in
 * it, and of those that began in it. */
static int append_open(struct tp_occupancy *o, const struct tp_spans *spans, uint32_t g,
		       int64_t start_ns, int64_t to_ns)
{
	struct tp_span open;

	if (!tp_spans_open(spans, g, &open))
		return 0;
	return append(o, g, (int64_t)((uint64_t)open.start - (uint64_t)start_ns), to_ns,
		      open.state);
}

int tp_occupancy_segment(struct tp_occupancy *o, const struct tp_spans *spans, uint32_t ng,
			 int64_t start_ns, const struct tp_segment *segment, struct tp_err *err)
{
	int64_t from_ns = segment->from_ns, to_ns = segment->to_ns;
	int failed = 0;

	o->segment = segment->id;
	/* Times that no clock shows: the buckets around them could not be counted in 64 bits. */
	o->code = from_ns < 0 || to_ns > INT64_MAX >> (STATE_BITS + 2) ? 1 : 0;
	o->err = err;
	if (!o->code)
		choose_levels(o, to_ns - from_ns, segment->events);
	for (uint32_t i = 0, n = o->ntouched; i < n && !failed; i++)
		failed = append_open(o, spans, o->touched[i], start_ns, to_ns);
	for (; o->known < ng && !failed; o->known++)
		if (o->known >= o->share_room || !o->shares[o->known].count)
			failed = append_open(o, spans, o->known, start_ns, to_ns);
	if (failed || sort_pieces(o))
		return tp_nomem(err);
	for (uint32_t i = 0, first = 0; i < o->ntouched; i++) {
		struct share *s = &o->shares[o->touched[i]];
		uint32_t n = s->count - first;

		if (!o->code)
			write_goroutine(o, o->touched[i], o->sorted + first, n, from_ns, to_ns);
		first += n;
		s->count = 0;
	}
	o->ntouched = 0;
	o->npieces = 0;
	return o->code < 0 ? o->code : 0;
}
