/* Lists the rows in order. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "lanes/inside.h"
#include "task/workers.h"

const char *const rep_lane_kinds[REP_NLANE_KINDS] = {"groups", "goroutines", "procs", "threads",
						     "tasks"};

struct list {
	struct rep_lanes *l;
	const struct rep_lanes_options *options;
	struct rep_lane_rows *rows;
	size_t room;
};

static int put(struct list *list, const struct rep_lane *lane)
{
	struct rep_lane_rows *rows = list->rows;

	/* A moment is included if it lies in the range. */
	if (lane->from >= list->options->to ||
	    (lane->to <= list->options->from &&
	     !(lane->from == lane->to && lane->from >= list->options->from)))
		return 0;
	if (tp_grow(&rows->row, &list->room, rows->n, sizeof(*rows->row)))
		return TP_ENOMEM;
	rows->row[rows->n++] = *lane;
	return 0;
}

static void name(const struct rep_lanes *l, struct rep_lane *lane, uint32_t string)
{
	struct tp_text text = tp_dict_text(l->v.dict, string);

	lane->name = text.text;
	lane->name_size = text.size;
}

static int put_goroutine(struct list *list, uint32_t g, int depth)
{
	const struct rep_view *v = &list->l->v;
	int64_t created = REP_COL(v, GOROUTINE, created_ns)[g];
	int64_t ended = REP_COL(v, GOROUTINE, ended_ns)[g];
	struct rep_lane lane = {
	    .kind = REP_LANE_GOROUTINE,
	    .index = g,
	    .id = REP_COL(v, GOROUTINE, id)[g],
	    .from = created == TP_NULL ? 0 : created,
	    .to = ended == TP_NULL ? list->l->duration : ended,
	    .busy_ns = REP_COL(v, GOROUTINE, running_ns)[g],
	    .depth = depth,
	};

	lane.goid = rep_goids_name(&v->goids, lane.id);
	tp_sum(&lane.busy_ns, REP_COL(v, GOROUTINE, runnable_ns)[g]);
	tp_sum(&lane.busy_ns, REP_COL(v, GOROUTINE, syscall_ns)[g]);
	name(list->l, &lane, rep_view_entry(v, g));
	return put(list, &lane);
}

static int put_goroutines(struct list *list)
{
	const struct rep_lanes *l = list->l;
	struct rep_lane_rows *rows = list->rows;
	struct rep_lane *fit;
	int code = 0;

	/* A long run has so many that growing the list step by step would need twice the memory. */
	rows->row = tp_many(l->ng + (size_t)1, sizeof(*rows->row));
	list->room = rows->row ? l->ng : 0;
	for (uint32_t i = 0; i < l->ng && !code; i++) {
		if (rep_lanes_shows(l, l->by_id[i]))
			code = put_goroutine(list, l->by_id[i], 0);
	}
	fit = rows->row ? tp_more(rows->row, rows->n + 1, sizeof(*fit)) : NULL;
	rows->row = fit ? fit : rows->row;
	list->room = fit ? rows->n + 1 : list->room;
	return code;
}

/* ---- groups ---- */

struct ranked {
	int64_t busy_ns;
	struct tp_text name;
	uint32_t group;
};

static int by_busy(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	uint32_t n = x->name.size < y->name.size ? x->name.size : y->name.size;
	int order;

	if (x->busy_ns != y->busy_ns)
		return x->busy_ns > y->busy_ns ? -1 : 1;
	order = memcmp(x->name.text, y->name.text, n);
	if (order)
		return order;
	return x->name.size < y->name.size ? -1 : x->name.size > y->name.size;
}

/* The goroutines of unfolded groups, by group and id: member[first[g]] … member[first[g + 1] -
 * 1]. */
struct members {
	uint32_t *first, *member;
	bool *unfolded; /* by group */
};

