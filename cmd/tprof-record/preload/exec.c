/* Processes that begin here: by fork, and by executing a program in this process or in a child. Code between
 * vfork and exec borrows the parent's memory: it writes no records, and nothing here allocates. */
#include <alloca.h>
#include <string.h>
#include <unistd.h>

#include "tprof-record/preload/environment.h"
#include "tprof-record/preload/real.h"

/* Returns how many bytes the environment needs so that the program can be recorded; 0 if it is complete or
 * the program is not to be recorded. */
static size_t lack(char *const *env, bool for_child)
{
	return (for_child || !exit_is_own_process()) && !start_follows() ? 0
									 : environment_lack(env);
}

/* Declares `whole`, the environment for an exec, in a frame that outlives it. */
#define COMPLETE(env, for_child)                                                                   \
	size_t lacks = lack(env, for_child);                                                       \
	char *const *whole = lacks ? environment_complete(alloca(lacks), env) : (env)

/* ---- exec ---- */

/* Returns whether this is a child of vfork, which uses its parent's memory. */
static bool is_vforked(void)
{
	return rec_alive() && !exit_is_own_process();
}

static void leaving_for(const char *path)
{
	struct rec_event event = {.kind = REC_PROCESS_EXEC};

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

/* The child itself begins in start_in_child, which libc calls for every kind of fork that runs handlers
 * (forkpty and daemon too). */
HOOK pid_t fork(void)
{
	pid_t child = REAL(fork)();

	if (child > 0)
		forked(child);
	return child;
}
