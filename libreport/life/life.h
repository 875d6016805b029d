/* The life of one goroutine: its spans in order, any stretch of them, of a run of any size.
 *
 * Spans are numbered by their beginning, as the table `span` of SQL has them in that order. The
 * store's sums say how many begin in each segment, so that a stretch in the middle of a million is
 * found without reading what is before it; the segments that were read last are kept.
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

/* TP_ENOENT, with a sentence, where the run has no goroutine of this id; of several
 * lives, it is the last where none is said. The store and the run must
 * outlive it. TP_ESTORE, TP_ENOMEM. */
int rep_life_new(struct rep_life **life, struct tp_store *store, const struct rep_run *run,
		 const struct rep_goid *goroutine, struct tp_err *err);
void rep_life_free(struct rep_life *life);

/* How many spans it has. */
int64_t rep_life_count(const struct rep_life *life);

/* Spans first … first + n - 1, as far as there are so many: *got of them. Times in ns since the run
 * began. `stop` (may be NULL) makes it end with TP_ECANCEL. */
int rep_life_spans(struct rep_life *life, int64_t first, size_t n, struct tp_span *out, size_t *got,
		   const atomic_bool *stop, struct tp_err *err);

/* The number of the span it is in at a moment; of the last one that begins before, where there is
 * none; 0 before all. */
int rep_life_at(struct rep_life *life, int64_t ns, const atomic_bool *stop, int64_t *number,
		struct tp_err *err);

/* Where it comes from, as a table `origin` of what, value, goroutine (an id) and at_ns: its entry
 * function; who created it; when it was created, first ran and ended; the frames of the go
 * statement. The first REP_LIFE_FRAMES rows are always there, in this order. */
enum {
	REP_LIFE_ENTRY,
	REP_LIFE_CREATOR,
	REP_LIFE_CREATED,
	REP_LIFE_STARTED,
	REP_LIFE_ENDED,
	REP_LIFE_FRAMES
};
int rep_life_origin(struct rep_life *life, struct rep_output *out, struct tp_err *err);

/* The same as a table `spans`: what rep_life_spans gives, with names. */
int rep_life_print(struct rep_life *life, int64_t first, size_t n, const atomic_bool *stop,
		   struct rep_output *out, struct tp_err *err);

#endif
