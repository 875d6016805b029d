/* The files of a command line, on two sides where a command compares. Messages call them by their
 * names, and add folders where two files would have the same name. */
#ifndef CMD_FILES_H
#define CMD_FILES_H

#include "common/common.h"

/* Adds a file, or a name to be opened as one, to a side of cmd->files. The path is borrowed; the
 * list belongs to cmd, and cmd_finish frees it. Returns 0 or ENOMEM, as parsers of argp do. */
error_t cmd_add_file(struct cmd *cmd, enum cmd_side side, const char *path);
/* Returns the first file of the new side, or NULL if that side has no files. */
const char *cmd_path(const struct cmd *cmd);
/* Ends with a usage error if there is no file to read; `kinds` says what it may be. */
void cmd_need_file(const struct cmd *cmd, const struct argp_state *state, const char *kinds);
void cmd_files_release(struct cmd *cmd);

/* Returns the files that a side reads: the same as the new side's where labels pick both. */
const struct cmd_files *cmd_side_files(const struct cmd *cmd, enum cmd_side side);
/* Returns what picks runs for a side: its label, else --run; may be NULL. */
const char *cmd_side_run(const struct cmd *cmd, enum cmd_side side);
/* Returns whether --run is given and any of the files is a store, of which it picks runs. */
bool cmd_run_picks(const struct cmd *cmd);

/* Returns the name of a file: its path without folders, or "stdin". Points into path. */
const char *cmd_file_name(const char *path);
/* Returns the shortest end of a path that tells it from all other files of the command line:
 * "heap.pb.gz", or "before/heap.pb.gz" if another folder has a heap.pb.gz too. Points into path, or
 * is "stdin". */
const char *cmd_name_apart(const struct cmd *cmd, const char *path);

#endif
