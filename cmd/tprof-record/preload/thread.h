/* The beginning and end of threads. */
#ifndef RECORD_PRELOAD_THREAD_H
#define RECORD_PRELOAD_THREAD_H

/* Makes the key whose destructor notices the end of threads, the caller's too. Called once, first. */
void thread_watch_ends(void);
/* Called by a thread that no hook has created. */
void thread_met(void);

#endif
