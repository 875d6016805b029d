#include "common/range.h"

#include <stdio.h>
#include <string.h>

int cmd_range_add(const struct cmd *cmd, struct cmd_range *r, const struct rep_run *run)
{
	struct tp_err err;
	int code;

	if (strcmp(run->row.kind, "trace") != 0)
		return CMD_OK;
	r->runs++;
	code = rep_filter_check_run(r->text, run, &err);
	if (code && code != TP_ENOENT) {
		cmd_error(cmd, "%s: %s", run->row.name, err.msg);
		return CMD_USAGE;
	}
	if (code && !r->over++)
		snprintf(r->first, sizeof(r->first), "%.150s: %.240s", run->row.name, err.msg);
	return CMD_OK;
}

int cmd_range_end(const struct cmd *cmd, const struct cmd_range *r)
{
	if (!r->over)
		return CMD_OK;
	if (r->over == r->runs) {
		cmd_error(cmd, "%s", r->first);
		return CMD_USAGE;
	}
	if (r->over == 1)
		cmd_note(cmd, "%s", r->first);
	else
		cmd_note(cmd, "%s; so it is of %zu of %zu runs", r->first, r->over, r->runs);
	return CMD_OK;
}
