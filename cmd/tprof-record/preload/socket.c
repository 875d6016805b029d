/* Sockets: the rules of fd.h for each kind of descriptor, and the flags of the single call. */
#include "tprof-record/preload/fd.h"

/* Returns the result of a call that makes a descriptor. */
static inline int fresh(int fd)
{
	fd_forget(fd);
	return fd;
}

#define WAIT(type, flags, call)                                                                    \
	enum fd_kind kind = (flags)&MSG_DONTWAIT ? FD_NONBLOCKING : fd_kind(fd);                   \
                                                                                                   \
	FD_WAITS(type, REC_ON_NETWORK, fd, kind <= FD_NONBLOCKING, fd_outcome(result), call)

/* Defines a hook for a call that has flags. */
#define TRANSFER(type, name, params, ...)                                                          \
	HOOK type name params                                                                      \
	{                                                                                          \
		WAIT(type, flags, REAL(name)(__VA_ARGS__));                                        \
	}

/* clang-format off */
TRANSFER(ssize_t, recv, (int fd, void *buf, size_t size, int flags), fd, buf, size, flags)
TRANSFER(ssize_t, __recv_chk, (int fd, void *buf, size_t size, size_t room, int flags), fd, buf, size, room, flags)
TRANSFER(ssize_t, recvfrom,
	 (int fd, void *restrict buf, size_t size, int flags, struct sockaddr *restrict from,
	  socklen_t *restrict from_size), fd, buf, size, flags, from, from_size)
TRANSFER(ssize_t, __recvfrom_chk,
	 (int fd, void *restrict buf, size_t size, size_t room, int flags, struct sockaddr *restrict from,
	  socklen_t *restrict from_size), fd, buf, size, room, flags, from, from_size)
TRANSFER(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), fd, message, flags)
TRANSFER(int, recvmmsg, (int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *time),
	 fd, messages, n, flags, time)
TRANSFER(ssize_t, send, (int fd, const void *buf, size_t size, int flags), fd, buf, size, flags)
TRANSFER(ssize_t, sendto,
	 (int fd, const void *buf, size_t size, int flags, const struct sockaddr *to, socklen_t to_size),
	 fd, buf, size, flags, to, to_size)
TRANSFER(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), fd, message, flags)
TRANSFER(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned n, int flags), fd, messages, n, flags)
/* clang-format on */

/* Defines a hook for a call without flags. */
#define CALL(name, params, call)                                                                   \
	HOOK int name params                                                                       \
	{                                                                                          \
		WAIT(int, 0, call);                                                                \
	}

/* clang-format off */
CALL(accept, (int fd, struct sockaddr *restrict from, socklen_t *restrict size), fresh(REAL(accept)(fd, from, size)))
/* The flags of accept4 are those of the new descriptor. */
CALL(accept4, (int fd, struct sockaddr *restrict from, socklen_t *restrict size, int flags),
     fresh(REAL(accept4)(fd, from, size, flags)))
CALL(connect, (int fd, const struct sockaddr *to, socklen_t size), REAL(connect)(fd, to, size))
/* clang-format on */
