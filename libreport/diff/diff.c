#include "diff/diff.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "diff/match.h"
#include "profile/view.h"
#include "profile/whole.h"

const struct rep_diff_sort_desc rep_diff_sorts[REP_NDIFF_SORTS] = {
    [REP_SORT_DELTA] = {"delta", "the greatest change first, whatever its sign"},
    [REP_SORT_PERCENT] = {"percent", "the greatest change in percent first"},
    [REP_SORT_OLD] = {"old", "the greatest old value first"},
    [REP_SORT_NEW] = {"new", "the greatest new value first"},
    [REP_SORT_P] = {"p", "the surest change first"},
    [REP_SORT_NAME] = {"name", "by name"},
};

const char *const rep_verdicts[] = {
    [REP_VERDICT_NONE] = "",
    [REP_VERDICT_CHANGED] = "changed",
    [REP_VERDICT_SAME] = "no change",
    [REP_VERDICT_FEW] = "too few",
};

const char *const rep_statuses[] = {
    [REP_STATUS_SAME] = "same",
    [REP_STATUS_CHANGED] = "changed",
    [REP_STATUS_ADDED] = "added",
    [REP_STATUS_GONE] = "gone",
};

double rep_diff_percent(struct rep_diff_pair p)
{
	return p.old ? ((double)p.new - (double)p.old) / fabs((double)p.old) * 100 : (double)NAN;
}

/* ---- rows ---- */

static struct rep_diff_pair medians(struct rep_diff_work *w, int64_t *value)
{
	struct rep_diff_pair pair;

	memcpy(w->scratch, value, w->n * sizeof(*value));
	pair.old = rep_diff_median(w->scratch, w->nold);
	pair.new = rep_diff_median(w->scratch + w->nold, w->n - w->nold);
	return pair;
}

static bool all_zero(const int64_t *value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (value[i])
			return false;
	return true;
}

/* From w->value. The values are sorted afterwards. */
static int make_row(struct rep_diff_work *w, uint32_t key, struct rep_diff_row *row)
{
	struct rep_diff *d = w->d;
	int64_t *test = w->value[d->opt.cum];
	bool was = !all_zero(w->value[0], w->nold) || !all_zero(w->value[1], w->nold);
	bool is = !all_zero(w->value[0] + w->nold, w->n - w->nold) ||
		  !all_zero(w->value[1] + w->nold, w->n - w->nold);

	memset(row, 0, sizeof(*row));
	row->key = key;
	row->flat_wrapped = w->wrapped[0];
	row->cum_wrapped = w->wrapped[1];
	row->q = (double)NAN;
	if (d->sets) {
		row->flat = medians(w, w->value[0]);
		row->cum = medians(w, w->value[1]);
		if (rep_stats_compare(w->stats, test, test + w->nold, &row->test))
			return TP_ENOMEM;
		/* Where all runs have the same value there is nothing to test. */
		row->q = test[0] == test[w->nold - 1] && test[0] == test[w->nold] &&
				 test[0] == test[w->n - 1]
			     ? (double)NAN
			     : row->test.p;
	} else {
		row->flat = (struct rep_diff_pair){w->value[0][0], w->value[0][1]};
		row->cum = (struct rep_diff_pair){w->value[1][0], w->value[1][1]};
	}
	if (was && is)
		row->status = rep_diff_delta(row->flat) || rep_diff_delta(row->cum)
				  ? REP_STATUS_CHANGED
				  : REP_STATUS_SAME;
	else if (was || is)
		row->status = is ? REP_STATUS_ADDED : REP_STATUS_GONE;
	return 0;
}

/* Takes the values of the next key that any profile has; false at the end. */
static bool next_key(struct rep_diff_work *w, uint32_t *key)
{
	*key = UINT32_MAX;
	for (size_t i = 0; i < w->n; i++) {
		const struct rep_tally *t = &w->part[i].tally;

		if (w->part[i].at < t->n && t->entry[w->part[i].at].key < *key)
			*key = t->entry[w->part[i].at].key;
	}
	if (*key == UINT32_MAX)
		return false;
	w->wrapped[0] = w->wrapped[1] = false;
	for (size_t i = 0; i < w->n; i++) {
		const struct rep_tally *t = &w->part[i].tally;
		bool has = w->part[i].at < t->n && t->entry[w->part[i].at].key == *key;

		w->value[0][i] = has ? t->entry[w->part[i].at].flat : 0;
		w->value[1][i] = has ? t->entry[w->part[i].at].cum : 0;
		w->wrapped[0] |= has && t->entry[w->part[i].at].flat_wrapped;
		w->wrapped[1] |= has && t->entry[w->part[i].at].cum_wrapped;
		w->part[i].at += has;
	}
	return true;
}

