#include "arguments.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "common/decoder.h"
#include "common/progress.h"
#include "open/input.h"
#include "order/listing.h"
#include "order/read.h"

struct dump {
	struct tp_buf out;
	const struct tp_trace *trace;
};

static int write_events(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct dump *d = ctx;
	const struct tp_trace *t = d->trace;
	/* Tables grow while the trace is read, so they may have moved since the last batch. */
	struct tp_listing listing = {
	    .dict = t->dict,
	    .g_id = t->g_id,
	    .m_id = t->m_id,
	    .p_id = t->p_id,
	    .ng = t->ng,
	    .nm = t->nm,
	    .np = t->np,
	};

	for (size_t i = 0; i < n; i++) {
		int code = tp_listing_line(&listing, &ev[i], &d->out);

		if (code)
			return tp_nomem(err);
	}
	return cmd_write_buf(&d->out, CMD_BLOCK, err);
}

/* Warns about losses with the text of the first; an import would list each in the table `loss`. */
static void warn(const struct cmd *cmd, const char *path, const struct tp_trace *t)
{
	if (t->nlosses)
		cmd_error(cmd, "warning: %s: the trace is damaged: %s; %zu loss%s in all", path,
			  t->losses[0].reason, t->nlosses, t->nlosses == 1 ? "" : "es");
}

struct work {
	struct cmd *cmd;
	const char *path;
	bool strict;
	int tmp_fd;
};

static int stop(void *ctx, uint64_t done, uint64_t total)
{
	(void)ctx, (void)done, (void)total;
	return cmd_stopped();
}

static int decode(void *ctx)
{
	const struct work *w = ctx;
	struct cmd *cmd = w->cmd;
	const char *path = w->path;
	struct tp_input_options how = {.tmp_fd = w->tmp_fd, .progress = stop};
	struct tp_trace_options opt = {.strict = w->strict, .progress = stop};
	struct tp_trace trace;
	struct dump d = {.trace = &trace};
	struct tp_sink sink = {.events = write_events, .ctx = &d};
	struct tp_input *in;
	char damaged[160] = "";
	struct tp_err err = {0};
	int code;

	code = tp_input_open(&in, path, &how, w->strict ? NULL : damaged, &err);
	if (code)
		return cmd_fail(cmd, path, &err);
	code = tp_trace_read(in, &opt, &trace, &sink, &err);
	if (!code)
		warn(cmd, path, &trace);
	if (!code && damaged[0])
		cmd_error(cmd, "warning: %s: %s", path, damaged);
	/* Write the events before a fault too, as Go's reader delivers them. */
	if (cmd_write_buf(&d.out, 0, code ? NULL : &err) && !code)
		code = err.code;
	tp_buf_release(&d.out);
	tp_trace_release(&trace);
	tp_input_close(in);
	return code ? cmd_fail(cmd, path, &err) : CMD_OK;
}

int dump_events(struct args *args, const char *path)
{
	struct work w = {&args->cmd, path, args->import.strict,
			 tp_input_temporary(args->import.tmp_dir, NULL)};
	int status = cmd_decode(&args->cmd, path, NULL, decode, &w);

	if (w.tmp_fd > 0)
		close(w.tmp_fd);
	return status;
}
