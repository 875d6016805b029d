#include "common/sides.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/engine/engine.h"
#include "common/files.h"
#include "common/jail.h"
#include "common/option.h"
#include "common/what.h"

/* ---- options ---- */

enum { KEY_BASE = 0x6000, KEY_DIFF_BASE, KEY_NORMALIZE };

static const struct argp_option label_options[] = {
    {"base-label", CMD_SETS(struct cmd, side_run[CMD_OLD]), "KEY=VALUE", 0,
     "Compare with the runs of STORE that have this label", 1},
    {"label", CMD_SETS(struct cmd, side_run[CMD_NEW]), "KEY=VALUE", 0,
     "The new runs are those of STORE with this label", 1},
    {0},
};

const struct argp cmd_labels_argp = {.options = label_options, .parser = cmd_set_option};

const char *cmd_labels_check(const struct cmd *cmd)
{
	const char *const *label = cmd->side_run;

	if (!label[CMD_OLD] && !label[CMD_NEW])
		return NULL;
	if (!label[CMD_OLD] || !label[CMD_NEW])
		return "--base-label picks the old runs and --label the new ones; give both";
	if (cmd->run_spec)
		return "--run cannot be given with --base-label and --label, which pick the runs "
		       "of each side; give both labels a second pair instead: "
		       "--label=KEY=VALUE,KEY=VALUE";
	return cmd->files[CMD_NEW].n == 1 && !cmd->files[CMD_OLD].n
		   ? NULL
		   : "labels pick runs of one store; name that store and nothing else";
}

static const struct argp_option base_options[] = {
    {NULL, 0, NULL, 0, "Differences of profiles:", 9},
    {"base", KEY_BASE, "OLD", CMD_OPTION_MANY,
     "Subtract the values of OLD; shares are of the sum of all changes; may be given several times",
     9},
    {"diff-base", KEY_DIFF_BASE, "OLD", CMD_OPTION_MANY,
     "Subtract the values of OLD; shares are of the old total", 9},
    {"normalize", KEY_NORMALIZE, NULL, 0, "Scale the new values to the total of OLD first", 9},
    {0},
};