/* Too little of everything to be looked at? Whether it is decided by old and new values alike, so
 * that what is left is no selection of changes. */
static bool too_small(const struct rep_diff_work *w)
{
	const int64_t *value = w->value[w->d->opt.cum];
	double sum = 0, of = 0;

	if (w->wrapped[0] || w->wrapped[1])
		return false;
	for (size_t i = 0; i < w->n; i++) {
		sum += fabs((double)value[i]);
		of += (double)w->part[i].tally.weight;
	}
	return sum < w->d->opt.min_share * of;
}

static int make_rows(struct rep_diff_work *w)
{
	struct rep_diff *d = w->d;
	size_t room = 0;
	uint32_t key;
	int code;

	for (size_t i = 0; i < w->n; i++) {
		w->value[0][i] = w->value[1][i] = w->part[i].tally.total;
		w->wrapped[0] |= w->part[i].tally.wrapped;
	}
	w->wrapped[1] = w->wrapped[0];
	code = make_row(w, 0, &d->total);
	while (!code && next_key(w, &key)) {
		if (d->opt.min_share > 0 && too_small(w))
			continue;
		if (tp_grow_raw(&d->row, &room, d->n, sizeof(*d->row)))
			return TP_ENOMEM;
		code = make_row(w, key, &d->row[d->n++]);
	}
	return code;
}

static enum rep_verdict verdict(const struct rep_diff *d, double q)
{
	if (d->few)
		return REP_VERDICT_FEW;
	return q <= d->opt.alpha ? REP_VERDICT_CHANGED : REP_VERDICT_SAME;
}

static int judge(struct rep_diff *d)
{
	double *p;
	int code;

	if (!d->sets)
		return 0;
	d->total.q = d->total.test.p;
	d->total.verdict = verdict(d, d->total.q);
	p = tp_many(d->n ? d->n : 1, sizeof(*p));
	if (!p)
		return TP_ENOMEM;
	for (size_t i = 0; i < d->n; i++) {
		p[i] = d->row[i].q;
		d->tests += isnan(p[i]) ? 0 : 1;
	}
	code = rep_stats_adjust(p, d->n, p);
	for (size_t i = 0; !code && i < d->n; i++) {
		d->row[i].q = isnan(p[i]) ? 1 : p[i];
		d->row[i].verdict = verdict(d, d->row[i].q);
	}
	free(p);
	return code;
}

static bool is_shown(const struct rep_diff *d, const struct rep_diff_row *r)
{
	int64_t flat = rep_diff_delta(r->flat), cum = rep_diff_delta(r->cum);

	if (d->opt.drop_negative && (flat < 0 || (!flat && cum < 0)))
		return false;
	if (!d->opt.changed)
		return true;
	return d->sets ? r->verdict == REP_VERDICT_CHANGED : flat || cum;
}

/* ---- order ---- */

