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

#include "decode/v1/encode.h"
#include "tprof-record/convert/trace/tracer.h"

#define NOT_YET UINT32_MAX

struct v1_writer {
	struct rec_writer w;
	struct tp_v1_encoder *e;
	struct tp_err *err;
	uint64_t seq;
	uint32_t *stacks; /* by stack of the process: the trace's id, NOT_YET */
	uint32_t nstacks;
	uint64_t left_seq, left_ticks; /* of the end of a system call that is to be written */
};

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
#define REC_X(name, text, printed, v1) [REC_ON_##name] = v1,
    REC_REASONS(REC_X)
#undef REC_X
	[REC_NREASONS] = GoBlock,
};

static struct v1_writer *of(struct rec_writer *w)
{
	return (struct v1_writer *)(void *)w;
}

static int put_event(struct v1_writer *v, int32_t p, struct tp_v1_event *ev)
{
	ev->seq = ++v->seq;
	ev->ticks = rec_tracer_tick(v->w.tracer);
	return tp_v1_encode_event(v->e, p, ev, v->err);
}

static int put(struct v1_writer *v, int32_t p, enum tp_v1_type type)
{
	struct tp_v1_event ev = {.type = type};

	return put_event(v, p, &ev);
}

/* An event about one thing: a thread, a goroutine. */
static int put_one(struct v1_writer *v, int32_t p, enum tp_v1_type type, uint64_t arg)
{
	struct tp_v1_event ev = {.type = type, .args = {arg}, .nargs = 1};

	return put_event(v, p, &ev);
}

static int stack_of(struct v1_writer *v, uint32_t stack, uint32_t *id)
{
	uint64_t pcs[TP_V1_MAX_FRAMES];
	size_t n;

	*id = 0;
	if (!stack || stack >= v->nstacks)
		return 0;
	if (v->stacks[stack] == NOT_YET) {
		int code;

		n = rec_names_pcs(v->w.tracer->names, stack, pcs, TP_V1_MAX_FRAMES);
		code = tp_v1_encode_stack(v->e, pcs, n, id, v->err);
		if (code)
			return code;
		v->stacks[stack] = *id;
	}
	*id = v->stacks[stack];
	return 0;
}

static int put_with_stack(struct v1_writer *v, int32_t p, struct tp_v1_event *ev, uint32_t stack)
{
	int code = stack_of(v, stack, &ev->stack);

	ev->has_stack = true;
	return code ? code : put_event(v, p, ev);
}

/* ---- transitions ---- */

static int create(struct v1_writer *v, int32_t p, const struct rec_goroutine *g, uint32_t stack)
{
	struct tp_v1_event ev = {.type = TP_V1_GO_CREATE, .args = {g->id}, .nargs = 2};
	uint64_t pc;

	rec_names_begin(v->w.tracer->names, g->entry, g->stack, &pc);
	/* The start routine; readers take it for a return address one behind. */
	ev.args[1] = pc ? pc - 1 : 0;
	return put_with_stack(v, p, &ev, stack);
}

static int move(struct rec_writer *w, enum rec_move what, struct rec_machine *m,
		struct rec_goroutine *g, uint32_t reason, uint32_t stack)
{
	struct v1_writer *v = of(w);
	int32_t p = m ? m->p : TP_V1_NO_P;
	/* An M that runs nothing, or has no P, can create and unblock others. */
	int32_t other = m && m->g && p >= 0 ? p : TP_V1_NO_P;
	struct tp_v1_event ev;

	switch (what) {
	case REC_MOVE_P_START:
		return m ? put_one(v, p, TP_V1_PROC_START, m->wire) : 0;
	case REC_MOVE_P_STOP:
		return put(v, p, TP_V1_PROC_STOP);
	case REC_MOVE_PROCS:
		ev = (struct tp_v1_event){
		    .type = TP_V1_GOMAXPROCS, .args = {w->tracer->nps}, .nargs = 1};
		return put_with_stack(v, p, &ev, 0);
	case REC_MOVE_CREATE:
		return create(v, other, g, stack);
	case REC_MOVE_START:
		return put_one(v, p, TP_V1_GO_START, g->id);
	case REC_MOVE_BLOCK:
		ev = (struct tp_v1_event){.type = blocks[reason]};
		return put_with_stack(v, p, &ev, stack);
	case REC_MOVE_UNBLOCK:
		ev = (struct tp_v1_event){.type = TP_V1_GO_UNBLOCK, .args = {g->id}, .nargs = 1};
		return put_with_stack(v, other, &ev, stack);
	case REC_MOVE_END:
		return put(v, p, TP_V1_GO_END);
	case REC_MOVE_CALL:
		ev = (struct tp_v1_event){.type = TP_V1_GO_SYSCALL};
		return put_with_stack(v, p, &ev, stack);
	case REC_MOVE_CALL_BLOCKS:
		return put(v, p, TP_V1_GO_SYSBLOCK);
	case REC_MOVE_CALL_ENDS: /* one that kept its P has no end */
		return 0;
	case REC_MOVE_CALL_LEAVES:
		v->left_seq = ++v->seq;
		v->left_ticks = w->tracer->now++;
		return 0;
	case REC_MOVE_CALL_BACK:
		ev = (struct tp_v1_event){.type = TP_V1_GO_SYSEXIT,
					  .args = {g->id, v->left_seq, v->left_ticks},
					  .nargs = 3};
		return put_event(v, p, &ev);
	}
	return 0;
}

