/* The options about execution traces that commands share, as an argp child: the view of a trace as a profile
 * (--view, --pprof), and filters. It fills in cmd->view, which is all zero before, except for the default
 * view. */
#ifndef CMD_VIEW_OPTIONS_H
#define CMD_VIEW_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "common/common.h"
#include "common/request.h"
#include "profile/trace.h"

struct cmd_view_options {
	bool given;  /* --view or --pprof was given */
	bool always; /* the command shows a trace as a profile without them, too */
	struct rep_trace_profile_options trace;
	struct cmd_request request; /* in trace.task, too */
};

extern const struct argp cmd_view_argp;

/* Returns the view in which the command shows traces as profiles, or NULL if it does not. */
const struct rep_trace_profile_options *cmd_view(const struct cmd *cmd);

/* Ends the command with a usage error if the text of a filter is not valid. */
void cmd_check_filter(struct argp_state *state, const struct rep_filter_text *text);

/* Returns the first option that leaves something out, without its dashes; NULL if none is given. */
const char *cmd_view_filter(const struct rep_trace_profile_options *opt);

/* Returns the first such option that profiles do not know: any but --from, --to and --request. */
const char *cmd_view_filter_not_time(const struct rep_trace_profile_options *opt);

/* Ends the command with a usage error if an option that applies only to views is given without a view: any
 * filter, or if the command has reports on traces, --task or --region. */
void cmd_view_need(const struct cmd_view_options *opt, struct argp_state *state, bool has_reports);

#endif
