/* Work in a process of its own, in a jail (jail.h): what goes wrong there ends that process, and
 * becomes a sentence. */
#ifndef CMD_CHILD_H
#define CMD_CHILD_H

#include "base/err.h"
#include "common/jail.h"

struct cmd_child {
	struct cmd_jail jail;
	bool speaks;  /* what it writes to standard output and error arrives there */
	bool require; /* nothing is done without all of the jail */
	/* Done in the child: its exit status, below 64. What it has printed it has flushed. `has` is of
	 * enum cmd_jail_has. */
	int (*work)(void *ctx, unsigned has);
	/* Done here, now and then while the child works, and when a signal came: nonzero ends the
	 * child at once. May be NULL. */
	int (*meanwhile)(void *ctx);
	void *ctx;
};

/* Waits for the child. 0 and its exit status; TP_ECANCEL where `meanwhile` ended it; or a sentence
 * about why it ended: TP_EIO (its input was cut under it), TP_ENOMEM (killed), TP_ELIMIT. The
 * caller has one thread, or others that hold no lock the work needs. */
int cmd_child_run(const struct cmd_child *child, int *status, struct tp_err *err);

/* The same apart, for several at once: a process that works, … */
struct cmd_process {
	int pid;
	int end; /* becomes readable when it has ended; to be polled */
	bool ended;
};
/* 0, or an error: then there is none. `child` may be gone afterwards. */
int cmd_child_start(const struct cmd_child *child, struct cmd_process *p, struct tp_err *err);
/* … that is ended at once, … */
void cmd_child_end(struct cmd_process *p);
/* … and that is waited for: as cmd_child_run. Always to be called for what was started. */
int cmd_child_finish(struct cmd_process *p, int *status, struct tp_err *err);

/* Memory that the child shares with its parent, zeroed; NULL where there is none. */
void *cmd_child_share(size_t size);
void cmd_child_unshare(void *memory, size_t size);

#endif
