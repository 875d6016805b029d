/* Sockets: what fd.h says for each kind of descriptor, and what flags say of the single call. */
#include "tprof-record/preload/fd.h"

#define TRANSFER(type, fd, flags, call)                                                            \
	enum fd_kind kind = (flags)&MSG_DONTWAIT ? FD_NONBLOCKING : fd_kind(fd);                   \
                                                                                                   \
	if (kind <= FD_NONBLOCKING || !watching())                                                 \
		return call;                                                                       \
	FD_WAITS(type, REC_ON_NETWORK, fd, fd_outcome(result), call)

HOOK ssize_t recv(int fd, void *buf, size_t size, int flags)
{
	TRANSFER(ssize_t, fd, flags, REAL(recv)(fd, buf, size, flags));
}

HOOK ssize_t __recv_chk(int fd, void *buf, size_t size, size_t room, int flags)
{
	TRANSFER(ssize_t, fd, flags, REAL(__recv_chk)(fd, buf, size, room, flags));
}

HOOK ssize_t recvfrom(int fd, void *restrict buf, size_t size, int flags,
		      struct sockaddr *restrict from, socklen_t *restrict from_size)
{
	TRANSFER(ssize_t, fd, flags, REAL(recvfrom)(fd, buf, size, flags, from, from_size));
}

HOOK ssize_t __recvfrom_chk(int fd, void *restrict buf, size_t size, size_t room, int flags,
			    struct sockaddr *restrict from, socklen_t *restrict from_size)
{
	TRANSFER(ssize_t, fd, flags,
		 REAL(__recvfrom_chk)(fd, buf, size, room, flags, from, from_size));
}

HOOK ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	TRANSFER(ssize_t, fd, flags, REAL(recvmsg)(fd, message, flags));
}

HOOK int recvmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *time)
{
	TRANSFER(int, fd, flags, REAL(recvmmsg)(fd, messages, n, flags, time));
}

HOOK ssize_t send(int fd, const void *buf, size_t size, int flags)
{
	TRANSFER(ssize_t, fd, flags, REAL(send)(fd, buf, size, flags));
}

HOOK ssize_t sendto(int fd, const void *buf, size_t size, int flags, const struct sockaddr *to,
		    socklen_t to_size)
{
	TRANSFER(ssize_t, fd, flags, REAL(sendto)(fd, buf, size, flags, to, to_size));
}

HOOK ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	TRANSFER(ssize_t, fd, flags, REAL(sendmsg)(fd, message, flags));
}

HOOK int sendmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags)
{
	TRANSFER(int, fd, flags, REAL(sendmmsg)(fd, messages, n, flags));
}

/* ---- connections ---- */

static inline int fresh(int fd)
{
	fd_forget(fd);
	return fd;
}

#define ACCEPT(fd, call)                                                                           \
	enum fd_kind kind = fd_kind(fd);                                                           \
                                                                                                   \
	if (kind <= FD_NONBLOCKING || !watching())                                                 \
		return fresh(call);                                                                \
	FD_WAITS(int, REC_ON_NETWORK, fd, fd_outcome(fresh(result)), call)

HOOK int accept(int fd, struct sockaddr *restrict from, socklen_t *restrict size)
{
	ACCEPT(fd, REAL(accept)(fd, from, size));
}

HOOK int accept4(int fd, struct sockaddr *restrict from, socklen_t *restrict size, int flags)
{
	ACCEPT(fd, REAL(accept4)(fd, from, size, flags));
}

HOOK int connect(int fd, const struct sockaddr *to, socklen_t size)
{
	TRANSFER(int, fd, 0, REAL(connect)(fd, to, size));
}
