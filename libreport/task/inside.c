#include "task/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/search.h"
#include "base/sum.h"
#include "base/units.h"
#include "spans/pattern.h"
#include "task/choose.h"
#include "task/request.h"
#include "task/workers.h"

/* ---- collecting ---- */

static int put(struct rep_inside *in, const struct rep_view *v, int64_t goroutine, int64_t from,
	       int64_t to)
{
	struct rep_interval i;
	int code;

	if (goroutine < 0 || (uint64_t)goroutine >= v->nrows[TP_TABLE_GOROUTINE])
		return 0;
	i.goroutine = (uint32_t)goroutine;
	i.from = rep_view_clip_start(v, from == TP_NULL ? 0 : from);
	i.to = to == TP_NULL || to >= v->run->row.duration_ns ? INT64_MAX : to;
	i.to = rep_view_clip_end(v, i.to);
	if (i.from >= i.to)
		return 0;
	code = tp_grow(&in->interval, &in->room, in->n, sizeof(i));
	if (!code)
		in->interval[in->n++] = i;
	return code;
}

struct collect {
	struct rep_inside *in;
	struct rep_view *v;
	struct rep_pattern task, region;
	struct rep_request request; /* if task.request */
	struct rep_tasks tasks;
	uint32_t *chosen; /* rows of tasks */
	uint32_t n;
};

/* Chooses the tasks that match; the background task, which has no beginning, only by its id. */
static int choose_tasks(struct collect *c)
{
	const struct rep_view *v = c->v;

	c->chosen = calloc(c->tasks.n + (size_t)1, sizeof(*c->chosen));
	if (!c->chosen)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < c->tasks.n; i++) {
		int64_t id = REP_AT(v, TASK, id, i);

		if (c->task.by_id ? id == c->task.id
		    : c->task.request
			? c->request.task[i]
			: id && rep_pattern_matches(&c->task, REP_AT(v, TASK, name, i)))
			c->chosen[c->n++] = i;
	}
	return 0;
}

static int put_region(struct collect *c, size_t region)
{
	const struct rep_view *v = c->v;

	if (!rep_pattern_matches(&c->region, REP_AT(v, REGION, name, region)))
		return 0;
	return put(c->in, v, REP_AT(v, REGION, goroutine, region),
		   REP_AT(v, REGION, start_ns, region), REP_AT(v, REGION, end_ns, region));
}

static int put_member(void *ctx, const struct rep_member *m)
{
	struct collect *c = ctx;

	if (m->region != TP_NONE)
		return put_region(c, m->region);
	return c->region.given ? 0 : put(c->in, c->v, m->goroutine, m->from, m->to);
}

static int put_as_go(struct collect *c)
{
	const struct rep_tasks *t = &c->tasks;
	const struct rep_view *v = c->v;
	int code = 0;

	for (uint32_t i = 0; !code && i < c->n; i++) {
		uint32_t row = c->chosen[i], first = t->first_region[row];
		uint32_t end = t->first_region[row + 1];

		for (uint32_t k = first; !code && k < end; k++)
			code = put_region(c, t->region[k]);
		if (!code && first == end && !c->region.given)
			code = put(c->in, v, REP_AT(v, TASK, goroutine, row),
				   REP_AT(v, TASK, start_ns, row), REP_AT(v, TASK, end_ns, row));
	}
	return code;
}

/* Adds up the latencies of the chosen tasks; the background task has none. */
static void add_latencies(const struct collect *c)
{
	const struct rep_tasks *t = &c->tasks;

	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t row = c->chosen[i];
		int64_t from = rep_task_start(t, row), to = rep_task_end(t, row);

		if (!REP_AT(c->v, TASK, id, row) || !rep_view_overlaps(c->v, from, to))
			continue;
		if (c->task.request && c->v->members.nids < 3)
			c->v->members.id[c->v->members.nids++] = REP_AT(c->v, TASK, id, row);
		c->v->members.tasks++;
		tp_sum(&c->v->members.latency_ns,
		       tp_minus(rep_view_clip_end(c->v, to), rep_view_clip_start(c->v, from)));
	}
}

