/* Handles events that cannot happen because earlier ones are lost. The earliest event is merged all
 * the same. The status that its goroutine must have had before is inferred, marked and counted, and
 * the unknown time before counts as lost. */
#include "order/v1/state.h"

#define FAR_ID	1000000
#define FAR_SEQ 1000000

static const uint8_t states[] = {
    [V1_DEAD] = TP_ST_NOT_EXIST,  [V1_RUNNABLE] = TP_ST_RUNNABLE, [V1_RUNNING] = TP_ST_RUNNING,
    [V1_WAITING] = TP_ST_WAITING, [V1_UNKNOWN] = TP_ST_LOST,
};

static struct tp_event *put_inferred(struct tp_v1_order *o, unsigned type, int64_t ns)
{
	struct tp_event *ev = tp_v1_put(o, type, ns);

	ev->flags = TP_EVF_INFERRED;
	if (!o->quiet && !o->muted)
		o->trace->inferred++;
	return ev;
}

static uint8_t state_of(const struct tp_v1_g *g, enum tp_v1_status status)
{
	if (status == V1_DEAD && !g->ended)
		return TP_ST_UNDETERMINED;
	return status == V1_WAITING && g->in_syscall ? TP_ST_SYSCALL : states[status];
}

/* Takes g off the P that it is thought to run on. */
static void displace(struct tp_v1_order *o, struct tp_v1_g *g)
{
	struct tp_v1_lane *other;

	if (g->lane == TP_NONE)
		return;
	other = &o->lanes[g->lane];
	g->lane = TP_NONE;
	if (other->g == g) {
		other->g = NULL;
		other->unsure = true;
	}
}

/* Delivers an inferred status of g. `lost`: g's time since its last event is unknown, too. */
static void infer(struct tp_v1_order *o, struct tp_v1_g *g, enum tp_v1_status status,
		  struct tp_v1_lane *l, int64_t ticks, bool lost)
{
	struct tp_event *ev;
	uint8_t from = state_of(g, g->status);

	if (status != V1_RUNNING)
		displace(o, g);
	ev = put_inferred(o, TP_EV_GO_STATUS, tp_v1_ns(o, ticks));
	if (lost)
		ev->flags |= TP_EVF_LOST;
	g->status = (uint8_t)status;
	tp_v1_changed(o, g);
	g->exists = true;
	g->ended = g->fresh = false;
	ev->subject = tp_v1_g_index(o, g);
	ev->from = from;
	ev->to = state_of(g, status);
	if (l && status == V1_RUNNING) {
		ev->g = ev->subject;
		ev->m = l->m;
		ev->p = l->p;
		g->lane = l->number;
	}
}

void tp_v1_infer(struct tp_v1_order *o, struct tp_v1_g *g, enum tp_v1_status status,
		 struct tp_v1_lane *l, int64_t ticks)
{
	infer(o, g, status, l, ticks, true);
}

/* Takes the running goroutine, if any, off the lane's P; its status becomes unknown. */
static void vacate(struct tp_v1_order *o, struct tp_v1_lane *l)
{
	struct tp_v1_g *g = l->g;

	l->g = NULL;
	if (g)
		tp_v1_infer(o, g, V1_UNKNOWN, NULL, l->ev.ticks);
}

/* Returns whether a sequence number is impossible: already past (a lane's times may have been
 * estimated, so that another lane went ahead), or far beyond the last one. */
static bool is_stale(const struct tp_v1_g *g, uint64_t seq)
{
	if (!g->exists || g->ended || g->status == V1_UNKNOWN)
		return false;
	return seq < g->seq || seq - g->seq > FAR_SEQ;
}

static bool make_context_run(struct tp_v1_order *o, struct tp_v1_lane *l)
{
	if (!l->g)
		return false;
	if (l->g->status != V1_RUNNING)
		tp_v1_infer(o, l->g, V1_RUNNING, l, l->ev.ticks);
	return true;
}

static bool salvage_start(struct tp_v1_order *o, struct tp_v1_lane *l, struct tp_v1_g *g,
			  uint64_t seq)
{
	if (l->g && l->g != g)
		vacate(o, l);
	if (g->status != V1_RUNNABLE)
		tp_v1_infer(o, g, V1_RUNNABLE, NULL, l->ev.ticks);
	else if (l->ev.type != TP_V1_GO_START_LOCAL && g->seq != seq)
		l->mark |= TP_EVF_LOST;
	if (l->ev.type != TP_V1_GO_START_LOCAL)
		g->seq = seq;
	l->g = NULL;
	return true;
}

static bool salvage_wait(struct tp_v1_order *o, struct tp_v1_lane *l, struct tp_v1_g *g,
			 uint64_t seq, bool local, bool in_syscall)
{
	if (!local && is_stale(g, seq))
		return false;
	if (g->status != V1_WAITING) {
		g->in_syscall = in_syscall;
		tp_v1_infer(o, g, V1_WAITING, NULL, l->ev.ticks);
	}
	if (!local)
		g->seq = seq;
	return true;
}

