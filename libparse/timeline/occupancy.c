#include "timeline/occupancy.h"

#include <stdlib.h>
#include <string.h>

#include "store/tables.h"

#define LEVELS 31 /* 4^31 ns is more than a century */
#define SHARES 4

/* A span of the current segment; those of one goroutine are chained in order. */
struct piece {
	int64_t start, end;
	uint32_t next; /* index + 1 of the goroutine's next one, 0: the last */
	uint8_t state;
};

/* The spans of one goroutine in the current segment: indices + 1 into the pieces, 0 for none. */
struct chain {
	uint32_t first, last;
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
	struct chain *chains; /* by goroutine */
	uint32_t chain_room;
	uint32_t *touched; /* goroutines that have a chain */
	uint32_t ntouched, touched_room;
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
	free(o->chains);
	free(o->touched);
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
	p = realloc(*array, more * size);
	if (!p)
		return TP_ENOMEM;
	memset((char *)p + *room * size, 0, (more - *room) * size);
	*array = p;
	*room = (uint32_t)more;
	return 0;
}

static int append(struct tp_occupancy *o, uint32_t goroutine, int64_t start, int64_t end,
		  uint8_t state)
{
	struct chain *c;

	if (make_room((void **)&o->pieces, &o->piece_room, (uint64_t)o->npieces + 1,
		      sizeof(*o->pieces)) ||
	    make_room((void **)&o->chains, &o->chain_room, (uint64_t)goroutine + 1,
		      sizeof(*o->chains)) ||
	    make_room((void **)&o->touched, &o->touched_room, (uint64_t)o->ntouched + 1,
		      sizeof(*o->touched)))
		return TP_ENOMEM;
	o->pieces[o->npieces++] = (struct piece){.start = start, .end = end, .state = state};
	c = &o->chains[goroutine];
	if (c->first) {
		o->pieces[c->last - 1].next = o->npieces;
	} else {
		c->first = o->npieces;
		o->touched[o->ntouched++] = goroutine;
	}
	c->last = o->npieces;
	return 0;
}

int tp_occupancy_span(struct tp_occupancy *o, const struct tp_span *span, struct tp_err *err)
{
	if (append(o, span->goroutine, span->start, span->end, span->state))
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	return 0;
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

static void write_goroutine(struct tp_occupancy *o, uint32_t g, int64_t from_ns, int64_t to_ns)
{
	const struct piece *p = &o->pieces[o->chains[g].first - 1];
	uint8_t before = p->start < from_ns ? p->state : TP_ST_NOT_EXIST;
	int64_t end = from_ns;

	o->goroutine = g;
	for (unsigned l = o->base; l <= o->top; l++)
		o->level[l] = (struct bucket){.inherits = before};
	for (;; p = &o->pieces[p->next - 1]) {
		int64_t start = p->start < end ? end : p->start;

		end = p->end < to_ns ? p->end : to_ns;
		if (end < start)
			end = start;
		add_span(o, o->base, start, end, p->state);
		if (!p->next)
			break;
	}
	for (unsigned l = o->base; l <= o->top; l++) {
		struct bucket *b = &o->level[l];

		/* It ended before the segment did: what follows is nothing. */
		if (end < to_ns) {
			if (!b->changes)
				enter(o, l, end >> 2 * l, end)->to = end;
			b->changes++;
			b->last = TP_ST_NOT_EXIST;
		}
		close_bucket(o, l);
	}
}

/* What is still going on counts up to the end of the segment: of goroutines whose state changed in
 * it, and of those that began in it. */
static int append_open(struct tp_occupancy *o, const struct tp_spans *spans, uint32_t g,
		       int64_t start_ns, int64_t to_ns)
{
	struct tp_span open;

	if (!tp_spans_open(spans, g, &open))
		return 0;
	return append(o, g, open.start - start_ns, to_ns, open.state);
}

int tp_occupancy_segment(struct tp_occupancy *o, const struct tp_spans *spans, uint32_t ng,
			 int64_t start_ns, const struct tp_segment *segment, struct tp_err *err)
{
	int64_t from_ns = segment->from_ns, to_ns = segment->to_ns;
	int failed = 0;

	o->segment = segment->id;
	/* Times that no clock shows: the buckets around them could not be counted in 64 bits. */
	o->code = from_ns < 0 || to_ns > INT64_MAX / 4 ? 1 : 0;
	o->err = err;
	choose_levels(o, to_ns - from_ns, segment->events);
	for (uint32_t i = 0, n = o->ntouched; i < n && !failed; i++)
		failed = append_open(o, spans, o->touched[i], start_ns, to_ns);
	for (; o->known < ng && !failed; o->known++)
		if (o->known >= o->chain_room || !o->chains[o->known].first)
			failed = append_open(o, spans, o->known, start_ns, to_ns);
	if (failed)
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	for (uint32_t i = 0; i < o->ntouched; i++) {
		uint32_t g = o->touched[i];

		if (!o->code)
			write_goroutine(o, g, from_ns, to_ns);
		o->chains[g] = (struct chain){0};
	}
	o->ntouched = 0;
	o->npieces = 0;
	return o->code < 0 ? o->code : 0;
}
