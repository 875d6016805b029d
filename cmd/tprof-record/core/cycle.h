/* Where heap samples are counted right now. */
#ifndef RECORD_CORE_CYCLE_H
#define RECORD_CORE_CYCLE_H

#include "tprof-record/core/core.h"

struct rec_heap_cycle *rec_cycle_now(const struct rec_arena *a, struct rec_bucket *b);

#endif
