#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/search.h"
#include "life/inside.h"
#include "spans/crossing.h"

#define KEPT_BYTES ((size_t)16 << 20) /* of cached segments */

/* ---- spans per segment ---- */

/* Reads a row of span_crossing. Returns false if it is another goroutine's. */
static bool crossing_at(const struct rep_life *life, size_t row, struct rep_crossing *c)
{
	return rep_crossing_at(&life->view, row, c) && c->span.goroutine == life->goroutine;
}

/* Limit that keeps sums from overflowing, as a store may contain anything. */
#define MOST_SPANS (INT64_C(1) << 32)

static void count(struct rep_life *life, uint64_t segment, int64_t n)
{
	if (segment < life->view.nsegments && n > 0 && n < MOST_SPANS &&
	    life->first[segment + 1] < MOST_SPANS)
		life->first[segment + 1] += n;
}

static int count_spans(struct rep_life *life, struct tp_err *err)
{
	struct rep_view *v = &life->view;
	int code =
	    rep_view_load(v, TP_TABLE_GOROUTINE_TIME,
			  REP_BIT(GOROUTINE_TIME, segment) | REP_BIT(GOROUTINE_TIME, goroutine) |
			      REP_BIT(GOROUTINE_TIME, count),
			  err);

	if (!code)
		code = rep_crossings_load(v, err);
	if (code)
		return code;
	life->first = calloc(v->nsegments + 2, sizeof(*life->first));
	if (!life->first)
		return tp_nomem(err);
	for (size_t i = 0; i < v->nrows[TP_TABLE_GOROUTINE_TIME]; i++)
		if (REP_COL(v, GOROUTINE_TIME, goroutine)[i] == life->goroutine)
			count(life, (uint64_t)REP_COL(v, GOROUTINE_TIME, segment)[i],
			      REP_COL(v, GOROUTINE_TIME, count)[i]);
	for (size_t i = 0; i < rep_crossings(v); i++) {
		struct rep_crossing c;

		if (crossing_at(life, i, &c))
			count(life, (uint64_t)c.first, 1);
	}
	for (size_t i = 0; i < v->nsegments; i++)
		life->first[i + 1] += life->first[i];
	return 0;
}

static int make_cache(struct rep_life *life, struct tp_err *err)
{
	size_t n = life->view.nrows[TP_TABLE_GOROUTINE];

	life->others = tp_many(n, 1);
	if (!life->others || rep_index_cache(&life->cache, &life->view, KEPT_BYTES))
		return tp_nomem(err);
	memset(life->others, 1, n);
	life->others[life->goroutine] = 0;
	return 0;
}

int rep_life_new(struct rep_life **out, struct tp_store *store, const struct rep_run *run,
		 const struct rep_goid *goroutine, const char *own, struct tp_err *err)
{
	const struct rep_filter_text filter = {.own = own};
	struct rep_life *life = calloc(1, sizeof(*life));
	char text[REP_GOID_SIZE];
	int code;

	*out = life;
	if (!life)
		return tp_nomem(err);
	life->goroutine = TP_NONE;
	code = rep_filter_init(&life->filter, &filter, err);
	if (!code)
		code = rep_view_init(&life->view, store, run, &life->filter, NULL, err);
	if (!code)
		code = rep_view_load(&life->view, TP_TABLE_GOROUTINE,
				     REP_BIT(GOROUTINE, id) | REP_BIT(GOROUTINE, name), err);
	for (size_t i = 0; !code && i < life->view.nrows[TP_TABLE_GOROUTINE]; i++) {
		/* The last life, if no life is given. */
		if (rep_goids_match(&life->view.goids, goroutine,
				    rep_view_goid(&life->view, (int64_t)i)))
			life->goroutine = (uint32_t)i;
	}
	if (!code && life->goroutine == TP_NONE)
		code = tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "the run does not have a goroutine %s",
				  rep_goid_text(goroutine, text));
	if (!code)
		code = count_spans(life, err);
	if (!code)
		code = make_cache(life, err);
	if (code) {
		rep_life_free(life);
		*out = NULL;
	}
	return code;
}

