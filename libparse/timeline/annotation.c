/* Regions and logs of runtime/trace, and the tasks they belong to, by the rules of Go's summary
 * (internal/trace/summary.go):
 *   - A task exists once an event refers to it; so does the background task 0.
 *   - The end of a region ends the innermost one of its goroutine with the same name and task. In
 *     traces that Go's reader accepts, that is the innermost one of all, but some programs end them
 *     out of order. If there is none, the event ends the inherited region, if no other is open, or
 *     makes a region that began before the trace, with all time of its goroutine so far.
 *   - A new goroutine inherits the innermost region of its creator, without its name.
 *   - Open regions end with their goroutine or the trace. Goroutines of the runtime have no
 *     regions; they are known by name, that is, at the end of the run. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "timeline/parts.h"

#define NO_TASK UINT64_MAX

#define MAX_REGIONS (16u << 20) /* open at once */
/* Limit on open regions examined to find the one that ends: a fixed allowance plus so many per end.
 */
#define LOOKS	      (UINT64_C(1) << 24)
#define LOOKS_PER_END 64

static int task_event(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_tasks *tasks = &t->annotations.tasks;
	uint64_t parent = ev->arg[1];
	struct tp_task *task = tp_task_join(tasks, ev->arg[0], ev->g);

	if (!task)
		return tp_nomem(err);
	task->name = ev->str;
	if (ev->type == TP_EV_TASK_BEGIN) {
		task->has_start = true;
		task->start = ev->ts;
		task->goroutine = ev->g;
		task->stack = ev->stack;
	} else {
		tp_task_end(tasks, task, ev->ts);
	}
	if (parent != NO_TASK && !task->has_parent) {
		task->has_parent = true;
		task->parent = parent;
		if (!tp_task_at(tasks, parent))
			return tp_nomem(err);
	}
	return 0;
}

static int log_event(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_task *task = tp_task_join(&t->annotations.tasks, ev->arg[0], ev->g);
	int64_t v[TP_MAX_COLUMNS];

	if (!task)
		return tp_nomem(err);
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

/* Replaces the goroutine's times at the region's begin by those since then. */
static void settle_stats(struct tp_timeline *t, struct tp_region *r, int64_t ts)
{
	int64_t now[TP_NSTATS];

	tp_summary_snapshot(t, r->g, ts, now);
	for (int i = 0; i < TP_NSTATS; i++)
		r->ns[i] = tp_since(r->ns[i], now[i]);
}

/* Sets the error after a push has failed. */
static int refused(const struct tp_timeline *t, struct tp_err *err)
{
	return t->annotations.active.n < MAX_REGIONS
		   ? tp_nomem(err)
		   : tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "too many regions are open");
}

static struct tp_region *push(struct tp_timeline *t, struct tp_gsum *sum, uint32_t g,
			      const struct tp_event *ev)
{
	struct tp_pool *active = &t->annotations.active;
	struct tp_region *r;

	active->size = sizeof(*r);
	if (active->n >= MAX_REGIONS && !active->free)
		return NULL;
	r = tp_pool_push(active, &sum->regions);
	if (r) {
		r->g = g;
		r->has_start = true;
		r->start = ev->ts;
		r->stack = ev->stack;
	}
	return r;
}

/* Counts a region and its goroutine for the task. */
static int join_region(struct tp_timeline *t, uint64_t id, uint32_t g, struct tp_err *err)
{
	struct tp_task *task = tp_task_join(&t->annotations.tasks, id, g);

	if (!task)
		return tp_nomem(err);
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
		return refused(t, err);
	r->name = ev->str;
	r->task = ev->arg[0];
	tp_summary_snapshot(t, ev->g, ev->ts, r->ns);
	return join_region(t, r->task, ev->g, err);
}

/* Whether an event ends a region. Either name may be lost with the tables of a damaged
 * generation. */
enum match { NO_MATCH, MAY_MATCH, MATCH };

static enum match match(const struct tp_region *r, const struct tp_event *ev)
{
	if (r->inherited || r->task != ev->arg[0])
		return NO_MATCH;
	return r->name == ev->str ? MATCH : r->name && ev->str ? NO_MATCH : MAY_MATCH;
}

/* Returns the link to the open region that an event ends, or NULL. */
static uint32_t *find_open(struct tp_annotations *a, uint32_t *open, const struct tp_event *ev)
{
	uint32_t *at = open, *maybe = NULL;
	struct tp_region *r;

	if (!*open)
		return NULL;
	r = tp_pool_at(&a->active, *open);
	if (match(r, ev) == MATCH || r->inherited)
		return open;
	for (a->searches++; *at; at = &r->node.next) {
		enum match is;

		if (a->looks >= LOOKS + LOOKS_PER_END * a->searches) {
			a->unmatched++;
			return NULL;
		}
		a->looks++;
		r = tp_pool_at(&a->active, *at);
		is = match(r, ev);
		if (is == MATCH)
			return at;
		if (is == MAY_MATCH && !maybe)
			maybe = at;
	}
	return maybe;
}

