/* Private to the library: the stacks of all goroutines, taken from inside. */
#ifndef RECORD_API_STACKS_H
#define RECORD_API_STACKS_H

#include "tprof-record/api/lib.h"
#include "tprof-record/convert/process.h"
#include "tprof-record/convert/profile/profile_rows.h"

enum { API_MAX_DEPTH = 128 };

/* Zero-initialised is valid and empty. */
struct api_stacks {
	struct rec_process process; /* a copy of the arena */
	struct rec_live live;	    /* stacks of those that run */
	/* Goroutines that are alive but the calling one, without kernel threads that run one of the
	 * program's own. They point into the two above. */
	struct rec_rows others;
};

/* Takes the stacks; `own` is the caller's, as it took it. Threads that run are asked, unless there
 * are more than `most` goroutines besides the caller's. One caller at a time; others wait. Returns 0
 * or an errno value; the caller calls api_stacks_release, after an error too. */
int api_stacks_take(const struct rec_host *h, const uint64_t *own, size_t nown, size_t most,
		    struct api_stacks *s);
void api_stacks_release(struct api_stacks *s);

#endif
