/* Sockets: what fd.h says for each kind of descriptor, and what flags say of the single call. */
#include "tprof-record/preload/fd.h"

/* MSG_WAITALL goes on waiting after the first bytes: what that was shows in how long it took. */
#define RECEIVE(type, fd, flags, call)                                                             \
	enum fd_kind kind = (flags)&MSG_DONTWAIT ? FD_NONBLOCKING : fd_kind(fd);                   \
                                                                                                   \
	if (kind <= FD_NONBLOCKING || !watching())                                                 \
		return call;                                                                       \
	if (!fd_ready(fd, POLLIN)) {                                                               \
		FD_WAITS(type, REC_BLOCK, REC_ON_NETWORK, fd, fd_outcome(result), call);           \
	}                                                                                          \
	if (!((flags)&MSG_WAITALL))                                                                \
		return call;                                                                       \
	FD_WAITS(type, REC_SYSCALL, REC_CALL_RECEIVE, fd, 0, call)

#define SEND(type, fd, size, flags, call)                                                          \
	enum fd_kind kind = (flags)&MSG_DONTWAIT ? FD_NONBLOCKING : fd_kind(fd);                   \
                                                                                                   \
	if (kind <= FD_NONBLOCKING || !watching())                                                 \
		return call;                                                                       \
	if (!fd_ready(fd, POLLOUT)) {                                                              \
		FD_WAITS(type, REC_BLOCK, REC_ON_NETWORK, fd, fd_outcome(result), call);           \
	}                                                                                          \
	if (size <= FD_AT_ONCE)                                                                    \
		return call;                                                                       \
	FD_WAITS(type, REC_SYSCALL, REC_CALL_SEND, fd, 0, call)

static size_t total(const struct msghdr *m)
{
	size_t size = 0;

	for (size_t i = 0; m && m->msg_iov && i < m->msg_iovlen && size <= FD_AT_ONCE; i++)
		size += m->msg_iov[i].iov_len;
	return size;
}

HOOK ssize_t recv(int fd, void *buf, size_t size, int flags)
{
	RECEIVE(ssize_t, fd, flags, REAL(recv)(fd, buf, size, flags));
}

HOOK ssize_t __recv_chk(int fd, void *buf, size_t size, size_t room, int flags);
HOOK ssize_t __recv_chk(int fd, void *buf, size_t size, size_t room, int flags)
{
	RECEIVE(ssize_t, fd, flags, REAL(__recv_chk)(fd, buf, size, room, flags));
}

HOOK ssize_t recvfrom(int fd, void *restrict buf, size_t size, int flags,
		      struct sockaddr *restrict from, socklen_t *restrict from_size)
{
	RECEIVE(ssize_t, fd, flags, REAL(recvfrom)(fd, buf, size, flags, from, from_size));
}

HOOK ssize_t __recvfrom_chk(int fd, void *restrict buf, size_t size, size_t room, int flags,
			    struct sockaddr *restrict from, socklen_t *restrict from_size);
HOOK ssize_t __recvfrom_chk(int fd, void *restrict buf, size_t size, size_t room, int flags,
			    struct sockaddr *restrict from, socklen_t *restrict from_size)
{
	RECEIVE(ssize_t, fd, flags,
		REAL(__recvfrom_chk)(fd, buf, size, room, flags, from, from_size));
}

HOOK ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	RECEIVE(ssize_t, fd, flags, REAL(recvmsg)(fd, message, flags));
}

HOOK int recvmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *time)
{
	int waits = flags & MSG_WAITFORONE ? flags : flags | MSG_WAITALL;

	RECEIVE(int, fd, waits, REAL(recvmmsg)(fd, messages, n, flags, time));
}

HOOK ssize_t send(int fd, const void *buf, size_t size, int flags)
{
	SEND(ssize_t, fd, size, flags, REAL(send)(fd, buf, size, flags));
}

HOOK ssize_t sendto(int fd, const void *buf, size_t size, int flags, const struct sockaddr *to,
		    socklen_t to_size)
{
	SEND(ssize_t, fd, size, flags, REAL(sendto)(fd, buf, size, flags, to, to_size));
}

HOOK ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	SEND(ssize_t, fd, total(message), flags, REAL(sendmsg)(fd, message, flags));
}

HOOK int sendmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags)
{
	SEND(int, fd, (size_t)n *FD_AT_ONCE, flags, REAL(sendmmsg)(fd, messages, n, flags));
}

/* ---- connections ---- */

/* A call without data: waits as a read does. */
#define ACCEPT(fd, call)                                                                           \
	enum fd_kind kind = fd_kind(fd);                                                           \
                                                                                                   \
	if (kind <= FD_NONBLOCKING || fd_ready(fd, POLLIN) || !watching())                         \
		return fresh(call);                                                                \
	FD_WAITS(int, REC_BLOCK, REC_ON_NETWORK, fd, fd_outcome(fresh(result)), call)

static inline int fresh(int fd)
{
	fd_forget(fd);
	return fd;
}

HOOK int accept(int fd, struct sockaddr *restrict from, socklen_t *restrict size)
{
	ACCEPT(fd, REAL(accept)(fd, from, size));
}

HOOK int accept4(int fd, struct sockaddr *restrict from, socklen_t *restrict size, int flags)
{
	ACCEPT(fd, REAL(accept4)(fd, from, size, flags));
}

/* On this machine (AF_UNIX) it seldom waits: there it is a call like others. */
HOOK int connect(int fd, const struct sockaddr *to, socklen_t size)
{
	enum fd_kind kind = fd_kind(fd);

	if (kind <= FD_NONBLOCKING || !watching())
		return REAL(connect)(fd, to, size);
	if (to && size >= sizeof(sa_family_t) && to->sa_family != AF_UNIX) {
		FD_WAITS(int, REC_BLOCK, REC_ON_NETWORK, fd, fd_outcome(result),
			 REAL(connect)(fd, to, size));
	}
	FD_WAITS(int, REC_SYSCALL, REC_CALL_CONNECT, fd, 0, REAL(connect)(fd, to, size));
}
