/* The durations of a report's rows, as parts bring them, and their percentiles; private to
 * libreport/top.
 *
 * begin (begin_run, put …) … prepare. Zero-initialised is valid and empty. */
#ifndef REP_TOP_DURATIONS_H
#define REP_TOP_DURATIONS_H

#include "top/report.h"

struct rep_durations {
	uint32_t *site_owner; /* site of the view → row + 1 */
	size_t nsites;
	struct rep_dist dist;
	struct rep_percentiles *percentiles; /* by row; NULL before prepare */
	bool unknown;			     /* durations of a goroutine that were only summed */
};

int rep_durations_begin_run(struct rep_durations *d, struct rep_view *v, struct tp_err *err);
/* 0 or TP_ENOMEM. */
int rep_durations_put(struct rep_durations *d, uint32_t row, const struct rep_part *part);
/* After the parts of a run, where there are several (job->every). */
int rep_durations_end_run(struct rep_durations *d, struct rep_job *job, struct rep_view *v,
			  struct tp_err *err);
/* A report's operation `prepare`; sum(job, row) is what the row adds up. */
int rep_durations_prepare(struct rep_durations *d, struct rep_job *job, struct rep_view *v,
			  const uint32_t *rows, size_t n,
			  const struct rep_sum *(*sum)(struct rep_job *job, size_t row),
			  struct tp_err *err);
void rep_durations_release(struct rep_durations *d);

#endif
