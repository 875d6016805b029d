/* Copes with files that are truncated while they are mapped: libraries that are rewritten, or cut by the
 * recorded program. Missing pages read as zeros, which readers must accept in any case. Without this, SIGBUS
 * would end the recorder, and the recording. */
#ifndef RECORD_PARENT_CUT_H
#define RECORD_PARENT_CUT_H

#include <stdint.h>

/* Begins, for all threads. Programs that are started later have SIGBUS at its default. */
void rec_cut_begin(void);

/* Returns how many pages were missing so far. */
uint64_t rec_cut_pages(void);

#endif
