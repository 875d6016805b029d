/* The second time through: each record as transitions that are legal whatever it says.
 *
 * A goroutine, an M and a P have states here as they have in Go's reader (internal/trace/order.go;
 * go 1.5: internal/trace/parser.go of Go 1.19, postProcessTrace). Before a record is told, `bring`
 * makes it so that its goroutine runs on its M, by what must have happened; where that is more than
 * a record that is not written (a thread that the recorder has not seen begin), it is counted as a
 * contradiction. */
#include <stdlib.h>
#include <string.h>

#include "tprof-record/convert/legalise.h"

#define MOST_TEXT 1024 /* bytes of a log's message (TP_V2_MAX_STRING) */

/* A transition, unless the trace is off. */
#define WRITE(s, op, ...) ((s)->writing ? (s)->w->op((s)->w, __VA_ARGS__) : 0)

static void contradict(struct rec_story *s)
{
	s->result.contradictions++;
}

static struct rec_machine *m_of(const struct rec_story *s, const struct rec_goroutine *g)
{
	return g->m ? &s->ms[g->m - 1] : NULL;
}

/* ---- what happens to Ps, Ms and goroutines ---- */

static int get_p(struct rec_story *s, struct rec_machine *m)
{
	int code;

	if (m->p >= 0)
		return 0;
	code = rec_story_take_p(s, m);
	return code ? code : WRITE(s, p_start, m);
}

static int drop_p(struct rec_story *s, struct rec_machine *m)
{
	int code = 0;

	if (m->p >= 0) {
		code = WRITE(s, p_stop, m);
		rec_story_give_p(s, m);
	}
	return code;
}

static int create(struct rec_story *s, struct rec_machine *by, struct rec_goroutine *g,
		  uint32_t stack)
{
	int code = rec_story_alive(s, g);

	if (!code)
		code = WRITE(s, create, by, g, stack);
	g->state = REC_G_RUNNABLE;
	return code;
}

static int unblock(struct rec_story *s, struct rec_machine *by, struct rec_goroutine *g,
		   uint32_t stack)
{
	int code = WRITE(s, unblock, by, g, stack);

	g->state = REC_G_RUNNABLE;
	g->hosting = false;
	return code;
}

/* On an M that runs nothing. */
static int run(struct rec_story *s, struct rec_machine *m, struct rec_goroutine *g)
{
	int code = get_p(s, m);

	if (!code)
		code = WRITE(s, start, m, g);
	g->state = REC_G_RUNNING;
	g->m = (uint32_t)(m - s->ms) + 1;
	m->g = rec_index_of_g(s, g) + 1;
	if (!code && s->writing && s->nps > s->announced) {
		s->announced = s->nps;
		code = s->w->procs(s->w, m, s->nps);
	}
	return code;
}

static void leave(struct rec_story *s, struct rec_machine *m, enum rec_g_state state)
{
	struct rec_goroutine *g = rec_g_of(s, m);

	g->state = (uint8_t)state;
	g->m = 0;
	m->g = 0;
}

/* What runs on m does so no more; its P stays. */
static int block(struct rec_story *s, struct rec_machine *m, uint32_t reason, uint32_t stack)
{
	int code = WRITE(s, block, m, reason, stack);

	rec_g_of(s, m)->wait_stack = stack;
	rec_g_of(s, m)->ready = false;
	leave(s, m, reason == REC_ON_YIELD ? REC_G_RUNNABLE : REC_G_WAITING);
	return code;
}

static int end(struct rec_story *s, struct rec_machine *m)
{
	struct rec_goroutine *g = rec_g_of(s, m);
	int code = WRITE(s, end, m);

	leave(s, m, REC_G_DEAD);
	rec_story_dead(s, g);
	return code;
}

static int end_call(struct rec_story *s, struct rec_machine *m)
{
	struct rec_goroutine *g = rec_g_of(s, m);
	int code;

	if (m->in_call) {
		m->in_call = false;
		g->state = REC_G_RUNNING;
		return WRITE(s, call_ends, m);
	}
	code = WRITE(s, call_leaves, m);
	if (!code)
		code = get_p(s, m);
	if (!code)
		code = WRITE(s, call_back, m, g);
	leave(s, m, REC_G_RUNNABLE);
	return code ? code : run(s, m, g);
}

/* Whatever is on m gives way, and is runnable. */
static int displace(struct rec_story *s, struct rec_machine *m)
{
	int code = 0;

	contradict(s);
	if (rec_g_of(s, m)->state == REC_G_SYSCALL)
		code = end_call(s, m);
	return code ? code : block(s, m, REC_ON_YIELD, 0);
}

