/* poll, select, epoll_wait: waits where they took options.syscall_ns. */
#include "tprof-record/preload/fd.h"

static inline unsigned outcome(int result)
{
	if (result == 0)
		return REC_TIMED_OUT;
	return result > 0 || errno == EINTR ? 0 : REC_DID_NOT_WAIT;
}

static inline bool is_zero(const struct timespec *t)
{
	return t && !t->tv_sec && !t->tv_nsec;
}

/* `never`: the program itself does not want to wait. */
#define POLL(why, never, call)                                                                     \
	if ((never) || !watching())                                                                \
		return call;                                                                       \
	FD_WAITS(int, why, 0, outcome(result), call)

HOOK int poll(struct pollfd *fds, nfds_t n, int ms)
{
	POLL(REC_ON_POLL, ms == 0, REAL(poll)(fds, n, ms));
}

HOOK int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room)
{
	POLL(REC_ON_POLL, ms == 0, REAL(__poll_chk)(fds, n, ms, room));
}

HOOK int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *time, const sigset_t *mask)
{
	POLL(REC_ON_POLL, is_zero(time), REAL(ppoll)(fds, n, time, mask));
}

HOOK int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *time,
		     const sigset_t *mask, size_t room)
{
	POLL(REC_ON_POLL, is_zero(time), REAL(__ppoll_chk)(fds, n, time, mask, room));
}

HOOK int epoll_wait(int fd, struct epoll_event *events, int n, int ms)
{
	POLL(REC_ON_POLL, ms == 0, REAL(epoll_wait)(fd, events, n, ms));
}

HOOK int epoll_pwait(int fd, struct epoll_event *events, int n, int ms, const sigset_t *mask)
{
	POLL(REC_ON_POLL, ms == 0, REAL(epoll_pwait)(fd, events, n, ms, mask));
}

HOOK int epoll_pwait2(int fd, struct epoll_event *events, int n, const struct timespec *time,
		      const sigset_t *mask)
{
	POLL(REC_ON_POLL, is_zero(time), REAL(epoll_pwait2)(fd, events, n, time, mask));
}

HOOK int select(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
		struct timeval *restrict time)
{
	POLL(REC_ON_SELECT, time && !time->tv_sec && !time->tv_usec,
	     REAL(select)(n, r, w, e, time));
}

HOOK int pselect(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
		 const struct timespec *restrict time, const sigset_t *restrict mask)
{
	POLL(REC_ON_SELECT, is_zero(time), REAL(pselect)(n, r, w, e, time, mask));
}
