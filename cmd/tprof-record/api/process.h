/* Private to the library: its own process, as conversions take it. */
#ifndef RECORD_API_PROCESS_H
#define RECORD_API_PROCESS_H

#include "base/err.h"
#include "tprof-record/api/lib.h"
#include "tprof-record/convert/process.h"

/* Copies and checks the arena as it is now, without records; the caller calls rec_process_free.
 * TP_ENOMEM; then *p is empty. */
int api_process_copy(const struct rec_host *h, struct rec_process *p, struct tp_err *err);

/* Returns the errno value for a code of libparse. */
int api_errno(int code);

#endif
