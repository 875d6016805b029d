/* Occupancy: how goroutines spent each bucket of time, at several widths, so that a timeline of any
 * length is drawn at any zoom from a few thousand rows and never from all events.
 *
 * Levels are powers of four: a bucket of level L is 4^L ns wide and begins at a multiple of that
 * (ns since the run began). Each segment has a base level, chosen from the rate of events so that a
 * bucket holds some TP_OCCUPANCY_EVENTS of them (finer zooms than that read the events themselves:
 * 200 columns then need at most about half a million), and every coarser level up to the width of
 * the segment.
 *
 * A row says how a goroutine divided a bucket in which its state changed. A bucket without a row
 * was spent wholly in the state the goroutine's latest row leaves it in (last_state), or, where it
 * has none before in the segment, in the state its span_crossing row gives. Rows are sums: the
 * shares of a bucket that lies in two segments are added.
 *
 * Fed with spans in the order in which they end; spans of one goroutine follow each other without a
 * gap (timeline/span.h). */
#ifndef TP_TIMELINE_OCCUPANCY_H
#define TP_TIMELINE_OCCUPANCY_H

#include "store/store.h"
#include "timeline/span.h"

#define TP_OCCUPANCY_EVENTS 2048

struct tp_occupancy;

/* Takes one row of the table `occupancy`, as tp_store_put_row does: values in the table's order. */
typedef int (*tp_occupancy_row_fn)(void *ctx, const int64_t *values, struct tp_err *err);

/* NULL when memory is out. */
struct tp_occupancy *tp_occupancy_new(tp_occupancy_row_fn fn, void *ctx);
void tp_occupancy_free(struct tp_occupancy *o);

/* A span that has ended; times in ns since the run began. 0 or TP_ENOMEM. */
int tp_occupancy_add(struct tp_occupancy *o, uint32_t goroutine, int64_t start, int64_t end,
		     uint8_t state);

/* The segment `id` is over: it lasted from from_ns to to_ns and held `events` events, and all spans
 * that ended in it have been fed; `spans` tells which are still open, of goroutines 0 to ng - 1, on
 * a clock that is start_ns ahead. Writes its rows. 0, TP_ENOMEM, or what the row function says. */
int tp_occupancy_segment(struct tp_occupancy *o, const struct tp_spans *spans, uint32_t ng,
			 int64_t start_ns, const struct tp_segment *segment, struct tp_err *err);

#endif
