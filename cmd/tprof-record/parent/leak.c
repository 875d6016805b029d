/* Two looks at the process; each
 *   1. reads its map, and of every thread registers and the stack in use (it is stopped for that),
 *   2. finds out which regions are stacks, heaps of malloc, or roots,
 *   3. picks the candidates,
 *   4. follows what roots point to, then what candidates that were reached point to, and so on.
 * A word may carry marks in its upper 17 bits or lie at any multiple of 4 (in code: anywhere). */
#include "tprof-record/parent/leak.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "tprof-record/parent/blocks.h"
#include "tprof-record/parent/memory.h"
#include "tprof-record/parent/threads.h"
#include "tprof-record/parent/tracee.h"

#define MOST_BYTES ((uint64_t)4 << 30) /* per look … */
#define MOST_NS	   3000000000u	       /* … and time for it */
#define STACK_COPY ((size_t)256 << 10)
#define RED_ZONE   128
#define ADDRESS	   (((uint64_t)1 << 47) - 1)
#define PAGE	   4096
/* What glibc keeps of a thread (struct pthread), where its thread pointer points to; the mapping of
 * the stack ends behind it. */
#define DESCRIPTOR 0x940

struct thread {
	pid_t tid;
	uint32_t g; /* 0: unknown to the recorder */
	bool candidate, live;
	uint64_t sp, tp;	 /* stack and thread pointer */
	uint64_t low, limit;	 /* of the mapping of its stack; 0 where it is not one of its own */
	uint64_t object, futex;	 /* of a candidate: what it waits for */
	size_t word, nwords;	 /* what registers and stack pointed to: into search.words */
	uint64_t rest;		 /* of the stack, from here on, nothing was copied; 0 all was */
	uint64_t tls, tls_limit; /* of a candidate: the block that leads to its variables */
};

struct search {
	pid_t pid;
	const struct rec_process *p;
	struct rec_memory memory;
	struct rec_blocks blocks;
	struct thread *thread;
	size_t n, room;
	struct tp_buf words; /* uint64_t */
	struct tp_buf queue; /* struct span: reached, not looked through */
	uint8_t *copy;
	uint64_t low, high; /* no block or stack of a candidate is outside */
	int code;
	struct tp_err *err;
};

struct span {
	uint64_t start, limit;
};

static int fail(struct search *s, int code, const char *what)
{
	if (!s->code)
		s->code =
		    tp_err_set(s->err, code, TP_OFFSET_NONE,
			       "leaked threads of process %d are not known: %s", s->pid, what);
	return s->code;
}

/* ---- who waits, by what the arena says ---- */

static bool can_leak(const struct rec_g *g)
{
	if (!g->id || !g->tid || g->tid > INT32_MAX || g->wait.kind != REC_BLOCK || !g->wait.object)
		return false;
	switch (g->wait.arg) {
	case REC_ON_MUTEX:
	case REC_ON_RWLOCK_R:
	case REC_ON_RWLOCK_W:
	case REC_ON_COND:
	case REC_ON_SEMAPHORE:
	case REC_ON_BARRIER:
	case REC_ON_FUTEX:
	case REC_ON_JOIN:
		return true;
	default:
		return false;
	}
}

static const struct rec_g *find_g(const struct rec_process *p, pid_t tid)
{
	for (uint32_t i = 0; i < p->arena.header->gs.used; i++) {
		if (p->arena.gs[i].id && p->arena.gs[i].tid == (uint32_t)tid)
			return &p->arena.gs[i];
	}
	return NULL;
}

/* ---- 1: threads ---- */

/* Words that may be addresses; numbers and text mostly are not. */
static void keep_words(struct search *s, const uint8_t *byte, size_t n)
{
	for (size_t i = 0; i + 8 <= n && !s->code; i += 4) {
		uint64_t word;

		memcpy(&word, byte + i, 8);
		word &= ADDRESS;
		if (word >= PAGE * 16 && tp_buf_put(&s->words, &word, sizeof(word)))
			fail(s, TP_ENOMEM, "out of memory");
	}
}

/* The end of its stack: of the mapping, or behind the thread's descriptor, which lies at its top.
 */
