/* Goroutines, Ms, Ps and tasks, found by their numbers in records. */
#include <stdlib.h>

#include "base/many.h"
#include "tprof-record/convert/trace/tracer.h"

/* Of a number that is forgotten, in place of an index. */
#define OVER (TP_NO_ID - 1)

struct rec_goroutine *rec_tracer_g(struct rec_tracer *s, uint32_t id)
{
	uint32_t i = tp_ids_get(&s->g_by_id, id), at = s->free_g ? s->free_g - 1 : s->ngs;

	if (i < OVER)
		return &s->gs[i];
	if (rec_tracer_failed(s, tp_grow(&s->gs, &s->room_gs, at, sizeof(*s->gs))) ||
	    rec_tracer_failed(s, tp_ids_put(&s->g_by_id, id, at)))
		return &s->no_g;
	if (s->free_g)
		s->free_g = s->gs[at].next_free;
	else
		s->ngs++;
	s->gs[at] = (struct rec_goroutine){
	    .id = id, .creation = UINT32_MAX, .state = i == OVER ? REC_G_DEAD : REC_G_NONE};
	return &s->gs[at];
}

uint32_t rec_tracer_known_m(const struct rec_tracer *s, uint32_t id)
{
	uint32_t i = tp_ids_get(&s->m_by_id, id);

	return i < OVER ? i : TP_NO_ID;
}

struct rec_machine *rec_tracer_m(struct rec_tracer *s, uint32_t id)
{
	uint32_t i = tp_ids_get(&s->m_by_id, id), at = s->free_m ? s->free_m - 1 : s->nms;

	if (i < OVER)
		return &s->ms[i];
	if (rec_tracer_failed(s, tp_grow(&s->ms, &s->room_ms, at, sizeof(*s->ms))) ||
	    rec_tracer_failed(s, tp_ids_put(&s->m_by_id, id, at)))
		return &s->no_m;
	if (s->free_m)
		s->free_m = s->ms[at].next_free;
	else
		s->nms++;
	s->ms[at] = (struct rec_machine){.id = id, .p = -1};
	return &s->ms[at];
}

/* ---- what is over ---- */

static void forget_g(struct rec_tracer *s, struct rec_goroutine *g)
{
	if (g->entry && tp_ids_get(&s->entry_ids, g->entry) == TP_NO_ID &&
	    !rec_tracer_failed(
		s, tp_grow(&s->entries, &s->room_entries, s->nentries, sizeof(*s->entries))) &&
	    !rec_tracer_failed(s, tp_ids_put(&s->entry_ids, g->entry, 0)))
		s->entries[s->nentries++] = g->entry;
	rec_tracer_failed(s, tp_ids_put(&s->g_by_id, g->id, OVER));
	free(g->kept_name);
	free(g->regions);
	tp_buf_release(&g->text);
	*g = (struct rec_goroutine){.next_free = s->free_g};
	s->free_g = rec_index_of_g(s, g) + 1;
}

static void forget_m(struct rec_tracer *s, struct rec_machine *m)
{
	rec_tracer_failed(s, tp_ids_put(&s->m_by_id, m->id, OVER));
	*m = (struct rec_machine){.next_free = s->free_m, .p = -1};
	s->free_m = (uint32_t)(m - s->ms) + 1;
}

void rec_tracer_forget(struct rec_tracer *s)
{
	for (uint32_t i = 0; i < s->ngs; i++) {
		struct rec_goroutine *g = &s->gs[i];

		g->parts_dead = g->state != REC_G_DEAD ? 0
				: g->parts_dead < 2    ? g->parts_dead + 1
						       : 2;
	}
	for (uint32_t i = 0; i < s->nms; i++) {
		struct rec_machine *m = &s->ms[i];
		struct rec_goroutine *own = m->own ? &s->gs[m->own - 1] : NULL;

		if (!own)
			continue;
		if (own->parts_dead == 2 && m->id > 1 && !m->first && !m->present && !m->g &&
		    m->p < 0) {
			forget_g(s, own);
			forget_m(s, m);
		} else if (own->parts_dead == 2) {
			own->parts_dead = 1;
		}
	}
	for (uint32_t i = 0; i < s->ngs; i++)
		if (s->gs[i].user && s->gs[i].parts_dead == 2)
			forget_g(s, &s->gs[i]);
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
	tp_ids_release(&s->entry_ids);
	free(s->entries);
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
