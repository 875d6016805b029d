#include "diff/diff.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "profile/measure.h"
#include "profile/view.h"

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

/* One profile on its way into the diff. */
struct part {
	const struct rep_diff_run *run;
	enum rep_side_id side;
	size_t *type;  /* for each of the first profile's types the place in this one; SIZE_MAX */
	double *ratio; /* by its own types; NULL: 1 */
	struct rep_key_map map;
	struct rep_tally tally;
	size_t at; /* entries taken so far */
};

struct work {
	const struct tp_profile *first; /* of the new ones */
	const char *first_name;		/* or NULL */
	struct rep_diff *d;
	struct part *part; /* old, then new */
	size_t n, nold;
	struct rep_stats *stats;
	/* the values of one row, run by run, of flat and of cum */
	int64_t *value[2];
	int64_t *scratch;
};

static uint64_t size_of(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

double rep_diff_percent(struct rep_diff_pair p)
{
	return p.old ? ((double)p.new - (double)p.old) / fabs((double)p.old) * 100 : (double)NAN;
}

/* ---- sample types and ratios ---- */

static const char *text_of(const struct tp_profile *p, uint32_t string)
{
	return tp_dict_text(p->dict, string).text;
}

static size_t find_type(const struct tp_profile *p, const char *name)
{
	for (size_t i = 0; i < p->ntypes; i++)
		if (!strcmp(text_of(p, p->types[i].type), name))
			return i;
	return SIZE_MAX;
}

/* Sample types that all have, as a list. */
static const char *common_types(const struct work *w, char text[REP_TYPE_NAMES])
{
	const struct tp_profile *first = w->first;
	size_t n = 0;

	text[0] = '\0';
	for (size_t t = 0; t < first->ntypes && n < REP_TYPE_NAMES; t++) {
		const char *name = text_of(first, first->types[t].type);
		bool all = *name;

		for (size_t i = 0; i < w->n && all; i++)
			all = find_type(w->part[i].run->profile, name) != SIZE_MAX;
		if (all)
			n += (size_t)snprintf(text + n, REP_TYPE_NAMES - n, "%s%s", n ? ", " : "",
					      name);
	}
	return text;
}

/* What the i-th profile has in place of the type. */
static int no_type(const struct work *w, size_t i, const char *type, struct tp_err *err)
{
	char own[REP_TYPE_NAMES], all[REP_TYPE_NAMES];
	const struct rep_diff_run *run = w->part[i].run;
	const char *first = w->first_name;
	const char *side = i >= w->nold	 ? "a new profile"
			   : w->nold > 1 ? "an old profile"
					 : "the old profile";

	rep_profile_type_names(run->profile, own);
	common_types(w, all);
	if (!*type)
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "the sample types of a new profile%s%.60s%s have lost their names, so "
		    "nothing can be compared with it",
		    first ? " (" : "", first ? first : "", first ? ")" : "");
	return tp_err_set(
	    err, TP_EFORMAT, TP_OFFSET_NONE,
	    "%s%s%.60s%s has no sample type %.40s, but %.70s, so they cannot be "
	    "compared; %s%.60s",
	    side, run->name ? " (" : "", run->name ? run->name : "", run->name ? ")" : "", type,
	    *own ? own : "some without names",
	    *all ? "--sample-index picks one that all have: "
	    : w->n == 2
		? "there is none that all have"
		: "there is none that all have; --sample-index=TYPE compares those that have it",
	    all);
}

/* Which of each profile's types is which of the first new one's. */
static int match_types(struct work *w, size_t index, struct tp_err *err)
{
	const struct tp_profile *first = w->first;
	const char *name = text_of(first, first->types[index].type);

	for (size_t i = 0; i < w->n; i++) {
		const struct tp_profile *p = w->part[i].run->profile;
		size_t *type = w->part[i].type = tp_many(first->ntypes, sizeof(*type));

		if (!type)
			return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
		for (size_t t = 0; t < first->ntypes; t++)
			type[t] = find_type(p, text_of(first, first->types[t].type));
		if (type[index] == SIZE_MAX)
			return no_type(w, i, name, err);
	}
	return 0;
}

static int need_ratio(struct part *part)
{
	size_t n = part->run->profile->ntypes;

	if (part->ratio)
		return 0;
	part->ratio = tp_many(n, sizeof(*part->ratio));
	for (size_t i = 0; part->ratio && i < n; i++)
		part->ratio[i] = 1;
	return part->ratio ? 0 : TP_ENOMEM;
}

