#include "common/common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cache.h"
#include "common/decoder.h"
#include "common/engine/engine.h"
#include "common/files.h"
#include "common/jail.h"
#include "common/progress.h"
#include "common/what.h"
#include "open/peek.h"

int cmd_is_store(const char *path, struct tp_err *err)
{
	enum cmd_what what;
	char head[16];
	size_t size;
	int code;

	if (!strcmp(path, "-"))
		return cmd_look(path, &what, err);
	if (cmd_engine_is_url(path))
		return 1;
	code = tp_peek_packed(path, head, sizeof(head), &size, err);
	return code ? code : cmd_what_of(head, size) == CMD_WHAT_STORE;
}

/* Imports into a temporary store for this command if the cache folder cannot be used. */
static int open_without_cache(struct cmd *cmd, const char *path,
			      const struct tp_import_options *opt, struct tp_import_result *result,
			      struct tp_err *err)
{
	char store[4096];
	int code = cmd_scratch_make(&cmd->scratch, err);

	if (code)
		return code;
	snprintf(store, sizeof(store), "%s/run.tprof", cmd->scratch.path);
	code = cmd_import(path, store, opt, result, err);
	if (!code)
		code = tp_store_open(&cmd->store, store, err);
	return code;
}

static int open_dump(struct cmd *cmd, const char *path)
{
	const char *name = cmd_file_name(path);
	struct cmd_progress progress;
	struct tp_import_options opt = {
	    .name = name,
	    .progress = cmd_progress_step,
	    .progress_ctx = &progress,
	    .tmp_dir = getenv("TMPDIR"),
	};
	struct tp_import_result result;
	struct cmd_cache *cache;
	bool fresh = true;
	struct tp_err err;
	int code;

	cmd_progress_init(&progress, name);
	cmd_interruptible();
	cache = cmd_cache_from_env(&err);
	if (!cache && err.code == TP_EFORMAT)
		return cmd_reject(cmd, CMD_USAGE, "%s", err.msg);
	if (cache)
		code = cmd_cache_store(cache, path, &opt, &cmd->store, &fresh, &result, &err);
	else
		code = open_without_cache(cmd, path, &opt, &result, &err);
	cmd_progress_end(&progress);
	cmd_cache_close(cache);
	if (code) {
		int status = cmd_fail(cmd, path, &err);

		cmd_close(cmd); /* removes a scratch folder, which the signal would leave */
		cmd_interrupted();
		return status;
	}
	/* Reports do not check whether they should stop, so signals end them. */
	cmd_interrupt_ends();
	if (fresh && isatty(STDERR_FILENO))
		cmd_note(cmd, "imported %s in %.1fs%s", name, result.seconds,
			 cache ? " and kept it in the cache, so the next time is faster"
			       : "; it is not kept, as there is no cache folder");
	return CMD_OK;
}

int cmd_open_store(struct cmd *cmd, const char *path, bool writable)
{
	const char *file = path;
	struct tp_err err;
	int code = cmd_is_store(path, &err), status = CMD_OK;

	if (code < 0)
		return cmd_fail(cmd, path, &err);
	if (!code && writable)
		return cmd_reject(
		    cmd, CMD_INPUT,
		    "%s: a dump cannot be written to; import it with tprof-import first", path);
	if (!code)
		return open_dump(cmd, path);
	if (cmd_engine_is_url(path))
		status = cmd_engine_fetch(cmd, path, &file);
	if (status)
		return status;
	if (!writable && !cmd->lets_connect && cmd_jail_withdraw(&err))
		return cmd_fail(cmd, path, &err);
	code = writable ? tp_store_open_rw(&cmd->store, file, &err)
			: tp_store_open(&cmd->store, file, &err);
	return code ? cmd_fail(cmd, path, &err) : CMD_OK;
}

