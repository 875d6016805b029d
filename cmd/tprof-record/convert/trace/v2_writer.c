/* Writes what the tracer of Go 1.26 would have written.
 *
 *	new goroutine    GoCreate; ProcStart GoStart
 *	one nobody made  ProcStart GoCreate GoStart, on its own M
 *	wait             GoBlock ProcStop; GoUnblock; ProcStart GoStart
 *	yield            GoStop ProcStop; ProcStart GoStart
 *	system call      GoSyscallBegin GoSyscallEnd, or, where it took long,
 *	                 GoSyscallBegin ProcStop; ProcStart GoSyscallEndBlocked GoStart
 *	end              GoDestroy ProcStop
 *
 * Events without a known M are on an M of their own (OUTSIDE). Every generation begins with the status
 * of everything that is alive; a P that is new in it has the status idle before it starts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/v2/encode.h"
#include "tprof-record/convert/trace/tracer.h"

#define GENERATION_NS	  1000000000u
#define GENERATION_EVENTS 8000000u /* about 64 MiB */
#define OUTSIDE		  0	   /* no thread has that number */

struct v2_writer {
	struct rec_writer w;
	struct tp_v2_encoder *e;
	struct tp_dict *dict;
	struct tp_err *err;
	uint32_t reasons[REC_NREASONS + 1];
	struct rec_machine outside;
	uint64_t begun; /* the generation's first moment */
	size_t events;	/* of the result, when it began */
};

static const char *const reasons[REC_NREASONS + 1] = {
#define REC_X(name, text, printed, v1) [REC_ON_##name] = text,
    REC_REASONS(REC_X)
#undef REC_X
	[REC_NREASONS] = "coroutine",
};

static struct v2_writer *of(struct rec_writer *w)
{
	return (struct v2_writer *)(void *)w;
}

static int put(struct v2_writer *v, uint64_t m, enum tp_v2_wire type, uint64_t a, uint64_t b,
	       uint64_t c, uint64_t d)
{
	return tp_v2_encode_event(v->e, m, rec_tracer_tick(v->w.tracer), type,
				  (uint64_t[]){a, b, c, d}, v->err);
}

static int stack_of(struct v2_writer *v, uint32_t stack, uint64_t *node)
{
	uint32_t n = 0;
	int code = stack ? rec_names_stack(v->w.tracer->names, stack, &n, v->err) : 0;

	*node = n;
	return code;
}

static int string_of(struct v2_writer *v, const char *text, uint64_t *id)
{
	size_t size = strnlen(text, TP_V2_MAX_STRING);
	uint32_t n = 0;
	int code = tp_dict_string(v->dict, text, size, &n);

	*id = n;
	return code;
}

/* ---- names of goroutines ---- */

/* Makes a stack of one frame, whose function is the goroutine's name: that of the thread, or of the
 * function it began with. Go's tools take the names of goroutines from there. */
static int name_of(struct v2_writer *v, struct rec_goroutine *g, uint64_t *node)
{
	struct rec_names *names = v->w.tracer->names;
	const char *name = g->name ? g->name : "";
	struct tp_frame frame;
	uint64_t pc, text;
	uint32_t id;
	int code = 0;

	*node = g->creation;
	if (g->creation != UINT32_MAX)
		return 0;
	id = rec_names_begin(names, g->entry, g->stack, &pc);
	if (g->id == 1 && !*name && !rec_names_known(names, pc))
		name = "main";
	frame = tp_dict_frame_at(v->dict, id);
	frame.inlined = 0;
	if (*name) {
		struct tp_function f = tp_dict_function_at(v->dict, frame.function);

		code = string_of(v, name, &text);
		f.name = f.system_name = (uint32_t)text;
		if (!code)
			code = tp_dict_function(v->dict, &f, &frame.function);
	}
	if (!code && (id || *name))
		code = tp_dict_frame(v->dict, &frame, &id);
	if (!code && id)
		code = tp_dict_stack(v->dict, 0, id, &id);
	g->creation = id;
	*node = id;
	return code;
}

