/* Writes a file under a temporary name in the same folder. It gets its real name when it is complete and
 * synced to the disk; until then the previous file stays. If a command is killed, the next one that
 * writes the same file removes the temporary file. Commands write every file that a user names in this
 * way.
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
	char *path; /* its final name */
	char *part; /* its temporary name; NULL: there is no draft */
	int fd;	    /* open for writing and locked until the end */
	bool keep;
	bool unsynced; /* it may be lost if the system crashes soon; cmd_draft_begin clears that */
};

/* Begins a file. Returns 0, or -1 with errno; after an error, cmd_draft_end must not be called. `keep`: never
 * replaces a file (EEXIST, here or at the end). Otherwise the new file gets the group and the
 * permissions of the one it replaces, as tp_temp_take_after says. */
int cmd_draft_begin(struct cmd_draft *d, const char *path, bool keep);

/* Reads the umask to learn which mode new files get. Without this call, only their owner can read them. Call
 * it once, before there are threads; cmd_parse does it. */
void cmd_draft_learn_mode(void);

/* Gives the file its name if it is `done`; otherwise, and after an error, removes it. Returns 0, or
 * -1 with errno. */
int cmd_draft_end(struct cmd_draft *d, bool done);

/* Begins a file that is written through a stream. Returns NULL with errno after an error. Closing
 * fails if anything could not be written. */
FILE *cmd_draft_open(struct cmd_draft *d, const char *path, bool keep);
int cmd_draft_close(struct cmd_draft *d, FILE *f, bool done);

#endif
