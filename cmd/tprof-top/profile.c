/* Profiles, and traces looked at as profiles: the table, and the reports that are texts. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/regex.h"
#include "common/profiles.h"
#include "common/proto.h"
#include "profile/top.h"
#include "tprof-top/top.h"

/* Is the REGEX of --peek and its like one? */
static int check_pattern(const struct top_args *args)
{
	char option[40];
	struct tp_regex re;
	struct tp_err err;
	int code;

	if (!args->text || !args->text->arg || !args->text_arg)
		return CMD_OK;
	snprintf(option, sizeof(option), "--%s", args->text->name);
	code = tp_regex_init(&re, args->text_arg, option, &err);
	tp_regex_release(&re);
	return code ? cmd_refuse(&args->cmd, NULL, &err, CMD_USAGE) : CMD_OK;
}

static int check(struct top_args *args)
{
	const char *filter = cmd_view_filter_not_time(&args->view.trace);

	if (!filter)
		filter = top_pick(args);
	if (filter && !args->view.given)
		return cmd_reject(&args->cmd, CMD_USAGE, "--%s is for traces, and %s is a profile",
				  filter, cmd_path(&args->cmd));
	if (args->sort && strcasecmp(args->sort, "flat") != 0 && strcasecmp(args->sort, "cum") != 0)
		return cmd_reject(&args->cmd, CMD_USAGE,
				  "--sort: '%s' is not flat or cum, by which profiles are sorted",
				  args->sort);
	if (args->text && !args->text->table && args->cmd.format != REP_FORMAT_TABLE)
		return cmd_reject(&args->cmd, CMD_USAGE,
				  "--%s writes text; --format=csv, tsv and json are for the table",
				  args->text->name);
	if (args->text && args->text->binary && args->cmd.tty)
		return cmd_reject(
		    &args->cmd, CMD_USAGE,
		    "--format=%s cannot be written to a terminal; redirect it to a file",
		    args->text->name);
	return check_pattern(args);
}

/* Tables leave out what hardly counts, as pprof does; what other programs read is complete. */
static void settle(struct top_args *args)
{
	struct rep_profile_options *o = &args->profile, plain = REP_PROFILE_OPTIONS_INIT;
	bool table = args->text || args->cmd.format == REP_FORMAT_TABLE;

	if (args->sort)
		o->cum = !strcasecmp(args->sort, "cum");
	if (args->cmd.rows >= 0)
		o->node_count = args->cmd.rows;
	if (o->node_fraction == TOP_DEFAULT_FRACTION)
		o->node_fraction = table ? plain.node_fraction : 0;
}

static bool is_of_goroutines(const struct tp_profile *p)
{
	return p->ntypes && !strcmp(tp_dict_text(p->dict, p->types[0].type).text, "goroutine");
}

/* What to type next, on a terminal only. */
static int print_hint(const struct top_args *args, const struct tp_profile *p,
		      struct rep_output *out, struct tp_err *err)
{
	int code = 0;

	if (!args->cmd.tty)
		return 0;
	code = rep_output_note(out, false, "", err);
	return code ? code
		    : rep_output_note(out, false,
				      is_of_goroutines(p)
					  ? "next: --goroutines has them by stack and state, "
					    "--deadlock who may wait for whom; tprof-leaks FILE says which do not end"
					  : "next: --cum, --tree, --peek=REGEX, --list=REGEX; "
					    "--focus and --sample-index narrow it",
				      err);
}

