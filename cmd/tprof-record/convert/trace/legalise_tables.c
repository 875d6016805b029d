/* Goroutines, Ms and Ps of a story, found by what records call them. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "tprof-record/convert/trace/legalise.h"

static uint32_t mix(const struct rec_story *s, uint64_t key)
{
	return (uint32_t)tp_mix64(s->seed, key);
}

struct rec_goroutine *rec_story_g(struct rec_story *s, uint32_t id)
{
	uint32_t hash;

	if (s->latest_g && s->gs[s->latest_g - 1].id == id)
		return &s->gs[s->latest_g - 1];
	hash = mix(s, id);
	for (struct tp_probe p = {0}; tp_table_next(&s->g_by_id, hash, &p);) {
		if (s->gs[p.row].id == id) {
			s->latest_g = p.row + 1;
			return &s->gs[p.row];
		}
	}
	if (tp_grow(&s->gs, &s->room_gs, s->ngs, sizeof(*s->gs)) ||
	    tp_table_add(&s->g_by_id, hash, s->ngs))
		return NULL;
	s->gs[s->ngs].id = id;
	s->gs[s->ngs].creation = UINT32_MAX;
	s->latest_g = ++s->ngs;
	return &s->gs[s->latest_g - 1];
}

struct rec_machine *rec_story_m(struct rec_story *s, uint32_t id)
{
	uint32_t hash;

	if (s->latest_m && s->ms[s->latest_m - 1].id == id)
		return &s->ms[s->latest_m - 1];
	hash = mix(s, id);
	for (struct tp_probe p = {0}; tp_table_next(&s->m_by_id, hash, &p);) {
		if (s->ms[p.row].id == id) {
			s->latest_m = p.row + 1;
			return &s->ms[p.row];
		}
	}
	if (tp_grow(&s->ms, &s->room_ms, s->nms, sizeof(*s->ms)) ||
	    tp_table_add(&s->m_by_id, hash, s->nms))
		return NULL;
	s->ms[s->nms].id = id;
	s->ms[s->nms].p = -1;
	s->latest_m = ++s->nms;
	return &s->ms[s->latest_m - 1];
}

/* ---- Ps ---- */

int rec_story_take_p(struct rec_story *s, struct rec_machine *m)
{
	uint32_t i = s->free_p;

	while (i < s->nps && s->ps[i].m)
		i++;
	if (i == s->nps) {
		if (tp_grow(&s->ps, &s->room_ps, s->nps, sizeof(*s->ps)))
			return TP_ENOMEM;
		s->nps++;
	}
	s->ps[i].m = m >= s->ms && m < s->ms + s->nms ? (uint32_t)(m - s->ms) + 1 : UINT32_MAX;
	s->free_p = i + 1;
	m->p = (int32_t)i;
	return 0;
}

void rec_story_give_p(struct rec_story *s, struct rec_machine *m)
{
	uint32_t i = (uint32_t)m->p;

	s->ps[i].m = 0;
	if (i < s->free_p)
		s->free_p = i;
	m->p = -1;
}

/* ---- who is alive ---- */

int rec_story_alive(struct rec_story *s, struct rec_goroutine *g)
{
	if (g->alive)
		return 0;
	if (tp_grow(&s->alive, &s->room_alive, s->nalive, sizeof(*s->alive)))
		return TP_ENOMEM;
	s->alive[s->nalive] = rec_index_of_g(s, g);
	g->alive = ++s->nalive;
	s->result.goroutines++;
	return 0;
}

void rec_story_dead(struct rec_story *s, struct rec_goroutine *g)
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

/* ---- tasks: a set of its own, as base/table.h has no removing ---- */

static uint32_t task_at(const struct rec_story *s, uint64_t task)
{
	uint32_t at = mix(s, task) & (s->room_tasks - 1);

	while (s->tasks[at] && s->tasks[at] != task)
		at = (at + 1) & (s->room_tasks - 1);
	return at;
}

static int grow_tasks(struct rec_story *s)
{
	uint32_t old_room = s->room_tasks, room = old_room ? old_room * 2 : 64;
	uint64_t *old = s->tasks, *tasks = calloc(room, sizeof(*tasks));

	if (!tasks)
		return TP_ENOMEM;
	s->tasks = tasks;
	s->room_tasks = room;
	for (uint32_t i = 0; i < old_room; i++)
		if (old[i])
			tasks[task_at(s, old[i])] = old[i];
	free(old);
	return 0;
}

int rec_story_open_task(struct rec_story *s, uint64_t task, bool *was)
{
	uint32_t at;

	if (s->ntasks * 2 >= s->room_tasks && grow_tasks(s))
		return TP_ENOMEM;
	at = task_at(s, task);
	*was = s->tasks[at] != 0;
	if (!*was) {
		s->tasks[at] = task;
		s->ntasks++;
	}
	return 0;
}

void rec_story_close_task(struct rec_story *s, uint64_t task)
{
	uint32_t at, hole;

	if (!s->room_tasks || !s->tasks[hole = at = task_at(s, task)])
		return;
	s->ntasks--;
	/* What was put behind it because its own place was taken moves up. */
	for (;;) {
		uint32_t home;

		s->tasks[hole] = 0;
		do {
			at = (at + 1) & (s->room_tasks - 1);
			if (!s->tasks[at])
				return;
			home = mix(s, s->tasks[at]) & (s->room_tasks - 1);
		} while (hole <= at ? hole < home && home <= at : hole < home || home <= at);
		s->tasks[hole] = s->tasks[at];
		hole = at;
	}
}

void rec_story_release(struct rec_story *s)
{
	for (uint32_t i = 0; i < s->ngs; i++) {
		free(s->gs[i].regions);
		tp_buf_release(&s->gs[i].text);
	}
	free(s->links);
	free(s->ms);
	free(s->gs);
	tp_table_release(&s->m_by_id);
	tp_table_release(&s->g_by_id);
	free(s->heap);
	free(s->posts);
	free(s->ps);
	free(s->alive);
	free(s->tasks);
}
