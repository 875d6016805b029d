/* Choosing the rows of a finished job (choose.c) and writing them (write.c, profile.c). Private to
 * libreport/top. All functions return 0 or an error code with err filled in. */
#ifndef REP_TOP_JOB_H
#define REP_TOP_JOB_H

#include "decode/profile.h"
#include "output/output.h"
#include "top/report.h"

/* Returns a cell, as rep_report_ops.value. */
static inline struct rep_value rep_job_value(struct rep_job *job, size_t row, size_t column)
{
	return job->report->ops->value ? job->report->ops->value(job, row, column)
				       : rep_job_cell(job, row, column);
}

/* Chooses at most `limit` rows (0: all) and puts them in order. *rows has to be freed, after an
 * error, too. */
int rep_job_pick(struct rep_job *job, struct rep_view *v, size_t limit, uint32_t **rows, size_t *n,
		 struct tp_err *err);

/* Writes the lines above the table, and an empty one. */
int rep_job_write_lead(const struct rep_job *job, struct rep_output *out, struct tp_err *err);
/* Chooses and writes rows, and the notes below them. */
int rep_job_write_table(struct rep_job *job, struct rep_view *v, struct rep_output *out,
			size_t limit, struct tp_err *err);
#define REP_FINDING_ROWS 100 /* of each table that findings are looked for in */
/* Writes what the tables of n finished jobs say in sentences: as a table, or as lines if the format has tables for
 * people (findings.c). With `outliers`, a finding may be about that report, which need not be among them. */
int rep_job_write_findings(struct rep_job *job, size_t n, struct rep_view *v, bool outliers,
			   struct rep_output *out, struct tp_err *err);
/* Adds a sample for each of the rows to an empty profile; their values are the columns that add up.
 * The stack of a sample is that of the row, or one frame with what the row is called (its first
 * text). What else tells rows apart become labels. Means, percentiles, shares and points in time do
 * not add up and are left out (profile.c, which has rep_top_profile_check, too). */
int rep_job_profile(struct rep_job *job, const uint32_t *rows, size_t n, struct tp_profile *p,
		    struct tp_err *err);

/* Writes the chart if it has lines and the output has a place for it. */
int rep_job_write_chart(struct rep_job *job, struct rep_output *out, struct tp_err *err);

#endif
