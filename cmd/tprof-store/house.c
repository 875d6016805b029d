/* compact, verify, upgrade, cache: the file itself. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "common/cache.h"
#include "common/progress.h"
#include "store/edit.h"
#include "store/verify.h"
#include "tprof-store/store.h"

int store_compact(struct store_args *args)
{
	char was[TP_UNITS_SIZE], is[TP_UNITS_SIZE];
	int64_t before, after;
	struct tp_err err;

	if (tp_store_compact(args->path, STORE_WAIT_MS, &before, &after, &err))
		return cmd_fail(&args->cmd, NULL, &err);
	cmd_print(&args->cmd, "%s: %s, was %s\n", args->path, tp_fmt_bytes(is, after),
		  tp_fmt_bytes(was, before));
	return CMD_OK;
}

int store_upgrade(struct store_args *args)
{
	struct tp_err err;
	int from;

	if (tp_store_upgrade(args->path, STORE_WAIT_MS, &from, &err))
		return cmd_fail(&args->cmd, NULL, &err);
	if (from == TP_STORE_VERSION)
		cmd_print(&args->cmd, "%s: has version %d, which is the newest\n", args->path,
			  from);
	else
		cmd_print(&args->cmd, "%s: version %d, was %d\n", args->path, TP_STORE_VERSION,
			  from);
	return CMD_OK;
}

/* ---- verify ---- */

struct verifying {
	const struct cmd *cmd;
	const char *path;
	struct cmd_progress progress;
	char last[512]; /* what was told last */
	size_t wrong;
};

/* The same damage is met by several checks, one after the other. */
static void tell(void *ctx, int64_t run, const char *what)
{
	struct verifying *v = ctx;
	char text[sizeof(v->last)], named[32] = "";
	size_t path = strlen(v->path), n;

	/* Errors of reading say where on their own. */
	if (!strncmp(what, v->path, path) && !strncmp(what + path, ": ", 2))
		what += path + 2;
	if (run)
		snprintf(named, sizeof(named), "run %lld", (long long)run);
	n = strlen(named);
	if (n && !strncmp(what, named, n) && (what[n] == ':' || what[n] == ','))
		n = 0;
	snprintf(text, sizeof(text), "%s%s%s", n ? named : "", n ? ": " : "", what);
	if (!strcmp(text, v->last))
		return;
	memcpy(v->last, text, sizeof(text));
	v->wrong++;
	cmd_progress_end(&v->progress);
	cmd_print(v->cmd, "%s: %s\n", v->path, text);
}

static int step(void *ctx, uint64_t done, uint64_t total)
{
	struct verifying *v = ctx;

	return cmd_progress_step(&v->progress, "verify", done, total);
}

int store_verify(struct store_args *args)
{
	struct verifying v = {.cmd = &args->cmd, .path = args->path};
	struct tp_verify verify = {tell, step, &v};
	struct tp_err err;
	size_t wrong = 0;
	int code;

	cmd_progress_init(&v.progress, args->path);
	cmd_interruptible();
	code = tp_store_verify(args->path, &verify, &wrong, &err);
	cmd_progress_end(&v.progress);
	cmd_interrupted();
	if (code)
		return cmd_fail(&args->cmd, NULL, &err);
	if (wrong)
		return cmd_reject(&args->cmd, CMD_INPUT,
				  "%s: %zu %s wrong; import the dumps again into a new store",
				  args->path, v.wrong, v.wrong == 1 ? "thing is" : "things are");
	cmd_print(&args->cmd, "%s: nothing is wrong\n", args->path);
	return CMD_OK;
}

/* ---- cache ---- */

int store_cache(struct store_args *args)
{
	char size[TP_UNITS_SIZE], limit[TP_UNITS_SIZE], n[32];
	struct cmd_cache_usage usage;
	struct cmd_cache *cache;
	struct tp_err err;
	int64_t entries, bytes;

	cache = cmd_cache_from_env(&err);
	if (!cache)
		return cmd_fail(&args->cmd, NULL, &err);
	if (args->empty) {
		cmd_cache_empty(cache, &entries, &bytes);
		cmd_cache_usage(cache, &usage);
		cmd_print(&args->cmd, "%s: removed %s %s, %s\n", usage.dir,
			  tp_fmt_count(n, entries), entries == 1 ? "entry" : "entries",
			  tp_fmt_bytes(size, bytes));
		if (usage.entries)
			cmd_note(&args->cmd, "%s entries are in use right now, and were kept",
				 tp_fmt_count(n, usage.entries));
	} else {
		cmd_cache_usage(cache, &usage);
		cmd_print(&args->cmd, "%s: %s %s, %s of at most %s (TPROF_CACHE_SIZE)\n", usage.dir,
			  tp_fmt_count(n, usage.entries), usage.entries == 1 ? "entry" : "entries",
			  tp_fmt_bytes(size, usage.bytes), tp_fmt_bytes(limit, usage.limit));
	}
	cmd_cache_close(cache);
	return CMD_OK;
}
