/* Runs into the tables of an engine. */
#include <string.h>

#include "base/units.h"
#include "common/engine/engine.h"
#include "common/progress.h"
#include "engine/load.h"
#include "tprof-export/export.h"

#define MOST_SERVERS 256

static void summarise(const struct export_args *args, const struct rep_engine_load_result *r)
{
	char runs[CMD_PLURAL_SIZE], known[32], n[32], size[TP_UNITS_SIZE], removed[96] = "",
									   renewed[80] = "";

	if (r->removed)
		snprintf(removed, sizeof(removed), "; %s load%s removed that do%s not count",
			 tp_fmt_count(n, (int64_t)r->removed), r->removed == 1 ? "" : "s",
			 r->removed == 1 ? "es" : "");
	if (r->renewed)
		snprintf(renewed, sizeof(renewed),
			 " (%s loaded anew, being other in the store now)",
			 tp_fmt_count(n, (int64_t)r->renewed));
	cmd_print(&args->cmd, "%s: %s, %s of them there before%s; %s sent%s\n", args->servers[0],
		  cmd_plural(runs, (int64_t)r->runs, "run"), tp_fmt_count(known, (int64_t)r->known),
		  renewed, tp_fmt_bytes(size, (int64_t)r->bytes), removed);
}

/* --run picks; without it, all. */
static int pick(struct export_args *args)
{
	if (!args->cmd.run_spec)
		args->cmd.run_spec = "all";
	return cmd_open(&args->cmd, cmd_path(&args->cmd));
}

static int load(struct export_args *args, struct rep_engine_link *link, size_t n,
		const struct rep_engine_place *at)
{
	struct cmd_progress progress;
	const struct rep_engine_load_options opt = {
	    .spans = args->spans, .progress = cmd_progress_step, .progress_ctx = &progress};
	struct rep_engine_load_result result;
	char done[32];
	struct tp_err err;
	int code;

	cmd_progress_init(&progress, cmd_path(&args->cmd));
	cmd_interruptible();
	code = rep_engine_load(link, n, at, args->cmd.store, &args->cmd.runs, &opt, &result, &err);
	cmd_progress_end(&progress);
	if (!code) {
		summarise(args, &result);
		return CMD_OK;
	}
	if (result.runs)
		cmd_note(&args->cmd, "%s of %zu runs are there%s",
			 tp_fmt_count(done, (int64_t)result.runs), args->cmd.runs.n,
			 code == TP_ELIMIT ? "" : "; the same command goes on with the rest");
	cmd_close(&args->cmd);
	return cmd_engine_fail(&args->cmd, args->servers[0], &err);
}

int export_clickhouse(struct export_args *args)
{
	struct rep_engine_link link[MOST_SERVERS];
	struct rep_engine_place at = {.cluster = args->cluster};
	int status;

	if (args->cmd.files[CMD_NEW].n > 1)
		return cmd_reject(&args->cmd, CMD_USAGE,
				  "several stores are given, and --clickhouse loads one; "
				  "tprof-merge makes one of them");
	if (args->nservers > MOST_SERVERS)
		return cmd_reject(&args->cmd, CMD_USAGE, "--clickhouse can name at most %d servers",
				  MOST_SERVERS);
	for (size_t i = 0; i < args->nservers; i++) {
		struct cmd_engine_target t;

		if (!cmd_engine_target(args->servers[i], &t) ||
		    (at.database && strcmp(at.database, t.url->database) != 0))
			return cmd_reject(&args->cmd, CMD_USAGE,
					  "%s: names another database than %s", args->servers[i],
					  args->servers[0]);
		if (t.url->nlabels)
			return cmd_reject(&args->cmd, CMD_USAGE,
					  "%s: label= picks runs to read; to pick runs to load, "
					  "give --run=KEY=VALUE",
					  args->servers[i]);
		at.database = t.url->database;
		link[i] = t.link;
	}
	status = pick(args);
	return status ? status : load(args, link, args->nservers, &at);
}
