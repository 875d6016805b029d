/* Profiles, and traces looked at as profiles: the table, and the reports that are texts. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/regex.h"
#include "common/profiles.h"
#include "common/proto.h"
#include "profile/top.h"
#include "tprof-top/top.h"

static int usage(const struct top_args *args, const char *option)
{
	cmd_error(&args->cmd, "%s is for traces, and %s is a profile", option, args->paths[0]);
	return CMD_USAGE;
}

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
	if (!code)
		return CMD_OK;
	if (code == TP_ENOMEM)
		return cmd_fail(&args->cmd, NULL, &err);
	cmd_error(&args->cmd, "%s", err.msg);
	return CMD_USAGE;
}

static int check(struct top_args *args)
{
	const struct rep_filter_text *f = &args->view.trace.filter;
	const struct {
		const char *option, *text;
	} traces[] = {{"--goroutine", f->goroutine},
		      {"--state", f->state},
		      {"--reason", f->reason},
		      {"--from", f->from},
		      {"--to", f->to},
		      {"--task", args->view.trace.task},
		      {"--region", args->view.trace.region},
		      {"--min", args->top.min},
		      {"--max", args->top.max},
		      {"--log", args->top.log},
		      {"--slowest", args->top.slowest},
		      {"--each", args->top.each ? "" : NULL}};

	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]) && !args->view.given; i++)
		if (traces[i].text)
			return usage(args, traces[i].option);
	if (args->sort && strcasecmp(args->sort, "flat") != 0 &&
	    strcasecmp(args->sort, "cum") != 0) {
		cmd_error(&args->cmd, "profiles are sorted by flat or cum, not by '%s'",
			  args->sort);
		return CMD_USAGE;
	}
	if (args->text && !args->text->table && args->cmd.format != REP_FORMAT_TABLE) {
		cmd_error(&args->cmd,
			  "--%s is a text; --format=csv, tsv and json are for the table",
			  args->text->name);
		return CMD_USAGE;
	}
	if (args->text && args->text->binary && args->cmd.tty) {
		cmd_error(&args->cmd, "--format=%s is not for terminals; send it to a file",
			  args->text->name);
		return CMD_USAGE;
	}
	return check_pattern(args);
}

/* Tables leave out what hardly counts, as pprof does; what other programs read is complete. */
static void settle(struct top_args *args)
{
	struct rep_profile_options *o = &args->profile, plain = REP_PROFILE_OPTIONS_INIT;
	bool table = args->text || args->cmd.format == REP_FORMAT_TABLE;

	if (args->sort)
		o->cum = !strcasecmp(args->sort, "cum");
	if (args->rows >= 0)
		o->node_count = args->rows;
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
					  ? "next: --goroutines has them by stack and state; "
					    "tprof-leaks FILE says which do not end"
					  : "next: --cum, --tree, --peek=REGEX, --list=REGEX; "
					    "--focus and --sample-index narrow it",
				      err);
}

static int print_table(struct top_args *args, const struct cmd_profile *item)
{
	struct rep_profile_top top;
	struct rep_output *out = NULL;
	struct tp_err err;
	int code = rep_profile_top(&top, item->profile, &args->profile, &err), status;

	if (code && code != TP_ENOMEM && code != TP_ELIMIT) {
		cmd_error(&args->cmd, "%s", err.msg);
		rep_profile_top_release(&top);
		return CMD_USAGE;
	}
	status = code ? cmd_fail(&args->cmd, item->name, &err) : CMD_OK;
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
		if (!code)
			code = rep_output_finish(out, &err);
		if (code)
			status = cmd_fail(&args->cmd, item->name, &err);
	}
	rep_output_free(out);
	rep_profile_top_release(&top);
	return status;
}

static int write_out(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)ctx;
	return cmd_write(data, size, err);
}

static int print_rows(struct top_args *args, struct rep_profile_view *v, const char *name)
{
	struct rep_output *out = NULL;
	struct tp_err err;
	int status = cmd_output(&args->cmd, false, &out);

	if (!status && (args->text->table(v, out, &err) || rep_output_finish(out, &err)))
		status = cmd_fail(&args->cmd, name, &err);
	rep_output_free(out);
	return status;
}

static int print_text(struct top_args *args, const struct cmd_profile *item)
{
	struct rep_sink sink = {.write = write_out};
	struct rep_profile_view v;
	struct tp_err err;
	int code =
	    rep_profile_view_init(&v, item->profile, &args->profile, &args->text->traits, &err);
	int status = CMD_OK;

	if (code && code != TP_ENOMEM && code != TP_ELIMIT) {
		cmd_error(&args->cmd, "%s", err.msg);
		status = CMD_USAGE;
	} else if (code) {
		status = cmd_fail(&args->cmd, item->name, &err);
	} else {
		cmd_tell_filters(&args->cmd, &v);
		if (args->cmd.format != REP_FORMAT_TABLE) {
			status = print_rows(args, &v, item->name);
			rep_profile_view_release(&v);
			return status;
		}
		if (!args->text->format)
			cmd_pager(&args->cmd);
		if (args->text->print(&v, args->text_arg, &sink, &err))
			status = cmd_fail(&args->cmd, item->name, &err);
	}
	rep_profile_view_release(&v);
	return status;
}

int top_profile(struct top_args *args)
{
	struct cmd_profiles_options opt = {.trace = args->view.given ? &args->view.trace : NULL,
					   .binary = args->profile.binary,
					   .symbol_path = args->profile.symbol_path,
					   .demangle = args->profile.demangle,
					   .sample_index = args->profile.sample_index};
	struct cmd_profiles list = {0};
	int status = check(args);

	if (status)
		return status;
	settle(args);
	status = cmd_profiles_difference(&args->cmd, args->paths, args->npaths, &args->base, &opt,
					 &list);
	if (!status && args->view.given)
		status = cmd_profiles_check_trace(&args->cmd, &args->view.trace, true, &list, NULL);
	if (!status && args->view.given)
		cmd_profiles_note_empty(&args->cmd, &list, &args->view.trace);
	if (!status && args->pprof)
		status = cmd_write_proto(&args->cmd, &list.item[0], &args->profile, NULL, NULL);
	else if (!status)
		status =
		    args->text ? print_text(args, &list.item[0]) : print_table(args, &list.item[0]);
	cmd_profiles_release(&list);
	return status;
}
