/* The file that -o names. Standard output becomes a draft of it (draft.h), which takes its name when
 * it is complete; after an error the previous file stays. Devices and pipes are written directly.
 *
 *	status = cmd_file_begin(&cmd, &file, path, NULL, 0);
 *	… cmd_write(…) …
 *	return cmd_file_end(&cmd, &file, status);	  in place of cmd_finish */
#ifndef CMD_FILE_H
#define CMD_FILE_H

#include "common/common.h"
#include "common/draft.h"

struct cmd_file {
	const char *name;	/* as it was given */
	struct cmd_draft draft; /* empty: written directly */
};

/* Begins the file; does nothing if path is NULL or "-". Refuses to replace a store, or what is read:
 * cmd->files, and `others` (n of them, which may be NULL). Returns 0 or an exit status. */
int cmd_file_begin(const struct cmd *cmd, struct cmd_file *f, const char *path,
		   const char *const *others, size_t n);

/* Calls cmd_finish, then gives the file its name, or removes it after an error. A zeroed `f` stands
 * for no file. */
int cmd_file_end(struct cmd *cmd, struct cmd_file *f, int status);

/* Checks the path of a store that is to be made or added to. Returns 0, or CMD_SYSTEM if there can be
 * no file. Other errors show when it is written. */
int cmd_file_place(const struct cmd *cmd, const char *path);

/* Returns 1 if the beginning of the file is that of a store of any version, complete or not; 0 if it
 * is not; -1 with errno if it cannot be read. */
int cmd_file_is_store(const char *path);

/* Appends a whole file ("-": standard input) to b. Returns 0; TP_ENOENT or TP_EIO if it cannot be
 * read; TP_ELIMIT if it has more than `most` bytes; TP_ENOMEM. */
int cmd_read_file(const char *path, size_t most, struct tp_buf *b, struct tp_err *err);

/* Returns the ending of a file's name with its dot, or "": ".svg" for "a/b.x.svg", "" for ".profile"
 * and "a.b/c". */
const char *cmd_file_ending(const char *path);

#endif
