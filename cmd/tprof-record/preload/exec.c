/* Processes that begin here: by fork, and by executing a program in this process or in a child. Code between
 * vfork and exec borrows the parent's memory: it writes no records, and nothing here allocates. */
#include <alloca.h>
#include <string.h>
#include <unistd.h>

#include <sys/syscall.h>

#include "tprof-record/core/stack/unwind.h"
#include "tprof-record/preload/environment.h"
#include "tprof-record/preload/real.h"

/* Returns how many bytes the environment needs so that the program can be recorded; 0 if it is complete or
 * the program is not to be recorded. */
static size_t lack(char *const *env, bool for_child, bool *wanted)
{
	if ((for_child || !exit_is_own_process()) && !start_follows())
		return 0;
	*wanted = rec_may(REC_NEED_START) && environment_can_load();
	return environment_lack(env, *wanted);
}

/* Declares `whole`, the environment for an exec, in a frame that outlives it. */
#define COMPLETE(env, for_child)                                                                   \
	bool wanted = true;                                                                        \
	size_t lacks = lack(env, for_child, &wanted);                                              \
	char *const *whole = lacks ? environment_complete(alloca(lacks), env, wanted) : (env)

/* ---- exec ---- */

/* Returns whether this is a child of vfork, which uses its parent's memory. */
static bool is_vforked(void)
{
	return rec_alive() && !exit_is_own_process();
}

static void leaving_for(const char *path)
{
	struct rec_event event = {.kind = REC_PROCESS_EXEC};

	signal_before_exec();
	if (is_vforked())
		atomic_fetch_add(&rec_core->arena.header->untold, 1);

	/* Without a path the kernel reports the error. */
	if (!path || !exit_is_own_process() || !watching())
		return;
	event.arg = rec_string(path, strlen(path));
	event.start = event.end = rec_now();
	rec_write(&event);
	atomic_store(&rec_core->arena.header->ended, 1);
}

/* Called when an exec returns, so the process still runs this program. */
static int failed(int result)
{
	signal_after_exec();
	if (exit_is_own_process())
		atomic_store(&rec_core->arena.header->ended, 0);
	else if (is_vforked())
		atomic_fetch_sub(&rec_core->arena.header->untold, 1);
	return result;
}

/* Defines a hook; `call` uses the environment `whole`. */
#define EXEC(name, params, path, env, call)                                                        \
	HOOK int name params                                                                       \
	{                                                                                          \
		COMPLETE(env, false);                                                              \
                                                                                                   \
		leaving_for(path);                                                                 \
		return failed(call);                                                               \
	}

/* clang-format off */
EXEC(execve, (const char *path, char *const *argv, char *const *env), path, env, REAL(execve)(path, argv, whole))
EXEC(execv, (const char *path, char *const *argv), path, environ, REAL(execve)(path, argv, whole))
EXEC(execvp, (const char *file, char *const *argv), file, environ, REAL(execvpe)(file, argv, whole))
EXEC(execvpe, (const char *file, char *const *argv, char *const *env), file, env, REAL(execvpe)(file, argv, whole))
EXEC(fexecve, (int fd, char *const *argv, char *const *env), "", env, REAL(fexecve)(fd, argv, whole))
EXEC(execveat, (int dir, const char *path, char *const *argv, char *const *env, int flags), path, env,
     REAL(execveat)(dir, path, argv, whole, flags))
/* clang-format on */