static void find_stack(struct search *s, struct thread *t)
{
	const struct rec_region *r = rec_memory_find(&s->memory, t->sp);

	if (!r)
		return;
	if (r->main_stack) {
		t->low = r->start;
		t->limit = r->limit;
	} else if (r->anonymous && !r->heap && t->tp > t->sp && t->tp < r->limit) {
		t->low = r->start;
		t->limit = (t->tp + DESCRIPTOR + PAGE - 1) / PAGE * PAGE;
		if (t->limit > r->limit)
			t->limit = r->limit;
	}
}

static void visit(struct search *s, struct thread *t)
{
	struct rec_tracee at;
	size_t n = STACK_COPY;
	int failed = rec_tracee_stop(s->pid, t->tid, &at);

	if (failed == EPERM)
		fail(s, TP_EIO, "it may not be traced (ptrace)");
	else if (failed && !rec_tracee_is_dead(s->pid, t->tid))
		fail(s, TP_EIO, "a thread could not be stopped");
	if (failed) {
		t->tid = 0;
		return;
	}
	t->tp = at.thread;
	t->sp = tp_unwind_sp() < 0 ? 0 : at.state.value[tp_unwind_sp()];
	if (rec_tracee_waits(&at.call))
		t->futex = at.call.arg[0] & ADDRESS;
	find_stack(s, t);
	if (t->limit && t->limit - t->sp + RED_ZONE < n)
		n = (size_t)(t->limit - t->sp + RED_ZONE);
	n = rec_memory_read(&s->memory, t->sp - RED_ZONE, s->copy, n);
	rec_tracee_resume(s->pid, t->tid);
	t->word = s->words.size / sizeof(uint64_t);
	keep_words(s, (const uint8_t *)at.state.value, sizeof(at.state.value));
	keep_words(s, s->copy, n);
	t->nwords = s->words.size / sizeof(uint64_t) - t->word;
	if (t->limit && t->sp - RED_ZONE + n < t->limit)
		t->rest = t->sp - RED_ZONE + n;
}

static void list_threads(struct search *s)
{
	char path[64];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", s->pid);
	d = opendir(path);
	while (d && !s->code && (e = readdir(d))) {
		struct thread t = {.tid = (pid_t)strtol(e->d_name, NULL, 10)};
		const struct rec_g *g = t.tid > 0 ? find_g(s->p, t.tid) : NULL;

		if (t.tid <= 0)
			continue;
		if (s->n == s->room) {
			size_t room = s->room ? s->room * 2 : 64;
			struct thread *more = realloc(s->thread, room * sizeof(*more));

			if (!more) {
				fail(s, TP_ENOMEM, "out of memory");
				break;
			}
			s->thread = more;
			s->room = room;
		}
		t.g = g ? g->id : 0;
		s->thread[s->n++] = t;
	}
	if (d)
		closedir(d);
}

/* In a thread of its own, whose end lets everybody go. */
static void *visit_all(void *arg)
{
	struct search *s = arg;

	for (size_t i = 0; i < s->n && !s->code; i++)
		visit(s, &s->thread[i]);
	return NULL;
}

static void visit_apart(struct search *s)
{
	sigset_t all, before;
	pthread_t thread;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&thread, NULL, visit_all, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed)
		fail(s, TP_ENOMEM, "out of memory");
	else
		pthread_join(thread, NULL);
}

/* ---- 2: regions ---- */

static void claim_stacks(struct search *s)
{
	for (size_t i = 0; i < s->n && !s->code; i++) {
		struct thread *t = &s->thread[i];
		struct rec_region *r;

		if (!t->tid || !t->limit)
			continue;
		if (rec_memory_split(&s->memory, t->limit))
			fail(s, TP_ENOMEM, "out of memory");
		r = rec_memory_find(&s->memory, t->sp);
		if (!r || r->limit != t->limit || r->thread) {
			/* Two in one mapping: which is whose cannot be told. */
			if (r && r->thread)
				s->thread[r->thread - 1].limit = 0;
			t->limit = 0;
		}
		if (r)
			r->thread = (uint32_t)i + 1;
	}
	/* Those are roots as they stand. */
	for (size_t i = 0; i < s->memory.n; i++) {
		uint32_t thread = s->memory.region[i].thread;

		if (thread && !s->thread[thread - 1].limit)
			s->memory.region[i].thread = 0;
	}
}