static error_t on_base(int key, char *arg, struct argp_state *state)
{
	struct cmd *cmd = state->input;
	struct cmd_base *base = cmd->base;

	switch (key) {
	case KEY_BASE:
	case KEY_DIFF_BASE:
		/* An empty name means no base, as in pprof. */
		if (!*arg)
			return 0;
		base->plain |= key == KEY_BASE;
		base->how.mark |= key == KEY_DIFF_BASE;
		return cmd_add_file(cmd, CMD_OLD, arg);
	case KEY_NORMALIZE:
		base->how.normalize = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (base->plain && base->how.mark)
			argp_error(state, "--base and --diff-base cannot be given together: they "
					  "differ in what shares are of");
		if (base->how.normalize && !cmd->files[CMD_OLD].n)
			argp_error(state,
				   "--normalize needs a difference; give --base or --diff-base");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cmd_base_argp = {.options = base_options, .parser = on_base};

bool cmd_compares(const struct cmd *cmd)
{
	return cmd->files[CMD_OLD].n || cmd->side_run[CMD_OLD];
}

/* ---- files and runs on both sides ---- */

static void count_shared(const struct rep_runs *old, const struct rep_runs *new,
			 struct cmd_shared *out)
{
	*out = (struct cmd_shared){.nold = old->n, .nnew = new->n};
	/* Both lists are sorted by id. */
	for (size_t i = 0, k = 0; i < old->n && k < new->n;) {
		int64_t a = old->run[i].row.id, b = new->run[k].row.id;

		if (a == b && !out->n++)
			snprintf(out->name, sizeof(out->name), "%s", old->run[i].row.name);
		i += a <= b;
		k += b <= a;
	}
}

/* Labels pick runs of a store; a dump would be compared with itself. */
static int check_store(const struct cmd *cmd, const char *path)
{
	enum cmd_what what;
	struct tp_err err;

	if (cmd_look(path, &what, &err))
		return cmd_fail(cmd, path, &err);
	if (what == CMD_WHAT_STORE)
		return CMD_OK;
	return cmd_reject(cmd, CMD_USAGE,
			  "%s: is not a store, and labels pick runs of a store; tprof-import "
			  "--label=KEY=VALUE -o STORE DUMP imports a dump",
			  path);
}

static int share_runs(struct cmd *cmd, struct cmd_shared *out)
{
	struct rep_runs all = {0}, old = {0}, new = {0};
	const char *path = cmd_path(cmd), *file = path;
	struct tp_store *store = NULL;
	struct tp_err err;
	int status = check_store(cmd, path);

	if (!status && cmd_engine_is_url(path))
		status = cmd_engine_list(cmd, path, &file);
	if (status)
		return status;
	if (cmd_jail_withdraw(&err))
		return cmd_fail(cmd, path, &err);
	if (!tp_store_open(&store, file, &err) && !rep_runs_load(store, &all, &err) &&
	    !rep_runs_select(&all, cmd->side_run[CMD_OLD], &old, &err) &&
	    !rep_runs_select(&all, cmd->side_run[CMD_NEW], &new, &err))
		count_shared(&old, &new, out);
	else if (err.code == TP_ENOMEM)
		status = cmd_fail(cmd, path, &err);
	rep_runs_release(&old);
	rep_runs_release(&new);
	rep_runs_release(&all);
	if (store)
		tp_store_close(store);
	return status;
}

struct file {
	const char *path;
	dev_t dev;
	ino_t ino;
};

static int by_file(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	return x->dev != y->dev ? (x->dev < y->dev ? -1 : 1)
				: (x->ino > y->ino) - (x->ino < y->ino);
}

static size_t look_at_files(const struct cmd_files *files, struct file *file)
{
	size_t found = 0;
	struct stat st;

	for (size_t i = 0; i < files->n; i++)
		if (!stat(files->path[i], &st) && S_ISREG(st.st_mode))
			file[found++] = (struct file){files->path[i], st.st_dev, st.st_ino};
	if (found)
		qsort(file, found, sizeof(*file), by_file);
	return found;
}

static void shares(struct cmd_shared *out, const char *path)
{
	struct tp_err err;

	if (!out->n++)
		snprintf(out->name, sizeof(out->name), "%s", path);
	if (!out->store && cmd_is_store(path, &err) == 1)
		out->store = path;
}

static int share_files(const struct cmd *cmd, struct cmd_shared *out)
{
	const struct cmd_files *old = &cmd->files[CMD_OLD], *new = &cmd->files[CMD_NEW];
	struct file *file = calloc(old->n + new->n + 1, sizeof(*file)), *more;
	size_t n, m;

	if (!file)
		return cmd_nomem(cmd);
	n = look_at_files(old, file);
	more = file + n;
	m = look_at_files(new, more);
	for (size_t i = 0, k = 0; i < n && k < m;) {
		int order = by_file(&file[i], &more[k]);

		if (!order)
			shares(out, file[i].path);
		i += order <= 0;
		k += order >= 0;
	}
	for (size_t i = 0; i < old->n; i++)
		for (size_t k = 0; cmd_engine_is_url(old->path[i]) && k < new->n; k++)
			if (!strcmp(old->path[i], new->path[k]))
				shares(out, old->path[i]);
	free(file);
	return CMD_OK;
}

int cmd_sides_share(struct cmd *cmd, struct cmd_shared *out)
{
	*out = (struct cmd_shared){.nold = cmd->files[CMD_OLD].n, .nnew = cmd->files[CMD_NEW].n};
	if (out->nold)
		return share_files(cmd, out);
	return cmd->side_run[CMD_OLD] ? share_runs(cmd, out) : CMD_OK;
}

int cmd_shared_tell(const struct cmd *cmd, const struct cmd_shared *same, bool strict,
		    const char *instead)
{
	bool labels = !cmd->files[CMD_OLD].n;
	char text[512];

	if (!same->n)
		return CMD_OK;
	if (same->store)
		snprintf(text, sizeof(text),
			 "%.200s is on both sides, and its runs are compared with themselves; %s",
			 same->store, instead);
	else
		snprintf(text, sizeof(text),
			 "%zu %s on both sides (%s%s), of %zu old and %zu new: %s; %s", same->n,
			 labels		? same->n == 1 ? "run is" : "runs are"
			 : same->n == 1 ? "file is"
					: "files are",
			 same->name, same->n == 1 ? "" : ", …", same->nold, same->nnew,
			 strict ? "a gate cannot judge what is compared with itself"
				: "what they hold hides what changed",
			 labels
			     ? "give each side a label that the other has not (KEY=VALUE,KEY=VALUE)"
			     : "name each on one side only");
	if (strict)
		cmd_error(cmd, "%s", text);
	else
		cmd_note(cmd, "%s", text);
	return strict ? CMD_USAGE : CMD_OK;
}

/* ---- loading ---- */

static int open_side(struct cmd *cmd, enum cmd_side side, const struct cmd_profiles_options *opt,
		     bool sum, struct cmd_profiles *out)
{
	const struct cmd_files *files = cmd_side_files(cmd, side);
	const char *spec = cmd->run_spec;
	int status;

	cmd->run_spec = cmd_side_run(cmd, side);
	status = sum ? cmd_profiles_sum(cmd, files->path, files->n, out)
		     : cmd_profiles_open(cmd, files->path, files->n, opt, out);
	cmd->run_spec = spec;
	return status;
}

/* Loads one file of each side at once, in two threads. *done is false if it did nothing: a file
 * has several runs. */
static int open_pair(struct cmd *cmd, const struct cmd_profiles_options *opt,
		     struct cmd_profiles list[2], bool *done)
{
	const char *path[] = {cmd->files[CMD_OLD].path[0], cmd->files[CMD_NEW].path[0]};
	struct cmd_profiles *old = &list[CMD_OLD], *new = &list[CMD_NEW];
	int status = cmd_profiles_open(cmd, path, 2, opt, old);

	*done = !status && old->n == 2;
	if (*done) {
		new->item = malloc(sizeof(*new->item));
		if (!new->item)
			return cmd_nomem(cmd);
		new->item[0] = old->item[1];
		new->n = old->n = 1;
	} else if (!status) {
		cmd_profiles_release(old);
	}
	return status;
}

int cmd_sides_open(struct cmd *cmd, const struct cmd_profiles_options *opt, bool sum,
		   struct cmd_profiles list[2])
{
	bool done = false;
	int status = CMD_OK;

	if (opt && opt->at_once && cmd->files[CMD_OLD].n == 1 && cmd->files[CMD_NEW].n == 1 &&
	    !cmd->run_spec && !opt->by)
		status = open_pair(cmd, opt, list, &done);
	if (!status && !done && cmd_compares(cmd))
		status = open_side(cmd, CMD_OLD, opt, sum, &list[CMD_OLD]);
	if (!status && !done)
		status = open_side(cmd, CMD_NEW, opt, sum, &list[CMD_NEW]);
	return status;
}

/* ---- differences ---- */

/* Replaces the new profile by its difference from the old one. */
static int subtract(struct cmd *cmd, struct cmd_profile *new, const struct cmd_profile *old)
{
	struct tp_profile *difference = NULL;
	struct tp_err err;
	char *name = NULL;

	if (rep_profile_difference(old->profile, new->profile, &cmd->base->how, &difference,
				   &err)) {
		if (err.code != TP_EFORMAT)
			return cmd_fail(cmd, NULL, &err);
		/* The profiles do not fit together; neither of them is damaged. */
		return cmd_reject(cmd, CMD_INPUT, "%s and %s: %s", new->name, old->name, err.msg);
	}
	tp_profile_free(new->profile);
	new->profile = difference;
	if (asprintf(&name, "%s minus %s", new->name, old->name) < 0)
		return cmd_nomem(cmd);
	free(new->name);
	new->name = name;
	return CMD_OK;
}

int cmd_profiles_difference(struct cmd *cmd, struct cmd_profiles *out)
{
	struct cmd_profiles list[2] = {{0}, {0}};
	struct cmd_shared same;
	int status = cmd_sides_share(cmd, &same);

	/* A dump minus itself is empty, as in pprof. */
	if (!status && same.store)
		status = cmd_shared_tell(cmd, &same, true, CMD_LABELS_ELSEWHERE);
	if (!status)
		status = cmd_sides_open(cmd, NULL, true, list);
	*out = list[CMD_NEW];
	if (!status)
		status = cmd_profiles_check_trace(cmd, list);
	if (!status && cmd_compares(cmd))
		status = subtract(cmd, &out->item[0], &list[CMD_OLD].item[0]);
	cmd_profiles_release(&list[CMD_OLD]);
	return status;
}
