/* Both sides as profiles: loaded and filtered for the diff; their difference as a profile. */
#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/profiles.h"
#include "common/proto.h"
#include "diff/prepare.h"
#include "profile/merge/difference.h"

#include "diff.h"

/* ---- opening ---- */

static int open_side(struct cmd *cmd, const char *const *path, size_t n, const char *label,
		     const struct cmd_profiles_options *opt, bool sum, struct cmd_profiles *out)
{
	if (label)
		return cmd_labels_open(cmd, path[0], label, opt, sum, out);
	return sum ? cmd_profiles_sum(cmd, path, n, opt, out)
		   : cmd_profiles_open(cmd, path, n, opt, out);
}

/* One file each is loaded at once, in two threads. */
static int open_pair(struct cmd *cmd, const struct sides *s, const struct cmd_profiles_options *opt,
		     struct cmd_profiles *old, struct cmd_profiles *new, bool *done)
{
	const char *path[] = {s->old[0], s->path[0]};
	int status = cmd_profiles_open(cmd, path, 2, opt, old);

	*done = !status && old->n == 2;
	if (!*done)
		return status;
	new->item = malloc(sizeof(*new->item));
	if (!new->item)
		return cmd_nomem(cmd);
	new->item[0] = old->item[1];
	new->n = old->n = 1;
	return CMD_OK;
}

static int open_sides(struct cmd *cmd, const struct sides *s,
		      const struct cmd_profiles_options *opt, bool sum, struct cmd_profiles list[2])
{
	struct cmd_profiles_options each = *opt;
	const char *const *old = s->labels.new ? s->path : s->old;
	size_t nold = s->labels.new ? s->n : s->nold;
	bool done = false;
	int status = CMD_OK;

	if (!s->labels.new &&nold == 1 && s->n == 1 && !cmd->run_spec && !opt->by)
		status = open_pair(cmd, s, opt, &list[0], &list[1], &done);
	if (status || done)
		return status;
	cmd_profiles_release(&list[0]);
	list[0] = (struct cmd_profiles){0};
	each.picked_elsewhere = cmd_profiles_pick(cmd, s->path, s->n);
	status = open_side(cmd, old, nold, s->labels.old, &each, sum, &list[0]);
	each.picked_elsewhere = true; /* or it has been said */
	if (!status)
		status = open_side(cmd, s->path, s->n, s->labels.new, &each, sum, &list[1]);
	return status;
}

/* Opens both sides as the command line says. */
static int open_profiles(struct args *args, bool sum, struct cmd_profiles list[2])
{
	const struct cmd_profiles_options open = {
	    .trace = args->view.given ? &args->view.trace : NULL,
	    .binary = args->profile.binary,
	    .symbol_path = args->profile.symbol_path,
	    .demangle = args->profile.demangle,
	    .sample_index = args->profile.sample_index,
	    .by = args->average_by,
	};
	int status = open_sides(&args->cmd, &args->sides, &open, sum, list);

	if (!status && args->view.given)
		status = cmd_profiles_check_trace(&args->cmd, &args->view.trace, true, &list[0],
						  &list[1]);
	return status;
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
	return code ? diff_refuse(args, &err, CMD_USAGE) : CMD_OK;
}

int diff_load_profiles(struct args *args, struct loaded *l)
{
	int status;

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

	if (args->cmd.tty) {
		cmd_error(&args->cmd, "--format=pprof is not for terminals; send it to a file");
		return CMD_USAGE;
	}
	status = open_profiles(args, true, list);
	if (!status && rep_profile_difference(list[0].item[0].profile, list[1].item[0].profile,
					      &how, &item.profile, &err))
		status = diff_refuse(args, &err, CMD_INPUT);
	if (!status) {
		char name[SIDES_NAME];

		sides_name(&args->cmd, &args->sides, false, list[1].item[0].name,
			   list[0].item[0].name, list[1].n, name);
		item.name = name;
		status = cmd_write_proto(&args->cmd, &item, &args->profile, NULL, NULL);
	}
	tp_profile_free(item.profile);
	cmd_profiles_release(&list[0]);
	cmd_profiles_release(&list[1]);
	return status;
}
