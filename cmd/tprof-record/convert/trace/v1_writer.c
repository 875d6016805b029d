/* Writes what the tracer of Go 1.5 would have written (encode.h names the document).
 *
 *	new goroutine    GoCreate; ProcStart GoStart
 *	wait             GoBlock… ProcStop; GoUnblock; ProcStart GoStart
 *	yield            GoSched ProcStop; ProcStart GoStart
 *	system call      GoSysCall, and, where it took long, GoSysBlock ProcStop;
 *	                 ProcStart GoSysExit GoStart; GoSysExit has the sequence number and the
 *	                 time of its real end
 *	end              GoEnd ProcStop
 *
 * Events without a known M are on P -1. Each event has its own sequence number. There are no tasks,
 * regions, logs, labels or names, and no goroutine that serves timers: the kernel wakes sleepers. */
#include <stdlib.h>

#include "tprof-record/convert/trace/tracer.h"

#define NONE UINT32_MAX /* in place of a stack: the event has none */

static const uint8_t blocks[REC_NREASONS + 1] = {
#define GoBlock			       TP_V1_GO_BLOCK
#define GoBlockSync		       TP_V1_GO_BLOCK_SYNC
#define GoBlockCond		       TP_V1_GO_BLOCK_COND
#define GoBlockNet		       TP_V1_GO_BLOCK_NET
#define GoBlockSelect		       TP_V1_GO_BLOCK_SELECT
#define GoBlockSend		       TP_V1_GO_BLOCK_SEND
#define GoBlockRecv		       TP_V1_GO_BLOCK_RECV
#define GoSleep			       TP_V1_GO_SLEEP
#define GoSched			       TP_V1_GO_SCHED
#define GoPreempt		       TP_V1_GO_PREEMPT
#define REC_X(name, text, printed, v1) [REC_ON_##name] = v1,
    REC_REASONS(REC_X)
#undef REC_X
	[REC_NREASONS] = GoBlock,
};

static uint32_t stack_of(struct rec_tracer *s, uint32_t stack)
{
	uint64_t pcs[TP_V1_MAX_FRAMES];

	uint32_t used = s->p->arena.header->nodes.used, at = stack & ~REC_LAST_STACK;

	if (!at || at >= used)
		return 0;
	if (stack & REC_LAST_STACK)
		at += used;
	if (!s->stacks[at] && !s->code)
		s->code = tp_v1_encode_stack(s->v1, pcs,
					     rec_names_pcs(s->names, stack, pcs, TP_V1_MAX_FRAMES),
					     &s->stacks[at], s->err);
	return s->stacks[at];
}

/* Writes an event with `n` arguments, and a stack of the process or NONE. */
static void put_args(struct rec_tracer *s, int32_t p, enum tp_v1_type type, unsigned n,
		     const uint64_t *args, uint32_t stack)
{
	struct tp_v1_event ev = {.type = type, .nargs = n, .has_stack = stack != NONE};

	for (unsigned i = 0; i < n; i++)
		ev.args[i] = args[i];
	if (ev.has_stack)
		ev.stack = stack_of(s, stack);
	ev.seq = ++s->seq;
	ev.ticks = rec_tracer_tick(s);
	if (!s->code)
		s->code = tp_v1_encode_event(s->v1, p, &ev, s->err);
}

static void put(struct rec_tracer *s, int32_t p, enum tp_v1_type type, uint32_t stack)
{
	put_args(s, p, type, 0, NULL, stack);
}

/* An event about one thing: a thread, a goroutine. */
static void put_one(struct rec_tracer *s, int32_t p, enum tp_v1_type type, uint64_t arg,
		    uint32_t stack)
{
	put_args(s, p, type, 1, &arg, stack);
}

/* ---- transitions ---- */

static void create(struct rec_tracer *s, int32_t p, const struct rec_goroutine *g, uint32_t stack)
{
	uint64_t pc;

	rec_names_begin(s->names, g->entry, g->stack, &pc);
	/* The start routine; readers take it for a return address one behind. */
	put_args(s, p, TP_V1_GO_CREATE, 2, (uint64_t[]){g->id, pc ? pc - 1 : 0}, stack);
}

static void move(struct rec_tracer *s, enum rec_move what, struct rec_machine *m,
		 struct rec_goroutine *g, uint32_t reason, uint32_t stack)
{
	int32_t p = m ? m->p : TP_V1_NO_P;
	/* An M that runs nothing, or has no P, can create and unblock others. */
	int32_t other = m && m->g && p >= 0 ? p : TP_V1_NO_P;

