/* The environment of recorded processes: TPROF_RECORD and, in LD_PRELOAD, this library.
 *
 * Unless children are followed, both are removed after they were read, so that children do not inherit
 * them, however they begin. An exec of the recorded process itself goes on being recorded: they are put
 * back for it. If children are followed, they are added to environments that lack them. */
#ifndef RECORD_PRELOAD_ENVIRONMENT_H
#define RECORD_PRELOAD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the value of TPROF_RECORD; NULL: it is not set. */
const char *environment_read(char **env);
/* Removes ours from it or, if children are followed, adds the text `again` to TPROF_RECORD. False:
 * children cannot be followed. */
bool environment_take(char **env, const char *again, bool follows);

/* Returns how many bytes environment_complete needs; 0: the environment lacks nothing for recording. */
size_t environment_lack(char *const *env);
/* Completes a copy of the environment in `room`, and returns it. For what comes between vfork and exec,
 * so without allocation. */
char **environment_complete(void *room, char *const *env);

#endif
