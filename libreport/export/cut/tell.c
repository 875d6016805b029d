/* Writes what is not an event of the run: statuses, generations, the beginning and the end. */
#include "clock/clock.h"
#include "export/cut/state.h"

#define WIRE_MAX ((uint64_t)INT64_MAX - 1)

int cut_put(struct cut *c, uint32_t m, enum tp_v2_wire type, uint64_t a, uint64_t b, uint64_t d,
	    uint64_t e)
{
	uint64_t id = m == TP_NONE ? TP_V2_NO_M : c->ms[m].id, ts;

	c->lane = m;
	if (!c->telling || c->code)
		return c->code;
	/* Wraps around like the run's own times if the clock is hostile. */
	ts = (uint64_t)c->now + (uint64_t)c->origin;
	if (ts > WIRE_MAX || ts <= c->last)
		ts = c->last + 1;
	if (ts > WIRE_MAX)
		return cut_leave_out(c);
	c->last = ts;
	c->result->events++;
	c->gen_events++;
	return c->code = tp_v2_encode_event(c->e, id, ts, type, (uint64_t[]){a, b, d, e}, c->err);
}

int cut_tell_g(struct cut *c, uint32_t at, uint32_t lane)
{
	struct cut_g *g = &c->gs[at];
	uint64_t on = TP_V2_NO_M;

	if (!c->telling || g->gen == c->gen || g->status == TP_V2_G_BAD)
		return c->code;
	g->gen = c->gen;
	g->seq = 0;
	/* A status of something on a thread is written there, because Go's reader takes the thread
	 * from it. */
	if (g->m != TP_NONE) {
		lane = g->m;
		on = c->ms[g->m].id;
	}
	return cut_put(c, lane, g->stack ? TP_V2_GoStatusStack : TP_V2_GoStatus, g->id, on,
		       g->status, g->stack);
}

int cut_tell_p(struct cut *c, uint32_t at, uint32_t lane)
{
	struct cut_p *p = &c->ps[at];

	if (!c->telling || p->gen == c->gen || p->status == TP_V2_P_BAD)
		return c->code;
	p->gen = c->gen;
	p->seq = 0;
	if (p->m != TP_NONE)
		lane = p->m;
	return cut_put(c, lane, TP_V2_ProcStatus, p->id, p->status, 0, 0);
}

static void wall_time(const struct cut *c, struct tp_v2_clock *clock)
{
	int64_t wall;

	clock->mono_ns = clock->ts;
	if (c->opt->clock && rep_clock_wall(c->opt->clock, c->now, &wall) && wall >= 0) {
		clock->wall_sec = (uint64_t)wall / 1000000000;
		clock->wall_nsec = (uint32_t)((uint64_t)wall % 1000000000);
	}
}

int cut_generation(struct cut *c)
{
	uint64_t ts = (uint64_t)c->now + (uint64_t)c->origin;
	struct tp_v2_clock clock = {.ts = ts <= c->last || ts > WIRE_MAX ? c->last + 1 : ts};

	wall_time(c, &clock);
	c->last = clock.ts;
	c->gen++;
	c->gen_events = 0;
	c->result->generations++;
	return c->code = tp_v2_encode_generation(c->e, &clock, c->err);
}

static bool runs(const struct cut *c, uint32_t m)
{
	return m < c->nm && c->ms[m].p != TP_NONE && c->ms[m].g != TP_NONE &&
	       c->gs[c->ms[m].g].status == TP_V2_G_RUNNING;
}

uint32_t cut_running_m(const struct cut *c, uint32_t g)
{
	if (g < c->ng && runs(c, c->gs[g].m))
		return c->gs[g].m;
	for (uint32_t i = 0; i < c->nm; i++)
		if (runs(c, i))
			return i;
	return TP_NONE;
}

