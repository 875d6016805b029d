/* Starts the program, as its caller would have: with the signals, the limits and the descriptors
 * that the recorder was given itself. */
#ifndef RECORD_PARENT_SPAWN_H
#define RECORD_PARENT_SPAWN_H

#include <signal.h>
#include <sys/types.h>

#include "base/err.h"

/* How signals were before the recorder changed anything. */
struct rec_signals {
	sigset_t blocked;
	struct sigaction pipe, child;
};

/* Keeps it; the first thing that main does. */
void rec_signals_keep(struct rec_signals *s);

/* `ready` is called when the process is there and before it becomes the program: where it returns
 * nonzero (and fills err) that does not happen. -1 and err: what `ready` returned, or TP_EIO,
 * *error being the errno value of the exec (or fork) that failed. */
pid_t rec_spawn(const char *path, char *const *argv, char *const *env, const struct rec_signals *s,
		int (*ready)(void *ctx, pid_t pid, struct tp_err *err), void *ctx, int *error,
		struct tp_err *err);

/* The recorder ends as the program did; `status` is that of waitpid. Returns the exit status where
 * it was no signal, or one that does not end us. */
int rec_end_like(int status);

#endif
