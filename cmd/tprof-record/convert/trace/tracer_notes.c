/* Tasks, regions, logs and labels. Those that Go's reader would refuse are left out or completed: a
 * task that begins twice, a region that ends while an inner one is open. */
#include <stdlib.h>
#include <string.h>

#include "tprof-record/convert/trace/tracer.h"

#define MOST_TEXT 1024 /* bytes of a log's message (TP_V2_MAX_STRING) */

static int note(struct rec_tracer *s, const struct rec_action *t, const struct rec_event *e)
{
	bool ok;
	int code;

	if (!s->w->note)
		return 0;
	code = rec_tracer_bring_own(s, t, &ok);
	return !code && ok && s->writing ? s->w->note(s->w, t->m, e) : code;
}

static int trace_task(struct rec_tracer *s, const struct rec_action *t)
{
	uint64_t task = t->event->object;
	bool was = false;
	int code = 0;

	/* Numbers that Go's reader has for no task and the background. */
	if (!task || task == UINT64_MAX || !t->g || t->g->state == REC_G_DEAD) {
		rec_tracer_contradict(s);
		return 0;
	}
	/* Tasks that began before the trace are not known. */
	if (t->event->kind == REC_TASK_END)
		rec_tracer_close_task(s, task);
	else if (s->writing)
		code = rec_tracer_open_task(s, task, &was);
	if (code || was) {
		rec_tracer_contradict(s);
		return code;
	}
	return note(s, t, t->event);
}

static int open_region(struct rec_tracer *s, const struct rec_action *t)
{
	struct rec_goroutine *g = t->g;
	int code = note(s, t, t->event);

	if (code || g->state == REC_G_DEAD)
		return code;
	/* Not tp_grow: many goroutines have one or two. */
	if (g->nregions == g->region_room) {
		uint32_t room = g->region_room ? g->region_room * 2 : 8;
		struct rec_region *r = realloc(g->regions, room * sizeof(*r));

		if (!r)
			return TP_ENOMEM;
		g->regions = r;
		g->region_room = room;
	}
	g->regions[g->nregions++] = (struct rec_region){t->event->object, t->event->arg};
	return 0;
}

/* Regions nest: ends those inside the one that ends. */
static int close_region(struct rec_tracer *s, const struct rec_action *t)
{
	struct rec_goroutine *g = t->g;
	uint32_t at = g->nregions;
	int code = 0;

	while (at && (g->regions[at - 1].task != t->event->object ||
		      g->regions[at - 1].name != t->event->arg))
		at--;
	/* If none is open, it began before the trace. */
	if (!at && g->nregions) {
		rec_tracer_contradict(s);
		return 0;
	}
	while (!code && g->nregions > at) {
		struct rec_event inner = *t->event;

		g->nregions--;
		inner.object = g->regions[g->nregions].task;
		inner.arg = g->regions[g->nregions].name;
		rec_tracer_contradict(s);
		code = note(s, t, &inner);
	}
	g->nregions = at ? at - 1 : 0;
	return code ? code : note(s, t, t->event);
}

static int add_text(const struct rec_action *t)
{
	const struct rec_event *e = t->event;
	char bytes[16];
	size_t n = e->arg < sizeof(bytes) ? e->arg : sizeof(bytes);

	if (t->g->text.size + n > MOST_TEXT)
		n = MOST_TEXT - t->g->text.size;
	memcpy(bytes, &e->object, 8);
	memcpy(bytes + 8, &e->start, 8);
	return tp_buf_put(&t->g->text, bytes, n);
}

int rec_tracer_note(struct rec_tracer *s, const struct rec_action *t)
{
	int code;

	switch ((uint16_t)t->event->kind) {
	case REC_TASK_NEW:
	case REC_TASK_END:
		return trace_task(s, t);
	case REC_REGION_BEGIN:
		return t->g ? open_region(s, t) : 0;
	case REC_REGION_END:
		return t->g ? close_region(s, t) : 0;
	case REC_LOG:
		code = note(s, t, t->event);
		if (t->g)
			t->g->text.size = 0;
		return code;
	case REC_TEXT:
		return t->g ? add_text(t) : 0;
	case REC_LABELS:
	case REC_PROCESS_FORK:
	case REC_PROCESS_EXEC:
		return note(s, t, t->event);
	default:
		return 0;
	}
}
