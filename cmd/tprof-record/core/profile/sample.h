/* The table of sampled blocks that are alive: private memory of the process. */
#ifndef RECORD_CORE_SAMPLE_H
#define RECORD_CORE_SAMPLE_H

#include "tprof-record/core/inside.h"

/* The block belongs to that bucket (index + 1). false when there is no room (counted). *was: the
 * bucket that it belonged to until now, 0 none: such a block has gone without our knowledge. */
bool rec_sample_add(const void *block, uint32_t bucket, uint32_t *was);
/* Its bucket, 0 when it is not in the table. */
uint32_t rec_sample_remove(const void *block);
/* Forgets everything: after a fork, or when sampling begins anew. */
void rec_sample_clear(void);

#endif
