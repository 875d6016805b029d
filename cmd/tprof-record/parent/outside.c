/* Where a function finds its frame by the frame pointer, which is not known unless the functions below have saved
 * it, the code at its beginning says how large the frame is (prologue.h). Where that does not help, the stack is
 * cut: its outermost frame says so. */
#include "tprof-record/parent/outside.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/idmap.h"
#include "base/many.h"
#include "tprof-record/core/core.h"
#include "tprof-record/parent/copied.h"
#include "tprof-record/convert/names/names.h"
#include "tprof-record/parent/live/tracee.h"
#include "tprof-record/parent/prologue.h"

enum {
	QUICK_NS =
	    REC_OUTSIDE_NS / 2, /* between rounds, and how long a thread has waited at least … */
	SLOW_NS = 20000000,	/* … and while nothing has happened for that many rounds: */
	QUIET_ROUNDS = 20,
	SHARE = 50,		 /* rounds take 1 / SHARE of the time, after … */
	MOST_ROUND_NS = 2000000, /* of CPU time */
	COPY = 64 << 10,	 /* bytes of a stack */
	CODE = 16 << 10,	 /* … and of a function */
	MOST_LOOKS = 1 << 20,
	MOST_WORDS = 1 << 22, /* of all stacks */
};

#if defined(__x86_64__)
enum { READS_CODE = 1 };
#else
enum { READS_CODE = 0 };
#endif

/* … this long at first and after quiet times: reading the unwinding tables of files takes some ms. */
#define CREDIT_NS INT64_C(2500000000)

struct rec_outside_looks {
	struct rec_outside_looks *next;
	struct rec_image *image;
	struct rec_copied copied;
	uint64_t looked
	    [REC_NGS];	  /* by place of the goroutine: the begin of the wait that was read last */
	uint32_t at;	  /* the first place of the next round */
	uint32_t modules; /* mapped files when the unwinder last read them */
	bool denied;
	bool in_call; /* the stack that is read is that of a system call */
	struct rec_look *look;
	size_t n, room;
	/* Stacks, one behind the other, each after its length. Their numbers are offsets + 1. */
	uint64_t *words;
	size_t nwords, room_words;
	struct tp_ids stack_of; /* by hash */
};

struct rec_outside {
	struct rec_switches *switches;
	pthread_t thread;
	bool begun;
	pthread_mutex_t lock; /* what follows */
	pthread_cond_t bell;
	bool over;
	struct rec_outside_looks *all,
	    *next;  /* where the next round begins; NULL: with the first */
	char *copy; /* COPY bytes */
};

/* ---- stacks ---- */

