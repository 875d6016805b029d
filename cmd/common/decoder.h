/* Imports, as commands do them: what decodes is a process in a jail (child.h), that may read the
 * dump and what names its code, and write the one file that the run is collected in. This process
 * makes that file and publishes it. */
#ifndef CMD_DECODER_H
#define CMD_DECODER_H

#include "common/jail.h"
#include "import.h"

/* As tp_import, in the jail that cmd_jail_mode asks for; also the errors of cmd_child_run. *has
 * (may be NULL) is what the jail was made of, of enum cmd_jail_has; negative: there was none at
 * all. */
int cmd_import(const char *path, const char *store, const struct tp_import_options *opt,
	       struct tp_import_result *result, int *has, struct tp_err *err);

/* Any other work on a dump that reads `path` (may be NULL) and what `symbols` (may be NULL) names,
 * writes to standard output and error, and says what is wrong by itself: its exit status, or that
 * of what ended it. */
struct cmd;
int cmd_decode(struct cmd *cmd, const char *path, const struct tp_symbol_options *symbols,
	       int (*work)(void *ctx), void *ctx);

/* The parts, for who decodes many: files that name code may be read (*dirs is a copy that has to
 * outlive the jail, and is to be freed; NULL: no folders, or no memory), and what is wrong with
 * TPROF_JAIL where cmd_jail_mode says so. */
void cmd_allow_symbols(struct cmd_jail *jail, const struct tp_symbol_options *opt, char **dirs);
int cmd_bad_jail(struct tp_err *err);

#endif
