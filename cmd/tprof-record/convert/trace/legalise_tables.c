/* Goroutines, Ms and Ps of a story, found by what records call them. */
#include <stdlib.h>
#include <string.h>

#include "tprof-record/convert/trace/legalise.h"

static uint32_t mix(const struct rec_story *s, uint64_t key)
{
	uint64_t h = (key ^ s->seed) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(h >> 32);
}

/* *p with room for one more than n; false when memory is out. Cleared. */
static bool more(void **p, uint32_t n, uint32_t *room, size_t size)
{
	uint32_t bigger = *room ? *room * 2 : 64;
	char *q;

	if (n < *room)
		return true;
	if (*room > UINT32_MAX / 4 || !(q = realloc(*p, bigger * size)))
		return false;
	memset(q + *room * size, 0, (bigger - *room) * size);
	*p = q;
	*room = bigger;
	return true;
}

static uint32_t id_at(const struct rec_story *s, const struct rec_index *x, uint32_t i)
{
	return x == &s->g_index ? s->gs[i].id : s->ms[i].id;
}

static bool grow_index(struct rec_story *s, struct rec_index *x, uint32_t n)
{
	uint32_t room = x->room ? x->room * 2 : 128;
	uint32_t *slots;

	if (n * 2 < x->room)
		return true;
	slots = calloc(room, sizeof(*slots));
	if (!slots)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = mix(s, id_at(s, x, i)) & (room - 1);

		while (slots[at])
			at = (at + 1) & (room - 1);
		slots[at] = i + 1;
	}
	free(x->slots);
	x->slots = slots;
	x->room = room;
	return true;
}

/* The slot of an id, which is free where it is not known. */
static uint32_t *slot_of(const struct rec_story *s, const struct rec_index *x, uint32_t id)
{
	uint32_t at = mix(s, id) & (x->room - 1);

	while (x->slots[at] && id_at(s, x, x->slots[at] - 1) != id)
		at = (at + 1) & (x->room - 1);
	return &x->slots[at];
}

struct rec_goroutine *rec_story_g(struct rec_story *s, uint32_t id)
{
	uint32_t *slot;

	if (s->latest_g && s->gs[s->latest_g - 1].id == id)
		return &s->gs[s->latest_g - 1];
	if (!grow_index(s, &s->g_index, s->ngs))
		return NULL;
	slot = slot_of(s, &s->g_index, id);
	if (!*slot) {
		void *gs = s->gs;

		if (!more(&gs, s->ngs, &s->room_gs, sizeof(*s->gs)))
			return NULL;
		s->gs = gs;
		s->gs[s->ngs].id = id;
		s->gs[s->ngs].creation = UINT32_MAX;
		*slot = ++s->ngs;
	}
	s->latest_g = *slot;
	return &s->gs[*slot - 1];
}

struct rec_machine *rec_story_m(struct rec_story *s, uint32_t id)
{
	uint32_t *slot;

	if (s->latest_m && s->ms[s->latest_m - 1].id == id)
		return &s->ms[s->latest_m - 1];
	if (!grow_index(s, &s->m_index, s->nms))
		return NULL;
	slot = slot_of(s, &s->m_index, id);
	if (!*slot) {
		void *ms = s->ms;

		if (!more(&ms, s->nms, &s->room_ms, sizeof(*s->ms)))
			return NULL;
		s->ms = ms;
		s->ms[s->nms].id = id;
		s->ms[s->nms].p = -1;
		*slot = ++s->nms;
	}
	s->latest_m = *slot;
	return &s->ms[*slot - 1];
}

/* ---- Ps ---- */

int rec_story_take_p(struct rec_story *s, struct rec_machine *m)
{
	uint32_t i = s->free_p;
	void *ps = s->ps;

	while (i < s->nps && s->ps[i].m)
		i++;
	if (i == s->nps) {
		if (!more(&ps, s->nps, &s->room_ps, sizeof(*s->ps)))
			return TP_ENOMEM;
		s->ps = ps;
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
	void *alive = s->alive;

	if (g->alive)
		return 0;
	if (!more(&alive, s->nalive, &s->room_alive, sizeof(*s->alive)))
		return TP_ENOMEM;
	s->alive = alive;
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

/* ---- tasks ---- */

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
	free(s->m_index.slots);
	free(s->g_index.slots);
	free(s->heap);
	free(s->posts);
	free(s->ps);
	free(s->alive);
	free(s->tasks);
}
