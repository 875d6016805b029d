/* Writes the events that the tracer of Go 1.26 would have written.
 *
 *	new goroutine    GoCreate; ProcStart GoStart
 *	without creator  ProcStart GoCreate GoStart, on its own M
 *	wait             GoBlock ProcStop; GoUnblock; ProcStart GoStart
 *	yield            GoStop ProcStop; ProcStart GoStart
 *	system call      GoSyscallBegin GoSyscallEnd or, if it took long,
 *	                 GoSyscallBegin ProcStop; ProcStart GoSyscallEndBlocked GoStart
 *	end              GoDestroy ProcStop
 *
 * Events without a known M are on a separate M (OUTSIDE). Every generation begins with the status of
 * everything that is alive; a P that is new in it has the status idle before it starts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/period.h"
#include "tprof-record/convert/trace/tracer.h"

#define GENERATION_NS	  1000000000u
#define GENERATION_EVENTS 8000000u /* about 64 MiB */
#define OUTSIDE		  0	   /* no thread has that number */

static const char *const reasons[REC_NREASONS + 1] = {
#define REC_X(name, text, printed, v1) [REC_ON_##name] = text,
    REC_REASONS(REC_X)
#undef REC_X
	[REC_NREASONS] = "coroutine",
};

static void put(struct rec_tracer *s, uint64_t m, enum tp_v2_wire type, uint64_t a, uint64_t b,
		uint64_t c, uint64_t d)
{
	uint64_t now = rec_tracer_tick(s);

	if (!s->code)
		s->code = tp_v2_encode_event(s->v2, m, now, type, (uint64_t[]){a, b, c, d}, s->err);
}

static uint32_t stack_of(struct rec_tracer *s, uint32_t stack)
{
	uint32_t node = 0;

	if (stack && !s->code)
		s->code = rec_names_stack(s->names, stack, &node, s->err);
	return node;
}

static uint32_t string(struct rec_tracer *s, const char *text, size_t size)
{
	uint32_t id = 0;

	rec_tracer_failed(s, tp_dict_string(s->dict, text, size, &id));
	return id;
}

static uint32_t string_of(struct rec_tracer *s, const char *text)
{
	return string(s, text, strnlen(text, TP_V2_MAX_STRING));
}

/* ---- names of goroutines ---- */

/* Makes a stack of one frame, whose function is the goroutine's name: that of the thread, or of the
 * function it began with. Go's tools take the names of goroutines from there. */
static uint32_t name_of(struct rec_tracer *s, struct rec_goroutine *g)
{
	const char *name = g->name ? g->name : "";
	struct tp_frame frame;
	uint64_t pc;
	uint32_t id;

	if (g->creation != UINT32_MAX)
		return g->creation;
	id = rec_names_begin(s->names, g->entry, g->stack, &pc);
	if (g->id == 1 && !*name && !rec_names_place(s->names, pc)->named)
		name = "main";
	frame = tp_dict_frame_at(s->dict, id);
	frame.inlined = 0;
	if (*name) {
		struct tp_function f = tp_dict_function_at(s->dict, frame.function);

		f.name = f.system_name = string_of(s, name);
		rec_tracer_failed(s, tp_dict_function(s->dict, &f, &frame.function));
	}
	if (id || *name)
		rec_tracer_failed(s, tp_dict_frame(s->dict, &frame, &id));
	if (id)
		rec_tracer_failed(s, tp_dict_stack(s->dict, 0, id, &id));
	return g->creation = id;
}

/* ---- generations ---- */

static void p_status(struct rec_tracer *s, uint64_t m, uint32_t p, unsigned status)
{
	s->ps[p].seq = 0;
	s->ps[p].mentioned = true;
	put(s, m, TP_V2_ProcStatus, p, status, 0, 0);
}

/* Writes the status of a goroutine: on its M if it has one, without an M otherwise. */
static void g_status(struct rec_tracer *s, struct rec_goroutine *g)
{
	static const uint8_t wire[] = {
	    [REC_G_RUNNABLE] = TP_V2_G_RUNNABLE,
	    [REC_G_RUNNING] = TP_V2_G_RUNNING,
	    [REC_G_WAITING] = TP_V2_G_WAITING,
	    [REC_G_SYSCALL] = TP_V2_G_SYSCALL,
	};
	const struct rec_machine *m = rec_m_of(s, g);
	uint32_t stack = name_of(s, g);

	g->seq = 0;
	/* The stack of its wait says more than its name, unless the reader has neither yet. */
	if (g->wait_stack && s->begun_events &&
	    (g->state == REC_G_WAITING || g->state == REC_G_SYSCALL))
		stack = stack_of(s, g->wait_stack);
	put(s, m ? m->wire : OUTSIDE, TP_V2_GoStatusStack, g->id, m ? m->wire : TP_V2_NO_M,
	    wire[g->state], stack);
}

