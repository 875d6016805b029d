/* Private to the library: profiles as records in memory. */
#ifndef RECORD_API_RECORDS_H
#define RECORD_API_RECORDS_H

#include "tprof-record/api/lib.h"

/* What has to be done before the heap buckets are looked at: see Go's memProfileInternal. */
void api_publish_heap(const struct rec_host *h);

#endif
