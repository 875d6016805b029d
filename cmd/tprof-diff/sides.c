#include "sides.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/engine/engine.h"
#include "common/jail.h"

static bool is_base(const char *text)
{
	return !strcmp(text, "--base") || !strcmp(text, "--diff-base");
}

int sides_spell(int argc, char **argv)
{
	int n = 1;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argc;
	for (int i = 1; i < argc; i++) {
		char *joined;

		if (!is_base(argv[i]) || i + 1 == argc) {
			argv[n++] = argv[i];
		} else if (asprintf(&joined, "%s=%s", argv[i], argv[i + 1]) < 0) {
			return -1;
		} else {
			argv[n++] = joined;
			i++;
		}
	}
	argv[n] = NULL;
	return n;
}

void sides_init(struct sides *s, int argc, char **argv)
{
	for (int i = 1; i < argc && !s->separated; i++) {
		s->separated = !strcmp(argv[i], "--");
		s->nbehind = (size_t)(argc - i - 1);
	}
}

void sides_release(struct sides *s)
{
	free(s->path);
	free(s->old);
}

static error_t add(const char ***list, size_t *n, const char *path)
{
	const char **p = realloc(*list, (*n + 1) * sizeof(*p));

	if (!p)
		return ENOMEM;
	*list = p;
	p[(*n)++] = path;
	return 0;
}

error_t sides_add(struct sides *s, const char *path)
{
	return add(&s->path, &s->n, path);
}

error_t sides_add_old(struct sides *s, const char *path)
{
	return add(&s->old, &s->nold, path);
}

const char *sides_check(struct sides *s, const char *run)
{
	if (s->base_label || s->label) {
		if (!s->base_label || !s->label)
			return "--base-label says which runs are old, --label which are new: both "
			       "are "
			       "needed";
		if (run)
			return "--run would pick runs of both sides, and the labels pick those of "
			       "each: leave --run out, and put a label that both have into both "
			       "(--label=KEY=VALUE,KEY=VALUE)";
		return s->n == 1 && !s->nold ? NULL : "labels pick runs of one store: name it";
	}
	if (s->nold)
		return s->n ? NULL : "to what is the base compared? Name the new runs";
	if (s->separated) {
		if (s->nbehind >= s->n || !s->nbehind)
			return "old runs stand before --, new ones behind it: --base OLD... -- "
			       "NEW...";
		s->nold = s->n - s->nbehind;
		for (size_t i = s->nold; i < s->n; i++)
			if (s->path[i][0] == '-' && s->path[i][1])
				return "options stand before --, files behind it";
	} else if (s->n == 2) {
		s->nold = 1;
	} else if (s->n > 2) {
		return "which are old and which are new? Put -- between them: --base OLD... -- "
		       "NEW...";
	} else {
		return s->n
			   ? "compared to what? Give OLD and NEW, for --self-check the same twice; "
			     "runs of one store are picked by --base-label=RUN and --label=RUN"
			   : "of which files? Give OLD and NEW";
	}
	s->old = malloc(s->nold * sizeof(*s->old));
	if (!s->old)
		return SIDES_NO_MEMORY;
	memcpy(s->old, s->path, s->nold * sizeof(*s->old));
	s->n -= s->nold;
	memmove(s->path, s->path + s->nold, s->n * sizeof(*s->path));
	return NULL;
}

/* ---- what is on both sides ---- */

