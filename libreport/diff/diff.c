#include "diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode/dict.h"
#include "diff/kind.h"

#define HIST_ERROR 0.016 /* of two percentiles from histograms, each within 0.8 % */

const struct rep_diff_sort_desc rep_diff_sorts[REP_NDIFF_SORTS] = {
    [REP_SORT_DELTA] = {"delta", "the greatest change first, whatever its sign"},
    [REP_SORT_PERCENT] = {"percent", "the greatest change in percent first"},
    [REP_SORT_OLD] = {"old", "the greatest old value first"},
    [REP_SORT_NEW] = {"new", "the greatest new value first"},
    [REP_SORT_P] = {"p", "the surest change first"},
    [REP_SORT_NAME] = {"name", "by name"},
};

const char *const rep_statuses[] = {
    [REP_STATUS_SAME] = "same",
    [REP_STATUS_CHANGED] = "changed",
    [REP_STATUS_ADDED] = "added",
    [REP_STATUS_GONE] = "gone",
};

const char *rep_diff_verdict(const struct rep_diff *d, enum rep_verdict verdict)
{
	static const char *const words[][2] = {
	    [REP_VERDICT_NONE] = {"", ""},
	    [REP_VERDICT_CHANGED] = {"differs", "changed"},
	    [REP_VERDICT_DIFFERS] = {"differs", "differs"},
	    [REP_VERDICT_SAME] = {"alike", "no change"},
	    [REP_VERDICT_FEW] = {"too few", "too few"},
	};

	return d->noise && verdict == REP_VERDICT_SAME ? "noise" : words[verdict][d->sets];
}

int rep_diff_name(const struct rep_diff *d, const struct rep_diff_row *row, struct tp_buf *name,
		  size_t *names)
{
	return d->kind->name(d, row, name, names);
}

char *rep_diff_value(const struct rep_diff *d, const struct rep_diff_row *row, double value,
		     char text[REP_DIFF_VALUE])
{
	return d->kind->value(d, row, value, text);
}

struct rep_diff_row *rep_diff_add(struct rep_diff *d, size_t *room)
{
	struct rep_diff_row *row;

	if (tp_grow_raw(&d->row, room, d->n, sizeof(*d->row)))
		return NULL;
	row = &d->row[d->n++];
	*row = (struct rep_diff_row){.exact = true,
				     .p = (double)NAN,
				     .q = (double)NAN,
				     .p_windows = (double)NAN,
				     .change = (double)NAN};
	return row;
}

void rep_diff_side_release(struct rep_diff_side *side)
{
	for (size_t i = 0; i < side->n; i++) {
		rep_metrics_free(side->run[i].metrics);
		free(side->run[i].total);
	}
	free(side->run);
	*side = (struct rep_diff_side){0};
}

/* ---- tests ---- */

void rep_diff_test(struct rep_stats *stats, double *value, size_t n, size_t m,
		   struct rep_diff_row *row)
{
	struct rep_comparison c;
	bool same;

	rep_stats_compare(stats, value, value + n, &c);
	same = value[0] == value[n - 1] && value[0] == value[n] && value[0] == value[n + m - 1];
	row->old = c.old.median;
	row->new = c.new.median;
	row->of_old = c.old.interval;
	row->of_new = c.new.interval;
	row->of_delta = c.delta;
	row->p = same ? (double)NAN : c.p;
	row->u = c.u;
}

int rep_diff_keep(struct rep_diff *d, const double *value)
{
	size_t runs = d->nold + d->nnew;

	if (!d->joint)
		return 0;
	if (tp_grow_raw(&d->cell, &d->cells_room, d->n * runs - 1, sizeof(*d->cell)))
		return TP_ENOMEM;
	memcpy(&d->cell[(d->n - 1) * runs], value, runs * sizeof(*value));
	return 0;
}

static bool is_apart(const struct rep_diff *d, const struct rep_diff_row *row)
{
	return d->sets && !isnan(row->p) &&
	       (row->u == 0 || row->u == (double)d->nold * (double)d->nnew);
}

bool rep_diff_stands_out(const struct rep_diff *d, const struct rep_diff_row *row)
{
	return row->verdict == REP_VERDICT_CHANGED || is_apart(d, row);
}

/* q_windows is that of the row's p_windows. */
static enum rep_verdict verdict(const struct rep_diff *d, const struct rep_diff_row *row,
				double q_windows)
{
	bool tellable = row->exact || !(fabs(row->change) < HIST_ERROR);

	if (!d->few && row->old == row->new)
		return REP_VERDICT_SAME;
	if (!d->few && row->q <= d->opt.alpha && tellable)
		return REP_VERDICT_CHANGED;
	if (is_apart(d, row) && q_windows <= d->opt.alpha && tellable)
		return REP_VERDICT_DIFFERS;
	return d->few || isnan(row->q) || is_apart(d, row) ? REP_VERDICT_FEW : REP_VERDICT_SAME;
}

static enum rep_verdict by_noise(const struct rep_diff_row *row)
{
	return fabs(row->new - row->old) > row->noise ? REP_VERDICT_CHANGED : REP_VERDICT_SAME;
}