static void all_status(struct rec_tracer *s)
{
	for (uint32_t i = 0; i < s->nps; i++) {
		const struct rec_machine *m = rec_m_of_p(s, i);

		s->ps[i].mentioned = false;
		if (m)
			p_status(s, m->wire, i, m->in_call ? TP_V2_P_SYSCALL : TP_V2_P_RUNNING);
	}
	for (uint32_t i = 0; i < s->nalive; i++)
		g_status(s, &s->gs[s->alive[i]]);
}

static void generation(struct rec_tracer *s)
{
	const struct rec_header *h = s->p->arena.header;
	uint64_t ago = s->now - h->start_ns, ns = h->start_nsec + ago % 1000000000;
	struct tp_v2_clock clock = {
	    .ts = s->now,
	    .mono_ns = s->now,
	    .wall_sec = h->start_sec + ago / 1000000000 + ns / 1000000000,
	    .wall_nsec = (uint32_t)(ns % 1000000000),
	};

	if (!s->code)
		s->code = tp_v2_encode_generation(s->v2, &clock, s->err);
	s->result.events++; /* Sync, which readers have at both ends of a generation */
	s->begun = s->now;
	all_status(s);
	s->begun_events = s->result.events;
}

static void begin(struct rec_tracer *s)
{
	uint32_t i = 0, hz = s->p->arena.header->options.cpu_hz;
	char period[TP_CPU_PERIOD_SIZE + 12];

	if (hz) {
		snprintf(period, sizeof(period), TP_CPU_PERIOD "%u", 1000000000 / hz);
		string_of(s, period);
	}
	generation(s);
	while (i < s->nalive && s->gs[s->alive[i]].state != REC_G_RUNNING)
		i++;
	if (i < s->nalive)
		rec_move(s, REC_MOVE_PROCS, rec_m_of(s, &s->gs[s->alive[i]]), NULL, 0, 0);
}

static void begin_next(struct rec_tracer *s)
{
	if (s->now - s->begun >= GENERATION_NS ||
	    s->result.events - s->begun_events >= GENERATION_EVENTS)
		generation(s);
}

/* Writes the status of everything that is alive once more, so that the trace lasts until its end. */
static void finish(struct rec_tracer *s)
{
	generation(s);
	s->result.events++;
	if (!s->code)
		s->code = tp_v2_encode_finish(s->v2, s->err);
}

/* ---- transitions ---- */

static void create(struct rec_tracer *s, struct rec_machine *m, struct rec_goroutine *g,
		   uint32_t stack)
{
	uint32_t name;

	if (m) {
		name = name_of(s, g);
		g->seq = 0;
		put(s, m->wire, TP_V2_GoCreate, g->id, name, stack_of(s, stack), 0);
		return;
	}
	/* Creation needs a P. */
	rec_tracer_take_p(s, &s->outside);
	rec_move(s, REC_MOVE_P_START, &s->outside, NULL, 0, 0);
	rec_move(s, REC_MOVE_CREATE, &s->outside, g, 0, 0);
	rec_move(s, REC_MOVE_P_STOP, &s->outside, NULL, 0, 0);
	rec_tracer_give_p(s, &s->outside);
}

static void p_start(struct rec_tracer *s, const struct rec_machine *m)
{
	struct rec_p *p = &s->ps[m->p];

	if (!p->mentioned)
		p_status(s, m->wire, (uint32_t)m->p, TP_V2_P_IDLE);
	put(s, m->wire, TP_V2_ProcStart, (uint64_t)m->p, ++p->seq, 0, 0);
}

static void move(struct rec_tracer *s, enum rec_move what, struct rec_machine *m,
		 struct rec_goroutine *g, uint32_t reason, uint32_t stack)
{
	uint64_t on = m ? m->wire : OUTSIDE, at;

	if (what == REC_MOVE_CREATE) {
		create(s, m, g, stack);
		return;
	}
	at = stack_of(s, stack);
	switch (what) {
	case REC_MOVE_P_START:
		p_start(s, m);
		break;
	case REC_MOVE_P_STOP:
		put(s, on, TP_V2_ProcStop, 0, 0, 0, 0);
		break;
	case REC_MOVE_PROCS:
		put(s, on, TP_V2_ProcsChange, s->nps, 0, 0, 0);
		break;
	case REC_MOVE_START:
		put(s, on, TP_V2_GoStart, g->id, ++g->seq, 0, 0);
		break;
	case REC_MOVE_BLOCK:
		put(s, on, rec_is_runnable(reason) ? TP_V2_GoStop : TP_V2_GoBlock,
		    s->reasons[reason], at, 0, 0);
		break;
	case REC_MOVE_UNBLOCK:
		put(s, on, TP_V2_GoUnblock, g->id, ++g->seq, at, 0);
		break;
	case REC_MOVE_END:
		put(s, on, TP_V2_GoDestroy, 0, 0, 0, 0);
		break;
	case REC_MOVE_CALL:
		put(s, on, TP_V2_GoSyscallBegin, ++s->ps[m->p].seq, at, 0, 0);
		break;
	case REC_MOVE_CALL_ENDS:
		put(s, on, TP_V2_GoSyscallEnd, 0, 0, 0, 0);
		break;
	case REC_MOVE_CALL_BACK:
		put(s, on, TP_V2_GoSyscallEndBlocked, 0, 0, 0, 0);
		break;
	default: /* the events of its P say that it blocks or leaves */
		break;
	}
}

