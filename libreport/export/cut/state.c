#include "export/cut/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"

static bool is_free(const struct cut *c, uint32_t m)
{
	return c->ms[m].p == TP_NONE && c->ms[m].g == TP_NONE;
}

uint32_t cut_free_m(struct cut *c, uint32_t hint)
{
	if (hint < c->nm && is_free(c, hint))
		return hint;
	for (uint32_t i = c->real_ms; i < c->nm; i++)
		if (is_free(c, i))
			return i;
	if (tp_grow(&c->ms, &c->m_room, c->nm, sizeof(*c->ms))) {
		cut_nomem(c);
		return TP_NONE;
	}
	c->ms[c->nm] = (struct cut_m){.id = c->next_m_id++, .g = TP_NONE, .p = TP_NONE};
	return c->nm++;
}

struct cut_task *cut_task(struct cut *c, uint64_t id)
{
	uint32_t at = tp_ids_get(&c->task_of, id);

	return at == TP_NO_ID ? NULL : &c->tasks[at];
}

struct cut_task *cut_task_add(struct cut *c, uint64_t id)
{
	struct cut_task *task = cut_task(c, id);

	if (task)
		return task;
	if (tp_grow(&c->tasks, &c->task_room, c->ntasks, sizeof(*c->tasks)) ||
	    tp_ids_put(&c->task_of, id, c->ntasks)) {
		cut_nomem(c);
		return NULL;
	}
	task = &c->tasks[c->ntasks++];
	*task = (struct cut_task){.id = id};
	return task;
}

int cut_region_push(struct cut *c, struct cut_g *g, uint64_t task, uint32_t name)
{
	uint32_t at = c->free_region;

	if (at) {
		c->free_region = c->regions[at].outer;
	} else {
		if (tp_grow(&c->regions, &c->region_room, c->nregions + 1, sizeof(*c->regions)))
			return cut_nomem(c);
		at = ++c->nregions;
	}
	c->regions[at] = (struct cut_region){.task = task, .name = name, .outer = g->region};
	g->region = at;
	return 0;
}

void cut_region_pop(struct cut *c, struct cut_g *g)
{
	uint32_t at = g->region;

	g->region = c->regions[at].outer;
	c->regions[at].outer = c->free_region;
	c->free_region = at;
}

void cut_release(struct cut *c)
{
	tp_v2_encoder_free(c->e);
	tp_dict_free(c->dict);
	tp_ids_release(&c->task_of);
	rep_first_release(&c->first);
	free(c->gs);
	free(c->ps);
	free(c->ms);
	free(c->regions);
	free(c->tasks);
}
