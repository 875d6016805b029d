/* The second pass: writes each record as transitions that are legal whatever the record says.
 *
 * Goroutines, Ms and Ps have the states that Go's reader gives them (internal/trace/order.go; go 1.5:
 * internal/trace/parser.go of Go 1.19, postProcessTrace). Before a record is written,
 * rec_tracer_bring makes its goroutine run on its M by the transitions that must have happened. If
 * that takes more than a missing record explains (a thread whose start the recorder did not see), it
 * counts a contradiction. */
#include "tprof-record/convert/trace/tracer.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/seed.h"

/* ---- records ---- */

static void trace_new(struct rec_tracer *s, const struct rec_step *t)
{
	struct rec_goroutine *g = t->event->arg ? rec_tracer_g(s, t->event->arg) : NULL;
	bool ok;

	/* The thread never ran: pthread_create failed. */
	if (g && t->event->kind == REC_THREAD_NEW && !g->seen)
		return;
	ok = rec_tracer_bring_own(s, t);
	if (!g || g->state != REC_G_NONE)
		s->result.contradictions += t->g || !g;
	else
		rec_tracer_create(s, ok ? t->m : NULL, g, t->event->stack);
}

static uint32_t reason_of(const struct rec_event *e)
{
	return e->arg < REC_NREASONS ? e->arg : REC_ON_NONE;
}

/* Returns the M that posted what ends a wait, if it still runs: the post may have been announced before the
 * wait put its thread off the processor. */
static struct rec_machine *late_waker(struct rec_tracer *s, const struct rec_step *t)
{
	uint32_t post = t->record == REC_NO_RECORD ? 0 : s->links[t->record].other;
	const struct rec_event *e = post ? &s->p->events[post - 1] : NULL;
	const struct rec_goroutine *g = e && e->g ? rec_tracer_g(s, e->g) : NULL;

	return g && g->state == REC_G_RUNNING && e->end <= t->event->start ? rec_m_of(s, g) : NULL;
}

/* Returns the M that has woken the thread, as the kernel says, if something runs on it. */
static struct rec_machine *kernels_waker(struct rec_tracer *s, const struct rec_event *e)
{
	struct rec_machine *m =
	    e->flags & REC_WOKEN && e->cpu && e->cpu <= s->nms ? &s->ms[e->cpu - 1] : NULL;

	return m && m->g && s->gs[m->g - 1].state == REC_G_RUNNING ? m : NULL;
}

static void trace_block(struct rec_tracer *s, const struct rec_step *t)
{
	bool runnable = t->event->flags & REC_RUNNABLE && t->g && t->g->state == REC_G_RUNNABLE;

	if (!t->began) {
		struct rec_machine *by = late_waker(s, t);

		if (t->g && t->g->state == REC_G_WAITING && !t->g->hosting)
			rec_tracer_unblock(s, by ? by : kernels_waker(s, t->event), t->g, 0);
		if (!(t->event->flags & REC_WOKEN) || !t->g || t->g->state != REC_G_RUNNABLE)
			rec_tracer_bring_own(s, t);
	} else if (!runnable && rec_tracer_bring_own(s, t)) {
		rec_tracer_block(s, t->m, reason_of(t->event), t->event->stack);
		rec_tracer_drop_p(s, t->m);
	}
}

static void trace_call(struct rec_tracer *s, const struct rec_step *t)
{
	bool blocked;

	if (!t->began) {
		if (t->g && t->g->state == REC_G_SYSCALL && rec_g_of(s, t->m) == t->g)
			rec_tracer_end_call(s, t->m);
		else
			rec_tracer_contradict(s);
		return;
	}
	if (!rec_tracer_bring_own(s, t) || !t->g)
		return;
	blocked = t->event->flags & REC_SYSCALL_BLOCKED || t->record == REC_NO_RECORD;
	rec_move(s, REC_MOVE_CALL, t->m, NULL, 0, t->event->stack);
	t->g->state = REC_G_SYSCALL;
	t->g->wait_stack = t->event->stack;
	t->m->in_call = !blocked;
	if (blocked) {
		if (s->writing)
			s->result.running_ns += s->now - t->m->running;
		rec_move(s, REC_MOVE_CALL_BLOCKS, t->m, NULL, 0, 0);
		rec_tracer_drop_p(s, t->m);
	}
}

/* The record's goroutine wakes g, unless g was made to run for that. */
static void wake(struct rec_tracer *s, const struct rec_step *t, struct rec_goroutine *g)
{
	bool ok = rec_tracer_bring_own(s, t);

	if (g->state == REC_G_WAITING)
		rec_tracer_unblock(s, ok ? t->m : NULL, g, t->event->stack);
}

