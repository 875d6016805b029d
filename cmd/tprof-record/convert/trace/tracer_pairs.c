/* The first pass: finds wakers, names of goroutines, and where the trace begins and ends.
 *
 * The waker of a wait is the last post on its object by another goroutine between its start and its
 * end. A post that wakes one goroutine ends one wait only. (A post that woke a mutex's waiter in vain,
 * because another thread had taken the mutex, is not the last one. So there are no futile wake-ups,
 * which Go's own mutexes and channels report as FutileWakeup.) */
#include <stdlib.h>
#include <string.h>

#include "tprof-record/convert/trace/tracer.h"

#define MOST_POSTS 512 /* to try for one wait */

static uint32_t *posts_of(const struct rec_tracer *s, uint64_t object)
{
	uint64_t h = (object ^ s->seed) * 0x9e3779b97f4a7c15u;

	return &s->posts[(uint32_t)(h >> 32) & (s->npost_slots - 1)];
}

static void pair(struct rec_tracer *s, const struct rec_step *step)
{
	const struct rec_event *wait = step->event, *events = s->p->events;
	uint32_t post;
	unsigned n = 0;

	if (!wait->g || !wait->object || wait->flags & REC_TIMED_OUT)
		return;
	for (post = *posts_of(s, wait->object); post && n < MOST_POSTS;
	     post = s->links[post - 1].other, n++) {
		const struct rec_event *e = &events[post - 1];
		struct rec_link *l = &s->links[post - 1];

		if (e->end <= wait->start)
			return;
		if (e->object != wait->object || e->g == wait->g || e->end > step->time ||
		    (l->woken && e->arg <= 1))
			continue;
		s->links[step->record].other = post;
		s->links[step->record].woken = l->woken;
		l->woken = step->record + 1;
		return;
	}
}

/* Notes the state, when the trace began, of a goroutine that existed then: the first record about it
 * says so. */
static void meet(struct rec_goroutine *g, enum rec_g_state state)
{
	if (!g->at_start)
		g->at_start = (uint8_t)state;
}

static void set_state(const struct rec_tracer *s, struct rec_goroutine *g,
		      const struct rec_step *step)
{
	static const uint8_t rank[] = {
	    [REC_G_RUNNABLE] = 1, [REC_G_WAITING] = 2, [REC_G_RUNNING] = 3};
	const struct rec_event *e = step->event;
	uint8_t state = e->kind == REC_G_STOP  ? REC_G_WAITING
			: e->kind == REC_G_NEW ? REC_G_RUNNABLE
					       : REC_G_RUNNING;

	/* Records of the state come in any order. */
	if (rank[state] < rank[g->at_start])
		return;
	g->at_start = state;
	if (state == REC_G_RUNNING)
		g->home = (uint32_t)(step->m - s->ms) + 1;
	if (state == REC_G_WAITING)
		g->wait_stack = e->stack;
}

static void note_creation(struct rec_tracer *s, const struct rec_step *step)
{
	const struct rec_event *e = step->event;
	struct rec_goroutine *g = rec_tracer_g(s, e->arg);

	if (rec_is_state(s, e) && e->kind == REC_G_NEW)
		set_state(s, g, step);
	else
		g->created = true;
	g->user |= e->kind == REC_G_NEW;
	if (!g->entry)
		g->entry = e->object;
}

static void note(struct rec_tracer *s, const struct rec_step *step)
{
	const struct rec_event *e = step->event;
	struct rec_goroutine *g;

	if (e->kind == REC_CPU) {
		if (e->g && !rec_tracer_g(s, e->g)->stack)
			rec_tracer_g(s, e->g)->stack = e->stack;
		return;
	}
	/* The goroutine that it unblocks may have had no record yet. */
	if (e->kind == REC_G_READY && e->arg) {
		g = rec_tracer_g(s, e->arg);
		g->user = true;
		meet(g, REC_G_WAITING);
	}
	if ((e->kind == REC_THREAD_NEW || e->kind == REC_G_NEW) && e->arg)
		note_creation(s, step);
	if (!e->g)
		return;
	g = rec_tracer_g(s, e->g);
	if (!g->stack)
		g->stack = e->stack;
	if (!g->home)
		g->home = (uint32_t)(step->m - s->ms) + 1;
	g->seen = true;
	switch ((uint16_t)e->kind) {
	case REC_THREAD_NAME:
		g->name = rec_process_string(s->p, e->arg);
		return;
	case REC_THREAD_START:
		if (rec_is_state(s, e))
			set_state(s, g, step);
		else
			g->created = true;
		break;
	case REC_G_START:
	case REC_G_STOP:
		g->user = true;
		if (rec_is_state(s, e))
			set_state(s, g, step);
		else
			meet(g, e->kind == REC_G_START ? REC_G_RUNNABLE : REC_G_RUNNING);
		return;
	case REC_G_END:
		g->user = true;
		break;
	default:
		break;
	}
	if (!rec_is_state(s, e))
		meet(g, REC_G_RUNNING);
}