/* ---- tasks, regions, logs, labels ---- */

/* "key=value key=value" */
static uint32_t labels_of(struct rec_tracer *s, uint32_t set)
{
	char text[TP_V2_MAX_STRING + 1] = "";
	size_t n, at = 0;
	const uint32_t *pairs = rec_process_labels(s->p, set, &n);

	for (size_t i = 0; i < n && at < sizeof(text) - 1; i++) {
		int size = snprintf(text + at, sizeof(text) - at, "%s%s=%s", i ? " " : "",
				    rec_process_string(s->p, pairs[2 * i]),
				    rec_process_string(s->p, pairs[2 * i + 1]));

		at += size > 0 ? (size_t)size : 0;
	}
	return string_of(s, text);
}

static void note(struct rec_tracer *s, struct rec_machine *m, const struct rec_event *e)
{
	const struct rec_goroutine *g = rec_g_of(s, m);
	const char *arg = rec_process_string(s->p, e->arg);
	uint32_t stack = stack_of(s, e->stack), key;
	char text[TP_V2_MAX_STRING];

	switch ((uint16_t)e->kind) {
	case REC_TASK_NEW:
		put(s, m->wire, TP_V2_UserTaskBegin, e->object, e->start, string_of(s, arg), stack);
		break;
	case REC_TASK_END:
		put(s, m->wire, TP_V2_UserTaskEnd, e->object, stack, 0, 0);
		break;
	case REC_REGION_BEGIN:
		put(s, m->wire, TP_V2_UserRegionBegin, e->object, string_of(s, arg), stack, 0);
		break;
	case REC_REGION_END:
		put(s, m->wire, TP_V2_UserRegionEnd, e->object, string_of(s, arg), stack, 0);
		break;
	case REC_LOG:
		key = string_of(s, arg);
		put(s, m->wire, TP_V2_UserLog, e->object, key,
		    string(s, (const char *)g->text.data, g->text.size), stack);
		break;
	case REC_HEAP:
		put(s, m->wire, TP_V2_HeapAlloc, e->object, 0, 0, 0);
		break;
	case REC_LABELS:
		put(s, m->wire, TP_V2_GoLabel, labels_of(s, e->arg), 0, 0, 0);
		break;
	default:
		if (e->kind == REC_PROCESS_FORK)
			snprintf(text, sizeof(text), "forked process %" PRIu64, e->object);
		else
			snprintf(text, sizeof(text), "executes %s", arg);
		key = string_of(s, "process");
		put(s, m->wire, TP_V2_UserLog, 0, key, string_of(s, text), stack);
	}
}

/* ---- CPU samples ---- */

/* Go's tracer has one event for each sample. */
static void sample(struct rec_tracer *s, const struct rec_event *e)
{
	const struct rec_machine *m = rec_tracer_m(s, e->m);
	uint64_t p = m->p < 0 ? TP_V2_NO_M : (uint64_t)m->p, g = e->g ? e->g : TP_V2_NO_M;
	uint32_t stack = stack_of(s, e->stack);

	for (uint64_t i = 0; i < e->object && !s->code; i++)
		s->code =
		    tp_v2_encode_sample(s->v2, rec_tracer_tick(s), m->wire, p, g, stack, s->err);
}

/* ---- lifecycle ---- */

static void open_encoder(struct rec_tracer *s, const struct tp_out *out)
{
	s->dict = s->symbols->dict;
	s->outside = (struct rec_machine){.wire = OUTSIDE, .p = -1};
	for (size_t i = 0; i <= REC_NREASONS; i++)
		s->reasons[i] = string_of(s, reasons[i]);
	if (!s->code)
		s->code = tp_v2_encoder_new(&s->v2, s->dict, out, s->err);
}

static void close_encoder(struct rec_tracer *s)
{
	tp_v2_encoder_free(s->v2);
}

const struct rec_writer rec_v2_writer = {
    .open = open_encoder,
    .begin = begin,
    .pause = begin_next,
    .move = move,
    .note = note,
    .sample = sample,
    .flush = generation,
    .finish = finish,
    .close = close_encoder,
};