/* Infers the end of a range that is still open when the next one begins. Returns true. */
static bool end_range(struct tp_v1_order *o, struct tp_v1_lane *l, unsigned type)
{
	struct tp_event *ev = put_inferred(o, type, tp_v1_ns(o, l->ev.ticks));

	switch (type) {
	case TP_EV_GC_SWEEP_END:
		ev->p = ev->subject = l->p;
		ev->g = tp_v1_g_index(o, l->g);
		l->sweeping = false;
		break;
	case TP_EV_MARK_ASSIST_END:
		ev->g = ev->subject = tp_v1_g_index(o, l->g);
		l->g->in_assist = false;
		break;
	case TP_EV_STW_END:
		ev->str = o->stw_reason;
		ev->p = l->p;
		o->in_stw = l->stw = false;
		break;
	default:
		o->in_gc = false;
		break;
	}
	return true;
}

static void infer_p(struct tp_v1_order *o, struct tp_v1_lane *l, bool starts)
{
	struct tp_event *ev;

	l->running = starts;
	if (!l->seen)
		return; /* the event itself gives its status */
	ev = put_inferred(o, starts ? TP_EV_PROC_START : TP_EV_PROC_STOP, tp_v1_ns(o, l->ev.ticks));
	ev->p = ev->subject = l->p;
	ev->from = starts ? TP_ST_IDLE : TP_ST_RUNNING;
	ev->to = starts ? TP_ST_RUNNING : TP_ST_IDLE;
}

bool tp_v1_salvage(struct tp_v1_order *o, struct tp_v1_lane *l)
{
	const uint64_t *a = l->ev.v + o->lead;
	unsigned type = l->ev.type;
	struct tp_v1_g *g = NULL;

	switch (type) {
	case TP_V1_GO_CREATE:
	case TP_V1_GO_WAITING:
	case TP_V1_GO_IN_SYSCALL:
	case TP_V1_GO_START:
	case TP_V1_GO_START_LOCAL:
	case TP_V1_GO_START_LABEL:
	case TP_V1_GO_UNBLOCK:
	case TP_V1_GO_UNBLOCK_LOCAL:
	case TP_V1_GO_SYSEXIT:
	case TP_V1_GO_SYSEXIT_LOCAL:
		g = tp_v1_g_get(o, a[0]);
		/* Ids are assigned in ascending order, so one far beyond the highest is damaged. */
		if (!g || !g->id || (!g->exists && g->id > 2 * o->top_g + FAR_ID))
			return false;
		break;
	default:
		break;
	}
	switch (type) {
	case TP_V1_GO_CREATE:
		if (g->exists && !g->ended)
			return false;
		g->exists = false;
		return !l->g || make_context_run(o, l);
	case TP_V1_GO_WAITING:
	case TP_V1_GO_IN_SYSCALL:
		if (g->status == V1_RUNNING || g->status == V1_WAITING || g->ended)
			return false;
		g->status = V1_RUNNABLE;
		g->exists = true;
		g->seq = 1;
		return true;
	case TP_V1_GO_START:
	case TP_V1_GO_START_LOCAL:
	case TP_V1_GO_START_LABEL:
		return salvage_start(o, l, g, o->version < 7 ? g->seq : a[1]);
	case TP_V1_GO_UNBLOCK:
	case TP_V1_GO_UNBLOCK_LOCAL:
		if (type == TP_V1_GO_UNBLOCK && o->version >= 7 && is_stale(g, a[1]))
			return false;
		if (l->g == g)
			l->g = NULL;
		if (l->g)
			make_context_run(o, l);
		return salvage_wait(o, l, g, o->version < 7 ? 0 : a[1],
				    type == TP_V1_GO_UNBLOCK_LOCAL || o->version < 7, false);
	case TP_V1_GO_SYSEXIT:
	case TP_V1_GO_SYSEXIT_LOCAL:
		return salvage_wait(o, l, g, a[1], type == TP_V1_GO_SYSEXIT_LOCAL, true);
	case TP_V1_PROC_START:
		vacate(o, l);
		infer_p(o, l, false);
		return true;
	case TP_V1_PROC_STOP:
		vacate(o, l);
		if (!l->running)
			infer_p(o, l, true);
		return true;
	case TP_V1_GC_START:
		if (o->version >= 7)
			o->gc_seq = a[0];
		return !o->in_gc || end_range(o, l, TP_EV_GC_END);
	case TP_V1_STW_START:
		return end_range(o, l, TP_EV_STW_END);
	case TP_V1_SWEEP_START:
		return end_range(o, l, TP_EV_GC_SWEEP_END);
	case TP_V1_ASSIST_START:
		return end_range(o, l, TP_EV_MARK_ASSIST_END);
	case TP_V1_GC_DONE:
	case TP_V1_STW_DONE:
	case TP_V1_SWEEP_DONE:
	case TP_V1_REGION:
		return false;
	default:
		return make_context_run(o, l);
	}
}

void tp_v1_salvage_gap(struct tp_v1_order *o, struct tp_v1_lane *l)
{
	struct tp_v1_g *g = l->g;

	l->gap = false;
	l->g = NULL;
	if (g && g->status == V1_RUNNING)
		infer(o, g, V1_UNKNOWN, NULL, o->latest, false); /* known up to here */
	l->unsure = true;
	l->mark = TP_EVF_LOST;
	l->m = TP_NONE;
	l->sweeping = l->stw = false;
}
