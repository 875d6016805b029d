#include "common/view_options.h"

#include <stddef.h>
#include <string.h>

#define GROUP 8 /* below the command's own, above those of profiles (common/profile_options.c) */

/* Id, name, argument, member of struct rep_trace_profile_options, whether it is about views only
 * (and not about a report on traces as well), what it does. */
/* clang-format off */
#define FILTERS(X) \
	X(GOROUTINE, "goroutine", "ID|REGEX", filter.goroutine, false, "Only the goroutine with this id, or those whose entry function matches REGEX") \
	X(STATE, "state", "STATE", filter.state, false, "Only time in these states: running, runnable, blocked, syscall, syscall-blocked, lost; several with commas") \
	X(REASON, "reason", "REGEX", filter.reason, false, "Only time blocked (or stopped) for a reason matching REGEX") \
	X(FROM, "from", "TIME", filter.from, false, "Only from TIME on: 1.5s or 250ms since the run began, or 25% of the run") \
	X(TO, "to", "TIME", filter.to, false, "Only before TIME") \
	X(TASK, "task", "ID|REGEX", task, false, "Only inside user tasks of a type matching REGEX, or the one with this id") \
	X(REGION, "region", "REGEX", region, false, "Only inside user regions of a type matching REGEX")
/* clang-format on */

enum {
	KEY_PPROF = 0x37ff,
	KEY_VIEW,
#define X(id, name, arg, member, only_view, doc) KEY_##id,
	FILTERS(X)
#undef X
	    KEY_END
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Traces:", GROUP},
    {"view", KEY_VIEW, "VIEW", 0,
     "Look at a trace as at a profile: cpu, running, offcpu, sched, syscall or wall", GROUP},
    {"pprof", KEY_PPROF, "KIND", 0,
     "The same as 'go tool trace -pprof=KIND' does, with equal values: net, sync, syscall or sched",
     GROUP},
#define X(id, name, arg, member, only_view, doc) {name, KEY_##id, arg, 0, doc, GROUP},
    FILTERS(X)
#undef X
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

static const char **text_of(struct rep_trace_profile_options *trace, const struct filter *f)
{
	return (const char **)(void *)((char *)trace + f->member);
}

static const char one_of_two[] = "--view and --pprof: a trace is looked at one way; give one";

static void set_view(struct cmd_view_options *opt, struct argp_state *state, const char *name)
{
	if (opt->given && opt->trace.go)
		argp_error(state, "%s", one_of_two);
	for (int i = 0; rep_trace_views[i].name; i++) {
		if (!strcmp(rep_trace_views[i].name, name)) {
			opt->trace.view = (enum rep_trace_view)i;
			opt->trace.go = REP_GO_NONE;
			opt->given = true;
			return;
		}
	}
	argp_error(
	    state,
	    "--view: there is no view '%s'; take cpu, running, offcpu, sched, syscall or wall",
	    name);
}

static void set_pprof(struct cmd_view_options *opt, struct argp_state *state, const char *kind)
{
	if (opt->given && !opt->trace.go)
		argp_error(state, "%s", one_of_two);
	for (int i = REP_GO_NONE + 1; rep_trace_go[i].name; i++) {
		if (!strcmp(rep_trace_go[i].name, kind)) {
			opt->trace.go = (enum rep_trace_go)i;
			opt->given = true;
			return;
		}
	}
	argp_error(state, "--pprof: there is no kind '%s'; take net, sync, syscall or sched", kind);
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct cmd_view_options *opt = state->input;
	const struct filter *f;

	if (key == KEY_VIEW) {
		set_view(opt, state, arg);
		return 0;
	}
	if (key == KEY_PPROF) {
		set_pprof(opt, state, arg);
		return 0;
	}
	if (key <= KEY_VIEW || key >= KEY_END)
		return ARGP_ERR_UNKNOWN;
	f = &filters[key - KEY_VIEW - 1];
	*text_of(&opt->trace, f) = arg;
	if (opt->note)
		opt->note(opt->ctx, state, f->name, arg);
	return 0;
}

const struct argp cmd_view_argp = {.options = options, .parser = on_option};

const char *cmd_view_filter(const struct cmd_view_options *opt)
{
	struct rep_trace_profile_options trace = opt->trace;

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		if (*text_of(&trace, &filters[i]))
			return filters[i].name;
	return NULL;
}

void cmd_view_need(const struct cmd_view_options *opt, struct argp_state *state, bool has_reports)
{
	struct rep_trace_profile_options trace = opt->trace;

	if (opt->given)
		return;
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		if (*text_of(&trace, &filters[i]) && (filters[i].only_view || !has_reports))
			argp_error(state, "--%s is about a view of a trace; give --view, too",
				   filters[i].name);
}