static int judge(struct rep_diff *d)
{
	double *p, *q, *windows;
	int code;

	if (d->noise) {
		d->total.verdict = by_noise(&d->total);
		for (size_t i = 0; i < d->n; i++)
			d->row[i].verdict = by_noise(&d->row[i]);
	}
	if (!d->sets && !d->kind->tests_pairs)
		return 0;
	d->total.q = d->total.p;
	d->total.verdict = verdict(d, &d->total, (double)NAN);
	p = tp_many(d->n + 1, 3 * sizeof(*p));
	if (!p)
		return TP_ENOMEM;
	q = p + d->n;
	windows = q + d->n;
	for (size_t i = 0; i < d->n; i++) {
		p[i] = d->row[i].p;
		windows[i] = d->row[i].p_windows;
	}
	if (d->joint)
		code = rep_stats_joint(d->cell, d->n, d->nold, d->nnew, d->kind->whole, p, q);
	else
		code = rep_stats_adjust(p, d->n, q);
	if (!code)
		code = rep_stats_adjust(windows, d->n, windows);
	for (size_t i = 0; !code && i < d->n; i++) {
		d->tests += isnan(p[i]) ? 0 : 1;
		d->row[i].p = p[i];
		d->row[i].q = q[i];
		d->row[i].verdict = verdict(d, &d->row[i], windows[i]);
		d->differing += d->row[i].verdict == REP_VERDICT_DIFFERS;
		d->apart += d->row[i].verdict == REP_VERDICT_FEW && is_apart(d, &d->row[i]);
	}
	free(p);
	return code;
}

/* ---- which rows, in which order ---- */

static bool shrank(const struct rep_diff_row *row)
{
	int64_t flat = rep_diff_delta(row->flat), cum = rep_diff_delta(row->cum);

	return flat < 0 || (!flat && cum < 0);
}

static bool is_shown(const struct rep_diff *d, const struct rep_diff_row *row)
{
	bool judged = d->sets || d->kind->tests_pairs || d->noise;

	if (d->opt.drop_negative && shrank(row))
		return false;
	if (!d->opt.changed)
		return true;
	return judged ? rep_diff_stands_out(d, row) : row->status != REP_STATUS_SAME;
}

static double greatest(double v)
{
	return isnan(v) ? -1 : fabs(v);
}

static double order_of(const struct rep_diff *d, const struct rep_diff_row *row)
{
	switch (d->opt.sort) {
	case REP_SORT_PERCENT:
		if (d->noise && row->verdict == REP_VERDICT_SAME)
			return -1;
		/* What was nothing has grown more than all else. */
		if (row->old == 0)
			return row->new == 0 ? 0 : (double)INFINITY;
		return greatest(row->change);
	case REP_SORT_OLD:
		return greatest(row->old);
	case REP_SORT_NEW:
		return greatest(row->new);
	case REP_SORT_P:
		return isnan(row->p) ? -2 : -row->p;
	case REP_SORT_NAME:
		return 0;
	default:
		return d->kind->rank(d, row);
	}
}

static int by_order(const void *a, const void *b, void *ctx)
{
	const struct rep_diff_row *x = a, *y = b;
	const struct rep_diff *d = ctx;

	if (x->order != y->order)
		return x->order > y->order ? -1 : 1;
	return d->kind->order(d, x, y);
}

static void put_in_order(struct rep_diff *d)
{
	size_t kept = 0;

	d->all = d->n;
	for (size_t i = 0; i < d->n; i++) {
		d->row[i].order = order_of(d, &d->row[i]);
		if (is_shown(d, &d->row[i]))
			d->row[kept++] = d->row[i];
	}
	d->n = kept;
	if (d->n)
		qsort_r(d->row, d->n, sizeof(*d->row), by_order, d);
}

/* ---- all of it ---- */

static int begin(struct rep_diff **out, const struct rep_diff_side *old,
		 const struct rep_diff_side *new, const struct rep_diff_options *opt,
		 struct tp_err *err)
{
	struct rep_diff *d;

	*out = NULL;
	if (!old->n || !new->n || old->n > REP_STATS_MAX || new->n > REP_STATS_MAX)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
				  "each side needs between 1 and %d runs", REP_STATS_MAX);
	d = calloc(1, sizeof(*d));
	if (!d)
		return tp_nomem(err);
	d->kind = new->run[0].metrics ? &rep_diff_of_traces : &rep_diff_of_profiles;
	d->opt = *opt;
	d->nold = old->n;
	d->nnew = new->n;
	d->load = 1;
	d->sets = old->n + new->n > 2 || opt->test_one;
	if (!(d->opt.alpha > 0))
		d->opt.alpha = 0.05;
	if (d->opt.min_share < 0)
		d->opt.min_share = d->kind->min_share;
	/* Many runs tell by ranks what few do not, and take too long to permute. A gate has rules of
	 * its own (gate.c). */
	d->joint = d->sets && !opt->gate && old->n + new->n <= REP_STATS_EXACT;
	d->few = d->sets && rep_stats_least_p(old->n, new->n) > d->opt.alpha;
	*out = d;
	return 0;
}

int rep_diff_new(struct rep_diff **d, const struct rep_diff_side *old,
		 const struct rep_diff_side *new, const struct rep_diff_options *opt,
		 struct tp_err *err)
{
	int code = begin(d, old, new, opt, err);

	if (!code)
		code = (*d)->kind->fill(*d, old, new, err);
	if (!code && judge(*d))
		code = tp_nomem(err);
	if (!code)
		put_in_order(*d);
	if (code) {
		rep_diff_free(*d);
		*d = NULL;
	}
	return code;
}

void rep_diff_free(struct rep_diff *d)
{
	if (!d)
		return;
	rep_diff_keys_free(d->keys);
	tp_dict_free(d->names);
	free(d->row);
	free(d->value);
	free(d->cell);
	free(d->profile);
	free(d);
}
