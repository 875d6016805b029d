/* The environment of recorded processes: TPROF_RECORD and, in LD_PRELOAD, this library.
 *
 * Unless children are followed, both are removed once they are read, so that children do not inherit them,
 * however they start. When the recorded process itself executes a program, recording goes on: both are put
 * back for it. If children are followed, they are added to environments that lack them. */
#ifndef RECORD_PRELOAD_ENVIRONMENT_H
#define RECORD_PRELOAD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the value of TPROF_RECORD; NULL: it is not set. */
const char *environment_read(char **env);
/* Removes our entries from the environment or, if children are followed, appends the text `again` to
 * TPROF_RECORD. Returns false if children cannot be followed. */
bool environment_take(char **env, const char *again, bool follows);

/* Returns whether a program that is executed now can load this library: the root may have changed. */
bool environment_can_load(void);
/* Returns how many bytes environment_complete needs; 0: the environment already has both entries or, unless they are
 * wanted, neither. */
size_t environment_lack(char *const *env, bool wanted);
/* Completes a copy of the environment in `room`, or takes our entries out of it, and returns it. Does not allocate, as
 * it runs between vfork and exec. */
char **environment_complete(void *room, char *const *env, bool wanted);

#endif
