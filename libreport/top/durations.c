/* The durations of rows, and their percentiles. */
#include "top/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hist.h"
#include "base/many.h"
#include "base/sum.h"

int rep_durations_begin(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct rep_durations *d = &job->durations;
	int code = rep_view_load(v, TP_TABLE_SITE, REP_BIT(SITE, segment), err);

	if (code)
		return code;
	free(d->site_owner);
	d->nsites = v->nrows[TP_TABLE_SITE];
	d->site_owner = calloc(d->nsites ? d->nsites : 1, sizeof(*d->site_owner));
	return d->site_owner ? 0 : rep_job_fail(err, TP_ENOMEM);
}

static void add(struct rep_sum *s, const struct rep_part *part)
{
	int64_t min_ns = part->min_ns == TP_NULL ? 0 : part->min_ns;

	if (!s->count || min_ns < s->min_ns)
		s->min_ns = min_ns;
	if (!s->count || part->max_ns > s->max_ns)
		s->max_ns = part->max_ns;
	tp_sum(&s->count, part->count);
}

/* Finds the sum of a row, and adds time to it and to all of them. NULL when memory has run out. */
static inline struct rep_sum *spend(struct rep_durations *d, uint32_t row, int64_t ns)
{
	if (tp_grow(&d->sum, &d->room, row, sizeof(*d->sum)))
		return NULL;
	tp_sum(&d->sum[row].total_ns, ns);
	tp_sum(&d->total_ns, ns);
	return &d->sum[row];
}

int rep_durations_put(struct rep_job *job, uint32_t row, const struct rep_part *part)
{
	struct rep_durations *d = &job->durations;
	struct rep_sum *sum = spend(d, row, part->total_ns);

	if (!sum)
		return TP_ENOMEM;
	add(sum, part);
	if (part->site != TP_NONE)
		d->site_owner[part->site] = row + 1;
	else if (part->count == 1)
		return rep_dist_put(&d->dist, row, part->total_ns);
	else
		d->unknown = true;
	return 0;
}

int rep_durations_add(struct rep_job *job, uint32_t row, int64_t ns)
{
	return spend(&job->durations, row, ns) ? 0 : TP_ENOMEM;
}

struct taking {
	struct rep_durations *d;
	const bool *wanted; /* by row; NULL: all */
};

static int take_rows(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	const struct taking *t = ctx;
	struct rep_durations *d = t->d;
	const int64_t *site = REP_COL(v, SITE_HIST, site);
	const int64_t *bucket = REP_COL(v, SITE_HIST, bucket);
	const int64_t *count = REP_COL(v, SITE_HIST, count);

	(void)first;
	for (size_t i = 0; i < v->nrows[TP_TABLE_SITE_HIST]; i++) {
		uint32_t owner;

		if (site[i] < 0 || (uint64_t)site[i] >= d->nsites)
			continue;
		owner = d->site_owner[site[i]];
		if (!owner || (t->wanted && !t->wanted[owner - 1]) || bucket[i] < 0 ||
		    bucket[i] >= TP_HIST_BUCKETS)
			continue;
		if (rep_dist_put_bucket(&d->dist, owner - 1, (int)bucket[i], count[i]))
			return rep_job_fail(err, TP_ENOMEM);
	}
	return 0;
}

/* Takes the histograms of this run's sites to those rows for which wanted[row] is set (NULL: to
 * all). */
static int take_histograms(struct rep_durations *d, struct rep_view *v, const bool *wanted,
			   struct tp_err *err)
{
	struct taking t = {d, wanted};
	bool any = false;

	for (size_t i = 0; i < d->nsites && !any; i++)
		any = d->site_owner[i] && (!wanted || wanted[d->site_owner[i] - 1]);
	return any ? rep_view_visit(v, TP_TABLE_SITE_HIST,
				    REP_BIT(SITE_HIST, site) | REP_BIT(SITE_HIST, bucket) |
					REP_BIT(SITE_HIST, count),
				    take_rows, &t, err)
		   : 0;
}

int rep_durations_end(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	return job->every ? take_histograms(&job->durations, v, NULL, err) : 0;
}

#define NOTE_UNKNOWN                                                                               \
	"percentiles are not kept for a goroutine that lives long; narrow it with --from and --to"

