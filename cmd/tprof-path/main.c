/* tprof-path: what a request waited for, and who kept it waiting: critical paths and wake-ups. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/common.h"
#include "common/file.h"
#include "common/files.h"
#include "common/near.h"
#include "common/number.h"
#include "common/option.h"
#include "common/proto.h"
#include "common/range.h"
#include "common/request.h"
#include "common/view_options.h"
#include "base/units.h"
#include "flame/flame.h"
#include "flame/part.h"
#include "path/show.h"
#include "task/choose.h"

#define MOST_WHAT_IF 16

struct args {
	struct cmd cmd;
	const char *title;
	enum rep_path_report report;
	bool report_given, stacks, drawn;
	enum rep_flame_format drawing;
	bool pprof; /* in place of a drawing */
	struct rep_filter_text filter;
	struct rep_path_options pick;
	struct cmd_request request; /* in pick.task, too */
	const char *min, *max;	    /* of it, as typed */
	int64_t hops;
	const char *what_if[MOST_WHAT_IF];
	size_t nwhat_if;
	const char *sort; /* of wakers */
	size_t wake_key;  /* the same */
};

enum {
	KEY_SLOWEST = 0x2000,
	KEY_AT_LEAST,
	KEY_AT_MOST,
	KEY_HOPS,
	KEY_REQUEST,
	KEY_REQUEST_KEY,
	KEY_WHAT_IF,
};

#define SETS(member) CMD_SETS(struct args, member)

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Which requests:", 1},
    {"task", SETS(pick.task), "REGEX|ID", 0,
     "Requests are user tasks of a type matching REGEX, or the task with this id", 1},
    {"region", SETS(pick.region), "REGEX", 0,
     "Requests are user regions of a type matching REGEX; with --task, those of such tasks", 1},
    CMD_REQUEST_OPTIONS(KEY_REQUEST, KEY_REQUEST_KEY, 1),
    {"goroutine", SETS(filter.goroutine), "ID|REGEX", 0,
     "Requests are goroutines: the one with this id, or those whose entry function matches REGEX; "
     "with --task or --region, only their goroutines",
     1},
    {"from", SETS(filter.from), "TIME", 0,
     "Count only from TIME on: 1.5s or 250ms since the run began, or 25% of the run", 1},
    {"to", SETS(filter.to), "TIME", 0, "Count only before TIME", 1},
    {"slowest", KEY_SLOWEST, "N|N%", OPTION_ARG_OPTIONAL,
     "Keep only the slowest request, the slowest N, or the slowest N percent", 1},
    {"min", KEY_AT_LEAST, "TIME", 0, "Keep only requests that took at least TIME", 1},
    {"max", KEY_AT_MOST, "TIME", 0, "Keep only requests that took at most TIME", 1},
    {"reason", SETS(filter.reason), "REGEX", 0,
     "Count only waits whose reason matches REGEX (report wakers)", 1},
    {NULL, 0, NULL, 0, "What is shown:", 2},
    {"rows", 'n', "N", CMD_OPTION_LAST, "Show at most N rows of a table, 0 for all", 2},
    {"sort", SETS(sort), "KEY", 0,
     "Sort by count (the default), waited, p50, p99 or max (report wakers)", 2},
    {"what-if", KEY_WHAT_IF, "REGEX -N%", CMD_OPTION_MANY,
     "Replay the request with what matches (function, reason or kind) N percent shorter; may be "
     "given several times (report what-if)",
     2},
    {"stacks", SETS(stacks), NULL, 0,
     "Show the stacks of both sides (report hops), or group by whole stacks (report wakers)", 2},
    {"own", SETS(filter.own), "REGEX", 0, CMD_OWN_DOC, 2},
    {"hops", KEY_HOPS, "N", 0, "Follow at most N hops in all (default: 10,000,000)", 2},
    {"output", 'o', "FILE", 0,
     "Write FILE; an ending .svg, .html, .folded or .json makes it a flame graph of the path", 2},
    {"title", SETS(title), "TEXT", 0, "Use TEXT as the heading of the flame graph", 2},
    {0},
};

/* ---- arguments ---- */

/* Flame graphs as formats; their text is no table. */
static bool is_drawing(const char *name)
{
	enum rep_flame_format format;

	return !strcmp(name, "pprof") || !rep_flame_format_find(name, &format, NULL);
}

