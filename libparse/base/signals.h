/* Signals that a thread leaves to the other threads of the program. */
#ifndef TP_BASE_SIGNALS_H
#define TP_BASE_SIGNALS_H

#include <signal.h>

/* Fills `set` with the signals that others send. Those that a fault of the thread itself raises are left
 * out: where they are blocked, the kernel ends the program without calling its handler. */
void tp_signals_sent(sigset_t *set);

#endif
