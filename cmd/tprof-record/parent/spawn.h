/* Starts the program as its caller would have: with the signals, limits and descriptors that the
 * recorder was started with. */
#ifndef RECORD_PARENT_SPAWN_H
#define RECORD_PARENT_SPAWN_H

#include <signal.h>
#include <sys/types.h>

#include "base/err.h"

/* The state of signals before the recorder changed anything. */
struct rec_signals {
	sigset_t blocked;
	struct sigaction pipe, child;
};

/* Notes them; main calls this first. */
void rec_signals_keep(struct rec_signals *s);

/* Starts a program with our environment. `ready` is called in between fork and exec; if it returns a code (and fills in err),
 * there is no exec. Returns the pid; -1 and err: what `ready` returned, or TP_EIO and in *error the
 * errno value of the exec (or fork) that failed. */
pid_t rec_spawn(const char *path, char *const *argv, const struct rec_signals *s,
		int (*ready)(void *ctx, pid_t pid, struct tp_err *err), void *ctx, int *error,
		struct tp_err *err);

/* Ends the recorder by the signal that ended the program; `status` is that of waitpid. Returns the exit
 * status if there was no such signal, or if it does not end the recorder. */
int rec_end_like(int status);

#endif
