/* A part of a trace as a trace of go 1.26. */
#include <inttypes.h>

#include "clock/clock.h"
#include "common/range.h"
#include "export/choice.h"
#include "export/cut/cut.h"
#include "tprof-export/export.h"

struct beginning {
	struct export_args *args;
	int status;
};

static int begin(void *ctx, struct tp_err *err)
{
	struct beginning *b = ctx;

	b->status = export_begin(b->args);
	return b->status ? tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot be written") : 0;
}

static void tell(const struct export_args *args, const struct rep_cut_result *r)
{
	char events[28], n[28];

	if (r->mended)
		cmd_note(&args->cmd, "%s: %s of %s events were added, as Go's reader needs them",
			 cmd_path(&args->cmd), tp_fmt_count(n, (int64_t)r->mended),
			 tp_fmt_count(events, (int64_t)r->events));
	if (r->left_out)
		cmd_note(&args->cmd, "%s: %s events were left out, as Go's reader refuses them",
			 cmd_path(&args->cmd), tp_fmt_count(n, (int64_t)r->left_out));
	if (r->shift_ns)
		cmd_note(&args->cmd,
			 "%s: its clock begins at 0; all times are later by %" PRId64 "ns",
			 cmd_path(&args->cmd), r->shift_ns);
}

int export_cut(struct export_args *args)
{
	int status = export_open_trace(args);
	struct tp_out out = {.write = cmd_write_out};
	struct beginning b = {.args = args};
	struct rep_cut_options opt = {.anonymise = args->anonymise ? &args->made_up : NULL,
				      .wakers = args->wakers,
				      .begin = begin,
				      .begin_ctx = &b};
	const struct rep_run *run;
	struct cmd_range range = {0};
	struct rep_choice choice;
	struct rep_clock clock = {0};
	struct rep_cut_result result;
	struct tp_err err;
	int code;

	if (status)
		return status;
	run = &args->cmd.runs.run[0];
	range.text = &args->view.trace.filter;
	status = cmd_range_add(&args->cmd, &range, args->cmd.store, run);
	if (!status)
		status = cmd_range_end(&args->cmd, &range);
	if (status)
		return status;
	code = rep_choice_init(&choice, args->cmd.store, run, &args->view.trace.filter, &err);
	if (code == TP_EFORMAT)
		status = cmd_reject(&args->cmd, CMD_USAGE, "%s", err.msg);
	if (!code)
		code = rep_clock_load(args->cmd.store, run, &clock, &err);
	if (!code) {
		opt.from_ns = choice.from_ns;
		opt.to_ns = choice.to_ns;
		opt.wanted = choice.wanted;
		opt.ngoroutines = choice.n;
		opt.clock = &clock;
		code = rep_cut(args->cmd.store, run, &opt, &out, &result, &err);
		if (!code) {
			tell(args, &result);
			export_note_ticks(args, run);
		}
	}
	rep_clock_release(&clock);
	rep_choice_release(&choice);
	if (status || b.status)
		return status ? status : b.status;
	return code ? cmd_fail(&args->cmd, cmd_path(&args->cmd), &err) : CMD_OK;
}
