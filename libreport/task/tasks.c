#include "task/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/search.h"

/* Limit on the steps of all walks together: a hostile store or trace may nest tasks very deeply. */
#define MOST_STEPS (UINT64_C(1) << 26)

static int fail(struct tp_err *err, int code)
{
	return tp_err_full(err, code, "the run has too many tasks");
}

static int load(struct rep_view *v, bool all, struct tp_err *err)
{
	uint32_t task = REP_BIT(TASK, id) | REP_BIT(TASK, parent) | REP_BIT(TASK, name) |
			REP_BIT(TASK, start_ns) | REP_BIT(TASK, end_ns) | REP_BIT(TASK, goroutine);
	uint32_t region = REP_BIT(REGION, name) | REP_BIT(REGION, task) |
			  REP_BIT(REGION, goroutine) | REP_BIT(REGION, start_ns) |
			  REP_BIT(REGION, end_ns);
	uint32_t goroutine = REP_BIT(GOROUTINE, name);
	int code;

	if (all) {
		task |= REP_BIT(TASK, stack) | REP_BIT(TASK, regions) | REP_BIT(TASK, logs) |
			REP_BIT(TASK, goroutines);
		region |= REP_BIT(REGION, stack);
		goroutine |= REP_BIT(GOROUTINE, id);
	}
	code = rep_view_load(v, TP_TABLE_TASK, task, err);
	if (!code)
		code = rep_view_load(v, TP_TABLE_REGION, region, err);
	if (!code && all)
		code = rep_view_load(v, TP_TABLE_LOG,
				     REP_BIT(LOG, ts_ns) | REP_BIT(LOG, goroutine) |
					 REP_BIT(LOG, task) | REP_BIT(LOG, category) |
					 REP_BIT(LOG, message),
				     err);
	return code ? code : rep_view_load(v, TP_TABLE_GOROUTINE, goroutine, err);
}

static uint32_t *numbers(size_t n)
{
	return calloc(n + 1, sizeof(uint32_t));
}

static int allocate(struct rep_tasks *t, size_t logs)
{
	t->parent = numbers(t->n);
	t->first_child = numbers(t->n);
	t->next_child = numbers(t->n);
	t->children = numbers(t->n);
	t->first_region = numbers(t->n + (size_t)1);
	t->first_log = numbers(t->n + (size_t)1);
	t->seen = numbers(t->n);
	t->region = numbers(t->v->nrows[TP_TABLE_REGION]);
	t->log = numbers(logs);
	t->below = numbers(t->n);
	return t->parent && t->first_child && t->next_child && t->children && t->first_region &&
		       t->first_log && t->seen && t->region && t->log && t->below
		   ? 0
		   : TP_ENOMEM;
}

static int by_id(const void *a, const void *b, void *view)
{
	const struct rep_view *v = view;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int64_t one = REP_AT(v, TASK, id, x), other = REP_AT(v, TASK, id, y);

	if (one != other)
		return one < other ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* A program counts its tasks, and begins them nearly in that order: they are inserted, and sorted if that
 * takes too many steps. */
static int index_ids(struct rep_tasks *t)
{
	const struct rep_view *v = t->v;
	uint64_t steps = 16 * (uint64_t)t->n;

	t->by_id = tp_many(t->n, sizeof(*t->by_id));
	if (!t->by_id)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < t->n; i++) {
		int64_t id = REP_AT(v, TASK, id, i);
		uint32_t at = i;

		for (; at && steps && REP_AT(v, TASK, id, t->by_id[at - 1]) > id; at--, steps--)
			t->by_id[at] = t->by_id[at - 1];
		t->by_id[at] = i;
	}
	if (!steps)
		qsort_r(t->by_id, t->n, sizeof(*t->by_id), by_id, t->v);
	return 0;
}

/* Parent 0, the background task, is not recorded as a parent. */
static void link_children(struct rep_tasks *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		t->parent[i] = t->first_child[i] = t->next_child[i] = TP_NONE;
	for (uint32_t i = t->n; i-- > 0;) {
		int64_t parent = REP_AT(t->v, TASK, parent, i);
		uint32_t p = parent ? rep_tasks_find(t, parent) : TP_NONE;

		if (p == TP_NONE || p == i)
			continue;
		t->parent[i] = p;
		t->next_child[i] = t->first_child[p];
		t->first_child[p] = i;
		t->children[p]++;
	}
}

/* Sorts the rows of a table by their task, a column; rows of a task stay in order. */
static void sort_by_task(const struct rep_tasks *t, enum tp_table_id table, int task,
			 uint32_t *first, uint32_t *rows)
{
	size_t n = t->v->nrows[table];

	for (size_t i = 0; i < n; i++) {
		uint32_t row = rep_tasks_find(t, rep_view_at(t->v, table, task, i));

		if (row != TP_NONE)
			first[row + 1]++;
	}
	for (uint32_t i = 0; i < t->n; i++)
		first[i + 1] += first[i];
	for (size_t i = 0; i < n; i++) {
		uint32_t row = rep_tasks_find(t, rep_view_at(t->v, table, task, i));

		if (row != TP_NONE)
			rows[first[row]++] = (uint32_t)i;
	}
	/* first[i] has become the first of row i + 1. */
	memmove(first + 1, first, t->n * sizeof(*first));
	first[0] = 0;
}

