/* Engines in place of stores: clickhouse://… (url.h) where a command takes a store. What the engine
 * answers becomes a store of its own in a folder that goes with the process (engine/fetch.h), and
 * is opened as any other.
 *
 * A command that takes them calls cmd_engine_begin before anything else looks at its arguments, and
 * before it gives up its right to connect. */
#ifndef CMD_ENGINE_ENGINE_H
#define CMD_ENGINE_ENGINE_H

#include "common/common.h"
#include "common/engine/courier.h"

/* Reads every address among the arguments (URL, --option=URL), takes user and password out of it
 * (so that lists of processes and messages are without them), and makes ready to ask. 0 or an exit
 * status. */
int cmd_engine_begin(struct cmd *cmd, int argc, char **argv);

/* Takes users and passwords out of what addresses there are among the arguments, for messages and
 * for whoever looks at processes: of every command, by cmd_parse. */
void cmd_engine_hide(int argc, char **argv);

/* What an address stands for: a store with all its runs but nothing of them; and one with what is
 * kept of those that cmd->run_spec picks (cmd->adds_up: profiles are going to be added up). *path
 * belongs to this. 0 or an exit status. */
int cmd_engine_list(struct cmd *cmd, const char *address, const char **path);
int cmd_engine_fetch(struct cmd *cmd, const char *address, const char **path);

/* An engine that was read. */
struct cmd_engine_target {
	const char *address;
	const struct cmd_engine_url *url;
	struct rep_engine_link link;
};
/* Finds the engine that was read from this address. Returns false if none was. */
bool cmd_engine_target(const char *address, struct cmd_engine_target *t);
/* The message of what went wrong with an engine; returns the exit status. */
int cmd_engine_fail(const struct cmd *cmd, const char *address, const struct tp_err *err);

#endif