static void find_blocks(struct search *s)
{
	s->low = UINT64_MAX;
	for (size_t i = 0; i < s->memory.n && !s->code; i++) {
		struct rec_region *r = &s->memory.region[i];
		int code = 0;

		if (r->own)
			continue;
		if (!r->thread)
			r->blocks = rec_blocks_add(&s->blocks, &s->memory, r, &code);
		if (code)
			fail(s, code, "out of memory");
		if (!r->blocks && !r->thread)
			continue;
		s->low = r->start < s->low ? r->start : s->low;
		s->high = r->limit > s->high ? r->limit : s->high;
	}
}

/* ---- 3: candidates ---- */

/* Is it at a place that can be unreachable: a block, or the stack of a thread? */
static bool is_private(const struct search *s, uint64_t address)
{
	const struct rec_region *r = rec_memory_find(&s->memory, address);

	return r && (r->blocks || r->thread);
}

/* glibc keeps on the heap where a thread's variables are (its dtv, whose address is behind the
 * thread pointer). It is nobody's business but the thread's: without this, it would be taken for
 * somebody who knows the thread's stack. */
static void set_tls_aside(struct search *s, struct thread *t)
{
	struct rec_block block;
	uint64_t dtv;

	if (rec_memory_read(&s->memory, t->tp + 8, &dtv, 8) == 8 &&
	    rec_blocks_find(&s->blocks, dtv, &block, true) && rec_block_mark(&block)) {
		t->tls = block.start;
		t->tls_limit = block.limit;
	}
}

static bool pick_candidates(struct search *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n; i++) {
		struct thread *t = &s->thread[i];
		const struct rec_region *r = rec_memory_find(&s->memory, t->sp);
		const struct rec_g *g = t->g ? find_g(s->p, t->tid) : NULL;

		if (!t->tid || !t->limit || !r || r->main_stack || !g || !can_leak(g) || !t->futex)
			continue;
		t->object = g->wait.object & ADDRESS;
		t->candidate = is_private(s, t->object) && is_private(s, t->futex);
		any |= t->candidate;
		if (t->candidate)
			set_tls_aside(s, t);
	}
	return any;
}

/* ---- 4: what is reached ---- */

static void push(struct search *s, uint64_t start, uint64_t limit)
{
	struct span span = {start, limit};

	if (start < limit && tp_buf_put(&s->queue, &span, sizeof(span)))
		fail(s, TP_ENOMEM, "out of memory");
}

static void make_live(struct search *s, struct thread *t);

/* Somebody who can run has this word. */
static void consider(struct search *s, uint64_t word)
{
	struct rec_block block;
	const struct rec_region *r;

	word &= ADDRESS;
	if (word < s->low || word >= s->high)
		return;
	if (rec_blocks_find(&s->blocks, word, &block, false)) {
		if (!rec_block_mark(&block))
			return;
		rec_blocks_find(&s->blocks, word, &block, true);
		push(s, block.start, block.limit);
		return;
	}
	r = rec_memory_find(&s->memory, word);
	/* Its descriptor everybody can find, to no effect; what is below it are its variables. */
	if (r && r->thread) {
		struct thread *t = &s->thread[r->thread - 1];

		if (t->candidate && !t->live && word >= t->sp - RED_ZONE && word < t->tp)
			make_live(s, t);
	}
}

static void consider_kept(struct search *s, const struct thread *t)
{
	for (size_t i = 0; i < t->nwords && !s->code; i++)
		consider(s, ((const uint64_t *)(const void *)s->words.data)[t->word + i]);
}

/* It can be woken: what it knows, somebody knows. The words are looked at by drain, as this is
 * called from where words are looked at. */
static void make_live(struct search *s, struct thread *t)
{
	t->live = true;
	push(s, t->sp - RED_ZONE, t->rest ? t->rest : t->limit);
	push(s, t->tls, t->tls_limit);
}

