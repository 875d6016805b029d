#include "common/range.h"

#include <stdio.h>
#include <string.h>

#include "top/outside.h"

int cmd_range_add(const struct cmd *cmd, struct cmd_range *r, struct tp_store *store,
		  const struct rep_run *run)
{
	struct tp_err err;
	int code;

	if (strcmp(run->row.kind, "trace") != 0)
		return CMD_OK;
	r->runs++;
	code = rep_outside_range(store, run, r->text, &err);
	if (code && code != TP_ENOENT)
		return cmd_refuse(cmd, run->row.name, &err, CMD_USAGE);
	if (code && !r->over++)
		snprintf(r->first, sizeof(r->first), "%.150s: %.240s", run->row.name, err.msg);
	code = rep_outside_goroutines(store, run, r->text, &err);
	if (code && code != TP_ENOENT)
		return cmd_refuse(cmd, run->row.name, &err, CMD_USAGE);
	if (code && !r->without++)
		snprintf(r->names, sizeof(r->names), "%.78s: %.319s", run->row.name, err.msg);
	code = rep_outside_types(store, run, r->text, &err);
	if (code && code != TP_ENOENT)
		return cmd_refuse(cmd, run->row.name, &err, CMD_USAGE);
	if (code)
		cmd_range_outside(r, run, &err);
	return CMD_OK;
}

void cmd_range_outside(struct cmd_range *r, const struct rep_run *run, const struct tp_err *err)
{
	if (!r->outside++)
		snprintf(r->types, sizeof(r->types), "%.78s: %.319s", run->row.name, err->msg);
}

int cmd_range_end(const struct cmd *cmd, const struct cmd_range *r)
{
	if (!r->runs)
		return CMD_OK;
	if (r->over == r->runs || (r->without == r->runs && !r->elsewhere))
		return cmd_reject(cmd, CMD_INPUT, "%s", r->over == r->runs ? r->first : r->names);
	if (r->outside == r->runs && !r->elsewhere_inside)
		return cmd_reject(cmd, CMD_INPUT, "%s", r->types);
	if (r->over == 1)
		cmd_note(cmd, "%s", r->first);
	else if (r->over)
		cmd_note(cmd, "%s; %zu of %zu runs are shown", r->first, r->runs - r->over,
			 r->runs);
	return CMD_OK;
}