static int print_table(struct top_args *args, const struct cmd_profile *item)
{
	struct rep_profile_top top;
	struct rep_output *out = NULL;
	struct tp_err err;
	int code = rep_profile_top(&top, item->profile, &args->profile, &err);
	int status = code ? cmd_refuse(&args->cmd, NULL, &err, CMD_USAGE) : CMD_OK;

	if (!status) {
		cmd_tell_filters(&args->cmd, &top.view);
		cmd_pager(&args->cmd);
		status = cmd_output(&args->cmd, false, &out);
	}
	if (!status) {
		code = rep_output_note(out, true, item->name, &err);
		if (!code)
			code = rep_profile_top_print(&top, out, &err);
		if (!code)
			code = print_hint(args, item->profile, out, &err);
		status = cmd_output_end(&args->cmd, out, item->name, code, &err);
	}
	rep_profile_top_release(&top);
	return status;
}

static int print_rows(struct top_args *args, struct rep_profile_view *v, const char *name)
{
	struct rep_output *out = NULL;
	struct tp_err err;
	int status = cmd_output(&args->cmd, false, &out);

	return status ? status
		      : cmd_output_end(&args->cmd, out, name,
				       args->text->table(v, args->text_arg, out, &err), &err);
}

static int print_text(struct top_args *args, const struct cmd_profile *item)
{
	struct rep_sink sink = {.write = cmd_write_out};
	struct rep_profile_view v;
	struct tp_err err;
	int code =
	    rep_profile_view_init(&v, item->profile, &args->profile, &args->text->traits, &err);
	int status = code ? cmd_refuse(&args->cmd, NULL, &err, CMD_USAGE) : CMD_OK;

	if (!status)
		cmd_tell_filters(&args->cmd, &v);
	if (!status && args->cmd.format != REP_FORMAT_TABLE) {
		status = print_rows(args, &v, item->name);
	} else if (!status) {
		if (!args->text->format)
			cmd_pager(&args->cmd);
		if (args->text->print(&v, args->text_arg, &sink, &err))
			status = cmd_fail(&args->cmd, item->name, &err);
	}
	rep_profile_view_release(&v);
	return status;
}

static int64_t sum(const struct tp_profile *p, size_t type)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->nsamples; i++)
		__builtin_add_overflow(sum, p->value[i * p->ntypes + type], &sum);
	return sum;
}

/* A heap profile shows what is in use at its end. If that is nothing, shows what was; if it is little, says so. */
static void show_what_was(struct top_args *args, const struct tp_profile *p)
{
	char now[TP_UNITS_SIZE], then[TP_UNITS_SIZE];
	size_t peak = rep_profile_type_find(p, "peak_space"), index, instead;
	struct tp_err err;

	if (args->profile.sample_index || rep_profile_sample_index(p, NULL, &index, &err))
		return;
	instead = rep_profile_type_instead(p, index);
	if (instead != SIZE_MAX) {
		const char *type = tp_dict_text(p->dict, p->types[instead].type).text;

		cmd_note(&args->cmd, "nothing is in use at the end; showing %s, the memory %s",
			 type,
			 strncmp(type, "peak", 4) ? "allocated in all" : "in use at the peak");
		args->profile.sample_index = type;
	} else if (peak != SIZE_MAX && index == rep_profile_type_find(p, "inuse_space") &&
		   sum(p, peak) / 2 > sum(p, index)) {
		cmd_note(&args->cmd,
			 "%s in use at the end, %s at the peak (--sample-index=peak_space)",
			 tp_fmt_bytes(now, sum(p, index)), tp_fmt_bytes(then, sum(p, peak)));
	}
}

int top_profile(struct top_args *args)
{
	struct cmd_profiles list = {0};
	int status = check(args);

	if (status)
		return status;
	settle(args);
	status = cmd_profiles_difference(&args->cmd, &list);
	if (!status)
		cmd_profiles_note_empty(&args->cmd, &list);
	if (!status && !args->pprof && list.n)
		show_what_was(args, list.item[0].profile);
	if (!status && args->pprof)
		status = cmd_write_proto(&args->cmd, &list.item[0], &args->profile, NULL);
	else if (!status)
		status =
		    args->text ? print_text(args, &list.item[0]) : print_table(args, &list.item[0]);
	cmd_profiles_release(&list);
	return status;
}
