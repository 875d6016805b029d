/* tprof-store: what a store holds, and keeping it in order. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "common/near.h"
#include "common/number.h"
#include "tprof-store/store.h"

const struct store_task store_tasks[] = {
    {"list", "STORE", "list its runs", 0, 0, false, store_list},
    {"show", "STORE [RUN...]", "show everything about runs, and their size", 0, SIZE_MAX, false,
     store_show},
    {"clocks", "STORE", "show when runs were recorded, and how exactly", 0, 0, false, store_clocks},
    {"rename", "STORE RUN NAME", "rename a run", 2, 2, false, store_rename},
    {"label", "STORE RUN KEY=VALUE...", "set labels; KEY= removes one", 2, SIZE_MAX, false,
     store_label},
    {"delete", "STORE RUN...", "delete runs", 1, SIZE_MAX, false, store_delete},
    {"prune", "STORE", "delete old runs: --keep-last, --older-than", 0, 0, false, store_prune},
    {"compact", "STORE", "free the space of deleted runs", 0, 0, false, store_compact},
    {"verify", "STORE", "check the file and all its runs", 0, 0, false, store_verify},
    {"upgrade", "STORE", "convert an older store to this version", 0, 0, false, store_upgrade},
    {"cache", "", "show the size of the cache of imported dumps", 0, 0, true, store_cache},
    /* of completions: not in any list */
    {"values", "OPTION TYPED WORD...", NULL, 2, SIZE_MAX, true, store_values},
    {NULL, NULL, NULL, 0, 0, false, NULL},
};

enum { KEY_OLDER_THAN = 0x2000 };

static const struct argp_option options[] = {
    {"keep-last", CMD_SETS_COUNT(struct store_args, keep_last), "N", 0,
     "With prune: keep the N runs imported last", 0},
    {"older-than", KEY_OLDER_THAN, "AGE", 0,
     "With prune: delete only runs imported longer ago than AGE (30d, 12h)", 0},
    {"dry-run", 'n', NULL, 0, "With delete and prune: only show what would be deleted", 0},
    {"empty", CMD_SETS(struct store_args, empty), NULL, 0, "With cache: remove all entries", 0},
    {0},
};

