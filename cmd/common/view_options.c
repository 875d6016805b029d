#include "common/view_options.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/number.h"
#include "task/request.h"

#define GROUP 8 /* below the command's own, above those of profiles (common/profile_options.c) */

/* Id, name, argument, member of struct rep_trace_profile_options, whether it applies only to views (and not
 * to reports on traces), description. */
/* clang-format off */
#define FILTERS(X) \
	X(GOROUTINE, "goroutine", "ID|REGEX", filter.goroutine, false, "Count only the goroutine with this id, or those whose entry function matches REGEX") \
	X(STATE, "state", "STATE", filter.state, false, "Count only time in these states: running, runnable, blocked, syscall, syscall-blocked, lost; several with commas") \
	X(REASON, "reason", "REGEX", filter.reason, false, "Count only time blocked (or stopped) for a reason matching REGEX") \
	X(FROM, "from", "TIME", filter.from, false, "Count only from TIME on: 1.5s or 250ms since the run began, or 25% of the run") \
	X(TO, "to", "TIME", filter.to, false, "Count only before TIME") \
	X(TASK, "task", "ID|REGEX", task, false, "Count only inside user tasks of a type matching REGEX, or the task with this id") \
	X(REGION, "region", "REGEX", region, false, "Count only inside user regions of a type matching REGEX")
/* clang-format on */

enum {
	KEY_REQUEST = 0x37fd,
	KEY_REQUEST_KEY,
	KEY_PPROF,
	KEY_VIEW,
#define X(id, name, arg, member, only_view, doc) KEY_##id,
	FILTERS(X)
#undef X
	    KEY_END
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Traces:", GROUP},
    {"view", KEY_VIEW, "VIEW", 0,
     "Show a trace as a profile: cpu, running, offcpu, sched, syscall or wall", GROUP},
    {"pprof", KEY_PPROF, "KIND", 0,
     "Show a trace as 'go tool trace -pprof=KIND' does, with equal values: net, sync, syscall or "
     "sched",
     GROUP},
#define X(id, name, arg, member, only_view, doc) {name, KEY_##id, arg, 0, doc, GROUP},
    FILTERS(X)
#undef X
	CMD_REQUEST_OPTIONS(KEY_REQUEST, KEY_REQUEST_KEY, GROUP),
    {0},
};

static const struct filter {
	const char *name;
	size_t member;
	bool only_view;
} filters[] = {
#define X(id, name, arg, member, only_view, doc)                                                   \
	{name, offsetof(struct rep_trace_profile_options, member), only_view},
    FILTERS(X)
#undef X
};

static const char *text_of(const struct rep_trace_profile_options *trace, const struct filter *f)
{
	const char *text;

	memcpy(&text, (const char *)trace + f->member, sizeof(text));
	return text;
}

/* Sets the view whose name is `word`, the argument of an option, by its index in `table`. */
static int take_view(struct cmd_view_options *opt, struct argp_state *state, const char *option,
		     const char *word, const void *table, size_t size)
{
	bool go = table != rep_trace_views;

	if (opt->given && (opt->trace.go != REP_GO_NONE) != go)
		argp_error(state, "--view and --pprof cannot be given together: both make a "
				  "profile of a trace");
	opt->given = true;
	return cmd_arg_word(state, option, word, table, SIZE_MAX, size);
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct cmd *cmd = state->input;
	struct cmd_view_options *opt = cmd->view;
	const struct filter *f;

	if (key == KEY_VIEW) {
		opt->trace.view = (enum rep_trace_view)take_view(
		    opt, state, "--view", arg, rep_trace_views, sizeof(*rep_trace_views));
		opt->trace.go = REP_GO_NONE;
		return 0;
	}
	if (key == KEY_PPROF) {
		opt->trace.go = (enum rep_trace_go)(REP_GO_NONE + 1 +
						    take_view(opt, state, "--pprof", arg,
							      rep_trace_go + REP_GO_NONE + 1,
							      sizeof(*rep_trace_go)));
		return 0;
	}
	if (key == KEY_REQUEST || key == KEY_REQUEST_KEY) {
		cmd_request_set(&opt->request, state, key == KEY_REQUEST_KEY, arg,
				&opt->trace.task);
		if (cmd->narrows)
			cmd->narrows(cmd, state, key == KEY_REQUEST ? "request" : "request-key",
				     arg);
		return 0;
	}
	if (key == ARGP_KEY_END)
		cmd_request_check(&opt->request, state, opt->trace.task);
	if (key <= KEY_VIEW || key >= KEY_END)
		return ARGP_ERR_UNKNOWN;
	f = &filters[key - KEY_VIEW - 1];
	memcpy((char *)&opt->trace + f->member, &arg, sizeof(arg));
	if (cmd->narrows)
		cmd->narrows(cmd, state, f->name, arg);
	return 0;
}

const struct argp cmd_view_argp = {.options = options, .parser = on_option};

const struct rep_trace_profile_options *cmd_view(const struct cmd *cmd)
{
	const struct cmd_view_options *opt = cmd->view;

	return opt && (opt->given || opt->always) ? &opt->trace : NULL;
}

void cmd_check_filter(struct argp_state *state, const struct rep_filter_text *text)
{
	struct rep_filter filter;
	struct tp_err err;
	int64_t ns;

	if (rep_filter_init(&filter, text, &err) ||
	    (text->from && rep_filter_time(text->from, "--from", 1000, &ns, &err)) ||
	    (text->to && rep_filter_time(text->to, "--to", 1000, &ns, &err))) {
		tp_err_printable(&err);
		argp_error(state, "%s", err.msg);
	}
	rep_filter_release(&filter);
}

const char *cmd_view_filter(const struct rep_trace_profile_options *opt)
{
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		if (text_of(opt, &filters[i]))
			return rep_is_request(text_of(opt, &filters[i])) ? "request"
									 : filters[i].name;
	return NULL;
}

const char *cmd_view_filter_not_time(const struct rep_trace_profile_options *opt)
{
	struct rep_trace_profile_options others = *opt;

	others.filter.from = others.filter.to = NULL;
	if (rep_is_request(others.task))
		others.task = NULL;
	return cmd_view_filter(&others);
}

void cmd_view_need(const struct cmd_view_options *opt, struct argp_state *state, bool has_reports)
{
	if (opt->given)
		return;
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		if (text_of(&opt->trace, &filters[i]) &&
		    !rep_is_request(text_of(&opt->trace, &filters[i])) &&
		    (filters[i].only_view || !has_reports))
			argp_error(state, "--%s narrows a view of a trace; give --view as well",
				   filters[i].name);
}
