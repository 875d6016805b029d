/* Events of a run, block by block, decoded on another thread while the caller looks at those
 * before; private to libreport. Where there are few, or no thread can be had, it is done in
 * between.
 *
 * The connection to the store must not be used between open and close. */
#ifndef REP_SPANS_PREFETCH_H
#define REP_SPANS_PREFETCH_H

#include "store/store.h"

struct rep_prefetch;

/* As tp_events_open; `for_spans` as tp_events_for_spans. */
int rep_prefetch_open(struct rep_prefetch **a, struct tp_store *s, int64_t run,
		      const struct tp_event_range *range, bool for_spans, struct tp_err *err);
/* As tp_events_next, but the events may be changed. */
int rep_prefetch_next(struct rep_prefetch *a, struct tp_event **ev, size_t *n, struct tp_err *err);
/* NULL is fine. */
void rep_prefetch_close(struct rep_prefetch *a);

#endif