/* ---- generations ---- */

static int p_status(struct v2_writer *v, uint64_t m, int32_t p, unsigned status)
{
	struct rec_p *q = &v->w.tracer->ps[p];

	q->seq = 0;
	q->mentioned = true;
	return put(v, m, TP_V2_ProcStatus, (uint64_t)p, status, 0, 0);
}

/* Writes the status of a goroutine: on its M if it has one, without an M otherwise. */
static int g_status(struct v2_writer *v, struct rec_goroutine *g)
{
	static const uint8_t wire[] = {
	    [REC_G_RUNNABLE] = TP_V2_G_RUNNABLE,
	    [REC_G_RUNNING] = TP_V2_G_RUNNING,
	    [REC_G_WAITING] = TP_V2_G_WAITING,
	    [REC_G_SYSCALL] = TP_V2_G_SYSCALL,
	};
	const struct rec_machine *m = rec_m_of(v->w.tracer, g);
	uint64_t stack;
	int code = name_of(v, g, &stack);

	g->seq = 0;
	/* The stack of its wait says more than its name, unless the reader has neither yet. */
	if (!code && g->wait_stack && v->events &&
	    (g->state == REC_G_WAITING || g->state == REC_G_SYSCALL))
		code = stack_of(v, g->wait_stack, &stack);
	return code ? code
		    : put(v, m ? m->wire : OUTSIDE, TP_V2_GoStatusStack, g->id,
			  m ? m->wire : TP_V2_NO_M, wire[g->state], stack);
}

static int all_status(struct v2_writer *v)
{
	struct rec_tracer *s = v->w.tracer;
	int code = 0;

	for (uint32_t i = 0; !code && i < s->nps; i++) {
		struct rec_machine *m;

		s->ps[i].mentioned = false;
		if (!s->ps[i].m || s->ps[i].m == UINT32_MAX)
			continue;
		m = &s->ms[s->ps[i].m - 1];
		code = p_status(v, m->wire, (int32_t)i,
				m->in_call ? TP_V2_P_SYSCALL : TP_V2_P_RUNNING);
	}
	for (uint32_t i = 0; !code && i < s->nalive; i++)
		code = g_status(v, &s->gs[s->alive[i]]);
	return code;
}

static int generation(struct v2_writer *v)
{
	struct rec_tracer *s = v->w.tracer;
	const struct rec_header *h = s->p->arena.header;
	uint64_t ago = s->now - h->start_ns, ns = h->start_nsec + ago % 1000000000;
	struct tp_v2_clock clock = {
	    .ts = s->now,
	    .mono_ns = s->now,
	    .wall_sec = h->start_sec + ago / 1000000000 + ns / 1000000000,
	    .wall_nsec = (uint32_t)(ns % 1000000000),
	};
	int code = tp_v2_encode_generation(v->e, &clock, v->err);

	s->result.events++; /* Sync, which readers have at both ends of a generation */
	v->begun = s->now;
	if (!code)
		code = all_status(v);
	v->events = s->result.events;
	return code;
}

static int begin(struct rec_writer *w)
{
	struct rec_tracer *s = w->tracer;
	int code = generation(of(w));

	for (uint32_t i = 0; !code && i < s->nalive; i++)
		if (s->gs[s->alive[i]].state == REC_G_RUNNING)
			return REC_MOVE(s, PROCS, rec_m_of(s, &s->gs[s->alive[i]]), NULL, 0, 0);
	return code;
}

static int pause_(struct rec_writer *w)
{
	struct v2_writer *v = of(w);
	struct rec_tracer *s = w->tracer;

	return s->now - v->begun < GENERATION_NS && s->result.events - v->events < GENERATION_EVENTS
		   ? 0
		   : generation(v);
}

/* Writes the status of everything that is alive once more, so that the trace lasts until its end. */
static int finish(struct rec_writer *w)
{
	int code = generation(of(w));

	w->tracer->result.events++;
	return code ? code : tp_v2_encode_finish(of(w)->e, of(w)->err);
}

