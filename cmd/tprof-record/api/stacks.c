/* Takes the stacks of all goroutines. The stack of a waiting goroutine is in the arena. Running
 * threads are asked by a signal, one after the other, and take their own stacks. If a thread does
 * not answer in time (it blocks the signal, or has no processor), its stack is the function it
 * began with. */
#include "tprof-record/api/lib.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_NS 20000000
/* For all threads together. */
#define ALL_NS 1000000000

enum { IDLE, ASKED, ANSWERING, ANSWERED };

/* The current question. */
static struct question {
	_Atomic uint32_t state;
	_Atomic uint32_t number; /* answers to older questions are ignored */
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
	/* Omit this function and the frame that the kernel made for it. */
	question.n = h->self()->depth ? 0 : (uint32_t)h->backtrace(question.pcs, API_MAX_DEPTH, 2);
	atomic_store(&question.state, ANSWERED);
	futex_wake();
	errno = saved;
}

/* Chooses the last real-time signal that has no handler. */
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

		/* Withdraw the question unless the thread is already answering, which ends soon. */
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

/* Asks a thread of this process for its stack. Returns the number of PCs; 0: it did not answer. */
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

static int gather(const struct rec_host *h, struct api_stacks *s, struct tp_err *err)
{
	uint32_t self = h->self()->g;
	size_t n = 0;
	int code;

	rec_rows_release(&s->others);
	code = rec_rows_gather(&s->others, &s->process, REC_PROFILE_GOROUTINE, &s->live, NULL, err);
	for (size_t i = 0; i < s->others.n; i++) {
		const struct rec_row *row = &s->others.row[i];

		if (row->g->id != self && !row->is_scheduler)
			s->others.row[n++] = *row;
	}
	s->others.n = n;
	return code;
}

/* Returns the tid of the kernel thread that runs a goroutine, or 0. */
static uint32_t tid_of(const struct rec_process *p, const struct rec_g *g)
{
	for (uint32_t i = 0; !g->tid && g->m && i < p->arena.header->gs.used; i++)
		if (p->arena.gs[i].id == g->m)
			return p->arena.gs[i].tid;
	return g->tid;
}

static int ask_running(const struct rec_host *h, struct api_stacks *s)
{
	uint64_t pcs[API_MAX_DEPTH], deadline = h->now() + ALL_NS;
	int code = 0;

	for (size_t i = 0; i < s->others.n && !code; i++) {
		const struct rec_g *g = s->others.row[i].g;
		uint32_t tid = tid_of(&s->process, g), n = 0;

		if (tid && g->wait.kind == REC_NOTHING)
			n = ask(h, tid, pcs, deadline);
		if (!n)
			continue;
		/* The thread was interrupted at this PC; make it look like a return address. */
		pcs[0]++;
		code = rec_live_add(&s->live, (struct rec_live_stack){
						  .g = g->id, .tid = tid, .pcs = pcs, .npcs = n});
	}
	return code;
}

int api_stacks_take(const struct rec_host *h, const uint64_t *own, size_t nown, size_t most,
		    struct api_stacks *s)
{
	struct tp_err err = {0};
	int code;

	*s = (struct api_stacks){0};
	code = api_process_copy(h, &s->process, &err);
	if (!code)
		code = gather(h, s, &err);
	if (code || s->others.n > most)
		return api_errno(code);
	code = rec_live_add(
	    &s->live, (struct rec_live_stack){
			  .g = h->self()->g, .tid = (uint32_t)gettid(), .pcs = own, .npcs = nown});
	pthread_mutex_lock(&asking);
	if (!code && choose_signal())
		code = ask_running(h, s);
	pthread_mutex_unlock(&asking);
	if (!code)
		code = gather(h, s, &err);
	return api_errno(code);
}

void api_stacks_release(struct api_stacks *s)
{
	rec_rows_release(&s->others);
	rec_live_release(&s->live);
	rec_process_free(&s->process);
}
