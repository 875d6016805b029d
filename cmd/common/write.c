#include "common/common.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "common/advice.h"

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

static struct rep_sink sink = {.write = write_stdout};

struct rep_sink cmd_sink(void)
{
	return sink;
}

struct rep_sink cmd_sink_is(struct rep_sink now)
{
	struct rep_sink was = sink;

	sink = now;
	return was;
}

int cmd_write(const void *data, size_t size, struct tp_err *err)
{
	return sink.write(sink.ctx, data, size, err);
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
