#include "order/v2/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"

/* Limits on the state that a hostile input can make us keep. A Linux system has at most 4 M
 * threads. */
#define MAX_MS	    (4u << 20)
#define MAX_PS	    (1u << 20)
#define MAX_LIVE_GS (64u << 20)
#define MAX_OPEN    (16u << 20) /* regions, and tasks */

const uint8_t tp_v2_gstate[TP_V2_NGSTATUS] = {
    [TP_V2_G_BAD] = TP_ST_UNDETERMINED, [TP_V2_G_RUNNABLE] = TP_ST_RUNNABLE,
    [TP_V2_G_RUNNING] = TP_ST_RUNNING,	[TP_V2_G_SYSCALL] = TP_ST_SYSCALL,
    [TP_V2_G_WAITING] = TP_ST_WAITING,
};

/* A P in a syscall counts as running until it is stolen. */
const uint8_t tp_v2_pstate[TP_V2_NPSTATUS] = {
    [TP_V2_P_BAD] = TP_ST_UNDETERMINED, [TP_V2_P_RUNNING] = TP_ST_RUNNING,
    [TP_V2_P_IDLE] = TP_ST_IDLE,	[TP_V2_P_SYSCALL] = TP_ST_RUNNING,
    [TP_V2_P_ABANDONED] = TP_ST_IDLE,
};

const char *const tp_v2_gstatus_names[TP_V2_NGSTATUS] = {
    [TP_V2_G_BAD] = "in an unknown state", [TP_V2_G_RUNNABLE] = "runnable",
    [TP_V2_G_RUNNING] = "running", [TP_V2_G_SYSCALL] = "in a syscall",
    [TP_V2_G_WAITING] = "waiting",
};

const char *const tp_v2_pstatus_names[TP_V2_NPSTATUS] = {
    [TP_V2_P_BAD] = "in an unknown state",
    [TP_V2_P_RUNNING] = "running",
    [TP_V2_P_IDLE] = "idle",
    [TP_V2_P_SYSCALL] = "in a syscall",
    [TP_V2_P_ABANDONED] = "abandoned in a syscall",
};

void tp_v2_state_init(struct tp_v2_state *s, struct tp_trace *trace)
{
	memset(s, 0, sizeof(*s));
	s->trace = trace;
	s->ranges = 1;
	s->nobody = (struct tp_v2_g){.id = UINT64_MAX, .index = TP_NONE};
	for (size_t i = 0; i < TP_V2_NEAR; i++)
		s->near[i] = &s->nobody;
	s->no_p = (struct tp_v2_p){.id = UINT64_MAX, .index = TP_NONE};
	s->no_m =
	    (struct tp_v2_m){.id = UINT64_MAX, .index = TP_NONE, .g = &s->nobody, .p = &s->no_p};
}

void tp_v2_state_release(struct tp_v2_state *s)
{
	tp_idmap_release(&s->gs);
	tp_idmap_release(&s->ps);
	tp_idmap_release(&s->ms);
	tp_idmap_release(&s->tasks);
	tp_ids_release(&s->stw_names);
	free(s->all_ms);
	tp_arena_clear(&s->arena);
	memset(s, 0, sizeof(*s));
}

static void list(struct tp_v2_state *s, struct tp_v2_g *g, uint8_t how)
{
	if (!g->listed) {
		g->next = s->listed;
		s->listed = g;
	}
	g->listed = how;
}

static void park(struct tp_v2_state *s, struct tp_v2_g *g)
{
	g->listed = TP_V2_PARKED;
	g->before = NULL;
	g->next = s->parked;
	if (g->next)
		g->next->before = g;
	s->parked = g;
}

static void unpark(struct tp_v2_state *s, struct tp_v2_g *g)
{
	if (g->before)
		g->before->next = g->next;
	else
		s->parked = g->next;
	if (g->next)
		g->next->before = g->before;
	g->listed = TP_V2_UNLISTED;
}

struct tp_v2_g *tp_v2_g_get(struct tp_v2_state *s, uint64_t id)
{
	struct tp_v2_g *g;
	struct tp_v2_stw *stw;

	if (id == UINT64_MAX)
		return &s->nobody;
	g = tp_idmap_get(&s->gs, id);
	if (g)
		return g;
	if (s->live_gs >= MAX_LIVE_GS)
		return NULL;
	g = s->free_gs;
	if (g)
		s->free_gs = g->next;
	else
		g = tp_arena_alloc(&s->arena, sizeof(*g));
	if (!g)
		return NULL;
	stw = g->stw;
	*g = (struct tp_v2_g){.id = id, .stw = stw, .index = tp_trace_new_g(s->trace, id)};
	if (g->index == TP_NONE || tp_idmap_add(&s->gs, id, g))
		return NULL;
	s->live_gs++;
	list(s, g, TP_V2_FRESH); /* in case it never begins */
	return g;
}

