#include "diff/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "profile/measure.h"
#include "profile/view.h"

/* The sample types that all have, as a list; "" also without memory. */
static void common_types(const struct rep_diff_work *w, char text[REP_TYPE_NAMES])
{
	const struct tp_profile **profiles = calloc(w->n + 1, sizeof(*profiles));

	text[0] = '\0';
	if (!profiles)
		return;
	profiles[0] = w->first;
	for (size_t i = 0; i < w->n; i++)
		profiles[i + 1] = w->part[i].run->profile;
	rep_profile_types_common(profiles, w->n + 1, text);
	free(profiles);
}

/* What the i-th profile has in place of the type. */
static int no_type(const struct rep_diff_work *w, size_t i, const char *type, struct tp_err *err)
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
		    "it cannot be compared",
		    first ? " (" : "", first ? first : "", first ? ")" : "");
	return tp_err_set(
	    err, TP_EFORMAT, TP_OFFSET_NONE,
	    "%s%s%.60s%s has no sample type %.40s, so nothing can be compared; its types %s"
	    "%.70s; %s%.60s",
	    side, run->name ? " (" : "", run->name ? run->name : "", run->name ? ")" : "", type,
	    *own ? "are " : "have no names", own,
	    *all ? "--sample-index takes a type that all have: "
	    : w->n == 2
		? "they have no sample type in common"
		: "they have no sample type in common; --sample-index=TYPE compares those that "
		  "have it",
	    all);
}

int rep_match_types(struct rep_diff_work *w, size_t index, struct tp_err *err)
{
	const struct tp_profile *first = w->first;
	const char *name = rep_diff_text(first, first->types[index].type);

	for (size_t i = 0; i < w->n; i++) {
		const struct tp_profile *p = w->part[i].run->profile;
		size_t *type = w->part[i].type = tp_many(first->ntypes, sizeof(*type));

		if (!type)
			return tp_nomem(err);
		for (size_t t = 0; t < first->ntypes; t++)
			type[t] =
			    rep_profile_type_find(p, rep_diff_text(first, first->types[t].type));
		if (type[index] == SIZE_MAX)
			return no_type(w, i, name, err);
	}
	return 0;
}

static int need_ratio(struct rep_diff_part *part)
{
	size_t n = part->run->profile->ntypes;

	if (part->ratio)
		return 0;
	part->ratio = tp_many(n, sizeof(*part->ratio));
	for (size_t i = 0; part->ratio && i < n; i++)
		part->ratio[i] = 1;
	return part->ratio ? 0 : TP_ENOMEM;
}

int rep_match_units(struct rep_diff_work *w, size_t index, struct tp_err *err)
{
	const struct tp_profile *first = w->first;
	const char *finest = rep_diff_text(first, first->types[index].unit);

	for (size_t i = 0; i < w->n; i++) {
		const struct tp_profile *p = w->part[i].run->profile;
		const char *unit = rep_diff_text(p, p->types[w->part[i].type[index]].unit);

		if (!strcmp(unit, finest))
			continue;
		if (!rep_units_compatible(unit, finest))
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "%s is in %s in one profile and in %s in another",
					  rep_diff_text(first, first->types[index].type), finest,
					  unit);
		if (rep_unit_ratio(unit, finest) < 1)
			finest = unit;
	}
	for (size_t i = 0; i < w->n; i++) {
		struct rep_diff_part *part = &w->part[i];
		size_t t = part->type[index];
		const char *unit =
		    rep_diff_text(part->run->profile, part->run->profile->types[t].unit);

		if (!strcmp(unit, finest))
			continue;
		if (need_ratio(part))
			return tp_nomem(err);
		part->ratio[t] = rep_unit_ratio(unit, finest);
	}
	snprintf(w->d->unit, sizeof(w->d->unit), "%s", finest);
	return 0;
}

int64_t rep_match_whole(const struct rep_diff_part *part, size_t type, bool weight, bool *wrapped)
{
	const struct tp_profile *p = part->run->profile;
	const int64_t *all = part->run->total, *known = all && weight ? all + p->ntypes : all;
	bool over = known && part->run->wrapped;
	int64_t sum = known ? known[type] : 0;

	for (size_t i = 0; !known && i < p->nsamples; i++) {
		int64_t v = p->value[i * p->ntypes + type];

		over |= __builtin_add_overflow(sum, weight ? (int64_t)rep_diff_size(v) : v, &sum);
	}
	if (wrapped)
		*wrapped |= over;
	return rep_diff_average(sum, part->run->times);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t rep_diff_median(int64_t *v, size_t n)
{
	int64_t a, b;

	qsort(v, n, sizeof(*v), by_value);
	a = v[(n - 1) / 2];
	b = v[n / 2];
	return a / 2 + b / 2 + (a % 2 + b % 2) / 2;
}

/* SIZE_MAX: the part has no such type. */
static size_t type_of(const struct rep_diff_part *part, size_t type)
{
	return part->type ? part->type[type] : SIZE_MAX;
}

int rep_match_totals(struct rep_diff_work *w)
{
	size_t types = w->first->ntypes;

	for (size_t t = 0; t < types; t++) {
		size_t known = 0;
		int64_t target;

		for (size_t i = 0; i < w->nold; i++)
			if (type_of(&w->part[i], t) != SIZE_MAX)
				w->scratch[known++] = rep_match_whole(
				    &w->part[i], type_of(&w->part[i], t), false, &w->d->wrapped);
		if (!known)
			continue;
		target = rep_diff_median(w->scratch, known);
		for (size_t i = w->nold == 1 ? 1 : 0; i < w->n; i++) {
			struct rep_diff_part *part = &w->part[i];
			size_t own = type_of(part, t);
			int64_t sum;

			if (own == SIZE_MAX)
				continue;
			if (need_ratio(part))
				return TP_ENOMEM;
			sum = rep_match_whole(part, own, false, &w->d->wrapped);
			part->ratio[own] =
			    sum ? (double)target / (double)sum * part->ratio[own] : 0;
		}
	}
	return 0;
}
