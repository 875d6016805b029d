/* Where everybody is. Goroutines that wait have left their stack in their place of the arena;
 * threads that run are asked with a signal, one after the other, and take their own. A thread that
 * does not answer in time (it has the signal blocked, or no processor) is not waited for: it is
 * where it began. */
#include "tprof-record/api/stacks.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tprof-record/api/goroutine.h"
#include "tprof-record/convert/process.h"

#define ANSWER_NS 20000000
/* Altogether, however many there are. */
#define ALL_NS 1000000000

enum { IDLE, ASKED, ANSWERING, ANSWERED };

/* The question that is being asked. */
static struct question {
	_Atomic uint32_t state;
	_Atomic uint32_t number; /* of the question: an answer to an older one is none */
	uint32_t n;
	uint64_t pcs[API_MAX_DEPTH];
} question;

static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
static int the_signal; /* 0: not chosen yet, -1: none is free */

void api_forget_stacks(void)
{
	asking = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	atomic_store(&question.state, IDLE);
}

static void futex_wake(void)
{
	syscall(SYS_futex, &question.state, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

static void answer(int number, siginfo_t *info, void *context)
{
	const struct rec_host *h = atomic_load(&api.host);
	uint32_t asked = ASKED;
	int saved = errno;

	(void)number;
	(void)context;
	if (info->si_pid != getpid() || !h || !api_alive(h) ||
	    (uint32_t)info->si_value.sival_int != atomic_load(&question.number) ||
	    !atomic_compare_exchange_strong(&question.state, &asked, ANSWERING)) {
		errno = saved;
		return;
	}
	/* Without this function, and what the kernel let it return to. */
	question.n = h->self()->depth ? 0 : (uint32_t)h->backtrace(question.pcs, API_MAX_DEPTH, 2);
	atomic_store(&question.state, ANSWERED);
	futex_wake();
	errno = saved;
}

/* The last real-time signal that nobody handles. */
static bool choose_signal(void)
{
	struct sigaction is, ours = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};

	ours.sa_sigaction = answer;
	sigfillset(&ours.sa_mask);
	if (the_signal > 0 && !sigaction(the_signal, NULL, &is) && is.sa_sigaction == answer)
		return true;
	the_signal = -1;
	for (int s = SIGRTMAX; s >= SIGRTMIN; s--)
		if (!sigaction(s, NULL, &is) && !(is.sa_flags & SA_SIGINFO) &&
		    is.sa_handler == SIG_DFL && !sigaction(s, &ours, NULL)) {
			the_signal = s;
			return true;
		}
	return false;
}

static uint32_t wait_for_answer(const struct rec_host *h, uint64_t until)
{
	uint32_t state;

	while ((state = atomic_load(&question.state)) != ANSWERED) {
		uint64_t now = h->now(), left = until > now ? until - now : 0;
		struct timespec wait = {.tv_nsec = (long)(left < ANSWER_NS ? left : ANSWER_NS)};
		uint32_t asked = ASKED;

		/* Once it is answering it ends soon, and writes here until then. */
		if (!left && state == ASKED &&
		    atomic_compare_exchange_strong(&question.state, &asked, IDLE))
			return 0;
		if (!left)
			wait.tv_nsec = 1000000;
		syscall(SYS_futex, &question.state, FUTEX_WAIT_PRIVATE, state, &wait, NULL, 0);
	}
	atomic_store(&question.state, IDLE);
	return question.n;
}

/* The stack of a thread of this process; how many PCs, 0 when it did not say. */
static uint32_t ask(const struct rec_host *h, uint32_t tid, uint64_t *pcs, uint64_t deadline)
{
	uint64_t now = h->now(), until = now + ANSWER_NS;
	siginfo_t info = {.si_signo = the_signal, .si_code = SI_QUEUE};
	uint32_t n;

	if (now >= deadline)
		return 0;
	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_int = (int)(atomic_fetch_add(&question.number, 1) + 1);
	atomic_store(&question.state, ASKED);
	if (syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)tid, the_signal, &info) != 0) {
		atomic_store(&question.state, IDLE);
		return 0;
	}
	n = wait_for_answer(h, until < deadline ? until : deadline);
	memcpy(pcs, question.pcs, n * sizeof(*pcs));
	return n;
}

/* ---- goroutines ---- */

/* A thread on which one of the program's own runs. */
struct host_thread {
	uint32_t m;
};

static bool is_host(const struct tp_buf *hosts, uint32_t m)
{
	const struct host_thread *t = (const void *)hosts->data;

	for (size_t i = 0; i < hosts->size / sizeof(*t); i++)
		if (t[i].m == m)
			return true;
	return false;
}

static uint32_t places(const struct rec_arena *a)
{
	uint32_t n = atomic_load_explicit(&a->header->gs.used, memory_order_acquire);

	return n < REC_NGS ? n : REC_NGS;
}

