/* Signals of threads that leave them to others. */
#ifndef CMD_SIGNALS_H
#define CMD_SIGNALS_H

#include <signal.h>

/* All that are sent to us. Not what a fault of the program's own raises: that would end it where it
 * is blocked, without the handler that puts things in order first. */
void cmd_signals_sent(sigset_t *set);

#endif