/* A thread inherits its name in the kernel from its creator, in the end that of the program: such a
 * name says nothing. */
static bool says_something(const struct rec_tracer *s, const char *name)
{
	const struct rec_arena *a = &s->p->arena;
	const char *exe = rec_process_string(s->p, a->header->exe);
	const char *slash = strrchr(exe, '/');

	exe = slash ? slash + 1 : exe;
	if (!*name || (*exe && !strncmp(name, exe, 15)))
		return false;
	for (uint32_t i = 0; i < a->header->gs.used; i++)
		if (a->gs[i].id == 1)
			return strcmp(name, a->gs[i].name) != 0;
	return true;
}

/* Takes what the arena knows of goroutines that are alive at the end. */
static void note_living(struct rec_tracer *s)
{
	const struct rec_arena *a = &s->p->arena;
	struct rec_goroutine *g;

	for (uint32_t i = 0; i < s->ngs; i++)
		if (s->gs[i].name && (s->gs[i].id == 1 || !says_something(s, s->gs[i].name)))
			s->gs[i].name = NULL;
	for (uint32_t i = 0; i < a->header->gs.used; i++) {
		const struct rec_g *r = &a->gs[i];

		if (!r->id)
			continue;
		g = rec_tracer_g(s, r->id);
		g->seen = true;
		g->user |= !r->tid;
		/* It was created while the trace was on, but not by a function with a hook. */
		g->created |= r->start > s->on;
		if (!g->entry)
			g->entry = r->entry;
		if (!g->stack)
			g->stack = r->wait.stack;
		if (!g->name && g->id != 1 && says_something(s, r->name))
			g->name = r->name;
	}
}

/* Gives each M the kernel's tid, unless another M has it: the kernel uses numbers again. */
static void call_threads(struct rec_tracer *s)
{
	struct tp_ids seen = {0};

	for (uint32_t i = 0; i < s->nms; i++) {
		struct rec_machine *m = &s->ms[i];
		bool own = m->tid && tp_ids_get(&seen, m->tid) == TP_NO_ID;

		if (!m->wire)
			m->wire = own ? m->tid : (uint64_t)1 << 32 | m->id;
		if (own)
			rec_tracer_failed(s, tp_ids_put(&seen, m->tid, i));
	}
	tp_ids_release(&seen);
}

/* Notes for each thread which goroutine it is. There is always a main thread. */
static void note_threads(struct rec_tracer *s)
{
	struct rec_machine *main_thread = rec_tracer_m(s, 1);
	struct rec_goroutine *g;

	if (!main_thread->tid)
		main_thread->tid = s->p->pid;
	for (uint32_t i = 0; i < s->nms; i++) {
		if (!s->ms[i].id)
			continue;
		g = rec_tracer_g(s, s->ms[i].id);
		s->ms[i].own = rec_index_of_g(s, g) + 1;
		if (!g->home)
			g->home = i + 1;
	}
	g = rec_tracer_g(s, 1);
	g->created = g->user = false;
	meet(g, REC_G_RUNNING);
	call_threads(s);
}

void rec_pairs_find(struct rec_tracer *s)
{
	struct rec_step step;

	for (s->npost_slots = 64; s->npost_slots < s->nlinks / 8 && s->npost_slots < 1u << 20;)
		s->npost_slots *= 2;
	free(s->posts);
	s->posts = calloc(s->npost_slots, sizeof(*s->posts));
	if (!s->posts) {
		s->code = TP_ENOMEM;
		return;
	}
	rec_streams_rewind(s, false);
	while (!s->code && rec_streams_next(s, UINT64_MAX, &step)) {
		note(s, &step);
		if (step.record == REC_NO_RECORD)
			continue;
		if (step.event->kind == REC_POST) {
			uint32_t *last = posts_of(s, step.event->object);

			s->links[step.record].other = *last;
			*last = step.record + 1;
		} else if (step.event->kind == REC_BLOCK && !step.began) {
			pair(s, &step);
		}
	}
	note_living(s);
	note_threads(s);
	rec_off_find(s);
}
