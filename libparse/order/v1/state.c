#include "order/v1/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"

/* Limit on checks of blocked Ps: a fixed allowance plus so many per input byte. Real traces need
 * less than ten per byte. */
#define FREE_TRIES     ((uint64_t)1 << 26)
#define TRIES_PER_BYTE 64

static int out_of_memory(struct tp_v1_order *o)
{
	if (!o->code)
		o->code = tp_nomem(o->err);
	return TP_ENOMEM;
}

static int add_page(struct tp_v1_order *o)
{
	struct tp_v1_g **pages;

	if (o->npages >= TP_V1_RETIRED / TP_V1_PAGE_GS)
		return out_of_memory(o);
	pages = tp_more(o->pages, o->npages + 1, sizeof(*pages));
	if (!pages)
		return out_of_memory(o);
	o->pages = pages;
	pages[o->npages] = tp_many(TP_V1_PAGE_GS, sizeof(**pages));
	if (!pages[o->npages])
		return out_of_memory(o);
	o->npages++;
	return 0;
}

struct tp_v1_g *tp_v1_g_new(struct tp_v1_order *o, uint64_t id)
{
	uint32_t old = tp_ids_get(&o->g_of, id), slot = o->free_g;
	struct tp_v1_g *g;

	if (slot == NO_NODE) {
		if (o->ng / TP_V1_PAGE_GS == o->npages && add_page(o))
			return NULL;
		slot = o->ng++;
	} else {
		o->free_g = o->pages[slot / TP_V1_PAGE_GS][slot % TP_V1_PAGE_GS].regions;
	}
	if (tp_ids_put(&o->g_of, id, slot)) {
		out_of_memory(o);
		return NULL;
	}
	g = &o->pages[slot / TP_V1_PAGE_GS][slot % TP_V1_PAGE_GS];
	*g = (struct tp_v1_g){
	    .id = id, .index = TP_NONE, .lane = TP_NONE, .regions = NO_NODE, .slot = slot};
	if (old != TP_NO_ID) {
		g->exists = g->ended = true;
		if (old != (TP_V1_RETIRED | TP_V1_UNINDEXED))
			g->index = old & ~TP_V1_RETIRED;
	}
	return g;
}

void tp_v1_g_retire(struct tp_v1_order *o, struct tp_v1_g *g)
{
	uint32_t left = g->index < TP_V1_UNINDEXED ? g->index : TP_V1_UNINDEXED;

	if (!o->initialised || g->waiters || g->exit_told || g->exit_held || g->exit_owed ||
	    g->exit_skips || g->regions != NO_NODE)
		return;
	/* Cannot fail: the id is present, so nothing is allocated. */
	tp_ids_put(&o->g_of, g->id, TP_V1_RETIRED | left);
	g->regions = o->free_g;
	o->free_g = g->slot;
}

/* Indices are assigned in order of appearance, so a dry run does not assign any. */
uint32_t tp_v1_g_index_slow(struct tp_v1_order *o, struct tp_v1_g *g)
{
	if (o->quiet)
		return TP_NONE;
	g->index = tp_trace_new_g(o->trace, g->id);
	if (g->index == TP_NONE)
		out_of_memory(o);
	return g->index;
}

uint32_t tp_v1_p_index(struct tp_v1_order *o, int64_t pid)
{
	uint32_t n;

	if (pid < 0 || o->quiet)
		return TP_NONE;
	n = tp_ids_get(&o->p_of, (uint64_t)pid);
	if (n != TP_NO_ID)
		return n;
	n = tp_trace_new_p(o->trace, pid);
	if (n == TP_NONE || tp_ids_put(&o->p_of, (uint64_t)pid, n))
		out_of_memory(o);
	return n;
}

uint32_t tp_v1_m_index(struct tp_v1_order *o, uint64_t id)
{
	uint32_t n;

	if (o->quiet)
		return TP_NONE;
	n = tp_ids_get(&o->m_of, id);
	if (n != TP_NO_ID)
		return n;
	n = tp_trace_new_m(o->trace, id);
	if (n == TP_NONE || tp_ids_put(&o->m_of, id, n))
		out_of_memory(o);
	return n;
}

uint32_t tp_v1_pseudo_p(struct tp_v1_order *o, enum tp_v1_pseudo_p which)
{
	uint32_t *n = &o->pseudo[which - 1000000];

	if (*n == TP_NONE)
		*n = tp_v1_p_index(o, which);
	return *n;
}

void tp_v1_room(struct tp_v1_order *o)
{
	/* After a failure the sink may still be reading its last batch. */
	o->out = o->sink->room && !o->code ? o->sink->room(o->sink->ctx) : o->own;
}

int tp_v1_flush(struct tp_v1_order *o)
{
	if (o->nout && !o->code) {
		o->trace->events += o->nout;
		if (!o->trace->started) {
			o->trace->started = true;
			o->trace->first_ts = o->out[0].ts;
		}
		o->trace->last_ts = o->out[o->nout - 1].ts;
		/* In a trace of go 1.5 only name_frames gives functions names. */
		if ((o->version >= 7 || o->opt->name_frames) &&
		    tp_trace_mark_unnamed(o->trace, o->out, o->nout))
			o->code = tp_nomem(o->err);
		else
			o->code = o->sink->events(o->sink->ctx, o->out, o->nout, o->err);
	}
	o->nout = 0;
	tp_v1_room(o);
	return o->code;
}

/* Sets the origin of time to the first event; from go 1.11 on, Go's reader puts a Sync before it.
 */
