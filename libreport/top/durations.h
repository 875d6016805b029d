/* The durations of a report's rows, taken from parts (sums/part.h), and their percentiles. Private
 * to libreport/top.
 *
 * For each run begin_run, put for each part, end_run; then prepare. Zero-initialised is valid and
 * empty. */
#ifndef REP_TOP_DURATIONS_H
#define REP_TOP_DURATIONS_H

#include "top/report.h"

struct rep_durations {
	uint32_t *site_owner; /* site of the view → row + 1 */
	size_t nsites;
	struct rep_dist dist;
	struct rep_percentiles *percentiles; /* by row; NULL before prepare */
	bool unknown;			     /* some durations are only known as a sum */
};

int rep_durations_begin_run(struct rep_durations *d, struct rep_view *v, struct tp_err *err);
/* Adds a part to a row. Returns 0 or TP_ENOMEM. */
int rep_durations_put(struct rep_durations *d, uint32_t row, const struct rep_part *part);
/* Ends a run. */
int rep_durations_end_run(struct rep_durations *d, struct rep_job *job, struct rep_view *v,
			  struct tp_err *err);
/* Implements rep_report_ops.prepare; sum(job, row) returns the sum of a row. */
int rep_durations_prepare(struct rep_durations *d, struct rep_job *job, struct rep_view *v,
			  const uint32_t *rows, size_t n,
			  const struct rep_sum *(*sum)(struct rep_job *job, size_t row),
			  struct tp_err *err);
void rep_durations_release(struct rep_durations *d);

#endif
