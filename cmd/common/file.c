#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "common/advice.h"
#include "store/store.h"

static int fail(const struct cmd *cmd, const char *path)
{
	int why = errno;

	return cmd_reject(cmd, CMD_SYSTEM, "%s: cannot be written: %s%s", path, strerror(why),
			  cmd_advice(why));
}

/* Returns whether a file is written in place: it is not a regular file, or (by errno) its folder permits no
 * new files. */
static bool as_it_is(const struct stat *st)
{
	return !S_ISREG(st->st_mode) || errno == EACCES || errno == EPERM;
}

/* Returns whether a file is the one that stdout writes to, usually /dev/stdout. It must not be replaced: the
 * shell has opened it, perhaps to append. */
static bool is_stdout(const struct stat *st)
{
	struct stat out;

	return !fstat(STDOUT_FILENO, &out) && out.st_dev == st->st_dev && out.st_ino == st->st_ino;
}

enum cmd_sqlite cmd_file_sqlite(const char *path)
{
	unsigned char head[72] = {0};
	const unsigned char *id = head + 68; /* big-endian, as SQLite's file format has it */
	ssize_t n = -1;
	int fd, why;

	do
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	if (fd >= 0)
		do
			n = pread(fd, head, sizeof(head), 0);
		while (n < 0 && errno == EINTR);
	why = errno;
	if (fd >= 0)
		close(fd);
	errno = why;
	if (n < 16)
		return n < 0 ? CMD_UNREAD : CMD_NOT_SQLITE;
	if (memcmp(head, "SQLite format 3", 16) != 0)
		return CMD_NOT_SQLITE;
	return ((uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3]) ==
		       TP_STORE_APPLICATION_ID
		   ? CMD_STORE
		   : CMD_OTHER_SQLITE;
}

/* Returns whether path is one of the files that are read; "-" is standard input. */
static bool is_one_of(const char *path, const char *const *inputs, size_t n)
{
	struct stat out, st;

	if (stat(path, &out) || !S_ISREG(out.st_mode))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!inputs[i])
			continue;
		if (strcmp(inputs[i], "-") ? stat(inputs[i], &st) : fstat(STDIN_FILENO, &st))
			continue;
		if (st.st_dev == out.st_dev && st.st_ino == out.st_ino)
			return true;
	}
	return false;
}

static bool is_read(const struct cmd *cmd, const char *path, const char *const *others, size_t n)
{
	for (int side = 0; side < 2; side++)
		if (is_one_of(path, cmd->files[side].path, cmd->files[side].n))
			return true;
	return is_one_of(path, others, n);
}

int cmd_file_begin(struct cmd *cmd, const char *const *others, size_t n)
{
	struct cmd_draft *draft = &cmd->draft;
	const char *path = cmd->output;
	struct stat st;
	bool there;
	char *place;
	enum cmd_sqlite is = CMD_NOT_SQLITE;
	int fd = -1;

	if (!path || !strcmp(path, "-"))
		return CMD_OK;
	if (is_read(cmd, path, others, n))
		return cmd_reject(cmd, CMD_USAGE,
				  "%s: cannot be written, as it is read; give another name with -o",
				  path);
	there = !stat(path, &st);
	if (there && is_stdout(&st)) {
		cmd_stdout_is(path);
		return CMD_OK;
	}
	if (there && S_ISREG(st.st_mode))
		is = cmd_file_sqlite(path);
	/* A file that cannot be read may be a store. It is replaced only after EACCES, as users do not keep
	 * stores that they may not read; other errors may be temporary. */
	if (is == CMD_UNREAD && errno != EACCES)
		return fail(cmd, path);
	if (is == CMD_STORE)
		return cmd_reject(
		    cmd, CMD_USAGE,
		    "%s: is a store, which is not replaced; give another name with -o", path);
	place = there ? realpath(path, NULL) : strdup(path);
	if (!place)
		return fail(cmd, path);
	if (!there || S_ISREG(st.st_mode))
		fd = cmd_draft_begin(draft, place, 0) ? -1 : draft->fd;
	if (fd < 0 && there && as_it_is(&st))
		fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
	free(place);
	if (fd < 0 || fflush(stdout) || dup2(fd, STDOUT_FILENO) < 0) {
		int status = fail(cmd, path);

		if (fd >= 0 && !draft->part)
			close(fd);
		cmd_draft_end(draft, false);
		return status;
	}
	if (fd != STDOUT_FILENO && !draft->part)
		close(fd);
	cmd_stdout_is(path);
	return CMD_OK;
}

int cmd_file_end(struct cmd *cmd, int status)
{
	return cmd_draft_end(&cmd->draft, !status) && !status ? fail(cmd, cmd->output) : status;
}

int cmd_file_place(const struct cmd *cmd, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = NULL;
	struct stat st;
	int why = 0;

	if (!stat(path, &st)) {
		why = S_ISDIR(st.st_mode) ? EISDIR : 0;
		if (!why && !S_ISREG(st.st_mode))
			return cmd_reject(cmd, CMD_SYSTEM,
					  "%s: is not a regular file; give another name with -o",
					  path);
	} else if (errno != ENOENT) {
		why = errno;
	} else if (slash) {
		folder = strndup(path, (size_t)(slash - path) + 1);
		why = !folder || stat(folder, &st) ? errno : slash[1] ? 0 : EISDIR;
		free(folder);
	}
	errno = why;
	return why ? fail(cmd, path) : CMD_OK;
}

/* Sets the error for a file that cannot be read, with exit statuses as for dumps: 3 for a missing file or a
 * folder, else 4. */
static int unread(struct tp_err *err)
{
	return tp_err_set(err, errno == ENOENT || errno == EISDIR ? TP_ENOENT : TP_EIO,
			  TP_OFFSET_NONE, "%s", strerror(errno));
}

int cmd_read_file(const char *path, size_t most, struct tp_buf *b, struct tp_err *err)
{
	bool std = !strcmp(path, "-");
	char block[1 << 14], limit[TP_UNITS_SIZE];
	ssize_t n = 1;
	int fd, code = 0;

	do
		fd = std ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return unread(err);
	while (!code && n) {
		n = read(fd, block, sizeof(block));
		if (n < 0 && errno != EINTR)
			code = unread(err);
		else if (n > 0 && b->size + (size_t)n > most)
			code = tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "is longer than %s",
					  tp_fmt_bytes(limit, (int64_t)most));
		else if (n > 0 && tp_buf_put(b, block, (size_t)n))
			code = tp_nomem(err);
	}
	if (!std)
		close(fd);
	return code;
}

bool cmd_xdg_folder(char path[PATH_MAX], const char *variable, const char *usual)
{
	const char *base = getenv(variable), *home = getenv("HOME");
	int n = 0;

	if (base && *base == '/')
		n = snprintf(path, PATH_MAX, "%s/tprof", base);
	else if (home && *home == '/')
		n = snprintf(path, PATH_MAX, "%s/%s/tprof", home, usual);
	errno = n ? ENAMETOOLONG : ENOENT;
	return n > 0 && n < PATH_MAX - 256;
}

int cmd_make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	return mkdir(path, 0700) && errno != EEXIST ? -1 : 0;
}

const char *cmd_file_ending(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');

	return dot && dot > base && dot[1] ? dot : "";
}
