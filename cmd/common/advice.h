/* Advice for users: the part of an error message that says what to do. */
#ifndef CMD_ADVICE_H
#define CMD_ADVICE_H

#include <stddef.h>

#define CMD_ADVICE_SIZE 320

/* The advice after REP_NO_RUNS (run.h): the command that adds a run. */
#define CMD_ADD_RUN "; tprof-import -o STORE FILE adds one"

/* Returns advice about an errno of writing, "; make room, …", or "". */
const char *cmd_advice(int number);

/* Returns advice about an error, given the code and the message of its struct tp_err: "; did you mean
 * go.trace?", or "" if the message says enough. The message is about `path`, which may be NULL. The
 * result may be in `text` and is not escaped. */
const char *cmd_advise(char text[CMD_ADVICE_SIZE], const char *path, int code, const char *msg);

#endif
