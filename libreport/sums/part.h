/* The time of goroutines, in parts: every report about states adds them up.
 *
 * A part is one span, or several that do not differ in anything a report groups or filters by.
 * Together the parts of a view are exactly the spans that overlap its time range and pass its
 * filter, each clipped to the range. No event is read unless the range cuts a segment:
 *
 *   spans within one segment that lies inside the range    table site (or goroutine_time): sums
 *   spans that cross the start of a segment                table span_crossing: one by one
 *   spans within a segment that the range cuts             from the segment's events, by the span
 *                                                          machine (timeline/span.h); at most two
 *                                                          segments are cut
 *
 * Inside tasks or regions (--task, --region; task/inside.h) every span is a part by itself, read
 * from the events of the segments that contain such tasks or regions. rep_parts_single() reads the
 * spans one by one anywhere.
 */
#ifndef REP_SUMS_PART_H
#define REP_SUMS_PART_H

#include "spans/view.h"
#include "timeline/span.h"

struct rep_part {
	uint32_t goroutine;	/* index; TP_NONE if the part covers several */
	uint32_t entry;		/* string of the run: entry function of the goroutine(s) */
	uint32_t reason, stack; /* string and stack of the run */
	uint32_t site; /* row of `site` whose histogram has the durations; TP_NONE if count is 1 or
			  the table has no histogram (goroutine_time) */
	unsigned state;
	int64_t count, total_ns, max_ns;
	int64_t min_ns;		    /* TP_NULL if not stored (goroutine_time with count > 1) */
	const struct tp_span *span; /* the span, not clipped; NULL if the part is a sum */
};

/* A nonzero result ends the walk and becomes its result. */
typedef int (*rep_part_fn)(void *ctx, const struct rep_part *part, struct tp_err *err);

enum {
	/* Each part is of one goroutine. Slower: it reads the table goroutine_time. --goroutine
	 * with an id implies it. */
	REP_PARTS_BY_GOROUTINE = 1,
	/* Durations matter, not only sums. If --goroutine has an id, whose tables keep only sums,
	 * its spans are read from the events instead, unless more than four segments would have to
	 * be read. */
	REP_PARTS_DURATIONS = 2,
	/* With REP_PARTS_DURATIONS: reads the events of any number of segments. */
	REP_PARTS_ALL_DURATIONS = 4,
};

/* Calls fn for every part. */
int rep_parts_each(struct rep_view *v, unsigned want, rep_part_fn fn, void *ctx,
		   struct tp_err *err);

/* Calls fn for spans one by one: at least for those whose part is `wanted`. Slower: it reads the
 * events of the segments that have a wanted part. */
typedef bool (*rep_part_wanted)(const struct rep_view *v, const struct rep_part *part);
int rep_parts_single(struct rep_view *v, rep_part_wanted wanted, rep_part_fn fn, void *ctx,
		     struct tp_err *err);

#endif
