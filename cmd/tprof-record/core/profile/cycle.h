/* Where heap samples are counted right now. */
#ifndef RECORD_CORE_CYCLE_H
#define RECORD_CORE_CYCLE_H

#include "tprof-record/core/core.h"

struct rec_heap_cycle *rec_cycle_now(const struct rec_arena *a, struct rec_bucket *b);
/* One allocation, n frees. */
void rec_cycle_alloc(const struct rec_arena *a, struct rec_bucket *b);
void rec_cycle_free(const struct rec_arena *a, struct rec_bucket *b, int64_t n);

#endif
