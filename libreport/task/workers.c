#include "task/workers.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/search.h"

#define MOST_WORKERS (1u << 22)
/* Limit on the regions examined for all tasks together: a goroutine that has begun many long tasks
 * may enter many regions of other tasks meanwhile, and each of them is examined for each task. */
#define MOST_CUTS (UINT64_C(1) << 28)

enum { RANK_OUTLIVES = 1, RANK_OWNER, RANK_REGION };

void rep_workers_release(struct rep_workers *w)
{
	free(w->worker);
	rep_keys_release(&w->labels);
	memset(w, 0, sizeof(*w));
}

int64_t rep_region_start(const struct rep_view *v, size_t region)
{
	int64_t start = REP_AT(v, REGION, start_ns, region);

	return start == TP_NULL ? 0 : start;
}

int64_t rep_region_end(const struct rep_view *v, size_t region)
{
	int64_t end = REP_AT(v, REGION, end_ns, region);

	return end == TP_NULL ? v->run->row.duration_ns : end;
}

/* Adds a worker from `start`, where its state is known, to `end`, cut to the item. */
static int put(struct rep_workers *w, struct rep_worker worker, const struct rep_item *span,
	       int64_t start, int64_t end)
{
	worker.known = start > 0 ? start : 0;
	worker.from = start > span->from ? start : span->from;
	worker.to = end < span->to ? end : span->to;
	if (worker.from >= worker.to)
		return 0;
	if (w->n >= MOST_WORKERS)
		return TP_ELIMIT;
	if (tp_grow(&w->worker, &w->room, w->n, sizeof(worker)))
		return TP_ENOMEM;
	w->worker[w->n++] = worker;
	return 0;
}

static bool is_goroutine(const struct rep_view *v, int64_t goroutine)
{
	return goroutine >= 0 && (uint64_t)goroutine < v->nrows[TP_TABLE_GOROUTINE];
}

/* ---- workers of tasks ---- */

static int by_entry(const void *a, const void *b, void *ctx)
{
	const struct rep_view *v = ctx;
	const struct rep_entered *x = a, *y = b;
	int64_t one = REP_AT(v, REGION, goroutine, x->region);
	int64_t other = REP_AT(v, REGION, goroutine, y->region);

	if (one == other) {
		one = REP_AT(v, REGION, start_ns, x->region);
		other = REP_AT(v, REGION, start_ns, y->region);
	}
	if (one != other)
		return one < other ? -1 : 1;
	return x->region < y->region ? -1 : x->region > y->region;
}

/* Sorts the list. The table has regions by their end, so those of a goroutine are nearly in order: they are inserted, and
 * sorted if that takes too many steps. */
