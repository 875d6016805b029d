/* Signals that a thread blocks, so that other threads get them. */
#ifndef TP_BASE_SIGNALS_H
#define TP_BASE_SIGNALS_H

#include <signal.h>

/* Fills `set` with all signals except those raised by a fault of the thread itself: if such a
 * signal is blocked, the kernel ends the program without calling its handler. */
void tp_signals_sent(sigset_t *set);

#endif
