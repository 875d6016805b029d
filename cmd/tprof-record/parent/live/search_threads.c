/* Reads the roots that threads hold: registers, and the stack in use. */
#include "tprof-record/parent/live/search.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "tprof-record/parent/live/tracee.h"

#define STACK_COPY ((size_t)256 << 10)
#define PAGE	   4096
/* Size of glibc's descriptor of a thread (struct pthread), at its thread pointer; the mapping of the
 * stack ends behind it. */
#define DESCRIPTOR 0x940

static const struct rec_g *find_g(const struct rec_process *p, pid_t tid)
{
	for (uint32_t i = 0; i < p->arena.header->gs.used; i++) {
		if (p->arena.gs[i].id && p->arena.gs[i].tid == (uint32_t)tid)
			return &p->arena.gs[i];
	}
	return NULL;
}

/* Keeps the words that may be addresses; most numbers and text are not. */
static void keep_words(struct rec_search *s, const uint8_t *byte, size_t n)
{
	for (size_t i = 0; i + 8 <= n && !s->code; i += 4) {
		uint64_t word;

		memcpy(&word, byte + i, 8);
		word &= REC_ADDRESS;
		if (word >= PAGE * 16 && tp_buf_put(&s->words, &word, sizeof(word)))
			rec_search_fail(s, TP_ENOMEM, "out of memory");
	}
}

/* Finds the end of a stack: that of the mapping, or behind the thread's descriptor at its top. Without
 * a guard below, the mapping may hold other data as well. */
static void find_stack(struct rec_search *s, struct rec_waiter *t)
{
	const struct rec_region *r = rec_memory_find(&s->memory, t->sp);

	if (!r)
		return;
	if (r->main_stack) {
		t->limit = r->limit;
	} else if (r->anonymous && r->guarded && !r->heap && t->tp > t->sp && t->tp < r->limit) {
		t->limit = (t->tp + DESCRIPTOR + PAGE - 1) / PAGE * PAGE;
		if (t->limit > r->limit)
			t->limit = r->limit;
	}
}

static void visit(struct rec_search *s, struct rec_waiter *t)
{
	struct rec_tracee at;
	size_t n = STACK_COPY;
	int failed = rec_tracee_stop(s->pid, t->tid, &at);

	if (failed == EPERM)
		rec_search_fail(s, TP_EIO, "it may not be traced (ptrace)");
	else if (failed && !rec_tracee_is_dead(s->pid, t->tid))
		rec_search_fail(s, TP_EIO, "a thread could not be stopped");
	if (failed) {
		t->tid = 0;
		return;
	}
	t->tp = at.thread;
	t->sp = tp_unwind_sp() < 0 ? 0 : at.state.value[tp_unwind_sp()];
	if (rec_tracee_waits(&at.call))
		t->futex = at.call.arg[0] & REC_ADDRESS;
	find_stack(s, t);
	if (t->limit && t->limit - t->sp + REC_RED_ZONE < n)
		n = (size_t)(t->limit - t->sp + REC_RED_ZONE);
	n = rec_memory_read(&s->memory, t->sp - REC_RED_ZONE, s->copy, n);
	rec_tracee_resume(s->pid, t->tid);
	t->word = s->words.size / sizeof(uint64_t);
	keep_words(s, (const uint8_t *)at.state.value, sizeof(at.state.value));
	keep_words(s, (const uint8_t *)at.vector, sizeof(at.vector));
	keep_words(s, s->copy, n);
	t->nwords = s->words.size / sizeof(uint64_t) - t->word;
	if (t->limit && t->sp - REC_RED_ZONE + n < t->limit)
		t->rest = t->sp - REC_RED_ZONE + n;
}

static void list_threads(struct rec_search *s)
{
	char path[64];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", s->pid);
	d = opendir(path);
	while (d && !s->code && (e = readdir(d))) {
		struct rec_waiter t = {.tid = (pid_t)strtol(e->d_name, NULL, 10)};
		const struct rec_g *g = t.tid > 0 ? find_g(s->p, t.tid) : NULL;

		if (t.tid <= 0)
			continue;
		if (tp_grow(&s->thread, &s->room, s->n, sizeof(*s->thread))) {
			rec_search_fail(s, TP_ENOMEM, "out of memory");
			break;
		}
		t.g = g;
		s->thread[s->n++] = t;
	}
	if (d)
		closedir(d);
}

static void *visit_all(void *arg)
{
	struct rec_search *s = arg;

	for (size_t i = 0; i < s->n && !s->code; i++)
		visit(s, &s->thread[i]);
	return NULL;
}

void rec_search_threads(struct rec_search *s)
{
	s->copy = malloc(STACK_COPY);
	if (!s->copy)
		rec_search_fail(s, TP_ENOMEM, "out of memory");
	if (!s->code)
		list_threads(s);
	if (!s->code && s->n && rec_tracee_apart(visit_all, s))
		rec_search_fail(s, TP_ENOMEM, "out of memory");
	free(s->copy);
	s->copy = NULL;
}
