#include "generations.h"

#include <stdio.h>
#include <unistd.h>

#include "common/decoder.h"
#include "common/progress.h"
#include "common/stream.h"
#include "open/input.h"
#include "order/generations.h"

struct work {
	struct cmd *cmd;
	const char *path;
	int tmp_fd;
};

static int stop(void *ctx, uint64_t done, uint64_t total)
{
	(void)ctx, (void)done, (void)total;
	return cmd_stopped();
}

static int write_list(const struct tp_generations *list, struct tp_err *err)
{
	struct cmd_stream out = {0};
	int code = 0;

	for (size_t i = 0; i < list->n && !code; i++) {
		uint64_t from = list->from[i], to = i + 1 < list->n ? list->from[i + 1] : list->end;
		char line[80];
		int n = snprintf(line, sizeof(line), "%zu\t%llu\t%llu\n", i + 1,
				 (unsigned long long)from, (unsigned long long)(to - from));

		code = tp_buf_put(&out.buf, line, (size_t)n);
		if (code)
			tp_nomem(err);
		else
			code = cmd_stream_flush(&out, CMD_STREAM_BLOCK, err);
	}
	if (!code)
		code = cmd_stream_flush(&out, 0, err);
	cmd_stream_release(&out);
	return code;
}

static int list(void *ctx)
{
	const struct work *w = ctx;
	/* Only headers are looked at: nothing is hashed. */
	struct tp_input_options how = {.tmp_fd = w->tmp_fd, .progress = stop, .hash_later = true};
	struct tp_generations list = {0};
	struct tp_input *in;
	char damaged[160] = "";
	struct tp_err err = {0};
	int code = tp_input_open(&in, w->path, &how, damaged, &err);

	if (code)
		return cmd_fail(w->cmd, w->path, &err);
	code = tp_generations_find(&list, in, &err);
	if (!code)
		code = write_list(&list, &err);
	if (!code && damaged[0])
		cmd_error(w->cmd, "warning: %s: %s", w->path, damaged);
	tp_generations_release(&list);
	tp_input_close(in);
	return code ? cmd_fail(w->cmd, w->path, &err) : CMD_OK;
}

int list_generations(struct cmd *cmd, const char *path, const char *tmp_dir)
{
	struct work w = {cmd, path, tp_input_temporary(tmp_dir, NULL)};
	int status = cmd_decode(cmd, path, NULL, list, &w);

	if (w.tmp_fd > 0)
		close(w.tmp_fd);
	return status;
}
