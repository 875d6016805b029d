/* What becomes of a job that is finished: rows are chosen (choose.c) and written (write.c); private
 * to libreport/top. All return 0 or an error code with err filled in. */
#ifndef REP_TOP_JOB_H
#define REP_TOP_JOB_H

#include "output/output.h"
#include "top/report.h"

/* The rows to show, at most `limit` (0: all), in order, into *rows (to be freed, after an error,
 * too) and *n. */
int rep_job_pick(struct rep_job *job, struct rep_view *v, size_t limit, uint32_t **rows, size_t *n,
		 struct tp_err *err);

/* The lines above the table, one by one, and an empty one. */
int rep_job_write_lead(const struct rep_job *job, struct rep_output *out, struct tp_err *err);
/* The chosen rows, and what is to be said below them. */
int rep_job_write_table(struct rep_job *job, struct rep_view *v, struct rep_output *out,
			size_t limit, struct tp_err *err);
/* The chart, if there is anything to draw and a place for it. */
int rep_job_write_chart(struct rep_job *job, struct rep_output *out, struct tp_err *err);

#endif
