/* Tasks, regions and logs of runtime/trace, by the rules of Go's summary
 * (internal/trace/summary.go):
 *   - A task exists once anything names it, the background task 0 too.
 *   - An end of a region ends the innermost one of its goroutine, whatever its name; without one it
 *     makes a region that began before the trace, with all that its goroutine has done so far.
 *   - A new goroutine inherits the innermost region of its creator, without a name.
 *   - Regions still going on end with their goroutine or the trace, unless that is a goroutine of
 *     the runtime, which has none. Which it is its name tells, and so at the end. */
#include <stdlib.h>
#include <string.h>

#include "timeline/parts.h"

#define NO_TASK UINT64_MAX

static uint32_t task_hash(uint64_t id)
{
	return (uint32_t)tp_mix(0, id);
}

/* The number of the task of an id, made if need be; TP_NONE when memory is out. */
static uint32_t task_number(struct tp_annotations *a, uint64_t id)
{
	uint32_t *slots, at;

	if (!a->task_slots || a->ntasks >= (a->task_mask + 1) / 2) {
		if (tp_grow_slots(&a->task_slots, &a->task_mask, &slots))
			return TP_NONE;
		for (uint32_t i = 0; i < a->ntasks; i++) {
			at = task_hash(a->tasks[i].id) & a->task_mask;
			while (slots[at])
				at = (at + 1) & a->task_mask;
			slots[at] = i + 1;
		}
	}
	for (at = task_hash(id) & a->task_mask; a->task_slots[at]; at = (at + 1) & a->task_mask)
		if (a->tasks[a->task_slots[at] - 1].id == id)
			return a->task_slots[at] - 1;
	if (a->ntasks == a->room_tasks &&
	    tp_grow_items((void **)&a->tasks, &a->room_tasks, sizeof(*a->tasks)))
		return TP_NONE;
	a->tasks[a->ntasks] = (struct tp_task){.id = id, .goroutine = TP_NONE};
	a->task_slots[at] = ++a->ntasks;
	return a->ntasks - 1;
}

/* The task of an id; NULL when memory is out. Valid until the next is made. */
static struct tp_task *task_at(struct tp_annotations *a, uint64_t id)
{
	uint32_t number = a->latest_task;

	if (number >= a->ntasks || a->tasks[number].id != id) {
		number = task_number(a, id);
		if (number == TP_NONE)
			return NULL;
		a->latest_task = number;
	}
	return &a->tasks[number];
}

/* g works for the task; TP_NONE counts as one too, as in Go. */
static int join(struct tp_annotations *a, struct tp_task *task, uint32_t g)
{
	uint64_t *there;

	for (uint32_t i = 0; i < 2; i++) {
		if (i == task->goroutines)
			task->member[task->goroutines++] = g;
		if (task->member[i] == g)
			return 0;
	}
	there = tp_map_at(&a->members, (uint64_t)(task - a->tasks) << 32 | g);
	if (!there)
		return TP_ENOMEM;
	if (!*there) {
		*there = 1;
		task->goroutines++;
	}
	return 0;
}

static int task_event(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_annotations *a = &t->annotations;
	uint64_t id = ev->arg[0], parent = ev->arg[1];
	struct tp_task *task = task_at(a, id);

	if (!task || join(a, task, ev->g))
		return tp_timeline_nomem(err);
	task->name = ev->str;
	if (ev->type == TP_EV_TASK_BEGIN) {
		task->has_start = true;
		task->start = ev->ts;
		task->goroutine = ev->g;
		task->stack = ev->stack;
	} else {
		task->has_end = true;
		task->end = ev->ts;
	}
	if (parent != NO_TASK && !task->has_parent) {
		task->has_parent = true;
		task->parent = parent;
		if (!task_at(a, parent))
			return tp_timeline_nomem(err);
	}
	return 0;
}

