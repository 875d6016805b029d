#include "order/v1/advance.h"

#include "base/cursor.h"

#define NO_PARENT UINT64_MAX /* trace.NoTask */

int tp_v1_advance_gc(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a,
		     const char **why)
{
	struct tp_event *ev;

	if (l->ev.type == TP_V1_GC_START) {
		REQUIRE(o->version < 7 || o->gc_seq == a[0], "a GC starts out of turn");
		REQUIRE(!o->in_gc, "a GC starts before the last one ended");
		o->in_gc = true;
		o->gc_seq++;
		o->woken = true;
		ev = tp_v1_put_on(o, l, TP_EV_GC_BEGIN, ns);
		ev->stack = tp_v1_stack(o, l->ev.stack);
		ev->p = tp_v1_pseudo_p(o, TP_V1_GC_P);
		ev->m = TP_NONE;
	} else {
		REQUIRE(o->in_gc, "a GC ends that has not started");
		o->in_gc = false;
		ev = tp_v1_put_on(o, l, TP_EV_GC_END, ns);
	}
	if (o->version < 11)
		ev->g = TP_NONE;
	return 0;
}

/* Before go 1.10, whether the world is stopped is tracked per P. */
int tp_v1_advance_stw(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a,
		      const char **why)
{
	bool *active = o->version < 10 ? &l->stw : &o->in_stw;
	struct tp_event *ev;
	uint64_t kind;

	if (l->ev.type == TP_V1_STW_START) {
		kind = o->version < 10 ? 0 : a[0];
		REQUIRE(!*active, "the world is stopped a second time");
		REQUIRE(!o->opt->strict || o->version >= 11 || kind <= 1,
			"the world is stopped for an unknown reason");
		if (o->version < 21)
			kind = kind <= 1 ? kind + 1 : 0;
		else if (kind >= 17)
			kind = 0;
		*active = true;
		o->stw_reason = o->stw_names[kind];
		ev = tp_v1_put_on(o, l, TP_EV_STW_BEGIN, ns);
	} else {
		REQUIRE(*active, "the world is started that has not been stopped");
		*active = false;
		ev = tp_v1_put_on(o, l, TP_EV_STW_END, ns);
	}
	if (o->version < 11)
		ev->g = TP_NONE;
	ev->subject = ev->g;
	ev->str = o->stw_reason;
	return 0;
}

int tp_v1_advance_sweep(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a,
			const char **why)
{
	bool begins = l->ev.type == TP_V1_SWEEP_START;
	struct tp_event *ev;

	REQUIRE(l->sweeping != begins,
		begins ? "the P sweeps before it has ended to" : "the P ends a sweep without one");
	l->sweeping = begins;
	ev = tp_v1_put_on(o, l, begins ? TP_EV_GC_SWEEP_BEGIN : TP_EV_GC_SWEEP_END, ns);
	ev->subject = l->p;
	ev->stack = tp_v1_stack(o, l->ev.stack);
	if (!begins && o->version >= 9) {
		ev->arg[0] = a[0];
		ev->arg[1] = a[1];
	}
	return 0;
}

/* A mark assist may be in progress when the trace begins, so its end need not have a beginning. */
int tp_v1_advance_assist(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const char **why)
{
	bool begins = l->ev.type == TP_V1_ASSIST_START;
	struct tp_event *ev;

	if (l->g) {
		REQUIRE(!begins || !l->g->in_assist, "it assists marking before it has ended to");
		l->g->in_assist = begins;
	}
	ev = tp_v1_put_on(o, l, begins ? TP_EV_MARK_ASSIST_BEGIN : TP_EV_MARK_ASSIST_END, ns);
	ev->subject = ev->g;
	ev->stack = tp_v1_stack(o, l->ev.stack);
	return 0;
}

int tp_v1_advance_task(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a,
		       const char **why)
{
	struct tp_v1_task *t = tp_v1_task_find(o, a[0]);
	struct tp_event *ev;

	if (l->ev.type == TP_V1_TASK_CREATE) {
		REQUIRE(!t || !o->opt->strict, "a task begins a second time");
		if (!t)
			t = tp_v1_task_new(o, a[0]);
		if (!t)
			return o->code;
		t->parent = a[1];
		t->name = tp_v1_text(o, a[2]);
		ev = tp_v1_put_on(o, l, TP_EV_TASK_BEGIN, ns);
		ev->arg[1] = a[1] ? a[1] : NO_PARENT;
		ev->str = t->name;
	} else {
		ev = tp_v1_put_on(o, l, TP_EV_TASK_END, ns);
		ev->arg[1] = t ? t->parent : NO_PARENT;
		ev->str = t ? t->name : 0;
		if (t)
			tp_v1_task_drop(o, t);
	}
	ev->arg[0] = a[0];
	ev->stack = tp_v1_stack(o, l->ev.stack);
	return 0;
}

int tp_v1_advance_region(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a,
			 const char **why)
{
	struct tp_v1_g *g = l->g;
	struct tp_event *ev;

	REQUIRE(a[1] <= 1, "a region neither begins nor ends");
	/* As in v2: regions are matched here only in strict mode, else by the timeline. */
	if (g && o->opt->strict && !a[1]) {
		if (tp_v1_region_push(o, g, a[0], a[2]))
			return o->code;
	} else if (g && g->regions != NO_NODE) { /* strict */
		const struct tp_v1_region *inner = &o->regions[g->regions];

		REQUIRE(inner->task == a[0] && inner->name == a[2],
			"a region ends that is not the innermost one");
		tp_v1_region_pop(o, g);
	}
	ev = tp_v1_put_on(o, l, a[1] ? TP_EV_REGION_END : TP_EV_REGION_BEGIN, ns);
	ev->arg[0] = a[0];
	ev->str = tp_v1_text(o, a[2]);
	ev->stack = tp_v1_stack(o, l->ev.stack);
	return 0;
}

int tp_v1_advance_message(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns,
			  const uint64_t *a)
{
	struct tp_cursor c =
	    tp_cursor(l->ev.tail, (size_t)(o->ix->data + o->ix->size - l->ev.tail));
	struct tp_slice text = tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
	struct tp_event *ev = tp_v1_put_on(o, l, TP_EV_LOG, ns);
	int code = 0;

	ev->arg[0] = a[0];
	ev->str = tp_v1_text(o, a[1]);
	ev->stack = tp_v1_stack(o, l->ev.stack);
	if (!o->quiet && text.size)
		code = tp_dict_string(o->trace->dict, text.data, text.size, &ev->str2);
	if (code && !o->code)
		o->code = tp_err_set(o->err, code, TP_OFFSET_NONE, "too many strings");
	return o->code;
}