static int region_end(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_gsum *sum = ev->g == TP_NONE ? NULL : tp_summary_at(t, ev->g);
	struct tp_region r = {.name = ev->str, .g = ev->g, .task = ev->arg[0]};
	uint32_t *open;
	int code;

	if (ev->g == TP_NONE)
		return 0;
	if (!sum)
		return tp_nomem(err);
	open = find_open(&t->annotations, &sum->regions, ev);
	if (open) {
		r = *(struct tp_region *)tp_pool_pop(&t->annotations.active, open);
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
		return refused(t, err);
	r->task = task;
	r->inherited = true;
	return 0;
}

/* Keeps a region that ended with its goroutine until the goroutine's name is known. There may be
 * one per goroutine of the run, so they are kept as varints. */
static int hold_region(struct tp_buf *held, const struct tp_region *r)
{
	uint8_t *p;

	if (tp_buf_reserve(held, 1 + (6 + TP_NSTATS) * 10))
		return TP_ENOMEM;
	p = held->data + held->size;
	*p++ = r->has_end;
	p = tp_put_uvarint(p, r->g);
	p = tp_put_uvarint(p, r->name);
	p = tp_put_uvarint(p, r->stack);
	p = tp_put_uvarint(p, r->task);
	p = tp_put_uvarint(p, tp_zigzag(r->start));
	p = tp_put_uvarint(p, tp_zigzag(r->end));
	for (int i = 0; i < TP_NSTATS; i++)
		p = tp_put_uvarint(p, tp_zigzag(r->ns[i]));
	held->size = (size_t)(p - held->data);
	return 0;
}

static struct tp_region unhold_region(struct tp_cursor *in)
{
	struct tp_region r = {.has_start = true};

	r.has_end = tp_cursor_u8(in);
	r.g = (uint32_t)tp_cursor_uvarint(in);
	r.name = (uint32_t)tp_cursor_uvarint(in);
	r.stack = (uint32_t)tp_cursor_uvarint(in);
	r.task = tp_cursor_uvarint(in);
	r.start = tp_unzigzag(tp_cursor_uvarint(in));
	r.end = tp_unzigzag(tp_cursor_uvarint(in));
	for (int i = 0; i < TP_NSTATS; i++)
		r.ns[i] = tp_unzigzag(tp_cursor_uvarint(in));
	return r;
}

int tp_annotation_close(struct tp_timeline *t, struct tp_gsum *sum, int64_t ts, bool ended,
			struct tp_err *err)
{
	struct tp_annotations *a = &t->annotations;

	while (sum->regions) {
		struct tp_region r = *(struct tp_region *)tp_pool_pop(&a->active, &sum->regions);

		r.has_end = ended;
		r.end = ts;
		settle_stats(t, &r, ts);
		if (hold_region(&a->held, &r))
			return tp_nomem(err);
	}
	return 0;
}

tp_event_fn tp_annotation_of_type(uint8_t type)
{
	switch (type) {
	case TP_EV_TASK_BEGIN:
	case TP_EV_TASK_END:
		return task_event;
	case TP_EV_REGION_BEGIN:
		return region_begin;
	case TP_EV_REGION_END:
		return region_end;
	default:
		return log_event;
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

static int tell_unmatched(const struct tp_annotations *a, struct tp_trace *trace,
			  struct tp_err *err)
{
	struct tp_loss loss = {.from_ns = INT64_MIN, .to_ns = INT64_MIN};

	if (!a->unmatched)
		return 0;
	snprintf(loss.reason, sizeof(loss.reason),
		 "%" PRIu64
		 " ends of user regions have no beginning: too many regions were open to "
		 "look for it",
		 a->unmatched);
	return tp_trace_add_loss(trace, &loss) ? tp_nomem(err) : 0;
}

int tp_annotation_finish(struct tp_timeline *t, struct tp_trace *trace, struct tp_err *err)
{
	struct tp_annotations *a = &t->annotations;
	struct tp_cursor in = tp_cursor(a->held.data, a->held.size);
	int code = tell_unmatched(a, trace, err);

	while (!code && tp_cursor_left(&in)) {
		struct tp_region r = unhold_region(&in);
		if (!is_system(trace->dict, tp_summary_name(t, r.g)))
			code = put_region(t, &r, err);
	}
	return code ? code : tp_task_finish(t, err);
}

void tp_annotation_release(struct tp_annotations *a)
{
	tp_task_release(&a->tasks);
	tp_buf_release(&a->held);
	tp_pool_release(&a->active);
}
