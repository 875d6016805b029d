#include "top/shares.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/many.h"
#include "base/search.h"
#include "base/sum.h"
#include "task/inside.h"
#include "task/place.h"

static int add(struct rep_keys *keys, uint32_t a, uint32_t b, int64_t **ns, size_t *room,
	       int64_t more, uint32_t *at)
{
	int code = rep_keys_add(keys, a, b, 0, 0, at);

	if (!code)
		code = tp_grow(ns, room, *at, sizeof(**ns));
	if (!code)
		tp_sum(&(*ns)[*at], more);
	return code;
}

int rep_shares_put(struct rep_shares *s, uint32_t row, uint32_t string, bool region, int64_t ns)
{
	uint32_t what, cell;
	int code = add(&s->what, string, region, &s->ns, &s->room, ns, &what);

	return code ? code : add(&s->cell, row, what, &s->cell_ns, &s->cell_room, ns, &cell);
}

/* ---- tasks and regions ---- */

static int put_place(struct rep_shares *s, struct rep_view *v, uint32_t row,
		     const struct rep_place *place, int64_t ns)
{
	bool region = place->task == TP_NONE;
	uint32_t name = region ? rep_place_region(v, place) : rep_place_task(v, place);
	int code = rep_view_string(v, name, &name);

	return code ? code : rep_shares_put(s, row, name, region, ns);
}

/* Returns how much of a place counts. */
static int64_t time_of(const struct rep_view *v, const struct rep_inside *in,
		       const struct rep_place *p)
{
	int64_t from = rep_view_clip_start(v, p->from), to = rep_view_clip_end(v, p->to);
	int64_t ns = from < to ? tp_minus(to, from) : 0;

	if (ns && in)
		rep_inside_clip(in, p->goroutine, from, to, &ns);
	return ns;
}

struct placing {
	struct rep_shares *s;
	struct rep_view *v;
	const struct rep_inside *in; /* NULL: all time counts */
	rep_row_fn row;
	void *ctx;
};

static int put_places(void *ctx, const struct rep_places *places, struct tp_err *err)
{
	const struct placing *to = ctx;
	uint32_t at = to->row(to->ctx, places->place[0].goroutine);
	int code = 0;

	for (size_t i = 0, next; at != TP_NONE && !code && i < places->n; i = next) {
		const struct rep_place *p = &places->place[i];
		int64_t ns = time_of(to->v, to->in, p);

		/* Its other regions, too. */
		for (next = i + 1;
		     next < places->n && p->task != TP_NONE && p[next - i].task == p->task; next++)
			tp_sum(&ns, time_of(to->v, to->in, &p[next - i]));
		if (ns)
			code = put_place(to->s, to->v, at, p, ns);
	}
	return code ? rep_job_fail(err, code) : 0;
}

int rep_shares_put_places(struct rep_shares *s, struct rep_view *v, rep_row_fn row, void *ctx,
			  struct tp_err *err)
{
	const struct rep_filter *f = v->filter;
	bool within = rep_filter_inside(f);
	struct rep_members members = v->members;
	struct rep_inside in = {0};
	struct placing to = {.s = s, .v = v, .in = within ? &in : NULL, .row = row, .ctx = ctx};
	int code = within ? rep_inside_init(&in, v, f->text.task, f->text.region, err) : 0;

	v->members = members;
	if (!code)
		code = rep_places_each(v, put_places, &to, err);
	rep_inside_release(&in);
	return code;
}

/* ---- what is shown ---- */

static int by_row(const void *x, const void *y, void *ctx)
{
	const struct rep_shares *s = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	const uint32_t *p = s->cell.key[a].part, *q = s->cell.key[b].part;

	if (p[0] != q[0])
		return p[0] < q[0] ? -1 : 1;
	if (s->cell_ns[a] != s->cell_ns[b])
		return s->cell_ns[a] > s->cell_ns[b] ? -1 : 1;
	return p[1] < q[1] ? -1 : p[1] > q[1];
}

int rep_shares_sort(struct rep_shares *s)
{
	s->order = tp_many(s->cell.n + 1, sizeof(*s->order));
	if (!s->order)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < s->cell.n; i++)
		s->order[i] = i;
	if (s->cell.n)
		qsort_r(s->order, s->cell.n, sizeof(*s->order), by_row, s);
	return 0;
}

/* Returns the position in `order` of the row's first cell. */
static size_t first_of(const struct rep_shares *s, uint32_t row)
{
	size_t first = 0;

	TP_SEARCH(first, s->cell.n, i, s->cell.key[s->order[i]].part[0] < row);
	return first;
}

static bool is_of(const struct rep_shares *s, size_t at, uint32_t row)
{
	return at < s->cell.n && s->cell.key[s->order[at]].part[0] == row;
}

#define SHOWN 3

struct rep_value rep_shares_text(struct rep_job *job, const struct rep_shares *s, uint32_t row,
				 int64_t whole, const char *none)
{
	struct tp_text part[4 * SHOWN];
	char percent[SHOWN][8];
	size_t first = first_of(s, row), n = 0;

	for (size_t i = 0; i < SHOWN && is_of(s, first + i, row); i++) {
		uint32_t cell = s->order[first + i];
		const uint32_t *what = s->what.key[s->cell.key[cell].part[1]].part;
		struct tp_text name = tp_dict_text(job->texts.dict, what[0]);
		double share = (double)s->cell_ns[cell] / (double)whole;

		if (!s->cell_ns[cell] || (i && share < 0.005))
			break;
		*percent[i] = '\0';
		if (share >= 0 && share < 0.995)
			snprintf(percent[i], sizeof(percent[i]), " %.0f%%", share * 100);
		part[n++] = rep_text_of(i ? ", " : "");
		part[n++] = rep_text_of(what[1] ? "region " : "");
		part[n++] = name.size ? name : rep_text_of(none);
		part[n++] = rep_text_of(percent[i]);
	}
	return rep_texts_join(&job->texts, part, n);
}

struct rep_value rep_shares_inside(struct rep_job *job, const struct rep_shares *s, uint32_t row,
				   unsigned column)
{
	size_t first = first_of(s, row);
	int64_t all = 0;
	const uint32_t *what;

	if (!is_of(s, first, row))
		return column == REP_INSIDE_TEXT || column == REP_INSIDE_MOST ? rep_null()
									      : rep_int(0);
	for (size_t i = first; is_of(s, i, row); i++)
		tp_sum(&all, s->cell_ns[s->order[i]]);
	what = s->what.key[s->cell.key[s->order[first]].part[1]].part;
	switch (column) {
	case REP_INSIDE_TEXT:
		return rep_shares_text(job, s, row, all, "(no name)");
	case REP_INSIDE_MOST:
		return rep_texts_join(&job->texts,
				      (struct tp_text[]){rep_text_of(what[1] ? "region " : ""),
							 tp_dict_text(job->texts.dict, what[0])},
				      2);
	case REP_INSIDE_NS:
		return rep_int(s->cell_ns[s->order[first]]);
	default:
		return rep_int(all);
	}
}

void rep_shares_release(struct rep_shares *s)
{
	rep_keys_release(&s->what);
	rep_keys_release(&s->cell);
	free(s->ns);
	free(s->cell_ns);
	free(s->order);
}