static void slowest(struct args *args, struct argp_state *state, const char *arg)
{
	size_t n = arg ? strlen(arg) : 0;

	if (!arg)
		args->pick.slowest = 1;
	else if (n && arg[n - 1] == '%')
		args->pick.slowest_share = cmd_arg_percent(state, "--slowest", arg) / 100;
	else
		args->pick.slowest = cmd_arg_count(state, "--slowest", arg, UINT32_MAX);
	if (arg && args->pick.slowest <= 0 && args->pick.slowest_share <= 0)
		argp_error(state, "--slowest: '%s' is not a positive number or percentage", arg);
}

static void what_if(struct args *args, struct argp_state *state, const char *arg)
{
	struct tp_err err;

	if (args->nwhat_if == MOST_WHAT_IF)
		argp_error(state, "--what-if may be given %d times at most", MOST_WHAT_IF);
	if (rep_what_if_check(arg, &err)) {
		tp_err_printable(&err);
		argp_error(state, "%s", err.msg);
	}
	args->what_if[args->nwhat_if++] = arg;
}

static int find_report(const char *name)
{
	for (int i = 0; rep_path_reports[i].name; i++)
		if (!strcmp(rep_path_reports[i].name, name))
			return i;
	return -1;
}

static void report(struct args *args, struct argp_state *state, const char *name)
{
	struct cmd_near near = {0};
	int which = find_report(name);

	if (which >= 0) {
		args->report = (enum rep_path_report)which;
		args->report_given = true;
		return;
	}
	if (find_report(cmd_path(&args->cmd)) >= 0 && access(cmd_path(&args->cmd), F_OK))
		argp_error(state, "the trace comes before the report: tprof-path %s %s", name,
			   cmd_path(&args->cmd));
	if (!access(name, F_OK))
		argp_error(state,
			   "'%s' is one file too many: a path is that of one trace; tprof-diff "
			   "compares two",
			   name);
	for (int i = 0; rep_path_reports[i].name; i++)
		cmd_near_try(&near, name, rep_path_reports[i].name);
	if (near.word)
		argp_error(state, "there is no report '%s'; did you mean %s?", name, near.word);
	argp_error(state,
		   "there is no report '%s'; reports are summary, hops, tree, totals, requests, "
		   "wakers, blame and what-if",
		   name);
}

