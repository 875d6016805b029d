#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const struct cmd *cmd, const char *path)
{
	int why = errno;

	cmd_error(cmd, "%s: cannot be written: %s%s", path, strerror(why),
		  why == ENOENT || why == ENOTDIR
		      ? "; make the folder first, or choose another place"
		  : why == EISDIR		   ? "; give the name of a file in it"
		  : why == ENOSPC || why == EDQUOT ? "; make room, or choose another place"
		  : why == EACCES || why == EROFS  ? "; choose another place"
						   : "");
	return CMD_SYSTEM;
}

/* The mode that open() would have given it. */
static mode_t new_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int open_part(struct cmd_file *f, mode_t mode)
{
	int fd;

	if (asprintf(&f->part, "%s.XXXXXX", f->path) < 0) {
		f->part = NULL;
		errno = ENOMEM;
		return -1;
	}
	fd = mkostemp(f->part, O_CLOEXEC);
	if (fd >= 0 && !fchmod(fd, mode))
		return fd;
	if (fd >= 0) {
		close(fd);
		unlink(f->part);
	}
	free(f->part);
	f->part = NULL;
	return -1;
}

int cmd_file_begin(const struct cmd *cmd, struct cmd_file *f, const char *path)
{
	struct stat st;
	bool there = !stat(path, &st);
	int fd = -1;

	*f = (struct cmd_file){.path = there ? realpath(path, NULL) : strdup(path)};
	if (!f->path)
		return fail(cmd, path);
	if (!there || S_ISREG(st.st_mode))
		fd = open_part(f, there ? st.st_mode & 0777 : new_mode());
	/* Nor can there be a second one where a folder takes no new files. */
	if (fd < 0 && there && (!S_ISREG(st.st_mode) || errno == EACCES || errno == EPERM))
		fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fflush(stdout) || dup2(fd, STDOUT_FILENO) < 0) {
		int status = fail(cmd, path);

		if (fd >= 0)
			close(fd);
		return status;
	}
	if (fd != STDOUT_FILENO)
		close(fd);
	cmd_stdout_is(path);
	return CMD_OK;
}

int cmd_file_end(struct cmd *cmd, struct cmd_file *f, int status)
{
	status = cmd_finish(cmd, status);
	if (f->part && !status && rename(f->part, f->path))
		status = fail(cmd, f->path);
	if (f->part && status)
		unlink(f->part);
	free(f->part);
	free(f->path);
	*f = (struct cmd_file){0};
	return status;
}

bool cmd_file_is_one_of(const char *path, const char *const *inputs, size_t n)
{
	struct stat out, st;

	if (stat(path, &out) || !S_ISREG(out.st_mode))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!stat(inputs[i], &st) && st.st_dev == out.st_dev && st.st_ino == out.st_ino)
			return true;
	return false;
}
