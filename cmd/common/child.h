/* Runs work in a child process in a jail (jail.h). A crash ends only the child; the parent gets an error
 * with a message. */
#ifndef CMD_CHILD_H
#define CMD_CHILD_H

#include "base/err.h"
#include "common/jail.h"

struct cmd_child {
	struct cmd_jail jail;
	bool speaks;  /* keep standard output and error; else the child writes to /dev/null */
	bool require; /* fail unless all of the jail is in force */
	bool free;    /* no jail */
	/* Does the work, in the child. Returns an exit status below 64, and flushes its output before.
	 * `has`: bits of enum cmd_jail_has. */
	int (*work)(void *ctx, unsigned has);
	/* Called in the parent from time to time while the child works, and after a signal. Returns
	 * nonzero to end the child at once. May be NULL. */
	int (*meanwhile)(void *ctx);
	void *ctx;
};

/* Runs the child and waits for it. Returns 0 and its exit status; TP_ECANCEL if `meanwhile` ended it; or
 * an error that says why it ended: TP_EIO (its input was truncated, or a limit of the session was
 * reached), TP_ENOMEM (killed), TP_ELIMIT (crashed), TP_EUNKNOWN (the required jail is not available).
 * Other threads of the caller must not hold locks that the work needs. */
int cmd_child_run(const struct cmd_child *child, int *status, struct tp_err *err);

/* The same in steps, for several processes at once. */
struct cmd_process {
	int pid;
	int end;    /* for poll(): hangs up when the process has ended */
	bool ended; /* by cmd_child_end */
};
/* Starts a process. Returns 0 or an error code; after an error there is no process. `child` need not outlive
 * the call. */
int cmd_child_start(const struct cmd_child *child, struct cmd_process *p, struct tp_err *err);
/* Kills the process. */
void cmd_child_end(struct cmd_process *p);
/* Waits for the process, and returns as cmd_child_run does. Must be called for every process that was
 * started. */
int cmd_child_finish(struct cmd_process *p, int *status, struct tp_err *err);

/* Returns zeroed memory that the child shares with its parent; NULL if memory is out. */
void *cmd_child_share(size_t size);
void cmd_child_unshare(void *memory, size_t size);

#endif