static void begin_ranges(struct cut *c)
{
	for (uint32_t i = 0; i < c->np; i++)
		if (c->ps[i].sweeping)
			cut_put(c, c->ps[i].m, TP_V2_GCSweepActive, c->ps[i].id, 0, 0, 0);
	for (uint32_t i = 0; i < c->ng; i++) {
		struct cut_g *g = &c->gs[i];

		if (g->assist)
			cut_put(c, g->m, TP_V2_GCMarkAssistActive, g->id, 0, 0, 0);
		/* A stop of the world has no status, so it begins again. */
		g->stopping =
		    g->stopping && g->status == TP_V2_G_RUNNING && c->ms[g->m].p != TP_NONE;
		if (g->stopping)
			cut_put(c, g->m, TP_V2_STWBegin, g->stw, g->stw_stack, 0, 0);
	}
	if (c->gc == CUT_GC_ON)
		cut_put(c, TP_NONE, TP_V2_GCActive, ++c->gc_seq, 0, 0, 0);
}

int cut_begin_notes(struct cut *c)
{
	uint64_t before = c->result->events;
	bool late = c->owes;
	/* If no goroutine ran, only the thread of the last event may run one now. Checking all
	 * threads after each event would take quadratic time. */
	uint32_t m = !late ? cut_running_m(c, TP_NONE) : runs(c, c->lane) ? c->lane : TP_NONE;

	c->owes = m == TP_NONE;
	if (c->owes)
		return c->code;
	if (c->procs)
		cut_put(c, m, TP_V2_ProcsChange, c->procs, 0, 0, 0);
	for (uint32_t i = 0; i < c->ntasks; i++) {
		struct cut_task *t = &c->tasks[i];

		if (!t->active || t->told)
			continue;
		t->told = true;
		cut_put(c, t->g < c->ng && runs(c, c->gs[t->g].m) ? c->gs[t->g].m : m,
			TP_V2_UserTaskBegin, t->id, t->parent, t->name, t->stack);
	}
	if (late)
		c->result->late = c->result->events - before;
	return c->code;
}

/* Returns the number of events at the beginning. */
static uint64_t beginning(const struct cut *c)
{
	uint64_t n = c->gc == CUT_GC_ON;

	for (uint32_t i = 0; i < c->np; i++)
		n += c->ps[i].status != TP_V2_P_BAD ? 1u + c->ps[i].sweeping : 0;
	for (uint32_t i = 0; i < c->ng; i++)
		n += c->gs[i].status != TP_V2_G_BAD ? 1u + c->gs[i].assist + c->gs[i].stopping : 0;
	if (cut_running_m(c, TP_NONE) == TP_NONE)
		return n;
	n += c->procs != 0;
	for (uint32_t i = 0; i < c->ntasks; i++)
		n += c->tasks[i].active;
	return n;
}

int cut_begin(struct cut *c, bool synced)
{
	uint64_t n = beginning(c), at = (uint64_t)c->now + (uint64_t)c->origin;
	/* The start of a generation is an event, too. */
	uint64_t lead = n ? n + 1 : !synced;
	int64_t now = c->now;

	/* Go's reader does not accept the time 0, and no time is before it. */
	if (at > WIRE_MAX || at <= lead) {
		c->result->shift_ns = (int64_t)(lead + 1 - at);
		c->origin = (int64_t)((uint64_t)c->origin + lead + 1 - at);
		at = lead + 1;
	}
	c->now = (int64_t)((uint64_t)now - lead);
	c->last = at - lead - 1;
	c->telling = true;
	cut_generation(c);
	for (uint32_t i = 0; i < c->np; i++)
		cut_tell_p(c, i, TP_NONE);
	for (uint32_t i = 0; i < c->ng; i++)
		cut_tell_g(c, i, TP_NONE);
	begin_ranges(c);
	cut_begin_notes(c);
	c->now = now;
	c->result->before = c->result->events;
	return c->code;
}

int cut_end(struct cut *c)
{
	/* A status may be repeated, but must come last, as it resets the sequence number. */
	for (uint32_t i = 0; i < c->ng; i++)
		if (c->gs[i].status != TP_V2_G_BAD) {
			c->gs[i].gen = 0;
			return cut_tell_g(c, i, TP_NONE);
		}
	for (uint32_t i = 0; i < c->np; i++)
		if (c->ps[i].status != TP_V2_P_BAD) {
			c->ps[i].gen = 0;
			return cut_tell_p(c, i, TP_NONE);
		}
	return c->code;
}
