/* poll, select, epoll_wait: waits that took at least options.syscall_ns. */
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

/* Defines a hook; `never`: the program asks not to wait. */
#define POLL(name, why, never, params, ...)                                                        \
	HOOK int name params                                                                       \
	{                                                                                          \
		FD_WAITS(int, why, 0, never, outcome(result), REAL(name)(__VA_ARGS__));            \
	}

/* clang-format off */
POLL(poll, REC_ON_POLL, ms == 0, (struct pollfd *fds, nfds_t n, int ms), fds, n, ms)
POLL(__poll_chk, REC_ON_POLL, ms == 0, (struct pollfd *fds, nfds_t n, int ms, size_t room), fds, n, ms, room)
POLL(ppoll, REC_ON_POLL, is_zero(time),
     (struct pollfd *fds, nfds_t n, const struct timespec *time, const sigset_t *mask), fds, n, time, mask)
POLL(__ppoll_chk, REC_ON_POLL, is_zero(time),
     (struct pollfd *fds, nfds_t n, const struct timespec *time, const sigset_t *mask, size_t room),
     fds, n, time, mask, room)
POLL(epoll_wait, REC_ON_POLL, ms == 0, (int fd, struct epoll_event *events, int n, int ms), fd, events, n, ms)
POLL(epoll_pwait, REC_ON_POLL, ms == 0,
     (int fd, struct epoll_event *events, int n, int ms, const sigset_t *mask), fd, events, n, ms, mask)
POLL(epoll_pwait2, REC_ON_POLL, is_zero(time),
     (int fd, struct epoll_event *events, int n, const struct timespec *time, const sigset_t *mask),
     fd, events, n, time, mask)
POLL(select, REC_ON_SELECT, time && !time->tv_sec && !time->tv_usec,
     (int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e, struct timeval *restrict time),
     n, r, w, e, time)
POLL(pselect, REC_ON_SELECT, is_zero(time),
     (int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
      const struct timespec *restrict time, const sigset_t *restrict mask), n, r, w, e, time, mask)
/* clang-format on */