static void look_through(struct search *s, uint64_t start, uint64_t limit)
{
	const struct rec_region *r = rec_memory_find(&s->memory, start);
	uint64_t step = r && r->executable ? 1 : 4, at = start;

	/* Bounds of words are those of windows: a word across two of them is read by itself. */
	while (r && at < limit && !s->code && !s->memory.over) {
		size_t size, n;
		const uint8_t *byte = rec_memory_peek(&s->memory, r, at, &size);
		uint64_t word;

		if (size > limit - at)
			size = (size_t)(limit - at);
		n = size >= 8 ? size - 7 : 0;
		for (size_t i = 0; byte && i < n; i += step) {
			memcpy(&word, byte + i, 8);
			if ((word & ADDRESS) >= s->low)
				consider(s, word);
		}
		for (uint64_t i = at + (n + step - 1) / step * step;
		     byte && i < at + size && i + 8 <= limit; i += step) {
			if (rec_memory_read(&s->memory, i, &word, 8) == 8)
				consider(s, word);
		}
		at += size;
	}
}

static void drain(struct search *s)
{
	while (s->queue.size && !s->code && !s->memory.over) {
		struct span span;

		s->queue.size -= sizeof(span);
		memcpy(&span, s->queue.data + s->queue.size, sizeof(span));
		look_through(s, span.start, span.limit);
	}
}

/* Given to the kernel, which gives it back: what epoll and timers carry. */
static void consider_lines(struct search *s, const char *path, const char *key)
{
	char line[512];
	FILE *f = fopen(path, "re");

	while (f && fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, key);

		if (at)
			consider(s, strtoull(at + strlen(key), NULL, 16));
	}
	if (f)
		fclose(f);
}

static void consider_kernel(struct search *s)
{
	char path[64];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/timers", s->pid);
	consider_lines(s, path, "/");
	snprintf(path, sizeof(path), "/proc/%d/fdinfo", s->pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		char name[96];

		snprintf(name, sizeof(name), "%s/%.20s", path, e->d_name);
		consider_lines(s, name, "data:");
	}
	if (d)
		closedir(d);
}

static void follow_roots(struct search *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct thread *t = &s->thread[i];

		if (!t->tid || t->candidate)
			continue;
		/* A stack within a block is that block. */
		consider(s, t->sp);
		consider_kept(s, t);
		if (t->rest)
			push(s, t->rest, t->limit);
	}
	consider_kernel(s);
	drain(s);
	for (size_t i = 0; i < s->memory.n && !s->code && !s->memory.over; i++) {
		const struct rec_region *r = &s->memory.region[i];

		if (!r->own && !r->blocks && !r->thread)
			look_through(s, r->start, r->limit);
		drain(s);
	}
}

static bool is_reached(const struct search *s, uint64_t address)
{
	const struct rec_region *r = rec_memory_find(&s->memory, address);
	struct rec_block block;

	if (r && r->thread)
		return !s->thread[r->thread - 1].candidate || s->thread[r->thread - 1].live;
	return !rec_blocks_find(&s->blocks, address, &block, false) || rec_block_marked(&block);
}

static void follow_candidates(struct search *s)
{
	bool changed;

	do {
		changed = false;
		for (size_t i = 0; i < s->n && !s->code; i++) {
			struct thread *t = &s->thread[i];

			if (!t->candidate)
				continue;
			if (!t->live && (is_reached(s, t->object) || is_reached(s, t->futex)))
				make_live(s, t);
			if (!t->live)
				continue;
			/* Nobody looks for it any more: it is as one that runs. */
			t->candidate = false;
			consider_kept(s, t);
			drain(s);
			changed = true;
		}
	} while (changed && !s->code && !s->memory.over);
}

/* Still? One that was stopped needs a moment to be back in the kernel. */
static bool waits_still(const struct search *s, const struct thread *t)
{
	struct timespec moment = {.tv_nsec = 1000000};
	struct rec_tracee_call call = {.running = true};

	for (int i = 0; call.running && i < 50; i++) {
		if (i)
			nanosleep(&moment, NULL);
		if (!rec_tracee_call(s->pid, t->tid, &call))
			return false;
	}
	return rec_tracee_waits(&call) && call.sp == t->sp && (call.arg[0] & ADDRESS) == t->futex;
}

/* ---- one look, and two ---- */

