/* Reads the events of a run block by block; another thread decodes the next blocks meanwhile, and the caller's thread
 * decodes too instead of waiting. If there are few blocks, or a thread cannot be started, the caller's decodes all.
 *
 * The connection to the store must not be used between open and close. */
#ifndef REP_SPANS_PREFETCH_H
#define REP_SPANS_PREFETCH_H

#include "store/store.h"

struct rep_prefetch;

/* Opens a reader as tp_events_open does. The bits of the choice must outlive it. */
int rep_prefetch_open(struct rep_prefetch **a, struct tp_store *s, int64_t run,
		      const struct tp_event_range *range, const struct tp_event_choice *choice,
		      struct tp_err *err);
/* Reads as tp_events_next does; the caller may change the events. */
int rep_prefetch_next(struct rep_prefetch *a, struct tp_event **ev, size_t *n, struct tp_err *err);
/* Closes the reader, which may be NULL. */
void rep_prefetch_close(struct rep_prefetch *a);

#endif
