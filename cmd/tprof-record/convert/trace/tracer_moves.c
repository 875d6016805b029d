/* Transitions of goroutines, Ms and Ps, and those that must have happened before another can. */
#include "tprof-record/convert/trace/tracer.h"

static int get_p(struct rec_tracer *s, struct rec_machine *m)
{
	int code;

	if (m->p >= 0)
		return 0;
	code = rec_tracer_take_p(s, m);
	return code ? code : REC_MOVE(s, P_START, m, NULL, 0, 0);
}

int rec_tracer_drop_p(struct rec_tracer *s, struct rec_machine *m)
{
	int code = 0;

	if (m->p >= 0) {
		code = REC_MOVE(s, P_STOP, m, NULL, 0, 0);
		rec_tracer_give_p(s, m);
	}
	return code;
}

int rec_tracer_create(struct rec_tracer *s, struct rec_machine *by, struct rec_goroutine *g,
		      uint32_t stack)
{
	int code = rec_tracer_alive(s, g);

	if (!code)
		code = REC_MOVE(s, CREATE, by, g, 0, stack);
	g->state = REC_G_RUNNABLE;
	return code;
}

int rec_tracer_unblock(struct rec_tracer *s, struct rec_machine *by, struct rec_goroutine *g,
		       uint32_t stack)
{
	int code = REC_MOVE(s, UNBLOCK, by, g, 0, stack);

	g->state = REC_G_RUNNABLE;
	g->hosting = false;
	return code;
}

/* Starts g on an M that runs nothing. */
static int run(struct rec_tracer *s, struct rec_machine *m, struct rec_goroutine *g)
{
	int code = get_p(s, m);

	if (!code)
		code = REC_MOVE(s, START, m, g, 0, 0);
	g->state = REC_G_RUNNING;
	g->m = (uint32_t)(m - s->ms) + 1;
	m->g = rec_index_of_g(s, g) + 1;
	if (!code && s->writing && s->nps > s->announced) {
		s->announced = s->nps;
		code = REC_MOVE(s, PROCS, m, NULL, 0, 0);
	}
	return code;
}

static void leave(struct rec_tracer *s, struct rec_machine *m, enum rec_g_state state)
{
	struct rec_goroutine *g = rec_g_of(s, m);

	if (!g)
		return;
	g->state = (uint8_t)state;
	g->m = 0;
	m->g = 0;
}

int rec_tracer_block(struct rec_tracer *s, struct rec_machine *m, uint32_t reason, uint32_t stack)
{
	struct rec_goroutine *g = rec_g_of(s, m);
	int code = REC_MOVE(s, BLOCK, m, NULL, reason, stack);

	if (g) {
		g->wait_stack = stack;
		g->ready = false;
	}
	leave(s, m, reason == REC_ON_YIELD ? REC_G_RUNNABLE : REC_G_WAITING);
	return code;
}

int rec_tracer_end(struct rec_tracer *s, struct rec_machine *m)
{
	struct rec_goroutine *g = rec_g_of(s, m);
	int code = REC_MOVE(s, END, m, NULL, 0, 0);

	leave(s, m, REC_G_DEAD);
	rec_tracer_dead(s, g);
	return code;
}

int rec_tracer_end_call(struct rec_tracer *s, struct rec_machine *m)
{
	struct rec_goroutine *g = rec_g_of(s, m);
	int code;

	if (!g)
		return 0;
	if (m->in_call) {
		m->in_call = false;
		g->state = REC_G_RUNNING;
		return REC_MOVE(s, CALL_ENDS, m, NULL, 0, 0);
	}
	code = REC_MOVE(s, CALL_LEAVES, m, NULL, 0, 0);
	if (!code)
		code = get_p(s, m);
	if (!code)
		code = REC_MOVE(s, CALL_BACK, m, g, 0, 0);
	leave(s, m, REC_G_RUNNABLE);
	return code ? code : run(s, m, g);
}

