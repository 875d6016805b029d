/* The second pass: writes each record as transitions that are legal whatever the record says.
 *
 * Goroutines, Ms and Ps have the states that Go's reader gives them (internal/trace/order.go; go 1.5:
 * internal/trace/parser.go of Go 1.19, postProcessTrace). Before a record is written,
 * rec_tracer_bring makes its goroutine run on its M by the transitions that must have happened. If
 * that takes more than a missing record explains (a thread whose start the recorder did not see), it
 * counts a contradiction. */
#include "tprof-record/convert/trace/tracer.h"

#include "base/seed.h"

/* ---- records ---- */

static int trace_new(struct rec_tracer *s, const struct rec_action *t)
{
	struct rec_goroutine *g = t->event->arg ? rec_tracer_g(s, t->event->arg) : NULL;
	bool ok;
	int code;

	/* The thread never ran: pthread_create failed. */
	if (g && t->event->kind == REC_THREAD_NEW && !g->seen)
		return 0;
	code = rec_tracer_bring_own(s, t, &ok);
	if (code)
		return code;
	if (!g || g->state != REC_G_NONE) {
		s->result.contradictions += t->g || !g;
		return 0;
	}
	return rec_tracer_create(s, ok ? t->m : NULL, g, t->event->stack);
}

static int trace_block(struct rec_tracer *s, const struct rec_action *t)
{
	const struct rec_event *e = t->event;
	uint32_t reason = e->arg < REC_NREASONS ? e->arg : REC_ON_NONE;
	bool ok;
	int code;

	if (t->step->began) {
		code = rec_tracer_bring_own(s, t, &ok);
		if (!code && ok)
			code = rec_tracer_block(s, t->m, reason, e->stack);
		if (!code && ok)
			code = rec_tracer_drop_p(s, t->m);
		return code;
	}
	if (!t->g)
		return 0;
	if (t->g->state == REC_G_WAITING && !t->g->hosting) {
		code = rec_tracer_unblock(s, NULL, t->g, 0);
		if (code)
			return code;
	}
	return rec_tracer_bring_own(s, t, &ok);
}

static int trace_call(struct rec_tracer *s, const struct rec_action *t)
{
	bool ok, blocked;
	int code;

	if (!t->step->began) {
		if (t->g && t->g->state == REC_G_SYSCALL && rec_g_of(s, t->m) == t->g)
			return rec_tracer_end_call(s, t->m);
		rec_tracer_contradict(s);
		return 0;
	}
	code = rec_tracer_bring_own(s, t, &ok);
	if (code || !ok)
		return code;
	blocked = t->event->flags & REC_SYSCALL_BLOCKED || t->step->record == REC_NO_RECORD;
	code = REC_MOVE(s, CALL, t->m, NULL, 0, t->event->stack);
	t->g->state = REC_G_SYSCALL;
	t->g->wait_stack = t->event->stack;
	t->m->in_call = !blocked;
	if (!code && blocked)
		code = REC_MOVE(s, CALL_BLOCKS, t->m, NULL, 0, 0);
	return !code && blocked ? rec_tracer_drop_p(s, t->m) : code;
}

static int trace_post(struct rec_tracer *s, const struct rec_action *t)
{
	uint32_t woken = t->step->record == REC_NO_RECORD ? 0 : s->links[t->step->record].woken;
	int code = 0;
	bool ok;

	for (; woken && !code; woken = s->links[woken - 1].woken) {
		struct rec_goroutine *g = rec_tracer_g(s, s->p->events[woken - 1].g);

		/* According to the records, it has woken by itself in the meantime. */
		if (g->state != REC_G_WAITING || g->hosting)
			continue;
		code = rec_tracer_bring_own(s, t, &ok);
		if (!code && g->state == REC_G_WAITING)
			code = rec_tracer_unblock(s, ok ? t->m : NULL, g, t->event->stack);
	}
	return code;
}

static int trace_start(struct rec_tracer *s, const struct rec_action *t)
{
	bool ok;

	return rec_tracer_bring_own(s, t, &ok);
}

static int trace_stop(struct rec_tracer *s, const struct rec_action *t)
{
	uint32_t reason = t->event->arg < REC_NREASONS ? t->event->arg : REC_ON_NONE;
	bool ok, ready;
	int code;

	code = rec_tracer_bring_own(s, t, &ok);
	if (code || !ok)
		return code;
	ready = t->g->ready;
	code = rec_tracer_block(s, t->m, reason, t->event->stack);
	if (!code && ready && t->g->state == REC_G_WAITING)
		code = rec_tracer_unblock(s, t->m, t->g, 0);
	return code ? code : rec_tracer_go_on(s, t->m);
}

