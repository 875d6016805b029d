/* Writes a file under a temporary name in the same folder. It gets its real name when it is complete and
 * synced to the disk; until then the previous file stays. If a command is killed, the next one that
 * writes the same file removes the temporary file. Commands write every file that a user names in this
 * way.
 *
 *	if (cmd_draft_begin(&draft, path, 0))
 *		… errno …
 *	… draft.fd …
 *	failed = cmd_draft_end(&draft, done); */
#ifndef CMD_DRAFT_H
#define CMD_DRAFT_H

#include <stdbool.h>
#include <stdio.h>

struct cmd_draft {
	char *path; /* its final name */
	char *part; /* its temporary name; NULL: there is no draft */
	int fd;	    /* open for writing and locked until the end */
	unsigned how;
};

enum {
	/* Never replaces a file (EEXIST, at the beginning or the end). Otherwise the new file gets the
	 * group and the permissions of the one it replaces, as tp_temp_take_after says. */
	CMD_DRAFT_KEEP = 1,
	/* The file is not synced, so it may be lost if the system crashes soon, and no temporary files of
	 * others are looked for. */
	CMD_DRAFT_QUICK = 2,
};

/* Begins a file. Returns 0, or -1 with errno; after an error, cmd_draft_end must not be called. */
int cmd_draft_begin(struct cmd_draft *d, const char *path, unsigned how);

/* Reads the umask to learn which mode new files get. Without this call, only their owner can read them. Call
 * it once, before there are threads; cmd_parse does it. */
void cmd_draft_learn_mode(void);

/* Gives the file its name if it is `done`; otherwise, and after an error, removes it. Returns 0, or
 * -1 with errno. */
int cmd_draft_end(struct cmd_draft *d, bool done);

/* Begins a file that is written through a stream. Returns NULL with errno after an error. Closing
 * fails if anything could not be written. */
FILE *cmd_draft_open(struct cmd_draft *d, const char *path, unsigned how);
int cmd_draft_close(struct cmd_draft *d, FILE *f, bool done);

#endif
