#include "tprof-record/parent/live/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tprof-record/parent/live/tracee.h"

/* Bytes of a stack that are copied while its thread is stopped; frames beyond are read later. */
#define STACK_COPY ((size_t)256 << 10)

struct visit {
	pid_t pid;
	const struct rec_process *p;
	struct tp_unwinder *u;
	int memory; /* of the process */
	uint8_t *copy;
	uint64_t low;
	size_t ncopied;
	struct rec_live *live;
	size_t refused;
	int code;
};

/* ---- one thread ---- */

static bool read_word(void *ctx, uint64_t address, uint64_t *value)
{
	struct visit *v = ctx;

	if (address >= v->low && address - v->low + 8 <= v->ncopied) {
		memcpy(value, v->copy + (address - v->low), 8);
		return true;
	}
	return address <= INT64_MAX && pread(v->memory, value, 8, (off_t)address) == 8;
}

static void copy_stack(struct visit *v, const struct tp_unwind_state *state)
{
	ssize_t n = -1;

	v->ncopied = 0;
	if (tp_unwind_sp() < 0)
		return;
	v->low = state->value[tp_unwind_sp()];
	if (v->low <= INT64_MAX)
		n = pread(v->memory, v->copy, STACK_COPY, (off_t)v->low);
	if (n > 0)
		v->ncopied = (size_t)n;
}

static void visit_thread(struct visit *v, uint32_t g, uint32_t tid)
{
	struct rec_tracee at;
	uint64_t pcs[REC_MAX_DEPTH];
	int failed = rec_tracee_stop(v->pid, (pid_t)tid, &at);
	bool cut;

	if (failed == EPERM)
		v->refused++;
	if (failed)
		return;
	copy_stack(v, &at.state);
	rec_tracee_resume(v->pid, (pid_t)tid);
	at.state.word = read_word;
	at.state.ctx = v;
	v->code = rec_live_add(
	    v->live, (struct rec_live_stack){
			 .g = g,
			 .tid = tid,
			 .pcs = pcs,
			 .npcs = tp_unwinder_stack(v->u, &at.state, pcs, REC_MAX_DEPTH, &cut),
		     });
}

/* ---- all of them ---- */

/* Returns the program's own goroutine that runs on a kernel thread, or the thread's. */
static uint32_t running_on(const struct rec_process *p, const struct rec_g *thread)
{
	for (uint32_t i = 0; i < p->arena.header->gs.used; i++) {
		const struct rec_g *g = &p->arena.gs[i];

		if (g->id && !g->tid && g->m && g->m == thread->m && !g->wait.stack)
			return g->id;
	}
	return thread->id;
}

static void *visit_all(void *arg)
{
	struct visit *v = arg;

	for (uint32_t i = 0; i < v->p->arena.header->gs.used && !v->code; i++) {
		const struct rec_g *g = &v->p->arena.gs[i];

		if (g->id && g->tid && !g->wait.stack && g->tid <= INT32_MAX)
			visit_thread(v, running_on(v->p, g), g->tid);
	}
	return NULL;
}

static bool open_process(struct visit *v)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", v->pid);
	v->memory = open(path, O_RDONLY | O_CLOEXEC);
	if (v->memory < 0 && errno != ENOENT && errno != ESRCH)
		v->refused++;
	return v->memory >= 0 && !tp_unwinder_new(&v->u, v->pid, NULL);
}

int rec_live_stacks(pid_t pid, const struct rec_process *p, struct rec_live *live,
		    struct tp_err *err)
{
	struct visit v = {.pid = pid, .p = p, .memory = -1, .live = live};

	*live = (struct rec_live){0};
	v.copy = malloc(STACK_COPY);
	if (!v.copy)
		return tp_nomem(err);
	if (open_process(&v) && rec_tracee_apart(visit_all, &v))
		v.code = TP_ENOMEM;
	tp_unwinder_free(v.u);
	if (v.memory >= 0)
		close(v.memory);
	free(v.copy);
	if (v.code)
		return tp_nomem(err);
	if (v.refused)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
				  "process %d may not be traced (ptrace): its running threads have "
				  "no stacks",
				  pid);
	return 0;
}