/* Brings all profiles to the finest unit that one of them has. */
static int match_units(struct work *w, size_t index, struct tp_err *err)
{
	const struct tp_profile *first = w->first;
	const char *finest = text_of(first, first->types[index].unit);

	for (size_t i = 0; i < w->n; i++) {
		const struct tp_profile *p = w->part[i].run->profile;
		const char *unit = text_of(p, p->types[w->part[i].type[index]].unit);

		if (!strcmp(unit, finest))
			continue;
		if (!rep_units_compatible(unit, finest))
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "%s is in %s in one profile and in %s in another",
					  text_of(first, first->types[index].type), finest, unit);
		if (rep_unit_ratio(unit, finest) < 1)
			finest = unit;
	}
	for (size_t i = 0; i < w->n; i++) {
		struct part *part = &w->part[i];
		size_t t = part->type[index];
		const char *unit = text_of(part->run->profile, part->run->profile->types[t].unit);

		if (!strcmp(unit, finest))
			continue;
		if (need_ratio(part))
			return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
		part->ratio[t] = rep_unit_ratio(unit, finest);
	}
	snprintf(w->d->unit, sizeof(w->d->unit), "%s", finest);
	return 0;
}

static int64_t divided(int64_t v, size_t by)
{
	int64_t half = (int64_t)(by / 2);

	return by < 2
		   ? v
		   : (v / (int64_t)by) + (v % (int64_t)by + (v < 0 ? -half : half)) / (int64_t)by;
}

/* What one run of a sum is, on average. */
static void divide(struct rep_tally *t, size_t by)
{
	for (size_t i = 0; i < t->n; i++) {
		t->entry[i].flat = divided(t->entry[i].flat, by);
		t->entry[i].cum = divided(t->entry[i].cum, by);
	}
	t->total = divided(t->total, by);
	t->weight = divided(t->weight, by);
}

