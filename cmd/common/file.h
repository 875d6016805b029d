/* The file that -o names (cmd->output). Standard output becomes a draft of it (draft.h), to which
 * cmd_finish gives the name when it is complete; after an error the previous file stays. Devices and
 * pipes are written directly. */
#ifndef CMD_FILE_H
#define CMD_FILE_H

#include <limits.h>

#include "common/common.h"

/* Begins the file of -o; does nothing without one, or if it is "-". Refuses to replace a store or an
 * input: cmd->files, and `others` (n of them, which may be NULL). Returns 0 or an exit status. */
int cmd_file_begin(struct cmd *cmd, const char *const *others, size_t n);

/* Gives the file, if one was begun, its name, or removes it after an error (`status`); cmd_finish does
 * it. Returns an exit status. */
int cmd_file_end(struct cmd *cmd, int status);

/* Checks the path of a store that is to be made or added to. Returns 0, or CMD_SYSTEM if there can be
 * no file. Other errors show when it is written. */
int cmd_file_place(const struct cmd *cmd, const char *path);

/* Finds out what a file is by its first bytes. */
enum cmd_sqlite {
	CMD_UNREAD = -1, /* errno says why */
	CMD_NOT_SQLITE,
	CMD_OTHER_SQLITE,
	CMD_STORE, /* of any version, complete or not */
};
enum cmd_sqlite cmd_file_sqlite(const char *path);

/* Appends a whole file ("-": standard input) to b. Returns 0; TP_ENOENT or TP_EIO if it cannot be
 * read; TP_ELIMIT if it has more than `most` bytes; TP_ENOMEM. */
int cmd_read_file(const char *path, size_t most, struct tp_buf *b, struct tp_err *err);

/* Writes the path of our folder below a base folder of the XDG specification: "$XDG_CACHE_HOME/tprof",
 * or if that is not set "$HOME/.cache/tprof" (`usual` is ".cache"). Relative paths do not count.
 * Returns false with errno if there is no such path, or it is longer than PATH_MAX - 256. */
bool cmd_xdg_folder(char path[PATH_MAX], const char *variable, const char *usual);
/* Makes a folder and its missing parents, with mode 0700. Returns 0, or -1 with errno. */
int cmd_make_folders(char *path);

/* Returns the ending of a file's name with its dot, or "": ".svg" for "a/b.x.svg", "" for ".profile"
 * and "a.b/c". */
const char *cmd_file_ending(const char *path);

#endif
