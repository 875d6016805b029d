/* Starts commands of ours from a command that serves others. */
#ifndef CMD_SPAWN_H
#define CMD_SPAWN_H

#include <signal.h>
#include <sys/types.h>

/* Starts the program line[0] that is beside this one, with the arguments line[1] …, up to a NULL. It has an
 * empty standard input, its own group of processes (kill(-pid, …) ends all of it), no limit of memory but its
 * own, and is killed if the calling thread ends. `out` and `errors` become its standard output and error;
 * `mask` its blocked signals. Returns its id, or -1 with errno. If the program cannot be started, that is
 * written to `errors`, and the exit status is 127. */
pid_t cmd_spawn(const char *const *line, int out, int errors, const sigset_t *mask);

#endif
