/* Files that become shorter while they are mapped: libraries that are written anew, or cut by the
 * program whose code is named. What is missing then reads as zeros, which whoever reads it has to
 * be able to bear anyway, in place of SIGBUS, which would end the recorder and with it the
 * recording. */
#ifndef RECORD_PARENT_CUT_H
#define RECORD_PARENT_CUT_H

#include <stdint.h>

/* From here on, in all threads. Programs that are started later have SIGBUS at its default. */
void rec_cut_begin(void);

/* Pages that were missing so far. */
uint64_t rec_cut_pages(void);

#endif
