/* Reads samples, run by run. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "engine/profiles.h"

/* ---- samples ---- */

struct sample {
	struct tp_slice hash;
	uint32_t node;
	struct tp_cursor labels[4]; /* keys, values, units, numeric */
	struct tp_cursor values;
	size_t nlabels, nvalues;
};

static bool read_sample(struct tp_cursor *c, struct sample *s)
{
	bool same = true;

	s->hash = tp_cursor_bytes(c, REP_STACK_HASH);
	s->node = (uint32_t)rep_row_get(c, 4);
	for (int i = 0; i < 4; i++) {
		size_t n = rep_row_get_count(c, 1);

		if (!i)
			s->nlabels = n;
		same = same && n == s->nlabels;
		s->labels[i] = *c;
		for (uint64_t k = 0; k < n && i < 3 && !c->failed; k++)
			rep_row_get_text(c);
		if (i == 3)
			tp_cursor_bytes(c, n);
	}
	s->nvalues = rep_row_get_count(c, 8);
	s->values = *c;
	tp_cursor_bytes(c, s->nvalues * 8);
	return same;
}

static bool parse_number(struct tp_slice s, int64_t *v)
{
	char digits[24] = "", *end;

	if (!s.size || s.size >= sizeof(digits))
		return false;
	memcpy(digits, s.data, s.size);
	*v = strtoll(digits, &end, 10);
	return !*end;
}

static int make_labels(struct tp_profile *p, struct sample *s, struct tp_label *labels,
		       uint32_t *set)
{
	struct texts t = {.profile = p};
	int code = 0;

	for (size_t i = 0; i < s->nlabels && !code; i++) {
		struct tp_slice value;
		uint32_t unit;

		labels[i].key = rep_fetch_intern(&t, rep_row_get_text(&s->labels[0]));
		value = rep_row_get_text(&s->labels[1]);
		unit = rep_fetch_intern(&t, rep_row_get_text(&s->labels[2]));
		labels[i].numeric = rep_row_get(&s->labels[3], 1) != 0;
		if (!labels[i].numeric)
			labels[i].text = rep_fetch_intern(&t, value);
		else if (parse_number(value, &labels[i].number))
			labels[i].unit = unit;
		else
			code = TP_EFORMAT;
		if (!code)
			code = t.code;
	}
	return code ? code : tp_profile_label_set(p, labels, s->nlabels, set);
}

/* Labels take more memory than their row, so they are counted before they are made. */
static int hold_labels(struct rep_profiles *p, struct sample *s, uint32_t *set, struct tp_err *err)
{
	const struct measured before = rep_fetch_measure(p->now.profile);
	size_t size = s->nlabels * sizeof(struct tp_label);
	struct tp_label *labels;
	int code;

	*set = 0;
	if (!s->nlabels)
		return 0;
	if (rep_held_add(p->f->held, size, err))
		return err->code;
	labels = calloc(1, size);
	code = labels ? make_labels(p->now.profile, s, labels, set) : TP_ENOMEM;
	free(labels);
	p->f->held->now -= size;
	return code ? rep_fetch_checked(code, err) : rep_fetch_hold(p, before, err);
}

/* Adds a sample. A sum may consist of zeros and still be a sample, but adding up drops samples of
 * zeros; it is therefore added twice, as 1 and as -1. */
static int add_sample(struct rep_profiles *p, struct sample *s, struct tp_err *err)
{
	struct tp_profile *to = p->now.profile;
	int64_t *value = calloc(to->ntypes + 1, sizeof(*value));
	uint32_t stack, set;
	bool any = false;
	int code;

	if (!value)
		return tp_nomem(err);
	if (rep_fetch_stack(p, s->hash.data, &stack, err)) {
		free(value);
		return err->code;
	}
	for (size_t i = 0; i < to->ntypes; i++) {
		value[i] = (int64_t)rep_row_get(&s->values, 8);
		any |= value[i] != 0;
	}
	if (hold_labels(p, s, &set, err)) {
		free(value);
		return err->code;
	}
	code = 0;
	if (p->add_up && !any && to->ntypes) {
		value[0] = 1;
		code = tp_profile_add_sample(to, stack, set, value);
		value[0] = -1;
	}
	if (!code)
		code = tp_profile_add_sample(to, stack, set, value);
	free(value);
	return rep_fetch_checked(code, err);
}

static int by_node(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

static struct sample sample_at(const struct current *now, const struct place *place)
{
	struct tp_cursor c = tp_cursor(now->rows.data + place->at, place->size);
	struct sample s;

	read_sample(&c, &s);
	return s;
}

/* Adds stacks in the order of their original numbers, because drawings depend on it. */
static int add_samples(struct rep_profiles *p, struct tp_err *err)
{
	struct current *now = &p->now;
	struct place *sorted = tp_many(now->nsamples + 1, sizeof(*sorted));
	uint32_t node;
	int code = sorted ? 0 : tp_nomem(err);

	if (sorted && now->nsamples) {
		memcpy(sorted, now->sample, now->nsamples * sizeof(*sorted));
		qsort(sorted, now->nsamples, sizeof(*sorted), by_node);
	}
	for (size_t i = 0; i < now->nsamples && !code; i++) {
		struct sample s = sample_at(now, &sorted[i]);

		code = rep_fetch_stack(p, s.hash.data, &node, err);
	}
	for (size_t i = 0; i < now->nsamples && !code; i++) {
		struct sample s = sample_at(now, &now->sample[i]);

		code = add_sample(p, &s, err);
	}
	free(sorted);
	return code;
}

static int keep_sample(struct current *now, const struct sample *s, const uint8_t *from,
		       size_t size)
{
	if (tp_grow_raw(&now->sample, &now->room, now->nsamples, sizeof(*now->sample)))
		return TP_ENOMEM;
	now->sample[now->nsamples++] = (struct place){now->rows.size, size, s->node};
	return tp_buf_put(&now->rows, from, size);
}

int rep_fetch_finish(struct rep_profiles *p, size_t run, struct tp_err *err)
{
	int code = 0;

	for (; p->next < run && !code; p->next++) {
		if (!rep_fetch_is_profile(p->f, p->next))
			continue;
		if (!p->now.profile)
			code = rep_fetch_start(p, p->next, err);
		if (!code)
			code = add_samples(p, err);
		if (!code)
			code = p->each(p->each_ctx, p->next, p->now.profile, err);
		rep_fetch_drop(p);
	}
	return code;
}

int rep_fetch_sample(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct rep_profiles *p = ctx;
	uint64_t run = rep_row_get(c, 4);
	const uint8_t *from = c->at;
	struct sample s;
	bool same = read_sample(c, &s);
	int code;

	if (c->failed)
		return 0;
	if (run >= p->f->runs->n || run < p->next || !rep_fetch_is_profile(p->f, (size_t)run))
		return rep_fetch_odd(err, "a sample of no run");
	code = rep_fetch_finish(p, (size_t)run, err);
	if (!code && !p->now.profile)
		code = rep_fetch_start(p, (size_t)run, err);
	if (code)
		return code;
	if (!same || s.nvalues != p->now.profile->ntypes)
		return rep_fetch_odd(err, "a sample with too few values or labels");
	code = rep_held_add(p->f->held, sizeof(struct place) + (size_t)(c->at - from), err);
	if (code)
		return code;
	p->now.held += sizeof(struct place) + (size_t)(c->at - from);
	return keep_sample(&p->now, &s, from, (size_t)(c->at - from)) ? tp_nomem(err) : 0;
}