static void check(struct args *args, struct argp_state *state)
{
	struct tp_err err;
	bool named = args->cmd.more_format != NULL, known;
	enum rep_flame_format drawing = REP_FLAME_SVG;

	if (args->nwhat_if && args->report_given && args->report != REP_PATH_WHAT_IF)
		argp_error(state, "--what-if is an option of the report what-if; leave out '%s'",
			   rep_path_reports[args->report].name);
	if (args->nwhat_if) {
		args->report = REP_PATH_WHAT_IF;
		args->report_given = true;
	}

	args->pprof = named && !strcmp(args->cmd.more_format, "pprof");
	if (named && !args->pprof)
		rep_flame_format_find(args->cmd.more_format, &args->drawing, NULL);
	known = args->cmd.output && rep_flame_format_of(args->cmd.output, &drawing);
	if (args->cmd.output && !known && !args->cmd.format_given &&
	    *cmd_file_ending(args->cmd.output))
		argp_error(state,
			   "-o: '%s' does not end in .svg, .html, .folded, .json or .txt; rename "
			   "it or give --format",
			   args->cmd.output);
	args->drawn =
	    named || (known && args->cmd.format == REP_FORMAT_TABLE && drawing != REP_FLAME_TEXT);
	if (args->drawn && !named)
		args->drawing = drawing;
	if (args->drawn && args->report_given)
		argp_error(state, "%s of the whole path; leave out '%s'",
			   args->pprof ? "a profile is made" : "a flame graph is drawn",
			   rep_path_reports[args->report].name);
	if (args->title && !args->drawn)
		argp_error(state,
			   "--title is the heading of a flame graph; give -o FILE.svg as well");
	if (args->report == REP_PATH_WAKERS &&
	    (args->pick.slowest || args->pick.slowest_share > 0 || args->pick.at_least ||
	     args->pick.at_most != INT64_MAX))
		argp_error(state, "--slowest, --min and --max choose requests, and wakers "
				  "is about all goroutines; --task, --region, --goroutine, --from "
				  "and --to narrow it");
	if ((args->sort || args->filter.reason) && args->report != REP_PATH_WAKERS)
		argp_error(state, "--%s is an option of the report wakers",
			   args->sort ? "sort" : "reason");
	if (args->sort && !rep_wake_key_find(args->sort, &args->wake_key))
		argp_error(state,
			   "the report wakers cannot be sorted by '%s'; its keys are: count, "
			   "waited, p50, p99, max",
			   args->sort);
	if (args->pick.at_least > args->pick.at_most)
		argp_error(state, "--min is longer than --max, so nothing matches");
	if (args->stacks && args->report != REP_PATH_WAKERS && args->report != REP_PATH_HOP_LIST)
		argp_error(state, "--stacks is an option of the reports hops and wakers");
	cmd_request_check(&args->request, state, args->pick.task);
	cmd_check_filter(state, &args->filter);
	if (rep_path_check(&args->pick, &err)) {
		tp_err_printable(&err);
		argp_error(state, "%s", err.msg);
	}
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case KEY_SLOWEST:
		slowest(args, state, arg);
		return 0;
	case KEY_AT_LEAST:
		args->min = arg;
		args->pick.at_least = cmd_arg_duration(state, "--min", arg);
		return 0;
	case KEY_AT_MOST:
		args->max = arg;
		args->pick.at_most = cmd_arg_duration(state, "--max", arg);
		return 0;
	case KEY_HOPS:
		args->hops = cmd_arg_count(state, "--hops", arg, INT64_MAX);
		return 0;
	case KEY_WHAT_IF:
		what_if(args, state, arg);
		return 0;
	case KEY_REQUEST:
	case KEY_REQUEST_KEY:
		cmd_request_set(&args->request, state, key == KEY_REQUEST_KEY, arg,
				&args->pick.task);
		return 0;
	case ARGP_KEY_ARG:
		if (!cmd_path(&args->cmd))
			return ARGP_ERR_UNKNOWN; /* it is the file */
		if (!args->report_given)
			report(args, state, arg);
		else
			argp_error(state, "'%s' is one argument too many: give one report", arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		check(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void list_reports(void)
{
	puts("\nReports (the first is the default):");
	for (int i = 0; rep_path_reports[i].name; i++)
		printf("  %-9s %s\n", rep_path_reports[i].name, rep_path_reports[i].doc);
}

static const struct argp_child children[] = {{&cmd_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .options = options,
    .parser = on_option,
    .args_doc = "TRACE [REPORT]",
    .doc = "Say why a request took so long: its critical path through an execution trace, from its "
	   "end back to its beginning, across all goroutines it waited for. TRACE is a trace or a "
	   "store made by tprof-import.",
    .children = children,
};

/* ---- running ---- */

static int write_pprof(struct rep_view *v, const struct rep_path_page *page, struct tp_err *err)
{
	struct tp_profile *profile = NULL;
	int code = rep_path_profile(v, page->path, &profile, err);

	if (!code)
		code = cmd_write_profile(profile, err);
	tp_profile_free(profile);
	return code;
}

static int draw(struct args *args, struct rep_view *v, const struct rep_path_page *page,
		struct tp_err *err)
{
	struct rep_flame_tree_options tree_options = {0};
	struct rep_flame_options opt = REP_FLAME_OPTIONS_INIT;
	struct rep_flame_source source = {.type = 1, .ratio = 1};
	struct rep_sink sink = {.write = cmd_write_out};
	struct tp_profile *profile = NULL;
	struct rep_flame_tree tree;
	char title[400], subject[200], total[TP_UNITS_SIZE];
	int code = rep_flame_tree_init(&tree, &tree_options, err);

	if (!code)
		code = rep_path_profile(v, page->path, &profile, err);
	source.profile = profile;
	if (!code)
		code = rep_flame_tree_add(&tree, &source, REP_FLAME_NEW, err);
	if (!code)
		code = rep_flame_tree_sum(&tree, err);
	if (!code) {
		snprintf(title, sizeof(title), "%s: critical path of %s", v->run->row.name,
			 rep_path_subject_text(page, subject, sizeof(subject)));
		opt.title = args->title ? args->title : title;
		opt.subtitle = v->run->row.ticks ? "" : tp_fmt_ns(total, page->path->total_ns);
		opt.type = "path";
		opt.unit = v->run->row.ticks ? "ticks" : "nanoseconds";
		opt.width = (unsigned)args->cmd.width;
		opt.colour = args->cmd.color;
		code = rep_flame_write(&tree, args->drawing, &opt, &sink, err);
	}
	rep_flame_tree_release(&tree);
	tp_profile_free(profile);
	return code;
}

static int show_wakers(struct args *args, struct rep_view *v, struct rep_output *out,
		       struct tp_err *err)
{
	char heading[REP_RUN_HEADING];
	struct rep_wakes wakes;
	int code =
	    rep_wakes_add_up(v, args->pick.task, args->pick.region, args->stacks, &wakes, err);

	if (!code && args->wake_key)
		rep_wakes_sort(&wakes, args->wake_key);
	if (!code)
		code = rep_output_note(out, false, rep_run_heading(v->run, heading), err);
	if (!code)
		code = rep_output_note(out, false, "", err);
	if (!code)
		code = rep_wakes_show(out, v, &wakes, args->cmd.rows, args->stacks, err);
	rep_wakes_release(&wakes);
	return code;
}

static int show(struct args *args, struct rep_view *v, const struct rep_path_page *page,
		struct rep_output *out, struct tp_err *err)
{
	char heading[REP_RUN_HEADING];
	int code;

	if (args->pprof)
		return write_pprof(v, page, err);
	if (args->drawn)
		return draw(args, v, page, err);
	code = rep_output_note(out, false, rep_run_heading(v->run, heading), err);
	if (!code && args->report != REP_PATH_SUMMARY)
		code = rep_output_note(out, false, "", err);
	return code ? code : rep_path_show(out, page, args->report, err);
}

/* One request is meant: its hops are asked for. */
static int check_single(const struct args *args, const struct rep_path_requests *list,
			struct tp_err *err)
{
	if ((args->report != REP_PATH_HOP_LIST && args->report != REP_PATH_WHAT_IF) || list->n == 1)
		return 0;
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "%s shows one request, and %zu match; --slowest picks one of them, "
			  "'requests' lists them",
			  rep_path_reports[args->report].name, list->n);
}

static int analyse(struct args *args, struct rep_view *v, struct rep_output *out,
		   struct tp_err *err)
{
	struct rep_path_requests list;
	struct rep_path path = {0};
	struct rep_path_page page = {.v = v,
				     .list = &list,
				     .path = &path,
				     .rows = args->cmd.rows,
				     .stacks = args->stacks,
				     .what_if = args->what_if,
				     .nwhat_if = args->nwhat_if,
				     .unwrapped = args->cmd.format == REP_FORMAT_MARKDOWN};
	int code = rep_path_pick(v, &args->pick, &list, err);

	if (!code)
		code = check_single(args, &list, err);
	if (!code && args->report == REP_PATH_BLAME)
		code = rep_path_mark_bands(v, &list, err);
	if (!code)
		code = rep_path_walk(v, list.request, list.n, args->hops, &path, err);
	if (!code)
		code = show(args, v, &page, out, err);
	rep_path_release(&path);
	rep_path_requests_release(&list);
	return code;
}

/* What to type next, on a terminal only; but the path of a whole run is seldom what was meant of a
 * trace with tasks. */
static int put_hint(const struct args *args, struct rep_view *v, struct rep_output *out,
		    struct tp_err *err)
{
	const struct rep_path_options *pick = &args->pick;
	bool picked = pick->task || pick->region || args->filter.goroutine;
	bool people = args->cmd.format == REP_FORMAT_TABLE && !args->cmd.output &&
		      args->report != REP_PATH_WAKERS;
	char text[400] = "next: --goroutine=REGEX follows goroutines", types[240];
	int code = people && !picked ? rep_view_load(v, TP_TABLE_TASK,
						     REP_BIT(TASK, id) | REP_BIT(TASK, name), err)
				     : 0;
	bool tasks = people && !picked && !code && rep_has_tasks(v);

	if (code || !people || (!args->cmd.tty && !tasks))
		return code;
	if (tasks)
		snprintf(text, sizeof(text), "%s; --task=TYPE --slowest follows one of them",
			 rep_pick_hint(v, false, types, sizeof(types)));
	else if (picked)
		snprintf(text, sizeof(text),
			 "next: add tree, hops or requests; --slowest follows the slowest; "
			 "-o path.svg draws it");
	code = rep_output_note(out, false, "", err);
	return code ? code : rep_output_note(out, false, text, err);
}

static int with_view(struct args *args, struct rep_output *out, struct tp_err *err)
{
	const struct rep_run *run = args->cmd.runs.run;
	struct rep_filter filter;
	struct rep_view v = {0};
	int code = rep_filter_init(&filter, &args->filter, err);

	if (!code)
		code = rep_view_init(&v, args->cmd.store, run, &filter, NULL, err);
	if (!code && args->report == REP_PATH_WAKERS)
		code = show_wakers(args, &v, out, err);
	else if (!code)
		code = analyse(args, &v, out, err);
	if (!code && out)
		code = put_hint(args, &v, out, err);
	rep_view_release(&v);
	rep_filter_release(&filter);
	return code;
}

static int check_run(struct args *args)
{
	const struct rep_runs *runs = &args->cmd.runs;
	struct cmd_range range = {.text = &args->filter};
	struct tp_err err;
	int status;

	if ((args->min && rep_run_check_time(runs->run, "--min", args->min, "", &err)) ||
	    (args->max && rep_run_check_time(runs->run, "--max", args->max, "", &err)))
		return cmd_reject(&args->cmd, CMD_USAGE, "%s: %s", runs->run->row.name, err.msg);
	status = cmd_range_add(&args->cmd, &range, args->cmd.store, runs->run);
	return status ? status : cmd_range_end(&args->cmd, &range);
}

static int run(struct args *args)
{
	struct rep_output *out = NULL;
	struct tp_err err;
	int code, status;

	if (args->pprof && args->cmd.tty && !args->cmd.output)
		return cmd_reject(&args->cmd, CMD_USAGE,
				  "--format=pprof cannot be written to a terminal; give -o FILE");
	if (args->pprof || (args->drawn && args->drawing != REP_FLAME_TEXT)) {
		status = cmd_refuse_budget(
		    &args->cmd, args->pprof ? "pprof" : rep_flame_formats[args->drawing].name);
		if (status)
			return status;
	}
	status = cmd_open_trace(&args->cmd, cmd_path(&args->cmd),
				"and only execution traces have critical paths; tprof-top shows "
				"profiles");
	if (!status)
		status = check_run(args);
	if (!status)
		status = cmd_file_begin(&args->cmd, NULL, 0);
	if (status)
		return status;
	if (!args->cmd.output && (!args->drawn || args->drawing == REP_FLAME_TEXT))
		cmd_pager(&args->cmd);
	if (!args->drawn)
		status = cmd_output(&args->cmd, rep_path_reports[args->report].several, &out);
	if (status)
		return status;
	code = with_view(args, out, &err);
	if (!code && out)
		code = rep_output_finish(out, &err);
	rep_output_free(out);
	return code ? cmd_refuse(&args->cmd, cmd_path(&args->cmd), &err,
				 code == TP_ENOENT ? CMD_INPUT : CMD_USAGE)
		    : CMD_OK;
}

/* What --help says; tprof-path(1) has the rest. */
/* clang-format off */
static const char help[] =
    "Usage: tprof-path [OPTION...] TRACE [REPORT]\n"
    "Say why a request took so long: its critical path, from its end back to its\n"
    "beginning, across all goroutines it waited for.\n"
    "  REPORT: summary (the default) hops tree totals requests wakers blame\n           what-if\n"
    "\n"
    "      --task=REGEX|ID     Requests are user tasks of this type, or this one\n"
    "      --request=ID        … or the one that logged this id\n"
    "      --region=REGEX      … or user regions\n"
    "      --goroutine=ID|REGEX   … or goroutines; without any of these, the run\n"
    "      --slowest[=N|N%]    Only the slowest of them\n"
    "      --min=, --max=TIME  Only those that took that long\n"
    "      --from=, --to=TIME  Only this part of the trace\n"
    "  -n, --rows=N            At most N rows of a table, 0 for all\n"
    "  -o, --output=FILE       .svg, .html …: the path as a flame graph\n"
    "\n"
    "Examples:\n"
    "  tprof-path go.trace --task=order --slowest\n"
    "  tprof-path go.trace requests --task=order --min=100ms\n"
    "  tprof-path go.trace wakers\n";
/* clang-format on */

int main(int argc, char **argv)
{
	struct args args = {
	    .cmd = {.name = "tprof-path",
		    .kinds = "a trace or a store",
		    .help = help,
		    .more_help = list_reports,
		    .pages = true,
		    .more_formats = is_drawing,
		    .more_format_names =
			"pprof, and for flame graphs svg, html, text, folded and speedscope"},
	    .pick.at_most = INT64_MAX,
	    .hops = REP_PATH_HOPS,
	};

	cmd_keep_memory();
	cmd_parse(&args.cmd, &argp, argc, argv);
	return cmd_finish(&args.cmd, run(&args));
}