static int find_members(struct members *m, const struct rep_lanes *l,
			const struct rep_lanes_options *o)
{
	struct rep_keys unfolded = {0};
	uint32_t at = 0;
	int code = 0;

	m->first = calloc(l->ngroups + (size_t)2, sizeof(*m->first));
	m->unfolded = calloc(l->ngroups + (size_t)1, sizeof(*m->unfolded));
	m->member = tp_many(l->ng + (size_t)1, sizeof(*m->member));
	for (size_t i = 0; i < o->nunfolded && !code; i++)
		code = rep_keys_add(&unfolded, o->unfolded[i], 0, 0, 0, &at);
	if (!m->first || !m->unfolded || !m->member || code) {
		rep_keys_release(&unfolded);
		return TP_ENOMEM;
	}
	for (uint32_t g = 0; g < l->ngroups; g++)
		m->unfolded[g] = rep_keys_find(&unfolded, l->group[g].entry, 0, 0, 0, &at);
	rep_keys_release(&unfolded);
	at = 0;
	for (uint32_t g = 0; g < l->ngroups; g++) {
		m->first[g] = at;
		at += m->unfolded[g] ? l->group[g].n : 0;
	}
	for (uint32_t i = 0; i < l->ng; i++) {
		uint32_t g = l->by_id[i], group = l->group_of[g];

		if (group != TP_NONE && m->unfolded[group])
			m->member[m->first[group]++] = g;
	}
	for (uint32_t g = l->ngroups; g > 0; g--)
		m->first[g] = m->first[g - 1];
	m->first[0] = 0;
	return 0;
}

static int put_groups(struct list *list)
{
	const struct rep_lanes *l = list->l;
	struct ranked *rank = tp_many(l->ngroups + (size_t)1, sizeof(*rank));
	struct members m = {0};
	int code = rank ? 0 : TP_ENOMEM;

	if (!code && list->options->nunfolded)
		code = find_members(&m, l, list->options);
	for (uint32_t g = 0; g < l->ngroups && !code; g++)
		rank[g] = (struct ranked){l->group[g].busy_ns,
					  tp_dict_text(l->v.dict, l->group[g].entry), g};
	if (!code && l->ngroups)
		qsort(rank, l->ngroups, sizeof(*rank), by_busy);
	for (uint32_t i = 0; i < l->ngroups && !code; i++) {
		const struct rep_lane_group *group = &l->group[rank[i].group];
		struct rep_lane lane = {
		    .kind = REP_LANE_GROUP,
		    .index = group->entry,
		    .id = group->n,
		    .from = group->from,
		    .to = group->to,
		    .busy_ns = group->busy_ns,
		};

		name(l, &lane, group->entry);
		code = put(list, &lane);
		if (code || !m.first || !m.unfolded[rank[i].group])
			continue;
		for (uint32_t k = m.first[rank[i].group]; k < m.first[rank[i].group + 1] && !code;
		     k++)
			code = put_goroutine(list, m.member[k], 1);
	}
	free(rank);
	free(m.first);
	free(m.member);
	free(m.unfolded);
	return code;
}

/* ---- Ps and Ms ---- */

static int by_id(const void *a, const void *b)
{
	const struct rep_lane *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Lists Ps or Ms; busy is the time that a thread held a P. */
static int put_places(struct list *list, bool procs)
{
	const struct rep_lanes *l = list->l;
	uint32_t n = procs ? l->np : l->nm;
	struct rep_lane *lane = calloc(n + (size_t)1, sizeof(*lane));
	int code = 0;

	if (!lane)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		lane[i] = (struct rep_lane){
		    .kind = procs ? REP_LANE_PROC : REP_LANE_THREAD,
		    .index = i,
		    .id = procs ? REP_COL(&l->v, PROC, id)[i] : REP_COL(&l->v, THREAD, id)[i],
		    .to = l->duration,
		    .name = "",
		};
	}
	for (size_t i = 0; i < l->nproc_spans; i++) {
		const struct rep_lane_span *span = &l->proc_span[i];
		uint32_t at = procs ? span->p : span->m;

		if (at < n && span->class == TP_ST_RUNNING)
			tp_sum(&lane[at].busy_ns, tp_minus(span->end, span->start));
	}
	if (n)
		qsort(lane, n, sizeof(*lane), by_id);
	for (uint32_t i = 0; i < n && !code; i++)
		code = put(list, &lane[i]);
	free(lane);
	return code;
}

