/* Ranges, metrics, tasks, regions, logs, labels and samples: their goroutine must exist and run. */
#include "export/cut/state.h"

#include <string.h>

/* Returns the thread of the event, or TP_NONE if the event cannot be written (Go's reader:
 * userGoReqs). */
static uint32_t user_lane(const struct cut *c, const struct tp_event *ev)
{
	uint32_t m = cut_lane(c, ev), g;

	if (m == TP_NONE || c->ms[m].p == TP_NONE || c->ms[m].g == TP_NONE)
		return TP_NONE;
	g = c->ms[m].g;
	return ev->g == TP_NONE || ev->g == g ? m : TP_NONE;
}

/* Returns the wire's name for "stop-the-world (GC mark termination)": the text in the brackets. */
static uint32_t stw_name(struct cut *c, uint32_t name)
{
	static const char before[] = "stop-the-world (";
	struct tp_text t = tp_dict_text(c->dict, name);
	size_t n = sizeof(before) - 1;
	/* The store is untrusted. */
	uint32_t wire = name < tp_dict_strings(c->dict) ? name : 0;

	if (t.size > n && !memcmp(t.text, before, n) && t.text[t.size - 1] == ')' &&
	    tp_dict_string(c->dict, t.text + n, t.size - n - 1, &wire))
		cut_nomem(c);
	return wire;
}

static int stw(struct cut *c, const struct tp_event *ev)
{
	uint32_t m = user_lane(c, ev);
	struct cut_g *g;

	if (m == TP_NONE)
		return cut_leave_out(c);
	g = &c->gs[c->ms[m].g];
	if (ev->type == TP_EV_STW_END) {
		if (!g->stopping)
			return cut_leave_out(c);
		g->stopping = false;
		return cut_put(c, m, TP_V2_STWEnd, 0, 0, 0, 0);
	}
	if (g->stopping || !ev->str)
		return cut_leave_out(c);
	g->stopping = true;
	g->stw = stw_name(c, ev->str);
	g->stw_stack = ev->stack;
	return cut_put(c, m, TP_V2_STWBegin, g->stw, ev->stack, 0, 0);
}

/* Returns whether the range was already recorded as active at the beginning of the cut. The
 * generation that begins there records it once. */
static bool is_told(const struct cut *c, bool active)
{
	return active && c->gen <= 1;
}

static int gc(struct cut *c, const struct tp_event *ev)
{
	bool end = ev->type == TP_EV_GC_END;
	uint32_t m = user_lane(c, ev);

	if (ev->type == TP_EV_GC_ACTIVE && is_told(c, c->gc == CUT_GC_ON))
		return 0;
	/* The range belongs to no goroutine, but a running one must record it. Traces up to go 1.21
	 * record it on P 1000004. */
	if (m == TP_NONE)
		m = cut_running_m(c, ev->g);
	if (m == TP_NONE && (c->gc != CUT_GC_UNKNOWN || end))
		return cut_leave_out(c);
	if (end ? c->gc != CUT_GC_ON : ev->type == TP_EV_GC_BEGIN && c->gc == CUT_GC_ON)
		return cut_leave_out(c);
	if (ev->type == TP_EV_GC_ACTIVE &&
	    (c->gen > 1 ? c->gc != CUT_GC_ON : c->gc != CUT_GC_UNKNOWN))
		return cut_leave_out(c);
	c->gc = end ? CUT_GC_OFF : CUT_GC_ON;
	return cut_put(c, m,
		       end			    ? TP_V2_GCEnd
		       : ev->type == TP_EV_GC_BEGIN ? TP_V2_GCBegin
						    : TP_V2_GCActive,
		       ++c->gc_seq, ev->type == TP_EV_GC_BEGIN ? ev->stack : 0, 0, 0);
}

