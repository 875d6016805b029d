/* The timeline: consumes ordered events of a run and fills the run's aggregate tables
 * (store/tables.h): goroutine, goroutine_block, goroutine_range, goroutine_time, site, site_hist,
 * span_crossing, proc_time, range, task, region, log, cpu_sample, gc_work, metric, and the segments.
 *
 * A segment is TP_SEGMENT_BLOCKS whole blocks of events; aggregates are per segment so that a time
 * range is whole segments summed plus at most two scanned: exact without reading everything. */
#ifndef TP_TIMELINE_TIMELINE_H
#define TP_TIMELINE_TIMELINE_H

#include "decode/trace.h"
#include "store/store.h"

#define TP_SEGMENT_BLOCKS 32
/* That many; tests set fewer, so that small runs have several segments. At least 1. */
extern uint32_t tp_segment_blocks;

struct tp_timeline;

/* Rows go to `run` as they are complete. NULL when memory is out. */
struct tp_timeline *tp_timeline_new(struct tp_store_run *run);
void tp_timeline_free(struct tp_timeline *t);
int tp_timeline_feed(struct tp_timeline *t, const struct tp_event *ev, size_t n,
		     struct tp_err *err);
/* After the last event, with the trace's tables and dictionary complete: writes what is left, and
 * adds to the trace's losses what could not be made sense of. */
int tp_timeline_finish(struct tp_timeline *t, struct tp_trace *trace, struct tp_err *err);

#endif