static void begin(struct search *s, uint64_t now)
{
	struct tp_err err = {0};
	int code = rec_memory_open(&s->memory, s->pid, &err);

	s->memory.left = MOST_BYTES;
	s->memory.end_ns = now + MOST_NS;
	s->copy = malloc(STACK_COPY);
	/* One that is gone has no leaks. */
	if (code && code != TP_ENOENT)
		fail(s, code, err.msg);
	else if (!s->copy)
		fail(s, TP_ENOMEM, "out of memory");
}

static void release(struct search *s)
{
	rec_memory_close(&s->memory);
	rec_blocks_release(&s->blocks);
	tp_buf_release(&s->words);
	tp_buf_release(&s->queue);
	free(s->thread);
	free(s->copy);
}

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct leaked {
	uint32_t g;
	pid_t tid;
	uint64_t futex;
};

/* Appends to `found` (struct leaked). */
static int look(pid_t pid, const struct rec_process *p, struct tp_buf *found, struct tp_err *err)
{
	struct search s = {.pid = pid, .p = p, .err = err};

	begin(&s, clock_ns());
	if (!s.code)
		list_threads(&s);
	if (!s.code && s.n)
		visit_apart(&s);
	if (!s.code)
		claim_stacks(&s);
	if (!s.code)
		find_blocks(&s);
	if (!s.code && pick_candidates(&s)) {
		follow_roots(&s);
		follow_candidates(&s);
		if (s.memory.over)
			fail(&s, TP_ELIMIT, "there is more memory than can be looked through");
		for (size_t i = 0; i < s.n && !s.code; i++) {
			const struct thread *t = &s.thread[i];
			struct leaked leaked = {t->g, t->tid, t->futex};

			if (t->candidate && waits_still(&s, t) &&
			    tp_buf_put(found, &leaked, sizeof(leaked)))
				fail(&s, TP_ENOMEM, "out of memory");
		}
	}
	release(&s);
	return s.code;
}

static bool is_in(const struct tp_buf *found, const struct leaked *one)
{
	const struct leaked *l = (const struct leaked *)(const void *)found->data;

	for (size_t i = 0; i < found->size / sizeof(*l); i++) {
		if (l[i].g == one->g && l[i].tid == one->tid && l[i].futex == one->futex)
			return true;
	}
	return false;
}

static int add_to(struct rec_live *live, const struct tp_buf *first, const struct tp_buf *second)
{
	const struct leaked *l = (const struct leaked *)(const void *)second->data;
	size_t more = second->size / sizeof(*l), pcs = 0, n = live->n;
	struct rec_live_stack *stack;
	uint64_t *to;

	for (size_t i = 0; i < live->n; i++)
		pcs += live->stack[i].npcs;
	stack = malloc((live->n + more) * sizeof(*stack) + pcs * sizeof(*to));
	if (!stack)
		return TP_ENOMEM;
	to = (uint64_t *)(void *)(stack + live->n + more);
	for (size_t i = 0; i < live->n; i++) {
		stack[i] = live->stack[i];
		if (stack[i].npcs)
			memcpy(to, stack[i].pcs, stack[i].npcs * sizeof(*to));
		stack[i].pcs = to;
		to += stack[i].npcs;
	}
	for (size_t i = 0; i < more; i++) {
		if (is_in(first, &l[i]))
			stack[n++] = (struct rec_live_stack){
			    .g = l[i].g, .tid = (uint32_t)l[i].tid, .leaked = true};
	}
	rec_live_free(live);
	*live = (struct rec_live){stack, n};
	return 0;
}

int rec_live_leaks(pid_t pid, const struct rec_process *p, struct rec_live *live,
		   struct tp_err *err)
{
	struct tp_buf first = {0}, second = {0};
	bool any = false;
	int code = 0;

	for (uint32_t i = 0; i < p->arena.header->gs.used && !any; i++)
		any = can_leak(&p->arena.gs[i]);
	if (!any)
		return 0;
	code = look(pid, p, &first, err);
	if (!code && first.size)
		code = look(pid, p, &second, err);
	if (!code && second.size && add_to(live, &first, &second))
		code = tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	tp_buf_release(&first);
	tp_buf_release(&second);
	return code;
}
