/* tprof-merge: stores become one. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/units.h"
#include "common/common.h"
#include "common/file.h"
#include "common/option.h"
#include "common/progress.h"
#include "open/peek.h"
#include "open/input.h"
#include "store/merge/merge.h"

struct args {
	struct cmd cmd;
	const char *store; /* -o */
	char **stores;
	int nstores;
	struct cmd_progress progress;
};

static const struct argp_option options[] = {
    {"output", 'o', "STORE", 0, "Write the merged store to STORE; if it exists, its runs are kept",
     0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case 'o':
		args->store = cmd_arg_output(state, "-o", arg, "a store");
		return 0;
	case ARGP_KEY_ARGS:
		args->stores = state->argv + state->next;
		args->nstores = state->argc - state->next;
		if (!args->store)
			argp_error(state,
				   "no output is given; name the merged store with -o STORE");
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no stores are given: tprof-merge -o ALL.tprof A.tprof B.tprof");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void tell_conflict(void *ctx, const char *run, const char *key, const char *kept,
			  const char *other)
{
	struct args *args = ctx;

	cmd_progress_end(&args->progress);
	cmd_error(&args->cmd, "warning: %s is labelled %s=%s and %s=%s; the first was kept", run,
		  key, kept, key, other);
}

static void tell_damaged(void *ctx, const char *store, int64_t run, const char *why)
{
	struct args *args = ctx;

	cmd_progress_end(&args->progress);
	cmd_error(&args->cmd,
		  "warning: %s: run %lld is damaged, and was copied as it is: %s; import its dump "
		  "again into a new store, and merge that",
		  store, (long long)run, why);
}

static void summarise(const struct args *args, const struct tp_merge_result *r)
{
	char runs[CMD_PLURAL_SIZE], stores[CMD_PLURAL_SIZE], n[32],
	    repeated[80] = "", damaged[80] = "", in[TP_UNITS_SIZE], out[TP_UNITS_SIZE];

	if (r->repeated)
		snprintf(repeated, sizeof(repeated), ", %s of them in more than one",
			 tp_fmt_count(n, r->repeated));
	if (r->damaged)
		snprintf(damaged, sizeof(damaged), ", %s damaged", tp_fmt_count(n, r->damaged));
	cmd_print(&args->cmd, "%s: %s of %s%s%s; %s to %s\n", args->store,
		  cmd_plural(runs, r->runs, "run"), cmd_plural(stores, r->stores, "store"),
		  repeated, damaged, tp_fmt_bytes(in, r->size_in), tp_fmt_bytes(out, r->size_out));
}

/* A dump can be imported first; anything else is told as what it is. */
static int refuse(struct args *args, const char *path)
{
	struct tp_recognition seen;
	struct tp_err err;
	char head[4096];
	size_t size;

	if (tp_peek(path, head, sizeof(head), &size, &err) || tp_recognise(head, size, &seen, &err))
		return cmd_fail(&args->cmd, path, &err);
	return cmd_reject(&args->cmd, CMD_INPUT,
			  "%s: is a dump, not a store; import it first: tprof-import -o STORE %s",
			  path, path);
}

/* What is no store is said to be so before anything is done: a dump would be taken for damage. */
static int check_stores(struct args *args)
{
	for (int i = 0; i < args->nstores; i++) {
		struct tp_err err;
		int is = cmd_is_store(args->stores[i], &err);

		if (is < 0)
			return cmd_fail(&args->cmd, args->stores[i], &err);
		if (!is)
			return refuse(args, args->stores[i]);
	}
	return CMD_OK;
}

/* What is there under the store's name is a store, or nothing yet. */
static int check_place(struct args *args)
{
	struct tp_err err;
	struct stat st;
	int is, status = cmd_file_place(&args->cmd, args->store);

	if (status || stat(args->store, &st) || !st.st_size)
		return status;
	/* What cannot be read, and a store that was cut to little, is told when it is opened. */
	is = cmd_is_store(args->store, &err);
	if (is < 0 ||
	    (is && (st.st_size < 100 || cmd_file_sqlite(args->store) != CMD_OTHER_SQLITE)))
		return status;
	return cmd_reject(&args->cmd, CMD_USAGE,
			  "%s: exists and is not a store; give another name with -o", args->store);
}

static int run(struct args *args)
{
	struct tp_merge_options opt = {
	    .wait_ms = -1,
	    .progress = cmd_progress_step,
	    .progress_ctx = &args->progress,
	    .conflict = tell_conflict,
	    .conflict_ctx = args,
	    .damaged = tell_damaged,
	    .damaged_ctx = args,
	};
	struct tp_merge_result result;
	struct tp_err err;
	int code, status = check_place(args);

	if (!status)
		status = check_stores(args);
	if (status)
		return status;
	cmd_progress_init(&args->progress, args->store);
	cmd_interruptible();
	code = tp_store_merge(args->store, (const char *const *)args->stores, (size_t)args->nstores,
			      &opt, &result, &err);
	cmd_progress_end(&args->progress);
	cmd_interrupted();
	if (code)
		return cmd_fail(&args->cmd, NULL, &err);
	summarise(args, &result);
	return CMD_OK;
}

int main(int argc, char **argv)
{
	struct argp argp = {
	    .options = options,
	    .parser = on_option,
	    .args_doc = "-o STORE STORE...",
	    .doc = "Make one store of several: every dump once, with what all of them share "
		   "stored once. Order does not matter, nor whether it is done in steps.\v"
		   "Examples:\n"
		   "  tprof-merge -o all.tprof host1.tprof host2.tprof\n"
		   "  tprof-merge -o all.tprof new.tprof          adds to all.tprof\n"
		   "\nSee tprof-merge(1).",
	};
	struct args args = {.cmd = CMD_INIT("tprof-merge")};

	cmd_parse(&args.cmd, &argp, argc, argv);
	return cmd_finish(&args.cmd, run(&args));
}