static void trace_post(struct rec_tracer *s, const struct rec_step *t)
{
	uint32_t woken = t->record == REC_NO_RECORD ? 0 : s->links[t->record].woken;

	for (; woken; woken = s->links[woken - 1].woken) {
		struct rec_goroutine *g = rec_tracer_g(s, s->p->events[woken - 1].g);

		/* According to the records, it has woken by itself in the meantime. */
		if (g->state == REC_G_WAITING && !g->hosting)
			wake(s, t, g);
	}
}

static void trace_stop(struct rec_tracer *s, const struct rec_step *t)
{
	bool ready;

	if (!rec_tracer_bring_own(s, t) || !t->g)
		return;
	ready = t->g->ready;
	rec_tracer_block(s, t->m, reason_of(t->event), t->event->stack);
	if (ready && t->g->state == REC_G_WAITING)
		rec_tracer_unblock(s, t->m, t->g, 0);
	rec_tracer_go_on(s, t->m);
}

static void trace_ready(struct rec_tracer *s, const struct rec_step *t)
{
	struct rec_goroutine *g = t->event->arg ? rec_tracer_g(s, t->event->arg) : NULL;

	switch (g ? g->state : REC_G_NONE) {
	case REC_G_WAITING:
		if (g->hosting || g == t->g)
			break;
		wake(s, t, g);
		return;
	case REC_G_RUNNING:
	case REC_G_SYSCALL:
		/* It has announced its wait and is about to stop. */
		g->ready = true;
		return;
	case REC_G_RUNNABLE:
		return;
	default:
		break;
	}
	rec_tracer_contradict(s);
}

static void trace_end(struct rec_tracer *s, const struct rec_step *t)
{
	if (!rec_tracer_bring_own(s, t))
		return;
	rec_tracer_end(s, t->m);
	if (t->event->kind == REC_THREAD_END)
		rec_tracer_drop_p(s, t->m);
	else
		rec_tracer_go_on(s, t->m);
}

/* Threads have no more CPU time than there was, and records of many periods are rare (the signal was blocked):
 * what the program made up would fill the disk. */
#define MOST_EXTRA 10000000u
static bool can_be_used(struct rec_tracer *s, uint64_t periods)
{
	uint64_t ns = s->p->end_ns - s->p->arena.header->start_ns;
	uint32_t hz = s->p->arena.header->options.cpu_hz;
	uint64_t most = (ns / 1000000000u + 2) * hz * s->nms;

	if (periods > most || s->periods > most - periods ||
	    (periods > 1 && periods > MOST_EXTRA - s->extra))
		return false;
	s->periods += periods;
	s->extra += periods > 1 ? (uint32_t)periods : 0;
	return true;
}

static void trace_cpu(struct rec_tracer *s, const struct rec_step *t)
{
	if (!can_be_used(s, t->event->object))
		rec_tracer_contradict(s);
	else if (s->w->sample && s->writing && !s->code)
		s->w->sample(s, t->event);
}

/* ---- the whole ---- */

/* Returns whether `begin` has written the record already, as part of the state when the trace began.
 * Labels are not part of that state: they are written where their goroutine runs. */
static bool is_in_begin(const struct rec_tracer *s, struct rec_step *t)
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

static void trace(struct rec_tracer *s, struct rec_step *t)
{
	if (is_in_begin(s, t))
		return;

	switch ((uint16_t)t->event->kind) {
	case REC_THREAD_NEW:
	case REC_G_NEW:
		trace_new(s, t);
		break;
	case REC_THREAD_START:
	case REC_G_START:
		rec_tracer_bring_own(s, t);
		break;
	case REC_THREAD_END:
	case REC_G_END:
		trace_end(s, t);
		break;
	case REC_BLOCK:
		trace_block(s, t);
		break;
	case REC_SYSCALL:
		trace_call(s, t);
		break;
	case REC_POST:
		trace_post(s, t);
		break;
	case REC_CPU:
		trace_cpu(s, t);
		break;
	case REC_G_STOP:
		trace_stop(s, t);
		break;
	case REC_G_READY:
		trace_ready(s, t);
		break;
	default:
		rec_tracer_note(s, t);
	}
}

/* Returns the goroutine of a step. What only the kernel has seen concerns what ran on the M before. */
static struct rec_goroutine *whose(struct rec_tracer *s, const struct rec_step *t)
{
	struct rec_off *o = &t->m->off;

	if (t->event->g) {
		struct rec_goroutine *g = rec_tracer_g(s, t->event->g);

		if (s->split && t->began && g != &s->no_g)
			o->g = rec_index_of_g(s, g) + 1;
		return g;
	}
	if (!s->split || (t->event->kind != REC_BLOCK && t->event->kind != REC_THREAD_END))
		return NULL;
	if ((t->began && !(t->event->flags & REC_RUNNABLE)) || t->event->kind == REC_THREAD_END)
		o->g = t->m->g;
	return o->g ? &s->gs[o->g - 1] : NULL;
}

