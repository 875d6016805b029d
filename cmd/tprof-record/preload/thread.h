/* Threads of the program, as they come and go. */
#ifndef RECORD_PRELOAD_THREAD_H
#define RECORD_PRELOAD_THREAD_H

/* Once, before any other: makes the key whose destructor sees threads end, for the caller too. */
void thread_watch_ends(void);
/* The calling thread was not created by way of the hooks. */
void thread_met(void);

#endif
