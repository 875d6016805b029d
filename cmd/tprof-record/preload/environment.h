/* What recorded processes have in their environment: TPROF_RECORD and, in LD_PRELOAD, this library.
 *
 * It is taken out as soon as it was read, unless children are followed, so that children do not
 * find it whichever way they begin. What is executed by the recorded process itself goes on being
 * recorded: it is put back for an exec. And where children are followed, but are given an
 * environment that lacks it, it is put in. */
#ifndef RECORD_PRELOAD_ENVIRONMENT_H
#define RECORD_PRELOAD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* The value of TPROF_RECORD; NULL when it is not there. */
const char *environment_read(char **env);
/* Takes ours out of it, or, where children are followed, marks it with `again`, a text that is
 * added to TPROF_RECORD's. False when children cannot be followed. */
bool environment_take(char **env, const char *again, bool follows);

/* What an environment lacks for what begins with it to be recorded. */
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
