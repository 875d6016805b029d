/* read, write and their kin: what fd.h says for each kind of descriptor. */
#include "tprof-record/preload/fd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#define TRANSFER(fd, kind_of_call, call)                                                           \
	enum fd_kind kind = fd_kind(fd);                                                           \
                                                                                                   \
	if (kind == FD_FILE) {                                                                     \
		FD_TIMED(ssize_t, kind_of_call, fd, call);                                         \
	}                                                                                          \
	if (kind <= FD_NONBLOCKING || !watching())                                                 \
		return call;                                                                       \
	FD_WAITS(ssize_t, fd_reason(kind), fd, fd_outcome(result), call)

HOOK ssize_t read(int fd, void *buf, size_t size)
{
	TRANSFER(fd, REC_CALL_READ, REAL(read)(fd, buf, size));
}

HOOK ssize_t __read_chk(int fd, void *buf, size_t size, size_t room)
{
	TRANSFER(fd, REC_CALL_READ, REAL(__read_chk)(fd, buf, size, room));
}

HOOK ssize_t readv(int fd, const struct iovec *iov, int n)
{
	TRANSFER(fd, REC_CALL_READ, REAL(readv)(fd, iov, n));
}

HOOK ssize_t write(int fd, const void *buf, size_t size)
{
	TRANSFER(fd, REC_CALL_WRITE, REAL(write)(fd, buf, size));
}

HOOK ssize_t writev(int fd, const struct iovec *iov, int n)
{
	TRANSFER(fd, REC_CALL_WRITE, REAL(writev)(fd, iov, n));
}

/* ---- at a place in a file: these take time, and wait for nobody ---- */

HOOK ssize_t pread(int fd, void *buf, size_t size, off_t at)
{
	FD_TIMED(ssize_t, REC_CALL_READ, fd, REAL(pread)(fd, buf, size, at));
}

HOOK ssize_t pread64(int fd, void *buf, size_t size, off64_t at)
{
	FD_TIMED(ssize_t, REC_CALL_READ, fd, REAL(pread64)(fd, buf, size, at));
}

HOOK ssize_t __pread_chk(int fd, void *buf, size_t size, off_t at, size_t room)
{
	FD_TIMED(ssize_t, REC_CALL_READ, fd, REAL(__pread_chk)(fd, buf, size, at, room));
}

HOOK ssize_t __pread64_chk(int fd, void *buf, size_t size, off64_t at, size_t room)
{
	FD_TIMED(ssize_t, REC_CALL_READ, fd, REAL(__pread64_chk)(fd, buf, size, at, room));
}

HOOK ssize_t pwrite(int fd, const void *buf, size_t size, off_t at)
{
	FD_TIMED(ssize_t, REC_CALL_WRITE, fd, REAL(pwrite)(fd, buf, size, at));
}

HOOK ssize_t pwrite64(int fd, const void *buf, size_t size, off64_t at)
{
	FD_TIMED(ssize_t, REC_CALL_WRITE, fd, REAL(pwrite64)(fd, buf, size, at));
}

HOOK ssize_t preadv(int fd, const struct iovec *iov, int n, off_t at)
{
	FD_TIMED(ssize_t, REC_CALL_READ, fd, REAL(preadv)(fd, iov, n, at));
}

HOOK ssize_t preadv64(int fd, const struct iovec *iov, int n, off64_t at)
{
	FD_TIMED(ssize_t, REC_CALL_READ, fd, REAL(preadv64)(fd, iov, n, at));
}

HOOK ssize_t pwritev(int fd, const struct iovec *iov, int n, off_t at)
{
	FD_TIMED(ssize_t, REC_CALL_WRITE, fd, REAL(pwritev)(fd, iov, n, at));
}

HOOK ssize_t pwritev64(int fd, const struct iovec *iov, int n, off64_t at)
{
	FD_TIMED(ssize_t, REC_CALL_WRITE, fd, REAL(pwritev64)(fd, iov, n, at));
}

HOOK ssize_t preadv2(int fd, const struct iovec *iov, int n, off_t at, int flags)
{
	FD_TIMED(ssize_t, REC_CALL_READ, fd, REAL(preadv2)(fd, iov, n, at, flags));
}

HOOK ssize_t preadv64v2(int fd, const struct iovec *iov, int n, off64_t at, int flags)
{
	FD_TIMED(ssize_t, REC_CALL_READ, fd, REAL(preadv64v2)(fd, iov, n, at, flags));
}

HOOK ssize_t pwritev2(int fd, const struct iovec *iov, int n, off_t at, int flags)
{
	FD_TIMED(ssize_t, REC_CALL_WRITE, fd, REAL(pwritev2)(fd, iov, n, at, flags));
}

HOOK ssize_t pwritev64v2(int fd, const struct iovec *iov, int n, off64_t at, int flags)
{
	FD_TIMED(ssize_t, REC_CALL_WRITE, fd, REAL(pwritev64v2)(fd, iov, n, at, flags));
}

HOOK ssize_t sendfile(int out, int in, off_t *at, size_t size)
{
	FD_TIMED(ssize_t, REC_CALL_WRITE, out, REAL(sendfile)(out, in, at, size));
}

HOOK ssize_t sendfile64(int out, int in, off64_t *at, size_t size)
{
	FD_TIMED(ssize_t, REC_CALL_WRITE, out, REAL(sendfile64)(out, in, at, size));
}

/* ---- to the disk: long enough to be shown while it lasts ---- */

#define SYNC(fd, call)                                                                             \
	struct rec_event wait = {                                                                  \
	    .kind = REC_SYSCALL, .object = (uint64_t)(int64_t)(fd), .arg = REC_CALL_SYNC};         \
	int result;                                                                                \
                                                                                                   \
	if (!watching())                                                                           \
		return call;                                                                       \
	rec_wait_begin(&wait, 1);                                                                  \
	result = call;                                                                             \
	rec_wait_end(&wait, REC_SYSCALL_BLOCKED);                                                  \
	return result

HOOK int fsync(int fd)
{
	SYNC(fd, REAL(fsync)(fd));
}

HOOK int fdatasync(int fd)
{
	SYNC(fd, REAL(fdatasync)(fd));
}

HOOK int syncfs(int fd)
{
	SYNC(fd, REAL(syncfs)(fd));
}

HOOK int msync(void *start, size_t size, int flags)
{
	SYNC(-1, REAL(msync)(start, size, flags));
}
