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

static int prepare_one(struct tp_profile *p, const struct rep_profile_options *opt,
		       struct rep_diff_run *run, int64_t *sums, struct rep_filter_notes *notes,
		       struct tp_err *err)
{
	int code = opt->all_frames ? 0 : rep_profile_drop_frames(p, err);

	run->profile = p;
	if (code)
		return code;
	if (filters_anything(opt)) {
		run->wrapped = sum_types(p, sums, sums + p->ntypes);
		run->total = sums;
		run->weight = sums + p->ntypes;
	}
	if (opt->tag_root || opt->tag_leaf)
		code = rep_profile_tag_frames(p, opt, notes, err);
	if (!code && filters_anything(opt))
		code = rep_profile_filter(p, opt, notes, err);
	return code;
}

int rep_diff_prepare(struct tp_profile *const *profiles, size_t n,
		     const struct rep_profile_options *opt, struct rep_diff_prepared *out,
		     struct rep_filter_notes *notes, struct tp_err *err)
{
	struct rep_diff_run *run = calloc(n ? n : 1, sizeof(*run));
	size_t room = 1;
	int code = 0;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < n; i++)
		room += 2 * profiles[i]->ntypes;
	out->sums = calloc(room, sizeof(*out->sums));
	out->side = (struct rep_diff_side){run, n};
	if (!run || !out->sums)
		return tp_nomem(err);
	room = 0;
	for (size_t i = 0; !code && i < n; i++) {
		struct rep_filter_notes own = {0};

		code = prepare_one(profiles[i], opt, &run[i], out->sums + room, &own, err);
		room += 2 * profiles[i]->ntypes;
		if (!code && i)
			keep_common(notes, &own);
		else if (!code && own.texts.size &&
			 tp_buf_put(&notes->texts, own.texts.data, own.texts.size))
			code = tp_nomem(err);
		rep_filter_notes_release(&own);
	}
	return code;
}

void rep_diff_prepared_times(struct rep_diff_prepared *p, const size_t *times)
{
	struct rep_diff_run *run = (void *)(uintptr_t)p->side.run;

	for (size_t i = 0; i < p->side.n; i++)
		run[i].times = times[i];
}

void rep_diff_prepared_names(struct rep_diff_prepared *p, const char *const *names)
{
	struct rep_diff_run *run = (void *)(uintptr_t)p->side.run;

	for (size_t i = 0; i < p->side.n; i++)
		run[i].name = names[i];
}

void rep_diff_prepared_release(struct rep_diff_prepared *p)
{
	free((void *)(uintptr_t)p->side.run);
	free(p->sums);
	memset(p, 0, sizeof(*p));
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

int rep_diff_change_weight(struct tp_profile *const *old, size_t nold,
			   struct tp_profile *const *new, size_t nnew,
			   const struct rep_diff_options *opt,
			   const struct rep_profile_options *filters, int64_t *weight,
			   struct tp_err *err)
{
	struct rep_merge_part *part = calloc(nold + nnew, sizeof(*part));
	double *ratio = calloc(nnew ? new[0]->ntypes + 1 : 1, sizeof(*ratio));
	struct tp_profile *sum = NULL;
	int code = 0;

	*weight = 0;
	if (!part || !ratio)
		code = tp_nomem(err);
	else if (opt->normalize)
		code = rep_profile_normal_ratios(old[0], new[0], ratio, err);
	if (!code) {
		for (size_t i = 0; i < nnew + nold; i++)
			part[i] = (struct rep_merge_part){
			    .profile = i < nnew ? new[i] : old[i - nnew],
			    .ratio = i < nnew ? 1 : -1,
			    .ratios = i < nnew && opt->normalize ? ratio : NULL,
			};
		code = rep_profile_merge(part, nnew + nold, &sum, err);
	}
	if (!code)
		code = weigh(sum, opt, filters, weight, err);
	tp_profile_free(sum);
	free(part);
	free(ratio);
	return code;
}
