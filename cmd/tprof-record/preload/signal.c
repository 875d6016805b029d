/* The signal by which a thread's timer asks for a CPU sample, and the functions that could take it away from us:
 * programs block all signals, or give all signals a handler. What the program does with our signal is kept
 * here; a signal of that number that somebody else has sent goes where the program wants it to go. */
#include <signal.h>
#include <string.h>

#include "tprof-record/preload/real.h"

enum { FIRST_CHOICE = 50 }; /* real-time signals that programs use are near the ends */

static int number; /* 0: none */
static struct sigaction theirs;

static void pass_on(int n, siginfo_t *info, void *context)
{
	struct sigaction is = theirs;

	if (is.sa_flags & SA_SIGINFO) {
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
	if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &rec_cpu_mark)
		rec_cpu_sample(context, info->si_overrun > 0 ? (uint32_t)info->si_overrun : 0);
	else
		pass_on(n, info, context);
}

uint32_t signal_take(void)
{
	struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};

	ours.sa_sigaction = on_signal;
	/* sigfillset leaves out the signal by which threads are cancelled. */
	memset(&ours.sa_mask, 0xff, sizeof(ours.sa_mask));
	for (int n = FIRST_CHOICE; n > SIGRTMIN && !number; n--)
		if (!REAL(sigaction)(n, NULL, &theirs) && !(theirs.sa_flags & SA_SIGINFO) &&
		    theirs.sa_handler == SIG_DFL && !REAL(sigaction)(n, &ours, NULL))
			number = n;
	return (uint32_t)number;
}

void signal_ignore(void)
{
	struct sigaction none = {.sa_handler = SIG_IGN};

	if (number)
		REAL(sigaction)(number, &none, NULL);
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

HOOK int sigaction(int n, const struct sigaction *restrict to, struct sigaction *restrict was)
{
	struct sigaction without, before = theirs;

	if (unlikely(n == number && n)) {
		if (to)
			theirs = *to;
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
#define SETS(name)                                                                                 \
	HOOK sighandler_t name(int n, sighandler_t to)                                             \
	{                                                                                          \
		sighandler_t was = theirs.sa_handler;                                              \
                                                                                                   \
		if (likely(n != number || !n))                                                     \
			return REAL(name)(n, to);                                                  \
		theirs = (struct sigaction){.sa_handler = to};                                     \
		return was;                                                                        \
	}

SETS(signal)
SETS(ssignal)
SETS(sysv_signal)
SETS(__sysv_signal)

#define MASKS(name)                                                                                \
	HOOK int name(int how, const sigset_t *restrict set, sigset_t *restrict was)               \
	{                                                                                          \
		sigset_t room;                                                                     \
                                                                                                   \
		return REAL(name)(how, how == SIG_UNBLOCK ? set : without_ours(set, &room), was);  \
	}

MASKS(sigprocmask)
MASKS(pthread_sigmask)
