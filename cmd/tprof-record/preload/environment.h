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

/* What an environment lacks for recording. */
struct environment_lack {
	size_t count;		 /* entries that are there */
	bool record;		 /* TPROF_RECORD is not */
	bool preload;		 /* we are not in LD_PRELOAD, … */
	const char *const *list; /* … which is there (NULL: is not) */
};
struct environment_lack environment_lacking(char *const *env);
/* For what comes between vfork and exec, so without allocation: to has room for count + 3 entries,
 * text for environment_text bytes. Returns to. */
size_t environment_text(const struct environment_lack *l);
char **environment_complete(char **to, char *text, char *const *env,
			    const struct environment_lack *l);

#endif