	switch (what) {
	case REC_MOVE_P_START:
		put_one(s, p, TP_V1_PROC_START, m->wire, NONE);
		break;
	case REC_MOVE_P_STOP:
		put(s, p, TP_V1_PROC_STOP, NONE);
		break;
	case REC_MOVE_PROCS:
		put_one(s, p, TP_V1_GOMAXPROCS, s->nps, 0);
		break;
	case REC_MOVE_CREATE:
		create(s, other, g, stack);
		break;
	case REC_MOVE_START:
		put_one(s, p, TP_V1_GO_START, g->id, NONE);
		break;
	case REC_MOVE_BLOCK:
		put(s, p, blocks[reason], stack);
		break;
	case REC_MOVE_UNBLOCK:
		put_one(s, other, TP_V1_GO_UNBLOCK, g->id, stack);
		break;
	case REC_MOVE_END:
		put(s, p, TP_V1_GO_END, NONE);
		break;
	case REC_MOVE_CALL:
		put(s, p, TP_V1_GO_SYSCALL, stack);
		break;
	case REC_MOVE_CALL_BLOCKS:
		put(s, p, TP_V1_GO_SYSBLOCK, NONE);
		break;
	case REC_MOVE_CALL_ENDS: /* one that kept its P has no end */
		break;
	case REC_MOVE_CALL_LEAVES:
		s->left_seq = ++s->seq;
		s->left_ticks = s->now++;
		break;
	case REC_MOVE_CALL_BACK:
		put_args(s, p, TP_V1_GO_SYSEXIT, 3, (uint64_t[]){g->id, s->left_seq, s->left_ticks},
			 NONE);
		break;
	}
}

/* There are no tasks, regions, logs and labels. */
static void note(struct rec_tracer *s, struct rec_machine *m, const struct rec_event *e)
{
	if (e->kind == REC_HEAP)
		put_one(s, m->p, TP_V1_HEAP_ALLOC, e->object, NONE);
	else if (e->kind == REC_TASK_NEW || e->kind == REC_REGION_BEGIN || e->kind == REC_LOG)
		s->result.left_out++;
}

/* ---- beginning and end ---- */

/* As StartTrace: creates all goroutines once more, waiting or in a system call. */
static void begin(struct rec_tracer *s)
{
	for (uint32_t i = 0; i < s->nalive; i++) {
		struct rec_goroutine *g = &s->gs[s->alive[i]];

		create(s, TP_V1_NO_P, g, 0);
		if (g->state == REC_G_WAITING)
			put_one(s, TP_V1_NO_P, TP_V1_GO_WAITING, g->id, NONE);
		/* One with a P goes on as if it were running: its end is not written. */
		if (g->state == REC_G_SYSCALL && !s->ms[g->m - 1].in_call)
			put_one(s, TP_V1_NO_P, TP_V1_GO_IN_SYSCALL, g->id, NONE);
	}
	for (uint32_t i = 0; i < s->nps; i++) {
		struct rec_machine *m = rec_m_of_p(s, i);

		if (!m)
			continue;
		rec_move(s, REC_MOVE_P_START, m, NULL, 0, 0);
		if (m->g)
			rec_move(s, REC_MOVE_START, m, rec_g_of(s, m), 0, 0);
		if (i == 0)
			rec_move(s, REC_MOVE_PROCS, m, NULL, 0, 0);
	}
}

static bool runs(const struct rec_tracer *s, const struct rec_machine *m)
{
	return m && m->g && rec_g_of(s, m)->state == REC_G_RUNNING;
}

/* A P starts and stops. */
static void start_and_stop(struct rec_tracer *s)
{
	struct rec_machine outside = {.p = -1};

	rec_tracer_take_p(s, &outside);
	rec_move(s, REC_MOVE_P_START, &outside, NULL, 0, 0);
	rec_move(s, REC_MOVE_P_STOP, &outside, NULL, 0, 0);
	rec_tracer_give_p(s, &outside);
}

/* As StopTrace: the goroutine that ends the trace yields. If nothing runs, a P starts and stops, so
 * that the trace lasts until its end. */
static void finish(struct rec_tracer *s)
{
	uint32_t i = 0;

	while (i < s->nps && !runs(s, rec_m_of_p(s, i)))
		i++;
	if (i < s->nps) {
		rec_move(s, REC_MOVE_BLOCK, rec_m_of_p(s, i), NULL, REC_ON_YIELD, 0);
	} else {
		start_and_stop(s);
	}
	if (!s->code)
		s->code = tp_v1_encode_finish(s->v1, 1000000000, 0, s->err);
}

/* A trace in which nothing ever runs cannot be read. */
static void flush(struct rec_tracer *s)
{
	if (!s->nps)
		start_and_stop(s);
	if (!s->code)
		s->code = tp_v1_encode_flush(s->v1, 1000000000, s->err);
}

static void open_encoder(struct rec_tracer *s, const struct tp_out *out)
{
	s->code = tp_v1_encoder_new(&s->v1, out, s->err);
}

/* The encoder knows the stacks of the parts before. */
static void begin_part(struct rec_tracer *s)
{
	free(s->stacks);
	s->stacks = calloc(2 * (size_t)s->p->arena.header->nodes.used + 1, sizeof(*s->stacks));
	if (!s->stacks)
		s->code = TP_ENOMEM;
}

static void close_encoder(struct rec_tracer *s)
{
	tp_v1_encoder_free(s->v1);
	free(s->stacks);
}

const struct rec_writer rec_v1_writer = {
    .open = open_encoder,
    .begin = begin,
    .move = move,
    .note = note,
    .part = begin_part,
    .flush = flush,
    .finish = finish,
    .close = close_encoder,
};
