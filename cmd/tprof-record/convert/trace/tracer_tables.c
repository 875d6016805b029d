/* Goroutines, Ms, Ps and tasks, found by their numbers in records. */
#include <stdlib.h>

#include "base/many.h"
#include "tprof-record/convert/trace/tracer.h"

struct rec_goroutine *rec_tracer_g(struct rec_tracer *s, uint32_t id)
{
	uint32_t i = tp_ids_get(&s->g_by_id, id);

	if (i != TP_NO_ID)
		return &s->gs[i];
	if (rec_tracer_failed(s, tp_grow(&s->gs, &s->room_gs, s->ngs, sizeof(*s->gs))) ||
	    rec_tracer_failed(s, tp_ids_put(&s->g_by_id, id, s->ngs)))
		return &s->no_g;
	s->gs[s->ngs].id = id;
	s->gs[s->ngs].creation = UINT32_MAX;
	return &s->gs[s->ngs++];
}

struct rec_machine *rec_tracer_m(struct rec_tracer *s, uint32_t id)
{
	uint32_t i = tp_ids_get(&s->m_by_id, id);

	if (i != TP_NO_ID)
		return &s->ms[i];
	if (rec_tracer_failed(s, tp_grow(&s->ms, &s->room_ms, s->nms, sizeof(*s->ms))) ||
	    rec_tracer_failed(s, tp_ids_put(&s->m_by_id, id, s->nms)))
		return &s->no_m;
	s->ms[s->nms].id = id;
	s->ms[s->nms].p = -1;
	return &s->ms[s->nms++];
}

/* ---- Ps ---- */

void rec_tracer_take_p(struct rec_tracer *s, struct rec_machine *m)
{
	uint32_t i = s->free_p;

	while (i < s->nps && s->ps[i].m)
		i++;
	if (i == s->nps) {
		if (rec_tracer_failed(s, tp_grow(&s->ps, &s->room_ps, s->nps, sizeof(*s->ps))))
			return;
		s->nps++;
	}
	s->ps[i].m = m >= s->ms && m < s->ms + s->nms ? (uint32_t)(m - s->ms) + 1 : UINT32_MAX;
	s->free_p = i + 1;
	m->p = (int32_t)i;
}

void rec_tracer_give_p(struct rec_tracer *s, struct rec_machine *m)
{
	uint32_t i = (uint32_t)m->p;

	if (m->p < 0)
		return;
	s->ps[i].m = 0;
	if (i < s->free_p)
		s->free_p = i;
	m->p = -1;
}

/* ---- goroutines that are alive ---- */

void rec_tracer_alive(struct rec_tracer *s, struct rec_goroutine *g)
{
	if (g->alive ||
	    rec_tracer_failed(s, tp_grow(&s->alive, &s->room_alive, s->nalive, sizeof(*s->alive))))
		return;
	s->alive[s->nalive] = rec_index_of_g(s, g);
	g->alive = ++s->nalive;
	s->result.goroutines++;
}

void rec_tracer_dead(struct rec_tracer *s, struct rec_goroutine *g)
{
	uint32_t last;

	if (!g->alive)
		return;
	last = s->alive[--s->nalive];
	s->alive[g->alive - 1] = last;
	s->gs[last].alive = g->alive;
	g->alive = 0;
	tp_buf_release(&g->text);
	free(g->regions);
	g->regions = NULL;
	g->nregions = g->region_room = 0;
}

/* ---- tasks ---- */

bool rec_tracer_set_task(struct rec_tracer *s, uint64_t task, bool open)
{
	uint32_t was = tp_ids_get(&s->tasks, task);

	if (open || was != TP_NO_ID)
		rec_tracer_failed(s, tp_ids_put(&s->tasks, task, open));
	return was == 1;
}

void rec_tracer_release(struct rec_tracer *s)
{
	for (uint32_t i = 0; i < s->ngs; i++) {
		free(s->gs[i].regions);
		free(s->gs[i].kept_name);
		tp_buf_release(&s->gs[i].text);
	}
	free(s->links);
	free(s->ms);
	free(s->gs);
	tp_ids_release(&s->m_by_id);
	tp_ids_release(&s->g_by_id);
	tp_ids_release(&s->tasks);
	free(s->heap);
	free(s->switch_next);
	free(s->switch_lead);
	free(s->look_next);
	free(s->switch_wake);
	free(s->outer);
	free(s->lost);
	free(s->posts);
	free(s->ps);
	free(s->alive);
}
