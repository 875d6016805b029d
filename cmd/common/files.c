#include "common/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"

error_t cmd_add_file(struct cmd *cmd, enum cmd_side side, const char *path)
{
	struct cmd_files *f = &cmd->files[side];

	if (tp_grow(&f->path, &f->room, f->n, sizeof(*f->path)))
		return ENOMEM;
	f->path[f->n++] = path;
	return 0;
}

const char *cmd_path(const struct cmd *cmd)
{
	return cmd->files[CMD_NEW].n ? cmd->files[CMD_NEW].path[0] : NULL;
}

void cmd_need_file(const struct cmd *cmd, const struct argp_state *state, const char *kinds)
{
	if (!cmd_path(cmd))
		argp_error(state, "no input file is given; name %s", kinds);
}

void cmd_files_release(struct cmd *cmd)
{
	for (int side = 0; side < 2; side++) {
		free(cmd->files[side].path);
		cmd->files[side] = (struct cmd_files){0};
	}
}

const struct cmd_files *cmd_side_files(const struct cmd *cmd, enum cmd_side side)
{
	return &cmd->files[cmd->files[side].n ? side : CMD_NEW];
}

const char *cmd_side_run(const struct cmd *cmd, enum cmd_side side)
{
	return cmd->side_run[side] ? cmd->side_run[side] : cmd->run_spec;
}

bool cmd_run_picks(const struct cmd *cmd)
{
	struct tp_err err;

	for (int side = 0; side < 2 && cmd->run_spec; side++)
		for (size_t i = 0; i < cmd->files[side].n; i++)
			if (cmd_is_store(cmd->files[side].path[i], &err) == 1)
				return true;
	return false;
}

/* ---- names ---- */

const char *cmd_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(path, "-") ? "stdin" : slash && slash[1] ? slash + 1 : path;
}

/* Returns the start of the shortest suffix of path, in whole names, that is not a suffix of `other`; 0 if all
 * suffixes of path are. */
static size_t differs_from(const char *path, const char *other)
{
	size_t at = strlen(path), n = strlen(other);

	while (at && n && path[at - 1] == other[n - 1]) {
		at--;
		n--;
	}
	/* The paths differ in the byte before `at`. If it is a slash, it belongs to the name before it. */
	if (at)
		at--;
	while (at && path[at - 1] != '/')
		at--;
	return at;
}

const char *cmd_name_apart(const struct cmd *cmd, const char *path)
{
	const char *name = cmd_file_name(path);
	size_t from = (size_t)(name - path);

	if (!strcmp(path, "-"))
		return name;
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < cmd->files[side].n; i++) {
			const char *other = cmd->files[side].path[i];
			size_t at = strcmp(path, other) != 0 ? differs_from(path, other) : from;

			from = at < from ? at : from;
		}
	return path + from;
}