static bool has_times_off(const struct rec_tracer *s)
{
	return s->p->switches || s->p->arena.header->options.cpu_time;
}

void rec_tracer_run(struct rec_tracer *s, uint64_t until)
{
	struct rec_step t;
	uint64_t over = s->off < s->p->end_ns ? s->off : s->p->end_ns;

	if (until != UINT64_MAX)
		over = until;
	rec_streams_rewind(s, has_times_off(s));
	while (!s->code && rec_streams_next(s, until < s->off ? until : s->off, &t)) {
		/* The trace begins at the step that switches it on. */
		if (!s->writing && (!s->in_middle || t.time >= s->on))
			rec_tracer_begin(s);
		if (s->now < t.time)
			s->now = t.time;
		if (s->writing && s->w->pause)
			s->w->pause(s);
		t.g = whose(s, &t);
		trace(s, &t);
	}
	if (!s->writing)
		rec_tracer_begin(s);
	if (s->now < over)
		s->now = over;
	if (until != UINT64_MAX) {
		rec_streams_keep(s);
		s->w->flush(s);
		rec_tracer_forget(s);
		return;
	}
	for (uint32_t i = 0; i < s->nms; i++)
		if (s->ms[i].g &&
		    (s->gs[s->ms[i].g - 1].state == REC_G_RUNNING || s->ms[i].in_call))
			s->result.running_ns += s->now - s->ms[i].running;
	s->w->finish(s);
}

struct rec_tracer *rec_trace_new(enum rec_trace_format format, const struct tp_out *out,
				 struct tp_err *err)
{
	struct rec_tracer *s = calloc(1, sizeof(*s));

	if (!s) {
		tp_nomem(err);
		return NULL;
	}
	s->w = format == REC_GO_1_5 ? &rec_v1_writer : &rec_v2_writer;
	s->seed = tp_seed();
	s->err = err;
	err->code = 0;
	s->symbols = tp_profile_new();
	if (!s->symbols)
		s->code = tp_nomem(err);
	else
		s->w->open(s, out);
	if (!s->code)
		return s;
	rec_trace_free(s);
	return NULL;
}

void rec_trace_free(struct rec_tracer *s)
{
	if (!s)
		return;
	s->w->close(s);
	rec_tracer_release(s);
	tp_profile_free(s->symbols);
	free(s);
}

/* Returns the first record that the next part needs. */
static uint32_t still_needed(const struct rec_tracer *s, uint64_t until)
{
	uint32_t i = 0;

	while (i < s->nlinks && s->p->events[i].end < until)
		i++;
	return i;
}

int rec_trace_add(struct rec_tracer *s, const struct rec_process *p, uint64_t until, size_t *done,
		  struct tp_buf *symbols, struct tp_err *err)
{
	struct tp_err own = {0};

	s->p = p;
	s->err = err ? err : &own;
	s->err->code = 0;
	if (!s->code && s->w == &rec_v1_writer && s->from) {
		tp_profile_free(s->symbols);
		s->symbols = tp_profile_new();
		s->code = s->symbols ? 0 : tp_nomem(s->err);
	}
	if (!s->code)
		s->code = rec_names_new(&s->names, p, s->symbols->dict, true, s->err);
	if (!s->code && s->w->part)
		s->w->part(s);
	if (!s->code)
		rec_streams_new(s);
	if (!s->code)
		rec_pairs_find(s);
	if (!s->code)
		rec_tracer_run(s, until);
	if (!s->code && s->w == &rec_v1_writer && symbols)
		s->code = rec_trace_symbols(s, symbols);
	/* Tables return only a code. */
	if (s->code && s->err->code != s->code)
		tp_err_full(s->err, s->code, "the trace has too many names or stacks");
	*done = s->code ? 0 : still_needed(s, until);
	s->from = until;
	s->again = s->nlinks - (uint32_t)*done;
	if (!s->code)
		rec_names_remark(s->names, s->result.remark);
	rec_names_free(s->names);
	s->names = NULL;
	return s->code;
}

int rec_trace_write(const struct rec_process *p, enum rec_trace_format format,
		    const struct tp_out *out, struct tp_buf *symbols,
		    struct rec_trace_result *result, struct tp_err *err)
{
	struct tp_err own = {0};
	struct rec_tracer *s = rec_trace_new(format, out, err ? err : &own);
	size_t done;
	int code = s ? rec_trace_add(s, p, UINT64_MAX, &done, symbols, err) : 0;

	if (!s)
		code = err ? err->code : own.code;
	if (result)
		*result = s ? s->result : (struct rec_trace_result){0};
	rec_trace_free(s);
	return code;
}
