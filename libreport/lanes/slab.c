#include "lanes/slab.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "spans/segment.h"

#define MOST_SPANS  (UINT32_MAX / 4)
#define SUM_CLASSES 64	 /* no sums of blocks where there are more */
#define STOP_SPANS  4096 /* spans between two looks at `stop` */

/* A span as it is read. */
struct raw {
	int64_t start, end;
	uint32_t goroutine, m, p;
	uint16_t class;
};

struct reading {
	struct rep_lanes *l;
	struct rep_slab *s;
	const atomic_bool *stop;
	struct raw *raw;
	uint32_t n, room;
	uint32_t *count;       /* by goroutine; places later */
	uint32_t *on_p, *on_m; /* spans by P and M */
	uint32_t n_on_p, n_on_m;
};

/* Whether its state is one of those in which a goroutine is on an M, and has a P. */
static bool on_m(uint16_t class)
{
	return class == TP_ST_RUNNING || class == TP_ST_SYSCALL || class == TP_ST_SYSCALL_BLOCKED;
}

static bool on_p(uint16_t class)
{
	/* Who lost the P in a system call still says which it was. */
	return class == TP_ST_RUNNING || class == TP_ST_SYSCALL;
}

static int on_span(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	struct reading *r = ctx;
	const struct rep_lanes *l = r->l;

	(void)end_stack;
	if (r->stop && r->n % STOP_SPANS == 0 && atomic_load(r->stop))
		return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
	if (crosses || span->state >= TP_NSTATES || !rep_lanes_shows(l, span->goroutine))
		return 0;
	if (r->n == r->room) {
		uint32_t room = r->room ? 2 * r->room : 1 << 16;
		struct raw *more;

		if (room > MOST_SPANS)
			return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
					  "segment %zu: too many spans", r->s->segment);
		more = tp_more(r->raw, room, sizeof(*more));
		if (!more)
			return tp_nomem(err);
		r->raw = more;
		r->room = room;
	}
	r->raw[r->n++] = (struct raw){
	    .start = span->start,
	    .end = span->end,
	    .goroutine = span->goroutine,
	    .m = span->m,
	    .p = span->p,
	    .class = rep_lanes_class(l, span->state, span->reason),
	};
	r->count[span->goroutine]++;
	if (span->p < l->np && on_p(r->raw[r->n - 1].class)) {
		r->on_p[span->p]++;
		r->n_on_p++;
	}
	if (span->m < l->nm && on_m(r->raw[r->n - 1].class)) {
		r->on_m[span->m]++;
		r->n_on_m++;
	}
	return 0;
}

static int read_spans(struct reading *r, struct tp_err *err)
{
	const struct rep_segment_reader reader = {.span = on_span, .ctx = r};

	return rep_segment_read(&r->l->v, r->s->segment, &reader, err);
}

static void *room_for(struct rep_slab *s, size_t n, size_t size)
{
	s->bytes += (n + 1) * size;
	return calloc(n + 1, size);
}

/* ---- goroutines ---- */

static int make_lists(struct reading *r)
{
	struct rep_slab *s = r->s;
	uint32_t at = 0, lists = 0;

	for (uint32_t g = 0; g < r->l->ng; g++)
		s->nlists += r->count[g] > 0;
	s->list = room_for(s, s->nlists + (size_t)1, sizeof(*s->list));
	if (!s->list)
		return TP_ENOMEM;
	for (uint32_t g = 0; g < r->l->ng; g++) {
		uint32_t n = r->count[g];

		if (!n)
			continue;
		s->list[lists++] =
		    (struct rep_slab_list){.owner = g, .first = at, .end = 0, .sums = TP_NONE};
		r->count[g] = at;
		at += n;
	}
	s->list[lists] = (struct rep_slab_list){.owner = TP_NONE, .first = at, .sums = TP_NONE};
	return 0;
}

/* Where the time of the spans fits, and whether each ends where the next one of its goroutine
 * begins. */