static int find_hosts(const struct rec_host *h, struct tp_buf *hosts)
{
	const struct rec_arena *a = api_arena(h);

	for (uint32_t i = 0; i < places(a); i++) {
		struct host_thread t = {atomic_load(&a->gs[i].m)};

		if (api_is_own(h, &a->gs[i], atomic_load(&a->gs[i].id)) && t.m &&
		    tp_buf_put(hosts, &t, sizeof(t)))
			return ENOMEM;
	}
	return 0;
}

static uint32_t tid_of(const struct rec_arena *a, uint32_t m)
{
	for (uint32_t i = 0; i < places(a); i++)
		if (atomic_load(&a->gs[i].id) == m)
			return a->gs[i].tid;
	return 0;
}

/* Copies a place; a wait that was being written meanwhile counts as no wait. Returns false if the
 * place is free. */
static bool read_place(const struct rec_g *from, struct rec_g *to)
{
	rec_process_copy_gs(to, from, 1);
	if (to->seq & 1)
		to->wait.kind = REC_NOTHING;
	return to->id != 0;
}

static void describe(const struct rec_host *h, const struct rec_g *from, const struct rec_g *g,
		     struct api_stack *s)
{
	bool own = api_is_own(h, from, g->id);
	bool ready = own && atomic_load(&api_g_of(h, from)->ready);

	*s = (struct api_stack){.g = g->id,
				.tid = g->tid,
				.labels = g->labels,
				.creator = g->creator,
				.create_stack = g->create_stack,
				.entry = g->entry,
				.state = API_RUNNING};
	if (g->wait.kind == REC_NOTHING && own && !g->m)
		s->state = API_RUNNABLE;
	if (g->wait.kind == REC_NOTHING)
		return;
	s->state = g->wait.kind == REC_SYSCALL ? API_IN_SYSCALL : API_WAITING;
	s->reason = g->wait.kind == REC_SYSCALL ? REC_ON_NONE : (enum rec_reason)g->wait.arg;
	s->since = g->wait.start;
	if (ready || s->reason == REC_ON_YIELD)
		s->state = API_RUNNABLE;
}

static int add_others(const struct rec_host *h, uint32_t self, const struct tp_buf *hosts,
		      bool asks, struct tp_buf *out)
{
	const struct rec_arena *a = api_arena(h);
	uint64_t deadline = h->now() + ALL_NS;

	for (uint32_t i = 0; i < places(a); i++) {
		struct api_stack s;
		struct rec_g g;

		if (!read_place(&a->gs[i], &g) || g.id == self || is_host(hosts, g.id))
			continue;
		describe(h, &a->gs[i], &g, &s);
		if (!g.tid && g.m)
			s.tid = tid_of(a, g.m);
		if (g.wait.kind != REC_NOTHING) {
			s.npcs = (uint32_t)h->stack_pcs(g.wait.stack, s.pcs, API_MAX_DEPTH);
		} else if (s.tid && asks) {
			s.npcs = ask(h, s.tid, s.pcs, deadline);
			s.exact = s.npcs;
		}
		if (!s.npcs && s.entry) {
			/* As if it had just been called: names are looked up before a PC. */
			s.pcs[0] = s.entry + 1;
			s.npcs = 1;
		}
		if (tp_buf_put(out, &s, sizeof(s)))
			return ENOMEM;
	}
	return 0;
}

int api_stacks(const struct rec_host *h, const uint64_t *own, size_t nown, bool all,
	       struct tp_buf *out)
{
	const struct rec_self *self = h->self();
	struct tp_buf hosts = {0};
	struct api_stack s = {.g = self->g, .tid = (uint32_t)gettid(), .state = API_RUNNING};
	int code;

	if (self->slot) {
		s.labels = self->slot->labels;
		s.creator = self->slot->creator;
		s.create_stack = self->slot->create_stack;
		s.entry = self->slot->entry;
	}
	s.npcs = (uint32_t)(nown < API_MAX_DEPTH ? nown : API_MAX_DEPTH);
	memcpy(s.pcs, own, s.npcs * sizeof(*own));
	if (tp_buf_put(out, &s, sizeof(s)))
		return ENOMEM;
	if (!all)
		return 0;
	pthread_mutex_lock(&asking);
	code = find_hosts(h, &hosts);
	if (!code)
		code = add_others(h, self->g, &hosts, choose_signal(), out);
	pthread_mutex_unlock(&asking);
	tp_buf_release(&hosts);
	return code;
}

size_t api_count_goroutines(const struct rec_host *h)
{
	const struct rec_arena *a = api_arena(h);
	size_t n = 0;

	for (uint32_t i = 0; i < places(a); i++) {
		uint32_t g = atomic_load(&a->gs[i].id);

		/* One that runs hides its thread. */
		if (g)
			n += !api_is_own(h, &a->gs[i], g) || !atomic_load(&a->gs[i].m);
	}
	return n;
}