static int compare_sizes(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static double percent_of(struct rep_diff_pair p)
{
	/* What was nothing has grown more than all else. */
	return p.old ? fabs(rep_diff_percent(p)) : p.new ? (double)INFINITY : 0;
}

static int by_order(const void *a, const void *b, void *ctx)
{
	const struct rep_diff_row *x = a, *y = b;
	const struct rep_diff *d = ctx;
	struct rep_diff_pair m = rep_diff_main(d, x), n = rep_diff_main(d, y);
	double u, v;
	int order = 0;

	switch (d->opt.sort) {
	case REP_SORT_PERCENT:
		u = percent_of(m);
		v = percent_of(n);
		order = (u < v) - (u > v);
		break;
	case REP_SORT_OLD:
		order = compare_sizes(rep_diff_size(m.old), rep_diff_size(n.old));
		break;
	case REP_SORT_NEW:
		order = compare_sizes(rep_diff_size(m.new), rep_diff_size(n.new));
		break;
	case REP_SORT_P:
		order = (x->test.p > y->test.p) - (x->test.p < y->test.p);
		break;
	case REP_SORT_NAME:
		order = rep_key_compare(d->keys, x->key, y->key);
		break;
	default:
		break;
	}
	if (!order)
		order = compare_sizes(rep_diff_size(rep_diff_delta(m)),
				      rep_diff_size(rep_diff_delta(n)));
	if (!order)
		order = compare_sizes(rep_diff_size(rep_diff_delta(d->opt.cum ? x->flat : x->cum)),
				      rep_diff_size(rep_diff_delta(d->opt.cum ? y->flat : y->cum)));
	return order ? order : rep_key_compare(d->keys, x->key, y->key);
}

/* ---- adding up, several profiles at a time ---- */

#define THREADS	    4
#define ALONE_BELOW 20000 /* samples in all that are not worth a thread */

struct tallies {
	struct rep_diff_work *w;
	size_t index;
	uint32_t keys;
	atomic_size_t next;
	atomic_int code;
	struct tp_err err[THREADS]; /* of each thread */
};

struct tally_thread {
	struct tallies *all;
	struct tp_err *err;
	pthread_t id;
};

/* What one run of a sum is, on average. */
static void divide(struct rep_tally *t, size_t by)
{
	for (size_t i = 0; i < t->n; i++) {
		t->entry[i].flat = rep_diff_average(t->entry[i].flat, by);
		t->entry[i].cum = rep_diff_average(t->entry[i].cum, by);
	}
	t->total = rep_diff_average(t->total, by);
	t->weight = rep_diff_average(t->weight, by);
}

static void *add_up(void *arg)
{
	struct tally_thread *me = arg;
	struct rep_diff_work *w = me->all->w;
	size_t i;

	while (!me->all->code && (i = me->all->next++) < w->n) {
		struct rep_diff_part *part = &w->part[i];
		struct rep_tally_how how = {part->type[me->all->index], w->d->opt.mean,
					    part->ratio};
		int code = rep_tally(part->run->profile, &part->map, me->all->keys, &how,
				     &part->tally, me->err);

		rep_key_map_release(&part->map);
		/* A quotient of sums is that of averages. */
		if (!code && !how.mean)
			divide(&part->tally, part->run->times);
		if (code)
			me->all->code = code;
	}
	return NULL;
}

static int add_up_all(struct rep_diff_work *w, size_t index, struct tp_err *err)
{
	struct tallies all = {.w = w, .index = index, .keys = rep_keys_count(w->d->keys)};
	struct tally_thread thread[THREADS];
	size_t samples = 0, started = 1, want = w->n < THREADS ? w->n : THREADS;

	for (size_t i = 0; i < w->n; i++)
		samples += w->part[i].run->profile->nsamples;
	if (samples < ALONE_BELOW)
		want = 1;
	for (size_t i = 0; i < want; i++)
		thread[i] = (struct tally_thread){.all = &all, .err = &all.err[i]};
	/* Where no thread can be started, fewer do it. */
	while (started < want &&
	       !pthread_create(&thread[started].id, NULL, add_up, &thread[started]))
		started++;
	add_up(&thread[0]);
	for (size_t i = 1; i < started; i++)
		pthread_join(thread[i].id, NULL);
	/* There is but one reason to fail. */
	return all.code ? tp_nomem(err) : 0;
}

/* ---- all of it ---- */

static int64_t shares_of(struct rep_diff_work *w, size_t index)
{
	struct rep_diff *d = w->d;
	int64_t base;

	if (d->opt.base)
		return d->opt.base;
	for (int both = 0; both < 2; both++) {
		size_t n = both ? w->n : w->nold;

		for (size_t i = 0; i < n; i++) {
			const struct rep_diff_part *part = &w->part[i];

			w->scratch[i] = d->opt.relative || d->opt.mean || part->ratio
					    ? part->tally.weight
					    : rep_match_whole(part, part->type[index], true, NULL);
		}
		base = both ? 0 : rep_diff_median(w->scratch, n);
		for (size_t i = 0; both && i < n; i++)
			base = (int64_t)((uint64_t)base + (uint64_t)w->scratch[i]);
		d->base_both = both && base > 0;
		if (base > 0)
			return base;
	}
	return base;
}

/* Where no profile has values of the type, what the first of the new ones says of that. */
static void note_zero(struct rep_diff_work *w, size_t index)
{
	for (size_t k = 1; k <= w->n; k++) {
		const struct rep_diff_part *part = &w->part[(w->nold + k) % w->n];

		if (!part->run->profile->nsamples || !part->type || part->type[index] == SIZE_MAX)
			continue;
		if (!*rep_profile_all_zero(part->run->profile, part->type[index], w->d->zero))
			return;
	}
}

static int fill(struct rep_diff_work *w, const struct rep_diff_side *old,
		const struct rep_diff_side *new, struct tp_err *err)
{
	const struct tp_profile *first = new->run[0].profile;
	struct rep_diff *d = w->d;
	size_t index = 0, kept = 0;
	int code;

	w->first = first;
	w->first_name = new->run[0].name;
	for (size_t i = 0; i < w->n; i++) {
		w->part[i].run = i < old->n ? &old->run[i] : &new->run[i - old->n];
		w->part[i].side = i < old->n ? REP_OLD : REP_NEW;
		d->wrapped |= w->part[i].run->profile->wrapped;
	}
	code = rep_profile_sample_index(first, d->opt.sample_index, &index, err);
	if (code)
		return code;
	snprintf(d->type, sizeof(d->type), "%s", rep_diff_text(first, first->types[index].type));
	code = rep_match_types(w, index, err);
	if (!code)
		note_zero(w, index);
	if (!code)
		code = rep_match_units(w, index, err);
	if (!code && d->opt.normalize && rep_match_totals(w))
		code = tp_nomem(err);
	for (size_t i = 0; !code && i < w->n && d->opt.keys.by == REP_BY_STACK; i++)
		code = rep_stacks_whole(w->part[i].run->profile, err);
	for (size_t i = 0; !code && i < w->n; i++)
		code = rep_keys_survey(d->keys, w->part[i].run->profile, w->part[i].side, err);
	for (size_t i = 0; !code && i < w->n; i++)
		code = rep_keys_map(d->keys, w->part[i].run->profile, w->part[i].side,
				    &w->part[i].map, err);
	if (!code)
		code = add_up_all(w, index, err);
	if (code)
		return code;
	d->base = shares_of(w, index);
	if (make_rows(w) || judge(d))
		return tp_nomem(err);
	for (size_t i = 0; i < d->n; i++)
		if (is_shown(d, &d->row[i]))
			d->row[kept++] = d->row[i];
	d->n = kept;
	if (d->n)
		qsort_r(d->row, d->n, sizeof(*d->row), by_order, d);
	return 0;
}

int rep_diff_new(struct rep_diff **out, const struct rep_diff_side *old,
		 const struct rep_diff_side *new, const struct rep_diff_options *opt,
		 struct tp_err *err)
{
	struct rep_diff_work w = {.n = old->n + new->n, .nold = old->n};
	int code = TP_ENOMEM;

	*out = NULL;
	if (!old->n || !new->n || old->n > REP_STATS_MAX || new->n > REP_STATS_MAX)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
				  "each side needs between 1 and %d runs", REP_STATS_MAX);
	w.d = calloc(1, sizeof(*w.d));
	if (w.d) {
		w.d->opt = *opt;
		w.d->nold = old->n;
		w.d->nnew = new->n;
		w.d->sets = w.n > 2 || opt->test_one;
		w.d->few = rep_stats_least_p(old->n, new->n) > opt->alpha;
		w.part = calloc(w.n, sizeof(*w.part));
		w.value[0] = calloc(w.n * 3, sizeof(*w.value[0]));
	}
	if (w.part && w.value[0]) {
		w.value[1] = w.value[0] + w.n;
		w.scratch = w.value[1] + w.n;
		code = rep_keys_new(&w.d->keys, &opt->keys);
		if (!code && w.d->sets)
			code = rep_stats_new(&w.stats, old->n, new->n, 0.95);
	}
	if (code)
		tp_nomem(err);
	else
		code = fill(&w, old, new, err);
	for (size_t i = 0; w.part && i < w.n; i++) {
		free(w.part[i].type);
		free(w.part[i].ratio);
		rep_key_map_release(&w.part[i].map);
		rep_tally_release(&w.part[i].tally);
	}
	free(w.part);
	free(w.value[0]);
	rep_stats_free(w.stats);
	if (code)
		rep_diff_free(w.d);
	else
		*out = w.d;
	return code;
}

void rep_diff_free(struct rep_diff *d)
{
	if (!d)
		return;
	rep_keys_free(d->keys);
	free(d->row);
	free(d);
}

int rep_diff_name(const struct rep_diff *d, const struct rep_diff_row *row, struct tp_buf *name,
		  size_t *names)
{
	if (row->key)
		return rep_key_name(d->keys, row->key, name, names);
	*names = 0;
	return tp_buf_put(name, "(total)", 7);
}