static int place_spans(struct reading *r, uint32_t *place)
{
	struct rep_slab *s = r->s;
	int64_t low = INT64_MAX, high = INT64_MIN;
	uint32_t list = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		low = r->raw[i].start < low ? r->raw[i].start : low;
		high = r->raw[i].start > high ? r->raw[i].start : high;
		place[i] = r->count[r->raw[i].goroutine]++;
	}
	s->n = r->n;
	s->base = r->n ? low : 0;
	s->class = room_for(s, s->n, sizeof(*s->class));
	s->end = calloc(s->n + (size_t)1, sizeof(*s->end));
	if (r->n && (uint64_t)high - (uint64_t)low > UINT32_MAX)
		s->start64 = room_for(s, s->n, sizeof(*s->start64));
	else
		s->start32 = room_for(s, s->n, sizeof(*s->start32));
	if (!s->class || !s->end || (!s->start32 && !s->start64))
		return TP_ENOMEM;
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t at = place[i];

		if (s->start32)
			s->start32[at] = (uint32_t)(r->raw[i].start - low);
		else
			s->start64[at] = r->raw[i].start;
		s->end[at] = r->raw[i].end;
		s->class[at] = r->raw[i].class;
	}
	for (uint32_t i = 0; i < s->n; i++) {
		while (s->list[list + 1].first <= i)
			list++;
		if (s->end[i] < rep_slab_start(s, i))
			s->odd = true;
		if (i + 1 == s->list[list + 1].first) {
			s->list[list].end = s->end[i];
			s->class[i] |= REP_SLAB_LAST;
		} else if (s->end[i] != rep_slab_start(s, i + 1)) {
			s->odd = true;
		}
	}
	return 0;
}

/* ---- Ps and Ms ---- */

/* Where spans by P or M go. */
struct places {
	uint32_t owners;
	uint32_t *count; /* by owner: spans, then where the next one goes */
	uint32_t n;
	uint32_t **order;
	struct rep_slab_list **list;
	uint32_t *nlists;
};

static int make_place_lists(struct rep_slab *s, const struct places *p)
{
	uint32_t at = 0, lists = 0;

	for (uint32_t o = 0; o < p->owners; o++)
		*p->nlists += p->count[o] > 0;
	*p->order = room_for(s, p->n, sizeof(**p->order));
	*p->list = room_for(s, *p->nlists + (size_t)1, sizeof(**p->list));
	if (!*p->order || !*p->list)
		return TP_ENOMEM;
	for (uint32_t o = 0; o < p->owners; o++) {
		if (!p->count[o])
			continue;
		(*p->list)[lists++] = (struct rep_slab_list){
		    .owner = o, .first = at, .end = INT64_MIN, .sums = TP_NONE};
		at += p->count[o];
		/* From here on the list, until it is filled. */
		p->count[o] = lists - 1;
	}
	(*p->list)[lists] = (struct rep_slab_list){.owner = TP_NONE, .first = at, .sums = TP_NONE};
	return 0;
}

static void put_place(const struct places *p, uint32_t owner, const struct raw *raw, uint32_t place,
		      uint32_t *filled)
{
	uint32_t k = p->count[owner];
	struct rep_slab_list *list = &(*p->list)[k];

	(*p->order)[list->first + filled[k]++] = place;
	if (raw->start < list->end || raw->end < raw->start)
		list->odd = true;
	list->end = raw->end;
}

/* Spans are in the order in which they ended, which is that of their starts where they do not
 * overlap. */
static int make_places(const struct reading *r, const uint32_t *place)
{
	struct rep_slab *s = r->s;
	struct places p = {.owners = r->l->np,
			   .count = r->on_p,
			   .n = r->n_on_p,
			   .order = &s->on_p,
			   .list = &s->p_list,
			   .nlists = &s->np_lists};
	struct places m = {.owners = r->l->nm,
			   .count = r->on_m,
			   .n = r->n_on_m,
			   .order = &s->on_m,
			   .list = &s->m_list,
			   .nlists = &s->nm_lists};
	uint32_t *filled;

	if (make_place_lists(s, &p) || make_place_lists(s, &m))
		return TP_ENOMEM;
	filled = calloc(s->np_lists + (size_t)s->nm_lists + 1, sizeof(*filled));
	if (!filled)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct raw *raw = &r->raw[i];

		if (raw->p < r->l->np && on_p(raw->class))
			put_place(&p, raw->p, raw, place[i], filled);
		if (raw->m < r->l->nm && on_m(raw->class))
			put_place(&m, raw->m, raw, place[i], filled + s->np_lists);
	}
	free(filled);
	return 0;
}

/* ---- sums ---- */

/* What the spans of long lists before each block sum up to. */
static int make_sums(struct rep_slab *s, uint32_t nclasses)
{
	uint32_t rows = 0;

	s->nclasses = nclasses;
	if (s->odd || nclasses > SUM_CLASSES)
		return 0;
	for (uint32_t k = 0; k < s->nlists; k++) {
		uint32_t n = s->list[k + 1].first - s->list[k].first;

		if (n < 2 * REP_SLAB_BLOCK)
			continue;
		s->list[k].sums = rows;
		rows += n / REP_SLAB_BLOCK + 1;
	}
	s->sum = room_for(s, (size_t)rows * nclasses, sizeof(*s->sum));
	if (!s->sum)
		return TP_ENOMEM;
	for (uint32_t k = 0; k < s->nlists; k++) {
		const struct rep_slab_list *list = &s->list[k];
		uint32_t n = list[1].first - list->first;
		int64_t *sum = s->sum + (size_t)list->sums * nclasses;

		if (list->sums == TP_NONE)
			continue;
		for (uint32_t i = 0; i < n / REP_SLAB_BLOCK * REP_SLAB_BLOCK; i++) {
			uint32_t at = list->first + i;

			if (i % REP_SLAB_BLOCK == 0) {
				memcpy(sum + nclasses, sum, nclasses * sizeof(*sum));
				sum += nclasses;
			}
			int64_t *to = &sum[rep_slab_class(s, at)];

			*to = tp_plus(*to, tp_minus(s->end[at], rep_slab_start(s, at)));
		}
	}
	return 0;
}

