/* Options of 'go tool pprof' that our commands lack: what to type instead. One table serves all commands, so
 * users of pprof find either the option or its replacement. */
#ifndef CMD_PPROF_H
#define CMD_PPROF_H

#include <stdbool.h>
#include <stddef.h>

#define CMD_PPROF_SIZE 320

/* One sentence for an option as typed, without dashes ("http=:8080"), or NULL where pprof has no
 * such option. It is written into text. "" where it asks for what is so anyway ("symbolize=none").
 * `command` is the one that was called. */
const char *cmd_pprof_advice(const char *command, const char *option, char text[CMD_PPROF_SIZE]);

/* One of pprof's options that is spelled nearly so, NULL where none is. */
const char *cmd_pprof_near(const char *option);

/* Is it an address that pprof would fetch a profile from? */
bool cmd_pprof_url(const char *path);

#endif