/* m is there for g: who is elsewhere comes, who is here goes. */
static int make_way(struct rec_story *s, struct rec_machine *m, struct rec_goroutine *g,
		    uint32_t stack)
{
	struct rec_machine *other = m_of(s, g);
	struct rec_goroutine *here;
	int code = 0;

	if (other && other != m) {
		code = displace(s, other);
		if (!code)
			code = drop_p(s, other);
	}
	here = rec_g_of(s, m);
	if (code || !here || here == g)
		return code;
	/* A thread waits while one of the program's own runs on it. */
	if (m->g == m->own && g->user && here->state == REC_G_RUNNING) {
		code = block(s, m, REC_NREASONS, stack);
		here->hosting = true;
		return code;
	}
	return displace(s, m);
}

/* g runs on m. *ok is false where it cannot, being over. */
static int bring(struct rec_story *s, struct rec_machine *m, struct rec_goroutine *g,
		 uint32_t stack, bool *ok)
{
	int code = 0;

	*ok = g->state != REC_G_DEAD;
	if (!*ok) {
		contradict(s);
		return 0;
	}
	if (g->state == REC_G_RUNNING && g->m == (uint32_t)(m - s->ms) + 1)
		return 0;
	code = make_way(s, m, g, stack);
	if (code)
		return code;
	switch (g->state) {
	case REC_G_SYSCALL:
		contradict(s);
		return end_call(s, m);
	case REC_G_NONE:
		code = get_p(s, m);
		if (!code)
			code = create(s, m, g, 0);
		break;
	case REC_G_WAITING:
		if (!g->hosting)
			contradict(s);
		code = unblock(s, g->hosting ? m : NULL, g, 0);
		break;
	default:
		break;
	}
	return code ? code : run(s, m, g);
}

/* Behind the end or the stop of one of the program's own: the thread looks for another, or goes on
 * with what it did itself. Until it starts the next one, its P has nothing to run, as with Go. */
static int go_on(struct rec_story *s, struct rec_machine *m)
{
	const struct rec_event *next = rec_streams_peek(s, (uint32_t)(m - s->ms));
	struct rec_goroutine *own = m->own ? &s->gs[m->own - 1] : NULL;
	int code = 0;

	if (next && next->kind == REC_G_START)
		return 0;
	if (own && own->state == REC_G_WAITING && own->hosting)
		code = unblock(s, m, own, 0);
	if (!code && own && own->state == REC_G_RUNNABLE)
		return run(s, m, own);
	return code ? code : drop_p(s, m);
}

/* ---- records ---- */

struct telling {
	const struct rec_step *step;
	const struct rec_event *event;
	struct rec_machine *m;
	struct rec_goroutine *g; /* NULL: of nobody */
};

/* Brings the record's goroutine, if it is of one. */
static int bring_own(struct rec_story *s, const struct telling *t, bool *ok)
{
	*ok = t->g != NULL;
	return t->g ? bring(s, t->m, t->g, t->event->stack, ok) : 0;
}

static int tell_new(struct rec_story *s, const struct telling *t)
{
	struct rec_goroutine *g = t->event->arg ? rec_story_g(s, t->event->arg) : NULL;
	bool ok;
	int code;

	/* A thread that did not come to life: pthread_create failed. */
	if (g && t->event->kind == REC_THREAD_NEW && !g->seen)
		return 0;
	code = bring_own(s, t, &ok);
	if (code)
		return code;
	if (!g || g->state != REC_G_NONE) {
		s->result.contradictions += t->g || !g;
		return 0;
	}
	return create(s, ok ? t->m : NULL, g, t->event->stack);
}

static int tell_block(struct rec_story *s, const struct telling *t)
{
	const struct rec_event *e = t->event;
	uint32_t reason = e->arg < REC_NREASONS ? e->arg : REC_ON_NONE;
	bool ok;
	int code;

	if (t->step->began) {
		code = bring_own(s, t, &ok);
		if (!code && ok)
			code = block(s, t->m, reason, e->stack);
		if (!code && ok)
			code = drop_p(s, t->m);
		return code;
	}
	if (!t->g)
		return 0;
	if (t->g->state == REC_G_WAITING && !t->g->hosting) {
		code = unblock(s, NULL, t->g, 0);
		if (code)
			return code;
	}
	return bring_own(s, t, &ok);
}