enum what { IDS, MEMBERS, ALL };

static int init(struct rep_tasks *t, struct rep_view *v, enum what what, struct tp_err *err)
{
	size_t logs;
	int code;

	memset(t, 0, sizeof(*t));
	t->v = v;
	code = load(v, what == ALL, err);
	if (code)
		return code;
	logs = what == ALL ? v->nrows[TP_TABLE_LOG] : 0;
	if (v->nrows[TP_TABLE_TASK] >= UINT32_MAX / 2 ||
	    v->nrows[TP_TABLE_REGION] >= UINT32_MAX / 2 || logs >= UINT32_MAX / 2)
		return fail(err, TP_ELIMIT);
	t->n = (uint32_t)v->nrows[TP_TABLE_TASK];
	code = what == IDS ? 0 : allocate(t, logs);
	if (!code && t->n)
		code = index_ids(t);
	if (code)
		return fail(err, code);
	if (!t->n || what == IDS)
		return 0;
	link_children(t);
	if (v->nrows[TP_TABLE_REGION])
		sort_by_task(t, TP_TABLE_REGION, TP_COL(REGION, task), t->first_region, t->region);
	if (logs)
		sort_by_task(t, TP_TABLE_LOG, TP_COL(LOG, task), t->first_log, t->log);
	return 0;
}

int rep_tasks_init(struct rep_tasks *t, struct rep_view *v, struct tp_err *err)
{
	return init(t, v, ALL, err);
}

int rep_tasks_init_members(struct rep_tasks *t, struct rep_view *v, struct tp_err *err)
{
	return init(t, v, MEMBERS, err);
}

int rep_tasks_init_ids(struct rep_tasks *t, struct rep_view *v, struct tp_err *err)
{
	return init(t, v, IDS, err);
}

void rep_tasks_release(struct rep_tasks *t)
{
	free(t->parent);
	free(t->first_child);
	free(t->next_child);
	free(t->children);
	free(t->first_region);
	free(t->region);
	free(t->first_log);
	free(t->log);
	free(t->seen);
	free(t->by_id);
	free(t->below);
	free(t->entered);
	memset(t, 0, sizeof(*t));
}

/* Returns the id of the n-th task in the order of ids. */
static int64_t id_of(const struct rep_tasks *t, size_t n)
{
	return REP_AT(t->v, TASK, id, t->by_id[n]);
}

uint32_t rep_tasks_find(const struct rep_tasks *t, int64_t id)
{
	uint32_t at = 0, last;
	uint64_t after;
	int64_t least;

	if (!t->n)
		return TP_NONE;
	least = id_of(t, 0);
	if (id < least)
		return TP_NONE;
	/* Without gaps and equal ids, a task is as far from the first as its id. */
	after = (uint64_t)id - (uint64_t)least;
	last = after < t->n ? (uint32_t)after : t->n - 1;
	if (id_of(t, last) == id && last && id_of(t, last - 1) < id)
		return t->by_id[last];
	TP_SEARCH(at, t->n, i, id_of(t, i) < id);
	return at < t->n && id_of(t, at) == id ? t->by_id[at] : TP_NONE;
}

uint32_t rep_tasks_below_all(struct rep_tasks *t, uint32_t *rows, uint32_t n)
{
	uint32_t kept = 0;

	if (!++t->walk) { /* the counter wrapped around */
		memset(t->seen, 0, t->n * sizeof(*t->seen));
		t->walk = 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t row = rows[i];

		if (t->seen[row] != t->walk)
			rows[kept++] = row;
		t->seen[row] = t->walk;
	}
	n = kept;
	for (uint32_t i = 0; i < n && t->steps < MOST_STEPS; i++) {
		for (uint32_t c = t->first_child[rows[i]]; c != TP_NONE; c = t->next_child[c]) {
			t->steps++;
			if (t->seen[c] == t->walk)
				continue;
			t->seen[c] = t->walk;
			rows[n++] = c;
		}
	}
	return n;
}

uint32_t rep_tasks_below(struct rep_tasks *t, uint32_t row, uint32_t *rows)
{
	rows[0] = row;
	return rep_tasks_below_all(t, rows, 1);
}

bool rep_tasks_met(const struct rep_tasks *t, uint32_t row)
{
	return t->seen[row] == t->walk;
}

int rep_tasks_walked(const struct rep_tasks *t)
{
	return t->steps < MOST_STEPS ? 0 : TP_ELIMIT;
}

void rep_tasks_anew(struct rep_tasks *t)
{
	t->steps = t->cuts = 0;
}

int64_t rep_task_start(const struct rep_tasks *t, uint32_t row)
{
	int64_t start = REP_AT(t->v, TASK, start_ns, row);

	return start == TP_NULL ? 0 : start;
}

int64_t rep_task_end(const struct rep_tasks *t, uint32_t row)
{
	int64_t end = REP_AT(t->v, TASK, end_ns, row);

	return end == TP_NULL ? t->v->run->row.duration_ns : end;
}

bool rep_task_complete(const struct rep_tasks *t, uint32_t row)
{
	return REP_AT(t->v, TASK, start_ns, row) != TP_NULL &&
	       REP_AT(t->v, TASK, end_ns, row) != TP_NULL;
}
