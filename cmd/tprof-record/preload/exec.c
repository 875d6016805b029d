/* Processes that begin here: fork, and programs that are executed in this one or in a child. What
 * runs between vfork and exec borrows the parent's memory: it writes no records, and nothing here
 * allocates. */
#include <alloca.h>
#include <string.h>
#include <unistd.h>

#include "tprof-record/core/hello.h"
#include "tprof-record/preload/exit.h"
#include "tprof-record/preload/real.h"
#include "tprof-record/preload/start.h"

/* ---- environments ---- */

/* What is executed by the recorded process itself goes on being recorded, children where they are
 * followed. Ours was taken out of the environment of a program whose children are not, and a
 * program may give those it starts one of its own: it is put in, on the stack of the caller. */
struct lack {
	size_t count;		 /* of the entries that are there */
	bool record;		 /* TPROF_RECORD has to be added */
	const char *const *list; /* LD_PRELOAD is there, without us */
	bool preload;		 /* … has to be added or replaced */
};

static const char *value(const char *entry, const char *key)
{
	size_t size = strlen(key);

	return !strncmp(entry, key, size) && entry[size] == '=' ? entry + size + 1 : NULL;
}

static struct lack lacking(char *const *env, bool for_child)
{
	struct lack l = {0};

	if ((for_child || !exit_is_own_process()) && !start_follows())
		return l;
	l.record = l.preload = start_environment(START_RECORD)[0] != 0;
	for (; env && env[l.count]; l.count++) {
		const char *const *entry = (const char *const *)&env[l.count];

		if (value(*entry, REC_ENVIRONMENT)) {
			l.record = false;
		} else if (value(*entry, "LD_PRELOAD")) {
			l.preload = l.preload && !start_is_library(value(*entry, "LD_PRELOAD"));
			l.list = l.preload ? entry : NULL;
		}
	}
	return l;
}

/* Bytes that LD_PRELOAD takes with us before what was there. */
static size_t list_size(const struct lack *l)
{
	return l->list ? strlen(start_environment(START_LIBRARY)) + strlen(*l->list) + 2 : 1;
}

static char **complete(char **to, char *text, char *const *env, const struct lack *l)
{
	size_t n = l->count;

	if (n)
		memcpy(to, env, n * sizeof(*to));
	if (l->record)
		to[n++] = start_environment(START_RECORD);
	if (l->preload && !l->list) {
		to[n++] = start_environment(START_PRELOAD);
	} else if (l->preload) {
		char *end = stpcpy(text, "LD_PRELOAD=");

		end = stpcpy(end, start_environment(START_LIBRARY));
		*end++ = ':';
		strcpy(end, value(*l->list, "LD_PRELOAD"));
		to[(char *const *)l->list - env] = text;
	}
	to[n] = NULL;
	return to;
}

/* `whole` is the environment for an exec, in a frame that outlives it. */
#define COMPLETE(env, for_child)                                                                   \
	struct lack l = lacking(env, for_child);                                                   \
	char *const *whole =                                                                       \
	    l.record || l.preload                                                                  \
		? complete(alloca((l.count + 3) * sizeof(char *)), alloca(list_size(&l)), env, &l) \
		: (env)

/* ---- exec ---- */

static void leaving_for(const char *path)
{
	struct rec_event event = {.kind = REC_PROCESS_EXEC};

	if (!exit_is_own_process() || !watching())
		return;
	event.arg = rec_string(path, strlen(path));
	event.start = event.end = rec_now();
	rec_write(&event);
	atomic_store(&rec_core->arena.header->ended, 1);
}

/* Still here. */
static int failed(int result)
{
	if (exit_is_own_process())
		atomic_store(&rec_core->arena.header->ended, 0);
	return result;
}

static inline int run(const char *path, char *const *argv, char *const *env)
{
	COMPLETE(env, false);

	leaving_for(path);
	return failed(REAL(execve)(path, argv, whole));
}

