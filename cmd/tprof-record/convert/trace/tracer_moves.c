/* Transitions of goroutines, Ms and Ps, and those that must have happened before another can. */
#include "tprof-record/convert/trace/tracer.h"

static void get_p(struct rec_tracer *s, struct rec_machine *m)
{
	if (m->p >= 0)
		return;
	rec_tracer_take_p(s, m);
	rec_move(s, REC_MOVE_P_START, m, NULL, 0, 0);
}

void rec_tracer_drop_p(struct rec_tracer *s, struct rec_machine *m)
{
	if (m->p < 0)
		return;
	rec_move(s, REC_MOVE_P_STOP, m, NULL, 0, 0);
	rec_tracer_give_p(s, m);
}

void rec_tracer_create(struct rec_tracer *s, struct rec_machine *by, struct rec_goroutine *g,
		       uint32_t stack)
{
	rec_tracer_alive(s, g);
	rec_move(s, REC_MOVE_CREATE, by, g, 0, stack);
	g->state = REC_G_RUNNABLE;
}

void rec_tracer_unblock(struct rec_tracer *s, struct rec_machine *by, struct rec_goroutine *g,
			uint32_t stack)
{
	rec_move(s, REC_MOVE_UNBLOCK, by, g, 0, stack);
	g->state = REC_G_RUNNABLE;
	g->hosting = false;
}

/* Starts g on an M that runs nothing. */
static void run(struct rec_tracer *s, struct rec_machine *m, struct rec_goroutine *g)
{
	get_p(s, m);
	rec_move(s, REC_MOVE_START, m, g, 0, 0);
	g->state = REC_G_RUNNING;
	g->m = (uint32_t)(m - s->ms) + 1;
	m->g = rec_index_of_g(s, g) + 1;
	m->running = s->now;
	if (s->writing && s->nps > s->announced) {
		s->announced = s->nps;
		rec_move(s, REC_MOVE_PROCS, m, NULL, 0, 0);
	}
}

static void leave(struct rec_tracer *s, struct rec_machine *m, enum rec_g_state state)
{
	struct rec_goroutine *g = rec_g_of(s, m);

	if (!g)
		return;
	if (s->writing && (g->state == REC_G_RUNNING || m->in_call))
		s->result.running_ns += s->now - m->running;
	g->state = (uint8_t)state;
	g->m = 0;
	m->g = 0;
}

void rec_tracer_block(struct rec_tracer *s, struct rec_machine *m, uint32_t reason, uint32_t stack)
{
	struct rec_goroutine *g = rec_g_of(s, m);

	rec_move(s, REC_MOVE_BLOCK, m, NULL, reason, stack);
	if (g) {
		g->wait_stack = stack;
		g->ready = false;
	}
	leave(s, m, rec_is_runnable(reason) ? REC_G_RUNNABLE : REC_G_WAITING);
}

void rec_tracer_end(struct rec_tracer *s, struct rec_machine *m)
{
	struct rec_goroutine *g = rec_g_of(s, m);

	rec_move(s, REC_MOVE_END, m, NULL, 0, 0);
	leave(s, m, REC_G_DEAD);
	rec_tracer_dead(s, g);
}

void rec_tracer_end_call(struct rec_tracer *s, struct rec_machine *m)
{
	struct rec_goroutine *g = rec_g_of(s, m);

	if (!g)
		return;
	if (m->in_call) {
		m->in_call = false;
		g->state = REC_G_RUNNING;
		rec_move(s, REC_MOVE_CALL_ENDS, m, NULL, 0, 0);
		return;
	}
	rec_move(s, REC_MOVE_CALL_LEAVES, m, NULL, 0, 0);
	get_p(s, m);
	rec_move(s, REC_MOVE_CALL_BACK, m, g, 0, 0);
	leave(s, m, REC_G_RUNNABLE);
	run(s, m, g);
}