static int share_runs(struct cmd *cmd, const struct sides *s, struct sides_shared *out)
{
	struct rep_runs all = {0}, old = {0}, new = {0};
	const char *path = s->path[0];
	struct tp_store *store = NULL;
	struct tp_err err;
	int status = CMD_OK;

	if (cmd_engine_is_url(path))
		status = cmd_engine_list(cmd, path, &path);
	if (status)
		return status;
	cmd_jail_withdraw();
	if (!tp_store_open(&store, path, &err) && !rep_runs_load(store, &all, &err) &&
	    !rep_runs_select(&all, s->base_label, &old, &err) &&
	    !rep_runs_select(&all, s->label, &new, &err)) {
		*out = (struct sides_shared){.nold = old.n, .nnew = new.n};
		/* Both are by id. */
		for (size_t i = 0, k = 0; i < old.n && k < new.n;) {
			int64_t a = old.run[i].row.id, b = new.run[k].row.id;

			if (a == b && !out->n++)
				snprintf(out->name, sizeof(out->name), "%s", old.run[i].row.name);
			i += a <= b;
			k += b <= a;
		}
	} else if (err.code == TP_ENOMEM) {
		status = cmd_fail(cmd, s->path[0], &err);
	}
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

int sides_share(struct cmd *cmd, const struct sides *s, struct sides_shared *out)
{
	struct file *old, *new;
	size_t nold, nnew;

	*out = (struct sides_shared){0};
	if (s->label)
		return share_runs(cmd, s, out);
	old = calloc(s->nold + s->n + 1, sizeof(*old));
	if (!old) {
		cmd_error(cmd, "out of memory");
		return CMD_SYSTEM;
	}
	nold = look_at_files(s->old, s->nold, old);
	new = old + nold;
	nnew = look_at_files(s->path, s->n, new);
	*out = (struct sides_shared){.nold = s->nold, .nnew = s->n};
	for (size_t i = 0, k = 0; i < nold && k < nnew;) {
		int order = by_file(&old[i], &new[k]);

		if (!order && !out->n++)
			snprintf(out->name, sizeof(out->name), "%s", old[i].path);
		i += order <= 0;
		k += order >= 0;
	}
	free(old);
	return CMD_OK;
}

/* ---- loading ---- */

static char *name_of(const struct cmd_profiles *list)
{
	char text[400];

	if (list->n < 2)
		return strdup(list->n ? list->item[0].name : "");
	snprintf(text, sizeof(text), "%.300s and %zu more", list->item[0].name, list->n - 1);
	return strdup(text);
}

static int open_side(struct cmd *cmd, const char *const *path, size_t n, const char *label,
		     const struct cmd_profiles_options *opt, bool sum, struct cmd_profiles *out)
{
	const char *spec = cmd->run_spec;
	int status;

	if (label)
		cmd->run_spec = label;
	status = sum ? cmd_profiles_sum(cmd, path, n, opt, out)
		     : cmd_profiles_open(cmd, path, n, opt, out);
	cmd->run_spec = spec;
	return status;
}

/* One file each is loaded at once, in two threads. */
static int open_pair(struct cmd *cmd, const struct sides *s, const struct cmd_profiles_options *opt,
		     struct cmd_profiles *old, struct cmd_profiles *new, bool *done)
{
	const char *path[] = {s->old[0], s->path[0]};
	int status = cmd_profiles_open(cmd, path, 2, opt, old);

	*done = !status && old->n == 2;
	if (!*done)
		return status;
	new->item = malloc(sizeof(*new->item));
	if (!new->item) {
		cmd_error(cmd, "out of memory");
		return CMD_SYSTEM;
	}
	new->item[0] = old->item[1];
	new->n = old->n = 1;
	return CMD_OK;
}

static int load(struct cmd *cmd, const struct sides *s, const struct cmd_profiles_options *opt,
		bool sum, struct loaded *out)
{
	const char *const *old = s->label ? s->path : s->old;
	size_t nold = s->label ? s->n : s->nold;
	bool done = false;
	int status = CMD_OK;

	if (!s->label && nold == 1 && s->n == 1 && !cmd->run_spec && !opt->by)
		status = open_pair(cmd, s, opt, &out->list[0], &out->list[1], &done);
	if (status || done)
		return status;
	cmd_profiles_release(&out->list[0]);
	memset(&out->list[0], 0, sizeof(out->list[0]));
	status = open_side(cmd, old, nold, s->base_label, opt, sum, &out->list[0]);
	if (!status)
		status = open_side(cmd, s->path, s->n, s->label, opt, sum, &out->list[1]);
	return status;
}

int sides_load(struct cmd *cmd, const struct sides *s, const struct cmd_profiles_options *opt,
	       bool sum, struct loaded *out)
{
	int status = load(cmd, s, opt, sum, out);

	out->times = calloc(out->list[0].n + out->list[1].n + 1, sizeof(*out->times));
	if (!status && !out->times) {
		cmd_error(cmd, "out of memory");
		status = CMD_SYSTEM;
	}
	if (status)
		return status;
	out->nold = out->list[0].n;
	out->n = out->nold + out->list[1].n;
	out->profile = malloc((out->n ? out->n : 1) * sizeof(struct tp_profile *));
	out->old_name = name_of(&out->list[0]);
	out->new_name = name_of(&out->list[1]);
	out->names = calloc(out->n + 1, sizeof(*out->names));
	if (!out->profile || !out->names || !out->old_name || !out->new_name) {
		cmd_error(cmd, "out of memory");
		return CMD_SYSTEM;
	}
	for (size_t i = 0; i < out->n; i++) {
		const struct cmd_profile *item =
		    i < out->nold ? &out->list[0].item[i] : &out->list[1].item[i - out->nold];

		out->profile[i] = item->profile;
		out->times[i] = item->times;
		out->names[i] = item->name;
	}
	return CMD_OK;
}

void loaded_release(struct loaded *l)
{
	cmd_profiles_release(&l->list[0]);
	cmd_profiles_release(&l->list[1]);
	free(l->profile);
	free(l->times);
	free(l->names);
	free(l->old_name);
	free(l->new_name);
}
