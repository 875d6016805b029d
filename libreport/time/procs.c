/* Ps and the collector over time. */
#include <stdlib.h>
#include <string.h>

#include "time/time.h"

#define MOST_PROCS 4096 /* no machine has more */

struct place {
	int64_t id;
	size_t row; /* of `proc` */
};

static int by_id(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Sorts the Ps that have spans by id. index[row of `proc`] becomes the P's place + 1, 0 without
 * spans. */
static int order_procs(struct rep_time *t, struct rep_view *v, uint32_t *index, struct tp_err *err)
{
	size_t rows = v->nrows[TP_TABLE_PROC], n = 0;
	struct place *place = calloc(rows + 1, sizeof(*place));

	if (!place)
		return tp_nomem(err);
	for (size_t i = 0; i < v->nrows[TP_TABLE_PROC_SPAN]; i++) {
		uint64_t p = (uint64_t)REP_COL(v, PROC_SPAN, p)[i];

		if (p >= rows || index[p])
			continue;
		index[p] = 1;
		place[n++] = (struct place){REP_COL(v, PROC, id)[p], (size_t)p};
	}
	qsort(place, n, sizeof(*place), by_id);
	t->proc_id = calloc(n + 1, sizeof(*t->proc_id));
	for (size_t i = 0; t->proc_id && i < n; i++) {
		index[place[i].row] = i < MOST_PROCS ? (uint32_t)i + 1 : 0;
		t->proc_id[i] = place[i].id;
	}
	t->nprocs = n < MOST_PROCS ? n : MOST_PROCS;
	free(place);
	t->proc = calloc(t->nprocs + 1, sizeof(*t->proc));
	return t->proc && t->proc_id ? 0 : tp_nomem(err);
}

static int add_procs(struct rep_time *t, struct rep_view *v, uint32_t *index, struct tp_err *err)
{
	int code = order_procs(t, v, index, err);

	for (size_t i = 0; i < t->nprocs && !code; i++) {
		if (rep_binned_init(&t->proc[i], &t->fine))
			code = tp_nomem(err);
	}
	for (size_t i = 0; i < v->nrows[TP_TABLE_PROC_SPAN] && !code; i++) {
		uint64_t p = (uint64_t)REP_COL(v, PROC_SPAN, p)[i];

		if (p < v->nrows[TP_TABLE_PROC] && index[p] &&
		    REP_COL(v, PROC_SPAN, state)[i] == TP_ST_RUNNING)
			rep_binned_add(&t->fine, &t->proc[index[p] - 1],
				       REP_COL(v, PROC_SPAN, start_ns)[i],
				       REP_COL(v, PROC_SPAN, end_ns)[i]);
	}
	for (size_t i = 0; i < t->nprocs && !code; i++)
		rep_binned_finish(&t->fine, &t->proc[i]);
	return code;
}

int rep_time_procs(struct rep_time *t, struct rep_view *v, struct tp_err *err)
{
	int code = rep_view_load(v, TP_TABLE_PROC, REP_BIT(PROC, id), err);
	uint32_t *index;

	if (!code)
		code = rep_view_load(v, TP_TABLE_PROC_SPAN,
				     REP_BIT(PROC_SPAN, p) | REP_BIT(PROC_SPAN, state) |
					 REP_BIT(PROC_SPAN, start_ns) | REP_BIT(PROC_SPAN, end_ns),
				     err);
	if (code)
		return code;
	index = calloc(v->nrows[TP_TABLE_PROC] + 1, sizeof(*index));
	code = index ? add_procs(t, v, index, err) : tp_nomem(err);
	free(index);
	return code;
}

static int add_collector(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	struct rep_time *t = ctx;
	int64_t last = -1;
	bool mark = false, stw = false;

	(void)first;
	(void)err;
	for (size_t i = 0; i < v->nrows[TP_TABLE_RANGE]; i++) {
		int64_t name = REP_COL(v, RANGE, name)[i];

		if (name != last) {
			struct tp_text text = tp_dict_text(v->dict, (uint32_t)name);

			mark = tp_text_begins(text, "GC concurrent mark phase");
			stw = tp_text_begins(text, "stop-the-world");
			last = name;
		}
		if (mark || stw)
			rep_binned_add(&t->fine, mark ? &t->mark : &t->stw,
				       REP_COL(v, RANGE, start_ns)[i],
				       REP_COL(v, RANGE, end_ns)[i]);
	}
	return 0;
}

int rep_time_collector(struct rep_time *t, struct rep_view *v, struct tp_err *err)
{
	int code = rep_binned_init(&t->mark, &t->fine) || rep_binned_init(&t->stw, &t->fine)
		       ? tp_nomem(err)
		       : 0;

	if (!code)
		code = rep_view_visit(v, TP_TABLE_RANGE,
				      REP_BIT(RANGE, name) | REP_BIT(RANGE, start_ns) |
					  REP_BIT(RANGE, end_ns),
				      add_collector, t, err);
	if (code)
		return code;
	rep_binned_finish(&t->fine, &t->mark);
	rep_binned_finish(&t->fine, &t->stw);
	return 0;
}
