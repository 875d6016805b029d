#include "common/apart.h"

#include <string.h>

#include "common/dumps.h"

/* Where the shortest end of path begins, in whole names of folders, that is no end of `other`; all
 * of path where each is. */
static size_t differs_from(const char *path, const char *other)
{
	size_t at = strlen(path), n = strlen(other);

	while (at && n && path[at - 1] == other[n - 1]) {
		at--;
		n--;
	}
	/* Here both differ, in the byte before; a slash belongs to the name before it. */
	if (at)
		at--;
	while (at && path[at - 1] != '/')
		at--;
	return at;
}

const char *cmd_name_apart(const struct cmd *cmd, const char *path)
{
	const char *name = cmd_dump_name(path);
	size_t from = (size_t)(name - path);

	if (!strcmp(path, "-"))
		return name;
	for (size_t s = 0; s < sizeof(cmd->files) / sizeof(cmd->files[0]); s++)
		for (size_t i = 0; i < cmd->files[s].n; i++) {
			const char *other = cmd->files[s].path[i];
			size_t at = strcmp(path, other) != 0 ? differs_from(path, other) : from;

			from = at < from ? at : from;
		}
	return path + from;
}