static const struct store_task *find_task(const char *name)
{
	for (const struct store_task *t = store_tasks; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

/* Days, which durations of programs have no use for. */
static int64_t age(struct argp_state *state, const char *arg)
{
	size_t n = strspn(arg, "0123456789");
	int64_t days, ns = 0;
	char number[16];

	if (n && n < sizeof(number) && !strcmp(arg + n, "d")) {
		memcpy(number, arg, n);
		number[n] = '\0';
		if (cmd_parse_count(number, 100000, &days))
			return days * 24 * 3600 * 1000000000;
	}
	/* What has no unit is asked for one. */
	if ((tp_parse_ns(arg, &ns) || ns < 0) &&
	    (!*arg || strspn(arg, "0123456789.") < strlen(arg)))
		argp_error(state, "--older-than: '%s' is not an age like 30d, 36h or 90m", arg);
	return cmd_arg_span(state, "--older-than", arg);
}

static void check(struct store_args *args, struct argp_state *state)
{
	const struct store_task *t = args->task;
	bool prunes, tables;

	if (!t)
		argp_error(state, "no task is given; name one that --help lists, then a store");
	prunes = t->run == store_prune;
	tables = t->run == store_list || t->run == store_show || t->run == store_clocks;
	if (!t->no_store && !args->path)
		argp_error(state, "no store is given: tprof-store %s %s", t->name, t->args);
	if (args->nwords < t->least || args->nwords > t->most)
		argp_error(state, "the number of arguments is wrong; usage: tprof-store %s%s%s",
			   t->name, *t->args ? " " : "", t->args);
	if (prunes && args->keep_last < 0 && args->older_than_ns < 0)
		argp_error(state, "prune needs --keep-last=N, --older-than=AGE or both");
	if (!prunes && (args->keep_last >= 0 || args->older_than_ns >= 0))
		argp_error(state, "--keep-last and --older-than are options of prune");
	if (args->dry_run && !prunes && t->run != store_delete)
		argp_error(state, "--dry-run is an option of delete and prune");
	if (args->empty && t->run != store_cache)
		argp_error(state, "--empty is an option of cache");
	if (args->cmd.json_head && !tables)
		argp_error(state, "--json-head is an option of list, show and clocks; %s prints no table",
			   t->name);
	if (args->cmd.run_spec && !tables)
		argp_error(state,
			   "--run is an option of list, show and clocks; the usage of %s is: "
			   "tprof-store %s %s",
			   t->name, t->name, t->args);
}

static void unknown_task(struct argp_state *state, const char *typed)
{
	struct cmd_near near = {0};

	for (const struct store_task *t = store_tasks; t->doc; t++)
		cmd_near_task(&near, typed, t->name);
	if (near.word)
		argp_error(state, "there is no task '%s'; did you mean %s?", typed, near.word);
	else
		argp_error(state, "there is no task '%s'; --help lists them", typed);
}

static void take_word(struct store_args *args, struct argp_state *state, char *arg)
{
	if (!args->task) {
		const char *next = state->next < state->argc ? state->argv[state->next] : NULL;

		args->task = find_task(arg);
		if (!args->task && next && find_task(next))
			argp_error(state, "the task comes before the store: tprof-store %s %s",
				   next, arg);
		else if (!args->task)
			unknown_task(state, arg);
	} else if (!args->path && !args->task->no_store) {
		args->path = arg;
	} else {
		args->word[args->nwords++] = arg;
	}
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct store_args *args = state->input;

	switch (key) {
	case KEY_OLDER_THAN:
		args->older_than_ns = age(state, arg);
		return 0;
	case 'n':
		args->dry_run = true;
		return 0;
	case ARGP_KEY_ARG:
		take_word(args, state, arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		check(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void list_tasks(void)
{
	puts("\nTasks; RUN is an id, a name, a label KEY=VALUE, latest or all:");
	for (const struct store_task *t = store_tasks; t->doc; t++) {
		int n = printf("  %s %s", t->name, t->args);

		printf("%*s %s\n", n < 30 ? 30 - n : 0, "", t->doc);
	}
}

/* What --help says; tprof-store(1) has the rest. */
/* clang-format off */
static const char help[] =
    "Usage: tprof-store [OPTION...] TASK STORE [ARG...]\n"
    "Show what a store holds, and keep it in order. RUN is an id, a name, a label\n"
    "KEY=VALUE, latest or all.\n"
    "\n"
    "  list STORE                     the runs it holds\n"
    "  show STORE [RUN...]            show everything about runs, and their size\n"
    "  clocks STORE                   show when runs were recorded\n"
    "  rename STORE RUN NAME          rename a run\n"
    "  label STORE RUN KEY=VALUE...   set labels; KEY= removes one\n"
    "  delete STORE RUN...            delete runs\n"
    "  prune STORE                    old runs: --keep-last=N, --older-than=30d\n"
    "  compact STORE                  free the space of deleted runs\n"
    "  verify STORE                   check the file and all its runs\n"
    "  upgrade STORE                  convert an older store to this version\n"
    "  cache                          show the size of the cache; --empty\n"
    "\n"
    "  -n, --dry-run                  Say what would be deleted, and do nothing\n"
    "      --format=FORMAT            table, csv, tsv, json, markdown\n";
/* clang-format on */

int main(int argc, char **argv)
{
	static const struct argp_child children[] = {{&cmd_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
	    .options = options,
	    .parser = on_option,
	    .args_doc = "TASK STORE [ARG...]",
	    .doc = "Show what a store holds, and keep it in order.",
	    .children = children,
	};
	struct store_args args = {
	    .cmd = {.name = "tprof-store", .help = help, .more_help = list_tasks},
	    .keep_last = -1,
	    .older_than_ns = -1,
	};
	int status;

	args.word = calloc((size_t)argc + 1, sizeof(*args.word));
	if (!args.word)
		return cmd_nomem(&args.cmd);
	cmd_parse(&args.cmd, &argp, argc, argv);
	status = args.task->no_store ? CMD_OK : store_is_one(&args);
	status = cmd_finish(&args.cmd, status ? status : args.task->run(&args));
	free(args.word);
	return status;
}
