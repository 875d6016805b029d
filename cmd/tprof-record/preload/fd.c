#include "tprof-record/preload/fd.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tprof-record/core/inside.h"

_Atomic uint8_t fd_kinds[FD_KNOWN];

/* Calls the kernel directly: these calls are not cancellation points, and keep errno. */
enum fd_kind fd_ask(int fd)
{
	struct stat s;
	enum fd_kind kind = FD_OTHER;
	long flags;

	if (!watching())
		return FD_NONBLOCKING; /* nothing is recorded or remembered */
	if (!rec_may(REC_NEED_KINDS))
		return FD_UNKNOWN;
	flags = rec_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
	if (flags < 0 || rec_call(SYS_fstat, fd, (long)&s, 0, 0, 0, 0) < 0)
		return FD_UNKNOWN;
	if (S_ISREG(s.st_mode) || S_ISDIR(s.st_mode) || S_ISBLK(s.st_mode))
		kind = FD_FILE;
	else if (flags & O_NONBLOCK)
		kind = FD_NONBLOCKING;
	else if (S_ISSOCK(s.st_mode))
		kind = FD_SOCKET;
	else if (S_ISFIFO(s.st_mode))
		kind = FD_PIPE;
	if ((unsigned)fd < FD_KNOWN)
		atomic_store_explicit(&fd_kinds[fd], (uint8_t)kind, memory_order_relaxed);
	return kind;
}

/* ---- ticks ---- */

_Atomic uint64_t fd_short_ticks;
static uint64_t first_ticks, first_ns;

/* The assumption until ticks are measured: a processor makes at least 1 tick per ns (1 GHz). */
void fd_begin(void)
{
	first_ns = rec_now();
	first_ticks = fd_ticks();
	atomic_store(&fd_short_ticks, rec_core->arena.header->options.syscall_ns);
}

/* Returns the length of a tick in ns. After the first millisecond it is accurate to about a thousandth. */
static double tick(uint64_t now, uint64_t ticks)
{
	uint64_t least = rec_core->arena.header->options.syscall_ns;
	double ns = ticks > first_ticks && now > first_ns
			? (double)(now - first_ns) / (double)(ticks - first_ticks)
			: 1;

	if (now - first_ns > 1000000)
		atomic_store_explicit(&fd_short_ticks, (uint64_t)((double)least / ns),
				      memory_order_relaxed);
	return ns;
}

bool fd_was_short_after_all(const struct rec_event *wait)
{
	uint64_t now;

	if (!rec_alive())
		return true;
	now = rec_now();
	tick(now, fd_ticks());
	return now - wait->start < rec_core->arena.header->options.syscall_ns;
}

__attribute__((noinline)) void fd_record(uint64_t began, enum rec_call call, int fd, unsigned skip)
{
	struct rec_event event = {
	    .kind = REC_SYSCALL, .object = (uint64_t)(int64_t)fd, .arg = call};
	uint64_t now, ticks, took;

	if (!watching() || !rec_tracing())
		return;
	now = rec_now();
	ticks = fd_ticks();
	took = (uint64_t)((double)(ticks - began) * tick(now, ticks));
	if (took < rec_core->arena.header->options.syscall_ns || took > now)
		return;
	event.start = now - took;
	event.end = now;
	event.flags = REC_SYSCALL_BLOCKED;
	event.stack = rec_stack(skip);
	rec_write(&event);
}

/* ---- calls after which the kind is asked again ---- */

#define FORGETS(name, fd, params, ...)                                                             \
	HOOK int name params                                                                       \
	{                                                                                          \
		fd_forget(fd);                                                                     \
		return REAL(name)(__VA_ARGS__);                                                    \
	}

FORGETS(close, fd, (int fd), fd)
FORGETS(dup2, to, (int from, int to), from, to)
FORGETS(dup3, to, (int from, int to, int flags), from, to, flags)
FORGETS(fclose, f->_fileno, (FILE * f), f)

static void forget_range(unsigned from, unsigned to)
{
	for (; from <= to && from < FD_KNOWN; from++)
		fd_forget((int)from);
}

HOOK int close_range(unsigned from, unsigned to, int flags)
{
	forget_range(from, to);
	return REAL(close_range)(from, to, flags);
}

HOOK void closefrom(int from)
{
	forget_range(from < 0 ? 0 : (unsigned)from, FD_KNOWN);
	REAL(closefrom)(from);
}

HOOK int socket(int domain, int type, int protocol)
{
	int fd = REAL(socket)(domain, type, protocol);

	fd_forget(fd);
	return fd;
}

/* A call with one more argument, and the command that changes the descriptor's kind. */
#define COMMAND(name, type, changes)                                                               \
	HOOK int name(int fd, type command, ...)                                                   \
	{                                                                                          \
		va_list list;                                                                      \
		long arg;                                                                          \
		int result;                                                                        \
                                                                                                   \
		va_start(list, command);                                                           \
		arg = va_arg(list, long);                                                          \
		va_end(list);                                                                      \
		result = REAL(name)(fd, command, arg);                                             \
		if (command == changes)                                                            \
			fd_forget(fd);                                                             \
		return result;                                                                     \
	}

COMMAND(fcntl, int, F_SETFL)
COMMAND(fcntl64, int, F_SETFL)
COMMAND(ioctl, unsigned long, FIONBIO)
