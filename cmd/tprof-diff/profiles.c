/* Profiles: loaded and filtered for the diff; their difference as a profile. */
#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/profiles.h"
#include "common/proto.h"
#include "diff/prepare.h"
#include "profile/merge/difference.h"

#include "diff.h"

/* Name of a run that lost something: it may be one that was left out for that. */
static const char *damaged_one(const struct loaded *in)
{
	for (size_t l = 0; l < 2; l++)
		if (in->list[l].untyped)
			return in->list[l].untyped;
	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; i < in->list[l].n; i++)
			if (in->list[l].item[i].damaged)
				return in->list[l].item[i].name;
	return NULL;
}

/* Those of the new ones; a filter that found nothing in these may have found what is gone. */
static void tell_notes(struct args *args, const struct rep_filter_notes *old,
		       const struct rep_filter_notes *new)
{
	for (size_t at = 0; at < new->texts.size;) {
		const char *text = (char *)new->texts.data + at;

		if (!rep_filter_note_nothing(text) || rep_filter_notes_have(old, text))
			cmd_note(&args->cmd, "%s", text);
		at += strlen(text) + 1;
	}
}

static int prepare_and_compare(struct args *args, struct loaded *in)
{
	struct rep_diff_prepared old = {0}, new = {0};
	struct rep_filter_notes old_notes = {0}, new_notes = {0};
	struct tp_err err;
	int status = CMD_OK, code = 0;

	if (args->of_change)
		code = rep_diff_change_weight(in->profile, in->nold, in->profile + in->nold,
					      in->n - in->nold, &args->diff, &args->profile,
					      &args->diff.base, &err);
	if (!code)
		code =
		    rep_diff_prepare(in->profile, in->nold, &args->profile, &old, &old_notes, &err);
	if (!code)
		code = rep_diff_prepare(in->profile + in->nold, in->n - in->nold, &args->profile,
					&new, &new_notes, &err);
	if (!code) {
		rep_diff_prepared_times(&old, in->times);
		rep_diff_prepared_times(&new, in->times + in->nold);
		rep_diff_prepared_names(&old, in->names);
		rep_diff_prepared_names(&new, in->names + in->nold);
		tell_notes(args, &old_notes, &new_notes);
	}
	if (code)
		status = diff_refuse(args, &err, CMD_USAGE);
	else if (args->self_check)
		status = diff_self_check(args, &old.side, in->old_name, "in random halves");
	else
		status = diff_compare(args,
				      &(struct compared){old.side, new.side, in->old_name,
							 in->new_name, damaged_one(in)},
				      NULL);
	rep_diff_prepared_release(&old);
	rep_diff_prepared_release(&new);
	rep_filter_notes_release(&old_notes);
	rep_filter_notes_release(&new_notes);
	return status;
}

/* --format=pprof: each side added up, the old one marked, as pprof's -diff_base has it. */
static int write_pprof(struct args *args, const struct cmd_profiles_options *open)
{
	const struct rep_difference_options how = {.normalize = args->diff.normalize, .mark = true};
	struct cmd_profile item = {0};
	struct loaded in = {0};
	struct tp_err err;
	int status;

	if (args->cmd.tty) {
		cmd_error(&args->cmd, "--format=pprof is not for terminals; send it to a file");
		return CMD_USAGE;
	}
	status = sides_load(&args->cmd, &args->sides, open, true, &in);
	if (!status && args->view.given)
		status = cmd_profiles_check_trace(&args->cmd, &args->view.trace, true, &in.list[0],
						  &in.list[1]);
	if (!status &&
	    rep_profile_difference(in.profile[0], in.profile[in.nold], &how, &item.profile, &err))
		status = diff_refuse(args, &err, CMD_INPUT);
	item.name = in.new_name;
	if (!status)
		status = cmd_write_proto(&args->cmd, &item, &args->profile, NULL, NULL);
	tp_profile_free(item.profile);
	loaded_release(&in);
	return status;
}

int diff_profiles(struct args *args)
{
	struct cmd_profiles_options open = {.trace = args->view.given ? &args->view.trace : NULL,
					    .binary = args->profile.binary,
					    .symbol_path = args->profile.symbol_path,
					    .demangle = args->profile.demangle,
					    .sample_index = args->profile.sample_index,
					    .by = args->average_by};
	struct loaded in = {0};
	int status;

	if (args->pprof)
		return write_pprof(args, &open);
	args->diff.sample_index = args->profile.sample_index;
	args->diff.mean = args->profile.mean;
	args->diff.cum = args->profile.cum;
	args->diff.drop_negative = args->profile.drop_negative;
	args->diff.relative = args->profile.relative_percentages;
	args->diff.keys.no_inlines = args->profile.no_inlines;
	/* A glob behind --base, and no --, is pprof's way to say something else. */
	if (args->sides.spelled && args->sides.n > 1)
		cmd_note(
		    &args->cmd,
		    "compared to %s alone, the other %zu files added up; of sets -- tells which "
		    "are new: --base OLD... -- NEW...",
		    args->sides.old[args->sides.nold - 1], args->sides.n);
	status = sides_load(&args->cmd, &args->sides, &open, args->sum, &in);
	if (!status && args->view.given)
		status = cmd_profiles_check_trace(&args->cmd, &args->view.trace, true, &in.list[0],
						  &in.list[1]);
	if (!status)
		status = prepare_and_compare(args, &in);
	loaded_release(&in);
	return status;
}
