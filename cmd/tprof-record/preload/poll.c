/* poll, select, epoll_wait: asked with no time first, which is all there is to it where something
 * is ready; only who has to wait pays for a record. */
#include <string.h>

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

/* `never`: the program itself does not want to wait. A call with no time may interrupt nothing, so
 * that signals which only the real wait lets in come in there. */
#define POLL(why, never, at_once, call)                                                            \
	int ready;                                                                                 \
                                                                                                   \
	if ((never) || !watching())                                                                \
		return call;                                                                       \
	ready = at_once;                                                                           \
	if (ready != 0)                                                                            \
		return ready;                                                                      \
	FD_WAITS(int, REC_BLOCK, why, 0, outcome(result), call)

static const struct timespec no_time;

HOOK int poll(struct pollfd *fds, nfds_t n, int ms)
{
	POLL(REC_ON_POLL, ms == 0, REAL(poll)(fds, n, 0), REAL(poll)(fds, n, ms));
}

HOOK int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room);
HOOK int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room)
{
	POLL(REC_ON_POLL, ms == 0, REAL(__poll_chk)(fds, n, 0, room),
	     REAL(__poll_chk)(fds, n, ms, room));
}

HOOK int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *time, const sigset_t *mask)
{
	POLL(REC_ON_POLL, is_zero(time), REAL(ppoll)(fds, n, &no_time, mask),
	     REAL(ppoll)(fds, n, time, mask));
}

HOOK int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *time,
		     const sigset_t *mask, size_t room);
HOOK int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *time,
		     const sigset_t *mask, size_t room)
{
	POLL(REC_ON_POLL, is_zero(time), REAL(__ppoll_chk)(fds, n, &no_time, mask, room),
	     REAL(__ppoll_chk)(fds, n, time, mask, room));
}

HOOK int epoll_wait(int fd, struct epoll_event *events, int n, int ms)
{
	POLL(REC_ON_POLL, ms == 0, REAL(epoll_wait)(fd, events, n, 0),
	     REAL(epoll_wait)(fd, events, n, ms));
}

HOOK int epoll_pwait(int fd, struct epoll_event *events, int n, int ms, const sigset_t *mask)
{
	POLL(REC_ON_POLL, ms == 0, REAL(epoll_pwait)(fd, events, n, 0, mask),
	     REAL(epoll_pwait)(fd, events, n, ms, mask));
}

HOOK int epoll_pwait2(int fd, struct epoll_event *events, int n, const struct timespec *time,
		      const sigset_t *mask)
{
	POLL(REC_ON_POLL, is_zero(time), REAL(epoll_pwait2)(fd, events, n, &no_time, mask),
	     REAL(epoll_pwait2)(fd, events, n, time, mask));
}

/* select overwrites what it was asked: the question with no time is asked on copies. Sets that are
 * larger than usual are not copied. */
struct sets {
	fd_set set[3];
	fd_set *asked[3], *copy[3];
	size_t size;
};

static bool copy(struct sets *s, int n, fd_set *r, fd_set *w, fd_set *e)
{
	fd_set *const of[3] = {r, w, e};

	if (n < 0 || n > FD_SETSIZE)
		return false;
	s->size = ((size_t)n + 63) / 64 * 8;
	for (int i = 0; i < 3; i++) {
		s->asked[i] = of[i];
		s->copy[i] = of[i] ? &s->set[i] : NULL;
		if (of[i])
			memcpy(&s->set[i], of[i], s->size);
	}
	return true;
}

static int answer(struct sets *s, int ready)
{
	for (int i = 0; i < 3; i++)
		if (ready > 0 && s->asked[i])
			memcpy(s->asked[i], s->copy[i], s->size);
	return ready;
}

HOOK int select(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
		struct timeval *restrict time)
{
	struct timeval zero = {0};
	struct sets s;

	POLL(REC_ON_SELECT, (time && !time->tv_sec && !time->tv_usec) || !copy(&s, n, r, w, e),
	     answer(&s, REAL(select)(n, s.copy[0], s.copy[1], s.copy[2], &zero)),
	     REAL(select)(n, r, w, e, time));
}

HOOK int pselect(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
		 const struct timespec *restrict time, const sigset_t *restrict mask)
{
	struct sets s;

	POLL(REC_ON_SELECT, is_zero(time) || !copy(&s, n, r, w, e),
	     answer(&s, REAL(pselect)(n, s.copy[0], s.copy[1], s.copy[2], &no_time, mask)),
	     REAL(pselect)(n, r, w, e, time, mask));
}