/* Sums over samples of a type, before filters where the run knows them. */
static int64_t whole(const struct part *part, size_t type, bool weight)
{
	const struct tp_profile *p = part->run->profile;
	const int64_t *known = weight ? part->run->weight : part->run->total;
	uint64_t sum = 0;

	if (known)
		return known[type];
	for (size_t i = 0; i < p->nsamples; i++) {
		int64_t v = p->value[i * p->ntypes + type];

		sum += weight ? size_of(v) : (uint64_t)v;
	}
	return (int64_t)sum;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t median(int64_t *v, size_t n)
{
	int64_t a, b;

	qsort(v, n, sizeof(*v), by_value);
	a = v[(n - 1) / 2];
	b = v[n / 2];
	return a / 2 + b / 2 + (a % 2 + b % 2) / 2;
}

/* SIZE_MAX: the part has no such type. */
static size_t type_of(const struct part *part, size_t type)
{
	return part->type ? part->type[type] : SIZE_MAX;
}

/* pprof: profile.Normalize. A run without values stays without. */
static int normalize(struct work *w)
{
	size_t types = w->first->ntypes;

	for (size_t t = 0; t < types; t++) {
		size_t known = 0;
		int64_t target;

		for (size_t i = 0; i < w->nold; i++)
			if (type_of(&w->part[i], t) != SIZE_MAX)
				w->scratch[known++] =
				    divided(whole(&w->part[i], type_of(&w->part[i], t), false),
					    w->part[i].run->times);
		if (!known)
			continue;
		target = median(w->scratch, known);
		for (size_t i = w->nold == 1 ? 1 : 0; i < w->n; i++) {
			struct part *part = &w->part[i];
			size_t own = type_of(part, t);
			int64_t sum;

			if (own == SIZE_MAX)
				continue;
			if (need_ratio(part))
				return TP_ENOMEM;
			sum = divided(whole(part, own, false), part->run->times);
			part->ratio[own] =
			    sum ? (double)target / (double)sum * part->ratio[own] : 0;
		}
	}
	return 0;
}

/* ---- rows ---- */

static struct rep_diff_pair medians(struct work *w, int64_t *value)
{
	struct rep_diff_pair pair;

	memcpy(w->scratch, value, w->n * sizeof(*value));
	pair.old = median(w->scratch, w->nold);
	pair.new = median(w->scratch + w->nold, w->n - w->nold);
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
static int make_row(struct work *w, uint32_t key, struct rep_diff_row *row)
{
	struct rep_diff *d = w->d;
	int64_t *test = w->value[d->opt.cum];
	bool was = !all_zero(w->value[0], w->nold) || !all_zero(w->value[1], w->nold);
	bool is = !all_zero(w->value[0] + w->nold, w->n - w->nold) ||
		  !all_zero(w->value[1] + w->nold, w->n - w->nold);

	memset(row, 0, sizeof(*row));
	row->key = key;
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
static bool next_key(struct work *w, uint32_t *key)
{
	*key = UINT32_MAX;
	for (size_t i = 0; i < w->n; i++) {
		const struct rep_tally *t = &w->part[i].tally;

		if (w->part[i].at < t->n && t->entry[w->part[i].at].key < *key)
			*key = t->entry[w->part[i].at].key;
	}
	if (*key == UINT32_MAX)
		return false;
	for (size_t i = 0; i < w->n; i++) {
		const struct rep_tally *t = &w->part[i].tally;
		bool has = w->part[i].at < t->n && t->entry[w->part[i].at].key == *key;

		w->value[0][i] = has ? t->entry[w->part[i].at].flat : 0;
		w->value[1][i] = has ? t->entry[w->part[i].at].cum : 0;
		w->part[i].at += has;
	}
	return true;
}

/* Too little of everything to be looked at? Whether it is decided by old and new values alike, so
 * that what is left is no selection of changes. */
static bool too_small(const struct work *w)
{
	const int64_t *value = w->value[w->d->opt.cum];
	double sum = 0, of = 0;

	for (size_t i = 0; i < w->n; i++) {
		sum += fabs((double)value[i]);
		of += (double)w->part[i].tally.weight;
	}
	return sum < w->d->opt.min_share * of;
}

static int make_rows(struct work *w)
{
	struct rep_diff *d = w->d;
	size_t room = 0;
	uint32_t key;
	int code;

	for (size_t i = 0; i < w->n; i++) {
		w->value[0][i] = w->value[1][i] = w->part[i].tally.total;
	}
	code = make_row(w, 0, &d->total);
	while (!code && next_key(w, &key)) {
		if (d->opt.min_share > 0 && too_small(w))
			continue;
		if (d->n == room) {
			struct rep_diff_row *p;

			room = room ? room * 2 : 256;
			p = tp_more(d->row, room, sizeof(*p));
			if (!p)
				return TP_ENOMEM;
			d->row = p;
		}
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
		order = compare_sizes(size_of(m.old), size_of(n.old));
		break;
	case REP_SORT_NEW:
		order = compare_sizes(size_of(m.new), size_of(n.new));
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
		order = compare_sizes(size_of(rep_diff_delta(m)), size_of(rep_diff_delta(n)));
	if (!order)
		order = compare_sizes(size_of(rep_diff_delta(d->opt.cum ? x->flat : x->cum)),
				      size_of(rep_diff_delta(d->opt.cum ? y->flat : y->cum)));
	return order ? order : rep_key_compare(d->keys, x->key, y->key);
}

/* ---- adding up, several profiles at a time ---- */

#define THREADS	    4
#define ALONE_BELOW 20000 /* samples in all that are not worth a thread */

struct tallies {
	struct work *w;
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

static void *add_up(void *arg)
{
	struct tally_thread *me = arg;
	struct work *w = me->all->w;
	size_t i;

	while (!me->all->code && (i = me->all->next++) < w->n) {
		struct part *part = &w->part[i];
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

static int add_up_all(struct work *w, size_t index, struct tp_err *err)
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
	return all.code ? tp_err_set(err, all.code, TP_OFFSET_NONE, "out of memory") : 0;
}

/* ---- all of it ---- */

static int64_t shares_of(struct work *w, size_t index)
{
	const struct rep_diff *d = w->d;
	int64_t base;

	if (d->opt.base)
		return d->opt.base;
	for (int both = 0; both < 2; both++) {
		size_t n = both ? w->n : w->nold;

		for (size_t i = 0; i < n; i++) {
			const struct part *part = &w->part[i];

			w->scratch[i] =
			    d->opt.relative || d->opt.mean || part->ratio
				? part->tally.weight
				: divided(whole(part, part->type[index], true), part->run->times);
		}
		base = both ? 0 : median(w->scratch, n);
		for (size_t i = 0; both && i < n; i++)
			base = (int64_t)((uint64_t)base + (uint64_t)w->scratch[i]);
		if (base > 0)
			return base;
	}
	return base;
}

static int fill(struct work *w, const struct rep_diff_side *old, const struct rep_diff_side *new,
		struct tp_err *err)
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
	}
	code = rep_profile_sample_index(first, d->opt.sample_index, &index, err);
	if (code)
		return code;
	snprintf(d->type, sizeof(d->type), "%s", text_of(first, first->types[index].type));
	code = match_types(w, index, err);
	if (!code)
		code = match_units(w, index, err);
	if (!code && d->opt.normalize && normalize(w))
		code = tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	for (size_t i = 0; !code && i < w->n; i++)
		code = rep_keys_survey(d->keys, w->part[i].run->profile, err);
	for (size_t i = 0; !code && i < w->n; i++)
		code = rep_keys_map(d->keys, w->part[i].run->profile, w->part[i].side,
				    &w->part[i].map, err);
	if (!code)
		code = add_up_all(w, index, err);
	if (code)
		return code;
	d->base = shares_of(w, index);
	if (make_rows(w) || judge(d))
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
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
	struct work w = {.n = old->n + new->n, .nold = old->n};
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
		tp_err_set(err, code, TP_OFFSET_NONE, "out of memory");
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
