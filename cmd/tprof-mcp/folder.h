/* The folder whose files a client may name, which is the current one of this process. */
#ifndef MCP_FOLDER_H
#define MCP_FOLDER_H

#include <limits.h>

#include "base/err.h"
#include "open/input.h"

/* Finds the file or folder that a client names, by a path in the folder or a whole one. Writes its path from
 * the folder to `found`, without links, so that no option and no report has this name. Returns 0, TP_ENOENT, or
 * TP_EFORMAT if it leads out of the folder or is neither a file nor a folder. */
int mcp_folder_find(const char *path, char found[PATH_MAX], struct tp_err *err);

/* Returns what a file is by its first bytes; TP_FORMAT_UNKNOWN also if it cannot be read. */
enum tp_format mcp_folder_kind(const char *path);

/* Writes a table of the traces, profiles and stores below a folder to standard output: kind, size, path. Hidden
 * files are left out, and what comes after many files. Returns 0 or TP_EIO. */
int mcp_folder_list(const char *path, struct tp_err *err);

#endif
