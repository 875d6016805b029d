/* Threads that wait for time to pass, for a signal, or for a child. */
#include <sys/wait.h>
#include <unistd.h>

#include "tprof-record/preload/real.h"

/* Defines a hook. `flags` is an expression of `result` and errno. */
#define WAIT(type, name, why, flags, params, ...)                                                  \
	HOOK type name params                                                                      \
	{                                                                                          \
		WAITS(REC_BLOCK, type, 0, why, flags, REAL(name)(__VA_ARGS__));                    \
	}

static inline unsigned slept(int result)
{
	return result == 0 ? REC_TIMED_OUT : errno == EINTR ? 0 : REC_DID_NOT_WAIT;
}

/* The same for functions that return the error instead of setting errno. */
static inline unsigned slept_unless(int result, int interrupted)
{
	return result == 0 ? REC_TIMED_OUT : result == interrupted ? 0 : REC_DID_NOT_WAIT;
}

/* clang-format off */
WAIT(int, nanosleep, REC_ON_SLEEP, slept(result), (const struct timespec *time, struct timespec *left), time, left)
WAIT(int, clock_nanosleep, REC_ON_SLEEP, slept_unless(result, EINTR),
     (clockid_t clock, int flags, const struct timespec *time, struct timespec *left), clock, flags, time, left)
WAIT(int, usleep, REC_ON_SLEEP, slept(result), (useconds_t us), us)
WAIT(unsigned, sleep, REC_ON_SLEEP, result == 0 ? REC_TIMED_OUT : 0, (unsigned seconds), seconds)
WAIT(int, thrd_sleep, REC_ON_SLEEP, slept_unless(result, -1),
     (const struct timespec *time, struct timespec *left), time, left)

WAIT(int, pause, REC_ON_SIGNAL, 0, (void))
WAIT(int, sigsuspend, REC_ON_SIGNAL, 0, (const sigset_t *set), set)
WAIT(int, sigwait, REC_ON_SIGNAL, result == 0 ? 0 : REC_DID_NOT_WAIT,
     (const sigset_t *restrict set, int *restrict signal), set, signal)
WAIT(int, sigwaitinfo, REC_ON_SIGNAL, call_outcome(result),
     (const sigset_t *restrict set, siginfo_t *restrict info), set, info)
WAIT(int, sigtimedwait, REC_ON_SIGNAL, call_outcome(result),
     (const sigset_t *restrict set, siginfo_t *restrict info, const struct timespec *restrict time), set, info, time)

WAIT(pid_t, wait, REC_ON_CHILD, call_outcome(result), (int *status), status)
/* clang-format on */

/* Defines a hook for a call that waits for a child, unless its options say otherwise. */
#define WAIT_FOR(type, name, params, ...)                                                          \
	HOOK type name params                                                                      \
	{                                                                                          \
		if (options & WNOHANG)                                                             \
			return REAL(name)(__VA_ARGS__);                                            \
		WAITS(REC_BLOCK, type, 0, REC_ON_CHILD, call_outcome(result),                      \
		      REAL(name)(__VA_ARGS__));                                                    \
	}

/* clang-format off */
WAIT_FOR(pid_t, waitpid, (pid_t pid, int *status, int options), pid, status, options)
WAIT_FOR(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options), type, id, info, options)
WAIT_FOR(pid_t, wait3, (int *status, int options, struct rusage *usage), status, options, usage)
WAIT_FOR(pid_t, wait4, (pid_t pid, int *status, int options, struct rusage *usage), pid, status, options, usage)
/* clang-format on */
