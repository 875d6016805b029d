/* Imports a dump as commands do: a process in a jail (child.h) decodes it. That process may read the
 * dump and the files that name its code, and write one file, in which it collects the run. This
 * process creates that file and publishes the run. */
#ifndef CMD_DECODER_H
#define CMD_DECODER_H

#include "common/jail.h"
#include "import.h"

/* Does what tp_import does, in the jail that cmd_jail_mode asks for; returns errors of cmd_child_run
 * as well. */
int cmd_import(const char *path, const char *store, const struct tp_import_options *opt,
	       struct tp_import_result *result, struct tp_err *err);

/* Does other work on a dump in such a process: it may read `path` (may be NULL) and the files of
 * `symbols` (may be NULL), and writes to standard output and error. Returns its status, or that of
 * the error that ended it. */
struct cmd;
int cmd_decode(struct cmd *cmd, const char *path, const struct tp_symbol_options *symbols,
	       int (*work)(void *ctx), void *ctx);

/* Allows reading the files that name code. *dirs becomes a copy of the folders' names, which must outlive
 * the jail and which the caller frees; NULL: there are no folders, or memory is out. */
void cmd_allow_symbols(struct cmd_jail *jail, const struct tp_symbol_options *opt, char **dirs);

#endif