static int sweep(struct cut *c, const struct tp_event *ev)
{
	uint32_t at = ev->type == TP_EV_GC_SWEEP_ACTIVE ? ev->subject : ev->p, m;
	struct cut_p *p;

	if (at >= c->np || c->ps[at].m == TP_NONE)
		return cut_leave_out(c);
	p = &c->ps[at];
	m = p->m;
	switch (ev->type) {
	case TP_EV_GC_SWEEP_ACTIVE:
		if (is_told(c, p->sweeping))
			return 0;
		if (!p->sweeping && c->gen > 1)
			return cut_leave_out(c);
		p->sweeping = true;
		return cut_put(c, cut_lane(c, ev), TP_V2_GCSweepActive, p->id, 0, 0, 0);
	case TP_EV_GC_SWEEP_BEGIN:
		if (p->sweeping)
			return cut_leave_out(c);
		p->sweeping = true;
		return cut_put(c, m, TP_V2_GCSweepBegin, ev->stack, 0, 0, 0);
	default:
		if (!p->sweeping)
			return cut_leave_out(c);
		p->sweeping = false;
		return cut_put(c, m, TP_V2_GCSweepEnd, ev->arg[0], ev->arg[1], 0, 0);
	}
}

static int assist(struct cut *c, const struct tp_event *ev)
{
	bool begin = ev->type == TP_EV_MARK_ASSIST_BEGIN;
	uint32_t m;
	struct cut_g *g;

	if (ev->type == TP_EV_MARK_ASSIST_ACTIVE) {
		if (ev->subject >= c->ng)
			return cut_leave_out(c);
		g = &c->gs[ev->subject];
		if (g->status != TP_V2_G_BAD && is_told(c, g->assist))
			return 0;
		if (g->status == TP_V2_G_BAD || (!g->assist && c->gen > 1))
			return cut_leave_out(c);
		g->assist = true;
		return cut_put(c, cut_lane(c, ev), TP_V2_GCMarkAssistActive, g->id, 0, 0, 0);
	}
	m = user_lane(c, ev);
	if (m == TP_NONE || c->gs[c->ms[m].g].assist == begin)
		return cut_leave_out(c);
	c->gs[c->ms[m].g].assist = begin;
	return cut_put(c, m, begin ? TP_V2_GCMarkAssistBegin : TP_V2_GCMarkAssistEnd,
		       begin ? ev->stack : 0, 0, 0, 0);
}

static int metric(struct cut *c, const struct tp_event *ev)
{
	uint32_t m;

	if (ev->type == TP_EV_PROCS_CHANGE) {
		c->procs = ev->arg[0];
		m = user_lane(c, ev);
		return m == TP_NONE ? cut_leave_out(c)
				    : cut_put(c, m, TP_V2_ProcsChange, ev->arg[0], ev->stack, 0, 0);
	}
	m = cut_lane_p(c, ev, true);
	if (m == TP_NONE)
		return cut_leave_out(c);
	return cut_put(c, m, ev->type == TP_EV_HEAP_ALLOC ? TP_V2_HeapAlloc : TP_V2_HeapGoal,
		       ev->arg[0], 0, 0, 0);
}

static int task(struct cut *c, const struct tp_event *ev)
{
	uint32_t m = user_lane(c, ev);
	struct cut_task *t;

	if (m == TP_NONE)
		return cut_leave_out(c);
	if (ev->type == TP_EV_TASK_END) {
		t = cut_task(c, ev->arg[0]);
		if (t)
			t->active = t->told = false;
		return cut_put(c, m, TP_V2_UserTaskEnd, ev->arg[0], ev->stack, 0, 0);
	}
	t = cut_task_add(c, ev->arg[0]);
	if (!t || (t->active && t->told))
		return cut_leave_out(c);
	*t = (struct cut_task){
	    .id = ev->arg[0],
	    .parent = ev->arg[1] == UINT64_MAX ? 0 : ev->arg[1],
	    .name = ev->str,
	    .stack = ev->stack,
	    .g = ev->g,
	    .active = true,
	    .told = c->telling,
	};
	return cut_put(c, m, TP_V2_UserTaskBegin, t->id, t->parent, t->name, t->stack);
}

