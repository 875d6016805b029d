#include "task/place.h"

#include <stdlib.h>

#include "base/many.h"
#include "base/search.h"
#include "task/workers.h"

#define UNKNOWN (TP_NONE - 1) /* a task that the table does not have */

struct sweep {
	struct rep_places *out;
	const struct rep_tasks *tasks;
	/* Tasks and regions of each goroutine as they begin: the row of a task, or the number of
	 * tasks plus the row of a region. */
	uint32_t *all;
	uint32_t *task; /* by row of a region: its task, TP_NONE or UNKNOWN */
	struct list {
		size_t first, end;
	} * list;
	size_t ngoroutines;
	/* Those that the goroutine is in, and how deep the one is that tells the task: 1 is the
	 * outermost, 0 if none does. */
	struct inner {
		struct rep_place place;
		size_t source;
	} * stack;
	size_t depth, stack_room;
	int64_t at;
};

/* ---- tasks and regions in order ---- */

/* The outer one first; a task before its regions (TP_NONE + 1 is 0). */
static int by_begin(const void *a, const void *b)
{
	const struct rep_place *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to > y->to ? -1 : 1;
	if (x->region != y->region)
		return x->region + 1 < y->region + 1 ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

/* Finds the task of a region. */
static uint32_t task_of(const struct rep_tasks *t, uint32_t region)
{
	int64_t id = REP_AT(t->v, REGION, task, region);
	uint32_t task = id ? rep_tasks_find(t, id) : TP_NONE;

	return id && task == TP_NONE ? UNKNOWN : task;
}

static struct rep_place place_of(const struct sweep *s, uint32_t number)
{
	const struct rep_tasks *t = s->tasks;
	const struct rep_view *v = t->v;
	uint32_t row = number - t->n;
	struct rep_place p = {.task = number, .region = TP_NONE};

	if (number < t->n) {
		p.goroutine = (uint32_t)REP_AT(v, TASK, goroutine, number);
		p.from = rep_task_start(t, number);
		p.to = rep_task_end(t, number);
		return p;
	}
	p.goroutine = (uint32_t)REP_AT(v, REGION, goroutine, row);
	p.from = rep_region_start(v, row);
	p.to = rep_region_end(v, row);
	p.task = s->task[row];
	if (tp_dict_text(v->dict, (uint32_t)REP_AT(v, REGION, name, row)).size)
		p.region = row;
	return p;
}

static int64_t begin_of(const struct sweep *s, uint32_t number)
{
	const struct rep_tasks *t = s->tasks;

	return number < t->n ? rep_task_start(t, number) : rep_region_start(t->v, number - t->n);
}

static int make_lists(struct sweep *s, const struct rep_view *v)
{
	const enum tp_table_id tables[] = {TP_TABLE_TASK, TP_TABLE_REGION};
	const int columns[] = {TP_COL(TASK, goroutine), TP_COL(REGION, goroutine)};
	size_t n = 0;

	s->ngoroutines = v->nrows[TP_TABLE_GOROUTINE];
	s->list = calloc(s->ngoroutines + 1, sizeof(*s->list));
	s->all = tp_many(v->nrows[TP_TABLE_TASK] + v->nrows[TP_TABLE_REGION] + 1, sizeof(*s->all));
	s->task = tp_many(v->nrows[TP_TABLE_REGION] + 1, sizeof(*s->task));
	if (!s->list || !s->all || !s->task)
		return TP_ENOMEM;
	for (size_t k = 0; k < TP_COUNT_OF(tables); k++)
		for (size_t i = 0; i < v->nrows[tables[k]]; i++) {
			int64_t goroutine = rep_view_at(v, tables[k], columns[k], i);

			if (goroutine >= 0 && (uint64_t)goroutine < s->ngoroutines)
				s->list[goroutine].end++;
		}
	for (size_t g = 0; g < s->ngoroutines; g++) {
		size_t of = s->list[g].end;

		s->list[g].first = s->list[g].end = n;
		n += of;
	}
	return 0;
}

static int by_number(const void *a, const void *b, void *ctx)
{
	struct rep_place x = place_of(ctx, *(const uint32_t *)a);
	struct rep_place y = place_of(ctx, *(const uint32_t *)b);

	return by_begin(&x, &y);
}

/* Inserts into its goroutine's list, which stays sorted while there are steps left. */
static void insert(struct sweep *s, uint32_t number, int64_t goroutine, uint64_t *steps)
{
	struct rep_place p, before;
	struct list *l;
	size_t at;

	if (goroutine < 0 || (uint64_t)goroutine >= s->ngoroutines)
		return;
	p = place_of(s, number);
	if (p.from >= p.to || (p.task == TP_NONE && p.region == TP_NONE))
		return;
	l = &s->list[goroutine];
	for (at = l->end++; at > l->first && *steps; at--) {
		if (begin_of(s, s->all[at - 1]) < p.from)
			break;
		before = place_of(s, s->all[at - 1]);
		if (by_begin(&before, &p) <= 0)
			break;
		s->all[at] = s->all[at - 1];
		--*steps;
	}
	s->all[at] = number;
}

/* Tasks come by their begin and regions by their end, as in the tables: those of a goroutine are
 * nearly in order. */
static void fill_lists(struct sweep *s)
{
	const struct rep_tasks *t = s->tasks;
	const struct rep_view *v = t->v;
	size_t n = v->nrows[TP_TABLE_REGION];
	uint64_t steps = 16 * (n + t->n) + 1;

	for (uint32_t i = 0, k = 0; i < t->n || k < n;) {
		if (k == n || (i < t->n && rep_task_start(t, i) <= rep_region_end(v, k))) {
			if (REP_AT(v, TASK, id, i))
				insert(s, i, REP_AT(v, TASK, goroutine, i), &steps);
			i++;
			continue;
		}
		s->task[k] = task_of(t, k);
		insert(s, t->n + k, REP_AT(v, REGION, goroutine, k), &steps);
		k++;
	}
	for (size_t g = 0; g < s->ngoroutines && !steps; g++)
		qsort_r(s->all + s->list[g].first, s->list[g].end - s->list[g].first,
			sizeof(*s->all), by_number, s);
}

/* ---- the innermost ---- */

static int put(struct rep_places *p, struct rep_place place)
{
	int code;

	if (place.task == UNKNOWN)
		place.task = TP_NONE;
	if (place.from >= place.to || (place.task == TP_NONE && place.region == TP_NONE))
		return 0;
	code = tp_grow_raw(&p->place, &p->room, p->n, sizeof(*p->place));
	if (!code)
		p->place[p->n++] = place;
	return code;
}

/* Returns the depth of what tells the task at depth `d` now. What has ended tells that of the one
 * around it; all on the way there remember what was found. */
static size_t source_of(struct sweep *s, size_t d)
{
	size_t found = s->stack[d - 1].source;

	while (found && s->stack[found - 1].place.to <= s->at)
		found = found > 1 ? s->stack[found - 2].source : 0;
	while (d && s->stack[d - 1].source != found) {
		size_t ended = s->stack[d - 1].source;

		s->stack[d - 1].source = found;
		d = ended - 1;
	}
	return found;
}

/* Puts the innermost until `to`. */
static int go_to(struct sweep *s, int64_t to)
{
	int code = 0;

	while (!code && s->at < to) {
		struct rep_place place = s->stack[s->depth - 1].place;
		size_t source = source_of(s, s->depth);

		place.from = s->at;
		place.to = to;
		if (source && s->stack[source - 1].place.to < to)
			place.to = s->stack[source - 1].place.to;
		place.task = source ? s->stack[source - 1].place.task : TP_NONE;
		s->at = place.to;
		code = put(s->out, place);
	}
	return code;
}

/* Leaves what ends by `to`, the innermost first. */
static int leave(struct sweep *s, int64_t to)
{
	int code = 0;

	while (!code && s->depth && s->stack[s->depth - 1].place.to <= to) {
		if (s->stack[s->depth - 1].place.to > s->at)
			code = go_to(s, s->stack[s->depth - 1].place.to);
		s->depth--;
	}
	return code || !s->depth || to <= s->at ? code : go_to(s, to);
}

static int enter(struct sweep *s, struct rep_place place)
{
	struct inner inner = {place, s->depth + 1};

	if (place.task == TP_NONE)
		inner.source = s->depth ? s->stack[s->depth - 1].source : 0;
	if (tp_grow(&s->stack, &s->stack_room, s->depth, sizeof(*s->stack)))
		return TP_ENOMEM;
	s->stack[s->depth++] = inner;
	s->at = place.from;
	return 0;
}

static int sweep(struct sweep *s, const struct list *l)
{
	int code = 0;

	for (size_t i = l->first; !code && i < l->end; i++) {
		struct rep_place place = place_of(s, s->all[i]);

		code = leave(s, place.from);
		if (!code)
			code = enter(s, place);
	}
	return code ? code : leave(s, INT64_MAX);
}

static int places_each(struct rep_places *p, struct rep_view *v, rep_places_fn fn, void *ctx,
		       struct tp_err *err)
{
	struct rep_tasks tasks;
	struct sweep s = {.out = p, .tasks = &tasks};
	int code = rep_tasks_init_ids(&tasks, v, err), failed = 0;

	*p = (struct rep_places){0};
	if (!code && (tasks.n || v->nrows[TP_TABLE_REGION])) {
		failed = make_lists(&s, v);
		if (!failed)
			fill_lists(&s);
		for (size_t g = 0; !code && !failed && g < s.ngoroutines; g++) {
			failed = sweep(&s, &s.list[g]);
			if (failed || !fn || !p->n)
				continue;
			code = fn(ctx, p, err);
			p->n = 0;
		}
	}
	if (failed)
		code = tp_err_full(err, failed, "the run has too many tasks and regions");
	rep_tasks_release(&tasks);
	free(s.all);
	free(s.task);
	free(s.list);
	free(s.stack);
	return code;
}

int rep_places_init(struct rep_places *p, struct rep_view *v, struct tp_err *err)
{
	return places_each(p, v, NULL, NULL, err);
}

int rep_places_each(struct rep_view *v, rep_places_fn fn, void *ctx, struct tp_err *err)
{
	struct rep_places p;
	int code = places_each(&p, v, fn, ctx, err);

	rep_places_release(&p);
	return code;
}

void rep_places_release(struct rep_places *p)
{
	free(p->place);
	*p = (struct rep_places){0};
}

const struct rep_place *rep_places_at(const struct rep_places *p, uint32_t goroutine, int64_t ns)
{
	const struct rep_place *place = p->place;
	size_t first = 0;

	TP_SEARCH(first, p->n, i,
		  place[i].goroutine < goroutine ||
		      (place[i].goroutine == goroutine && place[i].to <= ns));
	if (first == p->n || place[first].goroutine != goroutine || place[first].from > ns)
		return NULL;
	return &place[first];
}

uint32_t rep_place_task(const struct rep_view *v, const struct rep_place *place)
{
	return place->task == TP_NONE ? 0 : (uint32_t)REP_AT(v, TASK, name, place->task);
}

uint32_t rep_place_region(const struct rep_view *v, const struct rep_place *place)
{
	return place->region == TP_NONE ? 0 : (uint32_t)REP_AT(v, REGION, name, place->region);
}

struct rep_value rep_place_text(struct rep_texts *t, const struct rep_view *v,
				const struct rep_place *place)
{
	struct tp_text task, region;
	struct tp_text parts[3];

	if (!place)
		return rep_null();
	task = tp_dict_text(v->dict, rep_place_task(v, place));
	region = tp_dict_text(v->dict, rep_place_region(v, place));
	if (place->task == TP_NONE)
		parts[0] = rep_text_of("region ");
	else
		parts[0] = task.size ? task : rep_text_of("(no name)");
	parts[1] = rep_text_of(place->task != TP_NONE && region.size ? ": " : "");
	parts[2] = region;
	return rep_texts_join(t, parts, 3);
}