static uint64_t hash(const uint64_t *pcs, size_t n)
{
	uint64_t h = n;

	for (size_t i = 0; i < n; i++)
		h = (h ^ pcs[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
	return h | (uint64_t)1 << 63;
}

/* The unwinder takes the PC for that of interrupted code; behind a system call it is a return address. */
static uint32_t add_stack(void *looks, const uint64_t *found, size_t n, bool cut)
{
	struct rec_outside_looks *l = looks;
	uint64_t pcs[REC_MAX_DEPTH], h;
	uint32_t at;

	memcpy(pcs, found, n * sizeof(*pcs));
	pcs[0] -= l->in_call;
	if (cut) /* so n < REC_MAX_DEPTH */
		pcs[n++] = REC_CUT_STACK_PC;
	h = hash(pcs, n);
	at = tp_ids_get(&l->stack_of, h);
	if (at != TP_NO_ID && l->words[at] == n &&
	    !memcmp(&l->words[at + 1], pcs, n * sizeof(*pcs)))
		return at + 1;
	at = (uint32_t)l->nwords;
	if (l->nwords + n >= MOST_WORDS ||
	    tp_grow_raw(&l->words, &l->room_words, l->nwords + n, sizeof(*l->words)) ||
	    tp_ids_put(&l->stack_of, h, at))
		return 0;
	l->words[l->nwords++] = n;
	memcpy(&l->words[l->nwords], pcs, n * sizeof(*pcs));
	l->nwords += n;
	return at + 1;
}

/* Returns where the mapped file begins that has code at `pc`, or 0. */
static uint64_t code_start(const struct rec_outside_looks *l, uint64_t pc)
{
	const struct rec_arena *a = &l->image->arena;
	uint32_t used = atomic_load_explicit(&a->header->modules.used, memory_order_acquire);

	for (uint32_t i = 0; i < used && i < REC_NMODULES; i++)
		if (pc > a->modules[i].start && pc < a->modules[i].limit)
			return a->modules[i].start;
	return 0;
}

/* Reads the code before `pc` into `code`. Returns its size, at most `room` bytes; 0 if it cannot be read. */
static size_t read_code(const struct rec_outside_looks *l, uint64_t pc, uint8_t *code, size_t room)
{
	uint64_t start = code_start(l, pc);
	size_t size = start && pc - start < room ? (size_t)(pc - start) : room;
	struct iovec to = {code, size}, from = {(void *)(uintptr_t)(pc - size), size}; /* NOLINT */

	if (!start || process_vm_readv(l->copied.pid, &to, 1, &from, 1, 0) != (ssize_t)size)
		return 0;
	return size;
}

/* The return address has to be where the size of the frame says. */
static uint64_t find_frame(void *looks, uint64_t pc, uint64_t sp)
{
	const struct rec_outside_looks *l = looks;
	uint8_t code[CODE];
	uint64_t size = rec_prologue_size(code, read_code(l, pc, code, CODE)), back;

	if (size == REC_PROLOGUE_UNKNOWN || (sp + size) & 15 ||
	    !rec_copied_word(&l->copied, sp + size + 8, &back) ||
	    !rec_prologue_calls(code, read_code(l, back, code, 8)))
		return 0;
	return sp + size;
}

static void set(struct tp_unwind_state *s, int number, uint64_t value)
{
	s->value[number] = value;
	s->known |= 1ull << number;
}

/* Copies the stack of a thread. Returns whether it could. */
static bool copy_stack(struct rec_outside *o, struct rec_copied *c, uint64_t sp)
{
	struct iovec to = {o->copy, COPY}, from = {(void *)(uintptr_t)sp, COPY}; /* NOLINT */
	ssize_t n = process_vm_readv(c->pid, &to, 1, &from, 1, 0);

	c->copy = o->copy;
	c->low = sp;
	c->size = n > 0 ? (size_t)n : 0;
	c->room = COPY;
	return n > 0;
}

static uint32_t unwind(struct rec_outside_looks *l, const struct rec_tracee_call *call)
{
	struct rec_copied *c = &l->copied;
	struct tp_unwind_state state = {.pc = call->pc};
	uint32_t modules = atomic_load(&l->image->arena.header->modules.used);

	set(&state, tp_unwind_sp(), call->sp);
#if defined(__x86_64__)
	set(&state, 16, call->pc);
#endif
	c->files_changed = l->modules != modules;
	l->modules = modules;
	l->in_call = !call->running;
	if (!c->unwinder && rec_copied_files(c, NULL))
		return 0;
	return rec_copied_stack(c, &state);
}

/* ---- threads ---- */

/* Notes why a thread could not be looked at, if that is not because it has ended. */
static void note_denied(struct rec_outside_looks *l)
{
	l->denied |= errno == EPERM || errno == EACCES || errno == ENOSYS;
}

static void look_at(struct rec_outside *o, struct rec_outside_looks *l, uint32_t tid)
{
	struct rec_look look = {.tid = tid, .start = rec_now()};
	struct rec_tracee_call call;

	errno = 0;
	if (!rec_tracee_call(l->copied.pid, (pid_t)tid, &call)) {
		note_denied(l);
		return;
	}
	if (!call.sp || tp_unwind_sp() < 0 || l->n == MOST_LOOKS)
		return;
	if (!copy_stack(o, &l->copied, call.sp)) {
		note_denied(l);
		return;
	}
	look.end = rec_now();
	look.stack = unwind(l, &call);
	if (look.stack && !tp_grow_raw(&l->look, &l->room, l->n, sizeof(*l->look)))
		l->look[l->n++] = look;
}

/* Looks at a thread if it waits, no hook sees that, and it has not been looked at since the wait began. */
static void visit(struct rec_outside *o, struct rec_outside_looks *l, uint32_t place)
{
	const struct rec_g *g = &l->image->arena.gs[place];
	uint32_t tid = g->tid;
	uint64_t off;

	if (!g->id || !tid || tid > INT32_MAX || g->wait.kind != REC_NOTHING)
		return;
	off = rec_switches_off(o->switches, tid);
	if (!off || off == l->looked[place] || rec_now() < off + QUICK_NS)
		return;
	l->looked[place] = off;
	look_at(o, l, tid);
}

static uint64_t used_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns false if the limit was reached. */
static bool visit_all(struct rec_outside *o, struct rec_outside_looks *l, uint64_t limit)
{
	uint32_t used = atomic_load(&l->image->arena.header->gs.used);

	if (used > REC_NGS)
		used = REC_NGS;
	for (uint32_t i = 0; i < used; i++) {
		if (++l->at >= used)
			l->at = 0;
		visit(o, l, l->at);
		if (!(i & 15) && used_ns() > limit)
			return false;
	}
	return true;
}

/* Visits all images, beginning with the one at which the last round reached its limit. */
static void visit_images(struct rec_outside *o, uint64_t limit)
{
	struct rec_outside_looks *first = o->next ? o->next : o->all, *l = first;

	while (l && visit_all(o, l, limit)) {
		l = l->next ? l->next : o->all;
		if (l == first)
			break;
	}
	o->next = l;
}

static void *work(void *arg)
{
	struct rec_outside *o = arg;
	uint64_t idle, last = rec_now();
	unsigned quiet = 0;
	int64_t debt = -CREDIT_NS; /* the time that has to pass before the next round */

	pthread_setname_np(pthread_self(), "tprof-outside");
	/* If permitted, as the wait may soon be over. */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), -10);
	pthread_mutex_lock(&o->lock);
	while (!o->over) {
		uint64_t before = used_ns(), now, at;

		quiet = rec_switches_take(o->switches) ? 0 : quiet + 1;
		idle = quiet < QUIET_ROUNDS ? QUICK_NS : SLOW_NS;
		visit_images(o, before + MOST_ROUND_NS);
		now = rec_now();
		debt += (int64_t)((used_ns() - before) * SHARE) - (int64_t)(now - last);
		if (debt < -CREDIT_NS)
			debt = -CREDIT_NS;
		last = now;
		at = now + (debt > (int64_t)idle ? (uint64_t)debt : idle);
		pthread_cond_timedwait(&o->bell, &o->lock,
				       &(struct timespec){.tv_sec = (time_t)(at / 1000000000u),
							  .tv_nsec = (long)(at % 1000000000u)});
	}
	pthread_mutex_unlock(&o->lock);
	return NULL;
}

