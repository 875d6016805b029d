/* A file under a name of its own beside its place, which takes its name when it is whole and safe
 *on the disk: what was there before stays until then. What a killed command leaves behind is
 *removed by the next one that writes the same file. The only way commands write files that they are
 *told to.
 *
 *	if (cmd_draft_begin(&draft, path, false))
 *		… errno …
 *	… draft.fd …
 *	failed = cmd_draft_end(&draft, done); */
#ifndef CMD_DRAFT_H
#define CMD_DRAFT_H

#include <stdbool.h>
#include <stdio.h>

struct cmd_draft {
	char *path; /* what it will be called */
	char *part; /* what it is called; NULL: there is no draft */
	int fd;	    /* for writing; stays open, and locked, until the end */
	bool keep;
};

/* 0, or -1 with errno; then nothing is to be ended. `keep`: what is there is never replaced
 * (EEXIST, here or at the end). Else the draft has the group and the permissions of what it
 * replaces, as tp_temp_take_after says. */
int cmd_draft_begin(struct cmd_draft *d, const char *path, bool keep);

/* Once, before there are threads: which mode new files get, by the umask. Without it nobody but
 * their owner reads them. cmd_parse does it. */
void cmd_draft_learn_mode(void);

/* `done`: gives it its name; else, and where that fails, it is removed. 0, or -1 with errno. */
int cmd_draft_end(struct cmd_draft *d, bool done);

/* The same by way of a stream: NULL with errno where there can be none; and its end, which says
 * whether all that was written to it is there. */
FILE *cmd_draft_open(struct cmd_draft *d, const char *path, bool keep);
int cmd_draft_close(struct cmd_draft *d, FILE *f, bool done);

#endif
