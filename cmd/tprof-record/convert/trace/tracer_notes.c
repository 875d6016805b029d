/* Tasks, regions, logs and labels. Those that Go's reader would refuse are left out or completed: a
 * task that begins twice, a region that ends while an inner one is open. */
#include <stdlib.h>
#include <string.h>

#include "tprof-record/convert/trace/tracer.h"

#define MOST_TEXT 1024 /* bytes of a log's message (TP_V2_MAX_STRING) */

static void note(struct rec_tracer *s, const struct rec_step *t, const struct rec_event *e)
{
	if (rec_tracer_bring_own(s, t) && s->writing && !s->code)
		s->w->note(s, t->m, e);
}

static void trace_task(struct rec_tracer *s, const struct rec_step *t)
{
	uint64_t task = t->event->object;
	bool begins = t->event->kind == REC_TASK_NEW;

	/* Numbers that Go's reader has for no task and the background. */
	if (!task || task == UINT64_MAX || !t->g || t->g->state == REC_G_DEAD ||
	    /* Tasks that began before the trace are not known. */
	    ((s->writing || !begins) && rec_tracer_set_task(s, task, begins) && begins))
		rec_tracer_contradict(s);
	else
		note(s, t, t->event);
}

static void open_region(struct rec_tracer *s, const struct rec_step *t)
{
	struct rec_goroutine *g = t->g;

	note(s, t, t->event);
	if (g->state == REC_G_DEAD)
		return;
	/* Not tp_grow: many goroutines have one or two. */
	if (g->nregions == g->region_room) {
		uint32_t room = g->region_room ? g->region_room * 2 : 8;
		struct rec_region *r = realloc(g->regions, room * sizeof(*r));

		if (!r) {
			rec_tracer_failed(s, TP_ENOMEM);
			return;
		}
		g->regions = r;
		g->region_room = room;
	}
	g->regions[g->nregions++] = (struct rec_region){t->event->object, t->event->arg};
}

/* Regions nest: ends those inside the one that ends. */
static void close_region(struct rec_tracer *s, const struct rec_step *t)
{
	struct rec_goroutine *g = t->g;
	uint32_t at = g->nregions;

	while (at && (g->regions[at - 1].task != t->event->object ||
		      g->regions[at - 1].name != t->event->arg))
		at--;
	/* If none is open, it began before the trace. */
	if (!at && g->nregions) {
		rec_tracer_contradict(s);
		return;
	}
	while (g->nregions > at) {
		struct rec_event inner = *t->event;

		g->nregions--;
		inner.object = g->regions[g->nregions].task;
		inner.arg = g->regions[g->nregions].name;
		rec_tracer_contradict(s);
		note(s, t, &inner);
	}
	g->nregions = at ? at - 1 : 0;
	note(s, t, t->event);
}

static void add_text(struct rec_tracer *s, const struct rec_step *t)
{
	const struct rec_event *e = t->event;
	char bytes[16];
	size_t n = e->arg < sizeof(bytes) ? e->arg : sizeof(bytes);

	if (t->g->text.size + n > MOST_TEXT)
		n = MOST_TEXT - t->g->text.size;
	memcpy(bytes, &e->object, 8);
	memcpy(bytes + 8, &e->start, 8);
	rec_tracer_failed(s, tp_buf_put(&t->g->text, bytes, n));
}

void rec_tracer_note(struct rec_tracer *s, const struct rec_step *t)
{
	switch ((uint16_t)t->event->kind) {
	case REC_TASK_NEW:
	case REC_TASK_END:
		trace_task(s, t);
		break;
	case REC_REGION_BEGIN:
		if (t->g)
			open_region(s, t);
		break;
	case REC_REGION_END:
		if (t->g)
			close_region(s, t);
		break;
	case REC_TEXT:
		if (t->g)
			add_text(s, t);
		break;
	case REC_LOG:
	case REC_HEAP:
	case REC_LABELS:
	case REC_PROCESS_FORK:
	case REC_PROCESS_EXEC:
		note(s, t, t->event);
		if (t->g && t->event->kind == REC_LOG)
			t->g->text.size = 0;
		break;
	default:
		break;
	}
}
