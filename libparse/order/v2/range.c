/* Ranges: stops of the world, the mark phase, sweeps, mark assists. */
#include "order/v2/advance.h"

static enum tp_v2_advance stw(struct tp_v2_order *o, struct tp_v2_cursor *c, const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_g *g = m->g;
	uint32_t kind, name, stack;
	int code;

	NEED_USER;
	NEED_STATE;
	if (c->type == TP_V2_STWEnd) {
		NEED(g->stw && g->stw->n, "no stop of the world is in flight");
		name = g->stw->name[0];
		g->stw->name[0] = g->stw->name[--g->stw->n];
		EVENT(TP_EV_STW_END, g->index, .str = name);
		return TP_V2_ADVANCED;
	}
	STRING(tp_v2_varint(in), &kind);
	STACK(tp_v2_varint(in), &stack);
	code = tp_v2_stw_name(&o->s, kind, &name);
	if (!code && !g->stw) {
		g->stw = tp_arena_alloc(&o->s.arena, sizeof(*g->stw));
		code = g->stw ? 0 : TP_ENOMEM;
	}
	if (code)
		return tp_v2_out_of_memory(o, code);
	for (uint32_t i = 0; i < g->stw->n; i++)
		NEED(g->stw->name[i] != name, "this stop of the world is in flight already");
	NEED(g->stw->n < TP_V2_MAX_STW, "too many stops of the world are in flight");
	g->stw->name[g->stw->n++] = name;
	EVENT(TP_EV_STW_BEGIN, g->index, .str = name, .stack = stack);
	return TP_V2_ADVANCED;
}

/* The mark phase: begin and end carry a sequence number of their own. */
static enum tp_v2_advance gc_mark(struct tp_v2_order *o, struct tp_v2_cursor *c, const uint8_t **in)
{
	struct tp_v2_state *s = &o->s;
	struct tp_v2_m *m = c->m;
	uint64_t seq = tp_v2_varint(in);
	uint32_t stack = 0;

	if (c->type == TP_V2_GCActive && o->g.number == s->initial_gen) {
		NEED(s->gc == TP_V2_GC_UNKNOWN, "not the first GC event of the first generation");
		s->gc = TP_V2_GC_ON;
	} else if (c->type == TP_V2_GCBegin && s->gc == TP_V2_GC_UNKNOWN) {
		s->gc = TP_V2_GC_ON;
	} else {
		if (seq != s->gc_seq + 1)
			return TP_V2_WAITS;
		if (c->type == TP_V2_GCBegin)
			NEED(s->gc == TP_V2_GC_OFF, "a mark phase is in progress");
		else
			NEED(s->gc == TP_V2_GC_ON, "no mark phase is in progress");
		NEED_USER;
		s->gc = c->type == TP_V2_GCEnd ? TP_V2_GC_OFF : TP_V2_GC_ON;
	}
	s->gc_seq = seq;
	if (c->type == TP_V2_GCBegin)
		STACK(tp_v2_varint(in), &stack);
	EVENT(c->type, TP_NONE, .stack = stack);
	return TP_V2_ADVANCED;
}

/* The other events of sweeps are in advance.c. */
static enum tp_v2_advance sweep_active(struct tp_v2_order *o, struct tp_v2_cursor *c,
				       const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_p *p = tp_v2_p_find(&o->s, tp_v2_varint(in));

	NEED(p, "unknown P");
	NEED((p->sweeping == o->s.ranges) != (o->g.number == o->s.initial_gen),
	     "a sweep that does not fit what went before");
	p->sweeping = o->s.ranges;
	EVENT(TP_EV_GC_SWEEP_ACTIVE, p->index, .flags = 0);
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance mark_assist(struct tp_v2_order *o, struct tp_v2_cursor *c,
				      const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_g *g = m->g;
	uint32_t stack = 0;

	if (c->type == TP_V2_GCMarkAssistActive) {
		g = tp_v2_g_find(&o->s, tp_v2_varint(in));
		NEED(g, "unknown goroutine");
		NEED((g->assisting == o->s.ranges) != (o->g.number == o->s.initial_gen),
		     "a mark assist that does not fit what went before");
		g->assisting = o->s.ranges;
	} else {
		if (c->type == TP_V2_GCMarkAssistBegin)
			STACK(tp_v2_varint(in), &stack);
		NEED_USER;
		NEED_STATE;
		NEED((g->assisting == o->s.ranges) == (c->type == TP_V2_GCMarkAssistEnd),
		     "a mark assist that does not fit what went before");
		g->assisting = c->type == TP_V2_GCMarkAssistBegin ? o->s.ranges : 0;
	}
	EVENT(c->type, g->index, .stack = stack);
	return TP_V2_ADVANCED;
}

enum tp_v2_advance tp_v2_take_range(struct tp_v2_order *o, struct tp_v2_cursor *c,
				    const uint8_t **in)
{
	switch (c->type) {
	case TP_V2_STWBegin:
	case TP_V2_STWEnd:
		return stw(o, c, in);
	case TP_V2_GCActive:
	case TP_V2_GCBegin:
	case TP_V2_GCEnd:
		return gc_mark(o, c, in);
	case TP_V2_GCSweepActive:
		return sweep_active(o, c, in);
	default:
		return mark_assist(o, c, in);
	}
}
