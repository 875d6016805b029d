/* Tables of a run as CSV: one to standard output or a file, several or all into a folder. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/advice.h"
#include "common/draft.h"
#include "export/tables.h"
#include "tprof-export/export.h"

static int write_table(struct export_args *args, const char *table, struct rep_sink sink,
		       uint64_t *rows, struct tp_err *err)
{
	const struct rep_output_options opt = {.format = REP_FORMAT_CSV, .sink = sink};
	struct rep_output *out = NULL;
	int code = rep_output_new(&out, &opt, err);

	if (!code)
		code = rep_export_table(args->cmd.store, args->cmd.runs.run[0].row.id, table, out,
					rows, err);
	if (!code)
		code = rep_output_finish(out, err);
	rep_output_free(out);
	return code;
}

/* ---- one ---- */

static int export_one(struct export_args *args, const char *table)
{
	struct rep_sink sink = {.write = cmd_write_out};
	struct tp_err err;
	uint64_t rows;
	/* The file is begun when there is something to put into it. */
	int more = rep_export_table_any(args->cmd.store, args->cmd.runs.run[0].row.id, table, &err);
	int status;

	if (more == TP_ENOENT)
		return cmd_reject(&args->cmd, CMD_USAGE, "--table: %s", err.msg);
	if (more < 0)
		return cmd_fail(&args->cmd, cmd_path(&args->cmd), &err);
	status = export_begin(args);
	if (!status && write_table(args, table, sink, &rows, &err))
		status = cmd_fail(&args->cmd, cmd_path(&args->cmd), &err);
	return status;
}

/* ---- several ---- */

static int system_error(const struct export_args *args, const char *path)
{
	int why = errno;

	return cmd_reject(&args->cmd, CMD_SYSTEM, "%s: cannot be written: %s%s", path,
			  strerror(why), cmd_advice(why));
}

/* A file of its own. */
static int export_file(struct export_args *args, const char *table)
{
	char text[CMD_PLURAL_SIZE];
	struct cmd_draft draft;
	size_t n = strlen(args->cmd.output);
	char *path = NULL;
	struct tp_err err;
	uint64_t rows = 0;
	int status = CMD_SYSTEM;
	FILE *f;

	while (n && args->cmd.output[n - 1] == '/')
		n--;
	if (asprintf(&path, "%.*s/%s.csv", (int)n, args->cmd.output, table) < 0)
		return cmd_nomem(&args->cmd);
	f = cmd_draft_open(&draft, path, 0);
	if (!f) {
		status = system_error(args, path);
	} else if (write_table(args, table, rep_sink_file(f), &rows, &err)) {
		cmd_draft_close(&draft, f, false);
		status = cmd_fail(&args->cmd, cmd_path(&args->cmd), &err);
	} else if (cmd_draft_close(&draft, f, true)) {
		status = system_error(args, path);
	} else {
		status = CMD_OK;
		cmd_print(&args->cmd, "%s: %s\n", path, cmd_plural(text, (int64_t)rows, "row"));
	}
	free(path);
	return status;
}

/* Of the tables that were not named, those that are not empty. */
static int export_all(struct export_args *args)
{
	int64_t run = args->cmd.runs.run[0].row.id;
	const char *table;
	struct tp_err err;
	int status = CMD_OK, any;

	for (unsigned i = 0; !status && (table = rep_export_table_name(i)); i++) {
		any = rep_export_table_any(args->cmd.store, run, table, &err);
		if (any < 0)
			status = cmd_fail(&args->cmd, cmd_path(&args->cmd), &err);
		else if (any)
			status = export_file(args, table);
	}
	return status;
}

static int export_some(struct export_args *args)
{
	int64_t run = args->cmd.runs.run[0].row.id;
	struct tp_err err;
	int status = CMD_OK;

	for (size_t i = 0; i < args->ntables; i++) {
		int any = rep_export_table_any(args->cmd.store, run, args->tables[i], &err);

		if (any == TP_ENOENT)
			return cmd_reject(&args->cmd, CMD_USAGE, "--table: %s", err.msg);
	}
	for (size_t i = 0; !status && i < args->ntables; i++)
		status = export_file(args, args->tables[i]);
	return status;
}

int export_csv(struct export_args *args)
{
	struct tp_err err;
	int status;

	if (args->ntables != 1 && !args->cmd.output)
		return cmd_reject(
		    &args->cmd, CMD_USAGE,
		    args->ntables ? "several tables are written to a folder; give -o FOLDER"
				  : "no table is given; --table=NAME writes one, -o FOLDER all");
	status = cmd_open(&args->cmd, cmd_path(&args->cmd));
	if (!status)
		status = cmd_need_one_run(&args->cmd);
	if (status)
		return status;
	if (args->ntables == 1)
		return export_one(args, args->tables[0]);
	if (mkdir(args->cmd.output, 0777) && errno != EEXIST) {
		int why = errno;

		tp_err_set(&err, TP_EIO, TP_OFFSET_NONE, "cannot make the folder: %s",
			   strerror(why));
		return cmd_fail(&args->cmd, args->cmd.output, &err);
	}
	return args->ntables ? export_some(args) : export_all(args);
}
