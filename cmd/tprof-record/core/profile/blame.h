/* Who is to blame that threads waited for a lock: the mutex profile's side of a wait. */
#ifndef RECORD_CORE_BLAME_H
#define RECORD_CORE_BLAME_H

#include "tprof-record/core/inside.h"

/* Someone waits for the object from now on; the time that is now. */
uint64_t rec_blame_join(uint64_t object);
/* … and no longer; `start` is what join said. The time that is now. */
uint64_t rec_blame_leave(uint64_t object, uint64_t start, bool waited);
/* The object is about to be released by whoever has that stack; the time that is now. */
uint64_t rec_blame_post(uint64_t object, uint32_t stack);
/* Does anybody wait for such a lock? */
bool rec_blame_due(uint64_t object);

#endif
