/* The signal by which a thread's timer asks for a CPU sample, and the functions that could take it away from us:
 * programs block all signals, or give all signals a handler. What the program wants to do with our signal is
 * kept here, and done with signals of that number that do not come from our timers. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "tprof-record/preload/real.h"

enum { FIRST_CHOICE = 50 }; /* real-time signals that programs use are near the ends */

static int number; /* 0: none */
static struct sigaction theirs;
static bool ignored; /* its handler cannot return */
/* The program blocks our signal in this thread, which really it does not, or samples would stop. */
static __thread bool blocked __attribute__((tls_model("initial-exec")));

bool signal_blocked(void)
{
	return blocked;
}

void signal_inherit(bool was_blocked)
{
	blocked = was_blocked;
}

/* A signal that does not come from our timers waits until the program takes it, by sigwait for example: the thread
 * blocks it from now on, and has no samples any more, which sigwait would return. */
static void put_back(int n, siginfo_t *info, void *context)
{
	ucontext_t *thread = context;

	rec_cpu_give_up();
	sigaddset(&thread->uc_sigmask, n);
	if (info->si_code == SI_TKILL)
		syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), n, info);
	else
		syscall(SYS_rt_sigqueueinfo, getpid(), n, info);
}

static void pass_on(int n, siginfo_t *info, void *context)
{
	struct sigaction is = theirs;

	if (blocked) {
		put_back(n, info, context);
	} else if (is.sa_flags & SA_SIGINFO) {
		is.sa_sigaction(n, info, context);
	} else if (is.sa_handler == SIG_DFL) {
		/* Ends the process when our handler returns. */
		REAL(sigaction)(n, &is, NULL);
		raise(n);
	} else if (is.sa_handler != SIG_IGN) {
		is.sa_handler(n);
	}
}

static void on_signal(int n, siginfo_t *info, void *context)
{
	int error = errno;

	if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &rec_cpu_mark)
		rec_cpu_sample(context, info->si_overrun > 0 ? (uint32_t)info->si_overrun : 0);
	else
		pass_on(n, info, context);
	errno = error;
}

/* Installs our handler. Calls that the program's handler interrupts are not restarted if it says so; a sample
 * interrupts none. */
static int install(int n, bool restart)
{
	struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_ONSTACK};

	ours.sa_flags |= restart ? SA_RESTART : 0;
	ours.sa_sigaction = on_signal;
	/* sigfillset leaves out the signal by which threads are cancelled. */
	memset(&ours.sa_mask, 0xff, sizeof(ours.sa_mask));
	return REAL(sigaction)(n, &ours, NULL);
}

/* Returns whether calls are to go on after our signal: always, unless the program has a handler that says
 * otherwise. */
static bool restarts(const struct sigaction *to)
{
	bool handled =
	    to->sa_flags & SA_SIGINFO || (to->sa_handler != SIG_DFL && to->sa_handler != SIG_IGN);

	return !handled || to->sa_flags & SA_RESTART;
}

uint32_t signal_take(void)
{
	for (int n = FIRST_CHOICE; n > SIGRTMIN && !number; n--)
		if (!REAL(sigaction)(n, NULL, &theirs) && !(theirs.sa_flags & SA_SIGINFO) &&
		    theirs.sa_handler == SIG_DFL && !install(n, true))
			number = n;
	return (uint32_t)number;
}

uint32_t signal_number(void)
{
	return (uint32_t)number;
}

void signal_ignore(bool on)
{
	struct sigaction none = {.sa_handler = SIG_IGN};

	ignored = on && number;
	if (!number || !rec_may(REC_NEED_HANDLER))
		return;
	if (on)
		REAL(sigaction)(number, &none, NULL);
	else
		install(number, restarts(&theirs));
}

/* An exec resets handlers, but keeps what is ignored. */
void signal_before_exec(void)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};
	bool ignores = !(theirs.sa_flags & SA_SIGINFO) && theirs.sa_handler == SIG_IGN;

	if (number && ignores != ignored && rec_may(REC_NEED_HANDLER))
		REAL(sigaction)(number, ignores ? &theirs : &plain, NULL);
}

void signal_after_exec(void)
{
	signal_ignore(ignored);
}

/* ---- hooks ---- */

/* Returns the set without our signal, copied to `room` if it is in there. */
static const sigset_t *without_ours(const sigset_t *set, sigset_t *room)
{
	if (!set || likely(!number) || !sigismember(set, number))
		return set;
	*room = *set;
	sigdelset(room, number);
	return room;
}

/* What the program wants to do with our signal. A child of vfork has handlers of its own, but its parent's
 * memory. */
static void take(const struct sigaction *to)
{
	if (!exit_is_own_process()) {
		REAL(sigaction)(number, to, NULL);
		return;
	}
	theirs = *to;
	install(number, restarts(to));
}

HOOK int sigaction(int n, const struct sigaction *restrict to, struct sigaction *restrict was)
{
	struct sigaction without, before = theirs;

	if (unlikely(n == number && n)) {
		if (to)
			take(to);
		if (was)
			*was = before;
		return 0;
	}
	if (to && number && sigismember(&to->sa_mask, number)) {
		without = *to;
		sigdelset(&without.sa_mask, number);
		to = &without;
	}
	return REAL(sigaction)(n, to, was);
}

/* Defines a hook of a function that sets a handler. */
#define SETS(name, flags)                                                                          \
	HOOK sighandler_t name(int n, sighandler_t to)                                             \
	{                                                                                          \
		struct sigaction is = {.sa_flags = (flags)};                                       \
		sighandler_t was = theirs.sa_handler;                                              \
                                                                                                   \
		if (likely(n != number || !n))                                                     \
			return REAL(name)(n, to);                                                  \
		is.sa_handler = to;                                                                \
		take(&is);                                                                         \
		return was;                                                                        \
	}

SETS(signal, SA_RESTART)
SETS(ssignal, SA_RESTART)
SETS(bsd_signal, SA_RESTART)
SETS(sysv_signal, 0)
SETS(__sysv_signal, 0)

HOOK sighandler_t sigset(int n, sighandler_t to)
{
	struct sigaction is = {.sa_flags = 0};
	sighandler_t was = blocked ? SIG_HOLD : theirs.sa_handler;

	if (likely(n != number || !n))
		return REAL(sigset)(n, to);
	blocked = to == SIG_HOLD;
	is.sa_handler = to;
	if (!blocked)
		take(&is);
	return was;
}

HOOK int sigignore(int n)
{
	struct sigaction is = {.sa_flags = 0};

	if (likely(n != number || !n))
		return REAL(sigignore)(n);
	is.sa_handler = SIG_IGN;
	take(&is);
	return 0;
}

#define MASKS(name)                                                                                \
	HOOK int name(int how, const sigset_t *restrict set, sigset_t *restrict was)               \
	{                                                                                          \
		bool before = blocked, has = set && number && sigismember(set, number) == 1;       \
		sigset_t room;                                                                     \
		int result =                                                                       \
		    REAL(name)(how, how == SIG_UNBLOCK ? set : without_ours(set, &room), was);     \
                                                                                                   \
		if (likely(!before && !has) || result)                                             \
			return result;                                                             \
		if (was && before)                                                                 \
			sigaddset(was, number);                                                    \
		if (set)                                                                           \
			blocked = how == SIG_SETMASK ? has : has ? how == SIG_BLOCK : before;      \
		return result;                                                                     \
	}

MASKS(sigprocmask)
MASKS(pthread_sigmask)