static int log_event(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_task *task = task_at(&t->annotations, ev->arg[0]);
	int64_t v[TP_MAX_COLUMNS];

	if (!task || join(&t->annotations, task, ev->g))
		return tp_timeline_nomem(err);
	task->logs++;
	v[TP_COL(LOG, ts_ns)] = tp_time_value(t, ev->ts);
	v[TP_COL(LOG, goroutine)] = tp_index_value(ev->g);
	v[TP_COL(LOG, task)] = (int64_t)ev->arg[0];
	v[TP_COL(LOG, category)] = ev->str;
	v[TP_COL(LOG, message)] = ev->str2;
	v[TP_COL(LOG, stack)] = ev->stack;
	return tp_timeline_put(t, TP_TABLE_LOG, v, err);
}

/* ---- regions ---- */

static int put_region(struct tp_timeline *t, const struct tp_region *r, struct tp_err *err)
{
	int64_t v[TP_MAX_COLUMNS];

	v[TP_COL(REGION, name)] = r->name;
	v[TP_COL(REGION, task)] = (int64_t)r->task;
	v[TP_COL(REGION, goroutine)] = tp_index_value(r->g);
	v[TP_COL(REGION, start_ns)] = r->has_start ? tp_time_value(t, r->start) : TP_NULL;
	v[TP_COL(REGION, end_ns)] = r->has_end ? tp_time_value(t, r->end) : TP_NULL;
	v[TP_COL(REGION, running_ns)] = r->ns[TP_STAT_RUNNING];
	v[TP_COL(REGION, runnable_ns)] = r->ns[TP_STAT_RUNNABLE];
	v[TP_COL(REGION, blocked_ns)] = r->ns[TP_STAT_BLOCKED];
	v[TP_COL(REGION, syscall_ns)] = r->ns[TP_STAT_SYSCALL];
	v[TP_COL(REGION, syscall_blocked_ns)] = r->ns[TP_STAT_SYSCALL_BLOCKED];
	v[TP_COL(REGION, stack)] = r->stack;
	return tp_timeline_put(t, TP_TABLE_REGION, v, err);
}

/* What the goroutine has done since the region began, in place of what it had done by then. */
static void settle_stats(struct tp_timeline *t, struct tp_region *r, int64_t ts)
{
	int64_t now[TP_NSTATS];

	tp_summary_snapshot(t, r->g, ts, now);
	for (int i = 0; i < TP_NSTATS; i++)
		r->ns[i] = now[i] - r->ns[i];
}

static struct tp_region *push(struct tp_timeline *t, struct tp_gsum *sum, uint32_t g,
			      const struct tp_event *ev)
{
	struct tp_region *r;

	t->annotations.active.size = sizeof(*r);
	r = tp_pool_push(&t->annotations.active, &sum->regions);
	if (r) {
		r->g = g;
		r->has_start = true;
		r->start = ev->ts;
		r->stack = ev->stack;
	}
	return r;
}

/* The region and its goroutine belong to the task. */
static int join_region(struct tp_timeline *t, uint64_t id, uint32_t g, struct tp_err *err)
{
	struct tp_task *task = task_at(&t->annotations, id);

	if (!task || join(&t->annotations, task, g))
		return tp_timeline_nomem(err);
	task->regions++;
	return 0;
}

static int region_begin(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_gsum *sum = ev->g == TP_NONE ? NULL : tp_summary_at(t, ev->g);
	struct tp_region *r;

	if (ev->g == TP_NONE)
		return 0;
	r = sum ? push(t, sum, ev->g, ev) : NULL;
	if (!r)
		return tp_timeline_nomem(err);
	r->name = ev->str;
	r->task = ev->arg[0];
	tp_summary_snapshot(t, ev->g, ev->ts, r->ns);
	return join_region(t, r->task, ev->g, err);
}

static int region_end(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_gsum *sum = ev->g == TP_NONE ? NULL : tp_summary_at(t, ev->g);
	struct tp_region r = {.name = ev->str, .g = ev->g, .task = ev->arg[0]};
	int code;

	if (ev->g == TP_NONE)
		return 0;
	if (!sum)
		return tp_timeline_nomem(err);
	if (sum->regions) {
		r = *(struct tp_region *)tp_pool_pop(&t->annotations.active, &sum->regions);
	} else {
		code = join_region(t, r.task, ev->g, err);
		if (code)
			return code;
	}
	r.has_end = true;
	r.end = ev->ts;
	settle_stats(t, &r, ev->ts);
	return put_region(t, &r, err);
}

