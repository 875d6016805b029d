/* The life of one goroutine: any part of its spans in order, from a run of any size.
 *
 * Spans are numbered by their beginning, the order of SQL's table `span`. The store's sums say how
 * many begin in each segment, so a part in the middle of a million spans is found without reading
 * those before it. The segments that were read last are cached.
 *
 *	rep_life_new(&life, store, run, &(struct rep_goid){32, 0}, &err);
 *	rep_life_at(life, 1500000000, NULL, &number, &err);
 *	rep_life_spans(life, number, 100, spans, &n, NULL, &err);
 *	rep_life_free(life);
 */
#ifndef REP_LIFE_LIFE_H
#define REP_LIFE_LIFE_H

#include <stdatomic.h>

#include "goid.h"
#include "output/output.h"
#include "run.h"
#include "timeline/span.h"

struct rep_life;

/* Finds a goroutine; if its id was used several times and no life is given, the last one. `own` is as
 * rep_filter_text.own. The store, the run and it must outlive the result. Errors: TP_ENOENT with a
 * sentence if the run does not have the goroutine, TP_ESTORE, TP_ENOMEM. */
int rep_life_new(struct rep_life **life, struct tp_store *store, const struct rep_run *run,
		 const struct rep_goid *goroutine, const char *own, struct tp_err *err);
void rep_life_free(struct rep_life *life);

/* Returns the number of its spans. */
int64_t rep_life_count(const struct rep_life *life);

/* Reads up to n spans from number `first` on, *got of them. Times are in ns since the run began.
 * `stop` (may be NULL) ends it with TP_ECANCEL. */
int rep_life_spans(struct rep_life *life, int64_t first, size_t n, struct tp_span *out, size_t *got,
		   const atomic_bool *stop, struct tp_err *err);

/* Finds the number of the span at a moment; if there is none, of the last one that begins before
 * it; 0 before all spans. */
int rep_life_at(struct rep_life *life, int64_t ns, const atomic_bool *stop, int64_t *number,
		struct tp_err *err);

/* Writes the table `origin` with the columns what, value, goroutine (an id) and at_ns: the entry
 * function; the creator; when it was created, first ran and ended; the frames of the go statement.
 * The first REP_LIFE_FRAMES rows are always there, in this order. */
enum {
	REP_LIFE_ENTRY,
	REP_LIFE_CREATOR,
	REP_LIFE_CREATED,
	REP_LIFE_STARTED,
	REP_LIFE_ENDED,
	REP_LIFE_FRAMES
};
int rep_life_origin(struct rep_life *life, struct rep_output *out, struct tp_err *err);

/* Writes the result of rep_life_spans as the table `spans`, with names. */
int rep_life_print(struct rep_life *life, int64_t first, size_t n, const atomic_bool *stop,
		   struct rep_output *out, struct tp_err *err);

#endif
