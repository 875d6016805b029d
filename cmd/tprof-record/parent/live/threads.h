/* Takes stacks of the threads of a living process from outside.
 *
 * A waiting thread's stack is in the arena, where it was stored when the wait began. Only threads that were
 * running when the arena was copied are examined here. Each is stopped by ptrace, one at a time, while its
 * registers and the upper part of its stack are copied, and unwound afterwards. If the stop ends a system
 * call (EINTR), the call is restarted, so that the program notices nothing.
 *
 * Another waitpid of the recorder must not run at the same time, as it might collect a stop. The exit of the
 * process is left for the recorder to collect. */
#ifndef RECORD_PARENT_THREADS_H
#define RECORD_PARENT_THREADS_H

#include <sys/types.h>

#include "base/err.h"
#include "tprof-record/convert/process.h"
#include "tprof-record/convert/profile/profile.h"

/* Fills in *live, which the caller releases, after an error too. `pid` is the process as the recorder
 * sees it, `p` the checked copy of its arena. Threads that have gone are left out. TP_EIO: some threads
 * may not be traced; the message is for the user. TP_ENOMEM. */
int rec_live_stacks(pid_t pid, const struct rec_process *p, struct rec_live *live,
		    struct tp_err *err);

#endif
