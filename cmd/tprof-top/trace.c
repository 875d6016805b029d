/* Execution traces, ranked. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"
#include "common/profile_options.h"
#include "common/proto.h"
#include "common/range.h"
#include "task/request.h"
#include "tprof-top/top.h"

static int put(struct tp_buf *b, const char *text)
{
	return tp_buf_put(b, text, strlen(text));
}

/* "only: from 25%, focus net/http" — whoever reads the table must not miss it. */
static int put_filters(const struct rep_top_options *opt, struct rep_output *out,
		       struct tp_err *err)
{
	const struct rep_filter_text *f = &opt->filter;
	const char *request = rep_is_request(f->task) ? rep_request_shown(f->task) : NULL;
	const struct {
		const char *name, *text;
	} filters[] = {
	    {"from", f->from},		 {"to", f->to},
	    {"focus", f->focus},	 {"ignore", f->ignore},
	    {"goroutine", f->goroutine}, {"state", f->state},
	    {"reason", f->reason},	 {"task", request ? NULL : f->task},
	    {"request", request},	 {"region", f->region},
	    {"min", opt->min},		 {"max", opt->max},
	    {"log", opt->log},
	};
	struct tp_buf b = {0};
	int code = 0, failed = 0;

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		if (!filters[i].text)
			continue;
		failed |= put(&b, b.size ? ", " : "only: ");
		failed |= put(&b, filters[i].name);
		failed |= put(&b, " ");
		failed |= put(&b, filters[i].text);
	}
	failed |= tp_buf_put(&b, "", 1);
	if (failed)
		code = tp_nomem(err);
	else if (b.size > 1)
		code = rep_output_note(out, false, (char *)b.data, err);
	tp_buf_release(&b);
	return code;
}

#define HEADINGS 8 /* runs named one by one */

static int put_head(const struct top_args *args, struct rep_output *out, struct tp_err *err)
{
	const struct rep_runs *runs = &args->cmd.runs;
	char text[80], heading[REP_RUN_HEADING];
	int code = 0;

	for (size_t i = 0; !code && i < runs->n && i < HEADINGS; i++)
		code = rep_output_note(out, true, rep_run_heading(&runs->run[i], heading), err);
	if (!code && runs->n > HEADINGS) {
		snprintf(text, sizeof(text), "and %zu more runs", runs->n - HEADINGS);
		code = rep_output_note(out, true, text, err);
	}
	/* Single goroutines and Ps are listed by run. */
	if (!code && runs->n > 1 &&
	    (!args->top.report->ncolumns ||
	     strcmp(args->top.report->columns[0].column.name, "run") != 0))
		code = rep_output_note(out, false, "added up by name over all of these runs", err);
	if (!code)
		code = put_filters(&args->top, out, err);
	return code ? code : rep_output_note(out, false, "", err);
}

/* Writes a line below the table that suggests the next command. Only a terminal gets it. */
static int put_hint(const struct top_args *args, struct rep_output *out, struct tp_err *err)
{
	static const struct {
		const char *report; /* NULL: all reports without an entry */
		const char *hint;
	} hints[] = {
	    {"block", "next: tprof-path TRACE wakers says who ended the waits; --focus, "
		      "--goroutine and --from narrow it"},
	    {"locks", "next: tprof-path TRACE wakers --reason='^sync$' says who ended the waits; "
		      "--focus, --goroutine and --from narrow it"},
	    {"tasks", "next: tprof-path TRACE --task=TYPE --slowest says why one was "
		      "slow, --slowest=1% what makes the slowest slow"},
	    {"task", "next: tprof-path TRACE --task=TASK says why that one was slow, "
		     "--slowest=1% what makes the slowest slow"},
	    {"incident", "next: tprof-path TRACE --from=TIME --to=TIME says who kept whom "
			 "waiting; --last and --around move the incident"},
	    {NULL, "next: add block, sched, cpu, gc, tasks or overview; --focus and --from narrow "
		   "it"},
	};
	size_t i = 0;
	int code;

	if (!args->cmd.tty)
		return 0;
	while (hints[i].report && strcmp(hints[i].report, args->top.report->name) != 0)
		i++;
	code = rep_output_note(out, false, "", err);
	return code ? code : rep_output_note(out, false, hints[i].hint, err);
}

/* Options that only profiles have must not be passed over in silence. */
static int refuse_profile_options(const struct top_args *args)
{
	struct rep_profile_options plain = REP_PROFILE_OPTIONS_INIT;
	const char *given;

	plain.node_fraction = TOP_DEFAULT_FRACTION;
	given = cmd_profile_given(&args->profile, &plain,
				  1ull << REP_OPTION_FOCUS | 1ull << REP_OPTION_IGNORE);
	if (given)
		return cmd_reject(&args->cmd, CMD_USAGE,
				  "--%s is for profiles, and %s is a trace; --view=cpu, offcpu, … "
				  "shows it as a profile",
				  given, cmd_path(&args->cmd));
	if (args->cmd.files[CMD_OLD].n)
		return cmd_reject(&args->cmd, CMD_USAGE,
				  "--%s is for profiles, and %s is a trace; --view=cpu, offcpu, … "
				  "shows both as profiles, and tprof-diff compares traces",
				  args->base.plain ? "base" : "diff-base", cmd_path(&args->cmd));
	if (args->text && args->text != rep_profile_report_find("svg"))
		return cmd_reject(&args->cmd, CMD_USAGE,
				  "%s%s is for profiles, and %s is a trace; --view=cpu, offcpu, … "
				  "shows it as a profile",
				  args->text->format ? "--format=" : "--", args->text->name,
				  cmd_path(&args->cmd));
	return CMD_OK;
}

