/* A recording of a program that runs already, without a library in it (--pid): CPU samples with copies of the
 * stack, and context switches, both from the kernel (perf_event_open). The recorder writes them into an arena
 * of its own, as the library would have, so that conversions and files are the same. */
#ifndef RECORD_PARENT_ATTACH_H
#define RECORD_PARENT_ATTACH_H

#include "tprof-record/parent/session.h"

/* Records a process until it ends or executes another program, for request->for_ns, or until SIGINT, SIGTERM,
 * SIGHUP or SIGQUIT. `begun` is called when recording begins; `report` is as in struct rec_session_options.
 * TP_ENOENT and TP_EFORMAT: the process cannot be recorded (the message says why, and what to do); TP_EIO,
 * TP_ENOMEM. */
int rec_attach_run(const struct rec_request *request, pid_t pid,
		   void (*begun)(void *ctx, const struct rec_result *r),
		   void (*report)(void *ctx, const struct rec_result *r), void *ctx,
		   struct tp_err *err);

#endif
