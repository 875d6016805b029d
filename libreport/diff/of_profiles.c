/* Diffs of profiles: every profile is added up by itself (tally.h), so that nothing is merged and
 * each run of a set is one observation. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/amount.h"
#include "diff/match.h"
#include "diff/kind.h"
#include "profile/noise.h"
#include "profile/view.h"
#include "profile/whole.h"

double rep_diff_percent(struct rep_diff_pair p)
{
	return p.old ? ((double)p.new - (double)p.old) / fabs((double)p.old) * 100 : (double)NAN;
}

/* Values are clipped to this before they are tested, so that differences of two, and the ends of
 * intervals, fit 64 bits. Medians and shown values are exact. */
#define MOST 4.6e18

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

static int64_t to_whole(double v)
{
	return v >= 9223372036854775808.0   ? INT64_MAX
	       : v > -9223372036854775808.0 ? (int64_t)v
					    : INT64_MIN;
}

static void multiply(struct rep_diff_work *w)
{
	for (size_t i = w->nold; i < w->n; i++)
		for (int k = 0; k < 2; k++)
			w->value[k][i] = to_whole(round((double)w->value[k][i] * w->d->opt.factor));
}

/* From w->value. */
static int make_row(struct rep_diff_work *w, uint32_t key, struct rep_diff_row *row)
{
	struct rep_diff *d = w->d;
	const int64_t *value = w->value[d->opt.cum];
	bool was = !all_zero(w->value[0], w->nold) || !all_zero(w->value[1], w->nold);
	bool is = !all_zero(w->value[0] + w->nold, w->n - w->nold) ||
		  !all_zero(w->value[1] + w->nold, w->n - w->nold);
	int code = 0;

	if (w->multiplied)
		multiply(w);
	row->key = key;
	row->is_total = !key;
	row->wrapped = w->wrapped[d->opt.cum];
	if (d->sets) {
		row->flat = medians(w, w->value[0]);
		row->cum = medians(w, w->value[1]);
		for (size_t i = 0; i < w->n; i++)
			w->tested[i] = fmax(fmin((double)value[i], MOST), -MOST);
		code = rep_diff_keep(d, w->tested);
		rep_diff_test(w->stats, w->tested, w->nold, w->n - w->nold, row);
	} else {
		row->flat = (struct rep_diff_pair){w->value[0][0], w->value[0][1]};
		row->cum = (struct rep_diff_pair){w->value[1][0], w->value[1][1]};
		row->noise = d->noise ? REP_NOISE * sqrt(w->variance) : (double)NAN;
	}
	row->old = (double)rep_diff_main(d, row).old;
	row->new = (double)rep_diff_main(d, row).new;
	row->change = rep_diff_percent(rep_diff_main(d, row)) / 100;
	if (was && is)
		row->status = rep_diff_delta(row->flat) || rep_diff_delta(row->cum)
				  ? REP_STATUS_CHANGED
				  : REP_STATUS_SAME;
	else if (was || is)
		row->status = is ? REP_STATUS_ADDED : REP_STATUS_GONE;
	return code;
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
	w->variance = 0;
	for (size_t i = 0; i < w->n; i++) {
		const struct rep_tally *t = &w->part[i].tally;
		bool has = w->part[i].at < t->n && t->entry[w->part[i].at].key == *key;

		w->value[0][i] = has ? t->entry[w->part[i].at].flat : 0;
		w->value[1][i] = has ? t->entry[w->part[i].at].cum : 0;
		w->wrapped[0] |= has && t->entry[w->part[i].at].flat_wrapped;
		w->wrapped[1] |= has && t->entry[w->part[i].at].cum_wrapped;
		w->variance += has ? t->entry[w->part[i].at].variance : 0;
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

/* Is the key a row of its own? */
static int is_wanted(struct rep_diff_work *w, uint32_t key)
{
	const struct rep_gate *g = w->d->opt.gate;
	struct tp_buf name = {0};
	size_t names;
	int found;

	if (w->d->opt.min_share > 0 && too_small(w))
		return 0;
	if (!g)
		return 1;
	rep_key_name(w->d->keys, key, &name, &names);
	found = tp_buf_put(&name, "", 1); /* regexec's sanitizer wants the NUL */
	if (!found)
		found = tp_regex_find(&g->regex, (char *)name.data, name.size - 1);
	w->multiplied =
	    found == 1 && w->d->opt.factor_row && !strcmp((char *)name.data, w->d->opt.factor_row);
	tp_buf_release(&name);
	return found;
}

/* Values that are 0 are samples, too: a heap of which nothing is in use. */
static bool has_samples(const struct rep_diff_work *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->part[i].run->profile->nsamples)
			return true;
	return false;
}

static int make_rows(struct rep_diff_work *w)
{
	struct rep_diff *d = w->d;
	size_t room = 0;
	uint32_t key;
	struct rep_diff_row *row = rep_diff_add(d, &room);
	int code = row ? 0 : TP_ENOMEM;

	if (code)
		return code;
	for (size_t i = 0; i < w->n; i++) {
		w->value[0][i] = w->value[1][i] = w->part[i].tally.total;
		w->wrapped[0] |= w->part[i].tally.wrapped;
		w->variance += w->part[i].tally.variance;
	}
	w->wrapped[1] = w->wrapped[0];
	w->multiplied = d->opt.factor > 0 && !d->opt.factor_row;
	code = make_row(w, 0, row);
	if (code)
		return code;
	d->total = *row;
	if (d->opt.gate && !d->opt.gate->several) {
		d->n = has_samples(w);
		return 0;
	}
	d->n = 0;
	while (!code && next_key(w, &key)) {
		int wanted = is_wanted(w, key);

		row = wanted == 1 ? rep_diff_add(d, &room) : NULL;
		if (row)
			code = make_row(w, key, row);
		else
			code = wanted == 1 ? TP_ENOMEM : wanted;
	}
	return code;
}

/* ---- the load ---- */

#define LOAD	   1.1	/* totals that differ by less are alike, as those of traces are */
#define LOAD_ROW   0.01 /* of the total: a row that is looked at has as much */
#define LOAD_LEAST 2	/* so many of these there must be */
#define LOAD_MANY  8	/* so many if each of them is within noise, as in CPU profiles */

/* Returns by how much the load of the runs differs: the quotient of the totals if rows where that
 * is beyond noise have changed with it, at least half as much, three of four; if there are no such
 * rows, three of four of those that are looked at went the same way; else 1. */
static double load_of(const struct rep_diff *d)
{
	const struct rep_diff_row *all = &d->total;
	double load = all->old > 0 && all->new > 0 ? all->new / all->old : 1;
	bool known =
	    d->sets ? d->few || all->p <= d->opt.alpha : fabs(all->new - all->old) > all->noise;
	size_t rows = 0, with = 0, looked_at = 0, along = 0;

	if (!known || (load < LOAD && load > 1 / LOAD))
		return 1;
	for (size_t i = 0; i < d->n; i++) {
		const struct rep_diff_row *row = &d->row[i];
		double expected = row->old * (load - 1);

		if (row->old < all->old * LOAD_ROW)
			continue;
		looked_at++;
		along += (row->new - row->old) / expected > 0;
		if (!(fabs(expected) > row->noise))
			continue;
		rows++;
		with += (row->new - row->old) / expected > 0.5;
	}
	if (rows < LOAD_LEAST && looked_at >= LOAD_MANY)
		return along * 4 >= looked_at * 3 ? load : 1;
	return rows >= LOAD_LEAST && with * 4 >= rows * 3 ? load : 1;
}

/* ---- order ---- */

static int compare_sizes(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int64_t other_delta(const struct rep_diff *d, const struct rep_diff_row *row)
{
	return rep_diff_delta(d->opt.cum ? row->flat : row->cum);
}

static double rank(const struct rep_diff *d, const struct rep_diff_row *row)
{
	double delta = (double)rep_diff_size(rep_diff_delta(rep_diff_main(d, row)));

	return d->noise ? fmax(delta - row->noise, 0) : delta;
}

static int by_order(const struct rep_diff *d, const struct rep_diff_row *x,
		    const struct rep_diff_row *y)
{
	int order = d->opt.sort == REP_SORT_NAME ? rep_key_compare(d->keys, x->key, y->key) : 0;

	if (!order)
		order = compare_sizes(rep_diff_size(rep_diff_delta(rep_diff_main(d, x))),
				      rep_diff_size(rep_diff_delta(rep_diff_main(d, y))));
	if (!order)
		order = compare_sizes(rep_diff_size(other_delta(d, x)),
				      rep_diff_size(other_delta(d, y)));
	return order ? order : rep_key_compare(d->keys, x->key, y->key);
}

/* ---- adding up ---- */

/* What one run of a sum is, on average. */
static void divide(struct rep_tally *t, size_t by)
{
	if (by < 2)
		return;
	for (size_t i = 0; i < t->n; i++) {
		t->entry[i].flat = rep_diff_average(t->entry[i].flat, by);
		t->entry[i].cum = rep_diff_average(t->entry[i].cum, by);
		t->entry[i].variance /= (double)by * (double)by;
	}
	t->total = rep_diff_average(t->total, by);
	t->weight = rep_diff_average(t->weight, by);
	t->variance /= (double)by * (double)by;
}

/* Every second profile, from `first` on. */
struct adder {
	struct rep_diff_work *w;
	size_t first, index;
	int code;
	struct tp_err err;
};

static void *add_half(void *ctx)
{
	struct adder *a = ctx;
	struct rep_diff_work *w = a->w;
	uint32_t keys = rep_diff_keys_count(w->d->keys);

	for (size_t i = a->first; !a->code && i < w->n; i += 2) {
		struct rep_diff_part *part = &w->part[i];
		struct rep_tally_how how = {.index = part->type[a->index],
					    .mean = w->d->opt.mean,
					    .ratio = part->ratio,
					    .noise = w->d->noise,
					    .cum = w->d->opt.cum};

		a->code =
		    rep_tally(part->run->profile, &part->map, keys, &how, &part->tally, &a->err);
		rep_key_map_release(&part->map);
		/* A quotient of sums is that of averages. */
		if (!a->code && !how.mean)
			divide(&part->tally, part->run->times);
	}
	return NULL;
}

#define ALONE 100000 /* so few nodes of stacks are not worth a thread */

static int add_up(struct rep_diff_work *w, size_t index, struct tp_err *err)
{
	struct adder half[2] = {{.w = w, .index = index}, {.w = w, .index = index, .first = 1}};
	uint64_t nodes = 0;
	pthread_t thread;
	bool threaded;

	for (size_t i = 0; i < w->n; i++)
		nodes += tp_dict_stacks(w->part[i].run->profile->dict);
	threaded = nodes >= ALONE && !pthread_create(&thread, NULL, add_half, &half[1]);
	add_half(&half[0]);
	if (threaded)
		pthread_join(thread, NULL);
	else
		add_half(&half[1]);
	for (int i = 0; i < 2; i++)
		if (half[i].code) {
			*err = half[i].err;
			return half[i].code;
		}
	return 0;
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

/* Returns whether the type is 0 in all profiles of one side, and another type is not, as `text` then
 * says. */
static bool is_zero(const struct rep_diff_work *w, enum rep_side_id side, size_t index,
		    char text[REP_ZERO_SIZE])
{
	text[0] = '\0';
	/* The text is that of the first profile. */
	for (size_t k = w->n; k-- > 0;) {
		const struct rep_diff_part *part = &w->part[k];

		if (part->side != side || !part->run->profile->nsamples || !part->type ||
		    part->type[index] == SIZE_MAX)
			continue;
		if (!*rep_profile_all_zero(part->run->profile, part->type[index], text))
			return false;
	}
	return *text;
}

/* Proposes another sample type if one side, or both, have no values of this one. */
static void note_zero(struct rep_diff_work *w, size_t index)
{
	char old[REP_ZERO_SIZE], new[REP_ZERO_SIZE];
	bool was_zero = is_zero(w, REP_OLD, index, old), zero = is_zero(w, REP_NEW, index, new);

	if (was_zero && zero)
		snprintf(w->d->zero, sizeof(w->d->zero), "%s", new);
	else if (was_zero || zero)
		snprintf(w->d->zero, sizeof(w->d->zero), "%s side: %.*s", was_zero ? "old" : "new",
			 REP_ZERO_SIZE - 12, was_zero ? old : new);
}

static int fill_in(struct rep_diff_work *w, const struct rep_diff_side *old,
		   const struct rep_diff_side *new, struct tp_err *err)
{
	const struct tp_profile *first = new->run[0].profile;
	struct rep_diff *d = w->d;
	size_t index = 0;
	int code;

	/* A quotient of two values has another noise. */
	d->noise = !d->sets && !d->opt.mean;
	w->first = first;
	w->first_name = new->run[0].name;
	d->profile = tp_many(w->n, sizeof(*d->profile));
	if (!d->profile)
		return tp_nomem(err);
	for (size_t i = 0; i < w->n; i++) {
		w->part[i].run = i < old->n ? &old->run[i] : &new->run[i - old->n];
		w->part[i].side = i < old->n ? REP_OLD : REP_NEW;
		d->wrapped |= w->part[i].run->profile->wrapped;
		d->profile[(i + new->n) % w->n] = w->part[i].run->profile;
	}
	code = rep_profile_sample_index(first, d->opt.sample_index, &index, err);
	if (code)
		return code;
	d->events = rep_noise_of(first, index).exact;
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
		code = rep_diff_keys_survey(d->keys, w->part[i].run->profile, w->part[i].side, err);
	for (size_t i = 0; !code && i < w->n; i++)
		code = rep_diff_keys_map(d->keys, w->part[i].run->profile, w->part[i].side,
					 &w->part[i].map, err);
	if (!code)
		code = add_up(w, index, err);
	if (code)
		return code;
	d->base = shares_of(w, index);
	code = make_rows(w);
	/* The total that values are scaled to is that before filters. */
	if (!code && !d->opt.gate && !d->opt.normalize && !d->opt.mean && !new->run[0].total)
		d->load = load_of(d);
	return tp_regex_unknown(code, err);
}

static int fill(struct rep_diff *d, const struct rep_diff_side *old,
		const struct rep_diff_side *new, struct tp_err *err)
{
	struct rep_diff_work w = {.d = d, .n = old->n + new->n, .nold = old->n};
	int code = TP_ENOMEM;

	w.part = calloc(w.n, sizeof(*w.part));
	w.value[0] = calloc(w.n * 3, sizeof(*w.value[0]));
	w.tested = calloc(w.n, sizeof(*w.tested));
	if (w.part && w.value[0] && w.tested) {
		w.value[1] = w.value[0] + w.n;
		w.scratch = w.value[1] + w.n;
		code = rep_diff_keys_new(&d->keys, &d->opt.keys);
		if (!code && d->sets)
			code = rep_stats_new(&w.stats, old->n, new->n, 0.95);
	}
	code = code ? tp_nomem(err) : fill_in(&w, old, new, err);
	for (size_t i = 0; w.part && i < w.n; i++) {
		free(w.part[i].type);
		free(w.part[i].ratio);
		rep_key_map_release(&w.part[i].map);
		rep_tally_release(&w.part[i].tally);
	}
	free(w.part);
	free(w.value[0]);
	free(w.tested);
	rep_stats_free(w.stats);
	return code;
}

static int name(const struct rep_diff *d, const struct rep_diff_row *row, struct tp_buf *text,
		size_t *names)
{
	if (row->key)
		return rep_key_name(d->keys, row->key, text, names);
	*names = 0;
	return tp_buf_text(text, "(total)");
}

/* The exact value where it is one of the row's: they may be beyond what a double holds. */
static char *value(const struct rep_diff *d, const struct rep_diff_row *row, double v,
		   char text[REP_DIFF_VALUE])
{
	struct rep_diff_pair pair = rep_diff_main(d, row);
	char amount[REP_AMOUNT_SIZE];
	int64_t whole = v == row->old ? pair.old : v == row->new ? pair.new : to_whole(v);

	snprintf(text, REP_DIFF_VALUE, "%s", rep_amount(amount, whole, d->unit, NULL));
	return text;
}

const struct rep_diff_kind rep_diff_of_profiles = {
    .fill = fill,
    .rank = rank,
    .order = by_order,
    .name = name,
    .value = value,
    .whole = true,
    .rows = "rows",
    .show = &rep_profiles_show,
    .gates = &rep_profiles_gates,
};
