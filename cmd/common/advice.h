/* What a user can do about a failure: how messages end. */
#ifndef CMD_ADVICE_H
#define CMD_ADVICE_H

#include <stddef.h>

#define CMD_ADVICE_SIZE 320

/* Follows REP_NO_RUNS (run.h): the command that adds a run. */
#define CMD_ADD_RUN "; tprof-import -o STORE FILE adds one"

/* Of this errno, met in writing: "; make room, …", or "". */
const char *cmd_advice(int number);

/* Of a struct tp_err's code and sentence, which is about `path` unless it is NULL: "; did you mean
 * go.trace?", or "" where the sentence says enough. Returns text. Not escaped. */
const char *cmd_advise(char text[CMD_ADVICE_SIZE], const char *path, int code, const char *msg);

#endif