/* Adds the regions and goroutines of a request that are outside of tasks. */
static int put_loose(struct collect *c, struct tp_err *err)
{
	struct rep_view *v = c->v;
	int code = 0;

	v->members.regions = (int64_t)c->request.nregions;
	v->members.goroutines = c->region.given ? 0 : (int64_t)c->request.ngoroutines;
	for (size_t i = 0; c->request.nregions && i < v->nrows[TP_TABLE_REGION] && !code; i++)
		code = c->request.region[i] ? put_region(c, i) : 0;
	if (!code && v->members.goroutines)
		code = rep_view_load(v, TP_TABLE_GOROUTINE,
				     REP_BIT(GOROUTINE, created_ns) | REP_BIT(GOROUTINE, ended_ns),
				     err);
	for (size_t g = 0; v->members.goroutines && g < v->nrows[TP_TABLE_GOROUTINE] && !code; g++)
		if (c->request.goroutine[g])
			code = put(c->in, v, (int64_t)g, REP_COL(v, GOROUTINE, created_ns)[g],
				   REP_COL(v, GOROUTINE, ended_ns)[g]);
	return code;
}

static int collect(struct collect *c, bool by_task, bool as_go, struct tp_err *err)
{
	int code = put_loose(c, err);

	if (!by_task) {
		for (size_t i = 0; !code && i < c->v->nrows[TP_TABLE_REGION]; i++)
			code = put_region(c, i);
		return code;
	}
	if (!c->region.given && !as_go)
		add_latencies(c);
	if (code)
		return code;
	return as_go ? put_as_go(c) : rep_members_each(&c->tasks, c->chosen, c->n, put_member, c);
}

/* ---- in order ---- */

static int by_place(const void *a, const void *b)
{
	const struct rep_interval *x = a, *y = b;

	if (x->goroutine != y->goroutine)
		return x->goroutine < y->goroutine ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static int put_in_order(struct rep_inside *in, const struct rep_view *v, bool as_go)
{
	size_t n = 0, g = 0;

	if (in->n)
		qsort(in->interval, in->n, sizeof(*in->interval), by_place);
	for (size_t i = 0; i < in->n; i++) {
		struct rep_interval *last = n ? &in->interval[n - 1] : NULL;
		const struct rep_interval *next = &in->interval[i];

		if (!last || last->goroutine != next->goroutine || next->from > last->to)
			in->interval[n++] = *next;
		else if (as_go && next->from == last->to)
			in->interval[n++] = *next;
		else if (!as_go && next->to > last->to)
			last->to = next->to;
	}
	in->n = n;
	in->ngoroutines = v->nrows[TP_TABLE_GOROUTINE];
	in->first = tp_many(in->ngoroutines + 1, sizeof(*in->first));
	if (!in->first)
		return TP_ENOMEM;
	for (size_t i = 0; g <= in->ngoroutines; g++) {
		while (i < n && in->interval[i].goroutine < g)
			i++;
		in->first[g] = i;
	}
	return 0;
}

/* Returns the sum of the lengths of all intervals. */
static int64_t total(const struct rep_inside *in, const struct rep_view *v)
{
	int64_t ns = 0, end = v->run->row.duration_ns;

	for (size_t i = 0; i < in->n; i++) {
		const struct rep_interval *k = &in->interval[i];

		tp_sum(&ns, tp_minus(k->to < end ? k->to : end, k->from));
	}
	return ns;
}

/* Sets an error that names the types that the run has. */
static int no_such(const struct rep_view *v, const char *option, const char *text, bool regions,
		   struct tp_err *err)
{
	char hint[200];

	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "nothing matches %s=%s; %s", option, text,
			  rep_pick_hint(v, regions, hint, sizeof(hint)));
}