static int sort_entered(struct rep_tasks *t)
{
	const struct rep_view *v = t->v;
	size_t n = t->nentered, goroutines = v->nrows[TP_TABLE_GOROUTINE];
	struct rep_entered *from = t->entered, *to = tp_many(n + 1, sizeof(*to));
	size_t *at = calloc(goroutines + 1, sizeof(*at)); /* by goroutine: where its next goes */
	uint64_t steps = 16 * (uint64_t)n + 1;

	if (!to || !at) {
		free(to);
		free(at);
		return TP_ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		at[REP_AT(v, REGION, goroutine, from[i].region) + 1]++;
	for (size_t g = 0; g < goroutines; g++)
		at[g + 1] += at[g];
	for (size_t i = 0; i < n; i++)
		to[at[REP_AT(v, REGION, goroutine, from[i].region)]++] = from[i];
	for (size_t i = 1; i < n && steps; i++) {
		struct rep_entered e = to[i];
		size_t k = i;

		for (; k && steps && by_entry(&to[k - 1], &e, (void *)(uintptr_t)v) > 0;
		     k--, steps--)
			to[k] = to[k - 1];
		to[k] = e;
	}
	if (!steps)
		qsort_r(to, n, sizeof(*to), by_entry, (void *)(uintptr_t)v);
	t->entered = to;
	free(from);
	free(at);
	return 0;
}

/* Lists the regions of tasks that have a known beginning and whose goroutine began some task. */
static int list_entered(struct rep_tasks *t)
{
	const struct rep_view *v = t->v;
	size_t n = v->nrows[TP_TABLE_REGION];
	bool *began;

	if (t->has_entered)
		return 0;
	free(t->entered);
	t->nentered = 0;
	t->entered = tp_many(n + 1, sizeof(*t->entered));
	began = calloc(v->nrows[TP_TABLE_GOROUTINE] + 1, sizeof(*began));
	if (!t->entered || !began) {
		free(began);
		return TP_ENOMEM;
	}
	for (uint32_t i = 0; i < t->n; i++) {
		int64_t goroutine = REP_AT(v, TASK, goroutine, i);

		if (is_goroutine(v, goroutine))
			began[goroutine] = true;
	}
	for (size_t i = 0; i < n; i++) {
		int64_t task = REP_AT(v, REGION, task, i);
		int64_t goroutine = REP_AT(v, REGION, goroutine, i);

		if (task && is_goroutine(v, goroutine) && began[goroutine] &&
		    REP_AT(v, REGION, start_ns, i) != TP_NULL)
			t->entered[t->nentered++] = (struct rep_entered){
			    .region = (uint32_t)i, .task = rep_tasks_find(t, task)};
	}
	free(began);
	t->has_entered = !sort_entered(t);
	return t->has_entered ? 0 : TP_ENOMEM;
}

/* Finds the first region that this goroutine entered at or after a time. */
static size_t find_entered(const struct rep_tasks *t, int64_t goroutine, int64_t ns)
{
	const struct rep_view *v = t->v;
	const struct rep_entered *e = t->entered;
	size_t first = 0;

	TP_SEARCH(first, t->nentered, i,
		  REP_AT(v, REGION, goroutine, e[i].region) < goroutine ||
		      (REP_AT(v, REGION, goroutine, e[i].region) == goroutine &&
		       REP_AT(v, REGION, start_ns, e[i].region) < ns));
	return first;
}

static int member(rep_member_fn fn, void *ctx, struct rep_member m, int64_t from, int64_t to)
{
	m.from = from;
	m.to = to;
	return from < to ? fn(ctx, &m) : 0;
}

/* Calls fn for the goroutine that began a task, except while it is in regions that it entered
 * meanwhile and that belong to tasks not met by the last walk. */
static int each_owner(struct rep_tasks *t, uint32_t row, rep_member_fn fn, void *ctx)
{
	const struct rep_view *v = t->v;
	int64_t goroutine = REP_AT(v, TASK, goroutine, row);
	int64_t at = rep_task_start(t, row), end = rep_task_end(t, row);
	struct rep_member m = {.task = row, .region = TP_NONE};
	int code = list_entered(t);

	if (code || !is_goroutine(v, goroutine))
		return code;
	m.goroutine = (uint32_t)goroutine;
	for (size_t i = find_entered(t, goroutine, at); !code && i < t->nentered; i++) {
		const struct rep_entered *e = &t->entered[i];
		int64_t start = REP_AT(v, REGION, start_ns, e->region);

		if (REP_AT(v, REGION, goroutine, e->region) != goroutine || start >= end)
			break;
		if (++t->cuts >= MOST_CUTS)
			return TP_ELIMIT;
		if (e->task != TP_NONE && rep_tasks_met(t, e->task))
			continue;
		code = member(fn, ctx, m, at, start);
		if (rep_region_end(v, e->region) > at)
			at = rep_region_end(v, e->region);
	}
	return code ? code : member(fn, ctx, m, at, end);
}

int rep_members_each(struct rep_tasks *t, const uint32_t *rows, uint32_t n, rep_member_fn fn,
		     void *ctx)
{
	const struct rep_view *v = t->v;
	int code;

	if (!n)
		return 0;
	memcpy(t->below, rows, n * sizeof(*rows));
	n = rep_tasks_below_all(t, t->below, n);
	code = rep_tasks_walked(t);
	for (uint32_t i = 0; !code && i < n; i++) {
		uint32_t row = t->below[i];

		code = each_owner(t, row, fn, ctx);
		for (uint32_t k = t->first_region[row]; !code && k < t->first_region[row + 1];
		     k++) {
			uint32_t region = t->region[k];
			int64_t goroutine = REP_AT(v, REGION, goroutine, region);
			struct rep_member m = {.task = row, .region = region};

			if (!is_goroutine(v, goroutine))
				continue;
			m.goroutine = (uint32_t)goroutine;
			code = member(fn, ctx, m, rep_region_start(v, region),
				      rep_region_end(v, region));
		}
	}
	return code;
}

/* ---- as workers ---- */

struct putting {
	struct rep_workers *w;
	const struct rep_tasks *t;
	const struct rep_item *span;
	uint32_t row, item;
};

static int put_member(void *ctx, const struct rep_member *m)
{
	const struct putting *p = ctx;
	const struct rep_view *v = p->t->v;
	struct rep_worker worker = {.item = p->item, .goroutine = m->goroutine, .rank = RANK_OWNER};
	uint32_t subtask = m->task == p->row ? 0 : (uint32_t)REP_AT(v, TASK, name, m->task) + 1;
	uint32_t name = 0;
	bool inherited = false;
	int code;

	if (m->region != TP_NONE) {
		name = (uint32_t)REP_AT(v, REGION, name, m->region);
		inherited = !tp_dict_text(v->dict, name).size;
		name = inherited ? 0 : name + 1;
		worker.rank = RANK_REGION;
		if (inherited &&
		    (REP_AT(v, REGION, end_ns, m->region) == TP_NULL || m->to > p->span->to))
			worker.rank = RANK_OUTLIVES;
	}
	code = rep_keys_add(&p->w->labels, subtask, name, inherited, 0, &worker.label);
	return code ? code : put(p->w, worker, p->span, m->from, m->to);
}

int rep_workers_of_task(struct rep_workers *w, struct rep_tasks *t, uint32_t row, uint32_t item,
			const struct rep_item *span)
{
	struct putting p = {.w = w, .t = t, .span = span, .row = row, .item = item};

	return rep_members_each(t, &row, 1, put_member, &p);
}

int rep_workers_of_region(struct rep_workers *w, const struct rep_tasks *t, uint32_t region,
			  uint32_t item, const struct rep_item *span)
{
	const struct rep_view *v = t->v;
	uint32_t label;
	int code = rep_keys_add(&w->labels, 0, 0, 0, 0, &label);
	int64_t goroutine = REP_AT(v, REGION, goroutine, region);
	struct rep_worker worker = {.item = item, .label = label, .rank = RANK_OWNER};

	if (code || goroutine < 0 || (uint64_t)goroutine >= v->nrows[TP_TABLE_GOROUTINE])
		return code;
	worker.goroutine = (uint32_t)goroutine;
	return put(w, worker, span, rep_region_start(v, region), rep_region_end(v, region));
}
