/* A private folder in $TMPDIR (/tmp) for files that a command needs while it runs. It is removed
 * when the process ends, also by a signal; except if the signal comes just as the folder is made,
 * and for more than eight folders. Folders left by these, and by killed commands, are removed by
 * the user's next command that makes one. */
#ifndef CMD_SCRATCH_H
#define CMD_SCRATCH_H

#include "base/err.h"

struct cmd_scratch {
	char *path; /* NULL: there is no folder; starting value {0} */
	int fd;	    /* of the folder, locked while its owner runs */
};

/* Makes "$TMPDIR/tprof-scratch-XXXXXX". Returns 0, TP_EIO or TP_ENOMEM. */
int cmd_scratch_make(struct cmd_scratch *s, struct tp_err *err);
/* Removes the folder with its files. */
void cmd_scratch_remove(struct cmd_scratch *s);

#endif