/* Renames the picked run of a dump to the name that distinguishes it from other dumps on the command line. */
static int tell_apart(struct cmd *cmd, const char *path)
{
	const char *name = cmd_name_apart(cmd, path);
	struct tp_run *run = &cmd->all.run[0].row;
	char *copy;

	if (cmd->all.n != 1 || !strcmp(run->name, name) || strcmp(run->name, cmd_file_name(path)))
		return CMD_OK;
	copy = strdup(name);
	if (!copy)
		return cmd_nomem(cmd);
	free((char *)(uintptr_t)run->name);
	run->name = cmd->runs.run[0].row.name = copy;
	return CMD_OK;
}

int cmd_pick(struct cmd *cmd, const char *path)
{
	const char *spec = cmd->run_spec ? cmd->run_spec : "latest";
	struct tp_err err;

	if (rep_runs_load(cmd->store, &cmd->all, &err))
		return cmd_fail(cmd, path, &err);
	if (!cmd->all.n && cmd->no_run_is_fine)
		return CMD_OK;
	if (rep_runs_select(&cmd->all, spec, &cmd->runs, &err))
		return cmd_fail(cmd, path, &err);
	return tell_apart(cmd, path);
}

/* Notes that several runs of the same name are picked: nothing else would show that they are added
 * up. */
static void note_namesakes(const struct cmd *cmd)
{
	const struct rep_runs *runs = &cmd->runs;
	size_t n = 0;

	for (size_t i = 0; cmd->run_spec && i < runs->n; i++)
		n += !strcmp(runs->run[i].row.name, cmd->run_spec);
	/* If --run is a label or a keyword it has picked other runs as well. */
	if (n > 1 && n == runs->n && strcmp(cmd->run_spec, "all") != 0 &&
	    strcmp(cmd->run_spec, "latest") != 0)
		cmd_note(cmd,
			 "%zu runs are named %.200s, and all of them are used; an id instead of "
			 "the name picks one, such as --run=%lld (tprof-store list shows ids)",
			 n, cmd->run_spec, (long long)runs->run[n - 1].row.id);
}

int cmd_open(struct cmd *cmd, const char *path)
{
	int status = cmd_open_store(cmd, path, false);

	if (!status)
		status = cmd_pick(cmd, path);
	if (status)
		return status;
	if (!cmd->run_spec && cmd->all.n > 1)
		cmd_note(cmd,
			 "the store has %zu runs, and this is the latest (%s); --run picks others",
			 cmd->all.n, cmd->runs.run[0].row.name);
	note_namesakes(cmd);
	for (size_t i = 0; i < cmd->runs.n; i++)
		cmd_note_losses(cmd, path, &cmd->runs.run[i]);
	return CMD_OK;
}

int cmd_need_one_run(const struct cmd *cmd)
{
	return cmd->runs.n < 2 ? CMD_OK
			       : cmd_reject(cmd, CMD_USAGE,
					    "--run=%s picks %zu runs; pick one of them by its id",
					    cmd->run_spec, cmd->runs.n);
}

int cmd_open_trace(struct cmd *cmd, const char *path, const char *instead)
{
	int status = cmd_open(cmd, path);
	bool picked = cmd->all.n > 1;

	if (!status)
		status = cmd_need_one_run(cmd);
	if (status || !strcmp(cmd->runs.run[0].row.kind, "trace"))
		return status;
	return cmd_reject(cmd, CMD_INPUT, "%s: %s%s%sis a profile, %s%s", path,
			  picked ? "the run '" : "", picked ? cmd->runs.run[0].row.name : "",
			  picked ? "' " : "", instead,
			  picked ? ", and --run picks another run" : "");
}

void cmd_close(struct cmd *cmd)
{
	rep_runs_release(&cmd->runs);
	rep_runs_release(&cmd->all);
	if (cmd->store)
		tp_store_close(cmd->store);
	cmd->store = NULL;
	cmd_scratch_remove(&cmd->scratch);
}