void tp_v1_begin(struct tp_v1_order *o, int64_t ticks)
{
	struct tp_event *ev;

	o->begun = true;
	o->origin = ticks;
	if (o->version < 11)
		return;
	o->last_ns = -2;
	ev = tp_v1_put(o, TP_EV_SYNC, -1);
	ev->arg[0] = 1;
	o->last_ns = -1;
}

int tp_v1_add_starter(struct tp_v1_order *o, struct tp_v1_g *g)
{
	if (tp_grow(&o->starters, &o->starters_room, o->nstarters, sizeof(*o->starters)))
		return out_of_memory(o);
	o->starters[o->nstarters++] = g;
	return 0;
}

struct tp_v1_task *tp_v1_task_find(struct tp_v1_order *o, uint64_t id)
{
	uint32_t n = tp_ids_get(&o->task_of, id);

	/* The slot of a task that ended may have been reused. */
	if (n == TP_NO_ID || !o->tasks[n].alive || o->tasks[n].id != id)
		return NULL;
	return &o->tasks[n];
}

struct tp_v1_task *tp_v1_task_new(struct tp_v1_order *o, uint64_t id)
{
	uint32_t n = o->free_task;

	if (n != NO_NODE) {
		o->free_task = (uint32_t)o->tasks[n].parent;
	} else {
		if (o->ntasks == NO_NODE ||
		    tp_grow(&o->tasks, &o->tasks_room, o->ntasks, sizeof(*o->tasks))) {
			out_of_memory(o);
			return NULL;
		}
		n = o->ntasks++;
	}
	o->tasks[n] = (struct tp_v1_task){.id = id, .alive = true};
	if (tp_ids_put(&o->task_of, id, n)) {
		out_of_memory(o);
		return NULL;
	}
	return &o->tasks[n];
}

void tp_v1_task_drop(struct tp_v1_order *o, struct tp_v1_task *t)
{
	t->alive = false;
	t->parent = o->free_task;
	o->free_task = (uint32_t)(t - o->tasks);
}

int tp_v1_region_push(struct tp_v1_order *o, struct tp_v1_g *g, uint64_t task, uint64_t name)
{
	uint32_t n = o->free_region;

	if (n != NO_NODE) {
		o->free_region = o->regions[n].outer;
	} else {
		if (o->nregions == NO_NODE ||
		    tp_grow(&o->regions, &o->regions_room, o->nregions, sizeof(*o->regions)))
			return out_of_memory(o);
		n = o->nregions++;
	}
	o->regions[n] = (struct tp_v1_region){.task = task, .name = name, .outer = g->regions};
	g->regions = n;
	return 0;
}

void tp_v1_region_pop(struct tp_v1_order *o, struct tp_v1_g *g)
{
	uint32_t n = g->regions;

	g->regions = o->regions[n].outer;
	o->regions[n].outer = o->free_region;
	o->free_region = n;
}

static void free_pages(struct tp_v1_order *o)
{
	for (uint32_t i = 0; i < o->npages; i++)
		free(o->pages[i]);
	free(o->pages);
	o->pages = NULL;
	o->npages = o->ng = 0;
}

int tp_v1_order_reset(struct tp_v1_order *o)
{
	free_pages(o);
	tp_ids_release(&o->g_of);
	tp_ids_release(&o->task_of);
	o->nstarters = o->ntasks = o->nregions = 0;
	o->free_task = o->free_region = o->free_g = NO_NODE;
	o->begun = o->initialised = o->in_gc = o->in_stw = o->muted = false;
	o->gc_seq = o->top_g = 0;
	o->stw_reason = 0;
	o->now = o->latest = INT64_MIN;
	o->last_ns = -1;
	o->ordinal = o->bytes_done = 0;
	o->last_wire_ns = 0;
	o->dropped = o->late = 0;
	o->nfrontier = o->naside = 0;
	o->tries = 0;
	o->most_tries = FREE_TRIES + TRIES_PER_BYTE * o->ix->size;
	o->woken = false;
	o->unusual = true;
	o->blocked = INT64_MAX;
	for (unsigned i = 0; i < 5; i++)
		o->pseudo[i] = TP_NONE;
	for (uint32_t i = 0; i < o->ix->nchains; i++)
		o->lanes[i] = (struct tp_v1_lane){.batch = TP_V1_NO_BATCH,
						  .next = o->ix->chains[i].first,
						  .number = i,
						  .pid = o->ix->chains[i].pid,
						  .p = TP_NONE,
						  .m = TP_NONE,
						  .unusual = true};
	o->lanes[o->ix->nchains] = (struct tp_v1_lane){.batch = TP_V1_NO_BATCH,
						       .next = TP_V1_NO_BATCH,
						       .number = o->ix->nchains,
						       .p = TP_NONE,
						       .m = TP_NONE,
						       .samples = true,
						       .unusual = true};
	tp_v1_specials_reset(o);
	return o->code;
}

void tp_v1_order_release(struct tp_v1_order *o)
{
	free_pages(o);
	tp_ids_release(&o->g_of);
	tp_ids_release(&o->task_of);
	tp_ids_release(&o->p_of);
	tp_ids_release(&o->m_of);
	free(o->starters);
	free(o->tasks);
	free(o->regions);
	for (unsigned k = 0; k < TP_V1_NKINDS; k++)
		free(o->queues[k].heap);
	free(o->futile);
	free(o->lanes);
	free(o->frontier);
	free(o->aside);
	free(o->own);
}