static bool any_region(const struct rep_view *v, struct rep_pattern *region)
{
	for (size_t i = 0; i < v->nrows[TP_TABLE_REGION]; i++) {
		if (rep_pattern_matches(region, REP_AT(v, REGION, name, i)))
			return true;
	}
	return false;
}

static int begin(struct collect *c, const char *task, const char *region, struct tp_err *err)
{
	int code = rep_pattern_init(&c->task, task, "--task", true, err);

	if (!code)
		code = rep_pattern_init(&c->region, region, "--region", false, err);
	if (!code)
		code = rep_pattern_run(&c->task, c->v->dict, err);
	if (!code)
		code = rep_pattern_run(&c->region, c->v->dict, err);
	if (!code && task)
		return rep_tasks_init_members(&c->tasks, c->v, err);
	if (!code)
		code = rep_view_load(c->v, TP_TABLE_GOROUTINE, REP_BIT(GOROUTINE, name), err);
	if (!code)
		code = rep_view_load(c->v, TP_TABLE_REGION,
				     REP_BIT(REGION, name) | REP_BIT(REGION, goroutine) |
					 REP_BIT(REGION, start_ns) | REP_BIT(REGION, end_ns),
				     err);
	return code;
}

static int init(struct rep_inside *in, struct rep_view *v, const char *task, const char *region,
		bool as_go, struct tp_err *err)
{
	struct collect c = {.in = in, .v = v};
	int code;

	memset(in, 0, sizeof(*in));
	v->members = (struct rep_members){0};
	code = begin(&c, task, region, err);
	if (code)
		goto done;
	if (c.task.request)
		code = rep_request_find(&c.request, v, task, err);
	if (code)
		goto done;
	if (task)
		code = choose_tasks(&c);
	if (!code && c.task.unknown) {
		code = rep_pattern_settle(&c.task, err);
		goto done;
	}
	if (!code && task && !c.n && !c.task.request) {
		code = no_such(v, "--task", task, false, err);
		goto done;
	}
	if (!code && region && !any_region(v, &c.region) && !c.region.unknown) {
		code = no_such(v, "--region", region, true, err);
		goto done;
	}
	if (!code)
		code = collect(&c, task, as_go, err);
	if (!code)
		code = put_in_order(in, v, as_go);
	if (!code && (v->members.tasks || v->members.regions || v->members.goroutines))
		v->members.total_ns = total(in, v);
	if (code == TP_ELIMIT)
		tp_err_set(err, code, TP_OFFSET_NONE, "the run has too many tasks and regions");
	else if (code == TP_ENOMEM)
		tp_nomem(err);
	else if (!code)
		code = rep_pattern_settle(&c.region, err);
done:
	free(c.chosen);
	rep_request_release(&c.request);
	rep_tasks_release(&c.tasks);
	rep_pattern_release(&c.task);
	rep_pattern_release(&c.region);
	return code;
}

int rep_inside_init(struct rep_inside *in, struct rep_view *v, const char *task, const char *region,
		    struct tp_err *err)
{
	return init(in, v, task, region, false, err);
}

int rep_inside_init_go(struct rep_inside *in, struct rep_view *v, const char *task,
		       const char *region, struct tp_err *err)
{
	return init(in, v, task, region, true, err);
}

int rep_inside_check(const char *task, const char *region, struct tp_err *err)
{
	const struct rep_pick_text text = {.task = task, .region = region};
	struct rep_pick choice;
	int code = rep_pick_init(&choice, &text, err);

	rep_pick_release(&choice);
	return code;
}

void rep_inside_release(struct rep_inside *in)
{
	free(in->interval);
	free(in->first);
	memset(in, 0, sizeof(*in));
}

size_t rep_inside_first(const struct rep_inside *in, int64_t goroutine, int64_t ns)
{
	size_t first = in->first[goroutine];

	TP_SEARCH(first, in->first[goroutine + 1], i, in->interval[i].to <= ns);
	return first;
}