static int tell_call(struct rec_story *s, const struct telling *t)
{
	bool ok, blocked;
	int code;

	if (!t->step->began) {
		if (t->g && t->g->state == REC_G_SYSCALL && rec_g_of(s, t->m) == t->g)
			return end_call(s, t->m);
		contradict(s);
		return 0;
	}
	code = bring_own(s, t, &ok);
	if (code || !ok)
		return code;
	blocked = t->event->flags & REC_SYSCALL_BLOCKED || t->step->record == REC_NO_RECORD;
	code = WRITE(s, call, t->m, t->event->stack);
	t->g->state = REC_G_SYSCALL;
	t->g->wait_stack = t->event->stack;
	t->m->in_call = !blocked;
	if (!code && blocked)
		code = WRITE(s, call_blocks, t->m);
	return !code && blocked ? drop_p(s, t->m) : code;
}

static int tell_post(struct rec_story *s, const struct telling *t)
{
	uint32_t woken = t->step->record == REC_NO_RECORD ? 0 : s->links[t->step->record].woken;
	int code = 0;
	bool ok;

	for (; woken && !code; woken = s->links[woken - 1].woken) {
		struct rec_goroutine *g = rec_story_g(s, s->p->events[woken - 1].g);

		/* It woke by itself in the meantime, as the records have it. */
		if (g->state != REC_G_WAITING || g->hosting)
			continue;
		code = bring_own(s, t, &ok);
		if (!code && g->state == REC_G_WAITING)
			code = unblock(s, ok ? t->m : NULL, g, t->event->stack);
	}
	return code;
}

static int tell_start(struct rec_story *s, const struct telling *t)
{
	bool ok;

	return bring_own(s, t, &ok);
}

static int tell_stop(struct rec_story *s, const struct telling *t)
{
	uint32_t reason = t->event->arg < REC_NREASONS ? t->event->arg : REC_ON_NONE;
	bool ok, ready;
	int code;

	/* How things are when a trace is switched on once more: a gap is no reason to stop. */
	if (!t->event->m)
		return 0;
	code = bring_own(s, t, &ok);

	if (code || !ok)
		return code;
	ready = t->g->ready;
	code = block(s, t->m, reason, t->event->stack);
	if (!code && ready && t->g->state == REC_G_WAITING)
		code = unblock(s, t->m, t->g, 0);
	return code ? code : go_on(s, t->m);
}

static int tell_ready(struct rec_story *s, const struct telling *t)
{
	struct rec_goroutine *g = t->event->arg ? rec_story_g(s, t->event->arg) : NULL;
	bool ok;
	int code;

	switch (g ? g->state : REC_G_NONE) {
	case REC_G_WAITING:
		if (g->hosting || g == t->g)
			break;
		code = bring_own(s, t, &ok);
		if (!code && g->state == REC_G_WAITING)
			code = unblock(s, ok ? t->m : NULL, g, t->event->stack);
		return code;
	case REC_G_RUNNING:
	case REC_G_SYSCALL:
		/* It has said what it waits for, and is about to stop. */
		g->ready = true;
		return 0;
	case REC_G_RUNNABLE:
		return 0;
	default:
		break;
	}
	contradict(s);
	return 0;
}

static int tell_end(struct rec_story *s, const struct telling *t)
{
	bool ok;
	int code = bring_own(s, t, &ok);

	if (!code && ok)
		code = end(s, t->m);
	if (code || !ok)
		return code;
	return t->event->kind == REC_THREAD_END ? drop_p(s, t->m) : go_on(s, t->m);
}

/* ---- tasks, regions, logs ---- */

static int note(struct rec_story *s, const struct telling *t, const struct rec_event *e)
{
	bool ok;
	int code;

	if (!s->w->note)
		return 0;
	code = bring_own(s, t, &ok);
	return !code && ok ? WRITE(s, note, t->m, e) : code;
}

static int tell_task(struct rec_story *s, const struct telling *t)
{
	uint64_t task = t->event->object;
	bool was = false;
	int code = 0;

	/* Numbers that Go's reader has for no task and the background. */
	if (!task || task == UINT64_MAX || !t->g || t->g->state == REC_G_DEAD) {
		contradict(s);
		return 0;
	}
	/* What began before the trace is not known there. */
	if (t->event->kind == REC_TASK_END)
		rec_story_close_task(s, task);
	else if (s->writing)
		code = rec_story_open_task(s, task, &was);
	if (code || was) {
		contradict(s);
		return code;
	}
	return note(s, t, t->event);
}

