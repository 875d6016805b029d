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
		NEED(g->stw && g->stw->n, "goroutine %lld has not stopped the world",
		     (long long)g->id);
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
		NEED(g->stw->name[i] != name,
		     "goroutine %lld has stopped the world for this reason already",
		     (long long)g->id);
	NEED(g->stw->n < TP_V2_MAX_STW, "goroutine %lld has stopped the world too often",
	     (long long)g->id);
	g->stw->name[g->stw->n++] = name;
	EVENT(TP_EV_STW_BEGIN, g->index, .str = name, .stack = stack);
	return TP_V2_ADVANCED;
}

/* The mark phase. It belongs to no goroutine or P, and any M may begin or end it. Its events therefore have
 * their own sequence over the whole trace. */
static enum tp_v2_advance gc_mark(struct tp_v2_order *o, struct tp_v2_cursor *c, const uint8_t **in)
{
	struct tp_v2_state *s = &o->s;
	struct tp_v2_m *m = c->m;
	uint64_t seq = tp_v2_varint(in);
	uint32_t stack = 0;

	if (c->type == TP_V2_GCActive && o->g.number == s->initial_gen) {
		NEED(s->gc == TP_V2_GC_UNKNOWN,
		     "the mark phase is reported, but an event of it came before");
		s->gc = TP_V2_GC_ON;
	} else if (c->type == TP_V2_GCBegin && s->gc == TP_V2_GC_UNKNOWN) {
		s->gc = TP_V2_GC_ON;
	} else {
		if (seq != s->gc_seq + 1)
			return TP_V2_WAITS;
		if (c->type == TP_V2_GCBegin)
			NEED(s->gc == TP_V2_GC_OFF, "a mark phase begins within another");
		else
			NEED(s->gc == TP_V2_GC_ON, "no mark phase has begun");
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

	NEED(p, "the P does not exist");
	NEED((p->sweeping == o->s.ranges) != (o->g.number == o->s.initial_gen),
	     "P %lld is reported as sweeping, which contradicts the events before",
	     (long long)p->id);
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
		NEED(g, "the goroutine does not exist");
		NEED((g->assisting == o->s.ranges) != (o->g.number == o->s.initial_gen),
		     "goroutine %lld is reported in a mark assist, which contradicts the events "
		     "before",
		     (long long)g->id);
		g->assisting = o->s.ranges;
	} else {
		if (c->type == TP_V2_GCMarkAssistBegin)
			STACK(tp_v2_varint(in), &stack);
		NEED_USER;
		NEED_STATE;
		NEED((g->assisting == o->s.ranges) == (c->type == TP_V2_GCMarkAssistEnd),
		     "goroutine %lld %s a mark assist", (long long)g->id,
		     g->assisting == o->s.ranges ? "is already in" : "has not begun");
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
