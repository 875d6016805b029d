#include "diff/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "profile/merge/difference.h"
#include "profile/merge/merge.h"
#include "profile/view.h"

static uint64_t size_of(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* Has one of them wrapped? No total is greater than its weight. */
static bool sum_types(const struct tp_profile *p, int64_t *total, int64_t *weight)
{
	bool wrapped = false;

	for (size_t i = 0; i < p->nsamples; i++)
		for (size_t t = 0; t < p->ntypes; t++) {
			int64_t v = p->value[i * p->ntypes + t];

			total[t] = (int64_t)((uint64_t)total[t] + (uint64_t)v);
			wrapped |= __builtin_add_overflow(weight[t], size_of(v), &weight[t]);
		}
	return wrapped;
}

static bool filters_anything(const struct rep_profile_options *o)
{
	return o->focus || o->ignore || o->hide || o->show || o->show_from || o->prune_from ||
	       o->tag_focus || o->tag_ignore || o->tag_show || o->tag_hide;
}

/* Keeps those of `all` that are in `more`, too. */
static void keep_common(struct rep_filter_notes *all, const struct rep_filter_notes *more)
{
	char *text = (char *)all->texts.data;
	size_t out = 0;

	for (size_t at = 0; at < all->texts.size;) {
		size_t n = strlen(text + at) + 1;

		if (rep_filter_notes_have(more, text + at)) {
			memmove(text + out, text + at, n);
			out += n;
		}
		at += n;
	}
	all->texts.size = out;
}

static int prepare_one(struct rep_diff_run *run, const struct rep_profile_options *opt,
		       struct rep_filter_notes *notes, struct tp_err *err)
{
	struct tp_profile *p = run->profile;
	int code = opt->all_frames ? 0 : rep_profile_drop_frames(p, err);

	if (code)
		return code;
	if (filters_anything(opt)) {
		run->total = calloc(2 * p->ntypes + 1, sizeof(*run->total));
		if (!run->total)
			return tp_nomem(err);
		run->wrapped = sum_types(p, run->total, run->total + p->ntypes);
	}
	if (opt->tag_root || opt->tag_leaf)
		code = rep_profile_tag_frames(p, opt, notes, err);
	if (!code && filters_anything(opt))
		code = rep_profile_filter(p, opt, notes, err);
	return code;
}

int rep_diff_prepare(struct rep_diff_side *side, const struct rep_profile_options *opt,
		     struct rep_filter_notes *notes, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; !code && i < side->n; i++) {
		struct rep_filter_notes own = {0};

		code = prepare_one(&side->run[i], opt, &own, err);
		if (!code && i)
			keep_common(notes, &own);
		else if (!code && own.texts.size &&
			 tp_buf_put(&notes->texts, own.texts.data, own.texts.size))
			code = tp_nomem(err);
		rep_filter_notes_release(&own);
	}
	return code;
}

int rep_diff_side_profiles(struct rep_diff_side *side, struct tp_profile *const *profiles, size_t n,
			   struct tp_err *err)
{
	side->run = calloc(n + 1, sizeof(*side->run));
	if (!side->run)
		return tp_nomem(err);
	for (side->n = 0; side->n < n; side->n++)
		side->run[side->n].profile = profiles[side->n];
	return 0;
}

/* ---- what pprof's -base takes for 100 % ---- */

static int weigh(struct tp_profile *sum, const struct rep_diff_options *opt,
		 const struct rep_profile_options *filters, int64_t *weight, struct tp_err *err)
{
	size_t index;
	int code = filters->all_frames ? 0 : rep_profile_drop_frames(sum, err);

	if (!code && opt->relative)
		code = rep_profile_tag_frames(sum, filters, NULL, err);
	if (!code && opt->relative)
		code = rep_profile_filter(sum, filters, NULL, err);
	if (!code)
		code = rep_profile_sample_index(sum, opt->sample_index, &index, err);
	for (size_t i = 0; !code && i < sum->nsamples; i++)
		*weight =
		    (int64_t)((uint64_t)*weight + size_of(sum->value[i * sum->ntypes + index]));
	return code;
}

int rep_diff_change_weight(const struct rep_diff_side *old, const struct rep_diff_side *new,
			   const struct rep_diff_options *opt,
			   const struct rep_profile_options *filters, int64_t *weight,
			   struct tp_err *err)
{
	struct rep_merge_part *part = calloc(old->n + new->n, sizeof(*part));
	double *ratio = calloc(new->run[0].profile->ntypes + 1, sizeof(*ratio));
	struct tp_profile *sum = NULL;
	int code = 0;

	*weight = 0;
	if (!part || !ratio)
		code = tp_nomem(err);
	else if (opt->normalize)
		code =
		    rep_profile_normal_ratios(old->run[0].profile, new->run[0].profile, ratio, err);
	if (!code) {
		for (size_t i = 0; i < new->n + old->n; i++) {
			bool is_new = i < new->n;

			part[i] = (struct rep_merge_part){
			    .profile = is_new ? new->run[i].profile : old->run[i - new->n].profile,
			    .ratio = is_new ? 1 : -1,
			    .ratios = is_new && opt->normalize ? ratio : NULL,
			};
		}
		code = rep_profile_merge(part, new->n + old->n, &sum, err);
	}
	if (!code)
		code = weigh(sum, opt, filters, weight, err);
	tp_profile_free(sum);
	free(part);
	free(ratio);
	return code;
}
