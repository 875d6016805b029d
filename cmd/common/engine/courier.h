/* A connection to an engine through tprof-courier, a separate process. So commands need not load libcurl,
 * which would take most of their start-up time, and need no right to connect while they read untrusted
 * data. */
#ifndef CMD_ENGINE_COURIER_H
#define CMD_ENGINE_COURIER_H

#include "common/engine/url.h"
#include "engine/link.h"

struct cmd_courier;

/* Starts tprof-courier; nothing is sent to the engine yet. Returns 0, TP_ENOENT if it is not installed,
 * TP_EIO or TP_ENOMEM. *c belongs to the caller. */
int cmd_courier_start(struct cmd_courier **c, const struct cmd_engine_url *u, struct tp_err *err);
void cmd_courier_stop(struct cmd_courier *c);
/* Returns the link for requests. They also fail if the user has asked to stop (progress.h). */
struct rep_engine_link cmd_courier_link(struct cmd_courier *c);

/* The path of the program, for tests. NULL: the one installed with the command. */
extern const char *cmd_courier_program;

#endif