/* ---- beginning and end ---- */

struct rec_outside *rec_outside_begin(struct rec_switches *switches)
{
	struct rec_outside *o = rec_switches_notice(switches) ? calloc(1, sizeof(*o)) : NULL;
	pthread_condattr_t attr;

	if (!o)
		return NULL;
	o->switches = switches;
	pthread_mutex_init(&o->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&o->bell, &attr);
	pthread_condattr_destroy(&attr);
	return o;
}

void rec_outside_start(struct rec_outside *o)
{
	if (o && !o->begun && (o->copy = malloc(COPY)))
		o->begun = !pthread_create(&o->thread, NULL, work, o);
}

void rec_outside_end(struct rec_outside *o)
{
	if (!o)
		return;
	pthread_mutex_lock(&o->lock);
	o->over = true;
	pthread_cond_signal(&o->bell);
	pthread_mutex_unlock(&o->lock);
	if (o->begun)
		pthread_join(o->thread, NULL);
	while (o->all)
		rec_outside_free(rec_outside_remove(o, o->all->image));
	pthread_cond_destroy(&o->bell);
	pthread_mutex_destroy(&o->lock);
	free(o->copy);
	free(o);
}

void rec_outside_add(struct rec_outside *o, struct rec_image *image)
{
	struct rec_outside_looks *l = o ? calloc(1, sizeof(*l)) : NULL;
	uint32_t depth;

	if (!l)
		return;
	depth = image->arena.header->options.depth;
	l->image = image;
	l->copied.pid = image->pid;
	l->copied.depth = depth && depth < REC_MAX_DEPTH ? depth : REC_MAX_DEPTH;
	l->copied.add = add_stack;
	l->copied.frame = READS_CODE ? find_frame : NULL;
	l->copied.ctx = l;
	pthread_mutex_lock(&o->lock);
	l->next = o->all;
	o->all = l;
	pthread_mutex_unlock(&o->lock);
}

struct rec_outside_looks *rec_outside_remove(struct rec_outside *o, struct rec_image *image)
{
	struct rec_outside_looks **p, *l;

	if (!o)
		return NULL;
	pthread_mutex_lock(&o->lock);
	for (p = &o->all; *p && (*p)->image != image; p = &(*p)->next)
		;
	l = *p;
	if (l)
		*p = l->next;
	if (o->next == l)
		o->next = NULL;
	pthread_mutex_unlock(&o->lock);
	if (l)
		rec_copied_release(&l->copied);
	return l;
}

void rec_outside_free(struct rec_outside_looks *l)
{
	if (!l)
		return;
	rec_copied_release(&l->copied);
	tp_ids_release(&l->stack_of);
	free(l->words);
	free(l->look);
	free(l);
}

/* ---- the result ---- */

/* Adds a stack to an arena that only we use. Returns its node, or 0 if there is no room. */
static uint32_t add_nodes(struct rec_arena *a, const uint64_t *pcs, uint64_t n)
{
	uint32_t used = a->header->nodes.used;

	if (!used || n > REC_MAX_DEPTH || used + n > REC_NNODES(a->scale))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		a->nodes[used + i] = (struct rec_node){
		    .pc = pcs[n - 1 - i], .parent = i ? used + i - 1 : 0, .depth = i + 1};
	a->header->nodes.used = used + (uint32_t)n;
	return used + (uint32_t)n - 1;
}

void rec_outside_put(struct rec_outside_looks *l, struct rec_process *p, bool *denied)
{
	uint32_t *node;

	if (!l)
		return;
	*denied = l->denied;
	node = calloc(l->nwords + 1, sizeof(*node));
	if (!node)
		return;
	for (size_t at = 0; at < l->nwords; at += 1 + l->words[at])
		node[at] = add_nodes(&p->arena, &l->words[at + 1], l->words[at]);
	for (size_t i = 0; i < l->n; i++)
		l->look[i].stack = node[l->look[i].stack - 1];
	free(node);
	p->looks = l->look;
	p->nlooks = l->n;
}
