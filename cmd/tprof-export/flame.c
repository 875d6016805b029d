/* Profiles, and views of traces, as stacks with their values, for programs that draw them: folded
 * stacks, and speedscope's format. What tprof-flame writes under the same names. */
#include <string.h>

#include "common/profiles.h"
#include "common/proto.h"
#include "flame/flame.h"
#include "flame/part.h"
#include "profile/view.h"
#include "tprof-export/export.h"

static int write_stacks(struct export_args *args, const struct cmd_profile *item,
			const struct rep_profile_view *v, enum rep_flame_format format)
{
	const struct rep_flame_part part = {.view = *v, .name = item->name, .trace = item->trace};
	const struct rep_flame_tree_options plain = {0};
	const struct rep_flame_build_options how = {0};
	struct rep_flame_options opt = REP_FLAME_OPTIONS_INIT;
	const struct rep_sink sink = {.write = cmd_write_out};
	struct rep_flame_heading heading = {0};
	struct rep_flame_tree tree;
	struct tp_err err;
	int status = CMD_OK, code;

	code = rep_flame_build(&tree, &heading, &plain, &part, 1, &how, &err);
	if (!code && !rep_flame_weight(&tree, 0))
		cmd_note(&args->cmd, "%s: there is nothing to write", item->name);
	if (!code)
		status = export_begin(args);
	if (!code && !status) {
		opt.title = heading.title;
		opt.subtitle = heading.subtitle;
		opt.type = heading.type;
		opt.unit = heading.unit;
		code = rep_flame_write(&tree, format, &opt, &sink, &err);
	}
	if (code)
		status = cmd_fail(&args->cmd, item->name, &err);
	rep_flame_heading_release(&heading);
	rep_flame_tree_release(&tree);
	return status;
}

static int export_stacks(struct export_args *args, enum rep_flame_format format)
{
	struct rep_profile_view v;
	struct cmd_profiles list = {0};
	struct tp_err err;
	int code, status = cmd_profiles_difference(&args->cmd, &list);

	if (!status) {
		code = rep_profile_view_init(&v, list.item[0].profile, &args->profile,
					     &rep_flame_traits, &err);
		if (code) {
			status = cmd_refuse(&args->cmd, NULL, &err, CMD_USAGE);
		} else {
			cmd_tell_filters(&args->cmd, &v);
			status = write_stacks(args, &list.item[0], &v, format);
		}
		rep_profile_view_release(&v);
	}
	cmd_profiles_release(&list);
	return status;
}

int export_folded(struct export_args *args)
{
	return export_stacks(args, REP_FLAME_FOLDED);
}

int export_speedscope(struct export_args *args)
{
	return export_stacks(args, REP_FLAME_SPEEDSCOPE);
}
