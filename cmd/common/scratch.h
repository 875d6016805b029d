/* A private folder in $TMPDIR (/tmp) for what a command keeps while it runs: gone with the process,
 * also where a signal ends that, unless it comes before the folder is known, just as it is made, or
 * there are more than eight. What these, and one that was killed, have left is removed by the next
 * command of the same user that makes such a folder. */
#ifndef CMD_SCRATCH_H
#define CMD_SCRATCH_H

#include "base/err.h"

struct cmd_scratch {
	char *path; /* NULL: there is none; starting value {0} */
	int fd;	    /* of the folder, locked: its owner lives */
};

/* "$TMPDIR/tprof-scratch-XXXXXX". 0; TP_EIO, TP_ENOMEM. */
int cmd_scratch_make(struct cmd_scratch *s, struct tp_err *err);
/* With the files in it. */
void cmd_scratch_remove(struct cmd_scratch *s);

#endif