/* Charts and pictures are of some reports. */
static int check_chart(struct top_args *args)
{
	if (!args->cmd.more_format || args->pprof)
		return CMD_OK;
	args->top.chart = args->text ? REP_CHART_SVG : REP_CHART_ONLY;
	args->top.svg = rep_sink_file(stdout);
	if (rep_top_has_chart(args->top.report))
		return CMD_OK;
	return cmd_reject(&args->cmd, CMD_USAGE,
			  "the report '%s' has no chart; mmu and heap have one, and --view=cpu, "
			  "offcpu, … shows a trace as a profile",
			  args->top.report->name);
}

static int check(struct top_args *args)
{
	struct tp_err err;
	int status = refuse_profile_options(args);

	if (status)
		return status;
	args->top.sort = args->sort;
	args->top.filter = args->view.trace.filter;
	args->top.filter.task = args->view.trace.task;
	args->top.filter.region = args->view.trace.region;
	args->top.report =
	    rep_report_meant(args->report ? args->report : rep_reports[0]->name, &args->top);
	args->top.filter.focus = args->profile.focus;
	args->top.filter.ignore = args->profile.ignore;
	args->top.filter.own = args->own;
	if (!rep_top_check(&args->top, &err))
		return check_chart(args);
	return cmd_refuse(&args->cmd, NULL, &err, CMD_USAGE);
}

/* --format=pprof: a sample for each row. */
static int write_profile(struct top_args *args)
{
	const struct rep_profile_options plain = REP_PROFILE_OPTIONS_INIT;
	const struct rep_runs *runs = &args->cmd.runs;
	struct cmd_profile item = {.name = (char *)(uintptr_t)runs->run[0].row.name};
	struct tp_err err;
	int status;

	args->top.rows = args->cmd.rows > 0 ? args->cmd.rows : 0;
	if (rep_top_profile(&item.profile, args->cmd.store, runs->run, runs->n, &args->top, &err))
		return cmd_fail(&args->cmd, cmd_path(&args->cmd), &err);
	status = cmd_write_proto(&args->cmd, &item, &plain, NULL);
	tp_profile_free(item.profile);
	return status;
}

/* Of a trace without a clock, times that were typed are of no unit that it has. */
static int check_units(const struct top_args *args, const struct rep_run *run, struct tp_err *err)
{
	const struct {
		const char *option, *text;
	} times[] = {{"--min", args->top.min},
		     {"--max", args->top.max},
		     {"--window", args->top.mmu.windows}};
	int code = 0;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]) && !code; i++)
		if (times[i].text)
			code = rep_run_check_time(run, times[i].option, times[i].text, "", err);
	return code;
}

static int check_runs(const struct top_args *args)
{
	const struct rep_runs *runs = &args->cmd.runs;
	struct cmd_range range = {.text = &args->top.filter};
	struct tp_err err;
	int status = CMD_OK;

	for (size_t i = 0; i < runs->n && !status; i++) {
		status = cmd_range_add(&args->cmd, &range, args->cmd.store, &runs->run[i]);
		if (!status && check_units(args, &runs->run[i], &err))
			status = cmd_reject(&args->cmd, CMD_USAGE, "%s: %s", runs->run[i].row.name,
					    err.msg);
	}
	if (!status)
		status = cmd_range_end(&args->cmd, &range);
	if (!status && rep_runs_check_clocks(runs->run, runs->n, "added to", &err))
		status = cmd_reject(&args->cmd, CMD_USAGE, "%s; --run picks runs that go together",
				    err.msg);
	return status;
}

int top_trace(struct top_args *args)
{
	struct rep_output *out = NULL;
	struct tp_err err;
	int code, status;

	/* Its rows are functions, of which the view has the stacks. */
	if (args->pprof && args->report && !strcmp(args->report, "cpu")) {
		args->view.given = true;
		args->view.trace.view = REP_TRACE_CPU;
		args->report = NULL;
		return top_profile(args);
	}
	status = check(args);
	if (!status && args->pprof && rep_top_profile_check(args->top.report, &err))
		status = cmd_reject(&args->cmd, CMD_USAGE, "%s", err.msg);
	if (!status)
		status = cmd_open(&args->cmd, cmd_path(&args->cmd));
	if (status)
		return status;
	status = check_runs(args);
	if (status)
		return status;
	if (args->pprof)
		return write_profile(args);
	args->top.tables =
	    args->cmd.format == REP_FORMAT_TABLE || args->cmd.format == REP_FORMAT_MARKDOWN;
	args->top.rows_given = args->cmd.rows >= 0;
	args->top.table_texts = args->cmd.json_head;
	args->top.rows = cmd_rows(&args->cmd, args->cmd.rows);
	if (args->top.chart == REP_CHART_SVG)
		return rep_top(NULL, args->cmd.store, args->cmd.runs.run, args->cmd.runs.n,
			       &args->top, &err)
			   ? cmd_fail(&args->cmd, cmd_path(&args->cmd), &err)
			   : CMD_OK;
	cmd_pager(&args->cmd);
	status = cmd_output(&args->cmd, rep_top_several(args->top.report), &out);
	if (status)
		return status;
	code = put_head(args, out, &err);
	if (!code)
		code = rep_top(out, args->cmd.store, args->cmd.runs.run, args->cmd.runs.n,
			       &args->top, &err);
	if (!code)
		code = put_hint(args, out, &err);
	return cmd_output_end(&args->cmd, out, cmd_path(&args->cmd), code, &err);
}
