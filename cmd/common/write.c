#include "common/common.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "common/advice.h"
#include "output/budget.h"

static const char *stdout_name = "standard output";

void cmd_stdout_is(const char *path)
{
	stdout_name = path;
}

static int write_stdout(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)ctx;
	if (fwrite(data, 1, size, stdout) == size)
		return 0;
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot write %s: %s", stdout_name,
			  strerror(cmd_flush()));
}

/* ---- --budget ---- */

static struct rep_budget *budget;

struct rep_sink cmd_sink(void)
{
	return budget ? rep_budget_sink(budget) : (struct rep_sink){.write = write_stdout};
}

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

	return cmd->budget && rep_budget_new(&budget, cmd->budget, &err) ? cmd_fail(cmd, NULL, &err)
									 : CMD_OK;
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
	const struct rep_sink to = {.write = write_stdout};
	enum rep_budget_way way = way_of(cmd);
	char left[REP_BUDGET_LEFT];
	struct tp_err err;

	if (!budget)
		return status;
	if (rep_budget_end(budget, way, &to, left, &err))
		return status == CMD_OK || status == CMD_FOUND
			   ? cmd_refuse(cmd, NULL, &err, CMD_USAGE)
			   : status;
	if (*left && way >= REP_BUDGET_JSON && !cmd->json_head)
		cmd_note(cmd, "%s", left);
	return status;
}

/* ---- writing ---- */

int cmd_write(const void *data, size_t size, struct tp_err *err)
{
	const struct rep_sink to = cmd_sink();

	return to.write(to.ctx, data, size, err);
}

int cmd_write_out(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)ctx;
	return cmd_write(data, size, err);
}

int cmd_write_buf(struct tp_buf *b, size_t least, struct tp_err *err)
{
	size_t size = b->size;

	if (!size || size < least)
		return 0;
	b->size = 0;
	return cmd_write(b->data, size, err);
}

int cmd_written(const struct cmd *cmd, int status)
{
	int failed = cmd_flush();

	/* With any other status, the command has already reported why it stopped. */
	if (!failed || failed == EPIPE || (status != CMD_OK && status != CMD_FOUND))
		return status;
	return cmd_reject(cmd, CMD_SYSTEM, "cannot write %s: %s%s", stdout_name, strerror(failed),
			  cmd_advice(failed));
}
