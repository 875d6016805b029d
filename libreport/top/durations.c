#include "top/durations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hist.h"

int rep_durations_begin_run(struct rep_durations *d, struct rep_view *v, struct tp_err *err)
{
	int code = rep_view_load(v, TP_TABLE_SITE, REP_BIT(SITE, segment), err);

	if (code)
		return code;
	free(d->site_owner);
	d->nsites = v->nrows[TP_TABLE_SITE];
	d->site_owner = calloc(d->nsites ? d->nsites : 1, sizeof(*d->site_owner));
	return d->site_owner ? 0 : rep_job_fail(err, TP_ENOMEM);
}

int rep_durations_put(struct rep_durations *d, uint32_t row, const struct rep_part *part)
{
	if (part->site != TP_NONE)
		d->site_owner[part->site] = row + 1;
	else if (part->count == 1)
		return rep_dist_put(&d->dist, row, part->total_ns);
	else
		d->unknown = true;
	return 0;
}

/* Takes the histograms of this run's sites to those rows for which wanted[row] is set (NULL: to
 * all). */
static int take_histograms(struct rep_durations *d, struct rep_view *v, const bool *wanted,
			   struct tp_err *err)
{
	const int64_t *site, *bucket, *count;
	bool any = false;
	int code;

	for (size_t i = 0; i < d->nsites && !any; i++)
		any = d->site_owner[i] && (!wanted || wanted[d->site_owner[i] - 1]);
	if (!any)
		return 0;
	code = rep_view_load(
	    v, TP_TABLE_SITE_HIST,
	    REP_BIT(SITE_HIST, site) | REP_BIT(SITE_HIST, bucket) | REP_BIT(SITE_HIST, count), err);
	if (code)
		return code;
	site = REP_COL(v, SITE_HIST, site);
	bucket = REP_COL(v, SITE_HIST, bucket);
	count = REP_COL(v, SITE_HIST, count);
	for (size_t i = 0; i < v->nrows[TP_TABLE_SITE_HIST]; i++) {
		uint32_t owner;

		if (site[i] < 0 || (uint64_t)site[i] >= d->nsites)
			continue;
		owner = d->site_owner[site[i]];
		if (!owner || (wanted && !wanted[owner - 1]) || bucket[i] < 0 ||
		    bucket[i] >= TP_HIST_BUCKETS)
			continue;
		if (rep_dist_put_bucket(&d->dist, owner - 1, (int)bucket[i], count[i]))
			return rep_job_fail(err, TP_ENOMEM);
	}
	return 0;
}

int rep_durations_end_run(struct rep_durations *d, struct rep_job *job, struct rep_view *v,
			  struct tp_err *err)
{
	return job->every ? take_histograms(d, v, NULL, err) : 0;
}

int rep_durations_prepare(struct rep_durations *d, struct rep_job *job, struct rep_view *v,
			  const uint32_t *rows, size_t n,
			  const struct rep_sum *(*sum)(struct rep_job *job, size_t row),
			  struct tp_err *err)
{
	int code = 0;

	if (d->percentiles)
		return 0;
	d->percentiles = calloc(job->nrows ? job->nrows : 1, sizeof(*d->percentiles));
	if (!d->percentiles)
		return rep_job_fail(err, TP_ENOMEM);
	if (!job->every) {
		bool *wanted = calloc(job->nrows ? job->nrows : 1, sizeof(*wanted));

		if (!wanted)
			return rep_job_fail(err, TP_ENOMEM);
		for (size_t i = 0; i < n; i++)
			wanted[rows[i]] = true;
		code = take_histograms(d, v, wanted, err);
		free(wanted);
	}
	if (!code && rep_dist_solve(&d->dist, d->percentiles, job->nrows))
		code = rep_job_fail(err, TP_ENOMEM);
	for (size_t i = 0; !code && i < job->nrows; i++) {
		/* Sums without the durations: what is known of the rest would mislead. */
		if (d->unknown && sum(job, i)->count > 1)
			d->percentiles[i].known = false;
	}
	for (size_t i = 0; !code && i < n; i++) {
		if (d->percentiles[rows[i]].known && !d->percentiles[rows[i]].exact)
			snprintf(job->note, sizeof(job->note), "%s", REP_DIST_WITHIN);
	}
	if (!code && d->unknown)
		snprintf(job->note, sizeof(job->note), "%s", REP_NOTE_UNKNOWN);
	return code;
}

void rep_durations_release(struct rep_durations *d)
{
	free(d->site_owner);
	free(d->percentiles);
	rep_dist_release(&d->dist);
	memset(d, 0, sizeof(*d));
}
