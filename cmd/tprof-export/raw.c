/* What a trace's file is made of, byte for byte: its events as they are encoded, and their number
 * and size by type. Read from the dump itself. */
#include <stdlib.h>
#include <string.h>

#include "common/what.h"
#include "base/buf.h"
#include "export/footprint.h"
#include "open/input.h"
#include "order/raw.h"
#include "tprof-export/export.h"

/* The dump's bytes. */
static int open_dump(struct export_args *args, struct tp_input **in)
{
	struct tp_input_options opt = {.tmp_dir = getenv("TMPDIR")};
	char damaged[160] = "";
	struct tp_err err;

	if (tp_input_open(in, cmd_path(&args->cmd), &opt, damaged, &err))
		return cmd_fail(&args->cmd, cmd_path(&args->cmd), &err);
	if (*damaged)
		cmd_note(&args->cmd, "%s: is damaged: %s", cmd_path(&args->cmd), damaged);
	return CMD_OK;
}

static int look(struct export_args *args, enum cmd_what *what)
{
	struct tp_err err;

	return cmd_look(cmd_path(&args->cmd), what, &err)
		   ? cmd_fail(&args->cmd, cmd_path(&args->cmd), &err)
		   : CMD_OK;
}

static int list_raw(struct tp_raw *r, struct tp_err *err)
{
	struct tp_buf out = {0};
	struct tp_raw_event ev;
	int code = 0, more = 0, end;

	while (!code && (more = tp_raw_next(r, &ev, err)) > 0) {
		code = tp_raw_line(&ev, &out);
		if (code)
			tp_nomem(err);
		else
			code = cmd_write_buf(&out, CMD_BLOCK, err);
	}
	/* What could be read is shown before it is said what could not. */
	end = code ? code : cmd_write_buf(&out, 0, more < 0 ? NULL : err);
	tp_buf_release(&out);
	return end ? end : more;
}

int export_raw(struct export_args *args)
{
	struct tp_input *in = NULL;
	struct tp_raw *r = NULL;
	enum cmd_what what;
	struct tp_err err;
	int status = look(args, &what);

	if (!status && what == CMD_WHAT_STORE)
		return cmd_reject(
		    &args->cmd, CMD_INPUT,
		    "%s: is a store, which does not keep the trace's bytes; give the trace itself",
		    cmd_path(&args->cmd));
	if (!status)
		status = open_dump(args, &in);
	if (!status && tp_raw_open(&r, in->data, in->size, &err))
		status = cmd_fail(&args->cmd, cmd_path(&args->cmd), &err);
	if (!status)
		status = export_begin(args);
	if (!status && list_raw(r, &err))
		status = cmd_fail(&args->cmd, cmd_path(&args->cmd), &err);
	tp_raw_close(r);
	if (in)
		tp_input_close(in);
	return status;
}

static int print_footprint(struct export_args *args, const struct rep_footprint *f)
{
	struct rep_output *out = NULL;
	struct tp_err err;
	int status = export_begin(args);

	if (!status)
		status = cmd_output(&args->cmd, false, &out);
	return status ? status
		      : cmd_output_end(&args->cmd, out, cmd_path(&args->cmd),
				       rep_footprint_print(f, out, &err), &err);
}

static int footprint_of_run(struct export_args *args)
{
	struct rep_footprint f;
	struct tp_err err;
	int status = export_open_trace(args);

	if (status)
		return status;
	if (rep_footprint_of_run(&f, args->cmd.store, &args->cmd.runs.run[0].row, &err)) {
		status = cmd_fail(&args->cmd, cmd_path(&args->cmd), &err);
	} else {
		cmd_note(&args->cmd, "a store has the number of events but not their bytes; the "
				     "trace itself has both");
		status = print_footprint(args, &f);
	}
	rep_footprint_release(&f);
	return status;
}

int export_footprint(struct export_args *args)
{
	struct rep_footprint f = {0};
	struct tp_input *in = NULL;
	enum cmd_what what;
	struct tp_err err;
	int code, status = look(args, &what);

	if (!status && what == CMD_WHAT_STORE)
		return footprint_of_run(args);
	if (!status)
		status = open_dump(args, &in);
	if (status)
		return status;
	/* Of a damaged trace, what there is up to the damage. */
	code = rep_footprint_of_dump(&f, in->data, in->size, &err);
	if (!code || f.n)
		status = print_footprint(args, &f);
	if (!status && code)
		status = cmd_fail(&args->cmd, cmd_path(&args->cmd), &err);
	rep_footprint_release(&f);
	tp_input_close(in);
	return status;
}
