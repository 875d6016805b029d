/* Single events: ranges, metrics, logs, samples; and the end of the run. */
#include "export/perfetto/show.h"

/* ---- ranges, metrics, logs, samples ---- */

static void gc_range(struct show *s, bool end)
{
	if (end && s->gc_since != INT64_MIN) {
		if (!s->gc_named && s->now >= s->from && s->gc_since < s->to) {
			json_name(s->p, "thread_name", PERFETTO_PS, PERFETTO_GC, "GC", 2);
			s->gc_named = true;
		}
		if (show_slice(s, PERFETTO_PS, PERFETTO_GC, s->gc_since)) {
			show_text(s, "name", "", TP_STR_GC_MARK, "");
			json_stack(s->p, "sf", s->gc_stack);
			json_end(s->p);
		}
	}
	s->gc_since = end ? INT64_MIN : s->now;
}

static struct g_state *owner(struct show *s, const struct tp_event *ev)
{
	uint32_t g = ev->subject != TP_NONE ? ev->subject : ev->g;

	return g < s->ng ? &s->gs[g] : NULL;
}

static void range(struct show *s, const struct tp_event *ev)
{
	struct g_state *g;

	switch (ev->type) {
	case TP_EV_GC_ACTIVE:
		if (s->gc_since == INT64_MIN)
			s->gc_since = 0;
		return;
	case TP_EV_GC_BEGIN:
		s->gc_stack = ev->stack;
		gc_range(s, false);
		return;
	case TP_EV_GC_END:
		gc_range(s, true);
		return;
	case TP_EV_GC_SWEEP_ACTIVE:
	case TP_EV_GC_SWEEP_BEGIN:
	case TP_EV_GC_SWEEP_END: {
		uint32_t at = ev->type == TP_EV_GC_SWEEP_ACTIVE ? ev->subject : ev->p;

		if (!show_real_p(s, at))
			return;
		if (ev->type == TP_EV_GC_SWEEP_END) {
			show_range_slice(s, at, s->ps[at].sweep_since, TP_STR_GC_SWEEP,
					 s->ps[at].sweep_stack);
			s->ps[at].sweep_since = INT64_MIN;
		} else if (s->ps[at].sweep_since == INT64_MIN) {
			s->ps[at].sweep_since = ev->type == TP_EV_GC_SWEEP_ACTIVE ? 0 : s->now;
			s->ps[at].sweep_stack = ev->stack;
		}
		return;
	}
	default:
		break;
	}
	g = owner(s, ev);
	if (!g)
		return;
	switch (ev->type) {
	case TP_EV_MARK_ASSIST_ACTIVE:
	case TP_EV_MARK_ASSIST_BEGIN:
		if (g->assist_since == INT64_MIN) {
			show_count(s, g, -1);
			g->assist_since = g->p == TP_NONE			 ? INT64_MAX
					  : ev->type == TP_EV_MARK_ASSIST_ACTIVE ? g->on_since
										 : s->now;
			show_count(s, g, 1);
		}
		g->range_stack = ev->stack;
		return;
	case TP_EV_MARK_ASSIST_END:
		if (g->p != TP_NONE && g->wanted)
			show_range_slice(s, g->p, g->assist_since, TP_STR_MARK_ASSIST,
					 g->range_stack);
		show_count(s, g, -1);
		g->assist_since = INT64_MIN;
		show_count(s, g, 1);
		return;
	case TP_EV_STW_BEGIN:
		g->stw = ev->str;
		g->stw_since = g->p == TP_NONE ? INT64_MAX : s->now;
		g->range_stack = ev->stack;
		return;
	default:
		if (g->p != TP_NONE && g->wanted)
			show_range_slice(s, g->p, g->stw_since, g->stw, g->range_stack);
		g->stw_since = INT64_MIN;
		return;
	}
}

static void metric(struct show *s, const struct tp_event *ev)
{
	if (ev->type == TP_EV_PROCS_CHANGE)
		s->procs = ev->arg[0];
	else if (ev->type == TP_EV_HEAP_ALLOC)
		s->heap = ev->arg[0];
	else
		s->goal = ev->arg[0];
	if (!show_in_range(s))
		return;
	json_begin(s->p, 'C', PERFETTO_COUNTERS, 0);
	show_ts(s, s->now);
	json_str(s->p, "name", ev->type == TP_EV_PROCS_CHANGE ? "GOMAXPROCS" : "Heap");
	json_args(s->p);
	if (ev->type == TP_EV_PROCS_CHANGE) {
		json_uint(s->p, "GOMAXPROCS", s->procs);
	} else {
		/* A program that never collects has no goal; the value then exceeds INT64_MAX. */
		json_uint(s->p, "Allocated", s->heap);
		json_uint(s->p, "NextGC",
			  s->goal > s->heap && s->goal <= INT64_MAX ? s->goal - s->heap : 0);
	}
	json_args_end(s->p);
	json_end(s->p);
}

static void log_event(struct show *s, const struct tp_event *ev)
{
	struct g_state *g = ev->g < s->ng ? &s->gs[ev->g] : NULL;

	if (!g || !g->wanted || !show_in_range(s))
		return;
	show_name_g(s, g);
	json_begin(s->p, 'i', PERFETTO_GS, g->id);
	show_ts(s, s->now);
	show_text(s, "name", "", ev->str2, "");
	json_str(s->p, "cat", "log");
	json_str(s->p, "s", "t");
	json_stack(s->p, "sf", ev->stack);
	json_args(s->p);
	show_text(s, "category", "", ev->str, "");
	json_uint(s->p, "task", ev->arg[0]);
	json_args_end(s->p);
	json_end(s->p);
}

void show_event(struct show *s, const struct tp_event *ev)
{
	s->now = ev->ts;
	switch (tp_event_descs[ev->type].kind) {
	case TP_KIND_TRANSITION:
		if (tp_event_descs[ev->type].subject == 'P' ? ev->subject >= s->np
							    : ev->subject >= s->ng)
			return;
		if (tp_event_descs[ev->type].subject == 'P')
			show_proc_transition(s, ev);
		else
			show_go_transition(s, ev);
		return;
	case TP_KIND_RANGE_BEGIN:
	case TP_KIND_RANGE_ACTIVE:
	case TP_KIND_RANGE_END:
		range(s, ev);
		return;
	case TP_KIND_METRIC:
		metric(s, ev);
		return;
	case TP_KIND_LOG:
		log_event(s, ev);
		return;
	case TP_KIND_STACK_SAMPLE:
		if (show_in_range(s) && show_real_p(s, ev->p) &&
		    (ev->g >= s->ng || s->gs[ev->g].wanted)) {
			show_name_p(s, ev->p);
			show_instant(s, PERFETTO_PS, (uint64_t)s->ps[ev->p].id,
				     "CPU profile sample", ev->stack);
		}
		return;
	default:
		return;
	}
}

void show_end(struct show *s, int64_t end)
{
	s->now = end;
	for (uint32_t i = 0; i < s->np; i++)
		if (s->ps[i].sweep_since != INT64_MIN)
			show_range_slice(s, i, s->ps[i].sweep_since, TP_STR_GC_SWEEP,
					 s->ps[i].sweep_stack);
	gc_range(s, true);
	for (uint32_t i = 0; i < s->ng; i++) {
		struct g_state *g = &s->gs[i];

		if (g->p != TP_NONE) {
			show_call_end(s, g, false);
			show_leave_p(s, g, 0);
		}
		show_state_slice(s, g);
	}
	show_counters(s, true);
}
