#include "task/workers.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WORKERS (1u << 22)

enum { RANK_OUTLIVES = 1, RANK_OWNER, RANK_REGION };

void rep_workers_release(struct rep_workers *w)
{
	free(w->worker);
	free(w->below);
	rep_keys_release(&w->labels);
	memset(w, 0, sizeof(*w));
}

int64_t rep_region_start(const struct rep_view *v, size_t region)
{
	int64_t start = REP_COL(v, REGION, start_ns)[region];

	return start == TP_NULL ? 0 : start;
}

int64_t rep_region_end(const struct rep_view *v, size_t region)
{
	int64_t end = REP_COL(v, REGION, end_ns)[region];

	return end == TP_NULL ? v->run->row.duration_ns : end;
}

/* A worker from `start` (where its state is known) to `end`, as far as that is within the item. */
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
	if (rep_grow(&w->worker, &w->room, w->n, sizeof(worker)))
		return TP_ENOMEM;
	w->worker[w->n++] = worker;
	return 0;
}

static int put_region(struct rep_workers *w, const struct rep_view *v, size_t region,
		      uint32_t subtask, uint32_t item, const struct rep_item *span)
{
	int64_t goroutine = REP_COL(v, REGION, goroutine)[region];
	uint32_t name = (uint32_t)REP_COL(v, REGION, name)[region];
	bool inherited = !tp_dict_text(v->dict, name).size;
	int64_t end = rep_region_end(v, region);
	struct rep_worker worker = {.item = item, .rank = RANK_REGION};
	int code;

	if (goroutine < 0 || (uint64_t)goroutine >= v->nrows[TP_TABLE_GOROUTINE])
		return 0;
	worker.goroutine = (uint32_t)goroutine;
	if (inherited && (REP_COL(v, REGION, end_ns)[region] == TP_NULL || end > span->to))
		worker.rank = RANK_OUTLIVES;
	code = rep_keys_add(&w->labels, subtask, inherited ? 0 : name + 1, inherited, 0,
			    &worker.label);
	return code ? code : put(w, worker, span, rep_region_start(v, region), end);
}

/* What a task, or one below it, has of its own. */
static int put_task(struct rep_workers *w, const struct rep_tasks *t, uint32_t row, bool below,
		    uint32_t item, const struct rep_item *span)
{
	const struct rep_view *v = t->v;
	int64_t goroutine = REP_COL(v, TASK, goroutine)[row];
	uint32_t subtask = below ? (uint32_t)REP_COL(v, TASK, name)[row] + 1 : 0;
	int code = 0;

	if (goroutine >= 0 && (uint64_t)goroutine < v->nrows[TP_TABLE_GOROUTINE]) {
		struct rep_worker worker = {
		    .item = item, .goroutine = (uint32_t)goroutine, .rank = RANK_OWNER};

		code = rep_keys_add(&w->labels, subtask, 0, 0, 0, &worker.label);
		if (!code)
			code = put(w, worker, span, rep_task_start(t, row), rep_task_end(t, row));
	}
	for (uint32_t i = t->first_region[row]; !code && i < t->first_region[row + 1]; i++)
		code = put_region(w, v, t->region[i], subtask, item, span);
	return code;
}

int rep_workers_of_task(struct rep_workers *w, struct rep_tasks *t, uint32_t row, uint32_t item,
			const struct rep_item *span)
{
	uint32_t n;
	int code = 0;

	if (t->n && rep_grow(&w->below, &w->below_room, t->n - 1, sizeof(*w->below)))
		return TP_ENOMEM;
	n = rep_tasks_below(t, row, w->below);
	code = rep_tasks_walked(t);
	for (uint32_t i = 0; !code && i < n; i++)
		code = put_task(w, t, w->below[i], i > 0, item, span);
	return code;
}

int rep_workers_of_region(struct rep_workers *w, const struct rep_tasks *t, uint32_t region,
			  uint32_t item, const struct rep_item *span)
{
	const struct rep_view *v = t->v;
	uint32_t label;
	int code = rep_keys_add(&w->labels, 0, 0, 0, 0, &label);
	int64_t goroutine = REP_COL(v, REGION, goroutine)[region];
	struct rep_worker worker = {.item = item, .label = label, .rank = RANK_OWNER};

	if (code || goroutine < 0 || (uint64_t)goroutine >= v->nrows[TP_TABLE_GOROUTINE])
		return code;
	worker.goroutine = (uint32_t)goroutine;
	return put(w, worker, span, rep_region_start(v, region), rep_region_end(v, region));
}