static int by_start(const void *a, const void *b)
{
	const struct rep_lane_span *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

int rep_lanes_need_procs(struct rep_lanes *l, struct tp_err *err)
{
	struct rep_view *v = &l->v;
	size_t n = 0;
	int code;

	if (l->has_procs)
		return 0;
	code = rep_view_load(v, TP_TABLE_PROC_SPAN,
			     REP_BIT(PROC_SPAN, p) | REP_BIT(PROC_SPAN, state) |
				 REP_BIT(PROC_SPAN, start_ns) | REP_BIT(PROC_SPAN, end_ns) |
				 REP_BIT(PROC_SPAN, m),
			     err);
	if (code)
		return code;
	l->proc_span = tp_many(v->nrows[TP_TABLE_PROC_SPAN] + 1, sizeof(*l->proc_span));
	if (!l->proc_span)
		return tp_nomem(err);
	for (size_t i = 0; i < v->nrows[TP_TABLE_PROC_SPAN]; i++) {
		int64_t p = REP_COL(v, PROC_SPAN, p)[i], m = REP_COL(v, PROC_SPAN, m)[i];
		int64_t state = REP_COL(v, PROC_SPAN, state)[i];

		if (p < 0 || p >= l->np || (state != TP_ST_RUNNING && state != TP_ST_IDLE))
			continue;
		l->proc_span[n++] = (struct rep_lane_span){
		    .start = REP_COL(v, PROC_SPAN, start_ns)[i],
		    .end = REP_COL(v, PROC_SPAN, end_ns)[i],
		    .goroutine = TP_NONE,
		    .m = m < 0 || m >= l->nm ? TP_NONE : (uint32_t)m,
		    .p = (uint32_t)p,
		    .class = (uint16_t)state,
		};
	}
	if (n)
		qsort(l->proc_span, n, sizeof(*l->proc_span), by_start);
	l->nproc_spans = n;
	l->has_procs = true;
	return 0;
}

/* ---- tasks ---- */

static int by_task_start(const void *a, const void *b, void *lanes)
{
	const struct rep_view *v = &((const struct rep_lanes *)lanes)->v;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int64_t one = REP_AT(v, TASK, start_ns, x), other = REP_AT(v, TASK, start_ns, y);

	if (one == other) {
		one = REP_AT(v, TASK, id, x);
		other = REP_AT(v, TASK, id, y);
	}
	if (one != other)
		return one < other ? -1 : 1;
	return x < y ? -1 : x > y;
}

int rep_lanes_need_tasks(struct rep_lanes *l, struct tp_err *err)
{
	struct rep_view *v = &l->v;
	int code;

	if (l->has_tasks)
		return 0;
	rep_tasks_release(&l->tasks);
	free(l->task_by_start);
	l->task_by_start = NULL;
	code = rep_tasks_init_members(&l->tasks, v, err);
	if (code)
		return code;
	if (v->nrows[TP_TABLE_TASK] < TP_NONE)
		l->task_by_start =
		    rep_lanes_order(l, (uint32_t)v->nrows[TP_TABLE_TASK], by_task_start);
	if (!l->task_by_start)
		return tp_nomem(err);
	l->has_tasks = true;
	return 0;
}

static int put_tasks(struct list *list)
{
	const struct rep_view *v = &list->l->v;
	int code = 0;

	for (size_t i = 0; i < v->nrows[TP_TABLE_TASK] && !code; i++) {
		uint32_t row = list->l->task_by_start[i];
		int64_t start = REP_AT(v, TASK, start_ns, row);
		int64_t end = REP_AT(v, TASK, end_ns, row);
		struct rep_lane lane = {
		    .kind = REP_LANE_TASK,
		    .index = row,
		    .id = REP_AT(v, TASK, id, row),
		    .from = start == TP_NULL ? 0 : start,
		    .to = end == TP_NULL ? list->l->duration : end,
		};
		int64_t name_id = REP_AT(v, TASK, name, row);

		lane.busy_ns = tp_minus(lane.to, lane.from);
		name(list->l, &lane, name_id < 0 || name_id > UINT32_MAX ? 0 : (uint32_t)name_id);
		code = put(list, &lane);
	}
	return code;
}

static int by_stay(const void *a, const void *b)
{
	const struct rep_lane_stay *x = a, *y = b;

	if (x->goroutine != y->goroutine)
		return x->goroutine < y->goroutine ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

struct stays {
	struct rep_lanes *l;
	struct rep_lane_stay **stay;
	size_t *room, *n;
	uint32_t row;
};

static int put_stay(void *ctx, const struct rep_member *m)
{
	const struct stays *s = ctx;

	if (!rep_lanes_shows(s->l, m->goroutine))
		return 0;
	if (tp_grow(s->stay, s->room, *s->n, sizeof(**s->stay)))
		return TP_ENOMEM;
	(*s->stay)[(*s->n)++] = (struct rep_lane_stay){
	    .goroutine = m->goroutine,
	    .row = s->row,
	    .from = m->from,
	    .to = m->to >= s->l->duration ? INT64_MAX : m->to,
	};
	return 0;
}

int rep_lanes_task_stays(struct rep_lanes *l, uint32_t task, uint32_t row,
			 struct rep_lane_stay **stay, size_t *room, size_t *n)
{
	struct stays s = {.l = l, .stay = stay, .room = room, .n = n, .row = row};
	size_t begin = *n, kept = begin;
	int code = task < l->tasks.n ? rep_members_each(&l->tasks, &task, 1, put_stay, &s) : 0;

	if (code)
		return code;
	if (*n > begin)
		qsort(*stay + begin, *n - begin, sizeof(**stay), by_stay);
	for (size_t i = begin; i < *n; i++) {
		struct rep_lane_stay *last = kept > begin ? &(*stay)[kept - 1] : NULL;
		const struct rep_lane_stay *next = &(*stay)[i];

		if (!last || last->goroutine != next->goroutine || next->from > last->to)
			(*stay)[kept++] = *next;
		else if (next->to > last->to)
			last->to = next->to;
	}
	*n = kept;
	return 0;
}

/* ---- all ---- */

int rep_lanes_rows(struct rep_lanes *l, const struct rep_lanes_options *options,
		   struct rep_lane_rows *rows, struct tp_err *err)
{
	struct list list = {.l = l, .options = options, .rows = rows};
	int code = 0;

	memset(rows, 0, sizeof(*rows));
	if (options->kind == REP_LANE_PROC || options->kind == REP_LANE_THREAD)
		code = rep_lanes_need_procs(l, err);
	else if (options->kind == REP_LANE_TASK)
		code = rep_lanes_need_tasks(l, err);
	if (code)
		return code;
	switch (options->kind) {
	case REP_LANE_GROUP:
		code = put_groups(&list);
		break;
	case REP_LANE_GOROUTINE:
		code = put_goroutines(&list);
		break;
	case REP_LANE_PROC:
	case REP_LANE_THREAD:
		code = put_places(&list, options->kind == REP_LANE_PROC);
		break;
	case REP_LANE_TASK:
		code = put_tasks(&list);
		break;
	default:
		break;
	}
	return code ? tp_nomem(err) : 0;
}

void rep_lane_rows_release(struct rep_lane_rows *rows)
{
	free(rows->row);
	memset(rows, 0, sizeof(*rows));
}
