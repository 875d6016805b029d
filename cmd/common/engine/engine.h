/* Engines in place of stores: a command that takes a store also takes clickhouse://… (url.h). The engine's
 * data are written to a temporary store (engine/fetch.h), which is opened like any other. Its folder is
 * removed when the process ends.
 *
 * Such a command calls cmd_engine_begin before anything else looks at its arguments, and before it gives
 * up its right to connect. */
#ifndef CMD_ENGINE_ENGINE_H
#define CMD_ENGINE_ENGINE_H

#include "common/common.h"
#include "common/engine/courier.h"

/* Parses every address among the arguments (URL, --option=URL), removes user and password from it, so that
 * lists of processes and messages do not show them, and starts a courier for it. Returns 0 or an exit
 * status. */
int cmd_engine_begin(struct cmd *cmd, int argc, char **argv);

/* Removes users and passwords from addresses among the arguments, so that messages and lists of processes do
 * not show them. cmd_parse calls it for commands that do not take addresses. */
void cmd_engine_hide(int argc, char **argv);

/* Make a store from an address: one that lists all its runs without their data, and one with the data of the
 * runs that cmd->run_spec picks (cmd->adds_up: their profiles will be added up). Return 0 or an exit status.
 * *path is valid until the process ends. */
int cmd_engine_list(struct cmd *cmd, const char *address, const char **path);
int cmd_engine_fetch(struct cmd *cmd, const char *address, const char **path);

/* An engine from the command line. */
struct cmd_engine_target {
	const char *address;
	const struct cmd_engine_url *url;
	struct rep_engine_link link;
};
/* Finds the engine with this address. Returns false if the command line does not name it. */
bool cmd_engine_target(const char *address, struct cmd_engine_target *t);
/* Reports an error of an engine. Returns the exit status. */
int cmd_engine_fail(const struct cmd *cmd, const char *address, const struct tp_err *err);

#endif
