/* Sample types and periods of profiles that are added up. pprof: measurement.ScaleProfiles,
 * profile.ScaleN. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/measure.h"
#include "profile/merge/parts.h"
#include "profile/view.h"

static const char *text_of(const struct tp_profile *p, uint32_t id)
{
	return tp_dict_text(p->dict, id).text;
}

/* Rounds as pprof does: to the nearest whole number, halves away from 0. */
int64_t rep_merge_scaled(int64_t value, double ratio)
{
	return ratio == 1 ? value : rep_truncate(round((double)value * ratio));
}

/* Removes the column from all samples of the sum. */
static void drop_column(struct tp_profile *p, size_t column)
{
	size_t n = p->ntypes, to = 0;

	for (size_t i = 0; i < p->nsamples * n; i++)
		if (i % n != column)
			p->value[to++] = p->value[i];
	memmove(&p->types[column], &p->types[column + 1], (n - column - 1) * sizeof(*p->types));
	p->ntypes--;
}

static void scale_column(struct tp_profile *p, size_t column, double ratio)
{
	for (size_t i = 0; i < p->nsamples; i++)
		p->value[i * p->ntypes + column] =
		    rep_merge_scaled(p->value[i * p->ntypes + column], ratio);
}

static int incompatible(const char *what, const char *type, const char *a, const char *b,
			struct tp_err *err)
{
	return tp_err_set(
	    err, TP_EFORMAT, TP_OFFSET_NONE,
	    "the profiles cannot be added up: the unit of %s %.60s is %.40s in one and %.40s in "
	    "another",
	    what, type, a, b);
}

/* Keeps the types of the sum that the part has, too, each in the finer of the two units. */
int rep_merge_common_types(struct rep_translation *t, struct tp_err *err)
{
	char ours[REP_TYPE_NAMES], theirs[REP_TYPE_NAMES];
	struct tp_profile *sum = t->to;

	rep_profile_type_names(sum, ours);
	for (size_t i = 0; i < sum->ntypes;) {
		size_t at = rep_profile_type_find(t->from, text_of(sum, sum->types[i].type));
		const char *have, *other;

		if (at == SIZE_MAX) {
			drop_column(sum, i);
			continue;
		}
		have = text_of(sum, sum->types[i].unit);
		other = text_of(t->from, t->from->types[at].unit);
		if (!rep_units_compatible(have, other))
			return incompatible("the sample type", text_of(sum, sum->types[i].type),
					    have, other, err);
		if (rep_unit_ratio(other, have) < 1) { /* the part's is finer */
			scale_column(sum, i, rep_unit_ratio(have, other));
			sum->types[i].unit = rep_merge_string(t, t->from->types[at].unit);
			if (t->code)
				return tp_nomem(err);
		}
		t->column[i] = at;
		t->unit[i] = rep_unit_ratio(other, text_of(sum, sum->types[i].unit));
		i++;
	}
	if (!sum->ntypes)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "the profiles cannot be added up: they have no sample type in "
				  "common: one has %.100s, another %.100s",
				  *ours ? ours : "none with a name",
				  *rep_profile_type_names(t->from, theirs) ? theirs
									   : "none with a name");
	return 0;
}

/* Checks that the periods have the same type and convertible units. */
int rep_merge_common_period(struct rep_translation *t, struct tp_err *err)
{
	struct tp_profile *sum = t->to;
	const struct tp_profile *p = t->from;
	const char *have = text_of(sum, sum->period_type.unit);
	const char *other = text_of(p, p->period_type.unit);
	int64_t period = p->period;

	if (strcmp(text_of(sum, sum->period_type.type), text_of(p, p->period_type.type)) != 0)
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "the profiles cannot be added up: the period of one counts %.60s, that of "
		    "another %.60s",
		    text_of(sum, sum->period_type.type), text_of(p, p->period_type.type));
	if (!rep_units_compatible(have, other))
		return incompatible("the period", text_of(sum, sum->period_type.type), have, other,
				    err);
	if (strcmp(have, other) != 0 && rep_unit_ratio(other, have) < 1) {
		sum->period = (int64_t)rep_scale(sum->period, have, other, NULL);
		sum->period_type.unit = rep_merge_string(t, p->period_type.unit);
		if (t->code)
			return tp_nomem(err);
	} else if (strcmp(have, other) != 0) {
		period = (int64_t)rep_scale(period, other, have, NULL);
	}
	if (!sum->period || sum->period < period)
		sum->period = period;
	return 0;
}