/* Regions with a recorded beginning must end innermost first. */
static int region(struct cut *c, const struct tp_event *ev)
{
	uint32_t m = user_lane(c, ev);
	bool begin = ev->type == TP_EV_REGION_BEGIN;
	struct cut_g *g;

	if (m == TP_NONE)
		return cut_leave_out(c);
	g = &c->gs[c->ms[m].g];
	if (begin && c->telling)
		cut_region_push(c, g, ev->arg[0], ev->str);
	if (!begin && g->region) {
		if (c->regions[g->region].task != ev->arg[0] ||
		    c->regions[g->region].name != ev->str)
			return cut_leave_out(c);
		cut_region_pop(c, g);
	}
	return cut_put(c, m, begin ? TP_V2_UserRegionBegin : TP_V2_UserRegionEnd, ev->arg[0],
		       ev->str, ev->stack, 0);
}

static int on_goroutine(struct cut *c, const struct tp_event *ev)
{
	uint32_t m = user_lane(c, ev);

	if (m == TP_NONE)
		return cut_leave_out(c);
	if (ev->type == TP_EV_GO_LABEL)
		return cut_put(c, m, TP_V2_GoLabel, ev->str, 0, 0, 0);
	return cut_put(c, m, TP_V2_UserLog, ev->arg[0], ev->str, ev->str2, ev->stack);
}

static int sample(struct cut *c, const struct tp_event *ev)
{
	uint64_t ts = (uint64_t)c->now + (uint64_t)c->origin;

	if (!c->telling || c->code)
		return c->code;
	c->last = ts <= c->last ? c->last + 1 : ts;
	c->result->events++;
	c->gen_events++;
	return c->code = tp_v2_encode_sample(
		   c->e, c->last, ev->m < c->real_ms ? c->ms[ev->m].id : TP_V2_NO_M,
		   ev->p < c->np && !c->ps[ev->p].none ? c->ps[ev->p].id : UINT64_MAX,
		   ev->g < c->ng ? c->gs[ev->g].id : UINT64_MAX, ev->stack, c->err);
}

static int experimental(struct cut *c, const struct tp_event *ev)
{
	uint32_t m = cut_lane(c, ev);

	return m == TP_NONE ? cut_leave_out(c)
			    : cut_put(c, m, (enum tp_v2_wire)ev->type, ev->arg[0], ev->arg[1],
				      ev->arg[2], 0);
}

int cut_note(struct cut *c, const struct tp_event *ev)
{
	switch (ev->type) {
	case TP_EV_STW_BEGIN:
	case TP_EV_STW_END:
		return stw(c, ev);
	case TP_EV_GC_ACTIVE:
	case TP_EV_GC_BEGIN:
	case TP_EV_GC_END:
		return c->some ? 0 : gc(c, ev);
	case TP_EV_GC_SWEEP_ACTIVE:
	case TP_EV_GC_SWEEP_BEGIN:
	case TP_EV_GC_SWEEP_END:
		return sweep(c, ev);
	case TP_EV_MARK_ASSIST_ACTIVE:
	case TP_EV_MARK_ASSIST_BEGIN:
	case TP_EV_MARK_ASSIST_END:
		return assist(c, ev);
	case TP_EV_PROCS_CHANGE:
	case TP_EV_HEAP_ALLOC:
	case TP_EV_HEAP_GOAL:
		return metric(c, ev);
	case TP_EV_TASK_BEGIN:
	case TP_EV_TASK_END:
		return task(c, ev);
	case TP_EV_REGION_BEGIN:
	case TP_EV_REGION_END:
		return region(c, ev);
	case TP_EV_GO_LABEL:
	case TP_EV_LOG:
		return on_goroutine(c, ev);
	case TP_EV_CPU_SAMPLE:
		return sample(c, ev);
	default:
		return experimental(c, ev);
	}
}
