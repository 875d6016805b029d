/* Both sides as profiles: loaded and filtered for the diff; their difference as a profile. */
#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/profiles.h"
#include "common/proto.h"
#include "common/sets.h"
#include "diff/prepare.h"
#include "profile/merge/difference.h"

#include "diff.h"

/* Opens both sides as the command line says. */
static int open_profiles(struct args *args, bool sum, struct cmd_profiles list[2])
{
	const struct cmd_profiles_options open = {.by = args->average_by, .at_once = true};
	int status = cmd_sides_open(&args->cmd, &open, sum, list);

	if (!status && !sum && !args->average_by)
		status = cmd_sets_settle(&args->cmd, list);
	return status ? status : cmd_profiles_check_trace(&args->cmd, list);
}

/* ---- both sides ---- */

static int take(struct args *args, const struct cmd_profiles *list, struct rep_diff_side *side)
{
	side->run = calloc(list->n + 1, sizeof(*side->run));
	if (!side->run)
		return cmd_nomem(&args->cmd);
	for (; side->n < list->n; side->n++)
		side->run[side->n] = (struct rep_diff_run){
		    .profile = list->item[side->n].profile,
		    .name = list->item[side->n].name,
		    .times = list->item[side->n].times,
		};
	return CMD_OK;
}

/* Name of a run that lost something: it may be one that was left out for that. */
static const char *damaged_one(const struct cmd_profiles list[2])
{
	for (size_t l = 0; l < 2; l++)
		if (list[l].untyped)
			return list[l].untyped;
	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; i < list[l].n; i++)
			if (list[l].item[i].damaged)
				return list[l].item[i].name;
	return NULL;
}

/* Those of the new ones; a filter that found nothing in these may have found what is gone. */
static void tell_notes(struct args *args, const struct rep_filter_notes notes[2])
{
	for (size_t at = 0; at < notes[1].texts.size;) {
		const char *text = (char *)notes[1].texts.data + at;

		if (!rep_filter_note_nothing(text) || rep_filter_notes_have(&notes[0], text))
			cmd_note(&args->cmd, "%s", text);
		at += strlen(text) + 1;
	}
}

static int prepare(struct args *args, struct loaded *l)
{
	struct rep_filter_notes notes[2] = {{{0}}, {{0}}};
	struct tp_err err;
	int code = 0;

	if (args->of_change)
		code = rep_diff_change_weight(&l->side[0], &l->side[1], &args->diff, &args->profile,
					      &args->diff.base, &err);
	for (int i = 0; !code && i < 2; i++)
		code = rep_diff_prepare(&l->side[i], &args->profile, &notes[i], &err);
	if (!code)
		tell_notes(args, notes);
	rep_filter_notes_release(&notes[0]);
	rep_filter_notes_release(&notes[1]);
	return code ? cmd_refuse(&args->cmd, NULL, &err, CMD_USAGE) : CMD_OK;
}

int diff_load_profiles(struct args *args, struct loaded *l)
{
	const struct cmd_files *old = &args->cmd.files[CMD_OLD], *new = &args->cmd.files[CMD_NEW];
	int status;

	args->diff.sample_index = args->profile.sample_index;
	args->diff.mean = args->profile.mean;
	args->diff.cum = args->profile.cum;
	args->diff.drop_negative = args->profile.drop_negative;
	args->diff.relative = args->profile.relative_percentages;
	args->diff.keys.no_inlines = args->profile.no_inlines;
	/* A glob behind --base, and no --, is pprof's way to say something else. */
	if (args->sides.spelled && new->n > 1)
		cmd_note(&args->cmd,
			 "only %s is the old side, and the other %zu files are added up as the new "
			 "one; to compare sets, put -- between them: --base OLD... -- NEW...",
			 old->path[old->n - 1], new->n);
	status = open_profiles(args, args->sum, l->list);
	for (int i = 0; !status && i < 2; i++) {
		status = take(args, &l->list[i], &l->side[i]);
		l->first[i] = l->list[i].n ? l->list[i].item[0].name : NULL;
	}
	l->damaged = damaged_one(l->list);
	return status ? status : prepare(args, l);
}

/* ---- pprof ---- */

int diff_write_pprof(struct args *args)
{
	const struct rep_difference_options how = {.normalize = args->diff.normalize, .mark = true};
	struct cmd_profiles list[2] = {{0}, {0}};
	struct cmd_profile item = {0};
	struct tp_err err;
	int status;

	if (args->cmd.tty)
		return cmd_reject(
		    &args->cmd, CMD_USAGE,
		    "--format=pprof cannot be written to a terminal; redirect it to a file");
	status = open_profiles(args, true, list);
	if (!status && rep_profile_difference(list[0].item[0].profile, list[1].item[0].profile,
					      &how, &item.profile, &err))
		status = cmd_refuse(&args->cmd, NULL, &err, CMD_INPUT);
	if (!status) {
		char name[SIDES_NAME];

		sides_name(&args->cmd, false, list[1].item[0].name, list[0].item[0].name, list[1].n,
			   name);
		item.name = name;
		status = cmd_write_proto(&args->cmd, &item, &args->profile, NULL);
	}
	tp_profile_free(item.profile);
	cmd_profiles_release(&list[0]);
	cmd_profiles_release(&list[1]);
	return status;
}