int tp_v2_state_refusal(const struct tp_v2_state *s)
{
	return s->live_gs >= MAX_LIVE_GS || s->ps.used >= MAX_PS || s->nms >= MAX_MS ||
		       s->nregions >= MAX_OPEN || s->ntasks >= MAX_OPEN
		   ? TP_ELIMIT
		   : TP_ENOMEM;
}

struct tp_v2_p *tp_v2_p_get(struct tp_v2_state *s, uint64_t id)
{
	struct tp_v2_p *p;

	if (id == UINT64_MAX)
		return &s->no_p;
	p = tp_idmap_get(&s->ps, id);
	if (p)
		return p;
	if (s->ps.used >= MAX_PS)
		return NULL;
	p = tp_arena_alloc(&s->arena, sizeof(*p));
	if (!p)
		return NULL;
	p->id = id;
	p->index = tp_trace_new_p(s->trace, (int64_t)id);
	return p->index == TP_NONE || tp_idmap_add(&s->ps, id, p) ? NULL : p;
}

struct tp_v2_m *tp_v2_m_get(struct tp_v2_state *s, uint64_t id)
{
	struct tp_v2_m *m;

	if (id == UINT64_MAX)
		return &s->no_m;
	m = tp_idmap_get(&s->ms, id);
	if (m)
		return m;
	if (s->nms >= MAX_MS)
		return NULL;
	if (tp_grow(&s->all_ms, &s->ms_room, s->nms, sizeof(*s->all_ms)))
		return NULL;
	m = tp_arena_alloc(&s->arena, sizeof(*m));
	if (!m)
		return NULL;
	*m = (struct tp_v2_m){.id = id,
			      .g = &s->nobody,
			      .p = &s->no_p,
			      .place = (uint32_t)s->nms,
			      .pinned = &s->nobody};
	m->index = tp_trace_new_m(s->trace, id);
	if (m->index == TP_NONE || tp_idmap_add(&s->ms, id, m))
		return NULL;
	s->all_ms[s->nms++] = m;
	return m;
}

int tp_v2_g_born(struct tp_v2_state *s, struct tp_v2_g *g, uint8_t status, uint64_t gen,
		 enum tp_v2_birth how)
{
	if (g == &s->nobody)
		return 0;
	if (how == TP_V2_CREATED ? g->past != TP_V2_NO_PAST
				 : g->past == TP_V2_ENDED && g->seq_gen != gen) {
		uint32_t index = tp_trace_new_g(s->trace, g->id);

		if (index == TP_NONE)
			return TP_ENOMEM;
		g->index = index;
	}
	g->past = TP_V2_NO_PAST;
	if (g->listed == TP_V2_PARKED)
		unpark(s, g);
	g->alive = true;
	g->status = status;
	g->seq = 0;
	g->seq_gen = 0;
	s->nliving++;
	tp_v2_g_mentioned(s, g, gen);
	return 0;
}

void tp_v2_g_died(struct tp_v2_state *s, struct tp_v2_g *g, enum tp_v2_past how)
{
	g->alive = false;
	g->past = how == TP_V2_ENDED ? TP_V2_ENDED : TP_V2_MISSED;
	s->nliving--;
	s->nmentioned -= g->seq_gen == s->mentioning;
	g->assisting = 0;
	if (g->stw)
		g->stw->n = 0;
	while (g->regions)
		tp_v2_region_pop(s, g);
	list(s, g, TP_V2_FRESH);
}

struct tp_v2_m *tp_v2_holder_of_g(const struct tp_v2_state *s, const struct tp_v2_g *g)
{
	for (size_t i = 0; i < s->nms; i++)
		if (s->all_ms[i]->g == g)
			return s->all_ms[i];
	return NULL;
}

struct tp_v2_m *tp_v2_holder_of_p(const struct tp_v2_state *s, const struct tp_v2_p *p)
{
	for (size_t i = 0; i < s->nms; i++)
		if (s->all_ms[i]->p == p)
			return s->all_ms[i];
	return NULL;
}

static void unpin(struct tp_v2_state *s, struct tp_v2_m *m)
{
	struct tp_v2_g *g = m->pinned;

	if (g == &s->nobody)
		return;
	if (m->prior)
		m->prior->next = m->next;
	else
		g->pins = m->next ? m->next->place + 1 : 0;
	if (m->next)
		m->next->prior = m->prior;
	if (!g->pins && g->listed == TP_V2_PARKED) {
		unpark(s, g);
		list(s, g, TP_V2_LISTED);
	}
}

static struct tp_v2_m *first_of_pins(const struct tp_v2_state *s, const struct tp_v2_g *g)
{
	return g->pins ? s->all_ms[g->pins - 1] : NULL;
}

static void pin(struct tp_v2_state *s, struct tp_v2_m *m)
{
	struct tp_v2_g *g = m->pinned = m->g;

	m->prior = m->next = NULL;
	if (g == &s->nobody)
		return;
	m->next = first_of_pins(s, g);
	if (m->next)
		m->next->prior = m;
	g->pins = m->place + 1;
}

