/* --budget: what a command writes is kept until its end, and then cut to fit (output/budget.h). */
#include "common/common.h"

#include "output/budget.h"

static struct rep_budget *budget;
static struct rep_sink direct; /* where cmd_write wrote before */

int cmd_refuse_budget(const struct cmd *cmd, const char *format)
{
	if (!cmd->budget)
		return CMD_OK;
	return cmd_reject(cmd, CMD_USAGE,
			  "--budget: %s is of use only as a whole; leave --budget out, or give "
			  "another format",
			  format);
}

int cmd_budget_begin(const struct cmd *cmd)
{
	struct tp_err err;

	if (!cmd->budget)
		return CMD_OK;
	if (rep_budget_new(&budget, cmd->budget, &err))
		return cmd_fail(cmd, NULL, &err);
	direct = cmd_sink_is(rep_budget_sink(budget));
	return CMD_OK;
}

static enum rep_budget_way way_of(const struct cmd *cmd)
{
	switch (cmd->more_format ? REP_FORMAT_TABLE : cmd->format) {
	case REP_FORMAT_JSON:
		return REP_BUDGET_JSON;
	case REP_FORMAT_MARKDOWN:
		return REP_BUDGET_MARKDOWN;
	case REP_FORMAT_CSV:
	case REP_FORMAT_TSV:
		return REP_BUDGET_SILENT;
	default:
		return REP_BUDGET_TEXT;
	}
}

int cmd_budget_end(const struct cmd *cmd, int status)
{
	enum rep_budget_way way = way_of(cmd);
	char left[REP_BUDGET_LEFT];
	struct tp_err err;

	if (!budget)
		return status;
	if (rep_budget_end(budget, way, &direct, left, &err))
		return status == CMD_OK || status == CMD_FOUND
			   ? cmd_refuse(cmd, NULL, &err, CMD_USAGE)
			   : status;
	if (*left && way >= REP_BUDGET_JSON && !cmd->json_head)
		cmd_note(cmd, "%s", left);
	return status;
}
