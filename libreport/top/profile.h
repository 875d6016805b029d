/* A report as a profile: a sample for each row, whose values are the columns that add up; private
 * to libreport/top.
 *
 * The stack of a sample is that of the row, or one frame with what the row is called (its first
 * text). What else tells rows apart become labels. Means, percentiles, shares and points in time do
 * not add up and are left out. */
#ifndef REP_TOP_PROFILE_H
#define REP_TOP_PROFILE_H

#include "decode/profile.h"
#include "top/report.h"

/* 0, or TP_EFORMAT with a sentence: can the report be one? */
int rep_report_profile_check(const struct rep_report *r, struct tp_err *err);
/* Adds the rows of a job that is finished; *p is empty before. */
int rep_job_profile(struct rep_job *job, const uint32_t *rows, size_t n, struct tp_profile *p,
		    struct tp_err *err);

#endif
