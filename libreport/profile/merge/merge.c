/* pprof: profile/merge.go. The steps are in merge/. */
#include "profile/merge/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "base/seed.h"
#include "profile/merge/parts.h"

/* ---- samples ---- */

static void add_values(struct tp_profile *p, size_t sample, const int64_t *value)
{
	for (size_t k = 0; k < p->ntypes; k++) {
		int64_t *to = &p->value[sample * p->ntypes + k];

		p->wrapped |= __builtin_add_overflow(*to, value[k], to);
	}
}

static int put_sample(struct rep_merger *m, uint32_t stack, uint32_t set, const int64_t *value)
{
	struct tp_profile *p = m->sum;
	uint64_t hash;
	int code;

	if (m->plain)
		return tp_profile_add_sample(p, stack, set, value);
	hash = tp_mix64(m->seed, (uint64_t)stack << 32 | set);
	for (struct tp_probe at = {0}; tp_table_next(&m->by_stack, hash, &at);) {
		if (p->stack[at.row] == stack && p->label_set[at.row] == set) {
			add_values(p, at.row, value);
			return 0;
		}
	}
	code = tp_profile_add_sample(p, stack, set, value);
	return code ? code : tp_table_add(&m->by_stack, hash, p->nsamples - 1);
}

/* Reads one sample's values in the order and units of the sum. Returns false if the sample is to be
 * dropped. Of a scaled sample only the scaled values count (profile.ScaleN). */
static bool take_values(const struct rep_translation *t, size_t sample, int64_t *value)
{
	const int64_t *from = t->from->value + sample * t->from->ntypes;
	bool any = false, left = false, changed = false;

	for (size_t i = 0; i < t->to->ntypes; i++) {
		value[i] = rep_merge_scaled(from[t->column[i]], t->ratio[i]);
		changed |= t->ratio[i] != 1;
		left |= t->ratio[i] != 1 && value[i];
		value[i] = rep_merge_scaled(value[i], t->unit[i]);
		any |= value[i] != 0;
		/* A value that scaling made too large is at these limits. */
		t->to->wrapped |= (t->ratio[i] != 1 || t->unit[i] != 1) &&
				  (value[i] == INT64_MAX || value[i] == INT64_MIN);
	}
	if (changed && !left)
		return false;
	return any || t->m->plain;
}

static int add_samples(struct rep_translation *t, const struct rep_merge_part *part)
{
	int64_t *value = calloc(t->to->ntypes + 1, sizeof(*value));
	uint32_t *marked = part->base ? rep_merge_unknowns(t->from->nsets) : NULL;
	int code = value && (marked || !part->base) ? 0 : TP_ENOMEM;

	for (size_t i = 0; i < t->from->nsamples && !code; i++) {
		uint32_t set = t->from->label_set[i], to;

		if (!take_values(t, i, value))
			continue;
		to = rep_merge_label_set(t, set);
		code = t->code;
		if (!code && marked && marked[set] == REP_UNKNOWN)
			code = rep_merge_base_set(t, to, &marked[set]);
		if (!code)
			code = put_sample(t->m, t->stack[t->from->stack[i]],
					  marked ? marked[set] : to, value);
	}
	free(value);
	free(marked);
	return code;
}

/* ---- adding a part ---- */

static int translation_init(struct rep_translation *t, const struct rep_merge_part *part)
{
	const struct tp_profile *p = part->profile;
	size_t ntypes = p->ntypes + t->to->ntypes + 1;

	t->from = p;
	t->nstacks = tp_dict_stacks(p->dict);
	t->known = t->m->known;
	t->m->known = (struct rep_known){0};
	t->set = rep_merge_unknowns(p->nsets);
	t->column = calloc(ntypes, sizeof(*t->column));
	t->ratio = calloc(ntypes, sizeof(*t->ratio));
	t->unit = calloc(ntypes, sizeof(*t->unit));
	if (!t->set || !t->column || !t->ratio || !t->unit)
		return TP_ENOMEM;
	return rep_known_extend(t);
}

static void translation_release(struct rep_translation *t)
{
	rep_known_release(&t->known);
	free(t->stack);
	free(t->set);
	free(t->column);
	free(t->ratio);
	free(t->unit);
}

