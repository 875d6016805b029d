/* Advice about options of 'go tool pprof' that our commands lack. One table serves all commands, so users of
 * pprof find either the option or its replacement. */
#ifndef CMD_PPROF_H
#define CMD_PPROF_H

#include <stdbool.h>
#include <stddef.h>

#define CMD_PPROF_SIZE 320

/* Returns a sentence about an option as typed, without dashes ("http=:8080"), for the command `command`.
 * Returns NULL if pprof has no such option, and "" if the option sets the default ("symbolize=none"). The
 * sentence is in `text`. */
const char *cmd_pprof_advice(const char *command, const char *option, char text[CMD_PPROF_SIZE]);

/* Returns an option of pprof with a similar name, or NULL. */
const char *cmd_pprof_near(const char *option);

/* Returns whether pprof would fetch a profile from this address. */
bool cmd_pprof_url(const char *path);

#endif