/* ---- transitions ---- */

/* Creation needs a P. */
static int create_outside(struct v2_writer *v, struct rec_goroutine *g)
{
	struct rec_tracer *s = v->w.tracer;
	int code = rec_tracer_take_p(s, &v->outside);

	if (code)
		return code;
	code = REC_MOVE(s, P_START, &v->outside, NULL, 0, 0);
	if (!code)
		code = REC_MOVE(s, CREATE, &v->outside, g, 0, 0);
	if (!code)
		code = REC_MOVE(s, P_STOP, &v->outside, NULL, 0, 0);
	rec_tracer_give_p(s, &v->outside);
	return code;
}

static int create(struct v2_writer *v, uint64_t m, struct rec_goroutine *g, uint32_t stack)
{
	uint64_t name, at;
	int code = name_of(v, g, &name);

	if (!code)
		code = stack_of(v, stack, &at);
	g->seq = 0;
	return code ? code : put(v, m, TP_V2_GoCreate, g->id, name, at, 0);
}

static int p_start(struct v2_writer *v, const struct rec_machine *m)
{
	struct rec_p *p = &v->w.tracer->ps[m->p];
	int code = p->mentioned ? 0 : p_status(v, m->wire, m->p, TP_V2_P_IDLE);

	return code ? code : put(v, m->wire, TP_V2_ProcStart, (uint64_t)m->p, ++p->seq, 0, 0);
}

static int move(struct rec_writer *w, enum rec_move what, struct rec_machine *m,
		struct rec_goroutine *g, uint32_t reason, uint32_t stack)
{
	struct v2_writer *v = of(w);
	uint64_t on = m ? m->wire : OUTSIDE, at = 0;
	int code;

	if (what == REC_MOVE_CREATE)
		return m ? create(v, on, g, stack) : create_outside(v, g);
	if (stack && (code = stack_of(v, stack, &at)))
		return code;
	switch (what) {
	case REC_MOVE_P_START:
		return m ? p_start(v, m) : 0;
	case REC_MOVE_P_STOP:
		return put(v, on, TP_V2_ProcStop, 0, 0, 0, 0);
	case REC_MOVE_PROCS:
		return put(v, on, TP_V2_ProcsChange, w->tracer->nps, 0, 0, 0);
	case REC_MOVE_START:
		return put(v, on, TP_V2_GoStart, g->id, ++g->seq, 0, 0);
	case REC_MOVE_BLOCK:
		return put(v, on, reason == REC_ON_YIELD ? TP_V2_GoStop : TP_V2_GoBlock,
			   v->reasons[reason], at, 0, 0);
	case REC_MOVE_UNBLOCK:
		return put(v, on, TP_V2_GoUnblock, g->id, ++g->seq, at, 0);
	case REC_MOVE_END:
		return put(v, on, TP_V2_GoDestroy, 0, 0, 0, 0);
	case REC_MOVE_CALL:
		return m ? put(v, on, TP_V2_GoSyscallBegin, ++w->tracer->ps[m->p].seq, at, 0, 0) : 0;
	case REC_MOVE_CALL_ENDS:
		return put(v, on, TP_V2_GoSyscallEnd, 0, 0, 0, 0);
	case REC_MOVE_CALL_BACK:
		return put(v, on, TP_V2_GoSyscallEndBlocked, 0, 0, 0, 0);
	default: /* the events of its P say that it blocks or leaves */
		return 0;
	}
}

/* ---- tasks, regions, logs, labels ---- */

/* "key=value key=value" */
static int labels_of(struct v2_writer *v, uint32_t set, uint64_t *id)
{
	const struct rec_process *p = v->w.tracer->p;
	char text[TP_V2_MAX_STRING + 1] = "";
	size_t n, at = 0;
	const uint32_t *pairs = rec_process_labels(p, set, &n);

	for (size_t i = 0; i < n && at < sizeof(text) - 1; i++) {
		int size = snprintf(text + at, sizeof(text) - at, "%s%s=%s", i ? " " : "",
				    rec_process_string(p, pairs[2 * i]),
				    rec_process_string(p, pairs[2 * i + 1]));

		at += size > 0 ? (size_t)size : 0;
	}
	return string_of(v, text, id);
}