static inline int run_by_name(const char *file, char *const *argv, char *const *env)
{
	COMPLETE(env, false);

	leaving_for(file);
	return failed(REAL(execvpe)(file, argv, whole));
}

HOOK int execve(const char *path, char *const *argv, char *const *env)
{
	return run(path, argv, env);
}

HOOK int execv(const char *path, char *const *argv)
{
	return run(path, argv, environ);
}

HOOK int execvp(const char *file, char *const *argv)
{
	return run_by_name(file, argv, environ);
}

HOOK int execvpe(const char *file, char *const *argv, char *const *env)
{
	return run_by_name(file, argv, env);
}

HOOK int fexecve(int fd, char *const *argv, char *const *env)
{
	COMPLETE(env, false);

	leaving_for("");
	return failed(REAL(fexecve)(fd, argv, whole));
}

HOOK int execveat(int dir, const char *path, char *const *argv, char *const *env, int flags)
{
	COMPLETE(env, false);

	leaving_for(path);
	return failed(REAL(execveat)(dir, path, argv, whole, flags));
}

/* arg, …, NULL: `argv` has them, and `list` stands behind the NULL. */
#define LIST_OF_ARGUMENTS()                                                                        \
	va_list list;                                                                              \
	size_t n = 0;                                                                              \
	char **argv;                                                                               \
                                                                                                   \
	va_start(list, arg);                                                                       \
	for (const char *a = arg; a; a = va_arg(list, char *))                                     \
		n++;                                                                               \
	va_end(list);                                                                              \
	argv = alloca((n + 1) * sizeof(*argv));                                                    \
	argv[0] = (char *)(uintptr_t)arg;                                                          \
	va_start(list, arg);                                                                       \
	for (size_t i = 1; i <= n; i++)                                                            \
	argv[i] = va_arg(list, char *)

HOOK int execl(const char *path, const char *arg, ...)
{
	LIST_OF_ARGUMENTS();
	va_end(list);
	return run(path, argv, environ);
}

HOOK int execlp(const char *file, const char *arg, ...)
{
	LIST_OF_ARGUMENTS();
	va_end(list);
	return run_by_name(file, argv, environ);
}

HOOK int execle(const char *path, const char *arg, ...)
{
	char *const *env;

	LIST_OF_ARGUMENTS();
	env = va_arg(list, char *const *);
	va_end(list);
	return run(path, argv, env);
}

/* ---- children ---- */

static void forked(pid_t child)
{
	struct rec_event event = {.kind = REC_PROCESS_FORK, .object = (uint32_t)child};

	if (!exit_is_own_process() || !watching())
		return;
	event.start = event.end = rec_now();
	rec_write(&event);
}

HOOK int posix_spawn(pid_t *restrict pid, const char *restrict path,
		     const posix_spawn_file_actions_t *restrict actions,
		     const posix_spawnattr_t *restrict attr, char *const argv[restrict],
		     char *const env[restrict])
{
	COMPLETE(env, true);
	pid_t child;
	int result = REAL(posix_spawn)(&child, path, actions, attr, argv, whole);

	if (!result) {
		if (pid)
			*pid = child;
		forked(child);
	}
	return result;
}

HOOK int posix_spawnp(pid_t *restrict pid, const char *restrict file,
		      const posix_spawn_file_actions_t *restrict actions,
		      const posix_spawnattr_t *restrict attr, char *const argv[restrict],
		      char *const env[restrict])
{
	COMPLETE(env, true);
	pid_t child;
	int result = REAL(posix_spawnp)(&child, file, actions, attr, argv, whole);

	if (!result) {
		if (pid)
			*pid = child;
		forked(child);
	}
	return result;
}

/* The child itself begins in start_in_child, which libc calls for every kind of fork that runs
 * handlers (forkpty, daemon). */
HOOK pid_t fork(void)
{
	pid_t child = REAL(fork)();

	if (child > 0)
		forked(child);
	return child;
}