int tp_annotation_inherit(struct tp_timeline *t, const struct tp_event *ev, struct tp_gsum *sum,
			  struct tp_err *err)
{
	const struct tp_gsum *creator = tp_summary_find(t, ev->g);
	struct tp_region *r;
	uint64_t task;

	if (!creator || !creator->regions || ev->g == ev->subject)
		return 0;
	task = ((struct tp_region *)tp_pool_at(&t->annotations.active, creator->regions))->task;
	r = push(t, sum, ev->subject, ev);
	if (!r)
		return tp_timeline_nomem(err);
	r->task = task;
	return 0;
}

int tp_annotation_close(struct tp_timeline *t, uint32_t g, struct tp_gsum *sum, int64_t ts,
			bool ended, struct tp_err *err)
{
	struct tp_annotations *a = &t->annotations;
	(void)g;

	while (sum->regions) {
		struct tp_region *r;

		if (a->nended == a->room_ended) {
			size_t room = a->room_ended ? a->room_ended * 2 : 64;
			void *p = realloc(a->ended, room * sizeof(*a->ended));

			if (!p)
				return tp_timeline_nomem(err);
			a->ended = p;
			a->room_ended = room;
		}
		r = &a->ended[a->nended++];
		*r = *(struct tp_region *)tp_pool_pop(&a->active, &sum->regions);
		r->has_end = ended;
		r->end = ts;
		settle_stats(t, r, ts);
	}
	return 0;
}

int tp_annotation_event(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	switch (ev->type) {
	case TP_EV_TASK_BEGIN:
	case TP_EV_TASK_END:
		return task_event(t, ev, err);
	case TP_EV_REGION_BEGIN:
		return region_begin(t, ev, err);
	case TP_EV_REGION_END:
		return region_end(t, ev, err);
	default:
		return log_event(t, ev, err);
	}
}

/* ---- the end ---- */

/* Go's IsSystemGoroutine. */
static bool is_system(const struct tp_dict *dict, uint32_t name)
{
	struct tp_text text = tp_dict_text(dict, name);

	return !text.size || (text.size >= 8 && !memcmp(text.text, "runtime.", 8) &&
			      !(text.size == 12 && !memcmp(text.text, "runtime.main", 12)));
}

static int put_task(struct tp_timeline *t, const struct tp_task *task, struct tp_err *err)
{
	int64_t v[TP_MAX_COLUMNS];

	v[TP_COL(TASK, id)] = (int64_t)task->id;
	v[TP_COL(TASK, parent)] = task->has_parent ? (int64_t)task->parent : 0;
	v[TP_COL(TASK, name)] = task->name;
	v[TP_COL(TASK, start_ns)] = task->has_start ? tp_time_value(t, task->start) : TP_NULL;
	v[TP_COL(TASK, end_ns)] = task->has_end ? tp_time_value(t, task->end) : TP_NULL;
	v[TP_COL(TASK, goroutine)] = tp_index_value(task->goroutine);
	v[TP_COL(TASK, stack)] = task->stack;
	v[TP_COL(TASK, regions)] = (int64_t)task->regions;
	v[TP_COL(TASK, logs)] = (int64_t)task->logs;
	v[TP_COL(TASK, goroutines)] = task->goroutines;
	return tp_timeline_put(t, TP_TABLE_TASK, v, err);
}

int tp_annotation_finish(struct tp_timeline *t, const struct tp_trace *trace, struct tp_err *err)
{
	struct tp_annotations *a = &t->annotations;
	int code = 0;

	for (size_t i = 0; !code && i < a->nended; i++) {
		uint32_t stack = tp_summary_name_stack(t, a->ended[i].g);

		if (!is_system(trace->dict, tp_name_of_stack(trace->dict, stack)))
			code = put_region(t, &a->ended[i], err);
	}
	for (uint32_t i = 0; !code && i < a->ntasks; i++)
		code = put_task(t, &a->tasks[i], err);
	return code;
}

void tp_annotation_release(struct tp_annotations *a)
{
	free(a->tasks);
	free(a->ended);
	free(a->task_slots);
	tp_map_release(&a->members);
	tp_pool_release(&a->active);
}