void rep_life_free(struct rep_life *life)
{
	if (!life)
		return;
	rep_cache_release(&life->cache);
	free(life->others);
	free(life->first);
	rep_view_release(&life->view);
	rep_filter_release(&life->filter);
	free(life);
}

int64_t rep_life_count(const struct rep_life *life)
{
	return life->first[life->view.nsegments];
}

/* ---- stretches ---- */

/* n of its spans that begin in a segment, from a place of an index on. */
struct stretch {
	const struct rep_index *x;
	uint32_t from, n;
};

static const struct tp_span *span_of(const struct stretch *s, uint32_t i)
{
	return rep_index_at(s->x, s->from + i);
}

static int stretch_in(struct rep_life *life, size_t segment, const atomic_bool *stop,
		      struct stretch *s, struct tp_err *err)
{
	const struct rep_index_options own = {
	    .hidden = life->others, .crossing = true, .stop = stop};
	int64_t most = life->first[segment + 1] - life->first[segment];
	struct rep_index *x;
	uint32_t to;
	int code = rep_index_get(&life->cache, &life->view, segment, &own, &x, err);

	if (code)
		return code;
	s->x = x;
	s->from = x->first[life->goroutine];
	to = x->first[life->goroutine + 1];
	while (s->from < to && rep_index_at(x, s->from)->mark)
		s->from++;
	s->n = to - s->from < most ? to - s->from : (uint32_t)most;
	return 0;
}

/* Returns the segment in which span `number` begins. */
static size_t segment_of(const struct rep_life *life, int64_t number)
{
	size_t next = 1;

	TP_SEARCH(next, life->view.nsegments, i, life->first[i] <= number);
	return next - 1;
}

int rep_life_spans(struct rep_life *life, int64_t first, size_t n, struct tp_span *out, size_t *got,
		   const atomic_bool *stop, struct tp_err *err)
{
	int64_t all = rep_life_count(life);
	int code = 0;

	*got = 0;
	if (first < 0 || first >= all)
		return 0;
	for (size_t s = segment_of(life, first); !code && s < life->view.nsegments && *got < n;
	     s++) {
		int64_t skip = first + (int64_t)*got - life->first[s];
		struct stretch own;

		if (life->first[s + 1] == life->first[s])
			continue;
		code = stretch_in(life, s, stop, &own, err);
		for (; !code && skip >= 0 && skip < own.n && *got < n; skip++)
			out[(*got)++] = *span_of(&own, (uint32_t)skip);
		/* A damaged store has fewer spans than its sums say. */
		if (!code && *got < n && first + (int64_t)*got < life->first[s + 1])
			break;
	}
	return code;
}

int rep_life_at(struct rep_life *life, int64_t ns, const atomic_bool *stop, int64_t *number,
		struct tp_err *err)
{
	const struct rep_view *v = &life->view;
	struct stretch own;
	size_t s = 0;
	int code;

	*number = 0;
	if (!v->nsegments)
		return 0;
	for (size_t i = 0; i < rep_crossings(v); i++) {
		struct rep_crossing c;

		/* The last of the spans that begin in its segment. */
		if (crossing_at(life, i, &c) && c.span.start <= ns && c.span.end > ns &&
		    c.first >= 0 && (uint64_t)c.first < v->nsegments) {
			*number = life->first[c.first + 1] - 1;
			return 0;
		}
	}
	while (s + 1 < v->nsegments && v->segments[s + 1].from_ns <= ns)
		s++;
	*number = life->first[s];
	if (life->first[s + 1] == life->first[s]) {
		*number -= *number > 0;
		return 0;
	}
	code = stretch_in(life, s, stop, &own, err);
	for (uint32_t i = 0; !code && i < own.n && span_of(&own, i)->start <= ns; i++)
		*number = life->first[s] + i;
	/* Before the first span that begins here comes the last of those before. */
	if (!code && own.n && span_of(&own, 0)->start > ns)
		*number -= *number > 0;
	return code;
}
