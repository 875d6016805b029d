#include "sides.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/apart.h"

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
	if (s->labels.old || s->labels.new)
		return cmd_labels_check(&s->labels, run, s->n, s->nold);
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

int sides_share(struct cmd *cmd, const struct sides *s, struct cmd_shared *out)
{
	return s->labels.new ? cmd_labels_share(cmd, &s->labels, s->path[0], out)
			     : cmd_files_share(cmd, s->old, s->nold, s->path, s->n, out);
}

/* ---- loading ---- */

char *sides_name(const struct cmd *cmd, const struct sides *s, bool is_old, const char *run,
		 const char *other, size_t n)
{
	const char *old = s->nold ? s->old[0] : s->path[0];
	const char *link = "", *what = "";
	char text[400], more[40] = "";

	if (other && !strcmp(run, other) && s->labels.new) {
		link = " with ";
		what = is_old ? s->labels.old : s->labels.new;
	} else if (other && !strcmp(run, other) && strcmp(old, s->path[0]) != 0) {
		link = " of ";
		what = cmd_name_apart(cmd, is_old ? old : s->path[0]);
	}
	if (n > 1)
		snprintf(more, sizeof(more), " and %zu more", n - 1);
	snprintf(text, sizeof(text), "%.200s%s%.90s%s", run, link, what, more);
	return strdup(text);
}

static char *name_of(const struct cmd *cmd, const struct sides *s, const struct cmd_profiles *list,
		     bool is_old)
{
	const struct cmd_profiles *side = &list[!is_old], *other = &list[is_old];

	return sides_name(cmd, s, is_old, side->n ? side->item[0].name : "",
			  other->n ? other->item[0].name : NULL, side->n);
}

static int open_side(struct cmd *cmd, const char *const *path, size_t n, const char *label,
		     const struct cmd_profiles_options *opt, bool sum, struct cmd_profiles *out)
{
	if (label)
		return cmd_labels_open(cmd, path[0], label, opt, sum, out);
	return sum ? cmd_profiles_sum(cmd, path, n, opt, out)
		   : cmd_profiles_open(cmd, path, n, opt, out);
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
	if (!new->item)
		return cmd_nomem(cmd);
	new->item[0] = old->item[1];
	new->n = old->n = 1;
	return CMD_OK;
}

static int load(struct cmd *cmd, const struct sides *s, const struct cmd_profiles_options *opt,
		bool sum, struct loaded *out)
{
	struct cmd_profiles_options each = *opt;
	const char *const *old = s->labels.new ? s->path : s->old;
	size_t nold = s->labels.new ? s->n : s->nold;
	bool done = false;
	int status = CMD_OK;

	if (!s->labels.new &&nold == 1 && s->n == 1 && !cmd->run_spec && !opt->by)
		status = open_pair(cmd, s, opt, &out->list[0], &out->list[1], &done);
	if (status || done)
		return status;
	cmd_profiles_release(&out->list[0]);
	memset(&out->list[0], 0, sizeof(out->list[0]));
	each.picked_elsewhere = cmd_profiles_pick(cmd, s->path, s->n);
	status = open_side(cmd, old, nold, s->labels.old, &each, sum, &out->list[0]);
	each.picked_elsewhere = true; /* or it has been said */
	if (!status)
		status = open_side(cmd, s->path, s->n, s->labels.new, &each, sum, &out->list[1]);
	return status;
}

int sides_load(struct cmd *cmd, const struct sides *s, const struct cmd_profiles_options *opt,
	       bool sum, struct loaded *out)
{
	int status = load(cmd, s, opt, sum, out);

	out->times = calloc(out->list[0].n + out->list[1].n + 1, sizeof(*out->times));
	if (!status && !out->times) {
		cmd_nomem(cmd);
		status = CMD_SYSTEM;
	}
	if (status)
		return status;
	out->nold = out->list[0].n;
	out->n = out->nold + out->list[1].n;
	out->profile = malloc((out->n ? out->n : 1) * sizeof(struct tp_profile *));
	out->old_name = name_of(cmd, s, out->list, true);
	out->new_name = name_of(cmd, s, out->list, false);
	out->names = calloc(out->n + 1, sizeof(*out->names));
	if (!out->profile || !out->names || !out->old_name || !out->new_name)
		return cmd_nomem(cmd);
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
