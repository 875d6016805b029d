/* A private folder in $TMPDIR (/tmp) for files that a command needs while it runs. It is removed
 * with the process, also if a signal ends that; exceptions are a signal just as the folder is made,
 * and more than eight folders. The next command of the same user that makes such a folder removes
 * what these, and killed commands, have left. */
#ifndef CMD_SCRATCH_H
#define CMD_SCRATCH_H

#include "base/err.h"

struct cmd_scratch {
	char *path; /* NULL: there is no folder; starting value {0} */
	int fd;	    /* of the folder, locked as long as its owner lives */
};

/* Makes "$TMPDIR/tprof-scratch-XXXXXX". Returns 0, TP_EIO or TP_ENOMEM. */
int cmd_scratch_make(struct cmd_scratch *s, struct tp_err *err);
/* Removes it with the files in it. */
void cmd_scratch_remove(struct cmd_scratch *s);

#endif