static int open_region(struct rec_story *s, const struct telling *t)
{
	struct rec_goroutine *g = t->g;
	int code = note(s, t, t->event);

	if (code || g->state == REC_G_DEAD)
		return code;
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

/* Regions are nested: those inside one that ends have ended. */
static int close_region(struct rec_story *s, const struct telling *t)
{
	struct rec_goroutine *g = t->g;
	uint32_t at = g->nregions;
	int code = 0;

	while (at && (g->regions[at - 1].task != t->event->object ||
		      g->regions[at - 1].name != t->event->arg))
		at--;
	/* Where none is open it began before the trace. */
	if (!at && g->nregions) {
		contradict(s);
		return 0;
	}
	while (!code && g->nregions > at) {
		struct rec_event inner = *t->event;

		g->nregions--;
		inner.object = g->regions[g->nregions].task;
		inner.arg = g->regions[g->nregions].name;
		contradict(s);
		code = note(s, t, &inner);
	}
	g->nregions = at ? at - 1 : 0;
	return code ? code : note(s, t, t->event);
}

static int add_text(const struct telling *t)
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

/* ---- the whole ---- */

/* How things were when the trace began, which `begin` has told, but for labels: whoever wrote them,
 * they are said where their goroutine runs. */
static bool is_told(const struct rec_story *s, struct telling *t)
{
	if (!rec_is_state(s, t->event))
		return false;
	switch (t->event->kind) {
	case REC_THREAD_START:
	case REC_G_START:
	case REC_G_STOP:
	case REC_G_NEW:
		return true;
	case REC_LABELS:
		if (!t->g || t->g->state != REC_G_RUNNING)
			return true;
		t->m = m_of(s, t->g);
		return false;
	default:
		return false;
	}
}

static int tell(struct rec_story *s, struct telling *t)
{
	int code;

	if (is_told(s, t))
		return 0;

	switch (t->event->kind) {
	case REC_THREAD_NEW:
	case REC_G_NEW:
		return tell_new(s, t);
	case REC_THREAD_START:
	case REC_G_START:
		return tell_start(s, t);
	case REC_THREAD_END:
	case REC_G_END:
		return tell_end(s, t);
	case REC_BLOCK:
		return tell_block(s, t);
	case REC_SYSCALL:
		return tell_call(s, t);
	case REC_POST:
		return tell_post(s, t);
	case REC_G_STOP:
		return tell_stop(s, t);
	case REC_G_READY:
		return tell_ready(s, t);
	case REC_TASK_NEW:
	case REC_TASK_END:
		return tell_task(s, t);
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

static bool was_there(const struct rec_story *s, const struct rec_goroutine *g)
{
	return g->state == REC_G_NONE && !g->created && g->at_start && (g->id == 1 || s->in_middle);
}

/* Those of the program's own, or threads, that are there when the trace begins. */
static int begin_with(struct rec_story *s, bool user)
{
	int code = 0;

	for (uint32_t i = 0; !code && i < s->ngs; i++) {
		struct rec_goroutine *g = &s->gs[i];
		struct rec_machine *home = g->home ? &s->ms[g->home - 1] : NULL;

		if (g->user != user || !was_there(s, g))
			continue;
		code = rec_story_alive(s, g);
		g->state = g->at_start;
		if (code || g->state != REC_G_RUNNING)
			continue;
		g->state = REC_G_RUNNABLE;
		if (home && !home->g) {
			code = run(s, home, g);
		} else if (home && home->own == i + 1) {
			g->state = REC_G_WAITING;
			g->hosting = true;
		}
	}
	return code;
}

/* Who is there when the trace begins, and what it does then. */
static int begin(struct rec_story *s)
{
	int code = begin_with(s, true);

	if (!code)
		code = begin_with(s, false);
	s->now = s->in_middle ? s->on : s->earliest;
	s->writing = true;
	s->announced = s->nps;
	return code ? code : s->w->begin(s->w);
}

int rec_story_tell(struct rec_story *s)
{
	struct rec_step step;
	int code = 0;

	rec_streams_rewind(s);
	while (!code && rec_streams_next(s, &step) && step.time < s->off) {
		struct telling t = {.step = &step, .event = step.event, .m = &s->ms[step.m]};
		uint32_t g = step.event->g;

		/* The step that switches it on is where it begins. */
		if (!s->writing && (!s->in_middle || step.time >= s->on))
			code = begin(s);
		if (code)
			break;
		if (s->now < step.time)
			s->now = step.time;
		if (s->writing)
			code = s->w->pause(s->w);
		if (g)
			t.g = rec_story_g(s, g);
		if (!code)
			code = tell(s, &t);
	}
	if (!code && !s->writing)
		code = begin(s);
	if (!code && s->now < s->off) {
		uint64_t over = s->off < s->p->end_ns ? s->off : s->p->end_ns;

		if (s->now < over)
			s->now = over;
	}
	return code ? code : s->w->finish(s->w);
}
