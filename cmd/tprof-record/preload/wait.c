/* Threads that wait for time to pass, for a signal, or for a child. */
#include <sys/wait.h>
#include <unistd.h>

#include "tprof-record/preload/real.h"

#define WAIT(type, why, flags, call) WAITS(REC_BLOCK, type, 0, why, flags, call)

/* ---- time ---- */

static inline unsigned slept(int result)
{
	return result == 0 ? REC_TIMED_OUT : errno == EINTR ? 0 : REC_DID_NOT_WAIT;
}

HOOK int nanosleep(const struct timespec *time, struct timespec *left)
{
	WAIT(int, REC_ON_SLEEP, slept(result), REAL(nanosleep)(time, left));
}

HOOK int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
			 struct timespec *left)
{
	WAIT(int, REC_ON_SLEEP,
	     result == 0       ? REC_TIMED_OUT
	     : result == EINTR ? 0
			       : REC_DID_NOT_WAIT,
	     REAL(clock_nanosleep)(clock, flags, time, left));
}

HOOK int usleep(useconds_t us)
{
	WAIT(int, REC_ON_SLEEP, slept(result), REAL(usleep)(us));
}

HOOK unsigned sleep(unsigned seconds)
{
	WAIT(unsigned, REC_ON_SLEEP, result == 0 ? REC_TIMED_OUT : 0, REAL(sleep)(seconds));
}

HOOK int thrd_sleep(const struct timespec *time, struct timespec *left)
{
	WAIT(int, REC_ON_SLEEP,
	     result == 0    ? REC_TIMED_OUT
	     : result == -1 ? 0
			    : REC_DID_NOT_WAIT,
	     REAL(thrd_sleep)(time, left));
}

/* ---- signals ---- */

HOOK int pause(void)
{
	WAIT(int, REC_ON_SIGNAL, 0, REAL(pause)());
}

HOOK int sigsuspend(const sigset_t *set)
{
	WAIT(int, REC_ON_SIGNAL, 0, REAL(sigsuspend)(set));
}

HOOK int sigwait(const sigset_t *restrict set, int *restrict signal)
{
	WAIT(int, REC_ON_SIGNAL, result == 0 ? 0 : REC_DID_NOT_WAIT, REAL(sigwait)(set, signal));
}

HOOK int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	WAIT(int, REC_ON_SIGNAL, call_outcome(result), REAL(sigwaitinfo)(set, info));
}

HOOK int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
		      const struct timespec *restrict time)
{
	WAIT(int, REC_ON_SIGNAL, call_outcome(result), REAL(sigtimedwait)(set, info, time));
}

/* ---- children ---- */

HOOK pid_t wait(int *status)
{
	WAIT(pid_t, REC_ON_CHILD, call_outcome(result), REAL(wait)(status));
}

HOOK pid_t waitpid(pid_t pid, int *status, int options)
{
	if (options & WNOHANG)
		return REAL(waitpid)(pid, status, options);
	WAIT(pid_t, REC_ON_CHILD, call_outcome(result), REAL(waitpid)(pid, status, options));
}

HOOK int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	if (options & WNOHANG)
		return REAL(waitid)(type, id, info, options);
	WAIT(int, REC_ON_CHILD, call_outcome(result), REAL(waitid)(type, id, info, options));
}

HOOK pid_t wait3(int *status, int options, struct rusage *usage)
{
	if (options & WNOHANG)
		return REAL(wait3)(status, options, usage);
	WAIT(pid_t, REC_ON_CHILD, call_outcome(result), REAL(wait3)(status, options, usage));
}

HOOK pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	if (options & WNOHANG)
		return REAL(wait4)(pid, status, options, usage);
	WAIT(pid_t, REC_ON_CHILD, call_outcome(result), REAL(wait4)(pid, status, options, usage));
}
