/* A connection to an engine by way of tprof-courier, a process of its own: commands do without
 * libcurl, which would be most of their start, and without connections while they read what came
 * from elsewhere. */
#ifndef CMD_ENGINE_COURIER_H
#define CMD_ENGINE_COURIER_H

#include "common/engine/url.h"
#include "engine/link.h"

struct cmd_courier;

/* Starts it; nothing is sent yet. TP_ENOENT: it is not installed; TP_EIO. */
int cmd_courier_start(struct cmd_courier **c, const struct cmd_engine_url *u, struct tp_err *err);
void cmd_courier_stop(struct cmd_courier *c);
/* Fails, too, if the user has asked to stop (progress.h). */
struct rep_engine_link cmd_courier_link(struct cmd_courier *c);

/* The program; NULL: the one beside the command. For tests. */
extern const char *cmd_courier_program;

#endif