/* Takes the goroutine that runs on m, if any, off it and makes it runnable. */
static void displace(struct rec_tracer *s, struct rec_machine *m)
{
	const struct rec_goroutine *g = rec_g_of(s, m);

	rec_tracer_contradict(s);
	if (g && g->state == REC_G_SYSCALL)
		rec_tracer_end_call(s, m);
	rec_tracer_block(s, m, REC_ON_YIELD, 0);
}

/* Makes m free for g: g leaves another M that it is on, and another goroutine leaves m. */
static void make_way(struct rec_tracer *s, struct rec_machine *m, struct rec_goroutine *g,
		     uint32_t stack)
{
	struct rec_machine *other = rec_m_of(s, g);
	struct rec_goroutine *here;

	if (other && other != m) {
		displace(s, other);
		rec_tracer_drop_p(s, other);
	}
	here = rec_g_of(s, m);
	if (!here || here == g)
		return;
	/* A thread counts as waiting while one of the program's own runs on it. */
	if (m->g == m->own && g->user && here->state == REC_G_RUNNING) {
		rec_tracer_block(s, m, REC_NREASONS, stack);
		here->hosting = true;
	} else {
		displace(s, m);
	}
}

bool rec_tracer_bring(struct rec_tracer *s, struct rec_machine *m, struct rec_goroutine *g,
		      uint32_t stack)
{
	if (g->state == REC_G_DEAD) {
		rec_tracer_contradict(s);
		return false;
	}
	if (g->state == REC_G_RUNNING && g->m == (uint32_t)(m - s->ms) + 1)
		return true;
	make_way(s, m, g, stack);
	switch (g->state) {
	case REC_G_SYSCALL:
		rec_tracer_contradict(s);
		rec_tracer_end_call(s, m);
		return true;
	case REC_G_NONE:
		get_p(s, m);
		rec_tracer_create(s, m, g, 0);
		break;
	case REC_G_WAITING:
		if (!g->hosting)
			rec_tracer_contradict(s);
		rec_tracer_unblock(s, g->hosting ? m : NULL, g, 0);
		break;
	default:
		break;
	}
	run(s, m, g);
	return true;
}

void rec_tracer_go_on(struct rec_tracer *s, struct rec_machine *m)
{
	const struct rec_event *next = rec_streams_peek(s, m);
	struct rec_goroutine *own = m->own ? &s->gs[m->own - 1] : NULL;

	if (next && next->kind == REC_G_START)
		return;
	if (own && own->state == REC_G_WAITING && own->hosting)
		rec_tracer_unblock(s, m, own, 0);
	if (own && own->state == REC_G_RUNNABLE)
		run(s, m, own);
	else
		rec_tracer_drop_p(s, m);
}

/* ---- the beginning ---- */

static bool was_there(const struct rec_tracer *s, const struct rec_goroutine *g)
{
	return g->state == REC_G_NONE && !g->created && g->at_start && (g->id == 1 || s->in_middle);
}

/* Begins with the threads, or with goroutines of the program's own, that exist already. */
static void begin_with(struct rec_tracer *s, bool user)
{
	for (uint32_t i = 0; i < s->ngs; i++) {
		struct rec_goroutine *g = &s->gs[i];
		struct rec_machine *home = g->home ? &s->ms[g->home - 1] : NULL;

		if (g->user != user || !was_there(s, g))
			continue;
		rec_tracer_alive(s, g);
		g->state = g->at_start;
		if (g->state != REC_G_RUNNING)
			continue;
		g->state = REC_G_RUNNABLE;
		if (home && !home->g) {
			run(s, home, g);
		} else if (home && home->own == i + 1) {
			g->state = REC_G_WAITING;
			g->hosting = true;
		}
	}
}

void rec_tracer_begin(struct rec_tracer *s)
{
	s->now = s->in_middle ? s->on : s->earliest;
	begin_with(s, true);
	begin_with(s, false);
	s->writing = true;
	s->announced = s->nps;
	s->w->begin(s);
}