/* The same for arguments arg, …, NULL, which `argv` collects; `env` may be the argument after the NULL. */
#define EXEC_LIST(name, real_exec, env)                                                            \
	HOOK int name(const char *path, const char *arg, ...)                                      \
	{                                                                                          \
		char *const *all;                                                                  \
		char **argv;                                                                       \
		va_list list;                                                                      \
		size_t n = 0;                                                                      \
                                                                                                   \
		va_start(list, arg);                                                               \
		for (const char *a = arg; a; a = va_arg(list, char *))                             \
			n++;                                                                       \
		va_end(list);                                                                      \
		argv = alloca((n + 1) * sizeof(*argv));                                            \
		argv[0] = (char *)(uintptr_t)arg;                                                  \
		va_start(list, arg);                                                               \
		for (size_t i = 1; i <= n; i++)                                                    \
			argv[i] = va_arg(list, char *);                                            \
		all = env;                                                                         \
		va_end(list);                                                                      \
		COMPLETE(all, false);                                                              \
		leaving_for(path);                                                                 \
		return failed(REAL(real_exec)(path, argv, whole));                                 \
	}

EXEC_LIST(execl, execve, environ)
EXEC_LIST(execlp, execvpe, environ)
EXEC_LIST(execle, execve, va_arg(list, char *const *))

/* ---- children ---- */

static void forked(pid_t child)
{
	struct rec_event event = {.kind = REC_PROCESS_FORK, .object = (uint32_t)child};

	if (!exit_is_own_process() || !watching())
		return;
	event.start = event.end = rec_now();
	rec_write(&event);
}

#define SPAWN(name)                                                                                \
	HOOK int name(pid_t *restrict pid, const char *restrict path,                              \
		      const posix_spawn_file_actions_t *restrict actions,                          \
		      const posix_spawnattr_t *restrict attr, char *const argv[restrict],          \
		      char *const env[restrict])                                                   \
	{                                                                                          \
		COMPLETE(env, true);                                                               \
		pid_t child;                                                                       \
		int result = REAL(name)(&child, path, actions, attr, argv, whole);                 \
                                                                                                   \
		if (!result) {                                                                     \
			if (pid)                                                                   \
				*pid = child;                                                      \
			forked(child);                                                             \
		}                                                                                  \
		return result;                                                                     \
	}

SPAWN(posix_spawn)
SPAWN(posix_spawnp)

/* A child by clone that has its own memory is like one by fork. */
struct cloning {
	int (*start)(void *);
	void *arg;
};

static int begin_cloned(void *from)
{
	struct cloning cloning = *(struct cloning *)from;

	start_in_child();
	return cloning.start(cloning.arg);
}

HOOK int clone(int (*start)(void *), void *stack, int flags, void *arg, ...)
{
	struct cloning cloning = {start, arg};
	pid_t *parent_tid, *child_tid;
	va_list list;
	void *tls;
	int child;

	va_start(list, arg);
	parent_tid = va_arg(list, pid_t *);
	tls = va_arg(list, void *);
	child_tid = va_arg(list, pid_t *);
	va_end(list);
	if (flags & CLONE_VM || !start)
		return REAL(clone)(start, stack, flags, arg, parent_tid, tls, child_tid);
	start_before_fork();
	child = REAL(clone)(begin_cloned, stack, flags, &cloning, parent_tid, tls, child_tid);
	if (child > 0)
		forked(child);
	return child;
}

bool exec_is_fork(long number, const long *a)
{
	const struct clone_args {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack;
	} *args = (const void *)(uintptr_t)a[0];

	switch (number) {
#ifdef SYS_fork
	case SYS_fork:
		return true;
#endif
	case SYS_clone:
		return !(a[0] & CLONE_VM) && !a[1];
	case SYS_clone3:
		return (unsigned long)a[1] >= sizeof(*args) &&
		       rec_is_readable((uintptr_t)args & ~7ull) &&
		       rec_is_readable(((uintptr_t)args + sizeof(*args) - 1) & ~7ull) &&
		       !(args->flags & CLONE_VM) && !args->stack;
	default:
		return false;
	}
}

long exec_forked(long result)
{
	if (result > 0)
		forked((pid_t)result);
	else if (!result)
		start_in_child();
	return result;
}

/* The child itself begins in start_in_child, which libc calls for every kind of fork that runs handlers
 * (forkpty and daemon too). */
HOOK pid_t fork(void)
{
	pid_t child = REAL(fork)();

	if (child > 0)
		forked(child);
	return child;
}
