/* read, write and similar calls: the rules of fd.h for each kind of descriptor. */
#include "tprof-record/preload/fd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* Defines a hook for a call that reads or writes. */
#define TRANSFER(name, call, params, ...)                                                          \
	HOOK ssize_t name params                                                                   \
	{                                                                                          \
		enum fd_kind kind = fd_kind(fd);                                                   \
                                                                                                   \
		FD_TRANSFER(ssize_t, call, fd, kind, fd_outcome(result), REAL(name)(__VA_ARGS__)); \
	}

/* Defines a hook for a call at an offset in a file: it takes time, but waits for no other thread. */
#define TRANSFER_AT(name, call, params, ...)                                                       \
	HOOK ssize_t name params                                                                   \
	{                                                                                          \
		FD_TIMED(ssize_t, call, fd, REAL(name)(__VA_ARGS__));                              \
	}

/* clang-format off */
TRANSFER(read, REC_CALL_READ, (int fd, void *buf, size_t size), fd, buf, size)
TRANSFER(__read_chk, REC_CALL_READ, (int fd, void *buf, size_t size, size_t room), fd, buf, size, room)
TRANSFER(readv, REC_CALL_READ, (int fd, const struct iovec *iov, int n), fd, iov, n)
TRANSFER(write, REC_CALL_WRITE, (int fd, const void *buf, size_t size), fd, buf, size)
TRANSFER(writev, REC_CALL_WRITE, (int fd, const struct iovec *iov, int n), fd, iov, n)

TRANSFER_AT(pread, REC_CALL_READ, (int fd, void *buf, size_t size, off_t at), fd, buf, size, at)
TRANSFER_AT(pread64, REC_CALL_READ, (int fd, void *buf, size_t size, off64_t at), fd, buf, size, at)
TRANSFER_AT(__pread_chk, REC_CALL_READ,
	    (int fd, void *buf, size_t size, off_t at, size_t room), fd, buf, size, at, room)
TRANSFER_AT(__pread64_chk, REC_CALL_READ,
	    (int fd, void *buf, size_t size, off64_t at, size_t room), fd, buf, size, at, room)
TRANSFER_AT(pwrite, REC_CALL_WRITE, (int fd, const void *buf, size_t size, off_t at), fd, buf, size, at)
TRANSFER_AT(pwrite64, REC_CALL_WRITE, (int fd, const void *buf, size_t size, off64_t at), fd, buf, size, at)
TRANSFER_AT(preadv, REC_CALL_READ, (int fd, const struct iovec *iov, int n, off_t at), fd, iov, n, at)
TRANSFER_AT(preadv64, REC_CALL_READ, (int fd, const struct iovec *iov, int n, off64_t at), fd, iov, n, at)
TRANSFER_AT(pwritev, REC_CALL_WRITE, (int fd, const struct iovec *iov, int n, off_t at), fd, iov, n, at)
TRANSFER_AT(pwritev64, REC_CALL_WRITE, (int fd, const struct iovec *iov, int n, off64_t at), fd, iov, n, at)
TRANSFER_AT(preadv2, REC_CALL_READ,
	    (int fd, const struct iovec *iov, int n, off_t at, int flags), fd, iov, n, at, flags)
TRANSFER_AT(preadv64v2, REC_CALL_READ,
	    (int fd, const struct iovec *iov, int n, off64_t at, int flags), fd, iov, n, at, flags)
TRANSFER_AT(pwritev2, REC_CALL_WRITE,
	    (int fd, const struct iovec *iov, int n, off_t at, int flags), fd, iov, n, at, flags)
TRANSFER_AT(pwritev64v2, REC_CALL_WRITE,
	    (int fd, const struct iovec *iov, int n, off64_t at, int flags), fd, iov, n, at, flags)
TRANSFER_AT(sendfile, REC_CALL_WRITE, (int fd, int in, off_t *at, size_t size), fd, in, at, size)
TRANSFER_AT(sendfile64, REC_CALL_WRITE, (int fd, int in, off64_t *at, size_t size), fd, in, at, size)
/* clang-format on */

/* ---- to the disk: long enough to be shown while it lasts ---- */

#define SYNC(name, fd, params, ...)                                                                \
	HOOK int name params                                                                       \
	{                                                                                          \
		WAITS(REC_SYSCALL, int, (int64_t)(fd), REC_CALL_SYNC, REC_SYSCALL_BLOCKED,         \
		      REAL(name)(__VA_ARGS__));                                                    \
	}

SYNC(fsync, fd, (int fd), fd)
SYNC(fdatasync, fd, (int fd), fd)
SYNC(syncfs, fd, (int fd), fd)
SYNC(msync, -1, (void *start, size_t size, int flags), start, size, flags)