static void unbind_pins(struct tp_v2_state *s, const struct tp_v2_g *g)
{
	for (struct tp_v2_m *m = g->alive ? NULL : first_of_pins(s, g); m; m = m->next)
		if (m->g == g)
			tp_v2_m_bind(s, m, &s->nobody);
}

/* Examines the Ms that were bound in this generation, then those that pin a goroutine. */
void tp_v2_state_unbind_dead(struct tp_v2_state *s)
{
	for (struct tp_v2_m *m = s->used; m; m = m->next_used)
		if (!m->g->alive)
			m->g = &s->nobody;
	for (const struct tp_v2_g *g = s->listed; g; g = g->next)
		unbind_pins(s, g);
	for (const struct tp_v2_g *g = s->parked; g; g = g->next)
		unbind_pins(s, g);
}

void tp_v2_state_forget_ranges(struct tp_v2_state *s)
{
	bool stays = s->no_p.sweeping == s->ranges; /* generations do not report `no_p` again */

	s->ranges++;
	if (stays)
		s->no_p.sweeping = s->ranges;
}

void tp_v2_state_next_generation(struct tp_v2_state *s)
{
	struct tp_v2_m *m = s->used;
	struct tp_v2_g *g;

	s->used = NULL;
	for (; m; m = m->next_used) {
		m->used = false;
		if (m->pinned == m->g)
			continue;
		unpin(s, m);
		pin(s, m);
	}
	g = s->listed;
	s->listed = NULL;
	while (g) {
		struct tp_v2_g *next = g->next;

		if (g->alive) {
			g->listed = TP_V2_UNLISTED;
		} else if (g->listed == TP_V2_FRESH) {
			g->listed = TP_V2_LISTED;
			g->next = s->listed;
			s->listed = g;
		} else if (g->pins) {
			park(s, g);
		} else {
			tp_idmap_remove(&s->gs, g->id);
			g->next = s->free_gs;
			s->free_gs = g;
			s->live_gs--;
		}
		g = next;
	}
}

int tp_v2_region_push(struct tp_v2_state *s, struct tp_v2_g *g, uint64_t task, uint32_t name)
{
	struct tp_v2_region *r = s->free_regions;

	if (s->nregions >= MAX_OPEN)
		return TP_ELIMIT;
	if (r)
		s->free_regions = r->outer;
	else
		r = tp_arena_alloc(&s->arena, sizeof(*r));
	if (!r)
		return TP_ENOMEM;
	*r = (struct tp_v2_region){.outer = g->regions, .task = task, .name = name};
	g->regions = r;
	s->nregions++;
	return 0;
}

void tp_v2_region_pop(struct tp_v2_state *s, struct tp_v2_g *g)
{
	struct tp_v2_region *r = g->regions;

	g->regions = r->outer;
	r->outer = s->free_regions;
	s->free_regions = r;
	s->nregions--;
}

struct tp_v2_task *tp_v2_task_find(const struct tp_v2_state *s, uint64_t id)
{
	return tp_idmap_get(&s->tasks, id);
}

int tp_v2_task_start(struct tp_v2_state *s, uint64_t id, uint64_t parent, uint32_t name)
{
	struct tp_v2_task *t = s->free_tasks;
	int code;

	if (s->ntasks >= MAX_OPEN)
		return TP_ELIMIT;
	if (t)
		s->free_tasks = t->next;
	else
		t = tp_arena_alloc(&s->arena, sizeof(*t));
	if (!t)
		return TP_ENOMEM;
	*t = (struct tp_v2_task){.parent = parent, .name = name};
	code = tp_idmap_add(&s->tasks, id, t);
	if (code)
		return code;
	s->ntasks++;
	return 0;
}

void tp_v2_task_end(struct tp_v2_state *s, uint64_t id)
{
	struct tp_v2_task *t = tp_idmap_get(&s->tasks, id);

	if (!t)
		return;
	tp_idmap_remove(&s->tasks, id);
	t->next = s->free_tasks;
	s->free_tasks = t;
	s->ntasks--;
}

int tp_v2_stw_name(struct tp_v2_state *s, uint32_t kind, uint32_t *name)
{
	struct tp_text text;
	char *full;
	int code;

	*name = tp_ids_get(&s->stw_names, kind);
	if (*name != TP_NO_ID)
		return 0;
	text = tp_dict_text(s->trace->dict, kind);
	full = malloc((size_t)text.size + sizeof("stop-the-world ()"));
	if (!full)
		return TP_ENOMEM;
	memcpy(full, "stop-the-world (", 16);
	memcpy(full + 16, text.text, text.size);
	full[16 + text.size] = ')';
	code = tp_dict_string(s->trace->dict, full, (size_t)text.size + 17, name);
	free(full);
	return code ? code : tp_ids_put(&s->stw_names, kind, *name);
}
