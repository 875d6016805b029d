/* The second time through: each record as transitions that are legal whatever it says.
 *
 * A goroutine, an M and a P have states here as they have in Go's reader (internal/trace/order.go;
 * go 1.5: internal/trace/parser.go of Go 1.19, postProcessTrace). Before a record is told,
 * rec_story_bring makes it so that its goroutine runs on its M, by what must have happened; where
 * that is more than a record that is not written (a thread that the recorder has not seen begin),
 * it is counted as a contradiction. */
#include "tprof-record/convert/trace/legalise.h"

/* ---- records ---- */

static int tell_new(struct rec_story *s, const struct rec_telling *t)
{
	struct rec_goroutine *g = t->event->arg ? rec_story_g(s, t->event->arg) : NULL;
	bool ok;
	int code;

	/* A thread that did not come to life: pthread_create failed. */
	if (g && t->event->kind == REC_THREAD_NEW && !g->seen)
		return 0;
	code = rec_story_bring_own(s, t, &ok);
	if (code)
		return code;
	if (!g || g->state != REC_G_NONE) {
		s->result.contradictions += t->g || !g;
		return 0;
	}
	return rec_story_create(s, ok ? t->m : NULL, g, t->event->stack);
}

static int tell_block(struct rec_story *s, const struct rec_telling *t)
{
	const struct rec_event *e = t->event;
	uint32_t reason = e->arg < REC_NREASONS ? e->arg : REC_ON_NONE;
	bool ok;
	int code;

	if (t->step->began) {
		code = rec_story_bring_own(s, t, &ok);
		if (!code && ok)
			code = rec_story_block(s, t->m, reason, e->stack);
		if (!code && ok)
			code = rec_story_drop_p(s, t->m);
		return code;
	}
	if (!t->g)
		return 0;
	if (t->g->state == REC_G_WAITING && !t->g->hosting) {
		code = rec_story_unblock(s, NULL, t->g, 0);
		if (code)
			return code;
	}
	return rec_story_bring_own(s, t, &ok);
}

static int tell_call(struct rec_story *s, const struct rec_telling *t)
{
	bool ok, blocked;
	int code;

	if (!t->step->began) {
		if (t->g && t->g->state == REC_G_SYSCALL && rec_g_of(s, t->m) == t->g)
			return rec_story_end_call(s, t->m);
		rec_story_contradict(s);
		return 0;
	}
	code = rec_story_bring_own(s, t, &ok);
	if (code || !ok)
		return code;
	blocked = t->event->flags & REC_SYSCALL_BLOCKED || t->step->record == REC_NO_RECORD;
	code = REC_MOVE(s, CALL, t->m, NULL, 0, t->event->stack);
	t->g->state = REC_G_SYSCALL;
	t->g->wait_stack = t->event->stack;
	t->m->in_call = !blocked;
	if (!code && blocked)
		code = REC_MOVE(s, CALL_BLOCKS, t->m, NULL, 0, 0);
	return !code && blocked ? rec_story_drop_p(s, t->m) : code;
}

static int tell_post(struct rec_story *s, const struct rec_telling *t)
{
	uint32_t woken = t->step->record == REC_NO_RECORD ? 0 : s->links[t->step->record].woken;
	int code = 0;
	bool ok;

	for (; woken && !code; woken = s->links[woken - 1].woken) {
		struct rec_goroutine *g = rec_story_g(s, s->p->events[woken - 1].g);

		/* It woke by itself in the meantime, as the records have it. */
		if (g->state != REC_G_WAITING || g->hosting)
			continue;
		code = rec_story_bring_own(s, t, &ok);
		if (!code && g->state == REC_G_WAITING)
			code = rec_story_unblock(s, ok ? t->m : NULL, g, t->event->stack);
	}
	return code;
}

static int tell_start(struct rec_story *s, const struct rec_telling *t)
{
	bool ok;

	return rec_story_bring_own(s, t, &ok);
}

static int tell_stop(struct rec_story *s, const struct rec_telling *t)
{
	uint32_t reason = t->event->arg < REC_NREASONS ? t->event->arg : REC_ON_NONE;
	bool ok, ready;
	int code;

	code = rec_story_bring_own(s, t, &ok);
	if (code || !ok)
		return code;
	ready = t->g->ready;
	code = rec_story_block(s, t->m, reason, t->event->stack);
	if (!code && ready && t->g->state == REC_G_WAITING)
		code = rec_story_unblock(s, t->m, t->g, 0);
	return code ? code : rec_story_go_on(s, t->m);
}

static int tell_ready(struct rec_story *s, const struct rec_telling *t)
{
	struct rec_goroutine *g = t->event->arg ? rec_story_g(s, t->event->arg) : NULL;
	bool ok;
	int code;

	switch (g ? g->state : REC_G_NONE) {
	case REC_G_WAITING:
		if (g->hosting || g == t->g)
			break;
		code = rec_story_bring_own(s, t, &ok);
		if (!code && g->state == REC_G_WAITING)
			code = rec_story_unblock(s, ok ? t->m : NULL, g, t->event->stack);
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
	rec_story_contradict(s);
	return 0;
}

static int tell_end(struct rec_story *s, const struct rec_telling *t)
{
	bool ok;
	int code = rec_story_bring_own(s, t, &ok);

	if (!code && ok)
		code = rec_story_end(s, t->m);
	if (code || !ok)
		return code;
	return t->event->kind == REC_THREAD_END ? rec_story_drop_p(s, t->m)
						: rec_story_go_on(s, t->m);
}

/* ---- the whole ---- */

/* How things were when the trace began, which `begin` has told, but for labels: whoever wrote them,
 * they are said where their goroutine runs. */
static bool is_told(const struct rec_story *s, struct rec_telling *t)
{
	if (!rec_is_state(s, t->event))
		return false;
	switch ((uint16_t)t->event->kind) {
	case REC_THREAD_START:
	case REC_G_START:
	case REC_G_STOP:
	case REC_G_NEW:
		return true;
	case REC_LABELS:
		if (!t->g || t->g->state != REC_G_RUNNING)
			return true;
		t->m = rec_m_of(s, t->g);
		return false;
	default:
		return false;
	}
}

static int tell(struct rec_story *s, struct rec_telling *t)
{
	if (is_told(s, t))
		return 0;

	switch ((uint16_t)t->event->kind) {
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
	default:
		return rec_story_note(s, t);
	}
}

int rec_story_tell(struct rec_story *s)
{
	struct rec_step step;
	int code = 0;

	rec_streams_rewind(s);
	while (!code && rec_streams_next(s, &step) && step.time < s->off) {
		struct rec_telling t = {.step = &step, .event = step.event, .m = &s->ms[step.m]};
		uint32_t g = step.event->g;

		/* The step that switches it on is where it begins. */
		if (!s->writing && (!s->in_middle || step.time >= s->on))
			code = rec_story_begin(s);
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
		code = rec_story_begin(s);
	if (!code && s->now < s->off) {
		uint64_t over = s->off < s->p->end_ns ? s->off : s->p->end_ns;

		if (s->now < over)
			s->now = over;
	}
	return code ? code : s->w->finish(s->w);
}
