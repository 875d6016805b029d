/* Makes sure that a process uses one copy of core, even if two libraries contain it.
 *
 * Under tprof-record(1) the preloaded library is in the process, with an arena that the recorder reads. A
 * program that is also linked with libtprof-record has a second copy of core, with its own state. So
 * libtprof-record calls core through this table: the preloaded library's if it is loaded (only it exports
 * `tprof_record_host`), otherwise its own. */
#ifndef RECORD_CORE_HOST_H
#define RECORD_CORE_HOST_H

#include "tprof-record/core/core.h"

/* clang-format off */
/* Their names are those in core.h without "rec_". */
#define REC_HOST_FUNCTIONS(X) \
	X(core_begin) X(thread_begin) X(thread_end) X(thread_new) \
	X(thread_name) X(g_take) X(g_leave) X(wait_store) X(wait_clear) X(modules_read) \
	X(now) X(stack) X(backtrace) X(string) X(label_set) \
	X(write) X(wait_begin) X(wait_end) X(settle_now) X(announce) X(malloc) X(free) \
	X(set_heap_rate) X(block_event) X(mutex_event) X(blame_begin) X(blame_end) X(heap_publish)
/* clang-format on */

struct rec_host {
	/* REC_VERSION, and the sizes of this struct and of struct rec_self. A library of another build
	 * does not use a table that it would misread. */
	uint32_t version, size, size_of_self;
	struct rec_core **core;
	uint8_t *sampled;		/* rec_sampled */
	struct rec_self *(*self)(void); /* of the calling thread */

#define REC_X(name) __typeof__(rec_##name) *name;
	REC_HOST_FUNCTIONS(REC_X)
#undef REC_X
};

const struct rec_host *tprof_record_host(void);

#endif
