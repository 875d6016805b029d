/* Private to the library: what it knows of its own process, as conversions take it. */
#ifndef RECORD_API_PROCESS_H
#define RECORD_API_PROCESS_H

#include "base/err.h"
#include "tprof-record/api/lib.h"
#include "tprof-record/convert/process.h"

/* A copy of the arena as it is now, checked, with no records. TP_ENOMEM; then *p is empty. */
int api_process_copy(const struct rec_host *h, struct rec_process *p, struct tp_err *err);
void api_process_free(struct rec_process *p);

/* errno for a code of libparse. */
int api_errno(int code);

#endif
