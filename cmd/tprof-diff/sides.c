#include "sides.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/files.h"

/* With one dash or two, as pprof has it. */
static bool is_base(const char *text)
{
	if (*text++ != '-')
		return false;
	text += *text == '-';
	return !strcmp(text, "base") || !strcmp(text, "diff-base") || !strcmp(text, "diff_base");
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

/* After "--" every argument is a file to argp. */
static const char *option_behind(struct sides *s, const char *option)
{
	if (!strcmp(option, "--"))
		return "-- is given twice; it stands once, between old and new files";
	snprintf(s->wrong, sizeof(s->wrong),
		 "the option '%.60s' stands after --, where only files may be; put it before --",
		 option);
	return s->wrong;
}

const char *sides_old_only(struct sides *s, struct cmd *cmd)
{
	struct cmd_files *old = &cmd->files[CMD_OLD], *new = &cmd->files[CMD_NEW];
	bool labels = cmd->side_run[CMD_OLD] && !cmd->side_run[CMD_NEW];
	size_t i = 0;

	if (s->separated || cmd->side_run[CMD_NEW] || (!old->n && new->n == 2 && !labels))
		return NULL;
	s->old_only = labels || old->n + new->n;
	if (labels)
		cmd->side_run[CMD_NEW] = cmd->side_run[CMD_OLD];
	if (labels || !s->old_only)
		return NULL;
	s->spelled = false;
	for (size_t k = 0; k < new->n; k++)
		if (cmd_add_file(cmd, CMD_OLD, new->path[k]))
			return SIDES_NO_MEMORY;
	new->n = 0;
	/* Standard input cannot be read again. */
	while (i + 1 < old->n && !strcmp(old->path[i], "-"))
		i++;
	return cmd_add_file(cmd, CMD_NEW, old->path[i]) ? SIDES_NO_MEMORY : NULL;
}

const char *sides_check(struct sides *s, struct cmd *cmd)
{
	struct cmd_files *new = &cmd->files[CMD_NEW];
	size_t nold = 1;

	if (cmd->side_run[CMD_OLD] || cmd->side_run[CMD_NEW])
		return cmd_labels_check(cmd);
	if (cmd->files[CMD_OLD].n)
		return new->n ? NULL
			      : "--base=OLD needs something to compare with; name the new runs";
	if (s->separated) {
		if (s->nbehind >= new->n || !s->nbehind)
			return "a side is empty; name old runs before -- and new ones after it: "
			       "--base OLD... -- NEW...";
		nold = new->n - s->nbehind;
		for (size_t i = nold; i < new->n; i++)
			if (new->path[i][0] == '-' && new->path[i][1])
				return option_behind(s, new->path[i]);
	} else if (new->n > 2) {
		return "nothing says which of these files are old; put -- between old and new "
		       "ones: --base OLD... -- NEW...";
	} else if (new->n < 2) {
		return new->n ? "one file is not enough; name OLD and NEW (for runs of one store "
				"--base-label=RUN and --label=RUN)"
			      : "no input file is given; name OLD and NEW";
	}
	for (size_t i = 0; i < nold; i++)
		if (cmd_add_file(cmd, CMD_OLD, new->path[i]))
			return SIDES_NO_MEMORY;
	new->n -= nold;
	memmove(new->path, new->path + nold, new->n * sizeof(*new->path));
	return NULL;
}

/* ---- folders ---- */

static const char *first_folder(const struct cmd_files *files)
{
	struct stat st;

	for (size_t i = 0; i < files->n; i++)
		if (!stat(files->path[i], &st) && S_ISDIR(st.st_mode))
			return files->path[i];
	return NULL;
}

static bool has_file(const char *folder, const char *name)
{
	struct stat st;
	char *path;
	bool is;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return false;
	is = !stat(path, &st) && S_ISREG(st.st_mode);
	free(path);
	return is;
}

/* Lists the files that both folders have, and names the first. */
static void list_common(const char *old, const char *new, char first[256], char list[400])
{
	struct dirent **entry = NULL;
	int n = scandir(old, &entry, NULL, alphasort);
	size_t used = 0;
	bool more = false;

	for (int i = 0; i < n; i++) {
		const char *name = entry[i]->d_name;

		if (!more && has_file(old, name) && has_file(new, name)) {
			more = used >= 300;
			if (!used)
				snprintf(first, 256, "%s", name);
			used += (size_t)snprintf(list + used, 400 - used, "%s%.60s",
						 used ? ", " : "", more ? "\xe2\x80\xa6" : name);
		}
		free(entry[i]);
	}
	free(entry);
}

/* The length of a path without slashes at its end. */
static int bare(const char *path)
{
	int n = (int)strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return n;
}

int sides_refuse_folders(const struct cmd *cmd)
{
	const struct cmd_files *side = cmd->files;
	const char *old = first_folder(&side[CMD_OLD]), *new = first_folder(&side[CMD_NEW]);
	char first[256] = "", list[400] = "";
	bool sets = side[CMD_OLD].n + side[CMD_NEW].n > 2;

	if (old && new)
		list_common(old, new, first, list);
	if (!*first)
		return CMD_OK;
	return cmd_reject(cmd, CMD_USAGE,
			  "%s: is a folder; name the same file of each: %s %s%.*s/%s %s%.*s/%s%s "
			  "(these folders share %s)",
			  old, cmd->name, sets ? "--base " : "", bare(old), old, first,
			  sets ? "\xe2\x80\xa6 -- " : "", bare(new), new, first,
			  sets ? " \xe2\x80\xa6" : "", list);
}

void sides_name(const struct cmd *cmd, bool is_old, const char *run, const char *other, size_t n,
		char text[SIDES_NAME])
{
	const char *old = cmd_side_files(cmd, CMD_OLD)->path[0], *new = cmd_path(cmd);
	const char *link = "", *what = "";
	char more[40] = "";

	if (other && !strcmp(run, other) && cmd->side_run[CMD_NEW]) {
		link = " with ";
		what = cmd->side_run[is_old ? CMD_OLD : CMD_NEW];
	} else if (other && !strcmp(run, other) && strcmp(old, new) != 0) {
		link = " of ";
		what = cmd_name_apart(cmd, is_old ? old : new);
	}
	if (n > 1)
		snprintf(more, sizeof(more), " and %zu more", n - 1);
	snprintf(text, SIDES_NAME, "%.200s%s%.90s%s", run, link, what, more);
}