static int trace_ready(struct rec_tracer *s, const struct rec_action *t)
{
	struct rec_goroutine *g = t->event->arg ? rec_tracer_g(s, t->event->arg) : NULL;
	bool ok;
	int code;

	switch (g ? g->state : REC_G_NONE) {
	case REC_G_WAITING:
		if (g->hosting || g == t->g)
			break;
		code = rec_tracer_bring_own(s, t, &ok);
		if (!code && g->state == REC_G_WAITING)
			code = rec_tracer_unblock(s, ok ? t->m : NULL, g, t->event->stack);
		return code;
	case REC_G_RUNNING:
	case REC_G_SYSCALL:
		/* It has announced its wait and is about to stop. */
		g->ready = true;
		return 0;
	case REC_G_RUNNABLE:
		return 0;
	default:
		break;
	}
	rec_tracer_contradict(s);
	return 0;
}

static int trace_end(struct rec_tracer *s, const struct rec_action *t)
{
	bool ok;
	int code = rec_tracer_bring_own(s, t, &ok);

	if (!code && ok)
		code = rec_tracer_end(s, t->m);
	if (code || !ok)
		return code;
	return t->event->kind == REC_THREAD_END ? rec_tracer_drop_p(s, t->m)
						: rec_tracer_go_on(s, t->m);
}

/* ---- the whole ---- */

/* Returns whether `begin` has written the record already, as part of the state when the trace began.
 * Labels are not part of that state: they are written where their goroutine runs. */
static bool is_in_begin(const struct rec_tracer *s, struct rec_action *t)
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

static int trace(struct rec_tracer *s, struct rec_action *t)
{
	if (is_in_begin(s, t))
		return 0;

	switch ((uint16_t)t->event->kind) {
	case REC_THREAD_NEW:
	case REC_G_NEW:
		return trace_new(s, t);
	case REC_THREAD_START:
	case REC_G_START:
		return trace_start(s, t);
	case REC_THREAD_END:
	case REC_G_END:
		return trace_end(s, t);
	case REC_BLOCK:
		return trace_block(s, t);
	case REC_SYSCALL:
		return trace_call(s, t);
	case REC_POST:
		return trace_post(s, t);
	case REC_G_STOP:
		return trace_stop(s, t);
	case REC_G_READY:
		return trace_ready(s, t);
	default:
		return rec_tracer_note(s, t);
	}
}

int rec_tracer_run(struct rec_tracer *s)
{
	struct rec_step step;
	int code = 0;

	rec_streams_rewind(s);
	while (!code && rec_streams_next(s, &step) && step.time < s->off) {
		struct rec_action t = {.step = &step, .event = step.event, .m = &s->ms[step.m]};
		uint32_t g = step.event->g;

		/* The trace begins at the step that switches it on. */
		if (!s->writing && (!s->in_middle || step.time >= s->on))
			code = rec_tracer_begin(s);
		if (code)
			break;
		if (s->now < step.time)
			s->now = step.time;
		if (s->writing)
			code = s->w->pause(s->w);
		if (g)
			t.g = rec_tracer_g(s, g);
		if (!code)
			code = trace(s, &t);
	}
	if (!code && !s->writing)
		code = rec_tracer_begin(s);
	if (!code && s->now < s->off) {
		uint64_t over = s->off < s->p->end_ns ? s->off : s->p->end_ns;

		if (s->now < over)
			s->now = over;
	}
	return code ? code : s->w->finish(s->w);
}

static int write_trace(struct rec_tracer *s, enum rec_trace_format format, const struct tp_out *out,
		       struct tp_err *err)
{
	int code = rec_streams_new(s);

	if (!code)
		code = rec_pairs_find(s);
	if (!code)
		code = format == REC_GO_1_5 ? rec_v1_writer_new(&s->w, s, out, err)
					    : rec_v2_writer_new(&s->w, s, out, err);
	if (!code)
		code = rec_tracer_run(s);
	if (s->w)
		s->w->free(s->w);
	return code;
}

int rec_trace_write(const struct rec_process *p, struct rec_names *names,
		    enum rec_trace_format format, const struct tp_out *out,
		    struct rec_trace_result *result, struct tp_err *err)
{
	struct tp_err own = {0};
	struct rec_tracer s = {.p = p, .names = names, .seed = tp_seed(), .err = err ? err : &own};
	int code;

	s.err->code = 0;
	rec_names_for_traces(names);
	code = write_trace(&s, format, out, s.err);
	/* Tables return only a code. */
	if (code && s.err->code != code)
		tp_err_full(s.err, code, "the trace has too many names or stacks");
	rec_tracer_release(&s);
	if (result)
		*result = s.result;
	return code;
}
