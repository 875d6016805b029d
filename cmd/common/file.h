/* The file that -o names. Standard output becomes it, under a name of its own beside it; it takes
 * its name when it is whole, so that what was there before stays until then, and stays after an
 * error. What is no regular file (a device, a pipe) is written to as it is.
 *
 *	status = cmd_file_begin(&cmd, &file, path);
 *	… cmd_write(…) …
 *	return cmd_file_end(&cmd, &file, status);	  in place of cmd_finish */
#ifndef CMD_FILE_H
#define CMD_FILE_H

#include "common/common.h"
#include "common/draft.h"

struct cmd_file {
	const char *name;	/* as it was given */
	struct cmd_draft draft; /* of nothing: written to as it is */
};

/* 0 or an exit status, explained on stderr. A store is never replaced. */
int cmd_file_begin(const struct cmd *cmd, struct cmd_file *f, const char *path);

/* cmd_finish, then name or removal. Of a zeroed `f` it is cmd_finish alone. */
int cmd_file_end(struct cmd *cmd, struct cmd_file *f, int status);

/* The same for a store that is to be made or added to, by its path: 0, or what keeps it from being
 * a file there is explained on stderr, and CMD_SYSTEM. All else shows when it is written. */
int cmd_file_place(const struct cmd *cmd, const char *path);

/* By the beginning of the file: 1 for a store of any version, whole or not; 0; -1 with errno where
 * it cannot be read. */
int cmd_file_is_store(const char *path);

/* Errno says why a file that was named cannot be read: explains it on stderr; an exit status. */
int cmd_file_unread(struct cmd *cmd, const char *path);

/* Whether the path is one of those that are read: "-" is standard input, NULL nothing. */
bool cmd_file_is_one_of(const char *path, const char *const *inputs, size_t n);

/* The ending of a file's name with its dot, "" where it has none: of "a/b.x.svg" it is ".svg", of
 * ".profile" and "a.b/c" there is none. */
const char *cmd_file_ending(const char *path);

#endif