static int put_log(struct v2_writer *v, struct rec_machine *m, uint64_t task, const char *category,
		   const char *text, size_t size, uint64_t stack)
{
	uint64_t key;
	uint32_t value = 0;
	int code = string_of(v, category, &key);

	if (!code)
		code = tp_dict_string(v->dict, text, size, &value);
	return code ? code : put(v, m->wire, TP_V2_UserLog, task, key, value, stack);
}

static int note_process(struct v2_writer *v, struct rec_machine *m, const struct rec_event *e,
			uint64_t stack)
{
	char text[TP_V2_MAX_STRING];
	int n;

	if (e->kind == REC_PROCESS_FORK)
		n = snprintf(text, sizeof(text), "forked process %" PRIu64, e->object);
	else
		n = snprintf(text, sizeof(text), "executes %s",
			     rec_process_string(v->w.tracer->p, e->arg));
	return put_log(v, m, 0, "process", text,
		       (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1, stack);
}

static int note(struct rec_writer *w, struct rec_machine *m, const struct rec_event *e)
{
	struct v2_writer *v = of(w);
	const struct rec_process *p = w->tracer->p;
	const struct rec_goroutine *g = rec_g_of(w->tracer, m);
	uint64_t text = 0, at;
	int code = stack_of(v, e->stack, &at);

	if (!code &&
	    (e->kind == REC_TASK_NEW || e->kind == REC_REGION_BEGIN || e->kind == REC_REGION_END))
		code = string_of(v, rec_process_string(p, e->arg), &text);
	if (code)
		return code;
	switch ((uint16_t)e->kind) {
	case REC_TASK_NEW:
		return put(v, m->wire, TP_V2_UserTaskBegin, e->object, e->start, text, at);
	case REC_TASK_END:
		return put(v, m->wire, TP_V2_UserTaskEnd, e->object, at, 0, 0);
	case REC_REGION_BEGIN:
		return put(v, m->wire, TP_V2_UserRegionBegin, e->object, text, at, 0);
	case REC_REGION_END:
		return put(v, m->wire, TP_V2_UserRegionEnd, e->object, text, at, 0);
	case REC_LOG:
		return put_log(v, m, e->object, rec_process_string(p, e->arg),
			       (const char *)g->text.data, g->text.size, at);
	case REC_LABELS:
		code = labels_of(v, e->arg, &text);
		return code ? code : put(v, m->wire, TP_V2_GoLabel, text, 0, 0, 0);
	default:
		return note_process(v, m, e, at);
	}
}

/* ---- lifecycle ---- */

static void free_writer(struct rec_writer *w)
{
	tp_v2_encoder_free(of(w)->e);
	free(w);
}

int rec_v2_writer_new(struct rec_writer **w, struct rec_tracer *s, const struct tp_out *out,
		      struct tp_err *err)
{
	static const struct rec_writer ops = {
	    .begin = begin,
	    .pause = pause_,
	    .move = move,
	    .note = note,
	    .finish = finish,
	    .free = free_writer,
	};
	struct v2_writer *v = calloc(1, sizeof(*v));
	int code = 0;

	*w = NULL;
	if (!v)
		return tp_nomem(err);
	v->w = ops;
	v->w.tracer = s;
	v->err = err;
	v->dict = rec_names_dict(s->names);
	v->outside = (struct rec_machine){.wire = OUTSIDE, .p = -1};
	for (size_t i = 0; i <= REC_NREASONS && !code; i++)
		code = tp_dict_string(v->dict, reasons[i], strlen(reasons[i]), &v->reasons[i]);
	if (code)
		tp_nomem(err);
	else
		code = tp_v2_encoder_new(&v->e, v->dict, out, err);
	if (code)
		free_writer(&v->w);
	else
		*w = &v->w;
	return code;
}
