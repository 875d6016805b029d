#include "common/labels.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/engine/engine.h"
#include "common/jail.h"
#include "common/what.h"

enum { KEY_BASE_LABEL = 0x6000, KEY_LABEL };

static const struct argp_option options[] = {
    {"base-label", KEY_BASE_LABEL, "KEY=VALUE", 0, "The old runs: those of STORE with this label",
     1},
    {"label", KEY_LABEL, "KEY=VALUE", 0, "The new runs", 1},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct cmd_labels *l = state->input;

	switch (key) {
	case KEY_BASE_LABEL:
		l->old = arg;
		return 0;
	case KEY_LABEL:
		l->new = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cmd_labels_argp = {.options = options, .parser = on_option};

const char *cmd_labels_check(const struct cmd_labels *l, const char *run, size_t paths,
			     size_t bases)
{
	if (!l->old && !l->new)
		return NULL;
	if (!l->old || !l->new)
		return "--base-label says which runs are old, --label which are new: both are "
		       "needed";
	if (run)
		return "--run would pick runs of both sides, and the labels pick those of each: "
		       "leave --run out, and put a label that both have into both "
		       "(--label=KEY=VALUE,KEY=VALUE)";
	return paths == 1 && !bases ? NULL : "labels pick runs of one store: name it";
}

int cmd_labels_check_store(const struct cmd *cmd, const char *path)
{
	enum cmd_what what;
	struct tp_err err;

	if (cmd_look(path, &what, &err))
		return cmd_fail(cmd, path, &err);
	if (what == CMD_WHAT_STORE)
		return CMD_OK;
	cmd_error(cmd,
		  "%s: is no store, and labels pick runs of one; tprof-import --label=KEY=VALUE -o "
		  "STORE DUMP puts a dump into one",
		  path);
	return CMD_USAGE;
}

int cmd_labels_open(struct cmd *cmd, const char *path, const char *label,
		    const struct cmd_profiles_options *opt, bool sum, struct cmd_profiles *out)
{
	const char *spec = cmd->run_spec;
	int status;

	cmd->run_spec = label;
	status = sum ? cmd_profiles_sum(cmd, &path, 1, opt, out)
		     : cmd_profiles_open(cmd, &path, 1, opt, out);
	cmd->run_spec = spec;
	return status;
}

/* ---- what is on both sides ---- */

static void count_shared(const struct rep_runs *old, const struct rep_runs *new,
			 struct cmd_shared *out)
{
	*out = (struct cmd_shared){.nold = old->n, .nnew = new->n};
	/* Both are by id. */
	for (size_t i = 0, k = 0; i < old->n && k < new->n;) {
		int64_t a = old->run[i].row.id, b = new->run[k].row.id;

		if (a == b && !out->n++)
			snprintf(out->name, sizeof(out->name), "%s", old->run[i].row.name);
		i += a <= b;
		k += b <= a;
	}
}

int cmd_labels_share(struct cmd *cmd, const struct cmd_labels *l, const char *path,
		     struct cmd_shared *out)
{
	struct rep_runs all = {0}, old = {0}, new = {0};
	struct tp_store *store = NULL;
	const char *file = path;
	struct tp_err err;
	int status = CMD_OK;

	*out = (struct cmd_shared){0};
	if (cmd_engine_is_url(path))
		status = cmd_engine_list(cmd, path, &file);
	if (status)
		return status;
	if (cmd_jail_withdraw(&err))
		return cmd_fail(cmd, path, &err);
	if (!tp_store_open(&store, file, &err) && !rep_runs_load(store, &all, &err) &&
	    !rep_runs_select(&all, l->old, &old, &err) &&
	    !rep_runs_select(&all, l->new, &new, &err))
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

static size_t look_at_files(const char *const *path, size_t n, struct file *file)
{
	size_t found = 0;
	struct stat st;

	for (size_t i = 0; i < n; i++)
		if (!stat(path[i], &st) && S_ISREG(st.st_mode))
			file[found++] = (struct file){path[i], st.st_dev, st.st_ino};
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

int cmd_files_share(const struct cmd *cmd, const char *const *old, size_t nold,
		    const char *const *new, size_t nnew, struct cmd_shared *out)
{
	struct file *file = calloc(nold + nnew + 1, sizeof(*file)), *more;
	size_t n, m;

	*out = (struct cmd_shared){.nold = nold, .nnew = nnew};
	if (!file)
		return cmd_nomem(cmd);
	n = look_at_files(old, nold, file);
	more = file + n;
	m = look_at_files(new, nnew, more);
	for (size_t i = 0, k = 0; i < n && k < m;) {
		int order = by_file(&file[i], &more[k]);

		if (!order)
			shares(out, file[i].path);
		i += order <= 0;
		k += order >= 0;
	}
	for (size_t i = 0; i < nold; i++)
		for (size_t k = 0; cmd_engine_is_url(old[i]) && k < nnew; k++)
			if (!strcmp(old[i], new[k]))
				shares(out, old[i]);
	free(file);
	return CMD_OK;
}

int cmd_shared_tell(const struct cmd *cmd, const struct cmd_shared *same, bool labels, bool strict,
		    const char *instead)
{
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