/* Takes whatever is on m off it, and makes that runnable. */
static int displace(struct rec_tracer *s, struct rec_machine *m)
{
	const struct rec_goroutine *g = rec_g_of(s, m);
	int code = 0;

	rec_tracer_contradict(s);
	if (g && g->state == REC_G_SYSCALL)
		code = rec_tracer_end_call(s, m);
	return code ? code : rec_tracer_block(s, m, REC_ON_YIELD, 0);
}

/* Makes m free for g: g leaves another M that it is on, and another goroutine leaves m. */
static int make_way(struct rec_tracer *s, struct rec_machine *m, struct rec_goroutine *g,
		    uint32_t stack)
{
	struct rec_machine *other = rec_m_of(s, g);
	struct rec_goroutine *here;
	int code = 0;

	if (other && other != m) {
		code = displace(s, other);
		if (!code)
			code = rec_tracer_drop_p(s, other);
	}
	here = rec_g_of(s, m);
	if (code || !here || here == g)
		return code;
	/* A thread counts as waiting while one of the program's own runs on it. */
	if (m->g == m->own && g->user && here->state == REC_G_RUNNING) {
		code = rec_tracer_block(s, m, REC_NREASONS, stack);
		here->hosting = true;
		return code;
	}
	return displace(s, m);
}

int rec_tracer_bring(struct rec_tracer *s, struct rec_machine *m, struct rec_goroutine *g,
		     uint32_t stack, bool *ok)
{
	int code = 0;

	*ok = g->state != REC_G_DEAD;
	if (!*ok) {
		rec_tracer_contradict(s);
		return 0;
	}
	if (g->state == REC_G_RUNNING && g->m == (uint32_t)(m - s->ms) + 1)
		return 0;
	code = make_way(s, m, g, stack);
	if (code)
		return code;
	switch (g->state) {
	case REC_G_SYSCALL:
		rec_tracer_contradict(s);
		return rec_tracer_end_call(s, m);
	case REC_G_NONE:
		code = get_p(s, m);
		if (!code)
			code = rec_tracer_create(s, m, g, 0);
		break;
	case REC_G_WAITING:
		if (!g->hosting)
			rec_tracer_contradict(s);
		code = rec_tracer_unblock(s, g->hosting ? m : NULL, g, 0);
		break;
	default:
		break;
	}
	return code ? code : run(s, m, g);
}

int rec_tracer_go_on(struct rec_tracer *s, struct rec_machine *m)
{
	const struct rec_event *next = rec_streams_peek(s, (uint32_t)(m - s->ms));
	struct rec_goroutine *own = m->own ? &s->gs[m->own - 1] : NULL;
	int code = 0;

	if (next && next->kind == REC_G_START)
		return 0;
	if (own && own->state == REC_G_WAITING && own->hosting)
		code = rec_tracer_unblock(s, m, own, 0);
	if (!code && own && own->state == REC_G_RUNNABLE)
		return run(s, m, own);
	return code ? code : rec_tracer_drop_p(s, m);
}

/* ---- the beginning ---- */

static bool was_there(const struct rec_tracer *s, const struct rec_goroutine *g)
{
	return g->state == REC_G_NONE && !g->created && g->at_start && (g->id == 1 || s->in_middle);
}

/* Begins with the threads, or with goroutines of the program's own, that exist already. */
static int begin_with(struct rec_tracer *s, bool user)
{
	int code = 0;

	for (uint32_t i = 0; !code && i < s->ngs; i++) {
		struct rec_goroutine *g = &s->gs[i];
		struct rec_machine *home = g->home ? &s->ms[g->home - 1] : NULL;

		if (g->user != user || !was_there(s, g))
			continue;
		code = rec_tracer_alive(s, g);
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

int rec_tracer_begin(struct rec_tracer *s)
{
	int code = begin_with(s, true);

	if (!code)
		code = begin_with(s, false);
	s->now = s->in_middle ? s->on : s->earliest;
	s->writing = true;
	s->announced = s->nps;
	return code ? code : s->w->begin(s->w);
}