int rep_durations_prepare(struct rep_job *job, struct rep_view *v, const uint32_t *rows, size_t n,
			  struct tp_err *err)
{
	struct rep_durations *d = &job->durations;
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
		if (d->unknown && d->sum[i].count > 1)
			d->percentiles[i].known = false;
	}
	for (size_t i = 0; !code && i < n; i++) {
		if (d->percentiles[rows[i]].known && !d->percentiles[rows[i]].exact)
			snprintf(job->note, sizeof(job->note), "%s", REP_DIST_WITHIN);
	}
	if (!code && d->unknown)
		snprintf(job->note, sizeof(job->note), "%s", NOTE_UNKNOWN);
	return code;
}

static struct rep_value mean(const struct rep_sum *s)
{
	int64_t n = s->count;

	/* Rounded half up, without a sum that might not fit. */
	return n > 0 ? rep_int(s->total_ns / n + (s->total_ns % n >= n - n / 2)) : rep_null();
}

/* A percentile, kept within what the sum knows of the values. */
static struct rep_value percentile(const struct rep_sum *s, const struct rep_percentiles *p,
				   int which)
{
	int64_t ns = p->ns[which];

	if (!p->known)
		return rep_null();
	if (!p->exact && ns < s->min_ns)
		ns = s->min_ns;
	if (!p->exact && ns > s->max_ns)
		ns = s->max_ns;
	return rep_int(ns);
}

char *rep_job_ns(const struct rep_job *job, char text[TP_COUNT_SIZE], int64_t ns)
{
	return job->runs[0].row.ticks ? tp_fmt_count(text, ns) : tp_fmt_ns(text, ns);
}

int rep_durations_say(struct rep_job *job, struct tp_err *err)
{
	struct rep_durations *d = &job->durations;
	char total[TP_COUNT_SIZE], ns[REP_NPERCENTILES][TP_COUNT_SIZE], max[TP_COUNT_SIZE];
	char count[TP_COUNT_SIZE];
	struct rep_sum all = {0};
	struct rep_percentiles p;

	if (job->nrows < 2 || d->unknown)
		return 0;
	for (size_t i = 0; i < job->nrows; i++) {
		const struct rep_sum *s = &d->sum[i];

		if (s->count)
			add(&all, &(struct rep_part){
				      .count = s->count, .min_ns = s->min_ns, .max_ns = s->max_ns});
	}
	/* The rows have their percentiles by now. */
	for (size_t i = 0; i < d->dist.n; i++)
		d->dist.item[i].owner = 0;
	if (rep_dist_solve(&d->dist, &p, 1))
		return rep_job_fail(err, TP_ENOMEM);
	for (int i = 0; i < REP_NPERCENTILES; i++)
		rep_job_ns(job, ns[i], percentile(&all, &p, i).i);
	snprintf(job->note, sizeof(job->note), "all %s: %s, p50 %s, p90 %s, p99 %s, max %s; %s",
		 tp_fmt_count(count, all.count), rep_job_ns(job, total, d->total_ns), ns[REP_P50],
		 ns[REP_P90], ns[REP_P99], rep_job_ns(job, max, all.max_ns),
		 p.exact ? "exact" : "within 1 %");
	return 0;
}

struct rep_value rep_durations_value(const struct rep_job *job, size_t row, int64_t whole,
				     enum rep_sum_column column)
{
	static const struct rep_percentiles none;
	const struct rep_durations *d = &job->durations;
	const struct rep_percentiles *p = d->percentiles ? &d->percentiles[row] : &none;
	const struct rep_sum *s = &d->sum[row];

	switch (column) {
	case REP_SUM_COUNT:
		return rep_int(s->count);
	case REP_SUM_TOTAL:
		return rep_int(s->total_ns);
	case REP_SUM_SHARE:
		return rep_share(s->total_ns, whole);
	case REP_SUM_MEAN:
		return mean(s);
	case REP_SUM_P50:
	case REP_SUM_P90:
	case REP_SUM_P99:
		return percentile(s, p, (int)(column - REP_SUM_P50) + REP_P50);
	case REP_SUM_MAX:
		return rep_int(s->max_ns);
	default:
		return p->known ? rep_int(p->exact) : rep_null();
	}
}

void rep_durations_release(struct rep_durations *d)
{
	free(d->sum);
	free(d->site_owner);
	free(d->percentiles);
	rep_dist_release(&d->dist);
	memset(d, 0, sizeof(*d));
}