static struct rep_slab_block *make_blocks(struct rep_slab *s, const uint32_t *order,
					  struct rep_slab_list *list, uint32_t nlists)
{
	struct rep_slab_block *block;
	uint32_t rows = 0;

	for (uint32_t k = 0; k < nlists; k++) {
		uint32_t n = list[k + 1].first - list[k].first;

		if (n < 2 * REP_SLAB_BLOCK || list[k].odd || s->odd)
			continue;
		list[k].sums = rows;
		rows += n / REP_SLAB_BLOCK + 1;
	}
	block = room_for(s, rows, sizeof(*block));
	for (uint32_t k = 0; k < nlists && block; k++) {
		uint32_t n = (list[k + 1].first - list[k].first) / REP_SLAB_BLOCK * REP_SLAB_BLOCK;
		struct rep_slab_block *b = block + list[k].sums;
		int64_t longest = 0;

		for (uint32_t i = 0; i < n && list[k].sums != TP_NONE; i++) {
			uint32_t at = order[list[k].first + i];
			int64_t ns = tp_minus(s->end[at], rep_slab_start(s, at));

			if (i % REP_SLAB_BLOCK == 0) {
				b[1] = b[0];
				b->longest = at;
				longest = 0;
				b++;
			}
			if (ns > longest) {
				longest = ns;
				b[-1].longest = at;
			}
			switch (rep_slab_class(s, at)) {
			case TP_ST_RUNNING:
				b->running = tp_plus(b->running, ns);
				break;
			case TP_ST_SYSCALL:
				b->syscall = tp_plus(b->syscall, ns);
				break;
			default:
				b->blocked = tp_plus(b->blocked, ns);
				break;
			}
		}
	}
	return block;
}

/* ---- slabs ---- */

void rep_slab_free(struct rep_slab *s)
{
	if (!s)
		return;
	free(s->start32);
	free(s->start64);
	free(s->end);
	free(s->class);
	free(s->list);
	free(s->sum);
	free(s->on_p);
	free(s->on_m);
	free(s->p_list);
	free(s->m_list);
	free(s->p_block);
	free(s->m_block);
	free(s);
}

static int make_slab(struct reading *r, struct tp_err *err)
{
	struct rep_slab *s = r->s;
	uint32_t *place = NULL;
	int code;

	r->count = calloc(r->l->ng + (size_t)1, sizeof(*r->count));
	r->on_p = calloc(r->l->np + (size_t)1, sizeof(*r->on_p));
	r->on_m = calloc(r->l->nm + (size_t)1, sizeof(*r->on_m));
	code = r->count && r->on_p && r->on_m ? read_spans(r, err) : tp_nomem(err);
	if (code)
		return code;
	place = tp_many(r->n + (size_t)1, sizeof(*place));
	if (!place || make_lists(r) || place_spans(r, place) || make_places(r, place) ||
	    make_sums(s, r->l->nclasses))
		code = tp_nomem(err);
	if (!code) {
		s->p_block = make_blocks(s, s->on_p, s->p_list, s->np_lists);
		s->m_block = make_blocks(s, s->on_m, s->m_list, s->nm_lists);
		if (!s->p_block || !s->m_block)
			code = tp_nomem(err);
	}
	free(place);
	if (!code && !s->odd) {
		free(s->end);
		s->end = NULL;
	} else if (!code) {
		s->bytes += s->n * sizeof(*s->end);
	}
	return code;
}

int rep_slab_read(struct rep_lanes *l, size_t segment, const atomic_bool *stop,
		  struct rep_slab **slab, struct tp_err *err)
{
	struct reading r = {.l = l, .stop = stop};
	int code;

	r.s = calloc(1, sizeof(*r.s));
	if (!r.s)
		return tp_nomem(err);
	r.s->segment = segment;
	r.s->used = l->used;
	r.s->bytes = sizeof(*r.s);
	code = make_slab(&r, err);
	free(r.raw);
	free(r.count);
	free(r.on_p);
	free(r.on_m);
	if (code) {
		rep_slab_free(r.s);
		return code;
	}
	*slab = r.s;
	return 0;
}
