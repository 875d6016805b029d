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
/* TP_SEGMENT_BLOCKS, or less in tests, so that small runs have several segments; at least 1. */
extern uint32_t tp_segment_blocks;

struct tp_timeline;

/* Receives rows and segments when they are complete. */
struct tp_timeline_sink {
	int (*row)(void *ctx, enum tp_table_id table, const int64_t *values, struct tp_err *err);
	int (*segment)(void *ctx, const struct tp_segment *s, struct tp_err *err);
	void *ctx;
};

/* The first writes to a run, with tp_store_put_row() and tp_store_put_segment(). Both return NULL
 * when memory is out. */
struct tp_timeline *tp_timeline_new(struct tp_store_run *run);
struct tp_timeline *tp_timeline_new_to(const struct tp_timeline_sink *sink);
void tp_timeline_free(struct tp_timeline *t);
/* Takes the next n ordered events. Returns 0 or an error code. */
int tp_timeline_feed(struct tp_timeline *t, const struct tp_event *ev, size_t n,
		     struct tp_err *err);
/* Writes the remaining rows after the last event; the trace's tables and dictionary must be
 * complete. Adds inconsistencies to the trace's losses. Returns 0 or an error code. */
int tp_timeline_finish(struct tp_timeline *t, struct tp_trace *trace, struct tp_err *err);

#endif