bool rep_inside_clip(const struct rep_inside *in, int64_t goroutine, int64_t start, int64_t end,
		     int64_t *ns)
{
	bool any = false;
	size_t low, high;

	*ns = 0;
	if (goroutine < 0 || (uint64_t)goroutine >= in->ngoroutines)
		return false;
	low = rep_inside_first(in, goroutine, start);
	high = in->first[goroutine + 1];
	for (; low < high; low++) {
		const struct rep_interval *i = &in->interval[low];
		int64_t from = start > i->from ? start : i->from;
		int64_t to = end < i->to ? end : i->to;

		if (i->from >= end && !(start == end && i->from == start))
			break;
		any = true;
		*ns = (int64_t)((uint64_t)*ns + (uint64_t)to - (uint64_t)from);
	}
	return any;
}

void rep_members_add(struct rep_members *sum, const struct rep_members *m)
{
	tp_sum(&sum->tasks, m->tasks);
	tp_sum(&sum->total_ns, m->total_ns);
	tp_sum(&sum->latency_ns, m->latency_ns);
	sum->nids = sum->tasks == m->tasks ? m->nids : 0; /* ids are a run's */
	memcpy(sum->id, m->id, sizeof(sum->id));
	tp_sum(&sum->regions, m->regions);
	tp_sum(&sum->goroutines, m->goroutines);
}

const char *rep_members_say(const struct rep_members *m, char *text, size_t size)
{
	char count[TP_COUNT_SIZE], total[TP_UNITS_SIZE], latency[TP_UNITS_SIZE];
	char more[TP_COUNT_SIZE], ids[80] = "", outside[130] = "";
	size_t used = 0;
	bool several = m->tasks > 1;

	*text = '\0';
	if (m->regions || m->goroutines)
		snprintf(outside, sizeof(outside), "; outside of tasks, %s%s%s%s%s logged it",
			 m->regions ? tp_fmt_count(count, m->regions) : "",
			 !m->regions	   ? ""
			 : m->regions == 1 ? " region"
					   : " regions",
			 m->regions && m->goroutines ? " and " : "",
			 m->goroutines ? tp_fmt_count(more, m->goroutines) : "",
			 !m->goroutines	      ? ""
			 : m->goroutines == 1 ? " goroutine"
					      : " goroutines");
	if (!m->tasks && *outside)
		snprintf(text, size, "counts %s%s", tp_fmt_ns(total, m->total_ns), outside);
	if (!m->tasks)
		return text;
	for (size_t i = 0; i < m->nids && used < sizeof(ids) - 30; i++)
		used += (size_t)snprintf(ids + used, sizeof(ids) - used, "%s%lld", i ? ", " : " ",
					 (long long)m->id[i]);
	if (m->nids && (size_t)m->tasks > m->nids)
		snprintf(ids + used, sizeof(ids) - used, ", ...");
	snprintf(text, size, "counts every goroutine working for the %s%s%s: %s; %s took %s%s",
		 several ? tp_fmt_count(count, m->tasks) : "", several ? " tasks" : "task", ids,
		 tp_fmt_ns(total, m->total_ns), several ? "they" : "it",
		 tp_fmt_ns(latency, m->latency_ns), outside);
	return text;
}

int rep_inside_segments(const struct rep_inside *in, const struct rep_view *v, bool *wanted)
{
	int64_t *begin = calloc(v->nsegments + 1, sizeof(*begin)), open = 0;

	if (!begin)
		return TP_ENOMEM;
	for (size_t i = 0; v->nsegments && i < in->n; i++) {
		const struct rep_interval *interval = &in->interval[i];
		size_t first = 0, end;

		TP_SEARCH(first, v->nsegments - 1, k, v->segments[k].to_ns < interval->from);
		begin[first]++;
		end = first + 1;
		TP_SEARCH(end, v->nsegments, k, v->segments[k].from_ns < interval->to);
		begin[end]--;
	}
	for (size_t s = 0; s < v->nsegments; s++) {
		open += begin[s];
		wanted[s] = wanted[s] || open > 0;
	}
	free(begin);
	return 0;
}
