/* Annotations by the program (tasks, regions, logs, labels), metrics, and experimental events. */
#include "order/v2/advance.h"

static enum tp_v2_advance user_task(struct tp_v2_order *o, struct tp_v2_cursor *c,
				    const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	uint64_t id = tp_v2_varint(in), parent = UINT64_MAX; /* Go: NoTask */
	struct tp_v2_task *task = tp_v2_task_find(&o->s, id);
	uint32_t name = 0, stack;

	NEED_USER;
	if (c->type == TP_V2_UserTaskBegin) {
		int code;

		NEED(!task, "task %llu begins, but it has not ended", (unsigned long long)id);
		parent = tp_v2_varint(in);
		if (!parent)
			parent = UINT64_MAX;
		STRING(tp_v2_varint(in), &name);
		STACK(tp_v2_varint(in), &stack);
		code = tp_v2_task_start(&o->s, id, parent, name);
		if (code)
			return tp_v2_out_of_memory(o, code);
	} else {
		STACK(tp_v2_varint(in), &stack);
		if (task) {
			parent = task->parent;
			name = task->name;
			tp_v2_task_end(&o->s, id);
		}
	}
	EVENT(c->type, TP_NONE, .str = name, .stack = stack, .arg = {id, parent});
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance user_region(struct tp_v2_order *o, struct tp_v2_cursor *c,
				      const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_g *g = m->g;
	uint64_t task = tp_v2_varint(in);
	uint32_t name, stack;

	NEED_USER;
	STRING(tp_v2_varint(in), &name);
	STACK(tp_v2_varint(in), &stack);
	NEED_STATE;
	/* Programs end regions out of order, which Go's reader refuses; the timeline matches them.
	 */
	if (o->opt->strict && c->type == TP_V2_UserRegionBegin) {
		int code = tp_v2_region_push(&o->s, g, task, name);

		if (code)
			return tp_v2_out_of_memory(o, code);
	} else if (g->regions) { /* strict; else it began before the trace */
		NEED(g->regions->task == task && g->regions->name == name,
		     "a region of task %llu ends, which is not the innermost one",
		     (unsigned long long)task);
		tp_v2_region_pop(&o->s, g);
	}
	EVENT(c->type, TP_NONE, .str = name, .stack = stack, .arg = {task});
	return TP_V2_ADVANCED;
}

/* Label, log, heap metrics, GOMAXPROCS: they change nothing. */
static enum tp_v2_advance metric_or_text(struct tp_v2_order *o, struct tp_v2_cursor *c,
					 const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	uint32_t str, str2, stack;
	uint64_t value;

	switch (c->type) {
	case TP_V2_HeapGoal:
		value = tp_v2_varint(in);
		NEED_P;
		EVENT(TP_EV_HEAP_GOAL, TP_NONE, .arg = {value});
		break;
	case TP_V2_GoLabel:
		STRING(tp_v2_varint(in), &str);
		NEED_USER;
		EVENT(TP_EV_GO_LABEL, m->g->index, .str = str);
		break;
	case TP_V2_UserLog:
		value = tp_v2_varint(in);
		STRING(tp_v2_varint(in), &str);
		STRING(tp_v2_varint(in), &str2);
		STACK(tp_v2_varint(in), &stack);
		NEED_USER;
		EVENT(TP_EV_LOG, TP_NONE, .str = str, .str2 = str2, .stack = stack, .arg = {value});
		break;
	default:
		value = tp_v2_varint(in);
		STACK(tp_v2_varint(in), &stack);
		NEED_USER;
		EVENT(TP_EV_PROCS_CHANGE, TP_NONE, .stack = stack, .arg = {value});
		break;
	}
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance experimental(struct tp_v2_order *o, struct tp_v2_cursor *c,
				       const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	uint64_t v[3] = {0};

	for (unsigned i = 1; i < tp_v2_arity[c->type]; i++)
		v[i - 1] = tp_v2_varint(in);
	NEED_THREAD;
	EVENT(c->type, TP_NONE, .arg = {v[0], v[1], v[2]});
	return TP_V2_ADVANCED;
}

enum tp_v2_advance tp_v2_take_annotation(struct tp_v2_order *o, struct tp_v2_cursor *c,
					 const uint8_t **in)
{
	switch (c->type) {
	case TP_V2_UserTaskBegin:
	case TP_V2_UserTaskEnd:
		return user_task(o, c, in);
	case TP_V2_UserRegionBegin:
	case TP_V2_UserRegionEnd:
		return user_region(o, c, in);
	case TP_V2_ProcsChange:
	case TP_V2_HeapGoal:
	case TP_V2_GoLabel:
	case TP_V2_UserLog:
		return metric_or_text(o, c, in);
	case TP_V2_ClockSnapshot: /* timed, but at home in a sync batch only */
		return tp_v2_fault(o, c, "the event belongs in a sync batch");
	default:
		return experimental(o, c, in);
	}
}