/* ---- beginning and end ---- */

/* As StartTrace: creates all goroutines once more, waiting or in a system call. */
static int begin(struct rec_writer *w)
{
	struct rec_tracer *s = w->tracer;
	struct v1_writer *v = of(w);
	int code = 0;

	for (uint32_t i = 0; !code && i < s->nalive; i++) {
		struct rec_goroutine *g = &s->gs[s->alive[i]];

		code = create(v, TP_V1_NO_P, g, 0);
		if (!code && g->state == REC_G_WAITING)
			code = put_one(v, TP_V1_NO_P, TP_V1_GO_WAITING, g->id);
		/* One with a P goes on as if it were running: its end is not written. */
		if (!code && g->state == REC_G_SYSCALL && !s->ms[g->m - 1].in_call)
			code = put_one(v, TP_V1_NO_P, TP_V1_GO_IN_SYSCALL, g->id);
	}
	for (uint32_t i = 0; !code && i < s->nps; i++) {
		struct rec_machine *m = s->ps[i].m ? &s->ms[s->ps[i].m - 1] : NULL;

		if (!m)
			continue;
		code = REC_MOVE(s, P_START, m, NULL, 0, 0);
		if (!code && m->g)
			code = REC_MOVE(s, START, m, rec_g_of(s, m), 0, 0);
		if (!code && i == 0)
			code = REC_MOVE(s, PROCS, m, NULL, 0, 0);
	}
	return code;
}

static int pause_(struct rec_writer *w)
{
	(void)w;
	return 0;
}

/* As StopTrace: the goroutine that ends the trace yields. If nothing runs, a P starts and stops, so
 * that the trace lasts until its end. */
static int finish(struct rec_writer *w)
{
	struct v1_writer *v = of(w);
	struct rec_tracer *s = w->tracer;
	struct rec_machine outside = {.p = -1};
	int code = 0;

	for (uint32_t i = 0; i < s->nps; i++) {
		struct rec_machine *m = s->ps[i].m ? &s->ms[s->ps[i].m - 1] : NULL;

		if (m && m->g && rec_g_of(s, m)->state == REC_G_RUNNING) {
			code = REC_MOVE(s, BLOCK, m, NULL, REC_ON_YIELD, 0);
			return code ? code : tp_v1_encode_finish(v->e, 1000000000, 0, v->err);
		}
	}
	code = rec_tracer_take_p(s, &outside);
	if (!code)
		code = REC_MOVE(s, P_START, &outside, NULL, 0, 0);
	if (!code)
		code = REC_MOVE(s, P_STOP, &outside, NULL, 0, 0);
	return code ? code : tp_v1_encode_finish(v->e, 1000000000, 0, v->err);
}

static void free_writer(struct rec_writer *w)
{
	tp_v1_encoder_free(of(w)->e);
	free(of(w)->stacks);
	free(w);
}

int rec_v1_writer_new(struct rec_writer **w, struct rec_tracer *s, const struct tp_out *out,
		      struct tp_err *err)
{
	static const struct rec_writer ops = {
	    .begin = begin,
	    .pause = pause_,
	    .move = move,
	    .finish = finish,
	    .free = free_writer,
	};
	struct v1_writer *v = calloc(1, sizeof(*v));
	int code = 0;

	*w = NULL;
	if (!v)
		return tp_nomem(err);
	v->w = ops;
	v->w.tracer = s;
	v->err = err;
	v->nstacks = s->p->arena.header->nodes.used;
	v->stacks = malloc((v->nstacks + (size_t)1) * sizeof(*v->stacks));
	if (!v->stacks)
		code = tp_nomem(err);
	for (uint32_t i = 0; !code && i < v->nstacks; i++)
		v->stacks[i] = NOT_YET;
	if (!code)
		code = tp_v1_encoder_new(&v->e, out, err);
	if (code)
		free_writer(&v->w);
	else
		*w = &v->w;
	return code;
}