static int add_part(struct rep_merger *m, const struct rep_merge_part *part, struct tp_err *err)
{
	struct rep_translation t = {.m = m, .to = m->sum};
	bool first = !m->nparts;
	int code = translation_init(&t, part);

	if (!code && first)
		code = rep_merge_first_header(&t);
	if (code)
		goto done;
	if (!first) {
		code = rep_merge_common_types(&t, err);
		if (!code)
			code = rep_merge_common_period(&t, err);
		if (code) {
			translation_release(&t);
			return code;
		}
		if (strcmp(m->sum->format, part->profile->format) != 0)
			snprintf(m->sum->format, sizeof(m->sum->format), "pprof");
	}
	for (size_t i = 0; i < m->sum->ntypes; i++)
		t.ratio[i] = part->ratios ? part->ratios[t.column[i]] : part->ratio;
	m->sum->wrapped |= part->profile->wrapped;
	code = rep_merge_common_header(&t);
	if (!code)
		code = rep_merge_stacks(&t);
	if (!code)
		code = add_samples(&t, part);
	if (!code && part->dict_stays) {
		m->known = t.known;
		t.known = (struct rep_known){0};
	}
done:
	translation_release(&t);
	return code ? tp_err_full(err, code, "the sum of the profiles is too large") : 0;
}

/* ---- mergers ---- */

int rep_merger_new(struct rep_merger **m, bool always, struct tp_err *err)
{
	*m = calloc(1, sizeof(**m));
	if (!*m)
		return tp_nomem(err);
	(*m)->always = always;
	(*m)->seed = tp_seed();
	return 0;
}

static void clear(struct rep_merger *m)
{
	tp_profile_free(m->sum);
	for (size_t i = 0; i < m->nparts; i++)
		free(m->part[i].type);
	free(m->part);
	tp_table_release(&m->by_stack);
	tp_table_release(&m->by_key);
	rep_known_release(&m->known);
	free(m->commented);
	*m = (struct rep_merger){.always = m->always, .seed = m->seed};
}

void rep_merger_forget(struct rep_merger *m)
{
	rep_known_release(&m->known);
}

void rep_merger_free(struct rep_merger *m)
{
	if (m)
		clear(m);
	free(m);
}

/* Merges the samples of the first part, which was copied as it is, before a second part is added.
 */
static int settle(struct rep_merger *m, struct tp_err *err)
{
	struct rep_merger again = {.always = m->always, .seed = m->seed};
	int code;

	again.sum = tp_profile_new();
	if (!again.sum)
		return tp_nomem(err);
	code = add_part(&again, &(struct rep_merge_part){.profile = m->sum, .ratio = 1}, err);
	clear(m);
	*m = again;
	return code;
}

int rep_merger_add(struct rep_merger *m, const struct rep_merge_part *part, struct tp_err *err)
{
	if (!m->sum) {
		m->sum = tp_profile_new();
		if (!m->sum)
			return tp_nomem(err);
		m->plain = !m->always;
	} else if (m->plain) {
		int code = settle(m, err);

		if (code)
			return code;
	}
	return add_part(m, part, err);
}

/* pprof: compatibilizeSampleTypes and combineHeaders. A part that lost types, or had them in
 * another order, defaults to the first type of the sum, unless its own default is among them. */
static uint32_t default_type(const struct rep_merger *m)
{
	const struct tp_profile *p = m->sum;

	for (size_t i = 0; i < m->nparts; i++) {
		const struct rep_part_types *part = &m->part[i];
		bool changed = part->n != p->ntypes, among = false;

		for (size_t k = 0; k < p->ntypes; k++) {
			changed |= k < part->n && part->type[k] != p->types[k].type;
			among |= part->default_type == p->types[k].type;
		}
		if (changed && !among)
			return p->types[0].type;
		if (part->default_type)
			return part->default_type;
	}
	return 0;
}

static bool not_zero(const struct tp_profile *p, size_t sample)
{
	for (size_t i = 0; i < p->ntypes; i++)
		if (p->value[sample * p->ntypes + i])
			return true;
	return false;
}

static void drop_zeros(struct tp_profile *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nsamples; i++) {
		if (!not_zero(p, i))
			continue;
		if (n != i) {
			p->stack[n] = p->stack[i];
			p->label_set[n] = p->label_set[i];
			memcpy(p->value + n * p->ntypes, p->value + i * p->ntypes,
			       p->ntypes * sizeof(*p->value));
		}
		n++;
	}
	p->nsamples = n;
}

int rep_merger_finish(struct rep_merger *m, struct tp_profile **sum, struct tp_err *err)
{
	*sum = NULL;
	if (!m->sum)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "no profiles to add up");
	m->sum->default_type = default_type(m);
	if (!m->plain)
		drop_zeros(m->sum);
	*sum = m->sum;
	m->sum = NULL;
	clear(m);
	return 0;
}

int rep_profile_merge(const struct rep_merge_part *parts, size_t n, struct tp_profile **sum,
		      struct tp_err *err)
{
	struct rep_merger *m;
	int code;

	*sum = NULL;
	code = rep_merger_new(&m, false, err);
	for (size_t i = 0; i < n && !code; i++)
		code = rep_merger_add(m, &parts[i], err);
	if (!code)
		code = rep_merger_finish(m, sum, err);
	rep_merger_free(m);
	return code;
}
